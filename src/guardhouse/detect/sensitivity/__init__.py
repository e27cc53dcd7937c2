"""Sensitivity labels: environment, personal, private and business data, which is no secret and not for everybody.

Nothing of this is loaded unless configuration says of a label what it leads to.
"""

from guardhouse.detect.sensitivity.interface import Group, Label, OwnLabel
from guardhouse.detect.sensitivity.scanner import LabelMask, LabelScanner, check_private, own_pattern
from guardhouse.detect.sensitivity.table import GROUP_OF, LABELS, SYSTEM_PROMPT

__all__ = [
    "GROUP_OF",
    "LABELS",
    "SYSTEM_PROMPT",
    "Group",
    "Label",
    "LabelMask",
    "LabelScanner",
    "OwnLabel",
    "check_private",
    "own_pattern",
]
