"""Reads the first message of a TLS handshake, as far as it says which host is meant.

Pure: bytes in, a `ClientHello` out, or `BadHello`. The message may come in any pieces and in any number of TLS records;
what it says does not depend on how it was cut. Everything is read once, from front to back, and nothing that is
malformed, unknown to lead elsewhere, or too long is let pass. What a server would read otherwise must not be judged.
"""

from __future__ import annotations

from typing import Final

import msgspec

MOST_HELLO: Final = 16 * 1024
"""Bytes of the message."""

_HANDSHAKE: Final = 22
_CHANGE_CIPHER_SPEC: Final = 20
_APPLICATION_DATA: Final = 23
_CLIENT_HELLO: Final = 1
_SERVER_HELLO: Final = 2
_MOST_FRAGMENT: Final = 1 << 14
_MOST_READ: Final = 8 * MOST_HELLO
"""Bytes of the stream, in however small records the message comes."""
_RECORD_VERSIONS: Final = frozenset({0x0301, 0x0302, 0x0303})
_HELLO_VERSIONS: Final = frozenset({0x0301, 0x0302, 0x0303})
_SERVER_NAME: Final = 0
_HIDING: Final = {
    0xFE0D: "encrypted client hello",
    0xFE08: "a draft of encrypted client hello",
    0xFE09: "a draft of encrypted client hello",
    0xFE0A: "a draft of encrypted client hello",
    0xFE0B: "a draft of encrypted client hello",
    0xFE0C: "a draft of encrypted client hello",
    0xFF02: "a draft of encrypted client hello",
    0xFD00: "extensions of an encrypted client hello",
    0xFFCE: "encrypted server name",
}
"""Extensions that name, or may name, another host than the one that can be read."""
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_HELLO_RETRY: Final = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
"""The random value of a ServerHello that asks for another ClientHello (RFC 8446, 4.1.3)."""


class BadHello(Exception):
    """What came is no ClientHello that may pass. Says in a few words of ours why, and quotes nothing."""


class ClientHello(msgspec.Struct, frozen=True):
    """What a client said first."""

    server_name: str | None
    """As it was written: ASCII letters, digits, `-`, `_` and `.`. None if there was none."""


class HelloReader:
    """Reads one ClientHello from pieces of a stream. With `again` it is the second one of a handshake, before which
    there may be data that the server will not read, and a message that means nothing (RFC 8446, 4.2.10 and D.4)."""

    def __init__(self, *, again: bool = False) -> None:
        self._before = frozenset({_CHANGE_CIPHER_SPEC, _APPLICATION_DATA}) if again else frozenset()
        self._unread = bytearray()
        self._message = bytearray()
        self.taken = 0
        """Bytes of the stream that were read: once there is a hello, up to its end."""

    def feed(self, data: bytes) -> ClientHello | None:
        """The message once it is complete; None if there is more to come. BadHello as soon as it can't become one."""
        self._unread += data
        start = 0
        hello: ClientHello | None = None
        while hello is None and (record := self._record(start)) is not None:
            kind, begin, end = record
            if kind == _HANDSHAKE:
                self._message += self._unread[begin:end]
                if self._is_complete():
                    hello = _read(bytes(self._message))
            start = end
        self.taken += start
        del self._unread[:start]
        if self.taken + len(self._unread) > _MOST_READ:
            raise BadHello("too much before a ClientHello")
        return hello

    def _record(self, start: int) -> tuple[int, int, int] | None:
        """The kind of the record at `start`, and where what it holds begins and ends; None if it is not all there."""
        unread = self._unread
        there = len(unread) - start
        if there and unread[start] != _HANDSHAKE and (self._message or unread[start] not in self._before):
            raise BadHello("no TLS handshake")
        if there < 5:
            return None
        version = int.from_bytes(unread[start + 1 : start + 3])
        length = int.from_bytes(unread[start + 3 : start + 5])
        if version not in _RECORD_VERSIONS:
            raise BadHello("a TLS record of an unknown version")
        if not 0 < length <= (_MOST_FRAGMENT if unread[start] == _HANDSHAKE else _MOST_FRAGMENT + 256):
            raise BadHello("a TLS record of a wrong length")
        if there < 5 + length:
            return None
        return unread[start], start + 5, start + 5 + length

    def _is_complete(self) -> bool:
        message = self._message
        if message[0] != _CLIENT_HELLO:
            raise BadHello("something else than a ClientHello")
        if len(message) < 4:
            return False
        length = int.from_bytes(message[1:4])
        if length > MOST_HELLO:
            raise BadHello("a ClientHello that is too long")
        if len(message) > 4 + length:
            raise BadHello("more than a ClientHello in one record")
        return len(message) == 4 + length


def asks_again(head: bytes) -> bool | None:
    """Whether what a server said first asks the client for another hello; None if too little has come to tell."""
    if len(head) < 6:
        return None if head[:1] in {b"", b"\x16"} else False
    if head[0] != _HANDSHAKE or head[5] != _SERVER_HELLO:
        return False
    if int.from_bytes(head[3:5]) < LONGEST_TO_TELL - 5:
        # Cut up, so that its random value stands in another record: no server does that, and it hides what it is.
        return True
    if len(head) < LONGEST_TO_TELL:
        return None
    return head[11:LONGEST_TO_TELL] == _HELLO_RETRY


LONGEST_TO_TELL: Final = 5 + 4 + 2 + 32
"""Bytes by which `asks_again` can tell: the heads of record and message, the version, the random value."""


class _Fields:
    """Reads fields with their lengths, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def are_over(self) -> bool:
        return self._at == len(self._data)

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise BadHello("a ClientHello that breaks off")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size))

    def counted(self, size: int) -> bytes:
        return self.take(self.number(size))


def _read(message: bytes) -> ClientHello:
    fields = _Fields(message[4:])
    if fields.number(2) not in _HELLO_VERSIONS:
        raise BadHello("a ClientHello of an unknown version")
    fields.take(32)
    session, suites, compressions = fields.counted(1), fields.counted(2), fields.counted(1)
    if len(session) > 32 or not suites or len(suites) % 2 or b"\0" not in compressions:
        raise BadHello("a malformed ClientHello")
    if fields.are_over():
        return ClientHello(None)  # from before there were extensions
    extensions = _Fields(fields.counted(2))
    if not fields.are_over():
        raise BadHello("a ClientHello with something after its end")
    seen: set[int] = set()
    name: str | None = None
    while not extensions.are_over():
        kind, held = extensions.number(2), extensions.counted(2)
        if kind in seen:
            raise BadHello("a TLS extension that is there twice")
        seen.add(kind)
        if kind in _HIDING:
            raise BadHello(_HIDING[kind])
        if kind == _SERVER_NAME:
            name = _server_name(held)
    return ClientHello(name)


def _server_name(held: bytes) -> str:
    fields = _Fields(held)
    names = _Fields(fields.counted(2))
    if not fields.are_over() or names.number(1) != 0:
        raise BadHello("a malformed server name")
    name = names.counted(2)
    if not names.are_over():
        raise BadHello("more than one server name")
    if not 0 < len(name) <= 255 or not _PLAIN.issuperset(name):
        raise BadHello("a malformed server name")
    return name.decode()
