"""The table of sensitivity labels: every row finds what it shows and leaves alone what only looks like it."""

import pytest

from guardhouse.detect.sensitivity import GROUP_OF, LABELS, SYSTEM_PROMPT, LabelScanner

IDS = [label.id for label in LABELS]
SCANNER = LabelScanner(IDS, IDS)
MATCHES = [(label.id, text) for label in LABELS for text in label.matches]
MISSES = [(label.id, text) for label in LABELS for text in label.misses]
NOISE = (
    "v1.2.3, 2026-11-17T15:27:11Z, 550e8400-e29b-41d4-a716-446655440000, 1.2.3.4.5",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "https://example.com/a?b=1 192.0.2.1 2001:db8::1 user@example.org 127.0.0.1:8080",
    "for i in range(10): print(self.local, x[1:2], 3.14159265358979, 1_000_000)",
    "0000:00:1f.3 deadbeef:cafe 12:34:56:78:9a:bc 1700000000 1700000000000 0x7ffd12345678",
    "npm i @types/node@20.1.0 && pip install django==4.2.1 && docker pull redis:7.2.4-alpine",
    "-rw-r--r-- 1 root root 1234567890123 Jan 01 2026 libfoo.so.1.2.3",
)


def test_every_label_has_its_own_id_and_examples_on_both_sides():
    assert len({*IDS, SYSTEM_PROMPT}) == len(IDS) + 1 == len(GROUP_OF)
    assert all(label.matches and label.misses and label.what for label in LABELS)


@pytest.mark.parametrize(("label", "text"), MATCHES)
def test_a_label_is_found_exactly_where_the_example_says(label, text):
    plain = text.replace("‹", "").replace("›", "")
    wanted = [piece.split("›")[0] for piece in text.split("‹")[1:]]
    assert [plain[start:end] for start, end in SCANNER.spans(label, plain)] == wanted


@pytest.mark.parametrize(("label", "text"), MISSES)
def test_what_only_looks_like_a_label_is_none(label, text):
    assert list(SCANNER.spans(label, text)) == []


@pytest.mark.parametrize("text", NOISE)
def test_ordinary_text_of_programs_has_no_label(text):
    assert [(label, text[a:b]) for label in IDS for a, b in SCANNER.spans(label, text)] == []


@pytest.mark.parametrize(("label", "text"), MATCHES)
def test_offsets_count_characters_and_not_bytes(label, text):
    plain = text.replace("‹", "").replace("›", "")
    odd = f"Grüße, 日本 \ud800 – {plain}"
    found = [odd[start:end] for start, end in SCANNER.spans(label, odd)]
    assert found == [plain[start:end] for start, end in SCANNER.spans(label, plain)]


@pytest.mark.parametrize(("label", "text"), MATCHES)
def test_masking_takes_out_just_the_labelled_data_and_masking_again_changes_nothing(label, text):
    mask = SCANNER.mask([label])
    plain = text.replace("‹", "").replace("›", "")
    wanted = "".join(
        piece if place == 0 else "[redacted]" + piece.split("›")[1] for place, piece in enumerate(text.split("‹"))
    )
    masked = mask.sub("[redacted]", plain)
    assert masked == wanted
    assert mask.sub("[redacted]", masked) == masked
