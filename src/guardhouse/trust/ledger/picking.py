"""Which of several things the user meant: whether their words single out what a value belongs to, in a way that will do
for what hangs on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.fields import is_reach, is_writer
from guardhouse.trust.ledger.intent import is_for
from guardhouse.trust.ledger.kinds import kind_of
from guardhouse.trust.ledger.leading import kin
from guardhouse.trust.ledger.questions import local_names
from guardhouse.trust.ledger.reading import ANY_ACT
from guardhouse.trust.ledger.roles import SENSITIVE, Role
from guardhouse.trust.ledger.sightings import (
    field_of,
    is_column,
    is_key,
    is_listed,
    is_pointed,
    is_structured,
    place_of,
)
from guardhouse.trust.ledger.words import name_words, stem, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from guardhouse.model import Occurrence
    from guardhouse.trust.ledger.arguments import Argument
    from guardhouse.trust.ledger.sightings import Sightings
    from guardhouse.trust.ledger.stakes import Stakes
    from guardhouse.trust.ledger.stepping import Steps

_CARRIERS: Final = frozenset(
    map(stem, "email mail inbox message sms chat thread letter note notes page web webpage website site search article "
              "document doc file post comment review feed dm channel thread forum board timeline talk".split())
)  # fmt: skip
"""What brings in texts that anybody writes, by a word of the tool's name."""
_SEARCHES: Final = frozenset({"search"})
_PLACES: Final = frozenset({"channel", "channels", "room", "group", "space"})
"""Arguments that say where something is posted, and not to whom."""
_COMPLETING: Final = frozenset({"confirm", "redeem", "sign in"})
_SCHEDULED: Final = (("book",), ("plan",), ("move",))
_CODES: Final = frozenset("code otp tan pin passcode verification".split())
LONGEST_CHOICE: Final = 3
"""Words of a name, or of something that a model picks by itself."""


