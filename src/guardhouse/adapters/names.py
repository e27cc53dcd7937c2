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
        self._taken: dict[tuple[str, str | None, str | None], tuple[ref[Any], object]] = {}

    def take(self, tool: Callable[..., Any], name: str | None, context: CallContext) -> str:
        """The name of a tool; GuardhouseError if it has none of its own, or if it is another tool's."""
        name = name or getattr(tool, "__name__", "")
        if not name or name == "<lambda>":
            raise GuardhouseError("The tool has no name.", fix="Give it one: `guard.wrap(tool, name=…)`.")
        # A bound method is made anew each time it is asked for: what counts is the object and the function.
        function = getattr(tool, "__func__", None)
        owner = tool if function is None else getattr(tool, "__self__", tool)
        key = (name, context.session_id, context.principal)
        with self._lock:
            known = self._taken.get(key)
            holder = known[0]() if known is not None else None
            if known is not None and holder is not None and (holder is not owner or known[1] is not function):
                raise GuardhouseError(
                    f"Another tool is called {name} in this session.", fix="Give this one a name of its own."
                )
            if len(self._taken) >= _MANY_NAMES:
                self._taken = {one: held for one, held in self._taken.items() if held[0]() is not None}
            try:
                self._taken[key] = ref(owner), function
            except TypeError:
                raise GuardhouseError(
                    "The tool can't be told from another one of its kind.", fix="Wrap a function of your own."
                ) from None
        return name


_MANY_NAMES: Final = 4096
"""From here on, names whose tools are gone are forgotten."""
