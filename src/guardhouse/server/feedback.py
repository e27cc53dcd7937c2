"""`/v1/audit/events/{id}/feedback`: what a person says of a decision. It is counted, and decides nothing."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import AuditEvent, Opinion
from guardhouse.recording import feedback_event
from guardhouse.server.auditing import story_in
from guardhouse.server.house import actor_of
from guardhouse.server.problems import Problem, answer
from guardhouse.server.reading import read_small

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from guardhouse.server.house import House
    from guardhouse.tokens import Principal

LONGEST_COMMENT: Final = 4000


class Feedback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody says of a decision."""

    opinion: Opinion
    comment: str = ""


async def say(house: House, principal: Principal, request: Request) -> Response:
    """Say of a decision that it was a false alarm, was right, or should have stopped something; what one says last of
    it counts."""
    given: Feedback = await read_small(request, Feedback)
    said = await record(house, principal, request.path_params["id"], given)
    return answer({"status": "recorded", "event_id": said.event_id}, 201)


async def record(house: House, principal: Principal, event_id: str, given: Feedback) -> AuditEvent:
    """Record an opinion on the decision of that id; on disk when this returns. A Problem if there is none."""
    if len(given.comment) > LONGEST_COMMENT:
        raise Problem(413, f"A comment has at most {LONGEST_COMMENT} characters.", fix="Say it in fewer words.")
    _, found = await story_in(house, event_id)
    if found.entry.event.kind != "decision":
        raise Problem(422, "That is no decision.", fix="Name the event of a decision.")

    def write() -> AuditEvent:
        said = feedback_event(
            f"ev_{os.urandom(12).hex()}",
            found.entry.event,
            given.opinion,
            time.time(),
            actor=actor_of(principal),
            comment=house.policy.current().redactor.text(given.comment.strip()),
            source="http",
        )
        house.desk.audit.record(said, durable=True)
        return said

    return await house.in_thread(write)
