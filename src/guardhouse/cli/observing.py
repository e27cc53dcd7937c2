"""`status`, `suggest`, `observe` and `enforce`: look first, then let the gate hold things back.

What is printed comes from events, and an attacker wrote parts of those: all of it goes through `visible`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import config_option, json_option, state_dir_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from guardhouse.config import Mode, Sources
    from guardhouse.observing import Kept, Standing, Suggestion, Suggestions

_INCOMPLETE: Final = 1
_MOST_PRINTED: Final = 40
_LONGEST_EXAMPLE: Final = 100


@click.command()
@config_option
@state_dir_option
@json_option
def status(config_file: Path | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Say what the gate did today, in which mode it works, who waits for you, and who is guarded.

    Exit status: 0, or 1 if something about it could not be told.
    """
    from guardhouse.config import find_sources
    from guardhouse.observing import standing

    stands = standing(find_sources(config_file=config_file, state_dir=state_dir))
    if as_json:
        _print_json(stands)
    else:
        for line in _standing_lines(stands):
            _print(line)
    sys.exit(_INCOMPLETE if stands.problems or stands.unreadable_lines else 0)


def _standing_lines(stands: Standing) -> Iterator[str]:
    today = stands.today
    if not stands.recorded:
        yield "today: nothing yet"
    else:
        yield f"today: {_count(today.calls, 'call')}, {today.asked} asked, {today.blocked} blocked"
    if today.would_ask or today.would_block:
        yield (
            f"observed: {today.would_ask} more would have been asked about, {today.would_block} blocked"
            " (`guardhouse suggest` says what to do about it)"
        )
    yield f"mode: {_mode_line(stands)}"
    if stands.observe_without_effect:
        yield "      (`guardhouse observe` was run, and has no effect; `guardhouse enforce` takes it back)"
    if stands.revision:
        yield f"policy: preset {stands.preset}, revision {stands.revision}"
    if stands.pending:
        yield f"waiting: {_count(stands.pending, 'question')} for you (`guardhouse approvals watch`)"
    else:
        yield "waiting: nothing"
    if stands.runs_waiting:
        yield f"runs: {stands.runs_waiting} waiting (`guardhouse runs list`)"
    agents = ", ".join(f"{agent.name} (process {agent.pid})" for agent in stands.agents)
    yield f"guarded now: {agents or 'nobody'}"
    yield f"log: {stands.log}{'' if stands.recorded else ' (not there yet)'}"
    if stands.unreadable_lines:
        yield f"PROBLEM: {_count(stands.unreadable_lines, 'line')} of the log can't be read: `guardhouse audit verify`"
    for problem in stands.problems:
        yield f"PROBLEM: {problem}"


def _mode_line(stands: Standing) -> str:
    where = f" (set in {stands.mode_set_in})" if stands.mode_set_in else ""
    match stands.mode:
        case "observe":
            return f"OBSERVE: everything is recorded, and only what a floor forbids is held back{where}"
        case "disabled":
            return "SWITCHED OFF: nothing is judged, and everything is let through (`enabled: false`)"
        case "unknown":
            return "unknown: the policy can't be read, so every call is denied"
    return f"enforce{where}"


@click.command()
@state_dir_option
def observe(state_dir: Path | None) -> None:
    """Let everything through but what a floor forbids, and record what would have been stopped.

    For people only. `guardhouse suggest` then says what to allow, and `guardhouse enforce` ends it.
    """
    _switch("observe", state_dir)


@click.command()
@state_dir_option
def enforce(state_dir: Path | None) -> None:
    """Hold back what the policy says, from the next call on. Ends what `guardhouse observe` began."""
    _switch("enforce", state_dir)


def _switch(mode: Mode, state_dir: Path | None) -> None:
    from guardhouse.config import find_sources
    from guardhouse.observing import switch_mode

    sources = find_sources(state_dir=state_dir)
    chosen = switch_mode(sources, mode)
    where = f" (set in {chosen.where})" if chosen.where else ""
    if mode == "observe":
        _print(f"Observing{where}: everything is recorded, and only what a floor forbids is held back.")
        _print("Next: `guardhouse suggest` after some work, then `guardhouse enforce`.")
    else:
        _print(f"Enforcing{where}: what the policy says is held back.")
    here = sources.load().config.mode
    if here != mode:
        _print(f"In this directory the project's own file says `mode: {here}`, and that counts here.")


