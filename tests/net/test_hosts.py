"""Hosts that are anybody's."""

from __future__ import annotations

from guardhouse.net import host_class
from guardhouse.net.hosts import HOSTS


def test_every_listed_host_is_known_with_everything_below_it():
    for kind, names in HOSTS:
        for name in names.split():
            assert host_class(name) == kind
            assert host_class(f"a.b.{name}") == kind


def test_a_name_that_only_ends_alike_is_another_host():
    for name in ("notpastebin.com", "pastebin.com.example", "bit.ly.example.com", "example.com", "io", ""):
        assert host_class(name) is None


def test_no_host_is_listed_twice():
    names = [name for _kind, names in HOSTS for name in names.split()]
    assert len(names) == len(set(names))
