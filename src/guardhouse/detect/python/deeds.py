"""What a call of a known function does outside the program: processes, files, connections, privileges.

It gets the arguments as far as they are known, notes acts, and says what the call gives back. Code that is run by a
call (`exec` and the like) is not read here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Act, Scope, Source, Target
from guardhouse.detect.python import known
from guardhouse.detect.python.arguments import SOCKET, TELLING, address, argument, command, is_given, is_socket
from guardhouse.detect.python.cloud import in_cloud
from guardhouse.detect.python.known import OWNER, by_name
from guardhouse.detect.python.values import (
    EVERYTHING,
    NOTHING,
    NOWHERE,
    PATH,
    Made,
    Named,
    Number,
    Text,
    Value,
    items,
    path_join,
    text_of,
    unknown,
)
from guardhouse.detect.python.words import command_line, command_words
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_ACTS: Final = 256
FILE: Final = "file"
CONTENT: Final = "content"
"""What was read out of a file."""

_STARTS = by_name(known.STARTS)
_FILES = by_name(known.FILES)
_REACHES = by_name(known.REACHES)
_LOOKUPS = by_name(known.LOOKUPS)
_SENDS = by_name(known.SENDS)
_LISTENERS = by_name(known.LISTENERS)
ACTING: Final = frozenset(
    {*_STARTS, *_FILES, *_REACHES, *_LOOKUPS, *_SENDS, *_LISTENERS, *known.OPENERS, *known.REMOTE_STARTS}
    | known.EVALUATORS
    | known.UNPICKLERS
    | known.ESCALATORS
    | known.MAKERS
)
"""The names that mean something when they are called."""
RUNNING: Final = frozenset({*_STARTS}) | known.EVALUATORS
"""Those that run what they are given."""

_FROM_OUTSIDE: Final = frozenset({Source.NETWORK, Source.DECODED})
_NETWORK: Final = frozenset({Source.NETWORK})
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
_FROM_FILE: Final = frozenset({Source.FILE})


class Deeds:
    """The acts seen so far, and the little state that later calls depend on."""

    def __init__(self) -> None:
        self.where: Callable[[], tuple[int, int]] = lambda: (0, 0)
        """Tells the part of the text that is being read."""
        self.added: frozenset[Source] = NOWHERE
        """Where the code comes from that is being read."""
        self.overflow = False
        self.picking = 0
        """How many tests pick out what is worked on, of what a loop goes through."""
        self.endless = False
        """Whether this is done again and again, with nothing else in between."""
        self.fetched: set[str] = set()
        """The files into which something was loaded from the network."""
        self._acts: dict[tuple[object, ...], Act] = {}
        self._peer = UNKNOWN
        self._received = False
        self._directory = ""

    @property
    def acts(self) -> tuple[Act, ...]:
        return tuple(self._acts.values())

    def note(
        self,
        effect: Effect,
        target: str = "",
        kind: Target = "",
        sources: frozenset[Source] = NOWHERE,
        *,
        scope: Scope = Scope.LOCAL,
        certainty: Confidence = Confidence.HIGH,
        recursive: bool = False,
        what: str = "",
    ) -> None:
        """Keep an act, unless the same one was seen before."""
        if target.endswith(EVERYTHING):
            # All that lies below a place comes to the place itself, but only for those that delete.
            target = target[: -len(UNKNOWN) - 1]
        if Source.NETWORK in sources and effect in {Effect.WRITES, Effect.OVERWRITES}:
            self.fetched.add(target)
        key = (effect, target, kind, sources, scope, recursive)
        if key in self._acts:
            return
        if len(self._acts) >= MOST_ACTS:
            self.overflow = True
            return
        start, end = self.where()
        self._acts[key] = Act(
            effect=effect,
            target=target,
            kind=kind,
            sources=sources | self.added,
            scope=scope,
            certainty=certainty,
            start=start,
            end=end,
            program="python",
            recursive=recursive,
            what=what,
        )

    def do(self, name: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value | None:
        """What the call gives, its acts noted; None if it is none that is known."""
        files = _FILES.get(name, ())
        for file in files:
            self._touch(file, owner, given, named)
        handler = _BY_NAME.get(name)
        if handler is not None:
            return handler(self, name, owner, given, named)
        if name.startswith(known.CLOUD_CLIENT):
            return in_cloud(self, name.rpartition(".")[2], owner, given, named)
        if name in _READERS:
            return Made(_FROM_FILE, CONTENT, text_of(owner))
        return NOTHING if files else None

    # Processes

    def _start(self, name: str, _: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        row = _STARTS[name][0]
        line, origin = command(row, name, given, named)
        if "executable" in named and line.partition(" ")[2]:
            line = f"{command_words((text_of(named['executable']),))} {line.partition(' ')[2]}"
        if "input" in named and is_given(named["input"]):
            line = f"{line} <<< {command_words((text_of(named['input']),))}"
        where = text_of(named["cwd"]) if is_given(named.get("cwd", NOTHING)) else ""
        self._run(line, origin, self.placed(where) or self._directory)
        if any(is_socket(named.get(stream, NOTHING)) for stream in ("stdin", "stdout", "stderr")):
            self._wire()
        if name == "subprocess.Popen":
            self._multiply()
        result = "subprocess.Popen" if name == "subprocess.Popen" else "output"
        return Made(_DYNAMIC, result, line)

    def _run(self, line: str, origin: frozenset[Source], directory: str = "") -> None:
        if self._received and Source.NETWORK in origin:
            self._wire()
        if line == "$UNKNOWN":
            self.note(Effect.EXECUTES, UNKNOWN, "shell", (origin - {Source.SECRET}) or _DYNAMIC)
            return
        if not line.startswith("$UNKNOWN"):
            origin -= _NETWORK
        if directory:
            line = f"cd {command_words((directory,))} && {line}"
        self.note(Effect.EXECUTES, line, "shell", origin & _FROM_OUTSIDE)

    def _feed(self, _: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """Something written to a process: commands, if the process is a shell."""
        fed = argument(given, named, 0, "input")
        if isinstance(owner, Made) and isinstance(fed, Text):
            self._run(f"{owner.text} <<< {command_words((fed.text,))}", fed.origin)
        return Value(_DYNAMIC)

    def _start_remote(self, _: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        line = command_line(text_of(argument(given, named, 0, "command")))
        self.note(Effect.EXECUTES, line, "shell", scope=Scope.REMOTE)
        return unknown(owner)

    def _wire(self) -> None:
        what = "whoever is at the other end of a connection gets a shell"
        self.note(Effect.SPAWNS_SHELL, self._peer, "host", what=what)

    def _duplicate(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        if given and is_socket(given[0]):
            self._wire()
        return NOTHING

    def _escalate(self, *_: object) -> Value:
        self.note(Effect.ESCALATES, what="the process takes on another user's rights")
        return NOTHING

    def _kill(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        if given and isinstance(given[0], Number) and given[0].number in {1, -1}:
            self.note(
                Effect.MUTATES, "processes", "thing", what="every process of the user, or of the system, is ended"
            )
        return NOTHING

    def _multiply(self, *_: object) -> Value:
        if self.endless:
            self.note(Effect.MUTATES, "processes", "thing", what="processes are started without end")
        return NOTHING

    def _load_library(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        path = text_of(given[0]) if given else UNKNOWN
        if "/" in path:
            self.note(Effect.EXECUTES, self.placed(path), "path", _FROM_FILE)
        return Made(NOWHERE, "ctypes.CDLL")

    def _run_script(self, _: str, __: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        self.run_file(text_of(argument(given, named, 0, "path_name")))
        return NOTHING

    def load(self, name: str) -> None:
        """A module is imported, or run. Only one of the guard's own is worth a word."""
        if name.partition(".")[0].partition(":")[0] == known.OWN_PACKAGE:
            self.note(Effect.EXECUTES, name, "guard", what="code that uses the guard's own modules")

    def run_file(self, path: str) -> None:
        """Code out of a file is run."""
        self.note(Effect.EXECUTES, self.placed(path), "path", _FROM_FILE)

    # Files

    def placed(self, path: str) -> str:
        """A path as seen from where the code began."""
        return path_join((self._directory, path)) if self._directory and path else path

    def _held_in(self, keyword: str, path: str, named: Mapping[str, Value]) -> str:
        """A path as seen from the directory that a handle stands for (`dir_fd`), if one is given."""
        handle = named.get(f"{keyword}_dir_fd", named.get("dir_fd", NOTHING))
        if not is_given(handle):
            return path
        return path_join((handle.text if isinstance(handle, Made) and handle.text else UNKNOWN, path))

    def _enter(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        self._directory = self.placed(text_of(given[0])) if given else UNKNOWN
        return NOTHING

    def _touch(self, row: known.File, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> None:
        target = owner if row.at == OWNER else argument(given, named, row.at, row.keyword)
        if isinstance(target, Number):
            return
        if row.at != OWNER and row.at >= len(given) and row.keyword not in named:
            if row.effect is not Effect.WRITES or row.at > 1:
                return
            target = Text(NOWHERE, ".")
        data = given[0] if given and row.at == OWNER else NOTHING
        sources = data.origin & _FROM_OUTSIDE if row.effect is not Effect.READS else NOWHERE
        if row.names.startswith("urllib."):
            sources = _NETWORK
        path, recursive = self._held_in(row.keyword, self.placed(text_of(target)), named), row.recursive
        if row.effect is Effect.DELETES and path.endswith(EVERYTHING) and not self.picking:
            path, recursive = path.removesuffix(EVERYTHING) or "/", True
        self.note(row.effect, path, "path", sources, recursive=recursive)

    def _open(self, name: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        as_method = name.startswith(PATH)
        target = owner if as_method else argument(given, named, 0, "file")
        mode_value = argument(given, named, 0 if as_method else 1, "mode")
        mode = mode_value.text if isinstance(mode_value, Text) else "r"
        if isinstance(target, Number):
            return NOTHING
        path = self.placed(text_of(target))
        effect = Effect.READS
        if "w" in mode:
            effect = Effect.OVERWRITES
        elif any(char in mode for char in "ax+"):
            effect = Effect.WRITES
        if not isinstance(target, Made) or target.by == PATH:
            self.note(effect, path, "path")
        return Made(_FROM_FILE, known.OPENERS[name], path)

    def _open_low(self, _: str, __: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        flags = argument(given, named, 1, "flags")
        writes = isinstance(flags, Named) and any(flag in flags.name for flag in ("WRONLY", "RDWR", "CREAT", "TRUNC"))
        writes = writes or (isinstance(flags, Number) and bool(flags.number & _WRITING_FLAGS))
        path = self._held_in("path", self.placed(text_of(argument(given, named, 0, "path"))), named)
        self.note(Effect.WRITES if writes else Effect.READS, path, "path")
        return Made(_FROM_FILE, FILE, path)

    def _read(self, _: str, owner: Value, __: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        return Made(owner.origin, CONTENT, owner.text) if isinstance(owner, Made) else unknown(owner)

    def _write(self, _: str, owner: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        """Writing to an open file; that it is written was noted when it was opened, so only what comes in counts."""
        sources = given[0].origin & _FROM_OUTSIDE if given else NOWHERE
        if sources and isinstance(owner, Made):
            self.note(Effect.WRITES, owner.text or UNKNOWN, "path", sources)
        return NOTHING

    def _copy_over(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        return self._write("", given[1], given[:1], {}) if len(given) > 1 else NOTHING

    # Connections

    def _reach(self, name: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        row = _REACHES[name][0]
        place = address(row, given, named)
        if place is None:
            return Made(owner.origin, row.keeps or "answer")
        target, origin = place
        whole = argument(given, named, row.at, row.keyword)
        bodies = [named[word] for word in known.BODY_KEYWORDS if word in named]
        if row.body < len(given):
            bodies.append(given[row.body])
        bodies = [body for body in bodies if is_given(body)]
        if isinstance(whole, Made) and whole.by == REQUEST_WITH_BODY:
            bodies.append(whole)
        telling = origin & TELLING
        for body in (*bodies, named.get("params", NOTHING)):
            telling |= body.origin & TELLING
        effect = Effect.SENDS if bodies or telling else Effect.CONNECTS
        self.note(effect, target, "url" if row.form == "url" else "host", telling)
        if row.form != "url":
            self._peer = target
        return Made(_NETWORK, row.keeps or "answer", target)

    def _request(self, _: str, __: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        body = argument(given, named, 1, "data")
        by = REQUEST_WITH_BODY if is_given(body) else REQUEST
        return Made(body.origin, by, text_of(argument(given, named, 0, "url")))

    def _look_up(self, _: str, __: Value, given: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        # A look-up of a fixed name is what every connection does; one of a computed name can carry data out.
        telling = given[0].origin & TELLING if given else NOWHERE
        if telling:
            self.note(Effect.SENDS, text_of(given[0]), "host", telling)
        return NOTHING

    def _send(self, name: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        data = [*given[_SENDS[name][0].at :], *(named[word] for word in known.BODY_KEYWORDS if word in named)]
        data = [each for each in data if is_given(each)]
        if data:
            telling = frozenset[Source]().union(*(each.origin & TELLING for each in data))
            peer = owner.text if isinstance(owner, Made) and owner.text else self._peer
            self.note(Effect.SENDS, peer, "url" if name.startswith("websocket") else "host", telling)
        return NOTHING

    def _receive(self, *_: object) -> Value:
        self._received = True
        return Value(_NETWORK)

    def _accept(self, _: str, owner: Value, __: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        return items((owner, NOTHING))

    def _same(self, _: str, owner: Value, __: Sequence[Value], ___: Mapping[str, Value]) -> Value:
        return owner

    def _listen(self, name: str, _: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        place = address(_LISTENERS[name][0], given, named)
        if place is not None and not place[0].endswith(":0"):
            self.note(Effect.LISTENS, place[0], "host")
            self._peer = place[0]
        return Made(NOWHERE, SOCKET)

    def _make(self, name: str, *_: object) -> Value:
        return Made(NOWHERE, name)


_WRITING_FLAGS: Final = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000
"""`O_WRONLY`, `O_RDWR`, `O_CREAT`, `O_TRUNC`, `O_APPEND`, as numbers."""
REQUEST: Final = "urllib.request.Request"
REQUEST_WITH_BODY: Final = "urllib.request.Request with a body"

_READERS: Final = frozenset({"pathlib.Path.read_text", "pathlib.Path.read_bytes"})
_HANDLERS: Final[tuple[tuple[Callable[..., Value], frozenset[str]], ...]] = (
    (Deeds._start, frozenset(_STARTS)),
    (Deeds._start_remote, known.REMOTE_STARTS),
    (Deeds._feed, frozenset({"subprocess.Popen.communicate", "subprocess.Popen.write"})),
    (Deeds._duplicate, frozenset({"os.dup2"})),
    (Deeds._escalate, known.ESCALATORS),
    (Deeds._kill, frozenset({"os.kill", "os.killpg"})),
    (Deeds._multiply, frozenset({"os.fork", "os.forkpty"})),
    (Deeds._load_library, known.LIBRARY_LOADERS),
    (Deeds._run_script, known.SCRIPT_RUNNERS),
    (Deeds._enter, frozenset({"os.chdir", "os.chroot"})),
    (Deeds._open, frozenset(known.OPENERS)),
    (Deeds._open_low, frozenset({"os.open"})),
    (Deeds._read, frozenset(f"{FILE}.{method}" for method in ("read", "readlines", "readline", "buffer"))),
    (Deeds._same, frozenset(f"{CONTENT}.{method}" for method in ("decode", "encode", "strip", "rstrip", "replace"))),
    (Deeds._write, frozenset({"file.write", "file.writelines"})),
    (Deeds._copy_over, frozenset({"shutil.copyfileobj"})),
    (Deeds._reach, frozenset(_REACHES)),
    (Deeds._request, frozenset({REQUEST})),
    (Deeds._look_up, frozenset(_LOOKUPS)),
    (Deeds._send, frozenset(_SENDS)),
    (Deeds._receive, frozenset(f"{SOCKET}.{method}" for method in ("recv", "recvfrom", "recv_into", "read"))),
    (Deeds._receive, frozenset(f"{SOCKET}.{method}" for method in ("readline", "read_until", "readlines"))),
    (Deeds._receive, frozenset({"?.recv", "?.recvfrom"})),
    (Deeds._accept, frozenset({f"{SOCKET}.accept"})),
    (Deeds._same, frozenset(f"{SOCKET}.{method}" for method in ("fileno", "makefile", "dup", "detach"))),
    (Deeds._listen, frozenset(_LISTENERS)),
    (Deeds._make, known.MAKERS),
)
_BY_NAME: Final = {name: handler for handler, names in _HANDLERS for name in names}
