"""The readers of URLs, addresses and hosts, loaded when there is one to be read: most calls name none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardhouse.net.destination import Destination
    from guardhouse.net.hosts import HostClass


def parse_destination(url: str) -> Destination:
    """The parts of `url`; see `destination`. BadDestination if it can't be read in exactly one way."""
    from guardhouse.net import destination

    return destination.parse_destination(url)


def address_class(address: str) -> str | None:
    """What kind of special address it is, or None for a public one; see `addresses`."""
    from guardhouse.net import addresses

    return addresses.address_class(address)


def host_class(host: str) -> HostClass | None:
    """What kind of anybody's host it is; see `hosts`."""
    from guardhouse.net import hosts

    return hosts.host_class(host)


def is_local_name(host: str) -> bool:
    """Whether a name is local by definition; see `local_names`."""
    from guardhouse.net import local_names

    return local_names.is_local_name(host)
