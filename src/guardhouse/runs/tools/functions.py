"""A Python function as a tool of a run. Its signature and docstring are what the model is told; Pydantic reads the
arguments that the model gives into the types that the signature declares."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from guardhouse.adapters import is_async
from guardhouse.adapters.signatures import announcement
from guardhouse.runs.tools.interface import Errand, Tool

if TYPE_CHECKING:
    from collections.abc import Callable


class FunctionTool(Tool):
    """One function. `is_repeatable` says that a second call does no harm; unless that is said, one that may have been
    made already is asked about."""

    def __init__(self, function: Callable[..., Any], *, name: str | None = None, is_repeatable: bool = False) -> None:
        from pydantic_ai.tools import Tool as Described  # loads what most commands have no use for

        self.name = name or function.__name__
        described = Described(function, takes_ctx=False, name=self.name)
        definition = described.tool_def
        self.description = definition.description or ""
        self.parameters = definition.parameters_json_schema
        self._is_repeatable = is_repeatable
        self.announced = announcement(self.name, function, inspect.signature(function))
        self._function = function
        self._is_async = is_async(function)
        self._reads = described.function_schema.validator

    def problem(self, params: dict[str, Any]) -> str:
        """What Pydantic says of the arguments, without quoting them."""
        from pydantic import ValidationError

        try:
            self._reads.validate_python(params)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)
            told = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in found[:5])
            return f"The arguments do not fit: {told}."
        return ""

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - said of the function
        """As its program says."""
        return self._is_repeatable

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:  # noqa: ARG002 - a function knows of no run
        """Call the function: in the event loop if it is a coroutine function, in a thread otherwise."""
        given = self._reads.validate_python(params)
        if self._is_async:
            return await self._function(**given)
        return await asyncio.to_thread(self._function, **given)
