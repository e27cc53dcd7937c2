"""The tools of MCP servers that the configuration names, as tools of a run: `mcp__SERVER__TOOL`.

A server is started when a run is first worked on, and ends with the process. What it says of its tools is pinned as
the gateway pins it, so that a tool which describes itself otherwise than before asks. Calls are judged where all calls
of the run are, in its session, and not here.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse import __version__
from guardhouse.adapters.mcp import place_of, server_name, whole_name
from guardhouse.adapters.mcp.announcing import Announcements
from guardhouse.model import Action, GuardhouseError
from guardhouse.runs.tools.interface import Errand, Names, Tool
from guardhouse.runs.tools.mcp_process import ServerProcess, ServerTrouble
from guardhouse.runs.tools.shell import plain_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guardhouse.opening import LocalGuard
    from guardhouse.policy.schema import McpServerSection

_PROTOCOL: Final = "2025-06-18"
_TO_START: Final = 30.0
"""Seconds until a server has told its tools."""
TO_ANSWER: Final = 300.0
"""Seconds until a call is given up."""
_TO_PING: Final = 5.0
_MOST_PAGES: Final = 100
_MOST_NAMED: Final = 64
"""Characters of a tool's whole name that every model takes."""
_LONGEST_DESCRIPTION: Final = 4_000
_AT_ONCE: Final = 8


class McpServers:
    """The servers of one house. `notice` is told of those that give no tools, and of tools that are left out."""

    def __init__(
        self, servers: Mapping[str, McpServerSection], guard: LocalGuard, notice: Callable[[str], None]
    ) -> None:
        self._servers = [_Server(name, section, guard, notice) for name, section in servers.items()]
        self._notice = notice

    def tools(self) -> list[Tool]:
        """The tools of those servers that answer. Waits for the slowest of them, half a minute at most."""
        if not self._servers:
            return []
        with ThreadPoolExecutor(min(_AT_ONCE, len(self._servers))) as pool:
            return [tool for found in pool.map(self._of, self._servers) for tool in found]

    def close(self) -> None:
        """End them."""
        for server in self._servers:
            server.close()

    def _of(self, server: _Server) -> list[McpTool]:
        try:
            return server.tools()
        except GuardhouseError as error:
            self._notice(f"the MCP server {server.name} gives no tools: {error.what}")
            return []


class _Server:
    """One server: started when it is needed, and again when it has ended."""

    def __init__(self, name: str, section: McpServerSection, guard: LocalGuard, notice: Callable[[str], None]) -> None:
        self.name = name
        self._section = section
        self._guard = guard
        self._notice = notice
        self._lock = threading.Lock()
        self._process: ServerProcess | None = None
        self._tools: list[McpTool] | None = None

    def tools(self) -> list[McpTool]:
        """What it says that it has. GuardhouseError if it does not say so."""
        with self._lock:
            return self._known()[1]

    def running(self, tool: str, digest: str) -> ServerProcess:
        """The server, to call a tool of this description. ServerTrouble if it has none by now."""
        with self._lock:
            process, tools = self._known()
            if not any(one.tool == tool and one.digest == digest for one in tools):
                raise ServerTrouble("It does not have this tool any more, or describes it otherwise.")
            return process

    def close(self) -> None:
        """End it."""
        with self._lock:
            if self._process is not None:
                self._process.close()
            self._process = self._tools = None

    def _forget_tools(self) -> None:
        self._tools = None

    def _known(self) -> tuple[ServerProcess, list[McpTool]]:
        end = time.monotonic() + _TO_START
        process = self._process
        if process is None or process.is_over:
            self._process = None
            process, self._tools = self._start(end), None
            self._process = process
        if self._tools is None:
            self._tools = self._listed(process, end)
        return process, self._tools

    def _start(self, end: float) -> ServerProcess:
        command = self._section.command
        if not command:
            raise ServerTrouble("No command is configured.", fix=f"Set `runs.mcp.{self.name}.command`.")
        name = server_name(self.name, command, self._guard.masked)
        self._guard.pins.claim(name, command, self._guard.masked, place_of(command, Path.cwd()))
        environment = plain_environment(self._section.environment)
        process = ServerProcess(command, environment, self._guard.limits, self._forget_tools)
        try:
            offers = {"name": "guardhouse", "version": __version__}
            params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": offers}
            process.result("initialize", params, end=end)
            process.tell("notifications/initialized")
        except GuardhouseError:
            process.close()
            raise
        return process

    def _listed(self, process: ServerProcess, end: float) -> list[McpTool]:
        name = self.name.lower()
        announced = Announcements(name, self._guard.pins, self._guard.masked, self._tell)
        found: dict[str, McpTool] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            listing = announced.asked(cursor)
            result = process.result("tools/list", {"cursor": cursor} if cursor is not None else {}, end=end)
            for said in announced.take(result, listing)["tools"]:
                tool = McpTool(self, whole_name(name, said["name"]), said, announced.digest(said["name"]))
                if len(tool.name) <= _MOST_NAMED and tool.name.replace("_", "").replace("-", "").isalnum():
                    found[tool.name] = tool
                else:
                    self._tell(f"{tool.name} is left out: models take no such name")
            cursor = result.get("nextCursor") if isinstance(result.get("nextCursor"), str) else None
            if cursor is None:
                break
        return [tool for tool in found.values() if announced.is_usable(tool.tool)]

    def _tell(self, text: str) -> None:
        self._notice(f"the MCP server {self.name}: {text}")


