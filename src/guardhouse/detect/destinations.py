"""Looks at where a call would reach out to: every URL it is given, judged by the destination rules of its tool.

Only what the call itself connects to counts. A URL inside a file's text or a message is data; links in published
output and URLs inside shell commands have owners of their own.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect.interface import Detector, Leaf, Scene
from guardhouse.detect.paths import TOO_MANY, is_path_key
from guardhouse.model import Effect, Finding, ReasonCode, Severity, Span, ToolCallPre
from guardhouse.net import CODES as NET_CODES
from guardhouse.net import BadDestination, NetworkRules, Refusal, host_class, parse_destination
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.net.destination import Destination

_ID: Final = "destinations"

CONNECTS: Final = ReasonCode(
    id="net.destination",
    title="The call reaches out to a host",
    severity=Severity.INFO,
    why="Not a risk by itself; rules can speak of it, and it is recorded with its method.",
    instead="",
    example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://example.com/"}}',
    about="host",
    on=("ToolCallPre", "SkillRunPre"),
)
NOWHERE: Final = ReasonCode(
    id="url.missing",
    title="The call names no destination that can be judged",
    severity=Severity.HIGH,
    why="A network call whose destination can't be seen can't be held to the allowlist.",
    instead="Pass the full URL, with its scheme, as one string.",
    example='{"type":"ToolCallPre","tool":"url_fetch","params":{}}',
    about="host",
    on=("ToolCallPre", "SkillRunPre"),
)

ANYBODYS: Final = ReasonCode(
    id="net.anybodys_host",
    title="The destination is a host where anybody can leave or collect anything",
    severity=Severity.MEDIUM,
    why="Paste sites, webhook catchers, tunnels and short links hide who is at the other end.",
    instead="Use the address of the one it is meant for.",
    example=(
        'With every host allowed: {"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://webhook.site/x"}}'
    ),
    remedy="domain",
    about="host",
    on=("ToolCallPre", "SkillRunPre"),
)

OWN_SOCKET: Final = ReasonCode(
    id="guard.own_socket",
    title="The call reaches the guard's own daemon",
    severity=Severity.CRITICAL,
    why="Whoever can talk to the daemon could answer for the user, or change what is allowed.",
    instead="Go on without it. If another program has that port, the user gives the daemon another: `server.port`.",
    example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"http://127.0.0.1:8765/v1/approvals"}}',
    about="host",
    on=("ToolCallPre", "SkillRunPre"),
)

_URL_KEYS: Final = frozenset("url uri href link links endpoint webhook proxy".split())
_URL_ENDINGS: Final = ("url", "urls", "uri", "uris", "href")
"""Of keys in every other spelling: `pageUrl`, `target_uri`."""
_HOST_KEYS: Final = frozenset(
    "host hostname domain server site website ip ip_address netloc authority "
    "http https all http_proxy https_proxy all_proxy".split()
)
"""Keys whose value may be a host without a scheme; the last line names proxies."""
_HOST_ENDINGS: Final = ("_host", "_hostname", "_domain", "_server", "_proxy", "_ip", "proxyhost", "hostname")
_REMOTE_KEYS: Final = frozenset("to from into location remote upstream mirror".split())
"""Keys under which a tool made for files may be given a URL, beside those of paths and URLs."""
_TEXT_KEYS: Final = frozenset(
    "content text body data message prompt query q description comment new_string old_string code script "
    "sql html markdown patch input subject title note notes command".split()
)
_SEARCH_KEYS: Final = frozenset({"query", "q"})
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS: Final = _SAFE_METHODS | frozenset("POST PUT PATCH DELETE CONNECT TRACE PROPFIND MKCOL COPY MOVE".split())
_BODY_KEYS: Final = frozenset(["body", "data", "json", "payload", "content", "files", "file", "form", "upload"])
_SENT_KEYS: Final = _BODY_KEYS - {"files", "file", "upload"}
"""Without those that may say where a download goes."""
_METHOD_KEYS: Final = frozenset({"method", "http_method", "verb"})
_SENDING_NAMES: Final = ("post", "put", "patch", "upload", "send", "submit", "publish")
_MOST_HOSTS: Final = 64
"""Names looked up for one call; more than that is no call but a scan, and each look-up may take seconds."""
_MOST_TARGETS: Final = 512
"""Destinations of one call that are judged."""


def _leaves(scene: Scene) -> list[Leaf]:
    """The strings that this call would connect to."""
    profile = scene.tool
    if profile is None:
        return []
    if not profile.may(Capability.EGRESS, Capability.SENDS):
        if not profile.may(Capability.READS, Capability.WRITES):
            return []
        # Many a tool made for files opens a URL just as well.
        return [leaf for leaf in scene.leaves if _names_remote_file(leaf)]
    prose = _SEARCH_KEYS if Capability.EGRESS in profile.capabilities else _TEXT_KEYS
    return [
        leaf
        for leaf in scene.leaves
        if (_is_named(leaf.key) and not leaf.is_key and leaf.text.strip())
        or (leaf.key not in prose and _is_url(leaf.text) and not (profile.needs_url and _is_header(leaf)))
    ]


def _is_header(leaf: Leaf) -> bool:
    """Whether a string is a header of the request: where one came from, or what one asks for, is not where one goes. A
    header that names a host is looked at all the same."""
    return leaf.field.startswith(_HEADERS)


_HEADERS: Final = ("params.headers.", "params.headers[")


def _is_named(key: str) -> bool:
    return key in _URL_KEYS or key.endswith(_URL_ENDINGS) or _names_host(key)


def _names_host(key: str) -> bool:
    return key in _HOST_KEYS or key.endswith(_HOST_ENDINGS)


def _names_remote_file(leaf: Leaf) -> bool:
    """Whether a tool made for files is given something to fetch. Under a key that is made for paths, what begins with
    two slashes or a drive's letter is a path."""
    key, text = leaf.key, leaf.text
    if _is_named(key):
        return not _is_file_address(text) and (_is_url(text) or (not _names_host(key) and _holds_url(text)))
    if not is_path_key(key) and key not in _REMOTE_KEYS:
        return False
    return (
        ":" in text[1:] and text[:1] not in "/\\" and text[1:2] != ":" and not _is_file_address(text) and _is_url(text)
    )


