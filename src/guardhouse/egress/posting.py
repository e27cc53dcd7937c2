"""Messages to one URL that the operator wrote down, such as a webhook's.

It may be anywhere, also on this machine or in a private network, because no agent chose it; whoever uses this must not
take a URL from elsewhere. Everything else is as for the guarded client: no redirects, no proxies of the environment,
and answers that are bounded in time and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.egress.client import AsyncGuardedClient, FetchLimits
from guardhouse.egress.dns import SystemResolver
from guardhouse.egress.errors import Refused
from guardhouse.net import BadDestination, NetworkRules, NetworkSettings, parse_destination

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.ports import Resolver

LIMITS: Final = FetchLimits(seconds=10.0, body_bytes=64 * 1024, wire_bytes=128 * 1024, redirects=0)


class Posting:
    """Posts to one URL and to no other, within one event loop."""

    def __init__(self, url: str, *, resolver: Resolver | None = None, limits: FetchLimits = LIMITS) -> None:
        try:
            destination = parse_destination(url)
        except BadDestination as error:
            raise Refused(error.code, error.what, fix=error.fix) from None
        host = f"[{destination.host}]" if ":" in destination.host else destination.host
        rules = NetworkRules(NetworkSettings(allowed_domains=(f"{host}:{destination.port}",), deny_private_ips=False))
        self._href: Final = destination.href
        self._client: Final = AsyncGuardedClient(rules, resolver or SystemResolver(), limits=limits)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer. Refused or FetchFailed, which quote nothing, if there is none."""
        if url != self._href:
            raise Refused("non_allowlisted_domain", "Only the URL that was configured is posted to.")
        return (await self._client.request("POST", url, headers=headers, body=body)).status

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()
