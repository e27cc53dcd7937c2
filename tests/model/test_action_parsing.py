"""The strict wire form: what is an action, what is not, and that errors never repeat what was sent."""

import json
from collections import OrderedDict, defaultdict
from enum import Enum, IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.model import (
    ACTION_TYPES,
    DEFAULT_LIMITS,
    MAX_DEPTH,
    InvalidAction,
    Limits,
    OutputPublish,
    ToolCallPost,
    ToolCallPre,
    UserInput,
    admit,
    checked_copy,
    decode,
    parse_action,
    wire,
)

DIGEST = "sha256:" + "0" * 64
EVERY_TYPE = [
    {"type": "UserInput", "content": "hello", "origin": "typed"},
    {"type": "ToolCallPre", "tool": "url_fetch", "params": {"url": "https://a.example/"}, "call_id": "c1"},
    {"type": "ToolCallPost", "tool": "url_fetch", "content": ["a", 1, None], "call_id": "c1"},
    {"type": "OutputPublish", "content": "hi", "channel": "chat"},
    {"type": "MemoryReadPre", "store": "notes", "query": {"q": "x"}},
    {"type": "MemoryReadPost", "store": "notes", "content": [1.5, True]},
    {"type": "SkillRunPre", "skill": "pdf", "params": {}},
    {"type": "SkillRunPost", "skill": "pdf", "content": None},
    {"type": "SkillInstall", "skill": "pdf", "source": "https://s.example/pdf.zip", "tree_digest": DIGEST},
]
COMMON = {"session_id": "s", "run_id": "r", "parent_run_id": "p", "task_id": "t", "principal": "ada", "cwd": "/srv"}
CALL = {"type": "ToolCallPre", "tool": "t", "params": {}}


def call(**params):
    return {"type": "ToolCallPre", "tool": "t", "params": params}


def test_the_examples_name_all_nine_types():
    assert [example["type"] for example in EVERY_TYPE] == list(ACTION_TYPES)


@pytest.mark.parametrize("value", EVERY_TYPE, ids=lambda value: value["type"])
def test_every_type_survives_its_wire_form(value):
    full = {**COMMON, **value}
    action = parse_action(json.dumps(full))
    assert type(action) is ACTION_TYPES[value["type"]]
    assert wire(action) == full
    assert parse_action(wire(action)) == action
    assert parse_action(json.dumps(wire(action)).encode()) == action


@pytest.mark.parametrize("value", EVERY_TYPE, ids=lambda value: value["type"])
def test_each_required_field_is_required(value):
    for name in value.keys() - {"type", "origin", "call_id", "channel"}:
        with pytest.raises(InvalidAction, match=name):
            parse_action({key: item for key, item in value.items() if key != name})


def test_input_without_an_origin_claims_no_authority():
    assert parse_action({"type": "UserInput", "content": "x"}).origin == "pasted"


@pytest.mark.parametrize("kind", ["ToolCallPr", "toolcallpre", "", "Tool", None, 1, ["ToolCallPre"], {"a": 1}])
def test_an_unknown_type_is_refused(kind):
    with pytest.raises(InvalidAction, match="no known type"):
        parse_action({"type": kind, "tool": "t", "params": {}})


def test_a_misspelt_type_or_field_is_answered_with_the_right_one():
    with pytest.raises(InvalidAction, match="Did you mean the type `ToolCallPre`"):
        parse_action({"type": "ToolCalPre"})
    with pytest.raises(InvalidAction, match="Did you mean the field `params`"):
        parse_action({"type": "ToolCallPre", "tool": "t", "parms": {}})
    with pytest.raises(InvalidAction, match="Known: attempt, call_id, cwd"):
        parse_action({**CALL, "zzzzzz": 1})


def test_a_name_of_megabytes_is_refused_without_comparing_it():
    with pytest.raises(InvalidAction, match="Known"):
        parse_action({**CALL, "x" * 4_000_000: 1})
    with pytest.raises(InvalidAction, match="Known"):
        parse_action({"type": "T" * 4_000_000})


@pytest.mark.parametrize(
    "changed",
    [
        {"tool": ""},
        {"tool": "x" * 257},
        {"tool": None},
        {"tool": 5},
        {"params": []},
        {"params": None},
        {"params": "x"},
        {"session_id": ""},
        {"run_id": 7},
        {"cwd": "x" * 4097},
        {"call_id": {}},
    ],
)
def test_a_field_of_the_wrong_kind_is_refused(changed):
    with pytest.raises(InvalidAction):
        parse_action({**CALL, **changed})


