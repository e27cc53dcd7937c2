"""The stores that the state machine of approvals is tried on: the same tests on both."""

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where an empty store is: a file, or the address of a database."""
    if request.param == "sqlite":
        return tmp_path / "approvals.db"
    return request.getfixturevalue("postgres_url")
