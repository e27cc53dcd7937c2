"""Channels to people on other machines: notifiers, the courier that carries cards to them, and their answers.

Names are loaded when they are first used: only the daemon needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.approvals.channels.courier import Courier, CourierSettings
    from guardhouse.approvals.channels.interface import (
        Listener,
        Notifier,
        Poster,
        RemoteCard,
        TryLater,
        Undeliverable,
    )
    from guardhouse.approvals.channels.minimum import remote_card
    from guardhouse.approvals.channels.opening import courier_settings, open_notifiers

__all__ = [
    "Courier",
    "CourierSettings",
    "Listener",
    "Notifier",
    "Poster",
    "RemoteCard",
    "TryLater",
    "Undeliverable",
    "courier_settings",
    "open_notifiers",
    "remote_card",
]

_MODULES = {
    "courier": ("Courier", "CourierSettings"),
    "interface": ("Listener", "Notifier", "Poster", "RemoteCard", "TryLater", "Undeliverable"),
    "minimum": ("remote_card",),
    "opening": ("courier_settings", "open_notifiers"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
