"""`approvals`: the questions that agents wait on, and the answers of the person at this terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click

from guardhouse.cli.options import json_option
from guardhouse.cli.request_desk import RequestDesk, desk_options, terms_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.approvals import Approver, Outline, TerminalChannel
    from guardhouse.client import Following, RemoteApprover
    from guardhouse.model import ApprovalRequest, Grant, GuardhouseError, Terms

    Requests = Approver | RemoteApprover | Following

_Result = TypeVar("_Result")

_NOT_DONE: Final = 1
_SHORTEST_PREFIX: Final = len("ap_") + 6
_MOST: Final = 10_000
"""Requests that are looked through at once, newest first."""
_MOST_TOGETHER: Final = 20
"""Requests on one card."""
_POLL: Final = 0.3
_LONGEST_QUIET: Final = 30.0
"""Seconds after which a daemon's list is looked at although nothing was heard of it."""

_STATUSES: Final = ("pending", "approved", "denied", "expired", "cancelled", "superseded", "consumed", "all")


@click.group()
def approvals() -> None:
    """Questions that agents wait on, on this machine or at a daemon. Only a terminal that no guarded agent started can
    answer them."""


@approvals.command("list")
@click.option("--status", type=click.Choice(_STATUSES), default="pending", show_default=True, help="Which to list.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="How many at most.")
@json_option
@desk_options
def list_(status: str, limit: int, desk: RequestDesk, *, as_json: bool) -> None:
    """List requests, one a line: id, status, risk, time, tool and what it is about."""
    from guardhouse.model import ApprovalStatus

    wanted = None if status == "all" else ApprovalStatus(status)
    with desk.open() as approver:
        found = approver.outlines(status=wanted, limit=limit)
        if as_json:
            from guardhouse.wire import request_wire

            _print_json_list(request_wire(request) for request in _whole(approver, found))
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
@desk_options
def show(request_id: str, desk: RequestDesk, *, as_json: bool) -> None:
    """Show one request whole: the action with its secrets masked, the reasons, and what an approval would cover.

    ID may be cut to its first characters, at least six after `ap_`.
    """
    with desk.open() as approver:
        request = _find(approver, request_id)
    if as_json:
        from guardhouse.wire import request_wire

        _print_json(request_wire(request))
        return
    from guardhouse.approvals.card import TooLargeToShow, brief, card

    now, width, unicode = time.time(), _screen_width(), _is_unicode()
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        shown = card(request, now, width=width, color=color, unicode=unicode, use_within=desk.use_within())
    except TooLargeToShow:
        shown = brief(request, now, width=width, color=color, unicode=unicode)
    click.echo(shown, nl=False)


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.option("--comment", default=None, help="For the record.")
@click.option("--can", default=None, help="Say as well what the tool can do, with commas; it is not asked again.")
@click.option("--alike", is_flag=True, help="Also those of one kind or turn with it that wait; all are shown.")
@terms_options
@desk_options
def approve(
    request_id: str, comment: str | None, can: str | None, desk: RequestDesk, terms: Terms, *, alike: bool
) -> None:
    """Show one request, ask at the terminal whether you are sure, and approve it.

    A yes is good for exactly this call, once, unless you say more. --again and --there take how long, as in 30m or 2h;
    `session` is as long as the policy lets. What they would cover is on the card before you say yes.

    Exit status: 0 approved, 1 not approved, 2 this is no terminal that may answer.
    """
    from guardhouse.approvals.card import TooLargeToShow

    if can is not None and desk.is_remote:
        _fail("--can changes the configuration of this machine, not the daemon's.")
    desk.require_terminal()
    with desk.open() as approver:
        request = _pending(approver, request_id)
        said = _said_of_tool(request, can)
        try:
            others = approver.alike(request) if alike else []
            with desk.channel_to(approver) as channel:
                settled = channel.confirm(request, comment=_well_formed(comment), terms=terms, alike=others)
        except TooLargeToShow as error:
            _fail(error)
    if said is not None and _is_approved(settled):
        from guardhouse.cli.allowing import allow_tool
        from guardhouse.config import find_sources

        allow_tool(find_sources(state_dir=desk.state_dir), *said)
    sys.exit(0 if _is_approved(settled) else _NOT_DONE)


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.option("--set", "sets", multiple=True, metavar="PLACE=VALUE", help="As in /params/command='ls -l'; JSON counts.")
@click.option("--comment", default=None, help="For the record.")
@terms_options
@desk_options
def edit(request_id: str, sets: tuple[str, ...], comment: str | None, desk: RequestDesk, terms: Terms) -> None:
    """Change the arguments of a call that waits, and approve it so. The changed call is judged afresh; the agent gets
    it when it comes back.

    Without --set, the arguments are opened in your editor. Masked values stay what they are unless you replace them.
    """
    from guardhouse.approvals import NotOffered
    from guardhouse.approvals.card import outcome

    desk.require_terminal()
    if not sys.stdin.isatty():
        _fail("Whoever types the answer has to be at the terminal: nothing may be piped into this.")
    with desk.open() as approver:
        request = _pending(approver, request_id)
        changes = _read_sets(sets) if sets else _edited_params(request)
        if not changes:
            _fail("Nothing was changed.")
        for place, value in changes.items():
            _print(f"{place} = {_json_text(value)}")
        if not click.confirm("Approve the call with these arguments?", default=False):
            _fail("Not approved. It can still be answered.")
        try:
            done = desk.edit(approver, request, changes, comment=_well_formed(comment), terms=terms)
        except NotOffered as error:
            _fail(error)
    _print(outcome(done))


@approvals.command()
@click.argument("request_id", metavar="ID")
@click.option("--comment", default=None, help="For the record.")
@desk_options
def reapprove(request_id: str, comment: str | None, desk: RequestDesk) -> None:
    """Let a call that was denied, or that nobody answered in time, be made after all: exactly it, once."""
    desk.require_terminal()
    with desk.open() as approver:
        request = _find(approver, request_id)
        said = _well_formed(comment)
        grant = _done(lambda: approver.reapprove(request.id, actor=desk.actor(), comment=said))
    _print(f"The agent may make this call once until {_clock(grant.expires_at)} ({grant.id}).")


@approvals.command()
@click.argument("request_id", metavar="ID")
@desk_options
def lift(request_id: str, desk: RequestDesk) -> None:
    """Let the session of a request ask again, although people denied so much of what it asked."""
    desk.require_terminal()
    with desk.open() as approver:
        request = _find(approver, request_id)
        _done(lambda: desk.lift_pause(approver, request))
    _print("The session may ask again.")


@approvals.command("grants")
@click.option("--all", "every", is_flag=True, help="Also those that are over, used up or revoked.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True, help="How many at most.")
@json_option
@desk_options
def list_grants(limit: int, desk: RequestDesk, *, every: bool, as_json: bool) -> None:
    """List what people said yes to for more than once: what each covers, until when, and how often it was used."""
    from guardhouse.approvals.card import plain
    from guardhouse.approvals.grants import words

    with desk.open() as approver:
        found = approver.grants(live=not every, limit=limit)
    if as_json:
        from guardhouse.wire import grant_wire

        _print_json([grant_wire(grant) for grant in found])
        return
    for grant in found:
        session = plain(grant.session_id or "(none)")
        _print(f"{grant.id}  {_standing(grant)}  used {grant.uses} times  by {plain(grant.actor)}  session {session}")
        for line in words(grant):
            _print(f"    {plain(line)}")
    if not found:
        _print("No grants.")


@approvals.command()
@click.argument("grant_id", metavar="GRANT")
@desk_options
def revoke(grant_id: str, desk: RequestDesk) -> None:
    """Let a grant cover nothing any more. Its id begins with gr_."""
    desk.require_terminal()
    with desk.open() as approver:
        grant = _done(lambda: approver.revoke(grant_id, actor=desk.actor()))
    _print(f"{grant.id} covers nothing any more.")


def _standing(grant: Grant) -> str:
    if grant.revoked_at is not None:
        return "revoked"
    return f"until {_clock(grant.expires_at)}" if grant.is_live(time.time()) else "over"


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _done(change: Callable[[], _Result]) -> _Result:
    """What a change gives; ends the command if it can't be done."""
    from guardhouse.model import GuardhouseError

    try:
        return change()
    except GuardhouseError as error:
        _fail(error)


def _read_sets(sets: tuple[str, ...]) -> dict[str, Any]:
    """What `--set` says: a value that is JSON is that value, any other is text."""
    import json

    changes: dict[str, Any] = {}
    for one in sets:
        place, equals, text = one.partition("=")
        if not equals or not place.startswith("/params/"):
            raise click.UsageError("--set takes a place and a value, as in: --set /params/command='ls -l'")
        try:
            changes[place] = json.loads(text)
        except ValueError:
            changes[place] = text
    return changes


def _edited_params(request: ApprovalRequest) -> dict[str, Any]:
    """What a person changed in their editor, by place."""
    import json

    params = request.action_redacted.get("params")
    if not isinstance(params, dict):
        _fail("This request has no arguments that could be changed.")
    text = click.edit(json.dumps(params, indent=2) + "\n", extension=".json")  # ASCII: nothing invisible in it
    if text is None:
        return {}
    try:
        edited = json.loads(text)
    except ValueError as error:
        _fail(f"What you wrote is no JSON: {error}")
    changes: dict[str, Any] = {}
    _compare("/params", params, edited, changes)
    return changes


def _compare(place: str, before: Any, after: Any, changes: dict[str, Any]) -> None:
    """The values that differ, by where they stand; ends the command if places came or went."""
    if isinstance(before, dict) and isinstance(after, dict):
        if before.keys() != after.keys():
            _fail(f"{place} has other names than before: only values can be changed.")
        for key in before:
            step = key.replace("~", "~0").replace("/", "~1")
            _compare(f"{place}/{step}", before[key], after[key], changes)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            _compare(f"{place}/{index}", old, new, changes)
    elif type(before) is not type(after) or before != after:
        changes[place] = after


def _json_text(value: object) -> str:
    import json

    return json.dumps(value)


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
@desk_options
def deny(request_id: str, message: str | None, desk: RequestDesk) -> None:
    """Deny one request. MESSAGE is passed on to the agent."""
    desk.require_terminal()
    with desk.open() as approver:
        request = _find(approver, request_id)
        said = _well_formed(message)
        _settle(lambda: approver.answer(request.id, approve=False, actor=desk.actor(), comment=said))


@approvals.command()
@click.argument("request_id", metavar="ID")
@desk_options
def cancel(request_id: str, desk: RequestDesk) -> None:
    """Take one request back, so that nobody can answer it any more. The agent is told no."""
    with desk.open() as approver:
        request = _find(approver, request_id)
        _settle(lambda: approver.cancel(request.id, actor=desk.actor()))


@approvals.command()
@click.argument("request_id", metavar="ID")
@desk_options
def resume(request_id: str, desk: RequestDesk) -> None:
    """Tell the agent to take an approved call up now. It has its whole time for that once more."""
    desk.require_terminal()
    with desk.open() as approver:
        request = _find(approver, request_id)
        _settle(lambda: approver.ask_to_resume(request.id, actor=desk.actor()))


def _settle(change: Callable[[], ApprovalRequest]) -> None:
    """Do what a person wants of a request, and say how it stands then; ends the command if it can't be done."""
    from guardhouse.approvals.card import outcome
    from guardhouse.model import GuardhouseError

    try:
        settled = change()
    except GuardhouseError as error:
        _fail(error)
    _print(outcome(settled))


@approvals.command()
@desk_options
def watch(desk: RequestDesk) -> None:
    """Wait for requests and put each to you in turn, until Ctrl-C. (At a question, Ctrl-C denies that one.)"""
    desk.require_terminal()
    try:
        with desk.open() as approver:
            if desk.is_remote:
                with desk.following(approver) as following:
                    _watch_daemon(desk, following)
            else:
                _put_each(desk, approver, lambda: time.sleep(_POLL))
    except KeyboardInterrupt:
        _print("\nStopped.")


def _put_each(desk: RequestDesk, approver: Requests, idle: Callable[[], None]) -> None:
    """Put each request as it comes; ends the command when the terminal is gone."""
    from guardhouse.model import ApprovalStatus, GuardhouseError

    channel = desk.channel(approver)
    alone: set[str] = set()
    said_yes: set[str] = set()
    for request in _arriving(approver, idle, said_yes):
        alike = [] if request.id in alone else _to_put_together(approver, request)
        try:
            if alike:
                alone.update((request.id, *(one.id for one in alike)))  # what is left open is put by itself
                if _put_together(channel, request, alike):
                    continue
                _print("The terminal gives no answers any more.", err=True)
                sys.exit(_NOT_DONE)
            settled = channel.ask(request)
        except GuardhouseError:
            _print(f"If you have just answered {request.id}, that may not count.", err=True)
            raise
        if settled.status is ApprovalStatus.PENDING and len(settled.consents) > len(request.consents):
            said_yes.add(request.id)  # the next yes is somebody else's
        elif settled.status is ApprovalStatus.PENDING:
            _print("The terminal gives no answers any more.", err=True)
            sys.exit(_NOT_DONE)


def _to_put_together(approver: Requests, request: ApprovalRequest) -> list[ApprovalRequest]:
    """The other questions that fit on one card with this one: of one kind or turn, and for one person to answer."""
    if request.needed > 1:
        return []
    return [one for one in approver.alike(request) if one.needed == 1][:_MOST_TOGETHER]


def _put_together(channel: TerminalChannel, request: ApprovalRequest, alike: list[ApprovalRequest]) -> bool:
    """Put several on one card; False if the terminal was closed. Those that do not fit on one are put by themselves."""
    from guardhouse.approvals.card import TooLargeToShow

    try:
        return channel.ask_together(request, alike)
    except TooLargeToShow:
        return True


def _watch_daemon(desk: RequestDesk, following: Following) -> None:
    """The same with a daemon, which may be gone for a while."""
    from guardhouse.model import GuardhouseError

    def idle() -> None:
        end = time.monotonic() + _LONGEST_QUIET
        while not following.news(_POLL) and time.monotonic() < end:
            pass  # not in one: a Ctrl-C that comes just before a wait is only seen after it
        if following.problem is not None:
            raise following.problem

    while True:
        try:
            _put_each(desk, following, idle)
        except GuardhouseError as error:
            if not _passes(error):
                raise
            _print(f"{error} Trying again.", err=True)
            _await(following)
            _print("The daemon is back.")


def _passes(error: GuardhouseError) -> bool:
    """Whether a daemon that failed so may be back in a while."""
    from guardhouse.client import DaemonError, Refused

    return isinstance(error, DaemonError) and not (isinstance(error, Refused) and error.status < 429)


def _await(following: Following) -> None:
    """Wait until the daemon can be heard and answers again; GuardhouseError once it is clear that it won't."""
    from guardhouse.client import DaemonError

    while True:
        time.sleep(_POLL)
        problem = following.problem
        if problem is None:
            try:
                following.outlines(limit=1)
            except DaemonError as error:
                problem = error
        if problem is None:
            return
        if not _passes(problem):
            raise problem


def _arriving(approver: Requests, idle: Callable[[], None], put: set[str]) -> Iterator[ApprovalRequest]:
    """Pending requests, the oldest first, as they come, but for those that were `put` already; while there is none,
    `idle` waits. What ended without having been put is announced."""
    from guardhouse.model import ApprovalStatus

    waiting: set[str] = set()
    said = False
    while True:
        pending = [
            request
            for request in reversed(approver.outlines(status=ApprovalStatus.PENDING, limit=_MOST))
            if request.expires_at > time.time() and request.id not in put
        ]
        for missed in sorted(waiting - {request.id for request in pending}):
            _announce(approver.get(missed))
        waiting = {request.id for request in pending[1:]}
        if pending:
            said = False
            yield from _whole(approver, pending[:1])
            continue
        if not said:
            _print("Waiting for questions. Ctrl-C ends.")
            said = True
        idle()


def _whole(approver: Requests, outlines: list[Outline]) -> Iterator[ApprovalRequest]:
    """The requests of a list, one at a time: each may be large. One that was removed meanwhile is left out."""
    for outline in outlines:
        request = approver.get(outline.id)
        if request is not None:
            yield request


def _announce(request: ApprovalRequest | None) -> None:
    from guardhouse.approvals.card import outcome, plain

    if request is not None:
        _print(f"{plain(request.id)}: {outcome(request)}")


def _find(approver: Requests, given: str) -> ApprovalRequest:
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


def _pending(approver: Requests, given: str) -> ApprovalRequest:
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


def _well_formed(text: str | None) -> str | None:
    """What was given on the command line, whatever bytes that were, as text that can be kept."""
    return None if text is None else text.encode("utf-8", "replace").decode()


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
