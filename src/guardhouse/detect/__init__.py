"""What can be seen in an action: detectors, one a file, listed in one table, none of which decides anything."""

from guardhouse.detect.inspection import DETECTORS, FAILED, inspect, needs
from guardhouse.detect.interface import Detector, DetectorSettings, Leaf, OwnPlace, Scene, Surroundings
from guardhouse.detect.masking import masker

__all__ = [
    "DETECTORS",
    "FAILED",
    "Detector",
    "DetectorSettings",
    "Leaf",
    "OwnPlace",
    "Scene",
    "Surroundings",
    "inspect",
    "masker",
    "needs",
]
