"""Everything that `doctor` looks at, in the order it is told. It mends nothing, and no single failure ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.installing.agent_checks import agent_checks, is_present
from guardhouse.installing.agents import AGENTS, Agent
from guardhouse.installing.checks import Check, unknown
from guardhouse.installing.house_checks import house_checks
from guardhouse.installing.machine import GUARDHOUSE
from guardhouse.installing.mcp_checks import mcp_checks
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.installing.machine import Machine


def examine(machine: Machine, names: tuple[str, ...] = ()) -> Iterator[Check]:
    """What is to be said of the guard, of the agents named (or every one there is a sign of), and of MCP servers."""
    yield from _safely(GUARDHOUSE, lambda: house_checks(machine))
    agents = [AGENTS[name] for name in names] if names else [*_present(machine)]
    for agent in agents:
        yield from _safely(agent.name, lambda agent=agent: agent_checks(agent, machine))  # type: ignore[misc]
    servers = [*_safely("mcp", lambda: mcp_checks(machine))]
    yield from servers
    if not agents and not servers:
        yield unknown(GUARDHOUSE, "agents", "none was found, so nothing is guarded", "`guardhouse install AGENT`")


def _present(machine: Machine) -> Iterator[Agent]:
    return (agent for agent in AGENTS.values() if is_present(agent, machine))


def _safely(about: str, checks: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """What failed on the way is a line of its own, and never a good one."""
    try:
        yield from checks()
    except GuardhouseError as error:
        yield unknown(about, "doctor", error.what, error.fix)
    except OSError as error:
        yield unknown(about, "doctor", f"could not go on: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - what nobody has thought of is told like the rest
        yield unknown(about, "doctor", f"failed inside ({type(error).__name__})", "Please report it.")
