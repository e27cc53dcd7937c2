"""Guardhouse: a safety gate for tool-using AI agents.

    from guardhouse import open_guard

    with open_guard() as guard:
        read_file = guard.wrap(read_file, session_id="s1")
        outcome = read_file("~/.ssh/id_ed25519")
        print(outcome.status, outcome.text)

Names are loaded when they are first used, so that importing the package costs little.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the one of `typing`, which the watcher of a hook does without
if TYPE_CHECKING:
    from typing import Any

    from guardhouse.adapters import Completed, Denied, Failed, NotCompleted, Outcome, Pending
    from guardhouse.client import RemoteGuard, connect
    from guardhouse.guard import Guard
    from guardhouse.model import (
        Action,
        ApprovalRequest,
        ApprovalStatus,
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
    from guardhouse.opening import LocalGuard, open_approvals, open_guard, open_judge
    from guardhouse.trust import (
        NotWrapped,
        Untrusted,
        explain_markers,
        is_wrapped_untrusted,
        unwrap_untrusted,
        wrap_untrusted,
    )

__version__ = "0.1.0"

_HOMES = {
    "Guard": "guardhouse.guard",
    **dict.fromkeys(("RemoteGuard", "connect"), "guardhouse.client"),
    **dict.fromkeys(("LocalGuard", "open_approvals", "open_guard", "open_judge"), "guardhouse.opening"),
    **dict.fromkeys(("Completed", "Denied", "Failed", "NotCompleted", "Outcome", "Pending"), "guardhouse.adapters"),
    **dict.fromkeys(
        (
            "NotWrapped",
            "Untrusted",
            "explain_markers",
            "is_wrapped_untrusted",
            "unwrap_untrusted",
            "wrap_untrusted",
        ),
        "guardhouse.trust",
    ),
}

__all__ = [
    "Action",
    "ApprovalRequest",
    "ApprovalStatus",
    "Completed",
    "Decision",
    "Denied",
    "Failed",
    "Finding",
    "Guard",
    "GuardhouseError",
    "InvalidAction",
    "LocalGuard",
    "MemoryReadPost",
    "MemoryReadPre",
    "NotCompleted",
    "NotWrapped",
    "Outcome",
    "OutputPublish",
    "Pending",
    "PolicyError",
    "Reason",
    "RemoteGuard",
    "RiskLevel",
    "SkillInstall",
    "SkillRunPost",
    "SkillRunPre",
    "ToolCallPost",
    "ToolCallPre",
    "Untrusted",
    "UserInput",
    "Verdict",
    "action_hash",
    "connect",
    "explain_markers",
    "is_wrapped_untrusted",
    "open_approvals",
    "open_guard",
    "open_judge",
    "parse_action",
    "unwrap_untrusted",
    "wrap_untrusted",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'guardhouse' has no attribute {name!r}")
    from importlib import import_module  # only needed the first time a name is used

    value = getattr(import_module(_HOMES.get(name, "guardhouse.model")), name)
    globals()[name] = value
    return value
