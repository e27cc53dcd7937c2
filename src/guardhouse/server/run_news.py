"""Tells those in this process who follow a run that something happened in it, whoever works on it and wherever.

What happened is read by each of them. The thread that follows requests looks for changes of the database; it asks here
only if anybody follows a run.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from guardhouse.runs import Runs


class RunNews:
    """For the event loop that serves. `look` is for any one thread."""

    def __init__(self, runs: Callable[[], Runs]) -> None:
        self._runs = runs
        self._watching: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._latest: int | None = None

    @property
    def listening(self) -> int:
        """How many follow a run."""
        return sum(map(len, self._watching.values()))

    @contextmanager
    def watching(self, run_id: str) -> Generator[RunWatch]:
        """Somebody who follows a run from now on."""
        event = asyncio.Event()
        self._watching[run_id].add(event)
        try:
            yield RunWatch(event)
        finally:
            self._watching[run_id].discard(event)
            if not self._watching[run_id]:
                del self._watching[run_id]

    def look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Something was changed. What was told while nobody followed is passed over."""
        if not self._watching:
            self._latest = None
            return
        if self._latest is None:
            self._latest = self._runs().latest_telling()
            loop.call_soon_threadsafe(self._wake, None)  # what came in between is not missed
            return
        told = self._runs().told_of(self._latest)
        if told:
            self._latest = max(told.values())
            loop.call_soon_threadsafe(self._wake, tuple(told))

    def close(self) -> None:
        """Wake everybody: there will be no more."""
        self._wake(None)

    def _wake(self, run_ids: tuple[str, ...] | None) -> None:
        for run_id in tuple(self._watching) if run_ids is None else run_ids:
            for event in self._watching.get(run_id, ()):
                event.set()


class RunWatch:
    """One who follows a run."""

    def __init__(self, event: asyncio.Event) -> None:
        self._event = event

    async def news(self, seconds: float) -> bool:
        """Whether something may have happened since this was last asked, within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        is_new = self._event.is_set()
        self._event.clear()
        return is_new
