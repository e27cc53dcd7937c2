"""The hash an approval is bound to: equal actions hash equal, different ones differ, here and in any other process."""

import json
import subprocess
import sys
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.model import (
    InvalidAction,
    MemoryReadPost,
    OutputPublish,
    SkillInstall,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    UserInput,
    action_hash,
    admit,
    parse_action,
    typed_digest,
    wire,
)
from guardhouse.model import canonical as canonical_module

CALL = ToolCallPre(tool="url_fetch", params={"url": "https://a.example/", "n": 1}, cwd="/srv", session_id="s")
INSTALL = SkillInstall(skill="pdf", source="https://s.example/", tree_digest="sha256:" + "0" * 64)


def hash_of(value):
    return action_hash(ToolCallPre(tool="t", params={"x": value}))


DIFFERENT = [
    1,
    1.0,
    "1",
    True,
    [1],
    ["1"],
    {"1": 1},
    {"0": 1},
    0,
    0.0,
    -0.0,
    False,
    None,
    "null",
    "",
    [],
    {},
    [None],
    [[]],
    {"a": "b"},
    ["a", "b"],
    "ab",
    1e21,
    10**21,
    "1e21",
    2**53 - 1,
    2**53,
    2**53 + 1,
    float(2**53),
    hex(2**53)[2:],
    -(2**53),
    10**400,
    10**400 + 1,
    0.1,
    "é",
    unicodedata.normalize("NFD", "é"),
    "e",
    "a\u200bb",
    "\\u0061",
    {"a/b": 1.0},
    {"a": {"b": 1.0}},
    {"a~1b": 1.0},
    {"a": [1.0]},
    {"a": {"0": 1.0}},
    {"a": 1.0, "b": 1},
    {"a": 1, "b": 1.0},
    {"é": 1},
    {unicodedata.normalize("NFD", "é"): 1},
]


def test_values_that_differ_in_kind_or_form_hash_differently():
    hashes = [hash_of(value) for value in DIFFERENT]
    assert len(set(hashes)) == len(DIFFERENT)


def test_the_order_of_keys_does_not_count():
    assert hash_of({"a": 1, "b": [2, {"c": 3, "d": 4}]}) == hash_of({"b": [2, {"d": 4, "c": 3}], "a": 1})
    assert hash_of({"😀": 1, "ö": 2.5}) == hash_of({"ö": 2.5, "😀": 1})


@pytest.mark.parametrize("name", ["call_id", "run_id", "parent_run_id", "task_id", "source"])
def test_what_names_a_moment_or_a_surface_does_not_count(name):
    assert action_hash(msgspec.structs.replace(CALL, **{name: "other"})) == action_hash(CALL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool", "web_fetch"),
        ("params", {"url": "https://b.example/", "n": 1}),
        ("params", {}),
        ("cwd", "/srv/x"),
        ("cwd", None),
        ("principal", "eve"),
        ("session_id", "s2"),
        ("session_id", None),
        ("tool_digest", "unannounced"),
        ("tool_digest", f"sha256:{'0' * 64}"),
    ],
)
def test_what_is_done_where_and_for_whom_counts(name, value):
    assert action_hash(msgspec.structs.replace(CALL, **{name: value})) != action_hash(CALL)


@pytest.mark.parametrize(
    ("name", "value"), [("source", "https://evil.example/"), ("tree_digest", "sha256:" + "1" * 64), ("skill", "doc")]
)
def test_where_a_skill_comes_from_counts_when_it_is_installed(name, value):
    assert action_hash(msgspec.structs.replace(INSTALL, **{name: value})) != action_hash(INSTALL)


def test_the_type_counts():
    same = {"content": "x", "session_id": "s"}
    actions = [
        UserInput(**same, origin="typed"),
        UserInput(**same, origin="pasted"),
        OutputPublish(**same),
        OutputPublish(**same, channel="chat"),
        ToolCallPost(**same, tool="x"),
        MemoryReadPost(**same, store="x"),
        ToolCallPre(tool="x", params={}, session_id="s"),
        SkillRunPre(skill="x", params={}, session_id="s"),
    ]
    assert len({action_hash(action) for action in actions}) == len(actions)


def test_binding_facts_count():
    bindings = [None, {"real_path:/a": "/a"}, {"real_path:/a": "/b"}, {"real_path:/b": "/a"}, {"real_path:/a": ""}]
    assert len({action_hash(CALL, binding) for binding in bindings}) == len(bindings)
    assert action_hash(CALL, {}) == action_hash(CALL)
    assert action_hash(CALL, {"a": "1", "b": "2"}) == action_hash(CALL, {"b": "2", "a": "1"})


def test_facts_can_not_be_smuggled_in_as_parameters():
    with_fact = action_hash(ToolCallPre(tool="t", params={}), {"a": "b"})
    assert with_fact != action_hash(ToolCallPre(tool="t", params={"facts": {"a": "b"}}))


def test_an_absent_origin_and_a_written_default_are_the_same_action():
    assert action_hash(parse_action('{"type":"UserInput","content":"x"}')) == action_hash(
        parse_action('{"type":"UserInput","content":"x","origin":"pasted"}')
    )


def test_the_hash_names_its_version():
    assert action_hash(CALL).startswith("v1:")
    assert len(action_hash(CALL)) == 3 + 64


def test_the_hash_of_one_action_is_written_down_here():
    # An approval stored yesterday must be found today: this value changes only together with the version.
    action = ToolCallPre(tool="url_fetch", params={"n": 1.0, "u": "https://a.example/ü"}, cwd="/srv")
    assert action_hash(action, {"real_path:/srv": "/srv"}) == (
        "v1:0fe6f7c7d03a88105d03f2bbcf5f56e7f0b9732ccec624eb3a61aa6973d4d499"
    )


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_the_hash_survives_json(value):
    action = ToolCallPre(tool="t", params={"x": value})
    again = parse_action(json.dumps(wire(action)))
    assert action_hash(again) == action_hash(action) == action_hash(admit(action))
    twice = parse_action(json.dumps(wire(again), ensure_ascii=False, indent=3).encode())
    assert action_hash(twice) == action_hash(action)


def typed(value):
    """Equal exactly where JSON texts are: keeps 1, 1.0, True and -0.0 apart."""
    return json.dumps(value, sort_keys=True)


@given(values, values)
def test_different_values_hash_differently_and_equal_ones_alike(one, other):
    assert (hash_of(one) == hash_of(other)) == (typed(one) == typed(other))


@given(values)
def test_the_fast_way_gives_what_the_slow_way_gives(value):
    envelope = {"x": value}
    slow = canonical_module._is_simple
    fast = typed_digest(envelope)
    try:
        canonical_module._is_simple = lambda _value: False
        assert typed_digest(envelope) == fast
    finally:
        canonical_module._is_simple = slow


def test_the_hash_is_the_same_in_another_process():
    actions = [ToolCallPre(tool="t", params={"x": value}, cwd="/srv") for value in DIFFERENT]
    program = (
        "import sys, json; from guardhouse.model import action_hash, parse_action\n"
        "for line in sys.stdin: print(action_hash(parse_action(line)))"
    )
    lines = "".join(json.dumps(wire(action)) + "\n" for action in actions)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "LC_ALL": "C"},
    )
    assert done.stdout.split() == [action_hash(action) for action in actions]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", b"x", {1: 2}, {"a": {None: 1}}, {1.5}, (1,)])
def test_an_action_that_was_never_checked_is_refused_not_hashed(value):
    with pytest.raises(InvalidAction):
        hash_of(value)
