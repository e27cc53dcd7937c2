"""Opens a guard on this machine: the real ports, and the policy that the configuration files make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.config import ReloadingPolicy, find_sources
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.guard import Guard

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.detect import Detector
    from guardhouse.guard import Resolver


def open_guard(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    resolver: Resolver | None = None,
    extra_detectors: tuple[Detector, ...] = (),
) -> Guard:
    """A guard with the configuration of this machine, user and project. PolicyError if that can't be read.

    `config_file` stands in for the user's own file. The policy follows the files as they change.
    """
    sources = find_sources(config_file=config_file, cwd=cwd, state_dir=state_dir, extra_detectors=extra_detectors)
    return Guard(ReloadingPolicy(sources), resolver=resolver or SystemResolver(), files=LocalFiles())
