"""Edit and approve: the call that waits for an answer, with other arguments, judged afresh and put in its place.

A person changes values that are there, one by one, named by where they stand; what they were not shown because it is
masked stays as it is. What the changed call may do is the gate's to say, what becomes of the request the approver's.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.approvals import NoSuchRequest, NotOffered, closed
from guardhouse.model import ONCE, ApprovalStatus, SkillRunPre, ToolCallPre, parse_action

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.approvals import Approver
    from guardhouse.guard import Guard
    from guardhouse.model import Action, ApprovalRequest, Terms, Verdict

_ROOT: Final = "/params/"
_MASK: Final = "[redacted"
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_MOST_CHANGES: Final = 200


class Edit(msgspec.Struct, frozen=True):
    """What came of an edit: the verdict on the changed call, and its request, unless it is denied."""

    verdict: Verdict
    request: ApprovalRequest | None = None


def edit_and_approve(
    guard: Guard,
    approver: Approver,
    request_id: str,
    changes: Mapping[str, Any],
    *,
    actor: str,
    comment: str | None = None,
    terms: Terms = ONCE,
) -> Edit:
    """Put a call with other arguments in the place of one that waits, and say yes to that.

    `changes` are new values by JSON Pointer (`/params/command`). `guard` is one that judges for whoever asked. If the
    changed call is denied, nothing has happened. Raises as `Approver.replace` does, and NotOffered for what is no
    change.
    """
    request = approver.get(request_id)
    if request is None:
        raise NoSuchRequest
    if request.status is not ApprovalStatus.PENDING:
        raise closed(request)
    kept = approver.resume_data(request_id)
    if kept is None:
        raise NoSuchRequest
    action = changed(parse_action(kept), changes, shown=request.action_redacted)
    verdict, asked = guard.consider(action)
    if asked is None:
        return Edit(verdict)
    return Edit(verdict, approver.replace(request_id, asked, actor=actor, comment=comment, terms=terms))


def changed(action: Action, changes: Mapping[str, Any], *, shown: Mapping[str, Any]) -> Action:
    """`action` with other values in its parameters. NotOffered if a place is not there, or a new value still has a mask
    in it that stands for a secret of the old one."""
    if not isinstance(action, (ToolCallPre, SkillRunPre)):
        raise NotOffered("Only the arguments of a call can be changed.", fix="Approve it as it is, or deny it.")
    if not changes:
        raise NotOffered("Nothing was changed.", fix="Approve it as it is.")
    if len(changes) > _MOST_CHANGES:
        raise NotOffered("That is too much to change at once.", fix="Deny it, and say what you want instead.")
    params = deepcopy(action.params)
    for pointer, value in changes.items():
        if not pointer.startswith(_ROOT):
            raise _no_place()
        if _MASK in _text(value) and _MASK in _text(_at(shown, pointer)):
            raise NotOffered(
                "A new value still has a mask in it, which would be sent as it stands.",
                fix="Write the value whole, or leave it as it was.",
            )
        _put(params, pointer, value)
    return msgspec.structs.replace(action, params=params)


def _put(params: Any, pointer: str, value: Any) -> None:
    *way, last = _steps(pointer)
    place = params
    for step in way:
        place = _inner(place, step)
    _inner(place, last)  # it must be there
    place[int(last) if isinstance(place, list) else last] = value


def _at(shown: Any, pointer: str) -> Any:
    """What a person was shown at a place; nothing if a mask has taken the place of more."""
    place: Any = shown.get("params")
    try:
        for step in _steps(pointer):
            place = _inner(place, step)
    except NotOffered:
        return ""
    return place


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[len(_ROOT) :].split("/")]


def _inner(place: Any, step: str) -> Any:
    if isinstance(place, dict) and step in place:
        return place[step]
    if isinstance(place, list) and _INDEX.fullmatch(step) and int(step) < len(place):
        return place[int(step)]
    raise _no_place()


def _no_place() -> NotOffered:
    return NotOffered("There is no such argument to change.", fix="Name one that is there, as in `/params/command`.")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
