"""The demo: a hijacked agent in a world of its own, once without the gate and once with it."""

from guardhouse.demo.agent import Call, Step, hijacked
from guardhouse.demo.stage import Ending, Stage
from guardhouse.demo.world import PAGE, TASK, World

__all__ = ["PAGE", "TASK", "Call", "Ending", "Stage", "Step", "World", "hijacked"]
