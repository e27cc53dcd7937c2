"""A guard of this machine and the people who answer it, for tests: real stores, a real record, calls that ask."""

from __future__ import annotations

import guardhouse
from guardhouse.audit import events
from guardhouse.editing import edit_and_approve
from guardhouse.egress import SkippedLookup
from guardhouse.model import ONCE, Decision, ToolCallPost, ToolCallPre

CONFIG = """
guard:
  tools:
    send_email: {capabilities: [sends, writes]}
    query: {capabilities: [reads]}
  rules:
    - {id: ask-query, action: ToolCallPre, tool: query, effect: require_approval, because: People want to know.}
"""
KEY = "sk-" + "Zq7Xv9Kp2Lm4Nt6Rb8Wd1Yc3"


class Answered:
    """A guard with its approvals; `ask`, `yes`, `edit`, `call` and `result` are what happens."""

    def __init__(self, root):
        self.root = root
        self.project = root / "project"
        self.project.mkdir()
        self.config = root / "config.yaml"
        self.config.write_text(CONFIG)
        self.guard = self.open()
        self.approvals = self.guard.approvals

    def open(self):
        return guardhouse.open_guard(
            config_file=self.config, state_dir=self.root / "state", cwd=self.project, resolver=SkippedLookup()
        )

    def configure(self, more):
        """Another policy from now on."""
        self.config.write_text(CONFIG + more)

    def ask(self, action):
        """The request that an action opens."""
        verdict = self.guard.evaluate(action)
        assert verdict.decision is Decision.REQUIRE_APPROVAL, verdict.for_person
        return self.approvals.get(verdict.approval_request_id)

    def yes(self, action, terms=ONCE, actor="ada", **more):
        """A person's yes to it; the action is not made by that."""
        return self.approvals.answer(self.ask(action).id, approve=True, actor=actor, terms=terms, **more)

    def edit(self, action, changes, terms=ONCE, actor="ada", **more):
        """A person's yes to it with other arguments."""
        return edit_and_approve(
            self.guard, self.approvals, self.ask(action).id, changes, actor=actor, terms=terms, **more
        )

    def record(self, kind):
        """The events of a kind, in order."""
        return [event.event for event in events(self.root / "state" / "audit") if event.event.kind == kind]


def bash(command, *, session="s1", call_id="c1", **more):
    return ToolCallPre(tool="bash", params={"command": command}, session_id=session, call_id=call_id, **more)


def query(text="everything", *, session="s1", call_id="c1", **more):
    return ToolCallPre(tool="query", params={"text": text}, session_id=session, call_id=call_id, **more)


def result(content, *, tool="query", session="s1", call_id="c1", **more):
    return ToolCallPost(tool=tool, content=content, params={}, session_id=session, call_id=call_id, **more)


def codes(verdict):
    return [reason.code for reason in verdict.reasons]
