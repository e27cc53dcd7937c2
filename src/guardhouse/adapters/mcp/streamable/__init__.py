"""Streamable HTTP, the way to servers that are reached by URL, and from clients that reach us so.

Only how messages come and go: what they mean is the gateway's, whichever way they came.
"""

from guardhouse.adapters.mcp.streamable.envelopes import checked_header, read_headers
from guardhouse.adapters.mcp.streamable.relaying import relay_to

__all__ = ["checked_header", "read_headers", "relay_to"]
