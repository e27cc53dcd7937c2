"""Redaction leaves no secret, changes nothing else, and done twice is done once."""

from __future__ import annotations

import copy
import json
import time
import tracemalloc
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import CustomKind, SecretScanner
from guardhouse.detect.secrets.kinds import KINDS, PREFIXED
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.rows import EDGE_IN_BASE64, example
from guardhouse.detect.secrets.pairs import PAIR
from guardhouse.model import GuardhouseError
from guardhouse.redact import Redactor

SCANNER = SecretScanner()
FULL = Redactor(SCANNER)
PARTIAL = Redactor(SCANNER, level="partial")
MIB = 1 << 20
MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EXAMPLES = (
    *(text for kind in (*FORMS, PAIR) for text in kind.matches),
    *(example(row.example) for row in PREFIXED),
)
TEXT = st.text(max_size=40)
SECRET = st.sampled_from(EXAMPLES)
MIXED = st.lists(
    st.one_of(
        TEXT,
        SECRET,
        st.sampled_from(
            ["[redacted]", "[redacted", "[redacted_jwt]", "]", "sk-[redacted]", "password=", "token=", '"', "\n"]
        ),
    ),
    max_size=6,
)
JOINED = MIXED.map(" ".join)
VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), JOINED, st.binary(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(TEXT, SECRET, st.sampled_from(["password", "name", "value", "token"])), inner, max_size=4
        ),
    ),
    max_leaves=12,
)


def test_text_keeps_everything_but_the_secret():
    assert FULL.text("Here is the token: sk-abcdefghijklmnopqrstuvwx") == "Here is the token: sk-[redacted]"


def test_a_value_keeps_its_structure_and_is_not_changed_in_place():
    value = {"a": ["password=" + "tr0ub4dor9", 1, None, (True, b"token=" + MIX.encode())], "b": "fine"}
    before = copy.deepcopy(value)
    result = FULL.redact(value)
    assert value == before
    assert result.value == {"a": ["password=[redacted]", 1, None, (True, b"token=[redacted]")], "b": "fine"}
    assert result.changed


def test_a_clean_value_is_returned_as_it_is():
    value = {"a": ["fine", 1]}
    result = FULL.redact(value)
    assert result.value is value
    assert not result.changed


def test_keys_that_hold_secrets_are_masked_and_none_is_lost():
    one, two = "gh" + f"p_{MIX}", "gh" + f"p_{MIX[::-1]}"
    assert FULL.value({one: 1, two: 2, "c": 3}) == {"ghp_[redacted]": 1, "ghp_[redacted] (2)": 2, "c": 3}


def test_a_secret_in_one_field_is_masked_in_all():
    value = {"login": {"password": "Xy7-long+pass"}, "log": ["signed in with Xy7-long+pass"], "Xy7-long+pass": 1}
    assert "Xy7-long" not in json.dumps(FULL.value(value))


def test_bytes_that_are_not_utf8_are_searched_too():
    assert FULL.value(b"\xff\xfe password=" + b"tr0ub4dor9 \xff") == b"\xff\xfe password=[redacted] \xff"


def test_a_pattern_that_takes_the_whole_text_leaves_a_mask_not_the_original():
    redactor = Redactor(SecretScanner([CustomKind(id="all", pattern="(?s).+")]))
    assert redactor.text("anything") == "[redacted]"
    assert redactor.text("[redacted]") == "[redacted]"


@pytest.mark.parametrize("pattern", ["redacted", r"\w+", r"\S+", "[a-z]+", r"\[", "d"])
def test_a_pattern_that_matches_the_mask_does_not_grow_it(pattern):
    redactor = Redactor(SecretScanner([CustomKind(id="greedy", pattern=pattern)]))
    once = redactor.text("some words [redacted] and redacted ones")
    assert redactor.text(once) == once


TOKEN = "gh" + f"p_{MIX}"


@pytest.mark.parametrize(
    "text",
    [
        f"[redacted {TOKEN}]",
        f"[redacted_{TOKEN}]",
        f"[redacted]{TOKEN}",
        f"[redacted {TOKEN}",
        f"[redacted_jwt {TOKEN}]",
        "password=[redacted]" + "tr0ub4dor9",
        "password=[redacted_jwt]" + "tr0ub4dor9",
        "password=" + "tr0ub4dor9" + "[redacted]",
        'password="[redacted]' + "tr0ub4dor9" + '"',
        "password=[redacted][redacted]" + "tr0ub4dor9" + "[redacted]",
        "password=[redacted " + "password=" + "tr0ub4dor9]",
        "token=sk-[redacted]" + MIX[:16],
    ],
)
def test_a_mask_that_somebody_else_wrote_hides_nothing(text):
    once = FULL.text(text)
    assert "tr0ub4dor9" not in once
    assert MIX[:12] not in once
    assert FULL.text(once) == once


SAMPLES = [(row.id, example(row.example)) for row in PREFIXED] + [(form.id, form.matches[0]) for form in FORMS]


@pytest.mark.parametrize("redactor", [FULL, PARTIAL], ids=["full", "partial"])
def test_what_stays_of_a_masked_token_is_no_secret_under_a_sensitive_name(redactor):
    for kind, sample in SAMPLES:
        once = redactor.text(sample)
        for text in (f"token={once}", f'{{"password": "{once}"}}'):
            assert redactor.text(redactor.text(text)) == redactor.text(text), kind
        if "\n" not in once and " " not in once and '"' not in once and once.count("[redacted") == 1:
            assert "[redacted" in redactor.text(f"token={once}"), kind


