"""Plain Python functions as guarded tools, sync and async.

A call is judged by the names and values of its arguments, made with a private copy of exactly what was judged, and its
result is judged before anybody sees it. What the adapter does not do is decide: every verdict is the gate's.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from os import urandom
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, ParamSpec, Protocol, TypeVar

import msgspec

from guardhouse.adapters.arguments import Arguments, check_signature, from_call, from_params
from guardhouse.adapters.outcomes import Completed, Denied, Failed, Outcome, Pending
from guardhouse.adapters.signatures import announcement
from guardhouse.adapters.values import Budget, content_of
from guardhouse.model import (
    Action,
    Decision,
    GuardhouseError,
    InvalidAction,
    ToolCallPost,
    ToolCallPre,
    Verdict,
)

if TYPE_CHECKING:
    from guardhouse.trust import Announcement

P = ParamSpec("P")
R = TypeVar("R")


def is_async(tool: Callable[..., Any]) -> bool:
    """Whether calling `tool` gives something to be awaited. GuardhouseError for one that yields its result."""
    called = tool if inspect.isroutine(tool) else type(tool).__call__
    if inspect.isgeneratorfunction(called) or inspect.isasyncgenfunction(called):
        raise GuardhouseError("A tool that yields its result bit by bit can't be wrapped.", fix="Return it whole.")
    return inspect.iscoroutinefunction(called)


class TakenUp(msgspec.Struct, frozen=True):
    """A call that waited for an approval, judged under it."""

    call: ToolCallPre | None
    """The call to make, as it was kept; None where the verdict lets nobody make it."""
    verdict: Verdict


class Gate(Protocol):
    """What a guarded function needs of a guard, in this process or at a daemon."""

    def evaluate(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict: ...

    async def evaluate_async(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict: ...

    def report(
        self,
        action: Action,
        verdict: Verdict,
        outcome: Literal["executed", "aborted"],
        detail: Literal["", "raised", "stopped"] = "",
    ) -> Verdict | None: ...

    def take_up(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp:
        """The call that waits for an approval, with the verdict under it. GuardhouseError if there is none.

        `check` gives the call back if this is the tool for it, and raises GuardhouseError if not; nothing that it
        refuses is made.
        """
        ...

    async def take_up_async(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp: ...


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a guarded call says about itself, beside its tool and arguments."""

    session_id: str | None = None
    principal: str | None = None
    run_id: str | None = None
    parent_run_id: str | None = None
    task_id: str | None = None
    cwd: str | None = None


class _Evaluate(msgspec.Struct, frozen=True):
    """To be done: ask the gate."""

    action: Action
    approval_id: str | None = None


class _TakeUp(msgspec.Struct, frozen=True):
    """To be done: ask the gate for the call that waits for an approval."""

    approval_id: str


class _Run(msgspec.Struct, frozen=True):
    """To be done: call the tool."""

    arguments: inspect.BoundArguments


class _Report(msgspec.Struct, frozen=True):
    """To be done: tell the gate what became of a call."""

    call: ToolCallPre
    verdict: Verdict
    outcome: Literal["executed", "aborted"]
    detail: Literal["", "raised", "stopped"]


_Step = _Evaluate | _TakeUp | _Run | _Report
_Course = Generator[_Step, Any, Outcome[Any]]


