"""What can be seen in an action: detectors, one a file, listed in one table, none of which decides anything."""

from guardhouse.detect.inspection import DETECTORS, FAILED, at_stake, bindings, inspect, masks, needs
from guardhouse.detect.interface import (
    Detector,
    DetectorSettings,
    Leaf,
    OwnPlace,
    OwnSocket,
    Scene,
    Surroundings,
    TooMuchToBind,
)
from guardhouse.detect.labels import LABEL_DOUBTFUL
from guardhouse.detect.masking import Masker, masker
from guardhouse.detect.sandboxing import is_confined
from guardhouse.detect.showing import hides

__all__ = [
    "DETECTORS",
    "FAILED",
    "LABEL_DOUBTFUL",
    "Detector",
    "DetectorSettings",
    "Leaf",
    "Masker",
    "OwnPlace",
    "OwnSocket",
    "Scene",
    "Surroundings",
    "TooMuchToBind",
    "at_stake",
    "bindings",
    "hides",
    "inspect",
    "is_confined",
    "masker",
    "masks",
    "needs",
]
