"""What the model answered, read strictly: exactly one line, or exactly one JSON object, and nothing around it.

A verdict that stands in the middle of a text is none: a page can hold the word, and a model that explains itself first
can be led to change its mind. Whatever is not of the form is BadAnswer, which never becomes an allow.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from guardhouse.model import GuardhouseError, InvalidAction, decode
from guardhouse.model.strict_json import Limits

LONGEST_REASON: Final = 400
LONGEST_ANSWER: Final = 4_000
"""Characters; a longer answer is none."""

Outcome = Literal["allow", "block"]
_WORDS: Final[dict[str, Outcome]] = {"ALLOW": "allow", "BLOCK": "block"}
_LIMITS: Final = Limits(max_bytes=4 * LONGEST_ANSWER, max_nodes=16)

GRAMMAR: Final = f'root ::= ("ALLOW" | "BLOCK") ": " [A-Za-z] [ -~]{{1,{LONGEST_REASON - 1}}}'
"""The line in GBNF."""
REGEX: Final = rf"(ALLOW|BLOCK): [A-Za-z][ -~]{{1,{LONGEST_REASON - 1}}}"


class BadAnswer(GuardhouseError):
    """The model's answer has not the form that it was asked for. Says nothing of what it was instead."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A verdict of the model's, with its words, as it gave them."""

    outcome: Outcome
    reason: str
    risk: Literal["", "low", "medium", "high", "critical"] = ""
    authorized: Literal["", "unknown", "low", "medium", "high"] = ""


class _Structured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The JSON object of a structured answer. Every field is a must."""

    outcome: Outcome
    risk: Literal["low", "medium", "high", "critical"]
    user_authorization: Literal["unknown", "low", "medium", "high"]
    reason: str


def answer_schema() -> dict[str, Any]:
    """The JSON Schema of a structured answer, for services that hold a model to one."""
    words: dict[str, Any] = {
        "outcome": ["allow", "block"],
        "risk": ["low", "medium", "high", "critical"],
        "user_authorization": ["unknown", "low", "medium", "high"],
    }
    properties: dict[str, Any] = {name: {"type": "string", "enum": values} for name, values in words.items()}
    properties["reason"] = {"type": "string", "minLength": 2, "maxLength": LONGEST_REASON}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_line(text: Any) -> Answer:
    """The answer in `ALLOW: reason` or `BLOCK: reason`. BadAnswer for anything else. One line break at the very end is
    no second line."""
    line = _text(text).removesuffix("\n")
    word, colon, reason = line.partition(": ")
    if not colon or word not in _WORDS:
        raise BadAnswer("The guardian's answer does not begin with its verdict.")
    outcome = _WORDS[word]
    return Answer(outcome=outcome, reason=_reason(reason, outcome))


def read_structured(text: Any) -> Answer:
    """The answer in a JSON object. BadAnswer for anything else."""
    try:
        said = msgspec.convert(decode(_text(text), _LIMITS), _Structured)
    except (InvalidAction, msgspec.ValidationError):
        raise BadAnswer("The guardian's answer is not the JSON object that it was asked for.") from None
    return Answer(
        outcome=said.outcome,
        reason=_reason(said.reason, said.outcome),
        risk=said.risk,
        authorized=said.user_authorization,
    )


def _text(text: Any) -> str:
    if type(text) is not str or not text:
        raise BadAnswer("The guardian's answer is empty.")
    if len(text) > LONGEST_ANSWER:
        raise BadAnswer("The guardian's answer is too long.")
    return text


def _reason(reason: str, outcome: Outcome) -> str:
    """The reason, if it is one line that says something. One that says the opposite of its verdict says nothing."""
    if len(reason) > LONGEST_REASON:
        raise BadAnswer("The guardian's reason is too long.")
    if any(not char.isprintable() for char in reason):
        raise BadAnswer("The guardian's reason is not one plain line.")
    if reason != reason.strip() or sum(map(str.isalpha, reason)) < _LEAST:
        raise BadAnswer("The guardian gave no reason.")
    if outcome == "allow" and "BLOCK" in reason:
        raise BadAnswer("The guardian's reason speaks against its verdict.")
    return reason


_LEAST: Final = 2
"""Letters of a reason."""
