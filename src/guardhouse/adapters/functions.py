"""Plain Python functions as guarded tools, sync and async.

A call is judged by the names and values of its arguments, made with a private copy of exactly what was judged, and its
result is judged before anybody sees it. What the adapter does not do is decide: every verdict is the gate's.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator
from os import urandom
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, ParamSpec, Protocol, TypeVar

import msgspec

from guardhouse.adapters.outcomes import Completed, Denied, Failed, Outcome, Pending
from guardhouse.adapters.values import content_of, judged_and_passed
from guardhouse.decide import refused
from guardhouse.model import Action, Decision, GuardhouseError, ToolCallPost, ToolCallPre, Verdict, parse_action
from guardhouse.policy import AUDIT_UNWRITABLE
from guardhouse.trust import wrap_untrusted

if TYPE_CHECKING:
    from guardhouse.guard import Guard

P = ParamSpec("P")
R = TypeVar("R")


class ResumeData(Protocol):
    """Where a call that waits for approval is kept."""

    def resume_data(self, request_id: str) -> bytes | None: ...


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


class _Run(msgspec.Struct, frozen=True):
    """To be done: call the tool."""

    arguments: inspect.BoundArguments


_Step = _Evaluate | _Run
_POSITIONAL_AND_ANY: Final = frozenset({inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_KEYWORD})


class _Guarded(ABC, Generic[P, R]):
    """What the sync and the async form share: the way a call takes, as steps that a driver does."""

    def __init__(
        self,
        guard: Guard,
        tool: Callable[P, Any],
        *,
        name: str | None = None,
        context: CallContext | None = None,
        kept: ResumeData | None = None,
    ) -> None:
        self._guard = guard
        self._tool = tool
        self._signature = inspect.signature(tool)
        self.name = name or tool.__name__
        self.context = context or CallContext()
        self._kept = kept
        if {parameter.kind for parameter in self._signature.parameters.values()} >= _POSITIONAL_AND_ANY:
            raise GuardhouseError(
                f"{self.name} takes positional-only arguments beside `**`, so two arguments can have one name.",
                fix="Wrap a function that names its arguments.",
            )
        # The tool's name and words, but not the tool: `__wrapped__` would be a way round.
        self.__name__, self.__doc__, self.__signature__ = self.name, tool.__doc__, self._signature

    def _course(
        self, arguments: inspect.BoundArguments, approval_id: str | None
    ) -> Generator[_Step, Any, Outcome[Any]]:
        """Judged, made, reported, and its result judged."""
        params, passed = _taken_apart(arguments)
        call = ToolCallPre(
            tool=self.name, params=params, call_id=f"call_{urandom(8).hex()}", source="function", **self._named()
        )
        verdict: Verdict = yield _Evaluate(call, approval_id)
        if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
            asked = verdict.approval_request_id
            return Pending(verdict, lambda: self._drive(self._course(arguments, asked)))
        if verdict.decision is Decision.ALLOW_WITH_REDACTION and verdict.params is not None:
            passed = _put_together(passed, verdict.params)
        elif verdict.decision is not Decision.ALLOW:
            return Denied(verdict)
        try:
            value = yield _Run(passed)
        except Exception as error:  # noqa: BLE001 - what a tool raises is what it answers
            value, raised = f"{type(error).__name__}: {error}", type(error).__name__
        except BaseException as stop:
            unrecorded = self._reported(call, verdict, "aborted", type(stop).__name__)
            if unrecorded is not None:
                stop.add_note(unrecorded.for_person)
            raise
        else:
            raised = ""
        unrecorded = self._reported(call, verdict, "executed", f"raised {raised}" if raised else "")
        if unrecorded is not None:
            return Denied(unrecorded, ran=True)
        return (yield from self._shown(call, verdict, content_of(value), raised))

    def _shown(
        self, call: ToolCallPre, verdict: Verdict, content: Any, raised: str, approval_id: str | None = None
    ) -> Generator[_Step, Any, Outcome[Any]]:
        """What the caller gets to see of a result, once it is judged."""
        post = ToolCallPost(tool=self.name, content=content, call_id=call.call_id, source="function", **self._named())
        result: Verdict = yield _Evaluate(post, approval_id)
        if result.decision is Decision.REQUIRE_APPROVAL and result.approval_request_id:
            asked = result.approval_request_id
            return Pending(result, lambda: self._drive(self._shown(call, verdict, content, raised, asked)), ran=True)
        return _outcome(self.name, verdict, result, content, raised)

    def _reported(
        self, call: ToolCallPre, verdict: Verdict, outcome: Literal["executed", "aborted"], detail: str
    ) -> Verdict | None:
        """None once it is recorded what became of the call; otherwise the verdict on its result."""
        try:
            self._guard.report(call, verdict, outcome, detail)
        except GuardhouseError as error:
            return refused(AUDIT_UNWRITABLE, verdict.policy_revision, detail=type(error).__name__)
        return None

    def _named(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self.context)

    @abstractmethod
    def _drive(self, course: Generator[_Step, Any, Outcome[Any]]) -> Any:
        """Do the steps of a course; its outcome (of an async tool: to be awaited)."""

    def _stored(self, approval_id: str) -> inspect.BoundArguments:
        """The arguments of a call that waits for approval, as they were kept sealed."""
        data = self._kept.resume_data(approval_id) if self._kept is not None else None
        if data is None:
            raise GuardhouseError("There is no call that waits for this approval.", fix="Make the call again.")
        action = parse_action(data)
        if not isinstance(action, ToolCallPre) or action.tool != self.name:
            raise GuardhouseError("This approval is for another tool.", fix="Resume it with that one.")
        return _bound_by_name(self._signature, action.params)


class GuardedFunction(_Guarded[P, R]):
    """A function behind the gate. Calling it gives an outcome, never an unjudged result."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Outcome[R]:
        """Make the call, if it may be made."""
        return self._drive(self._course(_bound(self._signature, args, kwargs), None))

    def with_approval(self, approval_id: str) -> Callable[P, Outcome[R]]:
        """The function under an approval that a person gave: the call must be the one that was approved."""
        return lambda *args, **kwargs: self._drive(self._course(_bound(self._signature, args, kwargs), approval_id))

    def resume(self, approval_id: str) -> Outcome[R]:
        """Make the call that waits for this approval, as it was kept; also in another process than asked for it."""
        return self._drive(self._course(self._stored(approval_id), approval_id))

    def _drive(self, course: Generator[_Step, Any, Outcome[Any]]) -> Outcome[R]:
        done: Any = None
        try:
            step = next(course)
            while True:
                try:
                    if isinstance(step, _Run):
                        done = self._tool(*step.arguments.args, **step.arguments.kwargs)
                    else:
                        done = self._guard.evaluate(step.action, approval_id=step.approval_id)
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
        return await self._drive(self._course(_bound(self._signature, args, kwargs), None))

    def with_approval(self, approval_id: str) -> Callable[P, Awaitable[Outcome[R]]]:
        """The function under an approval that a person gave: the call must be the one that was approved."""
        return lambda *args, **kwargs: self._drive(self._course(_bound(self._signature, args, kwargs), approval_id))

    async def resume(self, approval_id: str) -> Outcome[R]:
        """Make the call that waits for this approval, as it was kept; also in another process than asked for it."""
        return await self._drive(self._course(self._stored(approval_id), approval_id))

    async def _drive(self, course: Generator[_Step, Any, Outcome[Any]]) -> Outcome[R]:
        done: Any = None
        try:
            step = next(course)
            while True:
                try:
                    if isinstance(step, _Run):
                        done = await self._tool(*step.arguments.args, **step.arguments.kwargs)
                    else:
                        done = await self._guard.evaluate_async(step.action, approval_id=step.approval_id)
                except BaseException as error:  # noqa: BLE001 - the course says what it leads to
                    step = course.throw(error)
                else:
                    step = course.send(done)
        except StopIteration as end:
            outcome: Outcome[R] = end.value
            return outcome


