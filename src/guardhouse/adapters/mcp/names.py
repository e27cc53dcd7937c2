"""The names of MCP servers and of their tools, as the gate knows them: `mcp__server__tool`, readable in one way only.

What a server is called is the user's to say; without a word from them it is read off its command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError, visible
from guardhouse.pins import NAME_RULE, is_server_name
from guardhouse.trust import MCP_READS, tool_name

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_TOOL: Final = 128
_RUNNERS: Final = frozenset(
    "npx npm pnpm pnpx yarn bunx bun deno node nodejs tsx ts-node uv uvx pipx python python3 python2 pypy pypy3 run "
    "exec x dlx tool env sudo nice sh bash cmd docker podman java ruby perl dotnet go cargo poetry hatch".split()
)
"""Words before a server's own name."""
_GENERIC: Final = frozenset("index main server cli app dist build bin lib src stdio mcp start __main__".split())
"""Names of files and directories that tell nothing."""
_ENDINGS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh", ".rb", ".jar", ".exe", ".cmd", ".dll")


def server_name(given: str | None, command: Sequence[str]) -> str:
    """The name of a server: as given, or read off its command line. GuardhouseError if that makes no name."""
    name = given.lower() if given is not None else _derived(command)
    if name is None or not is_server_name(name):
        what = "has no name that can be used" if given is None else f"can't be called {visible(given)[:LONGEST_TOOL]}"
        raise GuardhouseError(f"The server {what}.", fix=f"Give it one with --name. {NAME_RULE}")
    return name


def _derived(command: Sequence[str]) -> str | None:
    """The first word of the command line that tells one server from another."""
    for word in command:
        if word.startswith("-") or "=" in word.partition("/")[0]:
            continue
        parts = [_bare(part) for part in reversed(word.replace("\\", "/").split("/"))]
        if parts[0].rstrip("0123456789.") in _RUNNERS:
            continue
        for bare in parts:
            name = _plain(bare)
            if bare not in _GENERIC and is_server_name(name):
                return name
    return None


def _bare(part: str) -> str:
    """A part of a path or of a package's name, without its version and its ending."""
    bare = part.lstrip("@").partition("@")[0].lower()
    for ending in _ENDINGS:
        bare = bare.removesuffix(ending)
    return bare


def _plain(text: str) -> str:
    """`text` with only what a name may have."""
    name = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "-" for char in text)
    while "__" in name or "--" in name:
        name = name.replace("__", "_").replace("--", "-")
    return name.strip("-_")[:64].strip("-_")


def is_callable_name(tool: str) -> bool:
    """Whether a tool with this name can be called: a name that can be read, shown and told from our own ones."""
    return (
        0 < len(tool) <= LONGEST_TOOL
        and visible(tool) == tool
        and tool == tool.strip()
        and tool_name(tool) not in MCP_READS
    )


def whole_name(server: str, tool: str) -> str:
    """The name that the gate knows a server's tool, or a request of its protocol, by."""
    return f"mcp__{server}__{tool}"
