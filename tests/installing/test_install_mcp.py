"""`install mcp`: a client's servers behind the gateway, and back."""

import json
import os
import subprocess
import sys
import time

import pytest

from guardhouse.installing.commands import Options, read_gateway_arguments
from guardhouse.installing.json_text import JsonText
from guardhouse.installing.mcp_servers import survey, with_gateway, without_gateway
from guardhouse.model import GuardhouseError
from guardhouse.pins import is_server_name

LIST = """{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "server-filesystem", "/data"],
      "env": {"A": "1"}
    },
    "bare": { "command": "/opt/server" },
    "far": {
      "type": "http",
      "url": "https://mcp.example/x"
    }
  },
  "other": [1,2]
}
"""


def guarded(text):
    return with_gateway(JsonText(text), "/opt/python", Options())


def test_each_server_that_is_started_runs_behind_the_gateway_and_the_rest_is_left(place):
    file = place.project / ".mcp.json"
    file.write_text(LIST)
    told = place.install("mcp", str(file)).stdout
    servers = json.loads(file.read_text())["mcpServers"]
    gateway = ["-I", "-m", "guardhouse", "mcp", "--name"]
    places = ["--home", str(place.home), "--state-dir", str(place.state)]
    assert servers["files"] == {
        "command": sys.executable,
        "args": [*gateway, "files", *places, "--", "npx", "-y", "server-filesystem", "/data"],
        "env": {"A": "1"},
    }
    assert servers["bare"]["args"] == [*gateway, "bare", *places, "--", "/opt/server"]
    assert servers["far"] == {
        "type": "stdio",
        "command": sys.executable,
        "args": [*gateway, "far", *places, "--listed-as", "url,http", "--url", "https://mcp.example/x"],
    }
    assert '"other": [1,2]' in file.read_text()
    assert "`guardhouse allow domain mcp.example`" in told
    assert "Nothing to change." in place.install("mcp", str(file)).stdout
    place.uninstall("mcp", str(file))
    assert file.read_text() == LIST


SERVER = """
import os, pathlib, sys
started, called = map(pathlib.Path, sys.argv[1:])
started.write_text(os.environ["XDG_CONFIG_HOME"])
called.write_text(sys.stdin.read())
"""
CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"unheard_of","arguments":{}}}\n'


