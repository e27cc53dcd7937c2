"""`audit …` and `why`: looking at the record, checking it, and explaining one decision.

What is printed for a person comes from events, and an attacker wrote parts of those: all of it goes through `visible`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import json_option, state_dir_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from guardhouse.audit import Entry, Unreadable, Verification
    from guardhouse.model import AuditEvent, Opinion

_BROKEN: Final = 1
_LONGEST_SUMMARY: Final = 120
_CSV_COLUMNS: Final = (
    "event_id kind timestamp trace_id run_id session_id task_id call_id principal source action_type tool_name "
    "action_summary_redacted action_hash risk_level decision would_be mode codes policy_revision approval_request_id "
    "approval_status actor comment outcome about detail"
).split()


@click.group()
def audit() -> None:
    """The record of every decision."""


def log_directory(state_dir: Path | None, *, must_exist: bool = True) -> Path:
    """Where the log is. No log is an error: one that was taken away must not pass for one that is whole."""
    from guardhouse.config import find_locations
    from guardhouse.model import GuardhouseError

    directory = find_locations(state_dir=state_dir).state / "audit"
    if must_exist and not directory.is_dir():
        raise GuardhouseError(
            f"There is no audit log in {directory.parent}.",
            fix="If something was recorded, it is gone; or name another place with --state-dir.",
        )
    return directory


def _moment(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    import time

    from guardhouse.audit import moment

    return moment(text, time.time())


since_option = click.option(
    "--since", callback=_moment, metavar="WHEN", help="Only from then on: 10m, 2h, 3d (ago), or an ISO time (UTC)."
)
_until = click.option("--until", callback=_moment, metavar="WHEN", help="Only before then.")


@audit.command()
@click.option("-n", "lines", type=click.IntRange(min=0), default=20, show_default=True, help="How many.")
@click.option("-f", "--follow", is_flag=True, help="Go on with new events as they come.")
@state_dir_option
@json_option
def tail(lines: int, state_dir: Path | None, *, follow: bool, as_json: bool) -> None:
    """Print the newest events, the oldest of them first."""
    from itertools import islice

    from guardhouse.audit import Unreadable, events, removed_for_room
    from guardhouse.audit import follow as new_events

    directory, unreadable = log_directory(state_dir, must_exist=not follow), Unreadable()
    newest = list(islice(events(directory, newest_first=True, unreadable=unreadable), max(lines, 1)))
    for entry in reversed(newest[:lines]):
        _print_entry(entry, as_json=as_json)
    warn_of(unreadable)
    _tell_removed(removed_for_room(directory), err=True)
    if not follow:
        return
    try:
        for entry in new_events(directory, after=newest[0].seq if newest else 0):
            _print_entry(entry, as_json=as_json)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return


@audit.command()
@click.option("--kind", type=click.Choice(["decision", "execution", "approval", "grant", "feedback", "notice"]))
@click.option("--decision", type=click.Choice(["allow", "allow_with_redaction", "require_approval", "deny"]))
@click.option("--risk", type=click.Choice(["low", "medium", "high", "critical"]))
@click.option("--outcome", type=click.Choice(["executed", "aborted"]))
@click.option("--tool", metavar="NAME", help="Of this tool.")
@click.option("--code", metavar="CODE", help="With this reason or finding.")
@click.option("--session", metavar="ID")
@click.option("--run", metavar="ID")
@click.option("--approval", metavar="ID", help="About this request for approval.")
@since_option
@_until
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="The newest so many.")
@state_dir_option
@json_option
def query(limit: int, state_dir: Path | None, *, as_json: bool, **filters: Any) -> None:
    """Print the events that match, the newest first."""
    from itertools import islice

    from guardhouse.audit import Query, Unreadable, events
    from guardhouse.model import Decision, RiskLevel

    if filters["decision"] is not None:
        filters["decision"] = Decision(filters["decision"])
    if filters["risk"] is not None:
        filters["risk"] = RiskLevel(filters["risk"])
    unreadable = Unreadable()
    found = events(log_directory(state_dir), Query(**filters), newest_first=True, unreadable=unreadable)
    printed = 0
    for entry in islice(found, limit):
        _print_entry(entry, as_json=as_json)
        printed += 1
    if printed == limit:
        click.echo(f"(the newest {limit}; --limit prints more)", err=True)
    warn_of(unreadable)


@audit.command()
@click.option("--anchor", metavar="ANCHOR", help="What `audit anchor` printed earlier: the log must still hold it.")
@state_dir_option
@json_option
def verify(anchor: str | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Check that no event was changed, cut out, moved or added. Exit status: 0 whole, 1 not.

    Without --anchor, the end is checked against a file that lies beside the log.
    """
    from guardhouse.audit import verify as verify_log

    verification = verify_log(log_directory(state_dir), anchor)
    if as_json:
        _print_json(_verification_wire(verification))
    else:
        _print_verification(verification, anchored=anchor is not None)
    sys.exit(0 if verification.ok else _BROKEN)


