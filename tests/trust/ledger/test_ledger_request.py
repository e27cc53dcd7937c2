"""A person's message: what was typed and what was pasted, what it asks for, and what is kept of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.trust.ledger import from_kept, pasted_part, read_request, request_values, told_of, typed_part
from guardhouse.trust.ledger.confirming import is_confirmation
from guardhouse.trust.ledger.fields import SPOKEN_OF
from guardhouse.trust.ledger.kinds import KINDS
from guardhouse.trust.ledger.request import MARKS, Request

LONG = "pasted evil words " * 100
WRAPPED = "pasted evil words that go on and on over many lines\n" * 40

PASTED = (
    # how, a message in which `typed` was typed and `evil` was not
    ("a fence", "typed\n```\nevil\n```\ntyped"),
    ("a fence with a language", "typed\n```python\nevil\n```"),
    ("a fence that begins behind words", "typed: ```\nevil\n```\ntyped"),
    ("a fence within a line", "typed ```evil``` typed"),
    ("a fence of more marks", "typed\n````\n```\nevil\n```\n````"),
    ("a fence that is never closed", "typed\n```\nevil\nevil"),
    ("a fence in what was pasted", "typed\n```\na\n```\nevil\n```\nb\n```"),
    ("tildes", "typed\n~~~\nevil\n~~~"),
    ("three quotes", 'typed\n"""\nevil\n"""'),
    ("quoted lines", "typed\n> evil\n>> evil\ntyped"),
    ("rows of a table", "typed\n| evil | evil |"),
    ("a tag", "typed\n<document>\nevil\n</document>\ntyped"),
    ("a tag with attributes", "typed\n<document index='1'>\nevil\n</document>"),
    ("a tag that is never closed", "typed\n<document>\nevil"),
    ("the end of a tag in what was pasted", "typed\n<document>\na</document>\nevil\n</document>\ntyped"),
    ("a tag in a tag", "typed\n<a>\n<b>\nx\n</b>\nevil\n</a>\ntyped"),
    ("a long line", f"typed\n{LONG}\ntyped"),
    ("a long paragraph", f"typed:\n{WRAPPED}\ntyped"),
    ("a forwarded letter", "typed\n---------- Forwarded message\nevil"),
    ("an answered letter", "typed\n-----Original Message-----\nevil"),
    ("the head of a letter", "typed\nFrom: Mallory\nSubject: hello\n\nevil"),
)
TYPED = (
    # messages that were typed as a whole
    "Send bob@example.com a mail about the 5 mugs.",
    "First this.\n\nThen that.",
    "Write a mail\nTo: bob@example.com\nThanks",
    "a < b and c > d",
    "- one\n- two",
    "It's `here`.",
)


@pytest.mark.parametrize(("how", "message"), PASTED, ids=[how for how, _ in PASTED])
def test_what_was_pasted_is_not_what_was_typed(how, message):
    typed = typed_part(message)
    assert "evil" not in typed
    assert "typed" in typed
    assert "evil" in pasted_part(message, typed)


@pytest.mark.parametrize("message", TYPED)
def test_what_was_typed_is_typed(message):
    assert typed_part(message) == message
    assert pasted_part(message, message) == ""


_PLAIN = st.text(alphabet="abc .:\n<>/", max_size=40)


@given(
    before=_PLAIN,
    inside=st.text(alphabet="xyz`~\n<>/ ", max_size=40),
    after=_PLAIN,
    fence=st.sampled_from(["```", "~~~", "````"]),
)
def test_nothing_from_inside_a_fence_is_ever_typed(before, inside, after, fence):
    """Whatever stands in it, more fences and half ones included."""
    typed = typed_part(f"{before}\n{fence}\n{inside}\n{fence}\n{after}")
    assert not {*"xyz"} & {*typed}


@given(st.text(max_size=300))
def test_every_line_of_a_message_is_typed_or_pasted(message):
    typed = typed_part(message)
    pasted = pasted_part(message, typed)
    for line in message.split("\n"):
        assert line in typed.split("\n") or line in pasted.split("\n")


def test_a_message_has_an_end():
    message = "send it to bob\n\n" * 10_000
    assert len(typed_part(message)) <= 20_000


OF_MARKS = (
    # mark, what sets it, what does not
    ("min price", "book the cheapest room", "book the room"),
    ("max rating", "the best rated place", "the place"),
    ("max date", "the latest invoice", "the invoice"),
    ("max size", "delete the largest file", "delete the file"),
    ("all", "invite everyone", "invite Bob"),
    ("delegates", "pay it as described in the letter", "pay 50 to Bob"),
    ("orders", "do all the tasks on the list", "read the list"),
    ("copies", "forward the mail word for word", "tell him about it"),
    ("reckons", "send back the difference", "send 5 to Bob"),
    ("relative date", "tomorrow at noon", "on 2024-05-15"),
    ("again", "send it once more", "send it"),
    ("replies", "reply to her", "call her"),
    ("own", "my notes", "the notes"),
)


@pytest.mark.parametrize(("mark", "setting", "other"), OF_MARKS)
def test_a_mark_is_set_by_its_words_and_by_no_others(mark, setting, other):
    assert mark in read_request(setting).marks
    assert mark not in read_request(other).marks


def test_every_mark_has_words_and_every_word_of_a_mark_sets_it():
    for mark, phrases in MARKS.items():
        for phrase in filter(None, phrases.split("|")):
            assert mark in read_request(f"the {phrase}").marks, (mark, phrase)


YES = ("yes", "Yes, please.", "go ahead", "ok do it", "sounds good, proceed", "LGTM", "that's right")
NO = (
    "no",
    "yes, but send it to Carol",
    "yes and delete the rest",
    "do it again for Bob",
    "",
    "please",
    "the",
    "all",
    "yes " * 20,
)


@pytest.mark.parametrize("said", YES)
def test_a_yes_is_a_yes(said):
    assert read_request(said).confirms


@pytest.mark.parametrize("said", NO)
def test_a_yes_with_anything_else_is_none(said):
    assert not read_request(said).confirms
    assert not is_confirmation(said)


def test_numbers_percentages_fields_and_places_are_read():
    read = read_request("Pay 98.70 plus 10% to the second participant, twelve times")
    assert read.numbers == ("98.7", "12")
    assert read.percents == ("10",)
    assert read.place == 1
    assert "participant" in read.fields


def test_a_number_that_is_an_account_a_card_or_a_telephone_is_not_kept():
    kept = read_request("My card is 4111111111111111 and I pay 50").kept()
    assert "4111111111111111" not in str(kept)
    assert read_request("My card is 4111111111111111 and I pay 50").numbers == ("50",)


_REQUESTS = st.builds(
    Request,
    kinds=st.lists(st.sampled_from(KINDS), unique=True).map(tuple),
    marks=st.lists(st.sampled_from(list(MARKS)), unique=True).map(tuple),
    fields=st.lists(st.sampled_from(SPOKEN_OF), unique=True).map(tuple),
    numbers=st.lists(st.integers(0, 10**6).map(str), max_size=12, unique=True).map(tuple),
    percents=st.lists(st.integers(0, 100).map(str), max_size=12, unique=True).map(tuple),
    place=st.none() | st.integers(0, 5),
    confirms=st.booleans(),
)


@given(_REQUESTS)
def test_what_is_kept_of_a_request_gives_the_request_again(request):
    kept = request.kept()
    assert from_kept(kept) == request
    assert all(len(text) <= 200 for text in kept.values()), "it fits into the details of an event"


@given(st.text(max_size=200))
def test_what_is_kept_of_any_message_is_of_a_closed_vocabulary(message):
    kept = read_request(message).kept()
    assert kept.keys() <= {"kinds", "hints", "marks", "fields", "numbers", "percents", "place", "confirms"}
    assert all(set(kept.get(name, "")) <= set("0123456789.,-e+") for name in ("numbers", "percents"))


@given(st.dictionaries(st.sampled_from(["kinds", "marks", "fields", "numbers", "place", "x"]), st.text(max_size=20)))
def test_anything_that_was_kept_can_be_read(texts):
    assert isinstance(from_kept(texts), Request)


def test_what_a_message_tells_apart_is_not_what_it_asks_for():
    assert told_of("Please delete the red mug") == ("red", "mug")


def test_values_words_and_phrases_of_a_message_can_be_found_again():
    found = {str(value) for _, value in request_values("Send 5 mugs to bob@x.com")}
    assert {"count:5", "email:bob@x.com", "word:mug", "text:mugs to", "text:send 5 mugs"} <= found
    assert "word:to" not in found
