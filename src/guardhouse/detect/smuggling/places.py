"""Whether a request leaves something at a place of anybody's, on a host that is allowed for other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.net import parse_destination
from guardhouse.net.places import names_place, place_of

if TYPE_CHECKING:
    from guardhouse.net import NetworkRules
    from guardhouse.net.destination import Destination


def anybodys_place(rules: NetworkRules, destination: Destination, *, sends: bool) -> str:
    """What kind of anybody's place a request leaves something in; empty if none, or if that very place is allowed."""
    place = place_of(destination, sends=sends)
    if place is None:
        return ""
    pattern = rules.allows(destination) or "*"
    if place.path == "/" and not pattern.startswith("*"):
        return ""  # the host is nothing else, and somebody named it
    prefix = rules.prefix_of(destination)
    if prefix is not None and names_place(parse_destination(prefix), place):
        return ""
    return place.kind
