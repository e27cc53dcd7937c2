"""Which destinations are allowed: the allowlists, compiled once, and the judgement of one destination.

Patterns are compared with parsed parts, never with strings, and found by looking up the labels of a host and the
segments of a path, so that thousands of them cost no more than one. Looking names up is the caller's part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import visible
from guardhouse.net.errors import BadDestination, BadPattern
from guardhouse.net.on_demand import address_class, is_local_name, parse_destination

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.net.destination import Destination


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What configuration says about outbound network."""

    allowed_domains: tuple[str, ...] = ()
    """`example.com` is that host, `*.example.com` every host below it, `*` any public host on any port.
    Without `:port` only the default port of the scheme is meant."""
    allowed_url_prefixes: tuple[str, ...] = ()
    """`https://api.example.com/v1/` covers what is below `/v1/` on that scheme, host and port."""
    deny_private_ips: bool = True
    """Refuse loopback, private and other special addresses and local names, allowlisted or not."""
    resolve_dns: bool = True
    """Look names up and judge every address before a connection is made."""
    follow_redirects: bool = False
    allow_proxy: bool = False
    """Use the proxies that the environment names."""


class Refusal(msgspec.Struct, frozen=True):
    """Why a destination is not allowed."""

    code: str
    """A reason code."""
    detail: str
    """One short phrase that says what is wrong with this one. Names hosts and addresses, nothing else of a URL."""


class NetworkRules:
    """The settings, ready for matching. Raises BadPattern for a pattern that is not understood."""

    def __init__(self, settings: NetworkSettings = NetworkSettings()) -> None:  # noqa: B008 - frozen
        self.settings: Final = settings
        self._any: str | None = None
        self._exact: dict[tuple[str, int], str] = {}
        self._below: dict[tuple[str, int], str] = {}
        self._prefixes: dict[tuple[str, str, int], _Branch] = {}
        for pattern in settings.allowed_domains:
            self._add_domain(pattern)
        for pattern in settings.allowed_url_prefixes:
            self._add_prefix(pattern)

    def allows(self, destination: Destination) -> str | None:
        """The pattern that allows `destination`, as it was written; None if none does."""
        host, port = destination.host, destination.port
        ports = (port, ANY_DEFAULT_PORT) if destination.has_default_port else (port,)
        for wanted in ports:
            if (pattern := self._exact.get((host, wanted))) is not None:
                return pattern
        if self._below and destination.address is None:
            dot = host.find(".")
            while dot >= 0:
                parent = host[dot + 1 :]
                for wanted in ports:
                    if (pattern := self._below.get((parent, wanted))) is not None:
                        return pattern
                dot = host.find(".", dot + 1)
        return self.prefix_of(destination) or self._any

    def judge(self, destination: Destination, addresses: Sequence[str] | None) -> Refusal | None:
        """Why `destination` may not be reached; None if it may.

        `addresses` is everything its host name resolves to, in one answer, one of which will be dialled: all must
        be public, and no address at all is a refusal. None leaves the addresses out of the judgement, for a
        first look before the name is resolved. For a host that is an address itself, `addresses` is not looked at.
        """
        refusal = self._judge_host(destination)
        if refusal is not None or addresses is None or destination.address is not None:
            return refusal
        if not addresses:
            return Refusal("dns_failure", f"{destination.host} has no address")
        if self.settings.deny_private_ips:
            for address in addresses:
                kind = address_class(address)
                if kind is not None:
                    return Refusal(
                        "private_ip", f"{destination.host} resolves to {visible(address)[:64]}, {_described(kind)}"
                    )
        return None

    def _judge_host(self, destination: Destination) -> Refusal | None:
        # A private host is called private whether or not it is listed: listing it would not help.
        if self.settings.deny_private_ips:
            if destination.address is not None:
                kind = address_class(destination.address)
                if kind is not None:
                    return Refusal("private_ip", f"{destination.address} is {_described(kind)}")
            elif is_local_name(destination.host):
                return Refusal("private_ip", f"{destination.host} is a local name")
        if self.allows(destination) is None:
            return Refusal("non_allowlisted_domain", self._why_not_allowed(destination))
        return None

    def _why_not_allowed(self, destination: Destination) -> str:
        """What a person who thought the destination was listed has overlooked."""
        host = destination.host
        if (destination.scheme, host, destination.port) in self._prefixes:
            if destination.path_is_plain:
                return f"{host} is allowed only below certain paths"
            return f"{host} is allowed only below certain paths, and this path is not plain enough to tell"
        port = "" if destination.has_default_port else f" port {destination.port}"
        return f"{host}{port} is not on the allowlist"

    def prefix_of(self, destination: Destination) -> str | None:
        """The URL prefix that covers `destination`, whether or not its host is allowed otherwise."""
        if not destination.path_is_plain:
            return None
        branch = self._prefixes.get((destination.scheme, destination.host, destination.port))
        for segment in destination.segments:
            if branch is None:
                return None
            if branch.below is not None:
                return branch.below
            branch = branch.branches.get(segment)
            if branch is not None and branch.here is not None:
                return branch.here
        return None

    def _add_domain(self, pattern: str) -> None:
        if pattern == "*":
            self._any = pattern
            return
        subdomains = pattern.startswith("*.")
        host, port, is_address = read_domain(pattern, pattern[2:] if subdomains else pattern)
        if subdomains and (is_address or "." not in host):
            raise BadPattern(
                f"{_quoted(pattern)} in allowed_domains matches too much or nothing.",
                fix="Put at least two labels after the star, as in *.example.com, or write * for any public host.",
            )
        (self._below if subdomains else self._exact).setdefault((host, port), pattern)

    def _add_prefix(self, pattern: str) -> None:
        prefix = read_prefix(pattern)
        branch = self._prefixes.setdefault((prefix.scheme, prefix.host, prefix.port), _Branch())
        *parents, last = prefix.segments
        for segment in parents:
            branch = branch.branches.setdefault(segment, _Branch())
        if last:
            branch.branches.setdefault(last, _Branch()).here = pattern
        else:
            branch.below = pattern


