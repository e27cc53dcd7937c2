"""The ledger's judgement: where each argument of a call comes from, and whether that is good enough for what it does.

Pure: it is given the call, what is known of the tool, and what the session's index answered. What follows is for
policy; here it is only said what was found, and of which argument.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.trust.ledger.arguments import LONGEST_WORD, Argument, names_one
from guardhouse.trust.ledger.fields import is_confidential
from guardhouse.trust.ledger.intent import MESSAGES, asks_for
from guardhouse.trust.ledger.kinds import is_delicate, kind_of
from guardhouse.trust.ledger.picking import LONGEST_CHOICE, Picker
from guardhouse.trust.ledger.questions import (
    LONGEST_PHRASE,
    MOST_WORDS,
    POWERS,
    candidates,
    flag_words,
    grave_choices,
    power_words,
    runs,
)
from guardhouse.trust.ledger.reckoning import changed_by, is_reckoned
from guardhouse.trust.ledger.roles import SENSITIVE, Role
from guardhouse.trust.ledger.saying import FROM, OTHER, THING
from guardhouse.trust.ledger.sightings import (
    Sightings,
    field_of,
    is_id_of,
    is_listed,
    is_made,
    is_new_key,
    is_pointed,
    is_top_id,
    is_written,
    place_of,
)
from guardhouse.trust.ledger.stakes import Stakes
from guardhouse.trust.ledger.stepping import Steps
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

_SINGLED: Final = frozenset({"user", "confirmed", "picked"})
_GIVEN: Final = frozenset({"user", "default", "confirmed"})
_THEIRS: Final = frozenset({"user", "confirmed", "own"})
_REACHED: Final = ("email:", "url:", "handle:", "host:")
_LASTING: Final = frozenset("minutes hours days duration length".split())
_LONGEST_TIME: Final = 1000
"""How long something takes is nobody's business, in any unit that people use."""
_TIMED: Final = (("plan",), ("book",), ("create",), ("search",), ("invite",), ("send",))
"""Kinds that have a length, which a model may choose."""
_HEADS: Final = frozenset("people persons guests party seats pax covers adults".split())
_MOST_HEADS: Final = 20
"""For so many a table may be booked without anybody saying how many they are."""
_ADDRESSES: Final = frozenset({"address", "street"})
_PIECES: Final = frozenset("count qty quantity pieces units number copies".split())
_ATTACHED: Final = frozenset("attachment attachments attach enclosure enclosures".split())
_PRICES: Final = frozenset("price bid fee rate total cost budget tip sum max limit".split())
_SMALL: Final = 10_000
"""A number below tells hardly anything."""
_TOLD: Final = frozenset({"send", "post"})
_TELLING: Final = frozenset("send post share invite call rate".split())
"""Kinds of calls whose answers may be somebody else's."""
_WHATEVER: Final = frozenset("all open due outstanding pending overdue every payments bills invoices".split())
_SERVICES: Final = frozenset({Role.SELECTOR, Role.DESTINATION})
_PICKS: Final = frozenset({Role.SELECTOR, Role.DATE, Role.PATH})
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
        tells = shape.tells or "send" in shape.kind.verbs
        outward = shape.outward or (tells and any(one.role is Role.RECIPIENT for one in self._found))
        self._stakes = Stakes(shape, outward)
        self._steps = Steps(self._stakes, sightings, self._found)
        self._picker = Picker(self._stakes, sightings, self._steps, services=self._services)

    @property
    def takes_orders(self) -> bool:
        """Whether the user told the agent to do what some content says."""
        return "orders" in self._sightings.marks

    def is_repeated(self, call: str) -> bool:
        """Whether the same call was made before, and nobody has asked since to have it done again."""
        made = self._sightings.of(call)
        if not made or self._shape.kind.is_free_step:
            return False
        return not self._sightings.is_asked_again(max(one.event.seq for one in made), self._shape.kind)

    def is_spoken_of(self) -> bool:
        """Whether the user spoke of all that the tool's name does, each in one word or another: of unread mail, and not
        of mail alone."""
        return self._sightings.speaks_of_all(self._shape.kind.named)

    def is_asked_for(self, traced: Iterable[Traced]) -> bool:
        """Whether the user's words ask for such an action; see `asks_for`."""
        traced = tuple(traced)
        if self._shape.looks:
            return True  # where it looks, and for what, has to answer for itself
        all_fine = all(one.is_fine for one in traced)
        loosely = not self._stakes.are_high and not self._stakes.are_money
        all_theirs = all_fine and (loosely or not any(one.seen is not None and is_listed(one.seen) for one in traced))
        all_theirs = all_theirs and (bool(traced) or not is_delicate(self._shape.name)) and self._is_to_somebody(traced)
        if not traced and "pay" in self._shape.kind.verbs and not _WHATEVER.isdisjoint(name_words(self._shape.name)):
            return False  # whom it pays, and how much, nobody has said
        all_given = bool(traced) and all(one.source in _GIVEN for one in traced)
        return asks_for(
            self._shape.kind,
            grave_choices(self._found),
            self._sightings,
            all_theirs=all_theirs,
            all_given=all_given and any(one.source == "user" for one in traced),
            led=self._steps.is_led,
        )

    def _is_to_somebody(self, traced: tuple[Traced, ...]) -> bool:
        """Whether a call that tells something is a message, or goes to somebody whom the user named: to send Ann a link
        sends no newsletter."""
        kind = self._shape.kind
        if _TOLD.isdisjoint(kind.verbs[:1]) or kind.named <= MESSAGES:
            return True
        return any(one.role is Role.RECIPIENT and one.source in _THEIRS for one in traced)

    def is_small(self, traced: Iterable[Traced]) -> bool:
        """Whether little hangs on the call, and nobody else supplied anything of it."""
        high = self._stakes.are_high or self._stakes.are_money
        return not high and all(one.is_fine for one in traced)

    def is_own_step(self, traced: Iterable[Traced]) -> bool:
        """Whether the call is a step of the model's own that nobody else can have asked for; see `Steps`."""
        traced = tuple(traced)
        if not all(one.is_fine for one in traced):
            return False
        is_theirs = bool(traced) and all(one.source in _SINGLED for one in traced)
        return self._steps.are_free or (is_theirs and self._steps.is_small)

    def _services(self) -> set[tuple[int, int | None]]:
        """The things that came in beside which the service stands that the call is for, by event and place."""
        named = [one for one in self._found if one.role in _SERVICES and isinstance(one.value, str)]
        if not all(self._given(one.value, [str(form) for form in candidates(one)]) for one in named):
            return set()  # the user must have spoken of it
        forms = [form for one in named for form in (*map(str, candidates(one)), f"part:{' '.join(words(one.value))}")]
        return {(one.event.seq, place_of(one)) for one in self._sightings.of_any(forms)}

    def trace(self) -> list[Traced]:
        """Where every argument comes from; of a text, each part of it that matters."""
        return [traced for argument in self._found for traced in self._trace(argument)]

    def _trace(self, argument: Argument) -> Iterator[Traced]:
        if isinstance(argument.value, str) and (argument.role is Role.CONTENT or self._is_told(argument)):
            edits = () if self._stakes.outward else self._edited
            for part in supplied(argument.value, self._sightings, self._known, outward=self._stakes.outward, own=edits):
                source: Source = "untrusted" if part.seen is not None else "nowhere"
                yield Traced(argument.field, argument.role, source, part.seen, part.private)
        elif argument.is_unread:
            yield Traced(argument.field, argument.role, "nowhere")
        else:
            found = self._traced(argument, *self._origin(argument))
            private = self._private(argument) if found.source not in _THEIRS else None
            yield found if private is None else Traced(argument.field, argument.role, "trusted", private, private=True)
            yield from self._private_text(argument)

    def _private(self, argument: Argument) -> Occurrence | None:
        """Where a value stood that would go out, if that is a field that nobody passes on by the way."""
        if not self._stakes.outward:
            return None
        forms = [str(one) for one in candidates(argument) if one.type in {"id", "num", "text"}]
        for one in self._sightings.trusted(forms, argument.role):
            if is_confidential(field_of(one)) and not self._sightings.is_field_spoken_of(one):
                return one
        return None

    def _private_text(self, argument: Argument) -> Iterator[Traced]:
        """What is private in a text that stands where no text belongs: it is told to others all the same."""
        value = argument.value
        if self._stakes.outward and isinstance(value, str) and len(words(value)) > LONGEST_PHRASE:
            for part in supplied(value, self._sightings, self._known, outward=True):
                if part.private:
                    yield Traced(argument.field, argument.role, "trusted", part.seen, private=True)

    @cached_property
    def _edited(self) -> frozenset[int]:
        """The events in which the very thing was read that the call changes: by the same path or id."""
        named = [
            one for one in self._found if one.role in {Role.PATH, Role.SELECTOR} and not isinstance(one.value, bool)
        ]
        return self._sightings.read_of([[str(form) for form in candidates(one)] for one in named])

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
        return argument.role is Role.QUERY and self._stakes.outward

    # One value

    def _origin(self, argument: Argument) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that is not free text."""
        value, role, parameter = argument.value, argument.role, argument.parameter
        if role in {Role.LIMIT, Role.QUERY} or (parameter.has_default and value == parameter.default):
            return ("default",)
        if role is Role.FLAG:
            return (self._flag(argument),)
        if role in {Role.SELECTOR, Role.PATH} and power_words(argument):
            return (self._power(argument),)
        if isinstance(value, str) and role in {Role.RECIPIENT, Role.DESTINATION} and not _is_plainly_written(value):
            return ("nowhere",)
        if isinstance(value, str) and role is Role.RECIPIENT and _is_mixed(value):
            return ("nowhere",)
        forms = [str(one) for one in candidates(argument) if one.type != "word"]
        if role is Role.AMOUNT:
            forms = [form for form in forms if form.startswith(("num:", "pct:", "money:", "count:"))] or forms
        else:
            other = ("money:", "name:", "count:") if names_one(argument.key) else ("money:", "name:")
            forms = [form for form in forms if not form.startswith(other)]
        if role is Role.CODE:
            return self._code(argument, forms)
        if role is Role.DATE and isinstance(value, str):
            return self._date(argument, forms)
        if isinstance(value, bool) or _is_ambiguous(value, role):
            return ("nowhere",)
        given = self._given(value, forms, role)
        if given is not None and (role is not Role.RECIPIENT or self._may_be_somebody(value, forms)):
            return (given,)
        if str(value).strip().lower() in self._shape.own:
            return ("own",)
        return self._found_in(argument, forms)

    def _found_in(self, argument: Argument, every: list[str]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that the user did not give."""
        forms = _as_such(argument, every)
        every_one = self._sightings.of_any(forms)
        if argument.role is Role.SECRET and self._shape.kind.verbs[:1] == ("sign in",):
            return self._opens(argument, every_one)
        new = [one for one in every_one if is_made(one) or is_new_key(one)]
        if argument.role in _PICKS and new and self._is_new_id(new, every_one):
            return ("made",)
        may_find = argument.role in _PICKS and not self._stakes.are_high and not self._stakes.are_money
        trusted = self._fit(argument, self._sightings.trusted(forms, argument.role, every, found=may_find))
        if trusted and not self._is_other_sum(argument):
            return ("nowhere",) if self._picker.is_passed_over(argument, trusted) else ("trusted",)
        theirs_only = self._is_other_sum(argument)
        if argument.role is Role.AMOUNT and is_reckoned(argument.value, self._sightings, theirs_only=theirs_only):
            return ("derived",)
        if self._picker.is_spoken_name(argument):
            return ("derived",)
        if self._steps.goes_on_with(argument):
            return ("derived",)
        seen = self._sightings.untrusted(forms, argument.role)
        by = changed_by(argument.value, self._sightings) if argument.role is Role.AMOUNT and not theirs_only else None
        if by is not None and not seen and "delegates" in self._sightings.marks:
            return ("delegated", by)
        if not seen:
            if self._is_mere_look(argument) and _is_small(argument.value):
                return ("derived",)
            is_choice = self._is_plain_choice(argument) and not self._sightings.is_cut
            return ("derived",) if is_choice else ("nowhere",)
        return self._untrusted(argument, seen)

    def _opens(self, argument: Argument, seen: list[Occurrence]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a password or a code comes from that opens an account, whoever keeps it: it must stand beside the
        service that it is for, or where the user pointed."""
        found = self._picker.opens_door(argument, seen)
        if found is not None:
            return ("picked", found)
        return ("untrusted", seen[-1]) if seen else ("nowhere",)

    def _fit(self, argument: Argument, trusted: list[Occurrence]) -> list[Occurrence]:
        """Those of the places where trusted data has a value from which such an argument may be taken: a sum is no
        balance and no id, and no file goes out that the user did not speak of."""
        if argument.role is Role.AMOUNT and self._stakes.are_money:
            return [one for one in trusted if not is_id_of(one) and "balance" not in field_of(one)]
        goes_out = argument.role is Role.PATH or not _ATTACHED.isdisjoint(name_words(argument.key))
        if goes_out and self._stakes.outward:
            return [one for one in trusted if self._sightings.is_spoken_of(one) or is_made(one)]
        return trusted

    def _untrusted(self, argument: Argument, seen: list[Occurrence]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that only untrusted content has."""
        role = argument.role
        if self._is_common_word(argument) or self._is_one_piece(argument):
            return ("derived",)
        if self._is_mere_look(argument):
            return ("picked", seen[0])
        picked = self._picker.picked(argument, seen)
        if picked is not None:
            return ("picked", picked)
        pointed = [one for one in seen if is_pointed(one)]
        if role not in SENSITIVE and "delegates" in self._sightings.marks:
            delegated = pointed or [one for one in seen if self._sightings.is_picked(one)]
            if delegated:
                return ("delegated", delegated[0])
        return ("untrusted", seen[-1])

    def _is_new_id(self, new: list[Occurrence], every: list[Occurrence]) -> bool:
        """Whether a value is the id of what a call of this session made. Where something is gone or goes out by it, a
        service must have said so in a field of its own, at the top of its answer, nobody must have named it before,
        and it must be such a thing that the call is about."""
        began = min(one.event.seq for one in every)
        if not self._stakes.are_high:
            return any(map(is_top_id, new)) or any(is_new_key(one) and one.event.seq == began for one in new)
        first = min((one.event.seq for one in every if is_id_of(one)), default=0)
        tops = [one for one in new if is_top_id(one) and one.event.seq == first]
        if not self._shape.kind.is_destroying:
            made = [one for one in new if is_new_key(one) and _TELLING.isdisjoint(kind_of(one.event.name).verbs[:1])]
            tops = tops or [one for one in made if one.event.seq == began]
        return any(not self._shape.kind.nouns.isdisjoint(kind_of(one.event.name).nouns) for one in tops)

    def _is_other_sum(self, argument: Argument) -> bool:
        """Whether a number would be spent in place of the sum that the user gave."""
        return (
            argument.role is Role.AMOUNT
            and self._stakes.are_money
            and any(one.money for one in self._sightings.requests)
        )

    def _may_be_somebody(self, value: Any, forms: list[str]) -> bool:
        """Whether what the user said may be somebody's name: that they said `report` makes nobody of that name."""
        if not isinstance(value, str) or any(form.startswith(_REACHED) for form in forms):
            return True
        if any(map(str.isdecimal, value)):
            return True
        return any(map(self._sightings.is_name, words(value)))

    def _is_mere_look(self, argument: Argument) -> bool:
        """Whether a value only picks what is read from afar: what was found in content tells nobody anything."""
        return self._fetches and argument.role in {Role.SELECTOR, Role.AMOUNT, Role.DATE}

    def _given(self, value: Any, forms: list[str], role: Role | None = None) -> Source | None:
        """Whether the user gave a value: as such, as a phrase, or in pieces; or said yes to it."""
        if role is Role.AMOUNT and self._stakes.are_money:
            has_sum = any(one.money for one in self._sightings.requests)
            forms = [form for form in forms if form.startswith(("money:",) if has_sum else ("money:", "num:"))]
            return self._said_or_shown(forms, role)
        if isinstance(value, str):
            exact = [form for form in forms if form.startswith(("email:", "url:"))][:1]
            wanted = exact or [form for form in forms if not form.startswith(("gram:", "part:"))]
            if value.strip().isdecimal():
                wanted = [form for form in wanted if not form.startswith("text:")]
            said = words(value)
            if len(said) > LONGEST_PHRASE and not exact:
                wanted = [form for form in wanted if not form.startswith("text:")]
                pieces = [f"text:{gram}" for gram in runs(said)] if len(said) <= MOST_WORDS else []
                if pieces and all(self._sightings.by_user([piece]) for piece in pieces):
                    return "user"
        else:
            wanted = forms
            if role is Role.AMOUNT and any(number_form(value) in one.numbers for one in self._sightings.requests):
                return "user"
        return self._said_or_shown(wanted, role)

    def _said_or_shown(self, forms: list[str], role: Role | None) -> Source | None:
        """Whether the user gave one of these, or said yes to it. Who sent something is not thereby one to send to."""
        marks = self._sightings.marks
        to = role is Role.RECIPIENT and ("replies" not in marks or "addressed" in marks)
        aside = to or (role is Role.AMOUNT and self._stakes.are_money) or self._shape.kind.is_destroying
        but = {FROM} if aside else set()
        but |= {THING} if role is Role.RECIPIENT else set()
        but |= {OTHER} if self._shape.kind.is_destroying else set()
        if self._sightings.by_user(forms, but=frozenset(but)):
            return "user"
        return "confirmed" if self._sightings.is_confirmed(forms) else None

    def _flag(self, argument: Argument) -> Source:
        value, choices = argument.value, argument.parameter.choices
        if power_words(argument):
            return self._power(argument)
        if choices and value not in choices:
            return "nowhere"
        if isinstance(value, str) and choices and not self._stakes.may_be_chosen(argument, self._sightings.marks):
            said = all(self._sightings.said_word(stem(word)) for word in words(value))
            return "user" if said else self._given(value, [f"text:{' '.join(words(value))}"]) or "nowhere"
        if isinstance(value, bool) and self._matters(value):
            return "user" if any(map(self._sightings.said_word, flag_words(argument))) else "nowhere"
        return "default"

    def _matters(self, value: bool) -> bool:  # noqa: FBT001 - it is the value of an argument
        """Whether a switch may do harm: on, where something goes out or is gone; off, where something is changed."""
        return self._stakes.are_high if value else self._shape.kind.verbs[:1] in (("change",), ("switch",))

    def _power(self, argument: Argument) -> Source:
        """A setting that lets more people in, or lets them do more: the user must have spoken of it."""
        found = power_words(argument)
        if isinstance(argument.value, str) and argument.value.strip().lower() not in POWERS:
            return "user" if all(map(self._sightings.told_word, found)) else "nowhere"
        return "user" if any(map(self._sightings.told_word, found)) else "nowhere"

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
            times = [form for form in forms if form.startswith("time:")]
            if times and self._stakes.are_lasting and not relative:
                return (self._given(0, times) or "nowhere",)
            if times:
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
        if not seen and self._stakes.are_lasting and not relative:
            return ("nowhere",)
        if not seen or (relative and not any(map(is_written, seen))):
            return ("derived",)
        return self._untrusted(argument, seen)

    def _is_plain_choice(self, argument: Argument) -> bool:
        """Whether a value that stands nowhere is one that a model picks by itself: `standard`, one piece. No address,
        no number and no id can be smuggled in as such."""
        value = argument.value
        if isinstance(value, int) and not _LASTING.isdisjoint(name_words(argument.key)):
            return 0 < value < _LONGEST_TIME and self._shape.kind.verbs[:1] in _TIMED
        if isinstance(value, int) and not _HEADS.isdisjoint(name_words(argument.key)):
            return 0 < value <= _MOST_HEADS and not self._stakes.are_money
        if argument.role is Role.AMOUNT:
            return self._is_one_piece(argument)
        if argument.role is Role.PATH:
            return not self._stakes.are_high and "file" not in self._sightings.marks
        said = value.replace("-", " ").replace("_", " ").split() if isinstance(value, str) else []
        small = not self._stakes.are_high and not self._stakes.are_money and not self._steps.is_led
        plain = 0 < len(said) <= LONGEST_CHOICE and all(
            word.isascii() and (word.isalpha() or (small and word.isdecimal() and len(word) <= 2)) for word in said
        )
        plain = plain and any(map(str.isalpha, said))
        if not _ADDRESSES.isdisjoint(name_words(argument.key)):
            return False
        return argument.role is Role.SELECTOR and plain and self._stakes.may_be_chosen(argument, self._sightings.marks)

    def _is_one_piece(self, argument: Argument) -> bool:
        """Whether a number is that of one piece, which nobody names; not a price, nor a sum."""
        named = name_words(argument.key)
        is_price = not _PRICES.isdisjoint(named) or (self._stakes.are_money and _PIECES.isdisjoint(named))
        return argument.role is Role.AMOUNT and argument.value == 1 and not is_price

    def _is_common_word(self, argument: Argument) -> bool:
        """Whether a value is one plain word, such as `home` or `standard`, that stands in any text."""
        value, kind = argument.value, self._shape.kind
        if argument.role is not Role.SELECTOR or not isinstance(value, str) or kind.is_destroying or kind.is_grave:
            return False
        plain = value.isascii() and value.isalpha() and value.islower() and len(value) <= LONGEST_WORD
        return plain and self._stakes.may_be_chosen(argument, self._sightings.marks)


def _is_mixed(value: str) -> bool:
    """Whether a value is a name with a small number behind it: nobody is called `Smith 20`."""
    said = value.split()
    return len(said) > 1 and said[-1].isdecimal() and len(said[-1]) < _SHORTEST_NUMBER and said[0].isalpha()


_SHORTEST_NUMBER: Final = 4


def _is_ambiguous(value: Any, role: Role) -> bool:
    """Whether a sum in digits may be two: `20.000`."""
    if role is not Role.AMOUNT or not isinstance(value, str):
        return False
    head, mark, rest = value.strip().replace(",", ".").rpartition(".")
    return bool(head and mark) and len(rest) == _THOUSANDS and rest.isdecimal()


_THOUSANDS: Final = 3


def _is_small(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < _SMALL


def _is_plainly_written(value: str) -> bool:
    """Whether a value that has an address or a link in it is that and nothing besides; or has none."""
    found = [one for one in values(value) if one.type in {"email", "url"}]
    marked = "@" in value or "://" in value
    return any(is_exactly(one, value) for one in found) if found or marked else True


def _as_such(argument: Argument, forms: list[str]) -> list[str]:
    """The forms by which a value is recognised: an address or a link only as such and as a whole, not by the words in
    it, nor by another one that is glued to it."""
    exact = [form for form in forms if form.startswith(("email:", "url:"))][:1]
    return exact if exact and argument.role in {Role.RECIPIENT, Role.DESTINATION} else forms
