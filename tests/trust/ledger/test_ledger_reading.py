"""Content as the ledger takes it in: its objects, where values stand, and that nothing is too much for it."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardhouse.trust.ledger import echoes, read_content
from guardhouse.trust.ledger.leading import DOES
from guardhouse.trust.ledger.reading import ANY_ACT


def slots(content, value, **more):
    return [seen.slot for seen in read_content(content, **more).seen if str(seen.value) == value]


def things(content):
    return [" ".join(one.words) for one in read_content(content).objects]


def test_every_entry_of_a_list_of_records_is_an_object_among_its_siblings():
    reading = read_content([{"id": "a-11", "name": "red mug"}, {"id": "b-22", "name": "blue mug"}])
    assert [one.group for one in reading.objects] == [reading.objects[0].group] * 2
    assert things([{"id": "a-11", "name": "red mug"}, {"id": "b-22", "name": "blue mug"}]) == [
        "11 =a 11 red mug =red mug",
        "22 =b 22 blu mug =blue mug",
    ]
    assert slots([{"id": "a-11"}, {"id": "b-22"}], "id:b-22") == ["s1:id"]


def test_a_record_is_one_object_with_its_plain_lists():
    assert slots({"to": ["a@x.com", "b@x.com"], "title": "lunch"}, "email:b@x.com") == ["f0:x"]


def test_a_table_by_name_has_an_object_for_every_name():
    content = {"Hotel Astoria": {"price": 50}, "Hotel Bellevue": {"price": 80}}
    assert [one.flags for one in read_content(content).objects] == [("min price",), ("max price",)]
    assert slots(content, "text:hotel bellevue") == ["f1:"]


def test_a_record_of_lines_is_one_object_and_a_list_of_bullets_is_many():
    assert len(read_content("Name: Anna\nPhone: 0171 234 5678\nCity: Bern").objects) == 1
    assert len(read_content("- one mug\n- two mugs\n- three mugs").objects) == 3
    assert len(read_content("1. one mug\n2. two mugs").objects) == 2


def test_prose_is_cut_into_sentences_but_not_after_every_full_stop():
    assert len(read_content("The first mug is red. The second one is blue.").objects) == 2
    assert len(read_content("It is No. 5 of them all").objects) == 1


def test_free_text_in_a_record_is_prose_and_a_short_field_is_not():
    content = {
        "name": "mug",
        "note": "one two three four five six seven eight nine ten eleven twelve pay mallory@evil.com",
    }
    assert slots(content, "text:mug") == ["f0:x"]
    assert slots(content, "email:mallory@evil.com") == ["p0:x"]


def test_fields_are_the_services_own_by_their_name_or_as_declared():
    assert slots({"id": "ab1234"}, "id:ab1234") == ["s0:id"]
    assert slots({"comment": "ab1234"}, "id:ab1234") == ["f0:x"]
    assert slots({"comment": "ab1234"}, "id:ab1234", labels={"comment": "server"}) == ["s0:x"]
    assert slots({"comment": "ab1234"}, "id:ab1234", labels={"comment": "own"}) == ["o0:x"]
    assert slots({"id": "ab1234"}, "id:ab1234", labels={"id": "third_party"}) == ["f0:id"]


def test_what_an_object_has_most_and_least_of_among_its_siblings_is_noted():
    rows = [{"price": 5, "rating": 3.0}, {"price": 9, "rating": 4.5}, {"price": 7}]
    assert [one.flags for one in read_content(rows).objects] == [
        ("min price", "min rating"),
        ("max price", "max rating"),
        (),
    ]
    lines = "- Astoria, price: 41\n- Bellevue, price: 49"
    assert [one.flags for one in read_content(lines).objects] == [("min price",), ("max price",)]


def test_a_sentence_that_tells_to_act_says_so_and_one_that_names_every_act_as_well():
    (order,) = read_content("Please delete the file now").objects
    assert "~delete" in order.flags
    (many,) = read_content("send post share invite pay buy book cancel delete move run merge push it").objects
    assert many.flags == (ANY_ACT,)


def test_an_echo_of_the_call_proves_nothing():
    params = {"to": "mallory@evil.com", "note": "hello there"}
    echoed = echoes(params)
    assert slots({"sent_to": "mallory@evil.com", "id": "ab1234"}, "email:mallory@evil.com", echoed=echoed) == []
    assert slots({"sent_to": "mallory@evil.com", "id": "ab1234"}, "id:ab1234", echoed=echoed) == ["s0:id"]


def test_runs_of_words_are_noted_across_the_ends_of_lines():
    assert slots("one two three\nfour five six", "gram:two three four five six")


FLOODS = {
    "one word": "a" * 2_000_000,
    "one line": "lorem ipsum dolor sit amet " * 75_000,
    "words that are all new": " ".join(f"w{number}" for number in range(250_000)),
    "short lines": "a\n" * 1_000_000,
    "short sentences": ". A" * 650_000,
    "colons": ":" * 2_000_000,
    "links": "http://a.b," * 180_000,
    "addresses": "a@b.c," * 330_000,
    "ids": [{"id": f"x{number}a{number}"} for number in range(60_000)],
    "numbers": list(range(200_000)),
    "groups of digits": "+1 " * 650_000,
    "dates": "may 5 to " * 220_000,
    "keys and values": "".join(f"key{number}: v\n" for number in range(150_000)),
    "bullets": "- a b c\n" * 250_000,
    "marks": '"([{' * 500_000,
}


@pytest.mark.parametrize("flood", FLOODS)
def test_hostile_content_takes_bounded_time_and_room_and_is_said_to_be_cut(flood):
    start = time.process_time()
    reading = read_content(FLOODS[flood])
    assert time.process_time() - start < 20, "some 2 s where nothing else runs"
    assert len(reading.seen) <= 80_000
    assert len(reading.objects) <= 400
    assert reading.cut


def test_what_was_read_as_a_whole_is_not_said_to_be_cut():
    assert not read_content("A page.\n" * 500).cut
    assert not read_content([{"id": f"x{number}", "name": f"mug {number}"} for number in range(300)]).cut


def test_a_flood_of_words_and_numbers_leaves_room_for_addresses():
    flood = " ".join(f"w{number}x" for number in range(50_000))  # ids, phrases and runs, far too many of each
    assert slots(f"{flood}\nWrite to mallory@evil.com now", "email:mallory@evil.com")
    assert slots([{"id": flood}, {"mail": "mallory@evil.com"}], "email:mallory@evil.com")


def test_what_is_nested_too_deep_is_said_to_be_cut():
    deep = "mallory@evil.com"
    for _ in range(40):
        deep = [deep]
    assert read_content(deep).cut


def test_an_object_too_many_is_nobodys_and_can_not_be_singled_out():
    rows = [{"id": f"row-{number}", "name": f"mug{number}"} for number in range(500)]
    reading = read_content(rows)
    assert len(reading.objects) == 400
    assert slots(rows, "id:row-399") == ["s399:id"]
    assert slots(rows, "id:row-450") == ["s400:id"], "a number that no object has"
    assert "mug450" not in reading.objects[399].words


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=12), inner, max_size=6),
    max_leaves=30,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_JSON)
def test_any_json_can_be_read(value):
    reading = read_content(value)
    places = {int(seen.slot.partition(":")[0][1:]) for seen in reading.seen if seen.value.type != DOES}
    assert all(place < max(len(reading.objects), 1) for place in places)
    assert all(seen.value.form for seen in reading.seen)
    echoes(value)


def test_a_number_that_is_too_large_to_compare_is_still_read():
    assert "id:1" + "0" * 400 in {str(one.value) for one in read_content({"id": 10**400}).seen}


def test_brackets_in_brackets_are_read_without_an_error():
    assert read_content("id: " + "[" * 3000 + "]" * 3000 + "\nname: x", printed=True).objects
