"""Texts as words: what is the same word, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.trust.ledger.words import grams, name_words, stem, telling, words

SAME = (
    # forms of one word
    ("schedule", "schedules", "scheduled", "scheduling"),
    ("delete", "deletes", "deleted", "deleting"),
    ("pay", "pays"),
    ("reply", "replies", "replied"),
    ("stop", "stops", "stopped", "stopping"),
    ("invoice", "invoices"),
    ("box", "boxes"),
    ("watch", "watches"),
    ("address", "addresses"),
)
DIFFERENT = (
    # words that only look alike
    ("bus", "bu"),
    ("is", "i"),
    ("status", "stat"),
    ("sing", "s"),
    ("red", "r"),
    ("mail", "male"),
)


@pytest.mark.parametrize("forms", SAME)
def test_the_forms_of_a_word_have_one_stem(forms):
    assert len({stem(word) for word in forms}) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_words_that_only_look_alike_do_not(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("don't", ["dont"]),
        ("the user\u2019s", ["the", "users"]),
        ("ＢＯＢ ﬁle", ["bob", "file"]),
        ("STRASSE straße", ["strasse", "straße"]),
        ("a\u00a0b\tc\nd", ["a", "b", "c", "d"]),
        ("2024-05-15", ["2024", "05", "15"]),
        ("", []),
        ("!?…", []),
    ],
)
def test_a_text_falls_into_comparable_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("name", ["sendMoney", "send_money", "send-money", "send.money", "Send Money"])
def test_the_words_of_an_identifier_do_not_depend_on_how_it_is_written(name):
    assert name_words(name) == ["send", "money"]


def test_common_words_tell_nothing():
    assert telling(words("please send the invoice to me")) == [stem("send"), stem("invoice")]


def test_runs_of_words_are_as_long_as_asked_for():
    assert list(grams(["a", "b", "c"], 2)) == ["a b", "b c"]
    assert list(grams(["a"], 2)) == []


@given(st.text())
def test_words_are_found_in_any_text_and_finding_them_again_changes_nothing(text):
    found = words(text)
    assert all(word and not word.isspace() for word in found)
    assert words(" ".join(found)) == found


@given(st.text())
def test_any_word_has_a_stem(word):
    assert isinstance(stem(word), str)
