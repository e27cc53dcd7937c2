"""Settings keep every byte that is not ours."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from settings_plans import commands

from examples import up_to
from guardhouse.installing.agents import AGENTS, CLAUDE_CODE
from guardhouse.installing.hook_settings import own_handlers, with_hooks, without_hooks
from guardhouse.installing.json_text import JsonText
from guardhouse.model import InvalidAction

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
OTHER_GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": TEXTS}), max_size=2)},
        optional={"matcher": TEXTS},
    ),
    max_size=2,
)
EVENTS = st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "Notification"]), OTHER_GROUPS, max_size=3)


@st.composite
def files(draw):
    """The text of a settings file, as odd as people and programs write them."""
    value = draw(st.dictionaries(TEXTS.filter(lambda key: key != "hooks"), VALUES, max_size=4))
    if draw(st.booleans()):
        pairs = list(value.items())
        pairs.insert(draw(st.integers(0, len(pairs))), ("hooks", draw(EVENTS)))
        value = dict(pairs)
    text = json.dumps(
        value,
        indent=draw(st.sampled_from([None, 1, 2, 4, "\t"])),
        separators=draw(st.sampled_from([None, (",", ":"), (", ", ": "), (" ,", " : ")])),
        ensure_ascii=draw(st.booleans()),
    )
    text = draw(st.sampled_from(["", " ", "\n"])) + text + draw(st.sampled_from(["", "\n", "\n\n", " "]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def without_empty_lists(value):
    """What `uninstall` leaves of settings: an empty list of hooks says nothing."""
    if "hooks" not in value:
        return value
    events = {event: groups for event, groups in value["hooks"].items() if groups}
    return {**value, "hooks": events} if events else {key: item for key, item in value.items() if key != "hooks"}


@settings(max_examples=up_to(300), deadline=None)
@given(files())
def test_installing_adds_our_entries_and_changes_no_value_and_no_order(text):
    before = JsonText(text)
    after = with_hooks(before, CLAUDE_CODE, commands())
    assert sorted(found.event for found in own_handlers(after.value, CLAUDE_CODE)) == sorted(CLAUDE_CODE.events)
    rest = without_hooks(after, CLAUDE_CODE).value
    assert json.dumps(without_empty_lists(rest)) == json.dumps(without_empty_lists(before.value))
    assert list(after.value)[: len(before.value)] == list(before.value)


@settings(max_examples=up_to(200), deadline=None)
@given(files())
def test_installing_twice_changes_nothing(text):
    once = with_hooks(JsonText(text), CLAUDE_CODE, commands())
    assert with_hooks(once, CLAUDE_CODE, commands()).text == once.text


@settings(max_examples=up_to(200), deadline=None)
@given(files())
def test_an_upgrade_replaces_our_entries_where_they_stand(text):
    old = with_hooks(JsonText(text), CLAUDE_CODE, commands("/old/python"))
    new = with_hooks(old, CLAUDE_CODE, commands("/new/python"))
    assert json.dumps(new.value) == json.dumps(old.value).replace("/old/python", "/new/python")


@settings(max_examples=up_to(200), deadline=None)
@given(files())
def test_a_new_line_ends_like_the_others(text):
    after = with_hooks(JsonText(text), CLAUDE_CODE, commands()).text
    if "\r\n" in text:
        assert "\n" not in after.replace("\r\n", "")
    elif "\n" not in text.strip() and JsonText(text).value:
        assert "\n" not in after.strip()


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_only_added_lines_show_in_the_diff(indent):
    text = json.dumps({"model": "x", "permissions": {"allow": ["a", "b"]}}, indent=indent) + "\n"
    after = with_hooks(JsonText(text), CLAUDE_CODE, commands()).text
    assert after.startswith(text.removesuffix("\n}\n") + ",\n")
    assert after == json.dumps(json.loads(after), indent=indent) + "\n"


def test_how_numbers_and_escapes_are_written_survives():
    text = '{"a": 1.50, "b": 1e3, "c": "\\u00e9\\/", "d": [1,2 , 3]}'
    assert with_hooks(JsonText(text), CLAUDE_CODE, commands()).text.startswith(text[:-1])


def test_our_handler_in_a_group_of_somebody_elses_is_taken_out_and_the_group_stays():
    theirs = {"type": "command", "command": "lint"}
    ours = {"type": "command", "command": "/old/python -m guardhouse hook claude-code --event PreToolUse"}
    text = JsonText(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [ours, theirs]}]}}))
    after = with_hooks(text, CLAUDE_CODE, commands())
    assert after.value["hooks"]["PreToolUse"] == [
        {"matcher": "Bash", "hooks": [theirs]},
        CLAUDE_CODE.group("PreToolUse", commands()["PreToolUse"]),
    ]


def test_our_entries_for_events_that_are_no_longer_used_are_taken_out():
    ours = {"type": "command", "command": "/old/python -m guardhouse hook claude-code --event Notification"}
    text = JsonText(json.dumps({"hooks": {"Notification": [{"hooks": [ours]}, {"hooks": [ours]}]}}))
    assert set(with_hooks(text, CLAUDE_CODE, commands()).value["hooks"]) == set(CLAUDE_CODE.events)


def test_one_agents_entries_are_not_anothers():
    both = with_hooks(JsonText("{}"), CLAUDE_CODE, commands())
    assert own_handlers(both.value, AGENTS["codex"]) == []


@pytest.mark.parametrize("text", ['{"a": 1, // no\n}', '{"a": 1,}', '{"a": 1, "a": 2}', "{", "NaN", '{"a": "\\ud800"}'])
def test_what_is_not_plain_json_is_refused(text):
    with pytest.raises(InvalidAction):
        JsonText(text)
