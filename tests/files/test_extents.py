"""How much lies at a path, counted on a real file system, with a real git to say what it has."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardhouse import extents as module
from guardhouse.extents import extents
from guardhouse.files import LocalFiles
from guardhouse.model import Extent


def extent(path):
    return LocalFiles().extents([str(path)])[str(path)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Seven files in `data`, 28 bytes; one of them hidden, one in a hidden directory. And a link to all of it."""
    root = Path(os.path.realpath(tmp_path)) / "data"
    (root / "a" / "b").mkdir(parents=True)
    (root / ".hidden").mkdir()
    for size, name in enumerate(("one.txt", "two.txt", ".dot", "a/x.py", "a/b/y.py", "a/b/z.log", ".hidden/h"), 1):
        (root / name).write_text("x" * size)
    (root.parent / "link").symlink_to("data")
    return root


def test_everything_below_a_directory_counts(tree):
    assert extent(tree) == Extent(files=7, bytes=28)
    assert extent(f"{tree}/a") == Extent(files=3, bytes=15)


def test_one_file_counts_as_itself(tree):
    assert extent(f"{tree}/two.txt") == Extent(files=1, bytes=2)


def test_nothing_is_nothing(tree):
    (tree / "empty").mkdir()
    for path in (f"{tree}/absent", f"{tree}/one.txt/below", f"{tree}/empty", f"{tree}/no*", "/x\0y*"):
        assert (extent(path).files, extent(path).more) == (0, False)


def test_a_link_is_one_file_and_what_it_leads_to_is_not_counted(tree):
    assert extent(tree.parent / "link").files == 1
    (tree / "loop").symlink_to(".")
    (tree / "away").symlink_to("/")
    assert extent(tree).files == 9


def test_links_on_the_way_to_a_path_are_followed(tree):
    assert extent(tree.parent / "link" / "a") == Extent(files=3, bytes=15)
    assert extent(tree.parent / "l*k" / "a") == Extent(files=3, bytes=15)


@pytest.mark.parametrize(
    ("pattern", "files", "size"),
    [
        ("*", 5, 18),  # as in a shell, what is hidden is not matched
        (".*", 2, 10),
        ("*.txt", 2, 3),
        ("?ne.txt", 1, 1),
        ("a/*/*.py", 1, 5),
        ("*/x.py", 1, 4),
        ("**/*.py", 2, 9),
        ("**", 5, 18),
        ("a/[bx]*", 3, 15),
        ("*/../one.txt", 1, 1),
    ],
)
def test_a_path_with_wildcards_counts_what_it_matches(tree, pattern, files, size):
    assert extent(f"{tree}/{pattern}") == Extent(files=files, bytes=size)


def test_a_file_whose_name_has_brackets_is_itself(tree):
    (tree / "[id].tsx").write_text("four")
    (tree / "i").write_text("not this")
    assert extent(f"{tree}/[id].tsx") == Extent(files=1, bytes=4)


def test_a_path_that_can_not_be_understood_is_an_error(tree):
    for path in (f"{tree}/{{one,two}}.txt", "relative/path", "", "/*" * 65):
        assert extent(path).error, path
        assert not extent(path).files


def test_a_device_can_not_be_counted():
    assert extent("/dev/null") == Extent(error="NoFile")


def test_what_may_not_be_looked_into_is_said_with_what_was_counted(tree, monkeypatch):
    scandir = os.scandir

    def locked(directory):
        if directory.endswith(b"/.hidden"):
            raise PermissionError(directory)
        return scandir(directory)

    monkeypatch.setattr(os, "scandir", locked)
    assert extent(tree) == Extent(files=6, bytes=21, error="PermissionError")


def test_counting_stops_at_a_budget_of_entries(tree, monkeypatch):
    monkeypatch.setattr(module, "MOST", 5)
    found = extent(tree)
    assert found.more
    assert 0 < found.files <= 5
    assert not extent(f"{tree}/a/b").more


def test_many_paths_share_a_budget_and_each_gets_some_of_it(tree, monkeypatch):
    monkeypatch.setattr(module, "MOST_IN_ALL", 8)
    found = extents([str(tree), f"{tree}/a/b", f"{tree}/one.txt", f"{tree}/two.txt"])
    assert [one.more for one in found.values()] == [True, False, False, False]
    assert [one.files for one in found.values()][1:] == [2, 1, 1]


def test_comparing_names_with_wildcards_costs_budget_too(tmp_path):
    for number in range(300):
        (tmp_path / f"{'a' * 200}{number}").touch()
    pattern = f"{tmp_path}/{'*a' * 1000}b"
    start = time.process_time()
    assert extent(pattern).more
    assert time.process_time() - start < 2


