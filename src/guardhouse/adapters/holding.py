"""What a program does with the guard it holds, whether that judges here or at a daemon: it tells what was said and
shown, and puts its tools behind it. How a verdict comes about is not known here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypedDict, TypeVar, overload

from guardhouse.model import OutputPublish, UserInput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from guardhouse.adapters.functions import GuardedAsyncFunction, GuardedFunction, TakenUp
    from guardhouse.adapters.names import ToolNames
    from guardhouse.model import Action, ToolCallPre, Verdict
    from guardhouse.trust import Announcement

P = ParamSpec("P")
R = TypeVar("R")


class CallNames(TypedDict, total=False):
    """What every call of a guarded tool says of itself."""

    session_id: str | None
    principal: str | None
    run_id: str | None
    parent_run_id: str | None
    task_id: str | None
    cwd: str | None


class AgentGuard(ABC):
    """A guard in the hands of an agent's program. Close it, or use it as a context manager."""

    def __init__(self) -> None:
        self._session = f"s_{os.urandom(8).hex()}"
        self._names: ToolNames | None = None

    @property
    def session_id(self) -> str:
        """This guard's own session, which is meant where none is named."""
        return self._session

    @abstractmethod
    def evaluate(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict:
        """The verdict on `action`."""

    @abstractmethod
    async def evaluate_async(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict:
        """The same, without blocking the event loop."""

    @abstractmethod
    def report(
        self,
        action: Action,
        verdict: Verdict,
        outcome: Literal["executed", "aborted"],
        detail: Literal["", "raised", "stopped"] = "",
    ) -> Verdict | None:
        """Record what became of an action that was let through; None once it is recorded."""

    @abstractmethod
    def take_up(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp:
        """The call that waits for an approval, with the verdict under it."""

    @abstractmethod
    async def take_up_async(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp:
        """The same, without blocking the event loop."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything. What is asked after that is denied."""

    def user_said(
        self,
        text: str,
        *,
        session_id: str | None = None,
        origin: Literal["typed", "pasted", "attachment", "scheduled"] = "typed",
    ) -> Verdict:
        """Tell the gate what the user said, in this guard's own session unless one is named: from now on calls are held
        against it. Only words that a person `typed` carry authority, so say so of nothing else; what was pasted into
        them is told apart. Give the model what the verdict lets through."""
        return self.evaluate(UserInput(content=text, origin=origin, session_id=session_id or self._session))

    async def user_said_async(
        self,
        text: str,
        *,
        session_id: str | None = None,
        origin: Literal["typed", "pasted", "attachment", "scheduled"] = "typed",
    ) -> Verdict:
        """The same, without blocking the event loop."""
        said = UserInput(content=text, origin=origin, session_id=session_id or self._session)
        return await self.evaluate_async(said)

    def assistant_showed(self, text: str, *, session_id: str | None = None, channel: str | None = None) -> Verdict:
        """Ask before the user is shown an answer, and let the session know of it: a `yes` of theirs then is a yes to
        what stands there. Show what the verdict lets through."""
        return self.evaluate(OutputPublish(content=text, channel=channel, session_id=session_id or self._session))

    async def assistant_showed_async(
        self, text: str, *, session_id: str | None = None, channel: str | None = None
    ) -> Verdict:
        """The same, without blocking the event loop."""
        shown = OutputPublish(content=text, channel=channel, session_id=session_id or self._session)
        return await self.evaluate_async(shown)

    @overload
    def wrap(  # type: ignore[overload-overlap]  # the first that fits is meant
        self,
        tool: Callable[P, Awaitable[R]],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> GuardedAsyncFunction[P, R]: ...

    @overload
    def wrap(
        self,
        tool: Callable[P, R],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> GuardedFunction[P, R]: ...

    def wrap(
        self,
        tool: Callable[..., Any],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> Any:
        """`tool` behind the gate: calling it gives an outcome, never an unjudged result.

        `name` is what the policy knows the tool by, its own name unless given. The rest is what every call says of
        itself; without a session it is one of this guard's own. In one session a name means one tool.
        """
        from guardhouse.adapters import CallContext, GuardedAsyncFunction, GuardedFunction, ToolNames, is_async

        names = self._names = self._names or ToolNames()
        context = CallContext(
            session_id=session_id or self.session_id,
            principal=principal,
            run_id=run_id,
            parent_run_id=parent_run_id,
            task_id=task_id,
            cwd=cwd,
        )
        kind: Any = GuardedAsyncFunction if is_async(tool) else GuardedFunction
        return kind(self, tool, name=names.take(tool, name, context), context=context)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
