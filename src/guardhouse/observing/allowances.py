"""Allowances and the policy in force: which are there already, and giving one so that the policy stays readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from guardhouse.config import Allowances
from guardhouse.detect.commands.looking import matches_allowed
from guardhouse.detect.paths import inside
from guardhouse.model import PolicyError
from guardhouse.net import BadDestination, parse_destination
from guardhouse.observing.loosening import loosen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.config import Kind, Sources
    from guardhouse.policy import Policy


def allowed_by(policy: Policy) -> Callable[[Kind, str], bool]:
    """Tells whether `policy` allows an entry already."""
    settings = policy.settings

    def is_allowed(kind: Kind, entry: str) -> bool:
        match kind:
            case "domain":
                try:
                    return settings.network.allows(parse_destination(f"https://{entry}/")) is not None
                except BadDestination:
                    return False
            case "command":
                return any(matches_allowed(entry, allowed) for allowed in settings.allowed_commands)
            case "path":
                return any(inside(entry, directory) for directory in settings.allowed_directories)
            case "tool":
                return settings.tools.profile(entry).classified

    return is_allowed


class Given(NamedTuple):
    """What became of an allowance."""

    is_new: bool
    revision: str
    """Of the policy that it is part of."""


def give(
    sources: Sources, kind: Kind, entry: str, capabilities: Sequence[str] = (), *, pinned_to: str | None = None
) -> Given:
    """Allow `entry` from now on. Of a tool, `capabilities` say what it can do, as it is described by the digest
    `pinned_to`, or however it is described.

    PolicyError if the policy does not take it, as when a lock forbids it: then it is not allowed. GuardhouseError if
    this process comes from a guarded agent, or if it can't be recorded.
    """
    said = f", which can do: {', '.join(capabilities) or 'nothing of consequence'}" if kind == "tool" else ""
    loosen(sources, f"allowing {kind} {entry}{said}")
    allowances = Allowances(sources.locations.allowed)
    added = allowances.add(kind, entry, capabilities, pinned_to=pinned_to)
    try:
        return Given(added, sources.load().revision)
    except PolicyError:
        if added:  # better not allowed than a policy that can't be read
            allowances.remove(kind, entry)
        raise
