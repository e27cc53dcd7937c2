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
import resource
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from array import array
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
from guardhouse.sandbox.holding import Holding, is_same, take_away
from guardhouse.sandbox.launching import ticket
from guardhouse.sandbox.linking import Names
from guardhouse.sandbox.looking import Looker, link_at
from guardhouse.sandbox.meeting import VERSION, meeting_place, receive, send
from guardhouse.sandbox.needs import check_bubblewrap, find_bubblewrap
from guardhouse.sandbox.notes import end_sandbox, new_note, old_notes, started_at, write_down, written_down
from guardhouse.sandbox.repositories import personal_settings
from guardhouse.sandbox.showing import wanted_for
from guardhouse.sandbox.system_calls import system_call_filter
from guardhouse.sandbox.tidying import Told, ToTidy, restored, tidied
from guardhouse.sandbox.view import View, expectations, view_of

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_CREDENTIALS: Final = struct.Struct("3i")
"""Of a process: its number, its user and its group."""
_MOST_TOLD: Final = 4_000
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
    shares_group: bool = False
    """Whether the command will be in the process group of whoever started it."""
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
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each sandbox needs some
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
    held: dict[str, str]
    """What must stay as it is, each with its device and inode."""
    left: ToTidy
    note: Path
    """Where the same is written down, for the next keeper, should this one be killed."""


