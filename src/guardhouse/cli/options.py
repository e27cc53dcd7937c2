"""Options that several commands share, and reading standard input within limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="Configuration file to use instead of your own.", dir_okay=False),
]
StateDirOption = Annotated[
    Path | None,
    typer.Option("--state-dir", envvar="GUARDHOUSE_STATE_DIR", help="Where state lives.", file_okay=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def read_stdin(limit: int) -> bytes:
    """Standard input, up to one byte more than `limit`, which tells that it was too much."""
    return sys.stdin.buffer.read(limit + 1)
