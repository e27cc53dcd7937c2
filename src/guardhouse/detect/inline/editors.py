"""Reads the commands of editors and debuggers: sed, ed, vim, gdb, lldb. Each has a few that run a program.

A pattern, a replacement and text to be inserted are data, whatever words stand in them.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.languages import BY_NAME
from guardhouse.detect.inline.noting import Notes
from guardhouse.detect.inline.reading import read_calls
from guardhouse.model import Effect

_MOST_DEPTH: Final = 5
_LINE: Final = 2
"""What a line costs, in tokens."""
_STREAMS: Final = frozenset({"/dev/stdout", "/dev/stderr", "/dev/stdin", "-", ""})


def read_sed(code: str, notes: Notes) -> None:
    """Note the commands of a sed script that run something or name a file."""
    i = 0
    while i < len(code) and notes.spend(1):
        i = _sed_address(code, i)
        if i < len(code):
            i = _sed_command(code, i, notes)


def _sed_address(code: str, i: int) -> int:
    """Where the command starts."""
    while i < len(code):
        c = code[i]
        if c in "/\\":
            mark = i if c == "/" else i + 1
            i = _delimited(code, mark + 1, code[mark : mark + 1])
        elif c.isdigit() or c in " \t\n;,$+~!IM":
            i += 1
        else:
            break
    return i


def _delimited(code: str, i: int, mark: str) -> int:
    """Where the text goes on after the next mark that no backslash or class hides."""
    in_class = False
    while i < len(code) and mark:
        c = code[i]
        if c == "\\":
            i += 1
        elif c == mark and not in_class:
            return i + 1
        elif c == "[":
            in_class = True
        elif c in "]\n":
            in_class = False
        i += 1
    return len(code)


def _line_end(code: str, i: int) -> int:
    end = code.find("\n", i)
    return len(code) if end < 0 else end


def _sed_command(code: str, i: int, notes: Notes) -> int:
    """Note the command at `i`; gives where the next can start."""
    command, after = code[i], i + 1
    if command in "sy":
        mark = code[after : after + 1]
        return _sed_flags(code, i, _plain_delimited(code, _delimited(code, after + 1, mark), mark), notes, command)
    if command in "#:btTl":
        end = _line_end(code, i)
        stop = code.find(";", i, end) if command not in "#:" else -1
        return end if stop < 0 else stop
    if command in "aic":
        return _inserted_end(code, i)
    if command in "erRwW":
        end = _line_end(code, i)
        _sed_file(code, i, command, code[after:end].strip(), notes)
        return end
    return after


def _inserted_end(code: str, i: int) -> int:
    """Text to insert goes on over lines that end in a backslash."""
    end = _line_end(code, i)
    while end < len(code) and code[end - 1] == "\\":
        end = _line_end(code, end + 1)
    return end


def _plain_delimited(code: str, i: int, mark: str) -> int:
    """Like `_delimited`, in a replacement, where there are no classes."""
    while i < len(code) and mark:
        if code[i] == "\\":
            i += 1
        elif code[i] == mark:
            return i + 1
        i += 1
    return len(code)


def _sed_flags(code: str, start: int, i: int, notes: Notes, command: str) -> int:
    if command == "y":
        return i
    while i < len(code) and (code[i].isdigit() or code[i] in "gpiIemMw"):
        if code[i] == "e":
            notes.place = (start, i + 1)
            notes.run(UNKNOWN)
        if code[i] == "w":
            end = _line_end(code, i)
            _sed_file(code, i, "w", code[i + 1 : end].strip(), notes)
            return end
        i += 1
    return i


def _sed_file(code: str, i: int, command: str, rest: str, notes: Notes) -> None:
    notes.place = (i, _line_end(code, i))
    if command == "e":
        notes.run(rest.rstrip("}").strip() or UNKNOWN)
    elif rest not in _STREAMS:
        notes.path(Effect.READS if command in "rR" else Effect.OVERWRITES, rest)


_VIM_PREFIXES: Final = frozenset(
    "sil sile silen silent verb verbose keepalt keepa noa noau noautocmd bufdo argdo windo tabdo cdo ldo cfdo lfdo "
    "vert vertical tab bel belowright abo aboveleft top topleft bot botright keepj keepjumps keepp keeppatterns "
    "sandbox conf confirm hid hide lefta leftabove rightb rightbelow uns unsilent".split()
)
"""Words that stand before another command."""
_VIM_PYTHONS: Final = frozenset("py python py3 python3 pyx pythonx pydo py3do pyxdo".split())
_VIM_LANGUAGES: Final = {
    "lua": "lua",
    "luado": "lua",
    "perl": "perl",
    "perldo": "perl",
    "ruby": "ruby",
    "rubydo": "ruby",
    "mz": "lisp",
    "mzscheme": "lisp",
}
_VIM_EXPRESSIONS: Final = frozenset("cal call ec echo echom echomsg echon let eval return if put pu".split())
_VIM_WRITES: Final = frozenset("w wr wri writ write sav save saveas wq x xit exit up update wn wa".split())
_VIM_READS: Final = frozenset("r re rea read e ed edi edit vi view sp split vs vsplit tabe tabedit".split())
_VIM_RUNS: Final = frozenset("te ter term termi terminal te sh shell mak make".split())
_VIM_SHELLS: Final = frozenset("sh she shel shell".split())
_VIM_SOURCES: Final = frozenset("so source ru runtime luaf luafile py3f py3file pyf pyfile rubyf rubyfile".split())


def read_vim(code: str, notes: Notes, *, is_ed: bool = False, depth: int = 0) -> None:
    """Note the commands of vim, ex or ed, a line each, that run something or name a file."""
    position, inserting = 0, False
    for line in code.split("\n"):
        start, position = position, position + len(line) + 1
        text = line.strip()
        if not text:
            continue
        if not notes.spend(_LINE):
            break
        if inserting:
            inserting = text != "."
            continue
        inserting = (
            is_ed and text.lstrip("0123456789,.$;")[:1] in ("a", "i", "c") and len(text.lstrip("0123456789,.$;")) == 1
        )
        if not depth:
            notes.place = (start, start + len(line))
        if not inserting:
            _vim_command(text, notes, depth)


def _vim_command(text: str, notes: Notes, depth: int) -> None:
    """One command, with those that follow it after a bar."""
    for _ in range(64):
        text = text.lstrip(": \t").lstrip("0123456789,.$%;'<>*+-").lstrip(": \t")
        word = _letters(text)
        rest = text[len(word) :]
        if text.startswith("!"):
            notes.run(text.lstrip("!").strip() or UNKNOWN)
            return
        if word in _VIM_PREFIXES:
            text = rest.lstrip("!0123456789")
            continue
        if word in ("norm", "normal", "normalno"):
            text = rest.partition(":")[2]
        elif word in ("g", "global", "v", "vglobal") and rest[:1] and not rest[0].isspace():
            text = rest[_plain_delimited(rest, _plain_delimited(rest, 0, rest[0]), rest[0]) :]
        elif word in ("au", "autocmd"):
            text = (rest.split(None, 2) + [""] * 3)[2]
        elif word in ("exe", "exec", "execute"):
            _vim_execute(rest, notes, depth)
            return
        elif _vim_word(word, rest, notes):
            return
        else:
            text = _after_bar(rest, in_expression=word in _VIM_EXPRESSIONS)
        if not text:
            return


def _after_bar(text: str, *, in_expression: bool) -> str:
    """What follows the bar that ends a command; in an expression, two of them mean "or"."""
    end = text.find("|")
    while in_expression and end >= 0 and text.startswith("||", end):
        end = text.find("|", end + 2)
    return text[end + 1 :] if end >= 0 else ""


def _letters(text: str) -> str:
    end = 0
    while end < len(text) and text[end].isalpha():
        end += 1
    # `py3` and `python3` are the only names with a figure.
    return text[: end + (text[:end] in ("py", "python") and text.startswith("3", end))] + (
        "do" if text.startswith("3do", end) else ""
    )


def _vim_execute(rest: str, notes: Notes, depth: int) -> None:
    """`execute "…"` runs what the string says."""
    inner = rest.strip()
    quote = inner[:1]
    if quote in ("'", '"') and inner.find(quote, 1) == len(inner) - 1 and len(inner) > 1 and depth < _MOST_DEPTH:
        read_vim(inner[1:-1].replace("\\<cr>", "").replace("\\<CR>", ""), notes, depth=depth + 1)
        return
    read_calls(BY_NAME["vimscript"], inner, notes)
    if "!" in inner or "system" in inner or not inner.startswith(("'", '"')):
        notes.evaluate()


def _vim_word(word: str, rest: str, notes: Notes) -> bool:
    """Note what a command does that runs or names something; whether it takes all that follows."""
    argument = rest.lstrip("! \t")
    if word in _VIM_WRITES or word in _VIM_READS:
        if rest.lstrip().startswith("!") and argument and not (word in _VIM_WRITES and rest.startswith("!")):
            notes.run(argument)
            return True
        if rest.startswith("!") and argument.startswith("!"):
            notes.run(argument[1:].strip())
            return True
        path = argument.partition("|")[0].removeprefix(">>").strip()
        if path and not path.startswith("++"):
            notes.path(Effect.READS if word in _VIM_READS else Effect.OVERWRITES, path)
        return False
    if word in _VIM_PYTHONS:
        notes.runs = True
        notes.act(Effect.EXECUTES, argument, "python")
        return True
    if word in _VIM_LANGUAGES:
        read_calls(BY_NAME[_VIM_LANGUAGES[word]], argument, notes)
        return True
    if word in ("tcl", "tcldo"):
        notes.evaluate()
        return True
    if word in _VIM_RUNS:
        notes.run("sh" if word in _VIM_SHELLS or not argument else ("make " * word.startswith("mak")) + argument)
        return True
    if word in _VIM_SOURCES and argument:
        notes.act(
            Effect.EXECUTES, argument.partition("|")[0].strip(), "program", what="code out of a file would be run"
        )
    elif word in _VIM_EXPRESSIONS or (word and rest.startswith("(")):
        read_calls(BY_NAME["vimscript"], word + rest, notes)
    return False


_GDB_EXPRESSIONS: Final = frozenset("call print p output printf eval set expr expression e jump compile".split())
_GDB_PYTHONS: Final = frozenset("python py python-interactive pi script".split())


def read_debugger(code: str, notes: Notes) -> None:
    """Note the commands of gdb or lldb, a line each, that run something outside the debugged program."""
    position, in_python = 0, False
    for line in code.split("\n"):
        text = line.strip()
        position += len(line) + 1
        if not text:
            continue
        if not notes.spend(_LINE):
            break
        notes.place = (position - len(line) - 1, position - 1)
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        if in_python:
            in_python = text != "end"
            notes.act(Effect.EXECUTES, text, "python")
        elif text.startswith("!"):
            notes.run(text[1:].strip() or "sh")
        elif word in ("shell", "she") or text.startswith("platform shell"):
            notes.run(rest.removeprefix("shell").strip() or "sh")
        elif word in ("pipe", "|") and "|" in rest:
            notes.run(rest.partition("|")[2].strip())
        elif word == "make":
            notes.run(text)
        elif word in _GDB_PYTHONS:
            in_python = not rest and word in ("python", "py")
            notes.act(Effect.EXECUTES, rest or UNKNOWN, "python")
        elif word in ("guile", "gu"):
            read_calls(BY_NAME["lisp"], rest, notes)
        elif word == "source" or text.startswith("command script import"):
            notes.act(Effect.EXECUTES, text.rpartition(" ")[2], "program", what="code out of a file would be run")
        elif word.partition("/")[0] in _GDB_EXPRESSIONS:
            read_calls(BY_NAME["c"], rest, notes)
