"""`guardhouse sandbox --check`, `--show` and `--no-sandbox`: how it stands with the sandbox, and going without it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from guardhouse.config import find_sources, pinned_variables
from guardhouse.model import GuardhouseError, visible
from guardhouse.sandbox import NoSandbox, standing, view_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.config import Sources
    from guardhouse.sandbox import View

_NOT_STARTED: Final = 125
_KINDS: Final = {
    "read": "to read",
    "write": "to write",
    "empty": "empty, of its own",
    "link": "a link",
    "no_file": "hidden",
    "no_directory": "hidden, empty",
}


def run(command: list[str], values: Mapping[str, str], flags: set[str]) -> int:
    """Do what the flags say; the exit status."""
    try:
        sources = _sources(values)
        if "--no-sandbox" in flags:
            _run_outside(command, sources)
        if "--show" in flags:
            workspace = Path(values.get("--workspace") or Path.cwd())
            _show(view_for(sources, workspace, read_only="--read-only" in flags), as_json="--json" in flags)
            return 0
        return _check(as_json="--json" in flags)
    except GuardhouseError as error:
        print(f"guardhouse: {visible(str(error))}", file=sys.stderr)
        return _NOT_STARTED


def _sources(values: Mapping[str, str]) -> Sources:
    config, state = values.get("--config"), values.get("--state-dir")
    return find_sources(
        config_file=Path(config) if config is not None else None,
        state_dir=Path(state) if state is not None else None,
        variables=pinned_variables(values.get("--home"), values.get("--config-home"), values.get("--key-dir")),
    )


def _check(*, as_json: bool) -> int:
    """Say whether a command could run in the sandbox here."""
    problem: NoSandbox | None = None
    told: dict[str, Any] = {}
    try:
        told = standing()
    except NoSandbox as error:
        problem = error
    if as_json:
        print(json.dumps({"works": problem is None, **told, **({"problem": str(problem)} if problem else {})}))
    elif problem is None:
        print(f"The sandbox works here: {told['program']} {told['version']}, {told['machine']}.")
    else:
        print(f"There is no sandbox here. {problem}")
    return 0 if problem is None else 1


def _show(view: View, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"mounts": [mount._asdict() for mount in view.mounts], "cwd": view.cwd}, indent=2))
        return
    for mount in sorted(view.mounts, key=lambda mount: mount.target):
        print(f"{_KINDS[mount.kind]:<18}{visible(mount.target)}")


def _run_outside(command: list[str], sources: Sources) -> NoReturn:
    """Become the command, here, once it is recorded that a person wanted it so."""
    from guardhouse.observing import loosen

    if not command:
        raise GuardhouseError("There is no command to run.", fix="Name it at the end.")
    loosen(sources, f"running a command without the sandbox: {' '.join(command)[:200]}")
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)  # noqa: S606 - this is what it is for
    except OSError as error:
        raise GuardhouseError(f"{visible(command[0])} can't be run: {error.strerror}.") from None
