"""A judge that answers as it is told, and a talk that it listens in on."""

from __future__ import annotations

from guarded_house import House
from remembered_talk import TOOLS, Remembering, Talk

from guardhouse.model import SecondOpinion

ENFORCING = TOOLS + "  guardian: {mode: enforce}\n"


class Scripted:
    """A port of the judge. Remembers what it was asked."""

    def __init__(self, answer="allow", **more):
        self.answer = answer
        self.more = more
        self.asked = []

    def opinion(self, question):
        self.asked.append(question)
        if isinstance(self.answer, Exception):
            raise self.answer
        if not isinstance(self.answer, str):
            return self.answer
        return SecondOpinion(outcome=self.answer, reason="because of what was said", model="scripted", **self.more)

    async def opinion_async(self, question):
        return self.opinion(question)


def talk(tmp_path, judge, config=ENFORCING, **more):
    """A session of a guard with that judge."""
    return Talk(House(tmp_path).guard(config, sessions=Remembering(), judge=judge, **more))
