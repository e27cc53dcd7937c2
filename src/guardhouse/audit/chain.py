"""The form of a line, and what makes lines a chain. Pure: bytes in, bytes out; files are other modules' business.

A line is one JSON object whose last member is the SHA-256 of the line's own bytes before that member. The hash of the
line before is among those bytes, so a line vouches for everything before it. Nothing is ever serialised again to check
it. Lines are printable ASCII, so that a log can be looked at in a terminal whatever an attacker wrote into it.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Final

import msgspec

from guardhouse.audit.notes import Note
from guardhouse.model import AuditEvent, GuardhouseError, decode_event, encode_event
from guardhouse.model.digests import sha256_hex

GENESIS: Final = b"0" * 64
"""What stands for the hash before the first line."""
LONGEST_EVENT: Final = 32 * 1024 * 1024
"""Bytes of an event that is still taken."""
LONGEST_LINE: Final = LONGEST_EVENT + 1024 * 1024
TAIL: Final = len(b',"hash":"') + 64 + len(b'"}\n')
"""Bytes at the end of a line that its hash does not cover."""
CHAIN_MEMBER: Final = b'"chain":'
_EVENT_MEMBER: Final = b'"event":'
_LONGEST_NUMBER: Final = 18
_HEX: Final = frozenset(b"0123456789abcdef")


class Anchor(msgspec.Struct, frozen=True):
    """An event's number and hash: noted elsewhere, it proves everything up to that event."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """The anchor in `seq:hash`; GuardhouseError if it is none."""
        number, colon, digest = text.strip().partition(":")
        if colon and _is_number(number.encode()) and _is_hash(digest.encode()):
            return cls(int(number), digest)
        raise GuardhouseError(
            "That is no anchor.", fix="One is printed by `guardhouse audit anchor`: a number, a colon, 64 hex digits."
        )


class Entry(msgspec.Struct, frozen=True):
    """One line, read back."""

    seq: int
    event: AuditEvent
    hash: str
    notes: tuple[Note, ...] = ()

    @property
    def anchor(self) -> Anchor:
        """What vouches for this event and everything before it."""
        return Anchor(self.seq, self.hash)


class Link(msgspec.Struct, frozen=True):
    """What a line claims about its place in the chain."""

    seq: int
    prev: bytes
    hash: bytes
    sound: bool
    """Whether its hash fits its bytes."""


def event_bytes(event: AuditEvent) -> bytes:
    """`event` as printable ASCII; GuardhouseError if it can't be written, or is too large."""
    try:
        data = _plain(encode_event(event))
    except (ValueError, TypeError, RecursionError) as error:
        raise GuardhouseError(f"The event can't be written down: {type(error).__name__}.") from None
    if len(data) > LONGEST_EVENT:
        raise GuardhouseError(f"The event is larger than {LONGEST_EVENT} bytes.")
    return data


def make_line(seq: int, prev: bytes, event: bytes, notes: tuple[Note, ...] = ()) -> tuple[bytes, bytes]:
    """The line that holds `event`, and its hash."""
    chain = CHAIN_MEMBER + _plain(msgspec.json.encode(notes)) + b"," if notes else b""
    body = b'{"seq":%d,"prev":"%b",%b"event":%b' % (seq, prev, chain, event)
    digest = sha256_hex(body).encode()
    return b'%b,"hash":"%b"}\n' % (body, digest), digest


def read_link(line: bytes) -> Link | None:
    """What a complete line claims; None if it is no line of ours at all."""
    if not line.startswith(b'{"seq":'):
        return None
    number, _, rest = line[7 : 7 + _LONGEST_NUMBER + 1 + 84].partition(b",")
    prev, after = rest[8:72], rest[72:]
    digest = line[-TAIL + 9 : -3]
    if not (
        _is_number(number)
        and rest.startswith(b'"prev":"')
        and _is_hash(prev)
        and after.startswith((b'",' + CHAIN_MEMBER, b'",' + _EVENT_MEMBER))
        and line[-TAIL:] == b',"hash":"%b"}\n' % digest
        and _is_hash(digest)
    ):
        return None
    return Link(int(number), prev, digest, sha256_hex(line[:-TAIL]).encode() == digest)


def follows(line: bytes, seq: int, digest: bytes) -> bool:
    """Whether `line` is a sound line of ours that comes right after the event of that number and hash."""
    link = read_link(line)
    return link is not None and link.sound and (link.seq, link.prev) == (seq + 1, digest)


def read_entry(line: bytes) -> Entry:
    """The entry in a complete line; ValueError if there is none. The hash is not looked at."""
    read = _line_decoder().decode(line)
    return Entry(read.seq, decode_event(bytes(read.event)), read.hash, read.chain)


def needle(key: str, value: str) -> bytes:
    """The bytes that a line must hold if its event has `value` as the text of `key`."""
    return _plain(msgspec.json.encode(key) + b":" + msgspec.json.encode(value))


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: int
    prev: str
    event: msgspec.Raw
    hash: str
    chain: tuple[Note, ...] = ()


@cache
def _line_decoder() -> msgspec.json.Decoder[_Line]:
    """Made when the first line is read: who only appends must start fast."""
    return msgspec.json.Decoder(_Line)


def _is_number(text: bytes) -> bool:
    return text.isdigit() and len(text) <= _LONGEST_NUMBER and (text == b"0" or not text.startswith(b"0"))


def _is_hash(text: bytes) -> bool:
    return len(text) == 64 and _HEX.issuperset(text)


def _plain(data: bytes) -> bytes:
    """JSON without a byte that a terminal could act on. Outside of strings JSON is plain anyway."""
    if not data.isascii():
        data = data.decode().encode("ascii", errors=_ESCAPING)
    return data.replace(b"\x7f", b"\\u007f")


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


_ESCAPING: Final = "guardhouse.json"
codecs.register_error(_ESCAPING, _escape)
