"""`/mcp/{server}`: the MCP gateway over streamable HTTP, for the servers that the configuration names.

One address for each server, because a client names its servers itself: tools keep their own names, and one server's
can't be taken for another's. A client comes with an agent's token, and gets a session of its own with `initialize`;
nobody else can use that. How a message fares is the gateway's to say (`mcp_sessions.py`, `adapters/mcp/`).
"""

from __future__ import annotations

import time
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from guardhouse.adapters.mcp.messages import INVALID_REQUEST, error_answer
from guardhouse.adapters.mcp.streamable import SESSION, VERSION, one_line, read_sent
from guardhouse.server.mcp_sessions import CHECKED_EVERY
from guardhouse.server.openapi import Operation
from guardhouse.server.problems import Problem
from guardhouse.server.reading import read_body

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request

    from guardhouse.server.house import House
    from guardhouse.server.mcp_sessions import Session, Stream
    from guardhouse.tokens import Principal

_PING: Final = 15
_LONGEST_NUMBER: Final = 9


async def post(house: House, principal: Principal, request: Request) -> Response:
    """A message of a client: what answers it comes as a stream."""
    server = request.path_params["server"]
    house.mcp.section(server)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "A message is JSON.", fix="Send `Content-Type: application/json`.")
    line = one_line(await read_body(request, house.policy.current().config.limits.max_bytes))
    try:
        sent = read_sent(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _unreadable()
    if sent.method == "initialize" and SESSION not in request.headers:
        if not sent.asks:
            return _unreadable()
        session = await house.mcp.begin(principal, server)
    else:
        session = _session(house, principal, request)
    stream = session.take(line)
    if stream is None:
        return Response(status_code=202)
    return _streamed(house, principal, session, stream, 0)


async def listen(house: House, principal: Principal, request: Request) -> Response:
    """What a server says by itself; or, after `Last-Event-ID`, the rest of any stream."""
    session = _session(house, principal, request)
    stream: Stream | None = session.own
    after = 0
    last = request.headers.get("last-event-id", "")
    if last:
        number, _, place = last.partition("-")
        if not all(part.isascii() and part.isdigit() and len(part) <= _LONGEST_NUMBER for part in (number, place)):
            raise Problem(400, "`Last-Event-ID` is no number of an event.", fix="Leave it out.")
        stream, after = session.stream(int(number)), int(place) + 1
    if stream is None:
        raise Problem(404, "The stream is not kept any more.")
    return _streamed(house, principal, session, stream, after)


async def end(house: House, principal: Principal, request: Request) -> Response:
    """The client does not need its session any more."""
    house.mcp.end(_session(house, principal, request))
    return Response(status_code=204)


def _session(house: House, principal: Principal, request: Request) -> Session:
    given = request.headers.getlist(SESSION)
    if len(given) != 1:
        raise Problem(400, "This needs the session that `initialize` began.", fix="Send `Mcp-Session-Id`.")
    session = house.mcp.find(principal, request.path_params["server"], given[0])
    said = request.headers.get(VERSION, session.version)
    if session.version and said != session.version:
        raise Problem(400, "The session settled on another version of the protocol.", fix=f"It is {session.version}.")
    return session


def _streamed(house: House, principal: Principal, session: Session, stream: Stream, after: int) -> Response:
    async def told() -> AsyncGenerator[bytes]:
        looked = time.monotonic()
        async with aclosing(stream.read(after)) as pieces:
            async for piece in pieces:
                if time.monotonic() - looked >= CHECKED_EVERY:
                    try:
                        await house.in_thread(partial(house.door.check_still, principal))
                    except Problem:
                        return  # the token was revoked, or is over
                    looked = time.monotonic()
                if piece:
                    yield piece

    return EventSourceResponse(told(), ping=_PING, headers={SESSION: session.id})


def _unreadable() -> Response:
    said = error_answer(None, "Refused: This is no JSON-RPC message.", INVALID_REQUEST)
    return Response(said, 400, media_type="application/json")


ENDPOINT: Final = (
    Operation("POST", "/mcp/{server}", post, "evaluate"),
    Operation("GET", "/mcp/{server}", listen, "evaluate"),
    Operation("DELETE", "/mcp/{server}", end, "evaluate"),
)
"""Not in the OpenAPI document: its forms are the protocol's."""
