"""Follows a daemon's requests for somebody who answers them: hears of changes as they happen, over restarts.

It stands between a channel and the `RemoteApprover`: how a request stands is asked again only if something was heard of
it, so a card that is open costs the daemon nothing.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final, Self

from guardhouse.client.errors import Unreachable
from guardhouse.model import ONCE, GuardhouseError

if TYPE_CHECKING:
    from guardhouse.approvals import Outline
    from guardhouse.client.approver import RemoteApprover
    from guardhouse.client.events import Events
    from guardhouse.model import ApprovalRequest, Terms

_SOON: Final = 0.25
_LATER: Final = 4.0
"""Seconds after which a daemon that could not be listened to is tried again: at first, and after many times."""


class Following:
    """A daemon's requests, as they change. Use it as a context manager."""

    def __init__(self, approver: RemoteApprover) -> None:
        self._approver = approver
        self._lock = threading.Lock()
        self._known: dict[str, ApprovalRequest] = {}
        self._heard = 0
        """How often anything was heard: what was asked before may be old."""
        self._events: Events | None = None
        self._problem: GuardhouseError | None = None
        self._news = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="guardhouse-following", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        events = self._events
        if events is not None:
            events.stop()

    @property
    def problem(self) -> GuardhouseError | None:
        """Why the daemon was not heard when it was last listened to; None once it is again."""
        return self._problem

    def news(self, seconds: float) -> bool:
        """Whether anything may have changed since this was last asked; waits for it so long."""
        heard = self._news.wait(seconds)
        self._news.clear()
        return heard

    def get(self, request_id: str) -> ApprovalRequest | None:
        """The request as it stood when anything was last heard of it. While the daemon can't be heard that stays as it
        is: only the daemon says that a question is over."""
        with self._lock:
            known, heard = self._known.get(request_id), self._heard
        if known is not None:
            return known
        request = self._approver.get(request_id)
        with self._lock:
            if request is not None and self._events is not None and self._heard == heard:
                self._known[request_id] = request
        return request

    def answer(
        self, request_id: str, *, approve: bool, actor: str, comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest:
        """A person's answer; see `RemoteApprover.answer`."""
        self._forget(request_id)  # whatever comes of it, it must be asked how it stands
        return self._approver.answer(request_id, approve=approve, actor=actor, comment=comment, terms=terms)

    def alike(self, request: ApprovalRequest) -> list[ApprovalRequest]:
        """The other questions that can be put together with this one; see `RemoteApprover.alike`."""
        return self._approver.alike(request)

    def outlines(self, **wanted: Any) -> list[Outline]:
        """Requests, newest first; see `RemoteApprover.outlines`."""
        return self._approver.outlines(**wanted)

    def _follow(self) -> None:
        """In a thread of its own, until it is stopped; what fails is tried again."""
        patience = _SOON
        while not self._stop.is_set():
            try:
                with self._approver.listening() as events:
                    patience = _SOON
                    self._begin(events)
                    for _, outline in events:
                        self._forget(outline.id)
                        self._news.set()
                self._end(Unreachable("The daemon ended the stream of events.", fix="Look whether it still runs."))
            except GuardhouseError as error:
                self._end(error)
            self._stop.wait(patience)
            patience = min(2 * patience, _LATER)

    def _begin(self, events: Events) -> None:
        with self._lock:
            self._events, self._problem = events, None
            self._known.clear()  # what changed meanwhile was not heard
            self._heard += 1
        self._news.set()

    def _end(self, problem: GuardhouseError) -> None:
        with self._lock:
            self._events, self._problem = None, problem
            self._heard += 1
        self._news.set()

    def _forget(self, request_id: str) -> None:
        with self._lock:
            self._known.pop(request_id, None)
            self._heard += 1
