"""The courier: one card for each request and address, true to what became of the request, whatever fails between."""

import threading
import time
from contextlib import closing

import pytest
from approval_desk import Clock, Desk
from bot_api import TOKEN, BotApi
from courier_desk import ADA, BOB, QUICK, Post, asked, post, telegram

from guardhouse.approvals.channels import Courier, CourierSettings, TryLater, Undeliverable
from guardhouse.approvals.channels.deliveries import Deliveries, LeaseLost
from guardhouse.model import ApprovalStatus, GuardhouseError


@pytest.fixture
def api():
    with BotApi() as server:
        yield server


class Board:
    """A notifier that shows cards in memory, and fails as told."""

    name = "board"

    def __init__(self, *addresses):
        self.addresses = addresses or ("wall",)
        self.shown = []
        self.settled = []
        self.problems = {}
        self.tried = []
        self.changed = threading.Condition()

    async def send(self, delivery_id, address, card, buttons):
        self._may(card.request_id)
        with self.changed:
            self.shown.append((address, card, buttons))
            self.changed.notify_all()
        return f"m{len(self.shown)}"

    async def settle(self, delivery_id, address, message, card):
        self._may(card.request_id)
        with self.changed:
            self.settled.append((address, message, card))
            self.changed.notify_all()

    async def close(self):
        """Nothing is open."""

    def _may(self, request_id):
        self.tried.append((time.monotonic(), request_id))
        for key in (request_id, "*"):
            if self.problems.get(key):
                raise self.problems[key].pop(0)


def test_a_card_is_sent_once_to_each_address_and_edited_to_the_final_state(place):
    board = Board("ada", "bob")
    with post(place, [board]) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown", "shown"])
        at.desk.approver.answer(request.id, approve=False, actor="eve")
        at.wait(lambda: at.states() == ["final", "final"])
    assert sorted(address for address, _, _ in board.shown) == ["ada", "bob"]
    assert [card.outcome for _, _, card in board.settled] == ["Denied by eve."] * 2
    assert len({buttons.deny for _, _, buttons in board.shown}) == 2
    assert at.reports == []


def test_buttons_are_kept_as_digests_only(place):
    board = Board()
    with post(place, [board]) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
        [(_, _, buttons)] = board.shown
        kept = repr(at.desk.rows("SELECT * FROM deliveries"))
    assert len(bytes.fromhex(buttons.approve)) >= 16
    assert buttons.approve not in kept
    assert buttons.deny not in kept


def test_requests_from_before_the_start_get_cards_and_those_settled_meanwhile_are_ended(place):
    desk = Desk(place, clock=time.time)
    first = desk.opened(asked())
    board = Board()
    with post(place, [board]) as at:
        at.wait(lambda: at.states() == ["shown"])
    desk.approver.answer(first.id, approve=False, actor="eve")
    second = desk.opened(asked(params={"command": "make test"}))
    later = Board()
    with post(place, [later]) as at:
        at.wait(lambda: sorted(at.states()) == ["final", "shown"])
    assert [card.request_id for _, _, card in later.settled] == [first.id]
    assert [card.request_id for _, card, _ in later.shown] == [second.id]


def test_an_approved_card_says_so_and_then_that_it_was_used(place):
    board = Board()
    with post(place, [board]) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
        at.desk.approver.answer(request.id, approve=True, actor="eve")
        at.wait(lambda: len(board.settled) == 1)
        assert at.states() == ["shown"]
        assert at.desk.approver.settle(asked()).granted
        at.wait(lambda: at.states() == ["final"])
    assert [card.status for _, _, card in board.settled] == [ApprovalStatus.APPROVED, ApprovalStatus.CONSUMED]


@pytest.mark.parametrize("ending", ["expired", "cancelled", "superseded"])
def test_a_card_ends_however_its_request_does(place, ending):
    board, clock = Board(), Clock(time.time())
    with post(place, [board], clock=clock) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
        if ending == "expired":
            clock.pass_(301)
        elif ending == "cancelled":
            at.desk.approver.cancel(request.id, actor="eve")
        else:
            at.desk.opened(asked(codes=("shell.unknown", "shell.more")))
        at.wait(lambda: "final" in at.states())
    assert [card.status.value for _, _, card in board.settled] == [ending]


def test_a_flood_limit_is_obeyed_and_nothing_is_lost(place):
    board = Board()
    board.problems["*"] = [TryLater("Slow down.", seconds=0.5)]
    with post(place, [board]) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
    (first, _), (second, _) = board.tried
    assert second - first >= 0.5
    assert len(at.reports) == 1


