"""Telegram: who may answer, by what, and what they are shown, over HTTP against a server that speaks the Bot API."""

import logging
import os
import re
import time

import msgspec
import pytest
from approval_desk import Clock, Desk
from bot_api import TOKEN, BadHtml, BotApi, read_html
from courier_desk import ADA, BOB, QUICK, asked, no_poster, post, telegram

from guardhouse.approvals.channels import open_notifiers
from guardhouse.approvals.channels.deliveries import Deliveries
from guardhouse.approvals.channels.minimum import remote_card
from guardhouse.approvals.channels.telegram import card_html
from guardhouse.model import ApprovalStatus, GuardhouseError
from guardhouse.policy.schema import ApprovalsSection, GuardSection, TelegramSection

STRANGER, GROUP = 6666, -100123
FREE_TEXT = "please wire the money to the usual account"


@pytest.fixture
def api():
    with BotApi() as server:
        yield server


@pytest.fixture
def at(place, api):
    with post(place, [telegram(api.url, people=(ADA, BOB))]) as opened:
        yield opened


@pytest.fixture
def local(tmp_path, api):
    """The same on SQLite alone, for what has nothing to do with the store."""
    with post(tmp_path / "approvals.db", [telegram(api.url)]) as opened:
        yield opened


# Buttons


@pytest.mark.parametrize(("button", "status"), [("Approve", "approved"), ("Deny", "denied")])
def test_a_button_answers_and_the_card_says_who(at, api, button, status):
    request = at.desk.opened(asked())
    card = at.card(api, ADA)
    assert set(card.buttons) == {"Approve", "Deny"}
    notice = api.notice(api.press(card, card.buttons[button]))
    assert f"telegram:{ADA}" in notice
    answered = at.desk.approver.get(request.id)
    assert (answered.status.value, answered.actor) == (status, f"telegram:{ADA}")
    api.wait(lambda: not card.keyboard)
    assert f"by telegram:{ADA}" in card.text


def test_buttons_carry_nothing_but_random_ids(local, api):
    request = local.desk.opened(asked())
    card = local.card(api, ADA)
    for data in card.buttons.values():
        assert re.fullmatch("[0-9a-f]{48}", data)
        assert request.id not in data
    assert len(set(card.buttons.values())) == 2


