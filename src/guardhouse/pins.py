"""What MCP servers said of their tools when they were first seen, kept so that a change shows.

One file for each server in the state directory, readable by its owner only, changed under a lock and replaced whole, so
that many gateways can share it. A server's name belongs to one command line. Whether a change matters is not said
here: the gate asks by `pin`, people look and accept by command.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import GuardhouseError, Suspicion, ToolPin
from guardhouse.model.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_MOST_TOOLS: Final = 4096
_LARGEST: Final = 16 * 1024 * 1024
"""Of one server's file: a server must not be able to fill the disk with what it says of itself."""
_LONGEST_SHOWN: Final = 65_536
_PATIENCE: Final = 5.0
"""Seconds to wait for another process that changes the same file."""
_POLL: Final = 0.01
_INTERVAL: Final = 0.25
"""Seconds between two looks at a file; what another process changes takes effect within this time."""


class Described(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One description of a tool."""

    digest: str
    shown: str = ""
    """The description for people: JSON, secrets masked, cut if it is very long. The digest is over the whole."""
    destructive: bool = False
    open_world: bool = False
    looked: int = 0
    """By which revision of what looks for suspicious places; 0 if nobody has looked."""
    suspicions: tuple[Suspicion, ...] = ()
    accepted: bool = False
    """Whether a person has looked at those, and takes it as it is."""


class PinnedTool(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One tool of a server."""

    pinned: Described
    announced: Described | None = None
    """What the server says now, if that is something else."""


class ServerPins(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything that is kept of one server."""

    server: str
    salt: str
    command: str
    """A digest of the command line, which may hold a password, and of the files it means."""
    shown_command: str
    """The same for people, secrets masked."""
    tools: dict[str, PinnedTool] = {}
    """By the tools' own names."""
    instructions: Described | None = None
    """What the server says of itself, as it last did."""


class PinStore:
    """The pins of all servers of one user. `pin` is what the gate asks."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._read: dict[str, tuple[tuple[int, ...] | None, ServerPins | None]] = {}
        self._looked: dict[str, float] = {}
        self._told: dict[str, tuple[str, dict[str, Any]]] = {}

    def pin(self, tool: str) -> ToolPin:
        """What was pinned of a tool, given by its whole name. What the tool says of itself now counts as well, where it
        says that it is more dangerous."""
        parts = tool.split("__", 2)
        if len(parts) != 3 or parts[0] != "mcp":
            return ToolPin()
        try:
            server = self.server(parts[1])
            if server is None or parts[2] not in server.tools:
                self._looked.pop(parts[1], None)  # a gateway may have pinned it this very moment
                server = self.server(parts[1])
        except GuardhouseError as error:
            return ToolPin(error=error.what)
        known = server.tools.get(parts[2]) if server is not None else None
        if known is None:
            return ToolPin()
        said = (known.pinned, known.announced or known.pinned)
        description, parameters = self._words(known.pinned)
        return ToolPin(
            digest=known.pinned.digest,
            destructive=any(one.destructive for one in said),
            open_world=any(one.open_world for one in said),
            changed=known.announced is not None,
            description=description,
            parameters=parameters,
            suspicions=tuple(found for one in dict.fromkeys(said) if not one.accepted for found in one.suspicions),
        )

    def _words(self, pinned: Described) -> tuple[str, dict[str, Any]]:
        """What a tool says of itself in words, and the schema of its arguments, as far as that was kept: of a
        description that was cut, or that a mask has broken, there is nothing to go by but the names in a call."""
        told = self._told.get(pinned.digest)
        if told is None:
            if len(self._told) >= _MOST_TOOLS:
                self._told.clear()
            told = self._told[pinned.digest] = _told(pinned.shown)
        return told

    def server(self, name: str) -> ServerPins | None:
        """What is kept of a server; read again only if the file was written since, which is looked at a few times a
        second. GuardhouseError if it is damaged."""
        if time.monotonic() - self._looked.get(name, float("-inf")) < _INTERVAL:
            return self._read[name][1]
        path = self._path(name)
        try:
            status = path.stat()
            signature: tuple[int, ...] | None = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        except FileNotFoundError:
            signature = None
        except OSError as error:
            raise _unreadable(path, error.strerror) from None
        known = self._read.get(name)
        if known is None or known[0] != signature:
            # The look comes first: what is written after it is seen the next time.
            known = self._read[name] = (signature, _load(path) if signature is not None else None)
        self._looked[name] = time.monotonic()
        return known[1]

    def servers(self) -> list[ServerPins]:
        """Every server that is known, by name."""
        try:
            names = sorted(path.stem for path in self._directory.iterdir() if path.suffix == ".json")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(self._directory, error.strerror) from None
        return [server for name in names if (server := self.server(name)) is not None]

    def claim(self, name: str, command: Sequence[str], mask: Callable[[str], str], place: Sequence[str] = ()) -> None:
        """Let `name` stand for this command line, and for the files that it means by it (`place`). GuardhouseError if
        it stands for another one: then one server could pass for the other, and inherit what people said of its
        tools."""
        import shlex

        with self._changing(name) as server:
            if server is None:
                salt = os.urandom(16).hex()
                digest = _command_digest(salt, command, place)
                self._write(ServerPins(name, salt, digest, mask(shlex.join(command))))
            elif server.command != _command_digest(server.salt, command, place):
                raise GuardhouseError(
                    f"The name {name} belongs to another command, or to another program or directory:"
                    f" {server.shown_command}",
                    fix=f"Give this server a name of its own with --name, or, if it has only changed how it is started,"
                    f" let the name go first: guardhouse pins forget {name}",
                )

    def announce(self, name: str, tools: Mapping[str, Described]) -> list[str]:
        """Take in what a server says of its tools: what is new is pinned. The names of those that have changed."""
        server = self.server(name)
        if server is None or _with(server, tools) != server:
            with self._changing(name) as current:
                if current is None:
                    raise GuardhouseError(f"Nothing is kept of the server {name} any more.", fix="Start it again.")
                server = _with(current, tools)
                if len(server.tools) > _MOST_TOOLS:
                    raise GuardhouseError(
                        f"The server {name} has announced more than {_MOST_TOOLS} tools.", fix=_FORGET
                    )
                if server != current:
                    self._write(server)
        return [tool for tool, said in tools.items() if said.digest != server.tools[tool].pinned.digest]

    def announce_instructions(self, name: str, said: Described) -> Described:
        """Take in what a server says of itself; what is kept of it then."""
        server = self.server(name)
        if server is None or _with_instructions(server, said) != server:
            with self._changing(name) as current:
                if current is None:
                    raise GuardhouseError(f"Nothing is kept of the server {name} any more.", fix="Start it again.")
                server = _with_instructions(current, said)
                if server != current:
                    self._write(server)
        return server.instructions or said

    def accept(self, name: str, tool: str, digest: str) -> None:
        """Pin what the server says of this tool now, if it is the description with this digest, which was looked at.
        GuardhouseError if it is another one by now, or none."""
        with self._changing(name) as server:
            known = server.tools.get(tool) if server is not None else None
            said = (known.announced or known.pinned) if known is not None else None
            if server is None or said is None or said.digest != digest:
                raise _said_otherwise()
            tools = {**server.tools, tool: PinnedTool(msgspec.structs.replace(said, accepted=True))}
            self._write(msgspec.structs.replace(server, tools=tools))

    def accept_instructions(self, name: str, digest: str) -> None:
        """The same of what the server says of itself."""
        with self._changing(name) as server:
            said = server.instructions if server is not None else None
            if server is None or said is None or said.digest != digest:
                raise _said_otherwise()
            self._write(msgspec.structs.replace(server, instructions=msgspec.structs.replace(said, accepted=True)))

    def forget(self, name: str) -> bool:
        """Let go of a server's name and of everything that was pinned of it; whether there was anything."""
        with self._locked(name):
            self._looked.pop(name, None)
            try:
                self._path(name).unlink()
            except FileNotFoundError:
                return False
            except OSError as error:
                raise _unwritable(self._path(name), error.strerror) from None
            return True

    def find(self, tool: str) -> tuple[str, str] | None:
        """The server and the own name of a pinned tool, given by its whole name in any case; None if there is none, or
        more than one."""
        parts = tool.strip().split("__", 2)
        if len(parts) != 3 or parts[0].lower() != "mcp" or not is_server_name(parts[1].lower()):
            return None
        server = self.server(parts[1].lower())
        if server is None:
            return None
        if parts[2] in server.tools:
            return server.server, parts[2]
        alike = [name for name in server.tools if name.lower() == parts[2].lower()]
        return (server.server, alike[0]) if len(alike) == 1 else None

    def knows_server_of(self, tool: str) -> bool:
        """Whether anything is kept of the server that a whole name speaks of."""
        parts = tool.strip().lower().split("__", 2)
        return len(parts) == 3 and parts[0] == "mcp" and is_server_name(parts[1]) and self.server(parts[1]) is not None

    # Files

    def _path(self, name: str) -> Path:
        if not is_server_name(name):
            raise GuardhouseError("That is no name of a server.", fix=NAME_RULE)
        return self._directory / f"{name}.json"

    @contextmanager
    def _changing(self, name: str) -> Iterator[ServerPins | None]:
        with self._locked(name):
            path = self._path(name)
            yield _load(path) if path.exists() else None

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """No other process changes this server's file meanwhile."""
        path = self._path(name).with_suffix(".lock")
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise _unwritable(path, error.strerror) from None
        try:
            end = time.monotonic() + _PATIENCE
            while not _try_lock(handle):
                if time.monotonic() > end:
                    raise GuardhouseError(f"Another process holds {path}.", fix="End it, and try again.")
                time.sleep(_POLL)
            yield
        finally:
            os.close(handle)

    def _write(self, server: ServerPins) -> None:
        """Replace a server's file, on disk before this returns."""
        content = msgspec.json.format(msgspec.json.encode(server), indent=1) + b"\n"
        if len(content) > _LARGEST:
            raise GuardhouseError(f"The server {server.server} says more of itself than is kept.", fix=_FORGET)
        path = self._path(server.server)
        draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(draft, path)  # noqa: PTH105 - the atomic rename is the point
            except OSError:
                draft.unlink()  # leave no half-written file behind
                raise
        except OSError as error:
            raise _unwritable(path, error.strerror) from None
        self._looked.pop(server.server, None)


NAME_RULE: Final = "A name has letters a to z, digits, `-` and single `_`, at most 64 of them, and begins with no `_`."
_FORGET: Final = "If you trust the server, let go of what is kept of it: guardhouse pins forget NAME"


def is_server_name(name: str) -> bool:
    """Whether `mcp__NAME__tool` can be read in one way only."""
    plain = name.replace("-", "").replace("_", "")
    is_plain = plain.isascii() and plain.isalnum() and name == name.lower()
    return is_plain and len(name) <= 64 and "__" not in name and name[0] not in "_-" and name[-1] not in "_-"


def _with(server: ServerPins, tools: Mapping[str, Described]) -> ServerPins:
    """The pins after a server has announced `tools`."""
    known = dict(server.tools)
    for name, said in tools.items():
        before = known.get(name, PinnedTool(said))
        if said.digest == before.pinned.digest:
            known[name] = PinnedTool(_as_accepted(said, before.pinned))
        else:
            known[name] = PinnedTool(before.pinned, _as_accepted(said, before.announced))
    return server if known == server.tools else msgspec.structs.replace(server, tools=known)


def _with_instructions(server: ServerPins, said: Described) -> ServerPins:
    said = _as_accepted(said, server.instructions)
    return server if server.instructions == said else msgspec.structs.replace(server, instructions=said)


def _as_accepted(said: Described, before: Described | None) -> Described:
    """A description as far as a person has accepted the same one before, and nothing more was found in it since."""
    if before is None or before.digest != said.digest or not before.accepted:
        return said
    return msgspec.structs.replace(said, accepted=_codes(said) <= _codes(before))


def _codes(said: Described) -> set[str]:
    return {one.code for one in said.suspicions}


def _said_otherwise() -> GuardhouseError:
    return GuardhouseError(
        "The server has changed the description again since it was shown. Nothing was accepted.",
        fix="Look at it once more: guardhouse pins list --changed",
    )


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _load(path: Path) -> ServerPins:
    try:
        content = path.read_bytes()
        return msgspec.json.decode(content, type=ServerPins)
    except OSError as error:
        raise _unreadable(path, error.strerror) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _unreadable(path, "it is damaged") from None


def _told(shown: str) -> tuple[str, dict[str, Any]]:
    try:
        tool = msgspec.json.decode(shown)
    except msgspec.DecodeError:
        tool = None
    if not isinstance(tool, dict):
        return "", {}
    description, schema = tool.get("description"), tool.get("inputSchema")
    return description if isinstance(description, str) else "", schema if isinstance(schema, dict) else {}


def _command_digest(salt: str, command: Sequence[str], place: Sequence[str]) -> str:
    return sha256_hex(salt.encode() + msgspec.json.encode([list(command), list(place)]))


def cut(shown: str) -> str:
    """A description as it is kept for people."""
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def _unreadable(path: Path, why: str | None) -> GuardhouseError:
    return GuardhouseError(
        f"What was pinned can't be read: {path}: {why}.", fix="Mend it, or let it go: guardhouse pins forget NAME"
    )


def _unwritable(path: Path, why: str | None) -> GuardhouseError:
    return GuardhouseError(f"What is pinned can't be written: {path}: {why}.", fix="Check the state directory.")
