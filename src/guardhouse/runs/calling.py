"""Makes the calls of a run, each at most once: judged by the gate, noted in the journal, made, and its result judged
before the model sees it.

No verdict is made here. What the gate denies, what fails and what nobody knows the end of is told to the model in words
that it can act on.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import msgspec

from guardhouse.adapters.values import Budget, content_of
from guardhouse.model import Action, ApprovalStatus, Decision, OutputPublish, Verdict
from guardhouse.runs.interface import Call, CallState, Outcome, Overtaken
from guardhouse.runs.journal import Ended, Entry, Journal, Returned
from guardhouse.runs.tools.interface import Delegation, Errand, Names, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.opening import LocalGuard

_Done = TypeVar("_Done")
OUTPUT: Final = "$output"
"""The call that is no tool's, whatever tools are called: the answer to whoever set the task."""
_GONE: Final = (
    "It is not known whether this call took effect: the process that made it ended before it came back. "
    "It was not made again. Find out how things stand before you go on."
)


class Delegates(Protocol):
    """Those that calls are passed on to: runs of their own."""

    async def start(self, call: Call, delegation: Delegation) -> Call:
        """Start the run that a call is to be; the call then waits for it. NotDelegated if there can be none."""
        ...

    async def answer(self, call: Call) -> Ended | None:
        """What the run of a call came to, taking it further if that can be done now; None if it is not over. One that
        ended because it was denied too much is a denied call: it is one more try of whoever passed it on."""
        ...

    async def is_paused(self, call: Call) -> bool:
        """Whether the run of a call goes on only if somebody resumes it."""
        ...


