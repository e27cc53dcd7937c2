"""Carries cards to people on other machines, and keeps them true: one card for each request and address, edited to
what became of the request, whoever settled it.

What there is to do is read from the store each time, so a courier that was killed goes on where it was. Of several
nodes, the one that holds a channel's lease sends and listens there. It decides nothing about requests: it only lets
those that are due expire, so that their cards end.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.card import USE_WITHIN
from guardhouse.approvals.channels.answering import ChannelAnswers
from guardhouse.approvals.channels.deliveries import Deliveries, LeaseLost, Outdated, Unsent
from guardhouse.approvals.channels.interface import Listener, Notifier, RemoteCard, TryLater, Undeliverable
from guardhouse.approvals.channels.minimum import remote_card
from guardhouse.model import ApprovalRequest, ApprovalStatus, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.approvals.approver import Approver
    from guardhouse.database import Database, Watch

_AT_ONCE: Final = 50
"""Cards that are looked for at a time."""
_FORGOTTEN: Final = 10
"""Longest pauses after which a card that nobody tries any more is not thought of."""
_GRACE: Final = 5.0
"""Seconds that a card which is being sent may still take when the courier is to stop."""
_NOT_FINAL: Final = frozenset({ApprovalStatus.PENDING, ApprovalStatus.APPROVED})


class CourierSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What cards say, and how patient a courier is. Times are seconds."""

    public_url: str = ""
    """Where people reach the console; without it, cards name the command."""
    anonymous: bool = False
    """Whether cards leave out which session asks."""
    use_within: float = USE_WITHIN
    look_every: float = 1.0
    """How often requests are looked at without word of a change: so late they may be seen to have expired."""
    lease: float = 10.0
    """How long a channel stays with a process that does not say that it is still there."""
    first_pause: float = 1.0
    """After a failure; doubled with each further one,"""
    longest_pause: float = 60.0
    """up to this."""
    last_try: float = 3600.0
    """After so long, a card that can't be changed to what became of its request is left as it is."""


class Courier:
    """Looks after the cards of one store, in a thread of its own. Start it once; stop it before the store is closed.

    `report` is told what goes wrong, in words without anything secret, from any thread; nothing that fails in one
    channel or for one request keeps the others back.
    """

    def __init__(
        self,
        approver: Approver,
        database: Database,
        notifiers: Sequence[Notifier],
        *,
        settings: CourierSettings = CourierSettings(),  # noqa: B008 - frozen
        report: Callable[[str], None],
    ) -> None:
        self._approver = approver
        self._settings = settings
        self._report = report = _sure(report)
        self._deliveries = Deliveries(database, f"{os.getpid()}-{os.urandom(8).hex()}")
        self._channels = [_Channel(notifier, approver, self._deliveries, settings, report) for notifier in notifiers]
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()

    def start(self) -> None:
        """Begin to look after the cards; returns at once."""
        if self._thread is not None:
            raise GuardhouseError("The courier was started already.", fix="Make another one.")
        self._thread = threading.Thread(target=self._run, name="guardhouse-courier", daemon=True)
        self._thread.start()
        self._started.wait()

    def stop(self, timeout: float = 2 * _GRACE) -> bool:
        """Let go of everything; whether that was done within `timeout` seconds. What is on its way may arrive."""
        if self._thread is None:
            return True
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # it has ended by itself meanwhile
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether its thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:  # noqa: BLE001 - the last place where anybody hears of it
            self._report(f"The courier of cards has ended: {_described(error)}")
        finally:
            self._started.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._started.set()
        tasks = [asyncio.create_task(channel.serve(self._stop)) for channel in self._channels]
        follower = asyncio.create_task(self._follow(self._stop))
        await self._stop.wait()
        try:
            await asyncio.wait([follower, *tasks], timeout=_GRACE)
        finally:
            for task in (follower, *tasks):
                task.cancel()
            for ended in await asyncio.gather(follower, *tasks, return_exceptions=True):
                if isinstance(ended, Exception):
                    self._report(f"The courier of cards failed while it stopped: {_described(ended)}")

    async def _follow(self, stop: asyncio.Event) -> None:
        """Wake the channels whenever a request has changed, and let what is due expire."""
        after = 0
        pause = _Pause(self._settings)
        while not stop.is_set():
            try:
                with await asyncio.to_thread(self._watching) as watch:
                    after = max(after, await asyncio.to_thread(self._approver.latest_change))
                    while not stop.is_set():
                        self._wake()
                        after = await self._next_change(watch, after, stop)
                        pause.reset()
            except GuardhouseError as error:
                await self._failed(f"The requests for approval can't be followed: {error}", pause, stop)
            except Exception as error:  # noqa: BLE001 - whatever it is, cards must go on
                await self._failed(f"The requests for approval can't be followed: {_described(error)}", pause, stop)

    async def _failed(self, what: str, pause: _Pause, stop: asyncio.Event) -> None:
        pause.failed(what, self._report)
        self._wake()  # a channel sees for itself what it can do
        await _until(stop, pause.left)

    def _watching(self) -> _Watching:
        return _Watching(self._approver)

    async def _next_change(self, watch: Watch, after: int, stop: asyncio.Event) -> int:
        """The number of the latest change, once there is one behind `after`."""
        while not stop.is_set():
            # Cards are written to the same store: only a change of a request is word for the channels.
            latest = await asyncio.to_thread(self._swept)
            if latest > after:
                return latest
            await asyncio.to_thread(watch.changed, self._settings.look_every)
        return after

    def _swept(self) -> int:
        """The number of the latest change, once what is due has expired. Writes only if something is."""
        self._approver.outlines(limit=1)
        return self._approver.latest_change()

    def _wake(self) -> None:
        for channel in self._channels:
            channel.wake.set()


