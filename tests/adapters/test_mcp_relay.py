"""The life of a gateway: how it starts and ends, and that it passes nothing without its gate."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcp_client import HURRIED_MCP, PATIENCE, READS, text_of


def test_it_ends_when_its_server_ends_and_with_its_exit_status(start):
    gateway = start()
    gateway.request("tools/call", name="ends", arguments={"status": 7})
    assert gateway.process.wait(PATIENCE) == 7


def test_a_call_that_gets_no_answer_any_more_is_recorded_as_aborted(start, place):
    gateway = start()
    gateway.request("tools/call", name="ends", arguments={"status": 0})
    gateway.process.wait(PATIENCE)
    (event,) = [event for event in place.events() if event.kind == "execution"]
    assert event.outcome == "aborted"
    assert event.tool_name == "mcp__box__ends"


def test_it_ends_when_its_client_is_gone(start):
    status, _said = start().end()
    assert status == 0


def test_a_server_that_does_not_end_by_itself_is_ended(start):
    gateway = start()
    gateway.request("tools/call", name="ignores_end", arguments={})
    server = int(gateway.message()["params"]["data"])
    status, _said = gateway.end()
    assert status == 128 + signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_passed_on_to_the_server(start, number):
    gateway = start()
    gateway.ask("ping")
    gateway.process.send_signal(number)
    assert gateway.process.wait(PATIENCE) in {128 + number, 1}


def test_what_the_server_says_on_standard_error_passes(start):
    talks = "import sys; print('a word from the server', file=sys.stderr)"
    gateway = start(listed=False, command=[sys.executable, "-c", talks])
    assert "a word from the server" in gateway.end()[1]


def test_what_was_said_before_the_end_still_arrives(start):
    last = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "bye"}})
    gateway = start(listed=False, command=[sys.executable, "-c", f"print({last!r})"])
    assert gateway.message()["params"]["data"] == "bye"
    assert gateway.end()[0] == 0


def test_a_server_that_can_not_be_started_is_an_error(start):
    status, said = start(listed=False, command=["/no/such/program"]).end()
    assert status == 2
    assert "can't be started" in said


def test_a_client_that_writes_much_before_it_reads_gets_every_answer(start):
    gateway = start()
    numbers = [gateway.request("tools/call", name="echo", arguments={"say": str(n)}) for n in range(40)]
    assert [gateway.message()["id"] for _ in numbers] == numbers


def test_large_messages_pass_whole(start):
    gateway = start()
    assert len(text_of(gateway.call("many", size=3_000_000))) == 3_000_000
    said = text_of(gateway.call("echo", say="x" * 1_000_000))
    assert len(json.loads(said)["say"]) == 1_000_000


def test_an_unended_last_line_is_no_message(start, place):
    gateway = start()
    gateway.write(b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{}}}')
    gateway.end()
    assert b"tools/call" not in gateway.log.read_bytes()


def test_empty_lines_are_passed_over(start):
    gateway = start()
    gateway.write(b"\n  \n\r\n")
    assert gateway.ask("ping")["result"] == {"resources": []}


def test_a_policy_that_breaks_later_denies_every_call_and_mending_it_lets_them_through(start, place):
    gateway = start()
    assert not gateway.call("echo")["result"].get("isError")
    place.configure("guard: {no_such_key: 1}\n")
    end = time.monotonic() + PATIENCE
    while "policy_unreadable" not in text_of(gateway.call("echo")):
        assert time.monotonic() < end
    place.configure(READS)
    while gateway.call("echo")["result"].get("isError"):
        assert time.monotonic() < end


def test_a_gate_that_is_switched_off_says_so(start):
    gateway = start("guard: {enabled: false}\n")
    assert not gateway.call("echo")["result"].get("isError")
    assert "switched off" in gateway.end()[1]


def test_a_message_that_is_longer_than_anything_is_refused_and_the_next_one_passes(start):
    gateway = start()
    size = 70 * 1024 * 1024
    gateway.send(b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"' + b"x" * size + b'"}}\n')
    assert "longer than" in gateway.answer(5)["error"]["message"]
    assert gateway.ask("ping")["result"] == {"resources": []}
    assert not any(b"xxxx" in line for line in gateway.reached())


def test_a_real_server_behind_a_real_gateway_passes_every_message_kind(place):
    modules = os.environ.get("GUARDHOUSE_NODE_MODULES")
    if not modules:
        pytest.skip("GUARDHOUSE_NODE_MODULES names no directory with npm's MCP servers")
    bench = Path(__file__).parents[2] / "bench" / "gateway.py"
    command = [sys.executable, str(bench), "--node-modules", modules, "--calls", "20", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    messages = json.loads(done.stdout)["messages"]
    assert messages["changed"] == 0
    assert messages["sent"] == messages["reached the server"]


SLEEPS = "import signal, time; signal.signal(signal.SIGTERM, HOW); print(flush=True); time.sleep(600)"
NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": "a" * 60_000}}).encode() + b"\n"


def deaf(how):
    """A server that reads nothing, and heeds being told to end or not."""
    return [sys.executable, "-c", SLEEPS.replace("HOW", f"signal.{how}")]


@pytest.mark.parametrize(("how", "status"), [("SIG_DFL", 128 + signal.SIGTERM), ("SIG_IGN", 128 + signal.SIGKILL)])
def test_a_server_that_does_not_read_is_ended_when_its_client_is_gone(start, how, status):
    gateway = start(listed=False, command=deaf(how), mcp=HURRIED_MCP)
    gateway.write(NOTE + NOTE + NOTE[:30_000])  # more than the pipe to the server takes
    assert gateway.end()[0] == status


def test_a_server_that_does_not_read_what_is_refused_is_ended_when_its_client_is_gone(start):
    floods = 'import time\nfor n in range(3000): print(\'{"jsonrpc":"2.0","id":%d,"method":"x","odd":1}\' % n)\n'
    command = [sys.executable, "-c", f"{floods}print(flush=True); time.sleep(600)"]
    gateway = start(listed=False, command=command, mcp=HURRIED_MCP)
    assert gateway.end()[0] == 128 + signal.SIGTERM


def test_a_server_that_does_not_heed_a_signal_does_not_keep_its_gateway(start):
    says = json.dumps({"jsonrpc": "2.0", "method": "up"})
    code = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print({says!r}, flush=True)"
    gateway = start(listed=False, command=[sys.executable, "-c", f"{code}; time.sleep(600)"], mcp=HURRIED_MCP)
    assert gateway.message()["method"] == "up"
    gateway.process.send_signal(signal.SIGTERM)
    assert gateway.process.wait(PATIENCE) == 128 + signal.SIGKILL


def test_what_a_client_sent_before_it_went_still_reaches_a_server_that_reads(start):
    gateway = start()
    for number in range(30):
        gateway.request("tools/call", name="echo", arguments={"n": number})
    assert gateway.end()[0] == 0
    assert sum(b'"tools/call"' in line for line in gateway.log.read_bytes().splitlines()) == 30


def test_bytes_of_the_server_that_are_no_message_do_not_reach_the_client(start):
    gateway = start()
    gateway.call("raw", bytes=base64.b64encode(b"Listening on port 8080\n").decode())
    gateway.ask("ping")
    assert not any(b"Listening" in line for line in gateway.got)
