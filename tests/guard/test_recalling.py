"""A call that comes again is not worked out again, and still nothing about it is taken for granted."""

import asyncio

import msgspec
import pytest
from guarded_house import RecordingResolver

from guardhouse.files import LocalFiles
from guardhouse.guard import Guard
from guardhouse.model import Addresses, Decision, ToolCallPre

CALL = ToolCallPre(tool="url_fetch", params={"url": "https://ok.example/", "method": "GET"})
ALLOWED = "guard: {network: {default: {allowed_domains: [ok.example]}}}"


class Log:
    def __init__(self):
        self.events = []

    def record(self, event, *, durable=False):
        self.events.append(event)

    def try_record(self, event):
        self.events.append(event)
        return True


class Source:
    def __init__(self, policy):
        self.policy = policy

    def current(self):
        return self.policy


class Place:
    """A guard that recalls, and what it is built on."""

    def __init__(self, policy, resolver):
        self.resolver = resolver
        self.source = Source(policy)
        self.log = Log()
        self.guard = Guard(self.source, resolver=resolver, files=LocalFiles(), audit=self.log, prompt=self.log)

    def ask(self, call=CALL):
        return asyncio.run(self.guard.evaluate_async(call))


@pytest.fixture
def place(house):
    return Place(house.policy(ALLOWED), RecordingResolver())


@pytest.fixture
def worked_out(monkeypatch):
    """How often a verdict was worked out."""
    from guardhouse.decide import Case

    counted = []
    real = Case.decide
    monkeypatch.setattr(Case, "decide", lambda self, *args, **more: counted.append(1) or real(self, *args, **more))
    return counted


def same(verdict):
    return msgspec.structs.replace(verdict, event_id="", trace_id="")


def test_a_call_that_comes_again_is_decided_alike_recorded_again_and_not_worked_out_again(place, worked_out):
    first = place.ask()
    before = len(worked_out)
    again = place.ask()
    assert len(worked_out) == before
    assert same(first) == same(again)
    assert first.event_id != again.event_id
    assert [event.event_id for event in place.log.events] == [first.event_id, again.event_id]
    assert place.log.events[0].action_summary_redacted == place.log.events[1].action_summary_redacted


def test_its_name_is_looked_up_each_time_and_another_answer_is_judged(place):
    assert place.ask().decision is Decision.ALLOW
    assert place.ask().decision is Decision.ALLOW
    assert place.resolver.asked == ["ok.example"] * 2
    place.resolver.answer = Addresses(addresses=("10.0.0.1",))
    denied = place.ask()
    assert (denied.decision, denied.reasons[0].code) == (Decision.DENY, "private_ip")
    assert place.resolver.asked == ["ok.example"] * 3, "once for each call, also if the answer has changed"
    place.resolver.answer = Addresses(error="gone")
    assert place.ask().reasons[0].code == "dns_failure"


def test_an_answer_that_has_changed_is_the_one_that_is_recalled_from_then_on(place, worked_out):
    place.ask()
    place.resolver.answer = Addresses(addresses=("93.184.216.35",))
    changed = place.ask()
    before = len(worked_out)
    assert same(place.ask()) == same(changed)
    assert len(worked_out) == before
    assert changed.facts.addresses["ok.example"].addresses == ("93.184.216.35",)


def test_another_policy_decides_anew(place, house):
    assert place.ask().decision is Decision.ALLOW
    place.source.policy = house.policy("guard: {}")
    assert place.ask().decision is Decision.DENY


@pytest.mark.parametrize(
    "other",
    [
        {"params": {"url": "https://ok.example/", "method": "POST"}},
        {"params": {"url": "https://ok.example/x", "method": "GET"}},
        {"principal": "somebody"},
        {"cwd": "/elsewhere"},
        {"call_id": "c1"},
        {"session_id": "s1"},
        {"tool": "web_fetch"},
    ],
)
def test_any_other_call_is_worked_out_by_itself(place, worked_out, other):
    place.ask()
    before = len(worked_out)
    place.ask(msgspec.structs.replace(CALL, **other))
    assert len(worked_out) > before


def test_what_is_denied_is_worked_out_each_time(place, worked_out):
    elsewhere = msgspec.structs.replace(CALL, params={"url": "https://elsewhere.example/"})
    place.ask(elsewhere)
    before = len(worked_out)
    assert place.ask(elsewhere).decision is Decision.DENY
    assert len(worked_out) > before


def test_what_is_kept_is_bounded(place):
    for number in range(200):
        place.ask(msgspec.structs.replace(CALL, params={"url": f"https://ok.example/{number}"}))
    assert len(place.guard._recall._kept[1]) <= 64
    place.ask(msgspec.structs.replace(CALL, params={"url": "https://ok.example/", "body": "word " * 1000}))
    assert all(len(name) <= 2048 for name in place.guard._recall._kept[1])
