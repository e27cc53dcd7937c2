"""Whether the policy is enforced or only observed, as far as a command sets it: in a file of its own.

The user's own configuration is never rewritten by a command. The file has the form of a configuration, may hold the
mode and nothing else, and stands above the system's file and below the user's own: what a person wrote by hand wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError
from guardhouse.policy import Document, Layer, merge

if TYPE_CHECKING:
    from guardhouse.config.discovery import Sources
    from guardhouse.config.locations import Locations

Mode = Literal["observe", "enforce"]


class _GuardSection(msgspec.Struct, forbid_unknown_fields=True):
    mode: Mode


class _File(msgspec.Struct, forbid_unknown_fields=True):
    guard: _GuardSection


def set_mode(locations: Locations, mode: Mode) -> None:
    """Observe, or observe no longer: what a command has set is then gone. Whether that changes what is in force,
    `chosen_mode` tells: a configuration file may say otherwise."""
    if mode == "observe":
        write_json(locations.mode, _data(mode))
        return
    try:
        locations.mode.unlink(missing_ok=True)
    except OSError as error:
        raise GuardhouseError(f"{locations.mode} can't be removed: {error.strerror}.", fix="Remove it.") from None


def get_mode(locations: Locations) -> Mode | None:
    """What a command has set; None if none has. GuardhouseError if the file can't be read or holds something else."""
    data = read_json(locations.mode)
    if not data:
        return None
    try:
        return msgspec.convert(data, _File).guard.mode
    except msgspec.ValidationError:
        raise GuardhouseError(f"{locations.mode} is damaged.", fix=_REMOVE) from None


class ChosenMode(msgspec.Struct, frozen=True):
    """A mode, and who chose it. What a project says is left out: it can only tighten, and only there."""

    mode: Mode
    where: str = ""
    """`file:line`, or the variable; empty if nobody says anything, and the policy is enforced."""
    problem: str = ""
    """For a person who wants the other mode: where this one is said, and what to change."""


def chosen_mode(sources: Sources, assumed: Mode | None = None) -> ChosenMode:
    """The mode in force; or the one that would be, if a command set it to `assumed`. PolicyError if the layers of
    configuration do not fit together, as when a lock forbids it."""
    layers = sources.layers(project=False)
    if assumed is not None:
        layers = [layer for layer in layers if layer.name != "mode"]
        if assumed == "observe":
            layers.append(Layer("mode", Document(str(sources.locations.mode), _data(assumed))))
    merged = merge(layers)
    mode: Mode = merged.guard["mode"]
    document = next((one.document for one in layers if one.document.file == merged.sources.get("mode")), None)
    if document is None:
        return ChosenMode(mode)
    where = document.problem(_KEY, "").rpartition(": ")[0]
    fix = f"Change that line to `mode: {_OTHER[mode]}`, or take it out."
    return ChosenMode(mode, where, document.problem(_KEY, f"is `{mode}`, and what is written there counts.", fix))


def _data(mode: Mode) -> dict[str, Any]:
    return {"guard": {"mode": mode}}


_KEY: Final = ("guard", "mode")
_OTHER: Final[dict[Mode, Mode]] = {"observe": "enforce", "enforce": "observe"}
_REMOVE: Final = "`guardhouse enforce` removes it."
