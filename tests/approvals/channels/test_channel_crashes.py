"""A daemon that is killed with SIGKILL between any two steps of create, notify, answer and consume: nothing is lost,
nothing answered or used twice, and nothing let through that nobody approved."""

import os
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from approval_desk import Desk
from bot_api import DEADLINE, TOKEN, BotApi
from courier_desk import ADA, asked, post, telegram
from courier_worker import STEPS

from guardhouse.model import ApprovalStatus

WORKER = str(Path(__file__).with_name("courier_worker.py"))
BEFORE_THE_CARD_IS_KEPT = list(STEPS)[:3]
BEFORE_THE_ANSWER = list(STEPS)[:4]


@contextmanager
def halted(place, api, step):
    """A worker that will come to a halt at `step`; gives a function that waits for that and kills it there."""
    here = Path(__file__).parent
    process = subprocess.Popen(
        [sys.executable, WORKER, str(place), api.url, step],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{here.parent}:{os.environ.get('PYTHONPATH', '')}"},
    )

    def kill():
        assert select.select([process.stdout], [], [], DEADLINE)[0], f"it does not come to: {step}"
        assert process.stdout.readline() == b"inside\n"
        process.kill()
        process.wait()

    try:
        yield kill
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def api():
    with BotApi() as server:
        yield server


@pytest.mark.parametrize("step", STEPS)
def test_a_daemon_is_killed_at_a_step_of_notifying_and_another_goes_on(place, api, step):
    desk = Desk(place, clock=time.time)
    request = desk.opened(asked())
    with halted(place, api, step) as kill:
        if step not in BEFORE_THE_ANSWER:
            first = api.card(ADA)
            kept = "SELECT 1 FROM deliveries WHERE state = 'shown'"
            api.wait(lambda: desk.rows(kept), "the card is not kept")
            api.press(first, first.buttons["Approve"])
        kill()
    if step in BEFORE_THE_ANSWER or step == "before the answer is kept":
        assert desk.status(request) is ApprovalStatus.PENDING
        assert not desk.approver.settle(asked()).granted
    orphans = api.cards(ADA) if step in BEFORE_THE_CARD_IS_KEPT else []
    with post(place, [telegram(api.url)]) as at:
        if step in BEFORE_THE_ANSWER:
            api.wait(lambda: len(api.cards(ADA)) > len(orphans), "no card came")
            card = at.card(api, ADA)
            for orphan in orphans:
                assert "newer one" in api.notice(api.press(orphan, orphan.buttons["Approve"]))
                assert at.desk.status(request) is ApprovalStatus.PENDING
            api.press(card, card.buttons["Approve"])
        at.wait(lambda: at.desk.status(request) is ApprovalStatus.APPROVED, "the answer was lost")
        card = api.cards(ADA)[-1]
        api.wait(lambda: "Approved by" in card.text and not card.keyboard, "the card was not edited")
        grants = [at.desk.approver.settle(asked(), request.id).granted for _ in range(3)]
        assert grants == [True, False, False]
        api.wait(lambda: "and used" in card.text, "the card does not say that it was used")
        api.heard()
    answers = desk.rows("SELECT status, actor FROM requests WHERE id = ?", request.id)
    assert answers == [("consumed", f"telegram:{ADA}")]
    assert len(api.cards(ADA)) == 1 + len(orphans)
    assert [one for one in api.cards(ADA) if one.keyboard] == []
    assert TOKEN not in repr(at.reports)


def test_a_daemon_is_killed_while_nobody_answers_and_the_request_still_times_out(place, api):
    from approval_desk import Clock

    desk = Desk(place, clock=time.time)
    request = desk.opened(asked())
    with halted(place, api, "after it is kept that the card was sent") as kill:
        kill()
    clock = Clock(time.time() + 301)
    with post(place, [telegram(api.url)], clock=clock) as at:
        [card] = api.cards(ADA)
        api.wait(lambda: "Timed out" in card.text)
        assert at.desk.approver.settle(asked(), request.id).refusal == "timeout"