def test_variables_of_a_server_move_neither_policy_nor_state_of_the_gateway_and_reach_the_server(place):
    evil, started, reached = place.project / "evil", place.home / "started", place.home / "reached"
    (evil / "guardhouse").mkdir(parents=True)
    (evil / "guardhouse" / "config.yaml").write_text("guard: {enabled: false}")
    file = place.project / ".mcp.json"
    given = {"HOME": str(evil), "XDG_CONFIG_HOME": str(evil), "GUARDHOUSE_STATE_DIR": str(evil / "state")}
    server = {"command": sys.executable, "args": ["-c", SERVER, str(started), str(reached)], "env": given}
    file.write_text(json.dumps({"mcpServers": {"a": server}}))
    assert "Mode: enforce" in place.install("mcp", str(file)).stdout
    written = json.loads(file.read_text())["mcpServers"]["a"]
    done = subprocess.run(
        [written["command"], *written["args"]],
        input=CALL,
        env={**os.environ, **written["env"]},
        cwd=place.project,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"isError" in done.stdout
    assert reached.read_text() == ""
    assert started.read_text() == str(evil)
    assert not (evil / "state").exists()


def test_a_home_without_a_state_directory_does_not_take_one_from_the_environment(place):
    evil = place.project / "evil"
    done = place.run("mcp", "--home", str(place.home), "--", "true", env={"GUARDHOUSE_STATE_DIR": str(evil)})
    assert done.returncode == 0
    assert not evil.exists()
    assert (place.home / ".local" / "state" / "guardhouse").is_dir()


@pytest.mark.parametrize("home", ["evil", "./evil"])
def test_a_home_that_is_not_absolute_is_refused(place, home):
    done = place.run("mcp", "--home", home, "--", "touch", "ran")
    assert done.returncode == 2
    assert not (place.project / "ran").exists()


def test_an_entry_of_an_older_version_is_recognised_told_its_places_and_taken_back(place):
    file = place.project / ".mcp.json"
    old = ["-I", "-m", "guardhouse", "mcp", "--name", "a", "--state-dir", "/s", "--", "x"]
    file.write_text(json.dumps({"mcpServers": {"a": {"command": sys.executable, "args": old}}}))
    place.install("mcp", str(file))
    behind = read_gateway_arguments(json.loads(file.read_text())["mcpServers"]["a"]["args"])
    assert behind.options == Options(home=str(place.home), state_dir=str(place.state))
    place.uninstall("mcp", str(file))
    assert json.loads(file.read_text()) == {"mcpServers": {"a": {"command": "x"}}}


def test_after_a_change_each_server_gets_its_command_back(place):
    file = place.project / ".mcp.json"
    file.write_text(LIST)
    place.install("mcp", str(file))
    place.change(file, lambda value: value.update(mine=True))
    place.uninstall("mcp", str(file))
    assert json.loads(file.read_text()) == {**json.loads(LIST), "mine": True}


def test_only_a_named_server_is_put_behind_the_gateway(place):
    file = place.project / "mcp.json"
    file.write_text('{"servers": {"a": {"type": "stdio", "command": "x"}, "b": {"command": "y"}}}')
    told = place.install("mcp", str(file), "--server", "a").stdout
    value = json.loads(file.read_text())
    assert survey(value)[:3] == (("a",), ("b",), ())
    assert "Not guarded: b" in told
    for name in ("c", "b "):
        assert place.run("install", "mcp", str(file), "--server", name, "--yes").returncode == 2
    assert json.loads(file.read_text()) == value


def test_an_upgrade_changes_the_interpreter_and_keeps_the_names():
    old = with_gateway(JsonText(LIST), "/old/python", Options())
    new = with_gateway(old, "/new/python", Options(state_dir="/s"))
    servers = new.value["mcpServers"]
    assert servers["files"]["command"] == "/new/python"
    assert read_gateway_arguments(servers["files"]["args"]).command == "npx"
    assert without_gateway(new).value == json.loads(LIST)


def test_names_that_the_gateway_would_not_take_are_cleaned_and_stay_apart():
    keys = ["my server", "My/Server", "a__b", "a___b", "ünï", "__", "!", "x" * 100]
    text = json.dumps({"mcpServers": {key: {"command": "x"} for key in keys}})
    servers = guarded(text).value["mcpServers"]
    names = [read_gateway_arguments(servers[key]["args"]).name for key in keys]
    assert names[:-1] == ["my-server", "my-server-2", "a_b", "a_b-2", "n", "server", "server-2"]
    assert all(map(is_server_name, names))


def test_a_name_means_one_command_over_all_lists(place):
    first, second, third = (place.project / f"{number}.json" for number in "123")
    for file, directory in ((first, "/a"), (second, "/b"), (third, "/a")):
        file.write_text(json.dumps({"mcpServers": {"files": {"command": "npx", "args": ["files", directory]}}}))
        place.install("mcp", str(file))
    names = [
        read_gateway_arguments(json.loads(file.read_text())["mcpServers"]["files"]["args"]).name
        for file in (first, second, third)
    ]
    assert names == ["files", "files-2", "files"]


def test_a_new_server_does_not_take_the_name_of_one_that_is_already_behind_the_gateway():
    text = guarded(json.dumps({"mcpServers": {"my server": {"command": "x"}}}))
    text = text.added(("mcpServers",), "my-server", {"command": "y"})
    servers = with_gateway(text, "/opt/python", Options()).value["mcpServers"]
    assert read_gateway_arguments(servers["my server"]["args"]).name == "my-server"
    assert read_gateway_arguments(servers["my-server"]["args"]).name == "my-server-2"


@pytest.mark.parametrize(
    ("server", "kind"),
    [
        ({"url": "https://x/sse"}, "remote"),
        ({"url": "https://x", "type": "sse"}, "remote"),
        ({"url": "https://x", "type": 7}, "remote"),
        ({"url": ["https://x"]}, "remote"),
        ({"url": "https://x", "httpUrl": "https://y"}, "remote"),
        ({"url": "https://x", "headers": ["a"]}, "remote"),
        ({"url": "https://x", "headers": {"a b": "c"}}, "remote"),
        ({"url": "https://x", "headers": {"A": 1}}, "remote"),
        ({"url": "https://x", "oauth": {"clientId": "c"}}, "remote"),
        ({"url": "https://x", "headersHelper": "/bin/x"}, "remote"),
        ({"url": "https://x", "args": ["y"]}, "remote"),
        ({"command": ""}, "remote"),
        ("x", "remote"),
        (None, "remote"),
        ({"command": "x", "url": "https://x"}, "unclear"),
        ({"command": "x", "serverUrl": "https://x"}, "unclear"),
        ({"command": "x", "type": "sse"}, "unclear"),
        ({"command": "x", "type": 7}, "unclear"),
        ({"command": ["x"]}, "unclear"),
        ({"command": "x", "args": "y"}, "unclear"),
        ({"command": "x", "args": [1]}, "unclear"),
    ],
)
def test_what_is_not_understood_is_left_alone_and_counts_as_not_guarded(server, kind):
    text = json.dumps({"mcpServers": {"odd": server}})
    assert guarded(text).text == text
    assert getattr(survey(json.loads(text)), kind) == ("odd",)


@pytest.mark.parametrize(
    "server",
    [
        {"command": "x", "args": None},
        {"command": "x", "url": ""},
        {"command": "x", "type": "STDIO"},
        {"command": "x", "type": "local"},
        {"command": "x", "type": None, "url": None},
    ],
)
def test_odd_spellings_that_mean_a_started_server_are_put_behind_the_gateway(server):
    text = guarded(json.dumps({"mcpServers": {"odd": server}}))
    assert survey(text.value).guarded == ("odd",)
    back = without_gateway(text).value["mcpServers"]["odd"]
    assert {key: value for key, value in server.items() if key != "args"} == back


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("guardhouse", ["mcp", "--", "npx", "server"]),
        ("/opt/bin/guardhouse", ["mcp", "--name", "mine", "--", "npx", "server"]),
        ("/other/python3", ["-m", "guardhouse", "mcp", "--name", "mine", "--", "npx", "server"]),
        ("/other/python3", ["-Im", "guardhouse", "mcp", "--", "npx", "server"]),
        ("uvx", ["guardhouse", "mcp", "--", "npx", "server"]),
        ("uv", ["run", "guardhouse", "mcp", "--state-dir", "/s", "--", "npx", "server"]),
    ],
)
def test_a_server_that_somebody_put_behind_the_gateway_by_hand_is_not_put_there_twice(place, command, args):
    file = place.project / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": {"command": command, "args": args}}}))
    before = file.read_text()
    done = place.run("install", "mcp", str(file), "--yes")
    assert done.returncode == 0
    assert file.read_text() == before
    assert survey(json.loads(before)).by_hand == ("a",)


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("sh", ["-c", "x", "guardhouse", "mcp", "--", "y"]),
        ("guardhouse", ["mcp"]),
        ("guardhouse", ["mcp", "--"]),
        ("guardhouse", ["hook", "mcp", "--", "y"]),
        ("/x/guardhouse.sh", ["mcp", "--", "y"]),
    ],
)
def test_what_only_looks_like_a_gateway_is_put_behind_one(command, args):
    text = guarded(json.dumps({"mcpServers": {"a": {"command": command, "args": args}}}))
    assert read_gateway_arguments(text.value["mcpServers"]["a"]["args"]).command == command


