"""Which network addresses an agent has no business with: the explicit table, and the lookup in it.

The table is ours because the standard library's notion of "private" and "global" differs between patch releases of
Python. It says what an address is, not whether it may be reached: that is `rules`. Names are not looked up here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable


class Block(msgspec.Struct, frozen=True):
    """A range of addresses that are not ordinary public hosts."""

    network: str
    kind: str


# The first row that contains an address names it, so single addresses stand before the ranges around them.
IPV4_BLOCKS: Final = (
    Block("169.254.169.254/32", "metadata"),  # AWS, GCP, Azure, OpenStack, Hetzner, DigitalOcean, Oracle
    Block("169.254.170.2/32", "metadata"),  # AWS ECS task credentials
    Block("169.254.170.23/32", "metadata"),  # AWS EKS pod identity
    Block("169.254.42.42/32", "metadata"),  # Scaleway
    Block("100.100.100.200/32", "metadata"),  # Alibaba Cloud
    Block("168.63.129.16/32", "metadata"),  # Azure wire server: outside every reserved range
    Block("192.0.0.192/32", "metadata"),  # Oracle Cloud classic
    Block("0.0.0.0/32", "unspecified"),  # Linux connects it to loopback
    Block("0.0.0.0/8", "this_network"),
    Block("10.0.0.0/8", "private"),
    Block("100.64.0.0/10", "cgnat"),
    Block("127.0.0.0/8", "loopback"),
    Block("169.254.0.0/16", "link_local"),
    Block("172.16.0.0/12", "private"),
    Block("192.0.0.0/24", "reserved"),  # IETF protocol assignments
    Block("192.0.2.0/24", "documentation"),
    Block("192.31.196.0/24", "as112"),
    Block("192.52.193.0/24", "amt"),
    Block("192.88.99.0/24", "6to4"),  # the retired relay anycast
    Block("192.168.0.0/16", "private"),
    Block("192.175.48.0/24", "as112"),
    Block("198.18.0.0/15", "benchmark"),
    Block("198.51.100.0/24", "documentation"),
    Block("203.0.113.0/24", "documentation"),
    Block("224.0.0.0/4", "multicast"),
    Block("255.255.255.255/32", "broadcast"),
    Block("240.0.0.0/4", "reserved"),
)

# What carries an IPv4 address inside is refused whatever that address is: which machine it reaches depends on
# translators along the way.
IPV6_BLOCKS: Final = (
    Block("fd00:ec2::254/128", "metadata"),  # AWS
    Block("fd00:ec2::23/128", "metadata"),  # AWS EKS pod identity
    Block("fd20:ce::254/128", "metadata"),  # GCP
    Block("fd00:c1::a9fe:a9fe/128", "metadata"),  # Oracle
    Block("fd00:42::42/128", "metadata"),  # Scaleway
    Block("::/128", "unspecified"),
    Block("::1/128", "loopback"),
    Block("::/96", "compatible"),
    Block("::ffff:0:0/96", "mapped"),
    Block("::ffff:0:0:0/96", "translated"),
    Block("64:ff9b::/96", "nat64"),
    Block("64:ff9b:1::/48", "nat64"),
    Block("100::/64", "discard"),
    Block("fc00::/7", "unique_local"),
    Block("fe80::/10", "link_local"),
    Block("fec0::/10", "site_local"),
    Block("ff00::/8", "multicast"),
    Block("2001::/32", "teredo"),
    Block("2001:2::/48", "benchmark"),
    Block("2001:10::/28", "orchid"),
    Block("2001:20::/28", "orchid"),
    Block("2001::/23", "reserved"),  # IETF protocol assignments
    Block("2001:db8::/32", "documentation"),
    Block("2002::/16", "6to4"),
    Block("2620:4f:8000::/48", "as112"),
    Block("3ffe::/16", "reserved"),  # 6bone, returned
    Block("3fff::/20", "documentation"),
)

# The only range of IPv6 that is given out to hosts. Everything outside it and outside the table is "reserved".
IPV6_PUBLIC: Final = "2000::/3"


def _compiled(network: str) -> tuple[int, int]:
    """`network` as (mask, value), so that containment is one operation on integers."""
    import ipaddress  # most calls name no address

    parsed = ipaddress.ip_network(network)
    return int(parsed.netmask), int(parsed.network_address)


@cache
def _ipv4() -> tuple[tuple[int, int, str], ...]:
    return tuple((*_compiled(block.network), block.kind) for block in IPV4_BLOCKS)


@cache
def _ipv6() -> tuple[tuple[int, int, str], ...]:
    return (
        *((*_compiled(block.network), block.kind) for block in IPV6_BLOCKS),
        # ISATAP is an interface identifier, 0000:5efe or 0200:5efe before the IPv4 address, under any prefix.
        (0xFCFFFFFF_00000000, 0x00005EFE_00000000, "isatap"),
    )


@cache
def _public() -> tuple[int, int]:
    return _compiled(IPV6_PUBLIC)


def address_class(text: str) -> str | None:
    """Why `text` is no ordinary public address (`loopback`, `metadata`, `nat64`, …); None if it is one.

    Only the strict spellings are read: dotted decimal, and IPv6 without brackets or zone. Anything else is
    `unparseable`, which is as good a reason to refuse as the others.
    """
    number = ipv4_number(text)
    if number is not None:
        return _kind(number, _ipv4())
    number = ipv6_number(text)
    if number is None:
        return "unparseable"
    mask, value = _public()
    return _kind(number, _ipv6()) or (None if number & mask == value else "reserved")


def _kind(number: int, table: Iterable[tuple[int, int, str]]) -> str | None:
    for mask, value, kind in table:
        if number & mask == value:
            return kind
    return None


def ipv4_number(text: str) -> int | None:
    """The address that four decimal octets without leading zeros spell; None for every other spelling."""
    octets = text.split(".", 4)
    if len(octets) != 4 or not text.isascii():
        return None
    number = 0
    for octet in octets:
        if not octet.isdigit() or len(octet) > 3 or (octet[0] == "0" and octet != "0"):
            return None
        value = int(octet)
        if value > 255:
            return None
        number = number << 8 | value
    return number


def ipv6_number(text: str) -> int | None:
    """The address that `text`, without brackets or zone, spells in IPv6; None if it spells none."""
    if len(text) > 45 or ":" not in text or "%" in text or "/" in text:
        return None
    import ipaddress

    try:
        return int(ipaddress.IPv6Address(text))
    except ValueError:
        return None


def ipv6_text(number: int) -> str:
    """The one canonical spelling (RFC 5952, but always in hexadecimal, as URLs have it)."""
    groups = [number >> shift & 0xFFFF for shift in range(112, -16, -16)]
    start, length = _longest_zero_run(groups)
    if length < 2:
        return ":".join(f"{group:x}" for group in groups)
    head = ":".join(f"{group:x}" for group in groups[:start])
    tail = ":".join(f"{group:x}" for group in groups[start + length :])
    return f"{head}::{tail}"


def _longest_zero_run(groups: list[int]) -> tuple[int, int]:
    """(start, length) of the longest run of zeros; the first of equal ones."""
    best_start, best_length, length = 0, 0, 0
    for position, group in enumerate(groups):
        length = 0 if group else length + 1
        if length > best_length:
            best_start, best_length = position - length + 1, length
    return best_start, best_length
