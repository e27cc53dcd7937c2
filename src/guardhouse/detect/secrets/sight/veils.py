"""The table of veils: what a text looks like where something is hidden in it.

A veil is a sign to look closer, as cheap to find as can be and rare in ordinary text: percent signs before characters
that need none, base64 of letters, a zero-width space inside a word. How each is taken off is in `reading`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from guardhouse.detect.secrets.interface import Pass


class Veil(IntEnum):
    """How something can be hidden."""

    MARKS = 0
    """Escapes, entities, invisible or odd characters, quotation marks and line ends between parts of a word."""
    BASE64 = 1
    HEX = 2
    DUMP = 3
    """Bytes as pairs of hexadecimal digits with something between them, as a hexdump has them."""
    SPACED = 4
    """One character at a time, with something between."""
    WIDE = 5
    """Two bytes a character, as UTF-16 has it."""
    REVERSED = 6
    SPLIT = 7
    """A token whose other part stands on the next line."""
    TAGS = 8
    """Text in Unicode's invisible tag characters."""


class Sign(NamedTuple):
    """What shows that there may be a veil."""

    veil: Veil
    pattern: str
    """RE2, over UTF-8 bytes, of bounded width."""
    look: Pass = Pass.NAMES


# Characters that are never escaped but to hide something: letters, digits, `-`, `.` and `_`, in hexadecimal.
_PLAIN: Final = "(?:2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])"
_PLAIN_DECIMAL: Final = "(?:4[5689]|5[0-8]|6[15-9]|[78][0-9]|9[057-9]|1[01][0-9]|12[0-2])"
_QUOTE: Final = "&(?:quot|#0{0,4}3[49]|#[xX]0{0,4}2[27]);"
"""In HTML, a quotation mark beside a sign that joins a name and a value; elsewhere there is nothing odd about it."""
INVISIBLE: Final = (
    r"(?:\xc2\xad|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xef\xb8[\x80-\x8f]|\xcd\x8f|\xd8\x9c"
    r"|\xe1\xa0[\x8b-\x8f]|\xe1\x85[\x9f\xa0]|\xe1\x9e[\xb4\xb5]|\xe3\x85\xa4|\xf3\xa0[\x80-\x87][\x80-\xbf]"
    r"|\xe2\xa0\x80|\xef\xbe\xa0|\xef\xbf[\xb9-\xbb]|\xf0\x9d\x85[\xb3-\xba]|\xcc[\x80-\xbf]|\xcd[\x80-\xaf]"
    r"|[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2\x85|\xe2\x80[\xa8\xa9])"
)
"""Default-ignorable code points, in UTF-8; blank ones, marks that join the letter before, and controls."""
TERMINAL: Final = r"\x1b(?:\[[0-?]{0,24}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\))"
"""What tells a terminal a colour or a link."""
FULL_WIDTH: Final = r"(?:\xef\xbc[\x81-\xbf]|\xef\xbd[\x80-\x9e])"
FANCY: Final = r"(?:\xf0\x9d[\x90-\x9f][\x80-\xbf])"
"""Letters and digits of mathematics: bold, italic, double-struck."""
_WORD: Final = r"[A-Za-z0-9_\-]"
_WIDE_LETTER: Final = r"(?:\xef\xbc[\x90-\x99\xa1-\xba\xbf]|\xef\xbd[\x81-\x9a])"
# Base64 of text has letters in fours of which the first three can't be just any.
_QUAD: Final = r"[CDI-Za-f][AC-HQS-Xgi-nwy-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_\-]"
_WIDE_QUADS: Final = r"[I-Za-f][AQgw][AB][A-Za-z0-9+/]A[C-H][AEIMQUYcgkosw048]A"
_BYTE: Final = "(?:[2-7][0-9A-Fa-f]|0[9aAdD])"
"""A character of text, in hexadecimal."""
BASE64_SEEN: Final = 16
HEX_SEEN: Final = 32
SPACED_SEEN: Final = 24

