"""Whether a verdict is about what was sent, as far as that can be told from outside.

The daemon binds a verdict to facts that only it knows, so its hash can't be made again here. But it names the call that
the verdict is about, in its session and run; what it passes on must be what was sent, masked; and it says which
approval it used.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.client.errors import BadAnswer
from guardhouse.client.masking import is_cut, is_masked
from guardhouse.decide import refused
from guardhouse.model import (
    Action,
    Decision,
    Limits,
    MemoryReadPre,
    OutputPublish,
    SkillInstall,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    Verdict,
    admit,
    wire,
)
from guardhouse.model.actions import UNNAMED
from guardhouse.policy import EDIT_REFUSED, EDITED
from guardhouse.recording import trace
from guardhouse.trust import unwrap_untrusted

if TYPE_CHECKING:
    from guardhouse.trust import Announcement

_LIMITS: Final = Limits(max_bytes=64 * 1024 * 1024, max_nodes=4_000_000)
"""How much is sent at most. How much is looked at is the daemon's to say."""
_HASH: Final = re.compile(r"v[0-9]{1,4}:[0-9a-f]{64}", re.ASCII)


class Sent(msgspec.Struct, frozen=True):
    """What the daemon is asked about: a private copy of the action, and the bytes that say so."""

    copied: Action
    action: dict[str, Any]
    approval_id: str | None
    body: bytes

    @classmethod
    def of(
        cls,
        action: Action,
        cwd: str,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        made: dict[str, Any] | None = None,
    ) -> Sent:
        """An action to be judged. Relative paths in it are those of this process, and a call has a name, by which its
        verdict is known. InvalidAction if it is none."""
        copied = admit(action, _LIMITS)
        if copied.asks_first and not copied.cwd:
            copied = msgspec.structs.replace(copied, cwd=cwd)
        if isinstance(copied, (ToolCallPre, ToolCallPost)) and copied.call_id is None:
            copied = msgspec.structs.replace(copied, call_id=f"{UNNAMED}{os.urandom(8).hex()}")
        told = wire(copied)
        more = {"approval_id": approval_id, "announced": announced, "made": made}
        body = {"action": told, **{name: value for name, value in more.items() if value is not None}}
        return cls(copied, told, approval_id, msgspec.json.encode(body))

    @classmethod
    def kept(cls, action: Action, approval_id: str) -> Sent:
        """An action that the daemon kept, and sent back."""
        return cls(action, wire(action), approval_id, b"")


def check_verdict(sent: Sent, verdict: Verdict, *, accepts_edits: bool = True) -> Verdict:
    """`verdict`, if it holds the action back or is about it; BadAnswer if it is about another one. One that passes on
    arguments which a person has changed is a deny unless those are accepted."""
    if verdict.decision is Decision.DENY:
        return verdict
    copied = sent.copied
    named = trace(copied.session_id, copied.run_id, getattr(copied, "call_id", None), verdict.action_hash)
    if not _HASH.fullmatch(verdict.action_hash) or verdict.trace_id != named or not verdict.event_id:
        raise BadAnswer("The daemon's answer is not about what was asked.")
    if verdict.decision > Decision.ALLOW_WITH_REDACTION:
        return verdict
    if verdict.edited:
        _check_edited(copied, verdict)
        return verdict if accepts_edits else refused_edit(verdict.policy_revision)
    if sent.approval_id is not None and verdict.approval_request_id != sent.approval_id:
        raise BadAnswer("The daemon's answer is about another approval.")
    _check_passed_on(copied, verdict)
    return verdict


def refused_edit(revision: str) -> Verdict:
    """The verdict where a person said yes to other arguments, and those are not accepted."""
    return refused(EDIT_REFUSED, revision)


def _check_edited(action: Action, verdict: Verdict) -> None:
    """BadAnswer unless a person's arguments stand in the place of those of a call, by an approval of their own: its
    id is that of the newer request."""
    is_call = isinstance(action, (ToolCallPre, SkillRunPre))
    says_so = any(reason.code == EDITED.id for reason in verdict.reasons)
    if not is_call or not says_so or verdict.params is None or verdict.approval_request_id is None:
        raise BadAnswer
    if verdict.decision is not Decision.ALLOW_WITH_REDACTION or verdict.content is not None or verdict.untrusted:
        raise BadAnswer


def _check_passed_on(action: Action, verdict: Verdict) -> None:
    """BadAnswer unless what the verdict lets through is what was sent, masked where it says so."""
    masked = verdict.decision is Decision.ALLOW_WITH_REDACTION
    is_call = isinstance(action, (ToolCallPre, SkillRunPre))
    if (verdict.params is not None) is not (masked and is_call):
        raise BadAnswer
    passed_on = verdict.params if is_call else verdict.content
    limited = bool(verdict.condition) and isinstance(action, ToolCallPost) and is_cut(_body(action), passed_on)
    if masked and not limited and not is_masked(_body(action), passed_on, published=isinstance(action, OutputPublish)):
        raise BadAnswer("The daemon's answer is not what was sent, masked.")
    if not masked and verdict.content is not None:
        raise BadAnswer
    if verdict.untrusted is not (verdict.wrapped is not None):
        raise BadAnswer
    if verdict.wrapped is not None:
        content = verdict.content if masked else _body(action)
        text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
        if unwrap_untrusted(verdict.wrapped.text) != text:
            raise BadAnswer("The daemon's answer is not about what was asked.")


def _body(action: Action) -> Any:
    """What the action says: the part that may be masked."""
    if isinstance(action, (ToolCallPre, SkillRunPre)):
        return action.params
    if isinstance(action, MemoryReadPre):
        return action.query
    return action.source if isinstance(action, SkillInstall) else action.content
