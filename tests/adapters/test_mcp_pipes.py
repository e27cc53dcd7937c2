"""The ends of the pipes to a server: who closes them, and what waits to be written."""

import gc
import os
import sys
import threading

from guardhouse.adapters.mcp.piped import PipedServer
from guardhouse.adapters.mcp.pipes import Messages

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


def test_neither_too_many_messages_wait_nor_too_much():
    small: Messages[int] = Messages(1 << 20)
    assert [small.add(b"", number) for number in range(257)] == [True] * 256 + [False]
    large: Messages[int] = Messages(1 << 20)
    assert [large.add(b"x" * (1 << 19), number) for number in range(3)] == [True, True, False]
    assert large.take() == (b"x" * (1 << 19), 0)
    assert large.add(b"x", 3)


def test_whoever_waits_for_messages_that_will_not_come_is_told():
    messages: Messages[None] = Messages(1)
    found = []
    waits = threading.Thread(target=lambda: found.append(messages.take()))
    waits.start()
    messages.end()
    waits.join(PATIENCE)
    assert found == [None]
    assert not messages.add(b"", None)
