"""The keeper: a process that stays, knows the policy, and holds the doors of all sandboxes of a user.

It is asked by a command that wants in, says what that one may see, and waits for the door: the socket that listens
inside, which the forward proxy then serves from here. When the last process in a sandbox is gone, its door is closed
and what was held open for it is taken away. With nothing to do for a while, it ends.

What it says yes to is recorded first. If anything fails, the answer is an error, and nothing is run.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import platform
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from guardhouse import __version__
from guardhouse.egress.proxy import Door, ForwardProxy
from guardhouse.model import GuardhouseError, visible
from guardhouse.opening import open_for_sandbox
from guardhouse.sandbox.environment import inner_environment
from guardhouse.sandbox.errors import NoSandbox
from guardhouse.sandbox.launching import ticket
from guardhouse.sandbox.looking import Looker
from guardhouse.sandbox.meeting import VERSION, meeting_place, receive, send
from guardhouse.sandbox.needs import check_bubblewrap, find_bubblewrap
from guardhouse.sandbox.repositories import personal_settings
from guardhouse.sandbox.showing import wanted_for
from guardhouse.sandbox.system_calls import system_call_filter
from guardhouse.sandbox.tidying import put_aside
from guardhouse.sandbox.view import View, expectations, identity_of, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.opening import LocalGuard

IDLE: Final = 900.0
"""Seconds without anybody inside after which the keeper ends."""
_PATIENCE: Final = 20.0
"""Seconds that a command has to say what it wants, and to hand out its door."""
_SOON: Final = 0.01
_MOST_GATES: Final = 64
_LOOK: Final = 0.25
"""Seconds between two looks at what must stay as it is while somebody is inside."""
_OLD: Final = 7 * 86_400
_MOST: Final = 256
"""Sandboxes at once."""


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a command that wants in says of itself. It has our user's rights already: nothing here loosens a policy."""

    version: int
    build: str
    command: list[str]
    cwd: str
    workspace: str
    environment: dict[str, str]
    variables: dict[str, str]
    """Of its environment, what says where configuration lies and what it is."""
    read_only: bool = False
    session_id: str | None = None
    config_file: str | None = None
    told_by: str = ""
    """Which agent's hook put the command here, if one did."""


