"""The secret scanner: which kinds may be in a text, where exactly, and what to write in their place.

A first look says where something may be; there the kind's own pattern is tried, in a window as wide as the kind can be,
then its checks. What stands behind a veil is read and looked at in the same way. All time is linear in the text. It
reads no clock and no file.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from guardhouse.detect.secrets.checks import CHECKS, JUDGED
from guardhouse.detect.secrets.echoes import Echoes
from guardhouse.detect.secrets.interface import (
    Category,
    CustomKind,
    Matcher,
    SecretKind,
    SecretMatch,
)
from guardhouse.detect.secrets.kinds import FIRST_FORM, KINDS
from guardhouse.detect.secrets.masks import MASKED, REDACTED, Fingerprints
from guardhouse.detect.secrets.offsets import Offsets, bytes_of
from guardhouse.detect.secrets.overlaps import Known, Raw, Taken, around_masks, settled
from guardhouse.detect.secrets.pairs import PAIR, PairEnds, PairReader
from guardhouse.detect.secrets.promises import classify, judge
from guardhouse.detect.secrets.runs import is_escaped
from guardhouse.detect.secrets.searching import Searcher
from guardhouse.detect.secrets.sight.veils import Veil
from guardhouse.detect.secrets.triggers import PAIR_TARGETS, REST_TARGET, VEIL_TARGET
from guardhouse.detect.secrets.walk import Leaf, leaves
from guardhouse.model import Confidence, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from guardhouse.detect.secrets.sight.reading import Budget
    from guardhouse.detect.secrets.sight.view import View

UNREADABLE: Final = SecretKind(
    id="unreadable_blob",
    what="whatever is in it: it is packed so that it can't be looked at",
    anchor="",
    category=Category.TOKEN,
    confidence=Confidence.LOW,
)
_PAIR: Final = len(KINDS)
_BLOB: Final = _PAIR + 1
_CUSTOM: Final = _BLOB + 1
"""Ranks of matches: the kinds by their place in the table, then these, then the user's own."""
_DEEPEST: Final = 3
"""Base64 of base64 of base64 is still read."""
_BELIEVED: Final = 256
"""After so many matches of a kind in one text, the rest is not checked one by one: a dump of keys is a dump of keys."""
_CROWD: Final = 32
"""With more places than this to look at, they are looked at in one go."""
_LOOKED_AT: Final = 8192


class Scanned(NamedTuple):
    """The strings of a value, each with its secrets, and whether a first look at all of it showed nothing at all."""

    leaves: list[tuple[Leaf, list[SecretMatch]]]
    is_quiet: bool


