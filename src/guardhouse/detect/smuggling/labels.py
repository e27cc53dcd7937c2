"""Data in a host name: what stands below a domain whose every host is allowed, and is no name that a host has.

Networks name hosts by words, numbers and short ids; a long id, or several, or a text in an encoding, is what somebody
wants to be looked up.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.smuggling.packing import decodings, is_words, meaningless

_LONGEST_ID: Final = 44
"""Characters of one label that may be an id: a digest in hexadecimal has 40."""
_SHORT_ID: Final = 20
_MOST_IDS: Final = 70
"""Characters of all such labels together."""
_MOST_LABELS: Final = 8
_SHORTEST_TEXT: Final = 10
_CONTENT_ID: Final = ("bafy", "bafk", "k51q")
"""How the names of files in IPFS begin, which are digests."""
_CONTENT_ID_SIZES: Final = frozenset({59, 62})


def data_in(host: str, pattern: str) -> str:
    """What looks like data in a host that `pattern` allows; empty if nothing does, or the host itself is named."""
    if pattern != "*" and not pattern.startswith("*."):
        return ""
    below = _below(host, pattern)
    labels = [label for label in below if not label.startswith("xn--") and not _is_content_id(label)]
    text = _text_in(labels)
    if text:
        return text
    ids = [meaningless(label) for label in labels if len(label) >= _SHORT_ID and not is_words(label)]
    longest = max(ids, default=0)
    if longest > _LONGEST_ID:
        return f"a label of {longest} characters without a meaning"
    if len(ids) > 1 and sum(ids) > _MOST_IDS:
        return f"{len(ids)} labels without a meaning"
    return f"{len(below)} labels" if len(below) > _MOST_LABELS else ""


def _below(host: str, pattern: str) -> list[str]:
    """The labels that the pattern leaves open. Of a pattern for every host, those below the last two."""
    if pattern == "*":
        return host.split(".")[:-2]
    parent = pattern[2:].partition(":")[0].lower().rstrip(".")
    return host[: max(len(host) - len(parent) - 1, 0)].split(".")


def _text_in(labels: list[str]) -> str:
    """That labels are a text in an encoding, one of them or all together."""
    whole = "".join(label for label in labels if not is_words(label))
    for label in (*labels, whole):
        if len(label) * 5 < _SHORTEST_TEXT * 8 or label.isdigit():
            continue
        _, *decoded = decodings(label)
        if any(map(_is_said, decoded)):
            return "text in an encoding"
    return ""


def _is_said(text: str) -> bool:
    """Whether somebody wrote this: letters, digits and blanks, with hardly anything else."""
    plain = sum(char.isalnum() or char in " .,:;@/_-=\n" for char in text)
    return len(text) >= _SHORTEST_TEXT and text.isascii() and plain * 10 >= len(text) * 9


def _is_content_id(label: str) -> bool:
    return label.startswith(_CONTENT_ID) and len(label) in _CONTENT_ID_SIZES
