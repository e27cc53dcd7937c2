"""Looks at where a call would reach out to: every URL it is given, judged by the destination rules of its tool.

Only what the call itself connects to counts. A URL inside a file's text or a message is data; links in published
output and URLs inside shell commands have owners of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Leaf, Scene
from guardhouse.model import Effect, Finding, ReasonCode, Severity, Span, ToolCallPre
from guardhouse.net import CODES as NET_CODES
from guardhouse.net import BadDestination, Destination, Refusal, parse_destination
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

_ID: Final = "destinations"

CONNECTS: Final = ReasonCode(
    id="net.destination",
    title="The call reaches out to a host",
    severity=Severity.INFO,
    why="Not a risk by itself; rules can speak of it, and it is recorded with its method.",
    instead="",
    example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://example.com/"}}',
)
NOWHERE: Final = ReasonCode(
    id="url.missing",
    title="The call names no destination that can be judged",
    severity=Severity.HIGH,
    why="A network call whose destination can't be seen can't be held to the allowlist.",
    instead="Pass the full URL, with its scheme, as one string.",
    example='{"type":"ToolCallPre","tool":"url_fetch","params":{}}',
)

_URL_KEYS: Final = frozenset(
    "url uri href link endpoint webhook webhook_url base_url target_url callback_url api_url host hostname domain "
    "server site website urls uris links proxy".split()
)
_TEXT_KEYS: Final = frozenset(
    "content text body data message prompt query q description comment new_string old_string code script sql html "
    "markdown patch input subject title note notes command".split()
)
_SEARCH_KEYS: Final = frozenset({"query", "q"})
_SAFE_METHODS: Final = frozenset({"get", "head", "options"})
_BODY_KEYS: Final = frozenset("body data json payload content files file form upload".split())


def _targets(scene: Scene) -> list[Leaf]:
    """The strings that this call would connect to."""
    profile = scene.tool
    if profile is None or not profile.may(Capability.EGRESS, Capability.SENDS):
        return []
    prose = _SEARCH_KEYS if Capability.EGRESS in profile.capabilities else _TEXT_KEYS
    return [leaf for leaf in scene.leaves if leaf.key in _URL_KEYS or (leaf.key not in prose and _is_url(leaf.text))]


def _is_url(text: str) -> bool:
    """Whether a whole string is meant as a URL, in any spelling that some client would follow."""
    head = text.strip()[:64]
    scheme, colon, rest = head.partition(":")
    if head.startswith(("//", "\\\\")):
        return True
    if not colon or not scheme or " " in scheme:
        return False
    folded = "".join(char for char in scheme.lower() if char > " ")
    return rest.startswith(("//", "\\\\", "/\\", "\\/")) or folded in _SCHEMES


_SCHEMES: Final = frozenset("http https ftp ftps file gopher dict ldap ldaps tftp ws wss sftp ssh telnet jar netdoc".split())


def _parse(leaf: Leaf) -> Destination | BadDestination:
    text = leaf.text
    if leaf.key in _URL_KEYS and not _is_url(text) and text:
        text = f"https://{text}"
    try:
        return parse_destination(text)
    except BadDestination as error:
        return error


def destinations(scene: Scene) -> list[tuple[Leaf, Destination | BadDestination]]:
    """Every destination of the call, or why it can't be read."""
    return [(leaf, _parse(leaf)) for leaf in _targets(scene)]


def refusal(scene: Scene, destination: Destination) -> Refusal | None:
    """Why the tool of this call may not reach `destination`; None if it may, or if facts are still missing.

    The name is looked up only once it is allowlisted: a look-up of any other name would already tell it something.
    """
    rules = scene.settings.network_for(scene.tool.name if scene.tool else "")
    refused = rules.judge(destination, None)
    if refused is not None or destination.address is not None or not rules.settings.resolve_dns:
        return refused
    answer = scene.addresses(destination.host)
    if answer is None or answer.skipped:
        return None
    if answer.error:
        return Refusal("dns_failure", answer.error)
    return rules.judge(destination, answer.addresses)


def _needs(scene: Scene) -> None:
    for _leaf, destination in destinations(scene):
        if isinstance(destination, Destination):
            refusal(scene, destination)


def _find(scene: Scene) -> Iterator[Finding]:
    found = destinations(scene)
    if not found:
        if scene.tool is not None and scene.tool.needs_url:
            yield Finding(code=NOWHERE.id, detector=_ID, severity=NOWHERE.severity, effect=Effect.CONNECTS)
        return
    method = _method(scene)
    effect = Effect.SENDS if method.lower() not in _SAFE_METHODS or _has_body(scene) else Effect.CONNECTS
    for leaf, destination in found:
        if isinstance(destination, BadDestination):
            refused = Refusal(destination.code, destination.what)
            host = url = None
        else:
            host, url = destination.host, destination.url
            yield Finding(
                code=CONNECTS.id,
                detector=_ID,
                severity=Severity.INFO,
                span=Span(leaf.field),
                effect=effect,
                host=host,
                url=url,
                method=method,
            )
            judged = refusal(scene, destination)
            if judged is None:
                continue
            refused = judged
        yield Finding(
            code=refused.code,
            detector=_ID,
            severity=_SEVERITIES[refused.code],
            span=Span(leaf.field),
            excerpt=scene.masked(leaf),
            origin=scene.origin,
            effect=effect,
            host=host,
            url=url,
            method=method,
            detail=refused.detail,
        )


_SEVERITIES: Final = {code.id: code.severity for code in NET_CODES}


def _method(scene: Scene) -> str:
    """The HTTP method as the call names it; one that is given but is no word counts as unknown, hence sending."""
    if isinstance(scene.action, ToolCallPre):
        for key, value in scene.action.params.items():
            if key.lower() in {"method", "http_method", "verb"}:
                return value.upper() if isinstance(value, str) and value.isalpha() and len(value) < 16 else "UNKNOWN"
    return "GET"


def _has_body(scene: Scene) -> bool:
    return isinstance(scene.action, ToolCallPre) and any(
        key.lower() in _BODY_KEYS and value for key, value in scene.action.params.items()
    )


DETECTOR: Final = Detector(id=_ID, codes=(*NET_CODES, CONNECTS, NOWHERE), find=_find, needs=_needs)
