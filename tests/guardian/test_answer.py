"""Reading answers: one form is a verdict, and everything else is none."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.guardian.answer import REGEX, BadAnswer, answer_schema, read_line, read_structured

NO_LINES = (
    "",
    " ",
    "\n",
    "ALLOW",
    "ALLOW:",
    "ALLOW: ",
    "ALLOW:reason",
    "ALLOW : reason",
    "ALLOW:  reason",
    "ALLOW: .",
    "ALLOW: 1000000000000",
    "ALLOW: reason ",
    "ALLOW: first\nBLOCK: second",
    "ALLOW: first\nALLOW: first",
    "ALLOW: fine\n\n",
    "\nALLOW: fine",
    " ALLOW: fine",
    "allow: fine",
    "Allow: fine",
    "ALLOWED: fine",
    "ALLOWING this would be dangerous. BLOCK",
    "ALLOW: this would be dangerous. BLOCK: it sends secrets",
    "I would say ALLOW: fine",
    "**ALLOW: fine**",
    "```\nALLOW: fine\n```",
    "<think>hm</think>ALLOW: fine",
    '"ALLOW: fine"',
    '{"outcome":"allow","reason":"fine"}',
    "ALLOW: fine\u2028BLOCK: no",
    "ALLOW: fine\r",
    "ALLOW: fine\x00",
    "ALLOW: \u202efine",
    "ＡＬＬＯＷ: fine",
    "АLLOW: fine",
    "ALLOW： fine",
    "DENY: fine",
    "ALLOW: " + "a" * 401,
    "I'm sorry, but I can't help with that.",
)


@pytest.mark.parametrize("text", NO_LINES)
def test_what_is_no_line_of_the_form_is_no_verdict(text):
    with pytest.raises(BadAnswer):
        read_line(text)


@pytest.mark.parametrize("value", [None, 1, b"ALLOW: fine", ["ALLOW: fine"], {"content": "ALLOW: fine"}])
def test_what_is_no_text_is_no_verdict(value):
    for read in (read_line, read_structured):
        with pytest.raises(BadAnswer):
            read(value)


def test_a_line_of_the_form_is_a_verdict():
    assert read_line("ALLOW: the user asked for it").outcome == "allow"
    assert read_line("BLOCK: nobody asked, and ALLOW: stands in the page\n").outcome == "block"
    assert read_line("BLOCK: nobody asked").reason == "nobody asked"


@given(st.text(max_size=60) | st.from_regex(r"\s*(ALLOW|BLOCK|allow)\s*:?\s*.{0,20}\s*", fullmatch=True))
@settings(max_examples=up_to(2_000), deadline=None)
def test_only_the_form_is_ever_an_allow(text):
    try:
        said = read_line(text)
    except BadAnswer:
        return
    assert re.fullmatch(r"(ALLOW|BLOCK): [^\n]+\n?", text)
    assert said.outcome == {"A": "allow", "B": "block"}[text[0]]
    assert said.reason
    assert said.reason.isprintable()


@given(st.text(max_size=200))
@settings(max_examples=up_to(500), deadline=None)
def test_no_text_before_or_after_a_verdict_leaves_it_one(text):
    for made in (f"{text}ALLOW: fine", f"ALLOW: fine\n{text}"):
        if made not in {"ALLOW: fine", "ALLOW: fine\n"} and not made.startswith(("ALLOW: ", "BLOCK: ")):
            with pytest.raises(BadAnswer):
                read_line(made)


GOOD = {"outcome": "allow", "risk": "low", "user_authorization": "high", "reason": "asked for"}


def test_a_structured_answer_says_everything_or_nothing():
    said = read_structured(json.dumps(GOOD))
    assert (said.outcome, said.risk, said.authorized, said.reason) == ("allow", "low", "high", "asked for")
    for name in GOOD:
        with pytest.raises(BadAnswer):
            read_structured(json.dumps({key: value for key, value in GOOD.items() if key != name}))
        for other in (None, 1, True, "", "?", ["allow"], {}):
            with pytest.raises(BadAnswer):
                read_structured(json.dumps({**GOOD, name: other}))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**GOOD, "further": 1}),
        json.dumps([GOOD]),
        json.dumps(GOOD) + json.dumps(GOOD),
        json.dumps(GOOD) + " or not",
        "```json\n" + json.dumps(GOOD) + "\n```",
        '{"outcome":"block","outcome":"allow","risk":"low","user_authorization":"high","reason":"asked for"}',
        json.dumps({**GOOD, "reason": "asked for\nBLOCK: no"}),
        json.dumps({**GOOD, "outcome": "Allow"}),
        "ALLOW: fine",
        "null",
        "NaN",
        "[" * 5_000,
    ],
)
def test_whatever_is_not_that_object_is_no_verdict(text):
    with pytest.raises(BadAnswer):
        read_structured(text)


SAID = st.sampled_from(["allow", "block", "low", "high", "unknown", "", "asked for", None, 1])


@given(st.dictionaries(st.sampled_from([*GOOD, "x"]), SAID, max_size=5))
@settings(max_examples=up_to(1_000), deadline=None)
def test_only_a_whole_object_is_ever_an_allow(told):
    try:
        said = read_structured(json.dumps(told))
    except BadAnswer:
        return
    assert set(told) == set(GOOD)
    assert said.outcome == told["outcome"]


def test_what_services_are_held_to_is_what_is_read():
    schema = answer_schema()
    assert set(schema["required"]) == set(GOOD)
    assert re.fullmatch(REGEX, "ALLOW: asked for")
    assert not re.fullmatch(REGEX, "ALLOW: ")
    assert not re.fullmatch(REGEX, "ALLOW: a\nb")
