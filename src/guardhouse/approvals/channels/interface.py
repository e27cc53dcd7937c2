"""What a channel to people on other machines is: how cards get there, and how answers come back.

A notifier carries cards and knows who talks to it; it decides nothing. Which card goes where and when is the
courier's affair, and what an answer is good for is the state machine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol, runtime_checkable

import msgspec

from guardhouse.model import ApprovalStatus, GuardhouseError
from guardhouse.policy.schema import GuardSection


class Shown(msgspec.Struct, frozen=True):
    """One value of an action as it is shown remotely."""

    field: str
    """Where it stands in the action, and of which kind it is if that can't be told from its text."""
    text: str
    """The value itself, or what may be said of it."""
    is_verbatim: bool
    """Whether it is the value itself. If not, the action is not shown whole."""


class RemoteCard(msgspec.Struct, frozen=True, kw_only=True):
    """What another machine may know of a request: SPEC A6's minimum, as plain text. A notifier escapes it."""

    request_id: str
    status: ApprovalStatus
    outcome: str = ""
    """What became of it, in a sentence; empty while it is pending."""
    risk: str
    advice: str
    action: tuple[Shown, ...]
    unlisted: int = 0
    """Values that are not even listed."""
    at_stake: tuple[str, ...] = ()
    """What would be lost, a line each."""
    reasons: tuple[tuple[str, str], ...]
    """Codes with the catalogue's titles, which quote nothing."""
    session: str = ""
    """Empty if there is none, or if cards leave it out."""
    created_at: float
    expires_at: float
    covers: str
    longer: tuple[tuple[str, str], ...] = ()
    """Words that say yes for more than once or on a condition, each with what that covers; none unless `is_whole`."""
    is_whole: bool
    """Whether the whole action and all that is at stake are shown. Only then may somebody approve by this card."""
    link: str = ""
    """The request in the console, if people can reach one."""
    command: str
    """What to type at a terminal to approve it."""


class Buttons(msgspec.Struct, frozen=True):
    """What the buttons of one card carry: random, known to nobody else, and kept only as digests."""

    deny: str
    approve: str | None = None
    """None if the card does not show the whole action."""


class Press(msgspec.Struct, frozen=True, kw_only=True):
    """A button that somebody pressed, whom the notifier has authenticated."""

    address: str
    """Where the card is that it was pressed on."""
    message: str
    """What the channel calls that card."""
    button: str
    actor: str


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A command that somebody wrote, whom the notifier has authenticated."""

    address: str
    verb: Literal["approve", "deny", "resume"]
    named: str
    """A request's id, or how it begins."""
    comment: str | None = None
    actor: str


class Reply(msgspec.Struct, frozen=True):
    """What to tell the person who answered."""

    text: str
    is_stale: bool = False
    """The card they pressed on is not the one that counts, and should lose its buttons."""


class Answers(Protocol):
    """Takes answers in. Says in words what became of each; raises nothing but what asyncio raises."""

    async def pressed(self, press: Press) -> Reply:
        """A button."""
        ...

    async def said(self, said: Said) -> Reply:
        """A command."""
        ...


class Notifier(Protocol):
    """A way to show cards to people. All of its methods are called within one event loop."""

    @property
    def name(self) -> str:
        """One word; deliveries are kept under it, so it must not change."""
        ...

    @property
    def addresses(self) -> tuple[str, ...]:
        """To whom every card goes, as the channel calls them. Kept in the store, so no secret is in them."""
        ...

    async def send(self, delivery_id: str, address: str, card: RemoteCard, buttons: Buttons) -> str:
        """Show a card of a pending request, and say what the channel calls it.

        TryLater if it can't be sent now, Undeliverable if it never can.
        """
        ...

    async def settle(self, delivery_id: str, address: str, message: str, card: RemoteCard) -> None:
        """Let a card that was shown say what became of its request, and take its buttons away. Raises like `send`.

        Asked again with the same card, it changes nothing.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@runtime_checkable
class Listener(Protocol):
    """A notifier that people can answer through."""

    async def listen(self, answers: Answers, report: Callable[[str], None]) -> None:
        """Take answers until cancelled. TryLater if nothing can be heard now; then it is called again."""
        ...


class TryLater(GuardhouseError):
    """This card can't be shown or changed now. If it `stops_all`, no other can either: no connection can be made, or
    the channel wants to be left alone, for some `seconds` if it says so."""

    def __init__(self, what: str, *, seconds: float | None = None, stops_all: bool = False, fix: str = "") -> None:
        super().__init__(what, fix=fix)
        self.seconds: Final = seconds
        self.stops_all: Final = stops_all or seconds is not None


class Undeliverable(GuardhouseError):
    """This card can't be shown or changed, and trying again won't help. Others may."""


class Poster(Protocol):
    """Sends one HTTP request. The network's failures are GuardhouseErrors that quote nothing."""

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer to a POST. Redirects are not followed."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What notifiers are built from."""

    config: GuardSection
    environment: Mapping[str, str]
    open_poster: Callable[[str], Poster]
    """A way to post to one URL, which the operator wrote down."""
