"""What `doctor` looks at: one user's directories, the working directory, the environment, and what was installed."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from guardhouse.config import Locations, find_locations
from guardhouse.installing.mcp_servers import claims
from guardhouse.installing.records import Record, Records
from guardhouse.installing.settings_text import settings_text
from guardhouse.installing.target_file import look
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

GUARDHOUSE: Final = "guardhouse"


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where everything is."""

    locations: Locations
    cwd: Path
    variables: Mapping[str, str]
    config_file: Path | None = None
    state_dir: Path | None = None
    """If it was named; `locations` has it anyway."""
    records: tuple[Record, ...] = ()
    records_problem: str = ""

    @property
    def home(self) -> Path:
        """The user's home directory."""
        return self.locations.home


def this_machine(config_file: Path | None, state_dir: Path | None) -> Machine:
    """The machine, user and directory of this process."""
    locations, problem = find_locations(state_dir=state_dir), ""
    records: tuple[Record, ...] = ()
    try:
        records = tuple(Records(locations).all())
    except GuardhouseError as error:
        problem = str(error)
    return Machine(
        locations=locations,
        cwd=Path.cwd(),
        variables=dict(os.environ),
        config_file=config_file,
        state_dir=state_dir,
        records=records,
        records_problem=problem,
    )


def claimed_names(records: Iterable[Record], but: Path) -> dict[str, tuple[str, ...]]:
    """The names of MCP servers in every list that was rewritten, but one, with what they stand for."""
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        if record.kind != "mcp" or record.real == os.path.realpath(but):
            continue
        value = read_settings(Path(record.path)).value
        try:
            found |= claims(value) if value is not None else {}
        except GuardhouseError:
            continue  # no list of servers any more: it has no names
    return found


class Settings(NamedTuple):
    """A settings file that was looked at."""

    path: Path
    value: dict[str, Any] | None
    """None if there is none, or it can't be read."""
    problem: str = ""


def read_settings(path: Path) -> Settings:
    """The JSON or TOML object in a file of an agent's."""
    try:
        content = look(path).content
        if content is None:
            return Settings(path, None)
        text = content.decode("utf-8")
        value = tomllib.loads(text) if path.suffix == ".toml" else settings_text(path, text).value
    except GuardhouseError as error:
        return Settings(path, None, error.what)
    except (ValueError, RecursionError) as error:
        what = "it is not TOML" if isinstance(error, tomllib.TOMLDecodeError) else "it is not UTF-8, or nested too deep"
        return Settings(path, None, what)
    if not isinstance(value, dict):
        return Settings(path, None, "it is not an object")
    return Settings(path, value)
