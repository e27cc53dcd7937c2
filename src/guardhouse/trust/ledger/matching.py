"""The ledger's judgement: where each argument of a call comes from, and whether that is good enough for what it does.

Pure: it is given the call, what is known of the tool, and what the session's index answered. It asks for everything it
may want to know up front (`questions`), so that one look-up serves the whole call. What follows from an answer is for
policy; here it is only said what was found, and of which argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from guardhouse.trust.ledger.kinds import GRAVE, OUTWARD, Kind, with_means
from guardhouse.trust.ledger.reading import GRAM
from guardhouse.trust.ledger.request import Request
from guardhouse.trust.ledger.roles import SENSITIVE, Parameter, Role, by_name
from guardhouse.trust.ledger.values import Value, number_form, values
from guardhouse.trust.ledger.words import COMMON, grams, name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from guardhouse.model import Occurrence, SessionState, Traces

Source = Literal[
    "default", "user", "confirmed", "own", "trusted", "derived", "made", "picked", "delegated", "untrusted", "nowhere"
]
"""Where an argument's value comes from, as far as the session tells."""
FINE: Final = frozenset({"default", "user", "confirmed", "own", "trusted", "derived", "made", "picked"})

_LONGEST_NAME: Final = 12
_MOST_GRAMS: Final = 1200
_LONGEST_PHRASE: Final = 6
_MOST_LEAVES: Final = 400
_DEEPEST: Final = 24
_POWERS: Final = frozenset("w rw write edit editor admin owner public full everyone all maintain maintainer anyone".split())
_ENTITIES: Final = frozenset({"url", "email", "id", "handle", "host"})
_RUN_UNPOINTED: Final = 6
_RUN_POINTED: Final = 8
"""Words in a row, copied from untrusted content into what others will read, that nobody writes by accident."""


class Argument(NamedTuple):
    """One value in a call."""

    field: str
    key: str
    """The name it stands under; items of a list have the list's."""
    value: Any
    role: Role
    parameter: Parameter


class Traced(msgspec.Struct, frozen=True):
    """Where one argument comes from."""

    field: str
    role: Role
    source: Source
    seen: Occurrence | None = None
    """The content it was found in, if that is what it comes from."""
    value: str = ""
    """The value, or the part of it that this is about."""
    kind: str = ""
    """The type of the value."""
    start: int | None = None
    end: int | None = None

    @property
    def is_fine(self) -> bool:
        """Whether it comes from somebody who may say so."""
        return self.source in FINE


class Shape(msgspec.Struct, frozen=True):
    """What is known of a tool, as far as the ledger needs it."""

    name: str
    kind: Kind
    parameters: dict[str, Parameter] = {}
    outward: bool = False
    """Its call reaches other people, other machines, or costs money."""
    tells: bool = False
    """Whoever is named in it is told of it."""
    changes: bool = False
    """It is said to change something in passing, such as marking what it reads."""
    own: frozenset[str] = frozenset()
    """Values that are the user's own: addresses, accounts, names."""


def arguments(params: Mapping[str, Any], shape: Shape) -> list[Argument]:
    """Every value in a call, with its role."""
    found: list[Argument] = []
    tool_words = name_words(shape.name)
    for name, value in params.items():
        parameter = shape.parameters.get(name) or Parameter(role=by_name(name, tool_words) or Role.SELECTOR)
        if parameter.role is Role.SELECTOR and not parameter.choices and _names_something_new(name, shape.kind):
            parameter = Parameter(role=Role.CONTENT, known=True)
        _walk(value, f"params.{name}", name, parameter, tool_words, found, 0)
    return found


def _names_something_new(name: str, kind: Kind) -> bool:
    """Whether an argument gives a name to what is made, or a word to go with a payment: free text, and no choice."""
    last = name_words(name)[-1:]
    if "pay" in kind.verbs and last in (["reference"], ["purpose"], ["memo"]):
        return True
    return last in (["name"], ["label"], ["heading"]) and not {"create", "plan", "post"}.isdisjoint(kind.verbs[:1])


