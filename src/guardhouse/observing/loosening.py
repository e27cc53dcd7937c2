"""What lets more through is a person's to say, and is in the record before it is in force.

Every command and function that loosens the policy passes here: observing, allowing, trusting, accepting what a server
says anew. The stores below are only files; whoever can write those has no need of us.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from guardhouse.approvals import guarded_ancestor
from guardhouse.approvals.terminal import local_actor
from guardhouse.desk import Desk
from guardhouse.model import GuardhouseError, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.config import Locations, Mode, Sources


def require_person(locations: Locations) -> None:
    """GuardhouseError if this process comes from a guarded agent, or if that can't be told."""
    for registry in locations.registries:
        agent = guarded_ancestor(registry)
        if agent is not None:
            raise GuardhouseError(
                f"This process belongs to the guarded agent {visible(agent.name)} (process {agent.pid}).",
                fix="Only a person lets more through, in a terminal of their own.",
            )


def loosen(sources: Sources, detail: str, *, clock: Callable[[], float] = time.time) -> None:
    """What every loosening begins with: it is a person who does it, and the record says so. GuardhouseError if either
    fails; then nothing may be changed."""
    require_person(sources.locations)
    record_change(sources, detail, clock=clock)


def record_change(
    sources: Sources, detail: str, *, mode: Mode | None = None, clock: Callable[[], float] = time.time
) -> None:
    """Note a change that a person makes; on disk when this returns. Secrets in `detail` are masked."""
    policy = sources.load(project=False)
    desk = Desk(sources.locations, lambda: policy, clock)
    try:
        desk.note(detail, source="command", actor=local_actor(), mode=mode, durable=True)
    finally:
        desk.close()
