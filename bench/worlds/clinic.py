"""A small physiotherapy and dental practice. See clinic_state, clinic_tools, clinic_tasks and clinic_goals."""

from clinic_goals import CARRIERS, GOALS
from clinic_state import fresh
from clinic_tasks import TASKS
from clinic_tools import BOX
from harness import World

WORLD = World("clinic", BOX.infos, BOX.functions, fresh, CARRIERS, TASKS, GOALS)
