"""Finds labelled data in texts, and masks it. Only the labels that it was made for are looked for, or even compiled.

All time is linear in the text: expressions are RE2's, and what they find is checked in time that is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.sensitivity.prompts import RUN, PrivateTexts, words_of
from guardhouse.detect.sensitivity.table import LABELS, SYSTEM_PROMPT
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from guardhouse.detect.sensitivity.interface import OwnLabel, Where

    Finder = Callable[[str], Iterable[Where]]

_MASK: Final = "[redacted]"
_ROUNDS: Final = 8
"""A mask has other neighbours than what it stands for, so what is next to it is looked at again."""
_SURROGATES: Final = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


class LabelScanner:
    """Finds the data of some labels: where it leaves in output, and where in a call.

    Raises GuardhouseError if a label of configuration's own, or a private text, can't be used.
    """

    def __init__(
        self,
        output: Collection[str],
        egress: Collection[str],
        own: Iterable[OwnLabel] = (),
        private: Iterable[str] = (),
    ) -> None:
        wanted = {*output, *egress}
        self._finders: dict[str, Finder] = {
            label.id: _finder(_compiled(label.pattern, latin=True), label.check)
            for label in LABELS
            if label.id in wanted
        }
        if SYSTEM_PROMPT in wanted:
            self._finders[SYSTEM_PROMPT] = PrivateTexts(private).spans
        self._finders |= {label.id: _finder(own_pattern(label), None) for label in own if label.id in wanted}
        self.output = tuple(label for label in self._finders if label in output)
        """The labels that are looked for in what is published."""
        self.egress = tuple(label for label in self._finders if label in egress)
        """The labels that are looked for in what a call sends."""

    def spans(self, label: str, text: str) -> Iterable[Where]:
        """Where `text` holds data of a label, in characters, from left to right."""
        return self._finders[label](text)

    def mask(self, labels: Iterable[str]) -> LabelMask:
        """What masks the data of some labels, as far as they are looked for."""
        return LabelMask([self._finders[label] for label in labels if label in self._finders])


class LabelMask:
    """Masks the data of some labels in texts, in the manner of a compiled expression."""

    numbers: Final = True
    """Numbers are masked, too, unlike by an expression of a rule, which is about text."""

    def __init__(self, finders: list[Finder]) -> None:
        self._finders = finders

    def sub(self, mask: str, text: str) -> str:
        """`text` with `mask` in the place of all that is labelled. Masking that again changes nothing."""
        for _round in range(_ROUNDS):
            found = sorted(span for finder in self._finders for span in finder(text))
            if not found:
                return text
            text = _masked(text, found, mask)
        return mask


def _masked(text: str, found: list[Where], mask: str) -> str:
    pieces: list[str] = []
    at = 0
    covered = -1
    for start, end in found:
        if start >= covered:
            pieces += (text[at:start], mask)
        at = covered = max(covered, end)
    return "".join((*pieces, text[at:]))


def own_pattern(label: OwnLabel) -> Any:
    """The expression of a label of configuration's own; GuardhouseError if it can't be used."""
    pattern = _compiled(label.pattern, latin=False)
    if pattern.match(b"") is not None:
        raise GuardhouseError(
            f"The pattern of the label {label.id!r} matches the empty string, so it would match everywhere.",
            fix="Ask for at least one character, for example with `+` in place of `*`.",
        )
    if pattern.search(_MASK.encode()) is not None:
        raise GuardhouseError(
            f"The pattern of the label {label.id!r} matches `{_MASK}`, so masking would never end.",
            fix="Ask for something that is not in that word.",
        )
    return pattern


def check_private(text: str) -> None:
    """GuardhouseError if a private text is too short to be recognised."""
    if len(words_of(text)) < RUN:
        raise GuardhouseError(
            f"A private text of fewer than {RUN} words can't be recognised.", fix="Write `labels.patterns` for it."
        )


def _compiled(pattern: str, *, latin: bool) -> Any:
    import re2  # kept out of `import guardhouse`

    options = re2.Options()
    options.log_errors = False
    if latin:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error:
        raise GuardhouseError(
            "This is not a valid RE2 expression.",
            fix="Correct it; look-around and back-references do not exist in RE2.",
        ) from None


def _finder(pattern: Any, check: Callable[[bytes, int, int], Where | None] | None) -> Finder:
    def find(text: str) -> Iterator[Where]:
        data = _bytes_of(text)
        plain = len(data) == len(text)
        at = chars = 0
        for match in pattern.finditer(data):
            start, end = _group(match, pattern.groups)
            where = check(data, start, end) if check is not None else (start, end)
            if where is None or where[0] >= where[1]:
                continue
            if plain:
                yield where
                continue
            chars += len(data[at : where[0]].decode("utf-8"))
            size = len(data[where[0] : where[1]].decode("utf-8"))
            yield chars, chars + size
            chars += size
            at = where[1]

    return find


def _group(match: Any, groups: int) -> Where:
    """What the group that matched has, or all of it."""
    for group in range(1, groups + 1):
        start, end = match.span(group)
        if start >= 0:
            return int(start), int(end)
    start, end = match.span()
    return int(start), int(end)


def _bytes_of(text: str) -> bytes:
    """UTF-8. A lone surrogate becomes U+FFFD, which is as long."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.translate(_SURROGATES).encode("utf-8")
