"""Server-sent events: the same, however their bytes are cut, and in time that grows with them only."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.adapters.mcp.messages import Unreadable, read_message
from guardhouse.adapters.mcp.streamable.events import EventReader, event, one_line
from guardhouse.model import DEFAULT_LIMITS


def read(*pieces):
    reader = EventReader()
    return [found for piece in pieces for found in reader.feed(piece)]


def test_fields_comments_and_ends_of_lines_are_as_the_standard_has_them():
    data = b"\xef\xbb\xbf: hello\rid: 1\r\nevent:message\ndata: a\ndata:b\r\r"
    data += b"data\n\nretry: 250\nid: 2\nodd: x\n\n\n\ndata: lost"
    found = read(data)
    assert [(one.id, one.name, one.data, one.retry) for one in found] == [
        ("1", "message", b"a\nb", None),
        ("", "", b"", None),
        ("2", "", b"", 0.25),
    ]


@pytest.mark.parametrize("number", [b"a\x00b", b"x" * 2000, b"\xc3\xa9", b"a\x7f"])
def test_an_id_that_could_not_be_sent_back_is_none(number):
    (one,) = read(b"id: " + number + b"\ndata: x\n\n")
    assert one.id == ""


@pytest.mark.parametrize("retry", [b"-1", b"1.5", b"9" * 50, b"soon", b""])
def test_a_time_to_wait_that_is_none_is_none(retry):
    (one,) = read(b"retry: " + retry + b"\ndata: x\n\n")
    assert one.retry is None


PIECES = st.lists(
    st.sampled_from([b"data: x", b"id: 1", b": c", b"\n", b"\r", b"\r\n", b"event: m", b"retry: 5", b"y"])
)


@given(PIECES, st.data())
def test_how_a_stream_is_cut_makes_no_difference(parts, data):
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(*pieces) == read(whole)


@given(st.binary(max_size=200).filter(lambda text: b"\n" not in text and b"\r" not in text))
def test_what_is_written_as_an_event_is_read_as_it_was(text):
    assert [(one.id, one.data) for one in read(event(text, "7"))] == [("7", text)]


@pytest.mark.parametrize("piece", [b"data: xxxxxxxx\n", b"x", b"\r", b"data:\n\n", b"id: 1\n"])
def test_many_small_pieces_take_time_in_proportion(piece):
    def seconds(count):
        reader = EventReader()
        begun = time.process_time()
        for _ in range(count):
            for _found in reader.feed(piece):
                pass
        return time.process_time() - begun

    seconds(100)
    assert seconds(200_000) < 20 * seconds(20_000) + 0.2


def test_a_line_break_between_parts_is_a_blank_and_one_in_a_text_is_no_line_of_its_own():
    message = b'{"jsonrpc":"2.0",\r\n"method":"x",\n"params":{"a":"b"}}'
    assert read_message(one_line(message), DEFAULT_LIMITS).params == {"a": "b"}
    hidden = b'{"jsonrpc":"2.0","method":"x","params":{"a":"\n{\\"jsonrpc\\":\\"2.0\\"}\n"}}'
    assert b"\n" not in one_line(hidden)
    with pytest.raises(Unreadable):
        read_message(one_line(b'{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0"}'), DEFAULT_LIMITS)
