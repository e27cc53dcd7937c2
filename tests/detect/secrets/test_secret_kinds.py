"""The table of kinds keeps its promises."""

from __future__ import annotations

import random

import pytest
import re2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import KINDS, SecretScanner, masked
from guardhouse.detect.secrets.checks import CHECKS
from guardhouse.detect.secrets.kinds import NAMED, PREFIXED
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.rows import SHAPES, example, literals, shape_pattern
from guardhouse.detect.secrets.pairs import PAIR
from guardhouse.detect.secrets.triggers import triggers

SCANNER = SecretScanner()
BY_FORM = (*FORMS, PAIR)
ASCII = st.sampled_from("\t\n" + "".join(chr(code) for code in range(32, 127)))


def found_in(text: str) -> bool:
    return bool(SCANNER.scan(text))


def test_there_are_several_hundred_kinds_known_by_their_form_and_more_by_name():
    assert len(PREFIXED) + len(FORMS) > 500
    assert len(NAMED) > 1000


@pytest.mark.parametrize("table", [(*PREFIXED, *FORMS), NAMED], ids=["by form", "by name"])
def test_every_kind_of_a_table_has_its_own_id(table):
    ids = [row.id for row in table]
    assert sorted(set(ids)) == sorted(ids)


def test_every_check_that_a_kind_names_exists():
    assert {name for kind in (*KINDS, PAIR) for name in (*kind.checks, kind.proof, kind.behind_letter) if name} <= set(
        CHECKS
    )


@pytest.mark.parametrize("kind", BY_FORM, ids=lambda kind: kind.id)
def test_a_kind_is_found_in_its_examples(kind):
    """The scanner may call it by the name of a more specific kind."""
    for text in kind.matches:
        found = SCANNER.scan(text)
        assert masked(text, found) != text
        assert kind is PAIR or kind.spans is not None or re2.search(kind.pattern, text) is not None
        assert kind.id in {name for match in found for name in (match.kind, *match.also)} or not kind.fallback
        assert kind is not PAIR or kind.id in {match.kind for match in found}


@pytest.mark.parametrize("kind", BY_FORM, ids=lambda kind: kind.id)
def test_nothing_is_found_in_a_kinds_counter_examples(kind):
    for text in kind.misses:
        assert SCANNER.scan(text) == [], text


@pytest.mark.parametrize("surroundings", ["{}", '{{"note": "{}"}}', "x {}, y", "a\\n{}", "see\n{}\nabove"])
def test_a_token_with_a_beginning_of_its_own_is_masked_wherever_it_stands(surroundings):
    left = []
    for row in PREFIXED:
        token = example(row.example)
        text = surroundings.format(token)
        if token in masked(text, SCANNER.scan(text)):
            left.append(row.id)
    assert left == []


def test_a_token_with_a_beginning_of_its_own_is_known_by_its_id():
    """What configuration says of a kind hangs on it."""
    wrong = []
    for row in PREFIXED:
        (found, *_others) = SCANNER.scan(f"x {example(row.example)} y")
        if row.id not in (found.kind, *found.also):
            wrong.append(row.id)
    assert wrong == []


def test_a_token_cut_short_is_none():
    """Half of one may be another kind's whole, if it is long; a few characters are nobody's."""
    assert [row.id for row in PREFIXED if found_in(example(row.example)[:9])] == []


def test_what_only_begins_like_a_token_is_left_alone():
    assert [(row.id, text) for row in PREFIXED for text in row.misses if found_in(example(text))] == []


def test_how_a_token_begins_is_told_by_few_and_fixed_texts():
    for row in PREFIXED:
        heads = literals(row.head)
        assert heads
        assert min(map(len, heads)) >= 3, row.id
        assert any(head in example(row.example) for head in heads), row.id


def made_up(shape: str, chance: random.Random) -> str:
    if shape == "uuid":
        return example(f"{{uuid}}{chance.random()}")[:36]
    name = shape.rstrip("0123456789-")
    least = shape[len(name) :].partition("-")[0]
    return example(f"{{{name}{least}}}{chance.random()}")[: int(least)]


@pytest.mark.parametrize("form", ['{}_api_key = "{}"', "{}: {}", "{}-token-{}", "{} secret key\n  {}"])
def test_a_key_is_found_under_the_name_of_its_service(form):
    chance = random.Random(7)
    left = []
    for row in NAMED:
        for name in row.names.split():
            for shape in row.shapes.split():
                key = made_up(shape, chance)
                text = form.format(name, key)
                if shape.startswith("digits") or (shape == "uuid" and "secret key" in form):
                    continue
                if key in masked(text, SCANNER.scan(text)):
                    left.append((row.id, text))
    assert left == []


def test_under_the_name_of_a_service_a_word_or_a_key_of_another_shape_is_none():
    for row in NAMED:
        name = row.names.split()[0]
        assert not found_in(f"{name}: documentation-of-the-service"), row.id
        assert not found_in(f"{name} = ${{{name.upper()}_KEY}}"), row.id
        assert not found_in(f"{name}: a1b2c3"), row.id


def test_the_shapes_of_keys_are_ones_that_are_known():
    for row in NAMED:
        for shape in row.shapes.split():
            assert shape == "uuid" or shape.rstrip("0123456789-") in SHAPES, row.id
            re2.compile(shape_pattern(shape))


@pytest.mark.parametrize("kind", [form for form in FORMS if form.pattern], ids=lambda kind: kind.id)
@settings(max_examples=up_to(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_kinds_pattern_matches_holds_its_anchor(kind, data):
    text = data.draw(st.from_regex(kind.pattern, alphabet=ASCII))
    assert re2.search(kind.anchor, text) is not None


def test_the_trigger_of_a_token_is_found_in_its_example_and_holds_its_anchor():
    kinds = {trigger.target: trigger for trigger in triggers() if trigger.target < len(PREFIXED)}
    for index, row in enumerate(PREFIXED):
        found = re2.search(kinds[index].pattern, example(row.example))
        assert found is not None, row.id
        assert re2.search(kinds[index].anchor, found.group()) is not None, row.id
