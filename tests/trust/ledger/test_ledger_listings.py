"""Listings in plain text: an entry's own id is told from one that somebody mentions in it."""

import time

import pytest

from guardhouse.trust.ledger.listings import own_ids
from guardhouse.trust.ledger.reading import KEY, LISTED, read_content


def ids(*lines):
    return [" ".join(own) for own in own_ids([[line] for line in lines])]


@pytest.mark.parametrize(
    ("lines", "own"),
    [
        (("Order 24-1093: beans", "Order 24-1121: a coat"), ["24-1093", "24-1121"]),
        (("m1 from Ann: hello", "m2 from Bob: bye", "m3 from Eve: m1 is wrong"), ["m1", "m2", "m3"]),
        (("2 results.", "A kettle, 39.90 € (item LM-2041).", "A pot (item LM-2044)."), ["", "lm-2041", "lm-2044"]),
        (("- #15 Danish names", "- #17 Typo in #15"), ["15", "17"]),
        (("1. Baan Suan (R-21)", "2. Lemongrass (R-22)"), ["r-21", "r-22"]),
        (("1 result for 'toner TN-88'.", "Toner TN-88 black (item LM-6301)."), ["", "lm-6301"]),
        (("opened #35 in birdcount",), ["35"]),
        (
            ("- 2025-10-17 19:00 Copper Pot (R-35), number BK-801", "- 2025-10-19 13:00 Garden (R-32), number BK-812"),
            ["r-35 bk-801", "r-32 bk-812"],
        ),
    ],
    ids=["labelled", "leading", "with a heading", "hashes", "numbered", "alone", "said by a service", "several"],
)  # fmt: skip
def test_entries_have_ids_of_their_own(lines, own):
    assert ids(*lines) == own


@pytest.mark.parametrize(
    "lines",
    [
        ("Nice kettle.", "Would buy again."),
        ("It costs 20 €.", "The other one costs 30 €."),
        ("Item LM-2041 is sold by us.", "A buyer says: take item LM-9999 instead."),
        (),
    ],
    ids=["no ids", "prices", "two that are called ids", "nothing"],
)
def test_what_is_no_listing_has_none(lines):
    assert not any(ids(*lines))


def test_an_id_that_two_entries_claim_is_neithers():
    assert ids("Order 24-1093: beans", "Order 24-1094: a pot", "Order 24-1093: a coat") == ["", "24-1094", ""]


def test_an_entry_of_a_listing_is_said_to_be_one_and_what_stands_beside_it_is_not():
    reading = read_content("2 results.\nA kettle, 39.90 € (item LM-2041)\nA pot, 12 € (item LM-2044)")
    assert [LISTED in one.flags for one in reading.objects] == [False, True, True]
    assert [seen.slot for seen in reading.seen if str(seen.value) == "id:lm-2044" and seen.slot[0] == KEY] == ["k2:"]
    assert ["min price" in one.flags for one in reading.objects] == [False, False, True]


def test_a_page_whose_author_chose_its_form_lists_nothing():
    reading = read_content("A kettle (item LM-2041)\nA pot (item LM-2044)", shaped=True)
    assert not any(LISTED in one.flags for one in reading.objects)


@pytest.mark.parametrize("line", ["a1 " * 100_000, "#" * 500_000, "item 1 " * 50_000, "9" * 500_000])
def test_hostile_entries_take_no_time(line):
    began = time.process_time()
    own_ids([[line]] * 20)
    assert time.process_time() - began < 1