class SecretScanner:
    """Finds secrets of the built-in kinds and of `extra` ones. What it finds depends on nothing but the text and these.

    Raises GuardhouseError if an extra kind can't be used.
    """

    def __init__(
        self,
        extra: Sequence[CustomKind] = (),
        matcher: Matcher | None = None,
        *,
        ignored: Collection[str] = (),
        allowed: Collection[str] = (),
        fingerprints: Fingerprints | None = None,
    ) -> None:
        """Kinds that are `ignored` are not found, nor are values whose fingerprints are `allowed`."""
        import re2  # kept out of `import guardhouse`

        self._matcher = matcher
        self._pairs = _pairs()
        self._extra = tuple((kind, _compiled(re2, kind)) for kind in extra)
        self._ignored = frozenset(ignored)
        self._allowed = frozenset(allowed) if fingerprints is not None else frozenset()
        self._fingerprints = fingerprints

    @property
    def matcher(self) -> Matcher:
        """What looks first; made when it is first needed, if none was given."""
        if self._matcher is None:
            from guardhouse.detect.secrets.matching import shared_matcher

            self._matcher = shared_matcher()
        return self._matcher

    def use(self, matcher: Matcher) -> None:
        """From now on `matcher` looks first."""
        self._matcher = matcher

    def scan(self, text: str) -> list[SecretMatch]:
        """The secrets in `text`: sorted, not overlapping, every occurrence of each."""
        found = self._found(text, None)
        if not found:
            return found
        return _with_echoes(text, found, Echoes(_values(text, found)))

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
        scanned = _with_keys_in_lists(scanned)
        echoes = Echoes([pair for leaf, found in scanned if found for pair in _values(leaf.text, found)])
        scanned = [(leaf, _with_echoes(leaf.text, found, echoes)) for leaf, found in scanned]
        return Scanned(scanned, is_quiet)

    def is_quiet(self, texts: Iterable[str]) -> bool:
        """Whether no kind can be in any of `texts`: one cheap look at all of them together tells.

        False says nothing; and a text that is quiet may still be a secret by the name it stands under.
        """
        if self._extra:
            return False
        data, _plain = bytes_of("\n".join(texts))
        return not self.matcher.places(data)

    def _named(self, leaf: Leaf) -> list[SecretMatch]:
        """The secrets of a string in which no kind can be: it may be one by its name alone."""
        return self._found(leaf.text, leaf.name) if classify(leaf.name[-80:]) is not None else []

    def _found(self, text: str, name: str | None) -> list[SecretMatch]:
        data, plain = bytes_of(text)
        raws = self._raws(data, None)
        if name:
            raws.extend(self._under(name, text, len(data), raws))
        if not raws:
            return []
        matches = list(self._matches(text, settled(raws), None if plain else Offsets(data)))
        return self._counted(text, matches) if self._allowed else matches

    def _counted(self, text: str, matches: list[SecretMatch]) -> list[SecretMatch]:
        """Without the values that the user says are none."""
        prints = self._fingerprints
        if prints is None:
            return matches
        return [match for match in matches if prints.of(text[match.start : match.end]) not in self._allowed]

    def _raws(self, data: bytes, budget: Budget | None, depth: int = 0) -> list[Raw]:
        """What is found in `data`, and behind the veils in it."""
        places = self.matcher.places(data)
        raws, ignored = self._of_kinds(data, places)
        ends = PairEnds(*(sorted(places.get(target, ())) for target in PAIR_TARGETS))
        if any(ends) and PAIR.id not in self._ignored:
            known = Known([*raws, *ignored])
            raws.extend(
                [Raw(_PAIR, start, start, end, PAIR.confidence) for start, end in self._pairs.spans(data, known, ends)]
            )
        raws.extend(self._of_own_kinds(data))
        if raws and REST_TARGET in places:
            from guardhouse.detect.secrets.broken_lines import carry_on  # few texts need it

            carry_on(data, raws)
        if depth < _DEEPEST:
            seen = {target - VEIL_TARGET: sorted(ends) for target, ends in places.items() if target >= VEIL_TARGET}
            if seen:
                self._behind(data, seen, raws, budget, depth)
        return raws

    def _of_kinds(self, data: bytes, places: Mapping[int, list[int]]) -> tuple[list[Raw], list[Raw]]:
        """What is found of the kinds whose triggers were found (of fallback kinds, where nothing else is), and what is
        to be ignored: nothing less telling is made of the same value."""
        raws: list[Raw] = []
        ignored: list[Raw] = []
        later: list[int] = []
        for target, ends in places.items():
            if target < len(KINDS):
                kind = KINDS[target]
                if kind.fallback:
                    later.append(target)
                else:
                    (ignored if kind.id in self._ignored else raws).extend(self._of_kind(target, data, ends))
        if later:
            known, taken = None, Taken(raws)
            for target in later:
                lasts = taken.free(sorted([end - 1 for end in places[target]]))
                if lasts and KINDS[target].id not in self._ignored:
                    known = known or Known([*raws, *ignored])
                    found = self._of_kind(target, data, [last + 1 for last in lasts], known)
                    raws.extend([raw for raw in found if not taken(raw.start)])
        return raws, ignored

    def _of_own_kinds(self, data: bytes) -> Iterator[Raw]:
        """What is found of the kinds that configuration added."""
        for place, (custom, pattern) in enumerate(self._extra):
            if custom.id in self._ignored:
                continue
            for match in pattern.finditer(data):
                start, end = match.span(1 if pattern.groups else 0)
                if start < end:
                    yield Raw(_CUSTOM + place, start, start, end, Confidence.HIGH)

    def _behind(
        self, data: bytes, seen: dict[int, list[int]], raws: list[Raw], budget: Budget | None, depth: int
    ) -> None:
        """Adds to `raws` what is hidden where veils were `seen`."""
        from guardhouse.detect.secrets.sight.reading import Budget, read

        taken, whole = Taken(raws), Taken([raw for raw in raws if raw.rank < FIRST_FORM])
        budget = budget or Budget(len(data))
        reading = read(data, {Veil(veil): ends for veil, ends in seen.items()}, taken, whole, budget)
        found = self._through(reading.plain, budget, depth)
        joined = [
            raw for raw in self._through(reading.joined, budget, _DEEPEST) if not taken.covers(raw.start, raw.end)
        ]
        raws.extend(found)
        raws.extend(joined)
        if UNREADABLE.id not in self._ignored:
            raws.extend(Raw(_BLOB, start, start, end, UNREADABLE.confidence) for start, end in reading.unread)

    def _through(self, view: View, budget: Budget, depth: int) -> list[Raw]:
        """What is found in a view, as it lies in the text."""
        if not view.size:
            return []
        found: list[Raw] = []
        data = view.data()
        for raw in self._raws(data, budget.another(len(data)), depth + 1):
            start, end = view.original(raw.start, raw.end)
            low = view.original(raw.low, raw.low + 1)[0] if raw.low < raw.start else start
            found.append(Raw(raw.rank, min(low, start), start, end, raw.confidence, raw.also))
        return found

    def _of_kind(
        self, index: int, data: bytes, ends: list[int], known: Callable[[int, int], bool] | None = None
    ) -> list[Raw]:
        """The matches of a kind near where its trigger was found."""
        kind = KINDS[index]
        spans = iter(kind.spans(data, ends)) if kind.spans else _spans(_searcher(index), kind, data, ends)
        # Without an edge, a match begins with its own first letter.
        if not kind.self_evident:
            spans = ((low, start, end) for low, start, end in spans if not _is_digest(data, low))
        if known is not None:
            spans = ((low, start, end) for low, start, end in spans if not known(start, end))
        found = list(islice(self._checked(index, data, spans), _BELIEVED))
        found += [Raw(index, low, start, end, kind.confidence) for low, start, end in spans]
        return found

    def _checked(self, index: int, data: bytes, spans: Iterator[tuple[int, int, int]]) -> Iterator[Raw]:
        """Those matches of a kind that pass its checks."""
        kind = KINDS[index]
        # Placeholders last: to know one takes longest.
        checks = [CHECKS[name] for name in sorted(kind.checks, key="real".__eq__)]
        behind_letter = CHECKS[kind.behind_letter] if kind.behind_letter else None
        proof = CHECKS[kind.proof] if kind.proof else None
        for low, start, end in spans:
            head = data[start : min(end, start + _LOOKED_AT)].decode("latin-1")
            if not all(check(head) for check in checks):
                continue
            if behind_letter is not None and _is_glued(data, low) and not behind_letter(head):
                continue
            sure = proof is not None and proof(head)
            yield Raw(index, low, start, end, Confidence.HIGH if sure else kind.confidence)

    def _under(self, name: str, text: str, size: int, raws: list[Raw]) -> Iterator[Raw]:
        """The whole text, if the key it stands under makes it a secret."""
        promise = classify(name[-80:])
        value = text.strip()
        if promise is None or "\n" in value or PAIR.id in self._ignored or Known(raws)(0, size):
            return
        if judge(value[:JUDGED], promise, quoted=True):
            yield Raw(_PAIR, 0, 0, size, PAIR.confidence)

    def _matches(self, text: str, raws: list[Raw], offsets: Offsets | None) -> Iterator[SecretMatch]:
        has_masks = len(raws) <= _DUMP or MASKED in text
        rank, kind = _BLOB, UNREADABLE
        for raw in raws:
            start, end = (raw.start, raw.end) if offsets is None else (offsets.floor(raw.start), offsets.ceil(raw.end))
            span = around_masks(text, start, end) if has_masks else (start, end)
            if span is None:
                continue
            also = tuple(map(self._kind_id, raw.also)) if raw.also else ()
            if raw.rank < _CUSTOM:
                if raw.rank != rank:
                    rank, kind = raw.rank, _kind(raw.rank)
                yield SecretMatch(
                    kind.id,
                    span[0],
                    span[1],
                    kind.mask,
                    raw.confidence,
                    kind.category,
                    kind.by_context,
                    kind.self_evident,
                    also,
                )
            else:
                custom = self._extra[raw.rank - _CUSTOM][0].id
                yield SecretMatch(custom, *span, REDACTED, raw.confidence, Category.CUSTOM, by_context=True, also=also)

    def _kind_id(self, rank: int) -> str:
        return self._extra[rank - _CUSTOM][0].id if rank >= _CUSTOM else _kind(rank).id


