"""Ways past the scanner that were tried, and must not work again."""

from __future__ import annotations

import base64
import gzip
import json
import urllib.parse
import zlib
from hashlib import shake_256

import pytest

from guardhouse.detect.secrets import SecretScanner
from guardhouse.redact import Redactor, redacted_stream

REDACTOR = Redactor(SecretScanner())
MIX = "u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL8d"
TOKEN = "gh" + f"p_{MIX}"
KEY_ID = "AK" + "IAQ3ZLMN4PQRS7TUVW"
PASSWORD = "hunter2" + "Zq9x"
BODY = base64.b64encode(shake_256(b"made up").digest(1190)).decode()
LINES = [
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    *(BODY[at : at + 64] for at in range(0, len(BODY), 64)),
    "-----END RSA PRIVATE KEY-----",
]
PIECES = [BODY[at : at + 20] for at in range(5, 1500, 97)]


def b64(data: str | bytes) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def in_lines_of(width: int) -> str:
    return "\n".join([LINES[0], *(BODY[at : at + width] for at in range(0, len(BODY), width)), LINES[-1]])


BEFORE_LINES = {
    "a diff": "-{line}",
    "grep": "key.pem-{number}-{line}",
    "grep with numbers": "file:{number}:{line}",
    "cat -n": "{number:6}\t{line}",
    "an arrow": "{number}→{line}",
    "a comment": "# {line}",
    "another comment": "// {line}",
    "a quotation": "> {line}",
    "strings that are added up": '"{line}\\n" +',
}


@pytest.mark.parametrize("ended", [True, False], ids=["with its end", "without"])
@pytest.mark.parametrize("name", BEFORE_LINES)
def test_whatever_stands_before_its_lines_a_private_key_is_masked(name, ended):
    lines = LINES if ended else LINES[:-1]
    text = "\n".join(BEFORE_LINES[name].format(number=number, line=line) for number, line in enumerate(lines))
    out = REDACTOR.text(f"before\n{text}\nafter, there is prose again\n")
    assert not [piece for piece in PIECES if piece in out]
    assert out.startswith("before\n")
    assert "there is prose again" in out


@pytest.mark.parametrize("width", [10, 12, 16, 20, 22, 23, 24, 76, 4000])
def test_a_private_key_in_lines_of_any_length_is_masked(width):
    out = REDACTOR.text(in_lines_of(width))
    assert not [at for at in range(0, 1400, 60) if BODY[at : at + 9] in out]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LINES).replace("KEY-----\n", "KEY-----" + "\n" * 9000, 1),
        urllib.parse.quote("\n".join(LINES)),
        urllib.parse.quote_plus("\n".join(LINES)),
        "\n".join(LINES).replace("BEGIN RSA", "BEGIN  RSA"),
        "\n".join([LINES[0], "X-Foo: bar", "", *LINES[1:-1]]),
        "\n".join(LINES).replace("KEY-----\n", "KEY-----[redacted]\n", 1),
        json.dumps({"key": "\n".join(LINES)}),
    ],
    ids=["far away", "percent", "form", "two blanks", "a header", "a mask", "JSON"],
)
def test_a_private_key_in_odd_form_is_masked(text):
    assert not [piece for piece in PIECES if piece in urllib.parse.unquote_plus(REDACTOR.text(text))]


def test_a_private_key_as_a_list_of_lines_is_masked_and_what_follows_is_kept():
    out = REDACTOR.value({"lines": [*LINES, "and this is prose"], "other": ["x"]})
    assert not [piece for piece in PIECES if piece in str(out)]
    assert out["lines"][-1] == "and this is prose"
    assert out["other"] == ["x"]


@pytest.mark.parametrize("before", ["gh1=", "path1=", "oauth1:", "md5=", "sha256:", "src_h1="])
def test_a_token_is_no_digest_because_of_what_stands_before_it(before):
    assert MIX not in REDACTOR.text(before + TOKEN)
    assert KEY_ID[4:] not in REDACTOR.text(before + KEY_ID)


def test_a_digest_is_left_alone():
    digest = "sk_" + MIX + "a1B2"
    assert REDACTOR.text(f"a.py,sha256={digest},12") == f"a.py,sha256={digest},12"


def test_a_long_jwt_is_masked():
    jwt = "ey" + "JhbGciOiJIUzI1NiJ9." + b64('{"groups":["' + BODY * 9 + '"]}').rstrip("=") + "." + MIX
    assert REDACTOR.text(f"token {jwt}") == "token [redacted_jwt]"