class _Watching:
    """A watch that is opened now, and closed when it is left."""

    def __init__(self, approver: Approver) -> None:
        self._context = approver.watching()
        self._watch = self._context.__enter__()

    def __enter__(self) -> Watch:
        return self._watch

    def __exit__(self, *_: object) -> None:
        self._context.__exit__(None, None, None)


class _Pause:
    """How long to leave something alone that fails; it says each trouble once."""

    def __init__(self, settings: CourierSettings) -> None:
        self._settings = settings
        self._tries = 0
        self._until = 0.0
        self._since = 0.0
        self._said = ""

    @property
    def left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    @property
    def is_forgotten(self) -> bool:
        """Whether nobody has tried again for long."""
        return time.monotonic() - self._until > _FORGOTTEN * self._settings.longest_pause

    @property
    def lasted(self) -> float:
        """For how long it has failed."""
        return time.monotonic() - self._since if self._tries else 0.0

    def failed(self, what: str, report: Callable[[str], None], seconds: float | None = None) -> None:
        if not self._tries:
            self._since = time.monotonic()
        own = min(self._settings.first_pause * 2**self._tries, self._settings.longest_pause)
        self._tries = min(self._tries + 1, 30)
        self._until = time.monotonic() + (own if seconds is None else max(seconds, 0.0))
        if what != self._said:
            self._said = what
            report(what)

    def reset(self) -> None:
        self._tries, self._until, self._said = 0, 0.0, ""


