"""Finds where a connection or a request goes to, among what a call is given.

Whether one may go there is not said here.
"""

from __future__ import annotations

from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.context import Context
from guardhouse.detect.inline.tokens import COMMAND, MARK, MIXED, NAME, TEXT

_SCHEMES: Final = ("http://", "https://", "ftp://", "ftps://", "ws://", "wss://", "sftp://", "tftp://", "gopher://")
_SOCKET_WORDS: Final = frozenset("tcp udp tcp4 tcp6 peeraddr peerhost peerport proto r r+ w stream".split())
_REQUESTS: Final = frozenset("fetch curl_init axios got mail mb_send_mail".split())


def is_remote(text: str) -> bool:
    """Whether the text is a URL that leads away from here."""
    return text[:9].lower().startswith(_SCHEMES)


def is_request(name: str, text: str) -> bool:
    """Whether the call is a request, though one can't see where to."""
    lowered = name.lower()
    return is_remote(text) or "http" in lowered or lowered in _REQUESTS


def fetch(context: Context, url: str) -> None:
    """Note a request to a URL."""
    notes = context.notes
    notes.fetches = True
    # What is put into the address leaves with it.
    notes.sends |= UNKNOWN in url
    notes.connect(url, "url")


def fetch_somewhere(context: Context, text: str, after: int, name: str) -> None:
    """Note a request, wherever the call that is given `text` and more from token `after` on says that it goes."""
    if is_remote(text):
        fetch(context, text)
    elif is_request(name, text):
        context.notes.fetches = True
        host = _named_host(context, after)
        context.notes.connect(host or UNKNOWN, "host" if host else "url")


def _named_host(context: Context, after: int) -> str:
    """The host in `{hostname: "example.com", …}`."""
    tokens = context.tokens
    for at in range(after, min(len(tokens.kinds) - 2, after + 40)):
        is_key = tokens.texts[at] in ("host", "hostname") and tokens.is_mark(at + 1, ":")
        if is_key and tokens.kinds[at + 2] == TEXT:
            return tokens.texts[at + 2]
    return ""


def socket_host(context: Context, after: int) -> str:
    """Host and port of a socket, wherever they stand among the arguments; nothing if neither is there."""
    tokens, host, port, depth = context.tokens, "", "", 0
    for at in range(after, min(len(tokens.kinds), after + 32)):
        kind, text = tokens.kinds[at], tokens.texts[at]
        if kind == MARK:
            depth += (text in "([{") - (text in ")]}")
            if depth <= 0 and text in ");\n":
                break
            continue
        known: str | None = text
        if kind == NAME:
            known = context.constants.get(text)
        elif kind == MIXED:
            known = context.filled(text)
        if known is not None and kind != COMMAND:
            host, port = _with(known, host, port)
    if not host:
        return f"localhost:{port}" if port and context.called == "node" else ""
    return f"{host}:{port}" if port else host


def _with(text: str, host: str, port: str) -> tuple[str, str]:
    """Host and port, where the text is one of them or both, and they are not known yet."""
    text = text.partition("://")[2] if "://" in text else text
    if text.isdigit():
        return host, port or text
    if host or not text or text.lower() in _SOCKET_WORDS or " " in text:
        return host, port
    name, colon, number = text.rpartition(":")
    if colon and number.isdigit() and ":" not in name:
        return name, port or number
    return (text, port) if "." in text or text == "localhost" or UNKNOWN in text else (host, port)
