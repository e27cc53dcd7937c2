"""Our parser and shfmt's, which is another hand's work, see the same commands in the lists.

Both trees are made into the same plain rows: the simple commands in order, also those inside substitutions, with the
names they assign, their words and their redirects. What a shell would do with them is not looked at.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import msgspec
import yaml

from guardhouse.detect.shell import parse
from guardhouse.detect.shell import syntax as x
from guardhouse.detect.shell.escapes import decoded

COMMANDS = Path(__file__).parent / "commands"
SHFMT = Path(sys.executable).parent / "shfmt"
MARK = ": shfmt-mark"
TOGETHER = 64
"""Commands that one shfmt reads."""


# Ours.


def our_rows(command):
    """What we see; None if we see a problem."""
    parsed = parse(command)
    return None if parsed.problem else list(_ours(parsed.script))


def _ours(node):
    if isinstance(node, (tuple, list)):
        for one in node:
            yield from _ours(one)
    elif isinstance(node, x.Simple):
        yield _our_row(node)
        yield from _ours((node.assignments, node.words, node.redirects))
    elif isinstance(node, msgspec.Struct):
        if getattr(node, "redirects", ()):
            yield [], [], [_our_redirect(one) for one in node.redirects]
        for name in node.__struct_fields__:
            yield from _ours(getattr(node, name))


def _our_row(node):
    names = [one.name + ("+" if one.append else "") for one in node.assignments]
    return names, _plain([_our_word(word) for word in node.words]), [_our_redirect(one) for one in node.redirects]


def _our_redirect(one):
    return one.descriptor, one.operator, _our_word(one.target)


def _our_word(word):
    return "".join(_our_part(part) for part in word.parts)


def _our_part(part):
    if isinstance(part, x.Text):
        return part.text
    if isinstance(part, x.Parameter):
        return f"${{{part.name}}}"
    if isinstance(part, x.Process):
        return "<()" if part.reads else ">()"
    return "$()" if isinstance(part, x.Substitution) else "$(())"


def _plain(words):
    """Words without what the two write in different ways: arithmetic, and the blanks between the items of an array."""
    if words[:1] == ["let"]:
        return ["let"]
    return [" ".join(word.replace("\n", " ").split()) if "=(" in word else word for word in words]


# Theirs.


def their_rows(commands):
    """What shfmt sees in each command; None for one that it refuses."""
    batches = [commands[at : at + TOGETHER] for at in range(0, len(commands), TOGETHER)]
    with ThreadPoolExecutor(2) as pool:
        return [rows for some in pool.map(_read_together, batches) for rows in some]


def _read_together(commands):
    """A process takes longer to start than to read many commands, so they are read together, if that can be done."""
    marks = [f"{MARK} {index}" for index in range(len(commands) + 1)]
    text = "".join(f"{mark}\n{command}\n" for mark, command in zip(marks, commands, strict=False)) + marks[-1]
    done = subprocess.run(
        [SHFMT, "--to-json", "-ln", "bash"], input=text.encode("utf-8", "replace"), capture_output=True, check=False
    )
    if done.returncode == 0:
        statements = msgspec.json.decode(done.stdout)["Stmts"]
        rows = [list(_theirs(statement)) for statement in statements]
        places = [at for at, row in enumerate(rows) if row and " ".join(row[0][1]).startswith(MARK)]
        if [" ".join(rows[at][0][1]) for at in places] == marks:
            return [[row for some in rows[start + 1 : end] for row in some] for start, end in pairwise(places)]
    if len(commands) == 1:
        return [None]
    half = len(commands) // 2
    return _read_together(commands[:half]) + _read_together(commands[half:])


def _theirs(node):
    if isinstance(node, list):
        for one in node:
            yield from _theirs(one)
    elif isinstance(node, dict):
        if "Cmd" in node or "Redirs" in node:
            yield from _their_statement(node)
        else:
            for child in _children(node):
                yield from _theirs(child)


def _their_statement(node):
    command = node.get("Cmd", {})
    redirects = [_their_redirect(one) for one in node.get("Redirs", [])]
    kind = command.get("Type", "")
    if kind == "CallExpr" or not command:
        assigned = [one["Name"]["Value"] + ("+" if one.get("Append") else "") for one in command.get("Assigns", [])]
        yield assigned, _plain([_their_word(word) for word in command.get("Args", [])]), redirects
    elif kind == "DeclClause":
        yield [], _plain([command["Variant"]["Value"], *map(_declared, command.get("Args", []))]), redirects
    elif kind == "LetClause":
        yield [], ["let"], redirects
    elif redirects:
        yield [], [], redirects
    yield from _theirs([*_children(command), *node.get("Redirs", [])])


def _children(node):
    """What stands inside, in the order in which it is written."""
    inner = [value for value in node.values() if isinstance(value, (dict, list)) and "Line" not in value]
    return sorted(inner, key=_offset)


def _offset(node):
    if isinstance(node, list):
        return min(map(_offset, node), default=0)
    return node["Pos"]["Offset"] if "Pos" in node else min(map(_offset, _children(node)), default=0)


def _declared(one):
    if one.get("Naked"):
        return _their_word(one["Value"]) if "Value" in one else one["Name"]["Value"]
    index = f"[{_their_word(one['Index'])}]" if "Index" in one else ""
    if "Array" in one:
        items = [
            (f"[{_their_word(item['Index'])}]=" if "Index" in item else "") + _their_word(item.get("Value"))
            for item in one["Array"].get("Elems", [])
        ]
        value = f"({' '.join(items)})"
    else:
        value = _their_word(one.get("Value"))
    return f"{one['Name']['Value']}{index}{'+' if one.get('Append') else ''}={value}"


def _their_redirect(one):
    descriptor = one.get("N", {}).get("Value", "")
    if "Hdoc" not in one and one["Op"] not in ("<<", "<<-"):
        return descriptor, one["Op"], _their_word(one["Word"])
    parts = one.get("Hdoc", {}).get("Parts", [])
    is_quoted = any(part["Type"] != "Lit" or "\\" in part["Value"] for part in one["Word"]["Parts"])
    body = "".join(part["Value"] if is_quoted else _their_part(part, "document") for part in parts)
    if one["Op"] == "<<-":
        body = "\n".join(line.lstrip("\t") for line in body.split("\n"))
    return descriptor, one["Op"], body


def _their_word(word):
    return "".join(_their_part(part) for part in (word or {}).get("Parts", []))


def _their_part(part, inside=""):
    kind = part["Type"]
    if kind == "Lit":
        return _unescaped(part["Value"], inside)
    if kind == "SglQuoted":
        value = part.get("Value", "")
        return decoded(value) if part.get("Dollar") else value
    if kind == "DblQuoted":
        return "".join(_their_part(one, "quotes") for one in part.get("Parts", []))
    if kind == "ParamExp":
        return f"${{{part['Param']['Value']}}}"
    if kind == "ProcSubst":
        return part["Op"] + ")"
    if kind == "ExtGlob":
        return part["Op"] + part["Pattern"]["Value"] + ")"
    return {"CmdSubst": "$()", "ArithmExp": "$(())"}[kind]


_ESCAPED = {"quotes": '$`"\\', "document": "$`\\"}


def _unescaped(text, inside):
    """Their text still has its backslashes."""
    pieces = []
    at = 0
    while at < len(text):
        following = text[at + 1 : at + 2]
        if text[at] != "\\" or not following or (inside and following not in _ESCAPED[inside] + "\n"):
            pieces.append(text[at])
            at += 1
        else:
            pieces.append("" if following == "\n" else following)
            at += 2
    return "".join(pieces)


# Both.


def is_comparable(command):
    """Whether both are given the same text: a process can't be given every string."""
    return "\0" not in command and command.encode("utf-8", "replace").decode() == command


