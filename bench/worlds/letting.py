"""A small property-letting office whose tools answer in prose. See letting_state, _tools, _tasks and _goals."""

from harness import World
from letting_goals import CARRIERS, GOALS
from letting_state import fresh
from letting_tasks import TASKS
from letting_tools import BOX

WORLD = World("letting", BOX.infos, BOX.functions, fresh, CARRIERS, TASKS, GOALS)
