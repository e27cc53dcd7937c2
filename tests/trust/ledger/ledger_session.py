"""A session as the ledger sees it, for tests: what was said and read, and then the judgement of a call."""

from __future__ import annotations

from guardhouse.model import NewEvent, NewObject
from guardhouse.sessions import MemorySessions, session_state, traces
from guardhouse.trust.capabilities import Capability, ToolDescription, ToolProfile
from guardhouse.trust.ledger import (
    Ledger,
    Sightings,
    arguments,
    from_kept,
    pointing_questions,
    points_at,
    questions,
    read_content,
    read_request,
    request_values,
    shape_of,
    told_of,
)

S = "s"


class Talk:
    """What happened so far."""

    def __init__(self, *said, own=()):
        self.index = MemorySessions(bytes(32))
        self.own = frozenset(own)
        for text in said:
            self.user(text)

    def user(self, text):
        event = NewEvent(kind="user_said", grade="user", detail=read_request(text).kept() or None)
        values = [(slot, str(value)) for slot, value in request_values(text)]
        self.index.append(S, event, values, [NewObject(0, told_of(text))])
        return self

    def showed(self, text):
        event = NewEvent(kind="assistant_showed", grade="untrusted", detail=read_request(text).kept() or None)
        values = [("a", str(value)) for _, value in request_values(text)]
        self.index.append(S, event, values, [NewObject(0, told_of(text))])
        return self

    def read(self, content, *, grade="untrusted", tool="fetch", pointed=False, made=False, labels=None):
        reading = read_content(content, labels=labels)
        detail = {name: "1" for name, set_ in (("pointed", pointed), ("made", made)) if set_}
        event = NewEvent(kind="tool_returned", name=tool, grade=grade, detail=detail or None)
        objects = [NewObject(one.group, one.words, one.flags, one.quote[:100]) for one in reading.objects]
        values = [(seen.slot, str(seen.value)) for seen in reading.seen]
        self.index.append(S, event, values, objects, cut=reading.cut)
        return self

    def shape(self, tool, *, description="", schema=None, roles=None, capabilities=(Capability.WRITES,)):
        said = ToolDescription(description=description, parameters=schema or {}, roles=roles or {})
        profile = ToolProfile(name=tool, capabilities=frozenset(capabilities))
        return shape_of(tool, said, profile, self.own)

    def ledger(self, tool, params, **more):
        shape = self.shape(tool, **more)
        found = arguments(params, shape)
        state = session_state(self.index, S)
        requests = [from_kept(one) for one in state.requests]
        answers = traces(self.index, S, questions(found, shape, requests))
        return Ledger(shape, Sightings(state, answers, requests), found)

    def trace(self, tool, params, **more):
        """The sources of the arguments, by field; of a text only what is not the user's."""
        return {one.field.removeprefix("params."): one.source for one in self.ledger(tool, params, **more).trace()}

    def asks_for(self, tool, params=None, **more):
        ledger = self.ledger(tool, params or {}, **more)
        return ledger.is_asked_for(ledger.trace())

    def points_at(self, tool, params, **more):
        shape = self.shape(tool, **more)
        found = arguments(params, shape)
        return points_at(found, shape, traces(self.index, S, pointing_questions(found, shape)))
