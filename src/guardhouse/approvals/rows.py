"""A request, or a grant, as a row of plain columns, and back. Shared by every store, so that they keep the same thing.

A row holds masked text only. The two sealed blobs are columns that no query reads along with the rest: they may be
large, and nobody but the state machine needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from guardhouse.approvals.interface import Entry, Outline
from guardhouse.model import ApprovalRequest, Grant, GuardhouseError

FIELDS: Final = ApprovalRequest.__struct_fields__
COLUMNS: Final = (*FIELDS, "scope", "intent")
OUTLINE: Final = Outline.__struct_fields__
CHANGING: Final = (
    "status",
    "use_by",
    "answered_at",
    "actor",
    "comment",
    "superseded_by",
    "needed",
    "consents",
    "terms",
    "resume_asked_at",
)
"""What a change of status may change; everything else of a request stays as it was asked."""
GRANT_COLUMNS: Final = Grant.__struct_fields__
GRANT_CHANGING: Final = ("uses", "last_used_at", "revoked_at", "revoked_by")
"""What may change of a grant. Everything else stays as it was given."""
_AS_JSON: Final = frozenset(
    "action_redacted reasons codes bound_to supplied targets fields conditional executes durable consents terms "
    "condition".split()
)
_ENUMS: Final = frozenset({"risk_level", "status"})


def row_of(entry: Entry) -> dict[str, Any]:
    """The values of `COLUMNS`, by name."""
    row = {name: _plain(name, getattr(entry.request, name)) for name in FIELDS}
    return {**row, "scope": entry.scope, "intent": entry.intent}


def changed_values(request: ApprovalRequest) -> dict[str, Any]:
    """The values of `CHANGING`, by name."""
    return {name: _plain(name, getattr(request, name)) for name in CHANGING}


def entry_of(row: Mapping[str, Any]) -> Entry:
    """The request in a row; GuardhouseError if it is none through and through, without saying what it holds."""
    try:
        fields = {
            name: msgspec.json.decode(row[name]) if name in _AS_JSON else row[name]
            for name in FIELDS
            if row[name] is not None
        }
        request = msgspec.convert(fields, ApprovalRequest)
        return msgspec.convert({"request": request, "scope": row["scope"], "intent": row["intent"]}, Entry)
    except (msgspec.MsgspecError, TypeError, ValueError):
        raise damaged(row["id"]) from None


def grant_row_of(grant: Grant) -> dict[str, Any]:
    """The values of `GRANT_COLUMNS`, by name."""
    return {name: _plain(name, getattr(grant, name)) for name in GRANT_COLUMNS}


def changed_grant_values(grant: Grant) -> dict[str, Any]:
    """The values of `GRANT_CHANGING`, by name."""
    return {name: _plain(name, getattr(grant, name)) for name in GRANT_CHANGING}


def grant_of(row: Mapping[str, Any]) -> Grant:
    """The grant in a row; GuardhouseError if it is none through and through."""
    try:
        fields = {
            name: msgspec.json.decode(row[name]) if name in _AS_JSON else row[name]
            for name in GRANT_COLUMNS
            if row[name] is not None
        }
        return msgspec.convert(fields, Grant)
    except (msgspec.MsgspecError, TypeError, ValueError):
        raise damaged_grant(row["id"]) from None


def outline_of(row: Mapping[str, Any]) -> Outline:
    """The same for the columns of `OUTLINE` alone."""
    try:
        return msgspec.convert(row, Outline)
    except msgspec.MsgspecError:
        raise damaged(row["id"]) from None


def damaged(request_id: object) -> GuardhouseError:
    """The error for a row that can't have been written by us."""
    return GuardhouseError(
        f"The approval request {request_id if isinstance(request_id, str) and request_id else '?'} is damaged.",
        fix="Cancel it and ask again; if that fails too, move the store of approvals away.",
    )


def damaged_grant(grant_id: object) -> GuardhouseError:
    """The same for a row of a grant."""
    return GuardhouseError(
        f"The grant {grant_id if isinstance(grant_id, str) and grant_id else '?'} is damaged.",
        fix="Revoke it, and approve what it was for anew.",
    )


def _plain(name: str, value: Any) -> Any:
    if name in _AS_JSON:
        return msgspec.json.encode(value).decode()
    if name in _ENUMS:
        return value.value
    return keepable(value) if isinstance(value, str) else value


def keepable(text: str | None) -> str | None:
    """`text` as every database can keep it: PostgreSQL knows no character 0, which here is only ever shown."""
    return text.replace("\0", "\\u{0}") if text else text
