"""Masks secrets in text, bytes and JSON values; what it returns carries no secret that the scanner can find."""

from guardhouse.redact.description import NOTHING_KNOWN, Description, describe, loss, masked_wire
from guardhouse.redact.redactor import Redacted, Redactor

__all__ = ["NOTHING_KNOWN", "Description", "Redacted", "Redactor", "describe", "loss", "masked_wire"]
