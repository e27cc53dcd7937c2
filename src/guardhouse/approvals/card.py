"""The card: one request for approval as plain text, for a person who has five seconds to judge it.

Everything that did not come from us stands to the right of a bar, line by line, so that no value can look like a part
of the card; nothing of the action is cut. What would not fit into a bounded card has none, only a brief notice that
nobody can approve by. It is for local screens, which may show the whole action with its secrets masked. It reads no
clock, asks nothing and answers nothing.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.approvals import grants
from guardhouse.approvals.wording import terms_words
from guardhouse.model import (
    ONCE,
    ApprovalRequest,
    ApprovalStatus,
    GuardhouseError,
    Reason,
    RiskLevel,
    Terms,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.approvals.interface import Outline
    from guardhouse.model import Reach

NARROWEST: Final = 24
"""Columns below which no card can be drawn: the terminal itself would break its lines."""

USE_WITHIN: Final = 600.0
"""Seconds in which an approval is usually used, if the caller knows no better."""

MOST: Final = 512 * 1024
"""Characters of the largest card. Nobody reads more, and an action of a few kilobytes could make gigabytes of it."""

_BAR: Final = "│"
"""A new line of a text."""
_GOES_ON: Final = "┊"
"""The line above goes on: it was too long for the screen."""


class TooLargeToShow(GuardhouseError):
    """The request has no card: nobody could read it, so nobody may approve it. It can be denied or cancelled."""

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"The request {visible(request_id)} is too large to be shown whole, so it can't be approved.",
            fix="Deny or cancel it, and let the agent do it in smaller parts.",
        )


def card(
    request: ApprovalRequest,
    now: float,
    *,
    width: int,
    color: bool,
    unicode: bool = True,
    answers: Sequence[tuple[str, str]] | None = None,
    use_within: float | None = USE_WITHIN,
    alike: Sequence[ApprovalRequest] = (),
    terms: Terms = ONCE,
) -> str:
    """The whole card, ending in a line break, no line of it wider than `width` (or NARROWEST, if that is more).

    Escape sequences are in it only if `color` is set, and then only ours. `answers` are the ways to answer, each with
    what it does; if not given, the commands are named. Those `alike` are shown whole as well, because one yes is for
    all of them; `terms` are what it would be good for. Without `unicode`, for a screen that may not know it, all is
    ASCII. TooLargeToShow if it would have more than MOST characters; that is found out without building them.
    """
    page = _Page(request.id, max(width, NARROWEST), color=color, unicode=unicode)
    pending = request.status is ApprovalStatus.PENDING
    page.heading("Guardhouse: may the agent do this?" if pending else "Guardhouse: a question to a person")
    page.rows(_head(request, now))
    page.heading("The whole action, secrets masked")
    page.rows(action_rows(request))
    if request.supplied:
        page.heading("Who supplied the values")
        page.rows(_supplies(request))
    for number, other in enumerate(alike, 2):
        page.heading(f"Number {number} of {len(alike) + 1}, answered together ({other.risk_level.value}): {other.id}")
        page.rows(action_rows(other))
    page.heading("Why you are asked")
    for number, reason in enumerate(request.reasons, 1):
        page.rows(_reason(number, reason))
    page.heading("If you approve" if pending else "What an approval covers")
    good_for = terms if pending and not request.consents else request.terms
    page.rows(covered_rows(request, use_within, good_for, offers=not alike))
    if pending:
        page.heading("How to answer")
        page.rows(answers if answers is not None else _commands(request))
    return page.text()


def brief(
    request: ApprovalRequest,
    now: float,
    *,
    width: int,
    color: bool,
    unicode: bool = True,
    answers: Sequence[tuple[str, str]] | None = None,
) -> str:
    """What can be said in a few lines of a request that is too large for a card. It is nothing to approve by."""
    page = _Page(request.id, max(width, NARROWEST), color=color, unicode=unicode)
    page.heading("Guardhouse: too large to be shown, so it can't be approved")
    page.rows((label, _beginning(text)) for label, text in _head(request, now) if label != "advice")
    page.heading("How large it is")
    page.rows(size_rows(request))
    page.heading("Why a person is asked")
    named = request.reasons[:_MOST_TITLES]
    rows = (row for number, reason in enumerate(named, 1) for row in _named(number, reason))
    page.rows((label, _beginning(text)) for label, text in rows)
    if len(request.reasons) > len(named):
        page.rows([("more", f"{len(request.reasons) - len(named)} reasons")])
    if request.status is ApprovalStatus.PENDING:
        page.heading("How to answer")
        page.rows(answers if answers is not None else _commands(request)[-1:])
    return page.text()


def summary_line(request: ApprovalRequest | Outline, now: float, *, width: int | None = None) -> str:
    """One line for a list, cut at `width` columns if that is given; the card has the whole."""
    tool = request.tool_name or request.action_type
    parts = [request.id, request.status.value, request.risk_level.value, _when_short(request, now), tool]
    summary = "; ".join(plain(line) for line in request.action_summary_redacted.split("\n"))
    line = "  ".join([*map(plain, parts), summary])
    if width is None or columns(line) <= width:
        return line
    return next(_pieces(line, max(width - 2, 1), words=False)) + "…"


def outcome(request: ApprovalRequest) -> str:
    """One sentence on what became of the request, for a person."""
    who = plain(request.actor) if request.actor else "somebody"
    said = f" They said: {plain(request.comment)}" if request.comment else ""
    match request.status:
        case ApprovalStatus.PENDING if request.consents:
            yes = ", ".join(plain(one.actor) for one in request.consents)
            return f"Yes so far: {yes}. It takes {request.needed} people."
        case ApprovalStatus.PENDING:
            return "Not answered yet."
        case ApprovalStatus.APPROVED:
            until = f" It can be used until {moment(request.use_by)}." if request.use_by is not None else ""
            return f"Approved by {who}.{until}{said}"
        case ApprovalStatus.CONSUMED:
            return f"Approved by {who}, and used.{said}"
        case ApprovalStatus.DENIED:
            return f"Denied by {who}.{said}"
        case ApprovalStatus.EXPIRED if request.answered_at is not None:
            return f"Approved by {who}, but not used in time."
        case ApprovalStatus.EXPIRED:
            return "Timed out: nobody answered in time, so it is denied."
        case ApprovalStatus.CANCELLED:
            return f"Cancelled by {who}." if request.actor else "Cancelled."
        case ApprovalStatus.SUPERSEDED:
            by = f": {plain(request.superseded_by)}" if request.superseded_by else ""
            return f"Replaced by a newer request{by}."


# What the rows say


def _head(request: ApprovalRequest, now: float) -> Iterator[tuple[str, str]]:
    yield "request", request.id
    yield "risk", request.risk_level.value
    if request.status is ApprovalStatus.PENDING:
        yield "advice", recommendation(request)
    else:
        yield "status", outcome(request)
    if request.needed > 1:
        who = ", ".join(one.actor for one in request.consents)
        yield "needs", f"{request.needed} people; {f'yes so far: {who}' if who else 'nobody has said yes yet'}"
    if request.edit_of is not None:
        yield "edited", f"A person changed the arguments of {request.edit_of}."
    tool = f": {request.tool_name}" if request.tool_name else ""
    yield "action", f"{request.action_type}{tool}"
    _, _, losses = request.action_summary_redacted.partition("\n")
    if losses:
        yield "at stake", losses
    yield "asked", f"{moment(request.created_at)}, {duration(now - request.created_at)} ago"
    if request.status is ApprovalStatus.PENDING:
        left = request.expires_at - now
        yield "expires", f"{moment(request.expires_at)}, {f'{duration(left)} left' if left > 0 else 'too late now'}"
    yield "session", request.session_id or "(none)"
    yield "for", request.principal or "(nobody named)"
    if request.run_id:
        yield "run", request.run_id


_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("guard.own", "Deny: an agent has no business with the guard itself."),
    ("guard.hook", "Deny: an agent has no business with the guard itself."),
    ("exfil.", "Deny, unless you asked to send exactly this to exactly there."),
    ("secret.", "Deny, unless you asked to use exactly this secret there."),
    ("shell.secret", "Deny, unless you asked to send exactly this to exactly there."),
    ("provenance.untrusted_destination", "Deny, unless you know whom this goes to and asked for it."),
    ("provenance.planted_text", "Deny, unless these words are what you want others to read."),
    ("provenance.unasked_kind", "Deny, unless you asked for this, in other words."),
    ("path.persistence", "Deny, unless you asked for something that stays after the agent is gone."),
)
"""By the beginning of a code; the first that fits speaks."""

_ADVICE_BY_RISK: Final = {
    RiskLevel.CRITICAL: "Deny, unless you asked for exactly this.",
    RiskLevel.HIGH: "Deny, unless you asked for exactly this.",
    RiskLevel.MEDIUM: "Approve only if you expected this, and every value below is right.",
    RiskLevel.LOW: "Approve if it is part of what you asked for.",
}


def recommendation(request: ApprovalRequest) -> str:
    """What we would do, in a sentence: from the codes that ask, else from the risk."""
    codes = (*request.codes, *(reason.code for reason in request.reasons))
    for beginning, advice in _ADVICE:
        if any(code.startswith(beginning) for code in codes):
            return advice
    return _ADVICE_BY_RISK[request.risk_level]


_LONGEST_LABEL: Final = 24
_LONGEST_KEY: Final = 60
"""Characters of a key that is repeated in the name of every value under it; a longer one is shown once."""


def action_rows(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """A row for each value in the action, named by its field as reasons name it. Names the agent chose are texts too:
    one that is not a plain short word gets a row of its own."""
    said = {"type": request.action_type, "session_id": request.session_id, "principal": request.principal}
    said["run_id"] = request.run_id
    names = _Names()
    for key, value in request.action_redacted.items():
        if key in said and said[key] == value:
            continue
        for field, leaf in _leaves(names.step(key), value, names):
            yield from names.new()
            text, kind = _value(leaf)
            label = f"{field} ({kind})" if kind else field
            if len(label) <= _LONGEST_LABEL and label.isascii() and label.isprintable() and '"' not in label:
                yield label, text
            else:
                yield "field", label
                yield "is", text


class _Names:
    """Keys that are too long to be repeated: numbered, and shown in full before the first value under them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._new: list[tuple[str, str]] = []

    def step(self, key: str) -> str:
        """The key as a part of a field's name. No key by itself is written with these brackets."""
        if len(key) <= _LONGEST_KEY:
            return _key(key)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._new.append((f"name {self._numbers[key]}", _key(key)))
        return f"<name {self._numbers[key]}>"

    def new(self) -> list[tuple[str, str]]:
        """A row for each key that was numbered since this was last asked."""
        rows, self._new = self._new, []
        return rows


