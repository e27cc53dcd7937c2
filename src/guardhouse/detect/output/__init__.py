"""Looks at what is published: where its links and images lead, what in it would run, and what nobody can see."""

from guardhouse.detect.output.detector import DETECTOR

__all__ = ["DETECTOR"]
