"""Walks over a parsed script: every simple command in it, however deep, also those inside substitutions.

Bodies of here-documents are walked for what is substituted in them; their text is data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.detect.shell.syntax import Parameter, Process, Simple, Substitution, Text, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.shell.syntax import Script


def simple_commands(script: Script) -> Iterator[Simple]:
    """Every simple command, in the order in which it is written, as far as that can be told."""
    waiting: list[object] = [script]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Simple):
            yield node
        if isinstance(node, (Text, str)) or node is None:
            continue
        waiting += reversed(list(_inner(node)))


def _inner(node: object) -> Iterator[object]:
    if isinstance(node, (tuple, list)):
        yield from node
    elif isinstance(node, Word):
        yield from (part for part in node.parts if type(part) is not Text)
    elif isinstance(node, (Substitution, Process)):
        yield node.script
    elif isinstance(node, Parameter):
        yield from (*node.arguments, node.index)
    else:
        for name in getattr(node, "__struct_fields__", ()):
            value = getattr(node, name)
            if not isinstance(value, (str, bool, int)):
                yield value