class Keeper:
    """Holds the doors."""

    def __init__(self, state: Path, listener: socket.socket, lock: int) -> None:
        self._state = state
        self._listener = listener
        self._lock = lock
        self._place = Path(meeting_place(str(state)))
        self._looker = Looker()
        self._names = Names()
        self._left_by_old: list[Path] = []
        """What keepers wrote down that were killed."""
        self._git_files: list[Path] = []
        self._git_stamp: tuple[object, ...] = ()
        self._scratches = self._place / f"scratch-{os.urandom(8).hex()}"
        self._program = ""
        self._gates: dict[tuple[str, ...], _Gate] = {}
        self._holding = Holding()
        self._running: dict[Path, ToTidy] = {}
        """What is to be tidied up after those that are inside."""
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
        self._left_by_old = old_notes(self._place)
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
        for old in self._place.glob("scratch-*"):
            if time.time() - old.stat().st_mtime > _OLD:
                shutil.rmtree(old, ignore_errors=True)

    def _clear(self) -> None:
        """Take away what is only good for those inside."""
        shutil.rmtree(self._scratches, ignore_errors=True)
        for file in self._git_files:
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
                (self._place / "keeper").unlink()
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
            handed = await asyncio.to_thread(_handed_out, inside.door, expectations(inside.view.mounts))
            if handed is None:
                return
            listener, first = handed
            door = Door(
                guard=inside.gate.guard,
                principal="sandbox",
                session_id=inside.request.session_id,
                cwd=inside.view.cwd,
            )
            async with inside.gate.proxy.open(listener, door):
                await asyncio.to_thread(write_down, inside.note, _with_first(inside.left, first))
                inside.door.setblocking(False)  # noqa: FBT003 - its own form
                inside.door.send(b"+")  # and stays open: whoever is inside ends when it does
                await _until_ended(inside, first)
        finally:
            await asyncio.to_thread(self._close, inside)

    def _close(self, inside: _Inside) -> None:
        """Tidy up, and only then let who waits for the command go on, with what they should know."""
        told: list[str] = []
        try:
            told += self._tidy(inside)
        except Exception as error:  # noqa: BLE001 - recorded; what was written down stays for the next keeper
            told.append(f"could not tidy up after a command in the sandbox ({type(error).__name__})")
            _note(inside.gate.guard, told[-1])
        finally:
            with suppress(OSError):  # who has gone is told nothing
                inside.door.send("\n".join(told)[:_MOST_TOLD].encode())
            inside.door.close()

    # The question

    def _answer(self, connection: socket.socket) -> _Inside | None:
        """Answer one who wants in. What fails is told, and nobody comes in."""
        connection.settimeout(_PATIENCE)
        handles: list[int] = []
        inside = None
        try:
            pid = _process_of(connection)
            message, descriptors = receive(connection)
            handles += descriptors
            if message.get("version") != VERSION or message.get("build") != __version__:
                self._make_way()
                send(connection, {"outdated": True})
                return None
            inside, said, given = self._let_in(msgspec.convert(message, Request), pid)
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
            self._close(inside)
        with suppress(OSError):  # who has gone needs no answer
            send(connection, {"error": visible(why)})

    def _let_in(self, request: Request, pid: int) -> tuple[_Inside, dict[str, Any], list[int]]:
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
        rules = system_call_filter(
            platform.machine(), unix_sockets=section.unix_sockets, shares_group=request.shares_group
        )
        environment = inner_environment(request.environment, section.environment)
        with self._shared:  # what one finds there, another may be about to take away
            self._tidy_after_old(guard)
            wanted = wanted_for(
                guard.policy,
                request.workspace,
                request.cwd,
                scratch=self._scratch(request),
                read_only=request.read_only,
                held=frozenset(self._holding.made),
                watched=frozenset(place for one in self._running.values() for _, place in one.watched),
                git_settings=self._git_settings(guard.policy.settings.surroundings.homes[0]),
                keep=self._kept,
            )
            view = view_of(wanted, self._looker, self._names)
            before = self._there_before(view)
            known = {root: tuple(os.listdir(root)) for root in (*view.roots, *view.repository)}
            held = self._holding.hold(view)
        given: list[int] = []
        note = new_note(self._place)
        try:
            left = ToTidy(
                home=wanted.home, roots=dict(view.roots), repository=dict(view.repository),
                settings=before, watched=view.watched, closed=view.closed,
                held={place: held[place] for place in view.held_open}, known=known, hooks=view.hooks,
                pid=pid, started=started_at(pid),
            )  # fmt: skip
            write_down(note, left)
            guard.note(_told(request, view), source="sandbox", session_id=request.session_id)
            said = ticket(self._program, view, environment)
            handle = os.memfd_create("guardhouse-filter", os.MFD_CLOEXEC)
            given.append(handle)
            os.write(handle, rules)
            os.lseek(handle, 0, os.SEEK_SET)
            ours, theirs = _pair()
            given.append(theirs.detach())
        except BaseException:
            for handle in given:
                os.close(handle)
            note.unlink(missing_ok=True)
            with self._shared:
                self._holding.let_go(held)
            raise
        with self._shared:
            self._running[note] = left
        inside = _Inside(gate=gate, view=view, request=request, door=ours, held=held, left=left, note=note)
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
            place = self._place / f"gitconfig-{os.urandom(8).hex()}"
            place.write_text(personal_settings(home), encoding="utf-8")
            place.chmod(0o600)
            self._git_files.append(place)
            self._git_stamp = stamp
        return str(self._git_files[-1])

    def _kept(self, content: bytes) -> str:
        """A file with what is seen inside of another one; it stays for as long as the keeper does."""
        place = self._scratches / f"seen-{hashlib.sha256(content).hexdigest()}"
        if not place.exists():
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(0o400)
        return str(place)

    # Before and after

    def _tidy(self, inside: _Inside) -> list[str]:
        """What has to be done once nobody is inside any more; what a person should know of it. What can't be put aside
        is recorded; the next keeper tries again. Others come in meanwhile: for them, this one is still inside."""
        left = inside.left
        with self._shared:
            handles = {
                root: self._holding.handle(root, identity) for root, identity in (left.roots | left.repository).items()
            }
            self._holding.take_away(inside.held)
        try:
            told = self._put_right(left, inside.gate.guard, handles)
            self._restore(inside, handles)
        finally:
            with self._shared:
                self._holding.let_go(inside.held)
                del self._running[inside.note]
        if not any(one.problem for one in told):
            inside.note.unlink(missing_ok=True)
        return [_said(one) for one in told if one.problem or one.is_unseen]

    def _restore(self, inside: _Inside, handles: Mapping[str, int]) -> None:
        """Look at settings of git that somebody has changed while the command ran: who replaced the file outside, or,
        if it had another name for an instant, the command."""
        for place, identity in inside.held.items():
            before = self._holding.settings(place, identity)
            if before is not None:
                root = next((root for root in handles if place.startswith(f"{root}/")), None)
                for told in restored(root, handles[root], place, before) if root is not None else ():
                    what = told.problem or "put back as they were; what was there is beside it"
                    _note(
                        inside.gate.guard, f"settings that were changed while a command ran, {visible(place)}: {what}"
                    )

    def _there_before(self, view: View) -> dict[str, str]:
        """Repositories, and settings of agents, that were there before; not those that somebody has made who is still
        inside: they could hide them from whoever tidies up after them, and this command would pass them on."""
        others = list(self._running.values())
        return {
            place: link
            for place, link in view.settings.items()
            if all(
                one.settings.get(place) == link
                for one in others
                if any(place.startswith(f"{root}/") for root in (*one.roots, *one.repository))
            )
        }

    def _put_right(self, left: ToTidy, guard: LocalGuard, handles: Mapping[str, int] | None = None) -> list[Told]:
        """What was put aside, or could not be."""
        done: list[Told] = []
        for told in tidied(left, self._looker, handles=handles, ours=self._holding.made):
            _note(guard, _said(told))
            done.append(told)
        return done

    def _tidy_after_old(self, guard: LocalGuard) -> None:
        """The same for commands of a keeper that was killed. They ended with it; one that has only made way goes on."""
        while self._left_by_old:
            file = self._left_by_old[-1]
            left = written_down(file)
            end_sandbox(left.pid, left.started)
            for place, identity in left.held.items():
                take_away(place, identity)
            self._put_right(left, guard)  # what can't be put right now is recorded, and not tried for ever
            file.unlink(missing_ok=True)
            self._left_by_old.pop()


