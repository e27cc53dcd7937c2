"""The directories of runs that name none to work in: made with the run, removed when it is."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from guardhouse.model import GuardhouseError
from guardhouse.runs.interface import NoSuchRun

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.runs.runs import Runs


def make_scratch(directory: Path) -> str:
    """A new directory that nobody else can look into. GuardhouseError if it can't be made."""
    try:
        directory.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise GuardhouseError(
            f"No directory can be made to work in: {error.strerror}.", fix="Name one that is there as the workspace."
        ) from None
    return str(directory)


def tidy_scratch(runs: Runs, scratch: Path) -> None:
    """Remove the directories of runs that were removed."""
    try:
        names = [entry.name for entry in os.scandir(scratch) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    for name in names:
        try:
            runs.get(name)
        except NoSuchRun:
            shutil.rmtree(scratch / name, ignore_errors=True)
