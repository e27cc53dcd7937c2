"""The Guardian: a second opinion on calls by a model that reads what happened as data (SPEC J1–J3).

It is asked where policy wants it, and policy says what its answer leads to. Loaded only where one is configured.
"""

from guardhouse.guardian.agreement import Agreement, agreement
from guardhouse.guardian.answer import Answer, BadAnswer
from guardhouse.guardian.endpoint import Endpoint, NoOpinion
from guardhouse.guardian.judge import Guardian, opinion_on
from guardhouse.guardian.opening import open_guardian
from guardhouse.guardian.prompt import VERSION, Prompt, prompt
from guardhouse.guardian.standing import Standing

__all__ = [
    "VERSION",
    "Agreement",
    "Answer",
    "BadAnswer",
    "Endpoint",
    "Guardian",
    "NoOpinion",
    "Prompt",
    "Standing",
    "agreement",
    "open_guardian",
    "opinion_on",
    "prompt",
]
