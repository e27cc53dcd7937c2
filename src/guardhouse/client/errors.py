"""What can go wrong between a client and its daemon, in our words: nothing that was sent or answered is quoted, so no
token and no stranger's sentence can be in an error.
"""

from __future__ import annotations

from typing import Final

from guardhouse.model import GuardhouseError


class DaemonError(GuardhouseError):
    """The daemon did not do what was asked."""


class Unreachable(DaemonError):
    """There is no whole answer: no connection, no TLS, or it broke off or took too long."""

    def __init__(self, what: str, *, fix: str, sent: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.sent = sent
        """Whether the daemon may have got the request, and done what it asks."""


class BadAnswer(DaemonError):
    """The answer is none that a daemon of ours gives."""

    def __init__(self, what: str = "The daemon's answer is none that this client understands.") -> None:
        super().__init__(what, fix="Look whether that is a Guardhouse daemon, and of the same version.")


class Refused(DaemonError):
    """The daemon said no, with an HTTP `status`."""

    def __init__(self, status: int) -> None:
        what, fix = _SAID.get(status, _SAID[500 if status >= 500 else 300 if 300 <= status < 400 else 400])
        super().__init__(f"{what} (HTTP {status}).", fix=fix)
        self.status = status


_SAID: Final[dict[int, tuple[str, str]]] = {
    300: ("The daemon answered with a redirect, which is not followed", "Name the address that it leads to."),
    400: ("The daemon did not understand the request", "Update the client or the daemon."),
    401: ("The daemon does not know this token", "Make one with `guardhouse token create`, and name it."),
    403: ("This token may not do that", "An agent's token asks; an approver's answers, and not its own questions."),
    404: ("The daemon has nothing there", "Look whether that is a Guardhouse daemon, and of the same version."),
    413: ("That is larger than the daemon takes", "Do less at a time."),
    421: ("The daemon does not go by that name", "Name it in its `server.public_url`, or use another address."),
    422: ("The daemon can't do that with this request", "See `guardhouse approvals show` for what it offers."),
    429: ("The daemon was asked too often", "Wait a little, or raise `server.requests_per_minute`."),
    500: ("The daemon failed at this", "Look at its log."),
    503: ("The daemon can't do that now", "Look at its log, and try again later."),
}