def _moment(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    import time

    from guardhouse.audit import moment

    return moment(text, time.time())


@click.command()
@click.option(
    "--since", callback=_moment, default="7d", show_default=True, metavar="WHEN", help="What was seen from then on."
)
@click.option("--write", "writes", is_flag=True, help="Ask about each one (or only the NUMBERS given), and allow it.")
@click.argument("numbers", nargs=-1, type=click.IntRange(min=1))
@config_option
@state_dir_option
@json_option
def suggest(
    since: str,
    numbers: tuple[int, ...],
    config_file: Path | None,
    state_dir: Path | None,
    *,
    writes: bool,
    as_json: bool,
) -> None:
    """Suggest what to allow, from what was stopped or would have been.

    Each suggestion is the narrowest allowance that lets the same pass; what is broader is offered as such. Nothing is
    allowed without a yes at a terminal.
    """
    from guardhouse.config import find_sources

    if numbers and not writes:
        raise click.UsageError("NUMBERS go with --write, as in: guardhouse suggest --write 1 3")
    if writes and as_json:
        raise click.UsageError("--write asks a person, and --json is for machines.")
    sources = find_sources(config_file=config_file, state_dir=state_dir)
    if writes:
        _require_person(sources)
    found, unreadable = _suggestions(sources, since)
    if as_json:
        _print_json(found)
    elif writes:
        _write(sources, found.suggestions, numbers)
    else:
        for line in _suggestion_lines(found, since):
            _print(line)
    if unreadable:
        _print(f"guardhouse: {_count(unreadable, 'line')} can't be read; see `guardhouse audit verify`.", err=True)


def _suggestions(sources: Sources, since: str) -> tuple[Suggestions, int]:
    from guardhouse.audit import Query, Unreadable, events
    from guardhouse.observing import allowed_by, suggest, unfit_place

    unreadable = Unreadable()
    seen = events(sources.locations.state / "audit", Query(since=since), unreadable=unreadable)
    policy = sources.load(project=False)
    unfit = unfit_place(policy.settings.surroundings, sources.variables.get("PATH", ""))
    found = suggest((entry.event for entry in seen), allowed_by(policy), unfit)
    return found, unreadable.lines


def _suggestion_lines(found: Suggestions, since: str) -> Iterator[str]:
    yield f"since {since[:16]}Z: {_count(found.calls, 'call')}, {found.stopped} of them stopped, or would have been"
    if not found.stopped:
        yield "Nothing to suggest."
        return
    numbered = list(enumerate(found.suggestions, start=1))
    plain = [(number, one) for number, one in numbered if not one.question]
    asking = [(number, one) for number, one in numbered if one.question]
    if plain:
        yield "You could allow, if you want the same to pass from now on:"
        for number, one in plain[:_MOST_PRINTED]:
            yield from _lines_of(number, one)
    if asking:
        yield "You would have to say what these tools can do:"
        for number, one in asking[:_MOST_PRINTED]:
            yield from _lines_of(number, one)
    more = max(0, len(plain) - _MOST_PRINTED) + max(0, len(asking) - _MOST_PRINTED)
    if more:
        yield f"… and {more} more (--json prints all)"
    if found.kept:
        yield "These will keep being asked about, or blocked:"
        for kept in found.kept[:_MOST_PRINTED]:
            yield from _kept_lines(kept)
    if len(found.kept) > _MOST_PRINTED:
        yield f"… and {len(found.kept) - _MOST_PRINTED} more (--json prints all)"
    if found.left_out:
        yield f"{_count(found.left_out, 'call')} more were too different from each other to be counted."
    if plain:
        yield "To go through them one by one: guardhouse suggest --write"


def _lines_of(number: int, one: Suggestion) -> Iterator[str]:
    yield f"{number:>3}. {one.command}"
    told = [_count(one.seen, "time"), f"in {_count(one.sessions, 'session')}", f"last {one.last[:16]}Z"]
    if one.approved:
        told.append(f"approved {_count(one.approved, 'time')}")
    yield f"       {', '.join(told)}; waives {', '.join(one.codes)}"
    if one.instead_of:
        yield f"       instead of {', '.join(one.instead_of)}"
    for note in one.notes:
        yield f"       ! {note}"
    if one.question:
        yield f"       ? {one.question}"


def _kept_lines(kept: Kept) -> Iterator[str]:
    example = kept.example if len(kept.example) <= _LONGEST_EXAMPLE else f"{kept.example[:_LONGEST_EXAMPLE]}…"
    yield f"  -  {_count(kept.seen, 'time')}, last {kept.last[:16]}Z: {', '.join(kept.codes)}. {kept.why}"
    yield f"       {example} (guardhouse why {kept.event_id})"


def _write(sources: Sources, suggestions: tuple[Suggestion, ...], numbers: tuple[int, ...]) -> None:
    """Put each to the person, and allow what they say yes to."""
    from guardhouse.model import GuardhouseError
    from guardhouse.observing import give

    unknown = [number for number in numbers if number > len(suggestions)]
    if unknown:
        raise GuardhouseError(f"There is no suggestion {unknown[0]}.", fix="`guardhouse suggest` lists them.")
    asked = 0
    for number, one in enumerate(suggestions, start=1):
        if numbers and number not in numbers:
            continue
        # What is broader than what was seen is put to somebody only if they picked it.
        if one.question or (one.instead_of and not numbers):
            if numbers:
                _print(f"{number}. can't be written as it is: {one.question} {one.command}")
            continue
        asked += 1
        for line in _lines_of(number, one):
            _print(line)
        if click.confirm("Allow it?", default=False):
            given = give(sources, one.kind, one.entry)
            _print(f"Allowed: {one.kind} {one.entry} (revision {given.revision})")
    if not asked:
        _print("Nothing to allow.")


def _require_person(sources: Sources) -> None:
    """NoTerminal (exit status 2) where nobody sits who may say yes."""
    import os

    from guardhouse.approvals import NoTerminal, require_terminal

    if not sys.stdin.isatty():
        raise NoTerminal(
            "There is no terminal here to ask at.", fix="Run the commands that `guardhouse suggest` lists."
        )
    os.close(require_terminal(sources.locations.registries[0]))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _print(text: str, *, err: bool = False) -> None:
    from guardhouse.model import visible

    click.echo(visible(text), err=err)


def _print_json(value: Any) -> None:
    """On one line, in ASCII: a terminal may read it, too."""
    import json

    import msgspec

    click.echo(json.dumps(msgspec.to_builtins(value)).replace("\x7f", "\\u007f"))
