"""Masks secrets in text, bytes and JSON values; what it returns carries no secret that the scanner can find."""

from guardhouse.redact.redactor import Redacted, Redactor

__all__ = ["Redacted", "Redactor"]
