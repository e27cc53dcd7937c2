"""What the scanner finds, what it leaves alone, and that it stays fast on hostile text."""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from itertools import pairwise

import pytest

from guardhouse.detect.secrets import CustomKind, SecretScanner, masked
from guardhouse.detect.secrets.kinds import PREFIXED
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.rows import example
from guardhouse.detect.secrets.matching import Re2Matcher
from guardhouse.detect.secrets.pairs import PAIR
from guardhouse.model import Confidence, GuardhouseError

SCANNER = SecretScanner()
MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + MIX
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"


def redacted(text: str) -> str:
    return masked(text, SCANNER.scan(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Here is the token: sk-abcdefghijklmnopqrstuvwx", "Here is the token: sk-[redacted]"),
        (f"token={JWT}", "token=[redacted_jwt]"),
        ("gh" + f"p_{MIX}", "gh" + "p_[redacted]"),
        ("GITHUB_TOKEN=gh" + f"p_{MIX}", "GITHUB_TOKEN=gh" + "p_[redacted]"),
        ("id AK" + "IA1B2C3D4E5F6G7H8I.", "id AK" + "IA[redacted]."),
        ("password=" + "tr0ub4dor&3", "password=[redacted]"),
        ("postgres://user:" + "pass@host/db", "postgres://user:[redacted]@host/db"),
        (f"Authorization: Bearer {MIX}", "Authorization: Bearer [redacted]"),
        ('{"secret": "' + "aB3/x+Y9=z2Q8w" + '"}', '{"secret": "[redacted]"}'),
        ("api_key: '" + "aB3/x+Y9z2Q8w/+" + "'", "api_key: '[redacted]'"),
        (r'"{\"password\": \"' + "tr0ub4dor9" + r'\"}"', r'"{\"password\": \"[redacted]\"}"'),
        ("é password=" + "tr0ub4dor9 ü", "é password=[redacted] ü"),
        ("a=" + "b; password: " + "tr0ub4dor9", "a=b; password: [redacted]"),
    ],
)
def test_a_secret_is_masked_and_its_structure_kept(text, expected):
    assert redacted(text) == expected


@pytest.mark.parametrize("end", ["\n-----END RSA PRIVATE KEY-----", "", "\nabc", "\\n"])
def test_a_private_key_is_masked_with_or_without_its_end(end):
    key = "\n".join([MIX + MIX[:28]] * 3)
    text = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + key + end
    assert MIX[:12] not in redacted(text)
    assert redacted(text).startswith("-----BEGIN RSA PRIVATE KEY-----[redacted]")


