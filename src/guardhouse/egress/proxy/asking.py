"""Asks the gate about what a client wants, and makes the connection that it lets pass.

Every tunnel and every request of plain HTTP is a call of the tool `proxy`, judged like any other: by the policy in
force, with approvals and record. What was let pass is held to the destination rules once more when it is dialled, and
the addresses that the gate has judged are those that are dialled.
"""

from __future__ import annotations

import asyncio
import socket
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.egress.dialing import Errand, attempts, family_of, judged_addresses, unreachable
from guardhouse.egress.errors import FetchFailed, Refused
from guardhouse.egress.permitted import rules_for
from guardhouse.egress.proxy.declining import Declined, held_back
from guardhouse.model import Decision, ToolCallPre

if TYPE_CHECKING:
    from guardhouse.egress.proxy.door import Door
    from guardhouse.egress.proxy.heads import Asked, Headers
    from guardhouse.model import Addresses, Verdict
    from guardhouse.net.destination import Destination
    from guardhouse.ports import PolicySource, Resolver

TOOL: Final = "proxy"
"""What the gate knows it by; `network.proxy` is its section."""
SOURCE: Final = "proxy"
LOOKED_AT: Final = 64 * 1024
"""Bytes of a body that the gate is shown."""
DIAL_SECONDS: Final = 10.0

_SMALL: Final = 4 * 1024
"""Bytes that are judged in the event loop; a thread takes longer to begin than they do."""


class Passage(msgspec.Struct, frozen=True):
    """What the gate let pass."""

    action: ToolCallPre
    verdict: Verdict
    destination: Destination
    answer: Addresses | None
    """What its name was looked up to when it was judged; None if nobody looked it up."""


async def ask(door: Door, caller: str | None, asked: Asked, body: bytes = b"") -> Passage:
    """What the gate lets pass. Declined if it does not, or if it can't be asked."""
    action = ToolCallPre(
        tool=TOOL,
        params=_params(asked, body),
        principal=caller,
        session_id=door.session_id,
        cwd=door.cwd,
        source=SOURCE,
    )
    size = len(body) + len(asked.destination.href) + sum(len(name) + len(value) for name, value in asked.headers)
    try:
        if size <= _SMALL:
            verdict = await door.guard.evaluate_async(action)
        else:
            verdict = await asyncio.to_thread(door.guard.evaluate, action)
    except Exception as error:
        raise Declined(503, "Blocked: it could not be judged.", codes=("guard.internal_error",)) from error
    if verdict.decision is not Decision.ALLOW or verdict.edited or verdict.params is not None:
        raise held_back(verdict)
    host = asked.destination.host
    return Passage(action, verdict, asked.destination, verdict.facts.addresses.get(host))


def _params(asked: Asked, body: bytes) -> dict[str, Any]:
    """The call: where it goes, how, and for plain HTTP what goes with it."""
    params: dict[str, Any] = {"url": asked.destination.href, "method": asked.method}
    if not asked.is_tunnel:
        params["headers"] = _told(asked.headers)
        if body:
            params["body"] = _text(body[:LOOKED_AT])
        if asked.length is not None and asked.length > LOOKED_AT:
            params["body_bytes"] = asked.length
    return params


def _told(headers: Headers) -> dict[str, str | list[str]]:
    told: dict[str, str | list[str]] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("ascii"), _text(raw_value)
        before = told.get(name)
        if before is None:
            told[name] = value
        else:
            told[name] = [*(before if isinstance(before, list) else [before]), value]
    return told


def _text(data: bytes) -> str:
    """What can be read of it: all if it is UTF-8, otherwise what is ASCII, with a line break for anything else. Noise
    that is read as letters looks like a secret now and then."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        # The bound may have cut the last character.
        if error.end == len(data) and error.reason == "unexpected end of data":
            return data[: error.start].decode()
        return data.translate(_READABLE).decode("ascii")


_READABLE: Final = bytes(code if 32 <= code < 127 or code in b"\t\r\n" else 10 for code in range(256))


async def dial(passage: Passage, policy: PolicySource, resolver: Resolver) -> socket.socket:
    """A connection to a judged address of what was let pass. Declined if there is none to be had."""
    try:
        return await _dialled(passage, policy, resolver)
    except Refused as error:
        status = 504 if error.code == "net.too_slow" else 403
        raise Declined(status, f"Blocked: {error.what}", codes=(error.code,)) from None
    except FetchFailed as error:
        raise Declined(502, error.what) from None


async def _dialled(passage: Passage, policy: PolicySource, resolver: Resolver) -> socket.socket:
    destination = passage.destination
    rules = rules_for(policy.current(), TOOL, destination)
    errand = Errand(destination, rules, deadline=time.monotonic() + DIAL_SECONDS, wire_bytes=0)
    answers: list[Addresses] = []
    if destination.address is None:
        answers.append(passage.answer or await _looked_up(destination.host, resolver))
    _, addresses = judged_addresses(errand, answers)
    loop = asyncio.get_running_loop()
    for address, seconds in attempts(errand, addresses):
        connection = socket.socket(family_of(address) or socket.AF_INET, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)  # noqa: FBT003 - the standard library's own
            async with asyncio.timeout(seconds):
                await loop.sock_connect(connection, (address, destination.port))
        except OSError:  # also TimeoutError
            connection.close()
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    errand.remaining()
    raise unreachable()


async def _looked_up(host: str, resolver: Resolver) -> Addresses:
    try:
        return await resolver.resolve_async(host)
    except Exception as error:
        raise Refused("dns_failure", f"The host was not found: {type(error).__name__}.") from error
