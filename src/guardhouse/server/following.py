"""Follows the requests for approval, for everybody in this process who waits for one or listens to all of them.

One thread watches the store, whoever changes it and on whatever node; those who wait cost a future each. What is due
expires here too, so that nobody waits for an answer that can't come any more.
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from guardhouse.approvals import Outline
from guardhouse.model import ApprovalStatus, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.approvals import Approver, Changes
    from guardhouse.model import ApprovalRequest

Numbered = tuple[int, Outline]

_TICK: Final = 1.0
"""Seconds after which is looked for what is due, whether anything changed or not."""
_AT_ONCE: Final = 200
_MOST_UNREAD: Final = 1000
"""Changes that somebody who listens may be behind; one who is further behind is sent away, and may come again."""


class Following:
    """The requests as they change. Started in the event loop that serves."""

    def __init__(
        self,
        approver: Approver,
        *,
        on_wake: Callable[[], None],
        on_change: Callable[[Changes], None],
        report: Callable[[str], None],
    ) -> None:
        self._approver = approver
        self._on_wake = on_wake
        self._on_change = on_change
        self._report = report
        self._waiting: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)
        self._listening: set[Listener] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="guardhouse-following", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Begin to follow, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self) -> None:
        """End it; those who listen are sent away."""
        self._stop.set()
        self._send_away()
        await asyncio.to_thread(self._thread.join, 2 * _TICK)

    @property
    def is_ending(self) -> bool:
        """Whether nobody will hear of anything any more."""
        return self._stop.is_set()

    @property
    def is_running(self) -> bool:
        """Whether changes are still looked for."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many wait for one request."""
        return sum(map(len, self._waiting.values()))

    @property
    def listening(self) -> int:
        """How many listen to all of them."""
        return len(self._listening)

    async def wait(self, request_id: str, seconds: float) -> ApprovalRequest | None:
        """The request once it is no longer pending, or as it is after so many `seconds`; None if there is none."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[request_id].add(future)  # before the look: what comes in between is not missed
        try:
            request = await asyncio.to_thread(self._approver.get, request_id)
            if request is None or request.status is not ApprovalStatus.PENDING or seconds <= 0:
                return request
            await asyncio.wait({future}, timeout=seconds)
            return await asyncio.to_thread(self._approver.get, request_id)
        finally:
            self._waiting[request_id].discard(future)
            if not self._waiting[request_id]:
                del self._waiting[request_id]

    def listen(self) -> Listener:
        """Somebody who hears of every change from now on; must be closed."""
        listener = Listener(self._listening.discard)
        self._listening.add(listener)
        return listener

    def _follow(self) -> None:
        """In a thread of its own, until it is stopped; what fails is tried again."""
        latest: int | None = None
        told = ""
        while not self._stop.is_set():
            try:
                if latest is None:
                    latest = self._approver.latest_change()
                with self._approver.watching() as watch:
                    told = ""
                    self._on_wake()
                    while not self._stop.is_set():
                        if watch.changed(_TICK):
                            self._on_wake()
                        latest = self._pass_on(self._not_ahead(latest))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told and tried again
                what = str(error) if isinstance(error, GuardhouseError) else type(error).__name__
                if what != told:  # once for each problem, not for each try
                    told = what
                    self._report(f"Requests for approval can't be followed: {what}")
                self._stop.wait(_TICK / 2)

    def _not_ahead(self, latest: int) -> int:
        """The number to go on from. If a database was set back, changes are numbered anew: those who listen are sent
        away, because they wait for numbers that will not come."""
        newest = self._approver.latest_change()
        if newest < latest and self._loop is not None:
            self._report("The database was set back; who listens has to begin anew.")
            self._loop.call_soon_threadsafe(self._send_away)
        return min(latest, newest)

    def _send_away(self) -> None:
        for listener in list(self._listening):
            listener.close()

    def _pass_on(self, latest: int) -> int:
        """Everything that is new; the number of the last change then."""
        while True:
            changes = self._approver.changes(latest, limit=_AT_ONCE)
            if changes.requests and self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._tell, changes)
            latest = changes.latest
            if len(changes.requests) < _AT_ONCE:
                return latest

    def _tell(self, changes: Changes) -> None:
        self._on_change(changes)
        for number, request in zip(changes.numbers, changes.requests, strict=True):
            if request.status is not ApprovalStatus.PENDING:
                for future in self._waiting.get(request.id, ()):
                    if not future.done():
                        future.set_result(None)
            outline = outline_of(request)
            for listener in list(self._listening):
                listener.hear((number, outline))


def outline_of(request: ApprovalRequest) -> Outline:
    """What is told of a request to everybody who listens: nothing that may be large."""
    return Outline(**{name: getattr(request, name) for name in Outline.__struct_fields__})


class Listener:
    """Somebody who listens. One who does not keep up is closed."""

    def __init__(self, on_close: Callable[[Listener], None]) -> None:
        self._heard: asyncio.Queue[Numbered | None] = asyncio.Queue()
        self._on_close = on_close

    def hear(self, change: Numbered) -> None:
        if self._heard.qsize() >= _MOST_UNREAD:
            self.close()
        else:
            self._heard.put_nowait(change)

    async def next(self) -> Numbered | None:
        """The next change; None when there will be no more."""
        return await self._heard.get()

    def close(self) -> None:
        """Hear no more."""
        self._on_close(self)
        self._heard.put_nowait(None)
