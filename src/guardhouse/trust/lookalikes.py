"""What a character looks like once its disguise is off: the ASCII that a reader, or a tokeniser, would take it for.

Compatibility forms (full-width, mathematical, circled…) and accents come off by Unicode's own tables; the letters and
brackets of other scripts that look like ours are listed here. Whether a character may be shown at all is said here too.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from guardhouse.model import visible

HIDDEN: Final = "\x00"
"""Kind of a character that is drawn as nothing, or that moves what is drawn."""
MARK: Final = "\x03"
"""Kind of an accent: it is seen, but the letter below it stays what it is."""
SEVERAL: Final = "\x04"
"""Kind of a character that stands for several, such as a ligature; `spelt_out` says which."""
OTHER: Final = "\x01"

LOOKALIKES: Final = {
    "a": "аɑαɐᴀⱥАΑᎪᗅꓮ",
    "b": "ЬƅᖯʙвƀВΒᏴᗷꓐ",
    "c": "сϲᴄⲥƈСϹᏟꓚⲤ",
    "d": "ԁժɗđᴅꓒԀᎠᗞꓓ",
    "e": "еєҽεɛəᴇɇℯ℮ЕΕᎬꓰ⋿",
    "f": "ƒꞙքϝғꜰϜᖴꓝ",
    "g": "ɡցɢԍԌᏀꓖ",
    "h": "һհʜнħНΗᎻᕼꓧ",
    "i": "іıιɩɨɪӏІΙӀᏆꓲ",
    "j": "јϳᴊɉЈᎫꓙ",
    "k": "кκᴋƙКΚᏦꓗ",
    "l": "ʟłɭⱠᏞᒪꓡ",
    "m": "мᴍɱМΜᎷꓟ",
    "n": "ոռηпɴƞΝꓠᏁ",
    "o": "оοσօᴏøᴑОΟՕꓳⲞⲟ",
    "p": "рρᴘⲣРΡᏢꓑⲢ",
    "q": "ԛգԚ",
    "r": "гᴦʀɍᎡᏒꓣ",
    "s": "ѕʂꜱƽЅᏚꓢՏ",
    "t": "тτᴛŧƭТΤᎢꓔ",
    "u": "υսʋᴜʉՍꓴ",
    "v": "ѵνᴠѴᏙꓦ",
    "w": "ԝաѡᴡԜᎳꓪ",
    "x": "хχХΧꓫ×",
    "y": "уүγʏყɏУΥҮꓬ",
    "z": "ᴢʐƶΖᏃꓜ",
    "<": "‹«˂ᐸ❮❰❬〈⟨⟪《≺≪⧼⟬",
    ">": "›»˃ᐳ❯❱❭〉⟩⟫》≻≫⧽⟭",
    "[": "【〔❲⁅〚⟦『",
    "]": "】〕❳⁆〛⟧』",
    "(": "❨❪⟮⦅",
    ")": "❩❫⟯⦆",
    "{": "❴⦃",
    "}": "❵⦄",
    "|": "ǀ│┃∣❘❙⎮¦‖ǁ∥۱",
    "#": "♯⌗",
    ":": "∶ː꞉׃։܃⁚",
    "-": "‐‑‒–—―−⁃➖─━",
    "_": "▁⎯﹏",
    "=": "꞊═⹀",
    "/": "⁄∕╱⧸",
    "\\": "⧵∖╲",
    '"': "“”„‟″‶〃",
    "'": "‘’‚‛′‵",
    "!": "ǃⵑ⚠",
    "~": "∼˜",
    "0": "𐓂",
}
"""Look-alikes of ASCII, in both cases, one line for each; what Unicode itself takes apart is not here."""

_PLAIN: Final = {ord(like): char for char, likes in LOOKALIKES.items() for like in likes}
_LETTER_ROWS: Final = (0x1F150, 0x1F170, 0x1F1E6)
"""Where rows of 26 pictures of letters begin: in dark circles, in dark squares, for flags."""
_SEEN: Final = frozenset([*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD])
"""Signs of Arabic and Kaithi that Unicode counts as formats, and that are drawn all the same."""
_PICTURES: Final = range(0x1F300, 0x1FB00)
"""Where emoji are added that a Python may not know yet."""


class _Kinds(dict[int, int]):
    """The kind of every character, by code point, worked out when it is first met."""

    def __missing__(self, code: int) -> int:
        kind = self[code] = ord(_kind(chr(code)))
        return kind


KINDS: Final = _Kinds()
"""For `str.translate`: each character becomes one of ASCII, in lower case where it is a letter, so places stay."""


def _kind(char: str) -> str:
    if is_hidden(char):
        return HIDDEN
    if char.isascii():
        return " " if char == "\t" else char.lower()
    if unicodedata.category(char) in {"Mn", "Me"}:
        return MARK
    bare = bared(char)
    if len(bare) == 1:
        return bare
    return SEVERAL if bare.strip(OTHER) else OTHER


def is_hidden(char: str) -> bool:
    """Whether a character can fool the eye or a terminal: drawn as nothing, or not by itself. Blanks are seen."""
    if char in "\n\t" or visible(char) == char:
        return False
    return unicodedata.category(char) != "Zs" and ord(char) not in _SEEN and ord(char) not in _PICTURES


def bared(char: str) -> str:
    """A visible character without its disguise: one or several of ASCII, or `OTHER` for what has none."""
    plain = _PLAIN.get(ord(char))
    if plain is not None:
        return plain
    for first in _LETTER_ROWS:
        if first <= ord(char) < first + 26:
            return chr(ord("a") + ord(char) - first)
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    seen = (one for one in apart if unicodedata.category(one) not in {"Mn", "Me"} and not is_hidden(one))
    return "".join(_bare(one) for one in seen) or OTHER


def _bare(char: str) -> str:
    if char.isascii():
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    return _PLAIN.get(ord(char), OTHER)


# Joiners, selectors and tags that belong to what is written: Persian, Indic scripts, emoji, flags

_JOINERS: Final = frozenset("\u200c\u200d")
_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
_KEYCAP: Final = "\u20e3"
_KEYS: Final = frozenset("0123456789#*")
_FLAG: Final = "\U0001f3f4"
_FLAGS: Final = tuple(
    _FLAG + "".join(chr(0xE0000 + ord(char)) for char in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The flags that are written with tags, which otherwise spell out hidden words: England, Scotland, Wales."""
