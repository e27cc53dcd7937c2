"""Which calls bring their result elsewhere."""

import pytest

from guardhouse.trust.returning import fetches_from, returns_elsewhere


@pytest.mark.parametrize(
    ("tool", "params", "is_so"),
    [
        ("Bash", {"command": "ls"}, False),
        ("Bash", {"run_in_background": True}, True),
        ("Bash", {"run_in_background": False}, False),
        ("Bash", {"run-in-background": "true"}, True),
        ("Bash", {"run_in_background": "false"}, False),
        ("Bash", {"run_in_background": [1]}, True),
        ("shell", {"stdin": "open"}, True),
        ("shell", {"stdin": "hello"}, False),
        ("exec_command", {}, True),
        ("BashOutput", {}, True),
        ("mcp__desk__start_process", {}, True),
        ("mcp__desk__read", {}, False),
    ],
)
def test_what_goes_on_after_its_answer_returns_elsewhere(tool, params, is_so):
    assert returns_elsewhere(tool, params) is is_so


@pytest.mark.parametrize(
    ("tool", "other", "may"),
    [
        ("BashOutput", "Bash", True),
        ("write_stdin", "exec_command", True),
        ("Read", "Bash", False),
        ("mcp__a__tasks/result", "mcp__a__query", True),
        ("mcp__a__tasks/result", "mcp__b__query", False),
        ("mcp__a__tasks/result", "Bash", False),
        ("mcp__a__query", "mcp__a__query", False),
    ],
)
def test_what_fetches_may_hold_what_others_put_out(tool, other, may):
    assert fetches_from(tool, other) is may