def _leaves(field: str, value: Any, names: _Names) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(f"{field}.{names.step(key)}", inner, names)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(f"{field}[{index}]", inner, names)
    else:
        yield field, value


def _key(key: str) -> str:
    if key.isascii() and key.replace("_", "").replace("-", "").isalnum():
        return key
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _value(value: Any) -> tuple[str, str]:
    """The value as text, and what kind it is where the text does not tell: the text 5 and the number 5 differ."""
    match value:
        case str():
            lines = value.count("\n") + 1
            if lines > 1:
                return value, f"{lines} lines"
            return value, f"{len(value)} characters" if len(value) > _LARGE else "" if value else "empty text"
        case None:
            return "null", "nothing"
        case bool():
            return ("true" if value else "false"), "yes or no"
        case int() | float():
            return repr(value), "number"
        case dict():
            return "{}", "empty object"
        case list():
            return "[]", "empty list"
        case _:
            return repr(value), type(value).__name__


_LARGE: Final = 500


def _named(number: int, reason: Reason) -> Iterator[tuple[str, str]]:
    """What it is in words of ours, and behind a bar of its own what it is about."""
    yield f"{number}", reason.title
    if reason.detail:
        yield "about", f'"{reason.detail}"'
    if reason.because:
        yield "project", f'"{reason.because}"'


