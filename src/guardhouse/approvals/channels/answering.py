"""Answers that come through a channel: which card they belong to, and what the person is told.

A notifier has made sure who speaks, and where. Here it is made sure that the card is the one that counts, and that
nobody approves by a card that does not show the whole action. What an answer is good for, the approver decides.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from guardhouse.approvals.card import outcome, plain
from guardhouse.approvals.channels.interface import Press, Reply, Said
from guardhouse.approvals.channels.minimum import is_shown_whole, remote_card
from guardhouse.approvals.interface import NoSuchRequest, NotOffered, NotYours, RequestClosed
from guardhouse.approvals.wording import split_terms, wanted
from guardhouse.model import ONCE, ApprovalRequest, GuardhouseError, Terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.approvals.approver import Approver
    from guardhouse.approvals.channels.deliveries import Deliveries

_Answer = TypeVar("_Answer")
_NAME: Final = re.compile(r"ap_[0-9A-Za-z_-]{6,125}")

_UNKNOWN_BUTTON: Final = Reply("This button is not valid. Nothing was changed.")
_STALE: Final = Reply("This card is not valid any more; there is a newer one. Nothing was changed.", is_stale=True)
_TOO_SOON: Final = Reply("This card has only just been sent. Nothing was changed; press again in a moment.")
_OVER: Final = Reply("This request is settled. Nothing was changed.")
_NOT_WHOLE: Final = Reply(
    "Not approved: this card does not show the whole action. Look at it in the console or at a terminal."
)
_NOT_SHOWN: Final = Reply(
    "Not approved: this card does not show what that would cover. Say it without, or answer at a terminal."
)
_NO_CARD: Final = Reply("There is no card with that id in this chat. Give the id, or at least ap_ and 6 characters.")
_MANY_CARDS: Final = Reply("Several ids begin like that. Give more of it.")
_FAILED: Final = Reply("That could not be kept, so nothing was changed. Try again, or answer elsewhere.")


class ChannelAnswers:
    """Takes the answers of one channel in. Whatever fails is told to the person, and reported."""

    def __init__(self, channel: str, approver: Approver, deliveries: Deliveries, report: Callable[[str], None]) -> None:
        self._channel = channel
        self._approver = approver
        self._deliveries = deliveries
        self._report = report

    async def pressed(self, press: Press) -> Reply:
        """A button counts if it is on the very card that it was made for, and that card is in force."""
        return await asyncio.to_thread(self._told, self._press, press)

    async def said(self, said: Said) -> Reply:
        """A command counts for requests that have a card where it was said."""
        return await asyncio.to_thread(self._told, self._obey, said)

    def _told(self, take: Callable[[_Answer], Reply], answer: _Answer) -> Reply:
        try:
            return take(answer)
        except (RequestClosed, NoSuchRequest, NotOffered, NotYours) as error:
            return Reply(plain(str(error)))
        except GuardhouseError as error:
            self._report(f"An answer through {self._channel} could not be kept: {error}")
            return _FAILED

    def _press(self, press: Press) -> Reply:
        card = self._deliveries.by_button(self._channel, press.button)
        if card is None or card.address != press.address:
            return _UNKNOWN_BUTTON
        if card.state == "sending":
            return _TOO_SOON
        if card.state == "final":
            return _settled(self._approver.get(card.request_id))
        if card.state != "shown" or card.message != press.message:
            return _STALE
        return self._answer(card.request_id, approve=card.approves, actor=press.actor)

    def _obey(self, said: Said) -> Reply:
        named = self._deliveries.named(self._channel, said.address, said.named) if _NAME.fullmatch(said.named) else []
        exact = [one for one in named if one == said.named] or named
        if len(exact) != 1:
            return _MANY_CARDS if exact else _NO_CARD
        [request_id] = exact
        if said.verb == "resume":
            request = self._approver.ask_to_resume(request_id, actor=said.actor)
            return Reply(f"The agent is told to take {request.id} up. {_outcome(request)}")
        if said.verb == "deny":
            return self._answer(request_id, approve=False, actor=said.actor, comment=said.comment)
        terms, comment = split_terms(said.comment or "")
        return self._answer(request_id, approve=True, actor=said.actor, comment=comment or None, terms=terms)

    def _answer(
        self, request_id: str, *, approve: bool, actor: str, comment: str | None = None, terms: Terms = ONCE
    ) -> Reply:
        request = self._approver.get(request_id)
        if request is None:
            raise NoSuchRequest
        if approve and not is_shown_whole(request):
            return _NOT_WHOLE
        offered = {word.partition("=")[0] for word, _ in remote_card(request).longer}
        if not set(wanted(terms)) <= offered:
            return _NOT_SHOWN
        answered = self._approver.answer(request_id, approve=approve, actor=actor, comment=comment, terms=terms)
        return Reply(_outcome(answered))


def _settled(request: ApprovalRequest | None) -> Reply:
    return _OVER if request is None else Reply(f"Nothing was changed. {_outcome(request)}")


def _outcome(request: ApprovalRequest) -> str:
    """One sentence, without what somebody said elsewhere."""
    return outcome(msgspec.structs.replace(request, comment=None))