@pytest.mark.parametrize("digest", ["", "sha256:" + "0" * 63, "sha256:" + "G" * 64, "md5:" + "0" * 64, f"{DIGEST}\n"])
def test_a_tree_digest_is_exactly_a_sha256(digest):
    with pytest.raises(InvalidAction):
        parse_action({**EVERY_TYPE[-1], "tree_digest": digest})


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e999999",
        '{"a":1,"a":1}',
        '[{"b":{"a":1,"a":2}}]',
        r'{"a":1,"\u0061":2}',
        r'"\ud800"',
        r'"\udc00\ud800"',
        r'{"\ud800":1}',
        "9" * 5000,
        "-" + "9" * 5000,
        "[1,]",
        "{'a':1}",
        "",
        "1 2",
        "\ufeff1",
        "nul",
        '"\t"',
    ],
)
def test_what_a_lenient_reader_would_smooth_over_is_refused(text):
    with pytest.raises(InvalidAction):
        decode(f'{{"type":"ToolCallPre","tool":"t","params":{{"x":{text}}}}}' if text != "\ufeff1" else text)


@pytest.mark.parametrize(
    "data", [b'"\xff"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b"\xff\xfe{\x00}\x00", b'"\xf8\x88\x80\x80\x80"']
)
def test_bytes_that_are_not_utf8_are_refused(data):
    with pytest.raises(InvalidAction, match="UTF-8"):
        decode(data)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", {"\udfff": 1}, 10**4300, -(10**4300)], ids=range(6)
)
def test_the_same_is_refused_in_python_values(value):
    with pytest.raises(InvalidAction):
        parse_action(call(x=value))


def test_an_integer_as_long_as_text_can_carry_is_taken():
    assert parse_action(json.dumps(call(x=10**4300 - 1))).params["x"] == 10**4300 - 1


@pytest.mark.parametrize(
    "value", [b"x", bytearray(b"x"), {1, 2}, object(), 1j, {1: 2}, {None: 1}, {("a",): 1}, range(3), print, Exception()]
)
def test_values_that_are_not_json_are_refused(value):
    with pytest.raises(InvalidAction):
        parse_action(call(x=value))


@pytest.mark.parametrize("data", [None, 5, [], "[]", b"null", '"x"', bytearray(b"{}"), 1.5])
def test_only_an_object_is_an_action(data):
    with pytest.raises(InvalidAction):
        parse_action(data)


class Colour(str, Enum):  # noqa: UP042 - its str() is not its value, which is the point
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Loud(str):
    __slots__ = ()

    def __str__(self):
        return "something else"


class Shifty(int):
    def __int__(self):
        return 0


class Wobbly(float):
    def __float__(self):
        return 0.0


def test_subclasses_are_taken_for_the_value_they_hold():
    value = {
        "a": Colour.RED,
        "b": Size.BIG,
        "c": Loud("rm -rf /"),
        "d": Shifty(7),
        "e": Wobbly(2.5),
        "f": OrderedDict(x=(1, 2)),
        "g": defaultdict(list, y=[Colour.RED]),
        Loud("key"): 1,
    }
    copy = checked_copy(value)
    assert copy == json.loads(json.dumps(value))
    assert copy["a"] == "red"
    assert copy["c"] == "rm -rf /"
    assert [type(item) for item in copy.values()] == [str, int, str, int, float, dict, dict, int]
    assert type(copy["f"]["x"]) is list


def nested(levels, inner=0):
    for _ in range(levels):
        inner = [inner]
    return inner


def test_nesting_is_taken_down_to_the_limit_and_no_further():
    assert checked_copy(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    for too_deep in (nested(MAX_DEPTH + 1), nested(100_000)):
        with pytest.raises(InvalidAction) as refused:
            checked_copy(too_deep)
        assert refused.value.code == "action.too_large"
    for text in ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "[" * 200_000, '{"a":' * 200_000):
        with pytest.raises(InvalidAction):
            decode(text)


def test_a_value_that_contains_itself_is_too_deep():
    loop = []
    loop.append(loop)
    with pytest.raises(InvalidAction):
        checked_copy(loop)


@pytest.mark.parametrize(
    "value",
    ["x" * 101, {"x" * 101: 1}, ["x" * 51] * 2, "é" * 51, {"k" * 60: "v" * 60}],
    ids=lambda value: str(value)[:8],
)
def test_text_over_the_byte_limit_is_too_large(value):
    with pytest.raises(InvalidAction) as refused:
        checked_copy(value, Limits(max_bytes=100, max_nodes=50))
    assert refused.value.code == "action.too_large"


