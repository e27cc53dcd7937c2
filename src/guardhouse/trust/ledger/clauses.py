"""The sentences of a person's message by what they do: bid something, ask something, or forbid it.

What nobody is to do is not asked for, and an address that is to be left out is not given. This is crude on purpose, and
errs by hearing too little: what is not heard is asked about.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.kinds import VERBS
from guardhouse.trust.ledger.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE_NOT: Final = frozenset({"do", "must", "should", "may", "please", "but", "and", "or", "to", "at"})
_MEANT: Final = frozenset("forget hesitate only just worry miss fail problem".split())
"""`Do not forget to …`, `not only …`: words behind a no that take it back."""
_FORBIDDING: Final = frozenset(
    "dont never except excluding exclude omit without avoid ignore skip nor neither no cant cannot couldnt wont "
    "wouldnt shouldnt mustnt".split()
)
_REMOVING: Final = frozenset(map(stem, "delete remove erase cancel clear trash discard purge wipe".split()))
_KEEPING: Final = frozenset({"keep", "leave", "spare"})
_ACCUSING: Final = frozenset("scam scams scammer scammers spam spammer phishing fraud fraudster fake hacker".split())
_ALSO: Final = frozenset("email mail message text call note book table".split())
"""Words that are verbs too."""
_SELF: Final = frozenset("i we it they he she this that there".split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with the mark at its end. A full stop within a word ends none."""
    start = 0
    for at, char in enumerate(text):
        ends = char == "\n" or (char in ".!?" and (at + 1 == len(text) or text[at + 1].isspace()))
        if ends:
            yield text[start : at + 1]
            start = at + 1
    if start < len(text):
        yield text[start:]


_MOST_HEARD: Final = 12_000
"""Characters of a message that are listened to; nothing behind them is the user's word."""


def affirmed(text: str) -> str:
    """A text without the clauses that forbid something or leave somebody out, and without accusations."""
    text = text[:_MOST_HEARD]
    removes = any(stem(word) in _REMOVING for word in words(text))
    return "".join(_without_forbidden(sentence, removes=removes) for sentence in sentences(_plainly(text)))


_EXCLUDING: Final = frozenset(
    (("instead", "of"), ("opposed", "to"), ("rather", "than"), ("other", "than"), ("apart", "from"), ("aside", "from"))
)  # fmt: skip
_ALL: Final = frozenset({"all", "every", "everyone", "everybody", "everything"})
_SPARING: Final = (
    " i need ",
    " we need ",
    " hold on to ",
    " is important ",
    " stay ",
    " stays ",
    " remain ",
    " remains ",
    " still need ",
    " keep ",
    " is left ",
    " are left ",
)


def _plainly(text: str) -> str:
    """A text with one word for all that leaves something out: `all files but this one`, `this instead of that`."""
    pieces = text.split(" ")
    plain = [(words(piece) or [""])[-1] for piece in pieces]
    for at in range(1, len(pieces)):
        pair = (plain[at - 1], plain[at])
        but_all = plain[at] == "but" and not _ALL.isdisjoint(plain[max(at - 4, 0) : at])
        if but_all and pieces[at - 1][-1:] not in ".!?;" and not _begins_clause(plain[at + 1 : at + 2]):
            pieces[at] = _OUT
        elif pair in _EXCLUDING:
            pieces[at - 1], pieces[at] = _OUT, ""
    return " ".join(pieces)


_OUT: Final = "excluding"


def _begins_clause(following: list[str]) -> bool:
    return not following or following[0] in _BEFORE_NOT or following[0] in _SELF or stem(following[0]) in VERBS


def _without_forbidden(sentence: str, *, removes: bool) -> str:
    said = words(sentence)
    if not _ACCUSING.isdisjoint(said):
        return "\n"
    if _is_unwanted(said):
        return sentence
    spares = removes and _spares(sentence)
    if not spares and _FORBIDDING.isdisjoint(said) and "not" not in said and _KEEPING.isdisjoint(said):
        return sentence
    removes = any(stem(word) in _REMOVING for word in said)
    asks = sentence.rstrip().endswith("?")
    kept = [
        _without_no(clause, first=asks and not number, removes=removes)
        for number, clause in enumerate(_clauses(sentence))
        if not (spares and _spares(clause) and not any(stem(word) in _REMOVING for word in words(clause)))
    ]
    return "".join(kept)


