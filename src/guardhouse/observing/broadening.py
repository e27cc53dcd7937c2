"""Choices that cover several suggestions at once, and more than was seen: offered as such, never instead of them."""

from __future__ import annotations

from collections import defaultdict
from shlex import quote
from typing import TYPE_CHECKING, Final

from guardhouse.net import BadPattern, NetworkRules, NetworkSettings, host_class
from guardhouse.observing.shared_hosts import is_one_owners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from guardhouse.config import Kind
    from guardhouse.observing.suggesting import Suggestion
    from guardhouse.observing.unfit_places import Expected

_FEWEST: Final = 3
"""Entries that must have something in common."""
_MODES: Final = frozenset({"shell.ask_mode", "shell.deny_mode", "shell.not_listed"})
"""Only where every command is stopped for being one: elsewhere other words can do something else."""
_SHALLOWEST: Final = 3
"""Parts of a directory that can be offered: `/home/ada/notes`, not `/home/ada`."""


def broader(found: Iterable[Suggestion], unfit: Callable[[str, Expected], str]) -> Iterator[Suggestion]:
    """For three or more that are alike, the one allowance that would cover them. Not a directory that is `unfit`."""
    groups: defaultdict[tuple[Kind, str], list[Suggestion]] = defaultdict(list)
    for one in found:
        wider = _wider(one)
        if wider:
            groups[one.kind, wider].append(one)
    for (kind, wider), members in groups.items():
        if len(members) >= _FEWEST and not (kind == "path" and unfit(wider, "directory")):
            yield _together(kind, wider, members)


def _wider(one: Suggestion) -> str:
    """What would cover this one and its likes; empty if nothing should."""
    match one.kind:
        case "domain":
            parent = one.entry.partition(".")[2]
            host = parent.partition(":")[0]
            fits = _is_pattern(f"*.{parent}") and host_class(host) is None and is_one_owners(host)
            return f"*.{parent}" if fits else ""
        case "command" if _MODES.issuperset(one.codes):
            words = one.entry.split()
            return f"{words[0]} {words[1]} *" if len(words) > 2 and one.entry.isascii() else ""
        case "path":
            directory = one.entry.rpartition("/")[0]
            return directory if directory.count("/") >= _SHALLOWEST and "/." not in directory else ""
    return ""


def _is_pattern(pattern: str) -> bool:
    if pattern.rpartition(".")[2].partition(":")[0].isdigit():  # the rest of an address
        return False
    try:
        NetworkRules(NetworkSettings(allowed_domains=(pattern,)))
    except BadPattern:
        return False
    return True


def _together(kind: Kind, wider: str, members: list[Suggestion]) -> Suggestion:
    import msgspec

    return msgspec.structs.replace(
        members[0],
        kind=kind,
        entry=wider,
        command=f"guardhouse allow {kind} {quote(wider)}",
        seen=sum(one.seen for one in members),
        last=max(one.last for one in members),
        sessions=max(one.sessions for one in members),
        codes=tuple(sorted({code for one in members for code in one.codes})),
        approved=sum(one.approved for one in members),
        notes=tuple(dict.fromkeys(["BROADER than what was seen", *(note for one in members for note in one.notes)])),
        instead_of=tuple(one.entry for one in members),
    )
