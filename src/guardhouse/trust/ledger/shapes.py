"""What the ledger knows of a tool, put together from what was declared, from its schema and from its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.capabilities import Capability
from guardhouse.trust.ledger.kinds import Kind, kind_of
from guardhouse.trust.ledger.roles import Parameter, Role, parameters
from guardhouse.trust.ledger.words import words

if TYPE_CHECKING:
    from guardhouse.trust.capabilities import ToolDescription, ToolProfile

_OUTWARD: Final = (Capability.SENDS, Capability.SPENDS, Capability.EGRESS)
_DOING: Final = (Capability.WRITES, Capability.DESTRUCTIVE, Capability.EXECUTES, Capability.SENDS)
_CHANGING: Final = frozenset(
    "marks marked resets clears cleared removes removed acknowledges acknowledged dequeues consumes".split()
)
_LONGEST_DESCRIPTION: Final = 2000


class Shape(msgspec.Struct, frozen=True):
    """What is known of a tool, as far as the ledger needs it."""

    name: str
    kind: Kind
    parameters: dict[str, Parameter] = {}
    outward: bool = False
    """Its call reaches other people, other machines, or costs money."""
    spends: bool = False
    """It costs money, as far as its capabilities tell."""
    tells: bool = False
    """Whoever is named in it is told of it."""
    looks: bool = False
    """By its name it only looks, and nobody has said that it writes."""
    changes: bool = False
    """It is said to change something in passing, such as marking what it reads."""
    own: frozenset[str] = frozenset()
    """Values that are the user's own: addresses, accounts, names."""


def shape_of(tool: str, said: ToolDescription, profile: ToolProfile, own: frozenset[str]) -> Shape:
    """The shape of a tool."""
    kind = kind_of(tool, said.description)
    declared = {name: Role(role) for name, role in said.roles.items()}
    sends = any(capability in profile.capabilities for capability in _OUTWARD)
    return Shape(
        name=tool,
        kind=kind,
        parameters=parameters(tool, said.parameters, declared),
        outward=kind.is_outward or kind.is_public or sends,
        spends=Capability.SPENDS in profile.capabilities,
        tells="send" in kind.mentions,
        looks=kind.verbs[:1] == ("search",) and profile.classified and profile.capabilities.isdisjoint(_DOING),
        changes=not _CHANGING.isdisjoint(words(said.description[:_LONGEST_DESCRIPTION])),
        own=own,
    )
