"""Commands and code that a call would run: what they would do, and whether that touches the guard."""

from guardhouse.detect.commands.detector import DETECTOR

__all__ = ["DETECTOR"]
