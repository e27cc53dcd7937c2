"""Who wants to write gets a turn, however much others write."""

import threading
import time
from contextlib import closing, contextmanager

import pytest

from guardhouse.database.sqlite import SqliteDatabase
from guardhouse.database.turns import next_to_write
from guardhouse.model import GuardhouseError

SLOW_DISK = 0.05


@contextmanager
def writing_without_a_pause(path, count):
    """Others that hold the file nearly always, each as long as a slow disk would take."""
    done, all_write = threading.Event(), threading.Barrier(count + 1, timeout=30)

    def write():
        database = SqliteDatabase(path, wait=60)
        with database.writing():
            pass
        all_write.wait()
        while not done.is_set():
            with database.writing():
                time.sleep(SLOW_DISK)
        database.close()

    others = [threading.Thread(target=write) for _ in range(count)]
    for other in others:
        other.start()
    try:
        all_write.wait()
        yield
    finally:
        done.set()
        for other in others:
            other.join()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "some.db"


def database(path, wait):
    return closing(SqliteDatabase(path, wait=wait))


def test_a_writer_among_others_that_never_pause_gets_its_turns(path):
    with database(path, 5) as ours, writing_without_a_pause(path, 3):
        for _ in range(8):
            with ours.writing():
                pass


def test_a_place_that_somebody_never_gives_back_delays_and_no_more(path):
    with database(path, 0.05) as ours:
        with ours.writing():
            pass
        with next_to_write(path.parent, 0) as left, ours.writing() as rows:
            assert left == 0
            rows.run("SELECT 1")


def test_a_writer_waits_no_longer_for_place_and_file_together_than_it_was_told(path):
    with database(path, 0.3) as ours, database(path, 5) as another:
        with another.writing(), next_to_write(path.parent, 0):
            begun = time.monotonic()
            with pytest.raises(GuardhouseError, match="held by another"), ours.writing():
                pass
            assert 0.25 < time.monotonic() - begun < 5
        with ours.writing():
            pass
