"""Masks secrets in text, streams and JSON values; what it returns carries no secret that the scanner can find."""

from typing import TYPE_CHECKING, Any

from guardhouse.redact.description import NAMES, NOTHING_KNOWN, Description, describe, loss, masked_wire
from guardhouse.redact.redactor import Redacted, Redactor

if TYPE_CHECKING:
    from guardhouse.redact.stream import StreamRedactor, redacted_stream

__all__ = [
    "NAMES",
    "NOTHING_KNOWN",
    "Description",
    "Redacted",
    "Redactor",
    "StreamRedactor",
    "describe",
    "loss",
    "masked_wire",
    "redacted_stream",
]


def __getattr__(name: str) -> Any:
    """Streams are loaded where there are any: a hook has none."""
    if name in {"StreamRedactor", "redacted_stream"}:
        from guardhouse.redact import stream

        return getattr(stream, name)
    raise AttributeError(name)