VEILED = {
    "an early line end": b64(f"A=1\nTOKEN={TOKEN}"),
    "indented JSON": b64(json.dumps({"token": TOKEN}, indent=2)),
    "a comment in Chinese": b64(f"TOKEN={TOKEN} # 这是一个中文的注释说明文字"),
    "0x": "0x" + TOKEN.encode().hex(),
    "hex in lines": "\n".join(f"A=1\nTOKEN={TOKEN} and more".encode().hex()[at : at + 60] for at in range(0, 126, 60)),
    "zlib at its best": b64(zlib.compress(f"TOKEN={TOKEN}".encode(), 9)),
    "zlib, stored": b64(zlib.compress(f"TOKEN={TOKEN}".encode(), 0)),
    "two gzips": b64(gzip.compress(b"hello") + gzip.compress(f"TOKEN={TOKEN}".encode())),
    "od": "\n".join(
        f"{at:07o} " + " ".join(f"{byte:02x}" for byte in TOKEN.encode()[at : at + 16]) for at in range(0, 40, 16)
    ),
    "the second line of base64": '{"d":"'
    + b64("The deployment notes for this week, then some more of it " + TOKEN)[:76]
    + "\\n"
    + b64("The deployment notes for this week, then some more of it " + TOKEN)[76:]
    + '"}',
    "backwards": TOKEN[::-1],
    "spaced out in brackets": "(" + " ".join(TOKEN) + ")",
    "cut behind its beginning": "ghp_\n" + MIX,
    "some letters of full width": "".join(chr(ord(c) + 0xFEE0) if at % 2 else c for at, c in enumerate(TOKEN)),
    "combining marks": "\u0301".join(TOKEN),
    "controls": "\x08".join(TOKEN),
    "percent three times": TOKEN.replace("_", "%25255F"),
}


@pytest.mark.parametrize("name", VEILED)
def test_a_veil_that_was_overlooked_is_seen_through(name):
    text = VEILED[name]
    middle = text[len(text) // 2 : len(text) // 2 + 12]
    assert middle not in REDACTOR.text(f"see {text} there" if "\n" not in text else text)


@pytest.mark.parametrize(
    "value",
    [
        {"password": PASSWORD + "\n"},
        {"password": PASSWORD + " "},
        ["mysql", "--password", PASSWORD],
        {"password": {"value": PASSWORD}},
        {"label": "password", "value": PASSWORD},
        {"Name": "DB", "key": "password", "value": PASSWORD},
        TOKEN.encode("utf-16-be"),
    ],
)
def test_a_value_is_known_by_its_name_however_that_is_told(value):
    out = str(REDACTOR.value(value))
    assert PASSWORD not in out
    assert str(TOKEN[8:20].encode("utf-16-be"))[2:-1] not in out


@pytest.mark.parametrize(
    "text",
    [
        f"CACHE_PASSWORD={PASSWORD}",
        f"PRIMARY_DB_PASSWORD={PASSWORD}",
        f"password{' ' * 17}= {PASSWORD}",
        f"password: |\n  {PASSWORD}",
        f"password: !!str {PASSWORD}",
        f'"password": ["{PASSWORD}"]',
        f"tool --password {PASSWORD} --verbose",
        f"password={PASSWORD}[redacted]",
        f"postgres://u:[redacted]{PASSWORD}@h/db",
        f"postgres://u:{PASSWORD}[redacted]@h/db",
        f'{{"dsn":"postgres:\\/\\/u:{PASSWORD}@h\\/db"}}',
        f"postgres://{'u' * 70}:{PASSWORD}@h/db",
        f"Authorization: Bearer [redacted]{PASSWORD * 3}",
    ],
)
def test_a_password_is_masked_in_odd_places(text):
    assert PASSWORD not in REDACTOR.text(text)


@pytest.mark.parametrize(
    "text",
    ["passwordless login = 2fa", "no_password=12345678x", "invalid_password: abc123def", "--password-file /etc/x1y2z3"],
)
def test_what_only_speaks_of_passwords_is_left_alone(text):
    assert REDACTOR.text(text) == text


WORDS = " ".join(f"word{number}" for number in range(24_000))
LONG = WORDS[:150_001] + " " + TOKEN + " " + WORDS[:20_000]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"da":"' + LONG.encode().hex() + '"}', TOKEN.encode().hex()[10:40]),
        (LONG.encode("utf-16-le").decode("latin-1"), "\0".join(TOKEN[8:20])),
        ('{"data":"' + b64(LONG), b64(LONG)[200_020:200_050]),
        ("\n".join("> " + line for line in [LINES[0], *([LINES[1]] * 1300)]), LINES[1][10:40]),
        ("data " + b64(gzip.compress(shake_256(b"x").hexdigest(90_000).encode() + TOKEN.encode())), "4sI"),
    ],
    ids=["hex", "UTF-16", "base64", "a quoted key", "gzip"],
)
def test_in_a_long_stream_nothing_more_is_left_than_in_a_text(text, left):
    assert left not in "".join(redacted_stream(REDACTOR, [text]))