class Picker:
    """The user's words, held against what a value was found in."""

    def __init__(
        self,
        stakes: Stakes,
        sightings: Sightings,
        steps: Steps,
        *,
        services: Callable[[], Collection[tuple[int, int | None]]],
    ) -> None:
        self._stakes = stakes
        self._kind = stakes.shape.kind
        self._sightings = sightings
        self._steps = steps
        self._services = services

    def picked(self, argument: Argument, seen: list[Occurrence]) -> Occurrence | None:
        """The sighting of a value that the user's words single out, in a way that will do for its role."""
        role, loosely = argument.role, self._stakes.may_be_loose(argument)
        if role is Role.PATH and loosely and self._is_spoken_file(str(argument.value)):
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
        if role not in SENSITIVE and not self._stakes.are_high and not any(map(self._sightings.is_claimed, seen)):
            for one in filter(is_listed, seen):
                if self._sightings.is_named(one) and not self._is_order(one) and _stands_once(one, seen):
                    return one
        return self.opens_door(argument, seen) or self._offered(argument, seen) or self._chosen(argument, seen)

    def _offered(self, argument: Argument, seen: list[Occurrence]) -> Occurrence | None:
        """The time that a service offers, among others, for what the user wants to have booked, planned or moved: when
        exactly is for the model to choose, once they have spoken of a time at all."""
        if argument.role is not Role.DATE or self._kind.verbs[:1] not in _SCHEDULED:
            return None
        if "relative date" not in self._sightings.marks:
            return None
        offers = [one for one in seen if not self._is_carried(one) and self._sightings.has_siblings(one)]
        return offers[0] if offers and len(offers) == len(seen) else None

    def _chosen(self, argument: Argument, seen: list[Occurrence]) -> Occurrence | None:
        """The entry that has a value as its own id, if the model may choose between such entries, the user's words
        speak of no other, and nobody but the service that lists them names it."""
        if argument.role is not Role.SELECTOR:
            return None
        own = [one for one in seen if (is_column(one) or is_structured(one)) and self._may_list(one)]
        own = [one for one in own if self._sightings.has_siblings(one) or is_pointed(one)]
        entries = {(one.event.seq, place_of(one)) for one in own}
        if not own or any((one.event.seq, place_of(one)) not in entries for one in seen):
            return None
        if any(map(self._sightings.is_passed_over, own)) or self._sightings.spares or not self._steps.may_choose:
            return None
        return own[0]

    def _is_spoken_file(self, path: str) -> bool:
        """Whether the user spoke of a file by a word of its name, and named no other."""
        name = words(path.replace("\\", "/").rstrip("/").rpartition("/")[2].rpartition(".")[0])
        return "file" not in self._sightings.marks and any(self._sightings.said_word(stem(word)) for word in name)

    def _is_carried(self, one: Occurrence) -> bool:
        """Whether a value came with texts that anybody writes. A search in a shop brings in none of these."""
        named = {stem(word) for word in name_words(one.event.name)}
        found = named & _CARRIERS
        is_shop = found == _SEARCHES and bool(kind_of(one.event.name).named - found)
        return bool(found) and (self._stakes.are_high or not is_shop)

    def _listed(self, seen: list[Occurrence]) -> Occurrence | None:
        """The entry of a listing in plain text that has a value as its own id, if the user's words single it out, and
        in no other listing speak of another one. An entry that stands alone may be a sentence that tells to act."""
        if any(self._sightings.is_outdone(one) for one in seen if is_key(one) or is_structured(one)):
            return None
        high = self._stakes.are_high or self._stakes.are_money
        keys = [one for one in seen if (is_key(one) or (is_column(one) and not high)) and self._may_list(one)]
        for one in filter(self._sightings.is_named, keys):
            if self._sightings.is_listed_among(one) or not (self._stakes.are_high or self._is_order(one)):
                return one
        return None

    def _may_list(self, one: Occurrence) -> bool:
        """Whether what brought a listing in lists such things: a mail that lists invoices is somebody's text."""
        source = {stem(word) for word in name_words(one.event.name)}
        return not self._is_carried(one) or not source.isdisjoint(self._kind.nouns)

    def _fits(self, argument: Argument, one: Occurrence) -> bool:
        """Whether the field that a value stood in is what the user spoke of, where it matters whose it is."""
        if argument.role in {Role.DESTINATION, Role.CODE, Role.SECRET}:
            return one.slot[:1] in {"s", "o"}
        if argument.role is not Role.RECIPIENT:
            return True
        if self._is_somebody_elses(str(argument.value)):
            return False
        named = name_words(field_of(one))
        if not self._sightings.fields.isdisjoint(stem(word) for word in named if word != "email"):
            return True
        if is_writer(field_of(one)) and self._is_whom_they_answer(one):
            return True
        if is_reach(field_of(one)) and self._is_whom_they_looked_up(one):
            return True
        if "addressed" not in self._sightings.marks and self._sightings.speaks_of(str(argument.value)):
            return True
        is_place = not _PLACES.isdisjoint(name_words(argument.key))
        if (is_writer(field_of(one)) and not self._is_same_service(one)) or (
            "people" in self._sightings.marks and not is_place
        ):
            return False
        return _is_name(str(argument.value)) and not self._stakes.are_money

    def _is_whom_they_answer(self, one: Occurrence) -> bool:
        """Whether who wrote something is whom the user named; or they named nobody, and answer what they picked."""
        if self._sightings.is_by_somebody_named(one):
            return True
        return "replies" in self._sightings.marks and "people" not in self._sightings.marks

    def _is_whom_they_looked_up(self, one: Occurrence) -> bool:
        """Whether a record is that of somebody whom the user named, and was looked up by that; not for money, and not
        in texts that anybody writes."""
        if self._stakes.are_money or self._is_carried(one):
            return False
        return is_pointed(one) and self._sightings.is_by_somebody_named(one)

    def _is_somebody_elses(self, value: str) -> bool:
        """Whether an address goes by a name that trusted data has, or that somebody else has written under, with
        another address: then nobody can tell that it is theirs."""
        local = words(value.partition("@")[0])[:1] if "@" in value else []
        found = [one for word in local for one in self._sightings.of(f"part:{word}")]
        if any(one.event.grade == "trusted" and is_structured(one) for one in found):
            return True
        own = {(one.event.seq, one.slot) for one in self._sightings.of(f"email:{value.strip().lower()}")}
        named = filter(self._sightings.is_name, local_names(value))
        return any((one.event.seq, one.slot) not in own for name in named for one in self._sightings.of(f"by:{name}"))

    def _is_named_member(self, value: str, one: Occurrence) -> bool:
        """Whether a recipient stands in a field of a record that the user pointed at, and the user spoke of them by
        name; or is the name of somebody or some place in the user's own circle, which they asked to have found."""
        if self._is_somebody_elses(value):
            return False
        if self._sightings.speaks_of(value) and is_pointed(one):
            return True
        if self._stakes.are_money or (is_writer(field_of(one)) and not self._is_same_service(one)):
            return False
        return _is_name(value) and "everyone" in self._sightings.marks

    def _is_same_service(self, one: Occurrence) -> bool:
        """Whether a value was found where the call itself goes, by their names: who wrote in a channel can be answered
        there, and who sent a mail is nobody there."""
        return not {stem(word) for word in name_words(one.event.name)}.isdisjoint(self._kind.named)

    def _is_order(self, one: Occurrence) -> bool:
        """Whether a sentence speaks of the very thing that the call does: then it does not list, it tells to."""
        own = self._sightings.object_of(one)
        told = {flag[1:] for flag in own.flags if flag.startswith("~")} if own is not None else set()
        if ANY_ACT[1:] in told:
            return True
        return any(not told.isdisjoint(kin(verb)) for verb in self._kind.verbs)

    def is_passed_over(self, argument: Argument, trusted: list[Occurrence]) -> bool:
        """Whether the user spoke of another one of the same list: where it matters, a value is not theirs just because
        it is somebody's."""
        if argument.role not in {Role.SELECTOR, Role.RECIPIENT} or self._stakes.may_be_loose(argument):
            return False
        if self._stakes.is_setting(argument):
            return False
        return all(map(self._sightings.is_passed_over, trusted))

    def opens_door(self, argument: Argument, seen: list[Occurrence]) -> Occurrence | None:
        """The sighting of what lets the user in somewhere (the name and the password of an account that they pointed
        at, or that stand with the name of the service), or of the code that completes what was begun."""
        role = argument.role
        verbs = self._kind.verbs
        if not seen:
            return None
        is_code = role is Role.SECRET and not _CODES.isdisjoint(name_words(argument.key))
        if is_code and not _COMPLETING.isdisjoint(verbs) and self._is_for_goal:
            return seen[0]
        if "sign in" in verbs and role in {Role.SECRET, Role.RECIPIENT}:
            return next(filter(is_pointed, seen), None) or next(filter(self._is_with, seen), None)
        is_service = role is Role.SELECTOR or (role is Role.DESTINATION and str(argument.value).isalpha())
        if "sign in" in verbs and is_service and not self._sightings.may_be_led(self._kind):
            return next(filter(is_pointed, seen), None)
        completes = role is Role.SECRET and not _COMPLETING.isdisjoint(verbs) and self._is_for_goal
        return seen[0] if completes else None

    @property
    def _is_for_goal(self) -> bool:
        """Whether what is completed is about nothing delicate but what the user asked for."""
        return is_for(self._kind, self._sightings.ordered, self._sightings)

    def _is_with(self, one: Occurrence) -> bool:
        """Whether what opens an account stands beside the name of the service that it is given to, and no text that
        came in speaks of signing in anywhere."""
        if self._is_carried(one) or self._sightings.may_be_led(self._kind):
            return False
        return (one.event.seq, place_of(one)) in self._services()

    def is_spoken_name(self, argument: Argument) -> bool:
        """Whether a value is the full name of somebody whom the user named in part. Who that is, is told by the
        user's own contacts; an address or a number would not be."""
        value = argument.value
        if argument.role not in {Role.RECIPIENT, Role.SELECTOR} or not isinstance(value, str):
            return False
        if not (1 < len(value.split()) <= LONGEST_CHOICE and _is_name(value) and self._sightings.speaks_of(value)):
            return False
        forms = [f"text:{' '.join(words(value))}"]
        if self._sightings.trusted(forms):
            return True
        if self._stakes.are_money or self._sightings.is_cut:
            return False
        return any(map(is_structured, self._sightings.untrusted(forms)))


def _stands_once(one: Occurrence, seen: list[Occurrence]) -> bool:
    """Whether a value stands in one sentence of a text only: what goes by several names is none of them."""
    return len({other.slot for other in seen if other.event.seq == one.event.seq and is_listed(other)}) == 1


def _is_name(value: str) -> bool:
    """Whether a value is the name of somebody or something, and no address or account."""
    return all(word.isalpha() or len(word) <= 2 for word in words(value)) and not set(value) & set("@/.:+")
