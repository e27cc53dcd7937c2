"""`approvals`: the questions that agents wait on, and the answers of the person at this terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from guardhouse.cli.options import json_option, state_dir_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from guardhouse.approvals import Approver
    from guardhouse.approvals.terminal import TerminalChannel
    from guardhouse.model import ApprovalRequest
    from guardhouse.policy import Policy

_NOT_DONE: Final = 1
_SHORTEST_PREFIX: Final = len("ap_") + 6
_MOST: Final = 10_000
"""Requests among which a prefix is looked for, newest first."""
_POLL: Final = 0.3

_STATUSES: Final = ("pending", "approved", "denied", "expired", "cancelled", "superseded", "consumed", "all")


@click.group()
def approvals() -> None:
    """Questions that agents wait on. Only a terminal that no guarded agent started can answer them."""


@approvals.command("list")
@click.option("--status", type=click.Choice(_STATUSES), default="pending", show_default=True, help="Which to list.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="How many at most.")
@json_option
@state_dir_option
def list_(status: str, limit: int, state_dir: Path | None, *, as_json: bool) -> None:
    """List requests, one a line: id, status, risk, time, tool and what it is about."""
    from guardhouse.model import ApprovalStatus
    from guardhouse.opening import open_approvals

    wanted = None if status == "all" else ApprovalStatus(status)
    with open_approvals(state_dir=state_dir) as approver:
        found = approver.find(status=wanted, limit=limit)
    if as_json:
        _print_json([_for_machines(request) for request in found])
        return
    from guardhouse.approvals.card import summary_line

    width = _screen_width() if sys.stdout.isatty() else None
    for request in found:
        _print(summary_line(request, time.time(), width=width))
    if not found:
        _print("No requests." if wanted is None else f"No {status} requests.")


@approvals.command()
@click.argument("request_id", metavar="ID")
@json_option
@state_dir_option
def show(request_id: str, state_dir: Path | None, *, as_json: bool) -> None:
    """Show one request whole: the action with its secrets masked, the reasons, and what an approval would cover.

    ID may be cut to its first characters, at least six after `ap_`.
    """
    from guardhouse.opening import open_approvals

    with open_approvals(state_dir=state_dir) as approver:
        request = _find(approver, request_id)
    if as_json:
        _print_json(_for_machines(request))
        return
    from guardhouse.approvals.card import card

    shown = card(
        request,
        time.time(),
        width=_screen_width(),
        color=sys.stdout.isatty() and "NO_COLOR" not in os.environ,
        unicode=_is_unicode(),
        use_within=_policy().config.approvals.use_within,
    )
    click.echo(shown, nl=False)


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.option("--comment", default=None, help="For the record.")
@state_dir_option
def approve(request_id: str, comment: str | None, state_dir: Path | None) -> None:
    """Show one request, ask at the terminal whether you are sure, and approve it.

    Exit status: 0 approved, 1 not approved, 2 this is no terminal that may answer.
    """
    from guardhouse.opening import open_approvals

    agents = _agents(state_dir)
    _require_terminal(agents)
    with open_approvals(state_dir=state_dir) as approver:
        request = _pending(approver, request_id)
        settled = _channel(approver, agents).confirm(request, comment=comment)
    sys.exit(0 if _is_approved(settled) else _NOT_DONE)


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.argument("message", required=False)
@state_dir_option
def deny(request_id: str, message: str | None, state_dir: Path | None) -> None:
    """Deny one request. MESSAGE is passed on to the agent."""
    from guardhouse.approvals.card import outcome, plain
    from guardhouse.approvals.terminal import local_actor
    from guardhouse.model import GuardhouseError
    from guardhouse.opening import open_approvals

    _require_terminal(_agents(state_dir))
    with open_approvals(state_dir=state_dir) as approver:
        request = _find(approver, request_id)
        try:
            said = plain(_masked(message)) if message else None
            settled = approver.answer(request.id, approve=False, actor=local_actor(), comment=said)
        except GuardhouseError as error:
            _fail(error)
    _print(outcome(settled))


@approvals.command()
@click.argument("request_id", metavar="ID")
@state_dir_option
def cancel(request_id: str, state_dir: Path | None) -> None:
    """Take one request back, so that nobody can answer it any more. The agent is told no."""
    from guardhouse.approvals.card import outcome
    from guardhouse.approvals.terminal import local_actor
    from guardhouse.model import GuardhouseError
    from guardhouse.opening import open_approvals

    with open_approvals(state_dir=state_dir) as approver:
        request = _find(approver, request_id)
        try:
            settled = approver.cancel(request.id, actor=local_actor())
        except GuardhouseError as error:
            _fail(error)
    _print(outcome(settled))


@approvals.command()
@state_dir_option
def watch(state_dir: Path | None) -> None:
    """Wait for requests and put each to you in turn, until Ctrl-C. (At a question, Ctrl-C denies that one.)"""
    from guardhouse.model import ApprovalStatus
    from guardhouse.opening import open_approvals

    agents = _agents(state_dir)
    _require_terminal(agents)
    with open_approvals(state_dir=state_dir) as approver:
        channel = _channel(approver, agents)
        try:
            for request in _arriving(approver):
                if channel.ask(request).status is ApprovalStatus.PENDING:
                    _print("The terminal gives no answers any more.", err=True)
                    sys.exit(_NOT_DONE)
        except KeyboardInterrupt:
            _print("\nStopped.")


def _arriving(approver: Approver) -> Iterator[ApprovalRequest]:
    """Pending requests, the oldest first, as they come. What ended without having been put is announced."""
    from guardhouse.model import ApprovalStatus

    waiting: set[str] = set()
    idle = False
    while True:
        pending = [
            request
            for request in reversed(approver.find(status=ApprovalStatus.PENDING, limit=_MOST))
            if request.expires_at > time.time()
        ]
        for missed in sorted(waiting - {request.id for request in pending}):
            _announce(approver.get(missed))
        waiting = {request.id for request in pending[1:]}
        if pending:
            idle = False
            yield pending[0]
            continue
        if not idle:
            _print("Waiting for questions. Ctrl-C ends.")
            idle = True
        time.sleep(_POLL)


def _announce(request: ApprovalRequest | None) -> None:
    from guardhouse.approvals.card import outcome, plain

    if request is not None:
        _print(f"{plain(request.id)}: {outcome(request)}")


def _find(approver: Approver, given: str) -> ApprovalRequest:
    """The request with that id, or with the only id that begins so; ends the command if there is none."""
    from guardhouse.model import visible

    exact = approver.get(given)
    if exact is not None:
        return exact
    if not given.startswith("ap_") or len(given) < _SHORTEST_PREFIX:
        _fail(f"There is no request {visible(given)}. An id begins with ap_; six characters after that are enough.")
    found = [request for request in approver.find(limit=_MOST) if request.id.startswith(given)]
    if len(found) == 1:
        return found[0]
    many = f"{len(found)} requests begin with {visible(given)}. Give more of the id."
    return _fail(
        many if found else f"There is no request {visible(given)}. See: guardhouse approvals list --status all"
    )


def _pending(approver: Approver, given: str) -> ApprovalRequest:
    """The request that is meant, if it can still be answered; ends the command if not."""
    from guardhouse.approvals.card import outcome, plain
    from guardhouse.model import ApprovalStatus

    request = _find(approver, given)
    if request.status is not ApprovalStatus.PENDING:
        _fail(f"{plain(request.id)} can't be answered any more. {outcome(request)}")
    if request.expires_at <= time.time():
        _fail(f"{plain(request.id)} can't be answered any more: its time is over, so it is denied.")
    return request


def _is_approved(request: ApprovalRequest) -> bool:
    from guardhouse.model import ApprovalStatus

    return request.status in {ApprovalStatus.APPROVED, ApprovalStatus.CONSUMED}


def _agents(state_dir: Path | None) -> Path:
    from guardhouse.config import find_locations

    return find_locations(state_dir=state_dir).state / "agents"


def _require_terminal(agents: Path) -> None:
    """NoTerminal (exit status 2) if this process may not answer."""
    from guardhouse.approvals.ancestry import require_terminal

    os.close(require_terminal(agents))


def _channel(approver: Approver, agents: Path) -> TerminalChannel:
    from guardhouse.approvals.terminal import TerminalChannel

    return TerminalChannel(approver, agents, mask=_masked, use_within=_policy().config.approvals.use_within)


def _masked(text: str) -> str:
    """What a person says, without secrets: it is kept, and passed on to the agent."""
    return _policy().redactor.text(text)


def _policy() -> Policy:
    from guardhouse.config import find_sources

    return find_sources().load()


def _for_machines(request: ApprovalRequest) -> dict[str, Any]:
    """The request as JSON, its times as text."""
    from datetime import UTC, datetime

    import msgspec

    wire: dict[str, Any] = msgspec.to_builtins(request)
    wire["status"] = request.status.value
    for name in ("created_at", "expires_at", "use_by", "answered_at"):
        if wire.get(name) is not None:
            moment = datetime.fromtimestamp(wire[name], UTC)
            wire[name] = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return wire


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2))  # ASCII: every character that could do anything is an escape


def _print(text: str, *, err: bool = False) -> None:
    from guardhouse.model import visible

    click.echo("\n".join(map(visible, text.split("\n"))), err=err)


def _fail(problem: object) -> NoReturn:
    _print(f"guardhouse: {problem}", err=True)
    sys.exit(_NOT_DONE)


def _screen_width() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").upper().replace("-", "") == "UTF8"
