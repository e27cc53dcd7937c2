"""Who is signed in to the console: sessions of people, each bound to the token it came from, and codes that begin one.

Both are kept in the database as digests only. A session is over when its token is revoked or expired, when nobody used
it for a while, or at its end, whichever comes first. What somebody who is signed in may do is not decided here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import GuardhouseError
from guardhouse.tokens import Principal

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.database import Database, Rows

SESSION_BEGINS: Final = "gdh_console_"
CODE_BEGINS: Final = "gdh_code_"
CODE_LASTS: Final = 120.0
"""Seconds in which a code can be traded in."""

_SECRET: Final = r"([0-9a-f]{12})_[A-Za-z0-9_-]{43}"
_SESSION: Final = re.compile(SESSION_BEGINS + _SECRET, re.ASCII)
_CODE: Final = re.compile(CODE_BEGINS + _SECRET, re.ASCII)
_MOST_OF_ONE: Final = 20
"""Sessions that one token may have at a time; the oldest make room."""
_NOTED_EVERY: Final = 30.0
"""Seconds after which it is written down again that a session is used."""
_NOBODY: Final = hashlib.sha256(b"").hexdigest()
_OF_GOOD_TOKEN: Final = (
    "t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?) AND t.role IN ('approver', 'admin')"
)


class Lasting(msgspec.Struct, frozen=True):
    """How long a session lasts, in seconds."""

    idle: float = 1800.0
    """Without being used."""
    most: float = 43_200.0
    """In all."""


class SignIn(msgspec.Struct, frozen=True):
    """A session that has begun."""

    secret: str
    """Told now and never again."""
    principal: Principal
    ends_at: float
    """Seconds since 1970."""


class SignIns:
    """The sessions of a database. Safe to share between threads, as the database is."""

    def __init__(self, database: Database, lasting: Callable[[], Lasting] = Lasting) -> None:
        self._database: Final = database
        self._lasting: Final = lasting

    def begin(self, principal: Principal) -> SignIn:
        """A new session of somebody whose token was just looked at. GuardhouseError if it is an agent's."""
        if principal.role == "agent":
            raise GuardhouseError("An agent can't use the console.", fix="Use the token of an approver or an admin.")
        with self._database.writing() as rows:
            return self._begin(rows, principal)

    def make_code(self, name: str | None) -> tuple[str, Principal]:
        """A code that signs somebody in, once and soon, by the token of that name; by an admin's if none is named.

        GuardhouseError if there is no such token that can be used, or it is an agent's.
        """
        with self._database.writing() as rows:
            now = rows.now()
            rows.change("DELETE FROM sign_in_codes WHERE expires_at <= ?", (now,))
            found = rows.run(
                f"SELECT t.id, t.name, t.role FROM tokens t WHERE {_OF_GOOD_TOKEN} "  # noqa: S608 - a text of ours
                "AND (t.name = ? OR (? = '' AND t.role = 'admin')) ORDER BY t.created_at LIMIT 1",
                (now, name or "", name or ""),
            )
            if not found:
                raise GuardhouseError(
                    "There is no token of an approver or admin of that name that can be used."
                    if name
                    else "There is no admin's token that can be used.",
                    fix="See `guardhouse token list`, or make one with `guardhouse token create --role approver`.",
                )
            identity, code = _new(CODE_BEGINS)
            rows.change(
                "INSERT INTO sign_in_codes (id, digest, token_id, expires_at) VALUES (?, ?, ?, ?)",
                (identity, _digest(code), found[0][0], now + CODE_LASTS),
            )
            return code, Principal(*found[0])

    def trade(self, code: str) -> SignIn | None:
        """The session that a code begins; None if it is none, was traded in before, or is too old. Of many that try
        at once, one gets it."""
        form = _CODE.fullmatch(code)
        if form is None:
            return None
        with self._database.writing() as rows:
            found = rows.run(
                "SELECT c.digest, c.expires_at, t.id, t.name, t.role FROM sign_in_codes c "  # noqa: S608 - ours
                f"JOIN tokens t ON t.id = c.token_id WHERE c.id = ? AND {_OF_GOOD_TOKEN}",
                (form[1], rows.now()),
            )
            [(digest, expires_at, *who)] = found or [(_NOBODY, 0.0, "", "", "agent")]
            if not hmac.compare_digest(_digest(code), digest):
                return None
            rows.change("DELETE FROM sign_in_codes WHERE id = ?", (form[1],))
            return self._begin(rows, Principal(*who)) if expires_at > rows.now() else None

    def check(self, secret: str, *, is_used: bool = True) -> Principal | None:
        """Who is signed in by this; nobody if it is not one of ours, or over. That it `is_used` by a person, and not
        by a page that looks for news, keeps it from becoming idle."""
        form = _SESSION.fullmatch(secret)
        if form is None:
            return None
        idle = self._lasting().idle
        with self._database.reading() as rows:
            now = rows.now()
            found = _good(rows, form[1], now, idle)
        [(digest, used_at, identity, name, role)] = found or [(_NOBODY, 0.0, "", "", "agent")]
        if not hmac.compare_digest(_digest(secret), digest):
            return None
        if is_used and now - used_at > min(_NOTED_EVERY, idle / 4):
            with self._database.writing() as rows:
                rows.change("UPDATE console_sessions SET used_at = ? WHERE id = ?", (rows.now(), form[1]))
        return Principal(identity, name, role, form[1])

    def is_good(self, principal: Principal) -> bool:
        """Whether the session that a principal came in by is not over yet."""
        with self._database.reading() as rows:
            return bool(_good(rows, principal.session, rows.now(), self._lasting().idle))

    def end(self, principal: Principal) -> None:
        """Sign out: the session that a principal came in by is over when this returns."""
        with self._database.writing() as rows:
            rows.change("DELETE FROM console_sessions WHERE id = ?", (principal.session,))
            rows.announce()

    def _begin(self, rows: Rows, principal: Principal) -> SignIn:
        now = rows.now()
        lasting = self._lasting()
        rows.change(
            "DELETE FROM console_sessions WHERE ends_at <= ? OR used_at <= ? OR id IN "
            "(SELECT id FROM console_sessions WHERE token_id = ? ORDER BY created_at DESC LIMIT 1000 OFFSET ?)",
            (now, now - lasting.idle, principal.id, _MOST_OF_ONE - 1),
        )
        identity, secret = _new(SESSION_BEGINS)
        rows.change(
            "INSERT INTO console_sessions (id, digest, token_id, created_at, used_at, ends_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (identity, _digest(secret), principal.id, now, now, now + lasting.most),
        )
        rows.announce()
        return SignIn(secret, Principal(principal.id, principal.name, principal.role, identity), now + lasting.most)


def _good(rows: Rows, identity: str, now: float, idle: float) -> list[tuple[Any, ...]]:
    return rows.run(
        "SELECT s.digest, s.used_at, t.id, t.name, t.role FROM console_sessions s "  # noqa: S608 - a text of ours
        f"JOIN tokens t ON t.id = s.token_id WHERE s.id = ? AND s.ends_at > ? AND s.used_at > ? AND {_OF_GOOD_TOKEN}",
        (identity, now, now - idle, now),
    )


def _new(beginning: str) -> tuple[str, str]:
    """An id and the secret that has it in it."""
    identity = os.urandom(6).hex()
    return identity, f"{beginning}{identity}_{base64.urlsafe_b64encode(os.urandom(32)).rstrip(b'=').decode()}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
