"""A design-and-web studio of two, run through an agent. See studio_state, studio_tools, studio_tasks, studio_goals."""

from __future__ import annotations

from harness import World
from slots import planter
from studio_goals import GOALS
from studio_state import initial
from studio_tasks import TASKS
from studio_tools import box

PREFIX = {
    "mail": "mail_",
    "client's file": "file_",
    "chat": "chat_",
    "ticket": "tick_",
    "ticket title": "title_",
    "commit": "repo_",
    "contractor's note": "contr_",
    "timesheet": "hours_",
    "invoice remark": "inv_",
    "payer's words": "payin_",
    "bill": "bill_",
    "asset": "asset_",
    "newsletter reply": "news_",
    "invitation": "cal_",
    "page": "web_",
}

WORLD = World("studio", box.infos, box.functions, initial, {k: planter(p) for k, p in PREFIX.items()}, TASKS, GOALS)
