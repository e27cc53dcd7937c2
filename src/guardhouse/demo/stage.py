"""Puts the hijacked agent on: without the gate, then with it, and checks what the gate was worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from guardhouse.adapters import Completed, Outcome, Pending
from guardhouse.approvals import NoTerminal
from guardhouse.config import Locations, Sources
from guardhouse.demo.agent import Call, Step, Tools, hijacked
from guardhouse.demo.world import World
from guardhouse.egress import SkippedLookup
from guardhouse.model import ApprovalStatus
from guardhouse.opening import LocalGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from guardhouse.audit import Verification

_TOOLS: Final = ("web_fetch", "read_file", "http_post", "delete_directory")


@dataclass(frozen=True, slots=True)
class Ending:
    """How it came out with the gate."""

    stolen: bool
    destroyed: bool
    wanted: bool
    """Whether the person at the terminal approved that."""
    record: Verification
    tampered: Verification
    """The same record with one byte changed, in a copy."""

    @property
    def held(self) -> bool:
        """Whether the gate did what it is there for: nothing happened that nobody wanted, and the record holds."""
        unwanted = self.stolen or (self.destroyed and not self.wanted)
        return not unwanted and self.record.ok and not self.tampered.ok


class Stage:
    """The demo in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.world = World(directory / "unguarded")
        self._wanted = False

    def without_gate(self) -> Iterator[Call | Step]:
        """Each call of the agent's, and what it did."""
        yield from hijacked({name: getattr(self.world, name) for name in _TOOLS})

    def with_gate(self, *, ask: bool) -> Iterator[Call | Step]:
        """The same agent in the same world, behind the gate. With `ask`, questions go to the person at the terminal,
        if there is one."""
        self.world = World(self._directory / "guarded")
        with _guard_of(self.world) as guard:
            for step in hijacked(_guarded(guard, self.world, ask=ask)):
                if isinstance(step, Step) and step.call.tool == "delete_directory":
                    self._wanted = (
                        isinstance(step.result, Completed)
                        and step.result.call.approval_status is ApprovalStatus.CONSUMED
                    )
                yield step

    def ending(self) -> Ending:
        """What is left, and whether the record holds."""
        import shutil

        from guardhouse.audit import verify

        log = self.world.state / "audit"
        record = verify(log)
        copy = self._directory / "copy"
        shutil.copytree(log, copy)
        file = next(path for path in sorted(copy.iterdir()) if path.suffix == ".jsonl")
        file.write_bytes(file.read_bytes().replace(b'"deny"', b'"dent"', 1))
        return Ending(self.world.stolen, self.world.destroyed, self._wanted, record, verify(copy))


def _guard_of(world: World) -> LocalGuard:
    locations = Locations(
        home=world.home,
        system=world.home / "etc",
        user=world.home / ".config" / "guardhouse",
        state=world.state,
        keys=world.state.with_name("keys"),
    )
    sources = Sources(locations, cwd=world.project, variables={}, config_file=world.config)
    return LocalGuard(sources, resolver=SkippedLookup())


def _guarded(guard: LocalGuard, world: World, *, ask: bool) -> Tools:
    def behind(name: str) -> Callable[..., Any]:
        guarded = guard.wrap(getattr(world, name), session_id="demo", principal="demo-agent")

        def call(**arguments: str) -> Outcome[Any]:
            outcome: Outcome[Any] = guarded(**arguments)
            if not isinstance(outcome, Pending) or not ask:
                return outcome
            try:
                guard.ask_in_terminal(outcome.approval_request_id)
            except NoTerminal:
                return outcome
            answered: Outcome[Any] = outcome.resume()
            return answered

        return call

    return {name: behind(name) for name in _TOOLS}
