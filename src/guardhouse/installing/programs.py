"""Finding other people's programs and running them for a moment, with a limit on time and output.

Never a program out of the repository we stand in, nor out of some project's packages: somebody else filled those.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_OUTPUT: Final = 1 << 20


class Ran(NamedTuple):
    """What became of a program."""

    status: int | None
    """Exit status; None if it did not start, or was stopped because it took too long."""
    stdout: bytes
    stderr: bytes
    why: str = ""
    """If there is no status: why."""


class Found(NamedTuple):
    """Where a program is."""

    path: Path | None
    passed_over: Path | None
    """One that lies where nothing is run from."""


def find_program(name: str, search: str, cwd: Path, home: Path) -> Found:
    """The program that a shell would run, among the absolute directories of `search` outside of the project."""
    passed_over = None
    for entry in search.split(os.pathsep):
        path = Path(entry) / name
        if not entry or not path.is_file() or not os.access(path, os.X_OK):
            continue
        if path.is_absolute() and not _is_of_project(path, cwd, home):
            return Found(path, passed_over)
        passed_over = passed_over or path
    return Found(None, passed_over)


def _is_of_project(path: Path, cwd: Path, home: Path) -> bool:
    """Whether a program came with a project: by its name or really, it lies in the working directory, in the repository
    around that, or in packages that were not installed for the whole machine. The home directory is nobody's project,
    but what lies right in it is not run either."""
    here, own = Path(os.path.realpath(cwd)), Path(os.path.realpath(home))
    for place in (path, Path(os.path.realpath(path))):
        directory = Path(os.path.realpath(place.parent))
        if directory == here or _is_in_local_packages(place) or _is_in_local_packages(directory):
            return True
        for project in (here, *_repositories(here)):
            if directory.is_relative_to(project) and not own.is_relative_to(project):
                return True
    return False


def _repositories(directory: Path) -> list[Path]:
    """The directories around this one that git keeps: one repository may lie in another."""
    return [place for place in (directory, *directory.parents) if os.path.lexists(place / ".git")]


_PACKAGES: Final = "node_modules"
_FOR_ALL: Final = (("lib",), ("global",), ("global", "*"), (".claude", "local"))
"""What stands before packages that are installed for a user or a machine: by npm, by yarn or bun, by pnpm, by Claude
Code itself."""


def _is_in_local_packages(place: Path) -> bool:
    """Whether a path leads into packages of some project."""
    parts = place.parts
    if _PACKAGES not in parts:
        return False
    before = parts[: parts.index(_PACKAGES)]
    return not any(_ends(before, tail) for tail in _FOR_ALL)


def _ends(parts: tuple[str, ...], tail: tuple[str, ...]) -> bool:
    last = parts[-len(tail) :]
    return len(last) == len(tail) and all(want in ("*", part) for part, want in zip(last, tail, strict=True))


def run(
    words: Sequence[str], *, stdin: bytes = b"", timeout: float, cwd: Path, variables: Mapping[str, str] | None = None
) -> Ran:
    """Run a program by its absolute path. After `timeout` seconds it is stopped, with everything it has started."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell; which program it is, the caller has made sure of
                list(words), stdin=given, stdout=out, stderr=err, cwd=cwd, env=variables, start_new_session=True
            )
        except OSError as error:
            return Ran(None, b"", b"", f"it can't be started: {error.strerror}")
        try:
            status: int | None = process.wait(timeout)
            why = ""
        except subprocess.TimeoutExpired:
            status, why = None, f"it took longer than {timeout:g} seconds"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        err.seek(0)
        return Ran(status, out.read(_MOST_OUTPUT), err.read(_MOST_OUTPUT), why)


def read_version(text: str) -> tuple[int, int, int] | None:
    """The first `1.2.3` among the words of a text."""
    for word in text[:4096].split():
        parts = word.removeprefix("v").rstrip(".").split("-")[0].split(".")
        if len(parts) == 3 and all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            return int(parts[0]), int(parts[1]), int(parts[2])
    return None
