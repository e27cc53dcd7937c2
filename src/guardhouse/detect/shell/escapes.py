"""The escapes of `$'…'`, which let a command be written without one letter of it: `$'\\x72\\155'` is `rm`.

Only the text between the quotes is decoded here; finding the end of it is the word reader's work.
"""

from __future__ import annotations

SIMPLE = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
HEX = frozenset("0123456789abcdefABCDEF")
OCTAL = frozenset("01234567")
DIGITS = {"x": 2, "u": 4, "U": 8}


def decoded(text: str) -> str:
    """What bash makes of the text; escapes that it does not know stay as they are, and a NUL ends it."""
    pieces: list[str] = []
    raw = bytearray()
    position = 0
    while (escape := text.find("\\", position)) >= 0 and escape + 1 < len(text):
        if escape > position:
            _give(pieces, raw)
            pieces.append(text[position:escape])
        value, position = _escape(text, escape + 1)
        if value == "\0":
            _give(pieces, raw)
            return "".join(pieces)
        if isinstance(value, int):
            raw.append(value)
        else:
            _give(pieces, raw)
            pieces.append(value)
    _give(pieces, raw)
    pieces.append(text[position:])
    return "".join(pieces)


def _give(pieces: list[str], raw: bytearray) -> None:
    """Bytes above ASCII written one by one make characters together."""
    if raw:
        pieces.append(raw.decode("utf-8", "surrogateescape"))
        raw.clear()


def _escape(text: str, i: int) -> tuple[str | int, int]:
    """What the escape stands for, whose letter is at `i`, and where it ends; an int is a byte above ASCII."""
    letter = text[i]
    if letter in SIMPLE:
        return SIMPLE[letter], i + 1
    if letter in OCTAL:
        end = _digits(text, i, OCTAL, 3)
        return _byte(int(text[i:end], 8) & 0xFF), end
    if letter in DIGITS:
        return _hexadecimal(text, i)
    if letter == "c" and i + 1 < len(text):
        end = i + 2 + (text.startswith("\\\\", i + 1))
        control = text[i + 1]
        return ("\x7f" if control == "?" else chr(ord(control) & 0x1F)), end
    return "\\" + letter, i + 1


def _hexadecimal(text: str, i: int) -> tuple[str | int, int]:
    """`\\xHH`, `\\x{…}`, `\\uHHHH`, `\\UHHHHHHHH`."""
    letter = text[i]
    if letter == "x" and text.startswith("{", i + 1):
        end = _digits(text, i + 2, HEX, len(text))
        value = int(text[i + 2 : end] or "0", 16) & 0xFF
        return _byte(value), end + text.startswith("}", end)
    end = _digits(text, i + 1, HEX, DIGITS[letter])
    if end == i + 1:
        return "\\" + letter, end
    value = int(text[i + 1 : end], 16)
    if letter == "x":
        return _byte(value), end
    return (chr(value) if value <= 0x10FFFF else text[i - 1 : end]), end


def _byte(value: int) -> str | int:
    return chr(value) if value < 0x80 else value


def _digits(text: str, i: int, allowed: frozenset[str], most: int) -> int:
    """Where a run of at most so many such digits ends."""
    end = i
    while end < len(text) and end - i < most and text[end] in allowed:
        end += 1
    return end
