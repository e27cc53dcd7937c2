import pytest
from guarded_machine import GuardedMachine


@pytest.fixture
def place(tmp_path, monkeypatch):
    place = GuardedMachine(tmp_path, monkeypatch)
    yield place
    place.close()