@pytest.mark.parametrize(
    "unit",
    ["vim\x1b[0 q text in vim\n", "see ghp_xxx\ntokens and AKIA ids\nare documented here, see glpat-abc\nmore text\n"],
)
def test_much_harmless_text_is_not_taken_for_too_much_to_read(unit):
    text = (unit * 30_000)[: 400 << 10]
    assert REDACTOR.text(text) == text


def broken(head: str, first: int, rest: int, before: str = "x ", after: str = "bye\n") -> tuple[str, str, str]:
    """A text with a token that is broken after so many characters, and its two parts."""
    body = b64(shake_256(f"{head}{first}".encode()).digest(200)).replace("+", "a").replace("/", "b")
    return (
        f"{before}{head}{body[:first]}\n{body[first : first + rest]}\n{after}",
        body[:first],
        body[first : first + rest],
    )


@pytest.mark.parametrize("after", ["bye\n", "regards\nAda\n", ""])
@pytest.mark.parametrize("before", ["x ", "TOKEN=", "token: "])
@pytest.mark.parametrize(
    ("head", "first", "rest"),
    [
        ("gh" + "p_", 20, 16),
        ("github" + "_pat_", 33, 49),
        ("sk-" + "proj-", 30, 60),
        ("sk-" + "proj-", 81, 60),
        ("sk-" + "ant-api03-", 90, 40),
        ("AI" + "za", 16, 19),
        ("glpat" + "-", 10, 10),
        ("npm" + "_", 18, 18),
        ("hf" + "_", 17, 17),
    ],
)
def test_no_part_of_a_token_that_is_broken_in_two_lines_is_left(head, first, rest, before, after):
    if head.startswith("github"):
        before = "x " if before == "x " else before
    text, one, two = broken(head, first, rest, before, after)
    if head.startswith("github"):
        text = text.replace(one, one[:22] + "_" + one[23:])
        one = one[23:]
    out = REDACTOR.text(text)
    assert one[-9:] not in out
    assert two[:9] not in out
    assert two[-9:] not in out
    assert out.endswith(after)


@pytest.mark.parametrize(
    "following",
    ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "web-7d4b9c-x2kqp", "build-7f3a9c2e", "user_id_4711x", "report2024.pdf"],
)
def test_an_id_below_a_token_is_no_part_of_it(following):
    token = "sk" + "_live_" + MIX[:24]
    assert REDACTOR.text(f"{token}\n{following}\n") == f"sk_live_[redacted]\n{following}\n"


@pytest.mark.parametrize(
    "text",
    [
        "> SGVsbG8gQWRhLCBob3cg\n> YXJlIHlvdQ==\n",
        "cm5kX3VQb0M5RDZHWWU5YnU2\n> a",
        "data: " + b64("nothing at all to see") + "\n> x",
    ],
)
def test_base64_in_quoted_lines_is_read(text):
    assert REDACTOR.text(text) == text


def test_base64_without_its_padding_is_read_without_the_line_below():
    hidden = b64("password=" + "Tr0ub4dor3xyz1!!").rstrip("=")
    assert REDACTOR.text(f"dsn: {hidden}\nRegards\n") == "dsn: [redacted]\nRegards\n"
    assert REDACTOR.text(f"data: {b64(f'token={TOKEN}x')}\n  next: 1\n") == "data: [redacted]\n  next: 1\n"


@pytest.mark.parametrize("colour", ["\x1b[1;31m", "\x1b[01;31m", "\x1b[38;5;208m", "\x1b[m"])
def test_a_colour_before_a_token_hides_nothing(colour):
    assert REDACTOR.text(f"{colour}{KEY_ID} (expired)\x1b[0m") == f"{colour}AKIA[redacted] (expired)\x1b[0m"


@pytest.mark.parametrize("sign", "+-")
def test_a_bare_key_on_a_line_of_a_diff_is_masked(sign):
    key = "AI" + "za" + (MIX + MIX)[:35]
    assert REDACTOR.text(f"@@ -1 +1 @@\n{sign}{key}\n") == f"@@ -1 +1 @@\n{sign}AIza[redacted]\n"


def test_half_a_character_beside_a_mask_is_no_error():
    assert REDACTOR.value({"password": "abcd\ud800e[redacted]"}) is not None


@pytest.mark.parametrize("text", ["ghp_\nEKEY>YIoIArUMSSb0AAAA", "key>sk-\nWFhYWFUMSSb0AAAA"])
def test_what_lies_between_two_readings_belongs_to_neither(text):
    assert isinstance(REDACTOR.text(text), str)


def test_many_lines_of_hexadecimal_in_a_key_are_read_once():
    from time import process_time

    lines = "".join(shake_256(str(number).encode()).hexdigest(24) + "\n" for number in range(8_000))
    begin = process_time()
    out = REDACTOR.text(f"{LINES[0]}\n{lines}{LINES[-1]}\n")
    assert process_time() - begin < 3
    assert lines[:20] not in out
