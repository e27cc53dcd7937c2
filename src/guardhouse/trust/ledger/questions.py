"""What to ask of a session's index before a call can be judged: every form in which its values may have been seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.trust.ledger.arguments import LONGEST_NAME
from guardhouse.trust.ledger.kinds import GRAVE, PUBLISHED, graver, synonyms
from guardhouse.trust.ledger.leading import leading
from guardhouse.trust.ledger.reading import ANYTHING, GRAM
from guardhouse.trust.ledger.roles import Role
from guardhouse.trust.ledger.values import Value, is_whole, number_form, values, weekday_of
from guardhouse.trust.ledger.words import comparable, grams, name_words, pieces, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.trust.ledger.arguments import Argument
    from guardhouse.trust.ledger.request import Request
    from guardhouse.trust.ledger.shapes import Shape

RIGHTS: Final = "text:rights"
"""What people say for access, in the plural alone."""
LONGEST_PHRASE: Final = 6
"""Words up to which phrases of the user's are indexed as a whole; longer ones are known by their pieces."""
_MOST_QUESTIONS: Final = 40_000
MOST_WORDS: Final = 4000
"""Words of a text that are looked up. Of a longer one it can't be told where it comes from."""
_LONGEST_PART: Final = 4
_ENTITIES: Final = frozenset({"url", "email", "id", "handle", "host"})
_SMALL: Final = 2
SHARES: Final = (2, 3, 4, 5)
"""By how many something is shared."""
_LONGEST_CHOICE: Final = 40


POWERS: Final = {
    "w": "write edit",
    "rw": "write edit full",
    "write": "write edit",
    "edit": "edit write",
    "editor": "edit editor write",
    "admin": "admin administrator",
    "owner": "owner",
    "public": "public publicly",
    "shared": "shared share",
    "full": "full",
    "everyone": "everyone",
    "all": "all",
    "maintain": "maintain",
    "maintainer": "maintainer",
    "anyone": "anyone public everyone",
    "writer": "write edit writer",
    "contributor": "contribute contributor edit",
    "manager": "manager manage",
    "organizer": "organizer organiser organise",
    "moderator": "moderator moderate",
    "superuser": "superuser admin root",
    "root": "root",
    "sudo": "sudo root",
    "world": "world public everyone",
    "external": "external outside",
    "sharing": "link everyone public",
    "anonymous": "anonymous anonymously",
    "readable": "public everyone",
    "writable": "write edit public",
}
"""Settings that let more people in, or let them do more, with the words of a person for them."""


def questions(found: Iterable[Argument], shape: Shape, requests: Sequence[Request]) -> list[str]:
    """Every value that judging these arguments may want to know the origins of. ValueError if they are too many."""
    found = tuple(found)
    kind = shape.kind
    asked: dict[str, None] = {str(ANYTHING): None}
    spoken = (said for word in kind.grave for said in graver(word))
    delicate = (said for word in kind.delicate for said in synonyms(word))
    telling = {*kind.nouns, *delicate, *kind.words, *spoken, *grave_choices(found), *PUBLISHED}
    asked.update((f"word:{word}", None) for word in sorted(telling))
    asked.update((f"act:{word}", None) for word in (*kind.words, kind.breaks) if word)
    asked.update(dict.fromkeys(leading(kind)))
    if kind.is_access:
        asked[RIGHTS] = None
    for argument in found:
        for value in candidates(argument):
            if argument.role is not Role.CONTENT or value.type != "text" or is_run(value.form):
                asked[str(value)] = None
        for word in (*power_words(argument), *flag_words(argument)):
            asked[f"word:{word}"] = None
        if argument.role in _PIECED and isinstance(argument.value, str):
            asked.update((f"part:{piece}", None) for piece in pieces(argument.value)[:LONGEST_NAME])
        if argument.role is Role.RECIPIENT and isinstance(argument.value, str) and "@" in argument.value:
            asked.update((f"by:{name}", None) for name in local_names(argument.value))
        if argument.role is Role.AMOUNT and isinstance(argument.value, (int, float)):
            shares = (form for times in SHARES for form in (argument.value * times, argument.value / times))
            changed = (form for pair in changes(float(argument.value)) for form in pair)
            for operand in (*operands(float(argument.value), requests), *map(number_form, shares), *changed):
                asked[f"num:{operand}"] = None
        if len(asked) > _MOST_QUESTIONS:
            raise ValueError("there is too much in this call to tell where it comes from")
    return list(asked)


def local_names(address: str) -> list[str]:
    """The words of an address before its `@` that may be somebody's name."""
    said = words(address.rpartition("@")[0])
    return [word for word in said if len(word) > _SMALL and word.isalpha()][:LONGEST_NAME]


def grave_choices(found: Iterable[Argument]) -> frozenset[str]:
    """Words about access that choose what a general tool does: `set(key="visibility", …)`."""
    chosen = [one.value for one in found if one.role is Role.SELECTOR and isinstance(one.value, str)]
    said = {stem(word) for value in chosen if len(value) <= _LONGEST_CHOICE for word in name_words(value)}
    return frozenset(said & GRAVE)


def power_words(argument: Argument) -> list[str]:
    """The stems of a person's words for the power that an argument gives, if it gives any: by its value, or by its name
    where that is switched on, or where what keeps others out is switched off."""
    named = name_words(argument.key)
    said = str(argument.value).strip().lower()
    if isinstance(argument.value, str) and said in POWERS:
        named = [said]
    elif isinstance(argument.value, str) and not _LEVELLED.isdisjoint(named):
        return [stem(word) for word in words(said.replace("_", " ")) if word not in _HARMLESS]
    elif said in _ON:
        named = [name for name in named if name in POWERS]
    else:
        named = ["public"] if said in _OFF and not _KEEPING_OUT.isdisjoint(named) else []
    return [stem(word) for name in named for word in POWERS[name].split()]


