"""A URL, read strictly: the one form in which a destination is judged, shown and dialled.

Two parsers read every URL: the WHATWG one that browsers use, and the strict one below. What they read differently,
or what only one of them would read, is refused, since the program that makes the request may side with either.
Nothing is looked up, and nothing is allowed here: that is `rules`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import visible
from guardhouse.net.addresses import ipv4_number, ipv6_number, ipv6_text
from guardhouse.net.errors import BadDestination

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_URL: Final = 8192
"""Characters; a longer URL is refused unread."""

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
"""The schemes that can be a destination, each with the port it means when none is written."""


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request would go."""

    scheme: str
    host: str
    """Lower case; an international name as A-labels, an IPv6 address without brackets."""
    port: int
    """The effective one."""
    path: str
    """Dot segments resolved, unreserved characters decoded, other escapes in upper case."""
    segments: tuple[str, ...]
    """`path` split at its slashes, without the empty string before the first; `/a/` is ("a", "")."""
    path_is_plain: bool
    """Every server reads the path alike, as it was written: no dot segments were in it, no `//`, no `;`, and nothing
    that some decoder could turn into a separator or a dot segment. Without this, no prefix covers a URL."""
    has_query: bool
    url: str
    """Scheme, host, port if not the default, and path. Fit to be shown: no user info, query or fragment."""
    href: str
    """What may be requested: the canonical URL with its query, without a fragment."""
    address: str | None = None
    """The host, if it is an address and not a name."""

    @property
    def has_default_port(self) -> bool:
        """Whether the port is the one that the scheme means when none is written."""
        return self.port == DEFAULT_PORTS[self.scheme]


def parse_destination(raw: str) -> Destination:
    """The destination that `raw` names beyond doubt.

    Raises BadDestination, and nothing else, for any other text. Takes time linear in the length of `raw`.
    """
    return _parsed_before(raw) if len(raw) <= _LONGEST_REMEMBERED else _parsed(raw)


def _parsed(raw: str) -> Destination:
    if len(raw) > MAX_URL:
        raise BadDestination("url.invalid", f"The URL is longer than {MAX_URL} characters.", fix="Shorten it.")
    scheme, rest = _split_scheme(raw)
    authority, path, query = _split_parts(rest)
    host, address, port = _read_authority(authority, DEFAULT_PORTS[scheme])
    written_path = _compiled(_PATH_ENCODED).sub(_percent, path) or "/"
    canonical_path = sent_path = _resolve_dot_segments(written_path)
    path_is_plain = sent_path == written_path

    tail = sent_path if query is None else f"{sent_path}?{_compiled(_QUERY_ENCODED).sub(_percent, query)}"
    if "%" in sent_path:
        path_is_plain &= _read_escapes(sent_path)
        canonical_path = _compiled(_ESCAPE).sub(_normal_escape, sent_path)
    origin = _origin(scheme, host, port)
    if origin + tail != _whatwg_href(raw):
        raise BadDestination(
            "url.ambiguous",
            "Two URL parsers read this URL differently.",
            fix="Write it in its plain form: scheme://host/path.",
        )
    if host[-1] == ".":  # the root, left unwritten by everyone else; the name is the same
        host = host[:-1]
        origin = _origin(scheme, host, port)
    return Destination(
        scheme=scheme,
        host=host,
        port=port,
        path=canonical_path,
        segments=tuple(canonical_path.split("/")[1:]),
        path_is_plain=path_is_plain and _is_plain(canonical_path),
        has_query=bool(query),
        url=f"{origin}{canonical_path}",
        href=origin + tail,
        address=address,
    )


_LONGEST_REMEMBERED: Final = 1024
_parsed_before = lru_cache(maxsize=256)(_parsed)
"""One call is judged in several steps, each of which reads its URLs."""


def _origin(scheme: str, host: str, port: int) -> str:
    """Scheme, host, and port if it is not the default, as they stand at the head of a URL."""
    shown_host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown_host}" if port == DEFAULT_PORTS[scheme] else f"{scheme}://{shown_host}:{port}"


# The WHATWG parser's reading -----------------------------------------------------------------------------------------


@cache
def _ada() -> Callable[[str], str]:
    """Loaded at the first URL, so that a program that judges none does not pay for it."""
    from ada_url import normalize_url  # see above

    return normalize_url


def _whatwg_href(raw: str) -> str:
    try:
        # The first "#" of a serialised URL starts its fragment: it is escaped everywhere else.
        return _ada()(raw).partition("#")[0]
    except ValueError:
        raise BadDestination("url.invalid", "The URL can't be parsed.", fix="Write it as scheme://host/path.") from None


# Our own reading -----------------------------------------------------------------------------------------------------


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Most calls name no URL, and compiling costs more than all the rest of this module's loading."""
    return re.compile(pattern)


