"""Changing between observing and enforcing, with the change in the record.

To observe is to let more through, so it is a person's to say, it must have an effect, and the evidence comes first. To
enforce is always possible, whatever else is broken.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from guardhouse.config import ChosenMode, Mode, chosen_mode, set_mode
from guardhouse.model import GuardhouseError
from guardhouse.observing.loosening import record_change, require_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.config import Sources


def switch_mode(sources: Sources, mode: Mode, *, clock: Callable[[], float] = time.time) -> ChosenMode:
    """Observe or enforce from now on; the mode in force then, which is the one that was asked for.

    GuardhouseError if a configuration file says otherwise (it names the file and the line), if a lock forbids it, if
    this process comes from a guarded agent, or if it can't be recorded. What failed to change is as it was before,
    but for `enforce`: then nothing that a command set is left.
    """
    return _observe(sources, clock) if mode == "observe" else _enforce(sources, clock)


def _observe(sources: Sources, clock: Callable[[], float]) -> ChosenMode:
    require_person(sources.locations)
    if chosen_mode(sources).mode == "observe":
        return chosen_mode(sources)
    foreseen = chosen_mode(sources, assumed="observe")
    if foreseen.mode != "observe":
        raise GuardhouseError(f"Nothing was changed. {foreseen.problem}")
    record_change(sources, "the mode was set to observe", mode="observe", clock=clock)
    set_mode(sources.locations, "observe")
    return chosen_mode(sources)


def _enforce(sources: Sources, clock: Callable[[], float]) -> ChosenMode:
    changes = os.path.lexists(sources.locations.mode)
    set_mode(sources.locations, "enforce")
    chosen = chosen_mode(sources)
    if chosen.mode != "enforce":
        raise GuardhouseError(f"The policy is still only observed. {chosen.problem}")
    if changes:
        record_change(sources, "the mode was set to enforce", mode="enforce", clock=clock)
    return chosen
