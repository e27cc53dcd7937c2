"""The side of `guardhouse sandbox` that an agent starts: asks the keeper for a sandbox, and becomes it.

The keeper has read the policy and knows what to show; this process only takes what it says and is replaced by
bubblewrap, so that signals, the terminal and the exit status are the command's own. It starts before anything else of
the house is loaded. If there is no keeper, it starts one, and if there is no sandbox, nothing is run.
"""

from __future__ import annotations

import os
import stat
import sys
from _signal import SIG_IGN, SIGINT, SIGQUIT, getsignal, signal  # type: ignore[import-not-found]
from _socket import AF_UNIX, SO_TYPE, SOCK_STREAM, SOL_SOCKET
from _socket import socket as Socket  # noqa: N812 - the class

from guardhouse.sandbox.meeting import VERSION, meeting_place, receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final, NoReturn

NOT_STARTED: Final = 125
"""The exit status where nothing was run, as `env` and `timeout` have it."""
_PATIENCE: Final = 30.0
_FIRST_FREE: Final = 3
_PIECE: Final = 1 << 16


class NotEntered(Exception):
    """There is no sandbox; the text says why, and what to do."""


def enter(request: Mapping[str, Any], state: str, command: Sequence[str]) -> NoReturn:
    """Become the command, inside. NotEntered if it can't be."""
    _check_standard_streams()
    # Who works at a terminal has the command in the group that the terminal sends its signals to. Nobody else has: what
    # signals a group would reach whoever started the sandbox, and in a session of its own it has no terminal to read.
    shares_group = _is_at_terminal()
    answer, descriptors = _ask({**request, "shares_group": shares_group}, state)
    if len(descriptors) != 2:
        raise NotEntered(str(answer.get("error") or "The keeper of the sandbox gave no answer."))
    ticket, (rules, door) = answer, descriptors
    _close_all_but(descriptors)
    left_to_command = _left_to_command()
    _keep_terminals_out(is_at_terminal=shares_group)
    for one in descriptors:
        os.set_inheritable(one, True)  # noqa: FBT003 - its own form
    arguments = [
        ticket["program"],
        *("--args", str(_file_of(ticket["arguments"]))),
        *("--seccomp", str(rules)),
        "--",
        *ticket["starter"],
        *(str(door), str(ticket["port"]), left_to_command, "" if shares_group else "alone"),
        *command,
    ]
    os.execve(ticket["program"], arguments, ticket["environment"])  # noqa: S606 - this is what it is for


