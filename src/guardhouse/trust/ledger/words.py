"""Texts as words: split, made comparable, and brought to a common stem.

Everything here looks at each character a fixed number of times. Stems are crude on purpose: they only have to bring the
forms of one word together, and two words that meet by accident cost one question more or less, never a wrong value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class _Blanks(dict[int, str | int]):
    """Letters, marks and digits stay, everything else becomes a blank. Filled as characters are met."""

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        kept = code if char.isalnum() or (code > _ASCII and char.isidentifier()) else " "
        if len(self) < _MOST_CHARACTERS:
            self[code] = kept
        return kept


_ASCII: Final = 127
_MOST_CHARACTERS: Final = 8192
_TABLE: Final = _Blanks({ord("'"): "", ord("’"): "", ord("ʼ"): ""})
_UNSEEN: Final = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_SHORTEST_STEMMED: Final = 4
_VOWELS: Final = frozenset("aeiouy")


def comparable(text: str) -> str:
    """The text in the one form in which texts are compared: compatibility forms resolved, in small letters. Case
    is not folded further: `ß` and `ss` are two domains."""
    return text.lower() if text.isascii() else normalize("NFKC", text.translate(_UNSEEN)).lower()


def words(text: str) -> list[str]:
    """The words of a text, comparable. An apostrophe belongs to its word and is left out."""
    return comparable(text).translate(_TABLE).split()


def name_words(name: str) -> list[str]:
    """The words of an identifier: `sendMoney`, `send-money`, `bank.send_money` are all `send money`."""
    spaced: list[str] = []
    before = ""
    for char in name:
        if char.isupper() and before.islower():
            spaced.append(" ")
        spaced.append(char)
        before = char
    return words("".join(spaced))


def going_by(name: str) -> str:
    """A name as one of the words of a thing: whose it is, and not just a word that stands there."""
    return f"@{name}"


def named_exactly(said: Sequence[str]) -> str:
    """A whole name as one of the words of a thing: `report.docx` is not `old-report.docx`."""
    return f"={' '.join(said)}"


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """One form for `schedule`, `schedules`, `scheduled` and `scheduling`."""
    if not word.isascii():
        word = unaccented(word)
    if len(word) < _SHORTEST_STEMMED or not word.isascii():
        return word
    base = _without_ending(word)
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl" and base != word:
        base = base[:-1]
    if len(base) > 3 and base.endswith("e"):
        base = base[:-1]
    return f"{base[:-1]}i" if len(base) > 3 and base.endswith("y") else base


def unaccented(word: str) -> str:
    """A word without accents, for names that are written with and without: never for addresses."""
    plain = "".join(char for char in normalize("NFD", word) if not "\u0300" <= char <= "\u036f")
    return plain if plain.isascii() else word


def _without_ending(word: str) -> str:
    for ending, kept, shortest in _ENDINGS:
        if word.endswith(ending):
            base = word[: len(word) - len(ending)]
            if len(base) >= shortest and not _VOWELS.isdisjoint(base):
                return base + kept
            return word
    return word


_ENDINGS: Final = (
    # ending, what stays of it, how long the rest must be
    ("sses", "ss", 2), ("ies", "y", 2), ("ied", "y", 2), ("ings", "", 3), ("ing", "", 3), ("ss", "ss", 1),
    ("us", "us", 1), ("is", "is", 1), ("ches", "ch", 1), ("shes", "sh", 1), ("xes", "x", 1), ("s", "", 2),
    ("ed", "", 3),
)  # fmt: skip


def stems(of: Iterable[str]) -> list[str]:
    """The stems of words."""
    return [stem(word) for word in of]


def grams(of: Sequence[str], size: int) -> Iterator[str]:
    """Every run of `size` words, as one text."""
    return (" ".join(of[at : at + size]) for at in range(len(of) - size + 1))


COMMON: Final = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but "
    "by can could did do does doing done down during each few for from further get give go had has have having he "
    "hello her here hers hey hi him his how i if in into is it its just know let like look make me more most my need "
    "no nor not now of off on once one ones only or other our out over own please same she should so some such take "
    "than thank thanks that the their them then there these they this those through to too under until up us use very "
    "want was we were what when where which while who whom whose why will with would yes you your yours".split()
)
"""Words that say nothing about what is spoken of."""


def telling(of: Iterable[str]) -> list[str]:
    """The stems of words that say what is spoken of."""
    return [stem(word) for word in of if word not in COMMON and (len(word) > 1 or word.isdecimal())]


def pieces(value: str) -> list[str]:
    """What a value may have been put together from: its words, and of an address the domain as one."""
    local, at, domain = value.partition("@")
    return [*words(local), " ".join(words(domain))] if at else words(value)
