"""Follows a script the way a shell would run it, without running it, and notes what each command would do.

Every branch is taken and every loop gone through; what differs between ways is kept side by side. What a program does
is in the tables under `programs/`; here is only what the shell itself does: words, variables, pipes, redirects,
functions. Work is counted: a script that costs too much is given up with a note, and what was seen until then stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Act, Source
from guardhouse.detect.shell.parser import Limits, parse
from guardhouse.detect.shell.programs import TALKERS, matters, run_program
from guardhouse.detect.shell.programs.builtins import CODE_VARIABLES
from guardhouse.detect.shell.programs.interpreters import language_of, read_foreign
from guardhouse.detect.shell.state import MOST_FILES, Call, State
from guardhouse.detect.shell.syntax import (
    Calculation,
    Case,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Process,
    Redirect,
    Simple,
    Statement,
    Test,
    Text,
)
from guardhouse.detect.shell.values import (
    DYNAMIC,
    LONGEST,
    NOTHING,
    SILENT,
    Expander,
    Stream,
    Value,
    Variables,
)
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.detect.shell.reading import Problem
    from guardhouse.detect.shell.syntax import Assignment, Command, Script
    from guardhouse.detect.shell.values import Sources

_MOST_WORK: Final = 14_000
"""What one reading may cost, in units of about a microsecond."""
_MOST_DEPTH: Final = 24
"""Scripts inside scripts, functions inside functions."""
_MOST_WRAPPERS: Final = 64
"""Programs that run programs."""
_MOST_NODES: Final = 8000
_MOST_ACTS: Final = 200
_MOST_BYTES: Final = 65_536

LONGEST_LINE: Final = 2000
_RUN_COST: Final = 24
_COMMAND_COST: Final = 4
_ACT_COST: Final = 6

_NETWORK_FILES: Final = ("/dev/tcp/", "/dev/udp/")
_NETWORK: Final = frozenset({Source.NETWORK})


class Spent(Exception):
    """The work that a reading may take is done; what was seen until then stays."""


class Machine:
    """One reading of one command line."""

    __slots__ = (
        "_acts",
        "_depth",
        "_nodes",
        "_place",
        "_work",
        "_wrapped",
        "_wrappers",
        "home",
        "lines",
        "noted",
        "temp",
    )

    def __init__(self, home: str, temp: str = "/tmp") -> None:  # noqa: S108 - what it usually is
        self.home = home
        self.temp = temp
        self._acts: dict[Act, None] = {}
        self._work = 0
        self._wrappers = 0
        self._nodes = _MOST_NODES
        self._depth = 0
        self._wrapped = ""
        """The program whose argument the code that is read now is."""
        self._place: tuple[int, int] | None = None
        """Where the code that is read now stands, if it is nested in an argument."""
        self.noted: set[str] = set()
        """What the commands of the current pipe turned out to be: `shell`, `network`."""
        self.lines: list[str] = []
        """The commands that would be run, in plain words; of programs that only say something, not what they say."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """What was seen, in the order in which it was seen."""
        return tuple(self._acts)

    def spend(self, units: int) -> None:
        """Count work; raises `Spent` when there was too much of it."""
        self._work += units
        if self._work > _MOST_WORK:
            raise Spent

    def read_whole(self, text: str, state: State) -> None:
        """Follow a text from its beginning; if it takes too much, with a note instead of the rest."""
        self.guarded(lambda: self.enter(text, state))

    def guarded(self, work: Callable[[], object]) -> None:
        """Do a piece of work within the budget."""
        try:
            work()
        except Spent:
            self._place = None
            self.give_up("it does too much")
        except RecursionError:  # nested in more ways at once than are counted
            self._place = None
            self.give_up("it is nested too deep")

    # What programs say of themselves.

    def act(self, call: Call | None, state: State, effect: Effect, value: Value | str = "", **more: object) -> None:
        """Note that a program would do something to what a value names."""
        self.spend(_ACT_COST)
        text, start, end = (value, 0, 0) if isinstance(value, str) else (value.text, value.start, value.end)
        if self._place is not None:
            start, end = self._place
        elif not end and call is not None:
            start, end = call.program.start, call.program.end
        if len(self._acts) < _MOST_ACTS:
            act = Act(
                effect=effect,
                target=text,
                scope=more.pop("scope", state.scope),  # type: ignore[arg-type]
                start=start,
                end=end,
                program=call.name if call is not None else "",
                **more,  # type: ignore[arg-type]
            )
            self._acts[act] = None
        else:
            raise Spent

    def give_up(self, why: str) -> None:
        """Note that something could not be followed."""
        start, end = self._place or (0, 0)
        self._acts[Act(effect=Effect.UNANALYSABLE, what=why, start=start, end=end, certainty=Confidence.MEDIUM)] = None

    def on_path(self, call: Call, state: State, effect: Effect, value: Value, **more: object) -> None:
        """Note that a program would do something to a file."""
        if value.text == "-" or not value.text:
            return
        absolute = value._replace(text=state.path(value.text))
        self.act(call, state, effect, absolute, kind="path", **more)

    # Code inside code.

    def enter(self, text: str, state: State, value: Value | None = None) -> Stream:
        """Follow code that is given as text, in the given state."""
        if self._depth >= _MOST_DEPTH:
            self.give_up("code is nested too deep")
            return Stream(None, DYNAMIC)
        if len(text) > _MOST_BYTES:
            self.give_up("it is too long")
        before = self._place
        if before is None and value is not None:
            self._place = (value.start, value.end)
        # Pieces that are not known are variables that nobody has set: the shell's parser ends at the mark itself.
        parsed = parse(
            text.replace(UNKNOWN, "${_GUARDHOUSE_UNKNOWN}") if self._depth else text,
            Limits(_MOST_BYTES, max(self._nodes, 1), 60),
        )
        self._nodes -= len(text) // 8 + 8
        self.spend(8 + len(text) // 16 if self._depth else 0)
        if parsed.problem is not None and (self._depth or self._wrapped or _hides_more(text, parsed.problem)):
            self.give_up(_PROBLEMS[parsed.problem.kind])
        self._depth += 1
        out = self.script(parsed.script, state)
        self._depth -= 1
        self._place = before
        return out

    def enter_wrapped(self, text: str, state: State, value: Value, by: str) -> Stream:
        """Follow code that another program would run; a shell it merely starts is then no ordinary one."""
        outer, self._wrapped = self._wrapped, by
        out = self.enter(text, state, value)
        self._wrapped = outer
        return out

    def execute(self, call: Call, state: State, code: Stream, *, what: str = "") -> Stream:
        """Follow code that comes out of a pipe or a file; if it is not known, note where it comes from."""
        if code.text is None:
            self.act(call, state, Effect.EXECUTES, call.program, sources=code.sources | DYNAMIC, what=what)
            return Stream(None, code.sources)
        hidden = code.sources if UNKNOWN in code.text else code.sources & _OUTSIDE
        if hidden:
            self.act(call, state, Effect.EXECUTES, call.program, sources=hidden, what=what)
        inner = state.copy()
        inner.stdin, inner.waits = SILENT, True
        return self.enter(code.text, inner, call.program)

    # The walk.

    def script(self, script: Script, state: State) -> Stream:
        """Follow a script; gives what it would print."""
        texts: list[str] | None = []
        sources: Sources = NOTHING
        for statement in script.statements:
            out = self._statement(statement, state)
            sources |= out.sources
            if texts is not None:
                if out.text is None:
                    texts = None
                else:
                    texts.append(out.text)
        return Stream(None if texts is None else "".join(texts)[:LONGEST], sources)

    def _statement(self, statement: Statement, state: State) -> Stream:
        if len(statement.pipelines) == 1:
            return self._pipeline(statement.pipelines[0], state)
        sources: Sources = NOTHING
        texts: list[str | None] = []
        for pipeline in statement.pipelines:
            # What stands after `&&` or `||` may run or not: variables keep both values.
            before = self._kept(pipeline, state) if texts else None
            out = self._pipeline(pipeline, state)
            if before is not None:
                state.variables.joined(before)
            texts.append(out.text)
            sources |= out.sources
        known = [text for text in texts if text is not None]
        return Stream("".join(known)[:LONGEST] if len(known) == len(texts) else None, sources)

    def _kept(self, pipeline: Pipeline, state: State) -> Variables | None:
        """The variables that a pipeline may change, as they are before it; None if it changes none."""
        names: list[str] = []
        for command in pipeline.commands:
            if type(command) is not Simple:
                self.spend(len(state.variables.values) // 2)
                return state.variables.copy()
            names += (one.name for one in command.assignments)
        held = state.variables.values
        kept = Variables()
        kept.values = {name: held[name] for name in names if name in held}
        return kept if kept.values else None

    def _pipeline(self, pipeline: Pipeline, state: State) -> Stream:
        commands = pipeline.commands
        if len(commands) == 1:
            return self._command(commands[0], state)
        outer = self.noted
        self.noted = set()
        stream, waits = state.stdin, state.waits
        for command in commands:
            inner = state.copy()
            inner.stdin, inner.waits = stream, waits
            stream, waits = self._command(command, inner), False
        if {"shell", "network"} <= self.noted:
            self.act(None, state, Effect.SPAWNS_SHELL, "", sources=_NETWORK)
        self.noted |= outer
        return stream

    def _command(self, command: Command, state: State) -> Stream:
        if type(command) is Simple:
            return self._simple(command, state)
        self.spend(_COMMAND_COST)
        if type(command) is Function:
            state.functions[command.name] = command.body
            if command.name == "command_not_found_handle":
                self._command(command.body, state.copy())
            return SILENT
        if type(command) is Coprocess:
            inner = state.copy()
            inner.stdin, inner.waits = Stream(None, DYNAMIC), False
            return self._command(command.body, inner)
        redirects: tuple[Redirect, ...] = getattr(command, "redirects", ())
        if not redirects:
            return self._compound(command, state)
        inside = state
        if any(one.operator in _INPUT for one in redirects):
            inside = state.copy()
            inside.variables = state.variables
        stream, waits, network = self._inputs(redirects, state)
        inside.stdin, inside.waits = stream, waits
        before = state.network
        if network:
            state.network = inside.network = state.network | {"0", "1"}
        out = self._compound(command, inside)
        state.network = before
        return self._outputs(redirects, state, out, None)

    def _compound(self, command: Command, state: State) -> Stream:
        if type(command) is Group:
            return self.script(command.body, state.copy() if command.subshell else state)
        if type(command) is If:
            return self._branches([(condition, body) for condition, body in command.branches], command.otherwise, state)
        if type(command) is Case:
            subject = self._expander(state).one(command.subject)
            del subject  # what is substituted in it has run; which branch is taken is not told
            for patterns, _body in command.branches:
                self._expander(state).words(patterns)
            return self._branches([(None, body) for _patterns, body in command.branches], None, state)
        if type(command) is Loop:
            return self._loop(command.condition, command.body, state)
        if type(command) is For:
            return self._for(command, state)
        if type(command) is Test:
            values = self._expander(state).words(command.words)
            if any("$(" in value.text or "`" in value.text for value in values) and any(
                value.text in _NUMERIC for value in values
            ):
                self.give_up("a comparison that runs code")
        elif type(command) is Calculation:
            for value in self._expander(state).text(command.inner):
                # A plain sh reads two parentheses as a shell in a shell.
                if any(map(matters, value.text.replace("(", " ").replace(")", " ").split())):
                    self.enter(value.text.strip("() "), state.copy(), value)
        return SILENT

    def _branches(self, branches: list[tuple[Script | None, Script]], otherwise: Script | None, state: State) -> Stream:
        """Every branch is taken, each from the same start; afterwards variables may be what any of them left."""
        start = state.variables
        ends = []
        outs = []
        for condition, body in branches:
            if condition is not None:
                self.script(condition, state)
                start = state.variables
            self.spend(4 + len(start.values))
            state.variables = start.copy()
            outs.append(self.script(body, state))
            ends.append(state.variables)
            state.variables = start
        if otherwise is not None:
            state.variables = start.copy()
            outs.append(self.script(otherwise, state))
            ends.append(state.variables)
        self.spend(sum(len(end.values) for end in ends) // 2)
        state.variables = start.copy()
        state.variables.joined(*ends)
        sources = NOTHING.union(*(out.sources for out in outs))
        only = outs[0].text if len({out.text for out in outs}) == 1 else None
        return Stream(only if only == "" else None, sources)

    def _loop(self, condition: Script | None, body: Script, state: State) -> Stream:
        """Gone through twice, so that what one round leaves is seen by the next."""
        before = state.variables.copy()
        out = SILENT
        for _ in range(2):
            self.spend(12 + len(before.values))
            seen = dict(state.variables.values)
            if condition is not None:
                self.script(condition, state)
            out = self.script(body, state)
            if state.variables.values == seen or self._depth > 2:
                break
            # After more rounds a value may be anything that grows out of this one.
            for name, values in state.variables.values.items():
                old = seen.get(name)
                if old is not None and old != values and _ != 0:
                    state.variables.values[name] = (*values[:8], Value(UNKNOWN, DYNAMIC))
            self._depth += 1
            state.variables.joined(before)
            self._depth -= 1
        state.variables.joined(before)
        return Stream(None if out.text else out.text, out.sources)

    def _for(self, command: For, state: State) -> Stream:
        expander = self._expander(state)
        if command.header is not None:
            expander.text(command.header)
            return self._loop(None, command.body, state)
        values = list(state.variables.positional) if command.words is None else expander.words(command.words)
        if not values:
            return SILENT
        state.variables.set(command.name, values)
        held = state.variables.values[command.name]
        out = self._loop(None, command.body, state)
        state.variables.values[command.name] = held
        return out

    # Simple commands.

    def _expander(self, state: State) -> Expander:
        def output(script: Script) -> Stream:
            return self._substituted(script, state)

        def process(part: Process) -> Value:
            return self._process(part, state)

        def run(text: str) -> None:
            # As in double quotes: what is substituted in it runs.
            self.enter('"' + text.replace('"', '\\"') + '"', state.copy())

        return Expander(state.variables, self.home, state.cwd, output, process, run, self.spend)

    def _substituted(self, script: Script, state: State) -> Stream:
        if self._depth >= _MOST_DEPTH:
            self.give_up("code is nested too deep")
            return Stream(None, DYNAMIC)
        self._depth += 1
        noted, self.noted = self.noted, set()
        out = self._reading_file(script, state) or self.script(script, state.copy())
        self.noted = noted
        self._depth -= 1
        return out

    def _reading_file(self, script: Script, state: State) -> Stream | None:
        """`$(<file)` gives the file's content."""
        if len(script.statements) != 1:
            return None
        command = script.statements[0].pipelines[0].commands[0]
        if type(command) is not Simple or command.words or command.assignments or len(command.redirects) != 1:
            return None
        return self._inputs(command.redirects, state)[0]

    def _process(self, part: Process, state: State) -> Value:
        """A file name that leads to a script's output; what reads it is told by name."""
        if part.reads:
            out = self._substituted(part.script, state)
            name = f"/dev/fd/{63 + len(state.files)}"
            state.files[name] = out
            return Value(name, out.sources)
        inner = state.copy()
        inner.stdin, inner.waits = Stream(None, DYNAMIC), False
        self._depth += 1
        self.script(part.script, inner)
        self._depth -= 1
        return Value("/dev/fd/62")

    def _simple(self, command: Simple, state: State) -> Stream:
        self.spend(_COMMAND_COST + len(command.words))
        expander = self._expander(state)
        environment = {one.name: value for one in command.assignments for value in self._assigned(one, expander)}
        redirects = command.redirects
        words = command.words
        ways: list[list[Value]] = []
        if words and len(words[0].parts) == 1 and type(words[0].parts[0]) is Text:
            args = expander.words(words)
        elif words:
            ways = expander.ways(words[0])
            rest = expander.words(words[1:])
            args = [*ways[0], *rest] if ways else rest
        else:
            args = []
        if not args:
            for one in command.assignments:
                self._assign(one, state, expander)
            if not redirects:
                return SILENT
            stream, _waits, _network = self._inputs(redirects, state)
            self._outputs(
                redirects, state, Stream("") if not any(r.operator == "<" for r in redirects) else stream, None
            )
            return SILENT
        program = args[0]
        if redirects:
            stream, waits, network = self._inputs(redirects, state)
        else:
            stream, waits, network = state.stdin, state.waits, False
        call = Call(
            program.text.rpartition("/")[2],
            program,
            args[1:],
            stream,
            waits,
            environment,
            network or bool(state.network & {"0", "1"}),
            self._wrapped,
        )
        out = self.run(call, state)
        for way in ways[1:9]:
            self.run(call._replace(name=way[0].text.rpartition("/")[2], program=way[0], args=[*way[1:], *rest]), state)
        if len(args) > 1:
            state.variables.values["_"] = (args[-1],)
        if program.text == "exec" and len(args) == 1:
            self._keep_descriptors(redirects, state)
        return self._outputs(redirects, state, out, call) if redirects else out

    def run(self, call: Call, state: State) -> Stream:
        """Follow one program: an alias, a function, or what the tables know."""
        self.spend(_RUN_COST + 2 * len(call.args))
        if self._wrappers >= _MOST_WRAPPERS:
            raise Spent
        self._wrappers += 1
        out = self._run(call, state)
        self._wrappers -= 1
        return out

    def _run(self, call: Call, state: State) -> Stream:
        self.lines.append(
            " ".join([call.program.text, *(call.texts if call.name not in TALKERS else ())])[:LONGEST_LINE]
        )
        name = call.program.text
        alias = state.aliases.pop(name, None)
        if alias is not None:
            # Not every shell expands aliases, so the program itself is followed as well.
            self.enter(f"{alias} {' '.join(map(_quoted, call.texts))}", state, call.program)
            state.aliases[name] = alias
        body = state.functions.get(name)
        if body is not None:
            if self._depth < _MOST_DEPTH:
                self._function(body, call, state)
            else:
                self.give_up("a function calls itself without end")
        for path in self._found_first(call, state):
            run_program(self, state, call._replace(program=call.program._replace(text=path), name=""))
        return run_program(self, state, call)

    def _found_first(self, call: Call, state: State) -> list[str]:
        """Files that this command wrote where a changed `PATH` finds them before the program of that name; and what
        a link made by this command leads to."""
        name = call.program.text
        if "/" in name:
            target = state.links.get(state.path(name))
            return [target] if target is not None else []
        if not state.files and not state.links:
            return []
        given = call.environment.get("PATH") or state.variables.values.get("PATH", (None,))[0]
        if given is None:
            return []
        places = [state.path(f"{place or '.'}/{name}") for place in given.text.split(":")[:16]]
        return [place for place in places if place in state.files or place in state.links]

    def _function(self, body: Command, call: Call, state: State) -> None:
        outer, state.variables.positional = state.variables.positional, tuple(call.args)
        stdin, waits = state.stdin, state.waits
        state.stdin, state.waits = call.stdin, call.waits
        self._depth += 4
        self._command(body, state)
        self._depth -= 4
        state.variables.positional = outer
        state.stdin, state.waits = stdin, waits

    def _assigned(self, one: Assignment, expander: Expander) -> list[Value]:
        if one.value is None:
            return []
        return expander.text(one.value)[:1]

    def _assign(self, one: Assignment, state: State, expander: Expander) -> None:
        variables = state.variables
        if one.value is None:
            items = tuple(expander.words(one.array))
            self.spend(len(items))
            held = variables.arrays.get(one.name, ()) if one.append else ()
            variables.values.pop(one.name, None)
            variables.arrays[one.name] = (*held, *items)[:256]
            return
        values = expander.text(one.value)
        if one.name in CODE_VARIABLES:
            for value in values:
                self.enter(value.text, state.copy(), value)
        if one.index is not None:
            expander.text(one.index)
            held = variables.arrays.get(one.name, ())
            variables.values.pop(one.name, None)
            variables.arrays[one.name] = (*held, *values)[:256]
            return
        if one.append:
            before = variables.values.get(one.name, (Value(""),))
            values = [Value(old.text + new.text, old.sources | new.sources) for old in before[:8] for new in values[:8]]
        variables.set(one.name, values)

    # Redirects.

    def _inputs(self, redirects: tuple[Redirect, ...], state: State) -> tuple[Stream, bool, bool]:
        """What standard input is, whether anything can come from it, and whether it or the output is the network."""
        stream, waits, network = state.stdin, state.waits, False
        self.spend(6 * len(redirects))
        for one in redirects:
            operator = one.operator
            if operator in ("<<", "<<-"):
                stream, waits = self._document(one, state), False
            elif operator == "<<<":
                value = self._expander(state).one(one.target)
                stream = Stream(value.text + "\n" if value.known else None, value.sources)
                waits = False
            elif operator in ("<", "<>"):
                for value in self._expander(state).text(one.target):
                    if self._is_network(value.text, state, value):
                        network = True
                        stream, waits = Stream(None, _NETWORK), False
                    elif one.descriptor in ("", "0"):
                        stream, waits = self.read(state, value), False
            elif operator in ("<&", ">&"):
                target = self._expander(state).one(one.target).text.rstrip("-")
                if operator == "<&" and target in state.descriptors:
                    stream, waits = state.descriptors[target], False
                elif target in state.network:
                    network = True
                    if operator == "<&":
                        stream, waits = Stream(None, _NETWORK), False
                elif self._is_network(target, state, None):
                    network = True
            elif self._is_network(self._expander(state).one(one.target).text, state, None):
                network = True
        return stream, waits, network

    def _document(self, one: Redirect, state: State) -> Stream:
        if one.literal:
            return Stream(one.target.literal or "")
        value = self._expander(state).one(one.target)
        return Stream(value.text, value.sources)

    def _is_network(self, text: str, state: State, value: Value | None) -> bool:
        if not text.startswith(_NETWORK_FILES):
            return False
        host, _, port = text[9:].partition("/")
        self.act(
            None,
            state,
            Effect.CONNECTS,
            value._replace(text=f"{host}:{port}") if value else f"{host}:{port}",
            kind="host",
        )
        return True

    def read(self, state: State, value: Value) -> Stream:
        """What a file holds."""
        path = state.path(value.text)
        if path == "/dev/null":
            return SILENT
        if path in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"):
            return state.stdin
        held = state.files.get(path)
        if held is not None:
            return held
        absolute = value._replace(text=path)
        self.act(None, state, Effect.READS, absolute, kind="path")
        return Stream(None, value.sources | {Source.FILE}, path)

    def _outputs(self, redirects: tuple[Redirect, ...], state: State, out: Stream, call: Call | None) -> Stream:
        """Where output goes: into files, from which later commands may read it, or on."""
        for one in redirects:
            operator = one.operator
            if operator not in _OUTPUT:
                continue
            values = self._expander(state).text(one.target)
            for value in values:
                if operator == ">&" and (value.text.rstrip("-").isdigit() or value.text == "-"):
                    if value.text in state.network:
                        self._send(call, state, out)
                    continue
                if value.text.startswith(_NETWORK_FILES):
                    self._send(call, state, out)
                    continue
                if value.text in ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"):
                    continue
                if one.descriptor in ("", "1") or operator.startswith("&"):
                    self.write(call, state, value, out, append=operator in (">>", "&>>"))
                    if operator != "<>":
                        out = SILENT
                else:
                    self.write(call, state, value, Stream(None), append=True)
        return out

    def _send(self, call: Call | None, state: State, out: Stream) -> None:
        if out.text is None or out.sources:
            self.act(call, state, Effect.SENDS, "", kind="host", sources=out.sources)

    def write(self, call: Call | None, state: State, value: Value, content: Stream, *, append: bool = False) -> None:
        """Note that a file is written, and keep what it then holds."""
        path = state.path(value.text)
        effect = Effect.WRITES if append else Effect.OVERWRITES
        self.act(call, state, effect, value._replace(text=path), kind="path", sources=content.sources)
        before = state.files.get(path)
        if append and before is not None:
            known = before.text is not None and content.text is not None
            text = f"{before.text}{content.text}"[:LONGEST] if known else None
            content = Stream(text, before.sources | content.sources)
        elif append:
            content = Stream(None, content.sources) if content.text is None else content
        if len(state.files) < MOST_FILES:
            state.files[path] = content if call is not None and call.name in _COPYING else content._replace(name="")

    def _keep_descriptors(self, redirects: tuple[Redirect, ...], state: State) -> None:
        for one in redirects:
            if one.operator in ("<", "<<", "<<-", "<<<") and one.descriptor not in ("", "0"):
                state.descriptors = {**state.descriptors, one.descriptor: self._inputs((one_at_zero(one),), state)[0]}
            text = self._expander(state).one(one.target).text
            if text.startswith(_NETWORK_FILES) or text in state.network:
                given = one.descriptor or ("0" if one.operator in _INPUT else "1")
                state.network = state.network | ({given} if one.operator[0] != "&" else {"1", "2"})