def _is_at_terminal() -> bool:
    """Whether standard input is a terminal whose signals go to this process."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _keep_terminals_out(*, is_at_terminal: bool) -> None:
    """Let the command have no terminal but the one that it is at. From any other it could read what is typed there for
    somebody else: what is open at all can be opened anew to be read, and job control holds only for those whose
    terminal it is. So there is nothing to read, and what it writes is passed on by this process, which stays for that
    while the command goes on as its child."""
    own = os.fstat(0).st_rdev if is_at_terminal else None
    others = [one for one in range(_FIRST_FREE) if os.isatty(one) and os.fstat(one).st_rdev != own]
    if 0 in others:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
    written = [one for one in others if one != 0]
    if not written:
        return
    ends: dict[int, tuple[int, int]] = {}
    for one in written:
        terminal = os.fstat(one).st_rdev
        if terminal not in ends:  # what is written to one by two ways stays in its order
            ends[terminal] = os.pipe()
    pipes = {ends[os.fstat(one).st_rdev][0]: one for one in written}
    child = os.fork()
    if child == 0:
        for one in written:
            os.dup2(ends[os.fstat(one).st_rdev][1], one)
        for pair in ends.values():
            for end in pair:
                os.close(end)
        return
    for _, end in ends.values():
        os.close(end)
    _pass_on(pipes)
    os._exit(_status_of(child))


def _pass_on(pipes: dict[int, int]) -> None:
    """Pass on what comes by pipes, each to where it belongs, until they end. Who can't write any more ends, and the
    command with it."""
    from select import POLLIN, poll

    listening = poll()
    for one in pipes:
        listening.register(one, POLLIN)
    left = set(pipes)
    while left:
        for pipe, _event in listening.poll():
            piece = memoryview(os.read(pipe, _PIECE))
            if not piece:
                listening.unregister(pipe)
                left.remove(pipe)
            while piece:
                piece = piece[os.write(pipes[pipe], piece) :]


def _status_of(child: int) -> int:
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


def _file_of(arguments: Sequence[str]) -> int:
    """A file with arguments: in a workspace with much to protect they are more than the system takes."""
    handle = os.memfd_create("guardhouse-arguments")
    left = memoryview(b"".join(os.fsencode(one) + b"\0" for one in arguments))
    while left:
        left = left[os.write(handle, left) :]
    os.lseek(handle, 0, os.SEEK_SET)
    os.set_inheritable(handle, True)  # noqa: FBT003 - its own form
    return handle


def _left_to_command() -> str:
    """Ctrl-C is for the command to handle: bubblewrap, which is between it and the terminal, would end at once, and all
    inside with it. Which signals the command has to take back."""
    left = []
    for number in (SIGINT, SIGQUIT):
        if getsignal(number) != SIG_IGN:  # who ignored it before goes on to
            signal(number, SIG_IGN)
            left.append(str(number))
    return " ".join(left)


def _check_standard_streams() -> None:
    """Something is open as each, and none is a directory: whoever has one can go up from there."""
    for handle in range(_FIRST_FREE):
        try:
            mode = os.fstat(handle).st_mode
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free
            continue
        if stat.S_ISDIR(mode):
            raise NotEntered("A directory is open as one of the standard streams.")
        if stat.S_ISSOCK(mode):
            _check_socket(handle)


def _check_socket(handle: int) -> None:
    """A socket leads where it is connected to, and nowhere else: one of another family, or of datagrams, can be
    connected anew, in the network that it was made in."""
    opened = Socket(fileno=os.dup(handle))
    try:
        kind = opened.getsockopt(SOL_SOCKET, SO_TYPE)
        if opened.family != AF_UNIX or kind != SOCK_STREAM:
            raise NotEntered("A network socket is open as one of the standard streams. Use a pipe, or `cat |`.")
        opened.getpeername()
    except OSError:
        raise NotEntered("A socket that is not connected is open as one of the standard streams.") from None
    finally:
        opened.close()


def _close_all_but(kept: tuple[int, ...]) -> None:
    """Close what else is open. It was the agent's: a directory among it would be a way out."""
    for name in os.listdir("/proc/self/fd"):
        handle = int(name)
        if handle >= _FIRST_FREE and handle not in kept:
            try:
                os.close(handle)
            except OSError:
                continue  # the one that the list itself was read by


def _ask(request: Mapping[str, Any], state: str) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The keeper's answer, of the one that is there or of one that is started now."""
    message = {**request, "version": VERSION}
    connection = _connected(state)
    if connection is None:
        _start_keeper(state)
        connection = _connected(state)
    if connection is None:
        raise NotEntered("The keeper of the sandbox could not be started; `guardhouse sandbox --check` says why.")
    try:
        send(connection, message)
        answer, descriptors = receive(connection)
    except (OSError, ValueError) as error:
        raise NotEntered(f"The keeper of the sandbox broke off ({type(error).__name__}).") from None
    if answer.get("outdated"):
        # It was started by another version of this program, and has just gone.
        _start_keeper(state)
        connection = _connected(state)
        if connection is None:
            raise NotEntered("The keeper of the sandbox could not be started anew.")
        send(connection, message)
        answer, descriptors = receive(connection)
    return answer, descriptors


def _connected(state: str) -> Socket | None:
    """A connection to the keeper; None if there is none."""
    place = meeting_place(state)
    try:
        directory = os.open(place, os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    connection = Socket(AF_UNIX, SOCK_STREAM)
    connection.settimeout(_PATIENCE)
    try:
        # By the descriptor: the name of a socket may have only a hundred characters.
        connection.connect(f"/proc/self/fd/{directory}/keeper")
    except OSError:
        connection.close()
        return None
    finally:
        os.close(directory)
    return connection


def _start_keeper(state: str) -> None:
    """Start a keeper, and wait until it listens or has given up. Of several, one stays."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
            os.chdir("/")
            nothing = os.open(os.devnull, os.O_RDWR)
            for handle in (0, 1, 2):
                os.dup2(nothing, handle)
            os.set_inheritable(writer, True)  # noqa: FBT003 - as above
            _close_all_but((writer,))
            command = [sys.executable, "-I", "-m", "guardhouse", "sandbox", "--keep", state, str(writer)]
            os.execve(sys.executable, command, {"PATH": os.defpath, "LANG": "C.UTF-8"})  # noqa: S606 - ourselves
        finally:
            os._exit(1)
    os.close(writer)
    os.waitpid(child, 0)
    try:
        told = os.read(reader, 4096)  # the end of it, if there is another keeper already
    finally:
        os.close(reader)
    if told:
        raise NotEntered(told.decode("utf-8", "replace"))
