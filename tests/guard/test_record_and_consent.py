"""What the gate hands to its record and its approvals, and in which order."""

import asyncio
import threading

import pytest
from guarded_house import codes

from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Decision,
    RedactedText,
    Settlement,
    ToolCallPost,
    ToolCallPre,
    encode_event,
)

KEY = ToolCallPre(tool="read_file", params={"path": "~/.ssh/id_ed25519"}, session_id="s1", call_id="c1")


class Log:
    """Keeps what it is given, and when."""

    def __init__(self, story=None):
        self.kept = []
        self.story = story if story is not None else []

    def record(self, event, *, durable=False):
        self.kept.append((event, durable))
        self.story.append(("recorded", event.kind, durable))

    @property
    def events(self):
        return [event for event, _ in self.kept]


class Keeper:
    """Says yes to everything, or lets everything wait."""

    def __init__(self, story=None, granted=True):
        self.asked = []
        self.granted = granted
        self.story = story if story is not None else []

    def settle(self, asked, approval_id=None):
        self.asked.append((asked, approval_id))
        self.story.append(("settled",))
        request = ApprovalRequest(
            id="ap_1",
            created_at=0.0,
            expires_at=1.0,
            action_type=asked.action_type,
            action_hash=asked.bound.hash,
            action_summary_redacted=asked.action_summary_redacted,
            action_redacted=asked.action_redacted,
            risk_level=asked.risk_level,
            reasons=asked.reasons,
            codes=asked.codes,
            policy_revision=asked.policy_revision,
            status=ApprovalStatus.CONSUMED if self.granted else ApprovalStatus.PENDING,
            actor="local:ada" if self.granted else None,
        )
        return Settlement(request, granted=self.granted)


def both(guard, action, **more):
    return guard.evaluate(action, **more), asyncio.run(guard.evaluate_async(action, **more))


def test_what_was_approved_is_on_disk_before_it_may_run(house):
    story = []
    guard = house.guard(approvals=Keeper(story), audit=Log(story))
    for verdict in both(guard, KEY):
        assert verdict.decision is Decision.ALLOW
    assert story == [("settled",), ("recorded", "decision", True)] * 2


def test_what_is_critical_is_on_disk_before_it_may_run(house):
    log = Log()
    guard = house.guard(
        "guard: {risk: {medium: 1, high: 1, critical: 1}, findings: {path.sensitive_read: allow}}", audit=log
    )
    for verdict in both(guard, KEY):
        assert verdict.decision is Decision.ALLOW
    assert [durable for _, durable in log.kept] == [True, True]
    guard.report(KEY, verdict, "executed")
    assert log.kept[-1][1]


def test_everything_else_is_recorded_without_waiting_for_the_disk(house):
    log = Log()
    guard = house.guard(audit=log, approvals=Keeper(granted=False))
    both(guard, ToolCallPre(tool="think", params={}))
    both(guard, KEY)
    both(guard, ToolCallPost(tool="think", content="x"))
    assert [durable for _, durable in log.kept] == [False] * 6


def test_the_event_says_who_approved_and_what_it_goes_back_to(house):
    log = Log()
    verdict = house.guard(approvals=Keeper(), audit=log).evaluate(KEY, approval_id="ap_1")
    (event,) = log.events
    assert (event.actor, event.approval_request_id, event.approval_status) == (
        "local:ada",
        "ap_1",
        ApprovalStatus.CONSUMED,
    )
    assert event.event_id == verdict.event_id
    assert codes(verdict) == ["approval.granted", "path.sensitive_read"]


def test_one_call_has_one_trace(house):
    log = Log()
    guard = house.guard(approvals=Keeper(granted=False), audit=log)
    first = guard.evaluate(KEY)
    again = guard.evaluate(KEY)
    after = guard.evaluate(ToolCallPost(tool="read_file", content="x", session_id="s1", call_id="c1"))
    other = guard.evaluate(ToolCallPre(tool="think", params={}, session_id="s1", call_id="c2"))
    assert first.trace_id == again.trace_id == after.trace_id
    assert other.trace_id != first.trace_id


