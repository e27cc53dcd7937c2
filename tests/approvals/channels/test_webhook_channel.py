"""The webhook: signed messages about requests that are opened and settled, over real sockets."""

import time

import pytest
from courier_desk import asked, no_poster, post
from webhook_receiver import SECRET, Receiver, verified

from guardhouse.approvals.channels import CourierSettings, open_notifiers
from guardhouse.approvals.channels.webhook import signature
from guardhouse.egress.posting import Posting
from guardhouse.model import GuardhouseError
from guardhouse.policy.schema import ApprovalsSection, GuardSection, WebhookSection

REDIRECT = (307, {"Location": "/elsewhere"}, b"")


def webhook(url, environment=None, open_poster=Posting, **section):
    config = GuardSection(approvals=ApprovalsSection(webhook=WebhookSection(url=url, **section)))
    environment = {"GUARDHOUSE_WEBHOOK_SECRET": SECRET} if environment is None else environment
    return open_notifiers(config, environment, open_poster)


def test_a_request_is_told_when_it_is_opened_and_settled_and_each_message_is_signed(place):
    with Receiver() as receiver, post(place, webhook(receiver.url)) as at:
        request = at.desk.opened(asked(params={"command": "make deploy", "note": "some free text"}))
        receiver.wait(1)
        at.desk.approver.answer(request.id, approve=True, actor="eve", comment="for the release")
        receiver.wait(2)
        assert at.desk.approver.settle(asked(params={"command": "make deploy", "note": "some free text"})).granted
        opened, approved, used = receiver.wait(3)
        at.wait(lambda: at.states() == ["final"])
        kept = repr(at.desk.rows("SELECT * FROM deliveries"))
    assert [one["event"] for one in (opened, approved, used)] == ["approval.opened", *["approval.settled"] * 2]
    assert {one["request"]["id"] for one in (opened, approved, used)} == {request.id}
    assert [one["request"]["status"] for one in (opened, approved, used)] == ["pending", "approved", "consumed"]
    assert opened["delivery"] == approved["delivery"]
    assert {"field": "params.command", "shown": "make deploy", "verbatim": True} in opened["request"]["action"]
    assert opened["request"]["whole"] is False
    assert "free text" not in repr(receiver.received)
    assert "for the release" not in repr(receiver.received)
    assert receiver.unsigned == []
    assert {path for path, _ in receiver.received} == {"/hook?key=abc"}
    assert "key=abc" not in kept
    assert at.reports == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_that_fails_is_asked_again(tmp_path, status):
    with (
        Receiver((status, {}, b""), (status, {}, b"")) as receiver,
        post(tmp_path / "a.db", webhook(receiver.url)) as at,
    ):
        request = at.desk.opened(asked())
        messages = receiver.wait(3)
        at.wait(lambda: at.states() == ["shown"])
    assert len({message["delivery"] for message in messages}) == 1
    what = "webhook can't be used now" if status == 429 else f"The card for {request.id} was not sent through webhook"
    assert at.reports == [f"{what}: The webhook answered with status {status}."]


def test_a_message_that_the_service_fails_at_keeps_no_other_back(tmp_path):
    settings = CourierSettings(look_every=0.1, lease=1.0, first_pause=30.0)
    with Receiver((500, {}, b"")) as receiver, post(tmp_path / "a.db", webhook(receiver.url), settings) as at:
        at.desk.opened(asked())
        receiver.wait(1)
        second = at.desk.opened(asked(params={"command": "make test"}))
        assert receiver.wait(2)[1]["request"]["id"] == second.id


@pytest.mark.parametrize("answer", [(400, {}, b""), (410, {}, b""), REDIRECT])
def test_a_refusal_is_not_repeated_and_a_redirect_is_not_followed(tmp_path, answer):
    with Receiver(answer) as receiver, post(tmp_path / "a.db", webhook(receiver.url)) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.states() == ["final"])
        at.desk.opened(asked(params={"command": "make test"}))
        receiver.wait(2)
    assert {path for path, _ in receiver.received} == {"/hook?key=abc"}
    assert any(f"status {answer[0]}" in report for report in at.reports)


