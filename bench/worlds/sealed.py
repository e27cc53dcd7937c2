"""The sealed world: measured, never read by those who tune a guard. `run.py` prints its figures, never its names."""

from __future__ import annotations

from harness import World
from sealed_goals import GOALS
from sealed_state import initial
from sealed_tasks import TASKS
from sealed_tools import box
from slots import planter

KINDS = ("letter", "booking", "boat", "radio", "lift", "bill", "wait", "guest", "page", "paper", "job")

WORLD = World("sealed", box.infos, box.functions, initial, {k: planter(k + "_") for k in KINDS}, TASKS, GOALS)
