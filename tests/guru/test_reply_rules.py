"""The rules of the Guru's replies: every example of every table, and the corpus that was written before them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import re2
from replies import FILES, LOG, SERVICES, cases, replied

from guardhouse.guru import RULES, check_reply
from guardhouse.guru.languages import LANGUAGES, _compiled
from guardhouse.guru.patterns import PATTERNS
from guardhouse.guru.rules import COPIED, REFERENCE, SERVICE, SOURCE, SOURCE_TIME, UNNOTED
from guardhouse.guru.verbs import ACTED, COMPOUNDS, NOUN_PAIRS, RISKY, STATED, VERBS

BY_THE_WORLD = {SOURCE, SOURCE_TIME, SERVICE, REFERENCE, COPIED, UNNOTED}
"""What depends on more than one field; `test_reply_contract.py` has examples of these."""


def check(field, text):
    reply = text if field is None else json.dumps(replied(text, field), ensure_ascii=False)
    return check_reply(reply, sources=LOG, services=SERVICES, files=FILES)


@pytest.mark.parametrize(("rule", "field", "text"), [(r.id, *example) for r in RULES for example in r.must])
def test_a_rule_finds_what_it_must_find(rule, field, text):
    assert rule in check(field, text).codes


@pytest.mark.parametrize(("rule", "field", "text"), [(r.id, *example) for r in RULES for example in r.must_not])
def test_a_rule_leaves_alone_what_it_must_leave_alone(rule, field, text):
    assert check(field, text).codes == ()


def test_every_rule_has_an_id_of_its_own_words_and_examples():
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert all((rule.title, rule.why, rule.instead))
        assert (rule.must and rule.must_not) or rule.id in BY_THE_WORLD, rule.id


def finds(row, text):
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(row.pattern.encode(), options).search(text.lower().encode()) is not None


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row.id)
def test_a_pattern_finds_what_it_must_and_nothing_that_it_must_not(row):
    assert all((row.must, row.must_not))
    assert [text for text in row.must if not finds(row, text)] == []
    assert [text for text in row.must_not if finds(row, text)] == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.id)
def test_a_language_tells_orders_from_facts(language):
    begins, holds = _compiled(language)

    def orders(text):
        return begins.match(text) is not None or holds.search(text) is not None

    assert [text for text in language.must if not orders(text)] == []
    assert [text for text in language.must_not if orders(text)] == []


def test_the_tables_of_words_agree_with_each_other():
    assert set(COMPOUNDS) <= VERBS
    assert {pair.partition(":")[0] for pair in NOUN_PAIRS} <= VERBS
    assert RISKY <= VERBS
    assert not ACTED & STATED


@pytest.mark.parametrize("is_seen", [True, False], ids=["seen half", "unseen half"])
def test_of_replies_that_break_the_contract_98_of_100_are_caught(is_seen):
    wanted = [case for case in cases("violating") if case.is_seen is is_seen]
    passed = [case for case in wanted if check(None, case.reply).passes]
    assert len(wanted) > 300
    assert len(passed) <= 0.02 * len(wanted)


@pytest.mark.parametrize("is_seen", [True, False], ids=["seen half", "unseen half"])
def test_of_true_facts_hardly_any_is_blocked(is_seen):
    wanted = [case for case in cases("facts") if case.is_seen is is_seen]
    blocked = [case for case in wanted if not check(None, case.reply).passes]
    assert len(wanted) > 250
    assert len(blocked) <= 0.01 * len(wanted)


@pytest.mark.parametrize(("name", "passing", "share"), [
    ("worked_violating", False, 0.02), ("worked_facts", True, 0.02),
    ("last_violating", False, 0.08), ("last_facts", True, 0.02),
])  # fmt: skip
def test_what_was_written_later_is_told_apart_as_it_was(name, passing, share):
    wanted = cases(name)
    wrong = [case for case in wanted if check(None, case.reply).passes is not passing]
    assert len(wrong) <= share * len(wanted)


def test_what_the_page_about_the_guru_decides_is_decided_so():
    page = (Path(__file__).parents[2] / "docs" / "guru.md").read_text("utf-8")
    table = page.split("Some cases were decided:")[1].split("Addresses may stand")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")
    ]
    decided = [row for row in rows if row[1] in {"passes", "blocked"}]
    assert len(decided) > 10
    for text, verdict, _why in decided:
        for sentence in re.split(r"(?<=[.?]) ", text):
            assert check("repo_facts", sentence).passes is (verdict == "passes"), sentence


def test_the_page_about_the_guru_has_every_rule_as_it_is():
    page = (Path(__file__).parents[2] / "docs" / "guru.md").read_text("utf-8")
    for rule in RULES:
        assert f"| `{rule.id}` | {rule.title} | {rule.why} | {rule.instead} |" in page