_OUTSIDE: Final = frozenset({Source.NETWORK, Source.DECODED})
_OBSCURE: Final = frozenset("$`\\'\"*?[{=~")
_BREAKS: Final = str.maketrans(dict.fromkeys("<>;|&()", " "))
_INPUT: Final = frozenset(["<", "<<", "<<-", "<<<", "<>", "<&"])
_OUTPUT: Final = frozenset([">", ">>", ">|", "&>", "&>>", ">&", "<>"])
_PROBLEMS: Final = {
    "syntax": "it can't be read as a shell would read it",
    "bytes": "it is too long",
    "nodes": "it is too long",
    "nesting": "it is nested too deep",
}


def _hides_more(text: str, problem: Problem) -> bool:
    """Whether there may be more behind a place that no shell can read past.

    A quote that nobody closes takes everything up to the end into the word that was read, and a shell refuses the
    command. After another mistake, plain words in which no program is named that matters are no risk: a shell refuses
    those, too. Anything else might be meant for a shell of another kind.
    """
    if problem.kind != "syntax":
        return True
    if problem.what.endswith("quote is not closed"):
        return False
    rest = text[problem.position :]
    return not _OBSCURE.isdisjoint(rest) or any(map(matters, rest.translate(_BREAKS).split()))


def one_at_zero(redirect: Redirect) -> Redirect:
    """The same redirect of standard input."""
    return Redirect(redirect.operator, redirect.target, "", redirect.literal)


