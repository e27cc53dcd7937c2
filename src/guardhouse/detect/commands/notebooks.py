"""Takes notebook code apart: Python, and the lines and cells that IPython hands to a shell, a file or another language.

Python itself is not read here beyond where its strings and brackets end, because a line inside one of them is no
command. A magic that nobody knows can do anything, so it is said that it can't be followed.
"""

from __future__ import annotations

import ast
from typing import Final

import msgspec

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.commands.notebook_lines import Line, is_question, logical_lines
from guardhouse.detect.shell.code import NOT_KNOWN, Piece

_SHELL_LINES: Final = frozenset(
    "cat clear cp ldir less lf lk ll ls lx man mkdir more mv rm rmdir pip pip3 conda mamba micromamba uv".split()
)
"""Magics that run the program of their name."""
_SYSTEM: Final = frozenset("sx system !".split())
_HERE: Final = frozenset("cd pushd popd".split())
_PYTHON_LINES: Final = frozenset("time timeit prun lprun memit mprun".split())
"""Magics whose line, after options, is Python."""
_PYTHON_CELLS: Final = frozenset("time timeit prun capture memit".split())
_INTERPRETERS: Final = frozenset("bash sh zsh ksh perl ruby python python2 python3 pypy pypy3 script".split())
"""Cells that are given to a program."""
_FOREIGN: Final = {"js": "node", "javascript": "node", "sql": "sql", "r": "r", "R": "r"}
_HARMLESS: Final = frozenset(
    "matplotlib pylab autoreload aimport who whos who_ls lsmagic magic quickref precision pprint pwd history hist "
    "reset reset_selective xdel xmode colors autosave tb dirs pinfo pinfo2 pdoc pdef psource pfile dotenv".split()
)
_HARMLESS_CELLS: Final = frozenset("html HTML latex markdown svg SVG".split())
_EXTENSIONS: Final = frozenset(
    "autoreload dotenv tensorboard sql line_profiler memory_profiler rpy2.ipython nb_black watermark".split()
)
_VALUED: Final = frozenset("-n -r -p -s -l -f -T -D -t --out --err --proc".split())
"""Options of magics that take a value."""
_SHELL_CALLS: Final = (".system(", ".getoutput(")
_WAYS_IN: Final = ("get_ipython", "InteractiveShell", "run_line_magic", "run_cell", "IPython.utils", "IPython.core")
"""Names in Python code by which it can run what a magic line can."""
_VALUE: Final = "${" + NOT_KNOWN + "}"
_RESULT: Final = "__notebook_value__()"
_MOST_NESTED: Final = 6
_MOST_CALLS: Final = 16
_MOST_BRACES: Final = 200
_LONGEST: Final = 65_536
_LONGEST_NAME: Final = 64
_LONGEST_EXPRESSION: Final = 400
_NO_MAGIC: Final = "a notebook command that is not known"


class Notebook(msgspec.Struct, frozen=True):
    """What a cell comes to."""

    pieces: tuple[Piece, ...]
    names: frozenset[str]
    """Shell variables whose values the Python code sets."""


def read_notebook(code: str) -> Notebook:
    """The pieces of a cell, Python last. Never raises."""
    cell = _Cell()
    if len(code) > _LONGEST:
        cell.pieces.append(Piece("unread", "it is too long"))
    cell.read(_without_prompts(code[:_LONGEST].replace("\r\n", "\n").replace("\r", "\n")), 0)
    python = "\n".join(cell.python)
    pieces = [*cell.pieces, *_ways_in(python)]
    if python.strip():
        pieces.append(Piece("python", python))
    return Notebook(tuple(pieces), frozenset(cell.names))


def _without_prompts(code: str) -> str:
    """IPython takes the prompts off code that was copied with them."""
    if not code.lstrip().startswith((">>>", "In [")):
        return code
    return "\n".join(map(_without_prompt, code.split("\n")))


def _without_prompt(line: str) -> str:
    bare = line.lstrip()
    if bare.startswith(("In [", "...:")):
        return bare.partition(":")[2].removeprefix(" ")
    return bare[3:].removeprefix(" ") if bare.startswith((">>>", "...")) else line


