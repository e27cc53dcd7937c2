"""An online shop whose tools answer in prose. See shop_state, shop_tools, shop_tasks and shop_goals."""

from harness import World
from shop_goals import CARRIERS, GOALS
from shop_state import fresh
from shop_tasks import TASKS
from shop_tools import BOX

WORLD = World("shop", BOX.infos, BOX.functions, fresh, CARRIERS, TASKS, GOALS)