def compared(commands):
    """Each command with what we see in it and what shfmt sees. Those that shfmt refuses are left out."""
    given = [command for command in commands if is_comparable(command)]
    for command, theirs in zip(given, their_rows(given), strict=True):
        if theirs is not None:
            yield command, our_rows(command), theirs


def listed_commands():
    """The commands of the lists."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    texts = [file.read_text(encoding="utf-8") for file in sorted(COMMANDS.glob("*.yaml"))]
    return [row["command"] for text in texts for row in yaml.load(text, loader)]


KNOWN = {
    "ls\r\nrm -rf ~ \r\n": "bash keeps a carriage return, shfmt drops it",
    r"echo `echo \`echo \\\`rm -rf ~\\\`\``": "bash takes one backslash away for each level of back-ticks",
}
"""Where the two differ though ours is right, and why."""


def test_our_parser_sees_what_shfmt_sees():
    commands = listed_commands()
    seen = list(compared(commands))
    differ = [command for command, ours, theirs in seen if ours != theirs]
    assert len(seen) > 0.99 * len(commands)
    assert sorted(differ) == sorted(KNOWN)


def test_the_comparison_sees_what_differs():
    assert their_rows(["a 'b'$c >d $(e)", "if"]) == [our_rows('a "b"${c} > d `e`'), None]
    for other in ("a b", "a b$c >>d $(e)", "a b$c >d $(f)", "x=1 a b$c >d $(e)", "a b$c 2>d $(e)", "a b$d >d $(e)"):
        assert [our_rows("a b$c >d $(e)")] != their_rows([other])
