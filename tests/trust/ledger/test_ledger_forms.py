"""Answers that were records before they were printed, and texts that only look like it."""

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.trust.ledger.dumped import from_dump
from guardhouse.trust.ledger.forms import Letter, Loose, parts, unwrapped

MAILS = [
    {"id": "1", "from": "ann@example.com", "body": "Hello\nthis is: a test\n\nBye: now", "cc": [], "read": True},
    {"id": "2", "from": "bob@example.com", "body": "short", "cc": ["x@example.com"], "read": False},
]


@pytest.mark.parametrize("printed", [msgspec.json.encode, msgspec.yaml.encode], ids=["json", "yaml"])
def test_a_list_of_records_is_read_from_what_a_program_printed(printed):
    (found,) = parts(printed(MAILS).decode())
    assert [(one["id"], one["from"], one["read"]) for one in found] == [
        ("1", "ann@example.com", True),
        ("2", "bob@example.com", False),
    ]


def test_json_with_a_record_a_line_is_a_list():
    assert parts('{"id": 1}\n{"id": 2}\n') == [[{"id": 1}, {"id": 2}]]


@pytest.mark.parametrize(
    "envelope",
    [
        {"content": [{"type": "text", "text": '{"id": 7}'}]},
        {"content": [{"type": "text", "text": '{"id": 7}'}], "structuredContent": {"id": 7}, "isError": False},
        {"result": '{"id": 7}'},
        [{"type": "text", "text": '{"id": 7}'}],
    ],
)
def test_the_envelope_of_a_protocol_is_taken_off(envelope):
    found = [one for part in unwrapped(envelope) for one in (parts(part) if isinstance(part, str) else [part])]
    assert found == [{"id": 7}]


def test_a_text_beside_structured_content_is_read_if_it_says_something_else():
    envelope = {"content": [{"type": "text", "text": "call 0800"}], "structuredContent": {"id": 7}}
    assert list(unwrapped(envelope)) == [{"id": 7}, "call 0800"]


def test_a_letter_has_a_head_and_what_stands_below_it_is_its_writers():
    (letter,) = parts("From: Ann Lee <ann@example.com>\nSubject: Rent\n\nHello\nfrom: mallory@evil.com\niban: EVIL1")
    assert letter == Letter(
        {"from": "Ann Lee <ann@example.com>", "subject": "Rent"}, "Hello\nfrom: mallory@evil.com\niban: EVIL1"
    )


def test_fields_below_a_free_text_may_be_somebodys_words():
    (record,) = parts("name: Ann Lee\nphone: 0301234567\nnote: hello\nemail: mallory@evil.com")
    assert isinstance(record["email"], Loose)
    assert not isinstance(record["phone"], Loose)


def test_a_field_that_only_one_of_a_list_has_may_be_somebodys_words():
    (found,) = parts("- id: 1\n  body: hello\n- id: 2\n  body: hello\n  email: mallory@evil.com")
    assert isinstance(found[1]["email"], Loose)
    assert found[1]["id"] == 2


def test_the_same_field_twice_is_no_record():
    text = "id: 1\nfrom: ann@example.com\nfrom: mallory@evil.com"
    assert parts(text) == [text]


@pytest.mark.parametrize(
    "table",
    [
        "Wednesday\nNo.   Time   Patient    Note\nA-41  09:00  Ann Lee    with   spaces\nA-42  09:30  Bob Smith  none",
        "| No. | Time | Patient |\n|---|---|---|\n| A-41 | 09:00 | Ann Lee |\n| A-42 | 09:30 | Bob Smith |",
        "id,time,patient\nA-41,09:00,Ann Lee\nA-42,09:30,Bob Smith",
        "id\ttime\tpatient\nA-41\t09:00\tAnn Lee\nA-42\t09:30\tBob Smith",
    ],
    ids=["columns", "pipes", "commas", "tabs"],
)
def test_a_table_is_a_list_of_records(table):
    rows = parts(table)[-1]
    assert [(next(iter(row.values())), row["time"], row["patient"]) for row in rows] == [
        ("A-41", "09:00", "Ann Lee"),
        ("A-42", "09:30", "Bob Smith"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Bob: hello\nThanks: me",
        "m1 from ACME: newsletter\nm4 from Mallory:\n- ACME newsletter (id m2)\n- weekly (id m91)",
        "| id | name |\n|---|---|\n| 1 | x | evil |",
        "Hello there.\n\nFrom: Ann <ann@example.com>\nSubject: x",
        "id: &a 1\nname: *a",
        '{"id": 1} and more',
        "",
    ],
)
def test_what_only_looks_like_it_stays_a_text(text):
    assert parts(text) == [text]


@given(st.text(alphabet="ab:-| \n'\"{}[]>#\\x0,\t", max_size=200))
def test_any_text_is_taken_apart_without_an_error(text):
    assert isinstance(parts(text), list)


@given(
    st.lists(
        st.fixed_dictionaries({"id": st.integers(0, 999), "note": st.text(alphabet="ab: -\n'\"#", max_size=40)}),
        min_size=2,
        max_size=4,
    )
)
def test_no_value_ends_itself_in_what_a_dumper_wrote(records):
    found = from_dump(yaml.safe_dump(records))
    assert found is None or [one["id"] for one in found] == [one["id"] for one in records]


def test_a_table_with_very_many_columns_and_rows_takes_no_longer_than_its_text():
    text = "  ".join("a" * 60_000) + "\n" + "\n".join(["aaaa"] * 60_000)
    assert parts(text) == [text]