def _is_unwanted(said: list[str]) -> bool:
    """`I don't want the lamp any more` forbids nothing: it says what is to be gone."""
    wants = any(pair in _UNWANTED for pair in pairwise(said))
    return wants and not {"anymore", "longer", "more"}.isdisjoint(said) and "i" in said[:2]


_UNWANTED: Final = frozenset((("dont", "want"), ("dont", "need"), ("longer", "want"), ("longer", "need")))


def _spares(clause: str) -> bool:
    """Whether a clause says that something is not to be gone."""
    said = f" {' '.join(words(clause))} "
    return any(phrase in said for phrase in _SPARING)


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence, cut at commas and brackets, and before `but` and an `and` with a verb behind it."""
    clause: list[str] = []
    pieces = sentence.split(" ")
    for at, piece in enumerate(pieces):
        word = piece.strip("(),;:.!?").lower()
        following = words(pieces[at + 1])[:1] if at + 1 < len(pieces) else []
        joins = word in {"and", "then"} and bool(following) and (stem(following[0]) in VERBS or following[0] in _ALSO)
        so_that = word == "so" and following == ["that"]
        if (word in {"but", "instead"} or joins or so_that or piece.startswith("(")) and clause:
            yield " ".join(clause) + " "
            clause = []
        clause.append(piece)
        if piece.endswith((",", ";", ":", ")")):
            yield " ".join(clause) + " "
            clause = []
    yield " ".join(clause)


def _without_no(clause: str, *, first: bool, removes: bool) -> str:
    """A clause up to the word that forbids what follows; without any of it, if what it is about stands before that:
    `Carol must not see it`. `first`: its sentence begins with it, and is a question (`Why don't you …?`)."""
    pieces = clause.split(" ")
    plain = [(words(piece) or [""])[0] for piece in pieces]
    for at, word in enumerate(plain):
        if word != "not" and word not in _FORBIDDING and word not in _KEEPING:
            continue
        earlier = [one for one in plain[:at] if one]
        behind = [one for one in plain[at + 1 : at + 1 + _NEAR] if one]
        if not _forbids(word, earlier[-1:], behind, removes=removes):
            continue
        if first and len(earlier) <= 1 and word in _ASKED_NO:
            continue
        is_named = any("." in piece.rstrip(".,;") or "@" in piece for piece in pieces[: at - 1])
        is_subject = _is_of_subject(earlier, word) or (is_named and earlier[-1:] and earlier[-1] in _MODAL)
        return "\n" if is_subject else " ".join(pieces[:at]) + "\n"
    return clause


_NEAR: Final = 12
_ASKED_NO: Final = frozenset("dont not never cant couldnt wont wouldnt cannot".split())
_STATING: Final = frozenset("is are was were am be been its thats im youre hes shes theyre if whether why".split())
"""Before a no, these say how something is."""
_MODAL: Final = frozenset("must should may can will could would is are".split())


def _is_of_subject(earlier: list[str], word: str) -> bool:
    """Whether what is forbidden is said of something that stands before: `report.pdf must not be deleted`."""
    if not earlier or stem(earlier[0]) in VERBS or earlier[0] in _COURTEOUS:
        return False
    return earlier[-1] in _MODAL or word in {"mustnt", "shouldnt", "cant", "cannot"}


_COURTEOUS: Final = frozenset("please you i we can could would will do and but".split())


def _forbids(word: str, before: list[str], behind: list[str], *, removes: bool) -> bool:
    if not _MEANT.isdisjoint(behind[:2]) or not behind:
        return False
    if word == "not":
        return not before or before[0] not in _STATING
    if word == "no":
        return not behind[0].isdecimal()
    if word in _KEEPING:
        return removes or "alone" in behind or "out" in behind
    return word in _FORBIDDING
