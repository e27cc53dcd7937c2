"""Looks for secrets in what comes back, goes out, or is passed to a tool.

Where a secret is matters more than what it is: in content on its way to a model or a reader it is masked; in the
arguments of a local call it is merely noted; leaving the machine is for the exfiltration detector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import (
    Finding,
    MemoryReadPre,
    ReasonCode,
    Severity,
    SkillInstall,
    SkillRunPre,
    Span,
    ToolCallPre,
    UserInput,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "secrets"

IN_CONTENT: Final = ReasonCode(
    id="secret.in_content",
    title="The content holds a secret",
    severity=Severity.HIGH,
    why="Whatever a model or a reader sees can be repeated, logged and stolen.",
    instead="Work with the masked text; the user can look at the original.",
    example='{"type":"OutputPublish","content":"Here is the token: sk-abcdefghijklmnopqrstuvwx"}',
    masks=True,
    on=("ToolCallPost", "OutputPublish", "MemoryReadPost", "SkillRunPost"),
    about="text",
)
IN_PARAMS: Final = ReasonCode(
    id="secret.in_params",
    title="The call carries a secret",
    severity=Severity.LOW,
    why="It stays on this machine, but it shows that the agent holds a secret.",
    instead="Refer to the secret by the name of the variable or file that holds it.",
    example=(
        '{"type":"ToolCallPre","tool":"write_file",'
        '"params":{"path":"notes.txt","content":"sk-abcdefghijklmnopqrstuvwx"}}'
    ),
    masks=True,
    on=("ToolCallPre", "SkillRunPre", "MemoryReadPre", "SkillInstall"),
    about="text",
)
IN_INPUT: Final = ReasonCode(
    id="secret.in_input",
    title="The user's message holds a secret",
    severity=Severity.LOW,
    why="The model will see it, and so may everything the model writes to.",
    instead="Keep secrets in variables or files and speak of them by name.",
    example='{"type":"UserInput","content":"use sk-abcdefghijklmnopqrstuvwx","origin":"typed"}',
    masks=True,
    on=("UserInput",),
    about="text",
)

MOST_REPORTED: Final = 1000
"""Findings of one action; a dump of keys needs no finding for each. The redactor masks them all, reported or not."""


def _find(scene: Scene) -> Iterator[Finding]:
    if isinstance(scene.action, UserInput):
        code = IN_INPUT
    elif isinstance(scene.action, (ToolCallPre, SkillRunPre, MemoryReadPre, SkillInstall)):
        code = IN_PARAMS
    else:
        code = IN_CONTENT
    named = scene.settings.named_kinds
    reported: set[str] = set()
    for number, (leaf, match) in enumerate(scene.secrets):
        # Of every kind the first is reported, however many others stand before it: its kind may be one that decides.
        kinds = (match.kind, *(kind for kind in match.also if kind in named))
        for kind in kinds if number < MOST_REPORTED else [kind for kind in kinds if kind not in reported]:
            reported.add(kind)
            yield Finding(
                code=code.id,
                detector=_ID,
                severity=code.severity,
                confidence=match.confidence,
                span=Span(leaf.field, match.start, match.end),
                origin=scene.origin,
                secret_kind=kind,
                detail=kind,
            )


DETECTOR: Final = Detector(id=_ID, codes=(IN_CONTENT, IN_PARAMS, IN_INPUT), find=_find)