def test_a_private_key_of_any_size_is_masked_as_a_whole():
    text = "-----BEGIN " + "PRIVATE KEY-----\n" + (MIX + "\n") * 5000 + "-----END PRIVATE KEY-----"
    assert redacted(text) == "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    "text",
    [
        "id: f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        f"commit {HASH}",
        f'"integrity": "sha512-{MIX * 2}==",',
        f"sha256={MIX}",
        f"h1:{MIX}=",
        f'checksum = "{HASH}"',
        '<img src="data:image/png;base64,iVBORw0KGgo' + MIX * 20 + '">',
        "YOUR_API_KEY",
        "api_key=YOUR_API_KEY",
        "token=<token>",
        "TOKEN=${TOKEN}",
        'os.environ["API_KEY"]',
        "api_key = os.environ['API_KEY']",
        "token: process.env.GITHUB_TOKEN",
        "password = get_password(user)",
        "task-management-is-hard-to-get-right",
        "pip install sk-learn-contrib-extensions-long",
        "model: claude-3-opus-20240229",
        "model = gpt-4o-mini-2024-07-18",
        "password=****",
        "password: xxxxxxxx",
        "password: changeme",
        "secret=example",
        "the secret to success is practice",
        "max_tokens=4096",
        "Enter password: ",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert redacted(text) == text


def test_every_occurrence_is_found_even_without_its_context():
    text = "password=" + "Xy7-long+pass" + "\nlater: " + "Xy7-long+pass" + " and (" + "Xy7-long+pass" + ")"
    assert redacted(text) == "password=[redacted]\nlater: [redacted] and ([redacted])"


def test_matches_are_sorted_do_not_overlap_and_count_characters():
    text = f"ünï {JWT} Authorization: Bearer {JWT} password=" + "tr0ub4dor9" + " gh" + f"p_{MIX}"
    found = SCANNER.scan(text)
    assert [m.kind for m in found] == ["jwt", "jwt", "sensitive_pair", "github_token"]
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert text[found[0].start : found[0].end] == JWT


def test_a_checksum_makes_a_match_certain():
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number, checksum = zlib.crc32(MIX[:30].encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        checksum = digits[digit] + checksum
    assert SCANNER.scan("gh" + f"p_{MIX}")[0].confidence is Confidence.MEDIUM
    assert SCANNER.scan("gh" + f"p_{MIX[:30]}{checksum}")[0].confidence is Confidence.HIGH


def test_a_match_does_not_hold_the_secret():
    assert MIX not in repr(SCANNER.scan(f"token={MIX}"))


def test_a_lone_surrogate_does_not_hide_a_secret():
    assert redacted("\ud800 password=" + "tr0ub4dor9") == "\ud800 password=[redacted]"


def test_a_set_that_ran_out_of_memory_is_noticed_and_every_kind_tried(monkeypatch):
    class Exhausted:
        def Match(self, data):  # noqa: N802 - RE2's name
            return None

    matcher = Re2Matcher()
    matcher.places(b"x" * 100_000)
    for one in matcher._all:
        monkeypatch.setattr(one, "_look", Exhausted())
    scanner = SecretScanner(matcher=matcher)
    for row in PREFIXED[::40]:
        assert scanner.scan(example(row.example)), row.id
    for kind in (*FORMS, PAIR):
        assert scanner.scan(kind.matches[0]), kind.id


def test_values_count_as_secrets_under_a_sensitive_key():
    value = {
        "user": {"name": "ada", "password": "hunter2-Long!"},
        "env": [{"name": "API_KEY", "value": MIX}, {"name": "REGION", "value": "eu-west-1"}],
        "tokens": [MIX[::-1]],
        "note": "it is hunter2-Long! really",
    }
    found = [leaf.text for leaf, matches in SCANNER.scan_leaves(value).leaves if matches]
    assert found == ["hunter2-Long!", MIX, MIX[::-1], "it is hunter2-Long! really"]


def test_a_key_that_is_a_secret_is_found():
    token = "gh" + f"p_{MIX}"
    scanned = SCANNER.scan_leaves({"a": {token: "fine"}}).leaves
    assert [(leaf.text, leaf.is_key) for leaf, matches in scanned if matches] == [(token, True)]


def test_what_is_not_json_is_refused():
    with pytest.raises(GuardhouseError, match="type object"):
        SCANNER.scan_leaves({"a": object()})


def test_a_custom_kind_masks_its_group_or_all_it_matches():
    scanner = SecretScanner(
        [
            CustomKind(id="ticket", pattern=r"ticket-(\d+)"),
            CustomKind(id="badge", pattern=r"BDG(?:[a-zé]+)"),
        ]
    )
    text = "ticket-4711 BDGabcé"
    found = scanner.scan(text)
    assert masked(text, found) == "ticket-[redacted] [redacted]"
    assert [match.kind for match in found] == ["ticket", "badge"]


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (CustomKind(id="a", pattern="("), "not a valid RE2"),
        (CustomKind(id="a", pattern="(?=x)y"), "not a valid RE2"),
        (CustomKind(id="a", pattern="x*"), "empty string"),
    ],
)
def test_a_custom_kind_that_can_not_work_is_refused_with_a_fix(kind, problem):
    with pytest.raises(GuardhouseError, match=problem) as caught:
        SecretScanner([kind])
    assert caught.value.fix


MIB = 1 << 20


def cost(text):
    start = time.process_time()
    SCANNER.scan(text)
    return time.process_time() - start


PROSE = "Put the keys under the mat, and tell nobody that the api is down. " * (MIB // 66)
BENIGN = max(min(cost(PROSE) for _ in range(3)), 0.01)


@pytest.mark.parametrize(
    "text",
    [
        "a" * MIB,
        "-" * MIB,
        "-----BEGIN RSA PRIVATE KEY-----" * (MIB // 31),
        "-----BEGIN " * (MIB // 11),
        "-----BEGIN PRIVATE KEY-----\n" + (MIX + "\n") * (MIB // 37),
        "password token secret key auth bearer api " * (MIB // 42),
        "token:password:" * (MIB // 15),
        "token=password=" * (MIB // 15),
        "token>" * (MIB // 6),
        'token="' * (MIB // 7),
        'token="' + '\\"' * (MIB // 2),
        "sk-" * (MIB // 3),
        "http://a:" * (MIB // 9),
        "authorization: " * (MIB // 15),
        "password=" + "abc12345" * 60000 + "Z " + "abc12345" * 60000,
        "\n".join(f"password=Abcdefgh{i:06}x" for i in range(20000)),
        " ".join("gh" + f"p_{MIX[:30]}{i:06}" for i in range(20000)),
        "password=[redacted]" * (MIB // 19),
        "[redacted password=[redacted]x" * (MIB // 30),
        "[redacted" * (MIB // 9),
        "token=password: secret=key: auth= " * (MIB // 34),
        "password=token=secret=api_key=authorization=bearer:" * (MIB // 51),
    ],
    ids=lambda text: text[:16].strip(),
)
def test_time_is_linear_on_hostile_text(text):
    cost(text[: len(text) // 8])
    assert cost(text) < 400 * BENIGN  # some 5 to 60 is what it takes; quadratic time would be many thousands


def test_importing_guardhouse_does_not_load_re2():
    code = "import guardhouse.detect.secrets, guardhouse.redact, sys; sys.exit('re2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_names_beside_a_value_are_looked_at_in_the_same_go_and_do_not_change_what_is_found():
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    quiet, beside = SCANNER.scan_leaves({"a": "fine"}, ["s1"]), SCANNER.scan_leaves({"a": "fine"}, [token])
    assert (quiet.is_quiet, beside.is_quiet) == (True, False)
    assert [found for _, found in quiet.leaves] == [found for _, found in beside.leaves] == [[], []]
