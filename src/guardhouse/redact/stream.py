"""Redacts a stream: text in as it comes, text out without its secrets, in constant memory.

What comes out depends on the text alone, never on how it was cut: a part is looked at only when enough of what follows
is there, and where a part ends is decided by the text. A short text comes out just as `Redactor.text` would have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.secrets import Category, with_copies
from guardhouse.detect.secrets.private_keys import is_key_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.detect.secrets import SecretMatch
    from guardhouse.redact.redactor import Redactor

_PART: Final = 64 << 10
_AHEAD: Final = 16 << 10
"""So much of what follows a part is looked at with it: a secret that begins in it ends there, or goes on for long."""
_BEHIND: Final = 1024
"""So much of what stood before a part is looked at with it. A multiple of four, as base64 has it."""
_BREAKS: Final = "\n", " ", ",", ";", "}", ")"
_LATEST: Final = 4096
_REMEMBERED: Final = 32
_SHORTEST: Final = 8
_TOKEN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.~%\\")
_LINE: Final = 4096
_DASHES: Final = "-----"


class StreamRedactor:
    """Takes a text in pieces of any size, and gives it back without its secrets, somewhat later."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._scan = redactor.scanner.scan
        self._before = ""
        """The end of what was let go, as it was."""
        self._buffer = ""
        self._pieces: list[str] = []
        self._waiting = 0
        self._known: dict[str, SecretMatch] = {}
        """Secrets that are known by their context, the latest last: elsewhere they stand without it."""
        self._inside: Category | None = None
        """The secret that has not ended yet."""
        self._started = False

    def feed(self, text: str) -> str:
        """What can be let go now that `text` has come."""
        self._pieces.append(text)
        self._waiting += len(text)
        if len(self._buffer) + self._waiting < _PART + _AHEAD:
            return ""
        self._gather()
        out: list[str] = []
        at = 0
        while len(self._buffer) - at >= _PART + _AHEAD:
            if self._inside is not None:
                done = self._skipped(at)
                if done == at:
                    break
                at = done
                continue
            size, masked = self._part(self._buffer[at : at + _PART + _AHEAD])
            out.append(masked)
            at += size
        self._buffer = self._buffer[at:]
        return "".join(out)

    def end(self) -> str:
        """The rest, when no more will come."""
        self._gather()
        if self._inside is not None:
            self._buffer = self._buffer[self._skipped(0, ended=True) :]
        rest, self._buffer = self._buffer, ""
        if not self._started:
            return self._redactor.text(rest)
        return self._masked(rest, len(rest), self._found(rest)) if rest else ""

    def _gather(self) -> None:
        self._buffer = "".join((self._buffer, *self._pieces))
        self._pieces.clear()
        self._waiting = 0

    def _part(self, window: str) -> tuple[int, str]:
        """How much of `window` can be let go, and that without its secrets."""
        found = self._found(window)
        size = _break(window)
        for match in found:
            if match.start < size < match.end:
                size = match.end
        if found and size == len(window) == found[-1].end:
            self._inside = found[-1].category
        masked = self._masked(window, size, found)
        self._started = True
        self._before = (self._before + window[:size])[-_BEHIND:]
        return size, masked

    def _found(self, window: str) -> list[SecretMatch]:
        """The secrets in `window`, with those that only what stood before it gives away, and copies of earlier ones."""
        shift = len(self._before)
        found = [
            msgspec.structs.replace(match, start=max(0, match.start - shift), end=match.end - shift)
            for match in self._scan(self._before + window)
            if match.end > shift
        ]
        found = with_copies(window, found, self._known)
        for match in found:
            value = window[match.start : match.end]
            if match.by_context and not match.echo and len(value) >= _SHORTEST:
                self._known.pop(value, None)
                self._known[value] = match
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        return found

    def _masked(self, window: str, size: int, found: Sequence[SecretMatch]) -> str:
        here = [match for match in found if match.start < size]
        masked = self._redactor.masked(window[:size], here)
        # Masking can bring out another secret.
        return self._redactor.text(masked) if here else masked

    def _skipped(self, at: int, *, ended: bool = False) -> int:
        """Where the secret ends that began earlier and is masked already, or how far it is known to go on."""
        if self._inside is Category.PRIVATE_KEY:
            return self._key_skipped(at, ended=ended)
        buffer, stop = self._buffer, at
        while stop < len(buffer) and buffer[stop] in _TOKEN:
            stop += 1
        if stop < len(buffer):
            self._inside = None
        self._before = (self._before + buffer[at:stop])[-_BEHIND:]
        return stop

    def _key_skipped(self, at: int, *, ended: bool) -> int:
        """Behind the lines that look like a key's; dashes end it. Only whole lines are judged."""
        buffer = self._buffer
        while at < len(buffer):
            stop = buffer.find("\n", at, at + _LINE) + 1
            if not stop:
                if len(buffer) - at < _LINE and not ended:
                    return at
                stop = min(at + _LINE, len(buffer))
            line = buffer[at:stop]
            dashes = line.find(_DASHES)
            if dashes >= 0 or not (is_key_line(line.encode("utf-8", "replace")) or not line.strip()):
                self._inside = None
                self._before = ""
                return at + max(0, dashes)
            at = stop
        return at


def _break(window: str) -> int:
    """Where a part ends: behind a line, or else a word; or else where base64 could end."""
    for sign in _BREAKS:
        at = window.rfind(sign, _PART - _LATEST, _PART)
        if at >= 0:
            return at + 1
    run = _PART
    while run and window[run - 1] in _TOKEN:
        run -= 1
    # If the run began before, it was cut so that it goes on here as it would have begun.
    return run + (_PART - run) // 4 * 4


def redacted_stream(redactor: Redactor, pieces: Iterable[str]) -> Iterator[str]:
    """The text that `pieces` make up, without its secrets, in pieces of another size."""
    stream = StreamRedactor(redactor)
    for piece in pieces:
        out = stream.feed(piece)
        if out:
            yield out
    out = stream.end()
    if out:
        yield out