def test_every_list_in_a_file_is_put_behind_the_gateway(place):
    file = place.home / ".claude.json"
    value = {
        "mcpServers": {"a": {"command": "x"}},
        "servers": {"a": {"command": "y"}},
        "projects": {
            "/p": {"mcpServers": {"a": {"command": "x"}, "far": {"url": "https://z/sse"}}},
            "/q": {"mcpServers": {}},
        },
    }
    before = json.dumps(value, indent=2)
    file.write_text(before)
    told = place.install("mcp", str(file)).stdout
    after = json.loads(file.read_text())
    assert survey(after).guarded == ("a", "a (in servers)", "a (in /p)")
    lists = [after["mcpServers"], after["servers"], after["projects"]["/p"]["mcpServers"]]
    # The same command line has the same name; another one has its own.
    assert [read_gateway_arguments(one["a"]["args"]).name for one in lists] == ["a", "a-2", "a"]
    assert "can't reach it as the client does: far (in /p)" in told
    place.uninstall("mcp", str(file))
    assert file.read_text() == before


def test_a_long_list_is_rewritten_in_the_time_of_one_reading():
    text = JsonText(
        json.dumps({"mcpServers": {f"s{n}": {"command": "x", "args": [str(n)]} for n in range(600)}}, indent=2)
    )
    began = time.process_time()
    new = with_gateway(text, "/opt/python", Options())
    back = without_gateway(new)
    assert time.process_time() - began < 5
    assert len(survey(new.value).guarded) == 600
    assert back.value == text.value