_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.\-]*"
_HOST_CHARACTERS: Final = r"[a-z0-9._\-]+"
_BAD_ESCAPE: Final = r"%(?![0-9A-Fa-f]{2})"
_ESCAPE: Final = r"%[0-9A-Fa-f]{2}"
_ESCAPES: Final = r"(?:%[0-9A-Fa-f]{2})+"
# What the WHATWG standard escapes when it serialises a path, and a query of an http URL.
_PATH_ENCODED: Final = r"[\"<>^`{}]|[^\x00-\x7f]+"
_QUERY_ENCODED: Final = r"[\"<>']|[^\x00-\x7f]+"
_UNRESERVED: Final = {
    f"%{ord(char):02X}": char for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
}


def _split_scheme(raw: str) -> tuple[str, str]:
    """The scheme, lower case, and what follows its `//`. Characters that hide something are refused on the way."""
    head, colon, rest = raw.partition(":")
    scheme = head.lower()
    if colon and scheme not in DEFAULT_PORTS and _compiled(_SCHEME).fullmatch(head):
        raise BadDestination(
            "url.scheme", "Only http, https, ws and wss URLs are destinations.", fix="Use an https URL."
        )
    # Clients strip white space, drop tabs and newlines, and take a backslash for a slash: some do, some do not.
    if " " in raw or "\\" in raw or visible(raw) != raw:
        raise BadDestination(
            "url.ambiguous",
            "The URL has white space, a backslash, or a control or invisible character in it.",
            fix="Percent-encode it, or leave it out.",
        )
    if scheme not in DEFAULT_PORTS or not colon:
        raise BadDestination("url.invalid", "The URL has no scheme.", fix="Write it in full, with https://.")
    if not rest.startswith("//"):
        raise BadDestination("url.ambiguous", "The scheme is not followed by two slashes.", fix="Write https://host/.")
    return scheme, rest[2:]


def _split_parts(rest: str) -> tuple[str, str, str | None]:
    """Authority, path and query (None if there is no `?`) of what follows the scheme; the fragment is dropped."""
    before_fragment = rest.partition("#")[0]
    hierarchy, mark, query = before_fragment.partition("?")
    authority, slash, path = hierarchy.partition("/")
    return authority, slash + path, query if mark else None


def _read_authority(authority: str, default_port: int) -> tuple[str, str | None, int]:
    """Canonical host, the same again if it is an address, and effective port."""
    if "@" in authority:
        raise BadDestination("url.userinfo", "The URL has a user name or password in it.", fix="Leave it out.")
    if authority.startswith("["):
        literal, bracket, after = authority[1:].partition("]")
        if not bracket or (after and after[0] != ":"):
            raise BadDestination("url.invalid", "The address in brackets is not closed.", fix="Write [address]:port.")
        host, colon, port = literal, after[:1], after[1:]
    else:
        host, colon, port = authority.partition(":")
    if not host:
        raise BadDestination("url.invalid", "The URL has no host.", fix="Write it in full: https://host/path.")
    effective_port = _read_port(port) if colon else default_port
    if authority.startswith("["):
        address = _read_ipv6(host)
        return address, address, effective_port
    name = _read_name(host)
    return name, _read_ipv4(name), effective_port


def _read_port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= 65535 and text[0] != "0"):
        raise BadDestination("url.invalid", "The port is not a number from 1 to 65535.", fix="Correct it.")
    return int(text)


def _read_ipv6(literal: str) -> str:
    if "%" in literal:
        raise BadDestination("url.odd_address", "The address has a zone in it.", fix="Leave the zone out.")
    number = ipv6_number(literal)
    if number is None:
        raise BadDestination("url.invalid", "What stands in brackets is no IPv6 address.", fix="Correct it.")
    return ipv6_text(number)


def _read_ipv4(name: str) -> str | None:
    """`name` if it is an address in dotted decimal; None if it is a name.

    A last label that is a number makes every client read an address, in decimal, octal, hexadecimal or with octets
    missing, and they do not agree on which. Only the one plain spelling is let through.
    """
    last = name.removesuffix(".").rpartition(".")[2]
    if not (last.isdigit() or (last.startswith("0x") and set(last[2:]) <= _HEX)):
        return None
    if ipv4_number(name) is None:
        raise BadDestination(
            "url.odd_address",
            "The host is an address in an unusual spelling.",
            fix="Write it as four decimal numbers without leading zeros.",
        )
    return name


_HEX: Final = frozenset("0123456789abcdef")


def _read_name(text: str) -> str:
    """A host name in lower case, as A-labels; a dot at its end stays, for the comparison with the other parser."""
    name = text.lower()
    labels = name.split(".")
    # Lengths come first: Punycode takes quadratic time.
    if len(name) > 253 or max(map(len, labels)) > 63:
        raise BadDestination("url.invalid", "The host, or a label of it, is too long.", fix="Correct the host.")
    if "xn--" in name or not text.isascii():
        _refuse_mapped(text)
        labels = [_read_international_label(label) for label in labels]
        name = ".".join(labels)
    if not _compiled(_HOST_CHARACTERS).fullmatch(name):
        raise BadDestination(
            "url.ambiguous", "The host has a character in it that host names do not have.", fix="Correct the host."
        )
    if not labels[-1]:
        labels.pop()
    if len(name) > 253 or not all(map(_is_label, labels)):
        raise BadDestination(
            "url.invalid", "The host has a label that is empty, too long, or has a hyphen at an end.", fix="Correct it."
        )
    return name