class McpTool(Tool):
    """One tool of a server."""

    def __init__(self, server: _Server, name: str, said: dict[str, Any], digest: str) -> None:
        described, takes = said.get("description"), said.get("inputSchema")
        self.name = name
        self.tool: str = said["name"]
        self.digest = digest
        self.description = described[:_LONGEST_DESCRIPTION] if isinstance(described, str) else ""
        self.parameters = takes if isinstance(takes, dict) else {"type": "object"}
        self._server = server

    def before(self, params: dict[str, Any], call_id: str, attempt: int, names: Names) -> Action:
        """The call, held to what was pinned of the tool."""
        return msgspec.structs.replace(super().before(params, call_id, attempt, names), tool_digest=self.digest)

    def after(self, params: dict[str, Any], content: Any, call_id: str, names: Names) -> Action:
        """The result, likewise."""
        return msgspec.structs.replace(super().after(params, content, call_id, names), tool_digest=self.digest)

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:  # noqa: ARG002 - a server knows of no run
        """Call it. ServerTrouble if the server has ended, does not answer in time, or says that the call failed."""
        process = await asyncio.to_thread(self._server.running, self.tool, self.digest)
        number, answer = process.ask("tools/call", {"name": self.tool, "arguments": params})
        try:
            result = await asyncio.wait_for(asyncio.wrap_future(answer), TO_ANSWER)
        except TimeoutError:
            process.give_up(number)
            await asyncio.to_thread(process.close_unless_alive, _TO_PING)  # if it hangs, the next call starts it anew
            raise ServerTrouble(f"The server did not answer within {TO_ANSWER:g} seconds.") from None
        except asyncio.CancelledError:
            process.give_up(number)
            raise
        content = _content(result)
        if result.get("isError") is True:
            raise ServerTrouble(content if isinstance(content, str) else msgspec.json.encode(content).decode())
        return content


def _content(result: dict[str, Any]) -> Any:
    """What a model can read of a result: texts, and of anything else that it is there."""
    blocks = result.get("content")
    shown = [_shown(block) for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    if not shown and "structuredContent" in result:
        return result["structuredContent"]
    return "\n".join(shown)


def _shown(block: dict[str, Any]) -> str:
    inner = block.get("resource")
    for holder in (block, inner if isinstance(inner, dict) else {}):
        if isinstance(holder.get("text"), str):
            return str(holder["text"])
    if isinstance(block.get("uri"), str):
        return str(block["uri"])
    return f"[{block.get('type', 'something')} that is not shown]"
