"""Messages and the requests they answer: read in one way, answered once, and never without bound."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.adapters.mcp.content import marked_result
from guardhouse.adapters.mcp.heads import heads
from guardhouse.adapters.mcp.messages import Unreadable, read_message, without_halves
from guardhouse.adapters.mcp.requests import Requests, Waiting
from guardhouse.model import DEFAULT_LIMITS

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    params=st.dictionaries(st.text(max_size=5), values, max_size=4),
    number=st.integers(1 - 2**53, 2**53 - 1) | st.text(max_size=5),
)
def test_a_well_formed_request_is_read_as_what_it_is(params, number):
    body = {"jsonrpc": "2.0", "id": number, "method": "x", "params": params}
    message = read_message(json.dumps(body).encode(), DEFAULT_LIMITS)
    assert message.body == body
    assert (message.kind, message.id, message.params) == ("request", number, params)


@given(
    line=st.binary(max_size=80)
    | st.text(max_size=80).map(str.encode)
    | values.map(lambda one: json.dumps(one).encode())
)
def test_no_line_at_all_is_more_than_refused(line):
    try:
        read_message(line, DEFAULT_LIMITS)
    except Unreadable:
        assert isinstance(heads(line), list)


@given(result=st.dictionaries(st.sampled_from(["content", "contents", "messages", "text"]), values, max_size=4))
@pytest.mark.parametrize("method", ["tools/call", "resources/read", "prompts/get"])
def test_results_of_any_shape_can_be_marked(method, result):
    assert marked_result(method, result, str.upper).keys() == result.keys()


@given(line=st.text('ab\\\\ud83DdeEu00"{}:,', max_size=60).map(str.encode))
def test_taking_halves_of_characters_out_once_is_enough(line):
    whole = without_halves(line)
    assert without_halves(whole) == whole


@given(said=st.text(st.characters(), max_size=20))
def test_what_a_server_wrote_with_halves_of_characters_can_be_read_without_them(said):
    body = {"jsonrpc": "2.0", "method": "x", "params": {"said": said}}
    message = read_message(without_halves(json.dumps(body).encode()), DEFAULT_LIMITS)
    kept = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in said)
    assert len(message.params["said"]) <= len(kept)
    assert message.params["said"] == said or "\ufffd" in kept


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"id":5,"method":"x","params":', [(5, True)]),
        (b'{"params":{"id":6,"method":"y"},"id":"a\\"b"', [('a"b', False)]),
        (b'{"result":[{"id":6}],"id":-3,', [(-3, False)]),
        (b'{"a":"\\"id\\":7","id":8 ', [(8, False)]),
        (b'{"id":"id","method":1,', [("id", True)]),
        (b'[{"id":1,"method":0},{"id":2},{"x":"id"}]', [(1, True), (2, False)]),
        (b'{"id":9007199254740992,"method":"x",', []),
        (b'{"id":true,"method":"x",', []),
        (b'{"id":1.5,"method":"x",', []),
        (b"no message", []),
        (b'{"id":12' + b"3" * 70_000, []),
    ],
)
def test_of_a_line_that_can_not_be_read_the_id_is_still_seen(line, found):
    assert [(head.id, head.asks) for head in heads(line)] == found


@pytest.mark.parametrize("unit", [b'"', b'"a":', b"{", b"[", b'\\"', b'{"id":1},', b'"id" ', b" ", b'"id":1,'])
def test_looking_for_an_id_takes_no_time_whatever_the_line_is(unit):
    start = time.process_time()
    heads(b"{" + unit * (2_000_000 // len(unit)))
    assert time.process_time() - start < 1


def test_a_carriage_return_at_the_end_of_a_line_is_no_other_line():
    assert read_message(b'{"jsonrpc":"2.0","method":"x"}\r', DEFAULT_LIMITS).kind == "notification"


def test_an_answer_belongs_to_one_request_and_is_taken_once():
    requests = Requests()
    assert requests.add(1, Waiting("a"))
    assert not requests.add(1, Waiting("b"))
    assert requests.add("1", Waiting("c"))
    assert requests.take(1).method == "a"
    assert requests.take(1) is None
    assert requests.take("1").method == "c"


def test_requests_that_are_never_answered_do_not_fill_memory():
    requests = Requests()
    assert not requests.has_forgotten
    added = [requests.add(number, Waiting(str(number))) for number in range(5000)]
    assert added.count(True) == 4096
    given_up = [requests.cancel(number) for number in range(300)]
    assert [one.method for one in given_up if one is not None] == [str(number) for number in range(44)]
    assert requests.take(0) is None
    assert requests.take(299).method == "299"
    assert requests.cancel(["no", "id"]) is None
    assert requests.has_forgotten
    assert len(list(requests.give_up())) == 4096 - 44 - 1
