"""`check`: judging actions, without doing anything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import config_option, read_stdin, state_dir_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from guardhouse.guard import Guard, Resolver
    from guardhouse.model import Verdict

_EXIT: Final = {"allow": 0, "allow_with_redaction": 10, "require_approval": 20, "deny": 30}
_BAD_INPUT: Final = 2


@click.command()
@config_option
@state_dir_option
@click.option("--jsonl", is_flag=True, help="Read one action a line, print one verdict a line.")
@click.option("--resolve", is_flag=True, help="Look host names up; otherwise no network is used.")
@click.option("--findings", is_flag=True, help="Print everything that was seen, too.")
def check(config_file: Path | None, state_dir: Path | None, *, jsonl: bool, resolve: bool, findings: bool) -> None:
    """Judge an action, given as JSON on standard input, and print the verdict as JSON.

    Exit status: 0 allow, 10 allow with redaction, 20 needs approval, 30 deny, 2 bad input (with --jsonl: the worst).
    Nothing is run, no approval is opened, and without --resolve nothing is looked up.
    """
    from guardhouse.opening import open_judge

    guard = open_judge(config_file=config_file, state_dir=state_dir, resolver=_resolver(resolve=resolve))
    limit = guard.limits.max_bytes
    inputs = _lines(limit) if jsonl else iter([read_stdin(limit)])
    if sys.stdout is None:  # closed: a verdict that nobody can read is none
        sys.exit(_BAD_INPUT)
    statuses = {_check_one(guard, data, findings=findings) for data in inputs}
    sys.exit(_BAD_INPUT if not statuses or _BAD_INPUT in statuses else max(statuses))


def _lines(limit: int) -> Iterator[bytes]:
    """The lines of standard input that hold anything. One over the limit is passed on cut, which says that it was."""
    while line := sys.stdin.buffer.readline(limit + 2):
        rest = line
        while not rest.endswith(b"\n") and rest:
            rest = sys.stdin.buffer.readline(limit + 2)
        if line.strip():
            yield line


def _check_one(guard: Guard, data: bytes, *, findings: bool) -> int:
    """Print the verdict on one action; the exit status it stands for."""
    verdict, understood = guard.evaluate_json(data)
    click.echo(_verdict_line(verdict, findings=findings))
    return _EXIT[verdict.decision.value] if understood else _BAD_INPUT


def _verdict_line(verdict: Verdict, *, findings: bool) -> str:
    import msgspec

    wire: dict[str, Any] = msgspec.to_builtins(verdict)
    if not findings:
        wire.pop("findings", None)
    if verdict.wrapped is not None:
        wire["wrapped"] = verdict.wrapped.text
    wire["message"] = verdict.for_person
    wire["agent_message"] = verdict.for_agent
    return msgspec.json.encode(wire).decode()


def _resolver(*, resolve: bool) -> Resolver:
    from guardhouse.egress import SkippedLookup, SystemResolver

    return SystemResolver() if resolve else SkippedLookup()
