"""The two small files of the user's: what was allowed, and what was trusted."""

import json
import os
import stat

import pytest

from guardhouse.config import Allowances, TrustStore
from guardhouse.config.stored import read_json, write_json
from guardhouse.model import GuardhouseError
from guardhouse.policy import Layer, load, read_document


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config" / "allowed.json"


@pytest.fixture
def allowances(file):
    return Allowances(file)


def loaded(file):
    return load([Layer("allowed", read_document(str(file), file.read_bytes()))]).config


def test_what_is_added_is_listed_and_in_force(allowances, file):
    assert allowances.entries() == []
    assert allowances.add("domain", "a.example")
    assert allowances.add("command", "git log *")
    assert allowances.add("path", "~/notes")
    assert allowances.add("tool", "CRM", ["reads", "sends"])
    assert allowances.add("tool", "ping", [])
    assert allowances.entries() == [
        ("domain", "a.example"),
        ("command", "git log *"),
        ("path", "~/notes"),
        ("tool", "crm: reads, sends"),
        ("tool", "ping: nothing of consequence"),
    ]
    config = loaded(file)
    assert config.network["default"].allowed_domains == ("a.example",)
    assert config.commands.allowed == ("git log *",)
    assert config.paths.allowed_directories == ("~/notes",)
    assert config.tools["crm"].capabilities == ("reads", "sends")


@pytest.mark.parametrize(
    ("kind", "entry", "again"),
    [
        ("domain", "a.example", "A.Example."),
        ("domain", "*.A.example", "*.a.example"),
        ("command", "make test", " make test "),
        ("path", "/srv/data", "/srv/data/"),
        ("path", "/srv/x/../data", "/srv/data"),
        ("tool", "crm", " CRM "),
    ],
)
def test_an_entry_is_one_entry_however_it_is_written(allowances, kind, entry, again):
    assert allowances.add(kind, entry, ["reads"])
    assert not allowances.add(kind, again, ["reads"])
    assert len(allowances.entries()) == 1
    assert allowances.remove(kind, again)
    assert allowances.entries() == []
    assert not allowances.remove(kind, entry)


def test_what_is_taken_back_is_no_longer_in_force(allowances, file):
    allowances.add("domain", "a.example")
    allowances.add("domain", "b.example")
    allowances.remove("domain", "a.example")
    assert loaded(file).network["default"].allowed_domains == ("b.example",)


def test_allowing_a_harmless_tool_twice_changes_nothing(allowances):
    assert allowances.add("tool", "ping", [])
    assert not allowances.add("tool", "ping", [])
    assert allowances.add("tool", "ping", ["reads"])


@pytest.mark.parametrize(
    ("kind", "entry", "capabilities"),
    [
        ("domain", "https://a.example/", ()),
        ("domain", "", ()),
        ("domain", "*.com", ()),
        ("domain", "a b", ()),
        ("command", "", ()),
        ("command", "  ", ()),
        ("command", "*", ()),
        ("command", " * ", ()),
        ("path", "work", ()),
        ("path", "/", ()),
        ("path", "//", ()),
        ("path", "~/", ()),
        ("path", "/srv/..", ()),
        ("path", "~", ()),
        ("tool", "crm", ("read",)),
        ("tool", "crm", ("",)),
    ],
)
def test_what_can_not_work_or_would_allow_everything_is_refused_and_not_written(
    allowances, file, kind, entry, capabilities
):
    with pytest.raises(GuardhouseError):
        allowances.add(kind, entry, capabilities)
    assert not file.exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"guard": []}', '{"guard": {"commands": {"allowed": "x"}}}', '{"x": 1}']
)
def test_a_damaged_file_is_an_error_and_is_left_alone(allowances, file, content):
    file.parent.mkdir()
    file.write_text(content)
    for act in (
        allowances.entries,
        lambda: allowances.add("domain", "a.example"),
        lambda: allowances.remove("path", "/x/y"),
    ):
        with pytest.raises(GuardhouseError, match="damaged"):
            act()
    assert file.read_text() == content


def test_files_are_written_for_the_user_alone(allowances, file, tmp_path):
    old = os.umask(0)
    try:
        allowances.add("domain", "a.example")
        TrustStore(tmp_path / "config" / "trusted.json").trust(tmp_path / "x.yaml", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((file.parent / "trusted.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"b": "é"})
    first = path.stat().st_ino
    write_json(path, {"b": "ü"})
    assert path.stat().st_ino != first
    assert read_json(path) == {"b": "ü"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_a_file_that_can_not_be_written_is_an_error_and_leaves_nothing(tmp_path):
    (tmp_path / "a.json").mkdir()
    (tmp_path / "a.json" / "x").touch()
    with pytest.raises(GuardhouseError, match="can't be written"):
        write_json(tmp_path / "a.json", {})
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]
    (tmp_path / "file").touch()
    with pytest.raises(GuardhouseError, match="can't be written"):
        write_json(tmp_path / "file" / "b.json", {})


def test_trust_is_for_these_bytes_at_this_place(tmp_path):
    store = TrustStore(tmp_path / "trusted.json")
    file = tmp_path / "p" / ".guardhouse.yaml"
    assert not store.trusts(file, b"x")
    store.trust(file, b"x")
    assert store.trusts(file, b"x")
    assert not store.trusts(file, b"x ")
    assert not store.trusts(tmp_path / ".guardhouse.yaml", b"x")
    store.trust(file, b"y")
    assert not store.trusts(file, b"x")
    assert store.entries() == {str(file): json.loads((tmp_path / "trusted.json").read_text())["files"][str(file)]}


def test_trust_can_be_taken_back(tmp_path):
    store = TrustStore(tmp_path / "trusted.json")
    one, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    store.trust(one, b"x")
    store.trust(other, b"x")
    assert store.revoke(one)
    assert not store.revoke(one)
    assert not store.trusts(one, b"x")
    assert store.trusts(other, b"x")
