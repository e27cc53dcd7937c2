"""Free text in a call: which addresses, links and numbers in it, and which runs of words, untrusted content supplied.

Facts from a source that the user pointed at may be passed on; a link, an address or a sentence from it that others
would read under the user's name may not, unless the user asked for a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.questions import MOST_WORDS, runs, secretive
from guardhouse.trust.ledger.reading import GRAM
from guardhouse.trust.ledger.sightings import is_made, is_pointed, is_structured
from guardhouse.trust.ledger.values import MONTHS, Value, values
from guardhouse.trust.ledger.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from guardhouse.model import Occurrence
    from guardhouse.trust.ledger.sightings import Sightings

_SHORTEST_ID: Final = 6
"""Characters of a number or id that could be an account: `#31` is none."""
_ENTITIES: Final = frozenset({"url", "email", "handle"})
_RUN_UNPOINTED: Final = 6
_RUN_POINTED: Final = 8
"""Words in a row that nobody writes by accident."""


class Supplied(NamedTuple):
    """A part of a text that somebody else supplied."""

    part: str
    seen: Occurrence | None
    """None: nobody gave it, as far as can be told."""
    private: bool = False
    """It is the user's own, and they did not speak of it."""


def supplied(
    text: str,
    sightings: Sightings,
    known: frozenset[str],
    *,
    outward: bool,
    own: Collection[int] = (),
) -> Iterator[Supplied]:
    """What of a text comes from untrusted content, or from private data that nobody spoke of; all of it, if it is too
    long to be looked up. `known` are values that need no source. `outward`: others will read it. `own` are events in
    which the thing itself was read that the text goes into."""
    if len(words(text)) > MOST_WORDS:
        yield Supplied("a long text", None)
        return
    for value in values(text):
        if value.type in _ENTITIES or (value.type == "id" and len(value.form) >= _SHORTEST_ID):
            found = _entity(value, sightings, known, outward=outward)
            if found is not None:
                yield found
    if outward:
        yield from _secret(text, sightings, known)
    yield from _copied(text, sightings, outward=outward, own=own)


def _secret(text: str, sightings: Sightings, known: frozenset[str]) -> Iterator[Supplied]:
    """The first piece of a text that stood in a field of which nobody passes on the value by the way."""
    for piece in secretive(text):
        private = [one for one in sightings.of(f"secret:{piece}") if not sightings.is_field_spoken_of(one)]
        if private and piece not in known and not sightings.by_user([f"text:{' '.join(words(piece))}"]):
            yield Supplied(piece, private[0], private=True)
            return


def _entity(value: Value, sightings: Sightings, known: frozenset[str], *, outward: bool) -> Supplied | None:
    """An address, a link or a number that stands in a text."""
    form = str(value)
    if sightings.by_user([form]) or sightings.is_confirmed([form]) or value.form in known:
        return None
    trusted = sightings.trusted([form])
    if outward and value.type == "url" and sightings.untrusted([form]):
        trusted = []  # whoever wrote it there may have written it here as well
    if trusted:
        kept = value.type != "id" or not outward or any(map(sightings.is_spoken_of, trusted))
        return None if kept else Supplied(value.form, trusted[0], private=True)
    found = sightings.untrusted([form])
    if not found and value.type == "url":
        # The host is somebody's, and what stands behind it is new: data that was glued to it.
        host = f"host:{_host(value.form)}"
        if sightings.by_user([host]):
            return None
        found = sightings.untrusted([host])
        if found:
            return Supplied(value.form, found[-1])
    if not found:
        # A link that nobody gave is one that a model was told to put together.
        reaches = value.type in _ENTITIES or _is_account(value)
        return Supplied(value.form, None) if outward and (sightings.is_cut or reaches) else None
    if any(map(is_made, found)):
        return None
    if outward:
        fine = any(is_structured(one) and sightings.is_picked(one) for one in found)
    else:
        fine = any(is_pointed(one) or sightings.is_picked(one) for one in found)
    return None if fine else Supplied(value.form, found[-1])


def _is_account(value: Value) -> bool:
    """Whether a number is so long that money or calls may go by it."""
    return value.type == "id" and sum(map(str.isdecimal, value.form)) >= _ACCOUNT


_ACCOUNT: Final = 9


def _host(form: str) -> str:
    """The host of a link, given by its form: without a user and a port."""
    place = form.partition("/")[0].rpartition("@")[2]
    host, colon, port = place.rpartition(":")
    return host if colon and port.isdecimal() else place


def _copied(text: str, sightings: Sightings, *, outward: bool, own: Collection[int]) -> Iterator[Supplied]:
    """The first run of words that was copied from untrusted content and is longer than chance, and the first one from
    private data. Where more was read than can be found again, nobody can say that there is none."""
    said = words(text)
    if outward and sightings.is_cut and len(said) >= _RUN_POINTED:
        yield Supplied(f"{len(said)} words", None)
        return
    forms = runs(said)
    for stretch, seen in _runs_of(said, (_from_elsewhere(sightings.planted(form), own) for form in forms)):
        # Days, times and numbers nobody can say otherwise.
        length = sum(word not in _FIXED and not word[:1].isdecimal() for word in stretch)
        if _is_copy(length, sightings, pointed=all(any(map(is_pointed, found)) for found in seen), outward=outward):
            yield Supplied(f"{length} words", seen[-1][0])
            break
    if outward:
        for stretch, seen in _runs_of(said, (sightings.private(form) for form in forms)):
            if len(stretch) >= _RUN_POINTED:
                yield Supplied(f"{len(stretch)} words", seen[-1][0], private=True)
                break


def _from_elsewhere(planted: list[Occurrence], own: Collection[int]) -> list[Occurrence]:
    """Where a run of words was seen, if not in the very thing that it goes into."""
    return [] if any(one.event.seq in own for one in planted) else planted


def _runs_of(
    said: list[str], sightings: Iterable[list[Occurrence]]
) -> Iterator[tuple[list[str], list[list[Occurrence]]]]:
    """The stretches of a text of which every run of words was seen, and where."""
    seen: list[list[Occurrence]] = []
    for at, found in enumerate((*sightings, [])):
        if found:
            seen.append(found)
        elif seen:
            yield said[at - len(seen) : at + GRAM - 1], seen
            seen = []


_FIXED: Final = frozenset(MONTHS) | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday oclock am pm noon midnight morning afternoon evening "
    "half quarter past one two three four five six seven eight nine ten eleven twelve".split()
)
"""Words of days, times and numbers."""


def _is_copy(length: int, sightings: Sightings, *, pointed: bool, outward: bool) -> bool:
    if not pointed:
        return length >= _RUN_UNPOINTED
    return outward and length >= _RUN_POINTED and "copies" not in sightings.marks
