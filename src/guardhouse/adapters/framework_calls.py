"""What the adapters of agent frameworks share: one call on its way through the gate, in whose session it is made, and
the words that come in from a user and go out to them.

How a framework pauses, resumes and tells its model is each adapter's own affair. Nothing is decided here.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.adapters.arguments import Arguments, from_call
from guardhouse.adapters.functions import CallContext, GuardedAsyncFunction, GuardedFunction
from guardhouse.adapters.outcomes import Denied, Outcome, Pending
from guardhouse.model import Decision, GuardhouseError, InvalidAction, OutputPublish, ToolCallPre, UserInput, Verdict
from guardhouse.model.digests import sha256_hex
from guardhouse.trust import Announcement

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from guardhouse.adapters.holding import AgentGuard

Origin = Literal["typed", "pasted", "attachment", "scheduled"]
Named = str | CallContext | None
Names = Named | Callable[[Any], Named]
"""In whose name an agent's calls are made: a session, or all that they say of themselves; or a function that tells it
from what the framework knows of the run."""

_MOST_KEPT: Final = 1024
_READINGS: Final = 3
"""How often arguments are read until they stay as they are: a set comes in any order at first."""
_PROMPT: Final = "The prompt"
_ANSWER: Final = "The answer"
_UNSHOWABLE: Final = {"": object()}
_inside: ContextVar[CallContext | None] = ContextVar("guardhouse_inside", default=None)
"""The guarded call that is being made where this code runs: agents that are run in there work for it."""


class Withheld(GuardhouseError):
    """Words were not let through. `verdict` says why."""

    def __init__(self, what: str, verdict: Verdict) -> None:
        super().__init__(f"{what} was not let through. {verdict.for_agent}")
        self.verdict = verdict


def missing(framework: str, extra: str) -> GuardhouseError:
    """The error for a framework that is not installed."""
    return GuardhouseError(
        f"The adapter for {framework} needs a part that is not installed.", fix=f"pip install 'guardhouse[{extra}]'"
    )


def announcement(name: str, description: str | None, schema: Mapping[str, Any], *, is_own: bool) -> Announcement:
    """What a framework says of a tool. What it says of a function of the program's own, the program has written."""
    digest = sha256_hex(repr((name, description, schema)).encode("utf-8", "surrogatepass"))
    return Announcement(name, digest, description or "", schema, "program" if is_own else "server")


def settled(raw: Any, parse: Callable[[str], Any], dump: Callable[[Any], Any]) -> dict[str, Any] | None:
    """Arguments as JSON, in the form that is judged; None if they have none. What the framework makes of that form must
    be that form again, or something else would run than was judged."""
    try:
        judged = dump(raw)
        for _ in range(_READINGS):
            again = dump(parse(json.dumps(judged)))
            if json.dumps(again) == json.dumps(judged):
                return judged if isinstance(judged, dict) else None
            judged = again
    except (TypeError, ValueError):
        return None
    return None


def unfit(problems: Iterable[Mapping[str, Any]]) -> str:
    """What a model is told of arguments that a tool does not take: Pydantic's errors, without the values."""
    wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems)
    return f"The arguments do not fit. {wrong}"


class _Call(GuardedFunction[..., Any]):
    """One call of a framework's tool."""

    def make(self, params: dict[str, Any] | None, approval_id: str | None) -> Outcome[Any]:
        """Make it, if it may be made. Arguments that can't be shown to the gate are None, and it refuses them."""
        return self._drive(self._called((), _UNSHOWABLE if params is None else params, approval_id))


class AsyncCall(GuardedAsyncFunction[..., Any]):
    """The same for an event loop; it can also be judged first, and made later."""

    _let: tuple[ToolCallPre, Arguments, Verdict] | None = None
    _made: tuple[ToolCallPre, Arguments, Verdict] | None = None

    async def make(self, params: dict[str, Any] | None, approval_id: str | None) -> Outcome[Any]:
        """Make it, if it may be made."""
        return await self._drive(self._called((), _UNSHOWABLE if params is None else params, approval_id))

    async def ask(self, params: dict[str, Any] | None, approval_id: str | None) -> Outcome[Any] | None:
        """Have it judged: None if it may be made, by `finish`; otherwise what became of it."""
        try:
            arguments = from_call(self._signature, (), _UNSHOWABLE if params is None else params)
        except InvalidAction:
            return await self.make(None, approval_id)
        call = ToolCallPre(tool=self.name, params=arguments.params, source="function", **self._named_anew())
        verdict = await self._guard.evaluate_async(call, approval_id=approval_id, announced=self._announced)
        if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
            return Pending(verdict, lambda: self.make(params, verdict.approval_request_id))
        if verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return Denied(verdict)
        self._let = call, arguments, verdict
        return None

    async def finish(self) -> Outcome[Any]:
        """Make the call that was let through, once."""
        self._made, self._let = self._let, None
        return await self.go_on()

    async def go_on(self) -> Outcome[Any]:
        """Go on with the call after it has stopped in the middle, as an agent does that waits for a person."""
        if self._made is None:
            raise GuardhouseError("The call was not let through, or was made already.")
        return await self._drive(self._judged(*self._made))