def test_an_event_takes_no_text_that_was_not_redacted():
    from guardhouse.model import AuditEvent

    for field in ("action_summary_redacted", "comment"):
        with pytest.raises(TypeError, match="redacted"):
            AuditEvent(event_id="ev_1", kind="decision", timestamp="", **{field: "raw"})
    event = AuditEvent(event_id="ev_1", kind="decision", timestamp="", action_summary_redacted=RedactedText("x"))
    assert b'"x"' in encode_event(event)


def test_content_and_long_texts_are_told_by_their_size(house):
    log = Log()
    guard = house.guard(audit=log)
    text = "Patient Anna Meier has a cold"
    guard.evaluate(ToolCallPre(tool="write_file", params={"path": "notes.txt", "content": text}))
    guard.evaluate(ToolCallPre(tool="think", params={"thought": "word " * 40}))
    guard.evaluate(ToolCallPost(tool="read_file", content=text))
    summaries = [event.action_summary_redacted.text for event in log.events]
    assert summaries == [
        'write_file {"path":"notes.txt","content":"(text, 29 characters)"}',
        'think {"thought":"(text, 200 characters)"}',
        "read_file: text, 29 characters",
    ]


def test_a_task_that_is_cancelled_leaves_no_approval_used_up_without_an_event(house):
    story = []
    inside, go_on = threading.Event(), threading.Event()

    class Slow(Keeper):
        def settle(self, asked, approval_id=None):
            inside.set()
            go_on.wait(20)
            return super().settle(asked, approval_id)

    log = Log(story)
    guard = house.guard(approvals=Slow(story), audit=log)

    async def scene():
        task = asyncio.create_task(guard.evaluate_async(KEY))
        await asyncio.to_thread(inside.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(scene())
    assert story == [("settled",), ("recorded", "decision", True)]


def test_the_event_loop_goes_on_while_a_store_is_slow(house):
    release = threading.Event()

    class Slow(Log):
        def record(self, event, *, durable=False):
            assert release.wait(20)
            super().record(event, durable=durable)

    async def scene():
        task = asyncio.create_task(guard.evaluate_async(ToolCallPre(tool="think", params={})))
        while not task.done():
            await asyncio.sleep(0)
            release.set()
        return task.result()

    guard = house.guard(audit=Slow())
    assert asyncio.run(scene()).decision is Decision.ALLOW


def test_even_an_odd_exception_of_a_store_holds_back_in_both_drivers(house):
    class Odd:
        def settle(self, asked, approval_id=None):
            raise StopIteration

    for verdict in both(house.guard(approvals=Odd()), KEY):
        assert codes(verdict)[0] == "guard.approvals_unusable"


def test_a_judge_opens_no_approval_and_reads_no_file(house, monkeypatch):
    from guardhouse.files import LocalFiles

    monkeypatch.setattr(LocalFiles, "digest", lambda *_: pytest.fail("must not read"))
    verdict = house.guard().evaluate(KEY)
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert verdict.approval_request_id is None


def test_a_card_says_where_a_path_really_leads(tmp_path, monkeypatch):
    """A link in the project must not hide which file a person is asked about."""
    from guardhouse import Decision, ToolCallPre, open_guard

    home, work = tmp_path / "home", tmp_path / "work"
    for directory in (home, work):
        directory.mkdir()
    (home / ".bashrc").write_text("alias ll='ls -l'\n")
    (work / "notes.txt").symlink_to(home / ".bashrc")
    monkeypatch.setenv("HOME", str(home))
    with open_guard(cwd=work, state_dir=tmp_path / "state") as guard:
        call = ToolCallPre(tool="write_file", params={"path": "notes.txt", "content": "x"}, session_id="s1")
        verdict = guard.evaluate(call)
        assert verdict.decision is Decision.REQUIRE_APPROVAL
        request = guard.approvals.get(verdict.approval_request_id)
    assert request.bound_to[0] == f"path {work / 'notes.txt'} -> {home / '.bashrc'}"
