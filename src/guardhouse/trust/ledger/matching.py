"""The ledger's judgement: where each argument of a call comes from, and whether that is good enough for what it does.

Pure: it is given the call, what is known of the tool, and what the session's index answered. What follows is for
policy; here it is only said what was found, and of which argument.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.trust.ledger.arguments import LONGEST_WORD, Argument
from guardhouse.trust.ledger.fields import CONFIDENTIAL, WRITERS
from guardhouse.trust.ledger.intent import asks_for
from guardhouse.trust.ledger.kinds import is_ordinary, synonyms
from guardhouse.trust.ledger.questions import (
    LONGEST_PHRASE,
    MOST_WORDS,
    candidates,
    grant_of,
    grave_choices,
    operands,
    power_words,
    runs,
)
from guardhouse.trust.ledger.reading import ANY_ACT, FIRST_KEY
from guardhouse.trust.ledger.roles import SENSITIVE, Role
from guardhouse.trust.ledger.sightings import (
    Sightings,
    field_of,
    is_deed,
    is_key,
    is_listed,
    is_made,
    is_pointed,
    is_structured,
    is_written,
)
from guardhouse.trust.ledger.texts import supplied
from guardhouse.trust.ledger.values import is_exactly, number_form, values
from guardhouse.trust.ledger.words import name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.model import Occurrence
    from guardhouse.trust.ledger.shapes import Shape

Source = Literal[
    "default", "user", "confirmed", "own", "trusted", "derived", "made", "picked", "delegated", "untrusted", "nowhere"
]
"""Where an argument's value comes from, as far as the session tells."""
FINE: Final = frozenset({"default", "user", "confirmed", "own", "trusted", "derived", "made", "picked"})

_KIN: Final = {
    "cart": "cart buy create",
    "buy": "buy cart pay",
    "pay": "pay buy move",
    "delete": "delete cancel",
    "cancel": "cancel delete",
    "create": "create cart change",
    "change": "change switch create",
    "switch": "switch change",
    "book": "book buy",
}
"""Kinds that one sentence may mean by another's word."""
_LONGEST_CHOICE: Final = 3
_SETTINGS: Final = frozenset(
    "method speed variant size color colour mode format unit currency language priority want option payment shipping "
    "ship permission access type kind class state status frequency every reason category style level ending".split()
)
"""Arguments that choose how something is done, not what is done or to whom."""
_COUNTED: Final = frozenset({"max count", "min count", "everyone"})
_COMPLETING: Final = frozenset({"confirm", "redeem"})
_NAMES: Final = frozenset({Role.SELECTOR, Role.PATH})
_SMALL: Final = 10_000
"""A number below tells hardly anything."""
_PICKS: Final = frozenset({Role.SELECTOR, Role.AMOUNT, Role.DATE, Role.PATH})
"""Roles of which a value may be an id that a service has just given out."""


class Traced(msgspec.Struct, frozen=True):
    """Where one argument, or a part of one, comes from."""

    field: str
    role: Role
    source: Source
    seen: Occurrence | None = None
    """The content it was found in, if that is what it comes from."""
    private: bool = False
    """It is the user's own, and they did not speak of it."""

    @property
    def is_fine(self) -> bool:
        """Whether it comes from somebody who may say so."""
        return self.source in FINE and not self.private


