"""An action as it may be recorded and shown: who, which tool, and a summary, with every secret masked.

Of parameters the summary quotes what says what is done (paths, hosts, commands, short values); of longer texts and of
content it tells the kind and the size. For a person who is asked, it goes on with a line for each place where something
would be lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import (
    NO_TEXT,
    Action,
    Effect,
    Extent,
    MemoryReadPre,
    RedactedText,
    SkillInstall,
    SkillRunPre,
    ToolCallPre,
    visible,
    wire,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST: Final = 1000
NAMES: Final = (
    "session_id",
    "run_id",
    "parent_run_id",
    "task_id",
    "call_id",
    "principal",
    "source",
)


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of an action."""

    action_type: str = ""
    tool_name: str | None = None
    """The tool, skill or store."""
    session_id: str | None = None
    run_id: str | None = None
    parent_run_id: str | None = None
    task_id: str | None = None
    call_id: str | None = None
    principal: str | None = None
    source: str | None = None
    summary: RedactedText = NO_TEXT


NOTHING_KNOWN: Final = Description()


def describe(action: Action, body: Any, mask: Callable[[str], str] | None) -> Description:
    """`action` for the record, given its body already masked. `mask` is for the names around it; None if they are
    known to hold nothing to mask."""
    fields = msgspec.structs.asdict(action)
    names = {name: fields.get(name) for name in NAMES}
    subject = fields.get("tool") or fields.get("skill") or fields.get("store")
    if mask is not None:
        names = {name: mask(text) if text else text for name, text in names.items()}
        subject = mask(subject) if subject else subject
    return Description(
        action_type=action.type,
        tool_name=subject,
        # One line: what stands on further ones is said by the guard.
        summary=RedactedText(_summary(action, subject, body).replace("\n", "\\n")),
        **names,
    )


def _summary(action: Action, subject: str | None, body: Any) -> str:
    if isinstance(action, (ToolCallPre, SkillRunPre, MemoryReadPre)):
        return _cut(f"{subject} {msgspec.json.encode(_brief(body)).decode()}")
    if isinstance(action, SkillInstall):
        return _cut(f"{subject} from {body}, {action.tree_digest}")
    return f"{subject}: {_kind(body)}" if subject else _kind(body)


_TELLING: Final = frozenset(
    "path paths file file_path files url uri host command cmd script code argv method query recipient to from".split()
)
"""Parameters that say what is done, and are quoted further than others."""
_CONTENT: Final = frozenset("content contents text body data message new_string old_string patch input prompt".split())
"""Parameters that are what it is done with, and are never quoted."""
_LONGEST_VALUE: Final = 80
_LONGEST_TELLING: Final = 500
_MOST_ENTRIES: Final = 32
_DEEPEST: Final = 4


def _brief(value: Any, key: str = "", depth: int = 0) -> Any:
    """A value for the record: short ones and telling ones as they are, of the rest the kind and the size."""
    if isinstance(value, str):
        longest = _LONGEST_TELLING if key in _TELLING else 0 if key in _CONTENT else _LONGEST_VALUE
        if len(value) <= longest and (longest > _LONGEST_VALUE or "\n" not in value):
            return value
        return f"{value[:longest]}… ({_kind(value)})" if longest > _LONGEST_VALUE else f"({_kind(value)})"
    if isinstance(value, (dict, list)) and (depth >= _DEEPEST or len(value) > _MOST_ENTRIES):
        return f"({_kind(value)})"
    if isinstance(value, dict):
        return {name[:_LONGEST_VALUE]: _brief(item, name.lower(), depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_brief(item, key, depth + 1) for item in value]
    return value


def _kind(body: Any) -> str:
    if isinstance(body, str):
        return f"text, {len(body)} characters"
    if isinstance(body, (list, dict)):
        return f"{'list' if isinstance(body, list) else 'object'}, {len(body)} entries"
    return type(body).__name__


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST_PATH: Final = 200
_WILDCARDS: Final = frozenset("*?[")
_UNITS: Final = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000))


def loss(path: str, extent: Extent, effect: Effect, mask: Callable[[str], str] | None) -> Iterator[str]:
    """One line on what would be lost at `path`; none if nothing is there. `mask` as for `describe`."""
    shown = mask(path) if mask is not None else path
    shown = visible(shown if len(shown) <= _LONGEST_PATH else f"{shown[:_LONGEST_PATH]}…")
    if effect is Effect.DISCARDS:
        yield from _discarded(shown, extent)
    elif extent.files:
        size, notes = f"{_files(extent)}, {_size(extent.bytes)}", _in_git(extent)
        if not _WILDCARDS.isdisjoint(path):
            yield f"could be lost: {size} that match {shown}{f' ({notes})' if notes else ''}"
        elif extent.files == 1:
            yield f"would be lost: {shown} ({size}{f', {notes}' if notes else ''})"
        else:
            yield f"would be lost: {size} in {shown}{f' ({notes})' if notes else ''}"
    elif extent.error or extent.more:
        yield f"could not be counted: {shown}"


def _files(extent: Extent) -> str:
    lead = "more than " if extent.more else "at least " if extent.error else ""
    return f"{lead}{extent.files:,} file{'' if extent.files == 1 else 's'}"


def _in_git(extent: Extent) -> str:
    """What is known of how much of it git has. Of what was not counted, nothing is."""
    whole = not (extent.more or extent.error)
    alone = extent.files == 1 and whole
    notes = []
    if extent.untracked:
        notes.append("not in git" if alone else f"{extent.untracked:,} not in git")
    if extent.changed:
        notes.append(f"{'' if alone else f'{extent.changed:,} '}changed since git last saw {'it' if alone else 'them'}")
    if extent.history:
        notes.append("with a git repository itself")
    if not notes and whole and extent.untracked is not None:
        notes.append("in git" if alone else "all in git")
    return ", ".join(notes)


def _discarded(path: str, extent: Extent) -> Iterator[str]:
    """What version control might take along. Staged work can't be told from kept work, so no line says "nothing"."""
    lead = "at least " if extent.more or extent.error else ""
    notes = []
    if extent.untracked:
        notes.append(f"{lead}{extent.untracked:,} that git does not have")
    if extent.changed:
        notes.append(f"{lead}{extent.changed:,} changed since git last saw them")
    if notes:
        yield f"could be lost: files in {path}: {' and '.join(notes)}"


def _size(number: int) -> str:
    for unit, one in _UNITS:
        if number >= one:
            return f"{number / one:.{1 if number < 10 * one else 0}f} {unit}"
    return f"{number} byte{'' if number == 1 else 's'}"


def masked_wire(action: Action, field: str, body: Any, mask: Callable[[str], str] | None) -> dict[str, Any]:
    """The whole action as it may be shown to a person who is asked about it: on the wire, with `body` in `field`."""
    shown: dict[str, Any] = {}
    for name, value in wire(action).items():
        if name == "params" and name != field:
            continue  # of an answer: they were shown, and judged, with the call
        if name == field:
            shown[name] = body
        else:
            shown[name] = mask(value) if mask is not None and isinstance(value, str) and name != "type" else value
    return shown
