"""Takes a run further in this process: works on it, puts what it asks to the person at the terminal, waits for answers
from elsewhere, and leaves it resumable when it is interrupted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from guardhouse.cli.run_screen import RunScreen
    from guardhouse.model import ApprovalRequest
    from guardhouse.opening import LocalGuard
    from guardhouse.runs import Run, Runs

_POLL: Final = 1.0
_ENDED_HARD: Final = 130


class RunWork(msgspec.Struct, kw_only=True):
    """The work on one run."""

    guard: LocalGuard
    runs: Runs
    run_id: str
    screen: RunScreen
    asks: bool
    """Whether there may be a person at this terminal."""
    waits: bool
    """Whether it is waited for answers, from here or from elsewhere."""
    resumes: bool = False
    """Whether it goes on although somebody paused it."""
    _put: set[str] = msgspec.field(default_factory=set)
    """Requests that were put here and are still open: somebody else has to answer them."""
    _announced: set[str] = msgspec.field(default_factory=set)
    _taken: set[str] = msgspec.field(default_factory=set)

    def carry_on(self) -> Run:
        """Work on it until it is over, paused, or waits for somebody who is not waited for."""
        try:
            return self._carry_on()
        except KeyboardInterrupt:  # while it waits: there is nothing to pause
            self.screen.say()
            return self.runs.get(self.run_id)

    def _carry_on(self) -> Run:
        from guardhouse.runs import FINAL, RunStatus

        while True:
            is_stopped = self._take_up()
            run = self.runs.get(self.run_id)
            if is_stopped or run.status in FINAL:
                return run
            if self._can_go_on():
                continue
            if run.status is not RunStatus.WAITING or self._is_paused_inside() or not self.waits:
                return run
            self._ask()
            self._wait()

    def _take_up(self) -> bool:
        """Work on whichever of the runs can go on, the innermost first; whether that was interrupted."""
        from guardhouse.runs import NotTaken

        for run in self._open_ones():
            self._taken.add(run.id)
            try:
                is_stopped = self._work(run.id)
            except NotTaken:
                continue
            self.screen.pause()
            return is_stopped
        return False

    def _open_ones(self) -> list[Run]:
        """Runs of the family that may be taken up, if nothing they wait for is still to come."""
        from guardhouse.runs import FINAL, RunStatus

        return [
            run
            for run in self.runs.family(self.run_id)
            if run.status not in FINAL
            and (run.status is not RunStatus.PAUSED or (self.resumes and run.id not in self._taken))
        ]

    def _can_go_on(self) -> bool:
        """Whether one of them could be taken up right now."""
        from guardhouse.runs import RunStatus

        places = {run.place for run in self._open_ones()}
        able = set(self.runs.to_take_up(places, limit=1000)) if places else set()
        return any(run.id in able or run.status is RunStatus.PAUSED for run in self._open_ones())

    def _is_paused_inside(self) -> bool:
        from guardhouse.runs import RunStatus

        return any(run.status is RunStatus.PAUSED for run in self.runs.family(self.run_id))

    def _work(self, run_id: str) -> bool:
        """Take a run up until it lets go of itself. The first signal to stop pauses it, the next one ends the process
        as it is; whether there was one."""
        import asyncio
        import signal

        stopped: list[bool] = []

        async def work() -> None:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()

            def stop() -> None:
                if stopped or task is None:
                    os._exit(_ENDED_HARD)
                stopped.append(True)
                task.cancel()
                self.screen.pause()
                self.screen.say("Pausing. Once more, and it ends at once.", "asks")

            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, stop)
            try:
                await self.runs.take_up(run_id)
            except asyncio.CancelledError:
                if not stopped:
                    raise
                self._tell_unfinished()

        asyncio.run(work())
        return bool(stopped)

    def _tell_unfinished(self) -> None:
        """Name the calls that were under way: tools that can't be stopped are still at work."""
        from guardhouse.runs import CallState

        for run in self.runs.family(self.run_id):
            for call in self.runs.calls(run.id):
                if call.state is CallState.BEGUN:
                    self.screen.say(f"  ? {call.tool} was under way: nobody knows whether it took effect.", "bad")

    def _pending(self) -> list[ApprovalRequest]:
        from guardhouse.model import ApprovalStatus

        found = [self.guard.approvals.get(one) for one in self.runs.waits_for(self.run_id)]
        return [one for one in found if one is not None and one.status is ApprovalStatus.PENDING]

    def _ask(self) -> None:
        """Put what the run waits for to the person here."""
        from guardhouse.approvals import NoTerminal
        from guardhouse.model import ApprovalStatus

        for request in self._pending():
            if not self.asks or request.id in self._put:
                continue
            try:
                settled = self.guard.ask_in_terminal(request.id)
            except NoTerminal as error:
                self.screen.say(str(error), "asks")
                self.asks = False
                return
            if settled.status is ApprovalStatus.PENDING:
                self._put.add(request.id)

    def _wait(self) -> None:
        """Wait until nothing is open any more that the run waits for, or somebody has done something to the run."""
        from guardhouse.approvals.card import moment
        from guardhouse.runs import RunStatus

        with self.guard.approvals.watching() as watch:
            if not self._pending() and not self._can_go_on():
                watch.changed(_POLL)  # for a run inside it that another process works on
            while pending := self._pending():
                for request in pending:
                    if request.id not in self._announced:
                        self._announced.add(request.id)
                        self.screen.say(f"Waiting for {request.id}, until {moment(request.expires_at)}:", "asks")
                        self.screen.say(f"  {request.action_summary_redacted}")
                        self.screen.say("  Answer it elsewhere: `guardhouse approvals watch`. Ctrl-C leaves it.")
                if self.runs.get(self.run_id).status is not RunStatus.WAITING:
                    return
                watch.changed(_POLL)
