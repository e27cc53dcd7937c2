"""Which tool a name stands for: in one session, one tool. Else an approval for one would be good for another."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.adapters.functions import CallContext


class ToolNames:
    """The names that are taken, in each session."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken: dict[tuple[str, str | None, str | None], tuple[ref[Any], object, object]] = {}

    def take(self, tool: Callable[..., Any], name: str | None, context: CallContext) -> str:
        """The name of a tool; GuardhouseError if it has none of its own, or if it is another tool's."""
        name = name or getattr(tool, "__name__", "")
        if not name or name == "<lambda>":
            raise GuardhouseError("The tool has no name.", fix="Give it one: `guard.wrap(tool, name=…)`.")
        # A bound method is made anew each time it is asked for: what counts is the object and the function.
        function = getattr(tool, "__func__", None)
        owner = tool if function is None else getattr(tool, "__self__", tool)
        key = (name, context.session_id, context.principal)
        kind = _kind(tool, owner)
        with self._lock:
            known = self._taken.get(key)
            if known is not None and not _is_same(known, owner, function, kind):
                raise GuardhouseError(
                    f"Another tool is called {name} in this session.", fix="Give this one a name of its own."
                )
            if len(self._taken) >= _MANY_NAMES:
                self._taken = {one: held for one, held in self._taken.items() if held[0]() is not None}
            try:
                self._taken[key] = ref(owner), function, kind
            except TypeError:
                raise GuardhouseError(
                    "The tool can't be told from another one of its kind.", fix="Wrap a function of your own."
                ) from None
        return name


def _kind(tool: Callable[..., Any], owner: object) -> object:
    """What is left of a tool when it is gone: where it was written, and its code."""
    code = getattr(getattr(tool, "__func__", tool), "__code__", None)
    names = getattr(tool, "__module__", ""), getattr(tool, "__qualname__", ""), type(owner)
    return *names, code


def _is_same(known: tuple[ref[Any], object, object], owner: object, function: object, kind: object) -> bool:
    """Whether a name may go to this tool: it is the one that has it, or that one is gone and this one is its like."""
    holder = known[0]()
    return known[2] == kind if holder is None else holder is owner and known[1] is function


_MANY_NAMES: Final = 4096
"""From here on, names whose tools are gone are forgotten."""
