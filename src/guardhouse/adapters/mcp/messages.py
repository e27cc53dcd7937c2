"""JSON-RPC messages, read so that no other reader can read them otherwise, and the answers that are our own.

A message that a server could take for another one than we do is a way round the gate: a key given twice or in another
case, a list of messages, a line break that only some readers see. All of that is refused here. What a message means is
not said here.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NoReturn

import msgspec

from guardhouse.model import GuardhouseError, InvalidAction, Limits, decode

Id = int | str

INVALID_REQUEST: Final = -32600
REFUSED: Final = -32001
"""Our own: the gate, or the rules of this relay, said no."""
_LONGEST_ID: Final = 256
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
        params: dict[str, Any] = self.body.get("params", {})
        return params


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
    if not isinstance(body.get("params", {}), dict):
        raise Unreadable("The parameters of a message are no object.")
    if "id" not in body:
        return Message("notification", "", method, body)
    return Message("request", _checked_id(body["id"]), method, body)


def _answering(body: dict[str, Any]) -> Message:
    if ("result" in body) is ("error" in body) or "params" in body:
        raise Unreadable("A message is neither a request nor an answer.")
    number = _checked_id(body.get("id"))
    if "result" in body:
        if not isinstance(body["result"], dict):
            raise Unreadable("The result of a request is no object.")
        return Message("result", number, "", body)
    error = body["error"]
    if not isinstance(error, dict) or type(error.get("code")) is not int or not isinstance(error.get("message"), str):
        raise Unreadable("The error of a request has no code and message.")
    return Message("error", number, "", body)


def _checked_id(value: Any) -> Id:
    if type(value) is int or (isinstance(value, str) and len(value) <= _LONGEST_ID):
        return value
    raise Unreadable("The id of a message is neither a whole number nor a short text.")


class _Head(msgspec.Struct):
    """What is looked at of a line that can't be read strictly, to tell whoever waits for an answer."""

    id: int | str | None = None
    method: msgspec.Raw = msgspec.Raw()


class Head(msgspec.Struct, frozen=True):
    """Who waits for an answer, as far as that can be told."""

    id: Id
    asks: bool


_read_head: Final = msgspec.json.Decoder(_Head).decode
_read_heads: Final = msgspec.json.Decoder(list[_Head]).decode


def heads(line: bytes) -> list[Head]:
    """Who may wait for an answer to a line that is refused. Nothing else is taken from such a line."""
    found: list[_Head] = []
    for read in (_read_heads, lambda text: [_read_head(text)]):
        try:
            found = read(line)
            break
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return [
        Head(one.id, bytes(one.method) != b"")
        for one in found
        if one.id is not None and (isinstance(one.id, int) or len(one.id) <= _LONGEST_ID)
    ]


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
