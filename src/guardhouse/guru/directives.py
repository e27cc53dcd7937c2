"""Clauses that say, without an imperative, what somebody should do, or what should be done; and questions that ask so.

A requirement says what is (`Python must be 3.11 or newer`); a directive says what is to be done, and by whom.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.reading import Clause, Page
from guardhouse.guru.rules import DIRECTIVE, QUESTION
from guardhouse.guru.verbs import (
    ACTED,
    ADVERBS,
    ADVICE,
    ADVISED,
    AUXILIARIES,
    DETERMINERS,
    FINITE,
    GERUNDS,
    JUDGED_AS,
    JUDGEMENTS,
    LEADS,
    MODALS,
    OBLIGED,
    OF_DATA,
    ORDERED,
    PEOPLE,
    RECOMMENDS,
    REQUESTING,
    RISKY,
    RISKY_GERUNDS,
    STATED,
    STRICT_VERBS,
    TELLING,
    TELLS,
    VERBS,
)

_CONTRACTED: Final = frozenset(("you'll", "you'd"))
_WANTED: Final = frozenset("everything what all that whatever anything if when whenever where".split())
_SINGLE: Final = frozenset("user agent assistant reader bot operator someone somebody anyone anybody we i you".split())
_ME: Final = frozenset(("i", "we"))


def directives(page: Page) -> Iterator[Violation]:
    """Where somebody is told what should be done."""
    for clause in page.clauses:
        words = tuple(word.text for word in clause.words)
        rule, at = QUESTION, _asks(words)
        if at is None:
            rule, at = DIRECTIVE, _directs(words, clause)
        if at is not None:
            yield page.wrong(rule, clause.words[at].start, clause.words[-1].end)


Words = tuple[str, ...]


def _directs(words: Words, clause: Clause) -> int | None:
    """Where in the clause somebody is told what should be done."""
    for at, word in enumerate(words):
        if word in {"you", "your", "you'll", "you'd", "you're", "you've"}:
            found = _to_reader(words, at)
        elif word in PEOPLE or word in {"i", "i'd"}:
            found = _to_people(words, at)
        elif word == "be":
            found = _passive(words, at, clause)
        elif word == "to":
            found = _infinitive(words, at)
        elif word in RECOMMENDS:
            found = _gerund_behind(words, at)
        else:
            found = _fixed(words, at)
        if found:
            return at
    return None


def _to_reader(words: Words, at: int) -> bool:
    """Whether `you` at `at` is told to do something, or that they may."""
    before = words[at - 1] if at else ""
    word, nexts = words[at], _past_adverbs(words, at + 1)
    behind = words[nexts] if nexts < len(words) else ""
    if word == "your":
        if words[at + 1 : at + 2] and words[at + 1] in {"job", "task", "turn", "responsibility", "duty"}:
            return True
        if any(word in {"should", "must", "ought"} for word in words[at + 2 : at + 7]):
            return True
        return words[at + 1 : at + 3] in {("next", "step"), ("first", "step"), ("task", "is"), ("job", "is")}
    if word == "you're":
        return behind in ADVISED
    if word in _CONTRACTED:
        return behind in VERBS or behind in {"need", "have", "want", "be", "better", "probably"}
    if behind in MODALS:
        return True
    if behind in OBLIGED and words[nexts + 1 : nexts + 2] in {("to",), ("better",)}:
        return before not in _WANTED or words[max(at - 2, 0) : at] == ("is", "what")
    if behind == "are":
        later = _past_adverbs(words, nexts + 1)
        return later < len(words) and words[later] in ADVISED | {"now", "no", "to"}
    starts = at == 0 or all(word in LEADS for word in words[:at])
    return starts and (behind in VERBS or behind in {"need", "install", "have"})


def _to_people(words: Words, at: int) -> bool:
    """Whether the people at `at` are told what they should do."""
    word = words[at]
    nexts = _past_adverbs(words, at + 1)
    if nexts >= len(words):
        return False
    behind = words[nexts]
    if word == "i'd":
        return behind in VERBS or behind in RECOMMENDS
    if word in _ME:
        later = nexts + 1 + (words[nexts + 1 : nexts + 2] == ("to",))
        if behind in RECOMMENDS or (behind in MODALS and _verb_at(words, later)):
            return True
        return behind in OBLIGED and _verb_behind_to(words, nexts + 1)
    if behind in {"should", "must", "shall", "ought", "shouldn't", "mustn't"}:
        later = _past_adverbs(words, nexts + 1)
        later += words[later : later + 1] == ("to",)
        return _verb_at(words, later) or words[later : later + 1] == ("be",)
    if behind in {"need", "needs", "has", "have", "had"}:
        return _verb_behind_to(words, nexts + 1)
    return (word in _ANYBODY or behind in _WHICH_ONE) and _are_obliged(words[at + 1 : at + 7])


_WHICH_ONE: Final = frozenset("on of in with at who that from".split())
_ANYBODY: Final = frozenset(
    "anyone anybody everyone everybody whoever people users developers admins operators".split()
)


def _are_obliged(words: Words) -> bool:
    """`anyone using this must …`"""
    for at, word in enumerate(words):
        if word in {"must", "should", "shall", "ought"}:
            return _verb_at(words, at + 1) or words[at + 1 : at + 2] == ("be",)
        if word in {"need", "needs", "has", "have"} and _verb_behind_to(words, at + 1):
            return True
    return False


def _passive(words: Words, at: int, clause: Clause) -> bool:
    """Whether what stands before `be` is to be done by somebody."""
    if not _obliges(words, at):
        return False
    done = _past_adverbs(words, at + 1)
    if done >= len(words):
        return False
    if words[done + 1 : done + 2] == ("by",) or words[done + 2 : done + 3] == ("by",):
        # Who does it is said; it is the reader only if people are.
        return any(word in PEOPLE | {"you", "hand"} for word in words[done + 2 : done + 5])
    if words[done] in ACTED:
        return True
    is_done = words[done].endswith("ed") and not {words[done][:-1], words[done][:-2]}.isdisjoint(VERBS)
    if words[done] not in STATED and not is_done:
        return False
    advised = any(word in {"should", "ought"} for word in words[max(at - 3, 0) : at])
    in_order = any(word in ORDERED for word in (*words[at + 1 : done], *words[done + 1 :], *words[:1]))
    return (
        (advised and words[done] not in OF_DATA)
        or in_order
        or any(word.text in ORDERED for part in clause.before for word in part[:1])
    )


def _obliges(words: Words, at: int) -> bool:
    """Whether a modal, or what stands for one, leads to the `be` at `at`."""
    place = at - 1
    while place >= 0 and words[place] in ADVERBS:
        place -= 1
    if place < 0:
        return False
    if words[place] in {"should", "must", "shouldn't", "mustn't", "shall"}:
        return True
    if words[place] in {"can", "may", "could"}:
        return any(word in {"now", "safely"} for word in words[place + 1 :])
    if words[place] == "had" and words[at - 1] == "better":
        return True
    owed = place - 1
    while owed > 0 and words[owed] in {"not", "always", "also"}:
        owed -= 1
    return words[place] == "to" and owed >= 0 and words[owed] in _OWED


_OWED: Final = frozenset("need needs has have ought is are had".split())


def _infinitive(words: Words, at: int) -> bool:
    """Whether `to` at `at` begins what is recommended, or what people are told."""
    before = words[:at]
    if not before or at + 1 >= len(words) or words[at + 1] in DETERMINERS:
        return False
    if any(word in PEOPLE for word in before[-2:]) and any(word in TELLS for word in before[-5:]):
        return True
    if not _verb_at(words, at + 1) and words[at + 1] != "be":
        return False
    last = before[-1]
    if last in {"says", "said", "say"}:
        return True
    if last == "pays" and before[-2:-1] == ("it",):
        return True
    if last in JUDGED_AS and any(word in {"is", "it's", "be", "would", "was", "it", "makes"} for word in before[-5:-1]):
        return not _is_negated(before[-4:]) and (
            last not in _IMPERSONAL or "it" in before[-5:-1] or "it's" in before[-5:-1]
        )
    if last in {"is", "be"}:
        return any(word in ADVICE or word in JUDGEMENTS for word in before[:-1])
    if last == "need" and before[-2:-1] == ("no",):
        return True
    if last in ADVISED and any(word in PEOPLE for word in before[-4:-1]):
        return any(word in {"is", "are"} for word in before[-3:-1])
    if last == "free":
        return "feel" in before
    if any(word in TELLS for word in before[-4:]):
        told = next(place for place in range(len(before) - 1, -1, -1) if before[place] in TELLS)
        return any(word in TELLING for word in before[:told]) or any(
            word in PEOPLE | {"you"} for word in before[told + 1 :]
        )
    return False


_IMPERSONAL: Final = frozenset("required needed necessary time good fine".split())
"""A thing may be these as well: `a compiler is required to build it`."""


def _is_negated(words: Words) -> bool:
    return bool({"not", "never", "longer"} & set(words))


def _gerund_behind(words: Words, at: int) -> bool:
    """Whether it is recommended to do something: `recommends running …`; or a gerund is what is advised."""
    behind = words[at + 1] if at + 1 < len(words) else ""
    if behind in GERUNDS:
        return True
    if behind in {"that", "you", "to"}:
        return behind != "that" or any(word in PEOPLE | {"you"} for word in words[at + 2 : at + 5])
    return words[0] in GERUNDS and at > 0 and (words[at - 1] in {"is", "strongly", "highly"})


def _fixed(words: Words, at: int) -> bool:
    """Turns of phrase that lead to an order."""
    pair, three = words[at : at + 2], words[at : at + 3]
    if pair in _TURNS or three in _TURNS:
        return True
    if words[at] == "advised" and at + 1 == len(words) and at and words[at - 1] in {"is", "are", "strongly"}:
        return True
    if words[at] == "should" and words[0] in RISKY_GERUNDS:
        return True
    if words[at] == "best" and at and words[at - 1] in {"is", "are"} and pair[1:] and pair[1] in ACTED | {"avoided"}:
        return True
    if words[at] == "is" and pair[1:] and pair[1] in RISKY_GERUNDS and any(word in ADVICE for word in words[:at]):
        return True
    if pair[1:] and (_asks_for_us(pair) or _needs(pair) or (pair == ("do", "is") and _verb_at(words, at + 2))):
        return True
    if words[at] in {"strongly", "highly"} and pair[1:] and pair[1] in _PRAISED:
        return at > 0 and words[at - 1] in {"is", "are", "be"}
    if words[at] in _PRAISED and words[0] in GERUNDS and at > 1 and words[at - 1] in {"is", "be"}:
        return True
    if pair == ("let", "us") or three[:1] == ("let's",):
        return at == 0 or words[at - 1] in LEADS
    if words[at] == "please" or words[at] == "kindly":
        return _verb_at(words, at + 1) or pair[1:] == ("don't",) or three[1:] == ("do", "not")
    if pair in {("best", "if"), ("better", "if")}:
        return words[at + 2 : at + 3] == ("you",)
    return words[at] in {"don't", "never"} and words[at + 1 : at + 2] in {("forget",), ("hesitate",)}


_TURNS: Final = frozenset(
    [
        ("feel", "free"),
        ("action", "required"),
        ("by", "you"),
        ("better", "off"),
        ("up", "to", "you"),
        ("go", "ahead"),
        ("about", "time"),
        ("high", "time"),
        ("by", "all", "means"),
        ("your", "job"),
        ("your", "task"),
        ("your", "turn"),
        ("your", "responsibility"),
        ("under", "no", "circumstances"),
        ("at", "your", "earliest"),
    ]
    + [(whose, what) for whose in ("my", "our") for what in ("advice", "recommendation", "suggestion")]
)
_PRAISED: Final = frozenset("wise advisable recommended advised encouraged prudent sensible urged".split())


def _asks_for_us(pair: Words) -> bool:
    """`send me …`"""
    return pair[1] in {"me", "us"} and pair[0] in VERBS


def _needs(pair: Words) -> bool:
    """`needs deleting`, `worth upgrading`"""
    if pair[0] == "worth":
        return pair[1] in GERUNDS
    return pair[0] in {"need", "needs", "want", "wants"} and pair[1] in RISKY_GERUNDS


def _asks(words: Words) -> int | None:
    """Where the clause asks somebody to do something."""
    at = 0
    while at < len(words) and words[at] in LEADS:
        at += 1
    if at + 1 >= len(words):
        return None
    first, second, third = (*words[at : at + 3], "")[:3]
    if first in AUXILIARIES and second == "you":
        return at
    if first in AUXILIARIES and second == "not" and third == "you":
        return at
    if first in REQUESTING:
        who = _past_adverbs(words, at + 1)
        who += words[who : who + 1] in {("the",), ("this",), ("that",)}
        if words[who : who + 1] and words[who] in _SINGLE:
            what = _past_adverbs(words, who + 1)
            if _verb_at(words, what) or words[what : what + 1] == ("trouble",):
                return at
            if words[what : what + 1] and words[what] in _WHICH_ONE and any(word in RISKY for word in words[what:]):
                return at
    if first in REQUESTING | {"shouldn't", "mustn't", "can't"}:
        be = next((place for place in range(at + 1, len(words)) if words[place] == "be"), len(words))
        if words[be + 1 : be + 2] and words[be + 1] in ACTED:
            return at
    if first in {"why", "what", "how"} and _suggests(first, words[at + 1 :]):
        return at
    if first in {"wouldn't", "isn't", "won't"} and second in GERUNDS:
        return at
    if first == "mind" and second in GERUNDS:
        return at
    if first in FINITE | {"wouldn't"} and _is_it_time(words[at + 1 :]):
        return at
    return None


def _suggests(first: str, rest: Words) -> bool:
    if first == "why":
        if rest[0] == "not":
            return _verb_at(rest, 1)
        return rest[:2] in {("don't", "you"), ("don't", "we"), ("do", "not")}
    if rest[0] == "about":
        return len(rest) > 1 and rest[1] in GERUNDS
    return first == "what" and rest[:2] in {("if", "you"), ("if", "we")}


def _is_it_time(rest: Words) -> bool:
    """`is it better to …`, `would it be possible for you to …`"""
    if rest[:1] != ("it",):
        return False
    for at in range(1, min(len(rest), 6)):
        if rest[at] in JUDGED_AS | {"possible", "hurt", "harm", "help"}:
            behind = rest[at + 1 : at + 3]
            if behind in {("for", "you"), ("if", "you"), ("for", "someone")}:
                return True
            if rest[at] != "possible" and behind[:1] == ("to",):
                return True
    return False


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (len(word) > 4 and word.endswith("ly") and word not in VERBS)


def _past_adverbs(words: Words, at: int) -> int:
    while at < len(words) and _is_adverb(words[at]):
        at += 1
    return at


def _verb_at(words: Words, at: int) -> bool:
    at = _past_adverbs(words, at)
    return at < len(words) and (words[at] in VERBS or words[at] in STRICT_VERBS)


def _verb_behind_to(words: Words, at: int) -> bool:
    at = _past_adverbs(words, at)
    return words[at : at + 1] == ("to",) and (_verb_at(words, at + 1) or words[at + 1 : at + 2] == ("be",))
