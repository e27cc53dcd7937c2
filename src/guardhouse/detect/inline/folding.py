"""What calls make of known texts and numbers: letters of their numbers, pieces joined, a form filled in.

Only what is needed to see a path that was taken apart. What they make of anything else is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Texts = Sequence[str]

_LARGEST: Final = 0x110000


def _of_numbers(texts: Texts) -> str | None:
    numbers = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 8]
    if not numbers or len(numbers) < len(texts) or not all(0 < number < _LARGEST for number in numbers):
        return None
    return "".join(map(chr, numbers))


def _packed(texts: Texts) -> str | None:
    return _of_numbers(texts[1:]) if texts and texts[0][:1] in ("C", "c", "U", "W") else None


def _joined(texts: Texts) -> str | None:
    return texts[0].join(texts[1:]) if texts else None


def _formed(texts: Texts) -> str | None:
    """`sprintf("%s/%s", …)`; any other place than `%s` and `%d` is not known."""
    if not texts:
        return None
    head, *pieces = texts[0].replace("%%", "\x02").replace("%d", "%s").replace("%v", "%s").split("%s")
    if len(pieces) != len(texts) - 1 or "%" in texts[0].replace("%%", "").replace("%s", "").replace("%d", ""):
        return None
    return (head + "".join(text + piece for text, piece in zip(texts[1:], pieces, strict=True))).replace("\x02", "%")


def _turned(texts: Texts) -> str | None:
    return texts[0][::-1] if len(texts) == 1 else None


_FUNCTIONS: Final[tuple[tuple[str, str, Callable[[Texts], str | None]], ...]] = (
    # languages, names, what they make of their arguments
    ("node", "String.fromCharCode String.fromCodePoint", _of_numbers),
    ("perl php lua octave", "chr string.char char", _of_numbers),
    ("perl php", "pack", _packed),
    ("perl php", "join implode", _joined),
    ("perl php ruby lua go java awk", "sprintf format Kernel.format Kernel.sprintf string.format fmt.Sprintf", _formed),
    ("node java", "util.format String.format", _formed),
    ("perl php lua", "reverse strrev string.reverse", _turned),
)
_BY_NAME: Final = {
    (language, name): function
    for languages, names, function in _FUNCTIONS
    for language in languages.split()
    for name in names.split()
}
_SAME: Final = frozenset(
    ".trim .toString .to_s .strip .chomp .toLowerCase .downcase .valueOf .normalize .freeze .dup .to_str".split()
)
_REPLACING: Final = frozenset(".replace .replaceAll .sub .gsub .tr".split())


_HIDING: Final = frozenset((_of_numbers, _packed, _turned))
OF_LISTS: Final = frozenset({".join", ".pack"})
"""Methods that make one text of a list."""


def folds(language: str, name: str) -> bool:
    """Whether a call of that name makes a text of what it is given."""
    return (language, name) in _BY_NAME


def folded(language: str, name: str, texts: Texts) -> str:
    """What the call makes of these arguments."""
    text = _BY_NAME[language, name](texts)
    return UNKNOWN if text is None or any(UNKNOWN in piece for piece in texts) else text


def hides(language: str, name: str) -> bool:
    """Whether nobody reads at first sight what such a call makes."""
    return _BY_NAME[language, name] in _HIDING


def by_method(name: str, text: str, texts: Texts) -> str:
    """What a method makes of the text it belongs to."""
    if UNKNOWN in text or any(UNKNOWN in piece for piece in texts):
        return UNKNOWN
    if name in _SAME and not texts:
        return text
    if name == ".concat":
        return text + "".join(texts)
    if name in _REPLACING and len(texts) == 2:
        return text.replace(texts[0], texts[1])
    if name == ".delete" and len(texts) == 1 and len(texts[0]) == 1:
        return text.replace(texts[0], "")
    if name == ".reverse" and not texts:
        return text[::-1]
    return UNKNOWN


def of_list(name: str, items: Texts, texts: Texts) -> str:
    """What a method makes of a list of texts."""
    if any(UNKNOWN in piece for piece in (*items, *texts)):
        return UNKNOWN
    if name == ".join":
        return (texts[0] if texts else "").join(items)
    if name == ".pack" and texts:
        return _packed((texts[0], *items)) or UNKNOWN
    return UNKNOWN
