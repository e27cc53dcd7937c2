"""Reading the first message of a handshake: one meaning, however it is cut, and none for anything else."""

import contextlib
import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proxied import counted, extension, hello, real_hello, records, server_name

from guardhouse.egress.proxy.client_hello import MOST_HELLO, BadHello, ClientHello, HelloReader, asks_again

NAMED = hello(server_name(b"a.example"), extension(43, b"\x02\x03\x04"))


def read(data, **how):
    return HelloReader(**how).feed(data)


def test_a_real_client_is_understood():
    assert read(real_hello("a.example")) == ClientHello("a.example")
    assert read(real_hello(None)) == ClientHello(None)


def test_a_hello_from_before_there_were_extensions_names_nobody():
    body = struct.pack(">H", 0x0301) + bytes(32) + b"\0" + counted(b"\0\x2f") + b"\x01\0"
    assert read(records(b"\x01" + counted(body, 3))) == ClientHello(None)


@given(
    cuts=st.lists(st.integers(1, len(NAMED) - 1), unique=True),
    splits=st.lists(st.integers(0, 2000)),
    tail=st.binary(max_size=40),
)
def test_any_cut_into_records_and_segments_reads_the_same(cuts, splits, tail):
    stream = records(NAMED, *cuts)
    whole = stream + tail
    places = sorted({0, *(min(place, len(whole)) for place in splits), len(whole)})
    reader, found, taken = HelloReader(), None, 0
    for start, end in itertools.pairwise(places):
        found = reader.feed(whole[start:end])
        taken = end
        if found is not None:
            break
    assert found == ClientHello("a.example")
    assert reader.taken == len(stream) <= taken


@given(st.binary(max_size=400))
def test_random_bytes_are_never_a_hello_and_break_nothing(data):
    for how in ({}, {"again": True}):
        with contextlib.suppress(BadHello):
            assert read(data, **how) is None


@given(st.data())
def test_a_hello_with_any_byte_changed_is_read_refused_or_waited_for(data):
    stream = bytearray(records(NAMED))
    place = data.draw(st.integers(0, len(stream) - 1))
    stream[place] = data.draw(st.integers(0, 255))
    try:
        found = read(bytes(stream))
    except BadHello:
        return
    # What still says that name, or is a plain name of the same length, is for the comparison to judge.
    assert found is None or found.server_name is None or len(found.server_name) == len("a.example")


@given(st.data())
def test_a_hello_that_is_cut_off_is_waited_for(data):
    stream = records(NAMED)
    assert read(stream[: data.draw(st.integers(0, len(stream) - 1))]) is None


BAD = {
    "not tls": b"GET / HTTP/1.1\r\n\r\n",
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "sslv2": b"\x80\x2e\x01\x03\x01",
    "an alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "a wrong record version": records(NAMED, version=0x0304),
    "ssl 3": records(NAMED, version=0x0300),
    "an empty record": b"\x16\x03\x01\x00\x00",
    "a record that is too long": b"\x16\x03\x01\x40\x01",
    "another message": records(b"\x02" + NAMED[1:]),
    "a message that is too long": records(b"\x01" + (MOST_HELLO + 1).to_bytes(3)),
    "two messages in one record": records(NAMED + NAMED),
    "another record in between": records(NAMED, 10)[: 5 + 10] + b"\x17\x03\x03\x00\x01x",
    "a wrong version": records(hello(server_name(b"a.example"), version=0x0300)),
    "a version that is not there yet": records(hello(server_name(b"a.example"), version=0x0304)),
    "a long session": records(hello(server_name(b"a.example"), session=bytes(33))),
    "no suites": records(hello(server_name(b"a.example"), suites=b"")),
    "half a suite": records(hello(server_name(b"a.example"), suites=b"\x13")),
    "no compression": records(hello(server_name(b"a.example"), compressions=b"")),
    "something after the end": records(hello(server_name(b"a.example"), after=b"x")),
    "two names": records(hello(server_name(b"a.example", b"b.example"))),
    "the extension twice": records(hello(server_name(b"a.example"), server_name(b"a.example"))),
    "another extension twice": records(hello(server_name(b"a.example"), extension(10), extension(10))),
    "an empty name": records(hello(server_name(b""))),
    "no name in the list": records(hello(server_name())),
    "a name of another kind": records(hello(server_name(b"a.example", kind=1))),
    "a name with a NUL": records(hello(server_name(b"a.example\0.b"))),
    "a name with a slash": records(hello(server_name(b"a.example/x"))),
    "a name with a port": records(hello(server_name(b"a.example:1"))),
    "a name in UTF-8": records(hello(server_name("bücher.example".encode()))),
    "a name that is too long": records(hello(server_name(b"a" * 256))),
    "an empty server name extension": records(hello(extension(0))),
    "something after the list of names": records(hello(extension(0, counted(b"\0" + counted(b"a.example")) + b"x"))),
    "encrypted client hello": records(hello(server_name(b"a.example"), extension(0xFE0D, b"\0" * 8))),
    "encrypted server name": records(hello(server_name(b"a.example"), extension(0xFFCE))),
    "an extension that breaks off": records(hello(server_name(b"a.example"), struct.pack(">HH", 5, 9))),
}


