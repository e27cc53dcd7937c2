"""What a client is told instead of a connection: a status, a sentence that an agent can act on, and the codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.model import Decision

if TYPE_CHECKING:
    from guardhouse.model import Verdict

_PHRASES: Final = {
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    408: "Request Timeout",
    413: "Content Too Large",
    417: "Expectation Failed",
    421: "Misdirected Request",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}
REALM: Final = "Guardhouse"


class Declined(Exception):
    """A request that is not made. `codes` are reason codes; `malformed` says that it never was a request to judge."""

    def __init__(
        self,
        status: int,
        what: str,
        *,
        codes: tuple[str, ...] = (),
        headers: tuple[tuple[str, str], ...] = (),
        malformed: bool = False,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.codes = codes
        self.headers = headers
        self.malformed = malformed

    def answer(self, *, has_body: bool = True) -> bytes:
        """The whole answer, after which the connection ends."""
        text = f"{self.what}\n".encode()
        named = [("Guardhouse-Reasons", ", ".join(self.codes))] if self.codes else []
        lines = [
            f"HTTP/1.1 {self.status} {_PHRASES[self.status]}",
            "Content-Type: text/plain; charset=utf-8",
            f"Content-Length: {len(text)}",
            "Cache-Control: no-store",
            "Connection: close",
            *(f"{name}: {value}" for name, value in (*named, *self.headers)),
        ]
        return "\r\n".join(lines).encode("ascii", "replace") + b"\r\n\r\n" + (text if has_body else b"")


def malformed(what: str, status: int = 400) -> Declined:
    """It is no request that could be judged."""
    return Declined(status, f"Blocked: {what}", codes=("net.request_refused",), malformed=True)


def unknown_caller() -> Declined:
    """Nobody has said who asks."""
    return Declined(
        407,
        "This proxy needs the token of an agent, as the password of its address or as a bearer token.",
        headers=(("Proxy-Authenticate", f'Basic realm="{REALM}"'),),
    )


def held_back(verdict: Verdict) -> Declined:
    """The gate did not let it pass as it is."""
    codes = tuple(dict.fromkeys(reason.code for reason in verdict.reasons))
    headers: tuple[tuple[str, str], ...] = (("Guardhouse-Decision", verdict.decision.value),)
    what = verdict.for_agent
    if verdict.decision is Decision.REQUIRE_APPROVAL and verdict.approval_request_id:
        headers += (("Guardhouse-Approval", verdict.approval_request_id),)
        what = (
            f"This waits for a person's approval ({verdict.approval_request_id}). Go on with something else; once it "
            f"is approved, make exactly this request again. {what}"
        )
    elif verdict.decision is Decision.ALLOW_WITH_REDACTION:
        what = f"Blocked: it would pass only with something masked in it, and traffic is not altered here. {what}"
    elif verdict.decision is Decision.ALLOW:
        what = "Blocked: a person changed this call, and a request can't be changed on its way."
        codes = ("approval.edit_refused",)
    return Declined(403, what, codes=codes, headers=headers)
