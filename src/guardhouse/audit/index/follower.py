"""Keeps an index near the end of its log while a process runs, in a thread, with pauses for everybody else."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.audit.index.index import AuditIndex

_STRETCH: Final = 0.02
"""Seconds of reading,"""
_PAUSE: Final = 0.02
"""and of leaving the processor to others, as long as there is more to read."""
_IDLE: Final = 1.0
_AFTER_A_FAILURE: Final = 5.0
_END: Final = 10.0


class IndexFollower:
    """Follows the log for an index. What fails is told to `report`, once for each problem, and tried again."""

    def __init__(self, index: AuditIndex, report: Callable[[str], None]) -> None:
        self._index = index
        self._report = report
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="guardhouse-index", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it, and let go of the index."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_END)
        self._index.close()

    def _follow(self) -> None:
        told = ""
        while not self._stop.is_set():
            try:
                progress = self._index.catch_up(within=_STRETCH)
                told = ""
                self._stop.wait(_IDLE if progress.complete else _PAUSE)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told and tried again
                what = str(error) if isinstance(error, GuardhouseError) else type(error).__name__
                if what != told:
                    told = what
                    self._report(f"The record can't be followed: {what}")
                self._stop.wait(_AFTER_A_FAILURE)
