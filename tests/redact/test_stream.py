"""A stream is redacted as a whole, however it is cut, in constant memory."""

from __future__ import annotations

import base64
import gzip
import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import SecretScanner
from guardhouse.redact import Redactor, StreamRedactor, redacted_stream

REDACTOR = Redactor(SecretScanner())
MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = "gh" + f"p_{MIX}"
PROSE = "The quick brown fox jumps over the lazy dog; nothing to see here, move along please.\n"


def streamed(pieces) -> str:
    return "".join(redacted_stream(REDACTOR, pieces))


def cut(text: str, sizes: list[int]) -> list[str]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    return [*pieces, text[at:]]


FILLED = st.lists(
    st.sampled_from([PROSE, TOKEN, f" {TOKEN}\n", "password = ", '"tr0ub4dor&3"', "\n", "é" * 50, "x" * 700, MIX]),
    max_size=12,
).map("".join)


@settings(max_examples=up_to(60), deadline=None)
@given(text=FILLED, sizes=st.lists(st.integers(0, 400), max_size=20))
def test_a_short_stream_comes_out_as_the_whole_text_would(text, sizes):
    assert streamed(cut(text, sizes)) == REDACTOR.text(text)


def key(chance: random.Random, lines: int, end: str = "-----END PGP " + "PRIVATE KEY BLOCK-----\n") -> str:
    """A private key of so many lines, no two of them alike."""
    body = [base64.b64encode(chance.randbytes(48)).decode() + "\n" for _ in range(lines)]
    return "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + "".join(body) + end


def wrapped(run: str) -> str:
    """A run of base64 in lines."""
    return "".join(run[at : at + 76] + "\n" for at in range(0, len(run), 76))


def long_text(seed: int) -> str:
    chance = random.Random(seed)
    parts = []
    size = 0
    while size < 400_000:
        part = chance.choice(
            [
                PROSE * chance.randint(1, 40),
                f"token {TOKEN}\n",
                f"password = {chance.choice(['', chr(10) + '   '])}hunter{chance.randint(10, 99)}Zq9\n",
                base64.b64encode(f"token={TOKEN} {PROSE * chance.randint(0, 30)}".encode()).decode() + "\n",
                "word" * chance.randint(1, 3000) + " ",
                "日本語のテキスト" * 40 + "\n",
                key(chance, chance.choice([5, 100, 400, 2000])),
                wrapped(base64.b64encode(gzip.compress(chance.randbytes(60_000))[:-9]).decode()),
            ]
        )
        parts.append(part)
        size += len(part)
    return "".join(parts)


@pytest.mark.parametrize("seed", range(4))
def test_how_a_long_stream_is_cut_changes_nothing(seed):
    text = long_text(seed)
    chance = random.Random(seed)
    whole = streamed([text])
    assert TOKEN not in whole
    assert MIX not in whole
    for _ in range(3):
        pieces, at = [], 0
        while at < len(text):
            size = chance.choice([1, 7, 1000, 65536, 81920, 81921, 200_000])
            pieces.append(text[at : at + size])
            at += size
        assert streamed(pieces) == whole