def _is_file_address(text: str) -> bool:
    return _head(text)[:5].lower() == "file:"


def _is_url(text: str) -> bool:
    """Whether a whole string is meant as a URL, in any spelling that some client would follow."""
    head = _head(text)
    if head.startswith(("//", "\\\\", "/\\", "\\/")):
        return True
    for nested in range(_MOST_SCHEMES):
        scheme, colon, rest = head.partition(":")
        if not colon or not scheme or " " in scheme or (nested and rest[:1] <= " "):
            return False
        if rest.startswith(("//", "\\\\", "/\\", "\\/")) or scheme.lower() in _SCHEMES:
            return True
        head = rest  # `feed:https://…`, `view-source:https:…`
    return False


def _is_bare_host(text: str) -> bool:
    """Whether a string is a host name with or without a path, written plainly: `www.example.com/page`."""
    host = text.partition("/")[0]
    labels = host.split(".")
    plain = all(label and label.replace("-", "").isalnum() and label.isascii() for label in labels)
    return len(labels) > 1 and plain and labels[-1].isalpha() and text.isprintable() and " " not in text


def _holds_url(text: str) -> bool:
    """Whether an address names another one that it would be fetched from: `proxy?from=https://…`."""
    folded = text[:_LONGEST_ADDRESS].lower().replace("%3a", ":").replace("%2f", "/")
    return any(f"{scheme}:/" in folded for scheme in _WEB)


def _head(text: str) -> str:
    """The beginning of an address as clients read it: blanks and control characters trimmed, tabs and breaks out."""
    bare = text.lstrip(_TRIMMED)
    head = bare[:64]
    return head if head.isprintable() else bare.translate(_TAKEN_OUT)[:64]


_TRIMMED: Final = "".join(map(chr, range(33)))
_TAKEN_OUT: Final = dict.fromkeys(map(ord, "\t\n\r"))
_MOST_SCHEMES: Final = 4
_LONGEST_ADDRESS: Final = 8192
_WEB: Final = ("http", "https", "ftp", "ws", "wss")
_SCHEMES: Final = frozenset(
    "http https ftp ftps file gopher dict ldap ldaps tftp ws wss sftp ssh telnet jar netdoc".split()
)


class Target(msgspec.Struct, frozen=True):
    """One place a call would reach out to."""

    leaf: Leaf
    destination: Destination | None
    """None if it can't be read."""
    refused: Refusal | None
    """Why it may not be reached, before any name is looked up."""
    text: str
    """What was read as an address."""


