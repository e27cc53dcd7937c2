"""Follows a script the way a shell would run it, without running it, and notes what each command would do.

Every branch is taken and every loop gone through; what differs between ways is kept side by side. What a program does
is in the tables under `programs/`; here is only what the shell itself does: words, variables, pipes, redirects,
functions. Work is counted: a script that costs too much is given up with a note, and what was seen until then stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.expanding import Expander
from guardhouse.detect.shell.mistakes import PROBLEMS, hides_more
from guardhouse.detect.shell.noting import Spent
from guardhouse.detect.shell.parser import Limits, parse
from guardhouse.detect.shell.programs import TALKERS, matters, run_program
from guardhouse.detect.shell.programs.builtins import CODE_VARIABLES
from guardhouse.detect.shell.programs.interpreters import run_script
from guardhouse.detect.shell.redirecting import Input, Redirecting
from guardhouse.detect.shell.state import Call, State, either
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
    Script,
    Simple,
    Statement,
    Test,
)
from guardhouse.detect.shell.values import (
    DYNAMIC,
    LONGEST,
    MOST_VALUES,
    NOTHING,
    SILENT,
    Stream,
    Value,
)
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.detect.shell.syntax import Assignment, Command, Process, Redirect, Word

_MOST_DEPTH: Final = 24
"""Scripts inside scripts, functions inside functions."""
_MOST_WRAPPERS: Final = 64
"""Programs that run programs."""
_MOST_NODES: Final = 6000
_MOST_BYTES: Final = 65_536
_MOST_READING: Final = 4500
_MOST_ROUNDS: Final = 3
"""How often a loop is gone through."""
_MOST_TRAPS: Final = 8

LONGEST_LINE: Final = 2000
_RUN_COST: Final = 24
_COMMAND_COST: Final = 8

_NETWORK: Final = frozenset({Source.NETWORK})


class Machine(Redirecting):
    """One reading of one command line."""

    def __init__(self, home: str, temp: str = "/tmp") -> None:  # noqa: S108 - what it usually is
        super().__init__()
        self.home = home
        self.temp = temp
        self._wrappers = 0
        self._nodes = _MOST_NODES
        self._depth = 0
        self._loops = 0
        self._wrapped = ""
        """The program whose argument the code that is read now is."""
        self.noted: set[str] = set()
        """What the commands of the current pipe turned out to be: `shell`, `network`."""
        self.lines: list[str] = []
        """The commands that would be run, in plain words; of programs that only say something, not what they say."""
        self.traps: list[tuple[Value, tuple[str, ...]]] = []
        """Code that runs at the end, and the directories in which it was left."""

    # Code inside code.

    def read_whole(self, text: str, state: State) -> None:
        """Follow a text from its beginning; if it takes too much, with a note instead of the rest."""
        self.guarded(lambda: self._whole(text, state))

    def _whole(self, text: str, state: State) -> None:
        self.enter(text, state)
        self._depth += 1
        for code, places in self.traps[:_MOST_TRAPS]:
            inner = state.copy()
            inner.may_be_in(places)
            self.enter(code.text, inner, code)
        self._depth -= 1
        if len(self.traps) > _MOST_TRAPS:
            self.give_up("it leaves too much for later")

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
        # Reading a long text has cost something already; it must not take everything.
        self.spend(8 + len(text) // 16 if self._depth else min(len(text) // 4, _MOST_READING))
        if value is not None and value.sources & _OUTSIDE:
            self.act(None, state, Effect.EXECUTES, value, sources=value.sources)
        if UNKNOWN in text and self._depth:
            sources = value.sources | DYNAMIC if value is not None and value.sources else NOTHING
            state.variables.values["_GUARDHOUSE_UNKNOWN"] = (Value(UNKNOWN, sources),)
        if parsed.problem is not None and (self._depth or self._wrapped or hides_more(text, parsed.problem)):
            self.give_up(PROBLEMS[parsed.problem.kind])
        self._depth += 1
        out = self.script(parsed.script, state)
        if UNKNOWN in text and self._depth > 1 and not self._unsure:
            # What is not known may be nothing.
            self._unsure = True
            self.script(
                parse(text.replace(UNKNOWN, ""), Limits(_MOST_BYTES, max(self._nodes, 1), 60)).script, state.copy()
            )
            self._unsure = False
        self._depth -= 1
        self._place = before
        return out

    def enter_wrapped(self, text: str, state: State, value: Value, by: str) -> Stream:
        """Follow code that another program would run; a shell it merely starts is then no ordinary one."""
        outer, self._wrapped = self._wrapped, by
        out = self.enter(text, state, value)
        self._wrapped = outer
        return out

    # The walk.

    def script(self, script: Script, state: State) -> Stream:
        """Follow a script; gives what it would print."""
        outs = [self._statement(statement, state) for statement in script.statements]
        return _together(outs)

    def _statement(self, statement: Statement, state: State) -> Stream:
        if statement.background:
            # A shell of its own: what it sets is not seen here.
            return self._parts(statement, state.copy())
        return self._parts(statement, state)

    def _parts(self, statement: Statement, state: State) -> Stream:
        """Pipelines joined by `&&` and `||`: those after the first may run or not."""
        outs = []
        visited = dict.fromkeys(state.places)
        operators = (*statement.operators, "")
        for index, pipeline in enumerate(statement.pipelines):
            places = state.places
            if index == 0:
                outs.append(self._pipeline(pipeline, state))
            else:
                outs.append(self._perhaps(pipeline, state))
            # Whether a command succeeded is known only after `&&`, and where every failure ends the script.
            known = operators[index] == "&&" or state.stops or state.cwd in (self.home, self.temp, "/")
            visited.update(dict.fromkeys(state.places))
            if state.places != places and not known:
                state.may_be_in(places)
        if len(outs) > 1 and len(visited) > len(state.places):
            state.may_be_in(visited)
        return _together(outs)

    def _perhaps(self, pipeline: Pipeline, state: State) -> Stream:
        before = state.variables.copy()
        self.spend(sum(map(len, before.values.values())) // 4)
        self._maybe += 1
        out = self._pipeline(pipeline, state)
        self._maybe -= 1
        state.variables.joined(before)
        return out

    def _pipeline(self, pipeline: Pipeline, state: State) -> Stream:
        commands = pipeline.commands
        if len(commands) == 1:
            return self._command(commands[0], state)
        outer = self.noted
        self.noted = set()
        stream, waits = state.stdin, state.waits
        inner = state
        for command in commands:
            inner = state.copy()
            inner.stdin, inner.waits = stream, waits
            stream, waits = self._command(command, inner), False
        # Some shells run the last command of a pipe themselves.
        state.variables.joined(inner.variables)
        if {"shell", "network"} <= self.noted:
            self.act(None, state, Effect.SPAWNS_SHELL, "", sources=_NETWORK)
        self.noted |= outer
        return stream

    def _command(self, command: Command, state: State) -> Stream:
        if type(command) is Simple:
            return self._simple(command, state)
        self.spend(_COMMAND_COST)
        if type(command) is Function:
            state.define(command.name, _with_redirects(command))
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
        outputs = self.outputs(redirects, state)
        given = self.inputs(redirects, state)
        stdin, waits, network = state.stdin, state.waits, state.network
        state.stdin, state.waits = given.stream, given.waits
        if given.network:
            state.network = state.network | {"0", "1"}
        out = self._compound(command, state)
        state.stdin, state.waits, state.network = stdin, waits, network
        return self.put(outputs, state, out, None)

    def _compound(self, command: Command, state: State) -> Stream:
        if type(command) is Group:
            return self.script(command.body, state.copy() if command.subshell else state)
        if type(command) is If:
            return self._branches(command.branches, command.otherwise, state)
        if type(command) is Case:
            # What is substituted in its words runs; which branch is taken is not told.
            self.expander(state).one(command.subject)
            for patterns, _body in command.branches:
                self.expander(state).words(patterns)
            return self._branches([(None, body) for _patterns, body in command.branches], None, state)
        if type(command) is Loop:
            return self._loop(command.condition, command.body, state)
        if type(command) is For:
            return self._for(command, state)
        if type(command) is Test:
            self._test(self.expander(state).every(command.words), state)
        elif type(command) is Calculation:
            self._calculate(command, state)
        return SILENT

    def _test(self, values: list[Value], state: State) -> None:
        """Comparing numbers is arithmetic, and arithmetic runs what is substituted in an index."""
        if any(value.text in _NUMERIC for value in values):
            for value in values:
                self.look_into(value.text, state)

    def _calculate(self, command: Calculation, state: State) -> None:
        for value in self.expander(state).text(command.inner):
            self.look_into(value.text, state)
            state.variables.calculated(value.text)
            # A plain sh reads two parentheses as a shell in a shell.
            if any(map(matters, value.text.replace("(", " ").replace(")", " ").split())):
                self.enter(value.text.strip("() "), state.copy(), value)

    @property
    def is_hidden(self) -> bool:
        """Whether the code that is followed now stands in an argument of another program."""
        return bool(self._wrapped)

    def is_known(self, word: str) -> bool:
        """Whether a word names a program that the tables know to do something."""
        return matters(word)

    def look_into(self, text: str, state: State) -> None:
        """Arithmetic is worked out of a text: what is substituted in an index of it runs, also in that of a variable
        that it names."""
        self.expander(state).look_into(text)

    def _branches(
        self, branches: Sequence[tuple[Script | None, Script]], otherwise: Script | None, state: State
    ) -> Stream:
        """Every branch is taken, each from the same start; afterwards things may be as any of them left them."""
        start, places = state.variables, state.places
        ends, outs, ways = [], [], [places]
        bodies = [*branches, (None, otherwise)] if otherwise is not None else branches
        for condition, body in bodies:
            if condition is not None:
                self.script(condition, state)
                start, places = state.variables, state.places
            self.spend(4 + len(start.values))
            state.variables = start.copy()
            self._maybe += 1
            outs.append(self.script(body, state))
            self._maybe -= 1
            ends.append(state.variables)
            ways.append(state.places)
            state.variables = start
            state.cwd, state.others = places[0], places[1:]
        self.spend(sum(len(end.values) for end in ends) // 2)
        state.variables = start.copy()
        state.variables.joined(*ends)
        for way in ways:
            state.may_be_in(way)
        sources = NOTHING.union(*(out.sources for out in outs))
        silent = all(out.text == "" for out in outs)
        return Stream("" if silent else None, sources)

    def _loop(self, condition: Script | None, body: Script, state: State) -> Stream:
        """Gone through until nothing changes any more; what still changes then may be anything."""
        out = SILENT
        self._loops += 1
        self._maybe += 1
        rounds = _MOST_ROUNDS if self._loops < 3 else 2
        for round_ in range(rounds):
            before, places = state.variables.copy(), state.places
            files, functions = dict(state.files), dict(state.functions)
            self.spend(40 + 2 * len(before.values))
            if condition is not None:
                self.script(condition, state)
            out = self.script(body, state)
            state.variables.joined(before)
            state.may_be_in(places)
            changed = {
                name
                for name, values in state.variables.values.items()
                if set(values) != set(before.values.get(name, ()))
            }
            if not changed - {"_"} and files == state.files and functions == state.functions:
                break
            if round_ == rounds - 2:
                for name in changed:
                    state.variables.set(name, (*state.variables.values[name][:8], Value(UNKNOWN, DYNAMIC)))
        self._maybe -= 1
        self._loops -= 1
        return Stream(None if out.text else out.text, out.sources)

    def _for(self, command: For, state: State) -> Stream:
        expander = self.expander(state)
        if command.header is not None:
            for value in expander.text(command.header):
                expander.look_into(value.text)
            return self._loop(None, command.body, state)
        values = list(state.variables.positional) if command.words is None else expander.every(command.words)
        if not values:
            return SILENT
        state.variables.set(command.name, values)
        held = state.variables.values[command.name]
        out = self._loop(None, command.body, state)
        state.variables.values[command.name] = held
        return out

    # Simple commands.

    def expander(self, state: State) -> Expander:
        """Turns words into values, at this point of a script."""

        def output(script: Script) -> Stream:
            return self._substituted(script, state)

        def process(part: Process) -> Value:
            return self._process(part, state)

        def run(text: str) -> None:
            # As in double quotes: what is substituted in it runs.
            self.enter('"' + text.replace('"', '\\"') + '"', state.copy())

        return Expander(state.variables, self.home, state.cwd, state.left, output, process, run, self.spend)

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
        return self.inputs(command.redirects, state).stream

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
        """A command is followed once for each combination of values that its variables may have."""
        self.spend(_COMMAND_COST + len(command.words) + 3 * len(command.assignments))
        if not command.words:
            return self._assignments(command, state)
        choices = self.expander(state).choices(_words_of(command))
        if choices is None:
            self.give_up("it may go too many ways")
            choices = []
        if len(choices) < 2:
            return self._followed(command, state)
        start, places = state.variables, state.places
        outs, ends = [], []
        for choice in choices:
            self.spend(4 + len(start.values) // 2)
            state.variables = start.copy()
            state.variables.choice = {**start.choice, **choice}
            state.cwd, state.others = places[0], places[1:]
            outs.append(self._followed(command, state))
            state.variables.choice = start.choice
            ends.append((state.variables, state.places))
        state.variables = ends[0][0]
        state.variables.joined(*(variables for variables, _places in ends[1:]))
        for _variables, way in ends:
            state.may_be_in(way)
        return either(outs)

    def _assignments(self, command: Simple, state: State) -> Stream:
        expander = self.expander(state)
        for one in command.assignments:
            self._assign(one, state, expander)
        if command.redirects:
            outputs = self.outputs(command.redirects, state)
            given = self.inputs(command.redirects, state)
            self.put(outputs, state, given.stream if given.stream is not state.stdin else SILENT, None)
        return SILENT

    def _followed(self, command: Simple, state: State) -> Stream:
        expander = self.expander(state)
        environment: dict[str, Value] = {}
        for one in command.assignments:
            if one.value is not None:
                environment[one.name] = expander.one(one.value)
        args = expander.words(command.words)
        redirects = command.redirects
        if not args:
            return self._assignments(command, state)
        outputs = self.outputs(redirects, state) if redirects else []
        given = self.inputs(redirects, state) if redirects else Input(state.stdin, state.waits)
        network = given.network or bool(state.network & {"0", "1"})
        call = Call("", args[0], args[1:], given.stream, given.waits, environment, network, self._wrapped)
        out = self._run_with(call, state)
        state.variables.values["_"] = (args[-1],)
        if args[0].text == "exec" and len(args) == 1:
            self.keep_descriptors(redirects, state)
        if outputs:
            return self.put(outputs, state, out, call)
        if state.stdout and out.text:
            self.keep(state, state.stdout, out, append=True)
        return out

    def _run_with(self, call: Call, state: State) -> Stream:
        """Run a program with what is set for it alone; and, if there are pieces in its words that only the environment
        knows, also as if those were nothing."""
        held = {name: state.variables.values.get(name) for name in call.environment}
        for name, value in call.environment.items():
            state.variables.set(name, [value])
        out = self.run(_named(call), state)
        words = [call.program, *call.args]
        if not self._unsure and any(UNKNOWN in word.text and not word.sources for word in words):
            self._unsure = True
            bare = [word if word.sources else replace(word, text=word.text.replace(UNKNOWN, "")) for word in words]
            bare = [word for word in bare if word.text]
            other = state.copy()
            if bare:
                self.run(_named(replace(call, program=bare[0], args=bare[1:])), other)
            self._unsure = False
            if other.places != state.places:
                state.may_be_in(other.places)
        for name, values in held.items():
            if values is None:
                state.variables.values.pop(name, None)
            else:
                state.variables.values[name] = values
        return out

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
        self.lines.append(_line(call))
        name = call.program.text
        alias = state.aliases.pop(name, None)
        if alias is not None:
            # Not every shell expands aliases, so the program itself is followed as well.
            self.enter(f"{alias} {' '.join(map(_quoted, call.texts))}", state, call.program)
            state.aliases[name] = alias
        outs = [self._function(body, call, state) for body in state.functions.get(name, ())]
        for path in self._found_first(call, state):
            found = replace(call, program=replace(call.program, text=path), name=path.rpartition("/")[2])
            script = run_script(self, state, found)
            outs.append(script if script is not None else run_program(self, state, found))
        out = run_program(self, state, call)
        return either([*outs, out]) if outs else out

    def _found_first(self, call: Call, state: State) -> list[str]:
        """Files that this command wrote where the program of that name is found: by its path, or by a changed `PATH`;
        and what a link made by this command leads to."""
        if not state.files and not state.links:
            return []
        name = call.program.text
        if "/" in name:
            places = list(state.paths(name, follow=False))
        else:
            given = call.environment.get("PATH") or state.variables.values.get("PATH", (None,))[0]
            if given is None:
                return []
            candidates = [f"{place or '.'}/{name}" for place in given.text[:4096].split(":")[:64]]
            self.spend(2 * len(candidates))
            places = [path for one in candidates for path in state.paths(one, follow=False)]
        found = [place for place in places if place in state.files]
        return found + [state.links[place] for place in places if place in state.links]

    def _function(self, body: Command, call: Call, state: State) -> Stream:
        if self._depth >= _MOST_DEPTH:
            self.give_up("a function calls itself without end")
            return Stream(None, DYNAMIC)
        outer, state.variables.positional = state.variables.positional, tuple(call.args)
        before = state.variables.copy()
        stdin, waits, places = state.stdin, state.waits, state.places
        state.stdin, state.waits = call.stdin, call.waits
        self._depth += 4
        out = self._command(body, state)
        self._depth -= 4
        state.variables.joined(before)
        state.variables.positional = outer
        state.stdin, state.waits = stdin, waits
        state.may_be_in(places)
        return out

    def _assign(self, one: Assignment, state: State, expander: Expander) -> None:
        variables = state.variables
        if one.value is None:
            items = tuple(expander.every(one.array))
            self.spend(len(items))
            held = variables.arrays.get(one.name, ()) if one.append else ()
            variables.values.pop(one.name, None)
            variables.arrays[one.name] = (*held, *items)[:MOST_VALUES]
            return
        values = expander.text(one.value)
        self.spend(2 * len(values))
        for value in values:
            if one.name in CODE_VARIABLES:
                self.enter(value.text, state.copy(), value)
            expander.look_into(value.text)
        if one.index is not None:
            expander.text(one.index)
            if one.name in ("BASH_ALIASES", "BASH_CMDS"):
                self.give_up("it changes which program a name stands for")
            # Which element an index names later is not followed.
            held = variables.arrays.get(one.name, ())
            variables.values[one.name] = (Value(UNKNOWN, DYNAMIC),)
            variables.arrays[one.name] = (*held, *values, Value(UNKNOWN, DYNAMIC))[-MOST_VALUES:]
            variables.loose.add(one.name)
            return
        if one.append:
            before = variables.values.get(one.name, (Value(""),))
            if len(before) * len(values) > MOST_VALUES:
                values = [Value(UNKNOWN, DYNAMIC)]
            values = [Value(old.text + new.text, old.sources | new.sources) for old in before for new in values]
        variables.set(one.name, values)


def _together(outs: list[Stream]) -> Stream:
    """What several commands print, one after the other."""
    if len(outs) == 1:
        return outs[0]
    texts = [out.text for out in outs if out.text is not None]
    text = "".join(texts) if len(texts) == len(outs) else None
    if text is not None and len(text) > LONGEST:
        text = None
    return Stream(text, NOTHING.union(*(out.sources for out in outs)))


def _words_of(command: Simple) -> Iterator[Word]:
    yield from command.words
    for redirect in command.redirects:
        yield redirect.target
    for one in command.assignments:
        if one.value is not None:
            yield one.value


def _with_redirects(function: Function) -> Command:
    if not function.redirects:
        return function.body
    inner = Script((Statement((Pipeline((function.body,)),)),))
    return Group(inner, subshell=False, redirects=function.redirects)


def _named(call: Call) -> Call:
    return replace(call, name=call.program.text.rpartition("/")[2])


def _line(call: Call) -> str:
    """A command in plain words, for who looks whether it is the guard's."""
    words = call.texts if call.name not in TALKERS else []
    # A word that nobody knows is a word all the same.
    line = " ".join(word.replace(UNKNOWN, "") or "?" for word in (call.program.text, *words))
    line = f"{line} {call.stdin.name}".rstrip()
    return line if "guard" in line.lower() else line[:LONGEST_LINE]


_OUTSIDE: Final = frozenset({Source.NETWORK, Source.DECODED})
_NUMERIC: Final = frozenset("-eq -ne -lt -le -gt -ge -v -R".split())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
