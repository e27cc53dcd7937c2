"""`/v1/console/…`: signing in to the console and out of it, and who is signed in.

A person gives a token, or a code that stands for one, and gets a session, which the browser sends as it would the
token. There are no cookies: those are not kept apart by port, so whatever else listens on this machine would get them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import read_small

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.sign_ins import SignIn
    from guardhouse.tokens import Principal


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody signs in with."""

    token: str
    """A token, or a code of `guardhouse console`."""


async def sign_in(house: House, request: Request) -> Response:
    """A session for a token or a code; in the record before it is told."""
    given: Given = await read_small(request, Given)
    peer = request.client.host if request.client is not None else ""

    def begun() -> SignIn:
        started = house.door.sign_in(given.token.strip(), peer)
        try:
            house.note(started.principal, "signing in to the console")
        except BaseException:
            house.sign_ins.end(started.principal)
            raise
        return started

    started = await house.in_thread(begun)
    return answer({"session": started.secret, **_told(house, started.principal)})


async def show(house: House, principal: Principal, _request: Request) -> Response:
    """Who is signed in, and the time here, for clocks that differ."""
    return answer(_told(house, principal))


async def sign_out(house: House, principal: Principal, _request: Request) -> Response:
    """The session is over. A token itself can't sign out; it can be revoked."""
    if not principal.session:
        raise Problem(422, "This is a token, not a session of the console.", fix="Revoke it, if that is meant.")
    await house.in_thread(lambda: house.sign_ins.end(principal))
    house.door.forget()
    return answer({"status": "signed_out"})


def _told(house: House, principal: Principal) -> dict[str, object]:
    idle = house.policy.current().config.server.console_idle
    return {"name": principal.name, "role": principal.role, "idle": idle, "now": time.time()}
