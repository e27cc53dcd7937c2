"""What the ledger knows of a tool, put together from what was declared, from its schema and from its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.capabilities import Capability
from guardhouse.trust.ledger.kinds import kind_of
from guardhouse.trust.ledger.matching import Shape
from guardhouse.trust.ledger.roles import Role, parameters
from guardhouse.trust.ledger.words import words

if TYPE_CHECKING:
    from guardhouse.trust.capabilities import ToolDescription, ToolProfile

_OUTWARD: Final = (Capability.SENDS, Capability.SPENDS, Capability.EGRESS)
_CHANGING: Final = frozenset("marks marked resets clears cleared removes removed acknowledges dequeues consumes".split())


def shape_of(tool: str, said: ToolDescription, profile: ToolProfile, own: frozenset[str]) -> Shape:
    """The shape of a tool."""
    kind = kind_of(tool, said.description)
    declared = {name: Role(role) for name, role in said.roles.items()}
    outward = kind.is_outward or kind.is_public or any(capability in profile.capabilities for capability in _OUTWARD)
    return Shape(
        name=tool,
        kind=kind,
        parameters=parameters(tool, said.parameters, declared),
        outward=outward,
        tells="send" in kind.mentions,
        changes=not _CHANGING.isdisjoint(words(said.description[:2000])),
        own=own,
    )