@pytest.mark.parametrize("place", [65_000, 65_500, 65_530, 65_536, 65_540, 81_900, 81_920, 131_072])
@pytest.mark.parametrize("filler", ["x", "ab ", PROSE], ids=["one word", "words", "lines"])
def test_a_secret_at_the_edge_of_a_part_is_masked(place, filler):
    before = (filler * (place // len(filler) + 1))[: place - 20]
    for secret in (f" {TOKEN} ", "\npassword:\n    tr0ub4dor9x\n", ' {"api_key": "' + MIX + '"} '):
        text = before + secret + filler * 20_000
        assert secret.strip().split()[-1].strip('"}') not in streamed([text])


def test_a_private_key_of_any_length_is_swallowed_and_what_follows_is_kept():
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + (MIX + MIX[:28] + "\n") * 8000 + "-----END RSA PRIVATE KEY-----\n"
    out = streamed([PROSE * 10, key, PROSE * 3000])
    assert MIX[:12] not in out
    assert "-----END RSA PRIVATE KEY-----" in out
    assert out.count(PROSE) == 3010


def test_a_private_key_that_never_ends_hides_no_prose_after_it():
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + (MIX + MIX[:28] + "\n") * 8000
    out = streamed([key, PROSE * 3000])
    assert MIX[:12] not in out
    assert out.count(PROSE) == 3000


def shown_of(lines, out):
    """The lines of a key that can be seen in a text, looked for beside its prose, which is most of it."""
    rest = out.replace(PROSE, "\n")
    return [line for line in lines if line[:12] in rest or line[-12:] in rest]


@pytest.mark.parametrize("end", ["", "-----END PGP " + "PRIVATE KEY BLOCK-----\n"])
def test_however_a_long_private_key_lies_in_a_stream_no_line_of_it_comes_out(end):
    chance = random.Random(5)
    for shift in range(66):
        text = (PROSE * 800)[: 60_000 + shift] + "\n" + key(chance, 400, end) + PROSE * 1000
        lines = [line for line in text.splitlines() if len(line) == 64]
        out = streamed([text])
        assert len(lines) == 400
        assert shown_of(lines, out) == []
        assert out.count(PROSE) == text.count(PROSE)


@pytest.mark.parametrize(
    "between",
    [
        '",\n  "',
        '\\n" +\n "',
        "\nkeys/id_rsa:",
        "\n-",
        "\\r\\n",
        "<br>",
        "\n  12 | ",
        "\n> ",
        "\n# ",
        "\n+",
        "\\n",
        "\r\n",
    ],
    ids=ascii,
)
def test_however_the_lines_of_a_long_key_are_quoted_none_comes_out(between):
    chance = random.Random(8)
    lines = [base64.b64encode(chance.randbytes(48)).decode() for _ in range(340)]
    body = between.join(["-----BEGIN PGP " + "PRIVATE KEY BLOCK-----", *lines, "-----END PGP PRIVATE KEY BLOCK-----"])
    for shift in range(0, 76, 3):
        text = (PROSE * 800)[: 60_000 + shift] + "\n" + body + "\n" + PROSE * 1000
        out = streamed([text])
        assert shown_of(lines, out) == [], shift
        assert out.count(PROSE) == text.count(PROSE)


@pytest.mark.parametrize("size", [777, 4096, 5000, 81_919])
def test_a_key_that_comes_in_pieces_of_any_size_is_masked(size):
    chance = random.Random(13)
    text = PROSE * 600 + key(chance, 3000) + PROSE * 1200
    lines = [line for line in text.splitlines() if len(line) == 64]
    out = streamed([text[at : at + size] for at in range(0, len(text), size)])
    assert shown_of(lines, out) == []
    assert out.count(PROSE) == 1800
    assert out == streamed([text])


def test_blank_lines_without_end_behind_a_key_take_no_time_and_no_room():
    chance = random.Random(9)
    begin = time.process_time()
    stream = StreamRedactor(REDACTOR)
    stream.feed(PROSE * 700 + key(chance, 400, ""))
    for _ in range(200):
        stream.feed("\n" * 1000)
        assert len(stream._buffer) + stream._waiting < 200_000
    stream.end()
    assert time.process_time() - begin < 5


def test_a_line_with_dashes_behind_a_key_is_kept():
    chance = random.Random(10)
    told = "Customer 4711 paid the bill ----- thanks\nmore text\n"
    assert streamed(["word " * 11_500, "\n", key(chance, 500, ""), told]).endswith(told)


def test_a_value_that_was_cut_is_not_taken_for_another():
    filler = ("word " * 90_000)[: 81_920 - 21]
    text = filler + "\ntoken=tokens_9xKqV72mB[0]\ncall tokens_9xKqV72mB[0] again\n" + "word " * 20_000
    assert "call tokens_9xKqV72mB[0] again" in streamed([text])


def test_where_a_packed_blob_ends_does_not_hang_on_the_cut():
    packed = base64.b64encode(gzip.compress(random.Random(12).randbytes(70_000))[:-9]).decode()
    first = ("word " * 12_000) + "\n" + packed[: len(packed) // 4 * 4 - 1] + "="
    second = "\nharmlesswordsstandhere and more\n"
    assert streamed([first, second]) == streamed([first + second])


def test_what_is_packed_and_can_not_be_read_is_masked_over_all_its_lines():
    chance = random.Random(6)
    run = base64.b64encode(gzip.compress(chance.randbytes(180_000))[:-9]).decode()
    for text in (run + "\n", wrapped(run)):
        out = streamed([PROSE * 10, text, "\n", PROSE * 2000])
        assert out.count(PROSE) == 2010
        assert len(out) < len(PROSE) * 2010 + 200


@pytest.mark.parametrize("place", [0, 30_000, 70_000, 100_001, 150_002])
def test_a_secret_deep_in_a_run_of_base64_is_masked(place):
    words = " ".join(f"word{number}" for number in range(30_000))
    plain = words[:place] + f" token={TOKEN}\n" + words[place:]
    run = base64.b64encode(plain.encode()).decode()
    at = (place + 12) // 3 * 4
    out = streamed(["data: ", run, "\n", PROSE])
    assert run[at : at + 40] not in out
    assert out.endswith(PROSE)


def test_a_password_is_masked_where_it_stands_again_without_its_name():
    out = streamed(["password=" + "tr0ub4dor9x\n", PROSE * 2000, "it was tr0ub4dor9x indeed\n", PROSE * 2000])
    assert "tr0ub4dor9x" not in out


def test_memory_stays_the_same_however_long_the_stream():
    def run(parts: int) -> int:
        stream = StreamRedactor(REDACTOR)
        piece = (PROSE * 700) + f"token {TOKEN}\n"
        tracemalloc.start()
        for _ in range(parts):
            stream.feed(piece)
        stream.end()
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    run(2)
    assert run(40) < 1.5 * run(8)


def read_along(pieces) -> list[str]:
    """What somebody sees who reads along, piece by piece."""
    stream = StreamRedactor(REDACTOR)
    return [*(stream.feed(piece) + stream.soon() for piece in pieces), stream.end()]


JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":1}' * 90, b"x" * 32)
)
IN_A_TEXT = {
    "token": f"The token is {TOKEN}, I think. ",
    "by-context": "db_password = Zq9hunter42tr0ub4dor ",
    "key": key(random.Random(1), 40),
    "jwt": f"Authorization: Bearer {JWT}\n",
    "encoded": base64.b64encode(f"token={TOKEN}".encode()).decode() + "\n",
}


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("name", IN_A_TEXT)
def test_who_reads_along_sees_no_secret_either(name, size):
    text = PROSE * 5 + IN_A_TEXT[name] + PROSE * 20
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    seen = "".join(read_along(pieces))
    assert seen == REDACTOR.text(text)
    assert seen != text


def test_who_reads_along_sees_it_soon():
    pieces = [f"word{number} " for number in range(500)]
    seen = read_along(pieces)
    shown = "".join(seen[:100])
    assert len(shown) > len("".join(pieces[:100])) - 400
    assert "".join(seen) == "".join(pieces)
