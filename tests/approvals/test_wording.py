"""Terms of a yes in one line: what the words with a plus say, and that nothing else says anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.approvals import NotOffered
from guardhouse.approvals.wording import seconds_of, split_terms, terms_words
from guardhouse.model import ONCE, Condition, GrantScope, Terms


@pytest.mark.parametrize(
    ("line", "terms", "rest"),
    [
        ("", ONCE, ""),
        ("go ahead", ONCE, "go ahead"),
        ("go +run", ONCE, "go +run"),
        ("+run", Terms(for_run=True), ""),
        ("+RUN ok", Terms(for_run=True), "ok"),
        ("+again=30m", Terms(grant=GrantScope("exact", 1800)), ""),
        ("+lines=9  +run  ok", Terms(for_run=True, condition=Condition("first_lines", 9)), "ok"),
        ("+there", Terms(grant=GrantScope("destination")), ""),
        ("+redacted +again=90s", Terms(grant=GrantScope("exact", 90), condition=Condition("redacted")), ""),
        ("+structure", Terms(condition=Condition("structure")), ""),
    ],
)  # fmt: skip
def test_what_a_line_says(line, terms, rest):
    assert split_terms(line) == (terms, rest)


@pytest.mark.parametrize(
    "line",
    [
        "+", "+ run", "+runs", "+run=1", "+run +run", "+again=", "+again=0m", "+again=1", "+again=1d", "+again=-1m",
        "+again=1.5h", "+again=٣m", "+again=9999999s", "+again=1m +there=1m", "+lines", "+lines=0", "+lines=x",
        "+lines=99999", "+lines=²", "+lines=1 +structure", "+redacted=1", "+redacted=", "+run=", "+RUN +run",
        "+again=1m\u00a0x",
    ],
)  # fmt: skip
def test_what_says_nothing_or_two_things_is_refused(line):
    with pytest.raises(NotOffered):
        split_terms(line)


@given(st.text(max_size=40))
def test_no_line_breaks_it(line):
    try:
        terms, rest = split_terms(line)
    except NotOffered:
        assert line.strip().startswith("+")
    else:
        assert terms == ONCE or line.strip().startswith("+")
        assert not rest.startswith("+")


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("1m", 60), ("24h", 86400), ("s", None), ("", None)])
def test_durations(text, seconds):
    assert seconds_of(text) == seconds


def test_terms_are_said_in_sentences():
    terms = Terms(for_run=True, grant=GrantScope("destination", 5400), condition=Condition("first_lines", 3))
    assert list(terms_words(terms)) == [
        (
            "Also later calls of this tool in this session with the values that were listed, "
            "as long as the policy lets any grant last."
        ),
        "Also calls of this tool at the same places, for 90 min.",
        "On the condition that the agent sees only the first 3 lines of the result.",
    ]
    assert list(terms_words(ONCE)) == []