FORGERIES = {
    "a stranger in their own chat": {"user": STRANGER, "chat": STRANGER},
    "a stranger who names the admin's chat": {"user": STRANGER},
    "an admin in a group": {"chat": GROUP, "kind": "group"},
    "an admin in a group with the admin's number": {"kind": "supergroup"},
    "an admin in another admin's chat": {"user": BOB},
    "another admin in their own chat": {"user": BOB, "chat": BOB},
    "a card that was forwarded": {"number": 999_999},
    "a press without a card": {"message": None},
    "a press on what another bot wrote inline": {"message": None, "inline_message_id": "abc"},
    "a bot": {"from": {"id": ADA, "is_bot": True, "first_name": "x"}},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_press_from_anybody_else_or_anywhere_else_changes_nothing(at, api, forgery):
    request = at.desk.opened(asked())
    card = at.card(api, ADA)
    notice = api.notice(api.press(card, card.buttons["Approve"], **FORGERIES[forgery]))
    assert "Nothing was changed" in notice
    assert at.desk.status(request) is ApprovalStatus.PENDING
    assert set(card.buttons) == {"Approve", "Deny"}


@pytest.mark.parametrize("data", ["0" * 48, "approve", "ap_1:approve", "a" * 64, "\u202e\x00"])
def test_a_button_that_nobody_made_changes_nothing(local, api, data):
    request = local.desk.opened(asked())
    card = local.card(api, ADA)
    assert "not valid" in api.notice(api.press(card, data))
    assert "not valid" in api.notice(api.press(card, request.id))
    assert local.desk.status(request) is ApprovalStatus.PENDING


def test_a_button_of_one_card_does_not_work_on_another(local, api):
    first = local.desk.opened(asked())
    card = local.card(api, ADA)
    second = local.desk.opened(asked(params={"command": "make test"}))
    api.wait(lambda: len(api.cards()) == 2)
    other = local.card(api, ADA)
    api.notice(api.press(other, card.buttons["Approve"]))
    assert local.desk.status(first) is local.desk.status(second) is ApprovalStatus.PENDING


def test_a_press_that_is_replayed_answers_nothing_twice(local, api):
    request = local.desk.opened(asked())
    card = local.card(api, ADA)
    approve, deny = card.buttons["Approve"], card.buttons["Deny"]
    api.notice(api.press(card, approve))
    answered = local.desk.approver.get(request.id)
    assert "Approved by" in api.notice(api.press(card, approve))
    assert "already approved by telegram" in api.notice(api.press(card, deny))
    assert local.desk.approver.get(request.id) == answered
    assert local.desk.approver.settle(asked()).granted
    local.wait(lambda: local.states() == ["final"])
    assert "Nothing was changed" in api.notice(api.press(card, approve))
    assert not local.desk.approver.settle(asked()).granted


def test_a_press_after_the_time_is_refused_and_says_so(place, api):
    clock = Clock(time.time())
    with post(place, [telegram(api.url)], clock=clock) as at:
        request = at.desk.opened(asked())
        card = at.card(api, ADA)
        approve = card.buttons["Approve"]
        clock.pass_(301)
        notice = api.notice(api.press(card, approve))
        assert "expired" in notice or "Timed out" in notice
        assert at.desk.approver.get(request.id).status is ApprovalStatus.EXPIRED
        api.wait(lambda: not card.keyboard)
        assert "Timed out" in card.text
        at.wait(lambda: at.states() == ["final"])
        assert "Timed out" in api.notice(api.press(card, approve))


def test_a_card_that_was_lost_is_stale_and_loses_its_buttons(place, api):
    """A process was killed between sending a card and keeping that it did."""
    desk = Desk(place, clock=time.time)
    request = desk.opened(asked())
    dead = Deliveries(desk.store.database, "dead")
    assert dead.take("telegram", 60)
    unsent = dead.begin("telegram", request.id, str(ADA), with_approve=True)
    desk.rows("UPDATE leases SET until = 0")
    orphan = {"chat_id": str(ADA), "text": "orphan", "reply_markup": '{"inline_keyboard": []}'}
    api.answer("sendMessage", orphan)
    [old] = api.cards(ADA)
    old.keyboard = [[{"text": "Approve", "callback_data": unsent.buttons.approve}]]
    with post(place, [telegram(api.url)]) as at:
        api.wait(lambda: len(api.cards(ADA)) == 2)
        new = at.card(api, ADA)
        assert "newer one" in api.notice(api.press(old, unsent.buttons.approve))
        api.wait(lambda: not old.keyboard)
        assert at.desk.status(request) is ApprovalStatus.PENDING
        assert "Approved" in api.notice(api.press(new, new.buttons["Approve"]))
        assert sorted(at.states()) == ["lost", "shown"]


def test_a_store_that_fails_is_told_to_the_person_and_nothing_is_changed(local, api, monkeypatch):
    request = local.desk.opened(asked())
    card = local.card(api, ADA)

    def broken(*_, **__):
        raise GuardhouseError("The database is away.")

    monkeypatch.setattr(local.desk.approver, "answer", broken)
    assert "could not be kept" in api.notice(api.press(card, card.buttons["Approve"]))
    monkeypatch.undo()
    assert local.desk.status(request) is ApprovalStatus.PENDING
    assert "Approved" in api.notice(api.press(card, card.buttons["Approve"]))
    assert any("The database is away." in report for report in local.reports)


def test_a_person_who_can_not_be_told_has_answered_all_the_same(local, api):
    request = local.desk.opened(asked())
    card = local.card(api, ADA)
    api.fail("answerCallbackQuery", 400)
    api.press(card, card.buttons["Deny"])
    local.wait(lambda: local.desk.status(request) is ApprovalStatus.DENIED)
    local.wait(lambda: any("could not be told" in report for report in local.reports))
    api.wait(lambda: not card.keyboard)


# Commands


def test_commands_answer_by_id_or_by_its_beginning(at, api):
    first = at.desk.opened(asked())
    at.card(api, ADA)
    assert "Approved by telegram" in api.said(f"/approve {first.id}", user=ADA)
    second = at.desk.opened(asked(params={"command": "make test"}))
    api.wait(lambda: len(api.cards(ADA)) == 2)
    at.card(api, ADA)
    assert "Denied by telegram" in api.said(f"/deny@gate_bot {second.id[:9]} not on a\nFriday", user=ADA)
    denied = at.desk.approver.get(second.id)
    assert (denied.status, denied.comment) == (ApprovalStatus.DENIED, "not on a\nFriday")


def test_resume_renews_an_approval_and_is_seen_by_whoever_follows(at, api):
    request = at.desk.opened(asked())
    at.card(api, ADA)
    assert "not answered yet" in api.said(f"/resume {request.id}", user=ADA)
    api.said(f"/approve {request.id}", user=ADA)
    assert request.id in api.said(f"/resume {request.id}", user=ADA)
    assert at.desk.approver.get(request.id).resume_asked_at is not None


def test_opposite_and_late_commands_are_told_who_answered(at, api):
    request = at.desk.opened(asked())
    at.card(api, ADA)
    at.desk.approver.answer(request.id, approve=False, actor="eve")
    assert "already denied by eve" in api.said(f"/approve {request.id}", user=ADA)
    assert at.desk.status(request) is ApprovalStatus.DENIED


@pytest.mark.parametrize(
    ("user", "more"),
    [
        (STRANGER, {}),
        (ADA, {"chat": GROUP, "kind": "group"}),
        (ADA, {"kind": "group"}),
        (ADA, {"chat": BOB}),
        (STRANGER, {"chat": ADA}),
        (
            ADA,
            {
                "forward_origin": {
                    "type": "user",
                    "date": 1,
                    "sender_user": {"id": 1, "is_bot": False, "first_name": "x"},
                }
            },
        ),
        (ADA, {"from": {"id": ADA, "is_bot": True, "first_name": "x"}}),
    ],
)
def test_a_command_from_anybody_else_or_anywhere_else_changes_nothing(local, api, user, more):
    request = local.desk.opened(asked())
    local.card(api, ADA)
    before = len(api.messages)
    api.write(f"/approve {request.id}", user=user, **more)
    api.heard()
    assert local.desk.status(request) is ApprovalStatus.PENDING
    assert len(api.messages) == before


@pytest.mark.parametrize(
    "text", ["/approve@other_bot {id}", "approve {id}", "please /approve {id}", "/approve{id}", "yes", "", "/"]
)
def test_what_is_no_command_for_this_bot_is_not_answered(local, api, text):
    request = local.desk.opened(asked())
    local.card(api, ADA)
    before = len(api.messages)
    api.write(text.format(id=request.id), user=ADA)
    api.heard()
    assert local.desk.status(request) is ApprovalStatus.PENDING
    assert len(api.messages) == before


@pytest.mark.parametrize("named", ["ap_", "ap_12345", "%", "ap_______", "' OR 1=1 --", "\u202e", "a" * 3000, "{id}x"])
def test_a_command_about_no_card_in_this_chat_changes_nothing(local, api, named):
    request = local.desk.opened(asked())
    local.card(api, ADA)
    assert "There is no card" in api.said(f"/approve {named.format(id=request.id)}", user=ADA)
    assert local.desk.status(request) is ApprovalStatus.PENDING


def test_a_command_without_an_id_or_an_unknown_one_is_told_what_there_is(local, api):
    assert "/deny ID why" in api.said("/approve", user=ADA)
    assert "/deny ID why" in api.said("/start", user=ADA)


def test_a_beginning_that_fits_several_ids_answers_none(tmp_path, api):
    numbers = iter(range(9))
    with post(tmp_path / "approvals.db", [telegram(api.url)], new_id=lambda: f"ap_abcdef{next(numbers):018x}") as at:
        first = at.desk.opened(asked())
        second = at.desk.opened(asked(params={"command": "make test"}))
        at.wait(lambda: at.states() == ["shown", "shown"])
        assert "Several ids" in api.said("/approve ap_abcdef", user=ADA)
        assert at.desk.status(first) is at.desk.status(second) is ApprovalStatus.PENDING


def test_a_request_without_a_card_in_this_chat_can_not_be_named(tmp_path, api):
    with post(tmp_path / "approvals.db", [telegram(api.url, people=(ADA, BOB))]) as at:
        request = at.desk.opened(asked())
        at.card(api, ADA)
        at.card(api, BOB)
        at.desk.rows("DELETE FROM deliveries WHERE address = ?", str(BOB))
        at.desk.rows(
            "INSERT INTO deliveries VALUES ('dl_1', ?, 'telegram', ?, 'final', NULL, NULL, NULL, 0, 0)",
            request.id,
            str(BOB),
        )
        assert "There is no card" in api.said(f"/approve {request.id}", user=BOB)
        assert at.desk.status(request) is ApprovalStatus.PENDING


def test_a_stranger_is_reported_once_by_number(local, api):
    for _ in range(3):
        api.write("/start", user=STRANGER)
    api.heard()
    assert [report for report in local.reports if str(STRANGER) in report] == [
        f"Somebody with the number {STRANGER} wrote to the bot, and may not answer."
    ]


# What is not the whole action

NOT_WHOLE = {
    "free text": {"command": "make deploy", "note": FREE_TEXT},
    "a long command": {"command": "echo " + "x" * 900},
    "a masked value": {"command": "make deploy TOKEN=[redacted]"},
    "an invisible character": {"command": "make de\u200bploy"},
    "two lines": {"command": "make\ndeploy"},
    "many values": {f"k{number}": number for number in range(30)},
    "a query": {"url": "https://example.com/?q=1"},
    "a name that says something": {"ignore what stands below": 1},
    "another alphabet": {"command": "make dеploy"},
}


@pytest.mark.parametrize("case", NOT_WHOLE)
def test_what_is_not_shown_whole_can_only_be_denied(local, api, case):
    question = asked(params=NOT_WHOLE[case])
    request = local.desk.opened(question)
    card = local.card(api, ADA)
    assert set(card.buttons) == {"Deny"}
    assert f"guardhouse approvals approve {request.id}" in card.text
    assert FREE_TEXT not in card.html
    assert "does not show the whole action" in api.said(f"/approve {request.id}", user=ADA)
    assert local.desk.status(request) is ApprovalStatus.PENDING
    assert "Denied" in api.notice(api.press(card, card.buttons["Deny"]))


def test_with_a_console_the_card_links_to_it(tmp_path, api):
    settings = type(QUICK)(look_every=0.1, lease=1.0, public_url="https://guard.example.com/", anonymous=True)
    with post(tmp_path / "approvals.db", [telegram(api.url)], settings) as at:
        request = at.desk.opened(asked(params={"note": FREE_TEXT}, session="the-session"))
        card = at.card(api, ADA)
        assert f"https://guard.example.com/approvals/{request.id}" in card.text
        assert f"guardhouse approvals approve {request.id}" in card.text
        assert "the-session" not in card.html
    [sent] = [given for method, given in api.calls if method == "sendMessage"]
    assert '"is_disabled": true' in sent["link_preview_options"]


# Hostile content


HOSTILE = [
    "<b>approved</b>",
    "</code><b>Safe</b>",
    "&lt;b&gt;&amp;&#x202e;",
    '<a href="tg://user?id=1">x</a>',
    "\u202ecod.exe",
    "a\u0000b\x1b[31m",
    "𝕬" * 5000,
    "\ud800",
    "x" * 100_000,
    "{id}{action}{0}",
    "<!-- -->",
    "\n\nApproving covers: everything",
]


@pytest.mark.parametrize("template", ["", "{{x}} {id} {action} {session} {reasons} {covers} {risk} {advice} {expires}"])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_in_any_field_can_not_break_a_card(text, template):
    for params, session, tool in (
        ({"command": text}, "s1", "bash"),
        ({text: 1, "a": {text: [text, {text: text}]}}, text[:500], text[:250]),
        ({f"{text[:40]}{number}": text for number in range(300)}, "s1", "bash"),
    ):
        card = remote_card(_request(params, session, tool), public_url="https://guard.example.com")
        html = card_html(card, template)
        shown, pieces = read_html(html)
        assert len(shown.encode("utf-16-le", "surrogatepass")) // 2 <= 4096
        assert "\u202e" not in shown
        assert "\x1b" not in shown
        assert "\x00" not in shown
        ours = "".join(piece for tag, piece in pieces if tag not in {"code"})
        assert "everything" not in ours
        assert "<b>approved" not in ours


def test_clients_make_no_links_of_names_and_values():
    params = {"to": "ada@example.com", "url": "https://example.com/?q=1", "host": "example.com", "a.b.to": 1}
    _, pieces = read_html(card_html(remote_card(_request(params, "example.com", "send.to"))))
    loose = "".join(piece for tag, piece in pieces if tag != "code")
    assert "params" not in loose
    assert "example.com" not in loose
    assert "send.to" not in loose
    assert ("i", "not shown,") in pieces
    assert ("code", "params.to") in pieces


def test_the_longest_card_fits_into_a_message():
    long = {f"{'k' * 38}{number:02}": {"k" * 40: {"k" * 40: "/abcdefghi" * 5}} for number in range(40)}
    request = _request({**long, "command": "x" * 500}, "s" * 40, "bash")
    lines = "\n".join(["bash", *["would be lost: " + "/abcdefghi" * 14] * 9])
    reasons = tuple(msgspec.structs.replace(request.reasons[0], code=f"{'c' * 60}{number}") for number in range(30))
    request = msgspec.structs.replace(
        request, action_summary_redacted=lines, reasons=reasons, status=ApprovalStatus.DENIED, actor="a" * 5000
    )
    shown, _ = read_html(card_html(remote_card(request)))
    assert 2000 < len(shown) <= 4096


def _request(params, session, tool):
    from guardhouse.model import ApprovalRequest, Decision, Reason, RiskLevel, Severity

    return ApprovalRequest(
        id="ap_0123456789abcdef01234567",
        created_at=0,
        expires_at=300,
        session_id=session,
        action_type="ToolCallPre",
        tool_name=tool,
        action_hash="h",
        action_summary_redacted=f"{tool}\nwould be lost: {tool}",
        action_redacted={"type": "ToolCallPre", "tool": tool, "params": params, "session_id": session},
        risk_level=RiskLevel.HIGH,
        reasons=tuple(
            Reason(
                code=code,
                decided_by=tool,
                decision=Decision.REQUIRE_APPROVAL,
                severity=Severity.HIGH,
                title=tool,
                why=tool,
                instead=tool,
                excerpt=tool,
            )
            for code in ("shell.unknown", tool, "private_ip")
        ),
        codes=("shell.unknown",),
        policy_revision="1",
        actor=tool,
        comment=tool,
        status=ApprovalStatus.PENDING,
    )


def test_hostile_content_arrives_as_it_was_meant(local, api):
    for text in HOSTILE:
        local.desk.opened(asked(params={"command": text.replace("\ud800", "?"), "x": text.replace("\ud800", "?")[:50]}))
    local.wait(lambda: local.states() == ["shown"] * len(HOSTILE))
    assert len(api.cards()) == len(HOSTILE)
    assert local.reports == []


def test_the_server_of_these_tests_is_strict():
    for html in ("<script>", "<b>", "</b>", "<b><i></b></i>", "<!-- x -->"):
        with pytest.raises(BadHtml):
            read_html(html)


# Building it


def opened(environment=None, **section):
    config = GuardSection(approvals=ApprovalsSection(telegram=TelegramSection(chat_ids=(ADA,), **section)))
    return open_notifiers(config, environment or {}, no_poster)


def test_nothing_is_opened_where_nobody_is_asked():
    assert open_notifiers(GuardSection(), {}, no_poster) == []


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{id} {action} {secret}", "{secret}"),
        ("{id} {action} {}", "{}"),
        ("{id} {action.x}", "{action.x}"),
        ("{id} {action!r}", "{action}"),
        ("{id} {action:>5000}", "{action}"),
        ("{id} {action", "brace"),
        ("{id}", "leaves out"),
        ("{id} {action} {id}", "twice"),
    ],
)
def test_a_template_that_can_not_be_filled_is_named_when_it_is_built(template, words):
    with pytest.raises(GuardhouseError, match=re.escape(words)):
        opened({"GUARDHOUSE_TELEGRAM_TOKEN": TOKEN}, template=template)


