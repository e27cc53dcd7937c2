"""The first process inside: makes the door, looks whether everything is where it should be, and starts the command.

It is started by its text, not as part of the package, by a Python that loads nothing. A socket belongs to the network
that it was made in, whoever holds it: so the one that listens here for the proxy's clients is made here, and the
keeper, outside, is given it. Nothing else leads out.

What bubblewrap mounted it found by name, and a command in another sandbox of the same workspace may have changed what
the names mean meanwhile. So before the command starts, each mount is compared with what the keeper saw.

As the first process of its space it stays until the command has ended. Then it ends all that is left inside, and waits
until the keeper has tidied up: whoever waits for the command finds nothing that it planted. If the keeper is gone, all
inside ends at once. No process inside can look into the first one, change or stop it.

A command that is not at a terminal has a session of its own: signals to its own group would leave the sandbox. What the
terminal of whoever started it sends, Ctrl-C for instance, is passed on.

Arguments: the descriptor of the keeper's socket, the port, which signals the command takes as usual again, whether it
is in a session of its own, the command.
"""

import os
import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIG_IGN,
    SIGCHLD,
    SIGCONT,
    SIGHUP,
    SIGINT,
    SIGKILL,
    SIGQUIT,
    SIGSTOP,
    SIGTERM,
    SIGTSTP,
    set_wakeup_fd,
    signal,
)
from _socket import AF_INET, SCM_RIGHTS, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from select import POLLIN, poll

NOT_STARTED = 125
_PR_SET_DUMPABLE = 4
_PATIENCE = 5.0
_PASSED_ON = (SIGINT, SIGQUIT, SIGTSTP, SIGCONT)
"""What a terminal sends to a job; only a command in a session of its own needs it passed on."""


def main() -> None:
    """Be the first process."""
    handle, port, signals, is_alone = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], bool(sys.argv[4])
    _close_to_others()
    keeper = socket(fileno=handle)
    door = socket(AF_INET, SOCK_STREAM)
    door.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    door.bind(("127.0.0.1", port))
    door.listen(128)
    keeper.sendmsg([b"door"], [(SOL_SOCKET, SCM_RIGHTS, door.fileno().to_bytes(4, sys.byteorder))])
    problem = _difference(_received(keeper))
    if problem:
        _fail(f"{problem} is not what it should be; nothing was run.")
    keeper.sendall(b"ok")
    if keeper.recv(1) != b"+":
        _fail("the sandbox has no door; nothing was run.")
    _close_all_but(handle)
    woken, wakes = os.pipe()
    for end in (woken, wakes):
        os.set_blocking(end, False)
    set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal(SIGCHLD, _is_heard_of_by_pipe)
    child = os.fork()
    if child == 0:
        set_wakeup_fd(-1)
        signal(SIGCHLD, SIG_DFL)
        _close_all_but()
        if is_alone:
            os.setsid()
        _become(sys.argv[5:], signals)
    for number in (SIGINT, SIGQUIT, SIGHUP, SIGTERM):
        signal(number, SIG_IGN)  # they are the command's
    for number in _PASSED_ON if is_alone else ():
        signal(number, _is_heard_of_by_pipe)
    status = _status_of(child, woken, handle)
    _end_all()
    _wait_until_tidy(keeper)
    os._exit(status)


def _wait_until_tidy(keeper: socket) -> None:
    """Wait until the keeper has tidied up, however long that takes, and say what it has to say."""
    said = b""
    try:
        keeper.settimeout(_PATIENCE)
        keeper.sendall(b"e")
        while True:
            try:
                piece = keeper.recv(4096)
            except TimeoutError:
                _say("the command has ended; what it left is still being looked through.")
                keeper.settimeout(None)
                continue
            if not piece:
                break
            said += piece
    except OSError:
        _say("the keeper of the sandbox is gone; what the command left was not looked through.")
    for line in said.decode("utf-8", "replace").splitlines():
        _say(line)


def _is_heard_of_by_pipe(_number: int, _frame: object) -> None:
    """Python calls handlers in the order of their numbers; the pipe has the signals in the order in which they came.

    One that says stop before one that says go on must stay the first."""


def _pass_on(number: int, child: int) -> None:
    """Pass on to the command's group what a terminal sends to the one that this process is in."""
    try:
        # Nobody would let a group go on that stops by itself, so the system does not let it stop.
        os.kill(-child, SIGSTOP if number == SIGTSTP else number)
    except ProcessLookupError:
        return  # it has ended; or it is in this group yet, and has heard it itself


def _status_of(child: int, woken: int, keeper: int) -> int:
    """How the command ended. Meanwhile those are buried that it left behind, and the keeper is listened to."""
    listening = poll()
    listening.register(woken, POLLIN)
    listening.register(keeper, POLLIN)
    while True:
        for handle, _event in listening.poll():
            if handle == keeper:
                _fail("the keeper of the sandbox is gone, so what ran inside was ended.")
            for number in os.read(woken, 4096):
                if number in _PASSED_ON:
                    _pass_on(number, child)
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if ended == 0:
                break


def _end_all() -> None:
    """End everybody else, and wait until they are gone."""
    while True:
        try:
            os.kill(-1, SIGKILL)
        except ProcessLookupError:
            return
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _close_all_but(*kept: int) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                continue  # the one that the list was read by


def _close_to_others() -> None:
    """Let no process look into this one, nor be it by its descriptors. Not by `ctypes`, which takes as long to load as
    all the rest."""
    from _ctypes import call_function, dlopen, dlsym

    library = dlopen(None, 2)  # type: ignore[arg-type]  # this program itself
    if call_function(dlsym(library, "prctl"), (_PR_SET_DUMPABLE, 0, 0, 0, 0)) != 0:
        _fail("the first process can't be closed to others; nothing was run.")


def _received(keeper: socket) -> list[str]:
    """What the keeper saw: kind, device and inode, and place of each mount."""
    data = bytearray()
    while not data.endswith(b"\0\0"):
        piece = keeper.recv(65536)
        if not piece:
            _fail("the keeper of the sandbox is gone; nothing was run.")
        data += piece
    return os.fsdecode(bytes(data[:-2])).split("\0")


def _difference(wanted: list[str]) -> str:
    """The first place that is not as it should be; nothing if all are."""
    mounted: dict[str, set[str]] = {}
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            fields = line.split(" ")
            name = fields[4]
            if "\\" in name:
                name = name.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
            mounted[name] = set(fields[5].split(","))  # the last one lies on top
    for entry in wanted:
        kind, _, rest = entry.partition(" ")
        identity, _, place = rest.partition(" ")
        options = mounted.get(place)
        if options is None or (kind != "write" and "ro" not in options):
            return place
        found = os.lstat(place)
        if identity not in {"-", f"{found.st_dev}:{found.st_ino}"}:
            return place
        if kind == "no_file" and (found.st_mode & 0o170000 != 0o020000 or "nodev" not in options):
            return place
        if kind == "no_directory" and os.listdir(place):
            return place
    return ""


def _become(command: list[str], signals: str) -> None:
    for number in signals.split():
        signal(int(number), SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - this is what it is for
    except FileNotFoundError:
        _fail(f"{command[0]}: not found in the sandbox", 127)
    except OSError as error:
        _fail(f"{command[0]}: {error.strerror}", 126)


def _fail(problem: str, status: int = NOT_STARTED) -> None:
    _say(problem)
    os._exit(status)


def _say(told: str) -> None:
    try:
        os.write(2, f"guardhouse: {told}\n".encode("utf-8", "surrogateescape"))
    except OSError:
        return  # nobody listens


main()