class Caller:
    """For one segment of one run."""

    def __init__(
        self,
        guard: LocalGuard,
        journal: Journal,
        tools: Mapping[str, Tool],
        names: Names,
        delegates: Delegates,
    ) -> None:
        self._guard = guard
        self._journal = journal
        self._tools = tools
        self._names = names
        self._delegates = delegates
        self.denied_in_a_row = 0

    async def make(self, call: Call, params: dict[str, Any] | None) -> Call:
        """Bring a call as far as it comes now: it has ended, or waits. `params` are None if the model gave none that
        can be read. Overtaken if another process has the run."""
        tool = self._tools.get(call.tool)
        if call.state is CallState.ENDED:
            return call
        if call.state is CallState.RETURNED and tool is not None:
            return await self._see(Entry(call), tool, await _aside(self._journal.returned, call))
        if call.state is CallState.WAITING and call.child_id is not None and tool is not None:
            return await self._delegated(call, tool, params or {})
        if call.state is CallState.BEGUN:
            call = await self._taken_over(call, is_harmless=tool is not None and tool.may_repeat(params or {}))
        if tool is None:
            return await self.end(call, _not_made(call, "There is no tool of that name."))
        problem = "The arguments are no JSON object." if params is None else tool.problem(params)
        if problem or params is None:
            return await self.end(call, _not_made(call, problem))
        return await self._judge(Entry(call), tool, params)

    async def end(self, call: Call, ended: Ended) -> Call:
        """Note what the model is told of a call."""
        after, self.denied_in_a_row = await _aside(self._journal.end, call, ended)
        return after

    async def _taken_over(self, call: Call, *, is_harmless: bool) -> Call:
        """A call that was begun by a process that is gone: nobody knows whether it was made."""
        return await _aside(lambda: self._journal.again(call, attempt=call.attempt + (not is_harmless)))

    async def _judge(self, entry: Entry, tool: Tool, params: dict[str, Any]) -> Call:
        call = entry.call
        action = tool.before(params, call.call_id, call.attempt, self._names)
        verdict = await self._evaluated(entry, action, tool)
        if verdict.decision is Decision.REQUIRE_APPROVAL and entry.call.state is CallState.WAITING:
            return entry.call
        is_used = verdict.approval_status is ApprovalStatus.CONSUMED
        if verdict.decision > Decision.ALLOW_WITH_REDACTION or (call.attempt and not is_used):
            # Whatever the policy says of it: what may have been made is made again only if a person wants it.
            doubt = f"{_GONE} " if call.attempt else ""
            return await self.end(entry.call, Ended("unknown" if doubt else "denied", doubt + verdict.for_agent))
        if entry.call.state is not CallState.BEGUN:
            entry.call = await _aside(self._journal.begin, entry.call)
        sent = tool.passed_on(params, verdict)
        made = _with_params(action, sent)
        errand = Errand(
            guard=self._guard,
            names=self._names,
            call_id=call.call_id,
            is_confined=verdict.confined,
            real_paths=verdict.facts.real_paths,
        )
        try:
            value, raised = await tool.work(sent, errand), ""
            if isinstance(value, Delegation):
                value = entry.call = await self._delegates.start(entry.call, value)
        except Overtaken:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - what a tool raises is what it answers
            value, raised = error, type(error).__name__
        except asyncio.CancelledError as error:
            if _is_stopped():
                self._guard.report(made, verdict, "aborted", "stopped")
                raise
            value, raised = error, type(error).__name__  # something inside the tool was cancelled, and not the run
        except BaseException:
            self._guard.report(made, verdict, "aborted", "stopped")
            raise
        unrecorded = await _aside(self._guard.report, made, verdict, "executed", "raised" if raised else "")
        if unrecorded is not None:
            return await self.end(entry.call, Ended("denied", f"{_WITHHELD} {unrecorded.for_agent}"))
        if isinstance(value, Call):
            return await self._delegated(value, tool, sent)
        return await self._see(entry, tool, Returned(sent, _content(value, raised), bool(raised)))

    async def _delegated(self, call: Call, tool: Tool, params: dict[str, Any]) -> Call:
        """A call that is a run of its own: what came of that, if it is over."""
        came = await self._delegates.answer(call)
        if came is None:
            return call
        if came.outcome == "denied":
            return await self.end(call, came)  # in words of ours
        return await self._see(Entry(call), tool, Returned(params, came.text, raised=came.outcome == "failed"))

    async def _see(self, entry: Entry, tool: Tool, returned: Returned) -> Call:
        """Let the model see what a tool came back with, as far as the gate lets it."""
        post = tool.after(returned.params, returned.content, entry.call.call_id, self._names)
        verdict = await self._evaluated(entry, post, tool, returned)
        if verdict.decision is Decision.REQUIRE_APPROVAL and entry.call.state is CallState.RETURNED:
            return entry.call
        if verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return await self.end(entry.call, Ended("denied", f"{_WITHHELD} {verdict.for_agent}"))
        redacted = verdict.decision is Decision.ALLOW_WITH_REDACTION
        content = verdict.content if redacted else returned.content
        text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
        if verdict.wrapped is not None:
            text = verdict.wrapped.text
        outcome: Outcome = "failed" if returned.raised else "redacted" if redacted else "completed"
        return await self.end(entry.call, Ended(outcome, text))

    async def publish(self, call: Call, text: str) -> tuple[Call, str | None, str]:
        """Ask before whoever set the task is shown the answer: the call as it stands, what may be shown of it if
        anything, and if nothing may and nobody is asked, why."""
        entry = Entry(call)
        action = OutputPublish(content=text, channel="run", source="run", **msgspec.structs.asdict(self._names))
        verdict = await self._evaluated(entry, action, None)
        if verdict.decision is Decision.REQUIRE_APPROVAL and entry.call.state is CallState.WAITING:
            return entry.call, None, ""
        if verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return entry.call, None, verdict.for_agent
        shown = verdict.content if verdict.decision is Decision.ALLOW_WITH_REDACTION else text
        return entry.call, shown if isinstance(shown, str) else msgspec.json.encode(shown).decode(), ""

    async def _evaluated(
        self, entry: Entry, action: Action, tool: Tool | None, returned: Returned | None = None
    ) -> Verdict:
        """The verdict, by the answer to the request that the call waits for if it waits for one."""
        call = entry.call

        def ask() -> Verdict:
            alongside = self._journal.alongside(entry, returned)
            approval_id = self._answered(call.request_id, used_for_result=returned is not None)
            if tool is None:
                return self._guard.evaluate(action, approval_id=approval_id, alongside=alongside)
            return self._guard.evaluate(
                action,
                approval_id=approval_id,
                announced=tool.announced,
                can_confine=tool.can_confine if returned is None else None,
                alongside=alongside,
                of_house=tool.is_of_house,
            )

        verdict = await asyncio.to_thread(ask)
        entry.call = await _aside(self._journal.call, call.call_id)  # as it was committed, whatever the gate says
        return verdict

    def _answered(self, request_id: str | None, *, used_for_result: bool) -> str | None:
        """The request that a call goes back to. One that was used up, by this call or by one just like it, is none."""
        if request_id is None:
            return None
        request = self._guard.approvals.get(request_id)
        if request is not None and request.status is ApprovalStatus.CONSUMED:
            return None
        is_for_result = request is not None and request.action_type.endswith("Post")
        return request_id if is_for_result == used_for_result else None


_WITHHELD: Final = "The tool has run, but its result is withheld."


def _not_made(call: Call, problem: str) -> Ended:
    """That a call can't be made now. One that may have been made before, by a process that had what is missing here,
    is not told to have failed."""
    return Ended("unknown", f"{_GONE} {problem}") if call.attempt else Ended("failed", problem)


def _is_stopped() -> bool:
    """Whether the task at work was cancelled, and not only something that it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _with_params(action: Action, params: dict[str, Any]) -> Action:
    return msgspec.structs.replace(action, params=params) if hasattr(action, "params") else action


def _content(value: Any, raised: str) -> Any:
    """A result as JSON, which the gate can look at. One that can't be shown to it is told without its words."""
    try:
        return f"{raised}: {value}" if raised else content_of(value, Budget())
    except Exception as error:  # noqa: BLE001 - a value's own methods may raise anything
        return f"The result can't be shown ({type(error).__name__})."


async def _aside(work: Callable[..., _Done], *arguments: Any) -> _Done:
    """Do something that may have to wait for a database, without holding the event loop up."""
    return await asyncio.to_thread(work, *arguments)
