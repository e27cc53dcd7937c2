"""How long and how large one answer of a model's service may be. A service that sends a little again and again is never
silent, so a limit on silence alone would keep a run at work for ever.

What an answer means is read in `conversing.py`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOST_BYTES: Final = 32 * 1024 * 1024


class Answering(httpx2.AsyncHTTPTransport):
    """Connections to a service. An answer that is not over after `seconds`, or is too large, is one that failed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(trust_env=False)
        self._seconds = seconds

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        end = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(end):
                response = await super().handle_async_request(request)
        except TimeoutError:
            raise httpx2.ReadTimeout("The answer did not begin in time.", request=request) from None
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - as what we inherit from gives it
        response.stream = _Limited(response.stream, request, end)
        return response


class _Limited(httpx2.AsyncByteStream):
    """What comes of an answer, for as long as it may."""

    def __init__(self, stream: httpx2.AsyncByteStream, request: httpx2.Request, end: float) -> None:
        self._stream = stream
        self._request = request
        self._end = end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        parts = aiter(self._stream)
        while True:
            try:
                async with asyncio.timeout_at(self._end):
                    part = await anext(parts, None)
            except TimeoutError:
                raise httpx2.ReadTimeout("The answer did not end in time.", request=self._request) from None
            if part is None:
                return
            left -= len(part)
            if left < 0:
                raise httpx2.ReadError("The answer is too large.", request=self._request)
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
