"""What a tool's answer is once its wrapping is off: MCP's blocks, JSON as text, records and tables that were printed,
letters with a head.

Most tools hand text to a model, and most of that text was a record a moment ago. Here it becomes one again, as far as
its author can't have made that up: JSON escapes what it quotes, columns are as wide as their widest cell, and the head
of a letter stands before the first empty line. A text whose author chose its form, as in a file, is not for here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from guardhouse.trust.ledger.dumped import from_dump, labelled
from guardhouse.trust.ledger.fields import is_id, is_known
from guardhouse.trust.ledger.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCKS: Final = frozenset({"text", "image", "audio", "resource", "resource_link"})
_ENVELOPE: Final = frozenset({"content", "structuredContent", "isError", "_meta"})
_HOLDERS: Final = frozenset({"result", "output", "response", "data", "text", "content"})
"""Keys under which a lone text is all that a tool said."""
_TEXTS: Final = frozenset(
    "body text content message description note notes comment comments remark remarks summary details about bio "
    "snippet preview reason answer review".split()
)
"""Fields that hold what somebody wrote."""
_LONGEST_FORM: Final = 500_000
_MOST_HEAD: Final = 12
_FEWEST: Final = 2
_LONGEST_NAME: Final = 12
_MOST_COLUMNS: Final = 40


class Letter(NamedTuple):
    """A text with a head: the fields before its first empty line, and the rest."""

    head: dict[str, Any]
    body: str


class Loose(str):
    """A value of which nobody can tell whether it stood in a field of its own, or in somebody's text before it."""

    __slots__ = ()


def unwrapped(content: Any) -> Iterator[Any]:
    """The parts of an answer without the envelope of the protocol that brought it."""
    if isinstance(content, dict) and len(content) == 1 and not _HOLDERS.isdisjoint(content):
        (only,) = content.values()
        yield from unwrapped(only) if isinstance(only, str) or _are_blocks(only) else [content]
    elif isinstance(content, dict) and content.keys() <= _ENVELOPE and _are_blocks(content.get("content")):
        structured = content.get("structuredContent")
        if isinstance(structured, (dict, list)):
            yield from unwrapped(structured)
        yield from (part for part in unwrapped(content["content"]) if structured is None or _json(part) != structured)
    elif _are_blocks(content):
        yield from (one["text"] if one["type"] == "text" else one for one in content)
    else:
        yield content


def _are_blocks(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and one.get("type") in _BLOCKS for one in value)
        and all(isinstance(one.get("text"), str) for one in value if one["type"] == "text")
    )


def parts(text: str) -> list[Any]:
    """What a text is made of, in order: records and lists of them, letters, and texts."""
    if len(text) > _LONGEST_FORM or not text.strip():
        return [text]
    found = _json(text)
    if isinstance(found, (dict, list)):
        return [found]
    text = text.replace("\r\n", "\n").strip("\n")
    printed = from_dump(text)
    if _is_record(printed):
        return [_doubted(printed)]
    return _table(text) or _letter(text) or [text]


def _json(text: Any) -> Any:
    """What a text says in JSON, all of it or in every line; None if it is something else."""
    if not isinstance(text, str) or text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        lines = text.split("\n")
    try:
        found = [msgspec.json.decode(line) for line in lines if line.strip()]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return found if all(isinstance(one, dict) for one in found) else None


# What is printed line by line


def _is_record(printed: Any) -> bool:
    """Whether what was printed is a record or a list of them, by the names of its fields: prose has colons too."""
    if isinstance(printed, list):
        return bool(printed) and all(isinstance(one, dict) for one in printed) and all(map(_has_fields, printed))
    return isinstance(printed, dict) and len(printed) >= _FEWEST and _has_fields(printed)


def _has_fields(record: dict[str, Any]) -> bool:
    return sum(map(is_known, record)) * 2 >= len(record)


def _doubted(printed: Any) -> Any:
    """A printed record, without belief in fields that somebody may have written into a text before them: in a list,
    those that not all have; in a single one, those after a free text."""
    if isinstance(printed, list):
        times = Counter(name for one in printed for name in one)
        common = {name for name, number in times.items() if number == len(printed)}
        if len(printed) >= _FEWEST:
            return [
                {as_field(name): value if name in common else _loose(value) for name, value in one.items()}
                for one in printed
            ]
        return [_doubted(one) for one in printed]
    found: dict[str, Any] = {}
    free = False
    for name, value in printed.items():
        found[as_field(name)] = _loose(value) if free else value
        free = free or (isinstance(value, str) and _is_free(name, value))
    return found


def _is_free(name: str, value: str) -> bool:
    return not _TEXTS.isdisjoint(name_words(name)) or len(value.split()) > _LONGEST_NAME


