"""The ends of the pipes to a server: who closes them, and what waits to be written."""

import gc
import os
import sys
import threading

from guardhouse.adapters.mcp.piped import PipedServer

PATIENCE = 30


def test_a_server_that_is_ended_closes_nothing_that_was_opened_since():
    ended = threading.Event()
    server = PipedServer(
        gateway=None,
        command=[sys.executable, "-c", "import sys; sys.stdin.read()"],
        environment={},
        to_client=print,
        ended=ended.set,
        failed=print,
    )
    writer = next(one for one in threading.enumerate() if getattr(one, "_target", None) == server._write)
    server.close()
    assert ended.wait(PATIENCE)
    writer.join(PATIENCE)
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(16)]
    del server, writer
    gc.collect()
    try:
        assert [os.fstat(one) for one in opened]
    finally:
        for one in opened:
            os.close(one)
