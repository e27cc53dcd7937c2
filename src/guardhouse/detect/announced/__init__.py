"""What MCP servers say of themselves and of their tools, where that is more than a description. Loaded where something
new is announced, and by no call."""

from guardhouse.detect.announced.looking import REVISION, Neighbours, in_instructions, in_tool

__all__ = ["REVISION", "Neighbours", "in_instructions", "in_tool"]