def _loose(value: Any) -> Any:
    return Loose(value) if isinstance(value, (str, int, float)) else Loose(msgspec.json.encode(value).decode())


def as_field(name: str) -> str:
    """The name of a column or of a line's label as the name of a field, if it is the name of one."""
    said = name_words(name.strip(" .:#"))
    if not said or name.strip() in {"#", "№"} or said[-1] in {"no", "nr"}:
        return "_".join((*said[:-1], "number"))
    return "_".join(said) if is_known(name) else name


# Tables


def _table(text: str) -> list[Any]:
    """A table with a head, and what stands before it; empty if there is none."""
    lines = text.split("\n")
    for first in range(min(_FEWEST, len(lines) - 1)):
        rows = _piped(lines[first:]) or _aligned(lines[first:]) or _separated(lines[first:])
        if rows:
            return [*(line for line in lines[:first] if line.strip()), rows]
    return []


def _piped(lines: list[str]) -> list[dict[str, str]]:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.strip()]
    if len(rows) < _FEWEST + 1 or not all(cell and not cell.strip("-: ") for cell in rows[1]):
        return []
    return _rows(rows[0], rows[2:])


def _aligned(lines: list[str]) -> list[dict[str, str]]:
    """Columns that begin where their heads do."""
    head = lines[0]
    starts = [at for at in range(len(head)) if head[at] != " " and (at == 0 or (at > 1 and head[at - 2 : at] == "  "))]
    body = [line for line in lines[1:] if line.strip()]
    if not _FEWEST < len(starts) <= _MOST_COLUMNS or not body:
        return []
    if any(len(line) <= starts[1] or any(line[at - 1 : at].strip() for at in starts[1:]) for line in body):
        return []
    ends = [*starts[1:], None]
    cells = [[line[at:end].strip() for at, end in zip(starts, ends, strict=True)] for line in (head, *body)]
    return _rows(cells[0], cells[1:])


def _separated(lines: list[str]) -> list[dict[str, str]]:
    """Values with tabs or commas between them; where something is quoted, it is more than this reads."""
    mark = "\t" if "\t" in lines[0] else ","
    rows = [line.split(mark) for line in lines if line.strip()]
    if len(rows) < _FEWEST or len(rows[0]) < _FEWEST + 1 or any('"' in line for line in lines):
        return []
    return _rows([cell.strip() for cell in rows[0]], [[cell.strip() for cell in row] for row in rows[1:]])


def _rows(head: list[str], body: list[list[str]]) -> list[dict[str, str]]:
    names = [as_field(name) for name in head]
    fits = len(set(names)) == len(names) and all(names) and not any(map(str.isdecimal, "".join(head)))
    if not fits or sum(map(is_known, names)) * 2 < len(names) or any(len(row) != len(names) for row in body):
        return []
    numbered = [at for at, name in enumerate(names) if is_id(name)][:1]
    if any(len({row[at] for row in body}) < len(body) for at in numbered):
        return []  # the same one twice: somebody wrote a line of it
    return [dict(zip(names, row, strict=True)) for row in body]


# Letters


def _letter(text: str) -> list[Any]:
    """A text with a head, as mail has one; empty if it has none."""
    top, gap, body = text.partition("\n\n")
    lines = top.split("\n")
    if not gap or len(lines) > _MOST_HEAD:
        return []
    writer = _writer(top)
    if writer:
        return [Letter({"from": writer}, body), top]
    head: dict[str, Any] = {}
    for line in lines:
        entry = labelled(line) or _from(line)
        if entry is None or entry[0] in head:
            return []
        head[as_field(entry[0])] = entry[1]
    return [Letter(head, body)] if all(map(is_known, head)) else []


def _writer(line: str) -> str:
    """Who writes, in a line that says no more than that: `Ann Lee <ann@example.com> writes under “Rent”:`."""
    head, _, rest = line.partition("<")
    address, end, tail = rest.partition(">")
    name = head.split()[-_LONGEST_WRITER:]
    is_one = bool(end) and "@" in address and "@" not in head + tail and "\n" not in line and len(line) <= _LONGEST_LINE
    if not is_one or not name or name[0].lower() == "to" or not _WRITING & {word.lower() for word in line.split()}:
        return ""
    return f"{' '.join(name)} <{address}>"


_WRITING: Final = frozenset("writes wrote from sent says by".split())
_LONGEST_WRITER: Final = 4
_LONGEST_LINE: Final = 200


def _from(line: str) -> tuple[str, str] | None:
    """`From Ann Lee <ann@example.com>`, without a colon."""
    first, _, rest = line.partition(" ")
    return ("from", rest) if first.lower() == "from" and rest.endswith(">") else None