def _is_label(label: str) -> bool:
    return 0 < len(label) <= 63 and label[0] != "-" and label[-1] != "-"


def _refuse_mapped(text: str) -> None:
    """Raise if IDNA would map `text` to something else: full-width letters, other full stops, soft hyphens.

    Names are taken only as they are after that: what a person sees must be what is looked up.
    """
    if unicodedata.normalize("NFKC", text) != text:
        raise BadDestination(
            "url.ambiguous",
            "The host has characters in it that stand for other characters.",
            fix="Write the host name as it is registered.",
        )


# Alphabets with letters that look alike. One label in two of them is meant to be misread.
_LOOK_ALIKE_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE"})


def _read_international_label(label: str) -> str:
    """The A-label for `label`, which is one already or has letters beyond ASCII."""
    if label.isascii() and not label.startswith("xn--"):
        return label
    try:
        decoded = label[4:].encode("ascii").decode("punycode") if label.isascii() else label
        encoded = "xn--" + decoded.encode("punycode").decode("ascii")
    except (UnicodeError, OverflowError):
        raise BadDestination("url.invalid", "The host has a broken international label.", fix="Correct it.") from None
    if decoded.isascii() or (label.isascii() and encoded != label):
        raise BadDestination("url.invalid", "The host has a broken international label.", fix="Correct it.")
    _refuse_mapped(decoded)
    # Symbols are no part of international names (IDNA 2008), and some of them look like a slash or a full stop.
    if visible(decoded) != decoded or any(
        unicodedata.category(char)[0] not in "LMN" for char in decoded if char != "-"
    ):
        raise BadDestination(
            "url.ambiguous",
            "The host has symbols or invisible characters in it.",
            fix="Write the host name as it is registered.",
        )
    alphabets = {unicodedata.name(char, "").partition(" ")[0] for char in decoded if char.isalpha()}
    if len(alphabets & _LOOK_ALIKE_ALPHABETS) > 1:
        raise BadDestination(
            "url.ambiguous",
            "The host mixes letters of alphabets that look alike.",
            fix="Write the host name as it is registered.",
        )
    return encoded


# Paths ---------------------------------------------------------------------------------------------------------------

_DOT_SEGMENTS: Final = frozenset({".", ".."})
_MAX_ENCODING_DEPTH: Final = 4
_NO_CONTROLS: Final = r"[^\x00-\x1f\x7f]*"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _normal_escape(match: re.Match[str]) -> str:
    escape = match[0].upper()
    return _UNRESERVED.get(escape, escape)


def _resolve_dot_segments(path: str) -> str:
    """`path` without `.` and `..`."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment not in _DOT_SEGMENTS:
            kept.append(segment)
        elif segment == ".." and kept:
            kept.pop()
    if segments[-1] in _DOT_SEGMENTS:
        kept.append("")
    return "/" + "/".join(kept)


def _is_plain(path: str) -> bool:
    """Whether no server could see a separator or a dot segment in `path` where we see none.

    A server that strips `../` makes one out of `....//`, and one that cuts parameters off makes one out of `..;x`.
    """
    return "//" not in path and ";" not in path and "/.." not in path


def _read_escapes(path: str) -> bool:
    """Whether the escapes in `path` are plain data: text in UTF-8 that no further decoding can turn into a path.

    An escaped slash alone is legal and has its uses (`/projects/group%2Fname`); such a path is just not plain.
    What has no use but to get past a check is refused: hidden dot segments, backslashes and control characters.
    """
    if _compiled(_BAD_ESCAPE).search(path):
        raise BadDestination("url.ambiguous", "The path has a broken percent escape.", fix="Write % itself as %25.")
    once = _decoded(path)
    decoded = once
    for _ in range(_MAX_ENCODING_DEPTH):
        _refuse_hidden(decoded)
        if "%" not in decoded or (again := _decoded(decoded)) == decoded:
            break
        decoded = again
    else:
        raise BadDestination("url.ambiguous", "The path is percent-encoded many times over.", fix="Encode it once.")
    if once.count("/") != path.count("/") or decoded is not once or not _is_plain(once):
        return False
    try:
        text = once.encode("latin-1").decode()
    except UnicodeDecodeError:
        return False
    folded = unicodedata.normalize("NFKC", text)
    return all(folded.count(char) == text.count(char) for char in "./\\%;")


def _decoded(path: str) -> str:
    """`path` with its escapes decoded, one character for each byte."""
    return _compiled(_ESCAPES).sub(lambda match: bytes.fromhex(match[0].replace("%", "")).decode("latin-1"), path)


def _refuse_hidden(decoded: str) -> None:
    """Raise if decoding brought out what a path must not hide."""
    if "\\" in decoded or not _compiled(_NO_CONTROLS).fullmatch(decoded):
        raise BadDestination(
            "url.ambiguous", "The path hides a backslash or a control character in an escape.", fix="Leave it out."
        )
    if any(segment.strip() in _DOT_SEGMENTS for segment in decoded.split("/")):
        raise BadDestination("url.ambiguous", "The path hides a dot segment in an escape.", fix="Resolve it.")