LOOSE = {form.id for form in FORMS if form.fallback} | {"netrc_password"}
LIKE_BASE64 = {kind.id for kind in KINDS if kind.pattern.startswith(EDGE_IN_BASE64)}
SURROUNDINGS = (
    "%s", "(%s)", "<%s>", "[%s]", "{%s}", "'%s'", '"%s"', "`%s`", "**%s**", "_%s_", "-%s-", ".%s.", "/%s/", "#%s",
    "x=%s", "a|%s|b", "| a | %s |", "1,%s,2", "https://a.example/?q=%s&y=1", "https://a.example/#%s", "%%22%s%%22",
    "\\u0022%s\\u0022", "\\x22%s\\x22", "a\\n%s\\nb", "a\r\n%s\r\nb", "\t%s\t", "\0%s\0", "\ufeff%s", "\u200b%s\u200b",
    "ключ%sключ", "密钥%s密钥", "\x1b[31m%s\x1b[0m", "<td>%s</td>", "```\n%s\n```", "[redacted]%s", "%s[redacted]",
    "[redacted %s]", "[redacted_%s]", "%s;%s", "%s\n%s", "password=changeme " * 100 + "%s",
)  # fmt: skip


@cache
def secrets_in(text):
    return [text[match.start : match.end] for match in SCANNER.scan(text)]


@pytest.mark.parametrize("around", SURROUNDINGS, ids=lambda around: repr(around[-24:]))
def test_what_stands_round_a_token_does_not_hide_it(around):
    for kind, text in SAMPLES:
        # A kind without a beginning of its own is known by what stands round it.
        if kind not in LOOSE and not (around == "/%s/" and kind in LIKE_BASE64):
            secrets = secrets_in(text)
            masked = FULL.text(around.replace("%s", text))
            assert not any(secret in masked for secret in secrets), kind


def test_a_secret_is_masked_in_json_inside_json_and_in_any_container():
    pair = json.dumps({"y": json.dumps({"password": "tr0ub4dor9"})})
    for value in (pair, {TOKEN: 1}, {"a": (TOKEN, [TOKEN])}, [["x", TOKEN]], TOKEN.encode(), {TOKEN.encode(): pair}):
        shown = repr(FULL.value(value))
        assert MIX not in shown
        assert "tr0ub4dor9" not in shown


def test_keys_that_become_equal_are_numbered_past_those_that_are_taken():
    one, two = "gh" + f"p_{MIX}", "gh" + f"p_{MIX[::-1]}"
    value = {one: 1, two: 2, "ghp_[redacted] (2)": 3, "ghp_[redacted]": 4}
    assert FULL.value(value) == {
        "ghp_[redacted] (3)": 1,
        "ghp_[redacted] (4)": 2,
        "ghp_[redacted] (2)": 3,
        "ghp_[redacted]": 4,
    }


def test_very_many_keys_that_become_equal_cost_linear_time():
    def cost(count):
        value = {"gh" + f"p_{MIX[:30]}{number:06}": 1 for number in range(count)}
        start = time.process_time()
        assert len(FULL.value(value)) == count
        return time.process_time() - start

    cost(100)
    assert cost(8000) < 30 * cost(1000)  # quadratic would be 64


@pytest.mark.parametrize(
    "value",
    [
        {"k" * MIB: ["gh" + f"p_{MIX[:30]}{number:06}" for number in range(500)]},
        {"a" * MIB: {"b" * MIB: ["password=tr0ub4dor" + str(number) for number in range(500)]}},
    ],
    ids=["one huge key", "huge keys in huge keys"],
)
def test_secrets_under_huge_keys_do_not_multiply_the_keys(value):
    tracemalloc.start()
    try:
        FULL.value(value)
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB  # 500 paths would be 500
    finally:
        tracemalloc.stop()


def test_partial_shows_a_little_of_a_long_key_and_nothing_of_a_password():
    assert PARTIAL.text("gh" + f"p_{MIX}") == "ghp_a1B2[redacted]R8"
    assert PARTIAL.text("password=" + "tr0ub4dor9-and-much-longer-than-that") == "password=[redacted]"
    assert PARTIAL.text("sk-abcdefghijklmnopqrst") == "sk-[redacted]"


def test_what_can_not_be_searched_is_not_let_through():
    with pytest.raises(GuardhouseError):
        FULL.value({"a": {1, 2}})


@settings(max_examples=up_to(200), deadline=None)
@given(JOINED)
def test_redacting_a_text_twice_is_redacting_it_once(text):
    for redactor in (FULL, PARTIAL):
        once = redactor.text(text)
        assert redactor.text(once) == once


@settings(max_examples=up_to(200), deadline=None)
@given(JOINED)
def test_no_detected_secret_survives_in_a_text(text):
    secrets = {text[m.start : m.end] for m in SCANNER.scan(text) if m.end - m.start >= 8}
    assert not any(secret in FULL.text(text) for secret in secrets if "redacted" not in secret)
    assert SCANNER.scan(FULL.text(text)) == []


@settings(max_examples=up_to(200), deadline=None)
@given(TEXT, SECRET, TEXT, st.integers(1, 4))
def test_every_copy_of_a_secret_is_masked_wherever_it_stands(before, secret, after, copies):
    text = "\n".join([before, *[secret] * copies, after])
    for match in SCANNER.scan(secret):
        if match.end - match.start >= 8:
            assert secret[match.start : match.end] not in FULL.text(text)


@settings(max_examples=up_to(150), deadline=None)
@given(VALUE)
def test_redacting_a_value_twice_is_redacting_it_once(value):
    once = FULL.value(value)
    assert FULL.value(once) == once


@settings(max_examples=up_to(150), deadline=None)
@given(VALUE)
def test_no_detected_secret_survives_in_a_value(value):
    result = FULL.redact(value)
    assert result.changed == (result.value != value)
    assert not any(found for _, found in SCANNER.scan_leaves(result.value).leaves)
