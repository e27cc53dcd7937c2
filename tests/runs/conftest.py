import pytest
from running import Machine


@pytest.fixture
def machine(tmp_path, monkeypatch):
    machine = Machine(tmp_path, monkeypatch)
    yield machine
    machine.close()
