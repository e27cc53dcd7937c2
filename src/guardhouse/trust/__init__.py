"""What may be believed: what tools can do, and how content from outside is marked."""

from guardhouse.trust.capabilities import KNOWN_TOOLS, MCP_READS, Capability, ToolCatalogue, ToolDescription, ToolProfile, tool_name
from guardhouse.trust.prose import is_data, is_name
from guardhouse.trust.wrapper import wrap_untrusted

__all__ = [
    "KNOWN_TOOLS",
    "MCP_READS",
    "Capability",
    "ToolCatalogue",
    "ToolDescription",
    "ToolProfile",
    "is_data",
    "is_name",
    "tool_name",
    "wrap_untrusted",
]
