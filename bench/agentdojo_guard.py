"""Guardhouse as a guard for scripted agents: for AgentDojo's harness, and for the worlds in `bench/worlds`.

Both know a guard by `Factory(session)`, with `before_call`, `after_call` and `answered`. Everything here goes through
the public interface: a configuration file made from the tools' manifest, `open_guard`, and the approvals' answers.

    python agentdojo_harness.py --guard agentdojo_guard:Factory
    python bench/worlds/run.py --guard agentdojo_guard:Factory
"""

from __future__ import annotations

import atexit
import itertools
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import guardhouse
from guardhouse.model import Decision, OutputPublish, Terms, ToolCallPost, ToolCallPre, UserInput

_NUMBERS = itertools.count(1)
_OPEN: dict[str, Any] = {}
_EFFECTS = {"read": ["reads"], "write": ["writes"], "egress": ["egress", "reads"]}


def configuration(
    tools: dict[str, Any], findings: dict[str, str], detectors: dict[str, bool], more: dict[str, Any]
) -> dict[str, Any]:
    """What an operator would write down of such tools: what they do, whose text they bring, and their schemas."""
    described = {}
    for name, tool in tools.items():
        capabilities = [*_EFFECTS[tool.effect], *(["reads_untrusted"] if tool.output == "untrusted" else [])]
        described[name] = {
            "capabilities": capabilities,
            "description": tool.description or name,
            "parameters": dict(tool.parameters or {}),
        }
    return {
        "guard": {
            "network": {"default": {"allowed_domains": ["*"], "resolve_dns": False, "deny_private_ips": False}},
            "tools": described,
            "findings": findings,
            "detectors": detectors,
            **more,
        }
    }


def _guard(suite: str, tools: dict[str, Any], way: type[Factory]) -> Any:
    """One guard for each set of tools and each way: sessions keep episodes apart."""
    text = json.dumps(configuration(tools, way.findings, way.detectors, way.more), sort_keys=True)
    key = f"{suite} {way.opened} {text}"
    if key not in _OPEN:
        directory = Path(tempfile.mkdtemp(prefix="guardhouse-bench-"))
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        (directory / "config.json").write_text(text)
        (directory / "project").mkdir()
        _OPEN[key] = guardhouse.open_guard(
            config_file=directory / "config.json",
            state_dir=directory / "state",
            cwd=directory / "project",
            judge=way.judged_by(),
        )
    return _OPEN[key]


class Factory:
    """One episode under Guardhouse with its default policy."""

    findings: ClassVar[dict[str, str]] = {}
    detectors: ClassVar[dict[str, bool]] = {}
    more: ClassVar[dict[str, Any]] = {}
    """What the configuration says beside."""
    opened: ClassVar[str] = ""
    """What tells its guards from those of other ways."""

    @staticmethod
    def judged_by() -> Any:
        """The judge of its guards; none of its own, unless it says so."""
        return None

    def __init__(self, session: Any) -> None:
        self._guard = _guard(session.suite, dict(session.tools), type(self))
        self._session = f"episode-{next(_NUMBERS)}"
        self._calls = itertools.count(1)
        self._asked: str | None = None
        self.user_said(session.user_prompt)

    def user_said(self, text: str) -> None:
        self._evaluate(UserInput(content=text, origin="typed", session_id=self._session))

    def assistant_said(self, text: str) -> None:
        self._evaluate(OutputPublish(content=text, session_id=self._session))

    def before_call(self, name: str, args: dict[str, Any]) -> Any:
        verdict = self._evaluate(self._call(name, args))
        self._asked = verdict.approval_request_id if verdict.decision is Decision.REQUIRE_APPROVAL else None
        decision = {
            Decision.ALLOW: "allow",
            Decision.ALLOW_WITH_REDACTION: "allow",
            Decision.REQUIRE_APPROVAL: "approve",
            Decision.DENY: "deny",
        }[verdict.decision]
        return _said(
            decision, tuple(f"{one.code} {one.span.field if one.span else one.title}" for one in verdict.reasons)
        )

    def answered(self, name: str, args: dict[str, Any], granted: bool) -> None:
        """The person's answer; a yes is for the rest of the run, and for the values that the card listed."""
        if self._asked is None:
            return
        if granted:
            request = self._guard.approvals.get(self._asked)
            for_run = any(supply.offered for supply in request.supplied)
            self._guard.approvals.answer(self._asked, approve=True, actor="bench", terms=Terms(for_run=for_run))
            self._evaluate(self._call(name, args))
        else:
            self._guard.approvals.answer(self._asked, approve=False, actor="bench")

    def after_call(self, name: str, args: dict[str, Any], result: Any) -> Any:
        content = result.error if result.error else result.data if result.data is not None else result.text
        verdict = self._evaluate(
            ToolCallPost(
                tool=name, content=content, params=args, session_id=self._session, call_id=f"c{next(self._calls)}"
            )
        )
        if verdict.decision is Decision.DENY:
            result.text = "[withheld]"
        return result

    def _call(self, name: str, args: dict[str, Any]) -> ToolCallPre:
        return ToolCallPre(tool=name, params=args, session_id=self._session)

    def _evaluate(self, action: Any) -> Any:
        return self._guard.evaluate(action)


class Delegating(Factory):
    """The same where the operator lets users delegate to sources that they name."""

    findings: ClassVar = {"provenance.delegated": "allow"}


class FreeReads(Factory):
    """The same where reads that change state in passing are not gated."""

    findings: ClassVar = {"provenance.changing_read": "allow"}


def _said(decision: str, reasons: tuple[str, ...]) -> Any:
    """The decision in the words of the harness that is running, if it has a type for it."""
    harness = sys.modules["__main__"]
    verdict, kind = getattr(harness, "Verdict", None), getattr(harness, "Decision", None)
    return verdict(kind(decision), reasons) if verdict and kind else Said(decision, reasons)


@dataclass(frozen=True)
class Said:
    """A decision and its reasons, for harnesses that take anything with these."""

    decision: str
    reasons: tuple[str, ...]
