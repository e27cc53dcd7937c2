"""How a URL is read, for a person to look at: what browsers make of one that is refused, and a form of it that may be
shown. What is judged is `destination`'s reading, and no other.
"""

from __future__ import annotations

from typing import Final

from guardhouse.model import visible
from guardhouse.net.destination import MAX_URL

_LONGEST_SHOWN: Final = 300


def shown(raw: str, *, is_read: bool = False) -> str:
    """A URL without user info, and with the values of its query and fragment left out; invisible characters visible.
    One that was read as a destination has no user info, whatever else an at sign in it says."""
    before, hash_mark, _ = raw.partition("#")
    place, mark, query = before.partition("?")
    text = place if is_read else _without_user(place)
    if mark:
        text += "?" + "&".join(_without_value(pair) for pair in query.split("&"))
    text = visible(f"{text}#…" if hash_mark else text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _without_value(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if equals:
        return f"{name}=…" if value else pair
    return "…" if pair else ""


def _without_user(place: str) -> str:
    """Everything up to the last at sign may be a password, whoever reads it how."""
    _, at, after = place.rpartition("@")
    scheme, colon, _ = place.partition("://")
    if at:
        return f"{scheme}://…@{after}" if colon and scheme.isalpha() else f"…@{after}"
    authority = place[len(scheme) + len(colon) :].replace("\\", "/").partition("/")[0] if colon else ""
    name, mark, port = authority.partition(":")
    if mark and not authority.startswith("[") and not port.isdigit():
        return f"{scheme}://{name}:…"  # no port, but perhaps a password that was cut off by a sign in it
    return place


def as_browsers_read(raw: str) -> str | None:
    """Scheme, host, port and path as the parser of browsers reads them; None if it reads nothing."""
    from ada_url import URL

    if len(raw) > MAX_URL:
        return None
    try:
        url = URL(raw)
    except ValueError:
        return None
    return visible(f"{url.protocol}//{url.host}{url.pathname}")[:_LONGEST_SHOWN] if url.host else None
