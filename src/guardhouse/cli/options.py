"""Options that several commands share, reading standard input within limits, and asking whoever is at the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Configuration file to use instead of your own.",
)
state_dir_option = click.option(
    "--state-dir",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="GUARDHOUSE_STATE_DIR",
    show_envvar=True,
    help="Where state lives.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")


def confirmed(question: str, *, yes: bool, for_machines: bool = False) -> bool:
    """Whether the person at the terminal says yes. GuardhouseError if there is none, unless `--yes` has said it: what
    nobody has looked at is not done."""
    from guardhouse.model import GuardhouseError

    if yes:
        return True
    if for_machines or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise GuardhouseError("There is nobody to ask, so nothing was changed.", fix="Say --yes if you mean it.")
    return click.confirm(question)


def read_stdin(limit: int) -> bytes:
    """Standard input, up to one byte more than `limit`, which tells that it was too much."""
    return sys.stdin.buffer.read(limit + 1)


def printable(text: str) -> str:
    """An error's text without secrets and without what a terminal would obey: it may quote a file that came with a
    repository."""
    from guardhouse.detect.secrets import SecretScanner
    from guardhouse.model import visible
    from guardhouse.redact import Redactor

    return "\n".join(map(visible, Redactor(SecretScanner()).text(text).split("\n")))
