"""Resources of MCP servers, by their address: which of them lie on a network, and which are the server's own."""

from __future__ import annotations

from typing import Final

_NETWORK: Final = frozenset("http https ws wss ftp ftps sftp ssh gopher dict ldap ldaps tftp telnet smb".split())


def kind_of_resource(uri: str) -> str:
    """The name under which the gate is shown an address: one that is reached over a network is a URL; every other is
    the server's own, and may be a path."""
    bare = "".join(char for char in uri if char > " ")
    scheme = bare.partition(":")[0].lower()
    return "url" if scheme in _NETWORK or bare.startswith(("//", "\\\\")) else "resource"
