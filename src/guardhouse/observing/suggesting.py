"""From what was stopped, or would have been, to the narrowest allowances that would let the same pass.

Nothing is guessed: an allowance is suggested only if it, with the others for the same call, would have been enough.
What no allowance should cover is told with the reason. Parts of an event are an attacker's words: they are counted and
shown, and a person decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from shlex import quote, split
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.audit.statistics import is_canary
from guardhouse.model import ApprovalStatus, Decision, Effect, visible
from guardhouse.net import host_class
from guardhouse.observing.broadening import broader
from guardhouse.observing.reluctance import never
from guardhouse.observing.shared_hosts import shared_domain
from guardhouse.policy import APPROVED, FLOORS, REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from guardhouse.config import Kind
    from guardhouse.model import AuditEvent, Reason
    from guardhouse.observing.unfit_places import Expected

_MOST: Final = 10_000
"""Different things that are counted. An attacker can invent more; these are counted together."""
_LONGEST_COMMAND: Final = 300
_MOST_SESSIONS: Final = 1_000
_FROM_OUTSIDE: Final = frozenset({"tool", "memory", "skill"})
_ANSWERS: Final = frozenset({APPROVED.id, *(code.id for code in REFUSED.values())})
"""Codes that say what became of a question, and are no cause of it."""


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """One allowance that a person might give."""

    kind: Kind
    entry: str
    command: str
    """What to type."""
    seen: int
    """Calls that it would have helped."""
    last: str
    """When the last of them was, in UTC."""
    sessions: int
    codes: tuple[str, ...]
    """What it would no longer lead to, for this entry."""
    approved: int = 0
    """How many of these calls a person approved."""
    notes: tuple[str, ...] = ()
    """What to look at before saying yes."""
    instead_of: tuple[str, ...] = ()
    """For one that is broader than what was seen: the entries it would cover."""
    question: str = ""
    """What a person must say first; such a one can't be written as it is."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that will go on asking, or being blocked."""

    codes: tuple[str, ...]
    why: str
    seen: int
    last: str
    example: str
    """The last of them, masked."""
    event_id: str
    """For `guardhouse why`."""