class Calls:
    """The calls of one framework's agents at one guard, and what is said to these agents and by them."""

    def __init__(
        self,
        guard: AgentGuard,
        names: Names = None,
        prompt: Origin = "pasted",
        signals: tuple[type[BaseException], ...] = (),
    ) -> None:
        """`prompt` says where the words come from that agents are given: only those that a person `typed` carry
        authority. `signals` are exceptions by which the framework's tools speak to it."""
        self._guard = guard
        self._names = names
        self._prompt = prompt
        self._signals = signals
        self._held: OrderedDict[str, Pending] = OrderedDict()

    def context(self, run: Any, *, session_id: str | None = None, run_id: str | None = None) -> CallContext:
        """What a call says of itself. In the call of a guarded tool, agents work in its session, for its principal."""
        around = _inside.get()
        if around is not None:
            return msgspec.structs.replace(around, run_id=run_id, parent_run_id=around.run_id)
        named = self._names(run) if callable(self._names) else self._names
        if isinstance(named, CallContext):
            session_id = named.session_id or session_id or self._guard.session_id
            return msgspec.structs.replace(named, session_id=session_id, run_id=named.run_id or run_id)
        return CallContext(session_id=named or session_id or self._guard.session_id, run_id=run_id)

    def make(
        self,
        tool: Announcement,
        params: dict[str, Any] | None,
        run: Callable[[dict[str, Any]], Any],
        context: CallContext,
        approval_id: str | None = None,
    ) -> Outcome[Any]:
        """What becomes of a call of `tool`: if it may be made, `run` makes it with exactly what was judged."""

        def called(**arguments: Any) -> Any:
            with _working_for(context):
                return run(arguments)

        call = _Call(self._guard, called, name=tool.tool, context=context, announced=tool, signals=self._signals)
        return self.kept(call.make(params, approval_id))

    async def make_async(
        self,
        tool: Announcement,
        params: dict[str, Any] | None,
        run: Callable[[dict[str, Any]], Awaitable[Any]],
        context: CallContext,
        approval_id: str | None = None,
    ) -> Outcome[Any]:
        """The same, without blocking the event loop."""
        return self.kept(await self.call(tool, run, context).make(params, approval_id))

    def call(
        self, tool: Announcement, run: Callable[[dict[str, Any]], Awaitable[Any]], context: CallContext
    ) -> AsyncCall:
        """One call of `tool`, to be judged and made."""

        async def called(**arguments: Any) -> Any:
            with _working_for(context):
                return await run(arguments)

        return AsyncCall(self._guard, called, name=tool.tool, context=context, announced=tool, signals=self._signals)

    def kept(self, outcome: Outcome[Any]) -> Outcome[Any]:
        """The outcome. If a result waits for an approval, it is kept here: its tool must not run again."""
        if isinstance(outcome, Pending) and outcome.ran:
            remember(self._held, outcome.approval_request_id, outcome)
        return outcome

    def result(self, approval_id: str) -> Any:
        """What became of the result that waits for this approval: an outcome (in an event loop: to be awaited).
        GuardhouseError if none waits here."""
        held = self._held.pop(approval_id, None)
        if held is None:
            raise GuardhouseError("No result waits for this approval here.", fix="Ask the process that ran the tool.")
        return held.resume()

    def heard(self, text: str, context: CallContext) -> Any:
        """What an agent may be told of a prompt; Withheld if nothing. What one agent tells another, no user said."""
        return text if _inside.get() else _let(text, self._guard.evaluate(self._said(text, context)), _PROMPT)

    async def heard_async(self, text: str, context: CallContext) -> Any:
        """The same, without blocking the event loop."""
        if _inside.get():
            return text
        return _let(text, await self._guard.evaluate_async(self._said(text, context)), _PROMPT)

    def shown(self, content: Any, context: CallContext) -> Any:
        """What may be shown of an agent's answer; Withheld if nothing. What another agent gets is a tool's result."""
        return content if _inside.get() else _let(content, self._guard.evaluate(_answer(content, context)), _ANSWER)

    async def shown_async(self, content: Any, context: CallContext) -> Any:
        """The same, without blocking the event loop."""
        if _inside.get():
            return content
        return _let(content, await self._guard.evaluate_async(_answer(content, context)), _ANSWER)

    def _said(self, text: str, context: CallContext) -> UserInput:
        return UserInput(content=text, origin=self._prompt, **msgspec.structs.asdict(context))


def remember(kept: OrderedDict[Any, Any], name: Any, value: Any) -> None:
    """Keep something by its name; of too much, the oldest is forgotten."""
    kept[name] = value
    if len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


@contextmanager
def _working_for(context: CallContext) -> Iterator[None]:
    token = _inside.set(context)
    try:
        yield
    finally:
        _inside.reset(token)


def _answer(content: Any, context: CallContext) -> OutputPublish:
    return OutputPublish(content=content, **msgspec.structs.asdict(context))


def _let(content: Any, verdict: Verdict, what: str) -> Any:
    if verdict.decision is Decision.ALLOW:
        return content
    # Masks fit into a text. A value of a framework's own kind would have to be made anew.
    if verdict.decision is Decision.ALLOW_WITH_REDACTION and isinstance(content, str) and verdict.content is not None:
        return verdict.content
    raise Withheld(what, verdict)
