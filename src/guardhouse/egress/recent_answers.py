"""A resolver that remembers for a second what a name was looked up to, for programs that connect again and again.

Whoever asks judges every address and dials one of those it judged, so an answer that is used twice leads nowhere that
was not judged. What failed is asked anew each time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.model import Addresses
    from guardhouse.ports import Resolver

REMEMBERED_FOR: Final = 1.0
"""Seconds."""
_MOST: Final = 256


class RecentAnswers:
    """Asks another resolver, and not twice within a second. Safe to share between threads."""

    def __init__(self, resolver: Resolver, clock: Callable[[], float] = time.monotonic) -> None:
        self._resolver = resolver
        self._clock = clock
        self._known: dict[str, tuple[float, Addresses]] = {}

    def resolve(self, host: str) -> Addresses:
        """The addresses of `host`, or why there are none."""
        asked = self._clock()
        return self._recent(host, asked) or self._remembered(host, asked, self._resolver.resolve(host))

    async def resolve_async(self, host: str) -> Addresses:
        """`resolve` for an event loop."""
        asked = self._clock()
        return self._recent(host, asked) or self._remembered(host, asked, await self._resolver.resolve_async(host))

    def _recent(self, host: str, now: float) -> Addresses | None:
        until, answer = self._known.get(host, (now, None))
        return answer if now < until else None

    def _remembered(self, host: str, asked: float, answer: Addresses) -> Addresses:
        if answer.addresses and not answer.error:
            if len(self._known) >= _MOST:
                self._known = {}
            self._known[host] = (asked + REMEMBERED_FOR, answer)
        return answer
