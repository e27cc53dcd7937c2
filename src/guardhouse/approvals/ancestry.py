"""Which guarded agents run on this machine, and whether a process comes from one of them.

An agent may run as the same user as the person who answers for it, so a local answer is taken only from a terminal
that no guarded agent started (SPEC G8). This is a fence against the ordinary way, not a wall between users. It can't
see a process that detached itself from its parents and made a terminal of its own, one that an agent left behind when
it ended, one in another process namespace, nor keys that an agent types into the person's own terminal through a
multiplexer or the desktop; and whoever can write the state directory can remove an entry from the registry.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import GuardhouseError, decode, visible

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoTerminal(GuardhouseError):
    """There is no terminal here at which a person could be asked."""


class Agent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A guarded agent: a process, known by its number and the moment it started."""

    pid: int
    started: float
    """In clock ticks since boot where the kernel tells them, else in seconds since 1970."""
    name: str
    namespace: str = ""
    """Which numbering of processes `pid` belongs to; containers have their own."""


class _Process(msgspec.Struct, frozen=True):
    parent: int
    started: float


def register(directory: Path, name: str, *, pid: int | None = None) -> Agent:
    """Note that process `pid` (this one, if not given) is a guarded agent; its descendants then can't answer.

    A forked child is a process of its own, and registers for itself; to register again is cheap. What this process
    notes about itself is taken back when it ends normally, and only by itself; entries of processes that are gone are
    removed by the next one that registers.
    """
    number = os.getpid() if pid is None else pid
    process = _look_up(number)
    if process is None:
        raise GuardhouseError(f"There is no process {number} to register as an agent.")
    agent = Agent(pid=number, started=process.started, name=name, namespace=_namespace())
    file, content = _file_of(directory, number), msgspec.json.encode(agent)
    if (number != os.getpid() or (directory, agent) in _NOTED) and _holds(file, content):
        return agent
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(file, content)
    except OSError as error:
        raise GuardhouseError(
            f"The registry of agents {directory} can't be written: {error.strerror}.", fix=_FIX
        ) from None
    _remove_stale(directory)
    if number == os.getpid() and (directory, agent) not in _NOTED:
        atexit.register(_forget_at_exit, directory, agent)
        _NOTED.add((directory, agent))
    return agent


_NOTED: Final[set[tuple[Path, Agent]]] = set()
"""What this process has noted about itself, and what it inherited of that by being forked."""


def forget(directory: Path, agent: Agent) -> None:
    """Take a registration back. One that is gone already, or that belongs to a later process, is left alone."""
    file = _file_of(directory, agent.pid)
    if _read(file) == agent:
        file.unlink(missing_ok=True)


def guarded_ancestor(directory: Path, pid: int | None = None, *, itself: bool = False) -> Agent | None:
    """The guarded agent that process `pid` (this one, if not given) comes from; None if there is none.

    It is looked for among the ancestors of the process, and the leaders of its process group and of the session its
    terminal belongs to, with their ancestors. `itself` says whether a registration of the process itself counts.
    GuardhouseError if the registry can't be read or the processes can't be seen: then nobody can be sure.
    """
    number = os.getpid() if pid is None else pid
    namespace = _namespace()
    agents = {agent.pid: agent for agent in _registered(directory) if agent.namespace == namespace}
    if not agents:
        return None
    for member, process in _lineage(number):
        agent = agents.get(member)
        if agent is not None and _same(agent.started, process.started) and (itself or member != number):
            return agent
    return None


