"""Masks are known again, fingerprints tell secrets apart, and kinds and values can be said to be none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect.secrets import CustomKind, Fingerprints, SecretScanner
from guardhouse.detect.secrets.masks import mask_end, without_fingerprints
from guardhouse.redact import Redactor

MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "gh" + f"p_{MIX}"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + MIX
PRINTS = Fingerprints(b"k" * 32)
MARKED = Redactor(SecretScanner(), fingerprints=PRINTS)


@pytest.mark.parametrize("mask", ["[redacted]", "[redacted_jwt]", "[redacted:0123abcd]", "[redacted_jwt:0123abcd]"])
def test_a_mask_is_known_again(mask):
    assert mask_end(f"x{mask}y", 1) == 1 + len(mask)
    assert without_fingerprints(f"x{mask}y") == "x[redacted]y"


@pytest.mark.parametrize(
    "text",
    ["[redacted", "[redacted ]", "[redacted:0123abc]", "[redacted:0123ABCD]", "[redacted:0123abcd", "[redacted:]"],
)
def test_what_only_begins_like_a_mask_is_none(text):
    assert mask_end(text, 0) == 0
    assert without_fingerprints(text) == text


def test_a_fingerprint_in_a_mask_tells_secrets_apart_and_does_not_show_them():
    other = TOKEN[:-1] + "x"
    text = MARKED.text(f"one {TOKEN} two {TOKEN} three {other} four {JWT}")
    first, second, third, fourth = (word for word in text.split() if "redacted" in word)
    assert (first == second, first == third) == (True, False)
    assert first == f"ghp_[redacted:{PRINTS.of(MIX)[:8]}]"
    assert fourth.startswith("[redacted_jwt:")
    assert MARKED.text(text) == text


def test_fingerprints_hang_on_the_key():
    assert PRINTS.of(TOKEN) == Fingerprints(b"k" * 32).of(TOKEN) != Fingerprints(b"l" * 32).of(TOKEN)


@given(st.text(max_size=40), st.sampled_from([TOKEN, "password=" + "tr0ub4dor9x", JWT]), st.text(max_size=40))
def test_redacting_twice_with_fingerprints_is_redacting_once(before, secret, after):
    once = MARKED.text(f"{before} {secret} {after}")
    assert MARKED.text(once) == once


@pytest.mark.parametrize("text", ["password=[redacted:0123abcd]" + "tr0ub4dor9x", "token=[redacted:0123abcd]" + MIX])
def test_a_mask_with_a_fingerprint_hides_nothing_beside_it(text):
    for redactor in (MARKED, Redactor(SecretScanner())):
        assert "tr0ub4dor9x" not in redactor.text(text)
        assert MIX not in redactor.text(text)


def test_a_kind_that_is_ignored_is_not_found_and_others_are():
    scanner = SecretScanner(ignored={"github_token"})
    assert [match.kind for match in scanner.scan(f"{TOKEN} {JWT}")] == ["jwt"]


def test_a_value_that_is_allowed_is_not_found_and_a_longer_one_is():
    scanner = SecretScanner(allowed={PRINTS.of(MIX)}, fingerprints=PRINTS)
    assert scanner.scan(TOKEN) == []
    assert scanner.scan(TOKEN + "x") != []
    assert SecretScanner(allowed={PRINTS.of(MIX)}).scan(TOKEN) != []  # without a key, no value is allowed


def test_what_is_ignored_hides_nothing_that_stands_with_it():
    import base64

    blob = base64.b64encode(f"AK{'IAQYLPMN5HFIQR7XYA'} {TOKEN}".encode()).decode()
    scanner = SecretScanner(ignored={"aws_access_key_id"})
    assert [match.kind for match in scanner.scan(blob)] == ["github_token"]
    own = SecretScanner([CustomKind(id="corp_key", pattern="CORP[0-9]{6}")], ignored={"sensitive_pair"})
    assert [match.kind for match in own.scan("password=" + "CORP123456xQ9z!")] == ["corp_key"]


def test_a_match_tells_every_kind_that_was_found_in_its_place():
    own = SecretScanner([CustomKind(id="corp_key", pattern="CORP[0-9]{6}")])
    (match,) = own.scan("password=" + "CORP123456xQ9z!")
    assert {match.kind, *match.also} == {"sensitive_pair", "corp_key"}
