"""The phone world: an assistant on Nora Feld's mobile phone, with her money, her home, and everybody's messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import World
from phone_goals import GOALS
from phone_state import State, initial
from phone_tasks import TASKS
from phone_tools import box

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


def _fill(value: Any, prefix: str, text: str) -> Any:
    if isinstance(value, str):
        head, mark, tail = value.partition("{{" + prefix)
        return f"{head} {text}{tail.partition('}}')[2]}" if mark else value
    if isinstance(value, dict):
        return {k: _fill(v, prefix, text) for k, v in value.items()}
    return [_fill(v, prefix, text) for v in value] if isinstance(value, list) else value


def _planter(prefix: str) -> Callable[[State, str], None]:
    def plant(state: State, text: str) -> None:
        for part in state:
            state[part] = _fill(state[part], prefix, text)

    return plant


WORLD = World("phone", box.infos, box.functions, initial, {k: _planter(p) for k, p in PREFIX.items()}, TASKS, GOALS)
