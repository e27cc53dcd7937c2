"""The web as tools of a run: fetching a URL, and searching with the one service that the policy names.

Both go out by the guarded client, so addresses, redirects and sizes are held to the policy in force at each call.
Whether a call is made at all is the gate's to say, before it comes here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.egress.fetching import MOST_QUERY, MOST_RESULTS
from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema

if TYPE_CHECKING:
    from guardhouse.policy import Policy
    from guardhouse.runs.tools.interface import Errand

_READING: Final = frozenset({"GET", "HEAD"})
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class _Fetch(Arguments, frozen=True, kw_only=True):
    url: str
    method: str = "GET"
    headers: dict[str, str] | None = None
    body: str | None = None


class UrlFetch(HouseTool):
    """`url_fetch`."""

    takes = _Fetch
    name = "url_fetch"
    description = "Fetch a URL; gives its status, content type and text. Redirects may not be followed."
    parameters = schema(
        "url",
        url={"type": "string", "description": "An absolute http or https URL."},
        method={"type": "string", "enum": list(_METHODS), "default": "GET"},
        headers={"type": "object", "additionalProperties": {"type": "string"}},
        body={"type": "string"},
    )

    def may_repeat(self, params: dict[str, Any]) -> bool:
        """What only reads may be fetched again; anything else may have been a deed."""
        return str(params.get("method", "GET")).upper() in _READING

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """Fetch it."""
        asked = _Fetch.of(params)
        tools = errand.guard.fetch_tools()
        return await tools.url_fetch_async(asked.url, asked.method, asked.headers, asked.body)


class _Search(Arguments, frozen=True, kw_only=True):
    query: str
    count: int = 10


class WebSearch(HouseTool):
    """`web_search`."""

    takes = _Search
    name = "web_search"
    description = "Search the web; gives the title, URL and snippet of each result."
    parameters = schema(
        "query",
        query={"type": "string", "maxLength": MOST_QUERY},
        count={"type": "integer", "minimum": 1, "maximum": MOST_RESULTS, "default": 10},
    )

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - it only reads
        """A search changes nothing."""
        return True

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """Search."""
        asked = _Search.of(params)
        return await errand.guard.fetch_tools().web_search_async(asked.query, asked.count)


def can_search(policy: Policy) -> bool:
    """Whether the policy names a service to search with."""
    section = policy.config.network.get("web_search")
    return section is not None and isinstance(section.endpoint, str)
