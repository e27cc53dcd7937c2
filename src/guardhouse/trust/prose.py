"""Whether a text is data or a name, and so nothing that a model would read as somebody's words.

By its looks alone, and in doubt no: what is prose after all gets marked where it need not have been, and keeps its
meaning.
"""

from __future__ import annotations

from typing import Final

_LONGEST_NAME: Final = 2048
_ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
_SHORTEST_LINE: Final = 48
"""Of base64 that is wrapped, which no lines of words come up to without a blank."""


def is_data(text: str) -> bool:
    """Whether a text is base64, in one piece or in lines."""
    lines = text.split("\n")
    if any(len(line) < _SHORTEST_LINE for line in lines[:-2]):
        return False
    return all(_ALPHABET.issuperset(line.removesuffix("\r")) for line in lines)


def is_name(text: str) -> bool:
    """Whether a text is one word, such as an address, an id or a media type. In writings without blanks, one word can
    be a whole sentence."""
    return len(text) <= _LONGEST_NAME and text.isascii() and text.isprintable() and " " not in text
