"""Files and directories: which places are sensitive, and what a call would do there."""

from guardhouse.detect.paths.detector import (
    DETECTOR,
    TOO_MANY,
    holds_own_place,
    is_hook_file,
    own_place,
    working_directory,
)
from guardhouse.detect.paths.naming import is_path_key
from guardhouse.detect.paths.places import absolute, check_patterns, glob_to_re2, inside, other_readings, tidy

__all__ = [
    "DETECTOR",
    "TOO_MANY",
    "absolute",
    "check_patterns",
    "glob_to_re2",
    "holds_own_place",
    "inside",
    "is_hook_file",
    "is_path_key",
    "other_readings",
    "own_place",
    "tidy",
    "working_directory",
]
