"""Where the input and output of commands come from and go to: files, descriptors, here-documents, the network.

What a file holds that the script itself wrote is kept, so that whoever reads or runs it later is followed. A file that
may have been written in one of several ways holds all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.noting import Notes, located
from guardhouse.detect.shell.state import MOST_FILES, Call, State, either
from guardhouse.detect.shell.values import LONGEST, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.expanding import Expander
    from guardhouse.detect.shell.syntax import Redirect

_NETWORK_FILES: Final = ("/dev/tcp/", "/dev/udp/")
_NETWORK: Final = frozenset({Source.NETWORK})
_COPYING: Final = frozenset(["cp", "gcp", "mv", "gmv", "install", "ginstall"])
INPUT: Final = frozenset(["<", "<<", "<<-", "<<<", "<>", "<&"])
_OUTPUT: Final = frozenset([">", ">>", ">|", "&>", "&>>", ">&", "<>"])
_NOWHERE: Final = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"])
STDIN_NAMES: Final = frozenset(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])


class Input(msgspec.Struct, frozen=True):
    """What a command can read."""

    stream: Stream
    waits: bool
    """Nothing comes from it."""
    network: bool = False
    """It, or the output, is the network."""


class Output(msgspec.Struct, frozen=True):
    """One place that output goes to."""

    redirect: Redirect
    value: Value
    """The path, absolute; or a descriptor."""
    likely: bool = True
    """Whether it is where the script most likely stands."""


class Redirecting(Notes):
    """Follows redirects. How words are expanded is left to who follows commands."""

    def __init__(self) -> None:
        super().__init__()
        self._maybe = 0
        """How many conditions the command that is followed now depends on."""

    @abstractmethod
    def expander(self, state: State) -> Expander:
        """Turns words into values, at this point of a script."""

    def inputs(self, redirects: tuple[Redirect, ...], state: State) -> Input:
        """What standard input is after these redirects. Other descriptors are kept in the state."""
        given = Input(state.stdin, state.waits)
        self.spend(6 * len(redirects))
        for one in redirects:
            if one.operator in ("<<", "<<-", "<<<", "<", "<>"):
                given = self._input(one, state, given)
            else:
                for value in self.expander(state).text(one.target):
                    given = self._duplicated(one, value, state, given)
        return given

    def _input(self, one: Redirect, state: State, given: Input) -> Input:
        streams: list[Stream] = []
        network = given.network
        if one.operator in ("<", "<>"):
            for value in self.expander(state).text(one.target):
                if self._is_network(value, state):
                    network = True
                    streams.append(Stream(None, _NETWORK))
                else:
                    streams.append(self.read(state, value))
        else:
            streams = self._document(one, state)
        stream = either(streams)
        if one.descriptor not in ("", "0"):
            state.descriptors = {**state.descriptors, one.descriptor: stream}
            return replace(given, network=network)
        return Input(stream, waits=False, network=network)

    def _document(self, one: Redirect, state: State) -> list[Stream]:
        if one.literal:
            return [Stream(one.target.literal or "")]
        end = "\n" if one.operator == "<<<" else ""
        return [Stream(value.text + end, value.sources) for value in self.expander(state).text(one.target)]

    def _duplicated(self, one: Redirect, value: Value, state: State, given: Input) -> Input:
        if one.operator not in ("<&", ">&"):
            return replace(given, network=True) if self._is_network(value, state) else given
        target = value.text.rstrip("-")
        if one.operator == "<&" and target in state.descriptors:
            return replace(given, stream=state.descriptors[target], waits=False)
        if one.operator == "<&" and target not in state.network and target not in ("0", "1", "2", ""):
            # A descriptor that nobody knows.
            return replace(given, stream=Stream(None, frozenset({Source.DYNAMIC})), waits=False)
        if target in state.network:
            return (
                Input(Stream(None, _NETWORK), waits=False, network=True)
                if one.operator == "<&"
                else replace(given, network=True)
            )
        return replace(given, network=True) if self._is_network(value, state) else given

    def _is_network(self, value: Value, state: State) -> bool:
        text = value.text.lstrip(UNKNOWN)
        if not text.startswith(_NETWORK_FILES):
            return False
        host, _, port = text[9:].partition("/")
        self.act(None, state, Effect.CONNECTS, replace(value, text=f"{host}:{port}"), kind="host")
        return True

    def read(self, state: State, value: Value) -> Stream:
        """What a file holds."""
        path = state.path(value.text)
        if path == "/dev/null":
            return SILENT
        if path in STDIN_NAMES:
            return state.stdin
        if path.startswith("/dev/fd/") and path[8:] in state.descriptors:
            return state.descriptors[path[8:]]
        held = state.held(value.text)
        if held is not None:
            return held
        self.on_path(None, state, Effect.READS, value)
        return Stream(None, value.sources | {Source.FILE}, located(state, path)[0])

    def outputs(self, redirects: tuple[Redirect, ...], state: State) -> list[Output]:
        """Where output will go; worked out before the command runs, as a shell does."""
        found: list[Output] = []
        self.spend(8 * len(redirects))
        for one in redirects:
            if one.operator not in _OUTPUT:
                continue
            for value in self.expander(state).text(one.target):
                text = value.text
                if (one.operator == ">&" and (text.rstrip("-").isdigit() or text == "-")) or text.startswith("/"):
                    found.append(Output(one, value))
                else:
                    found += [
                        Output(one, replace(value, text=path), place == 0)
                        for place, path in enumerate(state.paths(text))
                    ]
        return found

    def put(self, outputs: list[Output], state: State, out: Stream, call: Call | None) -> Stream:
        """Let output go where it goes: into files, from which later commands may read it, or on."""
        rest = out
        for output in outputs:
            one, value, likely = output.redirect, output.value, output.likely
            operator, text = one.operator, value.text
            if operator == ">&" and (text.rstrip("-").isdigit() or text == "-"):
                if text in state.network:
                    self._send(call, state, out)
            elif text.lstrip(UNKNOWN).startswith(_NETWORK_FILES):
                self._send(call, state, out)
            elif text not in _NOWHERE:
                shown = one.descriptor in ("", "1") or operator.startswith("&")
                append = operator in (">>", "&>>") or not shown
                before, self._unsure = self._unsure, self._unsure or not likely
                self.write(call, state, value, out if shown else Stream(None), append=append)
                self._unsure = before
                if shown and operator != "<>":
                    rest = SILENT
        return rest

    def _send(self, call: Call | None, state: State, out: Stream) -> None:
        if out.text is None or out.sources:
            self.act(call, state, Effect.SENDS, "", kind="host", sources=out.sources)

    def write(self, call: Call | None, state: State, value: Value, content: Stream, *, append: bool = False) -> None:
        """Note that a file is written, and keep what it then holds."""
        effect = Effect.WRITES if append else Effect.OVERWRITES
        before = {path: state.files[path] for path in state.paths(value.text) if path in state.files}
        self.on_path(call, state, effect, value, sources=content.sources)
        if call is None or call.name not in _COPYING:
            content = replace(content, name="")
        state.files.update(before)
        for path in state.paths(value.text):
            self.keep(state, path, content, append=append)

    def keep(self, state: State, path: str, content: Stream, *, append: bool = False) -> None:
        """Remember what a file holds."""
        before = state.files.get(path)
        if before is not None and append:
            known = before.text is not None and content.text is not None
            text = f"{before.text}{content.text}" if known else None
            content = Stream(text if text is None or len(text) <= LONGEST else None, before.sources | content.sources)
        elif before is not None and (self._maybe or state.others):
            content = either([before, content])
        if before is not None or len(state.files) < MOST_FILES:
            state.files[path] = content

    def forget(self, state: State, path: str) -> None:
        """A file is gone, if it is certain."""
        if not self._maybe and not state.others:
            state.files.pop(path, None)

    def keep_descriptors(self, redirects: tuple[Redirect, ...], state: State) -> None:
        """`exec` with nothing but redirects: they stay in force."""
        given = self.inputs(redirects, state)
        if given.stream is not state.stdin:
            state.stdin, state.waits = given.stream, given.waits
        for one in redirects:
            value = self.expander(state).one(one.target)
            if value.text.startswith(_NETWORK_FILES) or value.text in state.network:
                number = one.descriptor or ("0" if one.operator in INPUT else "1")
                state.network = state.network | ({number} if one.operator[0] != "&" else {"1", "2"})
            elif one.operator in (">", ">>", ">|", "&>", "&>>") and one.descriptor in ("", "1"):
                state.stdout = state.path(value.text)