class _Guarded(ABC, Generic[P, R]):
    """What the sync and the async form share: the way a call takes, as steps that a driver does."""

    def __init__(
        self,
        guard: Gate,
        tool: Callable[P, Any],
        *,
        name: str,
        context: CallContext | None = None,
        announced: Announcement | None = None,
        signals: tuple[type[BaseException], ...] = (),
    ) -> None:
        """`announced` is what the tool is said to be, if not by its function. `signals` are exceptions that are no
        answer of the tool's: they go through to whoever called it."""
        self._guard = guard
        self._tool = tool
        self._signature = inspect.signature(tool)
        check_signature(name, self._signature)
        self.name = name
        self.context = context or CallContext()
        self._announced = announced or announcement(name, tool, self._signature)
        self._signals = signals
        # The tool's name and words, but not the tool: `__wrapped__` would be a way round.
        self.__name__, self.__doc__, self.__signature__ = name, tool.__doc__, self._signature

    def _called(self, args: Any, kwargs: Any, approval_id: str | None = None) -> _Course:
        """The course of a call that is made now. What can't be shown to the gate is put before it all the same."""
        try:
            arguments = from_call(self._signature, args, kwargs)
        except InvalidAction:
            return self._refused(ToolCallPre(tool=self.name, params={"": object()}, **self._named()))
        return self._course(arguments, self._named_anew(), approval_id)

    def _resumed(self, approval_id: str) -> _Course:
        """The course of the call that waits for this approval, as it was kept: its own arguments and session."""
        taken: TakenUp = yield _TakeUp(approval_id)
        asked = taken.verdict.approval_request_id
        if taken.verdict.decision is Decision.REQUIRE_APPROVAL and asked:
            return Pending(taken.verdict, lambda: self._drive(self._resumed(asked)))
        if taken.call is None:
            return Denied(taken.verdict)
        arguments = from_params(self._signature, taken.call.params)
        return (yield from self._judged(taken.call, arguments, taken.verdict))

    def _check(self, action: Action) -> ToolCallPre:
        """The call that an action is, if it is one of this tool; GuardhouseError otherwise."""
        if not isinstance(action, ToolCallPre) or action.tool != self.name:
            raise GuardhouseError("This approval is for another tool.", fix="Resume it with that one.")
        from_params(self._signature, action.params)
        return action

    def _refused(self, call: ToolCallPre) -> _Course:
        return Denied((yield _Evaluate(call)))

    def _course(self, arguments: Arguments, named: dict[str, Any], approval_id: str | None) -> _Course:
        """Judged, made, reported, and its result judged."""
        call = ToolCallPre(tool=self.name, params=arguments.params, source="function", **named)
        verdict: Verdict = yield _Evaluate(call, approval_id)
        if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
            asked = verdict.approval_request_id
            return Pending(verdict, lambda: self._drive(self._course(arguments, named, asked)))
        return (yield from self._judged(call, arguments, verdict))

    def _judged(self, call: ToolCallPre, arguments: Arguments, verdict: Verdict) -> _Course:
        """The rest of the way of a call that nobody has to be asked about any more."""
        passed, params = arguments.passed, arguments.params
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and verdict.params is not None:
            passed, params = arguments.masked(verdict.params), verdict.params
        elif verdict.decision is not Decision.ALLOW:
            return Denied(verdict)
        made = msgspec.structs.replace(call, params=params)
        try:
            value = yield _Run(passed)
            raised = ""
        except BaseException as error:
            if _stops(error) or isinstance(error, self._signals):
                unrecorded = self._guard.report(made, verdict, "aborted", "stopped")
                if unrecorded is not None:
                    error.add_note(unrecorded.for_person)
                raise
            value, raised = error, type(error).__name__  # what a tool raises is what it answers
        unrecorded = yield _Report(made, verdict, "executed", "raised" if raised else "")
        if unrecorded is not None:
            return Denied(unrecorded, ran=True)
        try:
            content = f"{raised}: {value}" if raised else content_of(value, Budget())
        except Exception:  # noqa: BLE001 - a result that can't be shown is not seen
            content = object()
        return (yield from self._shown(made, verdict, content, raised=bool(raised)))

    def _shown(
        self, call: ToolCallPre, verdict: Verdict, content: Any, *, raised: bool, approval_id: str | None = None
    ) -> _Course:
        """What the caller gets to see of a result, once it is judged. `call` is the call as it was made."""
        named = {name: getattr(call, name) for name in CallContext.__struct_fields__}
        post = ToolCallPost(
            tool=self.name, content=content, params=call.params, call_id=call.call_id, source="function", **named
        )
        result: Verdict = yield _Evaluate(post, approval_id)
        if result.decision is Decision.REQUIRE_APPROVAL and result.approval_request_id:
            asked = result.approval_request_id
            again = partial(self._shown, call, verdict, content, raised=raised, approval_id=asked)
            return Pending(result, lambda: self._drive(again()), ran=True)
        return _outcome(verdict, result, content, raised=raised)

    def _named(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self.context)

    def _named_anew(self) -> dict[str, Any]:
        """What a new call says of itself."""
        return {**self._named(), "call_id": f"call_{urandom(8).hex()}"}

    @abstractmethod
    def _drive(self, course: _Course) -> Any:
        """Do the steps of a course; its outcome (of an async tool: to be awaited)."""