def require_terminal(*registries: Path, own: bool = False) -> int:
    """The controlling terminal, opened; the caller closes it. NoTerminal where a person can't be asked by this process.

    `registries` are where agents are noted. With `own` the process is the guard inside a registered agent, and may ask
    although it is registered itself.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise NoTerminal("There is no terminal here to ask at.", fix=_ELSEWHERE) from None
    try:
        _check_terminal(terminal, registries, own=own)
    except BaseException:
        os.close(terminal)
        raise
    return terminal


_ELSEWHERE: Final = "Answer in a terminal of your own: `guardhouse approvals watch`."


def _check_terminal(terminal: int, registries: tuple[Path, ...], *, own: bool) -> None:
    if not os.isatty(terminal):
        raise NoTerminal("What should be the terminal is none.", fix=_ELSEWHERE)
    try:
        foreground = os.tcgetpgrp(terminal)
    except OSError:
        raise NoTerminal("The terminal is gone.", fix=_ELSEWHERE) from None
    if foreground != os.getpgrp():
        raise NoTerminal("This process is in the background of its terminal.", fix="Bring it to the front with `fg`.")
    for registry in registries:
        agent = guarded_ancestor(registry, itself=not own)
        if agent is not None:
            raise NoTerminal(
                f"This terminal belongs to the guarded agent {visible(agent.name)} (process {agent.pid}), which can't"
                " answer for itself.",
                fix=_ELSEWHERE,
            )


def _lineage(number: int) -> Iterator[tuple[int, _Process]]:
    """The process, its group's leader and its session's leader, each with all its ancestors; each process once."""
    seen: set[int] = set()
    try:
        leaders = [os.getpgid(number), os.getsid(number)]
    except OSError:
        raise _untraceable(number) from None
    for start in (number, *leaders):
        current = start
        while current > 0 and current not in seen:
            seen.add(current)
            process = _look_up(current)
            if process is None:
                if current == start != number:  # a leader may have ended before the others of its group
                    break
                raise _untraceable(current)
            yield current, process
            current = process.parent


def _untraceable(number: int) -> GuardhouseError:
    return GuardhouseError(
        f"Where this process comes from can't be told: process {number} can't be seen.",
        fix="Try again; if it stays so, the machine hides processes (`hidepid`): answer by another channel.",
    )


# The registry: a file for each agent, named by its process.

_FIX: Final = "Mend it, or remove it if no guarded agent runs."


def _file_of(directory: Path, pid: int) -> Path:
    return directory / f"{pid}.json"


def _registered(directory: Path) -> list[Agent]:
    try:
        names = sorted(os.listdir(directory))  # noqa: PTH208 - an error must be an error, not an empty directory
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GuardhouseError(
            f"The registry of agents {directory} can't be read: {error.strerror}.", fix=_FIX
        ) from None
    files = [directory / name for name in names if not name.startswith(".")]  # a dot: being written
    return [agent for agent in map(_read, files) if agent is not None]


def _read(file: Path) -> Agent | None:
    """The agent in the file; None if the file is gone."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GuardhouseError(f"The registered agent {file} can't be read: {error.strerror}.", fix=_FIX) from None
    try:
        agent = msgspec.convert(decode(content), Agent)
    except (GuardhouseError, msgspec.ValidationError):
        raise GuardhouseError(f"The registered agent {file} is damaged.", fix=_FIX) from None
    if file.name != _file_of(file.parent, agent.pid).name:
        raise GuardhouseError(f"The registered agent {file} is damaged: not named by its process.", fix=_FIX)
    return agent


def _holds(file: Path, content: bytes) -> bool:
    """Whether the file is as it was written. If it can't be read it is not; to write it then says why."""
    try:
        return file.read_bytes() == content
    except OSError:
        return False


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all: a half entry would stop every local answer."""
    draft = file.with_name(f".{file.name}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as opened:  # not synced: no process outlives a failure of power
            opened.write(content)
        os.replace(draft, file)  # noqa: PTH105 - the atomic rename is the point
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _remove_stale(directory: Path) -> None:
    """Forget agents that have ended. Those of another process namespace can't be seen from here, so they stay."""
    namespace = _namespace()
    for agent in _registered(directory):
        if agent.namespace != namespace:
            continue
        process = _look_up(agent.pid)
        if process is None or not _same(agent.started, process.started):
            forget(directory, agent)


def _forget_at_exit(directory: Path, agent: Agent) -> None:
    if os.getpid() == agent.pid:  # a forked child inherits its parent's exit handlers
        forget(directory, agent)


# Processes. The kernel's own count of ticks never moves; a time of day moves when the clock is set.

_PROC: Final = Path("/proc")
_TOLERANCE: Final = 2.0
"""Seconds (or ticks) by which a start may seem to differ; a number is not given to another process that fast."""


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _TOLERANCE


def _look_up(number: int) -> _Process | None:
    """The process of that number; None if there is none to be seen."""
    if (_PROC / "self" / "stat").exists():
        return _look_up_in_proc(number)
    return _look_up_by_psutil(number)


def _look_up_in_proc(number: int) -> _Process | None:
    try:
        content = (_PROC / str(number) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    fields = content.rpartition(b")")[2].split()  # the program's name, before, may hold anything
    return _Process(parent=int(fields[1]), started=float(fields[19]))


def _look_up_by_psutil(number: int) -> _Process | None:
    import psutil

    try:
        process = psutil.Process(number)
        return _Process(parent=process.ppid(), started=process.create_time())
    except psutil.Error:
        return None


def _namespace() -> str:
    try:
        return os.readlink(_PROC / "self" / "ns" / "pid")  # noqa: PTH115 - the text of the link, which is no path
    except OSError:
        return ""
