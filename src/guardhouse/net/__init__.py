"""Destinations: URLs read strictly, the allowlists that admit them, and the table of addresses to stay away from."""

from guardhouse.net.addresses import address_class
from guardhouse.net.codes import CODES
from guardhouse.net.destination import DEFAULT_PORTS, MAX_URL, Destination, parse_destination
from guardhouse.net.errors import BadDestination, BadPattern
from guardhouse.net.hosts import host_class
from guardhouse.net.local_names import is_local_name
from guardhouse.net.rules import NetworkRules, NetworkSettings, Refusal

__all__ = [
    "CODES",
    "DEFAULT_PORTS",
    "MAX_URL",
    "BadDestination",
    "BadPattern",
    "Destination",
    "NetworkRules",
    "NetworkSettings",
    "Refusal",
    "address_class",
    "host_class",
    "is_local_name",
    "parse_destination",
]
