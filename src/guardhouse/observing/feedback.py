"""What a person at this machine says of a decision, into the record."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from guardhouse.approvals.terminal import local_actor
from guardhouse.audit import story
from guardhouse.desk import Desk
from guardhouse.model import GuardhouseError
from guardhouse.observing.loosening import require_person
from guardhouse.recording import feedback_event

if TYPE_CHECKING:
    from guardhouse.config import Sources
    from guardhouse.model import AuditEvent, Opinion


def say(sources: Sources, event_id: str, opinion: Opinion, comment: str = "") -> AuditEvent:
    """Record an opinion on the decision of that id; on disk when this returns. GuardhouseError if there is no such
    decision here, or if it is no person who says it."""
    require_person(sources.locations)
    found = story(sources.locations.state / "audit", event_id)
    if found is None or found.entry.event.kind != "decision":
        raise GuardhouseError(
            "There is no such decision in the record.",
            fix="`guardhouse audit query --kind decision` lists the newest, with their ids.",
        )
    policy = sources.load(project=False)
    said = feedback_event(
        f"ev_{os.urandom(12).hex()}",
        found.entry.event,
        opinion,
        time.time(),
        actor=local_actor(),
        comment=policy.redactor.text(comment),
        source="command",
    )
    desk = Desk(sources.locations, lambda: policy)
    try:
        desk.audit.record(said, durable=True)
    finally:
        desk.close()
    return said
