"""How the log is kept: when a file is full, how long files stay, and how soon events are on disk."""

from __future__ import annotations

import msgspec

from guardhouse.model import GuardhouseError


class AuditSettings(msgspec.Struct, frozen=True):
    """How the log is kept."""

    max_file_bytes: int = 100_000_000
    """A new file is begun before one grows larger, and on every new day (UTC)."""
    max_age_days: int = 30
    """Files of an earlier day are removed."""
    max_total_bytes: int = 1_000_000_000
    """The oldest files are removed when all together would grow larger,"""
    min_age_hours: int = 24
    """but none that holds younger events: who makes many events must not push out what he did. Then the log is full,
    and takes no more."""
    sync_every: float = 0.05
    """Seconds after which an event that was not asked to be on disk at once is there at the latest."""

    def __post_init__(self) -> None:
        positive = min(self.max_file_bytes, self.max_age_days, self.max_total_bytes) >= 1
        if not positive or self.min_age_hours < 0 or self.sync_every < 0:
            raise GuardhouseError("The audit log's limits must be positive.", fix="Mend them in the configuration.")

    @property
    def file_bytes(self) -> int:
        """The size that a file may have: small enough that removing one leaves most of the log in place."""
        return min(self.max_file_bytes, max(1, self.max_total_bytes // 4))
