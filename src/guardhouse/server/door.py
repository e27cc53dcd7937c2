"""Who comes in: tokens, roles and what each may do, and how often anybody may ask.

A token that was good a moment ago is not looked up again; it is after two seconds, as soon as the database says that
something changed, and always before somebody answers a request or changes the policy: a revoked one does not last.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from guardhouse.server.problems import Problem
from guardhouse.sign_ins import CODE_BEGINS, SESSION_BEGINS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from guardhouse.sign_ins import SignIn, SignIns
    from guardhouse.tokens import Principal, Role, Tokens

Right = Literal["evaluate", "read", "answer", "observe", "administer"]
"""`evaluate` and use approvals; `read` requests (an agent: its own); `answer` them; `observe` the record and sessions;
`administer` the policy."""

_RIGHTS: Final[dict[Role, frozenset[Right]]] = {
    "agent": frozenset({"evaluate", "read"}),
    "approver": frozenset({"read", "answer", "observe"}),
    "admin": frozenset({"evaluate", "read", "answer", "observe", "administer"}),
}
_REMEMBERED_FOR: Final = 2.0
_MOST_REMEMBERED: Final = 4096
_STRANGERS_PER_MINUTE: Final = 1200
_BEARER: Final = "bearer "
_LONGEST_TOKEN: Final = 256
_MOST_UNDER_WAY: Final = 2000


class Door:
    """Lets in who has a good token, or is signed in to the console by one."""

    def __init__(self, tokens: Tokens, sign_ins: SignIns, per_minute: Callable[[], int]) -> None:
        self._tokens = tokens
        self._sign_ins = sign_ins
        self._known: OrderedDict[bytes, tuple[Principal, float]] = OrderedDict()
        self._pace = Pace(per_minute)
        self._strangers = Pace(lambda: _STRANGERS_PER_MINUTE)
        self._under_way: Counter[str] = Counter()
        self._forgotten = 0

    def known(self, header: str) -> Principal | None:
        """Who the `Authorization` of a request stands for, if that was looked up just now."""
        found = self._known.get(_mark(header))
        return found[0] if found is not None and found[1] > time.monotonic() else None

    def check_still(self, principal: Principal) -> None:
        """A Problem if what somebody came in with is no longer good: they may have waited for long."""
        if not (self._sign_ins.is_good(principal) if principal.session else self._tokens.is_good(principal)):
            raise _unknown_token()

    def look_up(self, header: str, peer: str, *, by_itself: bool = False) -> Principal:
        """The same, asked of the database. A Problem if it is nobody, or somebody who has tried too often. What a page
        asks `by_itself` is no sign that somebody is there."""
        token = header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""
        forgotten = self._forgotten
        principal = None
        if token.startswith(SESSION_BEGINS):
            principal = self._sign_ins.check(token, is_used=not by_itself)
        elif token and len(token) <= _LONGEST_TOKEN:
            principal = self._tokens.check(token)
        if principal is None:
            if token:  # on loopback all have the same address: a good token is let in however often bad ones came
                self._strangers.check(peer)
            raise _unknown_token()
        if forgotten == self._forgotten:  # else something changed while it was looked up
            self._known[_mark(header)] = (principal, time.monotonic() + _REMEMBERED_FOR)
        while len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
        return principal

    def sign_in(self, given: str, peer: str) -> SignIn:
        """A session of the console for a token, or for a code that stands for one. A Problem if it is neither, or an
        agent's, or if somebody there has tried too often."""
        if given.startswith(CODE_BEGINS):
            begun = self._sign_ins.trade(given)
            if begun is None:
                self._strangers.check(peer)
                raise Problem(
                    401,
                    "This link was used already, or is too old.",
                    fix="Make another with `guardhouse console`, or paste a token.",
                )
            return begun
        principal = self._tokens.check(given) if len(given) <= _LONGEST_TOKEN else None
        if principal is None:
            self._strangers.check(peer)
            raise Problem(401, "That is no token that can be used.", fix="Check it, or have another made for you.")
        if not has_right(principal, "answer"):
            raise Problem(
                403, "This is an agent's token. The console is for people.", fix="Use an approver's or an admin's."
            )
        return self._sign_ins.begin(principal)

    def check(self, principal: Principal, right: Right) -> None:
        """A Problem unless that role has the right, and has not asked too often."""
        if not has_right(principal, right):
            raise Problem(403, f"A token of the role {principal.role} may not do this.", fix=_fix(right))
        self._pace.check(principal.id)

    @contextmanager
    def under_way(self, principal: Principal) -> Generator[None]:
        """While a request of a principal is being answered. A Problem if there are too many of theirs: one that waits
        for a thousand answers must not keep others from giving them."""
        if self._under_way[principal.id] >= _MOST_UNDER_WAY:
            raise Problem(429, "Too many requests of this token are under way.", headers={"retry-after": "1"})
        self._under_way[principal.id] += 1
        try:
            yield
        finally:
            self._under_way[principal.id] -= 1
            if not self._under_way[principal.id]:
                del self._under_way[principal.id]

    def forget(self) -> None:
        """Look everybody up again: something has changed."""
        self._forgotten += 1
        self._known.clear()


def has_right(principal: Principal, right: Right) -> bool:
    """Whether that role may."""
    return right in _RIGHTS[principal.role]


class Pace:
    """How often somebody may ask: so much a minute, and a sixth of that at once."""

    def __init__(self, per_minute: Callable[[], int]) -> None:
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, who: str) -> None:
        """A Problem if it is too often; otherwise it counts."""
        rate = self._per_minute()
        most = max(1.0, rate / 6)
        now = time.monotonic()
        left, since = self._left.pop(who, (most, now))
        left = min(most, left + (now - since) * rate / 60)
        enough = left >= 1
        self._left[who] = (left - 1 if enough else left, now)
        while len(self._left) > _MOST_REMEMBERED:
            self._left.popitem(last=False)
        if not enough:
            seconds = max(1, int((1 - left) * 60 / rate) + 1)
            raise Problem(429, "That was too often.", fix="Wait a little.", headers={"retry-after": str(seconds)})


def _unknown_token() -> Problem:
    return Problem(
        401,
        "This needs a token that is valid.",
        fix="Send `Authorization: Bearer TOKEN`; make one with `guardhouse token create`.",
        headers={"www-authenticate": "Bearer"},
    )


def _mark(header: str) -> bytes:
    """What a token is remembered by: not by itself."""
    return sha256(header.encode("utf-8", "surrogateescape")).digest()


def _fix(right: Right) -> str:
    roles = [role for role, rights in _RIGHTS.items() if right in rights]
    return f"Use a token of the role {' or '.join(roles)}."