VEILS: Final = (
    Sign(Veil.MARKS, f"%{_PLAIN}"),
    Sign(Veil.MARKS, r"%3[aAdD]"),
    Sign(Veil.MARKS, f"%(?:25){{1,3}}{_PLAIN}"),
    Sign(Veil.MARKS, rf"\\u00{_PLAIN}"),
    Sign(Veil.MARKS, rf"\\x{_PLAIN}"),
    Sign(Veil.MARKS, rf"\\u\{{0{{0,4}}{_PLAIN}"),
    Sign(Veil.MARKS, r"\\u003[dDaA]"),
    Sign(Veil.MARKS, r"\\1[0-7]{2}\\[01][0-7]{2}"),
    Sign(Veil.MARKS, f"&#(?:0{{0,4}}{_PLAIN_DECIMAL}|[xX]0{{0,4}}(?:{_PLAIN}|3[aAdD]));"),
    Sign(Veil.MARKS, "&(?:lowbar|hyphen|equals|colon|period);"),
    Sign(Veil.MARKS, rf"[:=]\s{{0,4}}{_QUOTE}|{_QUOTE}\s{{0,4}}[:=]"),
    Sign(Veil.MARKS, rf"{_WORD}{INVISIBLE}"),
    Sign(Veil.MARKS, rf"{_WIDE_LETTER}{_WIDE_LETTER}{_WIDE_LETTER}|{_WIDE_LETTER}{_WORD}|{_WORD}{_WIDE_LETTER}"),
    Sign(Veil.MARKS, rf"{FANCY}{FANCY}{FANCY}|{FANCY}{_WORD}|{_WORD}{FANCY}"),
    Sign(Veil.MARKS, rf"{_WORD}\x1b[\[\]]"),
    Sign(Veil.MARKS, rf"{_WORD}\\\r?\n[ \t]{{0,16}}{_WORD}"),
    Sign(Veil.BASE64, rf"(?:^|[^A-Za-z0-9])(?:{_QUAD}){{4}}", Pass.SHAPES),
    Sign(Veil.BASE64, rf"(?:^|[^A-Za-z0-9])(?:{_WIDE_QUADS}){{2}}"),
    # Two bytes a character, behind a mark that says which comes first.
    Sign(Veil.BASE64, r"(?:^|[^A-Za-z0-9+/:])(?://[45][A-Za-z0-9+/]|/v8A)[A-Za-z0-9+/]{12}"),
    Sign(Veil.BASE64, r"(?:^|[^A-Za-z0-9])H4sI[A-Za-z0-9+/_\-]{12}"),
    Sign(Veil.BASE64, r"(?:^|[^A-Za-z0-9])e[JNFA][A-Za-z0-9+/_\-]{14}"),
    Sign(Veil.HEX, rf"(?:^|[^A-Za-z0-9]){_BYTE}{{16}}", Pass.SHAPES),
    Sign(Veil.HEX, rf"[^A-Za-z0-9]0[xX]{_BYTE}{{16}}"),
    Sign(Veil.DUMP, rf"(?: {_BYTE}){{7}}", Pass.SHAPES),
    Sign(Veil.DUMP, rf"(?:[:,]{_BYTE}){{7}}", Pass.SHAPES),
    Sign(Veil.DUMP, rf"[0-9A-Fa-f]{{6}}0: {_BYTE}{{2}} {_BYTE}{{2}} "),
    Sign(Veil.DUMP, rf"(?:^|\n)[0-9a-f]{{6}}0 {_BYTE}{{2}} {_BYTE}{{2}} {_BYTE}{{2}} "),
    Sign(Veil.DUMP, rf"(?:^\s{{0,16}}|[^,\s]\s{{0,4}}|\n\s{{0,16}})(?:0[xX]{_BYTE},\s{{0,2}}){{8}}"),
    Sign(Veil.SPACED, r"(?:^|\n|[^A-Za-z0-9 ]|[^ ]{2} )(?:[A-Za-z0-9_\-+/=.] ){12}", Pass.SHAPES),
    Sign(Veil.WIDE, r"(?:^\x00?|[^\x00])(?:[ -~]\x00){8}", Pass.SHAPES),
    Sign(Veil.WIDE, r"(?:^|[^ -~])(?:\x00[ -~]){8}\x00", Pass.SHAPES),
    Sign(Veil.TAGS, r"(?:\xf3\xa0[\x80\x81][\x80-\xbf]){8}"),
)
"""Signs of every veil that does not depend on what is hidden."""
