"""The HTTP API: the table of what can be asked, by whom, and the application that answers it.

Each row is a route and an entry of the OpenAPI document at once, so that neither can be without the other.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from guardhouse.approvals import NoSuchGrant, NoSuchRequest, NotOffered, NotYours, RequestClosed
from guardhouse.model import GuardhouseError, InvalidAction, PolicyError
from guardhouse.server import (
    allowing,
    approving,
    auditing,
    evaluating,
    feedback,
    mcp,
    policies,
    runs,
    sessions,
    signing_in,
    streaming,
)
from guardhouse.server.console import FRAGMENTS, assets_route, is_page, page_routes, problem_fragment
from guardhouse.server.doorstep import Doorstep
from guardhouse.server.openapi import Operation, document
from guardhouse.server.problems import Problem, answer, problem_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

OPERATIONS: Final = (
    # method, path, handler, right
    Operation("POST", "/v1/evaluate", evaluating.evaluate, "evaluate", body="Asked", gives="Evaluated"),
    Operation("POST", "/v1/consume", evaluating.consume, "evaluate", body="Asked", gives="Evaluated"),
    Operation("POST", "/v1/report", evaluating.report, "evaluate", body="Report", gives="Status"),
    Operation("GET", "/v1/approvals", approving.list_, "read", gives="Approvals", query=approving.LISTED_BY),
    Operation("GET", "/v1/approvals/{id}", approving.show, "read", gives="ApprovalRequest", query=("wait",)),
    Operation("GET", "/v1/approvals/{id}/alike", approving.alike, "read", gives="Approvals"),
    Operation(
        "POST", "/v1/approvals/{id}/approve", approving.approve, "answer", body="Answer", gives="ApprovalRequest"
    ),
    Operation("POST", "/v1/approvals/{id}/deny", approving.deny, "answer", body="Answer", gives="ApprovalRequest"),
    Operation("POST", "/v1/approvals/{id}/edit", approving.edit, "answer", body="Edited", gives="ApprovalRequest"),
    Operation("POST", "/v1/approvals/{id}/reapprove", approving.reapprove, "answer", body="Lift", gives="Grant"),
    Operation("POST", "/v1/approvals/{id}/lift", approving.lift, "answer", gives="Status"),
    Operation("POST", "/v1/answers", approving.answer_many, "answer", body="Answers", gives="Results"),
    Operation("GET", "/v1/grants", approving.list_grants, "read", gives="Grants", query=approving.GRANTS_BY),
    Operation("POST", "/v1/grants/{id}/revoke", approving.revoke, "answer", gives="Grant"),
    Operation("POST", "/v1/approvals/{id}/cancel", approving.cancel, "read", gives="ApprovalRequest"),
    Operation(
        "POST", "/v1/approvals/{id}/consume", evaluating.consume_by_id, "evaluate", body="Asked", gives="Evaluated"
    ),
    Operation("POST", "/v1/approvals/{id}/resume", evaluating.resume, "read", body="Resume", gives="Resumed"),
    Operation("GET", "/v1/events", streaming.events, "read", gives="text/event-stream"),
    Operation("POST", "/v1/runs", runs.start, "evaluate", body="NewRun", gives="Run", status=201),
    Operation("GET", "/v1/runs", runs.list_, "read", gives="Runs", query=runs.LISTED_BY),
    Operation("GET", "/v1/runs/{id}", runs.show, "read", gives="RunShown", query=("wait",)),
    Operation("GET", "/v1/runs/{id}/events", runs.events, "read", gives="text/event-stream"),
    Operation("POST", "/v1/runs/{id}/cancel", runs.cancel, "read", gives="Run"),
    Operation("POST", "/v1/runs/{id}/resume", runs.resume, "read", gives="Run"),
    Operation("POST", "/v1/sessions", sessions.create, "evaluate", gives="Session", status=201),
    Operation("GET", "/v1/sessions", sessions.list_, "read", gives="Sessions", query=sessions.LISTED_BY),
    Operation("GET", "/v1/sessions/{id}", sessions.show, "read", gives="SessionEvents", query=sessions.SHOWN_BY),
    Operation("DELETE", "/v1/sessions/{id}", sessions.forget, "administer", gives="Status", query=("principal",)),
    Operation("GET", "/v1/audit/events", auditing.list_, "observe", gives="Events", query=auditing.LISTED_BY),
    Operation("GET", "/v1/audit/events/{id}", auditing.show, "observe", gives="Story"),
    Operation(
        "POST", "/v1/audit/events/{id}/feedback", feedback.say, "observe", body="Feedback", gives="Said", status=201
    ),
    Operation("GET", "/v1/audit/stats", auditing.stats, "observe", gives="Statistics", query=auditing.FILTERS),
    Operation("GET", "/v1/audit/timeline", auditing.timeline, "observe", gives="Timeline", query=auditing.CHARTED_BY),
    Operation("GET", "/v1/audit/chain", auditing.chain, "observe", gives="ChainStatus"),
    Operation("GET", "/v1/audit/verify", auditing.check, "observe", gives="Verification"),
    Operation("GET", "/v1/allowances", allowing.list_, "observe", gives="Allowances"),
    Operation("POST", "/v1/allowances", allowing.add, "administer", body="Allowance", gives="Status"),
    Operation("POST", "/v1/allowances/remove", allowing.remove, "administer", body="Allowance", gives="Status"),
    Operation("GET", "/v1/policy", policies.show, "administer", gives="Policy"),
    Operation("PUT", "/v1/policy", policies.change, "administer", body="text", gives="Status"),
    Operation("GET", "/v1/console/session", signing_in.show, "answer", gives="ConsoleSession"),
    Operation("POST", "/v1/console/sign-out", signing_in.sign_out, "answer", gives="Status"),
)


def make_app(house: House, *, hosts: frozenset[str] | None = None, open_metrics: bool = True) -> ASGIApp:
    """The application of a house. `hosts` are the names it goes by; `open_metrics` need no token."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await house.start()
        try:
            yield
        finally:
            await house.stop()

    described = document(OPERATIONS)
    routes = [Route(one.path, _guarded(house, one), methods=[one.method]) for one in OPERATIONS]
    routes += [Route(one.path, _guarded(house, one, problem_fragment), methods=[one.method]) for one in FRAGMENTS]
    routes += [Route(one.path, _guarded(house, one), methods=[one.method]) for one in mcp.ENDPOINT]
    routes += [*page_routes(), assets_route()]
    routes += [
        Route("/v1/console/sign-in", _sign_in(house), methods=["POST"]),
        Route("/healthz", _health(house), methods=["GET"]),
        Route("/metrics", _metrics(house, open_to_all=open_metrics), methods=["GET"]),
        Route("/v1/openapi.json", _openapi(described), methods=["GET"]),
    ]
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _refused, 404: _refused, 405: _refused}
    )
    return Doorstep(app, hosts, lambda: house.metrics, is_page)


