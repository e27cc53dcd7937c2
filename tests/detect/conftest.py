import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "guard"))

from guarded_house import House


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory):
    return House(tmp_path_factory.mktemp("house"))