def flag_words(argument: Argument) -> list[str]:
    """The stems of a person's words for a switch, by its name."""
    if not isinstance(argument.value, bool):
        return []
    said = name_words(argument.key)
    more = "monthly weekly daily yearly every recurring regular".split() if {"recurring", "repeat"} & {*said} else []
    return [stem(word) for word in (*said, *more)]


_LEVELLED: Final = frozenset("permission permissions access role level privilege privileges rights".split())
_HARMLESS: Final = frozenset("r read reader readonly only view viewer comment commenter none can may guest".split())
"""Words that give nobody more than to look, or to say something about it."""
_ON: Final = frozenset({"true", "1", "yes", "on"})
_OFF: Final = frozenset({"false", "0", "no", "off"})
_KEEPING_OUT: Final = frozenset({"private", "restricted", "confidential"})


def candidates(argument: Argument) -> Iterator[Value]:
    """The forms in which an argument may have been seen. A text is known by its runs of words and by what stands in it;
    anything else only as a whole."""
    value: Any = argument.value
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        form = number_form(value)
        yield from (Value("num", form), Value("id", form), Value("money", form), Value("count", form))
    elif argument.role is Role.CONTENT:
        yield from _of_text(str(value))
    else:
        yield from _of_value(str(value), argument.role)


def _of_text(text: str) -> Iterator[Value]:
    said = words(text)
    if len(said) > MOST_WORDS:
        return
    yield from (Value("gram", gram) for gram in runs(said))
    yield from (Value("text", gram) for gram in runs(said))
    yield from (typed for typed in values(text) if typed.type in _ENTITIES)
    yield from (Value("secret", one) for one in secretive(text))
    if len(said) < GRAM:
        yield Value("text", " ".join(said))


def _of_value(text: str, role: Role) -> Iterator[Value]:
    said = words(text)
    typed = list(values(text))
    if role is Role.DATE or any(one.type == "id" and is_whole(one, text) for one in typed):
        yield from typed
    elif len(text.split()) == 1:
        yield from (one for one in typed if _stands_for(one, text))
    for one in typed:
        if one.type == "date":
            yield from (Value("day", one.form[5:]), Value("weekday", weekday_of(one.form) or "none"))
    yield Value("text", " ".join(said))
    yield Value("id", text.strip().lower())
    if len(said) <= _LONGEST_PART:
        yield Value("part", " ".join(said))
    if len(said) > LONGEST_PHRASE:
        for gram in runs(said):
            yield from (Value("gram", gram), Value("text", gram))
    for word in said[:LONGEST_NAME]:
        yield from (Value("word", stem(word)), Value("name", word))
    if text.strip().replace(".", "", 1).isdecimal():
        yield from (Value(use, one.form) for one in typed if one.type == "num" for use in ("money", "count"))


_PIECED: Final = frozenset({Role.RECIPIENT, Role.DESTINATION, Role.AMOUNT})
"""Roles of which a value may have been put together from pieces."""


def _stands_for(value: Value, text: str) -> bool:
    """Whether a value in a text of one piece is that piece: not a number in an id, nor the last part of a path."""
    if value.type == "path":
        return value.form.strip("/") == comparable(text.strip()).replace("\\", "/").strip("/")
    return value.type not in {"num", "pct"} or text.strip().isdecimal()


def secretive(text: str) -> Iterator[str]:
    """The pieces of a text that may be a password or a code: with a digit or a sign in them."""
    for chunk in text.split():
        bare = comparable(chunk.strip(".,;:!?()[]\"'"))
        if _SHORTEST_SECRET <= len(bare) <= _LONGEST_CHOICE and not bare.isalpha():
            yield bare


_SHORTEST_SECRET: Final = 4


def is_run(form: str) -> bool:
    """Whether a text is as long as the runs by which texts are recognised. Nobody copies a single word."""
    return form.count(" ") >= GRAM - 1


def runs(said: Sequence[str]) -> list[str]:
    """The runs of words by which a text is recognised, of its first `MOST_WORDS`."""
    return list(grams(said[:MOST_WORDS], GRAM))


def operands(number: float, requests: Iterable[Request]) -> Iterator[str]:
    """What the other number would have to be, if this one was reckoned from a number that the user gave: a sum, a
    difference, a multiple, a percentage with or without something added."""
    requests = tuple(requests)
    numbers = _reckoned_with(requests)
    for given in numbers:
        yield from (number_form(number + given), number_form(given - number), number_form(number - given))
        if given:
            yield from (number_form(number / given), number_form(number * given))
    for share in (float(percent) / 100 for request in requests for percent in request.percents):
        if share:
            for rest in (number, *(number - given for given in numbers)):
                yield from (number_form(round(rest / share, 6)), number_form(round(rest / (1 + share), 6)))


_STEPS: Final = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 250, 300, 400, 500, 1000)
"""By how much sums are raised and lowered: nobody keeps numbers, so only likely ones can be asked for."""


def changes(number: float) -> Iterator[tuple[str, str]]:
    """By how much a sum may have been changed to this one, and what it would have been before."""
    for step in _STEPS:
        yield number_form(step), number_form(number - step)
        yield number_form(step), number_form(number + step)


def _reckoned_with(requests: Iterable[Request]) -> list[float]:
    """The numbers that the user gave, and half of each: a bill is shared by two more often than by any other number."""
    given = [float(number) for request in requests for number in request.numbers if float(number) > 1]
    return [*given, *(number / 2 for number in given if number > _SMALL)]
