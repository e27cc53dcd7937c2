import pytest
from guarded_machine import GuardedMachine
from mcp_client import READS, Gateway


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = GuardedMachine(tmp_path, monkeypatch)
    yield place
    place.close()


@pytest.fixture
def start(place):
    """A gateway in front of the server, started as often as a test wants."""
    running = []

    def started(config=READS, *options, **more):
        place.configure(config)
        running.append(Gateway(place, *options, **more))
        return running[-1]

    yield started
    for gateway in running:
        gateway.stop()
