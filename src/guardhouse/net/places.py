"""Places on well-known hosts where anybody can have an address: gists, forms, webhooks, bots.

Data only. Such a host is allowlisted for what else it offers, so the host's name says nothing about who gets what is
left there. Hosts that are nothing else are in `hosts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.net.destination import Destination

PlaceKind = Literal["paste", "form", "webhook", "bot", "script", "tracker"]


class Place(msgspec.Struct, frozen=True):
    """Addresses of one host that anybody can have."""

    kind: PlaceKind
    host: str
    """A name, or `*.name` for every host below it."""
    path: str
    """What the path begins with, by its segments; `*` is any one of them, or the rest of one."""
    by_reading: bool = False
    """Reading it leaves something there, too."""


PLACES: Final[tuple[Place, ...]] = (
    Place("paste", "gist.github.com", "/"),
    Place("paste", "api.github.com", "/gists"),
    Place("paste", "gitlab.com", "/-/snippets"),
    Place("paste", "gitlab.com", "/api/v4/snippets"),
    Place("paste", "api.bitbucket.org", "/2.0/snippets"),
    Place("form", "docs.google.com", "/forms/d/*/formResponse", by_reading=True),
    Place("form", "docs.google.com", "/forms/d/e/*/formResponse", by_reading=True),
    Place("form", "docs.google.com", "/forms/u/*/d/e/*/formResponse", by_reading=True),
    Place("form", "forms.office.com", "/formapi"),
    Place("form", "formspree.io", "/f"),
    Place("webhook", "discord.com", "/api/webhooks"),
    Place("webhook", "discord.com", "/api/v*/webhooks"),
    Place("webhook", "discordapp.com", "/api/webhooks"),
    Place("webhook", "discordapp.com", "/api/v*/webhooks"),
    Place("webhook", "*.discord.com", "/api/webhooks"),
    Place("webhook", "*.discord.com", "/api/v*/webhooks"),
    Place("webhook", "hooks.slack.com", "/"),
    Place("webhook", "outlook.office.com", "/webhook"),
    Place("webhook", "*.webhook.office.com", "/"),
    Place("webhook", "chat.googleapis.com", "/v1/spaces"),
    Place("webhook", "hooks.airtable.com", "/"),
    Place("webhook", "ntfy.sh", "/*"),
    Place("webhook", "ntfy.sh", "/*/publish", by_reading=True),
    Place("webhook", "ntfy.sh", "/*/send", by_reading=True),
    Place("webhook", "ntfy.sh", "/*/trigger", by_reading=True),
    Place("bot", "api.telegram.org", "/bot*/send*", by_reading=True),
    Place("bot", "api.telegram.org", "/bot*/forwardMessage", by_reading=True),
    Place("bot", "api.telegram.org", "/bot*/editMessage*", by_reading=True),
    Place("bot", "api.telegram.org", "/bot*/set*", by_reading=True),
    Place("bot", "api.telegram.org", "/bot*"),
    Place("bot", "api.pushover.net", "/1/messages.json", by_reading=True),
    Place("script", "script.google.com", "/macros/s/*/exec", by_reading=True),
    Place("script", "script.google.com", "/a/macros/*/s/*/exec", by_reading=True),
    Place("tracker", "www.google-analytics.com", "/collect", by_reading=True),
    Place("tracker", "www.google-analytics.com", "/g/collect", by_reading=True),
    Place("tracker", "www.google-analytics.com", "/mp/collect", by_reading=True),
    Place("tracker", "*.firebaseio.com", "/"),
)
"""Hosts where every address is somebody's come with the path `/`: then naming the host names the place."""


def place_of(destination: Destination, *, sends: bool) -> Place | None:
    """The place of anybody's that a request would leave something in; `sends`: it does more than read."""
    for place in _BY_HOST.get(destination.host, ()):
        if (sends or place.by_reading) and _begins(destination.segments, _segments(place)):
            return place
    parent = destination.host.partition(".")[2]
    for place in _BY_HOST.get(f"*.{parent}", ()):
        if (sends or place.by_reading) and _begins(destination.segments, _segments(place)):
            return place
    return None


def names_place(prefix: Destination, place: Place) -> bool:
    """Whether a URL prefix names the address that is meant: the way to the place, as far as the prefix goes, and more
    than the host."""
    wanted = _segments(place)
    given = tuple(segment for segment in prefix.segments if segment)
    if not given:
        return place.path == "/"
    fixed = sum(1 for segment in wanted if "*" not in segment)
    return len(given) >= min(max(fixed, 1), len(wanted) or 1) and all(
        _fits(one, other) for one, other in zip(given, wanted, strict=False)
    )


def _begins(segments: Sequence[str], wanted: Sequence[str]) -> bool:
    segments = [segment for segment in segments if segment]
    return len(segments) >= len(wanted) and all(_fits(one, other) for one, other in zip(segments, wanted, strict=False))


def _fits(segment: str, wanted: str) -> bool:
    segment, wanted = segment.lower(), wanted.lower()
    return segment.startswith(wanted[:-1]) if wanted.endswith("*") else segment == wanted


def _segments(place: Place) -> tuple[str, ...]:
    return tuple(segment for segment in place.path.split("/") if segment)


def _by_host() -> dict[str, tuple[Place, ...]]:
    found: dict[str, tuple[Place, ...]] = {}
    for place in PLACES:
        found[place.host] = (*found.get(place.host, ()), place)
    return found


_BY_HOST: Final = _by_host()
