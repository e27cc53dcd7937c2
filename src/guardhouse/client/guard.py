"""A guard whose verdicts come from a daemon, with the interface of the one that judges in this process.

What gives no verdict on exactly what was sent is a deny: no daemon, no time, no right, no sense. Nothing is asked
twice, because an approval may have been used up by a request whose answer was lost.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import msgspec

from guardhouse.adapters.holding import AgentGuard
from guardhouse.client.address import found_token, found_url
from guardhouse.client.approver import RemoteApprover, approval_path
from guardhouse.client.checking import Sent, check_verdict, refused_edit
from guardhouse.client.connection import SECONDS, Connection
from guardhouse.client.errors import BadAnswer, DaemonError, Refused, Unreachable
from guardhouse.decide import refused
from guardhouse.model import (
    Action,
    ApprovalRequest,
    ApprovalStatus,
    Decision,
    GuardhouseError,
    InvalidAction,
    SkillRunPost,
    ToolCallPost,
    ToolCallPre,
    Verdict,
    parse_action,
)
from guardhouse.policy import DAEMON_UNREACHABLE, INTERNAL_ERROR, INVALID, TOO_LARGE
from guardhouse.wire import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from guardhouse.adapters import TakenUp
    from guardhouse.client.connection import Answer
    from guardhouse.trust import Announcement

_NONE: Final = "none"
"""The policy's revision where no policy was asked."""
_MOST_EDITS: Final = 16
_WHEN_STOPPED: Final = 2.0
"""Seconds for the report of a call that somebody stopped: they wait."""


def connect(
    url: str | None = None,
    token: str | None = None,
    *,
    ca_file: Path | None = None,
    plain_http: bool = False,
    seconds: float = SECONDS,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    accepts_edits: bool = True,
) -> RemoteGuard:
    """A guard at the daemon at `url` (else GUARDHOUSE_URL), for whoever `token` (else GUARDHOUSE_TOKEN) stands for.

    `ca_file` names the authorities that the daemon is known by, instead of the usual ones. A token is sent without TLS
    to this machine only, unless `plain_http` says otherwise. No verdict takes longer than `seconds`. Calls run in
    `cwd`, this process's directory if not given. This process then counts as a guarded agent in the registries of its
    user: what it starts can't approve anything. A person who is asked may say yes to a call with other arguments, and
    it is made with those, unless `accepts_edits` is false: then it is denied.
    """
    connection = Connection(
        found_url(os.environ) if url is None else url,
        found_token(os.environ) if token is None else token,
        ca_file=None if ca_file is None else str(ca_file),
        plain_http=plain_http,
        seconds=seconds,
    )
    return RemoteGuard(connection, cwd=cwd, state_dir=state_dir, accepts_edits=accepts_edits)


