"""The numbered steps that bring a database up to date, each a file of SQL.

A step that was released is never changed, only followed by another; both databases have the same number of steps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

_DIRECTORY: Final = Path(__file__).parent / "migrations"

Kind = Literal["sqlite", "postgres"]


def steps(kind: Kind) -> list[Path]:
    """The files, in order: the first makes version 1."""
    return sorted((_DIRECTORY / kind).glob("[0-9]*.sql"))


def statements(step: Path) -> list[str]:
    """The statements of one step. Each ends with a semicolon at the end of a line, and has none inside."""
    text = "\n".join(line for line in step.read_text().splitlines() if not line.lstrip().startswith("--"))
    return [statement for part in text.split(";\n") if (statement := part.strip().rstrip(";"))]
