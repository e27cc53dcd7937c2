"""Destinations: URLs read strictly, the allowlists that admit them, and the table of addresses to stay away from."""

from guardhouse.net.codes import CLIENT_CODES, CODES
from guardhouse.net.errors import BadDestination, BadPattern
from guardhouse.net.on_demand import address_class, host_class, is_local_name, parse_destination
from guardhouse.net.rules import NetworkRules, NetworkSettings, Refusal

__all__ = [
    "CLIENT_CODES",
    "CODES",
    "BadDestination",
    "BadPattern",
    "NetworkRules",
    "NetworkSettings",
    "Refusal",
    "address_class",
    "host_class",
    "is_local_name",
    "parse_destination",
]
