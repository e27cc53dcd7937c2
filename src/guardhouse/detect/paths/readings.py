"""Every path that a text may come to: programs differ in what they rewrite, and file systems in what they compare.

Text in, paths out; nothing is looked up. Where a path really leads is a fact that the gate asks for.
"""

from __future__ import annotations

import posixpath
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


def absolute(raw: str, cwd: str, home: str) -> str:
    """`raw` as an absolute path, links and dot segments untouched; every way to spell the home directory is read."""
    path = raw.strip()
    if path[:5].lower() == "file:":
        path = _file_url_path(path[5:])
    path = path.replace("\\", "/") if path[1:3] == ":\\" or ("\\" in path and "/" not in path) else path
    if path[:1] in _SPELLED:
        path = _spelt_out(path, cwd, home)
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def _spelt_out(path: str, cwd: str, home: str) -> str:
    """`path` with a home directory or a variable at its beginning put in."""
    head, slash, rest = path.partition("/")
    place = _SPELLINGS.get(head)
    if place is not None:
        return f"{cwd.rstrip('/') if place == _CWD else home + place}{slash}{rest}"
    if head[:1] == "~":
        return f"/root/{rest}" if head == "~root" else f"/home/{head[1:]}/{rest}"
    return path


def readings(raw: str, cwd: str, home: str) -> tuple[str, ...]:
    """Every absolute path that `raw` may come to, links and dot segments untouched; the likeliest first.

    Programs differ in what they rewrite (blanks, backslashes, `~`, variables, escapes), and each name that is rewritten
    can also be a file's name as it stands. So the text itself always is a reading, and so is every rewriting.
    """
    if _REWRITTEN.isdisjoint(raw) and "://" not in raw and raw[:5].lower() != "file:" and raw == raw.strip():
        plain = _joined(raw, cwd)
        return (plain, *_behind_proc(plain)) if plain.startswith("/proc/") else (plain,)
    first = absolute(raw, cwd, home)
    texts = {raw: None}
    for rewrite in (str.strip, plain_address, _without_scheme, _thrice_decoded, _with_slashes):
        texts.update(dict.fromkeys(map(rewrite, tuple(texts))))
    found = {first: None}
    for text in texts:
        found[absolute(text, cwd, home)] = None
        found[_joined(text, cwd)] = None
        found[_joined(_spelt_out(text, cwd, home), cwd)] = None
    for path in tuple(found):
        found.update(dict.fromkeys(_behind_proc(path)))
    return tuple(found)


_CONTROLS: Final = "".join(map(chr, range(32)))
_REWRITTEN: Final = frozenset("\\%$~\x7f" + _CONTROLS)
_TAKEN_OUT: Final = dict.fromkeys(map(ord, "\t\n\r"))
_NETWORK: Final = frozenset("http https ws wss ftp ftps".split())


def plain_address(text: str) -> str:
    """`text` as programs read an address (WHATWG): blanks and control characters trimmed, line breaks and tabs out."""
    bare = text.strip(_CONTROLS + " ")
    return bare if bare.isprintable() else bare.translate(_TAKEN_OUT)


def _joined(path: str, cwd: str) -> str:
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def _without_scheme(path: str) -> str:
    """The path in an address: of a file, or in a scheme of a server's own, which may well stand for files."""
    if path[:5].lower() == "file:":
        return _file_url_path(path[5:])
    scheme, mark, rest = path.partition("://")
    if not mark or "/" in scheme or scheme.lower() in _NETWORK:
        return path
    bare = rest.partition("?")[0].partition("#")[0]
    return bare if bare.startswith("/") else f"{scheme}{mark}{bare}"


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/")


def _thrice_decoded(path: str) -> str:
    for _ in range(3):
        path = _percent_decoded(path)
    return path


_CWD: Final = "."
_SPELLINGS: Final = {
    # how a path may begin, and what that is below the home directory
    "~": "",
    "$HOME": "",
    "${HOME}": "",
    "%USERPROFILE%": "",
    "$env:USERPROFILE": "",
    "$XDG_CONFIG_HOME": "/.config",
    "${XDG_CONFIG_HOME}": "/.config",
    "$XDG_STATE_HOME": "/.local/state",
    "${XDG_STATE_HOME}": "/.local/state",
    "$PWD": _CWD,
    "${PWD}": _CWD,
    "~+": _CWD,
}
_SPELLED: Final = frozenset("~$%")


def _file_url_path(rest: str) -> str:
    """The path in what follows `file:`, with or without a host."""
    path = _percent_decoded(rest.partition("?")[0].partition("#")[0])
    if path.startswith("//") and not path.startswith("///"):
        path = f"/{path[2:].partition('/')[2]}"
    return path


def other_readings(path: str) -> Iterator[str]:
    """What else an absolute path may come to: with escapes decoded, backslashes as slashes, through /proc."""
    if "%" in path:
        yield _thrice_decoded(path)
    if "\\" in path:
        yield _with_slashes(path)
    yield from _behind_proc(path)


def _behind_proc(path: str) -> Iterator[str]:
    """Where a path through a process's view of the root leads: `/proc/1/root/etc`, `/proc/1/task/1/root/etc`."""
    if path.startswith("/proc/"):
        parts = path.split("/")
        for at in (3, 5):
            if parts[at : at + 1] == ["root"] and (at == 3 or parts[3] == "task"):
                yield "/" + "/".join(parts[at + 1 :])


def tidy(path: str) -> str:
    """An absolute path with dot segments and doubled slashes taken out."""
    return posixpath.normpath(f"/{path.lstrip('/')}")


def inside(path: str, directory: str) -> bool:
    """Whether `path` is `directory` or lies in it. Case does not count, nor what some file systems do not see."""
    if not directory:
        return False
    folded, parent = folded_path(path), folded_path(directory.rstrip("/"))
    return folded == parent or folded.startswith(f"{parent}/")


@lru_cache(maxsize=1024)
def folded_path(path: str) -> str:
    """`path` as the most forgetful file system compares it: no case, no accents apart, no dots or spaces at an end."""
    folded = path.casefold()
    if not folded.isascii():
        folded = "".join(char for char in unicodedata.normalize("NFKC", folded) if unicodedata.category(char) != "Cf")
    if "./" in folded or " /" in folded or folded.endswith((".", " ")):
        folded = "/".join(part.rstrip(". ") or part for part in folded.split("/"))
    return folded


def _percent_decoded(text: str) -> str:
    if "%" not in text:
        return text
    out = bytearray()
    index = 0
    raw = text.encode("utf-8")
    while index < len(raw):
        hexes = raw[index + 1 : index + 3]
        if raw[index] == 0x25 and len(hexes) == 2 and all(chr(digit) in "0123456789abcdefABCDEF" for digit in hexes):
            out.append(int(hexes, 16))
            index += 3
        else:
            out.append(raw[index])
            index += 1
    return out.decode("utf-8", "replace")