def _ways_in(python: str) -> list[Piece]:
    """What Python code would do by way of the notebook it runs in."""
    pieces: list[Piece] = []
    rest = python
    while len(pieces) < _MOST_CALLS and (at := rest.find("get_ipython()")) >= 0:
        after = rest[at + len("get_ipython()") :]
        given = next((after[len(call) :] for call in _SHELL_CALLS if after.startswith(call)), "")
        text = _literal(given)
        if text is None:
            break
        pieces.append(Piece("shell", text))
        rest = rest[:at] + given
    if any(name in rest for name in _WAYS_IN):
        pieces.append(Piece("unread", "the code drives the notebook it runs in"))
    return pieces


def _literal(given: str) -> str | None:
    """The plain string that is all that stands in the brackets that `given` begins inside of."""
    quote = given[:1]
    end = given.find(quote, 1) if quote and quote in "'\"" else -1
    text = given[1:end]
    plain = end > 1 and given[end + 1 : end + 2] == ")" and not set(text) & set("\\{$\n")
    return text if plain else None


class _Cell:
    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.python: list[str] = []
        self.names: set[str] = set()
        self._braces = 0
        self._assigned: frozenset[str] = frozenset()
        """What stands before an equals sign."""

    def read(self, code: str, depth: int) -> None:
        """A cell, or what stands in one."""
        if not depth:
            self._assigned = frozenset(word for part in code.split("=") for word in part[-_LONGEST_NAME:].split()[-1:])
        bare = code.lstrip()
        if depth > _MOST_NESTED:
            self._unread("notebook commands are nested too deep")
        elif bare.startswith("%%"):
            first, _, body = bare.partition("\n")
            name, _, line = first[2:].partition(" ")
            self._cell_magic(name.strip(), line.strip(), body, depth)
        else:
            lines = logical_lines(code)
            if len(lines) == 1 and _is_automagic(bare):
                bare = f"%{bare}"
                lines = [Line(bare, is_command=True, sets=-1)]
            for one in lines:
                self._line(one, depth)

    def _unread(self, why: str) -> None:
        self.pieces.append(Piece("unread", why))

    def _shell(self, text: str, kind: str = "shell") -> None:
        self.pieces.append(Piece(kind, self._filled(text)))

    # Cells.

    def _cell_magic(self, name: str, line: str, body: str, depth: int) -> None:
        line = self._filled(line)
        if name in _SYSTEM:
            self.pieces.append(Piece("shell", f"{line}\n{body}"))
        elif name in _INTERPRETERS:
            program = " ".join(([] if name == "script" else [name]) + _without_options(line, only_long=True))
            mark = _mark_for(body)
            self.pieces.append(Piece("shell", f"{program} <<'{mark}'\n{body}\n{mark}\n"))
        elif name in ("writefile", "file"):
            self._write(line, body)
        elif name in _PYTHON_CELLS:
            if name != "capture":
                self.python += [" ".join(_without_options(line))]
            self.read(body, depth + 1)
        elif name in _FOREIGN:
            self.pieces.append(Piece(_FOREIGN[name], body))
        elif name not in _HARMLESS_CELLS:
            self._unread(_NO_MAGIC)

    def _write(self, line: str, body: str) -> None:
        words = line.split()
        appends = any(word in ("-a", "--append") for word in words)
        path = " ".join(word for word in words if word not in ("-a", "--append")).strip("'\"")
        self.pieces.append(Piece("append" if appends else "write", body, path.replace(_VALUE, UNKNOWN)))

    # Lines.

    def _line(self, line: Line, depth: int) -> None:
        text = line.text
        bare = text.lstrip()
        indent = text[: len(text) - len(bare)]
        if line.is_command:
            self.python.append(indent + (self._command(bare, depth) or "pass"))
        elif line.sets >= 0:
            value = self._command(text[line.sets :].lstrip(), depth)
            self.python.append(f"{text[: line.sets]} {value or _RESULT}")
        else:
            self.python.append(text)

    def _command(self, bare: str, depth: int) -> str:
        """Follow a line that is no Python; what Python there is in it is given back."""
        joined = bare.replace("\\\n", " ")
        mark = joined[0]
        if is_question(joined):
            return ""
        if mark == "!":
            self._shell(joined.lstrip("!"))
            return ""
        if mark != "%":
            self._unread(_NO_MAGIC)
            return ""
        name, _, rest = joined[1:].partition(" ")
        return self._line_magic(name, rest.strip(), depth)

    def _line_magic(self, name: str, rest: str, depth: int) -> str:
        if name in _SYSTEM:
            self._shell(rest)
        elif name in _SHELL_LINES:
            self._shell(f"{name} {rest}")
        elif name in _HERE:
            self._shell(" ".join([name, *(word for word in rest.split() if word not in ("-q", "-b"))]), "here")
        elif name in ("env", "set_env"):
            self._set(rest)
        elif name == "run":
            self._run(rest)
        elif name in _PYTHON_LINES:
            return self._timed(rest, depth)
        elif name == "config":
            # It is run as the rest of an assignment.
            return f"cfg.{self._filled(rest, _RESULT)}" if rest else ""
        elif name in ("load_ext", "reload_ext"):
            if rest not in _EXTENSIONS:
                self._unread("an extension of the notebook that is not known")
        elif name == "sql":
            self.pieces.append(Piece("sql", self._filled(rest, "x")))
        elif name in _HARMLESS:
            self._filled(rest)
        else:
            self._unread(_NO_MAGIC)
        return ""

    def _timed(self, rest: str, depth: int) -> str:
        inner = _after_options(rest)
        if inner[:1] in ("!", "%") and inner[1:2]:
            if depth >= _MOST_NESTED:
                self._unread("notebook commands are nested too deep")
                return ""
            return self._command(inner, depth + 1)
        return inner

    def _set(self, rest: str) -> None:
        name, equals, value = rest.partition("=")
        if not equals:
            name, equals, value = rest.partition(" ")
        name = name.strip()
        if equals and name.isidentifier() and name.isascii():
            quoted = value.strip().replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
            self._shell(f'export {name}="{quoted}"', "here")
        elif equals:
            self._unread("a variable whose name is not known")

    def _run(self, rest: str) -> None:
        words = rest.split()
        if "://" in rest:
            self._unread("it runs what another machine has")
        elif "-m" in words:
            self._shell("python " + " ".join(words[words.index("-m") :]))
        else:
            self._shell("python " + " ".join(_without_options(rest)))

    def _filled(self, text: str, value: str = _VALUE) -> str:
        """A line with what Python puts in; the expressions themselves are run, so they are Python to read."""
        out: list[str] = []
        at = 0
        while at < len(text):
            char = text[at]
            if char == "{" and text[at + 1 : at + 2] == "{":
                out.append("{")
                at += 2
                continue
            if char == "{" and self._braces < _MOST_BRACES:
                self._braces += 1
                if self._braces == _MOST_BRACES:
                    self._unread("more is put into commands than can be read")
                end = _closing(text, at)
                if end > 0 and _is_expression(text[at + 1 : end]):
                    self.python.append(f"({text[at + 1 : end]})")
                    out.append(value)
                    at = end + 1
                    continue
            elif char == "$":
                self._named(text, at + 1)
            out.append(char)
            at += 1
        return "".join(out)

    def _named(self, text: str, start: int) -> None:
        """`$name` is a value of Python's if there is one of that name, and else the shell's own."""
        start += text[start : start + 1] == "{"
        end = start
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        name = text[start:end]
        if name.isidentifier() and name.isascii() and (not name.isupper() or name in self._assigned):
            self.names.add(name)