def test_an_outage_is_told_once_and_what_is_pending_then_is_sent(place):
    board = Board()
    board.problems["*"] = [TryLater("Down.", stops_all=True) for _ in range(4)]
    with post(place, [board]) as at:
        for number in range(3):
            at.desk.opened(asked(params={"command": f"make {number}"}))
        at.wait(lambda: at.states() == ["shown"] * 3)
    assert len(board.shown) == 3
    assert at.reports == ["board can't be used now: Down."]


def test_a_request_that_was_settled_during_an_outage_gets_no_card(place):
    board = Board()
    board.problems["*"] = [TryLater("Down.", seconds=0.3)]
    with post(place, [board]) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.reports)
        at.desk.approver.answer(request.id, approve=False, actor="eve")
        at.wait(lambda: at.states() == ["lost"])
    assert board.shown == []


def test_one_request_that_fails_keeps_no_other_back(place):
    board = Board()
    desk = Desk(place, clock=time.time)
    first = desk.opened(asked())
    board.problems[first.id] = [ValueError(f"with {TOKEN}") for _ in range(3)]
    with post(place, [board]) as at:
        second = at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: at.states() == ["shown", "shown"])
    assert [card.request_id for _, card, _ in board.shown] == [second.id, first.id]
    assert "ValueError" in at.reports[0]
    assert TOKEN not in repr(at.reports)


PATIENT = CourierSettings(look_every=0.1, lease=1.0, first_pause=30.0)


def test_a_card_that_fails_at_the_server_keeps_no_other_back(place):
    board = Board()
    desk = Desk(place, clock=time.time)
    first = desk.opened(asked())
    board.problems[first.id] = [TryLater("It did not answer in time.")]
    with post(place, [board], PATIENT) as at:
        at.wait(lambda: at.reports)
        second = at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: board.shown)
    assert [card.request_id for _, card, _ in board.shown] == [second.id]
    assert at.reports == [f"The card for {first.id} was not sent through board: It did not answer in time."]


def test_cards_that_can_not_be_ended_keep_no_other_back_however_many_they_are(place, monkeypatch):
    monkeypatch.setattr("guardhouse.approvals.channels.courier._AT_ONCE", 2)
    board = Board()
    with post(place, [board], PATIENT) as at:
        requests = [at.desk.opened(asked(params={"command": f"make {number}"})) for number in range(5)]
        at.wait(lambda: at.states() == ["shown"] * 5)
        for request in requests[:4]:
            board.problems[request.id] = [TryLater("Status 500.")]
        for request in requests:
            at.desk.approver.answer(request.id, approve=request in requests[:4], actor="eve")
        at.wait(lambda: board.settled)
        at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: len(board.shown) == 6)
    assert [card.request_id for _, _, card in board.settled] == [requests[4].id]


def test_a_card_that_can_not_be_ended_for_long_is_left_after_a_last_try(place):
    board = Board()
    settings = CourierSettings(look_every=0.1, lease=1.0, first_pause=0.05, longest_pause=0.1, last_try=0.5)
    with post(place, [board], settings) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
        board.problems[request.id] = [TryLater("Status 500.") for _ in range(1000)]
        at.desk.approver.answer(request.id, approve=False, actor="eve")
        at.wait(lambda: at.states() == ["final"])
        assert at.desk.approver.get(request.id).status is ApprovalStatus.DENIED
    tries = [moment for moment, _ in board.tried[1:]]
    assert 3 <= len(tries) <= 12
    assert tries[-1] - tries[0] >= 0.5
    assert "last try" in at.reports[-1]
    assert board.settled == []


@pytest.mark.parametrize("answer", [500, "drop"])
def test_a_card_that_telegram_fails_at_keeps_no_other_back(tmp_path, api, answer):
    api.fail("sendMessage", answer)
    with post(tmp_path / "approvals.db", [telegram(api.url)], PATIENT) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.reports)
        second = at.desk.opened(asked(params={"command": "make test"}))
        assert second.id in at.card(api, ADA).text


def test_a_damaged_request_keeps_no_other_back(place):
    board = Board()
    desk = Desk(place, clock=time.time)
    damaged = desk.opened(asked())
    desk.rows("UPDATE requests SET reasons = ? WHERE id = ?", "no reasons", damaged.id)
    with post(place, [board]) as at:
        fine = at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: at.states() == ["shown"])
    assert [card.request_id for _, card, _ in board.shown] == [fine.id]
    assert any("damaged" in report for report in at.reports)


