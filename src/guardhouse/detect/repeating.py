"""Looks whether a call may have been made before, by a process that ended before it came back.

Whoever makes calls for a run that outlives its process says so (`attempt`), and only of calls that could do harm twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import Finding, ReasonCode, Severity, ToolCallPre

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "repeating"

MAY_HAVE_RUN: Final = ReasonCode(
    id="run.may_have_run",
    title="This call was begun before, and nobody knows whether it took effect",
    severity=Severity.HIGH,
    why="The process that made it ended before it came back. Made again, it may take effect twice.",
    instead="Find out how things stand first, for example by reading what the call would have changed.",
    example="A run was killed while `send_email` was at work, and is resumed.",
    on=("ToolCallPre",),
    about="text",
)


def _find(scene: Scene) -> Iterator[Finding]:
    if isinstance(scene.action, ToolCallPre) and scene.action.attempt:
        yield Finding(code=MAY_HAVE_RUN.id, detector=_ID, severity=MAY_HAVE_RUN.severity, detail=scene.action.tool)


DETECTOR: Final = Detector(id=_ID, codes=(MAY_HAVE_RUN,), find=_find, calls_only=True)