@cache
def _pairs() -> PairReader:
    return PairReader()


@cache
def _searcher(index: int) -> Searcher:
    """The pattern of a kind, compiled once for all of this process."""
    import re2  # kept out of `import guardhouse`

    return Searcher(re2, KINDS[index].pattern)


def _kind(rank: int) -> SecretKind:
    return KINDS[rank] if rank < _PAIR else PAIR if rank == _PAIR else UNREADABLE


def _spans(searcher: Searcher, kind: SecretKind, data: bytes, ends: list[int]) -> Iterator[tuple[int, int, int]]:
    """Where a kind matches near `ends`: where it begins, and its group. Each search goes on where the last ended."""
    search = searcher.search
    size = len(data)
    at = 0
    if kind.after == 0 or len(ends) > _CROWD:
        # In one go: what is found beyond the places counts as well, and where nothing is found, there is nothing more.
        windows = [(min(ends) - kind.before, max(ends) + kind.after if kind.after else size)]
    else:
        windows = [(end - kind.before, end + kind.after) for end in sorted(ends)]
    for low, high in windows:
        if high - kind.after <= at and kind.after:
            continue
        at = max(0, at, low)
        stop = min(size, high)
        while at < stop and (spans := search(data, at, stop)) is not None:
            if spans[0][1] + 1 >= stop and stop < size:
                spans = searcher.match(data, spans[0][0], size) or spans
            # Of two groups, the one that is there.
            start, at = spans[1] if spans[1][0] >= 0 else spans[2]
            yield spans[0][0], start, at


