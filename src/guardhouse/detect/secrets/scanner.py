"""The secret scanner: which kinds may be in a text, where exactly, and what to write in their place.

One RE2 set over the kinds' anchors says which kinds are worth trying; only those run. All time is linear in the
text. It reads no clock and no file, and does not look into encodings: base64 of a secret is not found here.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.detect.secrets.checks import CHECKS, JUDGED
from guardhouse.detect.secrets.echoes import Echoes
from guardhouse.detect.secrets.interface import MASKS, REDACTED, Category, CustomKind, SecretKind, SecretMatch
from guardhouse.detect.secrets.kinds import KINDS
from guardhouse.detect.secrets.pairs import PAIR, PairReader, classify, judge
from guardhouse.detect.secrets.walk import Leaf, leaves
from guardhouse.model import Confidence, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_ALL: Final = (*KINDS, PAIR)
_PAIR: Final = len(KINDS)
_FALLBACKS: Final = tuple(index for index, kind in enumerate(KINDS) if kind.fallback)
_SET_MEMORY: Final = 64 << 20
_LONGEST_MASK: Final = max(map(len, MASKS))
_SURROGATES: Final = range(0xD800, 0xE000)


class _Raw:
    """A match before overlaps are settled: `low`..`end` was matched, `start`..`end` is to be masked."""

    __slots__ = ("confidence", "end", "low", "rank", "start")

    def __init__(self, rank: int, low: int, start: int, end: int, confidence: Confidence) -> None:
        self.rank = rank
        self.low = low
        self.start = start
        self.end = end
        self.confidence = confidence


class Scanned(NamedTuple):
    """The strings of a value, each with its secrets, and whether a first look at all of it showed nothing at all."""

    leaves: list[tuple[Leaf, list[SecretMatch]]]
    is_quiet: bool


class SecretScanner:
    """Finds secrets of the built-in kinds and of `extra` ones. Immutable after construction, but for compiled patterns.

    Raises GuardhouseError if an extra kind can't be used.
    """

    def __init__(self, extra: Sequence[CustomKind] = ()) -> None:
        import re2  # kept out of `import guardhouse`

        self._re2 = re2
        self._options = re2.Options()
        self._options.encoding = re2.Options.Encoding.LATIN1
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = _SET_MEMORY
        self._anchors = re2.Set.SearchSet(options)
        for kind in _ALL:
            self._anchors.Add(kind.anchor)
        # RE2 answers "no match" also when it ran out of memory. This one always matches: without it in the answer,
        # there was none.
        self._witness = self._anchors.Add(r"\z")
        self._anchors.Compile()
        self._patterns: list[Any] = [None] * len(_ALL)
        self._pairs = PairReader()
        self._extra = tuple((kind, _compiled(re2, kind)) for kind in extra)

    def scan(self, text: str) -> list[SecretMatch]:
        """The secrets in `text`: sorted, not overlapping, every occurrence of each."""
        found = self._found(text, None)
        if not found:
            return found
        echoes = Echoes((text[match.start : match.end], match) for match in found)
        return _with_echoes(text, found, echoes)

    def scan_leaves(self, value: Any, beside: Iterable[str] = ()) -> Scanned:
        """Every string of a JSON value, keys included, in the order of `leaves`, with its secrets.

        The key a string stands under counts as its name. `beside` are texts that are only looked at, in the same go.
        GuardhouseError on what is not JSON.
        """
        strings = leaves(value)
        texts = [leaf.text for leaf in strings]
        is_quiet = self.is_quiet([*texts, *beside])
        if is_quiet or (beside and self.is_quiet(texts)):
            scanned = [(leaf, self._named(leaf) if leaf.name else []) for leaf in strings]
        else:
            scanned = [(leaf, self._found(leaf.text, leaf.name)) for leaf in strings]
        echoes = Echoes(
            (leaf.text[match.start : match.end], match) for leaf, found in scanned if found for match in found
        )
        if echoes:
            scanned = [(leaf, _with_echoes(leaf.text, found, echoes)) for leaf, found in scanned]
        return Scanned(scanned, is_quiet)

    def is_quiet(self, texts: Iterable[str]) -> bool:
        """Whether no kind can be in any of `texts`: one cheap look at all of them together tells.

        False says nothing; and a text that is quiet may still be a secret by the name it stands under.
        """
        if self._extra:
            return False
        data, _plain = _bytes_of("\n".join(texts))
        return list(self._anchors.Match(data) or ()) == [self._witness]

    def _named(self, leaf: Leaf) -> list[SecretMatch]:
        """The secrets of a string in which no kind can be: it may be one by its name alone."""
        return self._found(leaf.text, leaf.name) if classify(leaf.name[-80:]) is not None else []

    def _found(self, text: str, name: str | None) -> list[SecretMatch]:
        data, plain = _bytes_of(text)
        raws = self._raws(data)
        if name:
            raws.extend(self._under(name, text, len(data), raws))
        if not raws:
            return []
        raws = _settled(raws)
        offsets = None if plain else _Offsets(text)
        return list(self._matches(text, raws, offsets))

    def _raws(self, data: bytes) -> list[_Raw]:
        candidates = self._anchors.Match(data)
        if not candidates or self._witness not in candidates:
            candidates = range(len(_ALL))
        raws: list[_Raw] = []
        for index in candidates:
            if index < _PAIR and not KINDS[index].fallback:
                raws.extend(self._of_kind(index, KINDS[index], data))
        known = _Known(raws)
        for index in _FALLBACKS:
            if index in candidates:
                raws.extend(self._of_kind(index, KINDS[index], data, known))
        if _PAIR in candidates:
            known = _Known(raws)
            raws.extend(
                _Raw(_PAIR, start, start, end, PAIR.confidence) for start, end in self._pairs.spans(data, known)
            )
        for place, (_kind, pattern) in enumerate(self._extra):
            for match in pattern.finditer(data):
                start, end = match.span(1 if pattern.groups else 0)
                if start < end:
                    raws.append(_Raw(len(_ALL) + place, start, start, end, Confidence.HIGH))
        return raws

    def _of_kind(
        self, index: int, kind: SecretKind, data: bytes, known: Callable[[int, int], bool] | None = None
    ) -> Iterator[_Raw]:
        pattern = self._patterns[index]
        if pattern is None:
            pattern = self._patterns[index] = self._re2.compile(kind.pattern.encode(), self._options)
        checks = [CHECKS[name] for name in kind.checks]
        at = 0
        # Not `finditer`: what ends one match may have to begin the next.
        while (match := pattern.search(data, at)) is not None:
            start, end = match.span(1)
            at = end
            if known is not None and known(start, end):
                continue
            head = data[start:end].decode("latin-1") if checks or kind.proof else ""
            if all(check(head) for check in checks):
                sure = not kind.proof or CHECKS[kind.proof](head)
                yield _Raw(
                    index, match.start(), start, end, Confidence.HIGH if kind.proof and sure else kind.confidence
                )

    def _under(self, name: str, text: str, size: int, raws: list[_Raw]) -> Iterator[_Raw]:
        """The whole text, if the key it stands under makes it a secret."""
        promise = classify(name[-80:])
        if promise is None or "\n" in text or _Known(raws)(0, size):
            return
        if judge(text[:JUDGED], promise, quoted=True):
            yield _Raw(_PAIR, 0, 0, size, PAIR.confidence)

    def _matches(self, text: str, raws: list[_Raw], offsets: _Offsets | None) -> Iterator[SecretMatch]:
        for raw in raws:
            start, end = (raw.start, raw.end) if offsets is None else (offsets.floor(raw.start), offsets.ceil(raw.end))
            custom = raw.rank >= len(_ALL)
            kind = self._extra[raw.rank - len(_ALL)][0].id if custom else _ALL[raw.rank].id
            mask = REDACTED if custom else _ALL[raw.rank].mask
            category = Category.CUSTOM if custom else _ALL[raw.rank].category
            span = _around_masks(text, start, end)
            if span is not None:
                yield SecretMatch(kind, *span, mask, raw.confidence, category)


def _compiled(re2: Any, kind: CustomKind) -> Any:
    try:
        pattern = re2.compile(kind.pattern.encode())
    except re2.error:
        raise GuardhouseError(
            f"The custom secret pattern {kind.id!r} is not a valid RE2 expression.",
            fix="Correct it; look-around and back-references do not exist in RE2.",
        ) from None
    if pattern.match(b"") is not None:
        raise GuardhouseError(
            f"The custom secret pattern {kind.id!r} matches the empty string, so it would match everywhere.",
            fix="Ask for at least one character, for example with `+` in place of `*`.",
        )
    return pattern


def _bytes_of(text: str) -> tuple[bytes, bool]:
    """UTF-8, and whether a byte is a character. A lone surrogate becomes U+FFFD, which is as long."""
    if text.isascii():
        return text.encode("ascii"), True
    try:
        return text.encode("utf-8"), False
    except UnicodeEncodeError:
        return text.translate(dict.fromkeys(_SURROGATES, 0xFFFD)).encode("utf-8"), False


class _Offsets:
    """Turns byte offsets into character offsets; one inside a character goes to its near or far side."""

    def __init__(self, text: str) -> None:
        self._starts = list(accumulate((_width(char) for char in text), initial=0))

    def floor(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def ceil(self, offset: int) -> int:
        at = bisect_right(self._starts, offset) - 1
        return at if self._starts[at] == offset else at + 1


def _width(char: str) -> int:
    return 1 if char < "\x80" else 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


class _Known:
    """Tells whether a span is just a match with its kept beginning, so that `token=ghp_…` keeps its `ghp_`."""

    def __init__(self, raws: list[_Raw]) -> None:
        self._forms = sorted(raws, key=lambda raw: raw.start)
        self._starts = [raw.start for raw in self._forms]

    def __call__(self, start: int, end: int) -> bool:
        at = bisect_right(self._starts, end)
        return any(form.low <= start and end <= form.end for form in self._forms[max(0, at - 4) : at])


def _settled(raws: list[_Raw]) -> list[_Raw]:
    """Overlaps made one: the most specific kind names the match, and all that any of them would mask is masked.

    What the most specific kind keeps as structure (`sk-ant-api03-`) stays, whatever a more general one says of it.
    """
    raws.sort(key=lambda raw: (raw.start, raw.rank))
    settled: list[_Raw] = []
    for raw in raws:
        last = settled[-1] if settled else None
        if last is None or raw.start >= last.end:
            settled.append(raw)
            continue
        best, other = (last, raw) if last.rank <= raw.rank else (raw, last)
        if best.low <= other.start and other.end <= best.end:
            settled[-1] = best
            continue
        settled[-1] = _Raw(best.rank, best.low, last.start, max(last.end, raw.end), best.confidence)
    return settled


def _around_masks(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span, grown over a mask it cuts; None if it is a mask or inside one, so that redacting twice is once.

    Only what the redactor itself writes is a mask: anybody can write `[redacted` before a secret and `]` after it.
    """
    head = _mask_at(text, start)
    if head is not None:
        if end <= head[1]:
            return None
        start = head[0]
    tail = _mask_at(text, end - 1)
    return start, end if tail is None else tail[1]


def _mask_at(text: str, at: int) -> tuple[int, int] | None:
    """The mask that the character at `at` is part of."""
    first = text.rfind("[", max(0, at - _LONGEST_MASK + 1), at + 1)
    if first >= 0:
        for mask in MASKS:
            if at < first + len(mask) and text.startswith(mask, first):
                return first, first + len(mask)
    return None


def _with_echoes(text: str, found: list[SecretMatch], echoes: Echoes[SecretMatch]) -> list[SecretMatch]:
    more = [
        SecretMatch(about.kind, *span, about.mask, about.confidence, about.category, echo=True)
        for start, end, about in echoes.spans(text, [(match.start, match.end) for match in found])
        if (span := _around_masks(text, start, end)) is not None
    ]
    return sorted(found + more, key=lambda match: match.start) if more else found


def masked(text: str, found: Sequence[SecretMatch]) -> str:
    """`text` with each match replaced by its mask."""
    pieces: list[str] = []
    at = 0
    for match in found:
        pieces += (text[at : match.start], match.mask)
        at = match.end
    return "".join((*pieces, text[at:]))
