"""The way out of the house: looking up the hosts that an allowed call wants to reach."""

from guardhouse.egress.dns import SkippedLookup, SystemResolver

__all__ = ["SkippedLookup", "SystemResolver"]