@pytest.mark.parametrize("text", ["{}", '{"mcpServers": []}', '{"servers": null}'])
def test_a_file_without_servers_is_refused(text):
    with pytest.raises(GuardhouseError, match="no list of servers"):
        guarded(text)


TOKEN = "tok_" + "Zx81" * 6
BY_URL = {
    "plain": {"url": "https://mcp.example/x"},
    "typed": {"type": "http", "url": "https://mcp.example/y", "headers": {"Authorization": f"Bearer {TOKEN}"}},
    "gemini": {"httpUrl": "https://mcp.example/z", "timeout": 5, "headers": {"X-Key": "${KEY}", "x-key": "b"}},
    "windsurf": {"serverUrl": "https://mcp.example/w", "env": {"MCP_HEADER_A": "mine"}, "headers": {"A": "x y"}},
    "dashed": {"type": "streamable-http", "url": "https://mcp.example/v", "headers": {}, "disabled": True},
}


def test_a_server_that_is_reached_by_url_becomes_a_gateway_and_back():
    text = guarded(json.dumps({"mcpServers": BY_URL}, indent=2))
    servers = text.value["mcpServers"]
    assert survey(text.value).guarded == tuple(BY_URL)
    for server in servers.values():
        assert not {"url", "httpUrl", "serverUrl", "headers"} & server.keys()
        assert server.get("type", "stdio") == "stdio"
        assert not any(TOKEN in word for word in server["args"])
    assert servers["typed"]["env"] == {"MCP_HEADER_AUTHORIZATION": f"Bearer {TOKEN}"}
    assert servers["typed"]["args"][-2:] == ["--header-env", "Authorization=MCP_HEADER_AUTHORIZATION"]
    assert servers["gemini"]["env"] == {"MCP_HEADER_X_KEY": "${KEY}", "MCP_HEADER_X_KEY_2": "b"}
    assert servers["windsurf"]["env"] == {"MCP_HEADER_A": "mine", "MCP_HEADER_A_2": "x y"}
    again = with_gateway(text, "/new/python", Options(state_dir="/s"))
    assert survey(again.value).guarded == tuple(BY_URL)
    back = without_gateway(again).value["mcpServers"]
    expected = {**BY_URL, "dashed": {key: value for key, value in BY_URL["dashed"].items() if key != "headers"}}
    assert back == expected


def test_uninstalling_gives_a_list_with_urls_back_byte_for_byte_and_shows_no_header(place):
    file = place.project / ".mcp.json"
    before = json.dumps({"mcpServers": BY_URL}, indent=3) + "\n\n"
    file.write_text(before)
    told = place.install("mcp", str(file)).stdout
    assert TOKEN not in told
    assert "[hidden]" in told
    assert not any(TOKEN.encode() in path.read_bytes() for path in place.state.rglob("*") if path.is_file())
    told = place.uninstall("mcp", str(file)).stdout
    assert TOKEN not in told
    assert file.read_text() == before


def test_what_was_written_for_a_url_can_be_started(place):
    file = place.project / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"typed": BY_URL["typed"]}}))
    place.install("mcp", str(file))
    written = json.loads(file.read_text())["mcpServers"]["typed"]
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
    done = subprocess.run(
        [written["command"], *written["args"]],
        input=hello,
        env={**os.environ, **written["env"]},
        cwd=place.project,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"not on the allowlist" in done.stdout
    assert TOKEN.encode() not in done.stdout + done.stderr


def test_doctor_says_which_servers_the_policy_does_not_let_be_reached(place):
    file = place.project / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"far": BY_URL["plain"], "near": {"url": "http://127.0.0.1:9/mcp"}}}))
    place.install("mcp", str(file))
    told = place.run("doctor").stdout
    assert "does not let far be reached" in told
    assert "guardhouse allow domain mcp.example" in told
    assert 'network: {mcp__near: {allowed_domains: ["127.0.0.1:9"], deny_private_ips: false}}' in told
    assert place.run("allow", "domain", "mcp.example").returncode == 0
    assert "does not let far be reached" not in place.run("doctor").stdout