class Ledger:
    """One call before the answers of the index."""

    def __init__(self, shape: Shape, sightings: Sightings, found: Iterable[Argument], *, fetches: bool = False) -> None:
        self._shape = shape
        self._fetches = fetches
        """The call reaches out to read, and does nothing else."""
        self._found = tuple(found)
        self._sightings = sightings
        self._outward = shape.outward or (shape.tells and any(one.role is Role.RECIPIENT for one in self._found))

    @property
    def takes_orders(self) -> bool:
        """Whether the user told the agent to do what some content says."""
        return "orders" in self._sightings.marks

    def is_repeated(self, call: str) -> bool:
        """Whether the same call was made before, and nobody speaks of doing it again."""
        return (
            bool(self._sightings.of(call))
            and "again" not in self._sightings.marks
            and not self._shape.kind.is_free_step
        )

    def is_spoken_of(self) -> bool:
        """Whether the user spoke of all that the tool's name does, each in one word or another: of unread mail, and not
        of mail alone."""
        named = self._shape.kind.named
        return bool(named) and all(any(map(self._sightings.said_word, synonyms(noun))) for noun in named)

    def is_asked_for(self, traced: Iterable[Traced]) -> bool:
        """Whether the user's words ask for such an action; see `asks_for`."""
        traced = tuple(traced)
        all_fine = all(one.is_fine for one in traced)
        if all_fine and self._sightings.of(grant_of(self._shape.name)):
            return True
        all_theirs = all_fine and not any(one.seen is not None and is_listed(one.seen) for one in traced)
        return asks_for(self._shape.kind, grave_choices(self._found), self._sightings, all_theirs=all_theirs)

    def trace(self) -> list[Traced]:
        """Where every argument comes from; of a text, each part of it that matters."""
        return [traced for argument in self._found for traced in self._trace(argument)]

    def _trace(self, argument: Argument) -> Iterator[Traced]:
        if isinstance(argument.value, str) and (argument.role is Role.CONTENT or self._is_told(argument)):
            for part in supplied(argument.value, self._sightings, self._known, outward=self._outward):
                source: Source = "untrusted" if part.seen is not None else "nowhere"
                yield Traced(argument.field, argument.role, source, part.seen, part.private)
        elif argument.is_unread:
            yield Traced(argument.field, argument.role, "nowhere")
        else:
            found = self._traced(argument, *self._origin(argument))
            private = self._private(argument) if found.source == "trusted" else None
            yield found if private is None else Traced(argument.field, argument.role, "trusted", private, private=True)

    def _private(self, argument: Argument) -> Occurrence | None:
        """Where a value stood that would go out, if that is a field that nobody passes on by the way."""
        if not self._outward:
            return None
        forms = [str(one) for one in candidates(argument) if one.type in {"id", "num", "text"}]
        for one in self._sightings.trusted(forms, argument.role):
            named = {stem(word) for word in name_words(field_of(one))}
            if not CONFIDENTIAL.isdisjoint(named) and not self._sightings.is_spoken_of(one):
                return one
        return None

    @cached_property
    def _known(self) -> frozenset[str]:
        """What a text may name: what is the user's own, and what the call is about by another argument, which has to
        answer for itself."""
        picked = [one.value for one in self._found if one.role is Role.SELECTOR and not isinstance(one.value, bool)]
        return self._shape.own | {str(value).strip().lower() for value in picked}

    def _traced(self, argument: Argument, source: Source, seen: Occurrence | None = None) -> Traced:
        return Traced(argument.field, argument.role, source, seen)

    def _is_told(self, argument: Argument) -> bool:
        """Whether words to look for are told to somebody by looking for them."""
        return argument.role is Role.QUERY and self._outward

    # One value

    def _origin(self, argument: Argument) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that is not free text."""
        value, role, parameter = argument.value, argument.role, argument.parameter
        if role in {Role.LIMIT, Role.QUERY} or (parameter.has_default and value == parameter.default):
            return ("default",)
        if role is Role.FLAG:
            return (self._flag(argument),)
        if role is Role.SELECTOR and power_words(argument):
            return (self._power(argument),)
        if self._sightings.of(grant_of(self._shape.name, argument)):
            return ("confirmed",)
        if isinstance(value, str) and role in {Role.RECIPIENT, Role.DESTINATION} and not _is_plainly_written(value):
            return ("nowhere",)
        forms = [str(one) for one in candidates(argument) if one.type != "word"]
        if role is Role.AMOUNT:
            forms = [form for form in forms if form.startswith(("num:", "pct:"))] or forms
        if role is Role.CODE:
            return self._code(argument, forms)
        if role is Role.DATE and isinstance(value, str):
            return self._date(argument, forms)
        given = self._given(value, forms)
        if given is not None and not (role is Role.RECIPIENT and isinstance(value, str) and _is_ordinary(value)):
            return (given,)
        if str(value).strip().lower() in self._shape.own:
            return ("own",)
        return self._found_in(argument, _as_such(argument, forms))

    def _found_in(self, argument: Argument, forms: list[str]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that the user did not give."""
        trusted = self._sightings.trusted(forms, argument.role)
        if trusted:
            return ("nowhere",) if self._is_passed_over(argument, trusted) else ("trusted",)
        if argument.role is Role.AMOUNT and self._is_reckoned(argument.value):
            return ("derived",)
        if self._is_spoken_name(argument):
            return ("derived",)
        if argument.role in _NAMES and not self._is_grave and self._sightings.named_by_model(forms, argument.role):
            return ("made",)
        seen = self._sightings.untrusted(forms, argument.role)
        if not seen:
            if self._is_mere_look(argument) and _is_small(argument.value):
                return ("derived",)
            is_choice = self._is_plain_choice(argument) and not self._sightings.is_cut
            return ("derived",) if is_choice else ("nowhere",)
        return self._untrusted(argument, seen)

    def _untrusted(self, argument: Argument, seen: list[Occurrence]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that only untrusted content has."""
        role = argument.role
        if self._is_common_word(argument) or (role is Role.AMOUNT and argument.value == 1):
            return ("derived",)
        if self._is_mere_look(argument):
            return ("picked", seen[0])
        if role in _PICKS and (any(map(is_made, seen)) or self._is_new_id(seen)):
            return ("made",)
        picked = self._picked(argument, seen)
        if picked is not None:
            return ("picked", picked)
        pointed = [one for one in seen if is_pointed(one)]
        if role not in SENSITIVE and "delegates" in self._sightings.marks:
            delegated = pointed or [one for one in seen if self._sightings.is_picked(one)]
            if delegated:
                return ("delegated", delegated[0])
        return ("untrusted", seen[-1])

    def _picked(self, argument: Argument, seen: list[Occurrence]) -> Occurrence | None:
        """The sighting of a value that the user's words single out, in a way that will do for its role."""
        role, loosely = argument.role, self._may_be_loose(argument)
        if role is Role.PATH and loosely:
            return seen[0]
        for one in filter(is_structured, seen):
            if self._sightings.is_picked(one, loosely=loosely) and self._fits(argument, one):
                return one
            if role is Role.RECIPIENT and self._is_named_member(str(argument.value), one):
                return one
        if role not in SENSITIVE:
            listed = self._listed(seen)
            if listed is not None:
                return listed
        if role not in SENSITIVE and not self._is_weighty and not any(map(self._sightings.is_claimed, seen)):
            for one in filter(is_listed, seen):
                if self._sightings.is_named(one) and not self._is_order(one):
                    return one
        return self._opens_door(role, seen)

    def _listed(self, seen: list[Occurrence]) -> Occurrence | None:
        """The entry of a listing in plain text that has a value as its own id, if the user's words single it out, and
        in no other listing speak of another one. An entry that stands alone may be a sentence that tells to act."""
        keys = list(filter(is_key, seen))
        if any(map(self._sightings.is_passed_over, keys)):
            return None
        for one in filter(self._sightings.is_named, keys):
            if self._sightings.is_listed_among(one) or not (self._is_weighty or self._is_order(one)):
                return one
        return None

    def _is_new_id(self, seen: list[Occurrence]) -> bool:
        """Whether a value is the id that a service began its answer with, to a call that made something, and nobody
        had it before."""
        first = min(seen, key=lambda one: one.event.seq)
        return is_deed(first) and first.slot == FIRST_KEY and not self._is_grave

    def _is_mere_look(self, argument: Argument) -> bool:
        """Whether a value only picks what is read from afar: what was found in content tells nobody anything."""
        return self._fetches and argument.role in {Role.SELECTOR, Role.AMOUNT, Role.DATE}

    @property
    def _is_grave(self) -> bool:
        """Whether something is gone, or open to others, afterwards; or nobody knows what is."""
        kind = self._shape.kind
        return kind.is_destroying or kind.is_grave or not kind.verbs

    def _opens_door(self, role: Role, seen: list[Occurrence]) -> Occurrence | None:
        """The sighting of what lets the user in somewhere (the name and the password of an account that they pointed
        at), or of the code that completes what was begun."""
        verbs = self._shape.kind.verbs
        if "sign in" in verbs and role in {Role.SECRET, Role.RECIPIENT}:
            return next(filter(is_pointed, seen), None)
        return seen[0] if role is Role.SECRET and not _COMPLETING.isdisjoint(verbs) else None

    def _given(self, value: Any, forms: list[str]) -> Source | None:
        """Whether the user gave a value: as such, as a phrase, or in pieces; or said yes to it."""
        if isinstance(value, str):
            exact = [form for form in forms if form.startswith(("email:", "url:"))][:1]
            wanted = exact or [form for form in forms if not form.startswith(("gram:", "part:"))]
            said = words(value)
            if len(said) > LONGEST_PHRASE and not exact:
                wanted = [form for form in wanted if not form.startswith("text:")]
                pieces = [f"text:{gram}" for gram in runs(said)] if len(said) <= MOST_WORDS else []
                if pieces and all(self._sightings.by_user([piece]) for piece in pieces):
                    return "user"
        else:
            wanted = forms
            if any(number_form(value) in request.numbers for request in self._sightings.requests):
                return "user"
        if self._sightings.by_user(wanted):
            return "user"
        return "confirmed" if self._sightings.is_confirmed(wanted) else None

    def _flag(self, argument: Argument) -> Source:
        value, choices = argument.value, argument.parameter.choices
        if power_words(argument):
            return self._power(argument)
        if choices and value not in choices:
            return "nowhere"
        if isinstance(value, str) and choices and not self._may_be_chosen(argument):
            return self._given(value, [f"text:{' '.join(words(value))}"]) or "nowhere"
        return "default"

    def _power(self, argument: Argument) -> Source:
        """A setting that lets more people in, or lets them do more: the user must have spoken of it."""
        return "user" if any(map(self._sightings.said_word, power_words(argument))) else "nowhere"

    def _code(self, argument: Argument, forms: list[str]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Something that will be run: a model may write it, and what it would do is looked at elsewhere; but it must
        not be copied from untrusted content."""
        forms = [form for form in forms if form.startswith(("text:", "part:", "gram:"))]
        given = self._given(argument.value, forms)
        foreign = self._sightings.untrusted(forms, argument.role)
        if given is not None:
            return (given,)
        if foreign:
            return ("untrusted", foreign[0])
        # What is too long to be looked up may be a copy, and so may anything if not all that was read can be found.
        unsure = self._sightings.is_cut or len(words(str(argument.value))) > MOST_WORDS
        return ("nowhere",) if unsure else ("derived",)

    def _date(self, argument: Argument, forms: list[str]) -> tuple[Source] | tuple[Source, Occurrence]:
        """A day is the user's, or nobody's in particular, unless only untrusted content names it."""
        relative = "relative date" in self._sightings.marks
        days = [form for form in forms if form.startswith(("date:", "day:"))]
        if not days:
            if any(form.startswith("time:") for form in forms):
                return ("default",)
            return (self._given(argument.value, forms) or ("derived" if relative else "nowhere"),)
        given = self._given(0, days)
        if given is not None or self._sightings.trusted(days):
            return (given or "trusted",)
        if self._sightings.by_user([form for form in forms if form.startswith("weekday:")]):
            return ("derived",)
        seen = self._sightings.untrusted(days)
        if not seen and self._sightings.is_cut and not relative:
            return ("nowhere",)
        if not seen or (relative and not any(map(is_written, seen))):
            return ("derived",)
        return self._untrusted(argument, seen)

    # What is good enough

    def _may_be_loose(self, argument: Argument) -> bool:
        """Whether it is enough that the user named something that only one of the siblings has: then they may speak of
        several of them. What is gone or goes out afterwards must be the best match of all."""
        return argument.role in {Role.AMOUNT, Role.DATE} or not self._is_weighty

    @property
    def _is_weighty(self) -> bool:
        """Whether something is gone, goes out, or is open to others afterwards; or nobody knows what is."""
        return self._outward or self._is_grave

    def _fits(self, argument: Argument, one: Occurrence) -> bool:
        """Whether the field that a value stood in is what the user spoke of, where it matters whose it is."""
        if argument.role in {Role.DESTINATION, Role.CODE, Role.SECRET}:
            return one.slot[:1] in {"s", "o"}
        if argument.role is not Role.RECIPIENT:
            return True
        named = name_words(field_of(one))
        if not self._sightings.fields.isdisjoint(stem(word) for word in named if word != "email"):
            return True
        if "replies" in self._sightings.marks and not WRITERS.isdisjoint(named[-1:]):
            return True
        return _is_name(str(argument.value)) or self._sightings.speaks_of(str(argument.value))

    def _is_named_member(self, value: str, one: Occurrence) -> bool:
        """Whether a recipient stands in a field of a record that the user pointed at, and the user spoke of them by
        name; or is the name of somebody or some place in the user's own circle, which they asked to have found."""
        if self._sightings.speaks_of(value) and is_pointed(one):
            return True
        return _is_name(value) and not self._sightings.marks.isdisjoint(_COUNTED)

    def _is_order(self, one: Occurrence) -> bool:
        """Whether a sentence speaks of the very thing that the call does: then it does not list, it tells to."""
        own = self._sightings.object_of(one)
        told = {flag[1:] for flag in own.flags if flag.startswith("~")} if own is not None else set()
        if ANY_ACT[1:] in told:
            return True
        return any(not told.isdisjoint(_KIN.get(verb, verb).split(" ")) for verb in self._shape.kind.verbs)

    def _is_passed_over(self, argument: Argument, trusted: list[Occurrence]) -> bool:
        """Whether the user spoke of another one of the same list: where it matters, a value is not theirs just because
        it is somebody's."""
        if argument.role not in {Role.SELECTOR, Role.RECIPIENT} or self._may_be_loose(argument):
            return False
        return all(map(self._sightings.is_passed_over, trusted))

    def _is_reckoned(self, value: Any) -> bool:
        """Whether a number follows from one that the user gave and one in play, with a word for the reckoning."""
        requests = self._sightings.requests
        reckons = "reckons" in self._sightings.marks or any(request.percents for request in requests)
        if not reckons or not isinstance(value, (int, float)):
            return False
        forms = [f"num:{operand}" for operand in operands(float(value), requests)]
        in_play = self._sightings.untrusted(forms)
        trusted = any(self._sightings.trusted([form]) for form in forms)
        return trusted or any(is_pointed(one) or not is_written(one) for one in in_play)

    def _is_spoken_name(self, argument: Argument) -> bool:
        """Whether a value is the full name of somebody whom the user named in part. Who that is, is told by the
        user's own contacts; an address or a number would not be."""
        value = argument.value
        if argument.role not in {Role.RECIPIENT, Role.SELECTOR} or not isinstance(value, str):
            return False
        return 1 < len(value.split()) <= _LONGEST_CHOICE and _is_name(value) and self._sightings.speaks_of(value)

    def _is_plain_choice(self, argument: Argument) -> bool:
        """Whether a value that stands nowhere is one that a model picks by itself: `standard`, one piece. No address,
        no number and no id can be smuggled in as such."""
        value = argument.value
        if argument.role is Role.AMOUNT:
            return bool(value == 1)
        if argument.role is Role.PATH:
            return not self._is_weighty
        said = words(value) if isinstance(value, str) else []
        plain = 0 < len(said) <= _LONGEST_CHOICE and all(word.isalpha() and word.isascii() for word in said)
        return argument.role is Role.SELECTOR and plain and self._may_be_chosen(argument)

    def _may_be_chosen(self, argument: Argument) -> bool:
        """Whether a model may pick a plain word by itself: where little hangs on it, or for a setting of the call."""
        return not self._is_weighty or not _SETTINGS.isdisjoint(name_words(argument.key))

    def _is_common_word(self, argument: Argument) -> bool:
        """Whether a value is one plain word, such as `home` or `standard`, that stands in any text."""
        value, kind = argument.value, self._shape.kind
        if argument.role is not Role.SELECTOR or not isinstance(value, str) or kind.is_destroying or kind.is_grave:
            return False
        plain = value.isascii() and value.isalpha() and value.islower() and len(value) <= LONGEST_WORD
        return plain and self._may_be_chosen(argument)


def _is_small(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < _SMALL


def _is_plainly_written(value: str) -> bool:
    """Whether a value that has an address or a link in it is that and nothing besides; or has none."""
    found = [one for one in values(value) if one.type in {"email", "url"}]
    marked = "@" in value or "://" in value
    return any(is_exactly(one, value) for one in found) if found or marked else True


def _is_ordinary(value: str) -> bool:
    """Whether a value is a word or two of the language: that the user said `report` makes nobody of that name."""
    said = words(value)
    return 0 < len(said) <= 2 and all(map(is_ordinary, said))


def _as_such(argument: Argument, forms: list[str]) -> list[str]:
    """The forms by which a value is recognised: an address or a link only as such and as a whole, not by the words in
    it, nor by another one that is glued to it."""
    exact = [form for form in forms if form.startswith(("email:", "url:"))][:1]
    return exact if exact and argument.role in {Role.RECIPIENT, Role.DESTINATION} else forms


def _is_name(value: str) -> bool:
    """Whether a value is the name of somebody or something, and no address or account."""
    return all(word.isalpha() or len(word) <= 2 for word in words(value)) and not set(value) & set("@/.:+")
