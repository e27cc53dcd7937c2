"""Daemons: one that most tests share, and new ones where a test ends or configures it."""

import pytest
from daemon_process import DaemonProcess


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    """A daemon that several tests share; each makes its own tokens."""
    process = DaemonProcess(tmp_path_factory.mktemp("daemon")).start()
    yield process
    process.stop()


@pytest.fixture
def new_daemon(tmp_path):
    """Makes daemons that only this test uses; not started yet."""
    made = []

    def make(*options, **more):
        directory = tmp_path / f"daemon{len(made)}"
        directory.mkdir()
        made.append(DaemonProcess(directory, *options, **more))
        return made[-1]

    yield make
    for process in made:
        process.stop()
