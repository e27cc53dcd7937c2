"""Takes one event of an agent's through the gate, and gives the answer in that agent's words.

The guard is opened for one event and closed before the answer is given, so that what was decided is on its way to disk
when the agent goes on. Nothing is decided here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from guardhouse.adapters.hooks.closing import NOTHING_TO_SAY, Answer, answer, closed
from guardhouse.adapters.hooks.interface import Shown, lets_pass
from guardhouse.adapters.hooks.reading import read_event, read_input, unknown_fields
from guardhouse.model import Decision, GuardhouseError, InvalidAction

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from guardhouse.adapters.hooks.interface import Agent, HookEvent
    from guardhouse.guard import Guard
    from guardhouse.model import Verdict

_STANDING: Final = {
    "enforce": "",
    "observe": "only observes: what it would stop is recorded, and happens all the same (`guardhouse enforce`).",
    "disabled": "is switched off by its configuration (`enabled: false`).",
}


class House(Protocol):
    """What stands behind a hook: whoever starts one hands it in."""

    def open(self, agent: Agent, event: HookEvent, *, holds_questions: bool) -> AbstractContextManager[Guard]:
        """A guard for this event. With `holds_questions` it puts questions to people itself."""
        ...

    def can_confine(self) -> bool:
        """Whether this machine has what the sandbox needs."""
        ...

    def confined(self, agent: Agent, event: HookEvent, command: str) -> str:
        """The command that runs `command` in the sandbox."""
        ...

    def unconfined(self, agent: Agent, event: HookEvent, command: str) -> str | None:
        """The command that was put into the sandbox; None if none was."""
        ...

    def note_unknown(self, agent: Agent, event: HookEvent, names: list[str]) -> None:
        """Remember that an event had fields of these names."""
        ...


def agent_named(name: str) -> Agent:
    """The agent of that name."""
    if name == "claude-code":
        from guardhouse.adapters.hooks.claude_code import ClaudeCode

        return ClaudeCode()
    from guardhouse.adapters.hooks.codex import Codex

    return Codex()


def respond(
    name: str, expected: str | None, handle: int, house: House, provide: Callable[[str, Answer], None]
) -> Answer:
    """The answer to the event that is read from `handle`.

    `expected` is the event that the hook was configured for, if that is known. As soon as the event is known, `provide`
    gets the answer that counts if this breaks off.
    """
    agent = agent_named(name)
    try:
        event = read_event(agent, read_input(handle), expected)
    except InvalidAction as error:
        return closed(name, expected, error.what)
    provide(event.name, _closed(agent, event, "the check broke off."))
    try:
        fields = _ANSWERS[event.kind](agent, event, house)
        _note_unknown(agent, event, house)
        return answer(fields) if fields else NOTHING_TO_SAY
    except GuardhouseError as error:
        # Its words may quote a file that came with a repository, so they are for people only.
        why = f"the gate can't be opened ({type(error).__name__}); `guardhouse doctor` tells the user why."
        return _closed(agent, event, why)
    except Exception as error:  # noqa: BLE001 - anything at all ends in a no
        return _closed(agent, event, f"the check failed inside ({type(error).__name__}).")


def _note_unknown(agent: Agent, event: HookEvent, house: House) -> None:
    """Count the fields that nobody has told us about. What was decided stands, whatever becomes of a count: an approval
    may be used up by then."""
    unknown = unknown_fields(agent, event)
    if not unknown:
        return
    try:
        house.note_unknown(agent, event, unknown)
    except (GuardhouseError, OSError) as error:
        sys.stderr.write(f"guardhouse: unknown fields of an event can't be counted ({type(error).__name__}).\n")


def _closed(agent: Agent, event: HookEvent, why: str) -> Answer:
    """The no to an event that could be read: a result is withheld in the shape that its tool gives it."""
    if event.kind != "result":
        return closed(agent.name, event.name, why)
    return answer(agent.without_result(event, f"Blocked by Guardhouse: {why}"))


def _to_call(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    with house.open(agent, event, holds_questions=not agent.asks_itself(event)) as guard:
        can_confine = house.can_confine if agent.shell_command(event) is not None else None
        verdict = guard.evaluate(agent.call(event), can_confine=can_confine)
    return agent.to_call(event, verdict, lambda command: house.confined(agent, event, command))


def _as_written(agent: Agent, event: HookEvent, house: House) -> HookEvent:
    """The event of a call that was put into the sandbox, with the command as the model wrote it."""
    command = agent.shell_command(event)
    inner = None if command is None else house.unconfined(agent, event, command)
    if inner is None:
        return event
    written = {**event.tool_input, "command": inner}
    return msgspec.structs.replace(event, tool_input=written, fields={**event.fields, "tool_input": written})


def _to_permission(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    given, event = event, _as_written(agent, event, house)
    # Where it was put already, it stays: the question is the agent's own.
    can_confine = None if given is event else lambda: True
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate(agent.call(event), can_confine=can_confine)
    return agent.to_permission(event, verdict)


def _to_result(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    event = _as_written(agent, event, house)
    content = event.fields.get("tool_response")
    with house.open(agent, event, holds_questions=True) as guard:
        verdict = guard.evaluate_result(agent.result(event, content), None)
        return agent.to_result(event, verdict, _shown(guard, verdict, content))


def _to_failure(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    event = _as_written(agent, event, house)
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate_result(agent.result(event, event.text("error") or ""), None, raised=True)
    return agent.to_failure(event, verdict)


def _to_prompt(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate(agent.prompt(event))
    return agent.to_prompt(event, verdict)


def _to_start(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    with house.open(agent, event, holds_questions=False) as guard:
        standing = _STANDING[guard.standing]
    return agent.to_start(event, standing)


def _to_spoken(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    spoken = agent.spoken(event)
    if spoken is None:
        return {}
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate(spoken)
    return agent.to_spoken(event, verdict)


_ANSWERS: Final = {
    "call": _to_call,
    "permission": _to_permission,
    "result": _to_result,
    "failure": _to_failure,
    "prompt": _to_prompt,
    "start": _to_start,
    "answer": _to_spoken,
}


def _shown(guard: Guard, verdict: Verdict, content: Any) -> Shown:
    """What the model may see of a result. What a gate of ours before a server has wrapped is not wrapped again."""
    masked = verdict.decision is Decision.ALLOW_WITH_REDACTION
    seen = (verdict.content if masked else content) if lets_pass(verdict) else None
    wrapped = verdict.wrapped
    if wrapped is None:
        return Shown(seen, masked)
    return Shown(seen, masked, lambda text: text if guard.is_wrapped(text) else wrapped.around(text))
