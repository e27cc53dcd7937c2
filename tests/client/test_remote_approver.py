"""The requests at a daemon, by the methods and errors of the local ones."""

import asyncio
import itertools
import queue
import threading
import time

import pytest

from guardhouse.approvals import AlreadyAnswered, NoSuchRequest, RequestClosed
from guardhouse.client import Connection, Following, Refused, RemoteApprover, Unreachable
from guardhouse.model import ApprovalStatus, GuardhouseError, ToolCallPre

NUMBERS = itertools.count()


@pytest.fixture
def asked(guard):
    """Opens a request, and gives its id."""

    def ask(command="", session_id="s1"):
        command = command or f"rm -rf /etc/guardhouse-approver-{next(NUMBERS)}"
        call = ToolCallPre(tool="bash", params={"command": command}, session_id=session_id)
        return guard.evaluate(call).approval_request_id

    return ask


def test_requests_are_got_found_and_listed(asked, guard, person):
    first, second = asked(session_id="found"), asked(session_id="found")
    assert person.get(first).status is ApprovalStatus.PENDING
    assert person.get(first) == person.find(session_id="found")[1]
    assert [one.id for one in person.outlines(session_id="found")] == [second, first]
    assert [one.id for one in person.outlines(session_id="found", limit=1)] == [second]
    assert person.outlines(session_id="found", limit=0) == []
    assert [one.id for one in person.outlines(beginning=first[:-1])] == [first]
    assert person.outlines(session_id="found", status=ApprovalStatus.DENIED) == []
    assert [one.id for one in guard.approvals.outlines(session_id="found")] == [second, first]
    assert [one.id for one in person.alike(person.get(first))] == [second]


@pytest.mark.parametrize("given", ["", "ap_none", "..", "a/b", "ä", "x" * 200, "a b?c#d%e"])
def test_an_id_that_is_none_means_no_request(person, given):
    assert person.get(given) is None
    for ask in (person.cancel, person.ask_to_resume, lambda one: person.answer(one, approve=True)):
        with pytest.raises(NoSuchRequest):
            ask(given)
    with pytest.raises(NoSuchRequest):
        person.wait(given, 1)


def test_the_first_answer_counts_and_says_who_gave_it(daemon, asked, person):
    request_id = asked()
    first = person.answer(request_id, approve=True, actor="nobody", comment="looked at it")
    assert first.status is ApprovalStatus.APPROVED
    assert first.actor.startswith("approver:")
    assert person.answer(request_id, approve=True) == first
    with pytest.raises(AlreadyAnswered, match=f"approved by {first.actor}") as raised:
        person.answer(request_id, approve=False)
    assert raised.value.request == first


def test_what_was_taken_back_can_not_be_answered(asked, guard, person):
    request_id = asked()
    assert guard.approvals.cancel(request_id).status is ApprovalStatus.CANCELLED
    with pytest.raises(RequestClosed, match="cancelled"):
        person.answer(request_id, approve=True)


def test_what_has_expired_is_closed(own_daemon, guard_at):
    own_daemon.stop()
    own_daemon.configure("guard: {approvals: {answer_within: {low: 1, medium: 1, high: 1, critical: 1}}}\n")
    guard = guard_at(own_daemon.start())
    call = ToolCallPre(tool="bash", params={"command": "rm -rf /etc/x"})
    request_id = guard.evaluate(call).approval_request_id
    assert guard.approvals.wait(request_id, 10).status is ApprovalStatus.EXPIRED
    person = RemoteApprover(Connection(own_daemon.url, own_daemon.token("approver")))
    with pytest.raises(RequestClosed, match="nobody answered in time"):
        person.answer(request_id, approve=True)


def test_a_person_asks_for_an_approved_call_to_be_taken_up(asked, guard, person):
    request_id = asked()
    with pytest.raises(RequestClosed, match="not answered yet"):
        person.ask_to_resume(request_id)
    before = person.answer(request_id, approve=True)
    after = person.ask_to_resume(request_id)
    assert after.resume_asked_at is not None
    assert after.use_by >= before.use_by
    with pytest.raises(GuardhouseError, match="agent's token"):
        guard.approvals.ask_to_resume(request_id)  # which would have used it
    assert person.get(request_id).status is ApprovalStatus.APPROVED


def test_an_agent_answers_nothing_and_sees_only_its_own(daemon, asked, guard, guard_at):
    request_id = asked()
    with pytest.raises(Refused, match="may not"):
        guard.approvals.answer(request_id, approve=True)
    other = guard_at(daemon).approvals
    assert other.get(request_id) is None
    assert other.outlines() == []


def test_waiting_ends_with_the_answer_or_with_the_time(asked, guard, person):
    request_id = asked()
    begun = time.monotonic()
    assert guard.approvals.wait(request_id, 0.2).status is ApprovalStatus.PENDING
    assert 0.2 <= time.monotonic() - begun < 3
    threading.Timer(0.2, lambda: person.answer(request_id, approve=False, comment="no")).start()
    assert guard.approvals.wait(request_id, 20).comment == "no"
    assert asyncio.run(guard.approvals.wait_async(request_id, 20)).comment == "no"
    assert time.monotonic() - begun < 10


def test_waiting_gives_up_on_a_daemon_that_does_not_come_back(own_daemon, guard_at):
    guard = guard_at(own_daemon)
    own_daemon.kill()
    begun = time.monotonic()
    with pytest.raises(Unreachable):
        guard.approvals.wait("ap_1", 1.2)
    with pytest.raises(Unreachable):
        asyncio.run(guard.approvals.wait_async("ap_1", 1.2))
    assert time.monotonic() - begun < 8


def test_changes_are_heard_as_they_happen_and_from_a_mark_on(asked, person):
    heard = queue.Queue()
    listening = threading.Event()

    def listen():
        with person.listening() as events:
            listening.set()
            for number, (mark, outline) in enumerate(events, 1):
                heard.put((mark, outline.id, outline.status.value))
                if number == 2:
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    assert listening.wait(10)
    request_id = asked()
    assert heard.get(timeout=10)[1:] == (request_id, "pending")
    person.answer(request_id, approve=False)
    mark, *last = heard.get(timeout=10)
    assert last == [request_id, "denied"]
    thread.join(10)
    other = asked()
    with person.listening(mark) as events:
        assert next(iter(events))[1].id == other


def test_what_is_followed_is_asked_about_only_when_something_was_heard(asked, person):
    request_id = asked()
    with Following(person) as following:
        assert following.news(10)
        while following.news(0.3):  # that it was asked may be heard only now
            pass
        first = following.get(request_id)
        assert following.get(request_id) is first
        person.answer(request_id, approve=False)
        assert following.news(10)
        assert following.get(request_id).status is ApprovalStatus.DENIED
        assert following.problem is None
    following._thread.join(10)
    assert not following._thread.is_alive()