@pytest.mark.parametrize("stream", BAD.values(), ids=BAD.keys())
def test_what_is_malformed_hides_a_name_or_is_something_else_is_refused(stream):
    with pytest.raises(BadHello) as refused:
        read(stream)
    assert "a.example" not in str(refused.value)
    # Also if it comes byte by byte.
    reader = HelloReader()
    with pytest.raises(BadHello):
        for byte in stream:
            reader.feed(bytes([byte]))


def test_a_name_is_read_as_it_was_written():
    assert read(records(hello(server_name(b"A.Example.")))) == ClientHello("A.Example.")


def test_the_longest_hello_passes_and_one_byte_more_does_not():
    room = MOST_HELLO - (len(hello(server_name(b"a.example"), extension(21))) - 4)
    longest = hello(server_name(b"a.example"), extension(21, bytes(room)))
    assert read(records(longest, 16_000)) == ClientHello("a.example")
    with pytest.raises(BadHello, match="too long"):
        read(records(hello(server_name(b"a.example"), extension(21, bytes(room + 1))), 16_000))


def test_a_hello_in_records_of_one_byte_passes():
    assert read(records(NAMED, *range(1, len(NAMED)))) == ClientHello("a.example")


def test_before_a_second_hello_there_may_be_data_that_nobody_reads_and_a_message_that_means_nothing():
    before = b"\x17\x03\x03\x00\x03abc" + b"\x14\x03\x03\x00\x01\x01"
    reader = HelloReader(again=True)
    assert reader.feed(before + records(NAMED)) == ClientHello("a.example")
    assert reader.taken == len(before + records(NAMED))
    with pytest.raises(BadHello):
        read(before + records(NAMED))
    with pytest.raises(BadHello, match="too much"):
        HelloReader(again=True).feed((b"\x17\x03\x03\x40\x00" + bytes(16384)) * 9)


RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")


def test_it_can_be_told_whether_a_server_asks_for_another_hello():
    again = records(b"\x02" + counted(b"\x03\x03" + RETRY + bytes(10), 3), version=0x0303)
    other = records(b"\x02" + counted(b"\x03\x03" + bytes(42), 3), version=0x0303)
    for end in range(43):
        assert asks_again(again[:end]) is None
        assert asks_again(other[:end]) is None
    assert asks_again(again) is True
    assert asks_again(other) is False
    assert asks_again(b"\x15\x03\x03\x00\x02\x02\x28") is False
    assert asks_again(b"HTTP/1.0 400 what") is False
    assert asks_again(records(again[5:], 10)[:20]) is True, "cut up, so that nobody can tell"
