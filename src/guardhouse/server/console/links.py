"""Where a session's page is. Its key is any text, so it stands in the path in an alphabet of its own."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from guardhouse.server.house import session_key

_LONGEST: Final = 4096


def session_link(principal: str | None, session_id: str | None) -> str:
    """The page of a principal's session, or of one of this machine's own agents; empty if there is no session, or none
    that a link can name."""
    if not session_id:
        return ""
    return key_link(session_key(principal, session_id) if principal else session_id)


def key_link(key: str) -> str:
    """The same, by what the session is kept by."""
    written = key.encode("utf-8", "surrogatepass")
    return f"/sessions/{urlsafe_b64encode(written).rstrip(b'=').decode()}" if len(written) <= _LONGEST else ""


def key_in(part: str) -> str | None:
    """The key that a path names; None if it names none."""
    try:
        written = urlsafe_b64decode(part.encode("ascii") + b"=" * (-len(part) % 4))
        key = written.decode("utf-8")
    except ValueError:
        return None
    return key if key and urlsafe_b64encode(written).rstrip(b"=").decode() == part else None
