"""What a keeper writes down of each command that it lets in, for the next one: should it be killed, nobody else knows
what has to be put right afterwards.
"""

from __future__ import annotations

import json
import os
import select
import signal
from pathlib import Path
from typing import Final

import msgspec

from guardhouse.model import visible
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.tidying import ToTidy

_PATIENCE: Final = 20_000
"""Milliseconds."""


def new_note(place: Path) -> Path:
    """Where something can be written down, by this process."""
    return place / f"left-{os.getpid()}-{os.urandom(8).hex()}"


def old_notes(place: Path) -> list[Path]:
    """What keepers wrote down that are gone. One that has only made way is not."""
    return [file for file in place.glob("left-*") if not _is_keeper(file.name.split("-")[1], place.parent)]


def write_down(file: Path, left: ToTidy) -> None:
    """Write it down, whole or not at all."""
    unfinished = file.with_name(f"new-{file.name}")
    unfinished.write_text(json.dumps(msgspec.to_builtins(left)), encoding="ascii")
    unfinished.replace(file)


def written_down(file: Path) -> ToTidy:
    """What a keeper wrote down. NoSandbox if it can't be read: nobody would know what to put aside."""
    try:
        return msgspec.convert(json.loads(file.read_text(encoding="ascii")), ToTidy)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise NoSandbox(
            f"What a keeper that was killed wrote down can't be read ({type(error).__name__}).",
            fix=f"Look through the workspace for what should not be there, then remove {visible(str(file))}.",
        ) from None


def started_at(pid: int) -> str:
    """When a process was started, in the machine's ticks; nothing if there is none."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def end_sandbox(pid: int, started: str) -> None:
    """End a sandbox that no keeper has any more, if it is still there, and wait for it."""
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if started and started_at(pid) == started:
            signal.pidfd_send_signal(process, signal.SIGKILL)
            ending = select.poll()
            ending.register(process, select.POLLIN)
            ending.poll(_PATIENCE)
    except ProcessLookupError:
        return
    finally:
        os.close(process)


def _is_keeper(pid: str, state: Path) -> bool:
    try:
        words = Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"--keep" in words and os.fsencode(state) in words
