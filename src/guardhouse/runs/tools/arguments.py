"""Tools of the house itself, whose arguments are read strictly: what the gate was asked about is what is meant, or
nothing is.

A value of another type is not turned into the right one. What is wrong is told without quoting it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.runs.tools.interface import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of one tool."""

    @classmethod
    def of(cls, params: dict[str, Any]) -> Self:
        """The arguments in `params`; msgspec.ValidationError if they do not fit."""
        return msgspec.convert(params, cls)


def schema(*required: str, **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


class HouseTool(Tool):
    """A tool with arguments of a type of ours."""

    is_of_house = True
    takes: type[Arguments]

    def problem(self, params: dict[str, Any]) -> str:
        """What does not fit."""
        try:
            self.takes.of(params)
        except msgspec.ValidationError as error:
            return f"The arguments do not fit: {error}."
        return ""
