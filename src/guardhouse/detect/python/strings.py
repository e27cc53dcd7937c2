"""Text put together by `%`, `format` and the methods of strings, as far as the pieces are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.python.decoding import TEXT_CODECS, decoded_by_codec, encoded
from guardhouse.detect.python.values import (
    LONGEST_LIST,
    LONGEST_TEXT,
    NOTHING,
    NOWHERE,
    Items,
    Number,
    Table,
    Text,
    Value,
    items,
    origin_of,
    picked,
    text,
    text_of,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def percent(template: Text, given: Value) -> Text:
    """`template % given`."""
    values = list(given.items) if isinstance(given, Items) else [given]
    table = given if isinstance(given, Table) else None
    pieces = template.text.split("%", LONGEST_LIST)
    out = [pieces[0]]
    index = 1
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        if not piece and index < len(pieces):
            out.append("%" + pieces[index])
            index += 1
            continue
        key = NOTHING
        if table is not None and piece.startswith("("):
            name, _, piece = piece[1:].partition(")")
            key = picked(table, Text(NOWHERE, name))
        elif values:
            key = values.pop(0)
        piece = piece.lstrip("-+ #0123456789.")
        as_char = piece[:1] == "c" and isinstance(key, Number) and 0 <= key.number < 0x110000
        out.append((chr(key.number) if as_char and isinstance(key, Number) else text_of(key)) + piece[1:])
    return text("".join(out), template.origin | given.origin, is_bytes=template.is_bytes)


def formatted(template: Text, values: Sequence[Value], named: dict[str, Value]) -> Text:
    """`template.format(…)`, without attributes and widths."""
    out: list[str] = []
    count = 0
    rest = template.text.replace("{{", "\1").replace("}}", "\2")
    while len(out) <= LONGEST_LIST:
        before, opened, rest = rest.partition("{")
        out.append(before)
        if not opened:
            break
        field, _, rest = rest.partition("}")
        name = field.partition(":")[0].partition("!")[0]
        if not name:
            name, count = str(count), count + 1
        if name.isascii() and name.isdigit() and len(name) < 4:
            out.append(text_of(values[int(name)]) if int(name) < len(values) else UNKNOWN)
        else:
            out.append(text_of(named.get(name, NOTHING)))
    made = "".join(out).replace("\1", "{").replace("\2", "}")
    return text(made, template.origin | origin_of(*values, *named.values()), is_bytes=template.is_bytes)


_SAME_LENGTH: Final[dict[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "swapcase": str.swapcase,
    "casefold": str.casefold,
    "title": str.title,
    "capitalize": str.capitalize,
}


def text_method(owner: Text, method: str, values: Sequence[Value], named: dict[str, Value]) -> Value:
    """What a method of a string gives."""
    first = values[0] if values else NOTHING
    if method in _SAME_LENGTH:
        return text(_SAME_LENGTH[method](owner.text), owner.origin, is_bytes=owner.is_bytes)
    if method == "join":
        return _joined(owner, first)
    if method == "format":
        return formatted(owner, values, named)
    if method == "encode":
        codec = text_of(first).lower().replace("-", "_") if values else "utf8"
        return encoded(owner) if codec in TEXT_CODECS else decoded_by_codec(owner, codec)
    if method == "decode":
        return decoded_by_codec(owner, text_of(values[0] if values else named.get("encoding", Text(NOWHERE, "utf8"))))
    if method == "replace" and len(values) > 1 and isinstance(first, Text):
        return _replaced(owner, first.text, values[1])
    if method in {"split", "rsplit"}:
        mark = first.text if isinstance(first, Text) and first.text else None
        return items(Text(owner.origin, part) for part in owner.text.split(mark, LONGEST_LIST))
    if method == "splitlines":
        return items(Text(owner.origin, part) for part in owner.text[:LONGEST_TEXT].splitlines())
    if method == "hex" or method.startswith(("is", "starts", "ends", "find", "index", "count")):
        return NOTHING
    return unknown(owner, *values)


def _replaced(owner: Text, old: str, new: Value) -> Text:
    if not old:
        return owner
    left = LONGEST_TEXT // (len(text_of(new)) + 1) + 1
    changed = owner.text.replace(old, text_of(new), left)
    return text(changed, owner.origin | new.origin, is_bytes=owner.is_bytes)


def _joined(owner: Text, given: Value) -> Value:
    if isinstance(given, Text):
        parts = [*given.text[: LONGEST_TEXT // (len(owner.text) + 1) + 1]]
    elif isinstance(given, Items):
        parts = [text_of(each) for each in given.items]
    else:
        return Text(owner.origin | given.origin, UNKNOWN, owner.is_bytes)
    return text(
        owner.text.join(parts[: LONGEST_TEXT // max(1, len(owner.text)) + 2]),
        owner.origin | given.origin,
        is_bytes=owner.is_bytes,
    )
