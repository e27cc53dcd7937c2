"""The tree of a script as one short line, for tests."""

from guardhouse.detect.shell import syntax as x


def dump(node):
    """An S-expression of a node."""
    return DUMPS[type(node)](node)


def _words(words):
    return " ".join(map(dump, words))


def _text(node):
    return f"{'q' if node.quoted else ''}{node.text!r}"


def _parameter(node):
    name = ("#" if node.length else "") + ("!" if node.indirect else "") + node.name
    index = f"[{dump(node.index)}]" if node.index else ""
    operation = f" {node.operator} {_words(node.arguments)}".rstrip() if node.operator or node.arguments else ""
    return f"{'q' if node.quoted else ''}${{{name}{index}{operation}}}"


def _word(node):
    if len(node.parts) == 1 and type(node.parts[0]) is x.Text and not node.parts[0].quoted:
        text = node.parts[0].text
        if text.isascii() and text.isprintable() and not set(text) & set(" ()'\"$"):
            return text
    return "+".join(map(dump, node.parts)) or "''"


def _assignment(node):
    index = f"[{dump(node.index)}]" if node.index else ""
    value = f"({_words(node.array)})" if node.value is None else dump(node.value)
    return f"{node.name}{index}{'+' if node.append else ''}={value}"


def _redirect(node):
    return f"{node.descriptor}{node.operator}{'!' if node.literal else ''}{dump(node.target)}"


def _with(kind, *inner):
    return "(" + " ".join([kind, *filter(None, inner)]) + ")"


def _simple(node):
    return "[" + " ".join([*map(dump, node.assignments), *map(dump, node.words), *map(dump, node.redirects)]) + "]"


def _redirects(node):
    return " ".join(map(dump, node.redirects))


def _if(node):
    branches = [f"{dump(a)} then {dump(b)}" for a, b in node.branches]
    return _with("if", *branches, "else " + dump(node.otherwise) if node.otherwise else "", _redirects(node))


def _for(node):
    words = "" if node.words is None else f"in ({_words(node.words)})"
    return _with("for", node.name, dump(node.header) if node.header else "", words, dump(node.body), _redirects(node))


def _case(node):
    branches = [f"({'|'.join(map(dump, patterns))}) {dump(body)}" for patterns, body in node.branches]
    return _with("case", dump(node.subject), *branches, _redirects(node))


def _pipeline(node):
    text = dump(node.commands[0])
    for merges, command in zip(node.merges, node.commands[1:], strict=True):
        text += (" |& " if merges else " | ") + dump(command)
    return "! " * node.negated + text


def _statement(node):
    text = dump(node.pipelines[0])
    for operator, pipeline in zip(node.operators, node.pipelines[1:], strict=False):
        text += f" {operator} {dump(pipeline)}"
    return text + " &" * node.background


DUMPS = {
    x.Text: _text,
    x.Parameter: _parameter,
    x.Substitution: lambda n: f"{'q' if n.quoted else ''}$({dump(n.script)})",
    x.Process: lambda n: f"{'<' if n.reads else '>'}({dump(n.script)})",
    x.Arithmetic: lambda n: f"{'q' if n.quoted else ''}$(({dump(n.inner)}))",
    x.Word: _word,
    x.Assignment: _assignment,
    x.Redirect: _redirect,
    x.Simple: _simple,
    x.Group: lambda n: _with("subshell" if n.subshell else "group", dump(n.body), _redirects(n)),
    x.If: _if,
    x.Loop: lambda n: _with("loop", dump(n.condition), "do", dump(n.body), _redirects(n)),
    x.For: _for,
    x.Case: _case,
    x.Function: lambda n: _with("function", n.name, dump(n.body), _redirects(n)),
    x.Test: lambda n: _with("test", _words(n.words), _redirects(n)),
    x.Calculation: lambda n: _with("calc", dump(n.inner), _redirects(n)),
    x.Coprocess: lambda n: _with("coproc", dump(n.body)),
    x.Pipeline: _pipeline,
    x.Statement: _statement,
    x.Script: lambda n: "; ".join(map(dump, n.statements)),
}
