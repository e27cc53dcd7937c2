"""What a tool of a run is: what the model is told of it, how the gate is asked about a call of it, and making the call.

A tool decides nothing and journals nothing. It is called once for a call that the gate has let through, with exactly
what was let through.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.model import Action, RealPath, ToolCallPost, ToolCallPre, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.opening import LocalGuard
    from guardhouse.trust import Announcement


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """What every action of a run says of itself."""

    session_id: str
    run_id: str
    parent_run_id: str | None = None
    principal: str | None = None
    cwd: str | None = None


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """Under what a call is made."""

    guard: LocalGuard
    names: Names
    call_id: str
    is_confined: bool = False
    """The gate has let it through for the sandbox only."""
    real_paths: Mapping[str, RealPath] = {}
    """Where the paths of the call led when the gate judged them."""


class Delegation(msgspec.Struct, frozen=True):
    """What `work` gives back if the call is to be a run of its own."""

    task: str
    role: str = ""
    """The kind of agent; the usual one if empty."""


class Tool(ABC):
    """One tool. Its name is what the policy knows it by."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments."""
    announced: Announcement | None = None
    """What it is said to be, where the configuration says nothing."""
    is_of_house: bool = False
    """One of our own, and to the gate what its name says. Another tool of that name is what it is declared to be."""

    def problem(self, params: dict[str, Any]) -> str:  # noqa: ARG002 - for those that have one
        """What is wrong with the arguments, in words for the model; nothing if they can be taken."""
        return ""

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - for those where it depends on them
        """Whether a call that may have been made already can be made again without harm: it only reads, or making it
        twice is as making it once."""
        return False

    def can_confine(self) -> bool:
        """Whether a call can be put into the sandbox."""
        return False

    def before(self, params: dict[str, Any], call_id: str, attempt: int, names: Names) -> Action:
        """The action that the gate is asked about before the call."""
        return ToolCallPre(
            tool=self.name,
            params=params,
            call_id=call_id,
            attempt=attempt,
            source="run",
            **msgspec.structs.asdict(names),
        )

    def after(self, params: dict[str, Any], content: Any, call_id: str, names: Names) -> Action:
        """The action that the gate is asked about before anybody sees what came back."""
        return ToolCallPost(
            tool=self.name,
            content=content,
            params=params,
            call_id=call_id,
            source="run",
            **msgspec.structs.asdict(names),
        )

    def passed_on(self, params: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
        """What the call is made with: what was asked about, masked where the verdict says so."""
        return params if verdict.params is None else verdict.params

    @abstractmethod
    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """Make the call. What it raises is what it answers; a Delegation becomes a run, whose answer is the call's."""
