"""A code host and a working copy. See repohost_state, repohost_tools, repohost_tasks and repohost_goals."""

from harness import World
from repohost_goals import CARRIERS, GOALS
from repohost_state import fresh
from repohost_tasks import TASKS
from repohost_tools import BOX

WORLD = World("repohost", BOX.infos, BOX.functions, fresh, CARRIERS, TASKS, GOALS)
