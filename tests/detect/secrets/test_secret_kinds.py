"""The table of kinds keeps its promises."""

from __future__ import annotations

import pytest
import re2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardhouse.detect.secrets import KINDS, SecretScanner, masked
from guardhouse.detect.secrets.checks import CHECKS
from guardhouse.detect.secrets.pairs import PAIR

SCANNER = SecretScanner()
ALL = (*KINDS, PAIR)
ASCII = st.sampled_from("\t\n" + "".join(chr(code) for code in range(32, 127)))


def test_every_kind_has_its_own_id():
    ids = [kind.id for kind in ALL]
    assert len(ids) == len(set(ids))


def test_every_check_that_a_kind_names_exists():
    assert {name for kind in ALL for name in (*kind.checks, kind.proof) if name} <= set(CHECKS)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.id)
def test_a_kind_is_found_in_its_examples(kind):
    for text in kind.matches:
        found = SCANNER.scan(text)
        assert kind.id in {match.kind for match in found}, text
        assert masked(text, found) != text


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.id)
def test_nothing_is_found_in_a_kinds_counter_examples(kind):
    for text in kind.misses:
        assert SCANNER.scan(text) == [], text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_kinds_pattern_matches_holds_its_anchor(kind, data):
    text = data.draw(st.from_regex(kind.pattern, alphabet=ASCII))
    assert re2.search(kind.anchor, text) is not None
