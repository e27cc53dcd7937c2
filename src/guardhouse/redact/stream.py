"""Redacts a stream: text in as it comes, text out without its secrets, in constant memory.

What comes out depends on the text alone, never on how it was cut: a part is looked at only when enough of what follows
is there, and where a part ends is decided by the text. A short text comes out just as `Redactor.text` would have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect.secrets import UNREADABLE_ID, Category, rest_of_key, with_copies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.detect.secrets import SecretMatch
    from guardhouse.redact.redactor import Redactor

_PART: Final = 64 << 10
_AHEAD: Final = 16 << 10
"""So much of what follows a part is looked at with it: a secret that begins in it ends there, or goes on for long."""
_BEHIND: Final = 1024
"""So much of what stood before a part is looked at with it. A multiple of four, as base64 has it."""
_SOON: Final = 256
"""So much of what follows is looked at where somebody reads along."""
_WORTHWHILE: Final = 64
_BREAKS: Final = "\n", " ", ",", ";", "}", ")"
_LATEST: Final = 4096
_REMEMBERED: Final = 32
_SHORTEST: Final = 8
_TOKEN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.~%\\")
_LINE: Final = 4096
_LINE_BEGIN: Final = 64
"""What may stand before the next line of a key: its number, the name of its file."""
_LONG: Final = 16
_BETWEEN: Final = 40
_LINE_ENDS: Final = frozenset(" \t\r\n\\>")


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
        self._inside: SecretMatch | None = None
        """The secret that has not ended yet."""
        self._is_cut = False
        """Whether the line of a key was cut in which it goes on."""
        self._line = 0
        """How much of the line of a blob has been seen."""
        self._is_padded = False
        """Whether that ended with the sign that ends base64."""
        self._started = False

    def feed(self, text: str) -> str:
        """What can be let go now that `text` has come."""
        self._pieces.append(text)
        self._waiting += len(text)
        if len(self._buffer) + self._waiting < _PART + _AHEAD:
            return ""
        self._gather()
        return self._parts(ended=False)

    def soon(self) -> str:
        """What can be let go already for somebody who reads along: whole words, a little later than they came.

        Less of what follows is looked at than otherwise, so a value that only words far behind it give away is shown.
        """
        self._gather()
        out = self._parts(ended=False)
        if self._inside is not None:
            return out
        latest = len(self._buffer) - _SOON
        size = max(self._buffer.rfind(sign, 0, max(latest, 0)) for sign in ("\n", " ")) + 1
        if size < _WORTHWHILE:
            return out
        size, masked = self._part(self._buffer, size)
        self._buffer = self._buffer[size:]
        return out + masked

    def end(self) -> str:
        """The rest, when no more will come."""
        self._gather()
        out = self._parts(ended=True)
        rest, self._buffer = self._buffer, ""
        if not self._started:
            return self._redactor.text(rest)
        return out + self._masked(rest, len(rest), self._found(rest)) if rest else out

    def _parts(self, *, ended: bool) -> str:
        """What can be let go of the buffer, part by part; the rest stays in it."""
        out: list[str] = []
        at = 0
        while self._inside is not None or len(self._buffer) - at >= _PART + _AHEAD:
            if self._inside is None:
                window = self._buffer[at : at + _PART + _AHEAD]
                size, masked = self._part(window, _break(window))
                out.append(masked)
                at += size
                continue
            done = self._skipped(at, ended=ended)
            if done == at and self._inside is not None:
                break
            at = done
        self._buffer = self._buffer[at:]
        return "".join(out)

    def _gather(self) -> None:
        self._buffer = "".join((self._buffer, *self._pieces))
        self._pieces.clear()
        self._waiting = 0

    def _part(self, window: str, size: int) -> tuple[int, str]:
        """How much of `window` can be let go, `size` unless a secret stands there, and that without its secrets."""
        found = self._found(window)
        for match in found:
            if match.start < size < match.end:
                size = match.end
                if self._may_go_on(match, window[size:]):
                    self._inside = match
                    self._is_cut = size == len(window)
                    self._line, self._is_padded = _LONG, window[size - 1] == "="
        self._learn(window, [match for match in found if match.start < size])
        masked = self._masked(window, size, found)
        self._started = True
        self._before = (self._before + window[:size])[-_BEHIND:]
        return size, masked

    def _may_go_on(self, match: SecretMatch, rest: str) -> bool:
        """Whether it reaches as far as can be seen, or to where the next line of a key begins."""
        if match.category is Category.PRIVATE_KEY:
            return len(rest) < _LINE_BEGIN and "END" not in rest
        return not rest.strip()

    def _found(self, window: str) -> list[SecretMatch]:
        """The secrets in `window`, with those that only what stood before it gives away, and copies of earlier ones."""
        shift = len(self._before)
        found = [
            msgspec.structs.replace(match, start=max(0, match.start - shift), end=match.end - shift)
            for match in self._scan(self._before + window)
            if match.end > shift
        ]
        return with_copies(window, found, self._known)

    def _learn(self, window: str, found: Sequence[SecretMatch]) -> None:
        """Remembers the values of which it is known where they end."""
        for match in found:
            value = window[match.start : match.end]
            if match.by_context and not match.echo and len(value) >= _SHORTEST and match.end < len(window):
                self._known.pop(value, None)
                self._known[value] = match
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]

    def _masked(self, window: str, size: int, found: Sequence[SecretMatch]) -> str:
        here = [match for match in found if match.start < size]
        masked = self._redactor.masked(window[:size], here)
        # Masking can bring out another secret.
        return self._redactor.text(masked) if here else masked

    def _skipped(self, at: int, *, ended: bool) -> int:
        """Where the secret ends that began earlier and is masked already, or how far it is known to go on."""
        inside = self._inside
        if inside is not None and inside.category is Category.PRIVATE_KEY:
            stop = self._key_skipped(at, ended=ended)
        elif inside is not None and inside.kind == UNREADABLE_ID:
            stop = self._blob_skipped(at, ended=ended)
        else:
            stop = self._run_end(at)
            if stop < len(self._buffer):
                self._inside = None
        self._before = (self._before + self._buffer[at:stop])[-_BEHIND:]
        return stop

    def _run_end(self, at: int) -> int:
        buffer = self._buffer
        while at < len(buffer) and buffer[at] in _TOKEN:
            at += 1
        return at

    def _key_skipped(self, at: int, *, ended: bool) -> int:
        """Behind the lines that look like a key's, however they are quoted; of a line that was cut, the rest goes with
        its beginning. It has ended when its end stands there, or nothing that could be a line of it for long."""
        buffer = self._buffer
        if self._is_cut:
            at = self._run_end(at)
            if at == len(buffer) and not ended:
                return at
            self._is_cut = False
        # A byte for each character, so that places are the same.
        end, is_over = rest_of_key(buffer[at:].encode("ascii", "replace"))
        if is_over or ended or len(buffer) - at - end >= _LINE:
            self._inside = None
            return at + end
        # The last line may not be all there yet; a little is kept, so that it can be judged.
        known = max(0, min(end, len(buffer) - at - _LINE))
        self._is_cut = 0 < known < end
        return at + known

    def _blob_skipped(self, at: int, *, ended: bool) -> int:
        """Behind a run of base64, and the lines that go on with it: all but the last are long."""
        buffer = self._buffer
        while True:
            stop = self._run_end(at)
            self._line += stop - at
            if stop > at:
                self._is_padded = buffer[stop - 1] == "="
            if stop == len(buffer) and not ended:
                return stop
            following = stop
            while following < min(len(buffer), stop + _BETWEEN) and buffer[following] in _LINE_ENDS:
                following += 1
            if following == len(buffer) and not ended:
                return stop
            is_more = (
                following < len(buffer) and buffer.count("\n", stop, following) == 1 and buffer[following] in _TOKEN
            )
            if not is_more or self._line < _LONG or self._is_padded:
                self._inside = None
                return stop
            at, self._line = following, 0


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
