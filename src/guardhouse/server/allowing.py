"""`/v1/allowances`: entries that are added to allowlists from now on, by an admin, and what was added so far.

The gate itself says with each reason what would allow it; here that is done, checked and recorded as it is by
`guardhouse allow`. What an agent sends has no say.
"""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from guardhouse.config import Allowances
from guardhouse.model import PolicyError
from guardhouse.observing import give
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import read_small

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.model import Reason
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

Kind = Literal["domain", "command", "path"]


class Allowance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of an allowlist."""

    kind: Kind
    entry: str


async def list_(house: House, _principal: Principal, _request: Request) -> Response:
    """Everything that was allowed beyond the configuration."""
    found = await house.in_thread(partial(listed, house))
    return answer({"allowances": [{"kind": kind, "entry": entry} for kind, entry in found]})


async def add(house: House, principal: Principal, request: Request) -> Response:
    """Allow something from now on, for everybody that this policy is for."""
    wanted: Allowance = await read_small(request, Allowance)
    return answer(await house.in_thread(partial(allow, house, principal, wanted)))


async def remove(house: House, principal: Principal, request: Request) -> Response:
    """Allow it no longer."""
    wanted: Allowance = await read_small(request, Allowance)
    return answer(await house.in_thread(partial(disallow, house, principal, wanted)))


# In a thread


def listed(house: House) -> list[tuple[str, str]]:
    """Kinds and entries."""
    return [(str(kind), entry) for kind, entry in Allowances(house.sources.locations.allowed).entries()]


def allow(house: House, principal: Principal, wanted: Allowance) -> dict[str, Any]:
    """Add an entry. A Problem if the policy does not take it; then nothing has changed."""
    house.note(principal, f"allowing {wanted.kind} {wanted.entry}")
    try:
        given = give(house.sources, wanted.kind, wanted.entry)
    except PolicyError as error:
        raise Problem(422, "The policy does not take this; nothing was changed.", fix=error.fix) from None
    return {"status": "allowed" if given.is_new else "already allowed", "revision": house.policy.reload().revision}


def disallow(house: House, principal: Principal, wanted: Allowance) -> dict[str, Any]:
    """Take an entry back."""
    house.note(principal, f"no longer allowing {wanted.kind} {wanted.entry}")
    if not Allowances(house.sources.locations.allowed).remove(wanted.kind, wanted.entry):
        raise Problem(404, "That was not allowed here.", fix="Look at /v1/allowances.")
    return {"status": "removed", "revision": house.policy.reload().revision}


def remedy_of(reason: Reason) -> Allowance | None:
    """What would allow what a reason is about, if it is an entry of an allowlist."""
    try:
        words = shlex.split(reason.remedy)
        return msgspec.convert({"kind": words[2], "entry": words[3]}, Allowance) if _is_allowing(words) else None
    except (ValueError, msgspec.ValidationError):
        return None


def _is_allowing(words: list[str]) -> bool:
    return len(words) == 4 and words[:2] == ["guardhouse", "allow"]