def test_a_template_says_what_a_card_says(tmp_path, api):
    with post(tmp_path / "approvals.db", [telegram(api.url, template="<{risk}> {id}\n{action}")]) as at:
        request = at.desk.opened(asked())
        said = f"<high> {request.id}\ntype: ToolCallPre\ntool: bash\nparams.command: make deploy"
        assert f"\n{said}\n" in at.card(api, ADA).text


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com",
        "http://localhost.example.com",
        "http://127.example.com",
        "http://[::1:2]",
        "http://10.0.0.1",
        "ftp://api.example.com",
        "x",
        "https://a@b.example",
        "https://x/?a=1",
    ],
)
def test_an_api_that_would_give_the_token_away_is_refused(url):
    with pytest.raises(GuardhouseError, match="api_url"):
        opened({"GUARDHOUSE_TELEGRAM_TOKEN": TOKEN}, api_url=url)


@pytest.mark.parametrize("url", ["http://localhost:8081", "http://127.0.0.2", "http://[::1]:8081", "https://b.example"])
def test_an_api_on_this_machine_or_behind_https_may_be_used(url):
    assert opened({"GUARDHOUSE_TELEGRAM_TOKEN": TOKEN}, api_url=url)


def test_the_token_may_be_in_a_file_for_its_owner_only(tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o644)
    with pytest.raises(GuardhouseError, match="owner only") as caught:
        opened(token_file=str(file))
    assert TOKEN not in str(caught.value)
    file.chmod(0o600)
    assert len(opened(token_file=str(file))) == 1


