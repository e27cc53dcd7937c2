"""Text that is written so that it is not found: base64, hexadecimal, long runs of escapes, letters held apart.

What is decoded and can be read is a violation whatever it says: a fact can be said in clear. A digest or an id decodes
to nothing readable and passes.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.reading import Page
from guardhouse.guru.rules import ENCODED, HIDDEN

_BLOB: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}+={0,2}+", re.ASCII)
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}[ :,]?+){8,}+", re.ASCII)
_ESCAPES: Final = re.compile(
    r"(?:%[0-9A-Fa-f]{2}){4,}+|(?:&#x?[0-9A-Fa-f]{1,7};?){4,}+|(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[0-7]{3}){4,}+"
)
_APART: Final = re.compile(r"(?<!\w)\w(?:[ .*_·|-]{1,3}\w(?!\w)){4,}+")
_OPAQUE: Final = 200
_MOST: Final = 4096
"""Of a blob so much is decoded: what is readable further behind is past every field's limit."""


def encoded(page: Page) -> Iterator[Violation]:
    """Where text is encoded or taken apart, and where characters are that nobody sees."""
    for start, end in page.hidden():
        yield page.wrong_in_whole(HIDDEN, start, end)
    whole = page.whole
    for match in _BLOB.finditer(whole):
        blob = match[0]
        if len(blob) > _OPAQUE or _reads_as_base64(blob):
            yield page.wrong_in_whole(ENCODED, match.start(), match.end())
    for match in _HEX.finditer(whole):
        if _reads_as_hex(match[0]):
            yield page.wrong_in_whole(ENCODED, match.start(), match.end())
    for pattern in (_ESCAPES, _APART):
        for match in pattern.finditer(whole):
            if pattern is _ESCAPES or sum(char.isalpha() for char in match[0]) > 4:
                yield page.wrong_in_whole(ENCODED, match.start(), match.end())


def _reads_as_base64(blob: str) -> bool:
    body = blob.rstrip("=")[:_MOST].replace("-", "+").replace("_", "/")
    for cut in range(2):  # a letter that happens to stand before it must not hide it
        part = body[cut:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            data = base64.b64decode(part + "=" * (-len(part) % 4))
        except (binascii.Error, ValueError):
            continue
        if _is_readable(data):
            return True
    return False


def _reads_as_hex(run: str) -> bool:
    digits = "".join(char for char in run[: 2 * _MOST] if char.isalnum())
    return _is_readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _is_readable(data: bytes) -> bool:
    """Whether this is text: all of it printable, most of it letters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            text = data.decode("utf-16-le") if data[1::2].count(0) * 2 >= len(data) - 1 > 7 else ""
        except UnicodeDecodeError:
            return False
    if len(text) < 6 or not all(char.isprintable() or char in "\n\t" for char in text):
        return False
    return sum(char.isalpha() or char == " " for char in text) * 10 >= len(text) * 7
