"""The ledger's judgement: where each argument of a call comes from, and whether that is good enough for what it does.

Pure: it is given the call, what is known of the tool, and what the session's index answered. What follows is for
policy; here it is only said what was found, and of which argument.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.trust.ledger.arguments import LONGEST_WORD, Argument, names_one
from guardhouse.trust.ledger.fields import WRITERS, is_confidential
from guardhouse.trust.ledger.intent import asks_for
from guardhouse.trust.ledger.kinds import synonyms
from guardhouse.trust.ledger.questions import (
    LONGEST_PHRASE,
    MOST_WORDS,
    SHARES,
    candidates,
    grant_of,
    grave_choices,
    operands,
    power_words,
    runs,
)
from guardhouse.trust.ledger.reading import ANY_ACT
from guardhouse.trust.ledger.roles import SENSITIVE, Role
from guardhouse.trust.ledger.sightings import (
    Sightings,
    field_of,
    is_id_of,
    is_key,
    is_listed,
    is_made,
    is_new_key,
    is_pointed,
    is_structured,
    is_top_id,
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
_CARRIERS: Final = frozenset(
    map(stem, "email mail inbox message sms chat thread letter note notes page web webpage website site search article "
              "document doc file post comment review feed dm text".split())
)  # fmt: skip
"""What brings in texts that anybody writes, by a word of the tool's name."""
_REACHED: Final = ("email:", "url:", "handle:", "host:")
_CHOOSING: Final = frozenset({"run", "download", "switch", "sign in"})
"""Kinds of which the one thing that is named says what happens."""
_COMPLETING: Final = frozenset({"confirm", "redeem"})
_SMALL: Final = 10_000
"""A number below tells hardly anything."""
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
            if is_confidential(field_of(one)) and not self._sightings.is_spoken_of(one):
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
            forms = [form for form in forms if form.startswith(("num:", "pct:", "money:", "count:"))] or forms
        else:
            other = ("money:", "name:", "count:") if names_one(argument.key) else ("money:", "name:")
            forms = [form for form in forms if not form.startswith(other)]
        if role is Role.CODE:
            return self._code(argument, forms)
        if role is Role.DATE and isinstance(value, str):
            return self._date(argument, forms)
        given = self._given(value, forms, role)
        if given is not None and (role is not Role.RECIPIENT or self._may_be_somebody(value, forms)):
            return (given,)
        if str(value).strip().lower() in self._shape.own:
            return ("own",)
        return self._found_in(argument, forms)

    def _found_in(self, argument: Argument, every: list[str]) -> tuple[Source] | tuple[Source, Occurrence]:
        """Where a value comes from that the user did not give."""
        forms = _as_such(argument, every)
        new = [one for one in self._sightings.of_any(forms) if is_made(one) or is_new_key(one)]
        if argument.role in _PICKS and new and self._is_new_id(new):
            return ("made",)
        trusted = self._sightings.trusted(forms, argument.role, every)
        if trusted and not self._is_other_sum(argument):
            return ("nowhere",) if self._is_passed_over(argument, trusted) else ("trusted",)
        if argument.role is Role.AMOUNT and self._is_reckoned(argument.value):
            return ("derived",)
        if self._is_spoken_name(argument):
            return ("derived",)
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
        if any(self._sightings.is_outdone(one) for one in seen if is_key(one) or is_structured(one)):
            return None
        keys = [one for one in seen if is_key(one) and self._may_list(one)]
        for one in filter(self._sightings.is_named, keys):
            if self._sightings.is_listed_among(one) or not (self._is_weighty or self._is_order(one)):
                return one
        return None

    def _may_list(self, one: Occurrence) -> bool:
        """Whether what brought a listing in lists such things: a mail that lists invoices is somebody's text."""
        source = {stem(word) for word in name_words(one.event.name)}
        return source.isdisjoint(_CARRIERS) or not source.isdisjoint(self._shape.kind.nouns)

    def _is_new_id(self, new: list[Occurrence]) -> bool:
        """Whether a value is the id of what a call of this session made. Where something is gone or goes out by it, a
        service must have said so in a field of its own, at the top of its answer."""
        return any(map(is_top_id, new)) or (not self._is_weighty and any(map(is_new_key, new)))

    def _is_other_sum(self, argument: Argument) -> bool:
        """Whether a number would be spent in place of the sum that the user gave."""
        return argument.role is Role.AMOUNT and self._spends and any(one.money for one in self._sightings.requests)

    @property
    def _spends(self) -> bool:
        return "pay" in self._shape.kind.verbs or self._shape.spends

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

    def _given(self, value: Any, forms: list[str], role: Role | None = None) -> Source | None:
        """Whether the user gave a value: as such, as a phrase, or in pieces; or said yes to it."""
        if role is Role.AMOUNT and self._spends and any(one.money for one in self._sightings.requests):
            forms = [form for form in forms if form.startswith("money:")]
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
        to = role is Role.RECIPIENT and "replies" not in self._sightings.marks
        if self._sightings.by_user(forms, to=to):
            return "user"
        return "confirmed" if self._sightings.is_confirmed(forms) else None

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
        if self._is_somebody_elses(str(argument.value)):
            return False
        named = name_words(field_of(one))
        if not self._sightings.fields.isdisjoint(stem(word) for word in named if word != "email"):
            return True
        if "replies" in self._sightings.marks and not WRITERS.isdisjoint(named[-1:]):
            return True
        if self._sightings.speaks_of(str(argument.value)):
            return True
        return _is_name(str(argument.value)) and not self._spends

    def _is_somebody_elses(self, value: str) -> bool:
        """Whether an address goes by a name that trusted data has, with another address: then it is not theirs."""
        local = words(value.partition("@")[0])[:1] if "@" in value else []
        found = [one for word in local for one in self._sightings.of(f"part:{word}")]
        return any(one.event.grade == "trusted" and is_structured(one) for one in found)

    def _is_named_member(self, value: str, one: Occurrence) -> bool:
        """Whether a recipient stands in a field of a record that the user pointed at, and the user spoke of them by
        name; or is the name of somebody or some place in the user's own circle, which they asked to have found."""
        if self._is_somebody_elses(value):
            return False
        if self._sightings.speaks_of(value) and is_pointed(one):
            return True
        return _is_name(value) and not self._spends and "everyone" in self._sightings.marks

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
        if not isinstance(value, (int, float)) or not (reckons or "shares" in self._sightings.marks):
            return False
        if not reckons:
            return self._is_share(float(value))
        forms = [f"num:{operand}" for operand in operands(float(value), requests)]
        in_play = [one for one in self._sightings.untrusted(forms) if not is_id_of(one)]
        trusted = any(self._sightings.trusted([form]) for form in forms)
        return trusted or any(is_pointed(one) or not is_written(one) for one in in_play)

    def _is_share(self, value: float) -> bool:
        """Whether a number is a part or a multiple of one that the user gave, or of one in a source that they pointed
        at."""
        given = [float(number) for request in self._sightings.requests for number in request.numbers]
        wholes = [number_form(value * times) for times in SHARES] + [number_form(value / times) for times in SHARES]
        if any(number_form(number) in wholes for number in given):
            return True
        found = [one for form in wholes for one in self._sightings.untrusted([f"num:{form}"])]
        return any(is_pointed(one) and not is_id_of(one) for one in found)

    def _is_spoken_name(self, argument: Argument) -> bool:
        """Whether a value is the full name of somebody whom the user named in part. Who that is, is told by the
        user's own contacts; an address or a number would not be."""
        value = argument.value
        if argument.role not in {Role.RECIPIENT, Role.SELECTOR} or not isinstance(value, str):
            return False
        if not (1 < len(value.split()) <= _LONGEST_CHOICE and _is_name(value) and self._sightings.speaks_of(value)):
            return False
        forms = [f"text:{' '.join(words(value))}"]
        known = self._sightings.untrusted(forms) if not self._spends else []
        return bool(self._sightings.trusted(forms)) or any(map(is_structured, known))

    def _is_plain_choice(self, argument: Argument) -> bool:
        """Whether a value that stands nowhere is one that a model picks by itself: `standard`, one piece. No address,
        no number and no id can be smuggled in as such."""
        value = argument.value
        if argument.role is Role.AMOUNT:
            return bool(value == 1)
        if argument.role is Role.PATH:
            return not self._is_weighty and "file" not in self._sightings.marks
        said = words(value) if isinstance(value, str) else []
        plain = 0 < len(said) <= _LONGEST_CHOICE and all(word.isalpha() and word.isascii() for word in said)
        return argument.role is Role.SELECTOR and plain and self._may_be_chosen(argument)

    def _may_be_chosen(self, argument: Argument) -> bool:
        """Whether a model may pick a plain word by itself: where little hangs on it, or for a setting of the call."""
        is_setting = not _SETTINGS.isdisjoint(name_words(argument.key))
        return is_setting or not (self._is_weighty or _CHOOSING.intersection(self._shape.kind.verbs[:1]))

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


def _as_such(argument: Argument, forms: list[str]) -> list[str]:
    """The forms by which a value is recognised: an address or a link only as such and as a whole, not by the words in
    it, nor by another one that is glued to it."""
    exact = [form for form in forms if form.startswith(("email:", "url:"))][:1]
    return exact if exact and argument.role in {Role.RECIPIENT, Role.DESTINATION} else forms


def _is_name(value: str) -> bool:
    """Whether a value is the name of somebody or something, and no address or account."""
    return all(word.isalpha() or len(word) <= 2 for word in words(value)) and not set(value) & set("@/.:+")