def _reason(number: int, reason: Reason) -> Iterator[tuple[str, str]]:
    yield from _named(number, reason)
    if reason.excerpt:
        yield "seen", f'"{reason.excerpt}"'
    where = where_of(reason)
    if where:
        yield "where", where
    yield "why", reason.why
    if reason.instead:
        yield "instead", reason.instead
    rule = f", {reason.decided_by}" if reason.decided_by.startswith("rule:") else ""
    yield "code", f"{reason.code} ({reason.severity.value}{rule})"


def where_of(reason: Reason) -> str:
    """Where in the action it was found, and what that came from."""
    parts = []
    if reason.span is not None:
        parts.append(reason.span.field)
        if reason.span.start is not None:
            parts.append(f"characters {reason.span.start} to {reason.span.end}")
    if reason.origin is not None and reason.origin.kind not in {"agent", "output"}:
        name = f" {reason.origin.name}" if reason.origin.name else ""
        call = f", call {reason.origin.call_id}" if reason.origin.call_id else ""
        parts.append(f"from the {reason.origin.kind}{name}{call}")
    return ", ".join(parts)


SOURCES: Final = {
    "user": "you",
    "confirmed": "you, by a yes to what was shown",
    "own": "your configuration: it is your own",
    "trusted": "trusted data",
    "made": "the service, when the agent made or changed something there",
    "picked": "content that anybody may have written; your words single it out",
    "derived": "the agent; nothing untrusted names it, or it follows from what you said",
    "default": "the tool's own default or setting",
    "delegated": "content that you pointed at, and that others may have written",
    "untrusted": "content that anybody may have written",
    "nowhere": "NOBODY: it stands nowhere that was read",
}


