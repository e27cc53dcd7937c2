"""Addresses of files and hosts in spellings that programs read as something else than they look like."""

import time

import pytest
from guarded_house import codes, found

from guardhouse.adapters.resources import is_plain_address, kind_of_resource
from guardhouse.detect.paths.readings import readings, tidy
from guardhouse.model import Decision

READER = "guard: {tools: {peek: {capabilities: [reads]}, store: {capabilities: [writes]}}}"
LONG = "a" * 5000


@pytest.mark.parametrize(
    "spelt",
    [
        "file:///root/.ssh/id_rsa",
        "file:///root/.ssh/id_rsa\n",
        "file:///root/.ss\th/id_rsa",
        "file:///root/.ssh/id_\nrsa",
        "file:///root/.ssh/id_rsa\r",
        "\x01file:///root/.ssh/id_rsa",
        "file:///root/.ssh/id_rsa\x00",
        "fi\tle:///root/.ss\th/id_rsa",
        " file:///root/.ssh/id_rsa ",
        "/root/.ssh/id_\nrsa",
        "x:///root/.ss\nh/id_rsa",
        "fs:///root/.ssh/id_rsa ",
        " fs:///root/.ssh/id_rsa",
        "fs:///root/.ssh/id_rsa?a b",
        "fs:///etc/shadow?x=1",
        "fs:///etc/shadow#x",
        f"file:///root/.ssh/id_rsa#{LONG}",
        f"file:///root/.ssh/id_rsa?{LONG}",
        f"file:///{'./' * 3000}root/.ssh/id_rsa",
        f"/{'./' * 3000}root/.ssh/id_rsa",
        f"fs:///{'./' * 3000}root/.ssh/id_rsa",
    ],
)
@pytest.mark.parametrize("key", ["uri", "resource", "path", "targetUri"])
def test_a_file_of_secrets_is_not_read_unasked_however_its_address_is_spelt(house, key, spelt):
    assert house.call("peek", READER, **{key: spelt}).decision in {Decision.REQUIRE_APPROVAL, Decision.DENY}


def test_a_file_address_with_a_line_break_is_seen_under_any_key_that_is_no_text(house):
    assert "path.sensitive_read" in codes(house.call("peek", READER, thing="file:///root/.ssh/id_\nrsa"))


@pytest.mark.parametrize(
    "params",
    [
        {"content": "/* a comment */\nbody {}\n"},
        {"new_string": "file:///root/.ssh/id_rsa\nis where a key lies"},
        {"css": "/* a comment */\nbody {}\n"},
        {"css": "/* a comment */" + "x" * 5000},
        {"settings": "file: a.txt\nmode: 3\n"},
        {"uri": "notes.txt"},
        {"uri": "docs/guide/first steps.md"},
    ],
)
def test_texts_that_only_begin_like_a_path_are_left_alone(house, params):
    assert house.call("peek", READER, **params).decision is Decision.ALLOW


@pytest.mark.parametrize("address", ["https://docs.example/a", "https://docs.example/" + "a" * 5000])
def test_a_long_address_of_an_allowed_host_is_no_file(house, address):
    yaml = READER[:-1] + ", network: {default: {allowed_domains: [docs.example]}}}"
    assert not found(house.call("peek", yaml, url=address), "path.unresolvable")


def test_readings_hold_the_address_as_browsers_read_it():
    read = readings("\x02 fi\nle:///root/.s\tsh/id_rsa ", "/w", "/home/ada")
    assert "/root/.ssh/id_rsa" in map(tidy, read)
    assert "/etc/shadow" in readings("fs:///etc/shadow?x#y", "/w", "/home/ada")
    assert readings("src/app.py", "/w", "/home/ada") == ("/w/src/app.py",)


HOSTS = [
    "https://evil.example/x",
    "https:evil.example/x",
    "https:/evil.example/x",
    "https:\\\\evil.example/x",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "/\\evil.example/x",
    "http:127.0.0.1:8080/",
    "git+https://evil.example/x",
    "feed:https://evil.example/x",
    "view-source:https:evil.example",
    "fetch://https://evil.example/x",
    "proxy://x?u=https://evil.example/x",
    "proxy:x?u=https%3A%2F%2Fevil.example",
    "h\tttps://evil.example/x",
    "\x01https:evil.example",
    "ht" + "\n" * 2000 + "tps:evil.example",
]


@pytest.mark.parametrize("address", HOSTS)
@pytest.mark.parametrize("tool", ["peek", "store", "mcp__box__resources/read"])
def test_a_tool_for_files_reaches_no_unlisted_host_however_it_is_spelt(house, tool, address):
    assert house.call(tool, READER, url=address).decision is Decision.DENY


@pytest.mark.parametrize("address", HOSTS)
def test_a_resource_that_lies_on_a_network_is_shown_to_the_gate_as_such(address):
    assert kind_of_resource(address) == "url"


@pytest.mark.parametrize("address", ["notes://a", "file:///a", "news:x", "aws:bucket/x", "db://rows/1", "https-notes"])
def test_a_resource_of_the_server_is_its_own(address):
    assert kind_of_resource(address) == "resource"


@pytest.mark.parametrize("path", ["//tmp/x", "a:b", "notes: today", "src/http:x"])
def test_a_path_with_slashes_or_colons_is_still_a_path(house, path):
    assert not found(house.call("peek", READER, path=path), "net.destination")
    assert house.call("peek", READER, path=path).decision is Decision.ALLOW


@pytest.mark.parametrize("address", ["a b", "a\n", "\x7f", "a" * 4097, "\x00"])
def test_an_address_that_programs_would_rewrite_is_not_plain(address):
    assert not is_plain_address(address)
    assert is_plain_address("notes://a/b?c#d")


@pytest.mark.parametrize("unit", ["\n", "\t", "feed:", "a:", "%3a", "file:", "./", "https:"])
def test_long_odd_addresses_take_linear_time(house, unit):
    guard_on = unit * (400_000 // len(unit))
    start = time.process_time()
    house.call("peek", READER, uri=guard_on)
    assert time.process_time() - start < 5
