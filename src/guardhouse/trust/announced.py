"""What a tool is said to be by somebody else than the user's configuration, and how far that is believed.

A program that wraps a function of its own has written both, so its words count like the configuration's. A server's
words are content: they may make an argument matter more, never less. Otherwise a server that called its recipient a
date, a flag, or one of a few choices could pass what was planted off as harmless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.trust.capabilities import ToolDescription
from guardhouse.trust.ledger.arguments import LONGEST_WORD
from guardhouse.trust.ledger.kinds import kind_of
from guardhouse.trust.ledger.roles import SENSITIVE, Role, by_name, parameters
from guardhouse.trust.ledger.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guardhouse.trust.capabilities import Announcement

_MOST_PARAMETERS: Final = 200
_MOST_SHAPES: Final = 32
_MOST_CHOICES: Final = 64
_LONGEST_DESCRIPTION: Final = 2000
_RAISED: Final = SENSITIVE - {Role.CODE}
"""What a server may say that an unknown argument is. Not code: that a model may write by itself."""
_OPEN: Final = frozenset({None, Role.SELECTOR})
"""What an argument's name may say, so that there is room for more. What a name says otherwise stands."""


def believed(said: Announcement) -> ToolDescription:
    """What counts of an announcement."""
    if said.by == "program":
        return ToolDescription(said.description, said.parameters)
    description = said.description[:_LONGEST_DESCRIPTION]
    kind = kind_of(said.tool, description)
    tool_words = name_words(said.tool)
    roles: dict[str, str] = {}
    choosing: dict[str, Any] = {}
    for name, shapes in _arguments(said.parameters):
        if by_name(name, tool_words) not in _OPEN:
            continue
        role = parameters(said.tool, {"properties": {name: _spoken_of(shapes)}}, {})[name].role
        if role in _RAISED:
            roles[name] = role.value
        elif not kind.is_destroying and not kind.is_grave and _are_plain(choices := _choices(shapes)):
            choosing[name] = {"enum": choices}
    return ToolDescription(description, {"properties": choosing} if choosing else {}, roles)


def _arguments(schema: Mapping[str, Any]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The arguments that a schema names, each with everything that it may look like."""
    properties = schema.get("properties")
    definitions = schema.get("$defs")
    definitions = definitions if isinstance(definitions, dict) else {}
    for name, described in list(properties.items())[:_MOST_PARAMETERS] if isinstance(properties, dict) else ():
        if isinstance(described, dict):
            yield name, _shapes(described, definitions)


def _shapes(described: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A description with its alternatives and the items of its lists, up to a number."""
    found = [described]
    for one in found:  # grows as it goes
        parts = [one.get("items"), _referred(one.get("$ref"), definitions)]
        for key in ("anyOf", "oneOf", "allOf"):
            options = one.get(key)
            parts += options if isinstance(options, list) else []
        found += [part for part in parts if isinstance(part, dict)][: max(0, _MOST_SHAPES - len(found))]
    return found


def _referred(reference: object, definitions: Mapping[str, Any]) -> object:
    return definitions.get(reference.rpartition("/")[2]) if isinstance(reference, str) else None


def _spoken_of(shapes: list[Mapping[str, Any]]) -> dict[str, str]:
    """What is said of an argument in a format and in words; nothing that narrows its values down."""
    return {
        key: said
        for key in ("format", "description")
        if (said := next((shape[key] for shape in shapes if isinstance(shape.get(key), str)), None)) is not None
    }


def _choices(shapes: list[Mapping[str, Any]]) -> list[Any]:
    return [choice for shape in shapes if isinstance(shape.get("enum"), list) for choice in shape["enum"]]


def _are_plain(choices: list[Any]) -> bool:
    """Whether every choice is a short plain word, as could stand in any text: no name, address, number or id."""
    return 0 < len(choices) <= _MOST_CHOICES and all(
        isinstance(one, str) and one.isascii() and one.isalpha() and one.islower() and len(one) <= LONGEST_WORD
        for one in choices
    )
