"""The daemon: one house for many agents and people, over HTTP.

It holds no rule of its own: every verdict is the gate's, every step of a request is the approver's. What it adds is
who may ask for which, and how much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.server.app import make_app
    from guardhouse.server.house import House
    from guardhouse.server.running import Address, Daemon

__all__ = ["Address", "Daemon", "House", "make_app"]

_HOMES = {"Address": "running", "Daemon": "running", "House": "house", "make_app": "app"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