def keep(state: str, told: int) -> NoReturn:
    """Be the keeper of a state directory until there is nothing to do. `told` gets an error, or nothing, and ends."""
    place = Path(meeting_place(state))
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(place / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        if not _alone(lock, place):
            sys.exit(0)
        with suppress(FileNotFoundError):
            (place / "keeper").unlink()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        directory = os.open(place, os.O_DIRECTORY | os.O_CLOEXEC)
        listener.bind(f"/proc/self/fd/{directory}/keeper")
        listener.listen(128)
        listener.setblocking(False)  # noqa: FBT003 - its own form
    except OSError as error:
        os.write(told, f"The keeper of the sandbox can't work in {place}: {error.strerror}.".encode())
        sys.exit(1)
    os.close(told)
    asyncio.run(Keeper(Path(state), listener, lock).run())
    sys.exit(0)


def _alone(lock: int, place: Path) -> bool:
    """Whether this is the only keeper; False once another one listens."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if (place / "keeper").is_socket() or time.monotonic() > end:
                return False
            time.sleep(_SOON)
        else:
            return True


class _Gate(msgspec.Struct, frozen=True):
    """What stands behind the doors of one workspace."""

    guard: LocalGuard
    proxy: ForwardProxy


class _Inside(msgspec.Struct, frozen=True, kw_only=True):
    """A sandbox that was let in, before its door is there."""

    gate: _Gate
    view: View
    request: Request
    door: socket.socket
    """By which the door is handed out."""
    life: int
    """Ends with the last process inside."""
    home: str
    process: int
    """The one that became the sandbox, as a descriptor."""


class Keeper:
    """Holds the doors."""

    def __init__(self, state: Path, listener: socket.socket, lock: int) -> None:
        self._state = state
        self._listener = listener
        self._lock = lock
        self._held_file = Path(meeting_place(str(state)), f"held-{os.getpid()}")
        self._looker = Looker()
        self._git_file = ""
        self._git_stamp: tuple[object, ...] = ()
        self._scratches = Path(meeting_place(str(state)), f"scratch-{os.urandom(8).hex()}")
        self._program = ""
        self._gates: dict[tuple[str, ...], _Gate] = {}
        self._held: dict[str, int] = {}
        """Directories that are held open, and for how many."""
        self._inside: set[asyncio.Task[None]] = set()
        self._shared = threading.Lock()
        """Around what threads share: the guards, and what is held open."""
        self._closing = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self) -> None:
        """Let in whoever may, until there was nobody for a while, or somebody newer has to take over."""
        from concurrent.futures import ThreadPoolExecutor

        self._loop = loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(64, thread_name_prefix="guardhouse-keeper"))
        await asyncio.to_thread(self._clear_old)
        await asyncio.to_thread(self._let_go_of_old)
        accepting = asyncio.create_task(self._accept())
        try:
            await self._closing.wait()
        finally:
            accepting.cancel()
        while self._inside:
            await asyncio.wait(self._inside)
        for gate in self._gates.values():
            gate.guard.close()
        self._clear()

    def _clear_old(self) -> None:
        """Take away what another keeper left that was killed. One that has only made way may still use its own."""
        for old in Path(meeting_place(str(self._state))).glob("scratch-*"):
            if time.time() - old.stat().st_mtime > _OLD:
                shutil.rmtree(old, ignore_errors=True)

    def _clear(self) -> None:
        """Take away what is only good for those inside."""
        self._held_file.unlink(missing_ok=True)
        shutil.rmtree(self._scratches, ignore_errors=True)
        for file in Path(meeting_place(str(self._state))).glob("gitconfig-*"):
            file.unlink(missing_ok=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout(IDLE):
                    connection, _ = await loop.sock_accept(self._listener)
            except TimeoutError:
                if not self._inside:
                    self._leave()
                continue
            except OSError:  # no descriptors left, for instance; those who ask see that nobody answers
                await asyncio.sleep(0.1)
                continue
            task = asyncio.create_task(self._serve(connection))
            self._inside.add(task)
            task.add_done_callback(self._inside.discard)

    def _leave(self) -> None:
        """Let nobody in any more. Whoever comes then starts another keeper."""
        if not self._closing.is_set():
            with suppress(FileNotFoundError):
                Path(meeting_place(str(self._state)), "keeper").unlink()
            self._listener.close()
            os.close(self._lock)
            self._closing.set()

    def _make_way(self) -> None:
        """The same from another thread, done when it returns."""
        done = threading.Event()

        def leave() -> None:
            self._leave()
            done.set()

        if self._loop is not None:
            self._loop.call_soon_threadsafe(leave)
            done.wait(_PATIENCE)

    async def _serve(self, connection: socket.socket) -> None:
        """One sandbox, from the question to its end."""
        with connection:
            inside = await asyncio.to_thread(self._answer, connection)
        if inside is None:
            return
        try:
            with inside.door:
                listener = await asyncio.to_thread(_handed_out, inside.door, expectations(inside.view.mounts))
                if listener is None:
                    return
                door = Door(
                    guard=inside.gate.guard,
                    principal="sandbox",
                    session_id=inside.request.session_id,
                    cwd=inside.view.cwd,
                )
                async with inside.gate.proxy.open(listener, door):
                    inside.door.send(b"+")  # and stays open: whoever is inside ends when it does
                    await self._until_ended(inside)
        finally:
            os.close(inside.life)
            os.close(inside.process)
            await asyncio.to_thread(self._tidy, inside)

    async def _until_ended(self, inside: _Inside) -> None:
        """Wait until nobody is inside. Whoever replaces a protected file outside takes the protection away with the old
        one: then what is inside ends at once."""
        ended = asyncio.create_task(_ended(inside.life))
        try:
            while not (await asyncio.wait({ended}, timeout=_LOOK))[0]:
                replaced = await asyncio.to_thread(_replaced, inside.view)
                if replaced:
                    with suppress(ProcessLookupError):
                        signal.pidfd_send_signal(inside.process, signal.SIGKILL)
                    _note(inside.gate.guard, f"ended a command in the sandbox: {replaced} was replaced outside")
                    await ended
        finally:
            ended.cancel()

    # The question

    def _answer(self, connection: socket.socket) -> _Inside | None:
        """Answer one who wants in. What fails is told, and nobody comes in."""
        connection.settimeout(_PATIENCE)
        handles: list[int] = []
        inside = None
        try:
            process = _process_of(connection)
            handles.append(process)
            message, descriptors = receive(connection)
            handles += descriptors
            if message.get("version") != VERSION or message.get("build") != __version__:
                self._make_way()
                send(connection, {"outdated": True})
                return None
            inside, said, given = self._let_in(msgspec.convert(message, Request), process)
            handles += given
            send(connection, said, tuple(given))
        except GuardhouseError as error:
            self._refuse(connection, inside, f"{error.what} {error.fix}".strip())
            inside = None
        except Exception as error:  # noqa: BLE001 - told, and recorded nowhere: its text may quote anything
            self._refuse(connection, inside, f"The sandbox could not be made ({type(error).__name__}).")
            inside = None
        finally:
            for handle in handles:
                os.close(handle)
        return inside

    def _refuse(self, connection: socket.socket, inside: _Inside | None, why: str) -> None:
        if inside is not None:
            inside.door.close()
            os.close(inside.life)
            os.close(inside.process)
            self._tidy(inside)
        with suppress(OSError):  # who has gone needs no answer
            send(connection, {"error": visible(why)})

    def _let_in(self, request: Request, process: int) -> tuple[_Inside, dict[str, Any], list[int]]:
        """The sandbox that is asked for, what the command is told, and the descriptors that it gets."""
        if len(self._inside) > _MOST:
            raise NoSandbox(f"There are {_MOST} sandboxes already.", fix="Wait until one of them has ended.")
        if not self._program:
            program = find_bubblewrap()
            check_bubblewrap(program)
            self._program = program
        gate = self._gate(request)
        guard = gate.guard
        section = guard.policy.config.sandbox
        rules = system_call_filter(platform.machine(), unix_sockets=section.unix_sockets)
        environment = inner_environment(request.environment, section.environment)
        with self._shared:  # what one finds there, another may be about to take away
            wanted = wanted_for(
                guard.policy,
                request.workspace,
                request.cwd,
                scratch=self._scratch(request),
                read_only=request.read_only,
                held=frozenset(self._held),
                git_settings=self._git_settings(guard.policy.settings.surroundings.homes[0]),
            )
            view = view_of(wanted, self._looker)
            self._hold(view.held_open)
        given: list[int] = []
        try:
            guard.note(_told(request, view), session_id=request.session_id)
            said = ticket(self._program, view, environment)
            handle = os.memfd_create("guardhouse-filter", os.MFD_CLOEXEC)
            given.append(handle)
            os.write(handle, rules)
            os.lseek(handle, 0, os.SEEK_SET)
            ours, theirs = socket.socketpair()
            given.append(theirs.detach())
            reader, writer = os.pipe()
            given.append(writer)
        except BaseException:
            for handle in given:
                os.close(handle)
            self._release(view.held_open)
            raise
        inside = _Inside(
            gate=gate, view=view, request=request, door=ours, life=reader, home=wanted.home, process=os.dup(process)
        )
        return inside, said, given

    def _gate(self, request: Request) -> _Gate:
        """The gate of a workspace, as its configuration says; it follows the files as they change."""
        variables = (f"{name}={value}" for name, value in sorted(request.variables.items()))
        key = (request.workspace, request.config_file or "", *variables)
        with self._shared:
            gate = self._gates.get(key)
            if gate is None:
                self._close_unused()
                guard = open_for_sandbox(
                    project=Path(request.workspace),
                    config_file=Path(request.config_file) if request.config_file else None,
                    state_dir=self._state,
                    variables=request.variables,
                )
                proxy = guard.forward_proxy(report=lambda problem: _note(guard, f"the proxy: {problem}"))
                gate = self._gates[key] = _Gate(guard, proxy)
            return gate

    def _close_unused(self) -> None:
        """With many workspaces, begin anew once nobody is inside but who is just asking."""
        if len(self._gates) >= _MOST_GATES and len(self._inside) <= 1:
            for gate in self._gates.values():
                gate.guard.close()
            self._gates.clear()

    def _scratch(self, request: Request) -> str:
        """What is `/tmp` inside: the same for the commands of one session in one workspace, for as long as the keeper
        stays."""
        name = hashlib.sha256(os.fsencode(f"{request.workspace}\0{request.session_id or ''}")).hexdigest()[:24]
        place = self._scratches / name
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(place)

    def _git_settings(self, home: str) -> str:
        """A file with what of the user's settings of git is seen inside; made anew when those have changed."""
        files = (f"{home}/.gitconfig", f"{home}/.config/git/config")
        stamp = (home, *(_changed(file) for file in files))
        if stamp != self._git_stamp:
            place = Path(meeting_place(str(self._state)), f"gitconfig-{os.urandom(8).hex()}")
            place.write_text(personal_settings(home), encoding="utf-8")
            place.chmod(0o600)
            self._git_file, self._git_stamp = str(place), stamp
        return self._git_file

    # Before and after

    def _hold(self, places: tuple[str, ...]) -> None:
        """Make what is not there and must not be made by anybody inside. NoSandbox if that fails; then nothing is."""
        held: list[str] = []
        try:
            for place in places:
                self._hold_one(place)
                held.append(place)
        except BaseException:
            self._let_go(held)
            raise

    def _note_held(self) -> None:
        """Write down what is held open, for the next keeper, should this one be killed."""
        self._held_file.write_bytes(b"\0".join(map(os.fsencode, self._held)))

    def _let_go_of_old(self) -> None:
        """Take away what a keeper held open that was killed, and everybody inside with it. One that has only made way
        goes on. A directory that is used by now is not empty."""
        for file in Path(meeting_place(str(self._state))).glob("held-*"):
            if _is_keeper(file.name.removeprefix("held-")):
                continue
            for place in filter(None, file.read_bytes().split(b"\0")):
                with suppress(OSError):
                    os.rmdir(place)
            file.unlink()

    def _hold_one(self, place: str) -> None:
        try:
            os.mkdir(place, 0o755)
        except FileExistsError:
            if place not in self._held:
                raise NoSandbox(f"{visible(place)} has just been made.", fix="Try again.") from None
        except OSError as error:
            raise NoSandbox(f"{visible(place)} can't be held open: {error.strerror}.") from None
        self._held[place] = self._held.get(place, 0) + 1
        self._note_held()

    def _release(self, places: tuple[str, ...]) -> None:
        """Take it away again, once nobody is inside any more."""
        with self._shared:
            self._let_go(places)

    def _let_go(self, places: Sequence[str]) -> None:
        for place in places:
            self._held[place] -= 1
            if not self._held[place]:
                del self._held[place]
                with suppress(OSError):  # somebody outside uses it by now, or has taken it away
                    os.rmdir(place)
                self._note_held()

    def _tidy(self, inside: _Inside) -> None:
        """What has to be done once nobody is inside any more. What can't be put aside is recorded."""
        view = inside.view
        self._release(view.held_open)
        for root in view.roots:
            with self._shared:
                found = self._looker.look(root, inside.home, ())
            made = [place for place in found.settings if place not in view.settings]
            for place, problem in put_aside(root, (*(one for one in view.watched if _is_in(one, root)), *made)):
                what = f"could not put aside ({problem})" if problem else "put aside"
                _note(inside.gate.guard, f"{what} what a command in the sandbox left at {visible(place)}")


def _is_in(place: str, root: str) -> bool:
    return place.startswith(f"{root}/")


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _is_keeper(pid: str) -> bool:
    try:
        return b"--keep" in Path("/proc", pid, "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _process_of(connection: socket.socket) -> int:
    """The process that asks, as a descriptor. NoSandbox if it is not of the user whose keeper this is."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _gid = struct.unpack("3i", told)
    if uid != os.geteuid():
        raise NoSandbox("This is another user's sandbox.")
    return os.pidfd_open(pid)


def _replaced(view: View) -> str:
    """A protected file that is not the one any more that was mounted; nothing if there is none."""
    for mount in view.mounts:
        if mount.kind == "read" and mount.identity:
            try:
                if identity_of(mount.source) != mount.identity:
                    return mount.source
            except FileNotFoundError:
                return mount.source
            except OSError:
                continue  # it can't be told now, and is looked at again
    return ""


def _handed_out(door: socket.socket, wanted: bytes) -> socket.socket | None:
    """The socket that listens inside, once all is as `wanted` there; None if the command has ended before."""
    door.settimeout(_PATIENCE)
    try:
        said, descriptors, _flags, _address = socket.recv_fds(door, 4, 4)
        door.sendall(wanted)
        said += door.recv(2)
    except OSError:
        descriptors, said = [], b""
    if said != b"doorok" or len(descriptors) != 1:
        for one in descriptors:
            os.close(one)
        return None
    listener = socket.socket(fileno=descriptors[0])
    if listener.family is not socket.AF_INET or listener.type is not socket.SOCK_STREAM:
        listener.close()
        return None
    return listener


def _note(guard: LocalGuard, problem: str) -> None:
    """Record what nobody waits to be told."""
    with suppress(GuardhouseError):  # what can't be recorded is refused there already
        guard.note(problem)


async def _ended(life: int) -> None:
    """Wait until nobody holds the other end any more."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    os.set_blocking(life, False)

    def look() -> None:
        try:
            if not os.read(life, 64):
                over.set()
        except BlockingIOError:
            return

    loop.add_reader(life, look)
    try:
        await over.wait()
    finally:
        loop.remove_reader(life)


def _told(request: Request, view: View) -> str:
    """What the record says of it. The command itself was judged and recorded where it came from."""
    who = f", by the hook of {request.told_by}" if request.told_by else ""
    how = "to read only" if request.read_only else "to write"
    program = os.path.basename(request.command[0]) if request.command else ""
    place = visible(request.workspace)
    return f"a command ({visible(program)}) runs in the sandbox{who}: {place} {how}; {len(view.mounts)} mounts"
