"""A server made with the protocol's own SDK, for tests: over streamable HTTP, `python mcp_sdk_server.py [json]`, where
it says its port on a line of standard output and ends with its standard input; or over pipes, with `stdio`.
"""

import os
import socket
import sys
import threading

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore
from pydantic import BaseModel

SECRET = "sk-" + "abcdefghijklmnopqrstuvwx"


class Events(EventStore):
    """Keeps every event, so that streams can be resumed."""

    def __init__(self):
        self._kept = []

    async def store_event(self, stream_id, message):
        self._kept.append((stream_id, message))
        return str(len(self._kept) - 1)

    async def replay_events_after(self, last_event_id, send_callback):
        stream, _ = self._kept[int(last_event_id)]
        for number, (one, message) in enumerate(self._kept):
            if number > int(last_event_id) and one == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Name(BaseModel):
    name: str


server = MCPServer("sdk", instructions="Tools that say what they were told.")


@server.tool()
def echo(message: str) -> str:
    """Say it again."""
    return message


@server.tool()
def leak() -> dict[str, str]:
    """Say too much."""
    return {"key": SECRET}


@server.tool()
async def asks(ctx: Context) -> str:
    """Ask the user for a name."""
    answer = await ctx.elicit("Who are you?", Name)
    return answer.data.name if answer.action == "accept" else answer.action


@server.tool()
async def tells(ctx: Context) -> str:
    """Tell how far it is."""
    await ctx.report_progress(1, 2, "half way")
    return "done"


@server.tool()
async def parts(ctx: Context) -> str:
    """End the stream before the answer, so that it has to be resumed."""
    await ctx.close_sse_stream()
    return "after all"


@server.resource("demo://note")
def note() -> str:
    """A note."""
    return f"a note with {SECRET}"


@server.prompt()
def greeting(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


def main():
    if sys.argv[1:] == ["stdio"]:
        server.run("stdio")
        return
    listener = socket.create_server(("127.0.0.1", 0))
    as_json = sys.argv[1:] == ["json"]
    app = server.streamable_http_app(
        json_response=as_json, event_store=None if as_json else Events(), retry_interval=None if as_json else 10
    )
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on")).run(sockets=[listener])


if __name__ == "__main__":
    main()
