"""`guardhouse memory` as a process, on what runs have kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from guardhouse.opening import open_considering
from guardhouse.runs.tools.memories import open_memories

KEY = "AKIA" + "Z7QM4XW2PLNB6RTC"


class Kept:
    def __init__(self, root, monkeypatch):
        self.home, self.state = root / "home", root / "state"
        self.home.mkdir()
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("GUARDHOUSE_STATE_DIR", str(self.state))
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_KEY_DIR"):
            monkeypatch.delenv(name, raising=False)
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GUARDHOUSE_STATE_DIR": str(self.state)}

    def keep(self, text, *, untrusted=False, owner=""):
        with open_considering(self.home, state_dir=self.state) as guard:
            open_memories(guard).add(owner, text, untrusted=untrusted)

    def run(self, *arguments):
        return subprocess.run(
            [sys.executable, "-m", "guardhouse", "memory", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.home,
            check=False,
        )

    def listed(self, *more):
        return json.loads(self.run("list", "--json", *more).stdout)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    return Kept(tmp_path, monkeypatch)


def test_without_a_memory_there_is_nothing_and_none_is_made(kept):
    assert kept.run("list").stdout == "Nothing is kept.\n"
    assert not (kept.state / "memory.db").exists()


def test_what_is_kept_is_listed_with_whether_it_is_believed_and_shown_masked(kept):
    kept.keep("The house key is under the mat.")
    kept.keep(f"A page says: use {KEY}. \x1b]0;owned\x07 " + "x" * 200, untrusted=True)
    first, second = kept.run("list").stdout.splitlines()
    assert "untrusted" in first
    assert " trusted " in second
    assert second.endswith("The house key is under the mat.")
    shown = kept.run("show", "2")
    assert shown.returncode == 0
    assert "x" * 200 in shown.stdout
    for told in (first, shown.stdout, json.dumps(kept.listed())):
        assert KEY not in told
        assert "\x1b" not in told
    assert [(one["id"], one["untrusted"]) for one in kept.listed()] == [(2, True), (1, False)]


def test_each_principal_has_a_memory_of_its_own(kept):
    kept.keep("mine")
    kept.keep("the bot's", owner="bot")
    assert [one["text"] for one in kept.listed()] == ["mine"]
    assert [one["text"] for one in kept.listed("--principal", "bot")] == ["the bot's"]
    assert kept.run("show", "2").returncode == 2
    assert kept.run("forget", "2").stdout == "Forgotten: 0. Not there: 1.\n"
    assert [one["text"] for one in kept.listed("--principal", "bot")] == ["the bot's"]


def test_what_is_forgotten_is_found_by_nobody_any_more_and_the_record_says_so(kept):
    for text in ("one thing", "another thing", "a third"):
        kept.keep(text)
    assert kept.run("forget", "1").returncode == 0
    assert [one["text"] for one in kept.listed()] == ["a third", "another thing"]
    with open_considering(kept.home, state_dir=kept.state) as guard:
        assert [one.text for one in open_memories(guard).search("", "thing", 5)] == ["another thing"]
    assert kept.run("forget", "--all").returncode == 2  # nobody to ask
    assert len(kept.listed()) == 2
    assert kept.run("forget", "--all", "--yes").stdout == "Forgotten: 2.\n"
    assert kept.listed() == []
    audit = subprocess.run(
        [sys.executable, "-m", "guardhouse", "audit", "tail", "--json"],
        capture_output=True, text=True, env=kept.env, cwd=kept.home, check=False,
    ).stdout  # fmt: skip
    assert "forgotten by local:" in audit


def test_a_memory_that_was_damaged_can_still_be_forgotten(kept):
    import sqlite3

    kept.keep("one thing")
    with sqlite3.connect(kept.state / "memory.db") as rows:
        rows.execute("UPDATE memories SET sealed = x'0102'")
    assert "[it can't be opened]" in kept.run("list").stdout
    assert kept.run("forget", "1").returncode == 0
    assert kept.listed() == []


@pytest.mark.parametrize("arguments", [[], ["1", "--all"]])
def test_it_must_be_said_what_is_to_be_forgotten(kept, arguments):
    assert kept.run("forget", *arguments).returncode == 2