def test_one_channel_that_fails_keeps_no_other_back(place):
    broken, board = Board(), Board()
    broken.name = "broken"
    broken.problems["*"] = [RuntimeError("no") for _ in range(1000)]
    with post(place, [broken, board]) as at:
        at.desk.opened(asked())
        at.wait(lambda: board.shown)
        at.wait(lambda: at.reports)


def test_what_can_not_be_delivered_is_not_tried_again(place):
    board = Board()
    board.problems["*"] = [Undeliverable("They blocked the bot.")]
    with post(place, [board]) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["final"])
        at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: sorted(at.states()) == ["final", "shown"])
    assert len(board.shown) == 1
    assert any("blocked" in report for report in at.reports)


def test_of_two_couriers_one_looks_after_a_channel_and_the_other_takes_over(place):
    first, second = Board(), Board()
    with post(place, [first]) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
        with post(place, [second]) as other:
            other.desk.opened(asked(params={"command": "make test"}))
            at.wait(lambda: len(first.shown) == 2)
            assert at.courier.stop()
            other.desk.opened(asked(params={"command": "make clean"}))
            other.wait(lambda: len(second.shown) == 1)
    assert len(first.shown) == 2


def test_a_process_that_lost_its_lease_sends_nothing_and_what_it_was_sending_is_lost(place):
    desk = Desk(place, clock=time.time)
    request = desk.opened(asked())
    slow, quick = Deliveries(desk.store.database, "slow"), Deliveries(desk.store.database, "quick")
    assert slow.take("board", 60)
    unsent = slow.begin("board", request.id, "wall", with_approve=True)
    assert not quick.take("board", 60)
    desk.rows("UPDATE leases SET until = 0")
    assert quick.take("board", 60)
    assert not slow.take("board", 60)
    with pytest.raises(LeaseLost):
        slow.begin("board", request.id, "wall", with_approve=True)
    again = quick.begin("board", request.id, "wall", with_approve=True)
    assert again is not None
    assert not slow.shown(unsent.id, "m1")
    assert quick.shown(again.id, "m2")
    assert desk.rows("SELECT state FROM deliveries WHERE id = ?", unsent.id) == [("lost",)]


def test_a_lease_of_a_clock_that_was_set_back_holds_nobody_up(place):
    desk = Desk(place, clock=time.time)
    ahead, now = Deliveries(desk.store.database, "ahead"), Deliveries(desk.store.database, "now")
    assert ahead.take("board", 10)
    desk.rows("UPDATE leases SET until = until + 7200")
    assert now.take("board", 10)


def test_there_is_one_card_for_a_request_and_an_address_at_a_time(place):
    desk = Desk(place, clock=time.time)
    request = desk.opened(asked())
    deliveries = Deliveries(desk.store.database, "one")
    assert deliveries.take("board", 10)
    unsent = deliveries.begin("board", request.id, "wall", with_approve=False)
    assert unsent.buttons.approve is None
    assert deliveries.begin("board", request.id, "wall", with_approve=False) is None
    deliveries.lose(unsent.id)
    assert deliveries.begin("board", request.id, "wall", with_approve=False) is not None
    desk.approver.answer(request.id, approve=False, actor="eve")
    assert deliveries.begin("board", request.id, "door", with_approve=False) is None


def test_a_store_that_fails_for_a_while_loses_nothing(place):
    board = Board()

    class Shaky(Deliveries):
        failures = 2

        def shown(self, delivery_id, message):
            if self.failures:
                self.failures -= 1
                raise GuardhouseError("The database is away.")
            return super().shown(delivery_id, message)

    at = Post(place, [board])
    channel = at.courier._channels[0]
    channel._deliveries = Shaky(at.desk.store.database, "shaky")
    at.courier.start()
    try:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["shown"])
    finally:
        assert at.courier.stop()
    assert len(board.shown) == 1
    assert at.reports == ["Cards for board can't be kept: The database is away."]


def test_a_report_that_fails_stops_nothing(tmp_path, caplog):
    board = Board()
    board.problems["*"] = [TryLater("Down."), TryLater("Still down.")]

    def broken(_what):
        raise OSError("nobody listens")

    desk = Desk(tmp_path / "approvals.db", clock=time.time)
    courier = Courier(desk.approver, desk.store.database, [board], settings=QUICK, report=broken)
    courier.start()
    try:
        desk.opened(asked())
        Post(tmp_path / "approvals.db", []).wait(lambda: board.shown)
    finally:
        assert courier.stop()
    assert "Down." in caplog.text


