"""What there is on a machine of agents, MCP servers and skills, and which of them are not under the gate.

It only reads: no program of anybody's is started. That a gate that is there is also shut, the doctor proves.
"""

from guardhouse.installing.inventory.interface import Item, Kind, Standing, overall
from guardhouse.installing.inventory.taking import homes, take

__all__ = ["Item", "Kind", "Standing", "homes", "overall", "take"]
