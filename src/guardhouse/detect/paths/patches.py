"""Reads the names of files out of patches, in every form that some tool applies.

Tools disagree on what ends a line and which blanks may stand before a header, so the widest reading counts. A line
that mentions a header's marker and is neither a header nor plainly content is told to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKED: Final = ("*** add file:", "*** update file:", "*** delete file:", "*** move to:")
"""Headers as OpenAI's `apply_patch` writes them; compared without case, blanks counted as one."""
_PLAIN: Final = ("*** ", "+++ ", "--- ", "Index: ", "rename from ", "rename to ", "copy from ", "copy to ")
"""Headers of unified and context diffs and of git."""
_MARKER: Final = "***"
_ENDS: Final = ("file:", "move to:")
_LONGEST: Final = 4096
_SHORTEST: Final = 4
"""No header has so few characters."""
_BACKSLASH: Final = 0x5C


def patched(text: str) -> Iterator[str | None]:
    """The files that a patch names; None for a line that may be a header and can't be read as one."""
    for line in text.split("\n"):
        if len(line) > _SHORTEST:
            yield from _line_names(line)
            shorter = line.splitlines()
            if len(shorter) > 1:
                for part in shorter:
                    if len(part) > _SHORTEST:
                        yield from _line_names(part)


def _line_names(line: str) -> Iterator[str | None]:
    head = line.strip()
    if head[:1] not in _FIRST and _MARKER not in head:
        return
    if _MARKER in head:
        marked = _marked_name(head)
        if marked is not None:
            # Some readers trim the name, some only the line.
            yield from _names(marked)
            return
        if head[0] not in "+-" and _mentions_header(head):
            yield None
            return
    plain = next((start for start in _PLAIN if head.startswith(start.rstrip()) and _follows(head, start)), None)
    if plain is not None:
        yield from _names(head[len(plain.rstrip()) :])
    elif head.startswith("diff --git "):
        yield from _git_names(head[len("diff --git ") :])


_FIRST: Final = frozenset("*+-Ircd")


def _follows(head: str, start: str) -> bool:
    """Whether a blank of any kind, and then a name, stands after the words of a header."""
    at = len(start.rstrip())
    return head[at : at + 1].isspace()


def _marked_name(head: str) -> str | None:
    """The name in `*** Add File: name`, whatever case and blanks the marker is written in."""
    before, colon, name = head.partition(":")
    if colon and f"{' '.join(before.split())}:".lower() in _MARKED:
        return name
    return None


def _mentions_header(head: str) -> bool:
    folded = " ".join(head[:_LONGEST].split()).lower()
    after = folded[folded.find(_MARKER) :]
    return any(end in after for end in _ENDS)


def _git_names(both: str) -> Iterator[str]:
    """Two names, one after the other; names with blanks in them are the same twice, but for the first letter."""
    words = both.split()
    if len(words) == 2:
        yield from _names(words[0])
        yield from _names(words[1])
    else:
        middle = len(both.strip()) // 2
        yield from _names(both.strip()[:middle])
        yield from _names(both.strip()[middle + 1 :])


def _names(rest: str) -> Iterator[str]:
    """What a header's rest may name: up to a tab or not, trimmed or not, with git's directory in front or not."""
    whole = rest[1:] if rest[:1] == " " else rest
    for written in dict.fromkeys((whole.partition("\t")[0].strip(), whole.strip(), whole)):
        quoted = len(written) > 1 and written.startswith('"') and written.endswith('"')
        name = _unquoted(written[1:-1]) if quoted else written
        if not name.strip() or name == "/dev/null" or len(name) > _LONGEST:
            continue
        yield name
        if name[1:2] == "/" and name[0] in "abciow":
            yield name[2:] or "."


def _unquoted(name: str) -> str:
    """A name in git's quotes: octal escapes are bytes, a backslash keeps what follows it."""
    raw, out, at = name.encode("utf-8"), bytearray(), 0
    while at < len(raw):
        digits = raw[at + 1 : at + 4]
        if raw[at] != _BACKSLASH:
            out.append(raw[at])
            at += 1
        elif len(digits) == 3 and all(0x30 <= digit <= 0x37 for digit in digits):
            out.append(int(digits, 8) & 0xFF)
            at += 4
        else:
            out += digits[:1]
            at += 2
    return out.decode("utf-8", "replace")
