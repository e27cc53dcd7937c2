"""Takes veils off: from the signs that were seen in a text to what can be read there.

Every step is linear, and what is read is counted against a budget: bytes that would be read beyond it are not read,
and where they stand is said, so that nothing passes for clean because it was too much to look at.
"""

from __future__ import annotations

import binascii
import codecs
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.secrets.searching import for_bytes
from guardhouse.detect.secrets.sight.veils import (
    BASE64_SEEN,
    FANCY,
    FULL_WIDTH,
    HEX_SEEN,
    INVISIBLE,
    SPACED_SEEN,
    TERMINAL,
    Veil,
)
from guardhouse.detect.secrets.sight.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from guardhouse.detect.secrets.overlaps import Taken

_MOST_UNPACKED: Final = 4 << 20
_BEFORE: Final = 1024
_BEHIND: Final = 4096
_REVERSED: Final = 600
_SPLIT_BEFORE: Final = 256
_SPLIT_BEHIND: Final = 512
_SPLIT_SEEN: Final = 24
"""How far before the end of its sign the line ends, at most."""


class Budget:
    """How much may still be read behind one veil of a text, and unpacked in all."""

    def __init__(self, size: int, unpacked: list[int] | None = None) -> None:
        self._left = 3 * size + (64 << 10)
        self._unpacked = [_MOST_UNPACKED] if unpacked is None else unpacked

    def take(self, size: int) -> bool:
        """Whether there is room for so many bytes more."""
        self._left -= size
        return self._left >= 0

    def another(self, size: int) -> Budget:
        """For another veil, or what was read: what was unpacked counts for all."""
        return Budget(size, self._unpacked)

    @property
    def unpackable(self) -> int:
        """How much may still be unpacked."""
        return max(0, self._unpacked[0])

    def unpack(self, size: int) -> None:
        """So much was unpacked."""
        self._unpacked[0] -= size


class Reading:
    """What was read in one text."""

    def __init__(self) -> None:
        self.plain = View()
        """What stands there, as it stands there."""
        self.joined = View()
        """Read on suspicion: lines that may belong together, and text backwards. What is found here counts where
        nothing else was found, and nothing is read behind it."""
        self.unread: list[tuple[int, int]] = []
        """What could not be read within the budget."""


def read(data: bytes, seen: Mapping[Veil, Sequence[int]], taken: Taken, whole: Taken, budget: Budget) -> Reading:
    """What the signs `seen`, given by where they end, hide in `data`.

    What is `taken`, because it is known to be a secret already, is not read again. What is `whole`, because it is known
    by itself and not by what stands round it, has no other part on the next line.
    """
    reading = Reading()
    for veil, ends in seen.items():
        known = whole if veil is Veil.SPLIT else taken
        _READERS[veil](data, ends, known, budget.another(len(data)), reading)
    return reading


