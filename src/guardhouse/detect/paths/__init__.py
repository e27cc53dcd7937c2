"""Files and directories: which places are sensitive, and what a call would do there."""

from guardhouse.detect.paths.detector import DETECTOR, is_hook_file
from guardhouse.detect.paths.places import absolute, glob_to_re2, inside, tidy

__all__ = ["DETECTOR", "absolute", "glob_to_re2", "inside", "is_hook_file", "tidy"]
