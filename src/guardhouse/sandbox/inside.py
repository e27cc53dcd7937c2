"""The first process inside: makes the door, looks whether everything is where it should be, and starts the command.

It is started by its text, not as part of the package, by a Python that loads nothing. A socket belongs to the network
that it was made in, whoever holds it: so the one that listens here for the proxy's clients is made here, and the
keeper, outside, is given it. Nothing else leads out.

What bubblewrap mounted it found by name, and a command in another sandbox of the same workspace may have changed what
the names mean meanwhile. So before the command starts, each mount is compared with what the keeper saw.

As the first process of its space it stays until the command has ended; then all that is left inside ends with it, as
it does if the keeper is gone: nobody would tidy up after the command. No process inside can look into the first one or
change it: the keeper goes by whether it is there.

Arguments: the descriptors of the keeper's socket and of what ends with this process, the port, which signals the
command takes as usual again, the command.
"""

import os
import sys
from _signal import SIG_DFL, SIG_IGN, SIGHUP, SIGINT, SIGQUIT, SIGTERM, signal  # type: ignore[import-not-found]
from _socket import AF_INET, SCM_RIGHTS, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

NOT_STARTED = 125
_PR_SET_DUMPABLE = 4


def main() -> None:
    """Be the first process."""
    handle, life, port, signals = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
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
    _close_all_but(life, handle)
    child = os.fork()
    if child == 0:
        _close_all_but()
        _become(sys.argv[5:], signals)
    keeping = os.fork()
    if keeping == 0:
        _close_all_but(handle)
        keeper.recv(1)
        os._exit(0)
    keeper.close()
    for number in (SIGINT, SIGQUIT, SIGHUP, SIGTERM):
        signal(number, SIG_IGN)  # they are the command's
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)
        if ended == keeping:
            _fail("the keeper of the sandbox is gone, so what ran inside was ended.")


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
    os.write(2, f"guardhouse: {problem}\n".encode("utf-8", "surrogateescape"))
    os._exit(status)


main()
