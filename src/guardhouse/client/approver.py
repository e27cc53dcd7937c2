"""The requests for approval that a daemon keeps, with the methods of the local `Approver` that channels and commands
use.

Who answers is who the token stands for; what a caller says of that is not passed on.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

import msgspec

from guardhouse.approvals import NoSuchGrant, NoSuchRequest, NotOffered, NotYours, closed, not_resumable
from guardhouse.client.errors import BadAnswer, Refused, Unreachable
from guardhouse.client.events import Events
from guardhouse.model import ONCE, ApprovalRequest, ApprovalStatus, Grant, GuardhouseError, Terms, visible
from guardhouse.wire import grant_of, outline_of, request_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.approvals import Outline
    from guardhouse.client.connection import Answer, Connection

_MOST_LISTED: Final = 1000
_LONGEST_POLL: Final = 60.0
_AGAIN_AFTER: Final = 0.5


class RemoteApprover:
    """Requests and their answers, at a daemon. Safe to share between threads.

    Whatever fails raises GuardhouseError (DaemonError, if it is the daemon or the way to it), and then nothing is known
    to have been granted. An agent's token sees its own requests only, and answers none.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, request_id: str) -> ApprovalRequest | None:
        """The request as it stands now."""
        if not _is_id(request_id):
            return None
        return _got(self._connection.request("GET", approval_path(request_id)), request_id)

    def find(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        limit: int = 100,
    ) -> list[ApprovalRequest]:
        """Requests, newest first, each whole and as it stood when it was asked for."""
        listed = self.outlines(status=status, session_id=session_id, principal=principal, limit=limit)
        found = (self.get(outline.id) for outline in listed)
        return [request for request in found if request is not None]

    def outlines(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        beginning: str = "",
        limit: int = 100,
    ) -> list[Outline]:
        """The same for a list: without the actions. At most a thousand."""
        if limit <= 0:
            return []
        given = {
            "status": None if status is None else status.value,
            "session_id": session_id,
            "principal": principal,
            "beginning": beginning or None,
            "limit": str(min(limit, _MOST_LISTED)),
        }
        query = urlencode({name: value for name, value in given.items() if value is not None}, errors="replace")
        return [outline_of(one) for one in _listed(self._connection.request("GET", f"/v1/approvals?{query}"))]

    def alike(self, request: ApprovalRequest) -> list[ApprovalRequest]:
        """The other questions of the same tool about values from the same source; the oldest first."""
        return [request_of(one) for one in _listed(self._connection.request("GET", approval_path(request.id, "alike")))]

    def answer(
        self, request_id: str, *, approve: bool, actor: str = "", comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest:
        """A person's answer. The first one counts; the same again gives the first back.

        `actor` is not passed on: the daemon knows whose token it is. AlreadyAnswered, RequestClosed or NoSuchRequest as
        the local one raises them. After Unreachable, ask how the request stands: the answer may have been taken.
        """
        del actor
        given: dict[str, Any] = {} if comment is None else {"comment": comment}
        if approve and terms != ONCE:
            given["terms"] = msgspec.to_builtins(terms)
        body = msgspec.json.encode(given)
        answer = self._connection.request("POST", approval_path(request_id, "approve" if approve else "deny"), body)
        return _settled(answer, request_id)

    def edit(
        self, request_id: str, changes: dict[str, Any], *, comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest:
        """A yes to the call with other arguments; see `edit_and_approve`. NotOffered if that can't be done, or would be
        denied."""
        body: dict[str, Any] = {"changes": changes, "terms": msgspec.to_builtins(terms)}
        if comment is not None:
            body["comment"] = comment
        answer = self._connection.request("POST", approval_path(request_id, "edit"), msgspec.json.encode(body))
        if answer.status in {409, 410}:
            raise closed(_record(answer, request_id))
        _check_offered(answer)
        return request_of(_good(answer).value)

    def reapprove(self, request_id: str, *, actor: str = "", comment: str | None = None) -> Grant:
        """Let a denied or expired call be made after all: exactly it, once."""
        del actor
        body = msgspec.json.encode({} if comment is None else {"comment": comment})
        answer = self._connection.request("POST", approval_path(request_id, "reapprove"), body)
        if _is_unknown(answer):
            raise NoSuchRequest
        _check_offered(answer)
        return grant_of(_good(answer).value)

    def lift_pause(self, request_id: str, *, actor: str = "") -> None:
        """Let the session of a request ask again, although so much was denied."""
        del actor
        answer = self._connection.request("POST", approval_path(request_id, "lift"))
        if _is_unknown(answer):
            raise NoSuchRequest
        _check_offered(answer)
        _good(answer)

    def grants(self, *, live: bool = True, limit: int = 100) -> list[Grant]:
        """Grants, newest first: those in force, or all that are kept."""
        query = urlencode({"limit": str(min(limit, _MOST_LISTED)), **({} if live else {"all": "1"})})
        found = _good(self._connection.request("GET", f"/v1/grants?{query}")).value.get("grants")
        if not isinstance(found, list):
            raise BadAnswer
        return [grant_of(one) for one in found]

    def revoke(self, grant_id: str, *, actor: str = "") -> Grant:
        """Let a grant cover nothing any more."""
        del actor
        if not _is_id(grant_id):
            raise NoSuchGrant
        answer = self._connection.request("POST", f"/v1/grants/{quote(grant_id, safe='')}/revoke")
        if _is_unknown(answer):
            raise NoSuchGrant
        return grant_of(_good(answer).value)

    def cancel(self, request_id: str, *, actor: str = "") -> ApprovalRequest:
        """Take a question back, or an approval that was not used yet."""
        del actor
        return _settled(self._connection.request("POST", approval_path(request_id, "cancel")), request_id)

    def ask_to_resume(self, request_id: str, *, actor: str = "") -> ApprovalRequest:
        """A person wants an approved call to be taken up now. RequestClosed if it can't be."""
        del actor
        if self._connection.role == "agent":  # which would take the call up by this, and use the approval
            raise GuardhouseError("This is an agent's token.", fix="Use one of an approver's.")
        answer = self._connection.request("POST", approval_path(request_id, "resume"))
        if answer.status in {409, 410}:
            raise not_resumable(_record(answer, request_id))
        return _record(answer, request_id)

    def wait(self, request_id: str, timeout: float) -> ApprovalRequest:
        """The request once it is no longer pending, or as it is after `timeout` seconds. A daemon that is not there
        meanwhile is waited for too."""
        end = time.monotonic() + timeout
        while True:
            left = max(0.0, end - time.monotonic())
            try:
                answer = self._connection.request("GET", _poll(request_id, left), seconds=_patience(left))
            except Unreachable:
                if left <= _AGAIN_AFTER:
                    raise
                time.sleep(_AGAIN_AFTER)
                continue
            request = _got(answer, request_id)
            if _is_over(request, left):
                return _found(request)

    async def wait_async(self, request_id: str, timeout: float) -> ApprovalRequest:  # noqa: ASYNC109 - as above
        """The same, without blocking the event loop."""
        import asyncio

        end = time.monotonic() + timeout
        while True:
            left = max(0.0, end - time.monotonic())
            try:
                answer = await self._connection.request_async("GET", _poll(request_id, left), seconds=_patience(left))
            except Unreachable:
                if left <= _AGAIN_AFTER:
                    raise
                await asyncio.sleep(_AGAIN_AFTER)
                continue
            request = _got(answer, request_id)
            if _is_over(request, left):
                return _found(request)

    @contextmanager
    def listening(self, last: str = "") -> Iterator[Events]:
        """The changes of requests from now on, or from the mark `last` of an event that was heard before."""
        with self._connection.stream("/v1/events", last_event=last) as stream:
            if stream.status != 200:
                raise Refused(stream.status)
            yield Events(stream)


def _is_unknown(answer: Answer) -> bool:
    """Whether the daemon knows no such request. Another server has no such place, which is something else."""
    return answer.status == 404 and "error" in answer.value


def _good(answer: Answer) -> Answer:
    if answer.status != 200:
        raise Refused(answer.status)
    return answer


def _listed(answer: Answer) -> list[dict[str, Any]]:
    if _is_unknown(answer):
        raise NoSuchRequest
    found = _good(answer).value.get("approvals")
    if not isinstance(found, list):
        raise BadAnswer
    return found


def _got(answer: Answer, request_id: str) -> ApprovalRequest | None:
    return None if _is_unknown(answer) else _of_id(_good(answer).value, request_id)


def _check_offered(answer: Answer) -> None:
    """NotOffered or NotYours, in the daemon's words, if that is what it says."""
    told = answer.value.get("error")
    if not isinstance(told, dict) or (answer.status != 422 and told.get("code") != "not_yours"):
        return
    kind = NotYours if answer.status == 403 else NotOffered
    what, fix = (visible(text) if isinstance(text := told.get(name), str) else "" for name in ("message", "fix"))
    raise kind(what or "The daemon refuses this.", fix=fix)


def _settled(answer: Answer, request_id: str) -> ApprovalRequest:
    if _is_unknown(answer):
        raise NoSuchRequest
    _check_offered(answer)
    if answer.status in {409, 410}:
        raise closed(_record(answer, request_id))
    return _of_id(_good(answer).value, request_id)


def _record(answer: Answer, request_id: str) -> ApprovalRequest:
    """The request that an answer, or a refusal, comes with."""
    if _is_unknown(answer):
        raise NoSuchRequest
    told = answer.value.get("approval")
    if not isinstance(told, dict):
        raise Refused(answer.status) if answer.status != 200 else BadAnswer()
    return _of_id(told, request_id)


def _of_id(told: dict[str, Any], request_id: str) -> ApprovalRequest:
    """The request in what was told; BadAnswer if it is another one than was asked for."""
    request = request_of(told)
    if request.id != request_id:
        raise BadAnswer("The daemon's answer is about another request.")
    return request


def _found(request: ApprovalRequest | None) -> ApprovalRequest:
    if request is None:
        raise NoSuchRequest
    return request


def _is_over(request: ApprovalRequest | None, left: float) -> bool:
    return request is None or request.status is not ApprovalStatus.PENDING or left <= 0


def _poll(request_id: str, left: float) -> str:
    return f"{approval_path(request_id)}?wait={min(left, _LONGEST_POLL):.3f}"


def _patience(left: float) -> float:
    return min(left, _LONGEST_POLL) + 10.0


def approval_path(request_id: str, operation: str = "") -> str:
    """Where a request is, or what can be done with it. NoSuchRequest if this can be no id."""
    if not _is_id(request_id):
        raise NoSuchRequest
    return f"/v1/approvals/{quote(request_id, safe='')}{f'/{operation}' if operation else ''}"


def _is_id(request_id: str) -> bool:
    """Whether this could be an id at all, and not a step in a path."""
    return 0 < len(request_id) <= 128 and request_id.isascii() and request_id.isprintable() and "." not in request_id
