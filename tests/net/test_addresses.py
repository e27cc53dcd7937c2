"""Every special range is refused to its last address, and the public space around it is not."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.net import address_class
from guardhouse.net.addresses import IPV4_BLOCKS, IPV6_BLOCKS, IPV6_PUBLIC, ipv6_number, ipv6_text

BLOCKS = [ipaddress.ip_network(block.network) for block in (*IPV4_BLOCKS, *IPV6_BLOCKS)]

SPECIAL = [
    ("0.0.0.0", "unspecified"),
    ("0.1.2.3", "this_network"),
    ("10.20.30.40", "private"),
    ("100.64.0.1", "cgnat"),
    ("100.100.100.200", "metadata"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("168.63.129.16", "metadata"),
    ("169.254.169.254", "metadata"),
    ("169.254.1.1", "link_local"),
    ("172.31.255.255", "private"),
    ("192.0.0.192", "metadata"),
    ("192.0.0.1", "reserved"),
    ("192.168.77.1", "private"),
    ("198.19.0.1", "benchmark"),
    ("203.0.113.77", "documentation"),
    ("239.1.1.1", "multicast"),
    ("250.1.1.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::8.8.8.8", "compatible"),
    ("::ffff:8.8.8.8", "mapped"),
    ("::ffff:0:8.8.8.8", "translated"),
    ("64:ff9b::8.8.8.8", "nat64"),
    ("64:ff9b:1::8.8.8.8", "nat64"),
    ("100::7", "discard"),
    ("2001::1", "teredo"),
    ("2001:2::7", "benchmark"),
    ("2001:20::7", "orchid"),
    ("2001:1ff::7", "reserved"),
    ("2001:db8::7", "documentation"),
    ("2002:808:808::1", "6to4"),
    ("2606:4700::5efe:8.8.8.8", "isatap"),
    ("2606:4700::200:5efe:8.8.8.8", "isatap"),
    ("3fff:fff::1", "documentation"),
    ("3ffe::1", "reserved"),
    ("4000::1", "reserved"),
    ("fd00:ec2::254", "metadata"),
    ("fd12:3456::1", "unique_local"),
    ("fe80::1", "link_local"),
    ("fec0::1", "site_local"),
    ("ff02::1", "multicast"),
]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "168.63.129.15",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.254",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
]

UNREADABLE = [
    "",
    "localhost",
    "127.1",
    "127.0.0.1.",
    "0127.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3.256",
    "1.2.3.4.5",
    "1.2.3.4 ",
    "1.2.3.+4",
    "１.1.1.1",
    "[2606:4700::1]",
    "2606:4700::1%eth0",
    "2606:4700::1/64",
    ":::",
    "2606:4700::1::2",
]


@pytest.mark.parametrize(("text", "kind"), SPECIAL)
def test_a_special_address_is_named_for_what_it_is(text, kind):
    assert address_class(text) == kind


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_fine(text):
    assert address_class(text) is None


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_strict_address_is_unparseable(text):
    assert address_class(text) == "unparseable"


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_both_ends_of_every_block_are_refused(block):
    assert address_class(str(block[0])) is not None
    assert address_class(str(block[-1])) is not None


@given(st.data())
def test_every_address_inside_every_block_is_refused(data):
    block = data.draw(st.sampled_from(BLOCKS))
    inside = block[data.draw(st.integers(0, block.num_addresses - 1))]
    assert address_class(str(inside)) is not None


@given(st.ip_addresses(v=6))
def test_nothing_outside_the_public_range_of_ipv6_is_public(address):
    if address not in ipaddress.ip_network(IPV6_PUBLIC):
        assert address_class(str(address)) is not None


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_another_notation_is_always_refused(address):
    for text in (f"::{address}", f"::ffff:{address}", f"64:ff9b::{address}", f"2a00:1450::5efe:{address}"):
        assert address_class(text) is not None


@given(st.ip_addresses(v=6))
def test_the_canonical_spelling_of_ipv6_names_the_same_address(address):
    text = ipv6_text(int(address))
    assert ipv6_number(text) == int(address)
    assert text == text.lower()


@given(st.text(max_size=60))
def test_any_text_gets_an_answer(text):
    assert address_class(text) is None or isinstance(address_class(text), str)
