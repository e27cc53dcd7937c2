import pytest
from guarded_house import House


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory):
    return House(tmp_path_factory.mktemp("house"))
