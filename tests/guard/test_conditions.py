"""Conditions of a yes at the gate: however a result comes back, no more of it is seen than a person let."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest
from answered import KEY, Answered, bash, codes, query, result

from guardhouse.approvals import NotOffered
from guardhouse.model import Condition, Decision, GrantScope, Terms, ToolCallPost, ToolCallPre

STRUCTURE = Terms(condition=Condition("structure"))
LINES = Terms(condition=Condition("first_lines", 2))
TEXT = "one\ntwo\nthree\nfour"


@pytest.fixture
def house(tmp_path):
    house = Answered(tmp_path)
    yield house
    house.guard.close()


def made(house, terms, action=None):
    """The verdict on a call that was approved on a condition and is made."""
    action = action or query()
    house.yes(action, terms)
    verdict = house.guard.evaluate(action)
    assert verdict.decision is Decision.ALLOW
    assert verdict.condition == terms.condition.words
    return verdict


def seen(house, post):
    verdict = house.guard.evaluate(post)
    assert verdict.decision is Decision.ALLOW_WITH_REDACTION, verdict.for_person
    assert codes(verdict)[0] == "approval.condition"
    assert verdict.wrapped is None or "three" not in verdict.wrapped.text
    return verdict.content


def test_the_first_lines_of_the_result_are_seen(house):
    made(house, LINES)
    assert seen(house, result(TEXT)) == "one\ntwo\n[2 more lines withheld]"


def test_what_it_is_made_of_is_seen(house):
    made(house, STRUCTURE)
    assert seen(house, result({"rows": [{"name": "three"}]})) == {"rows": [{"name": "[text: 5 characters, 1 lines]"}]}


def test_labelled_data_is_masked_also_in_numbers(house):
    made(house, Terms(condition=Condition("redacted")))
    content = seen(
        house, result({"mail": "ada.lovelace@acme-widgets.com", "card": 4111111111111111, "host": "10.0.0.7", "n": 3})
    )
    assert content["n"] == 3
    assert not any(text in msgspec.json.encode(content).decode() for text in ("ada.", "4111111111111111", "10.0.0.7"))


def test_a_result_that_is_masked_is_cut_as_well(house):
    made(house, LINES)
    shown = seen(house, result(f"key={KEY}\ntwo\nthree"))
    assert KEY not in shown
    assert "three" not in shown


@pytest.mark.parametrize(
    "post",
    [
        result(TEXT, call_id=None),
        result(TEXT, call_id="unnamed_0123456789abcdef"),
    ],
    ids=["no id", "unnamed"],
)
def test_a_result_that_names_no_call_is_held_to_the_strictest(house, post):
    made(house, LINES)
    assert seen(house, post) == "[text: 18 characters, 4 lines]"


def test_other_results_are_seen_whole(house):
    made(house, STRUCTURE)
    for post in (result(TEXT, call_id="c2"), result(TEXT, session="s2"), result(TEXT, tool="read_file", call_id=None)):
        assert house.guard.evaluate(post).condition == ""


def test_a_result_stays_limited_however_often_it_comes(house):
    made(house, LINES)
    for _ in range(3):
        assert "three" not in seen(house, result(TEXT))


def test_the_error_that_a_tool_raised_is_limited_as_well(house):
    call = made(house, STRUCTURE)
    verdict = house.guard.evaluate_result(result("KeyError: three"), call, raised=True)
    assert verdict.content == "[text: 15 characters, 1 lines]"


def test_of_two_calls_by_one_name_both_conditions_hold(house):
    made(house, STRUCTURE)
    made(house, Terms(condition=Condition("first_lines", 100)), query("other"))
    assert seen(house, result(TEXT)) == "[text: 18 characters, 4 lines]"


def test_names_that_only_begin_alike_are_two(house):
    long = "c" * 400
    made(house, STRUCTURE, query(call_id=long))
    assert house.guard.evaluate(result(TEXT, call_id=long + "d")).condition == ""
    assert seen(house, result(TEXT, call_id=long)) == "[text: 18 characters, 4 lines]"


def test_a_name_that_is_masked_in_one_place_only_is_the_same(house):
    named = f"call-{KEY}"
    made(house, STRUCTURE, query(call_id=named))
    for content in (TEXT, f"{TEXT} {KEY}"):
        assert "three" not in str(seen(house, result(content, call_id=named)))


def test_a_result_that_asks_is_limited_once_it_is_approved(house):
    house.configure(
        "    - {id: ask-result, action: ToolCallPost, regex: one, effect: require_approval, because: Look.}\n"
    )
    with house.open() as guard:
        house.guard = guard
        made(house, STRUCTURE)
        asked = guard.evaluate(result(TEXT))
        assert asked.decision is Decision.REQUIRE_APPROVAL
        house.approvals.answer(asked.approval_request_id, approve=True, actor="ada")
        verdict = guard.evaluate(result(TEXT), approval_id=asked.approval_request_id)
        assert (verdict.decision, verdict.content) == (
            Decision.ALLOW_WITH_REDACTION,
            "[text: 18 characters, 4 lines]",
        )


@pytest.mark.parametrize("call_id", [None, "unnamed_1"])
def test_a_call_that_could_not_be_told_from_others_is_not_approved_on_a_condition(house, call_id):
    request = house.ask(query(call_id=call_id))
    assert not request.conditional
    with pytest.raises(NotOffered):
        house.approvals.answer(request.id, approve=True, actor="ada", terms=STRUCTURE)


ELSEWHERE = [
    ("Bash", {"run_in_background": True}),
    ("bash", {"background": "yes"}),
    ("run_in_terminal", {"isBackground": True}),
    ("Bash", {"stdin": "open"}),
    ("exec_command", {}),
    ("mcp__desk__start_process", {}),
]


@pytest.mark.parametrize(("tool", "more"), ELSEWHERE)
def test_a_call_whose_result_may_come_by_another_is_not_approved_on_a_condition(house, tool, more):
    house.configure("    - {id: ask, action: ToolCallPre, effect: require_approval, because: Look.}\n")
    action = ToolCallPre(tool=tool, params={"command": "cat notes", **more}, session_id="s1", call_id="c1")
    with house.open() as guard:
        request = house.approvals.get(guard.evaluate(action).approval_request_id)
        assert not request.conditional
        with pytest.raises(NotOffered):
            house.approvals.answer(request.id, approve=True, actor="ada", terms=STRUCTURE)


@pytest.mark.parametrize("params", [{"run_in_background": False}, {"background": None}, {"stdin": "text"}, {}])
def test_a_call_that_answers_by_itself_can_be_approved_on_a_condition(house, params):
    call = ToolCallPre(tool="query", params=params, session_id="s1", call_id="c1")
    assert house.ask(call).conditional


@pytest.mark.parametrize("tool", ["BashOutput", "TaskOutput", "write_stdin"])
def test_what_may_hold_the_output_of_a_call_with_a_condition_is_held_to_the_strictest(house, tool):
    assert house.guard.evaluate(result(TEXT, tool=tool, call_id="c9")).condition == ""
    made(house, LINES)
    assert seen(house, result(TEXT, tool=tool, call_id="c9")) == "[text: 18 characters, 4 lines]"
    assert house.guard.evaluate(result(TEXT, tool="read_file", call_id="c9")).condition == ""


def test_other_calls_of_a_tool_that_runs_things_are_not_granted_on_a_condition(house):
    request = house.ask(bash("rm -rf /srv/a"))
    terms = Terms(grant=GrantScope("destination", 600), condition=Condition("structure"))
    with pytest.raises(NotOffered, match="runs what it is given"):
        house.approvals.answer(request.id, approve=True, actor="ada", terms=terms)


def test_an_approval_on_a_condition_is_not_used_by_a_call_without_a_name(house):
    house.yes(query(), STRUCTURE)
    verdict = house.guard.evaluate(query(call_id=None))
    assert (verdict.decision, codes(verdict)[0]) == (Decision.DENY, "approval.condition_unknown")


def test_a_condition_goes_with_a_grant(house):
    terms = Terms(grant=GrantScope("exact", 600), condition=Condition("first_lines", 2))
    made(house, terms)
    for call_id in ("c2", "c3"):
        assert house.guard.evaluate(query(call_id=call_id)).condition == terms.condition.words
        assert "three" not in seen(house, result(TEXT, call_id=call_id))
    assert house.guard.evaluate(query(call_id=None)).decision is Decision.DENY


def test_a_session_that_can_not_be_read_shows_nothing(house):
    made(house, LINES)
    house.guard.close()
    with sqlite3.connect(house.root / "state" / "sessions.db") as rows:
        rows.execute("ALTER TABLE event RENAME TO elsewhere")
    with house.open() as guard:
        verdict = guard.evaluate(result(TEXT))
    assert verdict.decision is Decision.DENY
    assert (verdict.content, verdict.wrapped) == (None, None)


def test_a_condition_that_can_not_be_read_is_the_strictest(house):
    made(house, LINES)
    house.guard.close()
    with sqlite3.connect(house.root / "state" / "sessions.db") as rows:
        changed = rows.execute("UPDATE event SET detail = replace(detail, 'first_lines', 'everything')").rowcount
    assert changed
    with house.open() as guard:
        assert guard.evaluate(result(TEXT)).content == "[text: 18 characters, 4 lines]"


def test_after_very_many_conditions_what_is_not_known_is_held_to_the_strictest(house, monkeypatch):
    monkeypatch.setattr("guardhouse.sessions.remembering._MOST_CONDITIONS", 1)
    made(house, LINES, query("one", call_id="c1"))
    made(house, LINES, query("two", call_id="c2"))
    assert "three" not in seen(house, result(TEXT, call_id="c1"))
    assert seen(house, result(TEXT, call_id="c2")) == "one\ntwo\n[2 more lines withheld]"


def test_what_can_not_be_cut_is_not_shown(house, monkeypatch):
    made(house, LINES)
    monkeypatch.setattr("guardhouse.redact.limiting._Lines.of", lambda *_: 1 / 0)
    verdict = house.guard.evaluate(result(TEXT))
    assert (verdict.decision, verdict.content) == (Decision.DENY, None)


def test_a_function_behind_the_gate_shows_only_so_much(house):
    calls = []

    def ask_it(text):
        calls.append(text)
        if text == "raise":
            raise ValueError(TEXT)
        return TEXT

    tool = house.guard.wrap(ask_it, name="query", session_id="s1")
    for text in ("tell", "raise"):
        pending = tool(text)
        house.approvals.answer(pending.approval_request_id, approve=True, actor="ada", terms=LINES)
        outcome = pending.resume()
        assert "three" not in outcome.text
    assert calls == ["tell", "raise"]


def test_the_record_says_on_which_condition(house):
    made(house, LINES)
    house.guard.evaluate(result(TEXT))
    assert any(LINES.condition.words in event.detail for event in house.record("approval"))
    assert not any("three" in str(event) for kind in ("decision", "approval") for event in house.record(kind))


def test_a_condition_holds_for_results_of_calls_only():
    assert ToolCallPost(tool="query", content="").type == "ToolCallPost"
    for bad in ({"show": "first_lines"}, {"show": "structure", "lines": 3}, {"show": "first_lines", "lines": 10_001}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(bad, Condition)
