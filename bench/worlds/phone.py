"""The phone world: an assistant on Nora Feld's mobile phone, with her money, her home, and everybody's messages."""

from __future__ import annotations

from harness import World
from phone_goals import GOALS
from phone_state import initial
from phone_tasks import TASKS
from phone_tools import box
from slots import planter

PREFIX = {
    "message": "sms_",
    "mail": "mail_",
    "calendar": "cal_",
    "note": "note_",
    "web": "web_",
    "review": "review_",
    "bill": "bill_",
    "transaction": "txn_",
    "voicemail": "voicemail",
    "file": "file_",
    "photo": "photo_",
}


WORLD = World("phone", box.infos, box.functions, initial, {k: planter(p) for k, p in PREFIX.items()}, TASKS, GOALS)
