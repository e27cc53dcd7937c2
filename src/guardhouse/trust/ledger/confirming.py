"""A short yes, and what it is a yes to: the last thing that the assistant proposed, and nothing else that it said."""

from __future__ import annotations

from typing import Final

from guardhouse.trust.ledger.clauses import sentences
from guardhouse.trust.ledger.kinds import VERBS
from guardhouse.trust.ledger.pastes import WORKING
from guardhouse.trust.ledger.words import COMMON, stem, words

_COURTESY: Final = frozenset(
    "yes yeah yep yup sure ok okay okey k go ahead do it please proceed confirm confirmed correct right fine good "
    "great perfect sounds lets let continue approved approve agreed agree absolutely definitely of course "
    "thats that looks the this all thanks thank you make so will is lgtm".split()
)
_YES: Final = frozenset(
    "yes yeah yep yup sure ok okay proceed confirm confirmed correct approved approve agreed agree absolutely "
    "definitely ahead continue perfect right fine lgtm".split()
)
_FIRM: Final = _YES - frozenset("ok okay perfect right fine".split())
_THANKING: Final = frozenset({"thanks", "thank"})
_ENDING: Final = (" let it go ", " let it be ", " that is all ", " thats all ", " all for ")
"""What ends a talk, and agrees to nothing."""
_WHEN: Final = frozenset(
    "at for on by to past quarter half oclock am pm today tonight tomorrow noon midnight morning afternoon evening "
    "monday tuesday wednesday thursday friday saturday sunday next week people persons".split()
)
"""What a yes may add: when, and for how many."""
_LONGEST: Final = 12


def is_confirmation(message: str) -> bool:
    """Whether a message is a yes and nothing more, but for how or when: `yes, for a quarter past 7`."""
    said = words(message)
    if not 0 < len(said) <= _LONGEST or "?" in message or _YES.isdisjoint(said):
        return False
    if any(phrase in f" {' '.join(said)} " for phrase in _ENDING):
        return False
    if not _THANKING.isdisjoint(said) and _FIRM.isdisjoint(said):
        return False  # `ok, thanks` is said to anything
    return all(word in _COURTESY or word in _WHEN or word.isdecimal() for word in said)


_ASKING: Final = (
    "shall i", "should i", "may i", "can i", "want me to", "like me to", "go ahead", "proceed", "confirm", "ok to",
    "okay to", "is that right", "is this right", "is that ok", "is this ok", "sound good", "sounds good",
    "do you agree", "would you like", "do you want", "ready to",
)  # fmt: skip
_SAYING: Final = ("i will ", "i'll ", "i’ll ", "i would ", "i'd ", "i’d ", "ok to ", "shall i ")
_LAST: Final = 3
"""Sentences at the end of an answer of which one may be a proposal."""


def proposal(shown: str) -> str:
    """What an answer proposes to do, as far as a short yes can mean it: the last sentence that asks whether to, or says
    that it would. Where that sentence only points (`Shall I go ahead?`), the lines right before it as well. What a
    screen does not show is no part of it."""
    lines = [line.rstrip() for line in _as_shown(shown).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    ending = [(number, sentence) for number, line in enumerate(lines) for sentence in sentences(line)][-_LAST:]
    asked = [(number, sentence) for number, sentence in ending if _asks(sentence)]
    if not asked:
        return ""
    number, sentence = asked[-1]
    if not _only_points(sentence):
        return sentence
    first = number - 1 if number and not lines[number - 1] else number
    while first > 0 and lines[first - 1]:
        first -= 1
    return "\n".join(lines[first : number + 1])


def agreed(proposed: str) -> str:
    """What was proposed, as an order: once it is agreed to, it is no question any more."""
    return "".join(map(_ordered, sentences(proposed)))


def _ordered(sentence: str) -> str:
    begin = next((at for at in range(len(sentence)) if sentence[at].isalnum()), 0)
    lowered = sentence[begin:].lower()
    phrase = next((one for one in _PROPOSING if lowered.startswith(one)), "")
    return sentence[:begin] + sentence[begin + len(phrase) :].replace("?", ".")


_PROPOSING: Final = (
    "shall i ", "should i ", "may i ", "can i ", "do you want me to ", "would you like me to ", "want me to ",
    "ok to ", "okay to ", "ready to ", "i will ", "i'll ", "i’ll ", "i would ", "i'd ", "i’d ", "i can ", "i could ",
)  # fmt: skip


def _as_shown(text: str) -> str:
    """A text without comments, without lines that no reader of Markdown sees, and without anything in tags."""
    pieces = text.split("<!--")
    text = pieces[0] + "".join(piece.partition("-->")[2] for piece in pieces[1:])
    lines = (line for line in text.split("\n") if "<" not in line and not line.lstrip().startswith(("[//]", ">")))
    return "\n".join(_without_targets(line.expandtabs().partition(_FAR)[0]) for line in lines)


_FAR: Final = " " * 8
"""What stands behind so many blanks is out of sight."""


def _without_targets(line: str) -> str:
    """A line without where its links lead: a reader sees only what they are called."""
    head, *pieces = line.split("](")
    return head + "".join(f"] {piece.partition(')')[2]}" for piece in pieces)


def _asks(sentence: str) -> bool:
    said = f" {' '.join(words(sentence))} "
    if any(f" {phrase} " in said for phrase in _ASKING) and sentence.rstrip().endswith("?"):
        return True
    return sentence.strip().lower().startswith(_SAYING)


def _only_points(sentence: str) -> bool:
    """Whether a sentence says nothing of its own: `Shall I book it?`"""
    said = [word for word in words(sentence) if word not in COMMON and word not in _COURTESY and word not in _MODAL]
    return len(said) <= 1 and all(stem(word) in VERBS and stem(word) not in WORKING for word in said)


_MODAL: Final = frozenset("shall should may can would could ready proceed agree".split())
