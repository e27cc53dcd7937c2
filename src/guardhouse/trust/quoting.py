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
_NOT_IN_A_LABEL: Final = frozenset("\n[]<>{}|")


def quoted(text: str, *, marks_spaces: bool = False) -> str:
    """`text` in lines behind a rule."""
    kinds = text.translate(KINDS)
    places = _hidden(text, kinds)
    places.update(_each(text, OPENS))
    if marks_spaces:
        places.update(_each(text, SPACE))
    places = _broken_up(text, kinds, places)
    body = _escaped(text, places)
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
    places = {at for at, kind in enumerate(kinds) if kind in _NOT_IN_A_LABEL or kind == HIDDEN}
    return _escaped(text, _broken_up(text, kinds, places))


def unlabelled(label: str) -> str:
    """The text of a label. ValueError if it is none."""
    text = _unescaped(label)
    if labelled(text) != label:
        raise ValueError("written otherwise than it would be")
    return text


def _hidden(text: str, kinds: str) -> set[int]:
    """Where characters are that can't be seen, but for those that belong to how the text is written."""
    places: set[int] = set()
    at = kinds.find(HIDDEN)
    while at != -1:
        kept = belongs(text, at)
        if not kept:
            places.add(at)
        at = kinds.find(HIDDEN, at + max(kept, 1))
    return places


def _broken_up(text: str, kinds: str, places: set[int]) -> set[int]:
    """`places` and those that have to be escaped too, so that nothing is forged: neither by the text itself, nor by
    what is left of it between escapes, where words begin that did not before."""
    found = _forged(text, kinds)
    for _ in range(_ROUNDS):
        places = places | found
        if not places:
            break
        left = list(kinds)
        for place in places:
            left[place] = OTHER
        found = _forged(text, "".join(left))
        if not found:
            break
    return places


def _forged(text: str, kinds: str) -> set[int]:
    bare = Undisguised(text, kinds)
    found = ((bare.origin(place), capital) for place, capital in forged(bare.text))
    return {place for place, capital in found if not (capital and "a" <= text[place] <= "z")}


def _each(text: str, char: str) -> set[int]:
    return {at for at, one in enumerate(text) if one == char} if char in text else set()


def _escaped(text: str, places: set[int]) -> str:
    """`text` with the characters at `places` as escapes, those that stand together in one."""
    pieces: list[str] = []
    done = 0
    for at in sorted(places):
        if pieces and at == done:
            pieces.append(f" U+{ord(text[at]):04X}")
        else:
            if pieces:
                pieces.append(CLOSES)
            pieces.append(f"{text[done:at]}{OPENS}U+{ord(text[at]):04X}")
        done = at + 1
    if pieces:
        pieces.append(CLOSES)
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
