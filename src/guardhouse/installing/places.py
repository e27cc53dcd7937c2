"""Where the guard that a hook or the gateway runs has its files: what `install` writes into the command, and what that
comes to.

Their environment is given to them by an agent or a client, which may have it from a repository. So the places are
written out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from guardhouse.config import find_locations, find_sources
from guardhouse.installing.commands import Options

if TYPE_CHECKING:
    from guardhouse.config import Locations, Sources


def pinned_options(locations: Locations, config_file: Path | None) -> Options:
    """What a command is told of the places: always its home and its state directory, the others where they are not the
    usual ones in that home."""
    usual = find_locations({"HOME": str(locations.home)})
    return Options(
        home=str(locations.home),
        config_home=str(locations.user.parent) if locations.user != usual.user else None,
        state_dir=str(locations.state),
        key_dir=str(locations.keys) if locations.keys != usual.keys else None,
        config=str(config_file.absolute()) if config_file is not None else None,
    )


def anybodys_options() -> Options:
    """What a command is told that is the same for every user of a machine: each has their own places, by who they are
    and not by their environment."""
    return Options(home="~")


def sources_of(options: Options, cwd: Path) -> Sources:
    """The configuration that a command with these options would use in a directory."""
    return find_sources(
        config_file=Path(options.config) if options.config is not None else None,
        cwd=cwd,
        state_dir=Path(options.state_dir) if options.state_dir is not None else None,
        variables=options.variables(),
    )
