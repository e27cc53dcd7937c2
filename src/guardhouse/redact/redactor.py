"""The redactor: a value in, the same value out with every secret masked.

It repeats until nothing is found any more, so redacting twice is redacting once. It does not decide what is a secret
(the scanner does) nor whether to redact (policy does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.detect.secrets import REDACTED, Category, SecretMatch, rebuilt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.detect.secrets import Fingerprints, SecretScanner

Level = Literal["full", "partial"]

_ROUNDS: Final = 6
"""Masking can bring out another secret, seldom twice in a row. After this many rounds the whole string is masked."""
_HEAD: Final = 4
_TAIL: Final = 2
_LONG: Final = 24
"""Shorter secrets show nothing at level `partial`: too much of them would be known."""
_SHOWN: Final = frozenset({Category.PROVIDER_KEY, Category.TOKEN})


class Redacted(msgspec.Struct, frozen=True):
    """A value without its secrets."""

    value: Any
    changed: bool
    """Whether anything was masked."""


class Redactor:
    """Masks what `scanner` finds.

    Level `full` leaves a kind's fixed beginning at most (`sk-[redacted]`); `partial` also leaves a few characters of
    long keys and tokens, so that a person can tell one from another. Passwords and private keys are masked in full.
    """

    def __init__(self, scanner: SecretScanner, level: Level = "full", fingerprints: Fingerprints | None = None) -> None:
        """With `fingerprints`, masks tell one secret from another: `[redacted:1f8a09c2]`."""
        self._scanner = scanner
        self._level = level
        self._fingerprints = fingerprints

    @property
    def scanner(self) -> SecretScanner:
        """What says where the secrets are."""
        return self._scanner

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        for _ in range(_ROUNDS):
            masked = self.masked(text, self._scanner.scan(text))
            if masked == text:
                return text
            text = masked
        return REDACTED

    def value(self, value: Any) -> Any:
        """A JSON value, text or bytes without its secrets; the input is left alone. See `redact`."""
        return self.redact(value).value

    def redact(self, value: Any) -> Redacted:
        """`value` without its secrets, and whether there were any.

        Structure and types stay; object keys that hold secrets are masked too. Raises GuardhouseError for a value
        that can't be searched, so that nothing leaves unsearched.
        """
        for number in range(_ROUNDS):
            scanned = self._scanner.scan_leaves(value).leaves
            changed = [self._changed(leaf.text, found) for leaf, found in scanned]
            if all(text is None for text in changed):
                return Redacted(value, changed=number > 0)
            value = rebuilt(value, iter(changed))
        unstable = [REDACTED if found else None for _, found in self._scanner.scan_leaves(value).leaves]
        return Redacted(rebuilt(value, iter(unstable)), changed=True)

    def once(self, value: Any) -> Any:
        """`value` with only those secrets masked that are found at first. Not fit to be passed on: masking can bring
        out another secret. If it differs from `value()`, more is masked there than what was found."""
        return rebuilt(
            value, iter([self._changed(leaf.text, found) for leaf, found in self._scanner.scan_leaves(value).leaves])
        )

    def _changed(self, text: str, found: Sequence[SecretMatch]) -> str | None:
        """`text` once masked; None if that makes no difference."""
        masked = self.masked(text, found) if found else text
        return None if masked == text else masked

    def masked(self, text: str, found: Sequence[SecretMatch]) -> str:
        """`text` with each match masked, once."""
        pieces: list[str] = []
        at = 0
        for match in found:
            pieces += (text[at : match.start], self._mask(text, match))
            at = match.end
        return "".join((*pieces, text[at:]))

    def _mask(self, text: str, match: SecretMatch) -> str:
        mask = match.mask
        if self._fingerprints is not None:
            mask = self._fingerprints.in_mask(mask, text[match.start : match.end])
        if self._level == "full" or match.category not in _SHOWN or match.end - match.start < _LONG:
            return mask
        head = text[match.start : match.start + _HEAD]
        tail = text[match.end - _TAIL : match.end]
        # A mask inside the span must not be shown in pieces.
        return mask if "[" in head or "]" in tail else f"{head}{mask}{tail}"
