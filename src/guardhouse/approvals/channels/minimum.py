"""The remote minimum of a request (SPEC A6): what may be known of it on other machines.

Hosts, paths, verbs, plain short values, sizes and digests; never free text, bodies, queries, names of mailboxes, or
what is masked. Whatever is not known to be harmless is shown by its size, and its digest if it is long, and then the
action is not shown whole, so nobody can approve by it. It is no card yet: how it looks is up to each notifier.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote

import msgspec

from guardhouse.approvals.card import USE_WITHIN, outcome, plain, recommendation
from guardhouse.approvals.channels.interface import RemoteCard, Shown
from guardhouse.approvals.grants import offered
from guardhouse.approvals.wording import terms_words
from guardhouse.model import ONCE, ApprovalRequest, ApprovalStatus
from guardhouse.model.actions import ACTION_TYPES
from guardhouse.net import BadDestination, parse_destination
from guardhouse.policy.codes import catalogue
from guardhouse.trust import KNOWN_TOOLS, Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

_Show: TypeAlias = Callable[[str], tuple[str, bool]]
"""How a text is shown: itself or what is said of it, and whether it is itself."""
_Leaf: TypeAlias = tuple[str, bool, Any, _Show]

MOST_VALUES: Final = 20
MOST_CHARACTERS: Final = 700
"""Of names and values together. What is longer nobody reads on a small screen before pressing a button."""
_MOST_LISTED: Final = 800
"""Characters of names and values, sizes and digests, of an action that is not shown whole."""
_MOST_REASONS: Final = 5
_MOST_AT_STAKE: Final = 2
_LONGEST_LINE: Final = 160
_LONGEST_NAME: Final = 40
_LONGEST_PLACE: Final = 200
_LONGEST_COMMAND: Final = 500
_SHOWN_DIGITS: Final = 12
_SHORTEST_DIGESTED: Final = 80
"""Characters. A shorter text could be guessed, and its digest would tell whether the guess is right."""

_MOST_BOUND: Final = 64
"""Rows of what an approval is bound to, of which no more are kept: some may be missing."""
_LEADS: Final = " -> "

_MASK: Final = "[redacted"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_.:+-]{1,64}")
_DIGEST: Final = re.compile(r"(?:sha256:)?[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What names a thing by its content, or by chance."""
_LONG_NUMBER: Final = re.compile(r"[0-9][0-9-]{8}")
"""Telephone, card and account numbers are names of people."""
_DATE: Final = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])")
_IN_PATHS: Final = frozenset("._-/~+*")
_LONGEST_STEP: Final = 60
_MAILBOX: Final = re.compile(r"[^@\s]++@([A-Za-z0-9.-]{1,80})")
_QUOTED_WORD: Final = re.compile(r"""'([^'"\s]*+)'|"([^'"\s]*+)\"""")
_BETWEEN_WORDS: Final = re.compile(r"[\s;|&<>(){}\[\]!$`]+")
"""Blanks and a shell's punctuation. What has a meaning elsewhere, as # ? @ % = and quotes, is not in it."""
_OPTION: Final = re.compile(r"^--?[A-Za-z][A-Za-z0-9_-]{0,39}+=")
_WORD: Final = re.compile(r"[A-Za-z0-9_.:+*~^-]{1,40}")
_NUMBERS_IN_A_ROW: Final = re.compile(r"(?<!\w)[0-9-]++(?: [0-9-]++)+(?!\w)")
_MANY_DIGITS: Final = 9
_AGENT: Final = re.compile(r"agent-[0-9a-f]{12}")
"""What an agent is called that nobody gave a name."""
_COMMAND_KEYS: Final = frozenset("command cmd cmdline command_line shell_command".split())
_CODE: Final = re.compile(r"[a-z0-9_.]{1,64}")

# The lines that tell of a loss, of which only the path is not in our own words.
_SIZE: Final = r"(?:more than |at least )?[0-9,]{1,20} files?, [0-9.]{1,20} (?:bytes?|kB|MB|GB)"
_NOTE: Final = (
    r"(?:not in git|[0-9,]{1,20} not in git|(?:[0-9,]{1,20} )?changed since git last saw (?:it|them)"
    r"|with a git repository itself|in git|all in git)"
)
_NOTES: Final = rf"{_NOTE}(?:, {_NOTE}){{0,3}}"
_DISCARDED: Final = r"(?:at least )?[0-9,]{1,20} (?:that git does not have|changed since git last saw them)"
_LOSSES: Final = tuple(
    re.compile(form)
    for form in (
        rf"would be lost: {_SIZE} in (?P<path>.+?)(?: \({_NOTES}\))?",
        rf"could be lost: {_SIZE} that match (?P<path>.+?)(?: \({_NOTES}\))?",
        rf"would be lost: (?P<path>.+?) \({_SIZE}(?:, {_NOTES})?\)",
        rf"could be lost: files in (?P<path>.+): {_DISCARDED}(?: and {_DISCARDED})?",
        r"(?:would be lost|could be lost|could not be counted): (?P<path>.+)",
    )
)
_NOT_COUNTED: Final = re.compile(r"not counted: what would be lost in [0-9,]{1,20} other places")


