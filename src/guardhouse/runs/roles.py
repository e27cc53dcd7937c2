"""What an agent of a run is: its instructions to the model, its tools, and how much it may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from guardhouse.runs.tools.interface import Tool

DEFAULT: Final = "agent"
"""The role of a run that names none."""


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of agent."""

    name: str
    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    found: Callable[[], Iterable[Tool]] = tuple
    """Gives tools that can be known only once somebody was asked: those of servers. Called when a run is worked on."""
    most_steps: int = 50
    """Answers of the model after which a run ends."""
    most_tokens: int = 2_000_000
    """Tokens, read and written, after which it does; those of runs inside it, and of the one it is in, count too."""
    most_denied: int = 6
    """Calls denied in a row after which it does: it does not get further, and keeps trying."""

    def whole(self) -> Role:
        """The role with what was found for it. A tool of its own comes before one of the same name that was found."""
        known = self.toolbox
        more = {tool.name: tool for tool in self.found() if tool.name not in known}
        return msgspec.structs.replace(self, tools=(*self.tools, *more.values())) if more else self

    @property
    def toolbox(self) -> dict[str, Tool]:
        """Its tools by their names."""
        return {tool.name: tool for tool in self.tools}


def by_name(roles: Iterable[Role]) -> Mapping[str, Role]:
    """Roles by their names. GuardhouseError for two of one name, in roles or in the tools of one."""
    known: dict[str, Role] = {}
    for role in roles:
        if role.name in known:
            raise GuardhouseError(f"Two roles are called {role.name}.", fix="Give each a name of its own.")
        if len(role.toolbox) != len(role.tools):
            raise GuardhouseError(f"Two tools of the role {role.name} have one name.", fix="Name them apart.")
        if any(name.startswith("$") for name in role.toolbox):
            raise GuardhouseError("The name of a tool begins with `$`.", fix="Call it otherwise.")
        known[role.name] = role
    return known
