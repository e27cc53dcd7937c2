"""Guardhouse: a safety gate for tool-using AI agents.

    from guardhouse import ToolCallPre, open_guard

    guard = open_guard()
    verdict = guard.evaluate(ToolCallPre(tool="url_fetch", params={"url": "https://example.com/"}))
    print(verdict.decision, verdict.for_person)

Names are loaded when they are first used, so that importing the package costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardhouse.guard import Guard
    from guardhouse.model import (
        Action,
        Decision,
        Finding,
        GuardhouseError,
        InvalidAction,
        MemoryReadPost,
        MemoryReadPre,
        OutputPublish,
        PolicyError,
        Reason,
        RiskLevel,
        SkillInstall,
        SkillRunPost,
        SkillRunPre,
        ToolCallPost,
        ToolCallPre,
        UserInput,
        Verdict,
        action_hash,
        parse_action,
    )
    from guardhouse.opening import open_guard

__version__ = "0.1.0"

_HOMES = {"Guard": "guardhouse.guard", "open_guard": "guardhouse.opening"}

__all__ = [
    "Action",
    "Decision",
    "Finding",
    "Guard",
    "GuardhouseError",
    "InvalidAction",
    "MemoryReadPost",
    "MemoryReadPre",
    "OutputPublish",
    "PolicyError",
    "Reason",
    "RiskLevel",
    "SkillInstall",
    "SkillRunPost",
    "SkillRunPre",
    "ToolCallPost",
    "ToolCallPre",
    "UserInput",
    "Verdict",
    "action_hash",
    "open_guard",
    "parse_action",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'guardhouse' has no attribute {name!r}")
    from importlib import import_module  # only needed the first time a name is used

    value = getattr(import_module(_HOMES.get(name, "guardhouse.model")), name)
    globals()[name] = value
    return value
