"""What the state machine of approvals needs from whatever keeps them, and the errors it raises.

A store keeps rows and runs transactions; it knows no rule about who may answer or use what. Every rule is in
`approver.py`, once, so that a second kind of store can't come to another conclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from typing import Literal, Protocol

import msgspec

from guardhouse.database import Rows, Watch
from guardhouse.model import ApprovalRequest, ApprovalStatus, Grant, GuardhouseError, RiskLevel

Withdraw = Callable[[Iterable[str]], None]
"""Takes requests back, by their ids, in a transaction that goes on."""
Purpose = Literal["bound", "resume"]
"""What a sealed blob holds: what the approval is bound to, or what is needed to take the action up again."""


class Entry(msgspec.Struct, frozen=True):
    """A request with what it is looked up by."""

    request: ApprovalRequest
    scope: str
    """`Bound.scope`: an approval never leaves it."""
    intent: str
    """`Bound.intent`: equal while only the facts differ."""


class GrantEntry(msgspec.Struct, frozen=True):
    """A grant with what it is looked up by, and what it covers as it was sealed."""

    grant: Grant
    scope: str
    sealed: bytes


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What a list says of a request: the fields of `ApprovalRequest` that stay small, whatever the action is."""

    id: str
    created_at: float
    expires_at: float
    session_id: str | None = None
    principal: str | None = None
    action_type: str
    tool_name: str | None = None
    action_summary_redacted: str
    risk_level: RiskLevel
    status: ApprovalStatus
    kin: str = ""
    turn: str = ""
    needed: int = 1
    answered_at: float | None = None
    actor: str | None = None
    resume_asked_at: float | None = None


class Changes(msgspec.Struct, frozen=True):
    """What has changed since somebody last looked."""

    requests: tuple[ApprovalRequest, ...]
    """As they stand now, in the order of their last changes."""
    numbers: tuple[int, ...]
    """The numbers of those changes."""
    latest: int
    """The number of the last change among them: look for what came after it the next time."""


class Withdrawing(Protocol):
    """Gives transactions in which requests can be taken back, beside what else is written in them."""

    def __call__(self, *, actor: str) -> AbstractContextManager[tuple[Rows, Withdraw]]: ...


class Transaction(Protocol):
    """What can be done to the rows, all of it or nothing."""

    @property
    def rows(self) -> Rows:
        """The tables themselves, for what others have to do in the same transaction."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by the clock that all who use the store share."""
        ...

    def get(self, request_id: str) -> Entry | None:
        """The request with that id."""
        ...

    def select(
        self,
        *,
        status: Collection[ApprovalStatus] | None = None,
        scope: str | None = None,
        action_hash: str | None = None,
        intent: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        limit: int | None = None,
    ) -> list[Entry]:
        """The requests that fit everything given, newest first."""
        ...

    def outlines(
        self,
        *,
        status: ApprovalStatus | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        beginning: str = "",
        limit: int | None = None,
    ) -> list[Outline]:
        """The requests that fit everything given and whose id begins so, newest first, without reading the actions."""
        ...

    def changed(self, after: int, *, limit: int) -> list[tuple[int, Entry]]:
        """The requests whose last change has a number behind `after`, in that order, each with its number."""
        ...

    def changed_outlines(self, after: int, *, principal: str | None, limit: int) -> list[tuple[int, Outline]]:
        """The same without reading the actions; of one principal, if one is named."""
        ...

    def latest(self) -> int:
        """The number of the last change of any request."""
        ...

    def due(self, now: float, *, limit: int | None = None) -> list[Entry]:
        """Pending requests whose `expires_at`, and approved ones whose `use_by`, is not after `now`."""
        ...

    def count_pending(self, *, scope: str | None = None, principal: str | None = None) -> int:
        """How many are pending, in one scope, of one principal, or altogether."""
        ...

    def count_waiting(self, now: float) -> int:
        """How many can still be answered: pending, and not expired, whether anybody has noticed that or not."""
        ...

    def sealed(self, request_id: str, purpose: Purpose) -> bytes | None:
        """A sealed blob of the request; None once it is erased."""
        ...

    def add(self, entry: Entry, *, bound: bytes, resume: bytes) -> None:
        """A new request with its sealed blobs."""
        ...

    def change(self, before: ApprovalRequest, after: ApprovalRequest, *, at: float, erase: bool) -> None:
        """Replace what became of a request, if it still has the status it had; GuardhouseError otherwise.

        With `erase`, both blobs are overwritten, not only unlinked.
        """
        ...

    def latest_answers(self, scope: str, *, limit: int) -> list[tuple[ApprovalStatus, float]]:
        """What people last answered in a scope, the latest first: as what it stands now, and when."""
        ...

    def lifted_at(self, scope: str) -> float:
        """When a person last said that a scope may ask again; 0 if nobody did."""
        ...

    def lift(self, scope: str, at: float) -> None:
        """Note that a person says so."""
        ...

    def add_grant(self, entry: GrantEntry) -> None:
        """A new grant."""
        ...

    def grant(self, grant_id: str) -> GrantEntry | None:
        """The grant with that id."""
        ...

    def live_grants(self, scope: str, now: float, *, limit: int) -> list[GrantEntry]:
        """The grants of a scope that are neither revoked, nor over, nor used up; the newest first."""
        ...

    def grants(
        self,
        *,
        live_at: float | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        request_id: str | None = None,
        limit: int | None = None,
    ) -> list[Grant]:
        """The grants that fit everything given, newest first; with `live_at`, those that cover something then."""
        ...

    def change_grant(self, before: Grant, after: Grant, *, erase: bool) -> None:
        """Replace what became of a grant, if it stands as it did; GuardhouseError otherwise.

        With `erase`, what was sealed goes: whatever its row says later, it covers nothing.
        """
        ...

    def remove(self, *, changed_before: float, expired_before: float) -> int:
        """Remove finished requests whose last change and whose `expires_at` are not after these times, and grants that
        were given with them."""
        ...


class Store(Protocol):
    """Keeps requests. Safe to share between threads, and between processes that open the same one.

    Whatever fails is a GuardhouseError that tells nothing of what is in a row.
    """

    def reading(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one moment and changes nothing."""
        ...

    def writing(self) -> AbstractContextManager[Transaction]:
        """A transaction that no other writing one overlaps, in any process or node; committed when it ends.

        An exception inside undoes all of it. When it has ended without one, its changes are on disk.
        """
        ...

    def watching(self) -> AbstractContextManager[Watch]:
        """A watch that tells one thread when anything may have been changed, by anybody."""
        ...

    def shrink(self) -> None:
        """Give space that is no longer used back to the system."""
        ...

    def close(self) -> None:
        """Let go of the store; it opens again when it is used again."""
        ...


class NoSuchRequest(GuardhouseError):
    """There is no request with that id."""

    def __init__(self) -> None:
        super().__init__("There is no such approval request.", fix="Look for its id among the pending ones.")


class NoSuchGrant(GuardhouseError):
    """There is no grant with that id."""

    def __init__(self) -> None:
        super().__init__("There is no such grant.", fix="Look for its id among those there are.")


class NotYours(GuardhouseError):
    """Whoever asked can't answer, and nobody is two people."""


class NotOffered(GuardhouseError):
    """The request can't be answered in this way."""


class RequestClosed(GuardhouseError):
    """The `request` can no longer be answered or cancelled."""

    def __init__(self, request: ApprovalRequest, what: str, *, fix: str) -> None:
        super().__init__(what, fix=fix)
        self.request = request


class AlreadyAnswered(RequestClosed):
    """Somebody gave the opposite answer first."""
