"""Where configuration and state live on this machine, and which of these places the agent may not touch."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.detect import OwnPlace, Surroundings
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.detect import OwnSocket

SYSTEM_DIRECTORY: Final = Path("/etc/guardhouse")
PROJECT_NAME: Final = ".guardhouse"
_AGENTS: Final = "agents"


class Locations(msgspec.Struct, frozen=True):
    """The directories of one user on one machine."""

    home: Path
    system: Path
    """The administrator's configuration."""
    user: Path
    """The user's configuration, what they trusted and what they allowed."""
    state: Path
    """Records and approvals. The agent must not even read here."""
    keys: Path
    """Keys, apart from what they protect. The agent must not even read here."""
    database: str | None = None
    """The address of the PostgreSQL database that several nodes share. It may hold a password."""

    def __repr__(self) -> str:
        """Without the address of the database."""
        return f"Locations(user={self.user!s}, state={self.state!s}, keys={self.keys!s})"

    @property
    def registries(self) -> tuple[Path, Path]:
        """Where guarded agents are noted: beside what they could approve, and beside what they could loosen. Whoever
        names another state directory still has the same configuration."""
        return self.state / _AGENTS, self.user / _AGENTS

    @property
    def cache(self) -> Path:
        """What can be made again."""
        return self.state / "cache"

    @property
    def daemons(self) -> Path:
        """Where daemons listen that run on this state."""
        return self.state / "daemons"

    @property
    def pins(self) -> Path:
        """What MCP servers said of their tools."""
        return self.state / "mcp"

    @property
    def scratch(self) -> Path:
        """Where runs of the daemon work that name no directory. Not in the state, which no agent may touch."""
        return self.state.with_name(f"{self.state.name}-work")

    @property
    def trusted(self) -> Path:
        """The project files the user has trusted."""
        return self.user / "trusted.json"

    @property
    def allowed(self) -> Path:
        """What the user added with `guardhouse allow`."""
        return self.user / "allowed.json"

    @property
    def mode(self) -> Path:
        """What the user set with `guardhouse observe`; not there while the policy is enforced."""
        return self.user / "mode.json"


def pinned_variables(home: str | None, config_home: str | None, key_dir: str | None) -> dict[str, str] | None:
    """The environment that counts for somebody who is told these places: it has nothing else. None without a home: then
    a process goes by its own. `~` is the home of whoever runs, whatever their environment says."""
    if home is None:
        return None
    if home == "~":
        from pwd import getpwuid  # for a command that is the same for all users of a machine

        home = getpwuid(os.getuid()).pw_dir
    named = {"HOME": home, "XDG_CONFIG_HOME": config_home, "GUARDHOUSE_KEY_DIR": key_dir}
    return {name: value for name, value in named.items() if value is not None}


def find_locations(variables: Mapping[str, str] | None = None, state_dir: Path | None = None) -> Locations:
    """The usual places, as the environment names them."""
    env = os.environ if variables is None else variables
    home = _absolute(env, "HOME") or Path.home()
    config_home = _absolute(env, "XDG_CONFIG_HOME") or home / ".config"
    state_home = _absolute(env, "XDG_STATE_HOME") or home / ".local" / "state"
    data_home = _absolute(env, "XDG_DATA_HOME") or home / ".local" / "share"
    state = state_dir or (Path(env["GUARDHOUSE_STATE_DIR"]) if env.get("GUARDHOUSE_STATE_DIR") else None)
    return Locations(
        home=home,
        system=SYSTEM_DIRECTORY,
        user=config_home / "guardhouse",
        state=(state or state_home / "guardhouse").absolute(),
        keys=_absolute(env, "GUARDHOUSE_KEY_DIR") or data_home / "guardhouse" / "keys",
        database=env.get("GUARDHOUSE_DATABASE_URL") or None,
    )


def _absolute(env: Mapping[str, str], name: str) -> Path | None:
    """The directory a variable names. A relative one would let whatever directory we stand in be the user's own."""
    value = env.get(name)
    if value and not value.startswith("/"):
        raise GuardhouseError(f"{name} is not an absolute path.", fix="Start it with `/`, or unset it.")
    return Path(value) if value else None


