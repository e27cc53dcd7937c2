"""What fails around the gateway: nothing is passed on, and whoever waits is told."""

import os
import shutil
import subprocess
import sys

import pytest
from mcp_client import MCP, READS, Gateway, text_of

from guardhouse.adapters.mcp import Gateway as Judge
from guardhouse.pins import PinStore

LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
LISTED = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo"}]}}'
CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}'


@pytest.mark.parametrize("failure", ["bad policy", "no state", "a name that is taken", "damaged pins"])
def test_gateway_can_not_build_its_guard(place, tmp_path, failure):
    if failure == "bad policy":
        place.configure("guard: {no_such_key: 1}")
    if failure == "no state":
        place.state.write_text("a file where a directory should be")
        place.state = place.state / "below"
    if failure == "a name that is taken":
        PinStore(place.state / "mcp").claim("box", ["another"], str)
    if failure == "damaged pins":
        (place.state / "mcp").mkdir(parents=True)
        (place.state / "mcp" / "box.json").write_text("{")
    ran = tmp_path / "ran"
    command = [*MCP, "--name", "box", "--state-dir", str(place.state), "--", "touch", str(ran)]
    done = subprocess.run(command, input=b"{}\n", capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"guardhouse: ")
    assert not ran.exists()


def test_what_a_server_announces_can_not_be_pinned(place):
    said = []
    place.configure(READS)
    pins = PinStore(place.state / "mcp")
    pins.claim("box", ["server"], str)
    judge = Judge(place.guard(), "box", pins, session_id="s", mask=str, notice=said.append)
    judge.from_client(LIST)
    shutil.rmtree(place.state / "mcp")
    (place.state / "mcp").write_text("a file where the directory was")
    listed = judge.from_server(LISTED)
    assert b'"error"' in listed.to_client
    assert b"echo" not in listed.to_client
    assert said
    called = judge.from_client(CALL)
    assert not called.to_server
    assert b"tool.changed" in called.to_client


def test_a_result_is_withheld_if_the_log_can_not_be_written(place):
    place.configure(READS)
    gateway = Gateway(place)
    try:
        number = gateway.request("tools/call", name="asks_user", arguments={})
        asked = gateway.message()
        shutil.rmtree(place.state / "audit")
        (place.state / "audit").write_text("a file where the log was")
        gateway.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        answer = gateway.answer(number)
        assert "withheld" in text_of(answer)
        assert "guard.audit_unwritable" in text_of(answer)
        assert "decline" not in text_of(answer)
        assert "guard.audit_unwritable" in text_of(gateway.call("echo"))
        assert not any(b'"echo"' in line for line in gateway.reached())
    finally:
        gateway.stop()


def test_gateway_fails_on_a_message(place, tmp_path):
    broken = (
        "from guardhouse.adapters.mcp import Gateway\n"
        "def fails(self, line): raise MemoryError('full')\n"
        "Gateway.from_client = fails\n"
        "from guardhouse.cli import main\n"
        "main()\n"
    )
    log = tmp_path / "log"
    keeps = f"import sys, pathlib; pathlib.Path({str(log)!r}).write_bytes(sys.stdin.buffer.read())"
    done = subprocess.run(
        [sys.executable, "-c", broken, "mcp", "--name", "box", "--", sys.executable, "-c", keeps],
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        env={**os.environ, "GUARDHOUSE_STATE_DIR": str(place.state)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"failed with MemoryError" in done.stderr
    assert not log.exists() or log.read_bytes() == b""
