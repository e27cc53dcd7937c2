"""Git's index, read without git; git itself says what is right."""

from __future__ import annotations

import contextlib
import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.git_index import BrokenIndex, tracked_files


class Everything:
    """Every name is wanted."""

    def __contains__(self, name):
        return True


def names(index):
    return sorted(tracked_files(index, Everything()))


def listed(git, repository):
    return sorted(name.encode() for name in git(repository, "ls-files", "-z").split("\0") if name)


def filled(git, repository, *options):
    """A repository with names that are hard to store: long, nested, not ASCII, of every length modulo eight."""
    repository.mkdir()
    git(repository, "init", "-q", *options)
    for length in range(1, 20):
        (repository / ("n" * length)).write_text("x" * length)
    (repository / "src" / "deep" / "deeper").mkdir(parents=True)
    for name in ("src/a.py", "src/deep/b.py", "src/deep/deeper/c.py", "with space", "größe.txt", "src/line\nbreak"):
        (repository / name).write_text(name)
    (repository / "short").symlink_to("n")
    git(repository, "add", "-A")
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{_blob(git, repository)},{'p/' * 2100}end")
    return repository


def _blob(git, repository):
    return git(repository, "hash-object", "-w", "n").strip()


@pytest.mark.parametrize("version", [2, 4])
def test_it_finds_the_files_that_git_lists(git, tmp_path, version):
    repository = filled(git, tmp_path / "r")
    git(repository, "update-index", f"--index-version={version}")
    index = (repository / ".git" / "index").read_bytes()
    assert index[7] == version
    assert names(index) == listed(git, repository)
    assert len(names(index)) > 25


def test_an_index_with_promised_files_is_of_version_three_and_they_do_not_count(git, tmp_path):
    repository = filled(git, tmp_path / "r")
    (repository / "promised").write_text("git has only the name of this")
    git(repository, "add", "-N", "promised")
    index = (repository / ".git" / "index").read_bytes()
    assert index[7] == 3
    assert names(index) == [name for name in listed(git, repository) if name != b"promised"]


def test_a_repository_with_longer_digests_is_read(git, tmp_path):
    repository = filled(git, tmp_path / "r", "--object-format=sha256")
    for version in (2, 4):
        git(repository, "update-index", f"--index-version={version}")
        assert names((repository / ".git" / "index").read_bytes()) == listed(git, repository)


def test_extensions_that_may_be_skipped_are(git, tmp_path):
    repository = filled(git, tmp_path / "r")
    git(repository, "update-index", "--force-remove", "--", "p/" * 2100 + "end")
    git(repository, "commit", "-qm", "first")
    git(repository, "update-index", "--force-untracked-cache")
    git(repository, "status")
    index = (repository / ".git" / "index").read_bytes()
    assert b"TREE" in index
    assert b"UNTR" in index
    assert names(index) == listed(git, repository)


def test_an_index_without_a_digest_at_its_end_is_read(git, tmp_path):
    repository = filled(git, tmp_path / "r")
    index = (repository / ".git" / "index").read_bytes()
    assert names(index[:-20] + bytes(20)) == listed(git, repository)


def test_an_index_that_is_split_in_two_tells_nothing(git, tmp_path):
    repository = filled(git, tmp_path / "r")
    git(repository, "update-index", "--split-index")
    (repository / "n").write_text("changed")
    git(repository, "add", "n")
    with pytest.raises(BrokenIndex):
        names((repository / ".git" / "index").read_bytes())


def test_it_says_how_files_were_when_git_last_saw_them(git, tmp_path):
    repository = filled(git, tmp_path / "r")
    status = (repository / "src" / "a.py").stat()
    found = tracked_files((repository / ".git" / "index").read_bytes(), {b"src/a.py", b"absent"})
    assert list(found) == [b"src/a.py"]
    (known,) = found.values()
    assert known.size == status.st_size
    assert known.seconds == status.st_mtime_ns // 1_000_000_000


def sealed(body):
    return body + hashlib.sha1(body).digest()


def header(version, count):
    return b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big")


@pytest.mark.parametrize("cut", [0, 3, 12, 20, 31, 60, 100, -1, -20, -21])
def test_an_index_that_was_cut_off_is_broken_even_if_its_digest_fits(git, tmp_path, cut):
    repository = filled(git, tmp_path / "r")
    for version in (2, 4):
        git(repository, "update-index", f"--index-version={version}")
        index = (repository / ".git" / "index").read_bytes()
        with pytest.raises(BrokenIndex):
            names(index[:cut])
        if 12 <= cut < len(index) - 20:
            with pytest.raises(BrokenIndex):
                names(sealed(index[:cut]))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"DIRC",
        header(5, 0),
        header(1, 0),
        header(2, 1),
        header(4, 1),
        header(2, 0xFFFFFFFF),
        header(4, 1) + bytes(62) + b"\xff" * 8,
        header(4, 1) + bytes(62) + b"\x01name\0",
        header(2, 1) + bytes(60) + b"\x40\x00" + bytes(10),
        header(2, 0) + b"TREE\xff\xff\xff\xff",
        header(2, 0) + b"link" + bytes(4),
        header(2, 0) + b"sdir" + bytes(4),
        header(2, 0) + b"TRE",
    ],
)
def test_what_is_no_index_is_said_to_be_none(body):
    with pytest.raises(BrokenIndex):
        names(sealed(body))
    with pytest.raises(BrokenIndex):
        names(body)


@given(st.binary(max_size=400), st.sampled_from([2, 3, 4]), st.integers(0, 5))
def test_nothing_else_is_raised_whatever_the_bytes(body, version, count):
    with contextlib.suppress(BrokenIndex):
        assert len(set(names(sealed(header(version, count) + body)))) <= count


def test_names_that_grow_out_of_each_other_do_not_take_forever():
    entry = bytes(62) + b"\0" + b"x" * 64 + b"\0"
    body = header(4, 200_000) + entry * 200_000
    start = time.process_time()
    with pytest.raises(BrokenIndex):
        names(sealed(body))
    assert time.process_time() - start < 2


def test_a_large_index_is_read_in_time():
    count = 100_000
    entries = b"".join(
        (bytes(60) + len(name).to_bytes(2, "big") + name).ljust((62 + len(name) + 8) // 8 * 8, b"\0")
        for name in (f"some/directory/file_{number:08}.py".encode() for number in range(count))
    )
    index = sealed(header(2, count) + entries)
    start = time.process_time()
    assert len(tracked_files(index, {b"some/directory/file_00099999.py"})) == 1
    assert time.process_time() - start < 1