def _marks(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    pattern = _compiled(_MARK)
    for low, high in _regions(data, ends, 64):
        if not budget.take(high - low):
            reading.unread.append((low, high))
            continue
        at = low
        for match in pattern.finditer(data, low, high):
            start, end = match.span()
            reading.plain.add(data[at:start], at, 1, start - at)
            mark = data[start:end]
            text, step = _unmarked(mark)
            reading.plain.add(text, start, step, end - start)
            at = end
        if at > low:  # else there was nothing to take off
            reading.plain.add(data[at:high], at, 1, high - at)
            reading.plain.end()


def _regions(data: bytes, ends: Sequence[int], back: int) -> Iterator[tuple[int, int]]:
    """The lines round `ends`, not too much of each, put together where they meet."""
    low = high = -2
    for end in sorted(ends):
        if end <= high - _BEHIND // 2:
            continue
        begin = max(0, end - _BEFORE)
        line = data.rfind(b"\n", begin, max(begin, end - back))
        begin = begin if line < 0 else line + 1
        stop = data.find(b"\n", end, end + _BEHIND)
        stop = min(len(data), end + _BEHIND) if stop < 0 else stop
        if begin <= high + 1:
            high = max(high, stop)
            continue
        if high > low:
            yield low, high
        low, high = begin, stop
    if high > low:
        yield low, high


_MARK: Final = (
    rf"{INVISIBLE}+|{TERMINAL}"
    r"|(?:%[0-9A-Fa-f]{2})+"
    r"|(?:\\u00[0-9A-Fa-f]{2})+|(?:\\x[0-9A-Fa-f]{2})+|(?:\\[01][0-7]{2})+"
    r"|\\{1,3}[ux]\{?0{0,4}[0-9A-Fa-f]{2}\}?"
    r"|&#[0-9]{2,7};|&#[xX][0-9A-Fa-f]{2,6};|&[A-Za-z]{2,8};"
    rf"|{FULL_WIDTH}+|{FANCY}+"
    r"""|\\{0,3}"\s{0,16}(?:[+.&]|\.\.)?\s{0,16}(?:\\?\r?\n\s{0,32})?\\{0,3}"[bru]?"""
    r"""|\\{0,3}'\s{0,16}(?:[+.&]|\.\.)?\s{0,16}(?:\\?\r?\n\s{0,32})?\\{0,3}'"""
    r"|\\\r?\n[ \t]{0,16}"
)


def _unmarked(mark: bytes) -> tuple[bytes, int]:
    """What a mark stands for, and the step that `View` asks for."""
    first = mark[:1]
    if first == b"%":
        return bytes.fromhex(mark.replace(b"%", b"").decode()), 3
    if first == b"\\":
        return _unescaped(mark)
    if first == b"&":
        return _entity(mark), 0
    if first == b"\xef" and mark[1:2] in b"\xbc\xbd":
        return bytes(ord(char) - 0xFEE0 for char in mark.decode()), 3
    if first == b"\xf0" and mark[2] >= _FIRST_FANCY:
        import unicodedata  # as the others below: for the few texts that need it

        plain = [unicodedata.normalize("NFKC", char) for char in mark.decode()]
        return "".join(char if char.isascii() and len(char) == 1 else "?" for char in plain).encode(), 4
    return b"", 0


_FIRST_FANCY: Final = 0x90
"""The third byte of letters of mathematics, in UTF-8; below are signs of music that nobody sees."""


def _unescaped(mark: bytes) -> tuple[bytes, int]:
    kind = mark[1:2]
    is_braced = mark.endswith(b"}")
    if kind == b"u" and not is_braced and len(mark) % 6 == 0 and mark.count(b"\\u00") == len(mark) // 6:
        return bytes.fromhex(mark.replace(b"\\u00", b"").decode()), 6
    if kind == b"x" and len(mark) % 4 == 0 and mark.count(b"\\x") == len(mark) // 4:
        return bytes.fromhex(mark.replace(b"\\x", b"").decode()), 4
    if kind in b"01" and kind:
        return bytes(int(octal, 8) for octal in mark.decode().split("\\")[1:]), 4
    digits = mark.strip(b"\\{}").lstrip(b"ux{")
    if digits and not digits.strip(b"0123456789abcdefABCDEF"):
        return bytes.fromhex(digits[-2:].decode()), 0
    return b"", 0


def _entity(mark: bytes) -> bytes:
    import html

    char = html.unescape(mark.decode())
    return char.encode() if char.isascii() else b"?"


def _base64(data: bytes, ends: Sequence[int], taken: Taken, budget: Budget, reading: Reading) -> None:
    done = 0
    for end in ends:
        start = end - BASE64_SEEN
        if start < done:
            continue
        done = _base64_end(data, start)
        if taken(start) >= done:
            continue
        if done - start < _LEAST_BASE64:
            continue
        if not budget.take(done - start):
            reading.unread.append((start, done))
            continue
        raw = _from_base64(data[start:done])
        if raw[:2] == b"\x1f\x8b" or (raw[:1] == b"\x78" and not _is_text(raw)):
            unpacked = _unpacked(raw, budget)
            if unpacked is None:
                reading.unread.append((start, done))
                continue
            raw = unpacked
        if _is_text(raw):
            reading.plain.add(raw, start, 0, done - start)
            reading.plain.end()


_LEAST_BASE64: Final = 24
_STEP: Final = 4096
_BASE64: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_IN_BASE64: Final = bytes(byte in _BASE64 for byte in range(256))
_LINE_END: Final = r"(?:\\?\r?\n|\\r\\n|\\n)[ \t>]{0,32}"
_BEHIND_LINE: Final = frozenset(b"\r\n\\\"'`,;)]}<")


def _base64_end(data: bytes, start: int) -> int:
    """Where a run of base64 ends, which may go on in lines: they are all as long, but for the last, and have nothing
    else on them. How long is known from the first, and then it is a multiple of four."""
    end = _run_end(data, start)
    width = end - start
    if width % 4 or width < _LEAST_LINE or data[end : end + 1] == b"=":
        return _padded(data, end)
    line_end = _compiled(_LINE_END)
    while (between := line_end.match(data, end)) is not None:
        stop = _run_end(data, between.end())
        size = stop - between.end()
        last = _padded(data, stop)
        if not 0 < size <= width or (last < len(data) and data[last] not in _BEHIND_LINE):
            break
        end = last
        if size < width or last > stop:
            break
    return end


_LEAST_LINE: Final = 16


def _run_end(data: bytes, at: int) -> int:
    while at < len(data):
        found = data[at : at + _STEP].translate(_IN_BASE64).find(b"\0")
        if found >= 0:
            return at + found
        at += _STEP
    return len(data)


def _padded(data: bytes, end: int) -> int:
    while data[end : end + 1] == b"=":
        end += 1
    return end


def _from_base64(run: bytes) -> bytes:
    compact = run.replace(b"\\n", b"").replace(b"\\r", b"").translate(_STANDARD, _NOT_BASE64)
    if len(compact) % 4 == 1:
        compact = compact[:-1]
    return binascii.a2b_base64(compact + b"=" * (-len(compact) % 4))


_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_NOT_BASE64: Final = bytes(byte for byte in range(256) if byte not in _BASE64)
_TEXT: Final = bytes((*range(32, 127), 9, 10, 13, 0))
_PROBE: Final = 256


def _is_text(raw: bytes) -> bool:
    """Whether most of it can be read: ASCII, that in two bytes a character, or UTF-8."""
    probe = raw[:_PROBE]
    if len(probe) < 8:
        return False
    odd = probe.translate(None, _TEXT)
    if len(odd) * 8 <= len(probe):
        return True
    if min(odd) < 0x80 or len(odd) == len(probe):  # controls, or nothing that could be part of a secret
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(probe)
    except UnicodeDecodeError:
        return False
    return True


def _unpacked(raw: bytes, budget: Budget) -> bytes | None:
    """What was compressed; nothing if nothing was. None if it can't be read: too much, cut off or damaged."""
    import zlib

    texts: list[bytes] = []
    for member in range(_MOST_MEMBERS):
        unpacker = zlib.decompressobj(47)
        rest, read = raw, 0
        try:
            while not unpacker.eof:
                # In steps, the first a short one: with an error, what came out in the same step is lost.
                room = min(_UNPACK_STEP if read else 1, budget.unpackable)
                text = unpacker.decompress(rest, room) if room else b""
                rest = unpacker.unconsumed_tail
                budget.unpack(len(text))
                texts.append(text)
                read += len(text)
                if not text and not unpacker.eof:
                    return None
        except zlib.error:
            if read or (not member and raw[:3] == _GZIP):
                return None
            # Nothing that was compressed, or what stands behind it.
            return b"".join((*texts, raw)) if member else b""
        raw = unpacker.unused_data
        if not raw:
            return b"".join(texts)
    return None


_GZIP: Final = b"\x1f\x8b\x08"
_MOST_MEMBERS: Final = 64
_UNPACK_STEP: Final = 64 << 10


def _hex(data: bytes, ends: Sequence[int], taken: Taken, budget: Budget, reading: Reading) -> None:
    pattern = _compiled(_HEX)
    done = 0
    for end in ends:
        start = end - HEX_SEEN
        if start < done:
            continue
        match = pattern.match(data, start)
        done = match.end()
        if taken(start) >= done:
            continue
        if not budget.take(done - start):
            reading.unread.append((start, done))
            continue
        digits = match.group().translate(None, b" \t\r\n")
        raw = bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
        if _is_text(raw):
            in_lines = len(digits) < done - start
            reading.plain.add(raw, start, 0 if in_lines else 2, done - start)
            reading.plain.end()


_HEX: Final = r"(?:[0-9A-Fa-f]{32,}\r?\n[ \t]{0,8})*[0-9A-Fa-f]*"


def _dump(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    pattern = _compiled(_DUMP_LINE)
    done = 0
    for end in ends:
        if end <= done:
            continue
        start = max(done, data.rfind(b"\n", max(0, end - _DUMP_BEFORE), end - 1) + 1, end - _DUMP_BEFORE)
        array = data[start:end].lower().find(b"0x")
        array = array + start if array >= 0 else -1
        start = array if array >= 0 else start
        wrote = False
        while (match := pattern.match(data, start)) is not None:
            digits = match.group(1).replace(b"0x", b"").replace(b"0X", b"").translate(None, b" \t\r\n:,;")
            stop = data.find(b"\n", match.end(1), match.end(1) + _DUMP_BESIDE)
            stop = match.end(1) if stop < 0 or array >= 0 else stop
            if len(digits) % 2:
                break
            if budget.take(stop - start):
                # What stands beside the digits shows the same once more: the line counts as a whole.
                raw = bytes.fromhex(digits.decode())
                if array < 0 and _is_in_words(data[start : match.start(1)], match.group(1)):
                    raw = _swapped(raw)
                reading.plain.add(raw, start, 0, stop - start)
                wrote = True
            else:
                reading.unread.append((start, stop))
            done = start = stop + 1
        done = max(done, end)
        if wrote:
            reading.plain.end()


def _is_in_words(place: bytes, digits: bytes) -> bool:
    """Whether a line of a dump has two bytes at a time, the second one first: as `hexdump` and `od -x` do, whose places
    have seven digits."""
    return len(place) == 8 and place.endswith(b" ") and b":" not in place and digits[4:5] == b" "


def _swapped(raw: bytes) -> bytes:
    out = bytearray(len(raw) // 2 * 2)
    out[0::2] = raw[1::2]
    out[1::2] = raw[0 : len(out) : 2]
    return bytes(out)


_DUMP_BEFORE: Final = 64
_DUMP_BESIDE: Final = 128
_DUMP_LINE: Final = (
    r"[ \t]*(?:[0-9A-Fa-f]{6,16}(?::|  |\t| )[ \t]*)?"
    r"((?:[0-9A-Fa-f]{4} ){1,15}(?:[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})?"
    r"|(?:0[xX][0-9A-Fa-f]{2},?\s{0,8})+"
    r"|(?:[0-9A-Fa-f]{2}[ :,;]){1,8}(?: (?:[0-9A-Fa-f]{2} ){1,8}|(?:[0-9A-Fa-f]{2}[ :,;])*)(?:[0-9A-Fa-f]{2})?)"
)


def _spaced(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    done = 0
    for end in ends:
        start = end - SPACED_SEEN
        if start < done:
            continue
        between = data[end - 1 : end]
        pattern = _compiled(rf"(?:[A-Za-z0-9_\-+/=.]\x{between[0]:02x})+[A-Za-z0-9_\-+/=.]?")
        done = pattern.match(data, start).end()
        if budget.take((done - start) // 2):
            run = data[start:done]
            reading.plain.add(run[::2], start, 2, done - start)
            reading.plain.end()
        else:
            reading.unread.append((start, done))


def _wide(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    pattern = _compiled(r"(?:[\t\n\r -~]\x00)+[ -~]?")
    done = 0
    for end in ends:
        start = end - 16
        if start < done:
            continue
        match = pattern.match(data, start)
        if match is None:
            continue
        done = match.end()
        if budget.take((done - start) // 2):
            reading.plain.add(data[start:done:2], start, 2, done - start)
            reading.plain.end()
        else:
            reading.unread.append((start, done))


def _reversed(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    done = -1
    for end in sorted(ends):
        if end <= done:
            continue
        low, high = max(0, end - _REVERSED), min(len(data), end + _REVERSED)
        done = high - 64
        if budget.take(high - low):
            reading.joined.add(data[low:high][::-1], low, -1, high - low)
            reading.joined.end()
        else:
            reading.unread.append((low, high))


def _split(data: bytes, ends: Sequence[int], taken: Taken, budget: Budget, reading: Reading) -> None:
    from guardhouse.detect.secrets.broken_lines import rest_end

    line_end = _compiled(r"\\?\r?\n[ \t>#*|]{0,16}")
    lines = sorted({data.rfind(b"\n", max(0, end - _SPLIT_SEEN), end) for end in ends})
    for last in taken.free([line - 1 for line in lines]):
        first = data.rfind(b"\n", max(0, last - _SPLIT_BEFORE), last) + 1
        low = max(first, last - _SPLIT_BEFORE)
        broken = line_end.search(data, max(low, last - 1))
        if broken is None:
            continue
        at = broken.end()
        high = data.find(b"\n", at, at + _SPLIT_BEHIND)
        high = min(len(data), at + _SPLIT_BEHIND) if high < 0 else high
        # Further lines, if they are random text as well.
        further = rest_end(data, high, min(len(data), high + _SPLIT_BEHIND)) if data[high : high + 1] == b"\n" else high
        if not budget.take(further - low):
            reading.unread.append((low, further))
            continue
        reading.joined.add(data[low : broken.start()], low, 1, broken.start() - low)
        while (following := line_end.search(data, at, further)) is not None:
            reading.joined.add(data[at : following.start()], at, 1, following.start() - at)
            at = following.end()
        reading.joined.add(data[at:further], at, 1, further - at)
        reading.joined.end()


def _tags(data: bytes, ends: Sequence[int], _taken: Taken, budget: Budget, reading: Reading) -> None:
    pattern = _compiled(r"(?:\xf3\xa0[\x80\x81][\x80-\xbf])+")
    done = -1
    for end in ends:
        start = end - 32
        if start < done:
            continue
        done = pattern.match(data, start).end()
        if budget.take((done - start) // 4):
            hidden = bytes(ord(char) & 0x7F for char in data[start:done].decode())
            reading.plain.add(hidden, start, 4, done - start)
            reading.plain.end()
        else:
            reading.unread.append((start, done))


_READERS: Final = {
    Veil.MARKS: _marks,
    Veil.BASE64: _base64,
    Veil.HEX: _hex,
    Veil.DUMP: _dump,
    Veil.SPACED: _spaced,
    Veil.WIDE: _wide,
    Veil.REVERSED: _reversed,
    Veil.SPLIT: _split,
    Veil.TAGS: _tags,
}


@cache
def _compiled(pattern: str) -> Any:
    import re2  # kept out of `import guardhouse`

    return re2.compile(pattern.encode("latin-1"), for_bytes(re2))
