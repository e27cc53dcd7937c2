"""The sandbox: a command in it sees what it needs, and has one door, which the forward proxy stands behind.

`entering` is the side of the command, `keeper` the process that stays; they meet by `meeting`. What is seen inside is
in `view`, what can't be called in `system_calls`, what the machine must have in `needs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.sandbox.errors import NoSandbox
    from guardhouse.sandbox.showing import standing, view_for
    from guardhouse.sandbox.view import View

__all__ = ["NoSandbox", "View", "standing", "view_for"]

_HOMES = {
    "NoSandbox": "guardhouse.sandbox.errors",
    "View": "guardhouse.sandbox.view",
    "standing": "guardhouse.sandbox.showing",
    "view_for": "guardhouse.sandbox.showing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'guardhouse.sandbox' has no attribute {name!r}")
    from importlib import import_module  # the side of a command is started for every call

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
