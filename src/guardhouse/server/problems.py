"""Answers of the daemon, and the problems that it answers with: a status, a code, a sentence, and what to do.

A problem's text is our own and quotes nothing that was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.responses import Response

from guardhouse.approvals import AlreadyAnswered, NoSuchGrant, NoSuchRequest, NotOffered, NotYours, RequestClosed
from guardhouse.model import ApprovalStatus, GuardhouseError
from guardhouse.wire import request_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

_CODES: Final = {
    400: "bad_request",
    401: "no_token",
    403: "wrong_role",
    404: "unknown",
    405: "wrong_method",
    409: "conflict",
    410: "expired",
    412: "changed_meanwhile",
    413: "too_large",
    415: "wrong_content_type",
    421: "wrong_host",
    422: "invalid",
    429: "too_often",
    500: "failed",
    503: "unavailable",
}


class Problem(Exception):
    """What the daemon answers instead of what was asked for."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        fix: str = "",
        code: str = "",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error: dict[str, str] = {
            "code": code or _CODES[status],
            "message": message,
            **({"fix": fix} if fix else {}),
        }
        self.headers = dict(headers or {})
        self._more = more

    @property
    def told(self) -> dict[str, Any]:
        """What it says, as JSON."""
        return {"error": self.error, **self._more}

    @property
    def response(self) -> Response:
        """The answer that says so."""
        return answer(self.told, self.status, self.headers)


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(msgspec.json.encode(value), status, headers, "application/json")


def problem_of(error: GuardhouseError, *, voice_is_agent: bool = False) -> Problem:
    """The problem that an error of the house is to whoever asked."""
    if isinstance(error, (NoSuchRequest, NoSuchGrant)):
        return Problem(404, error.what, fix=error.fix)
    if isinstance(error, NotYours):
        return Problem(403, error.what, fix=error.fix, code="not_yours")
    if isinstance(error, NotOffered):
        return Problem(422, error.what, fix=error.fix, code="not_offered")
    if isinstance(error, RequestClosed):
        status = 410 if error.request.status is ApprovalStatus.EXPIRED else 409
        code = "already_answered" if isinstance(error, AlreadyAnswered) else ""
        told = request_wire(error.request, "agent" if voice_is_agent else "person")
        return Problem(status, error.what, fix=error.fix, code=code, approval=told)
    return Problem(503, error.what, fix=error.fix)
