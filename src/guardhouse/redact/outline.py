"""What is too long to be shown, told by its structure: its length and digest, and the hosts, paths, people and verbs
in it.

For whoever must not be shown a beginning as if it were all: a cut hides what comes after it. It is made of what was
masked already, in one walk over the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator

_BETWEEN: Final = re.compile(r"[\s\"'`()<>{}\[\],;|]")
"""Single characters only, so that it can't backtrack."""
_MOST: Final = 40
"""Of each kind, how many are named; of the rest, the number."""
_LONGEST: Final = 160
_LONGEST_WORD: Final = 4_096
"""A longer word is told by its length alone."""
_TRIMMED: Final = ".:!?*_=\\"
_HOST: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.:")

VERBS: Final = frozenset(
    "add admin allow approve authorize book buy cancel change chmod chown clone commit copy cp create curl dd "
    "delete deploy destroy disable download drop edit email enable encrypt erase eval exec execute export "
    "fetch format forward get give grant import insert install invite kill link login mail merge mkdir mkfs "
    "move mv nc open order overwrite patch pay pip post publish pull purchase push put read refund register "
    "release remove rename replace reply reserve reset restart revoke rm rmdir rsync run schedule scp send "
    "set sftp share shutdown ssh start stop subscribe sudo sync tee terminate transfer truncate uninstall "
    "unlink unsubscribe update upload wget wipe wire write".split()
)
"""Words that say what is done, in requests, commands and code."""


def outline(text: str) -> dict[str, Any]:
    """What can be told of `text` without showing it."""
    hosts: dict[str, None] = {}
    paths: dict[str, None] = {}
    people: dict[str, None] = {}
    verbs: dict[str, None] = {}
    long_words = 0
    for word in _words(text):
        if len(word) > _LONGEST_WORD:
            long_words += 1
            continue
        bare = word.strip(_TRIMMED)
        lower = bare.lower()
        if lower in VERBS:
            verbs[lower] = None
        elif "://" in bare:
            hosts[_authority(lower)] = None
        elif "@" in bare:
            people[bare] = None
        elif "/" in bare or "\\" in bare or bare.startswith("~"):
            paths[bare] = None
        elif "." in bare and _HOST.issuperset(lower):
            hosts[lower] = None
    told: dict[str, Any] = {"characters": len(text), "sha256": sha256_hex(text.encode("utf-8", "surrogatepass"))}
    for name, found in (("hosts", hosts), ("paths", paths), ("recipients", people), ("verbs", verbs)):
        if found:
            told[name] = [one[:_LONGEST] for one in list(found)[:_MOST]]
        if len(found) > _MOST:
            told[f"further_{name}"] = len(found) - _MOST
    if long_words:
        told["words_too_long_to_read"] = long_words
    return told


def fitted(value: Any, most: int) -> tuple[Any, bool]:
    """`value` in at most about `most` characters of JSON, and whether that is all of it. Long texts in it are told by
    their structure first; if that is not enough, so is the whole."""
    if _size(value) <= most:
        return value, True
    for longest in (most // 4, most // 16, most // 64):
        shorter = _with_outlines(value, max(longest, _LONGEST))
        if _size(shorter) <= most:
            return shorter, False
    text = msgspec.json.encode(value).decode()
    told = {"outline": outline(text)}
    if _size(told) > most:
        told = {"outline": {"characters": len(text), "sha256": sha256_hex(text.encode())}}
    return told, False


def _with_outlines(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else {"outline": outline(value)}
    if isinstance(value, list):
        return [_with_outlines(one, longest) for one in value]
    if isinstance(value, dict):
        return {name: _with_outlines(one, longest) for name, one in value.items()}
    return value


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value))


def _words(text: str) -> Iterator[str]:
    at = 0
    for match in _BETWEEN.finditer(text):
        if match.start() > at:
            yield text[at : match.start()]
        at = match.end()
    if at < len(text):
        yield text[at:]


def _authority(url: str) -> str:
    rest = url.partition("://")[2]
    end = min((place for place in map(rest.find, "/?#\\") if place >= 0), default=len(rest))
    return rest[:end]
