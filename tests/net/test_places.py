"""The table of places where anybody can have an address."""

import pytest

from guardhouse.net import parse_destination
from guardhouse.net.places import PLACES, names_place, place_of


def url_of(place):
    return f"https://{place.host.replace('*', 'x')}{place.path.replace('*', '7')}"


@pytest.mark.parametrize("place", PLACES, ids=lambda one: f"{one.host}{one.path}")
def test_every_place_is_found_by_its_path_and_nowhere_else(place):
    destination = parse_destination(f"{url_of(place).rstrip('/')}/more")
    assert place_of(destination, sends=True) is not None
    elsewhere = parse_destination(url_of(place).replace(place.host.replace("*", "x"), "ok.example"))
    assert place_of(elsewhere, sends=True) is None
    if place.path != "/" and not place.path.startswith("/*"):
        assert place_of(parse_destination(f"https://{destination.host}/about"), sends=True) is None
    if place.by_reading:
        assert place_of(destination, sends=False) is not None


@pytest.mark.parametrize("place", PLACES, ids=lambda one: f"{one.host}{one.path}")
def test_a_prefix_names_a_place_if_it_goes_beyond_the_host(place):
    assert names_place(parse_destination(url_of(place)), place)
    assert names_place(parse_destination(f"https://{place.host.replace('*', 'x')}/"), place) is (place.path == "/")
    if place.path not in {"/", "/*"}:
        assert not names_place(parse_destination(f"https://{place.host.replace('*', 'x')}/about/us/all/of/us"), place)


def test_case_does_not_hide_a_place():
    assert place_of(parse_destination("https://DISCORD.com/API/WebHooks/1/x"), sends=True) is not None