class _Channel:
    """One notifier at work."""

    def __init__(
        self,
        notifier: Notifier,
        approver: Approver,
        deliveries: Deliveries,
        settings: CourierSettings,
        report: Callable[[str], None],
    ) -> None:
        self.wake = asyncio.Event()
        self._notifier = notifier
        self._name = notifier.name
        self._approver = approver
        self._deliveries = deliveries
        self._settings = settings
        self._report = report
        self._pause = _Pause(settings)
        self._troubles: dict[str, _Pause] = {}
        """By request and address, or by delivery: what failed for one card alone."""
        self._unsent: dict[str, Unsent] = {}
        """Cards that could not be sent yet. Only this process knows their buttons."""
        self._arrived: dict[str, str] = {}
        """Of those, the ones that were sent and could not be kept as such."""

    async def serve(self, stop: asyncio.Event) -> None:
        """Take the channel whenever it is free, and look after it until it is lost or all is to stop."""
        pause = _Pause(self._settings)
        try:
            while not stop.is_set():
                try:
                    if await asyncio.to_thread(self._deliveries.take, self._name, self._settings.lease, anew=True):
                        pause.reset()
                        await self._hold(stop)
                    else:
                        await _until(stop, self._settings.lease / 3)
                except GuardhouseError as error:
                    pause.failed(f"The channel {self._name} can't be looked after: {error}", self._report)
                    await _until(stop, pause.left)
                except Exception as error:  # noqa: BLE001 - one channel's failure must not stop it for good
                    pause.failed(f"The channel {self._name} can't be looked after: {_described(error)}", self._report)
                    await _until(stop, pause.left)
        finally:
            await self._leave()

    async def _leave(self) -> None:
        try:
            await self._notifier.close()
        except Exception as error:  # noqa: BLE001 - nothing of it is needed any more
            self._report(f"The channel {self._name} could not be closed: {_described(error)}")
        try:
            await asyncio.to_thread(self._deliveries.give_back, self._name)
        except GuardhouseError as error:
            self._report(f"The channel {self._name} could not be given back: {error}")

    async def _hold(self, stop: asyncio.Event) -> None:
        """Deliver and listen while the lease lasts."""
        self._unsent.clear()
        self._arrived.clear()
        self._troubles.clear()
        self.wake.set()
        delivering = asyncio.create_task(self._deliver(stop))
        tasks = [delivering, asyncio.create_task(self._renew())]
        if isinstance(self._notifier, Listener):
            tasks.append(asyncio.create_task(self._listen(self._notifier)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, LeaseLost):
                self._report(str(error))
            elif isinstance(error, Exception):
                raise error

    async def _renew(self) -> None:
        """Keep the lease; ends when it is another's."""
        lease = self._settings.lease
        held = time.monotonic()
        while True:
            await asyncio.sleep(lease / 3)
            try:
                is_ours = await asyncio.to_thread(self._deliveries.take, self._name, lease)
            except GuardhouseError as error:
                self._report(f"The channel {self._name} could not be kept: {error}")
                if time.monotonic() - held > lease:
                    raise
            else:
                if not is_ours:
                    raise LeaseLost(self._name)
                held = time.monotonic()

    async def _listen(self, listener: Listener) -> None:
        answers = ChannelAnswers(self._name, self._approver, self._deliveries, self._report)
        pause = _Pause(self._settings)
        while True:
            begun = time.monotonic()
            try:
                await listener.listen(answers, self._report)
            except TryLater as error:
                if time.monotonic() - begun > self._settings.longest_pause:
                    pause.reset()
                pause.failed(f"{self._name} can't be heard now: {error}", self._report, error.seconds)
            except Exception as error:  # noqa: BLE001 - whatever it is, answers must be heard again
                pause.failed(f"{self._name} can't be heard now: {_described(error)}", self._report)
            await asyncio.sleep(pause.left)

    # Cards

    async def _deliver(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            self.wake.clear()
            if not self._pause.left:
                try:
                    await self._look(stop)
                except TryLater as error:
                    self._pause.failed(f"{self._name} can't be used now: {error}", self._report, error.seconds)
                except LeaseLost:
                    raise
                except GuardhouseError as error:
                    self._pause.failed(f"Cards for {self._name} can't be kept: {error}", self._report)
            self._troubles = {key: pause for key, pause in self._troubles.items() if not pause.is_forgotten}
            waits = [pause.left for pause in (self._pause, *self._troubles.values()) if pause.left]
            await _until(stop, min(waits, default=None), self.wake if not self._pause.left else None)

    async def _look(self, stop: asyncio.Event) -> None:
        """Do what there is to do: endings first, because a card that can't be answered any more misleads."""
        while not stop.is_set():
            troubles = len(self._troubles)
            most = _AT_ONCE + troubles  # those that must wait must not hide the others
            outdated = await asyncio.to_thread(self._deliveries.outdated, self._name, limit=most)
            done = [await self._update(one) for one in outdated if self._is_free(one.id)]
            for unsent in [one for one in self._unsent.values() if self._is_free(one.id)]:
                done.append(await self._send(unsent))
                if stop.is_set():
                    return
            for address in self._notifier.addresses:
                waiting = await asyncio.to_thread(self._deliveries.without_card, self._name, address, limit=most)
                for request_id in waiting:
                    if self._is_free(f"{request_id} {address}"):
                        done.append(await self._open(request_id, address))
                    if stop.is_set():
                        return
            if not any(done) and len(self._troubles) == troubles:
                return

    async def _open(self, request_id: str, address: str) -> bool:
        """A new card for an address; whether anything was done."""
        try:
            request = await asyncio.to_thread(self._approver.get, request_id)
            card = None if request is None else self._card(request)
        except Exception as error:  # noqa: BLE001 - one request's failure must not keep the others back
            self._trouble(f"{request_id} {address}", f"No card can be made for {request_id}: {_told(error)}")
            return False
        if card is None:
            return False
        unsent = await asyncio.to_thread(
            self._deliveries.begin, self._name, request_id, address, with_approve=card.is_whole
        )
        if unsent is None:
            return False
        self._unsent[unsent.id] = unsent
        return await self._send(unsent)

    async def _send(self, unsent: Unsent) -> bool:
        try:
            message = self._arrived.get(unsent.id) or await self._show(unsent)
        except TryLater as error:
            if error.stops_all:
                raise
            self._trouble(unsent.id, f"The card for {unsent.request_id} was not sent through {self._name}: {error}")
            return False
        except Undeliverable as error:
            self._report(f"The card for {unsent.request_id} can't be sent through {self._name}: {error}")
            await asyncio.to_thread(self._deliveries.give_up, unsent.id)
        except Exception as error:  # noqa: BLE001 - one request's failure must not keep the others back
            self._trouble(unsent.id, f"The card for {unsent.request_id} was not sent: {_told(error)}")
            return False
        else:
            if message is None:
                await asyncio.to_thread(self._deliveries.lose, unsent.id)
            else:
                self._arrived[unsent.id] = message
                if not await asyncio.to_thread(self._deliveries.shown, unsent.id, message):
                    raise LeaseLost(self._name)
        self._arrived.pop(unsent.id, None)
        self._unsent.pop(unsent.id, None)
        return True

    async def _show(self, unsent: Unsent) -> str | None:
        """What the channel calls the card that it shows now; None if nobody has to see it any more."""
        request = await asyncio.to_thread(self._approver.get, unsent.request_id)
        if request is None or request.status is not ApprovalStatus.PENDING:
            return None
        message = await self._notifier.send(unsent.id, unsent.address, self._card(request), unsent.buttons)
        self._worked(unsent.id)
        return message

    async def _update(self, outdated: Outdated) -> bool:
        try:
            is_final = await self._settle(outdated)
        except TryLater as error:
            if error.stops_all:
                raise
            what = f"The card for {outdated.request_id} was not changed through {self._name}: {error}"
            if not self._was_last_try(outdated.id):
                self._trouble(outdated.id, what)
                return False
            self._report(f"{what} It was the last try.")
            self._troubles.pop(outdated.id, None)
            is_final = True
        except Undeliverable as error:
            self._report(f"The card for {outdated.request_id} can't be changed through {self._name}: {error}")
            is_final = True
        except Exception as error:  # noqa: BLE001 - one request's failure must not keep the others back
            self._trouble(outdated.id, f"The card for {outdated.request_id} was not changed: {_told(error)}")
            return False
        await asyncio.to_thread(self._deliveries.updated, outdated, is_final=is_final)
        return True

    async def _settle(self, outdated: Outdated) -> bool:
        """Let a card say what became of its request; whether that was the last of it."""
        request = await asyncio.to_thread(self._approver.get, outdated.request_id)
        if request is None:
            return True
        if request.status is not ApprovalStatus.PENDING:
            await self._notifier.settle(outdated.id, outdated.address, outdated.message, self._card(request))
            self._worked(outdated.id)
        return request.status not in _NOT_FINAL

    def _card(self, request: ApprovalRequest) -> RemoteCard:
        settings = self._settings
        return remote_card(
            request, public_url=settings.public_url, anonymous=settings.anonymous, use_within=settings.use_within
        )

    def _is_free(self, key: str) -> bool:
        trouble = self._troubles.get(key)
        return trouble is None or not trouble.left

    def _trouble(self, key: str, what: str) -> None:
        self._troubles.setdefault(key, _Pause(self._settings)).failed(what, self._report)

    def _was_last_try(self, key: str) -> bool:
        trouble = self._troubles.get(key)
        return trouble is not None and trouble.lasted >= self._settings.last_try

    def _worked(self, key: str) -> None:
        self._pause.reset()
        self._troubles.pop(key, None)


async def _until(stop: asyncio.Event, seconds: float | None, wake: asyncio.Event | None = None) -> None:
    """Wait until told to stop or woken, at most some seconds if they are given."""
    waiting = [asyncio.create_task(event.wait()) for event in (stop, wake) if event is not None]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


def _sure(report: Callable[[str], None]) -> Callable[[str], None]:
    """`report`, or the log if it fails: a courier must not end because nobody listens."""

    def told(what: str) -> None:
        try:
            report(what)
        except Exception as error:  # noqa: BLE001 - see above
            logging.getLogger(__name__).error("%s (not reported: %s)", what, type(error).__name__)  # noqa: TRY400

    return told


def _told(error: Exception) -> str:
    """An error of ours in its own words, which quote nothing; of any other, what kind it is."""
    return str(error) if isinstance(error, GuardhouseError) else _described(error)


def _described(error: Exception) -> str:
    """What kind of error it was and where, without its text: that may hold a token or a value."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""  # noqa: PTH119
    return f"{type(error).__name__}{where}."