def targets(scene: Scene) -> list[Target]:
    """Every place this call would reach out to."""
    found: list[Target] | None = scene.shared.get(_ID)
    if found is None:
        rules = rules_of(scene)
        found = scene.shared[_ID] = []
        for leaf in _leaves(scene):
            if leaf.is_key or not _names_host(leaf.key) or not leaf.text or _is_url(leaf.text):
                # What has no scheme is read as a browser reads it.
                bare = not leaf.is_key and _is_bare_host(leaf.text)
                found.append(_target(leaf, f"https://{leaf.text}" if bare else leaf.text, rules))
            else:
                found += [_target(leaf, f"https://{leaf.text}{port}", rules) for port in named_ports(scene) or ("",)]
            if len(found) > _MOST_TARGETS:
                break
    return found


def named_ports(scene: Scene) -> list[str]:
    """The ports that a call names beside its hosts, each behind a colon."""
    found: list[str] | None = scene.shared.get(f"{_ID}.ports")
    if found is None:
        found = scene.shared[f"{_ID}.ports"] = list(dict.fromkeys(_ports(scene.body[1], "")))[:_MOST_HOSTS]
    return found


def _ports(value: Any, key: str) -> Iterator[str]:
    """Every port that a call names beside its hosts; whose it is can't be told, so each counts for each."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _ports(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _ports(item, key)
    elif key[-4:].lower() == "port" and type(value) in (int, float, str) and value != "":
        yield f":{value}"


def _target(leaf: Leaf, text: str, rules: NetworkRules) -> Target:
    try:
        destination = parse_destination(text)
    except BadDestination as error:
        return Target(leaf, None, Refusal(error.code, error.what.rstrip(".")), text)
    return Target(leaf, destination, rules.judge(destination, None), text)


def refusal(scene: Scene, target: Target) -> Refusal | None:
    """Why this call may not reach `target`; None if it may, or if facts are still missing.

    The name is looked up only once it is allowlisted: a look-up of any other name would already tell it something.
    """
    destination = target.destination
    if target.refused is not None or destination is None or destination.address is not None:
        return target.refused
    rules = rules_of(scene)
    if not rules.settings.resolve_dns:
        return None
    if len(targets(scene)) > _MOST_HOSTS and destination.host not in _looked_up(scene):
        return Refusal("dns_failure", f"more than {_MOST_HOSTS} hosts in one call")
    answer = scene.addresses(destination.host)
    if answer is None or answer.skipped:
        return None
    if answer.error:
        return Refusal("dns_failure", answer.error)
    return rules.judge(destination, answer.addresses)


def rules_of(scene: Scene) -> NetworkRules:
    """The destination rules of the tool that is called."""
    return scene.settings.network_for(scene.tool.name if scene.tool else "")


def _looked_up(scene: Scene) -> frozenset[str]:
    """The names of this call that are looked up."""
    found: frozenset[str] | None = scene.shared.get(f"{_ID}.hosts")
    if found is None:
        found = scene.shared[f"{_ID}.hosts"] = frozenset(islice(_hosts(scene), _MOST_HOSTS))
    return found


def _hosts(scene: Scene) -> dict[str, None]:
    """The names of this call that may be looked up."""
    return dict.fromkeys(
        target.destination.host
        for target in targets(scene)
        if target.destination is not None and target.refused is None
    )


def _needs(scene: Scene) -> None:
    for target in targets(scene):
        refusal(scene, target)


def _find(scene: Scene) -> Iterator[Finding]:
    found = targets(scene)
    if scene.tool is not None and ((scene.tool.needs_url and not found) or _hides_destination(scene)):
        yield Finding(code=NOWHERE.id, detector=_ID, severity=NOWHERE.severity, effect=Effect.CONNECTS)
    if not found:
        return
    if len(found) > _MOST_TARGETS or (len(found) > _MOST_HOSTS and len(_hosts(scene)) > _MOST_HOSTS):
        yield Finding(code=TOO_MANY.id, detector=_ID, severity=TOO_MANY.severity)
    method = _method(scene)
    effect = Effect.SENDS if method not in _SAFE_METHODS or _has_body(scene) else Effect.CONNECTS
    for target in found:
        if target.destination is not None:
            yield _finding(scene, target, CONNECTS.id, Severity.INFO, effect, method)
            kind = anybodys(rules_of(scene), target.destination)
            if kind is not None:
                yield _finding(scene, target, ANYBODYS.id, ANYBODYS.severity, effect, method, kind)
        refused = refusal(scene, target)
        if refused is not None:
            severity = _SEVERITIES[refused.code]
            yield _finding(scene, target, refused.code, severity, effect, method, refused.detail)


def anybodys(rules: NetworkRules, destination: Destination) -> str | None:
    """What kind of anybody's host a destination is, if it is allowed only because every host is."""
    kind = host_class(destination.host)
    if kind is None or rules.allows(destination) != "*":
        return None
    return kind.replace("_", " ")


