"""What the index answered, as the ledger reads it: who gave a value, and whether the user's words single it out.

The user's words and the words of objects are compared as fingerprints; nothing here needs their texts.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Final

from guardhouse.model import WRITTEN
from guardhouse.trust.evidence import Evidence, EvidenceSource
from guardhouse.trust.ledger.fields import is_made_id
from guardhouse.trust.ledger.kinds import synonyms
from guardhouse.trust.ledger.leading import leading
from guardhouse.trust.ledger.reading import ANYTHING, COLUMN, FIRST_KEY, KEY, LISTED, WORKED
from guardhouse.trust.ledger.saying import FROM
from guardhouse.trust.ledger.words import name_words, pieces, stem, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from guardhouse.model import KeptObject, Occurrence, SessionState, Traces
    from guardhouse.trust.ledger.kinds import Kind
    from guardhouse.trust.ledger.request import Request
    from guardhouse.trust.ledger.roles import Role

_BY_MODEL: Final = frozenset({WRITTEN, WORKED})
_FEW_WORDS: Final = 8
_TELLING: Final = 2
"""Words that some of the entries share, from which on these are a sort of their own."""
_SHORTEST_NAME: Final = 3


class Sightings:
    """The answers to the questions about one call."""

    def __init__(self, state: SessionState, traces: Traces, requests: Sequence[Request]) -> None:
        self._state = state
        self._traces = traces
        self.requests = tuple(requests)
        self.is_cut = state.cut > 0
        """More untrusted content was read than can be found again: what is found nowhere may be from there."""
        self.marks = frozenset(mark for request in requests for mark in request.marks)
        self.fields = frozenset(field for request in requests for field in request.fields)
        self._places = frozenset(request.place for request in requests if request.place is not None)
        self._sets = frozenset(number for request in requests for number in request.sets)
        self._families: dict[tuple[int, int, bool], _Family] = {}

    @property
    def ordered(self) -> frozenset[str]:
        """The kinds of action that the user's orders ask for plainly."""
        return frozenset(one for request in self.requests for one in request.kinds)

    def is_asked_again(self, since: int, kind: Kind) -> bool:
        """Whether the user asked for such an action to be done again, and did so after that event."""
        heard = [request for request, seq in zip(self.requests, self._state.heard, strict=False) if seq > since]
        again = [request for request in heard if "again" in request.marks]
        meant = {*kind.verbs, *(("send",) if "pay" in kind.verbs else ())}  # `send it again`
        return any(not {*request.kinds, *request.hints}.isdisjoint(meant) for request in again)

    def of(self, value: str) -> tuple[Occurrence, ...]:
        """Where a value was seen, not counting what the model itself wrote."""
        return tuple(one for one in self._traces.found.get(value, ()) if one.slot not in _BY_MODEL)

    def of_any(self, values: Iterable[str]) -> list[Occurrence]:
        """Where any of these was seen."""
        return [one for value in values for one in self.of(value)]

    def by_user(self, values: Iterable[str], *, but: frozenset[str] = frozenset()) -> bool:
        """Whether the user gave one of these, `but` not in one of these slots: as where something comes from, say."""
        return any(one.event.grade == "user" and one.slot not in but for one in self.of_any(values))

    def is_confirmed(self, values: Iterable[str]) -> bool:
        """Whether the assistant showed one of these, and the user then said yes."""
        confirmed = self._state.confirmed
        return confirmed is not None and any(one.event.seq == confirmed for one in self.of_any(values))

    def trusted(
        self,
        forms: Sequence[str],
        role: Role | None = None,
        written: Sequence[str] | None = None,
        *,
        found: bool = False,
    ) -> list[Occurrence]:
        """Where trusted data had a value, given in the forms that count; for an argument of that role, if it is to be
        trusted for it. What a model had written before, in one of the forms `written`, after untrusted content came
        in, is nobody's word when it comes back. `found`: also what was looked up by a stranger's word, if it is one of
        the user's own things that they spoke of."""
        seen = [
            one
            for one in self.of_any(forms)
            if (one.event.grade == "trusted" or (found and self._is_found(one)))
            and is_told(one)
            and not is_unfit(one, role)
        ]
        return seen if seen and min(one.event.seq for one in seen) < self._first_written(written or forms) else []

    def _first_written(self, forms: Iterable[str]) -> float:
        """When the model wrote a value for the first time, as a whole or piece by piece."""
        forms = tuple(forms)
        parts = [pieces(form.partition(":")[2]) for form in forms if form.startswith(("text:", "email:"))]
        by_word = (max((self._written(f"part:{word}") for word in said), default=inf) for said in parts)
        return min((*map(self._written, (*forms, str(ANYTHING))), *by_word))

    def _written(self, form: str) -> float:
        return min((one.event.seq for one in self._traces.found.get(form, ()) if one.slot == WRITTEN), default=inf)

    def untrusted(self, values: Iterable[str], role: Role | None = None) -> list[Occurrence]:
        """Where untrusted content had one of these, or what is untrusted for that role. What the assistant says is
        nobody's source."""
        return [
            one
            for one in self.of_any(values)
            if (one.event.grade == "untrusted" and one.event.kind != "assistant_showed") or is_unfit(one, role)
        ]

    def _is_found(self, one: Occurrence) -> bool:
        """Whether it belongs to one of the user's own things: untrusted content alone said which one to look up, but
        it is one that the user spoke of."""
        if one.event.detail is None or "led" not in one.event.detail:
            return False
        return self.is_by_somebody_named(one) or (self._is_told_of(one) and self.is_picked(one))

    def _is_told_of(self, one: Occurrence) -> bool:
        """Whether the user spoke of what a value belongs to."""
        own = self.object_of(one)
        return own is not None and not self._state.said.isdisjoint(own.words)

    def is_worked_on(self, forms: Iterable[str]) -> bool:
        """Whether a call of this session that made or changed something was given one of these."""
        found = (one for form in forms for one in self._traces.found.get(form, ()))
        return any(one.slot == WORKED and is_deed(one) for one in found)

    def read_of(self, values: Sequence[Sequence[str]]) -> frozenset[int]:
        """The events that came back from calls with all of these values, each given in its forms."""
        asked = [
            {one.event.seq for form in forms for one in self._traces.found.get(form, ()) if one.slot == WRITTEN}
            for forms in values
        ]
        return frozenset(set.intersection(*asked)) if asked else frozenset()

    def planted(self, run: str) -> list[Occurrence]:
        """Where untrusted content had a run of words that neither the user said nor trusted data had before it."""
        found = self.of(f"gram:{run}")
        foreign = self.untrusted([f"gram:{run}"])
        if not foreign or self.by_user([f"text:{run}"]):
            return []
        first = foreign[0].event.seq
        return [] if any(one.event.seq < first for one in found if one not in foreign) else foreign

    def private(self, run: str) -> list[Occurrence]:
        """Where the user's own data had a run of words that nobody spoke of: not the user, nor was it looked up on
        their word."""
        found = self.of(f"gram:{run}")
        if not found or self.by_user([f"text:{run}"]) or any(one.event.grade != "trusted" for one in found):
            return []
        return [] if any(is_pointed(one) or self.is_spoken_of(one) for one in found) else list(found)

    def said_word(self, word: str) -> bool:
        """Whether the user's words have this stem."""
        return any(one.event.grade == "user" for one in self.of(f"word:{word}"))

    def told_word(self, word: str) -> bool:
        """The same, but for words that are only asked about."""
        return any(one.event.grade == "user" and one.slot != FROM for one in self.of(f"word:{word}"))

    def bade(self, word: str) -> bool:
        """Whether the user's words have this stem for something to do."""
        return any(one.event.grade == "user" for one in self.of(f"act:{word}"))

    def may_be_led(self, kind: Kind) -> bool:
        """Whether a text that came in may have told the model to do such a thing."""
        return self.is_cut or not kind.verbs or bool(self.untrusted(leading(kind)))

    def speaks_of_all(self, nouns: Collection[str]) -> bool:
        """Whether the user spoke of all of these, each in one word or another; there must be one."""
        return bool(nouns) and all(any(map(self.said_word, synonyms(noun))) for noun in nouns)

    def speaks_of(self, name: str) -> bool:
        """Whether the user named somebody: by a part of their name, or by the first part of their address."""
        said = [word for word in words(name.partition("@")[0]) if len(word) >= _SHORTEST_NAME and word.isalpha()]
        return any(self.is_name(word) for word in said[:2])

    def is_name(self, word: str) -> bool:
        """Whether the user's words have this as a name, or may have; or what they said yes to has."""
        return self.by_user([f"name:{word}"]) or self.is_confirmed([f"name:{word}"])

    def object_of(self, one: Occurrence) -> KeptObject | None:
        """The thing that a value belongs to."""
        objects = self._traces.objects.get(one.event.seq, ())
        place = place_of(one)
        return objects[place] if place is not None and place < len(objects) else None

    def is_spoken_of(self, one: Occurrence) -> bool:
        """Whether the user spoke of the field that a value stands in, or of what it belongs to."""
        if self.is_field_spoken_of(one):
            return True
        return self._is_told_of(one)

    def is_by_somebody_named(self, one: Occurrence) -> bool:
        """Whether what a value belongs to is the entry of somebody whom the user named."""
        own = self.object_of(one)
        return own is not None and not self._state.named.isdisjoint(own.words)

    def is_field_spoken_of(self, one: Occurrence) -> bool:
        """Whether the user spoke of the field that a value stands in."""
        return not self.fields.isdisjoint(map(stem, name_words(field_of(one))))

    def is_picked(self, one: Occurrence, *, loosely: bool = False) -> bool:
        """Whether the user's words single out the thing that a value belongs to, among its siblings: it has what they
        asked for most or least of, it is the one at the place that they named, or it fits their words best, and better
        than any other. `loosely`, it is enough that it alone has one of their words."""
        own = self.object_of(one)
        place = place_of(one)
        if own is None or place is None:
            return False
        family = self._family(one.event.seq, own)
        if self._is_spared(own):
            return False
        if not self.marks.isdisjoint(own.flags) and family.may_stand_out(place):
            return True
        if family.index(place) in self._places & family.several:
            return True
        if family.are_alike and str(len(family.scores)) in self._sets:
            return True  # `the three pictures of the beach`, and there are three
        mine = family.scores[place]
        if len(family.scores) == 1:
            return mine > 0 or is_pointed(one)
        if "all" in self.marks:
            return mine > 0 or (loosely and is_pointed(one))
        if loosely and place in family.distinct:
            return True
        return bool(mine > 0 and mine == family.best and (family.ties == 1 or str(family.ties) in self._sets))

    def _is_spared(self, own: KeptObject) -> bool:
        """Whether something has a word of what the user left out."""
        return not self._state.spared.isdisjoint(own.words)

    @property
    def spares(self) -> bool:
        """Whether the user left something out."""
        return bool(self._state.spared)

    def is_named(self, one: Occurrence) -> bool:
        """Whether the user's words single out what a value belongs to, and it is more than all that was there to read:
        a lone sentence is not picked by having been looked at."""
        own = self.object_of(one)
        if own is None:
            return False
        is_lone = len(self._family(one.event.seq, own).scores) == 1
        if is_lone and self._state.said.isdisjoint(own.words):
            return False
        return self.is_picked(one)

    def is_passed_over(self, one: Occurrence) -> bool:
        """Whether the user spoke of one of the siblings of what a value belongs to, and of nothing that it has; or of
        the one that is first or has most of something, and it is another."""
        own = self.object_of(one)
        place = place_of(one)
        if own is None or place is None:
            return one.event.seq in self._traces.objects  # one of very many: nobody can tell
        family = self._family(one.event.seq, own)
        if self._is_spared(own):
            return True
        if self._places & family.several and family.index(place) not in self._places:
            return True
        if not self.marks.isdisjoint(family.flagged_like(place)) and self.marks.isdisjoint(own.flags):
            return True
        return bool(family.scores[place] == 0 and family.best > 0)

    def is_outdone(self, one: Occurrence) -> bool:
        """Whether a sibling of what a value belongs to fits the user's words better."""
        own = self.object_of(one)
        place = place_of(one)
        if own is None or place is None:
            return False
        family = self._family(one.event.seq, own)
        if self.is_passed_over(one):
            return True
        is_counted = family.index(place) in self._places & family.several
        return family.scores[place] < family.best and not is_counted

    def is_claimed(self, one: Occurrence) -> bool:
        """Whether a value is the own id of something that the user passed over: then whoever else has it forged it."""
        return is_key(one) and self.is_passed_over(one)

    def is_listed_among(self, one: Occurrence) -> bool:
        """Whether what a value belongs to is one of several that a service lists, and not the only one."""
        own = self.object_of(one)
        return own is not None and LISTED in own.flags and len(self._family(one.event.seq, own).scores) > 1

    def has_siblings(self, one: Occurrence) -> bool:
        """Whether what a value belongs to is one of several."""
        own = self.object_of(one)
        return own is not None and len(self._family(one.event.seq, own).scores) > 1

    def _family(self, seq: int, own: KeptObject) -> _Family:
        """The siblings of an object, looked at once. In a listing, what is not listed is none of them."""
        listed = LISTED in own.flags
        known = self._families.get((seq, own.group, listed))
        if known is None:
            siblings = [
                (place, one)
                for place, one in enumerate(self._traces.objects[seq])
                if one.group == own.group and (not listed or LISTED in one.flags)
            ]
            members = [(place, self._state.said.intersection(one.words), len(one.words)) for place, one in siblings]
            known = self._families[seq, own.group, listed] = _Family(members, dict(siblings))
        return known


