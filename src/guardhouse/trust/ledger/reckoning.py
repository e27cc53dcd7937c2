"""Amounts that follow from others: a sum, a difference, a percentage or a share, where the user has a word for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardhouse.trust.ledger.questions import SHARES, changes, operands
from guardhouse.trust.ledger.sightings import is_id_of, is_pointed, is_written
from guardhouse.trust.ledger.values import number_form

if TYPE_CHECKING:
    from guardhouse.model import Occurrence
    from guardhouse.trust.ledger.sightings import Sightings


def is_reckoned(value: Any, sightings: Sightings, *, theirs_only: bool = False) -> bool:
    """Whether a number follows from one that the user gave and one in play, with a word for the reckoning;
    `theirs_only`, from two that the user gave."""
    requests = sightings.requests
    reckons = "reckons" in sightings.marks or any(request.percents for request in requests)
    if not isinstance(value, (int, float)) or not (reckons or "shares" in sightings.marks):
        return False
    if not reckons:
        return _is_share(float(value), sightings, theirs_only=theirs_only)
    found = operands(float(value), requests)
    if theirs_only:
        given = {number for request in requests for number in (*request.money, *request.percents)}
        return any(operand in given for operand in found)
    forms = [f"num:{operand}" for operand in found]
    in_play = [one for one in sightings.untrusted(forms) if not is_id_of(one)]
    trusted = any(sightings.trusted([form]) for form in forms)
    return trusted or any(is_pointed(one) or not is_written(one) for one in in_play)


def changed_by(value: Any, sightings: Sightings) -> Occurrence | None:
    """Where a source that the user pointed at says by how much to change a sum, if a number is one of the user's own
    sums with that added or taken off."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    for step, before in changes(float(value)):
        said = [one for one in sightings.untrusted([f"num:{step}"]) if is_pointed(one) and not is_id_of(one)]
        own = [one for one in sightings.trusted([f"num:{before}"]) if not is_id_of(one)]
        if said and own:
            return said[0]
    return None


def _is_share(value: float, sightings: Sightings, *, theirs_only: bool) -> bool:
    """Whether a number is a part of one that the user gave, or a part or a multiple of one in a source that they
    pointed at."""
    given = [float(number) for request in sightings.requests for number in request.numbers]
    parts = [number_form(value * times) for times in SHARES]
    if any(number_form(number) in parts for number in given):
        return True
    wholes = [] if theirs_only else [*parts, *(number_form(value / times) for times in SHARES)]
    found = [one for form in wholes for one in sightings.untrusted([f"num:{form}"])]
    return any(is_pointed(one) and not is_id_of(one) for one in found)
