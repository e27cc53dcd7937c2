"""The MCP gateway: a relay in front of a server, which it starts itself or reaches by URL."""

from guardhouse.adapters.mcp.gateway import Gateway
from guardhouse.adapters.mcp.names import offered, server_name, server_name_of_host, whole_name
from guardhouse.adapters.mcp.pipes import notice
from guardhouse.adapters.mcp.placing import place_of
from guardhouse.adapters.mcp.relay import relay

__all__ = ["Gateway", "notice", "offered", "place_of", "relay", "server_name", "server_name_of_host", "whole_name"]
