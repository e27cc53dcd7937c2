"""Directories that their owner was shut out of by a command, or has shut themselves out of: nothing hides in them."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from sandboxed import PLAIN_USER, as_plain_user

from guardhouse.sandbox.looking import Looker
from guardhouse.sandbox.tidying import ToTidy, tidied
from guardhouse.sandbox.view import identity_of

NOTHING = {"home": "/nonexistent", "repository": {}, "settings": {}, "watched": (), "closed": (), "held": {}}


@pytest.fixture
def work():
    """A workspace of that user's. Pytest's own directories are closed to others."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o755)
        place = Path(temporary, "work")
        place.mkdir()
        yield place


def repository(place):
    subprocess.run(["git", "init", "-q", place], check=True)
    subprocess.run(["git", "-C", place, "config", "core.fsmonitor", "./evil"], check=True)


def hand_over(work):
    if os.geteuid() == 0:
        for place in (work, *work.rglob("*")):
            os.chown(place, PLAIN_USER, PLAIN_USER, follow_symlinks=False)


def tidy(work, **known):
    hand_over(work)
    left = ToTidy(**{**NOTHING, "roots": {str(work): identity_of(work)}, **known})
    found = as_plain_user(lambda: [one[:2] for one in tidied(left, Looker())])
    return [(place.removeprefix(f"{work}/"), problem) for place, problem in found]


@pytest.mark.parametrize(("closed", "mode"), [("a/b", 0o311), ("a", 0o311), ("a", 0), ("a", 0o400), ("a/b/.git", 0)])
def test_what_was_closed_is_opened_and_looked_into(work, closed, mode):
    repository(work / "a" / "b")
    (work / closed).chmod(mode)
    assert tidy(work) == [("a/b/.git", "")]


def test_a_repository_whose_hooks_can_not_be_listed_is_put_aside(work):
    subprocess.run(["git", "init", "-q", work], check=True)
    (work / ".git" / "hooks").chmod(0o311)
    assert tidy(work, watched=((str(work), f"{work}/.git"),)) == [(".git", "")]


def test_a_directory_that_can_not_be_written_to_is_opened_for_that(work):
    (work / "a").mkdir()
    (work / "a" / ".mcp.json").write_text("{}")
    (work / "a").chmod(0o500)
    assert tidy(work) == [("a/.mcp.json", "")]


@pytest.mark.parametrize("mode", [0o311, 0o400, 0])
def test_what_is_closed_before_is_to_be_hidden(work, mode):
    (work / "closed").mkdir()
    (work / "closed" / ".env").write_text("x")
    (work / "closed").chmod(mode)
    hand_over(work)
    assert as_plain_user(lambda: Looker().look(str(work), "/nonexistent", ()).closed) == [f"{work}/closed"]


def test_what_was_closed_before_stays_closed(work):
    (work / "closed").mkdir()
    (work / "closed").chmod(0o311)
    assert tidy(work, closed=(f"{work}/closed",)) == []
    assert (work / "closed").stat().st_mode & 0o777 == 0o311
