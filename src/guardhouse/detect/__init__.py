"""What can be seen in an action: detectors, one a file, listed in one table, none of which decides anything."""

from guardhouse.detect.inspection import DETECTORS, FAILED, bindings, inspect, needs
from guardhouse.detect.interface import Detector, DetectorSettings, Leaf, OwnPlace, Scene, Surroundings
from guardhouse.detect.masking import Masker, masker

__all__ = [
    "DETECTORS",
    "FAILED",
    "Detector",
    "DetectorSettings",
    "Leaf",
    "Masker",
    "OwnPlace",
    "Scene",
    "Surroundings",
    "bindings",
    "inspect",
    "masker",
    "needs",
]
