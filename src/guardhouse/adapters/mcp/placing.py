"""Which files a server's command line means: the program it starts, and the directory, where that makes a difference.

The same words mean another program under another search path, and another script in another directory. Only looks at
what is there; what it comes to is part of what a server's name belongs to.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_OF_PROJECT: Final = frozenset(
    "npm pnpm yarn bun deno uv poetry pdm pipenv hatch rye make just cargo go dotnet bundle rake mvn gradle".split()
)
"""Programs that run what the project around them says."""
_OF_PACKAGE: Final = frozenset("npx pnpx bunx".split())
"""Programs that run a package which the project around them may have, and fetch it otherwise."""
_SHELLS: Final = frozenset("sh bash dash ksh zsh fish cmd powershell pwsh".split())
"""What is started stands in a text, which is not looked into here."""
_WRAPPERS: Final = frozenset("env nice nohup sudo exec command time stdbuf".split())
_CONTAINERS: Final = frozenset("docker podman".split())
_LONGEST_WORD: Final = 4096


def place_of(command: Sequence[str], directory: Path) -> tuple[str, ...]:
    """What the command line means here: the program, as it is found and where that leads, and the directory if the
    command depends on it."""
    found = shutil.which(command[0], path=None) if command else None
    program = (os.path.abspath(found), os.path.realpath(found)) if found is not None else ("", "")  # noqa: PTH100
    return (*program, str(directory)) if _depends_on(command, directory) else program


def _depends_on(command: Sequence[str], directory: Path) -> bool:
    command = _unwrapped(command)
    runner = Path(command[0]).name.lower().removesuffix(".cmd").removesuffix(".exe") if command else ""
    if runner in _OF_PROJECT or runner in _SHELLS:
        return True
    if runner in _CONTAINERS and "compose" in command[1:]:
        return True
    if runner in _OF_PACKAGE and _has_own(command[1:], directory):
        return True
    return any(_names_file(word, directory) for word in command)


def _unwrapped(command: Sequence[str]) -> Sequence[str]:
    """A command without the programs before it that only run it, their options, and what they set."""
    at = 0
    while at < len(command) and Path(command[at]).name in _WRAPPERS:
        at += 1
        while at < len(command) and (command[at].startswith("-") or "=" in command[at]):
            at += 1
    return command[at:]


def _names_file(word: str, directory: Path) -> bool:
    """Whether a word, or what an option is given in it, is the relative name of something that is there; also as the
    module of `python -m`."""
    for name in {word, word.partition("=")[2]}:
        if not name or name.startswith(("-", "/")) or "\0" in name or len(name) > _LONGEST_WORD:
            continue
        module = name.replace(".", "/")
        if any(os.path.lexists(directory / spelt) for spelt in (name, module, f"{module}.py")):
            return True
    return False


def _has_own(words: Sequence[str], directory: Path) -> bool:
    """Whether a package runner would find the package, or settings that say where to fetch it, in the project."""
    named = [word.lstrip("@") for word in words if not word.startswith("-")]
    packages = {("@" if f"@{word}" in words else "") + word.partition("@")[0] for word in named[:2]} - {""}
    for above in (directory, *directory.parents):
        if os.path.lexists(above / ".npmrc") and above != Path.home():
            return True
        modules = above / "node_modules"
        for package in packages:
            if os.path.lexists(modules / package) or os.path.lexists(modules / ".bin" / package.rpartition("/")[2]):
                return True
    return False
