"""Run as a process: append events to a log and print each one's id once it is recorded.

append_events.py DIRECTORY NAME COUNT [max_file_bytes=N] [max_total_bytes=N] [min_age_hours=N] [durable=1]
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from audit_events import event

from guardhouse.audit import AuditLog, AuditSettings


def main() -> None:
    directory, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    options = {key: int(value) for key, value in (argument.split("=") for argument in sys.argv[4:])}
    durable = bool(options.pop("durable", 0))
    log = AuditLog(directory, AuditSettings(**options))
    for number in range(count) if count else itertools.count():
        log.record(event(number, event_id=f"{name}-{number}"), durable=durable)
        print(f"{name}-{number}", flush=True)


if __name__ == "__main__":
    main()
