"""What the way over HTTP must know of a message, and the headers that say it again. Pure.

A message that is looked at here was read by the gateway before, or comes from it.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.adapters.mcp.messages import Id, is_id
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SESSION: Final = "mcp-session-id"
VERSION: Final = "mcp-protocol-version"
_LONGEST: Final = 1024
_OF_MESSAGE: Final = b"io.modelcontextprotocol/protocolVersion"
"""Where a message says by itself which version of the protocol it is in: since 2026-07-28, without sessions."""
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_OURS: Final = frozenset(
    [*"accept content-type origin last-event-id mcp-method mcp-name user-agent".split(), SESSION, VERSION]
)
"""Headers that nobody else may set."""


class Sent(msgspec.Struct, frozen=True):
    """A message on its way to the server."""

    id: Id | None
    method: str
    headers: tuple[tuple[str, str], ...] = ()
    """What it says of itself once more, for whoever only reads headers."""

    @property
    def asks(self) -> bool:
        """Whether it waits for an answer."""
        return bool(self.method) and self.id is not None


class _Top(msgspec.Struct):
    id: Any = None
    method: str = ""


class _Result(msgspec.Struct, frozen=True):
    version: str = msgspec.field(name="protocolVersion", default="")


class _Answer(msgspec.Struct):
    result: _Result = _Result()


_read_top: Final = msgspec.json.Decoder(_Top).decode
_read_answer: Final = msgspec.json.Decoder(_Answer).decode


def read_sent(line: bytes) -> Sent:
    """What a message is."""
    top = _read_top(line)
    number = top.id if is_id(top.id) else None
    return Sent(number, top.method, _headers_of(line) if _OF_MESSAGE in line else ())


def _headers_of(line: bytes) -> tuple[tuple[str, str], ...]:
    message = msgspec.json.decode(line)
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str) or not isinstance(params, dict):
        return ()
    meta = params.get("_meta")
    version = meta.get(_OF_MESSAGE.decode()) if isinstance(meta, dict) else None
    if not isinstance(version, str) or not is_plain_value(version):
        return ()
    named = params.get(_NAMED.get(method, ""))
    headers = ((VERSION, version), ("mcp-method", _coded(method)))
    return (*headers, ("mcp-name", _coded(named))) if isinstance(named, str) else headers


def _coded(value: str) -> str:
    """A value as the protocol has it in a header."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def version_in(line: bytes) -> str:
    """The version of the protocol that an answer to `initialize` settles on; nothing if it says none."""
    try:
        version = _read_answer(line).result.version
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""  # the gateway says what is wrong with it
    return version if is_plain_value(version) else ""


def is_plain_value(value: str) -> bool:
    """Whether a server's word can be sent back to it in a header."""
    return 0 < len(value) <= _LONGEST and value.isascii() and value.isprintable() and " " not in value


def read_headers(named: Sequence[str], environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The headers that the user wants to be sent: `NAME=VARIABLE`, the value from the environment. GuardhouseError if
    one can't be; it says no value."""
    found: list[tuple[str, str]] = []
    for one in named:
        name, equals, variable = one.partition("=")
        if not equals or not variable:
            raise GuardhouseError("A header is named as NAME=VARIABLE.", fix="The variable holds its value.")
        value = environment.get(variable)
        if not value:
            raise GuardhouseError(
                f"The variable {variable[:128]!r} is not set.", fix="The header's value stands there."
            )
        found.append((checked_header(name), value))
    return tuple(found)


def checked_header(name: str) -> str:
    """The name of a header that a user may set. GuardhouseError if it is one of ours."""
    if name.lower().replace("_", "-") in _OURS:
        raise GuardhouseError(f"The header {name} is the gateway's own to set.", fix="Leave it out.")
    return name
