import pytest
from sandboxed import BUBBLEWRAP, NO_BUBBLEWRAP, Sandbox


def pytest_collection_modifyitems(items):
    for item in items:
        if {"sandbox", "shared", "prison"} & set(item.fixturenames) and BUBBLEWRAP is None:
            item.add_marker(pytest.mark.skip(reason=NO_BUBBLEWRAP))


@pytest.fixture
def sandbox(tmp_path):
    made = Sandbox(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One for many tests that leave nothing behind."""
    made = Sandbox(tmp_path_factory.mktemp("house"))
    yield made
    made.close()
