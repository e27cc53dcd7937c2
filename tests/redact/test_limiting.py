"""What of a result may be seen under a condition: never more than it says, whatever the content is hidden in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.model import Condition
from guardhouse.redact.limiting import limited

STRUCTURE = Condition("structure")


def lines(count):
    return Condition("first_lines", count)


def size(value):
    return len(msgspec.json.encode(value))


def test_the_first_lines_of_a_text_are_shown_and_the_others_counted():
    assert limited("a\nb\nc\nd", lines(2)) == "a\nb\n[2 more lines withheld]"
    assert limited("a\nb", lines(2)) == "a\nb"
    assert limited("", lines(1)) == ""


def test_a_long_line_counts_as_many():
    shown = limited("x" * 100_000, lines(2))
    assert shown == "x" * 800 + " [the rest of this line withheld]"


def test_lines_are_counted_over_all_texts_of_a_result():
    result = {"content": [{"type": "text", "text": "a\nb"}, {"type": "text", "text": "c\nd"}], "isError": False}
    assert limited(result, lines(3)) == {
        "content": [{"type": "text", "text": "a\nb"}, {"type": "text", "text": "c\n[1 more lines withheld]"}],
        "isError": False,
    }
    assert limited(result, lines(1)) == {
        "content": [{"type": "text", "text": "a\n[1 more lines withheld]"}],
        "isError": False,
    }


def test_the_kind_of_a_part_stays_whatever_the_order_of_its_fields():
    assert limited([{"text": "a\nb", "type": "text"}], lines(1)) == [
        {"text": "a\n[1 more lines withheld]", "type": "text"}
    ]


@pytest.mark.parametrize(
    "value",
    [
        {f"key{number}": number for number in range(5_000)},
        {f"word-{number}": None for number in range(5_000)},
        {f"the password is {number}": {} for number in range(5_000)},
        {"x" * 50_000: 1},
        list(range(5_000)),
        [[1] * 100 for _ in range(100)],
        [{"type": f"word{number}"} for number in range(5_000)],
        [True, False] * 5_000,
        {"rows": {"a": {f"n{number}": number / 7 for number in range(5_000)}}},
        "\r".join(["line"] * 5_000),
        "\u2028".join(["line"] * 5_000),
        ["x" * 300] * 100,
    ],
    ids=["numbers", "names", "odd names", "one name", "list", "lists", "kinds", "bits", "deep", "cr", "ls", "texts"],
)
def test_whatever_content_is_hidden_in_only_so_much_is_seen(value):
    # Three lines of 400 characters, what is around them in JSON, and the names that keep the shape.
    assert size(limited(value, lines(3))) < 3 * 400 * 4
    assert size(limited(value, STRUCTURE)) < 6_000


@pytest.mark.parametrize("condition", [lines(3), STRUCTURE])
def test_what_is_no_json_is_not_passed_on(condition):
    with pytest.raises(TypeError):
        limited({"data": b"raw"}, condition)


def test_a_structure_says_sizes_names_and_kinds_and_nothing_else():
    result = {
        "rows": [{"id": 17, "name": "Ada", "admin": True, "boss": None}],
        "the secret is hunter2": "x",
        "type": "confession",
        "isError": False,
    }
    assert limited(result, STRUCTURE) == {
        "rows": [{"id": "[number]", "name": "[text: 3 characters, 1 lines]", "admin": "[yes or no]", "boss": None}],
        "[name 2]": "[text: 1 characters, 1 lines]",
        "type": "[text: 10 characters, 1 lines]",
        "isError": False,
    }


def test_a_flag_that_is_no_flag_is_content():
    assert limited({"isError": "hunter2"}, STRUCTURE) == {"isError": "[text: 7 characters, 1 lines]"}
    assert limited(["a", {"isError": "hunter2"}], lines(1)) == ["a"]


def test_few_items_are_described_and_the_others_counted():
    shown = limited(["secret"] * 1_000, STRUCTURE)
    assert len(shown) == 21
    assert shown[-1] == "[and 980 more]"


def every_text(value):
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from every_text(inner)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["QZX", "one QZX\ntwo", "QZX" * 200]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["type", "a", "QZX b", ""]), inner),
    max_leaves=30,
)


@given(value=JSON)
@settings(max_examples=up_to(60), deadline=None)
def test_a_structure_has_no_text_of_the_result(value):
    assert not any("QZX" in text for text in every_text(limited(value, STRUCTURE)))


@given(value=JSON, count=st.integers(1, 5))
@settings(max_examples=up_to(60), deadline=None)
def test_nothing_is_seen_behind_the_last_line(value, count):
    shown = limited({"head": "\n" * 10, "rest": value}, lines(count))
    assert not any("QZX" in text for text in every_text(shown))
