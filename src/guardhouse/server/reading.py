"""Reading what was sent: bodies within a limit, and the few words of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import InvalidAction, decode
from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

_AROUND: Final = 64 * 1024
"""Bytes that may stand around an action of the largest size."""
_SMALL: Final = 64 * 1024


async def read_body(request: Request, most: int) -> bytes:
    """The body; a Problem as soon as it is more than `most` bytes and what stands around them."""
    most += _AROUND
    length = request.headers.get("content-length")
    if length is not None and (not length.isdigit() or int(length) > most):
        raise _too_large()
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


async def read_small(request: Request, kind: Any, *, most: int = _SMALL) -> Any:
    """A small JSON object of a known form; nothing sent is an empty one, if the form has no field that must be."""
    body = await read_body(request, most)
    if not body.strip():
        try:
            return msgspec.convert({}, kind)
        except msgspec.ValidationError:
            raise Problem(400, "Nothing was sent.", fix="See /v1/openapi.json.") from None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "The body must be JSON.", fix="Send `Content-Type: application/json`.")
    try:
        return msgspec.convert(decode(body), kind)
    except InvalidAction as error:
        raise Problem(400, error.what, fix=error.fix) from None
    except msgspec.ValidationError:  # it may quote what was sent
        raise Problem(400, "The body has another form.", fix="See /v1/openapi.json.") from None


def one_of(request: Request, name: str, known: Any, default: Any = None) -> Any:
    """A parameter of the query that is a value of an enum."""
    return member(request.query_params, name, known, default)


def member(said: Mapping[str, str], name: str, known: Any, default: Any = None) -> Any:
    """The same, of parameters that were read already."""
    given = said.get(name)
    if given is None:
        return default
    try:
        return known(given)
    except ValueError:
        values = ", ".join(str(one.value) for one in known)
        raise Problem(400, f"`{name}` is not one of those there are.", fix=f"Use one of: {values}.") from None


def number(request: Request, name: str, default: float, *, least: float = 0, most: float) -> float:
    """A parameter of the query that is a number, within bounds."""
    given = request.query_params.get(name)
    if given is None:
        return default
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        raise Problem(400, f"`{name}` is not a number from {least:g} to {most:g}.")
    return value


def _too_large() -> Problem:
    return Problem(413, "What was sent is larger than is looked at.", fix="Send less at a time.")