ANY_DEFAULT_PORT: Final = 0
"""Stands for the default port of whatever scheme is used; no real port is 0."""


class _Branch:
    """A place in the tree of prefixes of one origin."""

    __slots__ = ("below", "branches", "here")

    def __init__(self) -> None:
        self.branches: dict[str, _Branch] = {}
        self.below: str | None = None
        """The prefix, ending in a slash, that covers everything below this place."""
        self.here: str | None = None
        """The prefix, without a slash at its end, that covers this place and everything below it."""


_DOMAIN_FIX: Final = "Write a host such as example.com, *.example.com or example.com:8443."


def read_domain(pattern: str, text: str) -> tuple[str, int, bool]:
    """Canonical host of `text`, its port or ANY_DEFAULT_PORT, and whether the host is an address."""
    if "/" in text or "?" in text or "#" in text:
        raise BadPattern(
            f"{_quoted(pattern)} in allowed_domains is a URL, not a host.",
            fix=f"{_DOMAIN_FIX} A URL with a path belongs in allowed_url_prefixes.",
        )
    if "*" in text:
        raise BadPattern(f"{_quoted(pattern)} in allowed_domains has a star in the wrong place.", fix=_DOMAIN_FIX)
    if text.startswith("."):
        raise BadPattern(
            f"{_quoted(pattern)} in allowed_domains starts with a dot.",
            fix=f"Write {_quoted('*' + text)} for every host below it.",
        )
    # An IPv6 address may be written with or without brackets where it has no port.
    authority = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
    has_port = ":" in authority.rpartition("]")[2]
    try:
        # The scheme decides nothing here but the default port, which is set aside if none is written.
        parsed = parse_destination(f"https://{authority}/")
    except BadDestination as error:
        raise BadPattern(f"{_quoted(pattern)} in allowed_domains: {error.what}", fix=_DOMAIN_FIX) from None
    return parsed.host, parsed.port if has_port else ANY_DEFAULT_PORT, parsed.address is not None


_PREFIX_FIX: Final = "Write it like https://api.example.com/v1/."


def read_prefix(pattern: str) -> Destination:
    """The parts of a URL prefix."""
    if "?" in pattern or "#" in pattern or "*" in pattern:
        raise BadPattern(
            f"{_quoted(pattern)} in allowed_url_prefixes has a query, a fragment or a star in it.",
            fix=f"{_PREFIX_FIX} Everything below that path is covered, with any query.",
        )
    try:
        prefix = parse_destination(pattern)
    except BadDestination as error:
        raise BadPattern(f"{_quoted(pattern)} in allowed_url_prefixes: {error.what}", fix=_PREFIX_FIX) from None
    if "/" not in pattern.partition("://")[2]:
        raise BadPattern(
            f"{_quoted(pattern)} in allowed_url_prefixes ends within the host.",
            fix="End it with a slash to cover the whole host, or list the host in allowed_domains.",
        )
    if not prefix.path_is_plain:
        raise BadPattern(
            f"{_quoted(pattern)} in allowed_url_prefixes has dot segments, empty segments, a semicolon or an escaped "
            "separator in its path.",
            fix=_PREFIX_FIX,
        )
    return prefix


def _quoted(pattern: str) -> str:
    return f"“{visible(pattern)[:200]}”"


def _described(kind: str) -> str:
    return f"an address of the kind “{kind}”"
