"""Takes runs up by itself, in the event loop of the process that it works for.

A run that waits is a few rows in the database, and nothing here: no task, no thread, no timer. Whoever hears of changes
there says so (`answered`, `look`); every few seconds all runs are looked at, because a process that was killed tells
nobody. What is taken up, and by whom if several want to, is for the database to say.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError
from guardhouse.runs.interface import FINAL, NotTaken, Overtaken, RunStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.runs.interface import Place, Run
    from guardhouse.runs.runs import Runs

_PLACES: Final[tuple[Place, ...]] = ("daemon",)
_ALL_EVERY: Final = 5.0
"""Seconds after which all runs are looked at, not only those that something was heard of."""
SWEPT_EVERY: Final = 3600.0
"""Seconds between two looks for runs that have been kept for long enough."""
_LEFT_ALONE: Final = 30.0
"""Seconds for which a run is left alone that could not be taken up, and not even be paused."""
_RACED: Final = 1.0
"""The same for one that somebody else had by then."""
_MOST_HEARD: Final = 200
"""Answers that are looked at by themselves; if there are more, all runs are looked at."""


class Dispatcher:
    """Works on runs of the daemon, some at a time, the oldest first. `start` and `stop` it in one event loop.

    `runs` gives the runs when they are first needed. `keep` are the seconds after which runs that are over are removed,
    and those that wait are cancelled. `on_segment` hears of each end of the work on a run, with the seconds that lay
    between a person's answer and its taking up, if it was one that waited.
    """

    def __init__(
        self,
        runs: Callable[[], Runs],
        *,
        at_once: Callable[[], int],
        keep: Callable[[], float],
        report: Callable[[str], None],
        on_segment: Callable[[Run, float | None], None] = lambda _run, _waited: None,
        on_sweep: Callable[[], None] = lambda: None,
    ) -> None:
        self._runs = runs
        self._at_once = at_once
        self._keep = keep
        self._report = report
        self._on_segment = on_segment
        self._on_sweep = on_sweep
        self._wanted = asyncio.Event()
        self._heard: dict[str, float | None] = {}
        self._all_at = 0.0
        self._swept_at = 0.0
        self._is_full = False
        self._working: dict[str, asyncio.Task[None]] = {}
        self._left_alone: dict[str, float] = {}
        self._told = ""
        self._looking: asyncio.Task[None] | None = None

    @property
    def working(self) -> int:
        """How many runs are worked on."""
        return len(self._working)

    def start(self) -> None:
        """Begin to take runs up, also those of a process that is gone."""
        self._looking = asyncio.create_task(self._look_on())

    async def stop(self) -> None:
        """Let go of all runs; whoever starts next goes on with them."""
        tasks = [*self._working.values(), *([self._looking] if self._looking is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def look(self) -> None:
        """Something was changed: there may be a run that is ready."""
        self._wanted.set()

    def answered(self, requests: Mapping[str, float | None]) -> None:
        """Requests for approval wait no more, each with when a person answered it: a run may have waited for one."""
        self._heard.update(requests)
        self._wanted.set()

    async def run_one(self, run_id: str, answered_at: float | None = None) -> None:
        """Work on a run until it waits or is over; `answered_at` says when the answer came that it waited for. That it
        can't be had is no error; what else fails is told, and the run is paused."""
        begun = time.time()
        try:
            run = await self.take_up(run_id)
        except (NotTaken, Overtaken):
            self._leave_alone(run_id, _RACED)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and other runs go on
            self._leave_alone(run_id, _LEFT_ALONE)
            what = str(error) if isinstance(error, GuardhouseError) else type(error).__name__
            self._report(f"The run {run_id} could not be worked on: {what}")
        else:
            self._on_segment(run, None if answered_at is None else max(0.0, begun - answered_at))
            if run.status in FINAL and run.parent_id is not None:
                self._all_at = 0.0  # the run that it is inside of may go on

    async def take_up(self, run_id: str) -> Run:
        """Work on a run until it waits or is over. Raises as `Runs.take_up` does."""
        runs = await asyncio.to_thread(self._prepared)
        return await runs.take_up(run_id, resumes=False, when_stopped=RunStatus.READY)

    def _prepared(self) -> Runs:
        """The runs, with the library of models loaded: that takes a second, in which others must be served."""
        runs = self._runs()
        with suppress(ImportError):  # then there is no model, and it is said what to install
            import_module("pydantic_ai.models.openai")
            import_module("guardhouse.runs.conversing")
        return runs

    async def _look_on(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ALL_EVERY):  # `wait_for` may lose that it was cancelled
                    await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._look_once()
                self._told = ""
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told and tried again
                what = str(error) if isinstance(error, GuardhouseError) else type(error).__name__
                if what != self._told:  # once for each problem, not for each try
                    self._told = what
                    self._report(f"Runs can't be looked at: {what}")
                await asyncio.sleep(_RACED)

    async def _look_once(self) -> None:
        now = time.monotonic()
        if now - self._swept_at >= SWEPT_EVERY or not self._swept_at:
            self._swept_at = now
            await asyncio.to_thread(self.sweep)
        at_once = self._at_once()
        self._is_full = len(self._working) >= at_once
        if self._is_full:
            return  # what was heard is kept until there is room
        heard, self._heard = self._heard, {}
        everything = now - self._all_at >= _ALL_EVERY or len(heard) > _MOST_HEARD
        if everything:
            self._all_at = now
        self._left_alone = {run_id: until for run_id, until in self._left_alone.items() if until > now}
        skipped = len(self._working) + len(self._left_alone)
        answered = None if everything else tuple(heard)
        found = await asyncio.to_thread(
            lambda: self._runs().to_take_up(_PLACES, limit=at_once + skipped, answered=answered)
        )
        for run_id, request_id in found.items():
            if run_id in self._working or run_id in self._left_alone:
                continue
            if len(self._working) >= at_once:
                self._is_full = True
                self._heard.update(heard)
                self._all_at = 0.0 if everything else self._all_at
                break
            task = asyncio.create_task(self.run_one(run_id, heard.get(request_id)))
            self._working[run_id] = task
            task.add_done_callback(partial(self._ended, run_id))

    def _ended(self, run_id: str, _task: asyncio.Task[None]) -> None:
        self._working.pop(run_id, None)
        if self._is_full or not self._all_at:
            self._wanted.set()

    def _leave_alone(self, run_id: str, seconds: float) -> None:
        self._left_alone[run_id] = time.monotonic() + seconds

    def sweep(self) -> None:
        """Cancel and remove runs that have been kept for long enough; in a thread."""
        self._runs().sweep(self._keep())
        self._on_sweep()