class Suggestions(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen, and what follows from it: the most frequent first, what is broader than what was seen last."""

    calls: int
    """Calls that were looked at,"""
    stopped: int
    """and those among them that were held back, or would have been."""
    suggestions: tuple[Suggestion, ...] = ()
    kept: tuple[Kept, ...] = ()
    left_out: int = 0
    """Calls that were not counted one by one, because there were too many different ones."""


@dataclass(slots=True)
class _Tally:
    seen: int = 0
    last: str = ""
    sessions: set[str | None] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    requests: set[str] = field(default_factory=set)
    notes: dict[str, None] = field(default_factory=dict)
    remedy: str = ""
    example: str = ""
    event_id: str = ""

    def add(self, event: AuditEvent, codes: Iterable[str]) -> None:
        self.seen += 1
        self.last = max(self.last, event.timestamp)
        if len(self.sessions) < _MOST_SESSIONS:
            self.sessions.add(event.session_id)
        self.codes.update(codes)
        if event.approval_request_id is not None:
            self.requests.add(event.approval_request_id)
        self.example, self.event_id = event.action_summary_redacted.text, event.event_id


_Key = tuple["Kind", str]
_Entries = dict[_Key, set[str]]
"""Allowances, each with the codes that it would lift."""


def _not_looked_at(_path: str, _expected: Expected) -> str:
    return "Nobody has looked what lies there."


def suggest(
    events: Iterable[AuditEvent],
    is_allowed: Callable[[Kind, str], bool],
    unfit: Callable[[str, Expected], str] = _not_looked_at,
) -> Suggestions:
    """What `events` (oldest first) suggest. `is_allowed` tells what is allowed by now, and needs no suggestion; `unfit`
    why a path should not be. Without it no path is suggested."""
    survey = _Survey(unfit)
    for event in events:
        survey.look(event)
    return survey.result(is_allowed)


class _Survey:
    def __init__(self, unfit: Callable[[str, Expected], str]) -> None:
        self._unfit = unfit
        self._calls = self._stopped = self._left_out = 0
        self._wanted: dict[_Key, _Tally] = {}
        self._kept: dict[tuple[tuple[str, ...], str], _Tally] = {}
        self._answers: dict[str, ApprovalStatus] = {}
        self._asked: set[str] = set()

    def look(self, event: AuditEvent) -> None:
        if event.kind == "approval" and event.approval_request_id is not None:
            if event.approval_status in {ApprovalStatus.APPROVED, ApprovalStatus.DENIED}:
                self._answers[event.approval_request_id] = event.approval_status
            return
        if event.kind != "decision" or event.action_type not in {"ToolCallPre", "SkillRunPre"} or is_canary(event):
            return
        if event.approval_request_id in self._asked:
            return  # one more decision about a call that was counted when it asked
        self._calls += 1
        meant = event.would_be if event.mode == "observe" else event.decision
        if meant not in {Decision.REQUIRE_APPROVAL, Decision.DENY}:
            return
        self._stopped += 1
        if event.approval_request_id is not None:
            self._asked.add(event.approval_request_id)
        causes = [
            reason
            for reason in event.reasons
            if reason.decision >= Decision.REQUIRE_APPROVAL and reason.code not in _ANSWERS
        ]
        entries = _entries(event, causes)
        why = _reluctance(event, causes) or _insufficiency(event, causes, entries) or self._unfit_path(causes, entries)
        if why:
            self._keep(event, tuple(sorted({cause.code for cause in causes})), why)
        else:
            self._want(event, entries)

    def _unfit_path(self, causes: list[Reason], entries: _Entries) -> str:
        """Why a path among `entries` should not be allowed; empty if all may be."""
        by_command = any(cause.decided_by == _COMMANDS for cause in causes)
        paths = (entry for kind, entry in entries if kind == "path")
        return next(filter(None, (self._unfit(path, "target" if by_command else "file") for path in paths)), "")

    def _keep(self, event: AuditEvent, codes: tuple[str, ...], why: str) -> None:
        key = (codes, why)
        if key not in self._kept and len(self._kept) >= _MOST:
            self._left_out += 1
            return
        self._kept.setdefault(key, _Tally()).add(event, codes)

    def _want(self, event: AuditEvent, entries: _Entries) -> None:
        if any(key not in self._wanted for key in entries) and len(self._wanted) + len(entries) > _MOST:
            self._left_out += 1
            return
        for key, codes in entries.items():
            tally = self._wanted.setdefault(key, _Tally())
            tally.add(event, codes)
            tally.remedy = next((one.remedy for one in event.reasons if _allowance(one) == key), "")
            tally.notes.update(dict.fromkeys(_notes(event, key)))

    def result(self, is_allowed: Callable[[Kind, str], bool]) -> Suggestions:
        found: list[Suggestion] = []
        for (kind, entry), tally in self._wanted.items():
            if is_allowed(kind, entry):
                continue
            if any(self._answers.get(request) is ApprovalStatus.DENIED for request in tally.requests):
                codes = tuple(sorted(tally.codes))
                self._kept[codes, f"{_SAID_NO} ({kind} {visible(entry)})"] = tally
                continue
            found.append(self._suggestion(kind, entry, tally))
        found += broader(found, self._unfit)
        found.sort(key=lambda one: (bool(one.instead_of), -one.seen, one.kind, one.entry))
        kept = sorted(self._kept.items(), key=lambda item: -item[1].seen)
        return Suggestions(
            calls=self._calls,
            stopped=self._stopped,
            suggestions=tuple(found),
            kept=tuple(
                Kept(
                    codes=codes,
                    why=why,
                    seen=tally.seen,
                    last=tally.last,
                    example=tally.example,
                    event_id=tally.event_id,
                )
                for (codes, why), tally in kept
            ),
            left_out=self._left_out,
        )

    def _suggestion(self, kind: Kind, entry: str, tally: _Tally) -> Suggestion:
        notes = list(tally.notes)
        if len(tally.sessions) == 1 and tally.sessions != {None}:
            notes.append("seen in one session only")
        approved = sum(self._answers.get(request) is ApprovalStatus.APPROVED for request in tally.requests)
        return Suggestion(
            kind=kind,
            entry=entry,
            command=tally.remedy if kind == "tool" else f"guardhouse allow {kind} {quote(entry)}",
            seen=tally.seen,
            last=tally.last,
            sessions=len(tally.sessions),
            codes=tuple(sorted(tally.codes)),
            approved=approved,
            notes=tuple(notes),
            question="Say what it can do; nobody can tell that from its calls." if kind == "tool" else "",
        )


_SAID_NO: Final = "A person said no to it"


def _reluctance(event: AuditEvent, causes: list[Reason]) -> str:
    """Why nothing is suggested for this call, whatever allowance there may be; empty if something can be."""
    if not causes:
        return "Nothing in the record says what it was stopped for."
    for cause in causes:
        if cause.code in FLOORS:
            return "It is a floor, which nothing lifts."
        why = never(cause.code)
        if why:
            return why
        if cause.decided_by.startswith("rule:"):
            return f"The rule {visible(cause.decided_by[5:])} says so; only that rule can be changed."
    if any(finding.code.startswith("secret.") or finding.secret_kind for finding in event.findings):
        return "There is a secret in it."
    return ""


def _insufficiency(event: AuditEvent, causes: list[Reason], entries: _Entries) -> str:
    """Why `entries` would not let the call pass, or are not fit to be suggested; empty if they are. An allowance that
    is not enough would be given for nothing."""
    lifted = set().union(*entries.values())
    if any(cause.code not in lifted for cause in causes) or any("[redacted" in entry for _kind, entry in entries):
        return "There is no allowance for it, or a part of it is masked."
    if event.detail:
        return "It names more than the record holds."
    if any(kind == "domain" and host_class(entry.partition(":")[0]) is not None for kind, entry in entries):
        return never("net.anybodys_host")
    commands = [entry for kind, entry in entries if kind == "command"]
    if len(commands) > 1 or any(len(entry) > _LONGEST_COMMAND or not entry.isprintable() for entry in commands):
        return "The command is long, or has several lines: read it whole with `guardhouse why`, then allow it yourself."
    return ""


_COMMANDS: Final = "detector:commands"


def _entries(event: AuditEvent, causes: list[Reason]) -> _Entries:
    """The allowances that the causes of one call name."""
    found: _Entries = {}
    # What is allowed as a command is allowed with everything that the command would do.
    commands = {named[1] for cause in causes if (named := _allowance(cause)) is not None and named[0] == "command"}
    for entry in commands:
        found["command", entry] = {cause.code for cause in causes if cause.decided_by == _COMMANDS}
    for cause in causes:
        named = _allowance(cause)
        if named is None or (commands and cause.decided_by == _COMMANDS):
            continue
        found.setdefault(named, set()).add(cause.code)
        for finding in event.findings if named[0] in {"domain", "path"} else ():
            place = finding.url.split("/")[2] if named[0] == "domain" and finding.url else finding.path
            if finding.code == cause.code and place:
                found.setdefault((named[0], place), set()).add(cause.code)
    return found


def _allowance(cause: Reason) -> _Key | None:
    """Kind and entry of the allowance that its remedy names; None if there is none."""
    return _read(cause.remedy) if cause.remedy else None


@lru_cache(maxsize=4096)
def _read(remedy: str) -> _Key | None:
    try:
        words = split(remedy)
    except ValueError:
        return None
    if len(words) < 4 or words[:2] != ["guardhouse", "allow"] or words[2] not in _KINDS:
        return None
    return _KINDS[words[2]], words[3]


_KINDS: Final[dict[str, Kind]] = {"domain": "domain", "command": "command", "path": "path", "tool": "tool"}


def _notes(event: AuditEvent, key: _Key) -> Iterable[str]:
    """What a person should know of this one."""
    kind, entry = key
    origins = [*(one.origin for one in event.reasons), *(one.origin for one in event.findings)]
    if any(origin is not None and origin.kind in _FROM_OUTSIDE for origin in origins):
        yield "CAME FROM UNTRUSTED CONTENT at least once"
    if kind == "domain":
        host = entry.rpartition(":")[0] or entry
        if host.replace(".", "").isdigit() or "[" in host:
            yield "an address, not a name"
        shared = shared_domain(host)
        if shared:
            yield f"shared: anybody can have a name below {shared}"
        if "xn--" in host:
            yield "a name in another script: look at it closely"
        if any(one.effect is Effect.SENDS and one.host == host for one in event.findings):
            yield "data was to be sent there"
