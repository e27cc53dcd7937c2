"""Reading the forms of the console: what a person chose on a card, as an answer of the house.

A form says which values were chosen; whether a request can be answered so is the approver's to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

import msgspec

from guardhouse.model import ONCE, Condition, GrantScope, Terms
from guardhouse.server.problems import Problem

if TYPE_CHECKING:
    from guardhouse.model import ApprovalRequest
    from guardhouse.server.console.cards import Editable

LONGEST_FORM: Final = 512 * 1024
DURATIONS: Final = ((600, "10 minutes"), (1800, "30 minutes"), (7200, "2 hours"), (0, "the rest of the session"))
"""Seconds that can be chosen for a grant; 0 is as long as the policy lets."""
_EDIT: Final = "edit:"
_OTHER: Final = "other:"


class Form:
    """The fields of a form. A Problem if it is none."""

    def __init__(self, body: bytes) -> None:
        try:
            self._fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            raise Problem(400, "The form can't be read.", fix="Load the page again.") from None

    def one(self, name: str) -> str:
        """The value of a field; empty if it is not there, or there twice."""
        values = self._fields.get(name, [])
        return values[0] if len(values) == 1 else ""

    @property
    def comment(self) -> str | None:
        """What was said, if anything."""
        return self.one("comment").strip() or None

    @property
    def others(self) -> dict[str, bool]:
        """Requests that are answered together with the card's own: yes or no to each."""
        chosen = {name[len(_OTHER) :]: self.one(name) for name in self._fields if name.startswith(_OTHER)}
        return {request_id: said == "approve" for request_id, said in chosen.items() if said in {"approve", "deny"}}

    def terms(self, request: ApprovalRequest) -> Terms:
        """What the yes is good for. Where somebody has said yes already, it is on their terms."""
        if request.consents:
            return request.terms
        scope, lasts = self.one("scope"), self.one("seconds")
        if lasts and not (lasts.isascii() and lasts.isdigit() and len(lasts) < 8):
            raise _no_form()
        match scope:
            case "" | "once":
                terms = ONCE
            case "run":
                terms = Terms(for_run=True)
            case "exact" | "destination":
                terms = Terms(grant=GrantScope(scope, float(lasts or 0) or None))
            case _:
                raise _no_form()
        return msgspec.structs.replace(terms, condition=self._condition())

    def changes(self, editable: tuple[Editable, ...]) -> dict[str, Any]:
        """The arguments that were changed, by where they stand; what reads as it was shown was not."""
        changes: dict[str, Any] = {}
        for one in editable:
            name = f"{_EDIT}{one.pointer}"
            if name not in self._fields:
                continue
            text = self.one(name).replace("\r\n", "\n")
            if text != one.text:
                changes[one.pointer] = text if one.is_text else _json(text)
        return changes

    def _condition(self) -> Condition | None:
        shown, lines = self.one("show"), self.one("lines")
        match shown:
            case "" | "all":
                return None
            case "first_lines":
                try:
                    return Condition("first_lines", int(lines) if lines.isascii() and lines.isdigit() else 0)
                except ValueError:
                    raise Problem(422, "Say how many lines, from 1 to 10000.", code="not_offered") from None
            case "redacted":
                return Condition("redacted")
            case "structure":
                return Condition("structure")
        raise _no_form()


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        raise Problem(422, "A value that was a number, or yes or no, must stay one.", code="not_offered") from None


def _no_form() -> Problem:
    return Problem(400, "The form can't be read.", fix="Load the page again.")