def test_the_courier_is_started_once_and_says_whether_it_runs(tmp_path):
    with closing(Desk(tmp_path / "approvals.db", clock=time.time).store) as store:
        desk = Desk(tmp_path / "approvals.db", clock=time.time)
        courier = Courier(desk.approver, store.database, [], settings=QUICK, report=print)
        assert courier.stop()
        courier.start()
        assert courier.is_running
        with pytest.raises(GuardhouseError, match="started already"):
            courier.start()
        assert courier.stop()
        assert not courier.is_running


def test_a_store_that_is_missing_at_the_start_is_reported_and_found_later(tmp_path):
    place = tmp_path / "state" / "approvals.db"
    place.parent.mkdir(mode=0o700)
    place.write_text("this is no database at all, but long enough to look like one " * 20)
    board = Board()
    with post(place, [board]) as at:
        at.wait(lambda: at.reports)
        place.unlink()
        desk = Desk(place, clock=time.time)
        desk.opened(asked())
        at.wait(lambda: board.shown)


def test_two_people_get_the_same_request_and_the_first_answer_ends_both_cards(place, api):
    with post(place, [telegram(api.url, people=(ADA, BOB))]) as at:
        request = at.desk.opened(asked())
        ada, bob = at.card(api, ADA), at.card(api, BOB)
        api.press(ada, ada.buttons["Deny"])
        api.wait(lambda: not bob.keyboard and not ada.keyboard)
        assert at.desk.approver.get(request.id).actor == f"telegram:{ADA}"
        assert f"Denied by telegram:{ADA}." in bob.text


def test_another_channel_wins_and_the_card_says_so(place, api):
    with post(place, [telegram(api.url), Board()]) as at:
        request = at.desk.opened(asked())
        card = at.card(api, ADA)
        at.desk.approver.answer(request.id, approve=True, actor="eve at a terminal")
        api.wait(lambda: not card.keyboard)
        assert "Approved by eve at a terminal." in card.text


def test_telegram_is_down_and_comes_back(place, api):
    api.down()
    with post(place, [telegram(api.url), (board := Board())]) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: board.shown)
        at.wait(lambda: any("telegram can't be used now" in report for report in at.reports))
        assert at.desk.approver.get(request.id).status is ApprovalStatus.PENDING
        api.up()
        card = at.card(api, ADA)
        at.wait(lambda: at.states() == ["shown", "shown"])
        api.down()
        at.desk.approver.answer(request.id, approve=False, actor="eve")
        at.wait(lambda: len(board.settled) == 1)
        api.up()
        api.wait(lambda: not card.keyboard)
        assert "Denied by eve." in card.text
        assert len(api.cards()) == 1
    assert TOKEN not in repr(at.reports)


def test_telegram_stays_down_and_the_request_times_out_as_a_no(place, api):
    api.down()
    clock = Clock(time.time())
    with post(place, [telegram(api.url)], clock=clock) as at:
        request = at.desk.opened(asked())
        at.wait(lambda: at.reports)
        clock.pass_(301)
        at.wait(lambda: at.desk.rows("SELECT status FROM requests") == [("expired",)])
        assert at.desk.approver.settle(asked(), request.id).refusal == "timeout"


@pytest.mark.parametrize("answer", [500, 502, "drop", 409, (429, {"retry_after": 1})])
def test_telegram_fails_in_any_way_and_one_card_still_comes(place, api, answer):
    api.fail("sendMessage", answer, answer)
    with post(place, [telegram(api.url)], CourierSettings(look_every=0.1, lease=2.0, first_pause=0.05)) as at:
        at.desk.opened(asked())
        card = at.card(api, ADA)
        query = api.press(card, card.buttons["Deny"])
        assert "Denied" in api.notice(query)
    assert len(api.cards()) == 1
    assert TOKEN not in repr(at.reports)


@pytest.mark.parametrize("answer", [500, "drop", 409, (429, {"retry_after": 1})])
def test_telegram_can_not_be_heard_for_a_while_and_answers_come_through_later(place, api, answer):
    api.fail("getUpdates", answer, answer)
    with post(place, [telegram(api.url)]) as at:
        request = at.desk.opened(asked())
        card = at.card(api, ADA)
        api.press(card, card.buttons["Deny"])
        at.wait(lambda: at.desk.status(request) is ApprovalStatus.DENIED)
        at.wait(lambda: any("can't be heard now" in report for report in at.reports))
    assert TOKEN not in repr(at.reports)