def _walk(
    value: Any, field: str, key: str, parameter: Parameter, tool: list[str], found: list[Argument], depth: int
) -> None:
    if len(found) >= _MOST_LEAVES or depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, item in value.items():
            inner = by_name(str(name), tool) if depth or not parameter.known else by_name(str(name), tool)
            child = Parameter(role=inner or (Role.FLAG if name == "type" else parameter.role))
            _walk(item, f"{field}.{name}", str(name), child, tool, found, depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{field}[{index}]", key, parameter, tool, found, depth + 1)
    elif value is not None and value != "":
        found.append(Argument(field, key, value, _role(value, parameter, key), parameter))


def _role(value: Any, parameter: Parameter, key: str) -> Role:
    """The role of a value: what its argument is for, unless its form says more."""
    role = parameter.role
    if isinstance(value, bool):
        return Role.FLAG
    if role is Role.RECIPIENT and isinstance(value, str) and not _LABELLED.isdisjoint(name_words(key)):
        return Role.SELECTOR if value.isalpha() and len(value) <= _LONGEST_WORD else role
    if not isinstance(value, str):
        return Role.AMOUNT if role in {Role.CONTENT, Role.RECIPIENT} else role
    if parameter.known or role is not Role.SELECTOR:
        return role
    if len(words(value)) > _LONGEST_NAME:
        return Role.CONTENT
    typed = next(values(value), None)
    if typed is None or (" " in value.strip() and not _is_whole(typed, value)):
        return role
    if typed.type in {"url", "host"}:
        return Role.DESTINATION
    is_account = typed.type == "id" and (value.strip().startswith("+") or " " in value.strip())
    return Role.RECIPIENT if typed.type == "email" or is_account else role


# What to ask of the index


def questions(found: Iterable[Argument], shape: Shape, requests: Iterable[Request]) -> list[str]:
    """Every value that judging these arguments may want to know the origins of."""
    asked: dict[str, None] = {f"word:{word}": None for word in sorted(_of_kind(shape.kind))}
    found, requests = tuple(found), tuple(requests)
    asked.update((f"word:{word}", None) for word in sorted(_grave_choices(found)))
    numbers = _reckoned_with(requests)
    percents = [float(number) for request in requests for number in request.percents]
    for argument in found:
        for value in _candidates(argument):
            asked[str(value)] = None
        if argument.role is Role.AMOUNT and isinstance(argument.value, (int, float)):
            for operand in _operands(float(argument.value), numbers, percents):
                asked[f"num:{operand}"] = None
    return list(asked)


def _grave_choices(found: Iterable[Argument]) -> frozenset[str]:
    """Words about access that choose what a general tool does: `set(key="visibility", …)`."""
    chosen = [one.value for one in found if one.role is Role.SELECTOR and isinstance(one.value, str)]
    said = {stem(word) for value in chosen for word in name_words(value)[:4] if len(value) <= 40}
    return frozenset(said & GRAVE)


def _of_kind(kind: Kind) -> frozenset[str]:
    return frozenset({*kind.nouns, *kind.words, *kind.grave})


def _candidates(argument: Argument) -> Iterator[Value]:
    value = argument.value
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        form = number_form(float(value))
        yield Value("num", form)
        yield Value("id", form)
        return
    text = str(value)
    said = words(text)
    if argument.role is Role.CONTENT:
        for gram in list(grams(said, GRAM))[:_MOST_GRAMS]:
            yield Value("gram", gram)
        for typed in values(text):
            if typed.type in _ENTITIES:
                yield typed
        if len(said) < GRAM:
            yield Value("text", " ".join(said))
        return
    typed = list(values(text))
    if argument.role is Role.DATE or any(_is_whole(one, text) for one in typed):
        yield from typed
    elif len(text.split()) == 1:
        yield from (one for one in typed if one.type not in {"num", "pct"} or text.strip().isdigit())
    yield Value("text", " ".join(said))
    if len(said) <= 4:
        yield Value("part", " ".join(said))
    yield Value("id", text.strip().lower())
    for one in typed:
        if one.type == "date":
            yield Value("day", one.form[5:])
    if len(said) > _LONGEST_PHRASE:
        for gram in list(grams(said, GRAM))[:_MOST_GRAMS]:
            yield Value("gram", gram)
            yield Value("text", gram)
    for word in said[:_LONGEST_NAME]:
        yield Value("word", stem(word))


def _is_whole(value: Value, text: str) -> bool:
    """Whether a text is nothing but this value, written with blanks: a phone number, an account."""
    return value.type == "id" and value.form == "".join(char for char in text.lower() if char.isalnum())


def _reckoned_with(requests: Iterable[Request]) -> list[float]:
    """The numbers that the user gave, and half of each: a bill is shared by two more often than by any other number."""
    given = [float(number) for request in requests for number in request.numbers]
    return [*given, *(number / 2 for number in given if number > _SMALL)]


_SMALL: Final = 2
_SHORTEST_ID: Final = 6
"""Characters of a number or id in a text that could be an account: `#31` is none."""


def _operands(number: float, numbers: list[float], percents: list[float]) -> Iterator[str]:
    """What the other number would have to be, if this one was reckoned from a number that the user gave."""
    for given in numbers:
        yield from (number_form(number + given), number_form(given - number), number_form(number - given))
        if given:
            yield number_form(number / given)
            yield number_form(number * given)
    for percent in percents:
        share = percent / 100
        if share:
            for rest in (number, *(number - given for given in numbers)):
                yield from (number_form(round(rest / share, 6)), number_form(round(rest / (1 + share), 6)))


# What the answers mean


class Ledger:
    """One call before the answers of the index."""

    def __init__(
        self,
        shape: Shape,
        state: SessionState,
        origins: Traces,
        requests: tuple[Request, ...],
        found: Iterable[Argument],
    ) -> None:
        self._shape = shape
        found = tuple(found)
        self._grave_choices = _grave_choices(found)
        self._outward = shape.outward or (shape.tells and any(one.role is Role.RECIPIENT for one in found))
        self._state = state
        self._origins = origins
        self._requests = requests
        self._marks = frozenset(mark for request in requests for mark in request.marks)
        self._fields = frozenset(field for request in requests for field in request.fields)
        self._places = frozenset(request.place for request in requests if request.place is not None)
        self._numbers = _reckoned_with(requests)
        self._percents = [float(number) for request in requests for number in request.percents]

    def is_repeated(self, call: str) -> bool:
        """Whether the same call was made before, and nobody speaks of doing it again."""
        return bool(self._seen(call)) and "again" not in self._marks and not self._shape.kind.is_free_step

    # kinds

    @property
    def asked_kinds(self) -> frozenset[str]:
        """The kinds of action that the user's words may ask for, with what they take."""
        return with_means(kind for request in self._requests for kind in request.kinds)

    def implies_kind(self, traced: Iterable[Traced] = ()) -> bool:
        """Whether the user's words ask for such an action, or for one that takes it. Where they have a word for what is
        done but not for what it is done to, it is enough that every argument is theirs; not so if something is gone, or
        open to others, afterwards."""
        kind = self._shape.kind
        if kind.is_grave and not any(self._said_word(word) for word in kind.grave):
            return False
        if not all(self._said_word(word) for word in self._grave_choices):
            return False
        if any(self._said_word(word) for word in kind.words):
            return True
        if not kind.verbs:
            return bool(kind.named) and any(self._said_word(noun) for noun in kind.named)
        direct = frozenset(one for request in self._requests for one in request.kinds)
        asked = with_means(direct)
        fitting = [verb for verb in kind.verbs if verb in asked]
        if not fitting:
            return False
        if not kind.named or any(self._said_word(noun) for noun in kind.nouns):
            return True
        # A goal was named, not its means: `buy me a watch` says nothing of carts.
        if kind.is_free_step or any(verb not in direct or verb in _SELF_EVIDENT for verb in fitting):
            return True
        return not kind.is_destroying and not kind.is_grave and all(one.is_fine for one in traced)

    @property
    def takes_orders(self) -> bool:
        """Whether the user told the agent to do what some content says."""
        return "orders" in self._marks

    def _said_word(self, word: str) -> bool:
        return any(seen.event.grade == "user" for seen in self._seen(f"word:{word}"))

    # arguments

    def trace(self, argument: Argument) -> Iterator[Traced]:
        """Where an argument comes from; of a text, each part of it that matters."""
        if argument.role is Role.CONTENT and isinstance(argument.value, str):
            yield from self._trace_text(argument)
        else:
            yield self._trace_value(argument)

    def _trace_value(self, argument: Argument) -> Traced:
        parameter, value, role = argument.parameter, argument.value, argument.role
        if parameter.has_default and value == parameter.default:
            return self._traced(argument, "default")
        if role is Role.FLAG:
            return self._flag(argument)
        if role in {Role.LIMIT, Role.QUERY}:
            return self._traced(argument, "default")
        if role is Role.CODE:
            return self._code(argument)
        candidates = [str(one) for one in _candidates(argument) if one.type != "word"]
        if isinstance(value, str) and role is Role.DATE:
            return self._date(argument)
        if isinstance(value, str) and role is Role.SELECTOR and value.lower() in _POWERS:
            return self._power(argument)
        if isinstance(value, str):
            given = self._given_text(value, candidates)
            if given is not None:
                return self._traced(argument, given)
        elif self._graded(candidates, "user") or (role is Role.AMOUNT and self._said_number(value)):
            return self._traced(argument, "user")
        elif self._confirmed(candidates):
            return self._traced(argument, "confirmed")
        if str(value).strip().lower() in self._shape.own:
            return self._traced(argument, "own")
        if self._graded(self._strong(argument, candidates), "trusted"):
            if self._is_contradicted(argument, self._strong(argument, candidates)):
                return self._traced(argument, "nowhere")
            return self._traced(argument, "trusted")
        if role is Role.AMOUNT and isinstance(value, (int, float)) and self._is_reckoned(float(value)):
            return self._traced(argument, "derived")
        return self._from_untrusted(argument, candidates)

    def _strong(self, argument: Argument, candidates: list[str]) -> list[str]:
        """The candidates by which a value is recognised as such: a number as a number, an id as an id."""
        if argument.role in {Role.RECIPIENT, Role.DESTINATION} and any(
            one.startswith(("email:", "url:")) for one in candidates
        ):
            return [one for one in candidates if one.startswith(("email:", "url:"))]
        return candidates

    def _given_text(self, text: str, candidates: list[str]) -> Source | None:
        """Whether the user gave a text: as a value, as a phrase, or in pieces."""
        typed = [one for one in candidates if not one.startswith(("text:", "gram:", "part:", "id:"))]
        exact = [one for one in candidates if one.startswith(("email:", "url:"))]
        if exact:
            wanted = exact[:1]
        else:
            wanted = [one for one in candidates if one.startswith(("text:", "id:", "path:", "handle:"))] + (
                typed if len(words(text)) == len(typed) == 1 else []
            )
        for source, holds in (("user", self._is_users), ("confirmed", self._is_confirmed)):
            if any(holds(seen) for one in wanted for seen in self._seen(one)):
                return source  # type: ignore[return-value]
        said = words(text)
        if len(said) > _LONGEST_PHRASE:
            pieces = [f"text:{gram}" for gram in list(grams(said, GRAM))[:_MOST_GRAMS]]
            if pieces and all(any(map(self._is_users, self._seen(piece))) for piece in pieces):
                return "user"
        return None

    def _flag(self, argument: Argument) -> Traced:
        value = argument.value
        if isinstance(value, str) and value.lower() in _POWERS and argument.parameter.choices:
            return self._power(argument)
        if value is True and not _POWERS.isdisjoint(name_words(argument.key)):
            return self._power(argument)
        if argument.parameter.choices and value not in argument.parameter.choices:
            return self._traced(argument, "nowhere")
        return self._traced(argument, "default")

    def _power(self, argument: Argument) -> Traced:
        """A setting that lets more people in, or lets them do more: the user must have spoken of it."""
        named = argument.value.lower() if isinstance(argument.value, str) else name_words(argument.key)[-1]
        said = any(self._said_word(stem(word)) for word in _POWER_WORDS.get(named, (named,)))
        return self._traced(argument, "user" if said else "nowhere")

    def _code(self, argument: Argument) -> Traced:
        """Something that will be run: a model may write it, and what it would do is looked at elsewhere; but it must not
        be copied from untrusted content."""
        candidates = [str(one) for one in _candidates(argument) if one.type in {"text", "part", "gram"}]
        given = self._given_text(str(argument.value), candidates)
        if given is not None:
            return self._traced(argument, given)
        foreign = [
            one
            for value in candidates
            for one in self._seen(value)
            if one.event.grade == "untrusted" and one.event.kind != "assistant_showed"
        ]
        return self._traced(argument, "untrusted", foreign[0]) if foreign else self._traced(argument, "derived")

    def _date(self, argument: Argument) -> Traced:
        """A day is the user's, or nobody's in particular, unless only untrusted content names it."""
        forms = [one for one in values(argument.value) if one.type == "date"]
        if not forms:
            return self._traced(argument, "default" if any(one.type == "time" for one in values(argument.value)) else
                                self._word_date(argument))
        for form in forms:
            asked = [str(form), f"day:{form.form[5:]}"]
            if self._graded(asked, "user"):
                return self._traced(argument, "user")
            if self._confirmed(asked):
                return self._traced(argument, "confirmed")
            if self._graded(asked, "trusted"):
                return self._traced(argument, "trusted")
            if "relative date" in self._marks and not self._is_written(asked):
                return self._traced(argument, "derived")
            traced = self._from_untrusted(argument, asked)
            return self._traced(argument, "derived") if traced.source == "nowhere" else traced
        return self._traced(argument, "derived")

    def _word_date(self, argument: Argument) -> Source:
        given = self._given_text(argument.value, [str(one) for one in _candidates(argument)])
        return given or ("derived" if "relative date" in self._marks else "nowhere")

    def _from_untrusted(self, argument: Argument, candidates: list[str]) -> Traced:
        """A value that neither the user nor trusted data gave."""
        seen = [
            one
            for value in self._strong(argument, candidates)
            for one in self._seen(value)
            if one.event.grade == "untrusted" and one.event.kind != "assistant_showed"
        ]
        if self._is_spoken_name(argument):
            return self._traced(argument, "derived")
        if not seen:
            return self._traced(argument, "derived" if self._is_plain_choice(argument) else "nowhere")
        if (argument.role is Role.AMOUNT and argument.value == 1) or self._is_common_word(argument):
            return self._traced(argument, "derived")
        if argument.role is Role.PATH and self._may_be_loose(argument):
            return self._traced(argument, "picked", seen[0])
        if argument.role is not Role.RECIPIENT and any(_is_made(one) for one in seen):
            return self._traced(argument, "made")
        structured = [one for one in seen if one.slot[:1] in {"f", "s", "o"}]
        for one in structured:
            if self._is_picked(one, loosely=self._may_be_loose(argument)) and self._fits(argument, one):
                return self._traced(argument, "picked", one)
        if argument.role is Role.RECIPIENT:
            for one in structured:
                if self._is_named_member(argument, one):
                    return self._traced(argument, "picked", one)
        if argument.role not in SENSITIVE:
            for one in seen:
                if _is_listed(one) and self._is_picked(one) and not self._is_order(one):
                    return self._traced(argument, "picked", one)
        prose = [one for one in seen if _is_pointed(one)]
        if argument.role in {Role.SECRET, Role.RECIPIENT} and self._is_own_door():
            fitting = prose if "sign in" in self._shape.kind.verbs else seen
            if fitting:
                return self._traced(argument, "picked", fitting[0])
        if argument.role not in SENSITIVE and (prose or any(map(self._is_picked, seen))) and "delegates" in self._marks:
            return self._traced(argument, "delegated", (prose or seen)[0])
        return self._traced(argument, "untrusted", seen[-1])

    def _is_order(self, one: Occurrence) -> bool:
        """Whether a sentence speaks of the very thing that the call does: then it does not list, it tells to."""
        objects = self._origins.objects.get(one.event.seq, ())
        place = _place(one)
        flags = objects[place].flags if place is not None and place < len(objects) else ()
        told = {flag[1:] for flag in flags if flag.startswith("~")}
        return any(not told.isdisjoint(_KIN.get(verb, (verb,))) for verb in self._shape.kind.verbs)

    def _may_be_loose(self, argument: Argument) -> bool:
        """Whether it is enough that the user named something that only one of the siblings has: then they may speak of
        several of them. What is gone or goes out afterwards must be the best match of all."""
        return argument.role in {Role.AMOUNT, Role.DATE} or not (
            self._outward or self._shape.kind.is_destroying or self._shape.kind.is_grave
        )

    def _is_named_member(self, argument: Argument, one: Occurrence) -> bool:
        """Whether a recipient stands in a field of a record that the user pointed at, and the user spoke of them by name;
        or is the name of somebody or some place in the user's own circle, which they asked to have found."""
        value = str(argument.value)
        if self._speaks_of(value) and _is_pointed(one):
            return True
        plain = all(word.isalpha() or len(word) <= 2 for word in words(value)) and "@" not in value
        return plain and not self._marks.isdisjoint(_COUNTED)

    def _is_spoken_name(self, argument: Argument) -> bool:
        """Whether a recipient is the full name of somebody whom the user named in part. Who that is, is told by the
        user's own contacts; an address or a number would not be."""
        value = argument.value
        if argument.role is not Role.RECIPIENT or not isinstance(value, str):
            return False
        said = words(value)
        plain = " " in value.strip() and value.replace(" ", "").replace("-", "").isalpha()
        return plain and 1 < len(said) <= _LONGEST_CHOICE and self._speaks_of(value)

    def _speaks_of(self, name: str) -> bool:
        said = [word for word in words(name) if len(word) > 2 and not word.isdigit() and word not in COMMON]
        return any(self._said_word(stem(word)) for word in said[:2])

    def _is_plain_choice(self, argument: Argument) -> bool:
        """Whether a value that stands nowhere is one that a model picks by itself: `standard`, one piece. No address, no
        number and no id can be smuggled in as such."""
        value = argument.value
        if argument.role is Role.AMOUNT:
            return bool(value == 1)
        if argument.role is Role.PATH:
            return not self._shape.kind.is_destroying
        if argument.role is not Role.SELECTOR or not isinstance(value, str):
            return False
        said = words(value)
        return 0 < len(said) <= _LONGEST_CHOICE and all(word.isalpha() for word in said)

    def _is_common_word(self, argument: Argument) -> bool:
        """Whether a value is one plain word, such as `home` or `standard`, that stands in any text."""
        value = argument.value
        if argument.role is not Role.SELECTOR or not isinstance(value, str) or value.lower() in _POWERS:
            return False
        grave = self._shape.kind.is_destroying or self._shape.kind.is_grave
        return not grave and value.isascii() and value.isalpha() and value.islower() and len(value) <= _LONGEST_WORD

    def _is_own_door(self) -> bool:
        """Whether the call lets the user in somewhere, or completes what was begun."""
        return not _DOORS.isdisjoint(self._shape.kind.verbs)

    def _is_contradicted(self, argument: Argument, candidates: list[str]) -> bool:
        """Whether the user spoke of another one of the same list: where it matters, a value is not theirs just because
        it is somebody's."""
        if argument.role not in {Role.SELECTOR, Role.RECIPIENT} or self._may_be_loose(argument):
            return False
        found = [one for value in candidates for one in self._seen(value) if one.event.grade == "trusted"]
        return bool(found) and all(self._is_passed_over(one) for one in found)

    def _is_passed_over(self, one: Occurrence) -> bool:
        objects = self._origins.objects.get(one.event.seq, ())
        place = _place(one)
        if place is None or place >= len(objects):
            return False
        siblings = [other for other in objects if other.group == objects[place].group]
        scores = [self._score(other, siblings) for other in siblings]
        return self._score(objects[place], siblings) == 0 and max(scores) > 0 and "all" not in self._marks

    def _fits(self, argument: Argument, one: Occurrence) -> bool:
        """Whether the field that a value stood in is what the user spoke of, where it matters whose it is."""
        if argument.role in {Role.DESTINATION, Role.CODE, Role.SECRET}:
            return one.slot[:1] in {"s", "o"}
        if argument.role is not Role.RECIPIENT:
            return True
        field = one.slot.partition(":")[2]
        if not self._fields.isdisjoint(stem(word) for word in name_words(field) if word != "email"):
            return True
        if "replies" in self._marks and name_words(field)[-1:] in (["sender"], ["from"], ["author"], ["user"]):
            return True
        return self._speaks_of(str(argument.value)) or "@" not in str(argument.value)

    # texts

    def _trace_text(self, argument: Argument) -> Iterator[Traced]:
        text = argument.value
        for value in values(text):
            if value.type in {"url", "email", "handle"} or (value.type == "id" and len(value.form) >= _SHORTEST_ID):
                traced = self._entity(argument, value)
                if traced is not None:
                    yield traced
        yield from self._runs(argument, text)

    def _entity(self, argument: Argument, value: Value) -> Traced | None:
        """An address, a link or a number that stands in a text."""
        found = self._seen(str(value))
        host = self._seen(f"host:{value.form.partition('/')[0]}") if value.type == "url" else ()
        if any(map(self._is_users, found)) or any(map(self._is_confirmed, found)) or value.form in self._shape.own:
            return None
        trusted = [one for one in found if one.event.grade == "trusted" and one.event.kind != "user_said"]
        if trusted:
            private = value.type == "id" and self._outward and not any(map(self._is_spoken_of, trusted))
            return self._part(argument, "untrusted", trusted[0], value, "private") if private else None
        if not found:
            if host and not any(map(self._is_users, host)):
                return self._part(argument, "untrusted", host[0], value)
            return None
        if any(_is_made(one) for one in found):
            return None
        if self._outward:
            good = [one for one in found if one.slot[:1] in {"s", "f", "o"} and self._is_picked(one)]
        else:
            good = [one for one in found if _is_pointed(one) or self._is_picked(one)]
        return None if good else self._part(argument, "untrusted", found[-1], value)

    def _runs(self, argument: Argument, text: str) -> Iterator[Traced]:
        """Words in a row that were copied from untrusted content."""
        said = words(text)
        if len(said) < GRAM:
            return
        run = 0
        pointed = True
        last: Occurrence | None = None
        for gram in list(grams(said, GRAM))[:_MOST_GRAMS]:
            found = self._seen(f"gram:{gram}")
            foreign = [one for one in found if one.event.grade == "untrusted" and one.event.kind != "user_said"]
            known = len(foreign) < len(found) or any(map(self._is_users, self._seen(f"text:{gram}")))
            if foreign and not known:
                run += 1
                last = foreign[0]
                pointed = pointed and any(map(_is_pointed, foreign))
                continue
            if last is not None and self._is_copied(run + GRAM - 1, pointed=pointed):
                yield self._part(argument, "untrusted", last, Value("text", f"{run + GRAM - 1} words"), "copied")
                return
            run, pointed, last = 0, True, None
        if last is not None and self._is_copied(run + GRAM - 1, pointed=pointed):
            yield self._part(argument, "untrusted", last, Value("text", f"{run + GRAM - 1} words"), "copied")

    def _is_copied(self, length: int, *, pointed: bool) -> bool:
        if not pointed:
            return length >= _RUN_UNPOINTED
        return self._outward and length >= _RUN_POINTED and "copies" not in self._marks

    # sightings

    def _seen(self, value: str) -> tuple[Occurrence, ...]:
        return self._origins.found.get(value, ())

    def _graded(self, candidates: Iterable[str], grade: str) -> bool:
        return any(
            one.event.grade == grade and (grade != "trusted" or one.event.kind != "user_said")
            for value in candidates
            for one in self._seen(value)
        )

    def _is_written(self, candidates: Iterable[str]) -> bool:
        """Whether somebody wrote it, other than a service in a field of its own."""
        return any(
            one.event.grade == "untrusted" and one.slot[:1] in {"p", "f"}
            for value in candidates
            for one in self._seen(value)
        )

    def _said_number(self, value: Any) -> bool:
        form = number_form(float(value))
        return any(form == number for request in self._requests for number in request.numbers)

    def _confirmed(self, candidates: Iterable[str]) -> bool:
        return any(self._is_confirmed(one) for value in candidates for one in self._seen(value))

    def _is_users(self, one: Occurrence) -> bool:
        return one.event.grade == "user"

    def _is_confirmed(self, one: Occurrence) -> bool:
        return one.event.kind == "granted" or (
            self._state.confirmed is not None and one.event.seq == self._state.confirmed
        )

    def _is_reckoned(self, number: float) -> bool:
        """Whether a number follows from one that the user gave and one in play, with a word for the reckoning."""
        if "reckons" not in self._marks and not self._percents:
            return False
        return any(
            any(one.event.kind != "user_said" for one in self._seen(f"num:{operand}"))
            for operand in _operands(number, self._numbers, self._percents)
        )

    def _is_spoken_of(self, one: Occurrence) -> bool:
        field = one.slot.partition(":")[2]
        if not self._fields.isdisjoint(map(stem, name_words(field))):
            return True
        objects = self._origins.objects.get(one.event.seq, ())
        place = _place(one)
        return place is not None and place < len(objects) and bool(self._said_of(objects[place].words))

    def _said_of(self, kept: Iterable[int]) -> set[int]:
        return self._state.said & set(kept)

    def _is_picked(self, one: Occurrence, *, loosely: bool = False) -> bool:
        """Whether the user's words single out the object that a value belongs to, among its siblings."""
        objects = self._origins.objects.get(one.event.seq, ())
        place = _place(one)
        if place is None or place >= len(objects):
            return False
        own = objects[place]
        siblings = [other for other in objects if other.group == own.group]
        if any(flag in self._marks for flag in own.flags):
            return True
        if self._places and len(siblings) > 1:
            index = sum(other.group == own.group for other in objects[:place])
            if index in self._places:
                return True
        scores = [self._score(other, siblings) for other in siblings]
        mine = self._score(own, siblings)
        if len(siblings) == 1:
            return mine > 0 or _is_pointed(one)
        if "all" in self._marks and (mine > 0 or _is_pointed(one)):
            return True
        if loosely and any(sum(word in other.words for other in siblings) == 1 for word in self._said_of(own.words)):
            return True
        return mine > 0 and mine == max(scores) and scores.count(mine) == 1

    def _score(self, own: Any, siblings: list[Any]) -> float:
        """How much of an object the user spoke of; words that all siblings share tell nothing."""
        score = 0.0
        for word in self._said_of(own.words):
            shared = sum(word in other.words for other in siblings)
            if shared < len(siblings) or len(siblings) == 1:
                score += 1 / shared
        # Who piles up words so as to fit every request fits none of them well.
        return round(score / max(len(own.words), _FEW_WORDS) ** 0.5, 6)

    def _traced(self, argument: Argument, source: Source, one: Occurrence | None = None) -> Traced:
        return Traced(field=argument.field, role=argument.role, source=source, seen=one, value=str(argument.value)[:200])

    def _part(
        self, argument: Argument, source: Source, one: Occurrence, value: Value, kind: str = "entity"
    ) -> Traced:
        return Traced(field=argument.field, role=argument.role, source=source, seen=one, value=value.form[:200], kind=kind)


_LONGEST_CHOICE: Final = 3
_LONGEST_WORD: Final = 12
_FEW_WORDS: Final = 8
_LABELLED: Final = frozenset({"ship", "shipto", "address", "street"})
_COUNTED: Final = frozenset({"max count", "min count", "all"})
_DOORS: Final = frozenset({"sign in", "confirm", "redeem"})
_SELF_EVIDENT: Final = frozenset({"cart", "sign in", "confirm", "commit", "push", "pull", "branch"})
_KIN: Final = {
    "cart": ("cart", "buy", "create"), "buy": ("buy", "cart", "pay"), "pay": ("pay", "buy", "move"),
    "delete": ("delete", "cancel"), "cancel": ("cancel", "delete"), "create": ("create", "cart", "change"),
    "change": ("change", "switch", "create"), "switch": ("switch", "change"), "book": ("book", "buy"),
}  # fmt: skip
"""Kinds that one sentence may mean by another's word."""
_POWER_WORDS: Final = {
    "w": ("write", "edit"), "rw": ("write", "edit", "full"), "write": ("write", "edit"), "edit": ("edit", "write"),
    "editor": ("edit", "editor", "write"), "public": ("public", "publicly"), "anyone": ("anyone", "public", "everyone"),
}  # fmt: skip


def _is_listed(one: Occurrence) -> bool:
    """Whether it stood in a text by itself, and not in the free text of a record."""
    return one.slot[:1] == "p" and one.slot.endswith(":")


def _place(one: Occurrence) -> int | None:
    digits = one.slot.partition(":")[0][1:]
    return int(digits) if digits.isdigit() else None


def _is_pointed(one: Occurrence) -> bool:
    """Whether the call that brought this in was about something that the user named."""
    return bool(one.event.detail) and "pointed" in (one.event.detail or {})


def _is_made(one: Occurrence) -> bool:
    """Whether it came back from a call that made or changed something, in a field that the service fills in."""
    return bool(one.event.detail) and "made" in (one.event.detail or {}) and one.slot[:1] in {"s", "f"}


__all__ = ["FINE", "OUTWARD", "Argument", "Ledger", "Shape", "Source", "Traced", "arguments", "questions"]