def test_text_at_the_byte_limit_is_taken():
    assert checked_copy("é" * 50, Limits(max_bytes=100, max_nodes=1)) == "é" * 50


@pytest.mark.parametrize("value", [[0] * 50, {str(number): 0 for number in range(50)}, nested(50)])
def test_more_values_than_the_limit_are_too_large(value):
    limits = Limits(max_bytes=1000, max_nodes=50)
    with pytest.raises(InvalidAction) as refused:
        checked_copy(value, limits)
    assert refused.value.code == "action.too_large"
    assert checked_copy([0] * 49, limits) == [0] * 49


def test_input_over_the_limit_is_refused_before_it_is_read():
    with pytest.raises(InvalidAction) as refused:
        decode(b"\xff" * (DEFAULT_LIMITS.max_bytes + 1))
    assert refused.value.code == "action.too_large"


def test_admitting_makes_a_private_copy():
    params = {"list": [1, {"a": "b"}]}
    action = ToolCallPre(tool="t", params=params)
    admitted = admit(action)
    params["list"][1]["a"] = "changed"
    params["more"] = 1
    assert admitted.params == {"list": [1, {"a": "b"}]}
    assert type(admitted) is ToolCallPre


class Sneaky(ToolCallPre, frozen=True, kw_only=True):
    """Not one of ours."""


@pytest.mark.parametrize("thing", [None, {"type": "UserInput"}, "x", Sneaky(tool="t", params={}), ToolCallPre])
def test_only_the_nine_types_are_admitted(thing):
    with pytest.raises(InvalidAction):
        admit(thing)


def test_what_was_built_without_checks_is_checked_on_admission():
    for wrong in (
        ToolCallPre(tool="", params={}),
        ToolCallPre(tool="t", params=[]),
        ToolCallPre(tool="t", params={"x": b""}),
        UserInput(content=5),
        UserInput(content="x", origin="god"),
        ToolCallPost(tool=None, content=""),
        OutputPublish(content=float("nan")),
    ):
        with pytest.raises(InvalidAction):
            admit(wrong)


SECRET = "sk-live-abcdefghijklmnop0123456789"


def spoiled():
    """Every action, wrong in every single place, with a secret in that place."""
    for value in EVERY_TYPE:
        full = {**COMMON, **value}
        yield {**full, SECRET: 1}
        yield {**full, "type": SECRET}
        for name in full:
            for wrong in (SECRET, [SECRET], {SECRET: SECRET}, {"a": b"x", SECRET: 1}, SECRET * 200, {5: SECRET}):
                yield {**full, name: wrong}
        yield {**full, "origin": SECRET}
        yield {**full, "nested": {"x": {SECRET: float("nan")}}}


def test_no_error_repeats_what_was_sent():
    refused = 0
    for value in spoiled():
        error = refusal(value)
        refused += error is not None
        assert "abcdefghij" not in f"{error} {error!r}"
    assert refused > 200


def refusal(value):
    try:
        parse_action(value)
    except InvalidAction as error:
        return error
    return None


@pytest.mark.parametrize(
    "text",
    [f'{{"a": {SECRET}}}', f'{{"{SECRET}":1,"{SECRET}":2}}', f'"{SECRET}', f'{{"type":"{SECRET}"}}', f"[{SECRET}"],
)
def test_no_error_about_json_repeats_the_text(text):
    with pytest.raises(InvalidAction) as refused:
        parse_action(text)
    assert "abcdefghij" not in str(refused.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
field_names = st.sampled_from(["type", "tool", "params", "content", "origin", "source", "skill", "cwd", "call_id", "x"])
objects = st.dictionaries(field_names, json_values | st.sampled_from(sorted(ACTION_TYPES)), max_size=6)


@given(st.binary(max_size=200) | st.text(max_size=200) | json_values | objects)
def test_whatever_comes_in_is_an_action_or_refused(data):
    try:
        action = parse_action(data)
    except InvalidAction:
        return
    assert type(action) in ACTION_TYPES.values()


@given(objects)
def test_reading_text_and_reading_a_dict_agree(value):
    def outcome(data):
        try:
            return parse_action(data)
        except InvalidAction:
            return None

    assert repr(outcome(value)) == repr(outcome(json.dumps(value)))
