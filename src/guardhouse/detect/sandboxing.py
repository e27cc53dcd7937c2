"""Looks whether a call that runs code will run in the sandbox, where the policy wants that.

What the sandbox then makes impossible is for policy to say. What a command does is for the other detectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import Effect, Finding, ReasonCode, Severity, ToolCallPre
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "sandbox"

REQUIRED: Final = ReasonCode(
    id="sandbox.required",
    title="Code may run in the sandbox only, and this can't be put there",
    severity=Severity.HIGH,
    why="The policy lets nothing run outside the sandbox, and this tool, this agent or this machine can't use it.",
    instead="Use the agent's own shell tool on a machine with the sandbox, or do it without running code.",
    example="Under `sandbox: {mode: require}`, a shell command of a program that can't put it into the sandbox.",
    on=("ToolCallPre",),
    about="text",
)


def is_confined(scene: Scene) -> bool:
    """Whether the call will run in the sandbox, if it runs."""
    return scene.can_confine and scene.settings.sandbox != "off" and _runs_code(scene) and not _is_outside(scene)


def _runs_code(scene: Scene) -> bool:
    return (
        isinstance(scene.action, ToolCallPre)
        and scene.tool is not None
        and Capability.EXECUTES in scene.tool.capabilities
    )


def _is_outside(scene: Scene) -> bool:
    """Whether every command of the call is one that the policy wants outside."""
    entries = scene.settings.outside_commands
    if not entries:
        return False
    from guardhouse.detect.commands.looking import matches_allowed  # few policies name any
    from guardhouse.detect.commands.reading import commands_of

    # That more may be typed in later is no command yet.
    leaves = [leaf for leaf in commands_of(scene) if (leaf.key, leaf.text) != ("stdin", "open")]
    return bool(leaves) and all(
        any(matches_allowed(leaf.text, entry) and not _has_more_options(leaf.text, entry) for entry in entries)
        for leaf in leaves
    )


def _has_more_options(command: str, entry: str) -> bool:
    """Whether a command has options that an entry does not spell out: many let a program run another one."""
    return any(word.startswith("-") for word in command.split()[len(entry.removesuffix(" *").split()) :])


def _find(scene: Scene) -> Iterator[Finding]:
    if scene.settings.sandbox == "require" and _runs_code(scene) and not is_confined(scene) and not _is_outside(scene):
        name = scene.tool.name if scene.tool is not None else ""
        yield Finding(code=REQUIRED.id, detector=_ID, severity=REQUIRED.severity, effect=Effect.EXECUTES, detail=name)


DETECTOR: Final = Detector(id=_ID, codes=(REQUIRED,), find=_find, calls_only=True)
