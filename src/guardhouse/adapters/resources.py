"""Resources of MCP servers, by their address: which of them lie on a network, and which are the server's own."""

from __future__ import annotations

from typing import Final

_NETWORK: Final = frozenset("http https ws wss ftp ftps sftp ssh gopher dict ldap ldaps tftp telnet smb".split())
_INNER: Final = ("http:", "https:", "ftp:", "ftps:", "ws:", "wss:")
LONGEST_ADDRESS: Final = 4096
"""No longer address is passed on: nobody could say where it leads."""


def kind_of_resource(uri: str) -> str:
    """The name under which the gate is shown an address: one that is reached over a network is a URL; every other is
    the server's own, and may be a path."""
    bare = "".join(char for char in uri if char > " ").lower()
    if bare.startswith(("//", "\\\\", "/\\", "\\/")):
        return "url"
    scheme, colon, rest = bare.partition(":")
    parts = scheme.replace("+", " ").replace("-", " ").replace(".", " ").split() if colon else []
    if not _NETWORK.isdisjoint(parts) or ("http" in scheme and rest.startswith("//")):
        return "url"
    return "url" if _names_another(rest) else "resource"


def _names_another(rest: str) -> bool:
    """Whether an address is one that another address is fetched through: `feed:https://…`, `proxy?u=https%3a//…`."""
    for _ in range(2):
        rest = rest.replace("%3a", ":").replace("%2f", "/").replace("%25", "%")
    for inner in _INNER:
        at = rest.find(inner)
        while at >= 0:
            if at == 0 or not rest[at - 1].isalnum():
                return True
            at = rest.find(inner, at + 1)
    return False


def is_plain_address(uri: str) -> bool:
    """Whether an address is read in one way only: of bounded length, with no blank and nothing that can't be seen."""
    return len(uri) <= LONGEST_ADDRESS and not any(char <= " " or char == "\x7f" for char in uri)
