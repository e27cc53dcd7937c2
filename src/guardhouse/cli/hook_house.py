"""What stands behind `guardhouse hook`: a guard for the agent's project, and where odd fields are noted."""

from __future__ import annotations

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

    def note_unknown(self, agent: Agent, event: HookEvent, names: list[str]) -> None:
        """See House."""
        from guardhouse.adapters.hooks.strangers import count_unknown

        locations = find_locations(self._variables, state_dir=self._state_dir)
        count_unknown(locations.state, agent.name, event.name, names)
