"""What is written in place of a secret, how it is known again, and fingerprints that tell secrets apart.

Only what the redactor itself writes is a mask: `[redacted]`, `[redacted_jwt]`, or either with a fingerprint, as in
`[redacted:1f8a09c2]`. So a mask has no room to hide anything, whoever wrote it.
"""

from __future__ import annotations

from typing import Final

REDACTED: Final = "[redacted]"
REDACTED_JWT: Final = "[redacted_jwt]"
MASKED: Final = "[redacted"
"""How every mask begins."""
_STEMS: Final = ("[redacted", "[redacted_jwt")
_SHOWN: Final = 8
LONGEST_MASK: Final = len(_STEMS[1]) + 1 + _SHOWN + 1
_DIGITS: Final = frozenset("0123456789abcdef")


def mask_end(text: str, at: int) -> int:
    """Where the mask ends that begins at `at`; 0 if none does."""
    for stem in _STEMS:
        if not text.startswith(stem, at):
            continue
        end = at + len(stem)
        if text[end : end + 1] == "]":
            return end + 1
        shown = text[end + 1 : end + 1 + _SHOWN]
        if text[end : end + 1] == ":" and len(shown) == _SHOWN and _DIGITS.issuperset(shown):
            return end + 2 + _SHOWN if text[end + 1 + _SHOWN : end + 2 + _SHOWN] == "]" else 0
    return 0


def without_fingerprints(text: str) -> str:
    """`text` with every mask in its plainest form."""
    if MASKED not in text:
        return text
    pieces: list[str] = []
    at = 0
    while (start := text.find(MASKED, at)) >= 0:
        end = mask_end(text, start)
        pieces += (text[at:start], REDACTED if end else MASKED)
        at = end or start + len(MASKED)
    return "".join((*pieces, text[at:]))


class Fingerprints:
    """Tells whether two secrets are the same without keeping either, to whoever has the key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, value: str) -> str:
        """32 hexadecimal digits; the same for the same value, with the same key."""
        import hmac  # only where fingerprints are wanted

        return hmac.new(self._key, value.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:32]

    def in_mask(self, mask: str, value: str) -> str:
        """`mask` with the beginning of the fingerprint."""
        return f"{mask[:-1]}:{self.of(value)[:_SHOWN]}]"
