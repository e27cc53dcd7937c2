"""What MCP servers say of themselves and their tools, where that is more than a description, as findings about the calls
of those tools. Who looks (`looking.py`) is loaded where something new is announced, and by no call."""

from guardhouse.detect.announced.detector import DETECTOR

__all__ = ["DETECTOR"]
