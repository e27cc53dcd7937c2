"""Tokens that are read by hand are those that the pattern of their kind finds."""

from __future__ import annotations

from functools import cache, partial
from time import process_time

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import SecretScanner
from guardhouse.detect.secrets.kinds import KINDS, PREFIXED
from guardhouse.detect.secrets.kinds.rows import example, literals
from guardhouse.detect.secrets.runs import RunReader, plain_body
from guardhouse.detect.secrets.searching import Searcher
from guardhouse.redact import Redactor

READ_BY_HAND = [index for index in range(len(PREFIXED)) if isinstance(KINDS[index].spans, RunReader)]


searcher = cache(partial(Searcher, re2))


def by_pattern(kind, data):
    """What the pattern finds, from the beginning to the end."""
    search = searcher(kind.pattern).search
    at, found = 0, []
    while at < len(data) and (spans := search(data, at, len(data))) is not None:
        start, at = spans[1]
        found.append((start, at))
    return found


def trigger_ends(kind, data):
    trigger = searcher(kind.trigger)
    return [spans[0][1] for at in range(len(data)) if (spans := trigger.match(data, at, len(data))) is not None]


def by_hand(kind, data, copies=1):
    return [(start, end) for _low, start, end in kind.spans(data, trigger_ends(kind, data) * copies)]


def test_most_tokens_are_read_by_hand():
    assert len(READ_BY_HAND) > len(PREFIXED) / 2


@cache
def pieces(index):
    """What a text with tokens of a kind, whole and broken, is put together from."""
    row = PREFIXED[index]
    token = example(row.example)
    piece = st.one_of(
        st.sampled_from(literals(row.head)),
        st.just(token),
        st.integers(0, len(token)).map(lambda size: token[-size:]),
        st.integers(0, len(token)).map(lambda size: token[:size]),
        st.sampled_from(
            [
                *" \n-_.=+/%\\",
                "\\n",
                "\\u0041",
                "%3D",
                "\x1b[0m",
                "\x1b[38;5;208m",
                "\n+",
                "A",
                "z9",
                "Z" * 40,
                "a-" * 20,
                "é",
            ]
        ),
    )
    return st.tuples(st.just(index), st.lists(piece, min_size=1, max_size=7))


@settings(max_examples=up_to(2000), deadline=None, derandomize=True)
@given(st.sampled_from(READ_BY_HAND).flatmap(pieces))
def test_what_is_read_by_hand_is_what_the_pattern_finds(drawn):
    index, parts = drawn
    kind, row = KINDS[index], PREFIXED[index]
    text = "".join(parts).encode()
    wanted = by_pattern(kind, text)
    for found in (by_hand(kind, text), by_hand(kind, text, copies=40)):
        # Where a token begins with what could end an escape (`%AAAA…`), more of it is masked.
        assert [end for _start, end in found] == [end for _start, end in wanted], (row.id, text)
        assert all(one[0] <= other[0] for one, other in zip(found, wanted, strict=True)), (row.id, text)


def test_one_run_with_many_beginnings_takes_no_time_for_each():
    kind = next(KINDS[index] for index in READ_BY_HAND if PREFIXED[index].id == "github_token")
    text = b"ghp_" * 200_000
    ends = list(range(20, len(text), 4))
    begin = process_time()
    found = list(kind.spans(text, ends))
    assert process_time() - begin < 2
    assert found == []


def test_a_body_that_is_more_than_a_run_is_left_to_its_pattern():
    assert plain_body("[a-z]{8}[0-9]{2}") is None
    assert plain_body("(?:[a-z]{8}|[0-9]{9})") is None
    assert plain_body("[^a]{8}") is None
    assert plain_body(r"[\s]{8}") is None
    assert plain_body(r"[a-c\-]{2,}").alphabet == frozenset(b"abc-")
    assert plain_body("[ab]{3}")[1:] == (3, 3)
    assert plain_body("[ab]{3,9}")[1:] == (3, 9)


# A token that goes on on the next line ------------------------------------------------------------------------------


FIRST, REST = "rk_live_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8", "xGaXNeJZ2CdvDGeVZQHljoq5TuFw"


@pytest.mark.parametrize("between", ["\n", "\r\n", "\\\n", "\n    ", "\n> ", "\n# "])
def test_the_rest_of_a_broken_token_is_masked_with_it(between):
    text = f"token: {FIRST}{between}{REST}\nand so on"
    assert Redactor(SecretScanner()).text(text) == "token: rk_live_[redacted]\nand so on"


@pytest.mark.parametrize(
    "following",
    [
        "2026-01-01 a request came",
        "2026-01-01",
        "authentication failed",
        "GITHUB_USER=name1",
        "x = compute(y)",
        "",
        "}",
    ],
)
def test_what_else_stands_on_the_next_line_stays(following):
    text = f"token: {FIRST}\n{following}\n"
    assert Redactor(SecretScanner()).text(text) == f"token: rk_live_[redacted]\n{following}\n"


def test_each_token_of_a_list_has_its_own_mask():
    text = "\n".join([FIRST, FIRST[::-1][:24], FIRST, FIRST])
    masked = Redactor(SecretScanner()).text(text)
    assert masked.count("rk_live_[redacted]") == 3
    assert "\nrk_live_[redacted]\nrk_live_[redacted]" in masked


def test_many_lines_that_could_be_the_rest_are_read_once():
    text = "\n".join(f"GITHUB_TOKEN={FIRST}{number}" for number in range(4_000))
    begin = process_time()
    assert len(SecretScanner().scan(text)) == 4_000
    assert process_time() - begin < 4