def _bound(signature: inspect.Signature, args: Any, kwargs: Any) -> inspect.BoundArguments:
    """The arguments by name, with defaults: what is not given is part of what is done, too."""
    arguments = signature.bind(*args, **kwargs)
    given = set(arguments.arguments)
    arguments.apply_defaults()
    for name in list(arguments.arguments):
        # A default that is no JSON (a client, a logger) was chosen by whoever wrote the tool, and not by an agent.
        if name not in given and not _is_json(arguments.arguments[name]):
            del arguments.arguments[name]
    return arguments


def _is_json(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool, list, tuple, dict, type(None)))


def _bound_by_name(signature: inspect.Signature, params: dict[str, Any]) -> inspect.BoundArguments:
    """Arguments from the parameters that were judged."""
    arguments = inspect.BoundArguments(signature, {})
    return _put_together(arguments, params)


def _taken_apart(arguments: inspect.BoundArguments) -> tuple[dict[str, Any], inspect.BoundArguments]:
    """The parameters as the gate judges them, and the arguments as the tool gets them."""
    params: dict[str, Any] = {}
    passed = inspect.BoundArguments(arguments.signature, {})
    for name, value in arguments.arguments.items():
        judged, kept = judged_and_passed(value)
        if arguments.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            params.update(judged)
        else:
            params[name] = judged
        passed.arguments[name] = kept
    return params, passed


def _put_together(arguments: inspect.BoundArguments, params: dict[str, Any]) -> inspect.BoundArguments:
    """The arguments with `params` in the places of those that were judged."""
    changed = inspect.BoundArguments(arguments.signature, {})
    rest = dict(params)
    for name, parameter in arguments.signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            changed.arguments[name], rest = rest, {}
        elif name in rest:
            value = rest.pop(name)
            changed.arguments[name] = tuple(value) if parameter.kind is inspect.Parameter.VAR_POSITIONAL else value
        elif name in arguments.arguments:
            changed.arguments[name] = arguments.arguments[name]
    if rest:
        raise GuardhouseError("The masked call has arguments that the tool does not take.")
    return changed


def _outcome(tool: str, call: Verdict, result: Verdict, content: Any, raised: str) -> Outcome[Any]:
    """What the caller gets, once the result is judged."""
    if result.decision is Decision.ALLOW_WITH_REDACTION:
        content = result.content
    elif result.decision is not Decision.ALLOW:
        return Denied(result, ran=True)
    text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
    if result.untrusted:
        text = wrap_untrusted(text, tool, urandom(12).hex())
    if raised:
        return Failed(raised, text, result)
    redacted = Decision.ALLOW_WITH_REDACTION in {call.decision, result.decision}
    return Completed(content, text, redacted, result.untrusted, call, result)
