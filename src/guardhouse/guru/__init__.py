"""The Guru's contract, and the checker that holds every reply against it: facts, never instructions."""

from guardhouse.guru.checking import Checked, Files, check_reply
from guardhouse.guru.contract import MAX_BYTES, GuruResponse, InternetFact, McpRequest, Violation
from guardhouse.guru.log import Fetched, FetchLog, read_log
from guardhouse.guru.rules import RULES, Rule

__all__ = [
    "MAX_BYTES",
    "RULES",
    "Checked",
    "FetchLog",
    "Fetched",
    "Files",
    "GuruResponse",
    "InternetFact",
    "McpRequest",
    "Rule",
    "Violation",
    "check_reply",
    "read_log",
]
