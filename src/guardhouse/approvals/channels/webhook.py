"""Cards as signed messages to a service of the operator's own.

Each message is JSON, signed with a secret that both sides know, over the time it was sent and its very bytes. It only
tells: whoever wants to answer does so elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.approvals.channels.credentials import read_credential, stays_unread
from guardhouse.approvals.channels.interface import (
    Buttons,
    Poster,
    RemoteCard,
    Setting,
    TryLater,
    Undeliverable,
)
from guardhouse.model import GuardhouseError
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNATURE: Final = "Guardhouse-Signature"
_SHORTEST_SECRET: Final = 16
_TOO_MANY: Final = 429
_TIMED_OUT: Final = 408


def open_webhook(setting: Setting) -> Webhook | None:
    """The notifier that the configuration asks for; None without a URL. GuardhouseError if it can't be used."""
    section = setting.config.approvals.webhook
    if not section.url:
        return None
    try:
        destination = parse_destination(section.url)
    except BadDestination as error:
        raise GuardhouseError(f"approvals.webhook.url can't be used: {error.what}", fix=error.fix) from None
    if destination.scheme not in {"http", "https"}:
        raise GuardhouseError("approvals.webhook.url is no http or https URL.", fix="Use an https URL.")
    if not stays_unread(destination):
        raise GuardhouseError(
            "approvals.webhook.url would send cards over the network in the clear.",
            fix="Use https; plain http is for services on this machine, as http://127.0.0.1:8080/.",
        )
    secret = read_credential(
        setting.environment, "GUARDHOUSE_WEBHOOK_SECRET", section.secret_file, "secret of the webhook"
    )
    if len(secret) < _SHORTEST_SECRET:
        raise GuardhouseError(
            "The secret of the webhook is too short to sign with.",
            fix=f"Use at least {_SHORTEST_SECRET} characters, as from `openssl rand -hex 32`.",
        )
    return Webhook(destination.href, secret.encode(), setting.open_poster(destination.href))


class Webhook:
    """Posts every card to one URL."""

    name: Final = "webhook"

    def __init__(self, url: str, secret: bytes, poster: Poster, *, clock: Callable[[], float] = time.time) -> None:
        self._url = url
        self._secret = secret
        self._poster = poster
        self._clock = clock
        # A URL may hold a token of its own, so it is not kept.
        self.addresses: Final = (f"sha256:{hashlib.sha256(url.encode()).hexdigest()[:16]}",)

    async def send(self, delivery_id: str, address: str, card: RemoteCard, buttons: Buttons) -> str:  # noqa: ARG002
        """Tell that a request was opened."""
        await self._post("approval.opened", delivery_id, card)
        return delivery_id

    async def settle(self, delivery_id: str, address: str, message: str, card: RemoteCard) -> None:  # noqa: ARG002
        """Tell what became of it."""
        await self._post("approval.settled", delivery_id, card)

    async def close(self) -> None:
        """Let go of connections."""
        await self._poster.close()

    async def _post(self, event: str, delivery_id: str, card: RemoteCard) -> None:
        body = msgspec.json.encode({"event": event, "delivery": delivery_id, "request": _told(card)})
        moment = str(int(self._clock()))
        headers = {"Content-Type": "application/json", SIGNATURE: signature(self._secret, moment, body)}
        try:
            status = await self._poster.post(self._url, headers, body)
        except GuardhouseError as error:
            raise TryLater(f"The webhook can't be reached: {error}") from None
        if status in {_TOO_MANY, _TIMED_OUT} or status >= 500:
            raise TryLater(f"The webhook answered with status {status}.", stops_all=status == _TOO_MANY)
        if not 200 <= status < 300:
            raise Undeliverable(
                f"The webhook answered with status {status}.", fix="Look at the service; redirects are not followed."
            )


def signature(secret: bytes, moment: str, body: bytes) -> str:
    """The value of the signing header: when it was sent, and the HMAC over that moment, a dot and the body."""
    digest = hmac.new(secret, moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


def _told(card: RemoteCard) -> dict[str, Any]:
    return {
        "id": card.request_id,
        "status": card.status.value,
        "outcome": card.outcome,
        "risk": card.risk,
        "advice": card.advice,
        "action": [{"field": one.field, "shown": one.text, "verbatim": one.is_verbatim} for one in card.action],
        "unlisted": card.unlisted,
        "at_stake": card.at_stake,
        "reasons": [{"code": code, "title": title} for code, title in card.reasons],
        "session": card.session or None,
        "created_at": card.created_at,
        "expires_at": card.expires_at,
        "covers": card.covers,
        "longer": [{"word": word, "covers": covers} for word, covers in card.longer],
        "whole": card.is_whole,
        "link": card.link or None,
    }
