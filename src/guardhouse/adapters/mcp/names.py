"""The names of MCP servers and of their tools, as the gate knows them: `mcp__server__tool`, readable in one way only.

What a server is called is the user's to say; without a word from them it is read off its command line.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError, visible
from guardhouse.pins import NAME_RULE, is_server_name
from guardhouse.trust import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_TOOL: Final = 128
_RUNNERS: Final = frozenset(
    "npx npm pnpm pnpx yarn bunx bun deno node nodejs tsx ts-node uv uvx pipx python python3 python2 pypy pypy3 run "
    "exec x dlx tool env sudo nice sh bash cmd docker podman java ruby perl dotnet go cargo poetry hatch".split()
)
"""Words before a server's own name."""
_GENERIC: Final = frozenset("index main server cli app dist build bin lib src stdio mcp start __main__".split())
"""Names of files and directories that tell nothing."""
_SWITCHES: Final = frozenset(
    "-y --yes -m -i -t -it --rm --init --interactive --tty -q --quiet --silent -s -u -B -E -I --no-install --inspect "
    "--experimental-strip-types --isolated --offline --refresh --no-cache --".split()
)
"""Options before a server's own name that are given no value; after every other one the next word may be a password."""
_NAMESPACES: Final = frozenset(
    "tools resources prompts tasks sampling elicitation notifications completion logging roots requests".split()
)
"""What the methods of the protocol begin with, and `requests`, which those without a slash are put below."""
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-")
_ENDINGS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh", ".rb", ".jar", ".exe", ".cmd", ".dll")


def server_name(given: str | None, command: Sequence[str], mask: Callable[[str], str] = str) -> str:
    """The name of a server: as given, or read off its command line. GuardhouseError if that makes no name, or one that
    `mask` finds a secret in: it will stand in files and in the record."""
    return _checked(given, given.lower() if given is not None else _derived(command), mask)


def server_name_of_host(given: str | None, host: str, mask: Callable[[str], str] = str) -> str:
    """The name of a server that is reached by URL: as given, or read off its host. GuardhouseError as above."""
    return _checked(given, given.lower() if given is not None else _plain(host.lower()), mask)


def _checked(given: str | None, name: str | None, mask: Callable[[str], str]) -> str:
    if name is None or not is_server_name(name):
        what = "has no name that can be used" if given is None else f"can't be called {visible(given)[:LONGEST_TOOL]}"
        raise GuardhouseError(f"The server {what}.", fix=f"Give it one with --name. {NAME_RULE}")
    if mask(name) != name:
        raise GuardhouseError("The server's name looks like a secret.", fix="Give it another one with --name.")
    return name


def _derived(command: Sequence[str]) -> str | None:
    """The first word of the command line that tells one server from another, and is nothing that an option is given."""
    is_value = False
    for word in command:
        skip, is_value = is_value, False
        if word.startswith("-"):
            is_value = word not in _SWITCHES and "=" not in word
            continue
        if skip or "=" in word.partition("/")[0] or not _is_plain_word(word):
            continue
        parts = [_bare(part) for part in reversed(word.replace("\\", "/").split("/"))]
        if parts[0].rstrip("0123456789.") in _RUNNERS:
            continue
        for bare in parts:
            name = _plain(bare)
            if bare not in _GENERIC and is_server_name(name):
                return name
    return None


def _is_plain_word(word: str) -> bool:
    """Whether a word can be a program's or a package's name; an address may hold a password."""
    if ":" in word and word[1:3] != ":\\":
        return False
    versions = (part[1:].partition("@")[2] for part in word.split("/"))
    return all(not one or one[0] in _VERSIONED or one in {"latest", "next", "beta", "canary"} for one in versions)


_VERSIONED: Final = frozenset("0123456789^~v<>=")


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
    """Whether a tool with this name can be called: a name that is plain, and can't be taken for a request of the
    protocol, which the gate knows by names of the same form."""
    return (
        0 < len(tool) <= LONGEST_TOOL
        and _LETTERS.issuperset(tool)
        and tool_name(tool).partition("/")[0] not in (_NAMESPACES if "/" in tool else ())
    )


def offered(tool: str, allowed: Sequence[str], denied: Sequence[str]) -> bool:
    """Whether a tool is one of those that a server's configuration lets clients have; case makes no difference."""
    name = tool_name(tool)
    return any(fnmatchcase(name, one.lower()) for one in allowed) and not any(
        fnmatchcase(name, one.lower()) for one in denied
    )


def whole_name(server: str, tool: str) -> str:
    """The name that the gate knows a server's tool, or a request of its protocol, by."""
    return f"mcp__{server}__{tool}"


def request_name(server: str, method: str) -> str:
    """The name that the gate knows a request or a notification by; never one that a tool can have."""
    plain = "".join(char if char in _LETTERS else "_" for char in method[:LONGEST_TOOL])
    is_own = "/" in plain and plain.partition("/")[0].lower() in _NAMESPACES
    return whole_name(server, plain if is_own else f"requests/{plain}")