def _in_json(problem: Problem) -> Response:
    return problem.response


def _guarded(
    house: House, operation: Operation, told: Callable[[Problem], Response] = _in_json
) -> Callable[[Request], Awaitable[Response]]:
    """A handler behind its door: whoever asks has the right, and whatever fails is an answer that quotes nothing.
    `told` is how a problem is."""

    async def answered(request: Request) -> Response:
        principal: Principal | None = None
        try:
            principal = await _admitted(house, request, at_once=operation.right in _LOOKED_UP)
            house.door.check(principal, operation.right)
            with house.door.under_way(principal):
                return await operation.handler(house, principal, request)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and never an allow
            return told(_problem(house, principal, error))

    return answered


def _sign_in(house: House) -> Callable[[Request], Awaitable[Response]]:
    """Signing in to the console, which is asked by nobody yet."""

    async def sign_in(request: Request) -> Response:
        try:
            return await signing_in.sign_in(house, request)
        except Exception as error:  # noqa: BLE001 - the same
            return _problem(house, None, error).response

    return sign_in


def _problem(house: House, principal: Principal | None, error: Exception) -> Problem:
    """The problem that an error is to whoever asked; whoever runs the daemon is told of those that nobody expected."""
    match error:
        case Problem():
            return error
        case InvalidAction():
            return Problem(400, error.what, fix=error.fix, code=error.code)
        case GuardhouseError():
            return _told(house, principal, error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    house.report(f"{type(error).__name__} in {PurePath(place.filename).name}:{place.lineno}")
    return Problem(500, "The daemon failed at this.", fix="Look at its log.")


def _told(house: House, principal: Principal | None, error: GuardhouseError) -> Problem:
    """What whoever asked is told of an error; what is wrong inside the house is for whoever runs it."""
    if isinstance(error, (NoSuchGrant, NoSuchRequest, NotOffered, NotYours, RequestClosed)):
        return problem_of(error, voice_is_agent=principal is None or principal.role == "agent")
    house.report(str(error))
    if principal is None or principal.role == "agent" or isinstance(error, PolicyError):
        return Problem(
            503, "Something that this depends on can't be used now.", fix="Whoever runs the daemon was told."
        )
    return problem_of(error)


_LOOKED_UP: Final = frozenset({"answer", "administer"})
"""What a token is looked up for each time."""


async def _admitted(house: House, request: Request, *, at_once: bool = False) -> Principal:
    given = request.headers.getlist("authorization")
    header = given[0] if len(given) == 1 else ""
    known = None if at_once else house.door.known(header)
    if known is not None:
        return known
    peer = request.client.host if request.client is not None else ""
    by_itself = "guardhouse-by-itself" in request.headers
    return await house.in_thread(lambda: house.door.look_up(header, peer, by_itself=by_itself))


def _health(house: House) -> Callable[[Request], Awaitable[Response]]:
    async def health(_request: Request) -> Response:
        """Whether the daemon can judge and ask: its policy can be read and its store answers."""
        try:
            config = house.policy.current().config
            await asyncio.wait_for(house.in_thread(house.approver.latest_change), 5)
        except (GuardhouseError, TimeoutError):
            return answer({"status": "failing"}, 503)
        if not house.is_whole:
            return answer({"status": "failing"}, 503)
        mode = config.mode if config.enabled else "disabled"
        return answer({"status": "ok", "mode": mode, "uptime": round(time.monotonic() - house.begun, 1)})

    return health


def _metrics(house: House, *, open_to_all: bool) -> Callable[[Request], Awaitable[Response]]:
    async def metrics(request: Request) -> Response:
        try:
            if not open_to_all:
                house.door.check(await _admitted(house, request), "observe")
            pending = await house.in_thread(house.count_pending)
            by_status = await house.in_thread(house.runs.counts)
        except Problem as problem:
            return problem.response
        except GuardhouseError as error:
            return problem_of(error).response
        text = house.metrics.text(
            pending=pending,
            streams=house.following.listening + house.run_news.listening,
            waiting=house.following.waiting,
            runs=by_status,
        )
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    return metrics


def _openapi(described: dict[str, Any]) -> Callable[[Request], Awaitable[Response]]:
    async def openapi(_request: Request) -> Response:
        return answer(described)

    return openapi


async def _refused(_request: Request, error: Exception) -> Response:
    """What Starlette itself turns away."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = {404: "There is nothing here.", 405: "That can't be done here."}.get(status, "That can't be answered.")
    return Problem(status if status in {400, 404, 405, 413} else 500, message).response