_COPYING: Final = frozenset(["cp", "gcp", "mv", "gmv", "install", "ginstall"])
_NUMERIC: Final = frozenset("-eq -ne -lt -le -gt -ge".split())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def follow(
    command: str,
    *,
    home: str,
    cwd: str,
    temp: str = "/tmp",  # noqa: S108 - what it usually is
    environment: Mapping[str, str] | None = None,
) -> Machine:
    """Read a command line as a shell in `cwd` would; what it would do is in the machine's `acts`. What is set in the
    environment for it alone may be code, too."""
    machine = Machine(home, temp)
    state = State(cwd)
    if temp != "/tmp":  # noqa: S108 - as above
        state.variables.set("TMPDIR", [Value(temp)])
    if environment:
        given = {name: Value(value) for name, value in environment.items()}
        for name, value in given.items():
            state.variables.set(name, [value])
        call = Call("true", Value("true"), [], SILENT, True, given)  # noqa: FBT003
        machine.guarded(lambda: run_program(machine, state, call))
        if not _FINDERS.isdisjoint(given):
            machine.give_up("other programs may be found than usual")
    first = command[: command.find("\n")] if command.startswith("#!") else ""
    language = language_of(first) if first else "shell"
    if language != "shell":
        machine.guarded(lambda: _read_whole(machine, state, language, command))
    machine.read_whole(command, state)
    return machine


