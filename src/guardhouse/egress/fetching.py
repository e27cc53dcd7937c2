"""The tools on the guarded client: `url_fetch`, and `web_search` with the one endpoint that the policy names.

They are made to stand behind the gate, which judges each call and each result; `LocalGuard.url_fetch` puts them there.
The rules of a call are those of the policy in force when it is made. Of an answer, an agent gets what it can read:
text, up to a bound, or for anything else its size and type.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from guardhouse.egress.client import AsyncGuardedClient, FetchLimits, GuardedClient, Response, trusted_roots
from guardhouse.egress.errors import FetchFailed
from guardhouse.egress.permitted import rules_for
from guardhouse.model import GuardhouseError
from guardhouse.net import BadDestination, NetworkRules, parse_destination

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from guardhouse.policy import Policy
    from guardhouse.ports import PolicySource, Resolver

MOST_TEXT: Final = 400_000
"""Characters of an answer that an agent gets."""
MOST_RESULTS: Final = 20
MOST_QUERY: Final = 1_000
"""Characters of a query."""


class FetchTools:
    """The tools of one guard."""

    def __init__(
        self,
        policy: PolicySource,
        resolver: Resolver,
        *,
        limits: FetchLimits = FetchLimits(),  # noqa: B008 - frozen
        ssl_context: ssl.SSLContext | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._limits = limits
        self._ssl_context = ssl_context or trusted_roots()
        self._variables = os.environ if variables is None else variables

    def url_fetch(
        self, url: str, method: str = "GET", headers: dict[str, str] | None = None, body: str | None = None
    ) -> dict[str, Any]:
        """Fetch a URL, and return its status, content type and text."""
        rules = _rules_for_url(self._policy.current(), url)
        with self._client(rules) as client:
            return _shown(client.request(method.upper(), url, headers=headers, body=(body or "").encode()))

    async def url_fetch_async(
        self, url: str, method: str = "GET", headers: dict[str, str] | None = None, body: str | None = None
    ) -> dict[str, Any]:
        """Fetch a URL, and return its status, content type and text."""
        rules = _rules_for_url(self._policy.current(), url)
        async with self._async_client(rules) as client:
            return _shown(await client.request(method.upper(), url, headers=headers, body=(body or "").encode()))

    def web_search(self, query: str, count: int = 10) -> dict[str, Any]:
        """Search the web, and return the title, URL and snippet of each result."""
        search = _Search.of(self._policy.current(), self._variables, query, count)
        with self._client(search.rules) as client:
            return search.shown(client.request("GET", search.url, headers=search.headers))

    async def web_search_async(self, query: str, count: int = 10) -> dict[str, Any]:
        """Search the web, and return the title, URL and snippet of each result."""
        search = _Search.of(self._policy.current(), self._variables, query, count)
        async with self._async_client(search.rules) as client:
            return search.shown(await client.request("GET", search.url, headers=search.headers))

    def _client(self, rules: NetworkRules) -> GuardedClient:
        """One for each call: on a connection that is kept, a server could have answered the next call already."""
        return GuardedClient(rules, self._resolver, limits=self._limits, ssl_context=self._ssl_context)

    def _async_client(self, rules: NetworkRules) -> AsyncGuardedClient:
        """The same; and a guard outlives event loops, which connections do not."""
        return AsyncGuardedClient(rules, self._resolver, limits=self._limits, ssl_context=self._ssl_context)


def _rules_for_url(policy: Policy, url: str) -> NetworkRules:
    """The rules of `url_fetch` for one URL that the gate let through."""
    try:
        destination = parse_destination(url)
    except BadDestination:
        return policy.settings.network_for("url_fetch")
    return rules_for(policy, "url_fetch", destination)


# What an agent gets of an answer --------------------------------------------------------------------------------------

_TEXT_TYPES: Final = frozenset(
    "application/ecmascript application/graphql application/javascript application/json application/ld+json "
    "application/ndjson application/sql application/toml application/x-javascript application/x-ndjson "
    "application/x-sh application/x-www-form-urlencoded application/x-yaml application/xml application/yaml".split()
)
_CHARSETS: Final = frozenset(
    "ascii big5 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 euc-jp euc-kr gb18030 gb2312 gbk "
    "iso-2022-jp iso-8859-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-9 "
    "iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u latin-1 latin1 macintosh shift-jis "
    "shift_jis tis-620 us-ascii utf-16 utf-16be utf-16le utf-8 utf8 windows-1250 windows-1251 windows-1252 "
    "windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258".split()
)
"""Of Python's codecs, those that pages are written in. Others take quadratic time, or read escapes of their own."""


