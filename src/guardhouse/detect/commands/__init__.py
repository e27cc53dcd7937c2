"""Commands and code that a call would run: what they would do, and whether that touches the guard."""

from guardhouse.detect.commands.detector import DETECTOR, matches_allowed

__all__ = ["DETECTOR", "matches_allowed"]
