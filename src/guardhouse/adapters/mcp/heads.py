"""Who waits for an answer to a line that is refused: its id, and whether it asks or answers.

The line may be anything at all, so nothing is taken for granted and only its beginning is looked at, once. Nothing else
is taken from such a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.adapters.mcp.messages import Id, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_HEAD: Final = 64 * 1024
_MOST_HEADS: Final = 64
_BLANK: Final = b" \t\r\n"


class Head(msgspec.Struct, frozen=True):
    """Who waits for an answer, as far as that can be told."""

    id: Id
    asks: bool


class _Top(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()


_read_top: Final = msgspec.json.Decoder(_Top).decode


def heads(line: bytes) -> list[Head]:
    """Who may wait for an answer, of one message or of the first ones of a list."""
    if not line.lstrip(_BLANK).startswith(b"["):
        try:
            top = _read_top(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            top = None  # it is no JSON; what can be made out of its beginning is read below
        if top is not None:
            return _head(bytes(top.id), bytes(top.method) != b"")
    found: list[Head] = []
    for number, asks in _scanned(line[:LONGEST_HEAD].lstrip(_BLANK)):
        found += _head(number, asks)
        if len(found) >= _MOST_HEADS:
            break
    return found


def _head(raw: bytes, asks: bool) -> list[Head]:  # noqa: FBT001 - read off the line, not a switch
    try:
        number = msgspec.json.decode(raw) if raw else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return [Head(number, asks)] if is_id(number) else []


def _scanned(text: bytes) -> Iterator[tuple[bytes, bool]]:
    """The id of each message, as it is written, and whether it has a method. Only brackets and quotes are heeded."""
    level = 2 if text.startswith(b"[") else 1
    depth, key, number, asks = 0, b"", b"", False
    at = 0
    while at < len(text):
        char = text[at]
        if char == _QUOTE:
            end = _end_of_string(text, at)
            if depth == level:
                word = text[at:end]
                after = _after_blanks(text, end)
                if text[after : after + 1] == b":":
                    key = word
                    asks = asks or key == b'"method"'
                elif key == b'"id"':
                    number, key = number or word, b""
            at = end
            continue
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
            if depth == level - 1:
                yield number, asks
                key, number, asks = b"", b"", False
        elif char == _COMMA:
            key = b"" if depth == level else key
        elif depth == level and key == b'"id"' and char in _NUMERIC:
            end = at
            while end < len(text) and text[end] in _NUMERIC:
                end += 1
            if end < len(text):  # else there may be more of it
                number = number or text[at:end]
            key, at = b"", end
            continue
        at += 1
    if depth >= level:
        yield number, asks


def _after_blanks(text: bytes, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _end_of_string(text: bytes, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != _QUOTE:
        at += 2 if text[at] == _BACKSLASH else 1
    return min(at + 1, len(text))


_QUOTE: Final = ord('"')
_BACKSLASH: Final = ord("\\")
_COMMA: Final = ord(",")
_OPENING: Final = frozenset(b"{[")
_CLOSING: Final = frozenset(b"}]")
_NUMERIC: Final = frozenset(b"0123456789-+.eE")