def _verification_wire(verification: Verification) -> dict[str, Any]:
    import msgspec

    return {
        "ok": verification.ok,
        "problems": [msgspec.to_builtins(problem) for problem in verification.problems],
        "more_problems": verification.more_problems,
        "events": verification.events,
        "first_seq": verification.first.seq if verification.first else None,
        "last_seq": verification.last.seq if verification.last else None,
        "anchor": str(verification.anchor),
        "notices": [msgspec.to_builtins(notice) for notice in verification.notices],
        "more_notices": verification.more_notices,
        "removed_for_room": verification.removed_for_room,
        "unfinished": verification.unfinished,
        "foreign": list(verification.foreign),
        "files": verification.files,
        "bytes": verification.bytes,
    }


def _print_verification(verification: Verification, *, anchored: bool) -> None:
    from guardhouse.audit import describe
    from guardhouse.model import visible

    click.echo(f"{verification.events} events in {verification.files} files, {verification.bytes} bytes")
    for word, entry in (("first", verification.first), ("last", verification.last)):
        if entry is not None:
            click.echo(f"{word}: event {entry.seq}, {visible(entry.event.timestamp)}")
    for notice in verification.notices:
        click.echo(f"event {notice.seq}, {visible(notice.timestamp)}: {visible(describe(notice.note))}")
    if verification.more_notices:
        click.echo(f"… and {verification.more_notices} more notices")
    _tell_removed(verification.removed_for_room)
    if verification.unfinished:
        click.echo(f"unfinished: {verification.unfinished} bytes of a last line, which the next event will cut off")
    if verification.foreign:
        click.echo(f"not of the log: {', '.join(map(visible, verification.foreign))}")
    for problem in verification.problems:
        click.echo(f"PROBLEM {visible(str(problem))}")
    if verification.more_problems:
        click.echo(f"… and {verification.more_problems} more problems")
    if not verification.ok:
        click.echo("The chain is BROKEN.")
    elif anchored:
        click.echo("The chain is whole, and holds the anchored event.")
    else:
        click.echo("The chain is whole.")


@audit.command()
@state_dir_option
@json_option
def anchor(state_dir: Path | None, *, as_json: bool) -> None:
    """Print the anchor of the newest event. Keep it where nobody with your rights here can change it."""
    from guardhouse.audit import head_anchor

    head = head_anchor(log_directory(state_dir))
    if as_json:
        _print_json({"seq": head.seq, "hash": head.hash, "anchor": str(head)})
    else:
        click.echo(str(head))