def surroundings(
    locations: Locations, cwd: Path, config_file: Path | None = None, *, is_project: bool = False
) -> Surroundings:
    """What detectors must know of this machine. Each place is listed as it is named and as it really is."""
    program = Path(__file__).resolve().parent.parent
    readable = [locations.user, locations.system, program, *_start(), *_dependencies(), *_agents_elsewhere()]
    readable += [config_file] if config_file else []
    own = [*((path, True) for path in readable), (locations.state, False), (locations.keys, False)]
    return Surroundings(
        homes=_both(locations.home),
        cwd=str(cwd),
        project=str(cwd) if is_project else "",
        repository=_repository(cwd),
        temp=tuple(dict.fromkeys(path for name in ("/tmp", "/var/tmp") for path in _both(Path(name)))),  # noqa: S108
        own=(*(OwnPlace(path, readable) for place, readable in own for path in _both(place)), *_interpreter(cwd)),
        sockets=_sockets(locations),
    )


def _repository(tree: Path) -> tuple[str, ...]:
    if not (tree / ".git").is_file():
        return ()
    from guardhouse.working_trees import linked_tree  # most projects have their own

    found = linked_tree(str(tree))
    return _both(Path(found.common)) if found is not None else ()


def _sockets(locations: Locations) -> tuple[OwnSocket, ...]:
    if _is_absent(locations.daemons):
        return ()
    from guardhouse.config.daemons import noted_sockets  # most machines have no daemon

    return noted_sockets(locations.daemons)


def _is_absent(path: Path) -> bool:
    """Whether there is nothing. What can't be told is for whoever reads it to say."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _start() -> Iterator[Path]:
    """What starts the guard, and what Python runs before it: whoever changes one of these is the guard."""
    prefix = Path(sys.prefix)
    yield prefix / "bin" / "guardhouse"
    yield prefix / "pyvenv.cfg"
    for name in ("sitecustomize.py", "usercustomize.py", "_distutils_hack"):
        yield _packages() / name


def _packages() -> Path:
    return Path(sys.prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _interpreter(cwd: Path) -> Iterator[OwnPlace]:
    """What runs the guard and may run other things too: it may be used, and not changed.

    An environment of the guard's own is wholly its own. One that a project has for itself is filled by the work there,
    so of that only what the guard is made of counts, and what Python runs at every start. The interpreter that an
    environment was made from is the system's, and is left to the rules for system files.
    """
    if sys.executable:
        yield OwnPlace(os.path.normpath(sys.executable), readable=True, usable=True)
    for packages in _both(_packages()):
        yield OwnPlace(packages, readable=True, usable=True, ending=".pth")
    around = Path(sys.prefix).resolve().parent
    if sys.prefix != sys.base_prefix and not cwd.resolve().is_relative_to(around):
        yield from (OwnPlace(path, readable=True, usable=True) for path in _both(Path(sys.prefix)))


_SETTINGS: Final = (
    ("CLAUDE_CONFIG_DIR", ("settings.json", "settings.local.json")),
    ("CODEX_HOME", ("hooks.json", "config.toml")),
    ("COPILOT_HOME", ("hooks", "settings.json", "config.json")),
    ("HERMES_HOME", ("config.yaml", "shell-hooks-allowlist.json")),
)


def _agents_elsewhere() -> Iterator[Path]:
    """The settings that decide whether an agent calls its hooks, where a variable says that they are not in their
    usual place."""
    for variable, names in _SETTINGS:
        directory = os.environ.get(variable, "")
        if directory.startswith("/"):
            yield from (Path(directory) / name for name in names)


_DEPENDENCIES: Final = tuple("ada_url _cffi_backend cel cffi click msgspec nacl psutil re2 yaml _yaml".split())


def _dependencies() -> Iterator[Path]:
    """The packages the guard is made of: a line in one of them is a line in the guard."""
    for name in _DEPENDENCIES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin)
            yield origin.parent if spec.submodule_search_locations else origin


def _both(path: Path) -> tuple[str, ...]:
    absolute = path.absolute()
    return tuple(dict.fromkeys((os.path.normpath(absolute), os.path.realpath(absolute))))