class GuardedFunction(_Guarded[P, R]):
    """A function behind the gate. Calling it gives an outcome, never an unjudged result."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Outcome[R]:
        """Make the call, if it may be made."""
        return self._drive(self._called(args, kwargs))

    def with_approval(self, approval_id: str) -> Callable[P, Outcome[R]]:
        """The function under an approval that a person gave: the call must be the one that was approved."""
        return lambda *args, **kwargs: self._drive(self._called(args, kwargs, approval_id))

    def resume(self, approval_id: str) -> Outcome[R]:
        """Make the call that waits for this approval, as it was kept; also in another process than asked for it."""
        return self._drive(self._resumed(approval_id))

    def _drive(self, course: _Course) -> Outcome[R]:
        done: Any = None
        try:
            step = next(course)
            while True:
                try:
                    if isinstance(step, _Run):
                        done = _plain_result(self._tool(*step.arguments.args, **step.arguments.kwargs))
                    elif isinstance(step, _Report):
                        done = self._guard.report(step.call, step.verdict, step.outcome, step.detail)
                    elif isinstance(step, _TakeUp):
                        done = self._guard.take_up(step.approval_id, self._check, announced=self._announced)
                    else:
                        done = self._guard.evaluate(
                            step.action, approval_id=step.approval_id, announced=self._announced
                        )
                except BaseException as error:  # noqa: BLE001 - the course says what it leads to
                    step = course.throw(error)
                else:
                    step = course.send(done)
        except StopIteration as end:
            outcome: Outcome[R] = end.value
            return outcome


class GuardedAsyncFunction(_Guarded[P, R]):
    """The same for a coroutine function."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Outcome[R]:
        """Make the call, if it may be made."""
        return await self._drive(self._called(args, kwargs))

    def with_approval(self, approval_id: str) -> Callable[P, Awaitable[Outcome[R]]]:
        """The function under an approval that a person gave: the call must be the one that was approved."""
        return lambda *args, **kwargs: self._drive(self._called(args, kwargs, approval_id))

    async def resume(self, approval_id: str) -> Outcome[R]:
        """Make the call that waits for this approval, as it was kept; also in another process than asked for it."""
        return await self._drive(self._resumed(approval_id))

    async def _drive(self, course: _Course) -> Outcome[R]:
        done: Any = None
        try:
            step = next(course)
            while True:
                try:
                    if isinstance(step, _Run):
                        done = _plain_result(await self._tool(*step.arguments.args, **step.arguments.kwargs))
                    elif isinstance(step, _Report):
                        from asyncio import to_thread

                        report = partial(self._guard.report, step.call, step.verdict, step.outcome, step.detail)
                        done = await to_thread(report)
                    elif isinstance(step, _TakeUp):
                        done = await self._guard.take_up_async(step.approval_id, self._check, announced=self._announced)
                    else:
                        done = await self._guard.evaluate_async(
                            step.action, approval_id=step.approval_id, announced=self._announced
                        )
                except BaseException as error:  # noqa: BLE001 - the course says what it leads to
                    step = course.throw(error)
                else:
                    step = course.send(done)
        except StopIteration as end:
            outcome: Outcome[R] = end.value
            return outcome


def _stops(error: BaseException) -> bool:
    """Whether somebody has stopped the program or the task: that is no answer of the tool's."""
    asyncio = sys.modules.get("asyncio")
    cancelled = asyncio is not None and isinstance(error, asyncio.CancelledError)
    return cancelled or isinstance(error, (KeyboardInterrupt, GeneratorExit))


def _plain_result(value: Any) -> Any:
    """The result, if it is one and not a promise of one: what has not run yet can't be judged."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("the tool gave something to be awaited; wrap an `async def` function")
    return value


def _outcome(call: Verdict, result: Verdict, content: Any, *, raised: bool) -> Outcome[Any]:
    """What the caller gets, once the result is judged."""
    if result.decision is Decision.ALLOW_WITH_REDACTION:
        content = result.content
    elif result.decision is not Decision.ALLOW:
        return Denied(result, ran=True)
    text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
    error = text.partition(":")[0]
    if result.wrapped is not None:
        text = result.wrapped.text
    if raised:
        return Failed(error if error.isidentifier() and len(error) <= _LONGEST_NAME else "Exception", text, result)
    redacted = Decision.ALLOW_WITH_REDACTION in {call.decision, result.decision}
    return Completed(content, text, redacted, result.untrusted, call, result)


_LONGEST_NAME: Final = 64
"""A longer type name says more than what kind of error it was."""
