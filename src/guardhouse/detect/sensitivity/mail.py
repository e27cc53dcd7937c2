"""Which words with an `@` are somebody's mail address: not a package, a picture, a repository or a unit of systemd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from guardhouse.detect.sensitivity.interface import Where

_NOBODYS: Final = frozenset("git hg svn ssh root noreply no-reply donotreply do-not-reply mailer-daemon npm".split())
_FREE: Final = ("example", "test", "invalid", "localhost", "internal", "local", "lan", "corp", "intranet", "arpa")
"""Last names that no mail reaches: kept for manuals, or for networks of one's own."""
_FILES: Final = frozenset(
    "png jpg jpeg gif svg webp ico bmp avif js ts mjs cjs tsx jsx css scss html json toml yaml yml txt lock whl jar gz"
    " service timer socket target mount slice path desktop".split()
)
_MANUALS: Final = frozenset({"example.com", "example.org", "example.net", "users.noreply.github.com", "domain.com"})
_LONGEST_LOCAL: Final = 64
_LONGEST: Final = 254


def email(data: bytes, start: int, end: int) -> Where | None:
    """A mail address that a person may have."""
    # In a URL, what stands before its host is no mail address.
    if end - start > _LONGEST or data[max(start - 2, 0) : start] == b"//" or data[max(start - 1, 0) : start] == b"@":
        return None
    local, _, domain = data[start:end].decode("ascii", "replace").lower().replace("%40", "@").partition("@")
    kept = local.lstrip(".-+%")
    start += len(local) - len(kept)
    labels = domain.split(".")
    if not kept or len(kept) > _LONGEST_LOCAL or kept.endswith(".") or ".." in kept or kept in _NOBODYS:
        return None
    if labels[-1] in _FREE or labels[-1] in _FILES or not labels[-1].isalpha() or "-" in (domain[0], labels[-2][-1]):
        return None
    if ".".join(labels[-2:]) in _MANUALS or ".".join(labels[-4:]) in _MANUALS or ".".join(labels[-3:]) in _MANUALS:
        return None
    # A package in a version: `left-pad@1.3.0-rc`.
    if labels[0].isdigit() and len(labels) > 2:
        return None
    after = data[end : end + 2]
    return None if after[:1] in (b"@", b"_") or (after[:1] in (b".", b"-") and after[1:].isalnum()) else (start, end)