_FINDERS: Final = frozenset("PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT BASH_ENV ENV PROMPT_COMMAND SHELL IFS".split())


def follow_code(language: str, code: str, *, home: str, cwd: str) -> Machine:
    """Read code of another language; commands that it would run are followed."""
    machine = Machine(home)
    state = State(cwd)
    machine.guarded(lambda: _read_code(machine, state, language, code))
    return machine


def _read_code(machine: Machine, state: State, language: str, code: str) -> None:
    if language == "python":
        code = _without_magic(machine, state, code)
    _read_whole(machine, state, language, code)


def _read_whole(machine: Machine, state: State, language: str, code: str) -> None:
    value = Value(code, NOTHING, False, 0, len(code))  # noqa: FBT003
    read_foreign(machine, state, Call(language, value, [], SILENT, True, {}), language, value)  # noqa: FBT003


def _without_magic(machine: Machine, state: State, code: str) -> str:
    """Notebook code without the lines that are commands; those are followed."""
    if code.lstrip().startswith(("%%bash", "%%sh", "%%script", "%%system")):
        machine.enter(code.lstrip().partition("\n")[2], state)
        return ""
    kept = []
    for line in code.split("\n"):
        bare = line.lstrip()
        is_magic = bare[:1] in ("!", "%") and bare[1:2] not in ("=", " ")
        if is_magic and (bare[0] == "!" or bare.startswith(("%sx", "%system"))):
            machine.enter(bare.lstrip("!").removeprefix("%sx").removeprefix("%system"), state)
        kept.append(line[: len(line) - len(bare)] + "pass" if is_magic else line)
    return "\n".join(kept)
