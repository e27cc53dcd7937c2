"""Requests that wait for their answers, in one direction: an answer belongs to one request, and a request has one.

An answer to nothing that was asked, or a second request under an id that still waits, would pass for something that
was judged.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.adapters.mcp.messages import Id, is_id
from guardhouse.model import ToolCallPre, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST: Final = 4096
_MOST_CANCELLED: Final = 256
"""Cancelled requests of which an answer is still taken; servers need not send one."""


class Waiting(msgspec.Struct, frozen=True):
    """A request that was passed on."""

    method: str
    call: ToolCallPre | None = None
    """What was judged of it, if it was."""
    verdict: Verdict | None = None
    listing: Listing | None = None
    """Of a list of tools: which one it is."""
    cancelled: bool = False
    """Whether it was said that nobody waits any more."""


class Listing(msgspec.Struct, frozen=True):
    """A request for a list of tools, or for a further page of one."""

    order: int
    """When the list was begun; a larger number is a later one."""
    cursor: str | None


class Requests:
    """The requests of one side. Both directions of the relay use it at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Id, Waiting] = {}
        self._cancelled: dict[Id, None] = {}
        self._is_closed = False
        self.has_forgotten = False
        """Whether an id may be in use again although its first request was never answered: from then on no answer is
        known for sure to belong to the request it seems to belong to."""

    def add(self, number: Id, waiting: Waiting) -> bool:
        """Note a request that is about to be passed on; False if it can't be told from one that waits, or if too many
        do."""
        with self._lock:
            if self._is_closed or number in self._waiting or len(self._waiting) >= _MOST:
                return False
            self._waiting[number] = waiting
            return True

    def is_free(self, number: Id) -> bool:
        """Whether a request with this id can be told from those that wait."""
        return number not in self._waiting

    def take(self, number: Id) -> Waiting | None:
        """The request that an answer belongs to; None if nobody asked, or somebody was answered already."""
        with self._lock:
            self._cancelled.pop(number, None)
            return self._waiting.pop(number, None)

    def cancel(self, number: object) -> Waiting | None:
        """Note that nobody waits any more; an answer may come all the same, so the id stays in use. The request that is
        given up on, once there are too many of them."""
        with self._lock:
            if is_id(number) and number in self._waiting:
                self._waiting[number] = msgspec.structs.replace(self._waiting[number], cancelled=True)
                self._cancelled[number] = None
            if len(self._cancelled) <= _MOST_CANCELLED:
                return None
            oldest = next(iter(self._cancelled))
            del self._cancelled[oldest]
            self.has_forgotten = True
            return self._waiting.pop(oldest, None)

    def give_up(self) -> Iterator[Waiting]:
        """Every request that will not be answered any more. From now on none is taken: the other thread may still be
        judging one."""
        with self._lock:
            left, self._waiting, self._is_closed = self._waiting, {}, True
        yield from left.values()
