"""`guardhouse proxy` as a process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest
from loopback_server import answer
from proxied import DEADLINE, read_all, status


@pytest.fixture
def person(tmp_path):
    """Somebody's home, and the command in it."""
    (tmp_path / "home" / ".config" / "guardhouse").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GUARDHOUSE_", "XDG_"))}
    environment = kept | {"HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}

    def run(*arguments, wait=True):
        command = [sys.executable, "-m", "guardhouse", *arguments]
        options = {"env": environment, "cwd": tmp_path / "work", "text": True}
        if wait:
            return subprocess.run(command, capture_output=True, timeout=60, check=False, **options)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    run.home = tmp_path / "home"
    return run


def test_it_says_how_it_is_used_and_serves_agents_until_it_is_told_to_end(person, serve):
    server = serve(lambda request: answer(b"hello"))
    section = {"allowed_domains": [f"localhost:{server.port}"], "deny_private_ips": False}
    config = person.home / ".config" / "guardhouse" / "config.json"
    config.write_text(json.dumps({"guard": {"network": {"proxy": section}}}))
    made = person("token", "create", "--role", "agent", "--name", "builder")
    token = re.search(r"gdh_agent_\w{12}_[\w-]{43}", made.stdout)[0]
    process = person("proxy", "--listen", "127.0.0.1:0", wait=False)
    try:
        place = re.search(r"listens at 127\.0\.0\.1:(\d+)\.", process.stdout.readline())
        said = "".join(process.stdout.readline() for _ in range(4))
        assert f"HTTPS_PROXY=http://agent:TOKEN@127.0.0.1:{place[1]}" in said
        assert token not in said
        request = (
            f"GET http://localhost:{server.port}/ HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
            f"Proxy-Authorization: Bearer {{}}\r\nConnection: close\r\n\r\n"
        )
        for given, expected in ((token, 200), ("x", 407)):
            with socket.create_connection(("127.0.0.1", int(place[1])), timeout=DEADLINE) as client:
                client.sendall(request.format(given).encode())
                assert status(read_all(client)) == expected
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
    told = person("audit", "list", "--json").stdout or person("audit", "tail").stdout
    assert "builder" in told
    assert token not in told


@pytest.mark.parametrize("place", ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"])
def test_others_can_reach_it_only_if_that_is_said(person, place):
    done = person("proxy", "--listen", place)
    assert done.returncode == 2
    assert "tokens would cross the network in the clear" in done.stderr


@pytest.mark.parametrize("place", ["", "x", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ":1"])
def test_what_is_no_place_is_an_error(person, place):
    done = person("proxy", "--listen", place)
    assert done.returncode == 2
    assert "no place to listen at" in done.stderr


def test_a_place_that_is_taken_is_an_error(person):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = person("proxy", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert done.returncode == 2
    assert "can't be listened at" in done.stderr


def test_no_guarded_agent_starts_one(person):
    code = (
        "import subprocess, sys, guardhouse\n"
        "with guardhouse.open_guard():\n"
        "    done = subprocess.run([sys.executable, '-m', 'guardhouse', 'proxy', '--listen', '127.0.0.1:0'])\n"
        "sys.exit(done.returncode)\n"
    )
    script = person.home / "agent.py"
    script.write_text(code)
    environment = {"HOME": str(person.home), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "guarded agent" in done.stderr