def _is_glued(data: bytes, low: int) -> bool:
    """Whether a letter or a digit stands directly before `low` that is not the end of an escape."""
    if not data[low - 1 : low].isalnum():
        return False
    return not is_escaped(data, low)


_SIGNS: Final = (b"=", b"-", b":")
_DIGESTS: Final = {
    b"md5": (22, 32),
    b"sha1": (27, 40),
    b"h1": (43,),
    b"sha256": (43, 64),
    b"sha384": (64, 96),
    b"sha512": (86, 128),
}
"""How many characters come out of a hash function, in base64 and in hexadecimal."""


def _is_digest(data: bytes, low: int) -> bool:
    """Whether what begins at `low` is what the hash function gave whose name stands before it: any letters can come out
    of one, but always as many."""
    if data[low : low + 1] not in _SIGNS:
        return False
    first = low
    while first > low - 8 and data[first - 1 : first].isalnum():
        first -= 1
    sizes = _DIGESTS.get(data[first:low].lower())
    if sizes is None:
        return False
    run = len(data[low + 1 : low + 130]) - len(data[low + 1 : low + 130].lstrip(_IN_DIGEST))
    return run in sizes


_IN_DIGEST: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"


def _compiled(re2: Any, kind: CustomKind) -> Any:
    options = re2.Options()
    options.log_errors = False  # it would write the pattern to standard error
    try:
        pattern = re2.compile(kind.pattern.encode(), options)
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


def _values(text: str, found: list[SecretMatch]) -> list[tuple[str, SecretMatch]]:
    """What the matches hold. Of very many, only what would not be found for itself where it stands again."""
    wanted = [match for match in found if match.by_context or (len(found) <= _DUMP and not match.self_evident)]
    return [(text[match.start : match.end], match) for match in wanted]


_DUMP: Final = 64


def _with_echoes(text: str, found: list[SecretMatch], echoes: Echoes[SecretMatch]) -> list[SecretMatch]:
    if not echoes:
        return found
    more = [
        msgspec.structs.replace(about, start=span[0], end=span[1], echo=True)
        for start, end, about in echoes.spans(text, [(match.start, match.end) for match in found])
        if (span := around_masks(text, start, end)) is not None
    ]
    return sorted(found + more, key=lambda match: match.start) if more else found


def _with_keys_in_lists(scanned: list[tuple[Leaf, list[SecretMatch]]]) -> list[tuple[Leaf, list[SecretMatch]]]:
    """A private key that came as a list of its lines: each of them is one."""
    if not any(_KEY in leaf.text for leaf, _found in scanned):
        return scanned
    from guardhouse.detect.secrets.private_keys import is_key_line

    inside: tuple[int, ...] | None = None
    out: list[tuple[Leaf, list[SecretMatch]]] = []
    for leaf, found in scanned:
        text = leaf.text
        if inside is not None and (leaf.steps[:-1] != inside or not is_key_line(text.encode("utf-8", "replace"))):
            # The last line may be short, and then there are the dashes.
            is_rest = leaf.steps[:-1] == inside and len(text) < _SHORT and text.strip("=").isalnum()
            found = [_whole(text)] if is_rest else found  # noqa: PLW2901 - what it is now
            inside = None
        elif inside is not None:
            found = [_whole(text)]  # noqa: PLW2901 - what it is now
        if _KEY in text and "BEGIN" in text and "END" not in text and leaf.steps and not leaf.is_key:
            inside = leaf.steps[:-1]
        out.append((leaf, found))
    return out


_KEY: Final = "PRIVATE KEY"
_SHORT: Final = 76


def _whole(text: str) -> SecretMatch:
    return SecretMatch("private_key", 0, len(text), REDACTED, Confidence.HIGH, Category.PRIVATE_KEY)


def with_copies(text: str, found: list[SecretMatch], known: Mapping[str, SecretMatch]) -> list[SecretMatch]:
    """`found`, with the other places in `text` where values stand that are `known` to be secrets."""
    return _with_echoes(text, found, Echoes(known.items()))


def masked(text: str, found: Sequence[SecretMatch]) -> str:
    """`text` with each match replaced by its mask."""
    pieces: list[str] = []
    at = 0
    for match in found:
        pieces += (text[at : match.start], match.mask)
        at = match.end
    return "".join((*pieces, text[at:]))