def remote_card(
    request: ApprovalRequest, *, public_url: str = "", anonymous: bool = False, use_within: float = USE_WITHIN
) -> RemoteCard:
    """What may be shown of a request. With `public_url`, it links to the console there; if `anonymous`, it leaves out
    which session asks. The same request always gives the same card, apart from what became of it."""
    action, unlisted, is_whole = _action(request)
    at_stake, is_all = _at_stake(request)
    pending = request.status is ApprovalStatus.PENDING
    return RemoteCard(
        request_id=request.id,
        status=request.status,
        outcome="" if pending else outcome(msgspec.structs.replace(request, comment=None)),
        risk=request.risk_level.value,
        advice=recommendation(request),
        action=action,
        unlisted=unlisted,
        at_stake=at_stake,
        reasons=_reasons(request),
        session="" if anonymous or request.session_id is None else _text(request.session_id)[0],
        created_at=request.created_at,
        expires_at=request.expires_at,
        covers=_covers(request, use_within),
        longer=tuple(_longer(request)) if pending and is_whole and is_all and not request.consents else (),
        is_whole=is_whole and is_all,
        link=f"{public_url.rstrip('/')}/approvals/{quote(request.id, safe='')}" if public_url else "",
        command=f"guardhouse approvals approve {request.id}",
    )


def is_shown_whole(request: ApprovalRequest) -> bool:
    """Whether the remote minimum is the whole action and all that is at stake, so that it may be approved by it."""
    return _action(request)[2] and _at_stake(request)[1]


def moment(seconds: float) -> str:
    """A time, for people."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


# The action


def _action(request: ApprovalRequest) -> tuple[tuple[Shown, ...], int, bool]:
    """The values that are listed, how many are not, and whether that is the whole action."""
    kind = ACTION_TYPES.get(request.action_type)
    # What names a moment, a run or a surface is not what is done; the session has a line of its own.
    aside = kind.unbound | {"session_id"} if kind is not None else frozenset[str]()
    runs_commands = _runs_commands(request.action_redacted.get("tool"))
    listed: list[Shown] = []
    unlisted = length = 0
    is_whole = kind is not None and len(request.bound_to) < _MOST_BOUND
    leaves = _leaves(request.action_redacted, aside, runs_commands=runs_commands)
    for field, known, value, show in chain(leaves, _real_places(request)):
        if unlisted or len(listed) >= MOST_VALUES or length > _MOST_LISTED:
            unlisted += 1
            continue
        text, verbatim = show(value) if isinstance(value, str) else _value(value)
        one = Shown(field + _kind(value), text, verbatim and known)
        length += len(one.field) + len(one.text)
        listed.append(one)
        is_whole &= one.is_verbatim
    return tuple(listed), unlisted, is_whole and not unlisted and length <= MOST_CHARACTERS


def _runs_commands(tool: object) -> bool:
    known = KNOWN_TOOLS.get(tool.strip().lower()) if isinstance(tool, str) else None
    return known is not None and Capability.EXECUTES in known.capabilities


def _leaves(action: dict[str, Any], aside: frozenset[str], *, runs_commands: bool) -> Iterator[_Leaf]:
    """Every value with its field, whether all names in the field are shown, and how it is shown if it is a text."""
    for key, value in action.items():
        if key in aside:
            continue
        step, known = _step(key)
        if not (runs_commands and key == "params" and isinstance(value, dict) and value):
            yield from _below(step, value, _principal if key == "principal" else _text, known=known)
            continue
        for name, inner in value.items():
            inside, is_plain = _step(name)
            yield from _below(f"params.{inside}", inner, _command if name in _COMMAND_KEYS else _text, known=is_plain)


def _real_places(request: ApprovalRequest) -> Iterator[_Leaf]:
    """Where files and programs really are that the action names by another path."""
    for row in request.bound_to:
        if _LEADS in row:
            kind, _, places = row.partition(" ")
            yield f"where a {kind} leads" if kind in {"file", "program"} else "where it leads", True, places, _places


def _below(field: str, value: Any, show: _Show, *, known: bool) -> Iterator[_Leaf]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            step, is_plain = _step(key)
            yield from _below(f"{field}.{step}", inner, _text, known=known and is_plain)
    elif isinstance(value, list) and value:
        inside = _argument if show is _command else show
        for index, inner in enumerate(value):
            yield from _below(f"{field}[{index}]", inner, inside, known=known)
    else:
        is_short = len(field) <= _LONGEST_LINE
        named = field if is_short else f"a value {field.count('.')} levels down"
        yield named, known and is_short, value, show


def _step(key: str) -> tuple[str, bool]:
    """A name as a part of a field, and whether it is the name itself. Names in parameters are the agent's words."""
    if _KEY.fullmatch(key) and not _has_long_number(key):
        return key, True
    return f"<a name of {_sized(key)}>", False


