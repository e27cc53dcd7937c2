"""Messages and the requests they answer: read in one way, answered once, and never without bound."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.adapters.mcp.content import marked_result
from guardhouse.adapters.mcp.messages import Unreadable, heads, read_message
from guardhouse.adapters.mcp.requests import Requests, Waiting
from guardhouse.model import DEFAULT_LIMITS

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(params=st.dictionaries(st.text(max_size=5), values, max_size=4), number=st.integers() | st.text(max_size=5))
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
    assert marked_result(method, result, "x").keys() == result.keys()


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
    added = [requests.add(number, Waiting(str(number))) for number in range(5000)]
    assert added.count(True) == 4096
    given_up = [requests.cancel(number) for number in range(300)]
    assert [one.method for one in given_up if one is not None] == [str(number) for number in range(44)]
    assert requests.take(0) is None
    assert requests.take(299).method == "299"
    assert requests.cancel(["no", "id"]) is None
    assert len(list(requests.give_up())) == 4096 - 44 - 1