def _mark_for(body: str) -> str:
    mark = "CELL"
    while mark in body:
        # It grows by more than any piece of the body can be long after a few rounds.
        mark += mark
    return mark


def _closing(text: str, at: int) -> int:
    """Where the brace that opens at a place is closed; -1 if it is not, or too far away."""
    depth = 0
    for i in range(at, min(len(text), at + _LONGEST_EXPRESSION)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if not depth:
                return i
    return -1


def _is_expression(text: str) -> bool:
    """Whether Python would take a text for an expression; else it stays as it is for the shell."""
    try:
        ast.parse(f"({text})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_options(line: str, *, only_long: bool = False) -> list[str]:
    """The words of a magic's line without the magic's own options in front; with `only_long`, without those anywhere
    that begin with two dashes."""
    words = line.split()
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("--" if only_long else "-") and (only_long or not kept):
            skip = word in _VALUED
        else:
            kept.append(word)
    return kept


def _after_options(rest: str) -> str:
    """The rest of a line after options; unlike words, with the blanks that it has."""
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word in _VALUED:
            rest = rest.partition(" ")[2].lstrip()
    return rest


def _is_automagic(bare: str) -> bool:
    """Whether a cell of one line, without a percent sign, is a magic all the same."""
    name, _, rest = bare.partition(" ")
    known = name in _SHELL_LINES or name in _HERE or name in _SYSTEM
    return known and "\n" not in bare.strip() and not rest.lstrip().startswith(("=", "+=", "-=", ".", "("))