class RemoteGuard(AgentGuard):
    """A guard at a daemon. Safe to share between threads and tasks. Close it, or use it as a context manager.

    The principal of every action is who the token stands for, whatever the action says.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        cwd: Path | None = None,
        state_dir: Path | None = None,
        accepts_edits: bool = True,
    ) -> None:
        super().__init__()
        self._connection = connection
        self._accepts_edits = accepts_edits
        self._cwd = str(cwd.absolute()) if cwd is not None else os.getcwd()  # noqa: PTH109 - as text, like a call's
        self._state_dir = state_dir
        self._approvals = RemoteApprover(connection)
        self._registered_by = 0
        self._register()

    @property
    def approvals(self) -> RemoteApprover:
        """The requests: an agent's token can wait for its own, and take them back."""
        return self._approvals

    def evaluate(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict:
        """The verdict on `action`; see `Guard.evaluate`. A deny if the daemon gives none. Never raises for what the
        action holds or for what fails on the way."""
        return self._judged(action, approval_id=approval_id, announced=announced)

    async def evaluate_async(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict:
        """The same, without blocking the event loop."""
        try:
            sent = self._sent(action, approval_id=approval_id, announced=announced)
            return self._read(sent, await self._connection.request_async("POST", "/v1/evaluate", sent.body))
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            return _failed(error)

    def evaluate_result(
        self, result: ToolCallPost | SkillRunPost, call: Verdict | None, *, raised: bool = False
    ) -> Verdict:
        """The verdict on what a call came back with; see `Guard.evaluate_result`."""
        made: dict[str, Any] = {"raised": raised}
        if call is not None:
            made |= {"event_id": call.event_id, "risk_level": call.risk_level.value}
        return self._judged(result, made=made)

    def report(
        self,
        action: Action,
        verdict: Verdict,
        outcome: Literal["executed", "aborted"],
        detail: Literal["", "raised", "stopped"] = "",
    ) -> Verdict | None:
        """Record at the daemon what became of an action that was let through. None once it is recorded; otherwise the
        verdict on its result, which then may not be seen."""
        try:
            told = {
                "action": self._sent(action).action,
                "event_id": verdict.event_id,
                "trace_id": verdict.trace_id,
                "action_hash": verdict.action_hash,
                "risk_level": verdict.risk_level.value,
                "approval_request_id": verdict.approval_request_id,
                "outcome": outcome,
                "detail": detail,
            }
            seconds = min(_WHEN_STOPPED, self._connection.seconds) if detail == "stopped" else None
            answer = self._connection.request("POST", "/v1/report", msgspec.json.encode(told), seconds=seconds)
            if answer.status != 200:
                return _failed(Refused(answer.status))
            return None if answer.value == {"status": "recorded"} else _failed(BadAnswer())
        except Exception as error:  # noqa: BLE001 - what leaves no evidence is not seen
            return _failed(error)

    def take_up(
        self,
        approval_id: str,
        check: Callable[[Action], ToolCallPre],
        *,
        announced: Announcement | None = None,
    ) -> TakenUp:
        """The call that waits for an approval, as the daemon kept it, with the verdict under it; see `Gate.take_up`.
        GuardhouseError if there is none; a deny if the daemon can't be asked."""
        from guardhouse.adapters import TakenUp

        try:
            request = self._waiting(approval_id)
            self._check_waits(request, check)
            if request is not None and request.edit_of is not None:
                if not self._accepts_edits:
                    return TakenUp(None, refused_edit(_NONE))
                approval_id = request.id
            told = msgspec.json.encode({"announced": announced})
            answer = self._connection.request("POST", approval_path(approval_id, "resume"), told)
        except DaemonError as error:
            return TakenUp(None, _failed(error))
        return self._taken_up(answer, approval_id, check)

    async def take_up_async(
        self,
        approval_id: str,
        check: Callable[[Action], ToolCallPre],
        *,
        announced: Announcement | None = None,
    ) -> TakenUp:
        """The same, without blocking the event loop. Once begun it is finished, also if the task is cancelled."""
        from asyncio import to_thread

        return await to_thread(self.take_up, approval_id, check, announced=announced)

    def close(self) -> None:
        """Let go of the connections. What is asked after that is denied."""
        self._connection.close()

    async def close_async(self) -> None:
        """The same, in an event loop."""
        await self._connection.close_async()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def _judged(self, action: Action, **more: Any) -> Verdict:
        try:
            sent = self._sent(action, **more)
            return self._read(sent, self._connection.request("POST", "/v1/evaluate", sent.body))
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            return _failed(error)

    def _sent(
        self,
        action: Action,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        made: dict[str, Any] | None = None,
    ) -> Sent:
        if self._registered_by != os.getpid():
            self._register()
        return Sent.of(action, self._cwd, approval_id=approval_id, announced=announced, made=made)

    def _read(self, sent: Sent, answer: Answer) -> Verdict:
        """The verdict in an answer; DaemonError if there is none about what was sent."""
        verdict = _verdict_in(answer)
        if answer.status != 200:
            return _only_held_back(verdict)
        return check_verdict(sent, verdict, accepts_edits=self._accepts_edits)

    def _waiting(self, approval_id: str) -> ApprovalRequest | None:
        """The request with that id, or the one that a person put in its place."""
        request = self._approvals.get(approval_id)
        for _ in range(_MOST_EDITS):
            newer = request.superseded_by if request is not None else None
            found = self._approvals.get(newer) if newer is not None else None
            if found is None or found.edit_of is None:
                break
            request = found
        return request

    def _check_waits(self, request: ApprovalRequest | None, check: Callable[[Action], ToolCallPre]) -> None:
        """GuardhouseError unless there is a call of this tool to take up; before its approval is used for it."""
        if request is None or request.status not in {ApprovalStatus.PENDING, ApprovalStatus.APPROVED}:
            raise _nothing_waits()
        if self._connection.role not in {"agent", ""}:
            raise GuardhouseError("This is a person's token, which takes no call up.", fix="Use one of an agent's.")
        if request.action_type != "ToolCallPre" or request.tool_name is None:
            raise GuardhouseError("This approval is for another tool.", fix="Resume it with that one.")
        check(ToolCallPre(tool=request.tool_name, params=request.action_redacted.get("params") or {}))

    def _taken_up(self, answer: Answer, approval_id: str, check: Callable[[Action], ToolCallPre]) -> TakenUp:
        from guardhouse.adapters import TakenUp

        if answer.status in {404, 409, 410} and "verdict" not in answer.value:
            raise _nothing_waits()
        try:
            if answer.status != 200 or answer.value.get("status") != "resumed":
                return TakenUp(None, _only_held_back(_verdict_in(answer)))
            action = parse_action(_part(answer, "action"))
            verdict = check_verdict(Sent.kept(action, approval_id), verdict_of(_part(answer, "verdict")))
        except InvalidAction:
            return TakenUp(None, _failed(BadAnswer()))
        except GuardhouseError as error:
            return TakenUp(None, _failed(error))
        return TakenUp(check(action), verdict)

    def _register(self) -> None:
        """Register this process as an agent; again in one that was forked off, which is one of its own."""
        from guardhouse.config import find_locations
        from guardhouse.desk import note_agent
        from guardhouse.detect.secrets import SecretScanner
        from guardhouse.redact import Redactor

        name = os.path.basename(sys.argv[0]) or "python"  # noqa: PTH119
        note_agent(find_locations(state_dir=self._state_dir), Redactor(SecretScanner()).text(name))
        self._registered_by = os.getpid()


def _verdict_in(answer: Answer) -> Verdict:
    """The verdict that an answer is, or that a refusal comes with."""
    told = answer.value if answer.status == 200 else answer.value.get("verdict")
    if not isinstance(told, dict):
        raise Refused(answer.status) if answer.status != 200 else BadAnswer()
    return verdict_of(told)


def _part(answer: Answer, name: str) -> dict[str, Any]:
    part = answer.value.get(name)
    if not isinstance(part, dict):
        raise BadAnswer
    return part


def _nothing_waits() -> GuardhouseError:
    return GuardhouseError("There is no call that waits for this approval.", fix="Make the call again.")


def _only_held_back(verdict: Verdict) -> Verdict:
    """The verdict, if it lets nothing through: what came with a refusal can't."""
    if verdict.decision <= Decision.ALLOW_WITH_REDACTION:
        raise BadAnswer
    return verdict


def _failed(error: Exception) -> Verdict:
    """The verdict for a failure, in our words: what an error quotes stays out of it."""
    if isinstance(error, InvalidAction):
        return refused(TOO_LARGE if error.code == TOO_LARGE.id else INVALID, _NONE, detail=str(error))
    if not isinstance(error, GuardhouseError):
        return refused(INTERNAL_ERROR, _NONE, detail=type(error).__name__)
    verdict = refused(DAEMON_UNREACHABLE, _NONE, detail=str(error))
    if not (isinstance(error, Unreachable) and error.sent):
        return verdict
    [reason] = verdict.reasons
    why = f"{reason.why} The answer was lost: an approval of this call may have been used up by it."
    return msgspec.structs.replace(verdict, reasons=(msgspec.structs.replace(reason, why=why),))
