"""What the daemon and its clients say to each other: verdicts and requests as JSON, in two voices, and back.

An agent is told codes, places and what to do instead; it never gets the words that were planted, nor how to allow what
was stopped (SPEC G4). Who asks what, and over which connection, is not known here.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.model import ApprovalRequest, ApprovalStatus, Decision, Grant, GuardhouseError, Verdict
from guardhouse.model.verdicts import plain_field
from guardhouse.trust import read_wrapped

if TYPE_CHECKING:
    from guardhouse.approvals import Outline

Voice = Literal["agent", "person"]

TIMES: Final = ("created_at", "expires_at", "use_by", "answered_at", "resume_asked_at", "last_used_at", "revoked_at")
_NOT_FOR_AGENTS: Final = ("detail", "because", "excerpt", "remedy")
_OF_THE_GATE: Final = ("findings", "facts", "wrapped")
"""Parts of a verdict that stay in the house, or travel in another form."""
_YEARS: Final = range(1970, 9000)
"""Those that every clock and calendar here can show."""
_ID: Final = re.compile(r"[ -~]{1,128}", re.ASCII)


def verdict_wire(verdict: Verdict, voice: Voice) -> dict[str, Any]:
    """A verdict for whoever asked."""
    kept = msgspec.structs.replace(verdict, findings=(), wrapped=None)
    told: dict[str, Any] = msgspec.to_builtins(kept)
    for name in _OF_THE_GATE:
        told.pop(name, None)
    if verdict.wrapped is not None:
        told["wrapped"] = verdict.wrapped.text
    if voice == "agent":
        told["reasons"] = [_for_agent(reason) for reason in told["reasons"]]
        told["message"] = verdict.for_agent
    else:
        told["message"] = verdict.for_person
    return told


def pending_wire(verdict: Verdict, voice: Voice) -> dict[str, Any]:
    """The answer about an action that waits for a person (SPEC A1)."""
    told = verdict_wire(verdict, voice)
    message = (
        f"This waits for a person's approval ({verdict.approval_request_id}). Go on with something else; once it is "
        f"approved, ask again with exactly this action. {told['message']}"
    )
    return {
        "status": "pending",
        "approval_request_id": verdict.approval_request_id,
        "message": message,
        "verdict": told,
    }


def verdict_of(told: dict[str, Any]) -> Verdict:
    """The verdict in an answer of the daemon; GuardhouseError if there is none, which is never an allow."""
    try:
        waits = told.get("status") == "pending"
        body = told["verdict"] if waits else told
        known = msgspec.convert({name: body[name] for name in body.keys() - {"message", "wrapped"}}, _KnownVerdict)
        wrapped = None if body.get("wrapped") is None else read_wrapped(body["wrapped"])
    except (KeyError, TypeError, ValueError, AttributeError, GuardhouseError):
        raise _no_verdict() from None
    if waits is not (known.decision is Decision.REQUIRE_APPROVAL and known.approval_request_id is not None):
        raise _no_verdict()  # what waits is a question, and a question waits
    return Verdict(**{**msgspec.structs.asdict(known), "wrapped": wrapped})


def _no_verdict() -> GuardhouseError:
    return GuardhouseError("The daemon's answer is no verdict.", fix="Update the client or the daemon.")


def request_wire(request: ApprovalRequest | Outline, voice: Voice = "person") -> dict[str, Any]:
    """A request for approval, its times as text."""
    told: dict[str, Any] = msgspec.to_builtins(request)
    told["status"] = request.status.value  # also where it is the usual one
    if not told.get("terms"):
        told.pop("terms", None)  # the usual ones, whether they were kept so or never said
    _tell_times(told)
    for consent in told.get("consents", ()):
        consent["at"] = moment_wire(consent["at"])
    if voice == "agent":
        for name in ("supplied", "targets", "consents"):
            told.pop(name, None)
        if request.status is not ApprovalStatus.DENIED:
            told.pop("comment", None)  # only with a denial is it meant for the agent
        if "reasons" in told:
            told["reasons"] = [_for_agent(reason) for reason in told["reasons"]]
    return told


def grant_wire(grant: Grant, voice: Voice = "person") -> dict[str, Any]:
    """A grant, its times as text."""
    told: dict[str, Any] = msgspec.to_builtins(grant)
    _tell_times(told)
    if voice == "agent":
        for name in ("targets", "fields", "comment"):
            told.pop(name, None)
    return told


def grant_of(told: dict[str, Any]) -> Grant:
    """The grant in an answer of the daemon."""
    try:
        fields = {name: _seconds(value) if name in TIMES else value for name, value in told.items()}
        return msgspec.convert(fields, Grant)
    except (TypeError, ValueError, AttributeError):
        raise GuardhouseError("The daemon's answer is no grant.", fix="Update the client or the daemon.") from None


def _tell_times(told: dict[str, Any]) -> None:
    for name in TIMES:
        if told.get(name) is not None:
            told[name] = moment_wire(told[name])


def request_of(told: dict[str, Any]) -> ApprovalRequest:
    """The request in an answer of the daemon."""
    request: ApprovalRequest = _converted(told, ApprovalRequest)
    return request


def outline_of(told: dict[str, Any]) -> Outline:
    """The same of a list's entry."""
    from guardhouse.approvals import Outline

    outline: Outline = _converted(told, Outline)
    return outline


def _converted(told: dict[str, Any], kind: Any) -> Any:
    try:
        fields: dict[str, Any] = {name: _seconds(value) if name in TIMES else value for name, value in told.items()}
        if "consents" in told:
            fields["consents"] = [{**one, "at": _seconds(one["at"])} for one in told["consents"]]
        converted = msgspec.convert(fields, kind)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _no_request() from None
    if not _ID.fullmatch(converted.id):
        raise _no_request()
    return converted


def _no_request() -> GuardhouseError:
    return GuardhouseError("The daemon's answer is no request for approval.", fix="Update the client or the daemon.")


class _KnownVerdict(Verdict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A verdict as it travels: what wraps content is read by itself."""

    wrapped: None = None


def _for_agent(reason: dict[str, Any]) -> dict[str, Any]:
    """A reason without what may be somebody's words: what it is about, and what it quotes."""
    told = {name: value for name, value in reason.items() if name not in _NOT_FOR_AGENTS}
    told["title"] = _titles().get(reason["code"], reason["code"])
    if isinstance(told.get("span"), dict):
        told["span"] = {**told["span"], "field": plain_field(told["span"]["field"])}
    return told


@cache
def _titles() -> dict[str, str]:
    from guardhouse.policy import catalogue

    return {code.id: code.title for code in catalogue().values()}


def moment_wire(seconds: float) -> str:
    """A moment as text."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seconds(text: str | None) -> float | None:
    """The time that `text` says; ValueError if it is none, or so far off that nobody can have meant it."""
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or moment.year not in _YEARS or (seconds := moment.timestamp()) < 0:
        raise ValueError("no time of a request")
    return seconds
