"""Python code: what a piece of it would do, without running it."""

from guardhouse.detect.python.reading import read_python

__all__ = ["read_python"]
