"""Why a request can't be answered, used or taken up any more, in words; by its record alone, wherever that was kept."""

from __future__ import annotations

import time

from guardhouse.approvals.interface import AlreadyAnswered, RequestClosed
from guardhouse.model import ApprovalRequest, ApprovalStatus, visible


def answer_given(request: ApprovalRequest) -> bool | None:
    """The answer that stands or was used; None if there is none, or it is void."""
    if request.status is ApprovalStatus.DENIED:
        return False
    return True if request.status in {ApprovalStatus.APPROVED, ApprovalStatus.CONSUMED} else None


def closed(request: ApprovalRequest) -> RequestClosed:
    """The error that says why a request can't be answered any more."""
    who = f" by {visible(request.actor)}" if request.actor else ""
    given = answer_given(request)
    if given is not None:
        answer = "approved" if given else "denied"
        what = f"The request {request.id} was already {answer}{who} at {_moment(request.answered_at)}."
        return AlreadyAnswered(request, what, fix="The first answer stands.")
    if request.status is ApprovalStatus.CANCELLED:
        what = f"The request {request.id} was cancelled{who}."
    elif request.status is ApprovalStatus.SUPERSEDED:
        newer = f"; {request.superseded_by} took its place" if request.superseded_by else ""
        what = f"The request {request.id} is void, because the action or its risk changed{newer}."
    elif request.answered_at is None:
        what = f"The request {request.id} expired at {_moment(request.expires_at)}; nobody answered in time."
    else:
        what = f"The approval {request.id}{who} was not used until {_moment(request.use_by)}, and expired."
    return RequestClosed(request, what, fix="Let the agent ask again.")


def not_resumable(request: ApprovalRequest) -> RequestClosed:
    """The error that says why a call can't be taken up."""
    if request.status is ApprovalStatus.PENDING:
        return RequestClosed(request, f"The request {request.id} is not answered yet.", fix="Approve it first.")
    if request.status is ApprovalStatus.CONSUMED:
        what = f"The approval {request.id} was used already."
        return RequestClosed(request, what, fix="An approval is good for one call.")
    return closed(request)


def _moment(seconds: float | None) -> str:
    return "an unknown time" if seconds is None else time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