class _Family:
    """Siblings, and how much of each the user spoke of. Words that all of them share tell nothing, and who piles up
    words so as to fit every request fits none of them well."""

    def __init__(self, members: list[tuple[int, frozenset[int], int]], objects: Mapping[int, KeptObject]) -> None:
        self._objects = objects
        shared = Counter(word for _, said, _ in members for word in said)
        alone = len(members) == 1
        self.scores: dict[int, float] = {
            place: round(
                sum(1 / shared[word] for word in said if alone or shared[word] < len(members))
                / max(size, _FEW_WORDS) ** 0.5,
                6,
            )
            for place, said, size in members
        }
        self._sort = {place: sum(1 < shared[word] < len(members) for word in said) for place, said, _ in members}
        """How many words of the user's each of them shares with some of the others, and not with all."""
        self.best = max(self.scores.values())
        self.ties = list(self.scores.values()).count(self.best)
        self.distinct = {place for place, said, _ in members if any(shared[word] == 1 for word in said)}
        self.are_alike = not alone and len(members) in shared.values() and self.ties == len(members)
        """All of them have one of the user's words, and none has more of them."""
        self.several = frozenset(range(len(members))) if not alone else frozenset[int]()
        self._order = {place: number for number, place in enumerate(self.scores)}

    def may_stand_out(self, place: int) -> bool:
        """Whether it may be the one that has most of something: it is of the sort that the user spoke of, or no sort
        can be told. The cheapest running watch is no cheap thing of another sort."""
        return self._sort[place] > 0 or max(self._sort.values()) < _TELLING

    def flagged_like(self, place: int) -> frozenset[str]:
        """What those have most of that may be of the same sort."""
        fitting = (one for other, one in self._objects.items() if self.may_stand_out(other) or not self._sort[place])
        return frozenset(flag for one in fitting for flag in one.flags)

    def index(self, place: int) -> int:
        """Which one of them it is, from 0."""
        return self._order[place]


