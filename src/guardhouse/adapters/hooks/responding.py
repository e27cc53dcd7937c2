"""Takes one event of an agent's through the gate, and gives the answer in that agent's words.

The guard is opened for one event and closed before the answer is given, so that what was decided is on its way to disk
when the agent goes on. Nothing is decided here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, Protocol

from guardhouse.adapters.hooks.closing import Answer, answer, closed, passed
from guardhouse.adapters.hooks.interface import Shown, lets_pass
from guardhouse.adapters.hooks.reading import read_event, read_fields, read_input, unknown_fields
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

    def has_hooks(self, agent: str, cwd: str, root: str | None) -> bool:
        """Whether our own hooks for another agent are installed, for the user or in the project: that at `root`, or if
        that is not known, the one around `cwd`."""
        ...

    def note_passed(self, agent: Agent, call: str) -> None:
        """Remember that this call was let through by a person, until it is told of again."""
        ...

    def was_passed(self, agent: Agent, call: str) -> bool:
        """Whether that is remembered, and forget it."""
        ...


_MODULES: Final = {"claude-code": "claude_code"}
"""Where an agent is to be found, if not under its name."""


def agent_named(name: str) -> Agent:
    """The agent of that name, of those in `closing.AGENTS`. No other one is loaded."""
    module = __import__(f"guardhouse.adapters.hooks.{_MODULES.get(name, name)}", fromlist=("AGENT",))
    agent: Agent = module.AGENT
    return agent


def respond(
    name: str, expected: str | None, handle: int, house: House, provide: Callable[[str, Answer], None]
) -> Answer:
    """The answer to the event that is read from `handle`.

    `expected` is the event that the hook was configured for, if that is known. As soon as the event is known, `provide`
    gets the answer that counts if this breaks off.
    """
    agent = agent_named(name)
    try:
        fields, mended = read_fields(read_input(handle))
        other = agent.really_from(fields)
        if other is not None:
            return _to_another(agent, other, expected, fields, house)
        event = read_event(agent, fields, expected, mended=mended)
    except InvalidAction as error:
        return closed(name, expected, error.what)
    provide(event.name, _closed(agent, event, "the check broke off."))
    try:
        fields = _ANSWERS[event.kind](agent, event, house)
        _note_unknown(agent, event, house)
        return answer(fields)
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


def _to_another(agent: Agent, other: str, expected: str | None, fields: dict[str, Any], house: House) -> Answer:
    """The answer to an agent that runs the hooks of another one besides its own. Its own judge each call, once; without
    them nobody would know what its events say."""
    cwd, roots = fields.get("cwd"), fields.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else None
    try:
        stands_aside = house.has_hooks(
            other, cwd if isinstance(cwd, str) else "", root if isinstance(root, str) and root.startswith("/") else None
        )
    except (GuardhouseError, OSError) as error:
        return closed(agent.name, expected, f"the check failed inside ({type(error).__name__}).")
    if stands_aside:
        return answer(passed(agent.name, expected or ""))
    return closed(agent.name, expected, f"{other} runs the hooks of {agent.title}; `guardhouse install {other}`.")


def _to_call(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    with house.open(agent, event, holds_questions=not agent.asks_itself(event)) as guard:
        can_confine = house.can_confine if agent.shell_command(event) is not None else None
        verdict = guard.evaluate(agent.call(event), can_confine=can_confine)
    fields = agent.to_call(event, verdict, lambda command: house.confined(agent, event, command))
    if lets_pass(verdict) and agent.tells_again(event, asked=verdict.approval_request_id is not None):
        house.note_passed(agent, agent.told_again(event.given(agent.passed_on(event, verdict) or event.tool_input)))
    return fields


def _to_call_again(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    """The answer to a call that another event may have told of already: what a person has let through there is not
    asked about once more."""
    given, event = event, _as_written(agent, event, house)
    can_confine = None if given is event else lambda: True  # where it was put already, it stays
    was_passed = house.was_passed(agent, agent.told_again(event))
    with house.open(agent, event, holds_questions=not was_passed) as guard:
        verdict = guard.evaluate(agent.call(event), can_confine=can_confine)
    if was_passed or verdict.decision is Decision.ALLOW:
        return agent.to_permission(event, verdict)
    return agent.refused(event, verdict)


def _as_written(agent: Agent, event: HookEvent, house: House) -> HookEvent:
    """The event of a call that was put into the sandbox, with the command as the model wrote it."""
    command = agent.shell_command(event)
    inner = None if command is None else house.unconfined(agent, event, command)
    if inner is None:
        return event
    return event.given({**event.tool_input, "command": inner})


def _to_permission(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    given, event = event, _as_written(agent, event, house)
    # Where it was put already, it stays: the question is the agent's own.
    can_confine = None if given is event else lambda: True
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate(agent.call(event), can_confine=can_confine)
    return agent.to_permission(event, verdict)


def _to_result(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    event = _as_written(agent, event, house)
    with house.open(agent, event, holds_questions=True) as guard:
        verdict = guard.evaluate_result(agent.result(event), None)
        return agent.to_result(event, verdict, _shown(guard, verdict, event.content))


def _to_reading(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    """The answer to a text that is about to be read: by where it lies, which another event may have told of already,
    and by what is in it."""
    was_passed = house.was_passed(agent, agent.told_again(event))
    with house.open(agent, event, holds_questions=not was_passed) as guard:
        asked = guard.evaluate(agent.call(event))
    if asked.decision is Decision.DENY or not (was_passed or lets_pass(asked)):
        return agent.refused(event, asked)
    with house.open(agent, event, holds_questions=True) as guard:
        verdict = guard.evaluate_result(agent.result(event), None)
    return agent.to_reading(event, verdict)


def _to_failure(agent: Agent, event: HookEvent, house: House) -> dict[str, Any]:
    event = _as_written(agent, event, house)
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate_result(agent.result(event), None, raised=True)
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
        return agent.passes(event)
    with house.open(agent, event, holds_questions=False) as guard:
        verdict = guard.evaluate(spoken)
    return agent.to_spoken(event, verdict)


_ANSWERS: Final = {
    "call": _to_call,
    "again": _to_call_again,
    "permission": _to_permission,
    "result": _to_result,
    "reading": _to_reading,
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