def _finding(
    scene: Scene, target: Target, code: str, severity: Severity, effect: Effect, method: str, detail: str = ""
) -> Finding:
    destination = target.destination
    return Finding(
        code=code,
        detector=_ID,
        severity=severity,
        span=Span(target.leaf.field),
        excerpt="" if severity is Severity.INFO else target.leaf.masked,
        origin=scene.origin,
        effect=effect,
        host=destination.host if destination else None,
        url=destination.url if destination else None,
        method=method,
        detail=detail,
    )


_SEVERITIES: Final = {code.id: code.severity for code in NET_CODES}


def _method(scene: Scene) -> str:
    """The HTTP method as the call names it; one that is given but not known counts as sending."""
    if isinstance(scene.action, ToolCallPre):
        for key, value in scene.action.params.items():
            if key.lower() in _METHOD_KEYS:
                method = value.strip().upper() if isinstance(value, str) and len(value) < 16 else ""
                return method if method in _METHODS and not _overrides(scene) else "UNKNOWN"
        if _overrides(scene):
            return "UNKNOWN"
    return "GET"


def _overrides(scene: Scene) -> bool:
    """Whether a header tells the server to take the request for one of another method."""
    return any(leaf.is_key and leaf.text.lower().replace("_", "-") in _OVERRIDES for leaf in scene.leaves)


_OVERRIDES: Final = frozenset(("x-http-method-override", "x-http-method", "x-method-override"))


def sends(scene: Scene) -> bool:
    """Whether a request does more than read, as far as the call says: by its method, its body, or the tool's name."""
    if _method(scene) not in _SAFE_METHODS or _has_body(scene, _SENT_KEYS):
        return True
    name = scene.tool.name if scene.tool is not None else ""
    return any(verb in name for verb in _SENDING_NAMES)


def reads_only(scene: Scene) -> bool:
    """Whether a call says by its method that it reads and nothing else."""
    return isinstance(scene.action, ToolCallPre) and any(
        key.lower() in _METHOD_KEYS and isinstance(value, str) and value.strip().upper() in _SAFE_METHODS
        for key, value in scene.action.params.items()
    )


def _hides_destination(scene: Scene) -> bool:
    """Whether a network tool is given a number where a URL or host should be: 2130706433 is an address, too."""
    return (
        isinstance(scene.action, ToolCallPre)
        and scene.tool is not None
        and Capability.EGRESS in scene.tool.capabilities
        and _has_odd_destination(scene.action.params, "")
    )


def _has_odd_destination(value: Any, key: str) -> bool:
    if isinstance(value, dict):
        for name, item in value.items():
            if type(item) is not str and _has_odd_destination(item, name.lower().replace("-", "_")):
                return True
        return False
    if isinstance(value, list):
        return any(_has_odd_destination(item, key) for item in value)
    return (type(value) is int or type(value) is float) and _is_named(key)


def _has_body(scene: Scene, keys: frozenset[str] = _BODY_KEYS) -> bool:
    return isinstance(scene.action, ToolCallPre) and any(
        key.lower() in keys and value for key, value in scene.action.params.items()
    )


def _find_own(scene: Scene) -> Iterator[Finding]:
    if scene.settings.sockets and targets(scene):
        from guardhouse.detect.own_sockets import reaching  # most calls reach nothing

        for target in reaching(scene):
            found = _finding(scene, target, OWN_SOCKET.id, OWN_SOCKET.severity, Effect.CONNECTS, _method(scene))
            yield msgspec.structs.replace(found, detector=OWN_DETECTOR.id)


OWN_DETECTOR: Final = Detector(id="own_sockets", codes=(OWN_SOCKET,), find=_find_own, calls_only=True)
"""A row of its own, because it keeps a floor and can't be switched off."""
DETECTOR: Final = Detector(
    id=_ID, codes=(*NET_CODES, CONNECTS, ANYBODYS, NOWHERE), find=_find, needs=_needs, calls_only=True
)
