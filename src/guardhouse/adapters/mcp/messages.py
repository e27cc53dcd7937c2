"""JSON-RPC messages, read so that no other reader can read them otherwise, and the answers that are our own.

A message that a server could take for another one than we do is a way round the gate: a key given twice or in another
case, a list of messages, a line break that only some readers see. All of that is refused here. What a message means is
not said here.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NoReturn, TypeGuard

import msgspec

from guardhouse.model import GuardhouseError, InvalidAction, Limits, decode

Id = int | str

INVALID_REQUEST: Final = -32600
REFUSED: Final = -32001
"""Our own: the gate, or the rules of this relay, said no."""
UNANSWERED: Final = -32000
"""What implementations say when the connection has ended."""
_LONGEST_ID: Final = 256
_LARGEST_ID: Final = 2**53 - 1
_KEYS: Final = frozenset(["jsonrpc", "id", "method", "params", "result", "error"])


class Unreadable(GuardhouseError):
    """A line that is not one message which everybody reads in the same way."""


class Message(msgspec.Struct, frozen=True):
    """One message."""

    kind: Literal["request", "notification", "result", "error"]
    id: Id
    """Of a notification: empty."""
    method: str
    """Of an answer: empty."""
    body: dict[str, Any]
    """The whole message."""

    @property
    def params(self) -> dict[str, Any]:
        """Of a request or notification."""
        return self.body.get("params") or {}


def read_message(line: bytes, limits: Limits) -> Message:
    """The message in one line; Unreadable if another reader could see another one."""
    if b"\r" in line and b"\r" in line.removesuffix(b"\r"):
        # Readers in text mode break lines here, and what stands between two breaks would be a message of its own.
        raise Unreadable("A message has a carriage return between its parts.")
    try:
        body = _decoded(line, limits)
    except InvalidAction as error:
        raise Unreadable(error.what, fix=error.fix) from None
    if isinstance(body, list):
        raise Unreadable("Several messages in one list are not taken.", fix="Send each on a line of its own.")
    if not isinstance(body, dict) or not _KEYS.issuperset(body) or body.get("jsonrpc") != "2.0":
        raise Unreadable("This is no JSON-RPC 2.0 message, or one with parts that it should not have.")
    if "method" in body:
        return _asking(body)
    return _answering(body)


def _decoded(line: bytes, limits: Limits) -> Any:
    """The value in a line, read strictly. The decoder of the model copies what it read and counts it; here most lines
    are read, and what the gate is to judge it copies itself. So that one is asked only where this one is not enough:
    half a surrogate pair, which nobody could write out again, comes out of such an escape."""
    if len(line) > limits.max_bytes or b"\\u" in line:
        return decode(line, limits)
    try:
        return _strict.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return decode(line, limits)  # it says what is wrong


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refuse(_name: str) -> NoReturn:
    raise ValueError("not a number")


_strict: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)


def _asking(body: dict[str, Any]) -> Message:
    method = body["method"]
    if not isinstance(method, str) or "result" in body or "error" in body:
        raise Unreadable("A message is a request and an answer at once.")
    if body.get("params") is not None and not isinstance(body["params"], dict):
        raise Unreadable("The parameters of a message are no object.")
    if "id" not in body:
        return Message("notification", "", method, body)
    return Message("request", _checked_id(body["id"]), method, body)


def _answering(body: dict[str, Any]) -> Message:
    # Some servers write the part that an answer does not have as null.
    if (body.get("result") is None) is (body.get("error") is None) or "params" in body:
        raise Unreadable("A message is neither a request nor an answer, or its answer is no object.")
    number = _checked_id(body.get("id"))
    if body.get("result") is not None:
        if not isinstance(body["result"], dict):
            raise Unreadable("The result of a request is no object.")
        return Message("result", number, "", body)
    error = body["error"]
    if not isinstance(error, dict) or type(error.get("code")) is not int or not isinstance(error.get("message"), str):
        raise Unreadable("The error of a request has no code and message.")
    return Message("error", number, "", body)


def is_id(value: object) -> TypeGuard[Id]:
    """Whether this can be the id of a message. A larger number is another one to a reader that knows only doubles."""
    if type(value) is int:
        return abs(value) <= _LARGEST_ID
    return isinstance(value, str) and len(value) <= _LONGEST_ID


def _checked_id(value: Any) -> Id:
    if is_id(value):
        return value
    raise Unreadable("The id of a message is neither a whole number of usual size nor a short text.")


def without_halves(line: bytes) -> bytes:
    """The line with every escape of half a surrogate pair replaced by that of the replacement character."""
    parts: list[bytes] = []
    done = at = 0
    while (at := line.find(b"\\", at)) >= 0:
        unit = _escaped_unit(line, at)
        if unit is None or not _FIRST_HALF <= unit <= _LAST_HALF:
            at += 2  # another escape; what follows its backslash is no beginning of one
            continue
        low = _escaped_unit(line, at + 6) if unit < _LOW_HALF else None
        if low is not None and _LOW_HALF <= low <= _LAST_HALF:
            at += 12
            continue
        parts += (line[done:at], b"\\ufffd")
        at = done = at + 6
    return b"".join((*parts, line[done:])) if parts else line


def _escaped_unit(line: bytes, at: int) -> int | None:
    """The unit of UTF-16 that is escaped at this place, if one is."""
    digits = line[at + 2 : at + 6]
    if line[at : at + 2] != b"\\u" or len(digits) != 4 or not _HEX.issuperset(digits):
        return None
    return int(digits, 16)


_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_FIRST_HALF: Final = 0xD800
_LOW_HALF: Final = 0xDC00
_LAST_HALF: Final = 0xDFFF
_encode: Final = msgspec.json.Encoder().encode


def encoded(body: dict[str, Any]) -> bytes:
    """A message as a line."""
    return _encode(body) + b"\n"


def error_answer(number: Id | None, message: str, code: int = REFUSED) -> bytes:
    """An answer that says no."""
    return encoded({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def tool_answer(number: Id, text: str) -> bytes:
    """The answer to a tool call that was not made, or whose result is withheld, in words for the model."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return encoded({"jsonrpc": "2.0", "id": number, "result": result})
