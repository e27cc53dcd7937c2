"""Configuration on this machine: finding the files, reading them again when they change, trust and allowances."""

from guardhouse.config.allowances import Allowances, Kind
from guardhouse.config.discovery import ReloadingPolicy, Sources, find_sources
from guardhouse.config.locations import PROJECT_NAME, Locations, find_locations, surroundings
from guardhouse.config.trust_store import TrustStore

__all__ = [
    "PROJECT_NAME",
    "Allowances",
    "Kind",
    "Locations",
    "ReloadingPolicy",
    "Sources",
    "TrustStore",
    "find_locations",
    "find_sources",
    "surroundings",
]
