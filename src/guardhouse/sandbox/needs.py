"""What a sandbox needs of the machine, and what exactly is missing where it can't be had.

Nothing weaker takes its place: who can't have the sandbox is told why, and what would help.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Final

from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.system_calls import machines

PROGRAMS: Final = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap")
"""Where bubblewrap is looked for. Not along PATH, which somebody else may have had a say in."""
OLDEST: Final = (0, 4, 0)
_PATIENCE: Final = 10.0


def find_bubblewrap() -> str:
    """The program. NoSandbox if this machine can't have a sandbox, as far as can be told without trying."""
    if sys.platform != "linux":
        raise NoSandbox(
            f"There is no sandbox on this system ({sys.platform}), only on Linux.",
            fix="Use a Linux machine, a virtual one or a container; docs/sandbox.md says how.",
        )
    if platform.machine() not in machines():
        raise NoSandbox(
            f"There is no filter of system calls for this machine ({platform.machine()}), only for"
            f" {' and '.join(machines())}.",
            fix="Run it on one of these.",
        )
    for program in PROGRAMS:
        if os.access(program, os.X_OK):
            return program
    raise NoSandbox(
        "bubblewrap is not installed.",
        fix="Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.",
    )


def check_bubblewrap(program: str) -> tuple[int, ...]:
    """Try it; its version. NoSandbox if it is too old, or this system does not let it work."""
    version = _version(program)
    if version < OLDEST:
        raise NoSandbox(
            f"bubblewrap is too old: {'.'.join(map(str, version))}, and {'.'.join(map(str, OLDEST))} is needed.",
            fix="Install a newer one.",
        )
    # With all that is asked of it later: a kernel may allow some of it and not the rest.
    trial = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
    trial += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--remount-ro", "/", "/bin/sh", "-c", ":"]  # noqa: S108
    status, told = _run(trial)
    if status != 0:
        raise NoSandbox(f"bubblewrap does not work here: {_first_line(told)}.", fix=_remedy(told))
    return version


def _version(program: str) -> tuple[int, ...]:
    status, told = _run([program, "--version"])
    number = told.split()[-1] if status == 0 and told.split() else ""
    try:
        return tuple(int(part) for part in number.split("."))
    except ValueError:
        raise NoSandbox(f"{program} does not say which version it is.", fix="Install bubblewrap anew.") from None


def _run(command: list[str]) -> tuple[int, str]:
    try:
        done = subprocess.run(  # noqa: S603 - from a fixed list
            command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, env={}, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, f"no answer within {_PATIENCE:g} seconds"
    except OSError as error:
        return 1, error.strerror or "it can't be started"
    return done.returncode, (done.stdout + done.stderr).strip()


def _first_line(text: str) -> str:
    from guardhouse.model import visible

    return visible(text.split("\n", 1)[0].removeprefix("bwrap: ").rstrip("."))[:200] or "it says nothing"


_SWITCHES: Final = (
    # a setting of the kernel's, what it must not be, what helps
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "load an AppArmor profile for /usr/bin/bwrap, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def _remedy(told: str) -> str:
    """What would help, by what the kernel says of itself."""
    for place, closed, remedy in _SWITCHES:
        if _read(place) == closed:
            return f"The kernel does not allow user namespaces ({place} is {closed}). As root: {remedy}."
    if _is_container():
        return (
            "This is a container, which needs leave to make namespaces and to mount /proc: docs/sandbox.md lists the"
            " options for Docker, Podman and Kubernetes."
        )
    if "namespace" in told or "uid map" in told:
        return "The system does not allow user namespaces. docs/sandbox.md says what they need."
    return "docs/sandbox.md says what it needs."


def _is_container() -> bool:
    return (
        os.path.exists("/.dockerenv")
        or os.path.exists("/run/.containerenv")
        or os.path.exists("/run/systemd/container")
    )


def _read(place: str) -> str:
    try:
        with open(place, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
