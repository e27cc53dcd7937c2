"""What may be believed: so far, what tools can do."""

from guardhouse.trust.capabilities import KNOWN_TOOLS, Capability, ToolCatalogue, ToolProfile, tool_name

__all__ = ["KNOWN_TOOLS", "Capability", "ToolCatalogue", "ToolProfile", "tool_name"]
