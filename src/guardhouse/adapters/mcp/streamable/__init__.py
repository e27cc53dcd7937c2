"""Streamable HTTP, the way to servers that are reached by URL, and from clients that reach us so.

Only how messages come and go: what they mean is the gateway's, whichever way they came.
"""

from guardhouse.adapters.mcp.streamable.envelopes import (
    SESSION,
    VERSION,
    checked_header,
    read_headers,
    read_sent,
    version_in,
)
from guardhouse.adapters.mcp.streamable.events import event, one_line
from guardhouse.adapters.mcp.streamable.relaying import relay_to
from guardhouse.adapters.mcp.streamable.server import RemoteServer

__all__ = [
    "SESSION",
    "VERSION",
    "RemoteServer",
    "checked_header",
    "event",
    "one_line",
    "read_headers",
    "read_sent",
    "relay_to",
    "version_in",
]
