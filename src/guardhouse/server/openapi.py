"""The OpenAPI document, made from the table of operations and from the types that travel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

import guardhouse
from guardhouse.approvals import Outline
from guardhouse.audit import ChainStatus, Timeline
from guardhouse.model import ApprovalRequest, AuditEvent, Grant, SessionEvent, Verdict
from guardhouse.model.verdicts import Wrapped
from guardhouse.runs import Run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.door import Right
    from guardhouse.server.house import House
    from guardhouse.tokens import Principal


class Operation(msgspec.Struct, frozen=True):
    """Something that can be asked for."""

    method: str
    path: str
    handler: Callable[[House, Principal, Request], Awaitable[Response]]
    right: Right
    body: str = ""
    """The schema of what is sent; `text` for plain text."""
    gives: str = ""
    """The schema of the answer, or its media type."""
    query: tuple[str, ...] = ()
    """Names of parameters."""
    status: int = 200


_PROBLEMS: Final = {
    400: "What was sent can't be understood.",
    401: "No token, or none that is valid.",
    403: "The role of the token may not do this.",
    404: "There is no such thing, or not for this token.",
    409: "The opposite was answered first, or it was used; `approval` says by whom.",
    410: "Too late: it expired.",
    413: "Too large.",
    429: "Too often.",
    503: "Something that this depends on can't be used now.",
}
_OBJECT: Final = {"type": "object"}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_TRUTH: Final = {"type": "boolean"}


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """The document that describes `operations`."""
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _described(one)
    paths["/v1/console/sign-in"] = {"post": _signing_in()}
    paths["/healthz"] = {"get": {"summary": "Whether the daemon can judge and ask.", "security": [], **_plain()}}
    paths["/metrics"] = {"get": {"summary": "What the daemon counts, for Prometheus.", "security": [], **_plain()}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Guardhouse",
            "version": guardhouse.__version__,
            "description": "A safety gate for tool-using AI agents.",
        },
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _described(operation: Operation) -> dict[str, Any]:
    doc = " ".join((operation.handler.__doc__ or "").split())
    room = (operation.handler.__module__ or "").rpartition(".")[2]
    told: dict[str, Any] = {
        "operationId": f"{room}_{operation.handler.__name__.strip('_')}",
        "summary": doc.partition(". ")[0].rstrip("."),
        "description": f"{doc} Needs the right `{operation.right}`.",
        "responses": {str(operation.status): _answer(operation.gives)},
    }
    for status, text in _PROBLEMS.items():
        told["responses"][str(status)] = {"description": text, **_json({"$ref": "#/components/schemas/Problem"})}
    parameters = [_parameter("id", "path")] if "{id}" in operation.path else []
    parameters += [_parameter(name, "query") for name in operation.query]
    if operation.method == "PUT":
        parameters.append({**_parameter("If-Match", "header"), "required": True})
    if parameters:
        told["parameters"] = parameters
    if operation.body == "text":
        told["requestBody"] = {"required": True, "content": {"application/yaml": {"schema": _TEXT}}}
    elif operation.body:
        told["requestBody"] = _json({"$ref": f"#/components/schemas/{operation.body}"})
    return told


def _signing_in() -> dict[str, Any]:
    return {
        "operationId": "signing_in_sign_in",
        "summary": "Sign in to the console with an approver's or admin's token, or a code that stands for one",
        "security": [],
        "requestBody": _json({"$ref": "#/components/schemas/SignIn"}),
        "responses": {
            "200": {"description": "A session, told this once.", **_json({"$ref": "#/components/schemas/SignedIn"})},
            **{str(status): {"description": text} for status, text in _PROBLEMS.items()},
        },
    }


def _answer(gives: str) -> dict[str, Any]:
    if "/" in gives:
        return {"description": "As it happens.", "content": {gives: {"schema": _TEXT}}}
    return {"description": "Done.", **_json({"$ref": f"#/components/schemas/{gives}"})}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _plain() -> dict[str, Any]:
    return {"responses": {"200": {"description": "Done."}, "503": {"description": "Not now."}}}


def _parameter(name: str, place: str) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": _TEXT}


def _schemas() -> dict[str, Any]:
    from guardhouse.model.actions import ACTION_TYPES
    from guardhouse.server.allowing import Allowance
    from guardhouse.server.approving import Answer, Answers, Edited, Lift
    from guardhouse.server.evaluating import Envelope, Report, Resume
    from guardhouse.server.feedback import Feedback
    from guardhouse.server.runs import NewRun

    kinds = [
        *ACTION_TYPES.values(),
        ApprovalRequest,
        Outline,
        SessionEvent,
        ChainStatus,
        Timeline,
        Verdict,
        Grant,
        Answer,
        Answers,
        Edited,
        Lift,
        Allowance,
        Envelope,
        Feedback,
        Report,
        Resume,
        Run,
        NewRun,
    ]
    _, components = msgspec.json.schema_components(kinds, schema_hook=_hook, ref_template="#/components/schemas/{name}")
    actions = [{"$ref": f"#/components/schemas/{name}"} for name in ACTION_TYPES]
    for name in ACTION_TYPES:
        components[name]["properties"]["type"] = {"const": name}
    components["Verdict"]["properties"]["message"] = _TEXT
    request = {"$ref": "#/components/schemas/ApprovalRequest"}
    event = {"$ref": "#/components/schemas/AuditEvent"}
    return {
        **_with_times(components),
        "Action": {"oneOf": actions},
        "AuditEvent": {"type": "object", "properties": {key: {} for key in AuditEvent.__struct_fields__}},
        "Asked": {"oneOf": [*actions, {"$ref": "#/components/schemas/Envelope"}]},
        "Pending": _fields(
            status={"const": "pending"}, approval_request_id=_TEXT, message=_TEXT, verdict=_ref("Verdict")
        ),
        "Evaluated": {"oneOf": [_ref("Verdict"), _ref("Pending")]},
        "Resumed": {"oneOf": [_ref("Verdict"), _ref("Pending"), _OBJECT]},
        "Approvals": _fields(approvals={"type": "array", "items": {"anyOf": [request, _ref("Outline")]}}),
        "Results": _fields(results={"type": "array", "items": _OBJECT}),
        "Allowances": _fields(allowances={"type": "array", "items": _ref("Allowance")}),
        "Grants": _fields(grants={"type": "array", "items": _ref("Grant")}),
        "Events": _fields(
            events={"type": "array", "items": event},
            more=_TRUTH,
            first=_NUMBER,
            last=_NUMBER,
            index=_ref("IndexProgress"),
        ),
        "Story": _fields(event=event, related={"type": "array", "items": event}, index=_ref("IndexProgress")),
        "IndexProgress": _fields(complete=_TRUTH, seq=_NUMBER, share=_NUMBER),
        "Sessions": _fields(sessions={"type": "array", "items": _OBJECT}),
        "SessionEvents": _fields(
            tallies={"type": "array", "items": _OBJECT}, events={"type": "array", "items": _ref("SessionEvent")}
        ),
        "Runs": _fields(runs={"type": "array", "items": _ref("Run")}),
        "RunShown": {
            "allOf": [
                _ref("Run"),
                _fields(waits_for={"type": "array", "items": _TEXT}, calls={"type": "array", "items": _OBJECT}),
            ],
            "properties": {"output": _TEXT},
        },
        "Session": _fields(session_id=_TEXT),
        "SignIn": _fields(token=_TEXT),
        "SignedIn": _fields(session=_TEXT, name=_TEXT, role=_TEXT, idle={"type": "integer"}, now={"type": "number"}),
        "ConsoleSession": _fields(name=_TEXT, role=_TEXT, idle={"type": "integer"}, now={"type": "number"}),
        "Status": _fields(status=_TEXT),
        "Said": _fields(status=_TEXT, event_id=_TEXT),
        "Statistics": _OBJECT,
        "Verification": _OBJECT,
        "Policy": _OBJECT,
        "Problem": _fields(error=_fields(code=_TEXT, message=_TEXT)),
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _fields(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": fields}


def _hook(kind: type[Any]) -> dict[str, Any]:
    if kind is Wrapped:
        return _TEXT
    raise TypeError(f"{kind.__name__} does not travel")


def _with_times(components: dict[str, Any]) -> dict[str, Any]:
    """Times of requests travel as text."""
    from guardhouse.wire import TIMES

    for name in ("ApprovalRequest", "Outline", "Grant", "Run"):
        for field in (*TIMES, "changed_at"):
            if field in components[name]["properties"]:
                components[name]["properties"][field] = {"type": "string", "format": "date-time"}
    return components
