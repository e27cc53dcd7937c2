"""The gateway between the protocol's own SDK on both sides: a real client on pipes, a real server by URL."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

PATIENCE = 60
SECRET = "sk-" + "abcdefghijklmnopqrstuvwx"


@pytest.fixture(scope="module", params=["stream", "json"])
def port(request):
    command = [
        sys.executable,
        str(Path(__file__).with_name("mcp_sdk_server.py")),
        *["json"] * (request.param == "json"),
    ]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    yield int(server.stdout.readline())
    server.stdin.close()
    server.wait(PATIENCE)
    server.stdout.close()


@pytest.fixture
def with_client(place, port):
    """Runs a coroutine function with a client whose server is the gateway."""
    place.configure(
        f'guard: {{network: {{mcp__sdk: {{allowed_domains: ["127.0.0.1:{port}"], deny_private_ips: false}}}},'
        ' tools: {"mcp__sdk__*": {capabilities: [reads]}}}\n'
    )
    words = ["-m", "guardhouse", "mcp", "--state-dir", str(place.state), "--name", "sdk"]
    env = {"HOME": str(place.home), "GUARDHOUSE_KEY_DIR": str(place.keys)}

    def run(work, **options):
        async def whole():
            started = StdioServerParameters(
                command=sys.executable, args=[*words, "--url", f"http://127.0.0.1:{port}/mcp"], env=env
            )
            async with Client(started, **options) as client:
                assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
                await work(client)

        asyncio.run(asyncio.wait_for(whole(), PATIENCE))

    return run


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_tools_resources_and_prompts_pass_and_secrets_are_masked(with_client, mode):
    async def work(client):
        said = await client.call_tool("echo", {"message": "hello"})
        assert (said.content[0].text, said.structured_content) == ("hello", {"result": "hello"})
        leaked = await client.call_tool("leak", {})
        assert SECRET not in repr(leaked)
        assert "[redacted" in leaked.structured_content["key"]
        read = await client.read_resource("demo://note")
        assert SECRET not in read.contents[0].text
        assert "redacted]" in read.contents[0].text
        prompt = await client.get_prompt("greeting", {"name": "Ada"})
        assert "Greet Ada." in prompt.messages[0].content.text

    with_client(work, mode=mode)


def test_progress_and_questions_of_the_server_reach_the_client(with_client, request):
    if "json" in request.node.callspec.id:
        pytest.skip("an answer in JSON brings nothing before it")

    async def work(client):
        heard = []

        async def told(progress, total, message):
            heard.append((progress, total, message))

        assert (await client.call_tool("tells", {}, progress_callback=told)).content[0].text == "done"
        assert heard == [(1, 2, "half way")]
        assert (await client.call_tool("asks", {})).content[0].text == "Ada"

    async def ada(_context, _params):
        return ElicitResult(action="accept", content={"name": "Ada"})

    with_client(work, mode="legacy", elicitation_callback=ada)


def test_a_stream_that_the_server_ends_is_resumed(with_client, request):
    if "json" in request.node.callspec.id:
        pytest.skip("there is no stream")

    async def work(client):
        assert (await client.call_tool("parts", {})).content[0].text == "after all"

    with_client(work, mode="legacy")
