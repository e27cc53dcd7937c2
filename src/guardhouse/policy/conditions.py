"""`when:` expressions in CEL (Common Expression Language), for what the other keys of a rule can't say.

Loaded only when a policy uses one. The package's own start-up pulls in a whole terminal; its compiled core alone is
enough, so that is what is loaded.
"""

from __future__ import annotations

import re
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VARIABLES: Final = ("action", "finding")
"""The action as on the wire, and the finding the rule matched, or null.

The other findings are not there: a condition such as "nothing else was found" would let one more finding lift a rule.
"""

_BOUND: Final = re.compile(r"\.\s*(?:all|exists|exists_one|filter|map)\s*\(\s*([A-Za-z_]\w*)\s*,")
"""Names that an expression itself gives to the items of a list."""

_core: Any = None


def compile_condition(text: str) -> Callable[[Mapping[str, Any]], object]:
    """A function from the variables to the expression's value; ValueError for what is no expression over them."""
    cel = _load()
    try:
        program = cel.compile(text)
    except ValueError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    unknown = sorted(set(program.variables()) - set(VARIABLES) - set(_BOUND.findall(text)))
    if unknown:
        raise ValueError(f"`{unknown[0]}` is not one of {', '.join(VARIABLES)}")

    def evaluate(variables: Mapping[str, Any]) -> object:
        return program.execute(cel.Context(variables=dict(variables)))

    return evaluate


def _load() -> Any:
    global _core  # noqa: PLW0603 - one extension module a process
    if _core is None:
        package = find_spec("cel")
        spec = PathFinder.find_spec("cel", package.submodule_search_locations) if package else None
        if spec is None or spec.loader is None:
            raise ValueError("the package common-expression-language is not installed")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        _core = module
    return _core