def _supplies(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """A row for each value, those of doubtful origin first."""
    for supply in sorted(request.supplied, key=lambda one: one.source not in {"untrusted", "nowhere", "delegated"}):
        who = SOURCES.get(supply.source, supply.source)
        found = (
            f" (answer of {supply.tool}{f', call {supply.call_id}' if supply.call_id else ''})" if supply.tool else ""
        )
        yield "value", f"{supply.field}: {who}{found}"


def _longer(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """What a yes could be good for beyond this once, and what that would cover; each with the word for it."""
    for reach in grants.offered(request):
        yield _WORDS[reach], "\n".join(_going_on(request, reach))
    if request.conditional:
        yield "y +lines=20", "The agent sees only so many lines of the result."
        yield "y +redacted", "It sees the result without secrets and labelled data."
        yield "y +structure", "It sees only what the result is made of."


_WORDS: Final[dict[Reach, str]] = {"exact": "y +again=30m", "destination": "y +there=30m", "values": "y +run"}


def _going_on(request: ApprovalRequest, reach: Reach) -> tuple[str, ...]:
    if reach == "values":
        places = [supply.field for supply in request.supplied if supply.offered]
    else:
        places = [f"{target.place} ({target.code})" for target in request.targets]
    return grants.reach_words(reach, request.tool_name or request.action_type, places)


def covered_rows(
    request: ApprovalRequest, use_within: float | None, terms: Terms = ONCE, *, offers: bool = True
) -> Iterator[tuple[str, str]]:
    """What an approval covers, and what not; with `offers`, what else it could cover, and the words for that."""
    by = "within the time that the daemon's policy gives" if use_within is None else f"within {duration(use_within)}"
    if request.use_by is not None:
        by = f"until {moment(request.use_by)}"
    yield "covers", f"This exact call, once, {by}."
    but = ", but for the terms" if terms.for_run or terms.grant is not None else ""
    if request.bound_to:
        yield (
            "never",
            f"Not again, not with other values, not if one of the files or programs listed here changes{but}.",
        )
        yield "bound to", "\n".join(request.bound_to)
    else:
        yield "never", f"Not again, not with other values{but}."
    said = tuple(terms_words(terms))
    if said:
        yield "terms", "\n".join(said)
        if terms.for_run:
            yield "goes on", "\n".join(_going_on(request, "values"))
        if terms.grant is not None:
            yield "goes on", "\n".join(_going_on(request, terms.grant.reach))
    elif offers and request.status is ApprovalStatus.PENDING:
        yield from _longer(request)
    yield (
        "reasons",
        f"Only {', '.join(request.codes)}: whatever else is found then asks anew." if request.codes else "None.",
    )


def _commands(request: ApprovalRequest) -> tuple[tuple[str, str], ...]:
    return (
        ("approve", f"guardhouse approvals approve {request.id}"),
        ("edit", f"guardhouse approvals edit {request.id}"),
        ("deny", f"guardhouse approvals deny {request.id} 'why'"),
    )


_MOST_TITLES: Final = 20
_LONGEST_BEGINNING: Final = 200


def _beginning(text: str) -> str:
    if len(text) <= _LONGEST_BEGINNING:
        return text
    return f"{text[:_LONGEST_BEGINNING]} ... and {len(text) - _LONGEST_BEGINNING} characters more"


def size_rows(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """How much there is to read, counted without recursion."""
    values = characters = longest = 0
    waiting: list[Any] = [request.action_redacted]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.keys())
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        else:
            values += 1
        if isinstance(value, str):
            characters += len(value)
            longest = max(longest, len(value))
    yield "action", f"{len(msgspec.json.encode(request.action_redacted))} bytes as JSON"
    yield "values", f"{values} names and values; {characters} characters of text, the longest {longest}"
    yield "whole", f"guardhouse approvals show {request.id} --json"


def moment(seconds: float) -> str:
    """A time, as people read it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(seconds: float) -> str:
    """How long that is."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} minutes"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _when_short(request: ApprovalRequest | Outline, now: float) -> str:
    if request.status is ApprovalStatus.PENDING and request.expires_at > now:
        return f"{duration(request.expires_at - now)} left"
    return f"{duration(now - request.created_at)} ago"


# How the page is drawn

_STYLES: Final = {
    "heading": "\x1b[1m",
    "label": "\x1b[2m",
    "low": "\x1b[32m",
    "medium": "\x1b[33m",
    "high": "\x1b[31m",
    "critical": "\x1b[1;31m",
}
_END: Final = "\x1b[0m"
_PROSE: Final = frozenset("advice status asked expires where why instead covers never reasons terms needs".split())
"""Labels of texts that are broken between words; all others are broken wherever the line is full."""
_IN_ASCII: Final = str.maketrans({_BAR: "|", _GOES_ON: ":", "─": "-"})
_INDENT: Final = "  "


class _Page:
    """Lines of at most `width` columns: headings, and rows of a label, a bar and a text. MOST characters at most."""

    def __init__(self, request_id: str, width: int, *, color: bool, unicode: bool) -> None:
        self._request_id = request_id
        self._left = MOST
        self._width = width
        self._unicode = unicode
        self._color = color
        self._lines: list[str] = []

    def heading(self, text: str) -> None:
        """A line of our own words, and names that others gave, that begins a part of the card."""
        for piece in _pieces(plain(text), self._width - 5, words=True):
            self._add(self._styled("heading", f"── {piece}"))

    def rows(self, rows: Iterable[tuple[str, str]]) -> None:
        """A part's rows, their bars under each other as far as the labels allow."""
        listed = []
        left = self._left
        for label, text in rows:
            left -= len(label) + len(text)
            if left < 0:
                raise TooLargeToShow(self._request_id)
            listed.append((label, text))
        widest = min(max((len(label) for label, _ in listed), default=0), self._width // 3)
        for label, text in listed:
            self._row(label, text, widest)

    def _row(self, label: str, text: str, column: int) -> None:
        room = self._width - len(_INDENT) - column - 4  # the bar and two spaces; some terminals draw the bar wide
        prose = label in _PROSE or label.isdigit() or label.startswith("y +")
        start = label
        if len(label) > column:
            for piece in _cut(label, self._width - 2):
                self._add(_INDENT + self._styled("label", piece))
            start = ""
        for line in text.split("\n"):
            bar = _BAR
            for piece in _pieces(self._shown(line), room, words=prose):
                shown = self._styled(piece, piece) if label == "risk" else piece
                margin = self._styled("label", start.ljust(column))
                self._add(f"{_INDENT}{margin} {bar} {shown}".rstrip(" "))
                start, bar = "", _GOES_ON

    def _add(self, line: str) -> None:
        self._left -= len(line) + 1
        if self._left < 0:
            raise TooLargeToShow(self._request_id)
        self._lines.append(line)

    def text(self) -> str:
        """The page."""
        page = "\n".join(self._lines) + "\n"
        return page if self._unicode else page.translate(_IN_ASCII)

    def _shown(self, line: str) -> str:
        if self._unicode:
            return plain(line)
        return "".join(char if char.isascii() else _escaped(char) for char in plain(line))

    def _styled(self, style: str, text: str) -> str:
        return f"{_STYLES[style]}{text}{_END}" if self._color and style in _STYLES and text.strip() else text


def _cut(label: str, room: int) -> list[str]:
    return [label[at : at + room] for at in range(0, len(label), room)]


def _pieces(text: str, room: int, *, words: bool) -> Iterator[str]:
    """`text`, one line without control characters, in pieces of at most `room` columns; at spaces if by `words`."""
    if not text:
        yield ""
        return
    at = 0
    while at < len(text):
        end = _reach(text, at, room)
        if words and end < len(text):
            space = text.rfind(" ", at + 1, end + 1)
            end = space if space > at else end
        elif end < len(text) and text[end - 1] == " " and end - 1 > at:
            end -= 1  # a space at the end of a line is not seen; at the beginning of the next it is
        yield text[at:end]
        at = end + 1 if words and text[end : end + 1] == " " else end


def _reach(text: str, at: int, room: int) -> int:
    """Where a piece from `at` must end to take no more than `room` columns; at least one character on."""
    end = min(at + room, len(text))
    if text[at:end].isascii():
        return end
    used = 0
    for index in range(at, end):
        used += _column(text[index])
        if used > room:
            return max(index, at + 1)
    return end


def columns(text: str) -> int:
    """How many columns `text` takes at most. A line must never turn out wider than it was counted: the terminal
    would break it, and what comes then would stand where only our own words do."""
    return len(text) if text.isascii() else sum(map(_column, text))


def _column(char: str) -> int:
    return 2 if char > "\x7f" and unicodedata.east_asian_width(char) in "WFA" else 1


# What the eye could be fooled by, beyond what `visible` knows


def plain(line: str) -> str:
    """One line, safe to show: control, invisible and direction characters, marks that pile up or hang on nothing,
    letters of one alphabet inside a word of another, right-to-left letters among left-to-right ones, and a space at
    the end are all written as escapes."""
    shown = visible(line) if line.isascii() else visible("".join(_unambiguous(line)))
    return f"{shown[:-1]}{_escaped(' ')}" if shown.endswith(" ") else shown


def _escaped(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


_MOST_MARKS: Final = 2
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})


def _unambiguous(line: str) -> Iterator[str]:
    turns = any(char < "\x80" and char.isalnum() for char in line)
    start = 0
    while start < len(line):
        end = start + 1
        if _is_of_word(line[start]):
            while end < len(line) and _is_of_word(line[end]):
                end += 1
        yield from _unambiguous_word(line[start:end], turns=turns)
        start = end


def _is_of_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _unambiguous_word(word: str, *, turns: bool) -> Iterator[str]:
    latin = any(char < "\x80" and char.isalpha() for char in word)
    marks = _MOST_MARKS  # a mark needs a letter before it
    for char in word:
        kind = unicodedata.category(char)
        if kind[0] == "M":
            marks += 1
            yield char if marks <= _MOST_MARKS and kind != "Me" else _escaped(char)
            continue
        marks = 0 if char.isalpha() else _MOST_MARKS
        foreign = latin and char > "\x7f" and _looks_latin(char)
        turned = turns and unicodedata.bidirectional(char) in _RIGHT_TO_LEFT
        yield _escaped(char) if foreign or turned or char in _DRAWN_AS_NOTHING else char


_LOOK_ALIKES: Final = (
    "CYRILLIC",
    "GREEK",
    "COPTIC",
    "ARMENIAN",
    "CHEROKEE",
    "LISU",
    "MATHEMATICAL",
    "FULLWIDTH",
    "ROMAN",
    "SMALL ROMAN",
    "MODIFIER LETTER",
)
_DOTLESS_I: Final = "\u0131"
_DRAWN_AS_NOTHING: Final = frozenset("\U0001d159")
"""A note's head that is none."""


def _looks_latin(char: str) -> bool:
    return char == _DOTLESS_I or unicodedata.name(char, "").startswith(_LOOK_ALIKES)