def place_of(one: Occurrence) -> int | None:
    """The number of the thing, within its event, that a value belongs to."""
    digits = one.slot.partition(":")[0][1:]
    return int(digits) if digits.isdecimal() else None


def field_of(one: Occurrence) -> str:
    """The field that a value stood in; empty for prose."""
    return one.slot.partition(":")[2]


def is_structured(one: Occurrence) -> bool:
    """Whether it stood in a field of a record, and was all of it, or nearly."""
    return one.slot[:1] in {"f", "s", "o"}


def is_written(one: Occurrence) -> bool:
    """Whether somebody wrote it, other than a service in a field of its own."""
    return one.slot[:1] in {"p", "f"}


def is_listed(one: Occurrence) -> bool:
    """Whether it stood in a text by itself, and not in the free text of a record."""
    return one.slot[:1] == "p" and one.slot.endswith(":")


def is_key(one: Occurrence) -> bool:
    """Whether it is the own id of an entry of a listing."""
    return one.slot[:1] == KEY


def is_column(one: Occurrence) -> bool:
    """Whether it is an id of an entry of a listing, its own or another in a column of its own."""
    return one.slot[:1] in {KEY, COLUMN}


def is_unfit(one: Occurrence | None, role: Role | None) -> bool:
    """Whether it stood in a file of the project's, and such an argument is nothing for those to say."""
    if one is None or role is None or one.event.grade != "trusted" or one.event.detail is None:
        return False
    source = one.event.detail.get("evidence")
    return source is not None and not Evidence(EvidenceSource(source)).is_trusted_for(role.value)


def is_pointed(one: Occurrence) -> bool:
    """Whether the call that brought this in was about something that the user named."""
    return one.event.detail is not None and "pointed" in one.event.detail


def is_made(one: Occurrence) -> bool:
    """Whether it came back from a call that made or changed something, in a field that the service fills in."""
    return is_deed(one) and is_made_id(one.slot)


def is_told(one: Occurrence) -> bool:
    """Whether somebody told it: it was found somewhere, and is neither a grant nor what a call only said back."""
    return one.event.kind != "granted" and not (one.event.detail is not None and "said_back" in one.event.detail)


def is_id_of(one: Occurrence) -> bool:
    """Whether it stood where a service says which one it is: such a number is no amount."""
    return is_made_id(one.slot)


def is_top_id(one: Occurrence) -> bool:
    """Whether it is the id at the top of an answer of a service that made something."""
    return is_made(one) and place_of(one) == 0


def is_new_key(one: Occurrence) -> bool:
    """Whether it is the id that a service began its answer with, to a call that made something."""
    return is_deed(one) and one.slot == FIRST_KEY


def is_deed(one: Occurrence) -> bool:
    """Whether the call that it belongs to made or changed something."""
    return one.event.detail is not None and "made" in one.event.detail
