"""No pair that its readers would count is missed because no trigger led them there."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import SecretScanner
from guardhouse.detect.secrets.matching import Re2Matcher
from guardhouse.detect.secrets.triggers import PAIR_TARGETS


class Everywhere:
    """Sees a trigger of pairs at every place, and all others as they are."""

    def __init__(self, matcher):
        self._matcher = matcher

    def places(self, data):
        return {**self._matcher.places(data), **{target: list(range(1, len(data) + 1)) for target in PAIR_TARGETS}}


MATCHER = Re2Matcher()
SCANNER, EVERYWHERE = SecretScanner(matcher=MATCHER), SecretScanner(matcher=Everywhere(MATCHER))
NAMES = (
    "password DB_PASSWORD dbPassword pass pwd PGPASSWORD pw db_pw dbPw rootPW db_pw_prod pswd api_key apiKey "
    "client_secret SECRET_KEY token access_token auth_token private_key auth session jwt "
    "encryption_key creds credential user_pass"
).split()
SIGNS = ["=", " = ", ": ", ":", " := ", "=>", " -> ", '": ', "': ", "(", ">", " | ", " is ", " "]
OPENERS = ["", '"', "'", "`", 'b"', '\\"', '"""', "["]
FORMS = st.tuples(
    st.sampled_from(["", "export ", "--", "<", '"', "x.", "  - "]),
    st.sampled_from(NAMES),
    st.sampled_from(SIGNS),
    st.sampled_from(OPENERS),
    # A sign at the beginning could as well be part of what joins the two.
    st.sampled_from("abcXYZkqvwz0123456789!#%@^~"),
    st.text(st.sampled_from("abcXYZkqvwz0123456789!#$%&()*+,-./:;<=>?@[]^_{|}~\"'`"), min_size=5, max_size=30),
    st.sampled_from(["", "\n", '"', "'\n", "</password>", " next", "`", '\\"']),
)


def starts(scanner, text):
    return [(match.start, match.end) for match in scanner.scan(text)]


@settings(max_examples=up_to(1500), deadline=None, derandomize=True)
@given(FORMS)
def test_no_pair_that_would_count_lacks_its_trigger(parts):
    # Behind an escaped or a triple quotation mark, a plain one stands in no text that a program wrote.
    assume(len(parts[3]) <= 1 or not set("\"'`") & set(parts[5]))
    text = "".join(parts)
    assert starts(SCANNER, text) == starts(EVERYWHERE, text)


def test_keys_as_django_makes_them_are_found():
    chance = random.Random(11)
    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)"
    keys = ["".join(chance.choices(alphabet, k=50)) for _ in range(500)]
    left = [key for key in keys if not SCANNER.scan(f"SECRET_KEY = 'django-insecure-{key}'\n")]
    assert left == []


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=abc,def12\n",
        "password: Qw&rty12",
        "PGPASSWORD=x|Kq9vz7w psql",
        "<password>Tr&amp;ub4dor3</password>",
        "<password>ab;cd&ef9Xk</password>",
        '"client_secret": "ab,K9x!vQ2m$n7pZ"',
        "db_pw_prod=tr0ub4dor&3",
        'dbPw: "tr0ub4dor3x"',
        "rootPW=tr0ub4dor&3",
        'pw = "HunTerXyZq"',
        "mysql --password 'Correct!Horse'",
        'SECRET_KEY is \\"a1B2c3D4e5F6g7H8i9J0\\"',
        "token | b'a1B2c3D4e5F6g7H8'",
        "key: DB_PASSWORD_PROD=hunter2xx",
        "password='ab\"c9xK2!vQz7'",
        'password: "it\'sMy9Secret!x"',
        'DB_PASSWORD="x`K9vQ2mn7pZ4"',
        '"client_secret": "Q~k\'VzPq61YM5q2C9mujSkl"',
        '<password>ab"c9xK2!vQ</password>',
        "\\u{67}\\u{68}\\u{70}_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    ],
)
def test_pairs_that_once_had_no_trigger(text):
    assert SCANNER.scan(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "X509_PUBKEY *X509_get_X509_PUBKEY(const X509 *x);",
        "#password_encryption = scram-sha-256",
        "going upward=12345678 and shopware: 12345678",
    ],
)
def test_what_is_no_pair(text):
    assert SCANNER.scan(text) == []