_JOINING: Final = (range(0x600, 0xE00), range(0x1000, 0x10A0), range(0x1780, 0x18B0))
"""Arabic and its neighbours, the scripts of India, Myanmar, Khmer and Mongolian."""


def belongs(text: str, at: int) -> int:
    """How many characters from `at` on, which are hidden, are part of how the text is written; 0 if none is."""
    char, before, after = text[at], text[at - 1] if at else "", text[at + 1 : at + 2]
    if char == "\r":
        return int(after == "\n")
    if char in _SELECTORS:
        return int(_is_picture(before) or (after == _KEYCAP and before in _KEYS))
    if char in _JOINERS:
        if _is_picture(after):
            return int(char == "\u200d" and (_is_picture(before) or before in _SELECTORS))
        return int(_is_joining(before) and (not after or not is_hidden(after)))
    for flag in _FLAGS:
        if before == _FLAG and text.startswith(flag, at - 1):
            return len(flag) - 1
    return 0


def _is_picture(char: str) -> bool:
    if not char or char.isascii():
        return False
    return unicodedata.category(char) in {"So", "Sm", "Sk"} or char in "‼⁉〰〽" or ord(char) in _PICTURES


def _is_joining(char: str) -> bool:
    return bool(char) and any(ord(char) in script for script in _JOINING)