def _kind(value: Any) -> str:
    """What tells the text 5 from the number 5."""
    match value:
        case str():
            return ""
        case None:
            return " (nothing)"
        case bool():
            return " (yes or no)"
        case int() | float():
            return " (number)"
        case dict():
            return " (empty object)"
        case list():
            return " (empty list)"
        case _:
            return " (unknown)"


def _value(value: Any) -> tuple[str, bool]:
    match value:
        case str():
            return _text(value)
        case None:
            return "null", True
        case bool():
            return ("true" if value else "false"), True
        case int() | float():
            shown = repr(value)
            return (shown, True) if len(shown) <= 24 and not _has_long_number(shown) else ("a long number", False)
        case dict():
            return "{}", True
        case list():
            return "[]", True
        case _:
            return "something that is no JSON", False


def _command(text: str) -> tuple[str, bool]:
    """A command, if each of its words is harmless: one that is not is in no place where it could be left out."""
    if len(text) <= _LONGEST_COMMAND and _is_seen_as_it_is(text) and _are_harmless_words(text):
        return text or '""', True
    verb = next(iter(text.split(maxsplit=1)), "")
    if _is_seen_as_it_is(verb) and _is_harmless(verb) and "://" not in verb:
        return f"a command that begins with {verb}, {_sized(text)}", False
    return f"a command of {_sized(text)}", False


def _argument(text: str) -> tuple[str, bool]:
    """One of the words that a command was given as. Blanks in it are as if it were in quotes."""
    if text and " " not in text and _is_seen_as_it_is(text) and _are_harmless_words(text):
        return (text, True) if len(text) <= _LONGEST_PLACE else (f"a text of {_sized(text)}", False)
    return _text(text)


def _are_harmless_words(text: str) -> bool:
    """Whether a command is made of verbs, options, paths, hosts and short numbers, and of what a shell has between."""
    unquoted = _QUOTED_WORD.sub(r"\1\2", text)
    numbers = _NUMBERS_IN_A_ROW.findall(_DATE.sub("", unquoted))
    return not any(sum(map(str.isdigit, row)) >= _MANY_DIGITS for row in numbers) and all(
        _is_harmless_word(word) for word in _BETWEEN_WORDS.split(unquoted) if word
    )


def _is_harmless_word(word: str) -> bool:
    value = _OPTION.sub("", word)
    return not value or _is_harmless(value) or (_WORD.fullmatch(value) is not None and not _has_long_number(value))


def _places(text: str) -> tuple[str, bool]:
    """Two paths with an arrow between; a path with an arrow of its own is none that is shown."""
    given, _, real = text.partition(_LEADS)
    if given and real and _text(given)[1] and _text(real)[1]:
        return text, True
    return f"two paths of {_sized(text)}", False


def _principal(text: str) -> tuple[str, bool]:
    return (text, True) if _AGENT.fullmatch(text) else _text(text)


def _text(text: str) -> tuple[str, bool]:
    """The text, if it is of a kind that is shown, and whether it is."""
    if not text:
        return '""', True
    if _MASK in text:
        return f"a masked text of {_sized(text)}", False
    if len(text) > _LONGEST_PLACE:
        return f"a text of {_sized(text)}", False
    if _is_seen_as_it_is(text) and _is_harmless(text):
        return text, True
    return _described(text), False


def _is_harmless(text: str) -> bool:
    if _DIGEST.fullmatch(text):
        return True
    if _has_long_number(text):
        return False
    if _IDENTIFIER.fullmatch(text):
        return len(text) <= _LONGEST_NAME
    return _is_path(text) or _is_bare_url(text)


def _has_long_number(text: str) -> bool:
    return _LONG_NUMBER.search(_DATE.sub("", text)) is not None


def _is_path(text: str) -> bool:
    steps = text.split("/")
    return (
        len(steps) > 1
        and all(char.isalnum() or char in _IN_PATHS for char in text)
        and max(map(len, steps)) <= _LONGEST_STEP
    )


