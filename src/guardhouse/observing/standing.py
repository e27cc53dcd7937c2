"""How the gate stands on this machine: what it did today, in which mode, who waits, and who is guarded.

Made to be asked often, so only the log of today is read. What can't be told is said to be so, and the rest is told.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import msgspec

from guardhouse.approvals import Agent, count_waiting, guarded_ancestor
from guardhouse.audit import Calls, Query, Unreadable, count_calls, events
from guardhouse.config import chosen_mode, get_mode
from guardhouse.model import GuardhouseError
from guardhouse.pins import PinStore
from guardhouse.recording import utc
from guardhouse.runs import count_runs
from guardhouse.sessions import check_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from guardhouse.config import Sources

_Told = TypeVar("_Told")
_MOST_AGENTS: Final = 100
_WAITING_RUNS: Final = ("ready", "waiting", "paused")


class GuardedAgent(msgspec.Struct, frozen=True):
    """A process that is guarded now."""

    name: str
    pid: int


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How it stands. What could not be told has its default, and a line in `problems`."""

    since: str
    """When today began here, in UTC."""
    today: Calls = Calls()
    recorded: bool = False
    """Whether there is a log at all."""
    unreadable_lines: int = 0
    mode: Literal["enforce", "observe", "disabled", "unknown"] = "unknown"
    mode_set_in: str = ""
    """The file and line, or the variable, that says so; empty if nobody does."""
    observe_without_effect: bool = False
    """Somebody ran `guardhouse observe`, and something else says `enforce`."""
    preset: str = ""
    revision: str = ""
    """Of the policy in force in this directory."""
    pending: int = 0
    """Questions that wait for an answer."""
    runs_waiting: int = 0
    """Runs that wait, for an answer or for somebody who resumes them."""
    agents: tuple[GuardedAgent, ...] = ()
    log: str = ""
    problems: tuple[str, ...] = ()


def standing(sources: Sources, now: float | None = None) -> Standing:
    """How it stands now, in the directory and with the files that `sources` names."""
    now = time.time() if now is None else now
    state = sources.locations.state
    log = state / "audit"
    problems: list[str] = []

    def told(find: Callable[[], _Told], otherwise: _Told) -> _Told:
        try:
            return find()
        except GuardhouseError as error:
            if str(error) not in problems:  # two that look into one damaged store
                problems.append(str(error))
            return otherwise

    since = utc(day_began(now))
    unreadable = Unreadable()
    nobody: tuple[GuardedAgent, ...] = ()
    today = told(lambda: _today(log, since, unreadable), Calls())
    policy = told(lambda: _policy(sources), Standing(since=since))
    pending = told(lambda: count_waiting(state / "approvals.db", sources.locations.database, now) or 0, 0)
    no_runs: dict[str, int] = {}
    runs = told(lambda: count_runs(state / "approvals.db", sources.locations.database), no_runs)
    agents = told(lambda: tuple(_agents(sources.locations.registries[0])), nobody)
    told(lambda: check_index(state / "sessions.db"), otherwise=False)
    told(lambda: bool(PinStore(sources.locations.pins).servers()), otherwise=False)
    return msgspec.structs.replace(
        policy,
        since=since,
        today=today,
        recorded=log.is_dir(),
        unreadable_lines=unreadable.lines,
        pending=pending,
        runs_waiting=sum(runs.get(status, 0) for status in _WAITING_RUNS),
        agents=agents,
        log=str(log),
        problems=tuple(problems),
    )


def day_began(now: float) -> float:
    """The moment at which the day of `now` began where this machine is."""
    local = time.localtime(now)
    return time.mktime((local.tm_year, local.tm_mon, local.tm_mday, 0, 0, 0, 0, 0, -1))


def _today(log: Path, since: str, unreadable: Unreadable) -> Calls:
    wanted = Query(kind="decision", action="ToolCallPre", since=since)
    return count_calls(entry.event for entry in events(log, wanted, unreadable=unreadable))


def _policy(sources: Sources) -> Standing:
    """As far as it is about the policy."""
    policy = sources.load()
    mode = policy.config.mode
    chosen = chosen_mode(sources)
    return Standing(
        since="",
        mode=mode if policy.config.enabled else "disabled",
        mode_set_in=chosen.where if chosen.mode == mode else policy.sources.get("mode", ""),
        observe_without_effect=mode == "enforce" and get_mode(sources.locations) == "observe",
        preset=policy.config.preset,
        revision=policy.revision,
    )


def _agents(directory: Path) -> Iterator[GuardedAgent]:
    """The registered agents that still run."""
    if not directory.exists():
        return
    guarded_ancestor(directory)  # which reads the whole registry, and says what is wrong with it
    try:
        files = sorted(file for file in directory.iterdir() if not file.name.startswith("."))
    except OSError as error:
        raise GuardhouseError(f"The registry of agents {directory} can't be read: {error.strerror}.") from None
    for file in files[:_MOST_AGENTS]:
        try:
            agent = msgspec.json.decode(file.read_bytes(), type=Agent)
        except FileNotFoundError:
            continue  # it has just ended
        if _runs(directory, agent):
            yield GuardedAgent(agent.name, agent.pid)


def _runs(directory: Path, agent: Agent) -> bool:
    try:
        os.getpgid(agent.pid)
    except OSError:
        return False
    return guarded_ancestor(directory, agent.pid, itself=True) == agent
