"""The allowlist entries that come nearest to a destination that none of them covers, and why each does not.

For a person who thought that it was allowed. Nothing is decided here: `rules` has decided, and the entries are read by
its own functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.net.rules import ANY_DEFAULT_PORT, read_domain, read_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.net.destination import Destination
    from guardhouse.net.rules import NetworkRules

_MOST: Final = 3


class NearMiss(NamedTuple):
    """An entry that does not cover a destination."""

    entry: str
    """As it was written."""
    why: str
    """What is different, as a clause: `it is for port 8443`."""


def near_misses(rules: NetworkRules, destination: Destination) -> list[NearMiss]:
    """The entries that are nearest to `destination`, the nearest first; none where nothing is near."""
    found = [
        *((rank, miss) for entry in rules.settings.allowed_url_prefixes for rank, miss in _prefix(entry, destination)),
        *((rank, miss) for entry in rules.settings.allowed_domains for rank, miss in _domain(entry, destination)),
    ]
    return [miss for _, miss in sorted(found, key=lambda one: one[0])[:_MOST]]


def _domain(entry: str, destination: Destination) -> Iterator[tuple[int, NearMiss]]:
    if entry == "*":
        return
    below = entry.startswith("*.")
    name, port, _ = read_domain(entry, entry[2:] if below else entry)
    host = destination.host
    covered = host.endswith(f".{name}") if below else host == name
    if covered:
        wanted = "the default port of its scheme" if port == ANY_DEFAULT_PORT else f"port {port}"
        yield 1, NearMiss(entry, f"it is for {wanted}, and this is port {destination.port}")
    elif below and host == name:
        yield 2, NearMiss(entry, f"it covers the hosts below {name}, not {name} itself")
    elif not below and host.endswith(f".{name}"):
        yield 3, NearMiss(entry, f"it covers {name} alone, not the hosts below it")
    elif host.startswith(f"{name}."):
        yield 4, NearMiss(entry, f"this host only begins with {name}: it belongs to somebody else")
    elif host.endswith(name):
        yield 4, NearMiss(entry, f"this host only ends like {name}: it is no subdomain of it")
    elif _parent(host) == _parent(name) != "" and "." in _parent(name):
        yield 5, NearMiss(entry, "it is another host of the same domain")


def _parent(host: str) -> str:
    return host.partition(".")[2]


def _prefix(entry: str, destination: Destination) -> Iterator[tuple[int, NearMiss]]:
    prefix = read_prefix(entry)
    if prefix.host != destination.host:
        if destination.host.endswith(f".{prefix.host}"):
            yield 3, NearMiss(entry, f"it covers {prefix.host} alone, not the hosts below it")
        elif destination.host.startswith(f"{prefix.host}."):
            yield 4, NearMiss(entry, f"this host only begins with {prefix.host}: it belongs to somebody else")
    elif prefix.scheme != destination.scheme:
        yield 1, NearMiss(entry, f"it is for {prefix.scheme}, and this is {destination.scheme}")
    elif prefix.port != destination.port:
        yield 1, NearMiss(entry, f"it is for port {prefix.port}, and this is port {destination.port}")
    elif not destination.path_is_plain:
        yield 0, NearMiss(entry, "servers may read this path in more than one way, so no prefix covers it")
    else:
        yield 0, NearMiss(entry, f"the path is not below {prefix.path}")
