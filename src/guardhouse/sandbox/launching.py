"""What bubblewrap is told: the namespaces, the mounts, and what starts the command inside."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from guardhouse.sandbox.environment import DOOR_PORT
from guardhouse.sandbox.view import Mount, mount_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.sandbox.view import View

_ALONE: Final = ("--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox")
_PROC_READ: Final = ("sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "pressure")
"""Of `/proc`: what changes the whole machine. Root may write there, and needs no capability for it."""
_PROC_HIDDEN: Final = ("acpi", "asound", "scsi", "kcore", "keys", "latency_stats", "sched_debug", "timer_list")
"""What tells of the whole machine."""
_STARTER: Final = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")


def ticket(program: str, view: View, environment: Mapping[str, str]) -> dict[str, Any]:
    """What a command needs to become a sandboxed one, beside two descriptors."""
    arguments = [*_ALONE, *mount_arguments(view.mounts), "--proc", "/proc", "--dev", "/dev"]
    arguments += mount_arguments(_proc())
    arguments += ["--remount-ro", "/", "--chdir", view.cwd]
    return {
        "program": program,
        "arguments": arguments,
        "starter": [interpreter(), "-I", "-S", "-c", _STARTER],
        "port": DOOR_PORT,
        "environment": dict(environment),
    }


def _proc() -> Iterator[Mount]:
    """What lies over parts of `/proc`."""
    for name in _PROC_READ:
        if os.path.exists(f"/proc/{name}"):
            yield Mount("read", f"/proc/{name}", f"/proc/{name}")
    for name in _PROC_HIDDEN:
        if os.path.exists(f"/proc/{name}"):
            yield Mount("no_directory" if os.path.isdir(f"/proc/{name}") else "no_file", f"/proc/{name}")


def interpreter() -> str:
    """The Python that starts the command inside: the one that an environment was made from, which needs nothing of
    it."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for place in (os.path.join(sys.base_prefix, "bin", name), os.path.realpath(sys.executable)):
        if os.access(place, os.X_OK):
            return os.path.realpath(place)
    return os.path.realpath(sys.executable)


def interpreter_places() -> tuple[str, ...]:
    """What of the machine that Python needs, if it is not among the system's own."""
    return (sys.base_prefix,)