def _said(told: Told) -> str:
    """What is said of something that was put aside, or not."""
    what = f"could not put aside ({told.problem})" if told.problem else "put aside"
    why = ", all of it: there is too much to look through" if told.is_unseen else ""
    return f"{what} what a command in the sandbox left at {visible(told.place)}{why}"


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _process_of(connection: socket.socket) -> int:
    """The process that asks. NoSandbox if it is another user's."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid: int
    pid, uid, _gid = _CREDENTIALS.unpack(told)
    if uid != os.geteuid():
        raise NoSandbox("This is another user's sandbox.")
    return pid


def _replaced(inside: _Inside) -> str:
    """Something protected that is not the one any more that was there at first; nothing if there is none."""
    for place, identity in inside.held.items():
        with suppress(PermissionError):  # it can't be told now, and is looked at again
            if not is_same(place, identity):
                return place
    return next((place for place, link in inside.view.settings.items() if link and link_at(place) != link), "")


def _pair() -> tuple[socket.socket, socket.socket]:
    """The two ends by which a door is handed out. Ours wants to be told who speaks before anybody can: of what was said
    earlier the system would not know."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


def _handed_out(door: socket.socket, wanted: bytes) -> tuple[socket.socket, int] | None:
    """The socket that listens inside, once all is as `wanted` there, and the first process inside; None if the command
    has ended before."""
    door.settimeout(_PATIENCE)
    rights, first = array("i"), 0
    try:
        room = socket.CMSG_SPACE(4 * rights.itemsize) + socket.CMSG_SPACE(_CREDENTIALS.size)
        said, ancillary, _flags, _address = door.recvmsg(4, room)
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                rights.frombytes(data[: len(data) - len(data) % rights.itemsize])
            elif (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                first = _CREDENTIALS.unpack(data)[0]
        door.sendall(wanted)
        said += door.recv(2)
    except OSError:
        said = b""
    if said != b"doorok" or len(rights) != 1 or not first:
        for one in rights:
            os.close(one)
        return None
    listener = socket.socket(fileno=rights[0])
    if listener.family is not socket.AF_INET or listener.type is not socket.SOCK_STREAM:
        listener.close()
        return None
    return listener, first


def _with_first(left: ToTidy, first: int) -> ToTidy:
    return msgspec.structs.replace(left, pid=first, started=started_at(first))


async def _until_ended(inside: _Inside, first: int) -> None:
    """Wait until nobody is inside but who waits for us to tidy up: the first process, which has ended only when all
    others have. Whoever replaces a protected file outside takes the protection away with the old one: then what is
    inside ends at once."""
    try:
        process = os.pidfd_open(first)
    except ProcessLookupError:
        return
    gone = asyncio.create_task(_readable(process))
    told = asyncio.create_task(_readable(inside.door.fileno()))
    try:
        while not gone.done():
            done, _ = await asyncio.wait({gone, told}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
            if told in done and _says_ended(inside.door):
                return
            replaced = "" if done else await asyncio.to_thread(_replaced, inside)
            if replaced or told in done:  # who hangs up is about to end, with all others
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                if replaced:
                    where = visible(replaced)
                    _note(inside.gate.guard, f"ended a command in the sandbox: {where} was replaced outside")
                await gone
    finally:
        gone.cancel()
        told.cancel()
        await asyncio.gather(gone, told, return_exceptions=True)
        os.close(process)


def _says_ended(door: socket.socket) -> bool:
    try:
        return door.recv(1) == b"e"
    except OSError:
        return False


async def _readable(handle: int) -> None:
    """Wait until there is something to be read."""
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(handle, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(handle)


def _note(guard: LocalGuard, problem: str) -> None:
    """Record what nobody waits to be told."""
    with suppress(GuardhouseError):  # what can't be recorded is refused there already
        guard.note(problem, source="sandbox")


def _told(request: Request, view: View) -> str:
    """What the record says of it. The command itself was judged and recorded where it came from."""
    who = f", by the hook of {request.told_by}" if request.told_by else ""
    how = "to read only" if request.read_only else "to write"
    program = os.path.basename(request.command[0]) if request.command else ""
    place = visible(request.workspace)
    return f"a command ({visible(program)}) runs in the sandbox{who}: {place} {how}; {len(view.mounts)} mounts"
