"""The MCP gateway: a relay in front of a server that speaks MCP over its standard input and output."""

from guardhouse.adapters.mcp.gateway import Gateway
from guardhouse.adapters.mcp.names import server_name, whole_name
from guardhouse.adapters.mcp.placing import place_of
from guardhouse.adapters.mcp.relay import notice, relay

__all__ = ["Gateway", "notice", "place_of", "relay", "server_name", "whole_name"]
