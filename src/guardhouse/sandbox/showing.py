"""How it stands with the sandbox on this machine, and what would be seen in one; for people. Nothing is run inside."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any

from guardhouse.sandbox.launching import interpreter_places
from guardhouse.sandbox.linking import Names
from guardhouse.sandbox.looking import Looker
from guardhouse.sandbox.needs import check_bubblewrap, find_bubblewrap
from guardhouse.sandbox.view import View, Wanted, view_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from guardhouse.config import Sources
    from guardhouse.policy import Policy


def standing() -> dict[str, Any]:
    """What there is, once it was tried. NoSandbox if it does not work."""
    program = find_bubblewrap()
    version = check_bubblewrap(program)
    return {"program": program, "version": ".".join(map(str, version)), "machine": platform.machine()}


def view_for(sources: Sources, workspace: Path, *, read_only: bool = False) -> View:
    """What a command in a workspace would see."""
    place = str(workspace.absolute())
    return view_of(wanted_for(sources.load(), place, place, scratch="", read_only=read_only), Looker(), Names())


def wanted_for(
    policy: Policy,
    workspace: str,
    cwd: str,
    *,
    scratch: str,
    read_only: bool,
    held: frozenset[str] = frozenset(),
    watched: frozenset[str] = frozenset(),
    git_settings: str = "",
    keep: Callable[[bytes], str] = lambda _content: "",
) -> Wanted:
    """What a policy says of the view of a workspace."""
    section, around = policy.config.sandbox, policy.settings.surroundings
    home = around.homes[0]

    def places(named: tuple[str, ...]) -> tuple[str, ...]:
        written = (home + one[1:] if one == "~" or one.startswith("~/") else one for one in named)
        return tuple(one for one in written if os.path.exists(one))

    return Wanted(
        workspace=workspace,
        cwd=cwd,
        home=home,
        scratch=scratch,
        read_only=read_only or section.workspace == "read",
        readable=places(section.readable),
        writable=places((*section.writable, *policy.settings.allowed_directories)),
        hidden=policy.settings.sensitive_paths,
        shown=places(section.shown),
        own=around.own,
        held=held,
        watched=watched,
        git_settings=git_settings,
        secrets=policy.redactor.scanner.scan,
        keep=keep,
        interpreter=interpreter_places(),
    )
