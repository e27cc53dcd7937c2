"""Where paths lead, on a real file system with real links."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardhouse.files import LocalFiles


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path))
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file").write_text("x")
    (root / "link").symlink_to("a/b")
    (root / "up").symlink_to("a/b/../file")
    (root / "dangling").symlink_to("a/nothing/here")
    (root / "new").symlink_to("a/not-yet")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    return root


def test_links_are_followed(tree):
    assert LocalFiles().real_path(f"{tree}/link/../file").path == f"{tree}/a/file"
    assert LocalFiles().real_path(f"{tree}/up").path == f"{tree}/a/file"
    assert LocalFiles().real_path(f"{tree}/./a//b/").path == f"{tree}/a/b"


def test_what_is_not_there_leads_to_where_it_would_be_made(tree):
    assert LocalFiles().real_path(f"{tree}/link/fresh").path == f"{tree}/a/b/fresh"
    assert LocalFiles().real_path(f"{tree}/new").path == f"{tree}/a/not-yet"
    assert LocalFiles().real_path(f"{tree}/dangling").path == f"{tree}/a/nothing/here"
    assert LocalFiles().real_path(f"{tree}/link/x/y/z").path == f"{tree}/a/b/x/y/z"
    assert LocalFiles().real_path(f"{tree}/link/x/..").path == f"{tree}/a/b"


def test_a_circle_of_links_is_an_error_not_a_guess(tree):
    answer = LocalFiles().real_path(f"{tree}/one")
    assert answer.error
    assert not answer.path


def test_what_has_no_path_is_an_error(tmp_path):
    left, right = socket.socketpair()
    with left, right:
        assert LocalFiles().real_path(f"/proc/self/fd/{left.fileno()}").error
    assert LocalFiles().real_path("/x\0y").error


def test_a_pipe_is_looked_at_without_waiting_for_somebody_to_write_to_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert LocalFiles().real_path(str(tmp_path / "pipe")).path == os.path.realpath(tmp_path / "pipe")


_NAMES = st.sampled_from(["a", "b", "file", "link", "up", "new", "dangling", "..", ".", "", "fresh"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(parts=st.lists(_NAMES, max_size=6))
def test_every_answer_is_what_the_standard_library_says(tree, parts):
    path = "/".join([str(tree), *parts])
    answer = LocalFiles().real_path(path)
    if not answer.error:
        assert answer.path == os.path.realpath(path)


def test_what_begins_with_a_directory_that_is_not_there_is_elsewhere(tree):
    files = LocalFiles()
    assert files.real_path("/no-such-place-here/a/file").elsewhere
    assert not files.real_path("/no-such-file-here").elsewhere
    assert not files.real_path(f"{tree}/nothing/here").elsewhere
    assert not files.real_path(f"/no-such-place-here/..{tree}/file").elsewhere