@audit.command()
@since_option
@_until
@state_dir_option
@json_option
def stats(since: str | None, until: str | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Count decisions, the reasons for them, and what people answered."""
    import msgspec

    from guardhouse.audit import Query, Unreadable, count, events, removed_for_room
    from guardhouse.model import visible

    directory, unreadable = log_directory(state_dir), Unreadable()
    found = events(directory, Query(since=since, until=until), unreadable=unreadable)
    figures = count(entry.event for entry in found)
    removed = removed_for_room(directory)
    if as_json:
        _print_json({**msgspec.to_builtins(figures), "removed_for_room": removed})
    else:
        _tell_removed(removed)
        click.echo(f"events: {figures.events}")
        click.echo(f"blocked: {figures.block_rate:.1%} of {sum(figures.decisions.values())} decisions")
        for title, counts in (
            ("decisions", figures.decisions),
            ("risk", figures.risks),
            ("tools", figures.tools),
            ("reasons", figures.codes),
            ("approvals", figures.approvals),
            ("outcomes", figures.outcomes),
            ("feedback", figures.feedback),
        ):
            if counts:
                click.echo(f"{title}:")
                for name, number in counts.items():
                    click.echo(f"  {number:>8}  {visible(name)}")
    warn_of(unreadable)


@audit.command()
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@since_option
@_until
@click.option("--broken", is_flag=True, help="Export although the chain is broken.")
@state_dir_option
def export(form: str, since: str | None, until: str | None, state_dir: Path | None, *, broken: bool) -> None:
    """Print events for another program: the log's own lines, or a table.

    The chain is checked first. If it is broken, nothing is exported unless --broken is given, and the exit status is 1
    in any case.
    """
    from guardhouse.audit import Query, Unreadable, events, verify

    directory, unreadable = log_directory(state_dir), Unreadable()
    verification = verify(directory)
    if not verification.ok:
        click.echo(
            "guardhouse: THE CHAIN IS BROKEN: what is exported can't be trusted. `guardhouse audit verify` says more.",
            err=True,
        )
        if not broken:
            click.echo("guardhouse: nothing was exported; --broken does it all the same.", err=True)
            sys.exit(_BROKEN)
    wanted = Query(since=since, until=until)
    if form == "jsonl":
        _export_lines(directory, wanted.matches, unreadable)
    else:
        _export_table(events(directory, wanted, unreadable=unreadable))
    warn_of(unreadable)
    sys.exit(0 if verification.ok else _BROKEN)


def _export_lines(directory: Path, wanted: Callable[[AuditEvent], bool], unreadable: Unreadable) -> None:
    from guardhouse.audit import raw_entries

    for line, entry in raw_entries(directory, unreadable=unreadable):
        if wanted(entry.event):
            sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _export_table(entries: Iterable[Entry]) -> None:
    import csv

    import msgspec

    from guardhouse.model import RedactedText, visible

    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["seq", *_CSV_COLUMNS])
    for entry in entries:
        wire = {name: getattr(entry.event, name) for name in _CSV_COLUMNS if name != "codes"}
        wire["codes"] = " ".join(dict.fromkeys(reason.code for reason in entry.event.reasons))
        row = [str(entry.seq)]
        for name in _CSV_COLUMNS:
            value = wire[name]
            text = value.text if isinstance(value, RedactedText) else msgspec.to_builtins(value)
            row.append(_cell(visible("" if text is None else str(text))))
        table.writerow(row)


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


@click.command()
@click.argument("event_id", metavar="EVENT")
@state_dir_option
@json_option
def why(event_id: str, state_dir: Path | None, *, as_json: bool) -> None:
    """Explain one decision: what was decided and why, who answered, and what happened then.

    EVENT is the event's id, as a verdict and `audit tail` give it.
    """
    from guardhouse.audit import story
    from guardhouse.model import GuardhouseError

    directory = log_directory(state_dir)
    told = story(directory, event_id)
    if told is None:
        raise GuardhouseError(
            "There is no such event in the record.", fix="`guardhouse audit tail` lists the newest, with their ids."
        )
    if as_json:
        _print_json({**_entry_wire(told.entry), "related": [_entry_wire(entry) for entry in told.related]})
        return
    for line in _explanation(told.entry):
        click.echo(line)
    if told.related:
        click.echo("About the same:")
        for entry in told.related:
            click.echo(f"  {_summary(entry)}")


@click.command()
@click.argument("event_id", metavar="EVENT")
@click.argument("comment", required=False, default="")
@click.option("--false-alarm", "opinion", flag_value="false_alarm", help="It stopped or asked about what was fine.")
@click.option("--right", "opinion", flag_value="right", help="It was right.")
@click.option("--missed", "opinion", flag_value="missed", help="It should have been stopped.")
@state_dir_option
def feedback(event_id: str, comment: str, opinion: Opinion | None, state_dir: Path | None) -> None:
    """Say of a decision whether it was right. It is recorded and counted, and changes nothing that is decided."""
    from guardhouse.config import find_sources
    from guardhouse.observing.feedback import say

    if opinion is None:
        raise click.UsageError("Say --false-alarm, --right or --missed.")
    said = say(find_sources(state_dir=state_dir), event_id, opinion, comment)
    click.echo(f"Recorded: {said.detail.replace('_', ' ')} ({said.event_id})")


def _explanation(entry: Entry) -> Iterable[str]:
    from guardhouse.model import visible

    event = entry.event
    yield f"{visible(event.event_id)}: {_headline(event)}"
    for name, value in (
        ("when", f"{event.timestamp} (event {entry.seq} of the record)"),
        ("what", f"{event.action_type} {event.tool_name or ''}".strip()),
        ("action", event.action_summary_redacted.text),
        ("risk", event.risk_level.value if event.risk_level else ""),
        ("mode", event.mode if event.mode != "enforce" else ""),
        ("through", event.source or ""),
        ("for", event.principal or ""),
        ("session", event.session_id or ""),
        ("run", event.run_id or ""),
        ("approval", event.approval_request_id or ""),
        ("answer", event.approval_status.value if event.approval_status else ""),
        ("answered by", event.actor or ""),
        ("comment", event.comment.text),
        ("policy", event.policy_revision),
        ("detail", event.detail),
    ):
        if value:
            yield f"  {name}: {visible(value)}"
    if event.reasons:
        yield "Because:"
        for reason in event.reasons:
            yield f"  - {visible(reason.for_person)}"
    if event.findings:
        yield "What was seen:"
        for finding in event.findings:
            place = f" in {finding.span.field}" if finding.span else ""
            more = "; ".join(
                part
                for part in (finding.detail, finding.host, finding.path, finding.secret_kind, finding.excerpt)
                if part
            )
            seen = f"{finding.code} ({finding.severity.value}, {finding.confidence.value} confidence){place}"
            yield f"  - {visible(seen + (f': {more}' if more else ''))}"


def _headline(event: AuditEvent) -> str:
    if event.kind == "decision" and event.decision is not None:
        words = {
            "allow": "allowed",
            "allow_with_redaction": "allowed, with secrets masked",
            "require_approval": "held back until a person approves",
            "deny": "blocked",
        }
        would_be = f" (would have been {words[event.would_be.value]})" if event.would_be is not None else ""
        made = "; the call that it comes from was made" if event.outcome == "executed" else ""
        return words[event.decision.value] + would_be + made
    if event.kind == "approval":
        return f"an approval became {event.approval_status.value if event.approval_status else 'something else'}"
    if event.kind == "execution":
        return event.outcome or "an execution"
    if event.kind == "feedback":
        return f"{event.actor or 'somebody'} said of a decision: {event.detail.replace('_', ' ')}"
    if event.kind == "grant":
        return "a grant"
    return "a notice of the house"


def _summary(entry: Entry) -> str:
    """An event on one line."""
    from guardhouse.model import visible

    event = entry.event
    text = event.action_summary_redacted.text or event.detail
    if len(text) > _LONGEST_SUMMARY:
        text = f"{text[:_LONGEST_SUMMARY]}…"
    parts = [
        event.timestamp,
        event.event_id,
        event.kind,
        event.decision.value if event.decision else "",
        f"(observed: {event.would_be.value})" if event.would_be not in (None, event.decision) else "",
        "(switched off)" if event.mode == "disabled" else "",
        event.outcome or "",
        event.approval_status.value if event.approval_status else "",
        f"by {event.actor}" if event.actor else "",
        event.risk_level.value if event.risk_level else "",
        event.tool_name or event.action_type,
        ",".join(dict.fromkeys(reason.code for reason in event.reasons)),
        text,
    ]
    return visible("  ".join(part for part in parts if part))


def _print_entry(entry: Entry, *, as_json: bool) -> None:
    if as_json:
        _print_json(_entry_wire(entry))
    else:
        click.echo(_summary(entry))


def _entry_wire(entry: Entry) -> dict[str, Any]:
    import msgspec

    from guardhouse.model import encode_event

    wire: dict[str, Any] = {
        "seq": entry.seq,
        "hash": entry.hash,
        "event": msgspec.json.decode(encode_event(entry.event)),
    }
    if entry.notes:
        wire["notes"] = msgspec.to_builtins(entry.notes)
    return wire


def _print_json(value: Any) -> None:
    """On one line, in ASCII: a terminal may read it, too."""
    import json

    click.echo(json.dumps(value).replace("\x7f", "\\u007f"))


def _tell_removed(events: int, *, err: bool = False) -> None:
    """Be loud about events that went before their time: somebody may have wanted that."""
    if events:
        click.echo(
            f"REMOVED TO MAKE ROOM: {events} events, before they were as old as they may become. "
            "`audit.max_total_bytes` says how much is kept.",
            err=err,
        )


def warn_of(unreadable: Unreadable) -> None:
    if unreadable.lines:
        click.echo(
            f"guardhouse: {unreadable.lines} lines can't be read; `guardhouse audit verify` says which.", err=True
        )
