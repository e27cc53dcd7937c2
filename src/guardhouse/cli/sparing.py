"""Loads the libraries of a hook without what they load and a hook never uses.

`msgspec` and `pathlib` take longer to load than most calls take to judge, and half of that is for things like making
JSON schemas or `file:` addresses. While they load, those parts are stood in for by modules that load the real one when
something is asked of them. So nothing is missing, whoever asks, and afterwards the real ones are found as always.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


_NOT_NEEDED: Final = (
    *("msgspec.inspect", "msgspec.msgpack", "msgspec.toml", "msgspec.yaml", "textwrap"),  # for `msgspec`
    "platform",  # for `uuid`, which that loads
    *("ntpath", "urllib.parse"),  # for `pathlib`
)


class _StandIn(ModuleType):
    """A module that is loaded when something is asked of it that does not stand here already."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system asks for these, and takes no for an answer
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def load_libraries() -> None:
    """Load `msgspec` and `pathlib`."""
    # msgspec takes this rather than `typing` if it is there, and loading it costs a tenth of what a hook may cost.
    # Nothing that a hook loads needs it.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    sys.modules.update({name: module for name, module in _stand_ins().items() if name not in sys.modules})
    try:
        import_module("msgspec")
        import_module("pathlib")
    finally:
        for name in _NOT_NEEDED:
            if isinstance(sys.modules.get(name), _StandIn):
                del sys.modules[name]


def _stand_ins() -> dict[str, ModuleType]:
    """What is there in place of them, and for good what Python 3.11 takes longer to load than it has to."""
    named: dict[str, Any] = {name: _StandIn(name) for name in _NOT_NEEDED}
    named["platform"].system = _system
    named["urllib.parse"].quote_from_bytes = _quote_from_bytes
    with suppress(ImportError):  # a Python without it has only the slow one
        # What `datetime` gives out is this; what it has of its own in Python 3.11 it makes and throws away.
        named["datetime"] = import_module("_datetime")
    return named


def _system() -> str:
    return os.uname().sysname


def _quote_from_bytes(*given: Any) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(*given)
