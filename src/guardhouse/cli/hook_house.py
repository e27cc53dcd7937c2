"""What stands behind `guardhouse hook`: a guard for the agent's project, and where odd fields are noted."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guardhouse.adapters.hooks.host import host_process
from guardhouse.config import find_locations, pinned_variables
from guardhouse.opening import open_for_agent

if TYPE_CHECKING:
    from guardhouse.adapters.hooks.interface import Agent, HookEvent
    from guardhouse.cli.hooking import Options
    from guardhouse.opening import LocalGuard


class HookHouse:
    """The real parts of this machine."""

    def __init__(self, options: Options, caller: int) -> None:
        """`caller` is the process that called the hook."""
        self._options = options
        self._config_file = Path(options.config) if options.config is not None else None
        self._state_dir = Path(options.state_dir) if options.state_dir is not None else None
        self._variables = pinned_variables(options.home, options.config_home, options.key_dir)
        self._caller = caller

    def open(self, agent: Agent, event: HookEvent, *, holds_questions: bool) -> LocalGuard:
        """See House."""
        return open_for_agent(
            agent.name,
            project=Path(agent.project(event)),
            agent_pid=host_process(self._caller, agent.programs),
            holds_questions=holds_questions,
            config_file=self._config_file,
            state_dir=self._state_dir,
            variables=self._variables,
        )

    def can_confine(self) -> bool:
        """See House. Whether it really works is found out where a command runs; then it runs there or not at all."""
        from guardhouse.sandbox.errors import NoSandbox  # only where a policy wants it
        from guardhouse.sandbox.needs import find_bubblewrap

        try:
            find_bubblewrap()
        except NoSandbox:
            return False
        return True

    def confined(self, agent: Agent, event: HookEvent, command: str) -> str:
        """See House."""
        from shlex import quote

        return self._entrance(agent, event) + quote(command)

    def unconfined(self, agent: Agent, event: HookEvent, command: str) -> str | None:
        """See House. Only what `confined` has made is taken for it."""
        if " guardhouse sandbox " not in command:
            return None
        from shlex import quote, split

        entrance = self._entrance(agent, event)
        if not command.startswith(entrance):
            return None
        try:
            words = split(command[len(entrance) :])
        except ValueError:
            return None
        return words[0] if len(words) == 1 and command == entrance + quote(words[0]) else None

    def _entrance(self, agent: Agent, event: HookEvent) -> str:
        """What stands before a command in the sandbox."""
        from shlex import quote

        options = self._options
        given = {
            "--home": options.home,
            "--config-home": options.config_home,
            "--key-dir": options.key_dir,
            "--config": options.config,
            "--state-dir": options.state_dir,
            "--workspace": agent.project(event),
            "--session": event.session_id,
            "--told-by": agent.name,
        }
        words = [sys.executable, "-I", "-m", "guardhouse", "sandbox"]
        words += [word for name, value in given.items() if value is not None for word in (name, value)]
        return " ".join(map(quote, [*words, "--", "bash", "-c"])) + " "

    def has_hooks(self, agent: str, cwd: str, root: str | None) -> bool:
        """See House."""
        from guardhouse.installing.agents import AGENTS  # only where one agent runs the hooks of another
        from guardhouse.installing.hook_files import holds_hooks

        locations = find_locations(self._variables, state_dir=self._state_dir)
        # The agent's own variables are its own business: they move its settings, and nothing of ours.
        project = None if root is None else Path(root)
        return holds_hooks(AGENTS[agent], locations, os.environ, Path(cwd or "/"), project)

    def note_passed(self, agent: Agent, call: str) -> None:
        """See House."""
        from guardhouse.adapters.hooks.repeats import note  # for the few calls that a person has let through

        note(self._state(), agent.name, call)

    def was_passed(self, agent: Agent, call: str) -> bool:
        """See House."""
        from guardhouse.adapters.hooks.repeats import take  # as above

        return take(self._state(), agent.name, call)

    def note_unknown(self, agent: Agent, event: HookEvent, names: list[str]) -> None:
        """See House."""
        from guardhouse.adapters.hooks.strangers import count_unknown

        count_unknown(self._state(), agent.name, event.name, names)

    def _state(self) -> Path:
        return find_locations(self._variables, state_dir=self._state_dir).state
