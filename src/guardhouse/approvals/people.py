"""Who is who among those that answer: actors of several channels may be one person, and one of them who asked.

An actor is a channel and a name there, as the channel authenticated it: `approver:ada`, `telegram:1234`, `local:ada`.
Only the configuration says that two of them are the same person; without it, each is somebody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from guardhouse.model import ApprovalRequest

_ROLES: Final = ("agent", "approver", "admin")
"""What stands before the name of a token; an agent's principal is such a name."""


class People:
    """The people that a configuration names, each by the actors they are."""

    def __init__(self, named: Mapping[str, Sequence[str]] | None = None) -> None:
        self._names: Final = {actor: name for name, actors in (named or {}).items() for actor in actors}

    def are_one(self, actor: str, other: str) -> bool:
        """Whether these are the same person, as far as anybody knows."""
        return self._person(actor) == self._person(other)

    def has_asked(self, actor: str, request: ApprovalRequest) -> bool:
        """Whether this is who asked."""
        if request.principal is None:
            return False
        return any(self.are_one(actor, f"{role}:{request.principal}") for role in _ROLES)

    def is_among(self, actor: str, others: Iterable[str]) -> bool:
        """Whether this person is one of the others."""
        return any(self.are_one(actor, other) for other in others)

    def _person(self, actor: str) -> tuple[str, str]:
        name = self._names.get(actor)
        return ("actor", actor) if name is None else ("person", name)
