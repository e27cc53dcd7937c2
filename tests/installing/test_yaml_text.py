"""YAML as text: what is put in comes out again, and every other byte stays."""

import pytest

from guardhouse.installing.agents import HERMES
from guardhouse.installing.commands import HookCommand
from guardhouse.installing.hook_settings import own_handlers, with_hooks, without_hooks
from guardhouse.installing.settings_text import UnsafeChange
from guardhouse.installing.yaml_text import YamlText
from guardhouse.model import InvalidAction

COMMANDS = {event: HookCommand(python="/opt/python", agent="hermes", event=event) for event in HERMES.events}
TEXTS = [
    "",
    "# only words\n",
    "model: x",
    "hooks: {}   # none\nmodel: x\n",
    "hooks:\n  post_llm_call: []\n  pre_llm_call: []  # none\n",
    "a: |\n  text\n  more\n\n# after\nhooks:\n  pre_tool_call:\n  - command: mine  # mine\n    timeout: 3\n\n\nb: 1\n",
    "hooks:\n    on_session_start:\n        -   command: mine\nlist:\n- 1\n- 2\n",
    'a: "x: y"\r\nhooks:\r\n  pre_tool_call:\r\n    - command: >-\r\n        mine\r\n        too\r\nz: [1, {b: c}]\r\n',
    "hooks:\n  pre_tool_call:\n  - {command: mine, timeout: 3}\n  # the last word\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_our_entries_go_in_once_and_come_out_and_the_rest_stays(text):
    before = YamlText(text)
    new = with_hooks(before, HERMES, COMMANDS)
    assert len(own_handlers(new.value, HERMES)) == len(COMMANDS)
    assert with_hooks(new, HERMES, COMMANDS).text == new.text
    assert [line for line in new.text.splitlines() if line in text.splitlines()] == [
        line for line in text.splitlines() if line in new.text.splitlines()
    ]
    for line in text.splitlines():
        assert line.split("{}")[0].split("[]")[0].strip() in new.text
    assert ("\r\n" in new.text) == ("\r\n" in text)
    bare = without_hooks(new, HERMES)
    kept = {event: groups for event, groups in (before.value.get("hooks") or {}).items() if groups}
    assert (bare.value.get("hooks") or {}) == kept
    assert {**bare.value, "hooks": 0} == {**before.value, "hooks": 0}


def test_an_older_entry_of_ours_is_replaced_where_it_stands():
    old = with_hooks(YamlText("hooks:\n  pre_tool_call:\n  - command: mine\n"), HERMES, COMMANDS)
    moved = {event: HookCommand(python="/new/python", agent="hermes", event=event) for event in HERMES.events}
    new = with_hooks(old, HERMES, moved)
    assert new.text == old.text.replace("/opt/python", "/new/python")


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: 1\na: 2\n",
        "b: {c: 1, c: 2}\n",
        "a: 1\n---\nb: 2\n",
        "a: [",
        "\t",
        "<<: {hooks: {pre_tool_call: [{command: mine}]}}\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(text):
    with pytest.raises(InvalidAction):
        YamlText(text)


def test_what_stands_on_one_line_is_not_taken_apart():
    with pytest.raises(UnsafeChange):
        with_hooks(YamlText("hooks: {pre_tool_call: [{command: mine}]}\n"), HERMES, COMMANDS)
