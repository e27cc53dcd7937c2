"""The cards that were put to people elsewhere, as rows: what was sent where, and how far that has come.

A row is there before its card is sent, so that no card is sent twice and no button works that nobody knows of. Only
the holder of a channel's lease adds or changes rows; a row that a dead process left half-way is `lost`, and then
another card takes its place. It sends nothing and answers nothing.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from os import urandom
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from guardhouse.approvals.channels.interface import Buttons
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Generator

    from guardhouse.database import Database, Rows

_BUTTON_BYTES: Final = 24

# Both states in the text where one would do: only so does SQLite see that a partial index fits.
_LOST: Final = (
    "UPDATE deliveries SET state = 'lost', changed_at = ? "
    "WHERE channel = ? AND state IN ('sending', 'shown') AND state = 'sending'"
)
_WITHOUT_CARD: Final = (
    "SELECT id FROM requests WHERE status = 'pending' AND NOT EXISTS (SELECT 1 FROM deliveries "
    "WHERE request_id = requests.id AND channel = ? AND address = ? AND state <> 'lost') ORDER BY number LIMIT ?"
)
_OUTDATED: Final = (
    "SELECT deliveries.id, request_id, address, message, requests.change FROM deliveries "
    "JOIN requests ON requests.id = request_id "
    "WHERE channel = ? AND state IN ('sending', 'shown') AND state = 'shown' AND change > shown_change "
    "ORDER BY change, deliveries.id LIMIT ?"
)
_BY_BUTTON: Final = (
    "SELECT request_id, address, message, state, approve_digest = ? FROM deliveries "
    "WHERE channel = ? AND (approve_digest = ? OR deny_digest = ?)"
)
_BY_NAME: Final = (
    "SELECT DISTINCT request_id FROM deliveries WHERE channel = ? AND address = ? AND message IS NOT NULL "
    "AND state IN ('shown', 'final') AND substr(request_id, 1, ?) = ? ORDER BY request_id LIMIT 2"
)


class Unsent(msgspec.Struct, frozen=True):
    """A card that is being sent."""

    id: str
    request_id: str
    address: str
    buttons: Buttons

    def __repr__(self) -> str:
        return f"Unsent({self.id!r})"  # buttons are for whoever gets the card


class Outdated(msgspec.Struct, frozen=True):
    """A card that shows less than what became of its request."""

    id: str
    request_id: str
    address: str
    message: str
    change: int
    """The change of the request that it does not show yet."""


class Pressed(msgspec.Struct, frozen=True):
    """The card that a button belongs to."""

    request_id: str
    address: str
    message: str | None
    state: Literal["sending", "shown", "final", "lost"]
    approves: bool


class LeaseLost(GuardhouseError):
    """Another process has taken the channel over."""

    def __init__(self, channel: str) -> None:
        super().__init__(f"Another process looks after {channel} now.")


class Deliveries:
    """The rows about cards in a database. Safe to share between threads; every method is one transaction."""

    def __init__(self, database: Database, holder: str) -> None:
        """`holder` names this process among all that use the database, and is never used again."""
        self._database: Final = database
        self._holder: Final = holder

    # Leases

    def take(self, channel: str, seconds: float, *, anew: bool = False) -> bool:
        """Whether this process looks after the channel for the next `seconds`, by the database's clock. Whoever begins
        `anew`, or takes over, gives up the cards that were being sent: nobody knows whether they arrived."""
        with self._database.writing() as rows:
            now = rows.now()
            held = rows.run("SELECT holder, until FROM leases WHERE name = ?", (channel,))
            if held:
                holder, until = held[0]
                # One that ends later than any lease could was made by a clock that has been set back since.
                if holder != self._holder and now < until <= now + 2 * seconds:
                    return False
                rows.change(
                    "UPDATE leases SET holder = ?, until = ? WHERE name = ?", (self._holder, now + seconds, channel)
                )
                anew |= holder != self._holder
            else:
                rows.change("INSERT INTO leases VALUES (?, ?, ?)", (channel, self._holder, now + seconds))
                anew = True
            if anew:
                rows.change(_LOST, (now, channel))
            return True

    def give_back(self, channel: str) -> None:
        """Let another process look after the channel at once, if this one does."""
        with self._database.writing() as rows:
            rows.change("DELETE FROM leases WHERE name = ? AND holder = ?", (channel, self._holder))

    # Cards

    def without_card(self, channel: str, address: str, *, limit: int) -> list[str]:
        """Pending requests of which there is no card at that address, the oldest first."""
        with self._database.reading() as rows:
            return [row[0] for row in rows.run(_WITHOUT_CARD, (channel, address, limit))]

    def begin(self, channel: str, request_id: str, address: str, *, with_approve: bool) -> Unsent | None:
        """A card that is to be sent now; None if it is not needed any more. LeaseLost if that is another's affair."""
        buttons = Buttons(urandom(_BUTTON_BYTES).hex(), urandom(_BUTTON_BYTES).hex() if with_approve else None)
        unsent = Unsent(f"dl_{urandom(12).hex()}", request_id, address, buttons)
        with self._writing_as_holder(channel) as rows:
            pending = rows.run("SELECT change FROM requests WHERE id = ? AND status = 'pending'", (request_id,))
            there = rows.run(
                "SELECT 1 FROM deliveries WHERE request_id = ? AND channel = ? AND address = ? AND state <> 'lost'",
                (request_id, channel, address),
            )
            if not pending or there:
                return None
            rows.change(
                "INSERT INTO deliveries (id, request_id, channel, address, state, approve_digest, deny_digest, "
                "shown_change, changed_at) VALUES (?, ?, ?, ?, 'sending', ?, ?, ?, ?)",
                (
                    unsent.id,
                    request_id,
                    channel,
                    address,
                    None if buttons.approve is None else _digest(buttons.approve),
                    _digest(buttons.deny),
                    pending[0][0],
                    rows.now(),
                ),
            )
        return unsent

    def shown(self, delivery_id: str, message: str) -> bool:
        """The card arrived and is called `message`. False if it counts as lost already: another one takes its place."""
        with self._database.writing() as rows:
            statement = "UPDATE deliveries SET state = 'shown', message = ?, changed_at = ? WHERE id = ? AND state = ?"
            return rows.change(statement, (message, rows.now(), delivery_id, "sending")) == 1

    def give_up(self, delivery_id: str) -> None:
        """The card can't be sent, and no other will be."""
        self._end(delivery_id, "final")

    def lose(self, delivery_id: str) -> None:
        """The card was not sent, or nobody knows; if its request still waits, another one will be."""
        self._end(delivery_id, "lost")

    def outdated(self, channel: str, *, limit: int) -> list[Outdated]:
        """Cards whose requests have changed since, those that changed first at the front."""
        with self._database.reading() as rows:
            return [Outdated(*row) for row in rows.run(_OUTDATED, (channel, limit))]

    def updated(self, outdated: Outdated, *, is_final: bool) -> None:
        """The card shows that change now; if `is_final`, there will be no other."""
        with self._database.writing() as rows:
            rows.change(
                "UPDATE deliveries SET state = ?, shown_change = ?, changed_at = ? WHERE id = ? AND state = 'shown'",
                ("final" if is_final else "shown", outdated.change, rows.now(), outdated.id),
            )

    # Answers

    def by_button(self, channel: str, button: str) -> Pressed | None:
        """The card that a button belongs to, in whatever state it is."""
        digest = _digest(button)
        with self._database.reading() as rows:
            found = rows.run(_BY_BUTTON, (digest, channel, digest, digest))
        if not found:
            return None
        request_id, address, message, state, approves = found[0]
        return Pressed(request_id, address, message, state, bool(approves))

    def named(self, channel: str, address: str, beginning: str) -> list[str]:
        """Ids that begin so, of requests that have a card at that address: none, the only one, or two of several."""
        with self._database.reading() as rows:
            return [row[0] for row in rows.run(_BY_NAME, (channel, address, len(beginning), beginning))]

    def _end(self, delivery_id: str, state: str) -> None:
        with self._database.writing() as rows:
            statement = "UPDATE deliveries SET state = ?, changed_at = ? WHERE id = ? AND state = 'sending'"
            rows.change(statement, (state, rows.now(), delivery_id))

    @contextmanager
    def _writing_as_holder(self, channel: str) -> Generator[Rows]:
        with self._database.writing() as rows:
            lease = "SELECT 1 FROM leases WHERE name = ? AND holder = ? AND until > ?"
            if not rows.run(lease, (channel, self._holder, rows.now())):
                raise LeaseLost(channel)
            yield rows


def _digest(button: str) -> str:
    return hashlib.sha256(button.encode("utf-8", "surrogatepass")).hexdigest()
