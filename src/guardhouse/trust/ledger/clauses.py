"""The sentences of a person's message by what they do: bid something, ask something, or forbid it.

What nobody is to do is not asked for, and an address that is to be left out is not given. This is crude on purpose, and
errs by hearing too little: what is not heard is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.kinds import VERBS
from guardhouse.trust.ledger.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE_NOT: Final = frozenset({"do", "must", "should", "may", "please", "but", "and", "or", "to", "at"})
_MEANT: Final = frozenset("forget hesitate only just worry miss fail need have know problem".split())
"""`Do not forget to …`, `not only …`: words behind a no that take it back."""
_FORBIDDING: Final = frozenset(
    "dont never except excluding exclude without avoid ignore skip nor neither no cant cannot couldnt wont wouldnt "
    "shouldnt mustnt".split()
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


def affirmed(text: str) -> str:
    """A text without the clauses that forbid something or leave somebody out, and without accusations."""
    removes = any(stem(word) in _REMOVING for word in words(text))
    return "".join(_without_forbidden(sentence, removes=removes) for sentence in sentences(_plainly(text)))


_EXCLUDING: Final = frozenset(
    (("instead", "of"), ("rather", "than"), ("other", "than"), ("apart", "from"), ("aside", "from"), ("all", "but"),
     ("everyone", "but"), ("everybody", "but"), ("everything", "but"), ("files", "but"), ("ones", "but"))
)  # fmt: skip
_ALL: Final = frozenset({"all", "every", "everyone", "everybody", "everything"})
_SPARING: Final = (" stay ", " stays ", " remain ", " remains ", " still need ", " keep ", " is left ", " are left ")


def _plainly(text: str) -> str:
    """A text with one word for all that leaves something out: `all files but this one`, `this instead of that`."""
    pieces = text.split(" ")
    plain = [(words(piece) or [""])[-1] for piece in pieces]
    for at in range(1, len(pieces)):
        pair = (plain[at - 1], plain[at])
        but_all = plain[at] == "but" and not _ALL.isdisjoint(plain[max(at - 4, 0) : at])
        if but_all and pieces[at - 1][-1:] not in ".!?;" and not _begins_clause(plain[at + 1 : at + 2]):
            pieces[at] = _OUT
        elif pair in _EXCLUDING and plain[at] != "but":
            pieces[at - 1], pieces[at] = _OUT, ""
    return " ".join(pieces)


_OUT: Final = "excluding"


def _begins_clause(following: list[str]) -> bool:
    return not following or following[0] in _BEFORE_NOT or following[0] in _SELF or stem(following[0]) in VERBS


def _without_forbidden(sentence: str, *, removes: bool) -> str:
    said = words(sentence)
    if not _ACCUSING.isdisjoint(said):
        return "\n"
    spares = removes and _spares(sentence)
    if not spares and _FORBIDDING.isdisjoint(said) and "not" not in said and _KEEPING.isdisjoint(said):
        return sentence
    removes = any(stem(word) in _REMOVING for word in said)
    kept = [
        _without_no(clause, sentence, removes=removes)
        for clause in _clauses(sentence)
        if not (spares and _spares(clause) and not any(stem(word) in _REMOVING for word in words(clause)))
    ]
    return "".join(kept)


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


def _without_no(clause: str, sentence: str, *, removes: bool) -> str:
    """A clause up to the word that forbids what follows."""
    pieces = clause.split(" ")
    plain = [(words(piece) or [""])[0] for piece in pieces]
    for at, word in enumerate(plain):
        if word != "not" and word not in _FORBIDDING and word not in _KEEPING:
            continue
        before = next((one for one in reversed(plain[max(at - _NEAR, 0) : at]) if one), "")
        behind = [one for one in plain[at + 1 : at + 1 + _NEAR] if one]
        if not _forbids(word, before, behind, removes=removes):
            continue
        if word in {
            "dont",
            "not",
            "never",
            "cant",
            "couldnt",
            "wont",
            "wouldnt",
            "cannot",
        } and sentence.rstrip().endswith("?"):
            continue
        return " ".join(pieces[:at]) + "\n"
    return clause


_NEAR: Final = 12


def _forbids(word: str, before: str, behind: list[str], *, removes: bool) -> bool:
    if not _MEANT.isdisjoint(behind[:2]) or not behind:
        return False
    if word == "not":
        return not before or before in _BEFORE_NOT
    if word == "no":
        return not behind[0].isdecimal()
    if word in _KEEPING:
        return removes or "alone" in behind
    return word in _FORBIDDING
