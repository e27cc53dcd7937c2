"""Finds the agent's own process among those that this one comes from.

An agent runs a hook as its child, often through a shell. What the agent itself starts must not be able to approve, so
it is the agent's process that has to be known; a person's shell, from which somebody tries a hook by hand, must not
be taken for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_MOST: Final = 32
_SHELLS: Final = frozenset("bash dash fish ksh sh zsh".split())
_RUNNERS: Final = frozenset("bun deno node".split())
_PYTHON: Final = "python"
_PACKAGES: Final = ("@anthropic-ai/claude-code/", "@openai/codex/", "@google/gemini-cli/", "@github/copilot")
_SCRIPTS: Final = frozenset({"bin", ".bin"})
"""Directories of scripts that are named like the program, whatever runs them."""


def host_process(caller: int, programs: frozenset[str]) -> int | None:
    """Of the process that called the hook and its ancestors, the nearest that is one of `programs`; otherwise the
    nearest that is no shell which was started to run one command; None if that is a shell that a person uses."""
    number, host = caller, None
    for _ in range(_MOST):
        found = _look(number) if number > 1 else None
        if found is None:
            break
        above, words = found
        if _is_one_of(programs, words):
            return number
        if host is None and not _runs_one_command(words):
            host = number
            if _name(words[:1]) in _SHELLS:
                host = 0
        number = above
    return host or None


def _runs_one_command(words: list[str]) -> bool:
    """Whether a command line is a shell with `-c`, or with it among other letters, as in `-lc`."""
    return _name(words[:1]) in _SHELLS and any(
        word[:1] == "-" and word[1:].isalpha() and word.endswith("c") for word in words[1:3]
    )


def _is_one_of(programs: frozenset[str], words: list[str]) -> bool:
    """Whether a command line is one of the programs, one of its versions in a directory of its own, or a runtime that
    runs its script or its package."""
    parts = words[0].split("/") if words else []
    if _name(words[:1]) in programs or (parts[-2:-1] == ["versions"] and not programs.isdisjoint(parts[-3:-2])):
        return True
    runner = _name(words[:1])
    if runner not in _RUNNERS and not runner.startswith(_PYTHON):
        return False
    return any(_is_script(programs, word) for word in words[1:4])


def _is_script(programs: frozenset[str], word: str) -> bool:
    """Whether what a runtime runs is a script of one of the programs, or a file of an agent's package."""
    above, _, name = word.rpartition("/")
    if name in programs and above.rpartition("/")[2] in _SCRIPTS:
        return True
    return name.endswith((".js", ".mjs", ".cjs")) and any(package in word for package in _PACKAGES)


def _name(words: list[str]) -> str:
    return words[0].rpartition("/")[2].lstrip("-") if words else ""


def _look(number: int) -> tuple[int, list[str]] | None:
    """A process's parent and command line; None if it can't be seen."""
    try:
        status = (_PROC / str(number) / "stat").read_bytes()
        words = (_PROC / str(number) / "cmdline").read_bytes()
    except FileNotFoundError:
        return None if (_PROC / "self").exists() else _look_by_psutil(number)
    except OSError:
        return None
    return int(status.rpartition(b")")[2].split()[1]), words.decode(errors="replace").split("\0")


def _look_by_psutil(number: int) -> tuple[int, list[str]] | None:
    import psutil

    try:
        process = psutil.Process(number)
        return process.ppid(), process.cmdline()
    except psutil.Error:
        return None