def test_a_service_that_is_not_there_keeps_nothing_back_and_is_not_quoted(tmp_path):
    with Receiver() as receiver:
        url = receiver.url
    with post(tmp_path / "a.db", webhook(url)) as at:
        at.desk.opened(asked())
        at.wait(lambda: at.reports)
    assert "can't be reached" in at.reports[0]
    assert "key=abc" not in repr(at.reports)
    assert SECRET not in repr(at.reports)


def test_a_service_that_answers_without_end_is_bounded(tmp_path):
    with Receiver((200, {}, b"x" * 500_000)) as receiver, post(tmp_path / "a.db", webhook(receiver.url)) as at:
        at.desk.opened(asked())
        receiver.wait(2)
        at.wait(lambda: at.states() == ["shown"])
    assert len(at.reports) == 1


def test_proxies_of_the_environment_are_not_used(tmp_path, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with Receiver() as receiver, post(tmp_path / "a.db", webhook(receiver.url)) as at:
        at.desk.opened(asked())
        receiver.wait(1)


def test_a_signature_covers_the_time_and_every_byte():
    now = str(int(time.time()))
    headers = {"Guardhouse-Signature": signature(SECRET.encode(), now, b'{"a":1}')}
    assert verified(headers, b'{"a":1}')
    assert not verified(headers, b'{"a":2}')
    assert not verified(headers, b'{"a":1}', secret="another")
    later = headers["Guardhouse-Signature"].replace(now, str(int(now) + 1))
    assert not verified({"Guardhouse-Signature": later}, b'{"a":1}')
    old = {"Guardhouse-Signature": signature(SECRET.encode(), str(int(now) - 3600), b"{}")}
    assert not verified(old, b"{}")


@pytest.mark.parametrize(
    "url", ["nowhere", "ftp://example.com/", "https://a:b@example.com/", "https://", "ws://example.com"]
)
def test_a_url_that_can_not_be_posted_to_is_refused_when_it_is_built(url):
    with pytest.raises(GuardhouseError, match=r"approvals\.webhook\.url"):
        webhook(url)


@pytest.mark.parametrize(
    "url", ["http://example.com/", "http://localhost.example.com/", "http://127.example.com/", "http://10.0.0.1/"]
)
def test_plain_http_is_for_this_machine_only(url):
    with pytest.raises(GuardhouseError, match="Use https"):
        webhook(url)
    assert webhook("http://localhost:8080/hook")
    assert webhook("http://[::1]/hook")


def test_without_a_secret_or_with_a_short_one_nothing_is_opened(tmp_path):
    with pytest.raises(GuardhouseError, match="GUARDHOUSE_WEBHOOK_SECRET"):
        webhook("https://example.com/", {}, no_poster)
    with pytest.raises(GuardhouseError, match="too short"):
        webhook("https://example.com/", {"GUARDHOUSE_WEBHOOK_SECRET": "short"}, no_poster)
    file = tmp_path / "secret"
    file.write_text(SECRET)
    file.chmod(0o640)
    with pytest.raises(GuardhouseError, match="owner only"):
        webhook("https://example.com/", {}, no_poster, secret_file=str(file))


def test_nothing_is_posted_to_any_other_url():
    import asyncio

    async def elsewhere():
        poster = Posting("http://127.0.0.1:9/hook")
        try:
            await poster.post("http://127.0.0.1:9/other", {}, b"")
        finally:
            await poster.close()

    with pytest.raises(GuardhouseError, match="Only the URL that was configured"):
        asyncio.run(elsewhere())


def test_the_secret_is_in_no_repr(tmp_path):
    [notifier] = webhook("https://example.com/")
    assert SECRET not in repr(notifier)
