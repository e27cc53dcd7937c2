"""Reads what is packed into a piece of an address: text in an encoding, compressed data, long values without a meaning
to a reader, and whole texts.

An id of theirs and data of ours can look alike, so only shapes count that ids hardly have: what decodes to several
words, and what is longer than digests, UUIDs, tokens and tracking marks are. Everything here takes linear time.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_ID: Final = 100
"""Characters of one opaque value that is still an id: a SHA-512 in base64 has 88."""
MOST_IDS: Final = 240
"""Characters of all opaque values of one address together."""
MOST_WORDS: Final = 60
"""Words of one value that may still be a search query."""
_SHORTEST_OPAQUE: Final = 24
_SHORTEST_ENCODED: Final = 24
_SHORTEST_PRIVATE: Final = 8
_FEWEST_WORDS: Final = 4
_FEWEST_LINES: Final = 3
_LONGEST_STATE: Final = 160
"""Characters of a text without words that services encode for themselves: cursors, states of a login."""
_MOST_LAYERS: Final = 3
_CASE_CHANGES: Final = 3
_SHORTEST_MIXED: Final = 6
_FEWEST_CHUNKS: Final = 3
_SHORTEST_CHUNK: Final = 6

_DIGITS: Final = frozenset("0123456789")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_BASE32: Final = (frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), frozenset("abcdefghijklmnopqrstuvwxyz234567"))
_VALUES: Final = {
    char: at % 32 for at, char in enumerate("abcdefghijklmnopqrstuvwxyz234567ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}
_ALNUM: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_TOKEN: Final = _ALNUM | frozenset("+/=_-")
_DIGEST_SIZES: Final = frozenset({32, 40, 48, 56, 64, 96, 128})
"""Hexadecimal digits of digests in use, from MD5 to SHA-512."""
_UUID: Final = (8, 4, 4, 4, 12)
_COMPRESSED: Final = (b"\x1f\x8b\x08", b"x\x9c", b"x\xda", b"x\x01", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd")


class Packed(NamedTuple):
    """Something that is packed into a piece of an address."""

    how: str
    """For a person."""
    piece: str
    """As it is written."""
    text: str = ""
    """What it decodes to, if that can be read."""
    size: int = 0
    """Characters without a meaning; 0 of what can be read."""


class _Breaks(dict[int, str]):
    """Everything but the characters of encodings becomes a blank."""

    def __missing__(self, code: int) -> str:
        return " "


_SPLIT: Final = _Breaks({ord(char): char for char in _TOKEN})


def may_pack(pieces: Sequence[str]) -> bool:
    """Whether it is worth a closer look: most addresses have neither a long piece nor several middling ones."""
    sizes = [len(piece) for piece in pieces]
    return max(sizes, default=0) >= _SHORTEST_ENCODED or (
        sum(sizes) >= _SHORTEST_ENCODED and sum(size >= _SHORTEST_CHUNK for size in sizes) >= _FEWEST_CHUNKS
    )


def unescaped(text: str) -> str:
    """A text without percent escapes, however often it was escaped, within reason."""
    for _ in range(_MOST_LAYERS):
        if "%" not in text:
            break
        first, *rest = text.split("%")
        raw = bytearray(first.encode("utf-8", "replace"))
        for part in rest:
            digits = part[:2]
            if len(digits) == 2 and _HEX.issuperset(digits):
                raw.append(int(digits, 16))
                raw += part[2:].encode("utf-8", "replace")
            else:
                raw += b"%" + part.encode("utf-8", "replace")
        plain = raw.decode("utf-8", "replace")
        if plain == text:
            break
        text = plain
    return text


def packed(pieces: Iterable[str]) -> Iterator[Packed]:
    """What is packed into the pieces of an address, each by itself, and into the short ones together."""
    pieces = [piece for piece in pieces if piece]
    chunks: list[str] = []
    for piece in pieces:
        plain = unescaped(piece)
        found = _readable(plain, piece) or _opaque(plain, piece)
        if found is not None:
            yield found
        elif len(plain) >= _SHORTEST_CHUNK and _TOKEN.issuperset(plain):
            chunks.append(plain)
    if len(chunks) >= _FEWEST_CHUNKS:
        # Cut into many small parts, it is the same text.
        found = _decoded_text("".join(chunk.rstrip("=") for chunk in chunks), " ".join(chunks))
        if found is not None:
            yield found._replace(how=f"{found.how}, in {len(chunks)} parts")


def decodings(piece: str) -> Iterator[str]:
    """Every text that a piece may be read as: itself, and what its encoded parts decode to."""
    plain = unescaped(piece)
    yield plain.replace("+", " ")
    for token in plain.translate(_SPLIT).split():
        if len(token) >= _SHORTEST_PRIVATE:
            for _, raw in _decoded(token):
                text = as_text(raw)
                if text is not None:
                    yield text


def _readable(plain: str, piece: str) -> Packed | None:
    """A text that is written out, or encoded."""
    said = plain.replace("+", " ").split()
    if len(said) > MOST_WORDS and sum(map(_is_word, said)) > MOST_WORDS:
        return Packed(f"a text of {len(said)} words", piece, plain.replace("+", " "))
    if _is_jwt(plain):
        return None  # which is a secret, and found as one
    for token in plain.translate(_SPLIT).split():
        if len(token) >= _SHORTEST_ENCODED:
            found = _decoded_text(token, piece)
            if found is not None:
                return found
    return _regrouped(plain, piece)


def _regrouped(plain: str, piece: str) -> Packed | None:
    """A text as numbers, or in an encoding that is cut into small groups."""
    if len(plain) < _SHORTEST_ENCODED:
        return None
    if plain.isdigit() and plain.isascii() and len(plain) % 3 == 0:
        return _of_numbers([plain[at : at + 3] for at in range(0, len(plain), 3)], piece)
    for sign in _GROUPED_BY:
        if plain.count(sign) < _FEWEST_GROUPS:
            continue
        groups = plain.strip(sign).split(sign)
        found = _of_numbers(groups, piece)
        joined = "".join(groups)
        if found is None and max(map(len, groups)) <= _LONGEST_GROUP and _TOKEN.issuperset(joined):
            found = _decoded_text(joined, piece)
        if found is not None:
            return found
    return None


def _of_numbers(groups: list[str], piece: str) -> Packed | None:
    if not all(group.isascii() and group.isdigit() and len(group) <= 3 and int(group) < 256 for group in groups):
        return None
    text = as_text(bytes(map(int, groups)))
    return Packed("text as numbers", piece, text) if text is not None and _tells(text) else None


_GROUPED_BY: Final = "-:.,!_ ~|+;"
_FEWEST_GROUPS: Final = 7
_LONGEST_GROUP: Final = 24


def _decoded_text(token: str, piece: str, layer: int = 0) -> Packed | None:
    for how, raw in _decoded(token):
        if how == "base64" and len(raw) > LONGEST_ID // 2 and raw.startswith(_COMPRESSED):
            return Packed("compressed data in base64", piece)
        text = as_text(raw)
        if text is None:
            continue
        if _tells(text):
            return Packed(f"text in {how}", piece, text)
        inner = unescaped(text).strip()
        if layer < _MOST_LAYERS and len(inner) >= _SHORTEST_ENCODED and _TOKEN.issuperset(inner):
            found = _decoded_text(inner, piece, layer + 1)
            if found is not None:
                return found
    return None


def _decoded(token: str) -> Iterator[tuple[str, bytes]]:
    """What a token is in each encoding that it may be in."""
    bare = token.strip("=")
    if not len(bare) % 2 and _HEX.issuperset(bare):
        yield "hexadecimal", bytes.fromhex(bare)
    if any(alphabet.issuperset(bare) for alphabet in _BASE32):
        yield "base32", _from_base32(bare)
    whole = bare[: len(bare) - (len(bare) % 4 == 1)]
    try:
        standard = whole.replace("-", "+").replace("_", "/")
        yield "base64", a2b_base64(standard + "=" * (-len(standard) % 4))
    except Error:  # an equals sign in its middle, say: then it is in no such encoding
        return


def _from_base32(text: str) -> bytes:
    raw = bytearray()
    bits = held = 0
    for char in text:
        bits = (bits << 5 | _VALUES[char]) & 0xFFF
        held += 5
        if held >= 8:
            held -= 8
            raw.append(bits >> held & 0xFF)
    return bytes(raw)


def as_text(raw: bytes) -> str | None:
    """What bytes say, if all of it can be read by a person."""
    if len(raw) > 2 and not any(raw[1:9:2]) and raw[0]:
        text = raw.decode("utf-16-le", "ignore")
    else:
        text = raw.decode("utf-8", "ignore")
        if len(text.encode()) < len(raw) - 3:  # cut within a character, perhaps, but not more
            return None
    plain = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text if plain.strip() and plain.isprintable() else None


def _tells(text: str) -> bool:
    """Whether a text is more than services encode for themselves."""
    if len(text) > _LONGEST_STATE or text.strip().count("\n") >= _FEWEST_LINES - 1:
        return True
    return text.lstrip()[:1] not in {"{", "["} and sum(map(_is_word, text.split())) >= _FEWEST_WORDS


def _is_word(chunk: str) -> bool:
    return len(chunk) > 1 and sum(map(str.isalpha, chunk)) * 2 > len(chunk)


def _is_jwt(text: str) -> bool:
    return text.startswith("eyJ") and text.count(".") in {2, 4}


def _opaque(plain: str, piece: str) -> Packed | None:
    size = sum(len(run) for run in plain.translate(_SPLIT).split() if is_opaque(run))
    return Packed(f"{size} characters without a meaning", piece, size=size) if size else None


def is_opaque(run: str) -> bool:
    """Whether a run of letters and digits is long, and neither words nor a digest nor a UUID."""
    return len(run) >= _SHORTEST_OPAQUE and not is_words(run) and not _is_digest(run)


def is_words(run: str) -> bool:
    """Whether most of a run is words or numbers, as in `how-to-read-a-file-in-python3`."""
    return meaningless(run) * 2 <= sum(map(len, _parts(run)))


def meaningless(run: str) -> int:
    """How many characters of a run are part of neither a word nor a number."""
    return sum(len(part) for part in _parts(run) if _is_mixed(part))


def _parts(run: str) -> list[str]:
    return "".join(char if char in _ALNUM else " " for char in run).split()


def _is_mixed(part: str) -> bool:
    """Whether a part has letters and digits, or small and capital letters, as words do not."""
    if len(part) < _SHORTEST_MIXED:
        return False
    if part.isalpha():
        changes = sum(before.islower() and after.isupper() for before, after in pairwise(part))
        return changes >= _CASE_CHANGES
    return not part.isdigit() and not part.rstrip("0123456789").isalpha()


def _is_digest(run: str) -> bool:
    if _HEX.issuperset(run) and len(run) in _DIGEST_SIZES:
        return True
    parts = run.split("-")
    return tuple(map(len, parts)) == _UUID and all(map(_HEX.issuperset, parts))
