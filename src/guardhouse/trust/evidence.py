"""How far content may be believed: by the tool it comes from, by its source, and by what it was made of.

Pure, and about labels only. Where a call's own arguments say more than the tool's name (a command that fetches, a file
outside the project), that is worked out by whoever has the call.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.capabilities import KNOWN_TOOLS, Capability, is_untrusted_name, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.trust.capabilities import ToolCatalogue


class EvidenceSource(Enum):
    """Where content comes from."""

    __hash__ = object.__hash__

    LOCAL_COMMAND = "local-command"
    """A command or a tool of the user's own, which brings in nothing from outside."""
    PROJECT_METADATA = "project-metadata"
    """Names, sizes and dates of the project's files."""
    PROJECT_SOURCE = "project-source"
    """What stands in the project's files."""
    USER_PROVIDED = "user-provided"
    """The user's own words."""
    MANUAL_NOTE = "manual-note"
    """Something that a person wrote down, at some time, from somewhere."""
    EXTERNAL_SYSTEM = "external-system"
    """Anything else: anybody may have written it."""


_REVIEWED: Final = frozenset({EvidenceSource.MANUAL_NOTE})
_PICKS_ONLY: Final = frozenset({EvidenceSource.PROJECT_METADATA, EvidenceSource.PROJECT_SOURCE})
"""Files that came with a repository: good for what picks something, not for where anything goes or what is run."""

PICKING_ROLES: Final = frozenset({"selector", "path", "query", "limit", "flag", "date", "amount", "content"})
"""Roles of arguments, by name, that a project's file may fill: all but recipients, destinations, code and secrets."""


class Evidence(msgspec.Struct, frozen=True):
    """What is known of where a piece of content comes from."""

    source: EvidenceSource
    tainted: bool = False
    """It was made out of untrusted content, so it is no better than that."""
    led: bool = False
    """It is tainted only in that it was looked up by what untrusted content said: nobody else wrote it, but somebody
    else chose it."""

    @property
    def is_trusted(self) -> bool:
        """Whether it may be believed at all."""
        return should_trust_content(self.source, tainted=self.tainted)

    @property
    def needs_review(self) -> bool:
        """Whether a person should look before much depends on it."""
        return self.source in _REVIEWED

    @property
    def picks_only(self) -> bool:
        """Whether it may only pick something, and never say where something goes or what is run."""
        return self.is_trusted and self.source in _PICKS_ONLY

    def is_trusted_for(self, role: str) -> bool:
        """Whether it may fill an argument of this role."""
        return self.is_trusted and (self.source not in _PICKS_ONLY or role in PICKING_ROLES)


OUTSIDE: Final = Evidence(EvidenceSource.EXTERNAL_SYSTEM)


def should_trust_content(source: EvidenceSource | str, *, tainted: bool = False) -> bool:
    """Whether content from `source` may be believed; not if it was made of what may not. A source that nobody knows is
    an external one."""
    if isinstance(source, str):
        source = _BY_NAME.get(source.strip().lower(), EvidenceSource.EXTERNAL_SYSTEM)
    return source is not EvidenceSource.EXTERNAL_SYSTEM and not tainted


_BY_NAME: Final = {source.value: source for source in EvidenceSource}


def is_untrusted_source_tool(name: str, tools: ToolCatalogue | None = None, *, configured: Iterable[str] = ()) -> bool:
    """Whether what a tool of this name returns may be anybody's text.

    So it is with names that say so, with those that are `configured`, with tools that run what they are given, and with
    every tool that is not known to be trusted, by `tools` or as a well-known one.
    """
    own = tool_name(name)
    if is_untrusted_name(own) or own in map(tool_name, configured):
        return True
    profile = tools.profile(name) if tools is not None else KNOWN_TOOLS.get(own)
    return profile is None or profile.may(Capability.READS_UNTRUSTED, Capability.EXECUTES)
