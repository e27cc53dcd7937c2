"""`doctor`: is the gate there, is it shut, and what is to be mended."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from guardhouse.adapters.hooks.closing import AGENTS
from guardhouse.cli.options import config_option, json_option, printable, state_dir_option

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.installing.checks import Check

_MARKS: Final = {"ok": "ok  ", "warn": "warn", "fail": "FAIL", "unknown": "?   "}
_SUMMARIES: Final = ("Nothing to fix.", "Something is to be fixed.", "Something can't be told.")


@click.command()
@click.argument("agents", nargs=-1, type=click.Choice(AGENTS))
@config_option
@state_dir_option
@json_option
def doctor(agents: tuple[str, ...], config_file: Path | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Look at the guard and at the AGENTS (every one that is found, if none is named), and prove with a call that must
    be denied that the gate is shut.

    Exit status: 0 nothing to fix, 1 something to fix, 2 something that can't be told.
    """
    from guardhouse.installing.checks import overall
    from guardhouse.installing.doctor import examine
    from guardhouse.installing.machine import this_machine

    checks: list[Check] = []
    for check in examine(this_machine(config_file, state_dir), agents):
        checks.append(check)
        if not as_json:
            _print(check)
    status = overall(checks)
    if as_json:
        _print_json(checks, status)
    else:
        click.echo(_SUMMARIES[status])
    sys.exit(status)


def _print(check: Check) -> None:
    click.echo(printable(f"{_MARKS[check.status]}  {check.about}: {check.name}: {check.what}"))
    if check.fix:
        click.echo(printable(f"      {check.fix}"))


def _print_json(checks: list[Check], status: int) -> None:
    import json

    import msgspec

    plain = [{key: printable(value) for key, value in msgspec.to_builtins(check).items()} for check in checks]
    click.echo(json.dumps({"exit_status": status, "checks": plain}, ensure_ascii=False))
