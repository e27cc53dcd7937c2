"""The search service that `web_search` asks: what its endpoint must look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import GuardhouseError
from guardhouse.net import NetworkRules, NetworkSettings, address_class, is_local_name, parse_destination

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SERVICE_KEYS: Final = ("endpoint", "key_env", "key_header")
"""Keys of a network section that describe the service, and no destination."""

_ENDPOINT_FIX: Final = "Write it like https://search.example.com/search?q={query}&format=json."
_LISTS: Final = ("allowed_domains", "allowed_url_prefixes")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9-]+")


def endpoint_prefix(endpoint: str) -> str:
    """The URL that a search is sent to, without its query."""
    return parse_destination(endpoint.partition("?")[0]).url


def service_problems(tool: str, own: dict[str, Any], problem: Callable[[Any, str, str], str]) -> Iterator[str]:
    """What is wrong with the keys of a service in one network section."""
    for key in SERVICE_KEYS:
        if key in own and tool != "web_search":
            yield problem(("network", tool, key), "is for `network.web_search` only.", "Move it there.")
            return
    if "endpoint" not in own:
        for key in SERVICE_KEYS[1:]:
            if key in own:
                yield problem(("network", tool, key), "says nothing without an `endpoint`.", _ENDPOINT_FIX)
        return
    what = _wrong_with(own["endpoint"])
    if what:
        yield problem(("network", tool, "endpoint"), what, _ENDPOINT_FIX)
    for key in _LISTS:
        if key in own:
            fix = "Take the list out: a search goes to the endpoint and nowhere else."
            yield problem(("network", tool, key), "stands beside an `endpoint`.", fix)
    if not _VARIABLE.fullmatch(own.get("key_env", "A")):
        yield problem(("network", tool, "key_env"), "is no variable's name.", "Name the variable, not the key.")
    if not _HEADER.fullmatch(own.get("key_header", "A")) or own.get("key_header", "").lower() in {"host", "connection"}:
        yield problem(("network", tool, "key_header"), "is no header for a key.", "Write it like X-Subscription-Token.")
    if "key_env" in own and not what and own.get("deny_private_ips", True) and _is_open(own["endpoint"]):
        fix = "Use https, or a service on this machine."
        yield problem(("network", tool, "key_env"), "would be sent in the clear.", fix)
    if "key_header" in own and "key_env" not in own:
        yield problem(("network", tool, "key_header"), "says nothing without a `key_env`.", "Name the variable.")


def _is_open(endpoint: str) -> bool:
    """Whether what is sent there can be read on the way."""
    destination = parse_destination(endpoint_prefix(endpoint))
    if destination.scheme == "https":
        return False
    if destination.address is not None:
        return address_class(destination.address) is None
    return not is_local_name(destination.host)


def _wrong_with(endpoint: str) -> str:
    place, _, query = endpoint.partition("?")
    if query.count("{query}") != 1 or "{query}" in place:
        return "does not have `{query}` once, after the question mark."
    plain = query.replace("{query}", "x").replace("{count}", "1")
    if "{" in place + plain or "}" in place + plain or "#" in endpoint:
        return "has more in braces than `{query}` and `{count}`, or a fragment."
    try:
        NetworkRules(NetworkSettings(allowed_url_prefixes=(endpoint_prefix(endpoint),)))
        destination = parse_destination(f"{place}?{plain}")
    except GuardhouseError as error:
        return f"can't be used: {error.what}"
    return "" if destination.scheme in {"http", "https"} else "is no web address."
