"""What holds for any text: check digits check, masks are final, and no text takes long."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect.sensitivity import LABELS, Group, LabelScanner, OwnLabel
from guardhouse.detect.sensitivity.numbers import passes_luhn, passes_mod_97

IDS = [label.id for label in LABELS]
ALL = LabelScanner(IDS, IDS)
PIECES = [text.replace("‹", "").replace("›", "") for label in LABELS for text in (*label.matches, *label.misses)]
PIECES += ["4111 ", "1111", " ", "-", ".", "10", "0.0.1", "@", "a", "ü", "[redacted]", "+", "DE89", "\n", "/home/"]
PROMPT = "You are Ada's assistant. You never speak about the plans for the second engine."
SIZE = 1 << 20
HOSTILE = ("1234567890", "@", ".", "10.", "1 ", "1111 ", "a@", "DE89 ", "fd:", "+1", "415-", "/home/a", "AB12", "a.a-")


def digit(text, place, by):
    return text[:place] + str((int(text[place]) + by) % 10) + text[place + 1 :]


@given(st.text("0123456789", min_size=12, max_size=18), st.integers(0, 18), st.integers(1, 9))
def test_one_check_digit_fits_and_one_wrong_digit_never_does(digits, place, by):
    (good,) = [digits + last for last in "0123456789" if passes_luhn(digits + last)]
    assert not passes_luhn(digit(good, place % len(good), by))


@given(st.text("0123456789", min_size=18, max_size=18), st.integers(4, 21), st.integers(1, 9))
def test_an_account_number_with_its_check_digits_passes_and_with_a_wrong_digit_does_not(digits, place, by):
    rest = int(digits + "131400") % 97
    account = f"DE{98 - rest:02}{digits}"
    assert passes_mod_97(account)
    assert not passes_mod_97(digit(account, place, by))
    assert list(ALL.spans("iban", f"to {account}.")) == [(3, 25)]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.sets(st.sampled_from(IDS), min_size=1))
def test_masking_twice_is_masking_once_and_leaves_nothing(text, labels):
    mask = ALL.mask(sorted(labels))
    masked = mask.sub("[redacted]", text)
    assert mask.sub("[redacted]", masked) == masked
    assert all(not list(ALL.spans(label, masked)) for label in labels)


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_takes_long(unit):
    text = unit * (SIZE // len(unit))
    for label in IDS:
        start = time.process_time()
        list(ALL.spans(label, text))
        assert time.process_time() - start < 0.5, label


def test_words_take_time_by_their_number():
    scanner = LabelScanner(["system_prompt"], [], private=[PROMPT])
    start = time.process_time()
    assert list(scanner.spans("system_prompt", "you are ada s assistant you never " * (SIZE // 35))) == []
    assert time.process_time() - start < 2


def test_only_what_is_wanted_is_looked_for():
    scanner = LabelScanner(["card"], ["iban", "card"])
    assert (scanner.output, scanner.egress) == (("card",), ("card", "iban"))
    with pytest.raises(KeyError):
        scanner.spans("email", "x")


def test_eight_words_of_a_private_text_are_one_whatever_stands_between_them():
    scanner = LabelScanner(["system_prompt"], [], private=[PROMPT])
    text = "It says: you are ADA’S\n> assistant; you never speak about the plans. That is all."
    ((start, end),) = scanner.spans("system_prompt", text)
    assert text[start:end] == "you are ADA’S\n> assistant; you never speak about the plans"
    assert list(scanner.spans("system_prompt", "You never speak about the plans for it.")) == []


def test_two_passages_of_a_private_text_are_two():
    scanner = LabelScanner(["system_prompt"], [], private=[PROMPT])
    text = "You are Ada's assistant. You never speak! And: never speak about the plans for the second engine."
    found = [text[start:end] for start, end in scanner.spans("system_prompt", text)]
    assert found == ["You are Ada's assistant. You never speak", "never speak about the plans for the second engine"]


def test_a_label_of_ones_own_is_its_group_or_all_of_it():
    own = [
        OwnLabel(id="customer", group=Group.BUSINESS, pattern="CUST-[0-9]{6}"),
        OwnLabel(id="order", group=Group.BUSINESS, pattern="order ([0-9]+)"),
    ]
    scanner = LabelScanner(["customer", "order"], [], own)
    assert scanner.mask(scanner.output).sub("[redacted]", "CUST-123456, ördnung, order 77") == (
        "[redacted], ördnung, order [redacted]"
    )


def test_a_text_that_never_settles_is_masked_as_a_whole():
    own = [OwnLabel(id="odd", group=Group.BUSINESS, pattern=r"\]a|^a")]
    scanner = LabelScanner(["odd"], [], own)
    mask = scanner.mask(["odd"])
    assert mask.sub("[redacted]", "a" * 50) == "[redacted]"
    assert mask.sub("[redacted]", "a" * 3 + "b") == mask.sub("[redacted]", mask.sub("[redacted]", "a" * 3 + "b"))
