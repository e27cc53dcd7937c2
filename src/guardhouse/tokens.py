"""Who may use the daemon: tokens, each of one role, kept in the database as digests only.

A token is told once, when it is made. What a role may do is not decided here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import os
import re
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec

from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from guardhouse.database import Database, Rows

Role = Literal["agent", "approver", "admin"]
TokenStatus = Literal["valid", "expired", "revoked"]

FIRST_ADMIN: Final = "admin"
"""The name of the token that a house begins with."""

_FORM: Final = re.compile(r"gdh_(?:agent|approver|admin)_([0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.ASCII)
_ID: Final = re.compile(r"[0-9a-f]{12}", re.ASCII)
_LONGEST: Final = 100 * 365 * 86_400
_NOBODY: Final = hashlib.sha256(b"").hexdigest()


class Principal(msgspec.Struct, frozen=True):
    """Who a token stands for."""

    id: str
    name: str
    role: Role
    session: str = ""
    """The session of the console that they came in by, if it was not the token itself."""


class TokenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a token, which is not the token."""

    id: str
    name: str
    role: Role
    status: TokenStatus
    created_at: float
    """Seconds since 1970, as are the others."""
    expires_at: float | None
    revoked_at: float | None


class Tokens:
    """The tokens of a database. Safe to share between threads, as the database is."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    def create(self, role: Role, name: str | None = None, *, expires_in: float | None = None) -> tuple[str, Principal]:
        """A new token and who it stands for. The token is told now and never again.

        GuardhouseError if somebody has or had the name, or it is no plain short word. `expires_in` is in seconds.
        """
        _check(role, name, expires_in)
        with self._database.writing() as rows:
            return _create(rows, role, name, expires_in)

    def first_admin(self) -> str | None:
        """An admin's token if there was never any; of many that ask at once, one gets it."""
        with self._database.writing() as rows:
            if rows.run("SELECT 1 FROM tokens WHERE role = 'admin' LIMIT 1"):
                return None
            taken = rows.run("SELECT 1 FROM tokens WHERE name = ?", (FIRST_ADMIN,))
            token, _ = _create(rows, "admin", None if taken else FIRST_ADMIN, None)
            return token

    def check(self, token: str) -> Principal | None:
        """Who a token stands for; nobody if it is not one of ours, or can no longer be used.

        Any text may be asked about. How long it takes tells nothing but whether it has a token's form.
        """
        form = _FORM.fullmatch(token)
        if form is None:
            return None
        with self._database.reading() as rows:
            found = rows.run(
                "SELECT id, name, role, digest, expires_at, revoked_at FROM tokens WHERE id = ?", (form[1],)
            )
            now = rows.now()
        [(identity, name, role, digest, expires_at, revoked_at)] = found or [("", "", "agent", _NOBODY, None, None)]
        is_it = hmac.compare_digest(_digest(token), digest)
        if not is_it or _status(now, expires_at, revoked_at) != "valid":
            return None
        return Principal(identity, name, role)

    def is_good(self, principal: Principal) -> bool:
        """Whether the token that a principal came in with can still be used."""
        with self._database.reading() as rows:
            found = rows.run("SELECT expires_at, revoked_at FROM tokens WHERE id = ?", (principal.id,))
            return bool(found) and _status(rows.now(), *found[0]) == "valid"

    def listed(self) -> list[TokenEntry]:
        """All tokens there ever were, the oldest first."""
        with self._database.reading() as rows:
            now = rows.now()
            return [
                _entry(now, row)
                for row in rows.run(
                    "SELECT id, name, role, created_at, expires_at, revoked_at FROM tokens ORDER BY created_at, id"
                )
            ]

    def revoke(self, name_or_id: str) -> bool:
        """Whether there is such a token. If so, it can't be used any more when this returns."""
        if _NAME.fullmatch(name_or_id) is None:
            return False
        with self._database.writing() as rows:
            found = rows.run("SELECT id, revoked_at FROM tokens WHERE name = ? OR id = ?", (name_or_id, name_or_id))
            for identity, revoked_at in found:
                if revoked_at is None:
                    rows.change("UPDATE tokens SET revoked_at = ? WHERE id = ?", (rows.now(), identity))
                    rows.announce()
            return bool(found)


def is_good_name(rows: Rows, role: str, name: str) -> bool:
    """Whether who goes by the name of a token can still use it. A name that is no token's is not ours to judge."""
    found = rows.run("SELECT expires_at, revoked_at FROM tokens WHERE name = ? AND role = ?", (name, role))
    return not found or _status(rows.now(), *found[0]) == "valid"


def _check(role: Role, name: str | None, expires_in: float | None) -> None:
    if role not in get_args(Role):
        raise GuardhouseError("There is no such role.", fix=f"Roles are {', '.join(get_args(Role))}.")
    if name is not None and (_NAME.fullmatch(name) is None or _ID.fullmatch(name)):
        raise GuardhouseError(
            "That can't be the name of a token.",
            fix="Use up to 64 of a-z, 0-9, `_`, `.` and `-`, and not what looks like a token's id.",
        )
    if expires_in is not None and not (math.isfinite(expires_in) and 0 < expires_in <= _LONGEST):
        raise GuardhouseError("A token can't be valid that long.", fix="Name a time of up to a hundred years.")


def _create(rows: Rows, role: Role, name: str | None, expires_in: float | None) -> tuple[str, Principal]:
    identity = os.urandom(6).hex()
    name = name or f"{role}-{identity}"
    if rows.run("SELECT 1 FROM tokens WHERE name = ?", (name,)):
        raise GuardhouseError(
            "There is or was a token of that name.", fix="Take another name: a name always means the same token."
        )
    secret = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
    token = f"gdh_{role}_{identity}_{secret}"
    now = rows.now()
    rows.change(
        "INSERT INTO tokens (id, digest, role, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
        (identity, _digest(token), role, name, now, None if expires_in is None else now + expires_in),
    )
    rows.announce()
    return token, Principal(identity, name, role)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _status(now: float, expires_at: float | None, revoked_at: float | None) -> TokenStatus:
    if revoked_at is not None:
        return "revoked"
    return "expired" if expires_at is not None and expires_at <= now else "valid"


def _entry(now: float, row: tuple[Any, ...]) -> TokenEntry:
    identity, name, role, created_at, expires_at, revoked_at = row
    return TokenEntry(
        id=identity,
        name=name,
        role=role,
        status=_status(now, expires_at, revoked_at),
        created_at=created_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )
