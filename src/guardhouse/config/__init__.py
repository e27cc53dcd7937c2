"""Configuration on this machine: finding the files, reading them again when they change, trust, allowances, mode."""

from typing import TYPE_CHECKING, Any

from guardhouse.config.discovery import ReloadingPolicy, Sources, find_sources
from guardhouse.config.locations import PROJECT_NAME, Locations, find_locations, pinned_variables, surroundings

if TYPE_CHECKING:
    from guardhouse.config.allowances import Allowances, Kind
    from guardhouse.config.daemons import noted_daemon, noted_sockets
    from guardhouse.config.mode import ChosenMode, Mode, chosen_mode, get_mode, set_mode
    from guardhouse.config.trust_store import TrustStore

__all__ = [
    "PROJECT_NAME",
    "Allowances",
    "ChosenMode",
    "Kind",
    "Locations",
    "Mode",
    "ReloadingPolicy",
    "Sources",
    "TrustStore",
    "chosen_mode",
    "find_locations",
    "find_sources",
    "get_mode",
    "noted_daemon",
    "noted_sockets",
    "pinned_variables",
    "set_mode",
    "surroundings",
]

_LATER = {
    **dict.fromkeys(("Allowances", "Kind"), "allowances"),
    **dict.fromkeys(("ChosenMode", "Mode", "chosen_mode", "get_mode", "set_mode"), "mode"),
    **dict.fromkeys(("noted_daemon", "noted_sockets"), "daemons"),
    "TrustStore": "trust_store",
}
"""What only commands need is loaded when it is asked for, because a gate must start fast."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