def _shown(response: Response) -> dict[str, Any]:
    """What an agent gets of an answer. The URL is that of the answer, without its query."""
    kind, charset = _content_type(response)
    shown: dict[str, Any] = {
        "status": response.status,
        "url": response.destination.url,
        "content_type": kind,
        "bytes": len(response.body),
    }
    location = response.header("location")
    if location is not None:
        shown["location"] = location[:2_000]
    text = _text(response.body, kind, charset)
    if text is None:
        return {**shown, "binary": True}
    truncated = len(text) > MOST_TEXT or len(response.body) > _MOST_READ
    return {**shown, "text": text[:MOST_TEXT], "truncated": truncated}


def _content_type(response: Response) -> tuple[str, str]:
    """The type, without its parameters, and the charset that it names."""
    kind, _, parameters = (response.header("content-type") or "").lower().partition(";")
    charset = next(
        (
            value.strip(" \"'")
            for name, _, value in (parameter.partition("=") for parameter in parameters.split(";"))
            if name.strip() == "charset"
        ),
        "",
    )
    return kind.strip()[:100], charset


def _text(body: bytes, kind: str, charset: str) -> str | None:
    """The text of a body; None if it is none."""
    is_text = kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml", "+yaml"))
    if not is_text and kind:
        return None
    encoding = charset if charset in _CHARSETS else "utf-8"
    if b"\0" in body and not encoding.startswith("utf-16"):
        return None
    return body[:_MOST_READ].decode(encoding, errors="replace")


_MOST_READ: Final = 4 * MOST_TEXT
"""Bytes of a text that are read: a character has four at most."""


# Searching ------------------------------------------------------------------------------------------------------------


class _Search(msgspec.Struct, frozen=True):
    """One search, as it is sent to the endpoint of the policy."""

    url: str
    rules: NetworkRules
    headers: dict[str, str]
    key: str
    count: int

    @classmethod
    def of(cls, policy: Policy, variables: Mapping[str, str], query: str, count: int) -> _Search:
        """GuardhouseError if the policy names no endpoint, its key is missing, or there is nothing to look for."""
        section = policy.config.network.get("web_search")
        endpoint = section.endpoint if section is not None else None
        if section is None or not isinstance(endpoint, str):
            raise GuardhouseError(
                "No search service is set up.", fix="Name one in the configuration: `network.web_search.endpoint`."
            )
        if not query.strip() or len(query) > MOST_QUERY:
            raise GuardhouseError(f"A query has 1 to {MOST_QUERY} characters.", fix="Shorten it.")
        wanted = min(max(count, 1), MOST_RESULTS)
        url = endpoint.replace("{count}", str(wanted)).replace("{query}", quote(query, safe=""))
        headers = {"Accept": "application/json"}
        key = ""
        if isinstance(section.key_env, str):
            key = variables.get(section.key_env, "")
            if not key:
                raise GuardhouseError(f"The key of the search service is missing: {section.key_env} is not set.")
            headers[section.key_header if isinstance(section.key_header, str) else "Authorization"] = key
        return cls(url, _rules_of_endpoint(policy, endpoint), headers, key, wanted)

    def shown(self, response: Response) -> dict[str, Any]:
        """The results, as far as they can be told. FetchFailed if the service gave none."""
        if response.status != 200:
            raise FetchFailed(f"The search service answered with status {response.status}.", fix="Try again later.")
        try:
            found = msgspec.json.decode(response.body)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise FetchFailed("The search service gave no JSON.", fix="Look at the endpoint.") from None
        entries = _entries(found)
        if entries is None:
            raise FetchFailed("The search service gave no list of results.", fix="Look at the endpoint.")
        results = [self._result(entry) for entry in entries if isinstance(entry, dict)]
        return {"results": [result for result in results if result["url"]][: self.count]}

    def _result(self, entry: dict[str, Any]) -> dict[str, str]:
        return {name: self._field(entry, names, most) for name, names, most in _FIELDS}

    def _field(self, entry: dict[str, Any], names: tuple[str, ...], most: int) -> str:
        text = next((entry[name] for name in names if isinstance(entry.get(name), str)), "")
        # A service that repeats what it was sent must not give the key away.
        return (text.replace(self.key, "[redacted]") if self.key else text)[:most]


_FIELDS: Final = (
    # what an agent gets, what services call it, how many characters of it
    ("title", ("title", "name"), 300),
    ("url", ("url", "link", "href"), 2_000),
    ("snippet", ("content", "snippet", "description", "text", "body"), 1_000),
)
_LISTS: Final = (("results",), ("web", "results"), ("items",), ("organic",), ("organic_results",), ("data",))
"""Where services put their results; SearXNG's place comes first."""


def _entries(found: Any) -> list[Any] | None:
    for place in _LISTS:
        value = found
        for name in place:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, list):
            return value
    return None


def _rules_of_endpoint(policy: Policy, endpoint: str) -> NetworkRules:
    """Rules that let a request pass to the endpoint, and nowhere else."""
    settings = policy.settings.network_for("web_search").settings
    place = parse_destination(endpoint.partition("?")[0]).url
    return NetworkRules(
        msgspec.structs.replace(settings, allowed_domains=(), allowed_url_prefixes=(place,), follow_redirects=False)
    )
