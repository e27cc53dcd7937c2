"""A daemon that most tests share, and the homes of the agents who talk to it."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[1] / room) for room in ("server", "cli")]

from daemon_process import DaemonProcess  # noqa: E402

from guardhouse.client import Connection, RemoteApprover, connect  # noqa: E402


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    process = DaemonProcess(tmp_path_factory.mktemp("daemon")).start()
    yield process
    process.stop()


@pytest.fixture
def own_daemon(tmp_path):
    """One that only this test uses, and may kill."""
    process = DaemonProcess(tmp_path / "own").start()
    yield process
    process.stop()


@pytest.fixture(autouse=True)
def agent_home(tmp_path, monkeypatch):
    """Where the agent's process, which is this one, is registered."""
    home = tmp_path / "agent"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_STATE_DIR", "GUARDHOUSE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def guard_at(agent_home):
    """Makes guards at a daemon, each with a new agent's token unless it has one."""
    made = []

    def make(daemon, token=None, **more):
        made.append(connect(daemon.url, token or daemon.token("agent"), **more))
        return made[-1]

    yield make
    for guard in made:
        guard.close()


@pytest.fixture
def guard(daemon, guard_at):
    return guard_at(daemon)


@pytest.fixture
def person(daemon):
    """Somebody who may answer."""
    connection = Connection(daemon.url, daemon.token("approver"))
    yield RemoteApprover(connection)
    connection.close()
