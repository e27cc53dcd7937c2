"""Whether a call reaches the guard's own daemon, which is there for people and not for the agent that it guards.

Only the daemon's ports count: what else listens on this machine is none of this. A host program that asks the daemon
what an agent may do makes no guarded call, and is not seen here at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.destinations import named_ports, rules_of, targets
from guardhouse.net import address_class, is_local_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.detect.destinations import Target
    from guardhouse.detect.interface import OwnSocket, Scene
    from guardhouse.net.destination import Destination

_THIS_MACHINE: Final = frozenset({"localhost", "ip6-localhost", "ip6-loopback", "localhost4", "localhost6"})
_HERE: Final = frozenset({"loopback", "unspecified", "this_network", "mapped", "compatible"})
"""Classes of addresses that lead to this machine, or to an address in disguise."""
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_PATTERNS: Final = frozenset("[{")
_SPELLINGS: Final = ("localhost", "loopback", "127.", "0.0.0.0", "::", "0x7f", "2130706433")  # noqa: S104 - as above
"""What a text has in it that means this machine, in one way or another."""


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine by its name or address, without a look-up."""
    bare = host.strip("[]")
    name = bare.removesuffix(".localdomain")
    return name in _THIS_MACHINE or name.endswith(".localhost") or address_class(bare) in _HERE


def is_own(scene: Scene, destination: Destination, *, looks_up: bool = True) -> bool:
    """Whether a destination is the daemon's. A name with the daemon's port that nobody has looked up may well be: names
    for this machine are free to have. `looks_up` says whether names like this one are looked up at all."""
    host = destination.host
    near = [socket for socket in scene.settings.sockets if socket.port == destination.port]
    if not near:
        return False
    if _is_at(near, host):
        return True
    if destination.address is not None:
        return False
    answer = scene.facts.addresses.get(host)
    if answer is not None and answer.addresses:
        return any(_is_at(near, address) for address in answer.addresses)
    if not looks_up or destination.has_default_port or rules_of(scene).allows(destination) not in (None, "*"):
        return False
    return any(is_this_machine(socket.host) for socket in near)


def is_own_by_name(scene: Scene, destination: Destination) -> bool:
    """The same, seen from another machine: there, only its name for others is the daemon."""
    return any(
        (socket.host, socket.port) == (destination.host, destination.port) and not is_this_machine(socket.host)
        for socket in scene.settings.sockets
    )


def may_be_own(scene: Scene, authority: str) -> bool:
    """Whether a host that can't be read, or that only the run would show, has the daemon's port, or its name in it. It
    may have the port if that is a pattern, which `curl` fills in."""
    port = authority.rpartition(":")[2]
    if ":" in authority and not _PATTERNS.isdisjoint(port):
        return True
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 8 else None
    return any(
        socket.port == number if is_this_machine(socket.host) else socket.host in authority.lower()
        for socket in scene.settings.sockets
    )


def has_own_port(scene: Scene, text: str) -> bool:
    """Whether the number of a port at which the daemon answers on this machine stands in a text."""
    return any(
        _numbers(text, socket.port, before="") and is_this_machine(socket.host) for socket in scene.settings.sockets
    )


def speaks_of_daemon(scene: Scene, text: str) -> bool:
    """Whether a text that is not followed names the daemon's address. Words alone err towards yes."""
    lowered = text.lower()
    for socket in scene.settings.sockets:
        if socket.host in lowered and not is_this_machine(socket.host):
            return True
        is_named = _numbers(text, socket.port, before="") and is_this_machine(socket.host)
        if is_named and (_numbers(text, socket.port, before=":") or any(one in lowered for one in _SPELLINGS)):
            return True
    return False


def _is_at(sockets: Iterable[OwnSocket], host: str) -> bool:
    """Whether one of the daemon's addresses is at a host, which is a name in lower case or an address."""
    is_here = is_this_machine(host)
    for socket in sockets:
        if socket.host == host or (is_here and is_this_machine(socket.host)):
            return True
        if socket.host in _EVERYWHERE and _is_near(host):
            return True
    return False


def _is_near(host: str) -> bool:
    """Whether a host may be this machine as its neighbours see it."""
    kind = address_class(host)
    return is_local_name(host) if kind == "unparseable" else kind is not None


def _numbers(text: str, port: int, *, before: str) -> bool:
    """Whether a port stands in a text as a number of its own, with `before` before it."""
    wanted = f"{before}{port}"
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (text[end : end + 1].isdigit() or (not before and text[at - 1 : at].isdigit())):
            return True
        at = text.find(wanted, at + 1)
    return False


def reaching(scene: Scene) -> Iterator[Target]:
    """The places that a call names and that are the daemon's."""
    return (target for target in targets(scene) if _reaches(scene, target))


def _reaches(scene: Scene, target: Target) -> bool:
    destination = target.destination
    if destination is None:  # what nobody can read with certainty, some client may still follow
        return has_own_port(scene, target.text) or speaks_of_daemon(scene, target.text)
    if is_own(scene, destination):
        return True
    named = (f"{destination.host}{port}" for port in named_ports(scene))
    return is_this_machine(destination.host) and any(may_be_own(scene, authority) for authority in named)
