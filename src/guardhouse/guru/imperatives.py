"""Clauses that tell the reader to do something: an imperative where a clause begins.

English writes `Run the tests` and `Run time is linear` with the same first word. What follows tells: behind a
determiner it is an order; before a finite verb it is a subject; a few words make a compound of it. In doubt it is an
order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.reading import ARGUMENTS, Clause, Page, Word
from guardhouse.guru.rules import INSTRUCTION, STEPS
from guardhouse.guru.verbs import (
    ADJECTIVES,
    AMBIGUOUS_THIRD,
    COMPOUNDS,
    DESCRIBING,
    DETERMINERS,
    FINITE,
    INTRODUCTORY,
    LEADS,
    NO_VERBS,
    NOUN_PAIRS,
    NOUN_VERBS,
    ORDERING,
    PARTICIPLES,
    PLURAL_FINITE,
    PRONOUNS,
    RESEARCH,
    RISKY,
    STRICT_VERBS,
    SUBORDINATORS,
    THIRD,
    VERBS,
    WITH_GERUND,
)

_NUMBER: Final = re.compile(r"\d{1,3}|[a-z]|[ivx]{1,4}|one|two|three|four|five")
_ASKED: Final = frozenset(("purpose", "query"))
_LOOKED_AT: Final = 24
"""So many words behind a verb are looked at for what makes a noun of it."""


def imperatives(page: Page) -> Iterator[Violation]:
    """Where the reader is told to do something."""
    after_number = False
    behind: Clause | None
    for clause, behind in zip_longest(page.clauses, page.clauses[1:]):
        words = clause.words
        if (
            len(words) == 1
            and _NUMBER.fullmatch(words[0].text)
            and clause.closed_by in {".", ")"}
            and clause.opened_by != ARGUMENTS
        ):
            after_number = True
            continue
        found = None if not after_number and _is_aside(clause) else _imperative(page, clause)
        is_step = words[0].text == "step" and len(words) <= 3 and clause.closed_by == ":"
        if is_step and _NUMBER.fullmatch(words[-1].text):
            yield page.wrong(STEPS, words[0].start, words[-1].end)
        elif found is not None and not _is_participial(clause, found, behind):
            yield page.wrong(STEPS if after_number else INSTRUCTION, found.start, words[-1].end)
        after_number = False


def _imperative(page: Page, clause: Clause) -> Word | None:
    """The verb of an order that the clause begins with."""
    words = clause.words
    at, ordered = _past_leads(words)
    if at >= len(words):
        return None
    if (
        at + 1 == len(words)
        and words[at].text in RISKY
        and clause.closed_by in {".", "!"}
        and (at or not clause.opened_by)
    ):
        return words[at]
    verb, behind = words[at].text, words[at + 1].text if at + 1 < len(words) else ""
    if ordered and verb == "be":
        return words[at]
    if (verb in {"make", "be"} and behind in _SURE) or verb == "let's" or (verb == "let" and behind == "us"):
        return words[at]
    if verb == "do" and clause.closed_by == "?":
        return None
    if verb not in VERBS:
        return words[at] if _is_unknown_verb(clause, at) else _behind_opening(clause, at)
    if clause.before and not _follows(words[:at]) and (_is_coordinated(clause) or _is_adjective(words, at)):
        return None
    if ordered and behind not in FINITE:
        return words[at]
    if verb in RESEARCH and page.field_at(words[at].start).kind in _ASKED:
        return None
    if behind not in DETERMINERS and (
        clause.opened_by in _IN_A_ROW or (verb not in RISKY and _is_listed(clause, verb))
    ):
        return None
    return None if _is_noun(words, at, titled=clause.closed_by == ":") else words[at]


_PLACES: Final = frozenset("in inside on from within at under there here with for via through".split())
_IN_A_ROW: Final = frozenset(("/", ARGUMENTS))
_SURE: Final = frozenset(("sure", "certain", "careful", "aware"))


def _is_participial(clause: Clause, found: Word, behind: Clause | None) -> bool:
    """Whether the clause only leads to a statement: `run with two workers, the suite takes four minutes`."""
    if behind is None or clause.closed_by != "," or found.text not in PARTICIPLES or clause.words[0] is not found:
        return False
    preposition = clause.words[1].text if len(clause.words) > 1 else ""
    if preposition in DETERMINERS or preposition in NOUN_VERBS:
        return False
    return behind.words[0].text in _STATED and _has_finite(behind.words[1 : 1 + _LOOKED_AT], is_risky=True)


_STATED: Final = frozenset("the a an it this that its they each every all no".split())


def _is_aside(clause: Clause) -> bool:
    """Whether it goes on behind a bracket, explains a word in one, or is one word of a list."""
    words = clause.words
    if words[0].text in RISKY or (len(words) > 1 and words[1].text in DETERMINERS):
        return False
    if words[0].text not in VERBS or any(word.text in {"please", "you"} for word in words[:2]):
        return False
    if clause.opened_by == ")" or (len(words) == 1 and clause.closed_by in {",", "-"}):
        return True
    return clause.opened_by == "(" and len(words) <= 4 and words[0].text in NOUN_VERBS | ADJECTIVES


def _past_leads(words: tuple[Word, ...]) -> tuple[int, bool]:
    """Where the verb of an order would be, and whether `never` or the like before it makes one of any verb."""
    at, ordered = 0, False
    while at < len(words) and words[at].text in LEADS:
        ordered |= words[at].text in ORDERING
        at += 1
    texts = [word.text for word in words[at : at + 2]]
    if texts[:1] in (["don't"], ["dont"]):
        at, ordered = at + 1, True
    elif texts == ["do", "not"]:
        at, ordered = at + 2, True
    elif texts[:1] == ["do"] and texts[1:] and texts[1] in VERBS:
        at += 1
    while ordered and at < len(words) and words[at].text in {"ever", "also", "just"}:
        at += 1
    return _behind_number(words, at), ordered


def _behind_number(words: tuple[Word, ...], at: int) -> int:
    """Past the number of a step."""
    if at + 1 < len(words) and words[at].text == "step" and _NUMBER.fullmatch(words[at + 1].text):
        return at + 2
    return at


def _is_unknown_verb(clause: Clause, at: int) -> bool:
    """Whether a word that is in no table is a verb by where it stands: first, and before a determiner."""
    words = clause.words
    is_first = not clause.before and clause.opened_by in {"", ":"}
    if not is_first and (len(clause.before) != 1 or clause.before[0][0].text not in INTRODUCTORY):
        return False
    if at + 1 >= len(words):
        return False
    verb, behind = words[at].text, words[at + 1].text
    if verb in NO_VERBS or not verb.replace("-", "").isalpha() or verb.endswith(("s", "ed", "ing", "ly")):
        return False
    if behind in _PARTICLES and at + 2 < len(words):
        behind = words[at + 2].text
    return behind in _DEFINITE and not _has_finite(words[at + 1 : at + 1 + _LOOKED_AT], is_risky=True)


_PARTICLES: Final = frozenset("down up out off back away".split())
_DEFINITE: Final = frozenset("the a an your this that these those it them all any every its their both".split())


def _follows(leads: tuple[Word, ...]) -> bool:
    """Whether what is said follows from what came before: `…, so do that`."""
    return any(word.text in {"so", "therefore", "hence", "thus", "please"} for word in leads)


def _behind_opening(clause: Clause, at: int) -> Word | None:
    """The verb of an order behind an opening without a comma: `If it fails restart the daemon`."""
    words = clause.words
    opening = words[at].text
    if opening in _PLACES:
        if any(word.text in FINITE or word.text in THIRD or word.text in SUBORDINATORS for word in words):
            return None
    elif opening not in {"if", "when", "before", "after", "once", "to", "unless"}:
        return None
    for place in range(at + 2, min(len(words) - 1, at + _LOOKED_AT)):
        before, verb, behind = _before(words, place), words[place].text, words[place + 1].text
        if verb not in STRICT_VERBS and verb not in RISKY and verb not in {"use", "set", "call", "open", "pass"}:
            continue
        is_set = verb == "set" and place + 2 < len(words) and words[place + 2].text == "to"
        if (
            not (is_set or behind in DETERMINERS)
            or before in {"to", "and", "or", "not", "that", "which"} | DETERMINERS | FINITE
        ):
            continue
        # A plural noun or a pronoun before it makes it its verb.
        if before not in PRONOUNS and not (before.endswith("s") and before not in THIRD):
            return words[place]
    return None


_BETWEEN: Final = frozenset("both either better also then not even simply only".split())


def _before(words: tuple[Word, ...], place: int) -> str:
    """The word before a place, adverbs left out."""
    place -= 1
    while place > 0 and (words[place].text.endswith("ly") or words[place].text in _BETWEEN):
        place -= 1
    return words[place].text


def _is_coordinated(clause: Clause) -> bool:
    """Whether the verb goes on with the verbs of a subject before the comma: `the hooks check, format and …`."""
    first = clause.before[0]
    if clause.before[-1][-1].text in SUBORDINATORS:
        return True
    if not _is_of_several(clause):
        return False
    if first[0].text in INTRODUCTORY and len(clause.before) == 1:
        return False
    if first[0].text in {"the", "these", "both", "all"} and not _has_verb(clause.before) and not _is_risky(clause):
        return True  # its subject is before the comma: `the two jobs, test and deploy, share a cache`
    for words in clause.before:
        if words[0].text in INTRODUCTORY and words is first:
            continue
        for at in range(1, len(words)):
            text, previous = words[at].text, words[at - 1].text
            if previous in _MODAL or (previous == "to" and text not in DETERMINERS):
                return True
            if text not in VERBS and text not in PLURAL_FINITE:
                continue
            if _before(words, at) == "to":
                return True
            if previous not in DETERMINERS and (
                previous.endswith("s") or previous in FINITE | PRONOUNS | {"people", "not"}
            ):
                return True
    return clause.before[0][0].text not in INTRODUCTORY and _goes_on_describing(clause)


def _is_risky(clause: Clause) -> bool:
    return any(word.text in RISKY for word in clause.words[:2])


_MODAL: Final = frozenset("can could may might will would must".split())


def _is_of_several(clause: Clause) -> bool:
    """Whether the clause is one of several that are joined by `and` or `or`, and not only holds things that are."""
    words = clause.words
    joined = (at for at, word in enumerate(words) if word.text in {"and", "or"})
    return clause.closed_by == "," or any(
        at == 0 or (at + 1 < len(words) and words[at + 1].text not in DETERMINERS) for at in joined
    )


def _goes_on_describing(clause: Clause) -> bool:
    """Whether it says more of a plural subject: `cursors are proxies, and provide …`."""
    verb = next((word.text for word in clause.words if word.text not in LEADS), "")
    if verb not in DESCRIBING:
        return False
    return any(word.text in {"are", "were", "have"} for words in clause.before for word in words)


def _is_adjective(words: tuple[Word, ...], at: int) -> bool:
    """Whether it is one of several adjectives: `a fast, correct library`."""
    return words[at].text in ADJECTIVES and not (at + 1 < len(words) and words[at + 1].text in DETERMINERS)


def _is_listed(clause: Clause, verb: str) -> bool:
    """Whether the clause stands in a list of things: no verb came before it in its sentence, or other things did."""
    if not clause.before or verb not in NOUN_VERBS:
        return False
    if clause.before[0][0].text not in INTRODUCTORY and not _has_verb(clause.before):
        return True
    last = clause.before[-1]
    is_short = len(clause.words) <= (3 if clause.closed_by == "," else 6)
    return is_short and _is_of_several(clause) and (last[-1].text.endswith("s") or len(last) <= 2)


def _has_verb(before: tuple[tuple[Word, ...], ...]) -> bool:
    return any(word.text in FINITE or word.text in THIRD for words in before for word in words)


def _is_noun(words: tuple[Word, ...], at: int, *, titled: bool) -> bool:
    """Whether the word at `at`, which may be a verb, begins a subject or a title."""
    verb = words[at].text
    rest = words[at + 1 : at + 1 + _LOOKED_AT]
    if not rest:
        return titled or verb in NOUN_VERBS
    behind = rest[0].text
    if behind in DETERMINERS:
        return False
    if behind in FINITE or (titled and verb in NOUN_VERBS and (len(rest) <= 1 or behind in _TITLED)):
        return True
    if _has_finite(rest, is_risky=verb in RISKY) or _is_pair(rest):
        return True
    if verb in NOUN_VERBS and (behind == "of" or (_is_participle(behind) and verb not in WITH_GERUND)):
        return True
    return f"{verb}:{behind}" in NOUN_PAIRS or behind in _COMPOUNDS.get(verb, ())


def _is_participle(word: str) -> bool:
    return len(word) > 5 and word.endswith("ing")


_COMPOUNDS: Final = {verb: frozenset(heads.split()) for verb, heads in COMPOUNDS.items()}


def _is_pair(rest: tuple[Word, ...]) -> bool:
    """Whether two nouns that are joined have a verb behind them: `map and filter return …`."""
    return (
        len(rest) > 2 and rest[0].text in {"and", "or"} and rest[1].text in NOUN_VERBS and rest[2].text in PLURAL_FINITE
    )


def _has_finite(rest: tuple[Word, ...], *, is_risky: bool) -> bool:
    """Whether there is a finite verb whose subject the words before it are."""
    for at, word in enumerate(rest):
        text = word.text
        if text in SUBORDINATORS:
            return False
        behind = rest[at + 1].text if at + 1 < len(rest) else ""
        if text.endswith("s") and text[:-1] in _SAID and behind in ({"a", "an", "its"} if is_risky else _OBJECT):
            return True
        if at == 0:
            if text in THIRD and text not in AMBIGUOUS_THIRD and behind != "of":
                return True
            continue
        previous = rest[at - 1].text
        if text in PRONOUNS and previous in {"and", "or", "but", "so"}:
            return False
        if text in FINITE:
            return previous not in PRONOUNS
        if text in THIRD and (text not in AMBIGUOUS_THIRD or _goes_on(rest, at)):
            return True
        if previous[0].isdigit() and text.endswith("ed"):
            return True
        if at == 1 and not is_risky and text in VERBS and previous.endswith("s") and previous not in THIRD:
            return True
        if text in PLURAL_FINITE and previous.endswith("s") and previous not in THIRD and _goes_on(rest, at):
            return True
    return False


_SAID: Final = VERBS | {verb + "e" for verb in VERBS if verb.endswith("s")} | {"fixe", "describe", "use"}
_OBJECT: Final = frozenset("a an its the no".split())
_TITLED: Final = frozenset("from for of on".split())


def _goes_on(rest: tuple[Word, ...], at: int) -> bool:
    """Whether more follows that a verb takes."""
    return at + 1 == len(rest) or rest[at + 1].text not in FINITE
