"""What a path with wildcards may name. What is not understood is taken to match."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from guardhouse.detect.paths.readings import folded_path

GLOB_CHARACTERS: Final = frozenset("*?[{")


def may_reach(glob: str, directory: str, *, or_above: bool = False, hidden: bool = False) -> bool:
    """Whether a path with wildcards can name `directory` or something in it; with `or_above`, also what it is in.

    A wildcard at the start of a name matches a dot there only if `hidden`: no shell does that, many a tool does. What
    is not understood (braces in braces, extended globs) is taken to match anything from there on.
    """
    return _may_reach(_glob_parts(glob), _parts(directory), or_above=or_above, hidden=hidden)


@lru_cache(maxsize=256)
def _parts(directory: str) -> tuple[str, ...]:
    return tuple(part for part in folded_path(directory).split("/") if part)


@lru_cache(maxsize=1024)
def _glob_parts(glob: str) -> tuple[str, ...]:
    given: list[str] = []
    for part in folded_path(_without_braces(glob)).split("/"):
        if _ANYTHING in part or any(opening in part for opening in _EXTENDED):
            return (*given, _ANYTHING)
        if part and (part != "**" or given[-1:] != ["**"]):
            given.append(part)
    return tuple(given)


_ANYTHING: Final = "\0"
_EXTENDED: Final = ("@(", "!(", "+(", "?(", "*(")


def _without_braces(glob: str) -> str:
    """A glob with `*` for every choice in braces, and cut with a mark at the first that is no plain choice."""
    if "{" not in glob:
        return glob.replace(_ANYTHING, "?")
    head, *groups = glob.replace(_ANYTHING, "?").split("{")
    for group in groups:
        choice, closing, rest = group.partition("}")
        if not closing or "/" in choice:
            return head + _ANYTHING
        head += f"*{rest}"
    return head


def _may_reach(given: tuple[str, ...], wanted: tuple[str, ...], *, or_above: bool, hidden: bool) -> bool:
    for index, want in enumerate(wanted):
        if index >= len(given):
            return or_above
        if given[index] == _ANYTHING:
            return True
        if given[index] == "**":
            rest = given[index + 1 :]
            visible = len(wanted)
            if not hidden:
                visible = next((at for at in range(index, len(wanted)) if wanted[at].startswith(".")), len(wanted))
            return visible == len(wanted) or any(
                _may_reach(rest, wanted[at:], or_above=or_above, hidden=hidden) for at in range(index, visible + 1)
            )
        if not name_matches(want, given[index]) or (want[0] == "." and given[index][0] in "*?" and not hidden):
            return False
    return True


def name_matches(name: str, glob: str) -> bool:
    """Whether one name can match one part of a glob. A class in brackets is taken to match any character."""
    if GLOB_CHARACTERS.isdisjoint(glob):
        return name == glob
    tokens = _tokens(glob)
    at = token = 0
    star = resume = -1
    while at < len(name):
        wanted = tokens[token] if token < len(tokens) else ""
        if wanted == "*":
            star, resume = token, at
            token += 1
        elif wanted and wanted in ("?", name[at]):
            at += 1
            token += 1
        elif star >= 0:
            resume += 1
            at, token = resume, star + 1
        else:
            return False
    return all(left == "*" for left in tokens[token:])


@lru_cache(maxsize=256)
def _tokens(glob: str) -> tuple[str, ...]:
    tokens: list[str] = []
    index = 0
    while index < len(glob):
        char = glob[index]
        if char == "[" and (end := glob.rfind("]", index)) > index + 1:
            # Classes can hold brackets of their own, so everything up to the last one counts as anything.
            tokens.append("*")
            index = end
        elif char != "*" or tokens[-1:] != ["*"]:
            tokens.append(char)
        index += 1
    return tuple(tokens)