def _is_bare_url(text: str) -> bool:
    if "://" not in text or not text.isascii():
        return False
    try:
        destination = parse_destination(text)
    except BadDestination:
        return False
    return text in {destination.url, destination.url.removesuffix("/")} and "%" not in text


def _described(text: str) -> str:
    """What may be said of a text that may not be shown: which host it is about, its size and digest."""
    mailbox = _MAILBOX.fullmatch(text)
    if mailbox is not None and not _has_long_number(mailbox[1]):
        return f"a mailbox at {mailbox[1]}, {_sized(text)}"
    if "://" in text:
        try:
            destination = parse_destination(text)
        except BadDestination:
            return f"a text of {_sized(text)}"
        if not _has_long_number(destination.host):
            return f"a URL at {destination.host[:80]}, {_sized(text)}"
    return f"a text of {_sized(text)}"


def _sized(text: str) -> str:
    if len(text) < _SHORTEST_DIGESTED:
        return f"{len(text)} characters"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SHOWN_DIGITS]
    return f"{len(text)} characters, sha256 {digest}…"


def _is_seen_as_it_is(text: str) -> bool:
    """Whether it looks like itself in any font and in any client, which may draw several blanks as one."""
    return text.isascii() and _MASK not in text and "  " not in text and text.strip() == text and plain(text) == text


# The rest of the card


@lru_cache(maxsize=1)
def _titles() -> dict[str, str]:
    return {code: known.title for code, known in catalogue().items()}


def _reasons(request: ApprovalRequest) -> tuple[tuple[str, str], ...]:
    """Codes with the catalogue's words for them: a reason's own title may quote what it is about."""
    codes = list(dict.fromkeys(reason.code for reason in request.reasons if _CODE.fullmatch(reason.code)))
    told = [(code, _titles().get(code, "")) for code in codes[:_MOST_REASONS]]
    more = len(codes) - len(told)
    return (*told, ("…", f"{more} more")) if more else tuple(told)


def _at_stake(request: ApprovalRequest) -> tuple[tuple[str, ...], bool]:
    """What would be lost, and whether all of it is told as it is: our own words, a size and a path."""
    _, *lines = request.action_summary_redacted.split("\n")
    told = [_loss(line) for line in lines[:_MOST_AT_STAKE]]
    shown = [text for text, _ in told]
    if len(lines) > len(told):
        more = len(lines) - len(told)
        shown.append(f"and {more} more place{'' if more == 1 else 's'}")
    return tuple(shown), len(lines) == len(told) and all(verbatim for _, verbatim in told)


def _loss(line: str) -> tuple[str, bool]:
    """A line on one place. The path in it is shown as a value would be."""
    if _NOT_COUNTED.fullmatch(line):
        return line, True
    for form in _LOSSES:
        found = form.fullmatch(line)
        if found is not None:
            if len(line) <= _LONGEST_LINE and _text(found["path"])[1]:
                return line, True
            before, after = line[: found.start("path")], line[found.end("path") :]
            return f"{before}a path of {_sized(found['path'])}{after}", False
    return f"something of {_sized(line)}", False


def _longer(request: ApprovalRequest) -> Iterator[tuple[str, str]]:
    """What a yes could be good for beyond this once, as far as that can be told here."""
    reaches = offered(request)
    if "values" in reaches:
        yield "+run", "also later calls of this tool with the values from outside that this one has"
    if "exact" in reaches:
        yield "+again=30m", "also exactly this call again, in this session"
    places = [target.place.partition(" ")[2] for target in request.targets]
    kinds = {target.place.partition(" ")[0] for target in request.targets}
    if "destination" in reaches and kinds <= {"path", "host", "url"} and all(_text(place)[1] for place in places):
        yield "+there=30m", f"also any call of this tool in this session at {', '.join(places)}, for the same reasons"
    if request.conditional:
        yield "+lines=20", "the agent sees only so many lines of the result"
        yield "+redacted", "the agent sees the result without secrets and labelled data"
        yield "+structure", "the agent sees only what the result is made of"


def _covers(request: ApprovalRequest, use_within: float) -> str:
    if request.terms != ONCE:
        said = f" {' '.join(terms_words(request.terms))}"
    elif request.needed > 1:
        who = ", ".join(one.actor for one in request.consents)
        said = f" {request.needed} people must say yes{f'; so far {who}' if who else ''}."
    else:
        said = ""
    by = (
        f"until {moment(request.use_by)}" if request.use_by is not None else f"within {round(use_within / 60, 1):g} min"
    )
    kept = len(request.bound_to)
    unless = f", while {kept} files and programs stay as they are" if kept else ""
    return f"This exact call, once, {by}{unless}.{said}"
