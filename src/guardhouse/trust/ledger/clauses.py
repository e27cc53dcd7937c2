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
_FORBIDDING: Final = frozenset("dont never except excluding exclude without avoid ignore skip nor neither no".split())
_REMOVING: Final = frozenset(map(stem, "delete remove erase cancel clear trash discard purge wipe".split()))
_KEEPING: Final = frozenset({"keep", "leave", "spare"})
_ACCUSING: Final = frozenset("scam scams scammer scammers spam spammer phishing fraud fraudster fake hacker".split())
_ALSO: Final = frozenset("email mail message text call note book table".split())
"""Words that are verbs too."""
_ASKING: Final = frozenset(
    "did do does is are was were has have had am what whats when whens who whos which where wheres why how hows".split()
)
_MODAL: Final = frozenset("should shall can could will would may might must".split())
_SELF: Final = frozenset("i we it they he she this that there".split())
_BIDDING: Final = frozenset({"please"})


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
    return "".join(_without_forbidden(sentence) for sentence in sentences(text))


def bidden(text: str) -> str:
    """Of an affirmed text, the sentences that bid something: `Did I get my money back?` and `Should I cancel it?` bid
    nothing."""
    return "".join(sentence for sentence in sentences(text) if not _is_question(sentence))


def _is_question(sentence: str) -> bool:
    said = words(sentence)
    if not said or not sentence.rstrip().endswith("?") or not _BIDDING.isdisjoint(said):
        return False
    if said[0] in _MODAL:
        return len(said) > 1 and said[1] in _SELF
    return said[0] in _ASKING and "you" not in said[:2]


def _without_forbidden(sentence: str) -> str:
    said = words(sentence)
    if not _ACCUSING.isdisjoint(said):
        return "\n"
    if _FORBIDDING.isdisjoint(said) and "not" not in said and _KEEPING.isdisjoint(said):
        return sentence
    removes = any(stem(word) in _REMOVING for word in said)
    kept = [_without_no(clause, sentence, removes=removes) for clause in _clauses(sentence)]
    return "".join(kept)


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence, cut at commas and brackets, and before `but` and an `and` with a verb behind it."""
    clause: list[str] = []
    pieces = sentence.split(" ")
    for at, piece in enumerate(pieces):
        word = piece.strip("(),;:.!?").lower()
        following = words(pieces[at + 1])[:1] if at + 1 < len(pieces) else []
        joins = word in {"and", "then"} and bool(following) and (stem(following[0]) in VERBS or following[0] in _ALSO)
        if (word in {"but", "instead"} or joins or piece.startswith("(")) and clause:
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
        if word in {"dont", "not", "never"} and sentence.rstrip().endswith("?"):
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