def test_twenty_thousand_entries_take_a_fraction_of_a_second(tmp_path):
    for outer in range(100):
        (tmp_path / str(outer)).mkdir()
        for inner in range(210):
            (tmp_path / str(outer) / str(inner)).touch()
    best = 10.0
    for _ in range(3):
        start = time.process_time()
        found = extent(tmp_path)
        best = min(best, time.process_time() - start)
    assert found.more
    assert found.files > 19_000
    assert best < 1


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.text(alphabet="/.*?[]{},ab\0 \udc80é", max_size=30))
def test_no_path_makes_it_raise(tree, text):
    assert isinstance(extent(f"{tree}/{text}"), Extent)
    assert isinstance(extent(text.lstrip("/")), Extent)


# What git has


@pytest.fixture
def repository(tree, git):
    """`data` as a repository that has all but the logs and the hidden files."""
    git(tree, "init", "-q")
    git(tree, "add", "one.txt", "two.txt", "a/x.py", "a/b/y.py")
    git(tree, "commit", "-qm", "first")
    return tree


@pytest.mark.parametrize("version", [2, 4])
def test_files_that_git_does_not_have_are_counted_as_git_counts_them(repository, git, version):
    git(repository, "update-index", f"--index-version={version}")
    (repository / "new").mkdir()
    (repository / "new" / "file").write_text("")
    for path in (".", "a", "new", "one.txt", "a/b/z.log"):
        others = [name for name in git(repository, "ls-files", "--others", "-z", "--", path).split("\0") if name]
        assert extent(f"{repository}/{path}").untracked == len(others), path
    assert extent(repository).untracked == 4


def test_files_that_were_written_since_are_counted(repository, git):
    assert extent(repository).changed == 0
    (repository / "one.txt").write_text("something else")
    os.utime(repository / "two.txt", ns=(1, 1))
    assert extent(repository).changed == 2
    git(repository, "add", "-u")
    assert extent(repository).changed == 0


def test_a_promised_file_is_one_that_git_does_not_have(repository, git):
    (repository / "promised").write_text("")
    git(repository, "add", "-N", "promised")
    assert extent(repository / "promised").untracked == 1


def test_the_repository_itself_is_told_apart(repository):
    assert extent(repository).history
    assert extent(repository / ".git").history
    assert extent(repository / ".git").untracked == 0
    assert extent(repository.parent).history
    assert not extent(repository / "a").history
    assert not extent(repository / ".git" / "index").history


def test_outside_a_repository_nothing_is_said_of_git(repository):
    assert extent(repository.parent / "link").untracked is None
    assert extent(repository.parent).untracked is None


def test_a_path_through_a_link_finds_its_repository(repository):
    assert extent(repository.parent / "link" / "a").untracked == 1


def test_wildcards_find_their_repository(repository):
    found = extent(f"{repository}/a/b/*")
    assert (found.files, found.untracked) == (2, 1)


def test_a_second_working_tree_has_its_own_index(repository, git):
    other = repository.parent / "other"
    git(repository, "worktree", "add", "-q", str(other))
    (other / "extra").write_text("x")
    found = extent(other)
    assert (found.untracked, found.changed) == (1, 0)


def test_a_new_repository_has_nothing(tree, git):
    git(tree, "init", "-q")
    assert extent(f"{tree}/a").untracked == 3


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"\0" * 100, b"not an index at all"])
def test_a_broken_index_tells_nothing_and_the_count_stands(repository, damage):
    (repository / ".git" / "index").write_bytes(damage)
    found = extent(f"{repository}/a")
    assert (found.files, found.untracked, found.changed, found.error) == (3, None, None, "")


def test_an_index_that_is_too_large_is_not_read(repository, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 100)
    assert extent(f"{repository}/a").untracked is None


@pytest.mark.parametrize("pointer", [b"", b"gitdir: ", b"gitdir: /nowhere\n", b"gitdir: \0\n", b"x" * 10_000])
def test_a_pointer_that_leads_nowhere_tells_nothing(tree, pointer):
    (tree / ".git").write_bytes(pointer)
    assert extent(f"{tree}/a").untracked is None


def test_a_pipe_in_the_place_of_an_index_keeps_nobody_waiting(repository):
    (repository / ".git" / "index").unlink()
    os.mkfifo(repository / ".git" / "index")
    assert extent(f"{repository}/a").untracked is None


def test_a_directory_that_is_only_called_like_one_is_no_repository(tree):
    (tree / ".git").mkdir()
    assert extent(f"{tree}/a").untracked is None


def test_nothing_of_the_repository_is_run(repository, git):
    trap = repository / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {repository}/sprung\n")
    trap.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(trap))
    extent(repository)
    assert not (repository / "sprung").exists()