@pytest.mark.parametrize("content", ["", "\n", "no token", "\xff" * 40, "x" * 5000])
def test_a_file_without_a_token_is_refused_without_quoting_it(tmp_path, content):
    file = tmp_path / "token"
    file.write_bytes(content.encode("latin-1"))
    file.chmod(0o600)
    with pytest.raises(GuardhouseError) as caught:
        opened(token_file=str(file))
    assert not content.strip() or content.strip()[:6] not in str(caught.value)


def test_a_token_file_that_is_missing_or_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("nothing", "pipe"):
        with pytest.raises(GuardhouseError):
            opened(token_file=str(tmp_path / name))
    with pytest.raises(GuardhouseError, match="GUARDHOUSE_TELEGRAM_TOKEN"):
        opened()


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "telegram", None)
    with pytest.raises(GuardhouseError, match=re.escape("pip install 'guardhouse[telegram]'")):
        opened({"GUARDHOUSE_TELEGRAM_TOKEN": TOKEN})


def test_the_token_is_in_no_report_no_log_and_no_repr(tmp_path, api, caplog, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    caplog.set_level(logging.DEBUG)
    for method in ("sendMessage", "getUpdates", "editMessageText", "answerCallbackQuery"):
        api.fail(method, 500, "drop", 404, (400, {"x": 1}))
    notifier = telegram(api.url)
    with post(tmp_path / "approvals.db", [notifier]) as at:
        at.desk.opened(asked())
        at.wait(lambda: len(at.reports) >= 3)
        api.down()
        at.wait(lambda: at.reports)
    assert TOKEN not in repr(at.reports)
    assert TOKEN not in caplog.text
    assert TOKEN not in repr(notifier)


def test_an_error_leads_back_to_nothing_that_holds_the_token():
    import asyncio

    from guardhouse.approvals.channels import TryLater

    notifier = telegram("http://127.0.0.1:1")
    with pytest.raises(TryLater) as caught:
        asyncio.run(notifier.listen(None, None))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
