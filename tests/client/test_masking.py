"""What a daemon passes on is what was sent, masked: all that the redactor makes is, and nothing else."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.client.masking import is_masked
from guardhouse.decide import _mask_patterns
from guardhouse.detect.output.detector import CODES, _Cleaner
from guardhouse.detect.secrets import Fingerprints, SecretScanner
from guardhouse.detect.secrets.kinds import PREFIXED
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.rows import example
from guardhouse.detect.secrets.pairs import PAIR
from guardhouse.detect.sensitivity.scanner import LabelMask
from guardhouse.net import NetworkRules, NetworkSettings
from guardhouse.redact import Redactor

SCANNER = SecretScanner()
REDACTORS = [Redactor(SCANNER, level, keyed) for level in ("full", "partial") for keyed in (None, Fingerprints(b"k"))]
EXAMPLES = (
    *(text for kind in (*FORMS, PAIR) for text in kind.matches),
    *(example(row.example) for row in PREFIXED),
)
TEXT = st.text(max_size=40)
SECRET = st.sampled_from(EXAMPLES)
LITERAL = ["[redacted]", "[redacted", "[redacted_jwt]", "[redacted:1f8a09c2]", "]", "sk-[redacted]", "password=", "\n"]
JOINED = st.builds(
    str.join, st.sampled_from(["", " "]), st.lists(st.one_of(TEXT, SECRET, st.sampled_from(LITERAL)), max_size=6)
)
KEY = st.one_of(JOINED, st.sampled_from(["password", "name", "token"]))
VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), JOINED),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEY, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.parametrize("redactor", REDACTORS, ids=["full", "full-keyed", "partial", "partial-keyed"])
@settings(deadline=None, max_examples=up_to(200))
@given(VALUE)
def test_what_the_redactor_makes_is_taken(redactor, value):
    assert is_masked(value, redactor.value(value))


@pytest.mark.parametrize("redactor", REDACTORS, ids=["full", "full-keyed", "partial", "partial-keyed"])
def test_every_kind_of_secret_may_be_masked_anywhere(redactor):
    for text in EXAMPLES:
        for value in (text, f"a {text} b {text}", {text: [text, 1]}, [{"password": text}, {text: 1, f"{text} ": 2}]):
            assert is_masked(value, redactor.value(value)), value


def test_what_rules_and_labels_mask_is_taken():
    digits = LabelMask([lambda text: [found.span() for found in re.finditer("[0-9]{4,}", text)]])
    value = {"id 1234": 4111111111111111, "id 5678": ["no", 12, "call 55501234 or 55505678"], "id [redacted]": True}
    masked = _mask_patterns(value, (digits,))
    assert masked == {
        "id [redacted] (2)": "[redacted]",
        "id [redacted] (3)": ["no", 12, "call [redacted] or [redacted]"],
        "id [redacted]": True,
    }
    assert is_masked(value, masked)


MARKUP = st.sampled_from(
    [
        "![x](https://evil.example/?q=1)",
        "[a & b](https://evil.example/?q=1 'title')",
        "[1]: https://evil.example/?q=1\n",
        "<https://evil.example/?q=1>",
        "https://evil.example/?q=1",
        '<img src="https://evil.example/?q=1">',
        "<script>fetch(1)</script>",
        "&lt;script&#62;",
        "\x1b]8;;https://evil.example/\x07here",
        "\r",
        "\U000e0068",
        "(link removed)",
        "[redacted]",
        "![[redacted]](//evil.example)",
        "\n",
    ]
)


@settings(deadline=None, max_examples=up_to(300))
@given(st.builds(str.join, st.sampled_from(["", " "]), st.lists(st.one_of(MARKUP, TEXT, SECRET), max_size=6)))
def test_what_is_cleaned_to_be_published_is_taken(text):
    cleaner = _Cleaner(NetworkRules(NetworkSettings()), frozenset(code.id for code in CODES))
    masked = _mask_patterns(REDACTORS[0].value({"a": [text]}), (cleaner,))
    assert is_masked({"a": [text]}, masked, published=True), (text, masked)


def test_what_is_published_has_no_words_that_were_not_sent():
    assert is_masked("see [a](https://b.example)", "see a (link removed)", published=True)
    assert not is_masked("see [a](https://b.example)", "see a (link removed)")
    for other in ("see q (link removed)", "see a (removed)", "see [a](https://c.example)", "see a (link removed) now"):
        assert not is_masked("see [a](https://b.example)", other, published=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rm a", "rm b"),
        ("rm a", "rm"),
        ("rm a", "rm a; rm b"),
        ("rm a", "rm [redacted] /"),
        ("rm a", "rm a[redacted]"),
        ("rm a", "[redacted]rm a"),
        ("ab", "a[redacted]b"),
        ("aa", "a[redacted]a"),
        ("a", "[redacted][redacted]"),
        ("", "[redacted]"),
        ("rm a", "rm [redacted"),
        ("rm a", "rm [redacted;reboot]"),
        ("rm a", "rm [redacted:reboot00]"),
        ("rm a", "rm [REDACTED]"),
        ("one two three", "[redacted]three[redacted]two[redacted]"),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": "1"}),
        ({"a": 1}, {"a": None}),
        ({"a": True}, {"a": "[redacted]"}),
        ({"a": None}, {"a": "[redacted]"}),
        ({"a": "x"}, {"a": 1}),
        ({"a": "x"}, {"b": "x"}),
        ({"a": "x"}, {"a (2)": "x"}),
        ({"a": "x"}, {"[redacted] (rm)": "x"}),
        ({"a": "x"}, {"[redacted] (2) ": "x"}),
        ({"a": "x"}, {}),
        ({"a": "x"}, {"a": "x", "[redacted]": "y"}),
        ({"a": "x"}, "[redacted]"),
        ({"a": ["x"]}, {"a": ["x", "[redacted]"]}),
        ({"a": ["x"]}, {"a": "[redacted]"}),
        (["x"], {"0": "x"}),
    ],
)
def test_what_is_not_only_masked_is_not_taken(before, after):
    assert is_masked(before, before)
    assert not is_masked(before, after)


@given(TEXT, TEXT, st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), max_size=3))
def test_words_that_were_not_there_are_seen_whatever_is_masked_beside_them(before, word, spans):
    masked = before
    for at, length in spans:
        masked = f"{masked[:at]}[redacted]{masked[at + length :]}"
    if not set(word) <= set(before):
        assert not is_masked(before, f"{masked}{word}")
        assert not is_masked(before, f"{word}{masked}")


def test_it_takes_no_longer_than_the_texts_are_long():
    begun = time.monotonic()
    size = 1_000_000
    for before, after in (
        ("a" * size, "[redacted]a" * (size // 20) + "b[redacted]"),
        ("ab" * size, "[redacted]" + ("a" * 1000 + "b[redacted]") * 1000),
        ("a" * size, "[redacted" * (size // 10)),
        ({"a" * size: 1}, {"[redacted]b" + " (2)" * (size // 4): 1}),
    ):
        assert not is_masked(before, after)
    assert time.monotonic() - begun < 3
