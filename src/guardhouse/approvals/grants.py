"""Grants: what a yes that goes on is good for, when one may be offered, and what it says to people.

A grant is looked at only where something asks, so it can't lift a deny. It is bound to the session and the principal of
the request it was given with, to the reasons that were on the card, and to no higher risk. Who may give one, and where
it is kept, is not decided here.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.interface import GrantEntry
from guardhouse.approvals.rows import damaged_grant, grant_of, grant_row_of
from guardhouse.model import Grant, GuardhouseError, RiskLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from guardhouse.model import ApprovalRequest, Asked, Reach
    from guardhouse.sealing import Seal

_REPEATABLE: Final = frozenset({"ToolCallPre", "SkillRunPre", "MemoryReadPre"})
"""What may be done again without a question. What is installed, published or let in is looked at each time."""
_NEVER: Final = (
    *("guard.*", "run.*", "skill.*", "tool.changed", "tool.unclassified"),
    *(
        "tool.hidden_text",
        "tool.instructs_model",
        "tool.names_others",
        "tool.asks_for_secrets",
        "tool.looks_like_another",
    ),
)
"""Codes that nobody says yes to ahead of time: what failed or is unknown may be something else the next time."""


def offered(request: ApprovalRequest | Asked, never: Sequence[str] = ()) -> tuple[Reach, ...]:
    """How far a yes to `request` can go beyond this once. `never` are further codes, or globs, of which none does."""
    if request.session_id is None or request.action_type not in _REPEATABLE or not request.codes:
        return ()
    if request.risk_level is RiskLevel.CRITICAL:
        return ()
    if _are_once_only(request.codes, never):
        return ()
    further: tuple[tuple[Reach, bool], ...] = (
        ("destination", bool(request.targets)),
        ("values", any(supply.offered for supply in request.supplied)),
    )
    return ("exact", *(reach for reach, is_offered in further if is_offered))


def stands(grant: Grant, now: float, *, longest: float, never: Sequence[str]) -> bool:
    """Whether the policy in force would still let a grant go so far. What a person let happen after all, once, is no
    more than a late yes."""
    if grant.most_uses is not None:
        return True
    return now < grant.created_at + longest and not _are_once_only(grant.codes, never)


def _are_once_only(codes: Sequence[str], never: Sequence[str]) -> bool:
    plain = [code.partition("/")[0] for code in codes]
    return any(fnmatchcase(code, glob) for code in plain for glob in (*_NEVER, *never))


def covers(grant: Grant, asked: Asked, action_hash: str, values: Callable[[], Sequence[str]] = tuple) -> bool:
    """Whether a yes that was given is one to this, too. Whether it is still in force is another question. `values` are
    the digests of those that it is for, looked up if it comes to that."""
    if not asked.codes or (grant.action_type, grant.tool_name) != (asked.action_type, asked.tool_name):
        return False
    if not set(asked.codes) <= set(grant.codes) or asked.risk_level > grant.risk_level:
        return False
    match grant.reach:
        case "exact":
            return grant.action_hash == action_hash
        case "destination":
            return bool(asked.targets) and set(asked.targets) <= set(grant.targets)
        case "values":
            return asked.only_values and bool(asked.values) and set(asked.values) <= set(values())


def words(grant: Grant) -> tuple[str, ...]:
    """What a grant covers, in sentences, without when it ends."""
    places = grant.fields if grant.reach == "values" else [f"{one.place} ({one.code})" for one in grant.targets]
    return reach_words(grant.reach, grant.tool_name or grant.action_type, places)


def reach_words(reach: Reach, tool: str, places: Sequence[str]) -> tuple[str, ...]:
    """The same before it is given. With the reach `values`, `places` are the fields that they stand in."""
    if reach == "exact":
        return (f"Exactly this call of {tool} again, in this session; not with other values, not if a file changed.",)
    if reach == "values":
        fields = ", ".join(places)
        return (f"Later calls of {tool} in this session with the same {fields}, for the same reasons; nothing else.",)
    return (
        f"Any call of {tool} in this session about which nothing else is found than this, whatever else it holds:",
        *places,
    )


# What it covers is sealed beside its row


def sealed(seal: Seal, grant: Grant, scope: str, values: Sequence[str] = ()) -> GrantEntry:
    """A grant as it is kept: what is sealed is what its row will say, and the digests of `values`, which it won't."""
    kept = grant_of(grant_row_of(grant))
    return GrantEntry(kept, scope, seal.seal("grant", grant.id, _content(kept, scope, values)))


def values_of(seal: Seal, entry: GrantEntry) -> tuple[str, ...]:
    """The digests of the values that a grant is for; GuardhouseError unless its row says what was sealed."""
    try:
        content = seal.open("grant", entry.grant.id, entry.sealed)
        _, _, *more = msgspec.json.decode(content)
        values = msgspec.convert(more[0], tuple[str, ...]) if more else ()
    except (GuardhouseError, msgspec.MsgspecError, TypeError, ValueError):
        raise damaged_grant(entry.grant.id) from None
    if content != _content(entry.grant, entry.scope, values):
        raise damaged_grant(entry.grant.id)
    return values


def _content(grant: Grant, scope: str, values: Sequence[str]) -> bytes:
    """What may never change of a grant, and whose it is."""
    as_given = msgspec.structs.replace(grant, uses=0, last_used_at=None, revoked_at=None, revoked_by=None)
    return msgspec.json.encode([scope, as_given, values] if values else [scope, as_given])
