"""Host names that mean this machine, this network or a cloud's metadata service, whatever DNS says about them.

They count as private without a lookup: a resolver, a hosts file or a search domain may give them any address. Names
that only happen to resolve to a private address are no business of this table; their addresses are judged.
"""

from __future__ import annotations

from typing import Final

LOCAL_SUFFIXES: Final = frozenset(
    {
        "localhost",  # RFC 6761
        "local",  # mDNS, RFC 6762
        "localdomain",
        "internal",  # reserved by ICANN for private use; metadata.google.internal, host.docker.internal
        "home.arpa",  # RFC 8375
        "intranet",  # these down to lan: RFC 6762, appendix G
        "private",
        "corp",
        "home",
        "lan",
        "svc",  # Kubernetes services, with the cluster's search domain left out
    }
)

METADATA_NAMES: Final = frozenset(
    {
        "metadata.goog",  # GCP
        "metadata.packet.net",  # Equinix Metal, the older name
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
    }
)


def is_local_name(host: str) -> bool:
    """Whether the canonical host name `host` is local by definition, as every name without a dot is."""
    labels = host.rsplit(".", 2)
    if len(labels) == 1 or labels[-1] in LOCAL_SUFFIXES or host in METADATA_NAMES:
        return True
    return f"{labels[-2]}.{labels[-1]}" in LOCAL_SUFFIXES
