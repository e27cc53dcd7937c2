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

    from guardhouse.approvals import Approver, Outline
    from guardhouse.approvals.terminal import TerminalChannel
    from guardhouse.model import ApprovalRequest

_NOT_DONE: Final = 1
_SHORTEST_PREFIX: Final = len("ap_") + 6
_MOST: Final = 10_000
"""Requests that are looked through at once, newest first."""
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
        found = approver.outlines(status=wanted, limit=limit)
        if as_json:
            _print_json_list(_for_machines(request) for request in _whole(approver, found))
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
    from guardhouse.approvals.card import TooLargeToShow, brief, card

    now, width, unicode = time.time(), _screen_width(), _is_unicode()
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        shown = card(request, now, width=width, color=color, unicode=unicode, use_within=_use_within())
    except TooLargeToShow:
        shown = brief(request, now, width=width, color=color, unicode=unicode)
    click.echo(shown, nl=False)


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.option("--comment", default=None, help="For the record.")
@click.option("--can", default=None, help="Say as well what the tool can do, with commas; it is not asked again.")
@click.option("--for-run", is_flag=True, help="Also for later calls of this tool with the values that the card lists.")
@click.option("--alike", is_flag=True, help="Also those that wait with values from the same source; all are shown.")
@state_dir_option
def approve(
    request_id: str, comment: str | None, can: str | None, state_dir: Path | None, *, for_run: bool, alike: bool
) -> None:
    """Show one request, ask at the terminal whether you are sure, and approve it.

    Exit status: 0 approved, 1 not approved, 2 this is no terminal that may answer.
    """
    from guardhouse.approvals.card import TooLargeToShow
    from guardhouse.opening import open_approvals

    agents = _agents(state_dir)
    _require_terminal(agents)
    with open_approvals(state_dir=state_dir) as approver:
        request = _pending(approver, request_id)
        said = _said_of_tool(request, can)
        try:
            others = approver.alike(request) if alike else []
            settled = _channel(approver, agents).confirm(
                request, comment=_well_formed(comment), for_run=for_run, alike=others
            )
        except TooLargeToShow as error:
            _fail(error)
    if said is not None and _is_approved(settled):
        from guardhouse.cli.allowing import allow_tool
        from guardhouse.config import find_sources

        allow_tool(find_sources(state_dir=state_dir), *said)
    sys.exit(0 if _is_approved(settled) else _NOT_DONE)


def _said_of_tool(request: ApprovalRequest, can: str | None) -> tuple[str, list[str], str | None] | None:
    """What `--can` says, of which tool and description; ends the command if there is none that it could be said of."""
    if can is None:
        return None
    from guardhouse.cli.allowing import capability_names

    tool, digest = request.action_redacted.get("tool"), request.action_redacted.get("tool_digest")
    if request.action_type != "ToolCallPre" or not isinstance(tool, str) or request.tool_name != tool:
        _fail("This request is not about a tool, so --can says nothing.")
    if digest is not None and not (isinstance(digest, str) and digest.startswith("sha256:")):
        _fail("The server has not announced this tool, so nothing can be said of it yet.")
    return tool, capability_names(can), digest


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.argument("message", required=False)
@state_dir_option
def deny(request_id: str, message: str | None, state_dir: Path | None) -> None:
    """Deny one request. MESSAGE is passed on to the agent."""
    from guardhouse.approvals.card import outcome
    from guardhouse.approvals.terminal import local_actor
    from guardhouse.model import GuardhouseError
    from guardhouse.opening import open_approvals

    _require_terminal(_agents(state_dir))
    with open_approvals(state_dir=state_dir) as approver:
        request = _find(approver, request_id)
        try:
            settled = approver.answer(request.id, approve=False, actor=local_actor(), comment=_well_formed(message))
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
            for request in reversed(approver.outlines(status=ApprovalStatus.PENDING, limit=_MOST))
            if request.expires_at > time.time()
        ]
        for missed in sorted(waiting - {request.id for request in pending}):
            _announce(approver.get(missed))
        waiting = {request.id for request in pending[1:]}
        if pending:
            idle = False
            yield from _whole(approver, pending[:1])
            continue
        if not idle:
            _print("Waiting for questions. Ctrl-C ends.")
            idle = True
        time.sleep(_POLL)


def _whole(approver: Approver, outlines: list[Outline]) -> Iterator[ApprovalRequest]:
    """The requests of a list, one at a time: each may be large. One that was removed meanwhile is left out."""
    for outline in outlines:
        request = approver.get(outline.id)
        if request is not None:
            yield request


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
    found = approver.outlines(beginning=given, limit=_MOST)
    if len(found) == 1:
        for request in _whole(approver, found):
            return request
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

    return find_locations(state_dir=state_dir).registries[0]


def _require_terminal(agents: Path) -> None:
    """NoTerminal (exit status 2) if this process may not answer."""
    from guardhouse.approvals.ancestry import require_terminal

    os.close(require_terminal(agents))


def _channel(approver: Approver, agents: Path) -> TerminalChannel:
    from guardhouse.approvals.terminal import TerminalChannel

    return TerminalChannel(approver, agents, use_within=_use_within())


def _use_within() -> float:
    """How long an approval lasts, by the policy here."""
    from guardhouse.config import find_sources

    return find_sources().load().config.approvals.use_within


def _well_formed(text: str | None) -> str | None:
    """What was given on the command line, whatever bytes that were, as text that can be kept."""
    return None if text is None else text.encode("utf-8", "replace").decode()


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


def _print_json_list(values: Iterator[object]) -> None:
    """The same for a list that is never in memory as a whole."""
    import json

    between = "[\n"
    for value in values:
        click.echo(between + json.dumps(value, indent=2), nl=False)
        between = ",\n"
    click.echo("\n]" if between == ",\n" else "[]")


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
