"""A tunnel: TLS between a client and the one host that it was let through to.

The client is told that the tunnel stands before anything was dialled, because only then it says, in the first message
of its handshake, which host it means. That must be the host that was judged. Then bytes are passed on as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.egress.proxy.client_hello import BadHello, ClientHello, HelloReader, asks_again
from guardhouse.egress.proxy.ends import Over
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from guardhouse.egress.proxy.ends import End
    from guardhouse.net.destination import Destination

ESTABLISHED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"


async def open_tunnel(client: End, destination: Destination, reach: Callable[[], Awaitable[End]]) -> End:
    """The other end, once both have said what they must say first. BadHello if the client means another host; then
    nothing has been sent there. The two ends are not joined yet."""
    await client.send(ESTABLISHED)
    hello = await _hello(client, HelloReader(), destination)
    host = await reach()
    await host.send(hello)
    # Nothing more from the client until it is known whether the server wants another hello of it.
    first = b""
    while (again := asks_again(first)) is None:
        data = await host.more()
        if not data:
            break
        first += data
    await client.send(first)
    if again:
        # What else the server says meanwhile, such as the end of what it has begun, the client has to hear.
        host.changed = lambda: client.fail("the host broke off") if host.is_lost else None
        host.join(client)
        await host.send(await _hello(client, HelloReader(again=True), destination))
    return host


async def _hello(client: End, reader: HelloReader, destination: Destination) -> bytes:
    """The bytes of a ClientHello that names the host, as they came."""
    came = b""
    while True:
        data = await client.more()
        if not data:
            raise Over("ended before it had begun TLS")
        came += data
        hello = reader.feed(data)
        if hello is not None:
            check_name(hello, destination)
            client.give_back(came[reader.taken :])
            return came[: reader.taken]


def check_name(hello: ClientHello, destination: Destination) -> None:
    """BadHello unless the server name is that of the destination, or there is none for an address."""
    name = hello.server_name
    if destination.address is not None:
        if name is not None:
            raise BadHello("a server name for an address")
        return
    if name is None:
        raise BadHello("no server name")
    try:
        named = parse_destination(f"https://{name}/")
    except BadDestination:
        raise BadHello("a malformed server name") from None
    if named.host != destination.host:
        raise BadHello("the name of another server")
