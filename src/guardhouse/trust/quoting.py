"""Content from outside as it is quoted to a model: every line behind a rule, and nothing in it that could be taken for
something else than content. Exactly reversible.

What would forge a marker or a frame is broken up, and what can't be seen is shown, by one kind of escape: `⟦U+003C⟧`
stands for the character of that number. Everything else stays as it is.
"""

from __future__ import annotations

from typing import Final

from guardhouse.trust.disguise import Undisguised
from guardhouse.trust.forgeries import forged
from guardhouse.trust.lookalikes import HIDDEN, KINDS, OTHER, belongs

RULE: Final = "┊ "
"""What every quoted line begins with."""
OPENS: Final = "⟦"
CLOSES: Final = "⟧"
SPACE: Final = "ˆ"
"""What stands for a space where spaces are marked."""
_ROUNDS: Final = 4
"""An escape lets a word begin after it, and a word that is broken up has no other word in it: two rounds find all."""
_NOT_IN_A_LABEL: Final = frozenset(f"\n[]<>{{}}|{HIDDEN}")


def quoted(text: str, *, marks_spaces: bool = False) -> str:
    """`text` in lines behind a rule."""
    kinds = text.translate(KINDS)
    escapes = _hidden(text, kinds)
    _add_each(escapes, text, OPENS)
    if marks_spaces:
        _add_each(escapes, text, SPACE)
    _break_up(escapes, text, kinds)
    body = _escaped(text, escapes)
    if marks_spaces:
        body = body.replace(" ", SPACE)
    return RULE + body.replace("\n", f"\n{RULE}")


def unquoted(body: str, *, marks_spaces: bool = False) -> str:
    """The text that was quoted. ValueError if `body` is not how anything is quoted."""
    lines = body.split("\n")
    if not all(line.startswith(RULE) for line in lines):
        raise ValueError("a line without a rule")
    inner = "\n".join(line[len(RULE) :] for line in lines)
    if marks_spaces:
        inner = inner.replace(SPACE, " ")
    text = _unescaped(inner)
    if quoted(text, marks_spaces=marks_spaces) != body:
        raise ValueError("written otherwise than it would be quoted")
    return text


def labelled(text: str) -> str:
    """`text` on one line, for a label between brackets, which it can't end."""
    kinds = text.translate(KINDS)
    escapes = bytearray(kind in _NOT_IN_A_LABEL for kind in kinds)
    _break_up(escapes, text, kinds)
    return _escaped(text, escapes)


def unlabelled(label: str) -> str:
    """The text of a label. ValueError if it is none."""
    text = _unescaped(label)
    if labelled(text) != label:
        raise ValueError("written otherwise than it would be")
    return text


# Which characters are written as escapes: a byte for each, 1 if it is


def _hidden(text: str, kinds: str) -> bytearray:
    """Those that can't be seen, but for those that belong to how the text is written."""
    escapes = bytearray(len(text))
    at = kinds.find(HIDDEN)
    while at != -1:
        kept = belongs(text, at)
        escapes[at] = not kept
        at = kinds.find(HIDDEN, at + max(kept, 1))
    return escapes


def _add_each(escapes: bytearray, text: str, char: str) -> None:
    at = text.find(char)
    while at != -1:
        escapes[at] = 1
        at = text.find(char, at + 1)


def _break_up(escapes: bytearray, text: str, kinds: str) -> None:
    """Add what has to be escaped so that nothing is forged: neither by the text itself, nor by what is left of it
    between escapes, where words begin that did not before."""
    found = _forged(text, kinds)
    for _ in range(_ROUNDS):
        for place in found:
            escapes[place] = 1
        if 1 not in escapes:
            break
        found = _forged(text, "".join(OTHER if escape else kind for kind, escape in zip(kinds, escapes, strict=True)))
        if not found:
            break


def _forged(text: str, kinds: str) -> list[int]:
    bare = Undisguised(text, kinds)
    found = ((bare.origin(place), capital) for place, capital in forged(bare.text))
    return [place for place, capital in found if not (capital and "a" <= text[place] <= "z")]


def _escaped(text: str, escapes: bytearray) -> str:
    """`text` with its escapes, those that stand together in one."""
    pieces: list[str] = []
    done = 0
    while (at := escapes.find(1, done)) != -1:
        end = escapes.find(0, at)
        end = len(text) if end == -1 else end
        codes = " ".join(f"U+{ord(char):04X}" for char in text[at:end])
        pieces.append(f"{text[done:at]}{OPENS}{codes}{CLOSES}")
        done = end
    return "".join([*pieces, text[done:]])


def _unescaped(text: str) -> str:
    first, *rest = text.split(OPENS)
    pieces = [first]
    for piece in rest:
        codes, closes, after = piece.partition(CLOSES)
        if not closes:
            raise ValueError("an escape without an end")
        pieces.append("".join(_char(code) for code in codes.split(" ")))
        pieces.append(after)
    return "".join(pieces)


def _char(code: str) -> str:
    number = int(code.removeprefix("U+"), 16)
    if f"U+{number:04X}" != code or number > 0x10FFFF:
        raise ValueError("no number of a character")
    return chr(number)
