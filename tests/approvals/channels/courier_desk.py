"""A courier at a real store, with Telegram's API on loopback behind it."""

from __future__ import annotations

import time
from contextlib import contextmanager

import msgspec
from approval_desk import Desk, question
from bot_api import DEADLINE, TOKEN

from guardhouse.approvals.channels import Courier, CourierSettings, open_notifiers
from guardhouse.model import ToolCallPre, bind, wire
from guardhouse.policy.schema import ApprovalsSection, GuardSection, TelegramSection

ADA, BOB = 4001, 4002
QUICK = CourierSettings(look_every=0.1, lease=1.0, first_pause=0.05, longest_pause=0.4)


def no_poster(_url):
    raise AssertionError("nothing is posted here")


def telegram(api_url, *, people=(ADA,), environment=None, **more):
    """The notifier for a server."""
    section = TelegramSection(chat_ids=people, api_url=api_url, **more)
    config = GuardSection(approvals=ApprovalsSection(telegram=section))
    [notifier] = open_notifiers(config, environment or {"GUARDHOUSE_TELEGRAM_TOKEN": TOKEN}, no_poster)
    return notifier


def asked(tool="bash", params=None, session="s1", **more):
    """A question about any call, as the gate would ask it, with nothing masked."""
    action = ToolCallPre(tool=tool, params={"command": "make deploy"} if params is None else params, session_id=session)
    fields = {
        "bound": bind(action, {}),
        "resume": msgspec.json.encode(wire(action)),
        "action_redacted": wire(action),
        "tool_name": tool,
        "session_id": session,
        "principal": None,
    }
    return msgspec.structs.replace(question(), **{**fields, **more})


class Post:
    """A desk whose cards are looked after by a courier."""

    def __init__(self, place, notifiers, settings=QUICK, **more):
        self.desk = Desk(place, clock=more.pop("clock", time.time), **more)
        self.reports = []
        self.courier = Courier(
            self.desk.approver,
            self.desk.store.database,
            notifiers,
            settings=settings,
            report=self.reports.append,
        )

    def states(self):
        return [row[0] for row in self.desk.rows("SELECT state FROM deliveries ORDER BY changed_at")]

    def card(self, api, chat):
        """The card that comes into a chat, once it is kept that it did."""
        card = api.card(chat)
        kept = "SELECT 1 FROM deliveries WHERE state <> 'sending' AND address = ? AND message = ?"
        self.wait(lambda: self.desk.rows(kept, str(chat), str(card.number)), "the card is not kept")
        return card

    def wait(self, condition, what="nothing came of it"):
        end = time.monotonic() + DEADLINE
        while not (value := condition()):
            assert time.monotonic() < end, f"{what}; reports: {self.reports}"
            time.sleep(0.02)
        return value


@contextmanager
def post(place, notifiers, settings=QUICK, **more):
    """A courier at work until this is left."""
    at = Post(place, notifiers, settings, **more)
    at.courier.start()
    try:
        yield at
    finally:
        assert at.courier.stop(), "the courier does not stop"
        at.desk.store.close()
