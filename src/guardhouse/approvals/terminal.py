"""Puts a request to the person at the controlling terminal, and takes their answer.

It opens the terminal itself, because standard input may be the agent's, and reads only what was typed after the card
was shown. It decides nothing about who wins: the answer goes to the `Approver`, where the first one counts.
"""

from __future__ import annotations

import os
import threading
import time
from select import select
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

import msgspec

from guardhouse.approvals.ancestry import NoTerminal, require_terminal
from guardhouse.approvals.card import NARROWEST, USE_WITHIN, card, outcome, plain
from guardhouse.model import ApprovalStatus, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from guardhouse.model import ApprovalRequest

_POLL: Final = 0.3
"""Seconds after which we look whether somebody else has answered."""

_ANSWERS: Final = (
    ("y", "approve"),
    ("n or Enter", "deny"),
    ("n TEXT", "deny, and tell the agent TEXT"),
    ("Ctrl-C", "deny"),
)
_PROMPT: Final = "Approve {id}? [y/N] "
_AGAIN: Final = "Please answer y or n; n TEXT denies and tells the agent TEXT.\n"
_CONFIRM: Final = (("y", "approve"), ("anything else", "leave it unanswered"))

_AT_THE_TERMINAL: Final = threading.Lock()
"""There is one controlling terminal to a process: one question at a time."""


class Answers(Protocol):
    """What the channel needs of the `Approver`."""

    def answer(self, request_id: str, *, approve: bool, actor: str, comment: str | None = None) -> ApprovalRequest: ...

    def get(self, request_id: str) -> ApprovalRequest | None: ...


def local_actor() -> str:
    """Who is answering here: the user this process really runs as, whatever the environment says."""
    import pwd

    uid = os.geteuid()
    try:
        return f"local:{pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"local:uid-{uid}"


class TerminalChannel:
    """Asks at the controlling terminal. NoTerminal where nobody can be asked, or where a guarded agent would be."""

    def __init__(
        self,
        approver: Answers,
        agents: Path,
        *,
        mask: Callable[[str], str],
        own: bool = False,
        timeout: float | None = None,
        use_within: float = USE_WITHIN,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`agents` is the registry of guarded agents; `own` says that this process is the guard inside one of them.
        `mask` takes secrets out of what the person says, which is kept. `timeout` is how many seconds to wait at most;
        without it, until the request expires. `use_within` is how long an approval lasts, for the card."""
        self._approver = approver
        self._agents = agents
        self._mask = mask
        self._own = own
        self._use_within = use_within
        self._timeout = timeout
        self._clock = clock

    def ask(self, request: ApprovalRequest) -> ApprovalRequest:
        """Show `request`, wait for an answer, record it; the request as it stands then.

        It comes back approved or denied, whoever answered first and wherever; expired, if its time ran out; still
        pending, if the terminal was closed or `timeout` has passed.
        """
        return self._put(request, _ANSWERS, self._take_answer)

    def confirm(self, request: ApprovalRequest, *, comment: str | None = None) -> ApprovalRequest:
        """The same for somebody who has already said that they want to approve: anything but yes leaves it pending."""

        def take(terminal: _Terminal, line: _Line) -> ApprovalRequest | None:
            if line.end is None and line.text.lower() in _YES:
                return self._record(terminal, request, approve=True, comment=comment)
            terminal.write("Not approved. It can still be answered.\n", self._clock() + _POLL)
            return self._current(request)

        return self._put(request, _CONFIRM, lambda terminal, line, _: take(terminal, line))

    def _put(
        self,
        request: ApprovalRequest,
        answers: tuple[tuple[str, str], ...],
        take: Callable[[_Terminal, _Line, ApprovalRequest], ApprovalRequest | None],
    ) -> ApprovalRequest:
        deadline = request.expires_at
        if self._timeout is not None:
            deadline = min(deadline, self._clock() + self._timeout)
        patience = min(max(0.0, deadline - self._clock()), threading.TIMEOUT_MAX)
        if not _AT_THE_TERMINAL.acquire(timeout=patience):
            return self._current(request)
        try:
            with _Terminal(require_terminal(self._agents, own=self._own), self._clock) as terminal:
                return self._converse(terminal, request, answers, take, deadline)
        finally:
            _AT_THE_TERMINAL.release()

    def _converse(
        self,
        terminal: _Terminal,
        request: ApprovalRequest,
        answers: tuple[tuple[str, str], ...],
        take: Callable[[_Terminal, _Line, ApprovalRequest], ApprovalRequest | None],
        deadline: float,
    ) -> ApprovalRequest:
        """Show the card and the prompt, and take lines until one is an answer or there is nothing to wait for."""
        current = self._current(request)  # what is answered is what is stored: that is shown
        if current.status is not ApprovalStatus.PENDING:
            return self._ended(terminal, current)
        prompt = _PROMPT.format(id=plain(current.id))
        drawn = card(
            current,
            self._clock(),
            width=terminal.width,
            color=terminal.color,
            unicode=terminal.unicode,
            answers=answers,
            use_within=self._use_within,
        )
        terminal.write(f"\n{drawn}", deadline)
        terminal.ask(prompt, deadline)
        while True:
            line = terminal.line(min(deadline, self._clock() + _POLL))
            if line is None:
                current = self._current(request)
                if current.status is not ApprovalStatus.PENDING or self._clock() >= deadline:
                    return self._ended(terminal, current)
                continue
            settled = take(terminal, line, request)
            if settled is not None:
                return settled
            terminal.write(_AGAIN, deadline)
            terminal.ask(prompt, deadline)

    def _take_answer(self, terminal: _Terminal, line: _Line, request: ApprovalRequest) -> ApprovalRequest | None:
        """Record the answer in the line; None if it is none."""
        if line.end == "closed":
            return self._current(request)
        if line.end == "interrupted":
            terminal.write("\n", self._clock() + _POLL)
            return self._record(terminal, request, approve=False, comment=None)
        text = line.text
        word, _, rest = text.partition(" ")
        message = rest.strip() or None
        if text.lower() in _YES:
            return self._record(terminal, request, approve=True, comment=None)
        if not text or word.lower() in _NO:
            return self._record(terminal, request, approve=False, comment=message)
        if word.lower() == "m" and message:
            return self._record(terminal, request, approve=False, comment=message)
        return None

    def _record(
        self, terminal: _Terminal, request: ApprovalRequest, *, approve: bool, comment: str | None
    ) -> ApprovalRequest:
        said = plain(self._mask(comment)) if comment else None
        try:
            settled = self._approver.answer(request.id, approve=approve, actor=local_actor(), comment=said)
        except GuardhouseError:
            settled = self._current(request)
            if settled.status is ApprovalStatus.PENDING:
                raise  # the answer could not be recorded; that is not the same as somebody being first
            return self._ended(terminal, settled)
        terminal.write(f"{outcome(settled)}\n", self._clock() + _POLL)
        return settled

    def _ended(self, terminal: _Terminal, settled: ApprovalRequest) -> ApprovalRequest:
        """Tell the person that the question is over without them."""
        terminal.write(f"\n{outcome(settled)}\n", self._clock() + _POLL)
        return settled

    def _current(self, request: ApprovalRequest) -> ApprovalRequest:
        """The request as it stands; expired, if its time is over, even before the store has noted it."""
        current = self._approver.get(request.id)
        if current is None:
            raise GuardhouseError("The approval request is gone.", fix="The agent may ask again.")
        if current.status is ApprovalStatus.PENDING and self._clock() >= current.expires_at:
            return msgspec.structs.replace(current, status=ApprovalStatus.EXPIRED)
        return current


_YES: Final = frozenset({"y", "yes"})
_NO: Final = frozenset({"n", "no"})


class _Line(NamedTuple):
    """What was typed, and how it ended if not with Enter."""

    text: str
    end: Literal["closed", "interrupted"] | None = None


_CONTROL_C: Final = b"\x03"
_READ: Final = 4096


class _Terminal:
    """The opened terminal, in a state fit for a question while it is used, and as it was before afterwards.

    Ctrl-C ends a line here instead of sending a signal: the answer must reach the thread that asks, and must not
    stop the agent's other work.
    """

    def __init__(self, handle: int, clock: Callable[[], float]) -> None:
        self._handle = handle
        self._clock = clock
        self._typed = b""

    def __enter__(self) -> _Terminal:
        import termios

        try:
            self.width = _width(self._handle)
            self._before = termios.tcgetattr(self._handle)
            os.set_blocking(self._handle, False)  # our own opening of it: nobody else's reads change
            self._set(_fit(termios.tcgetattr(self._handle)))
        except BaseException as error:
            os.close(self._handle)
            if isinstance(error, termios.error):
                raise NoTerminal("The terminal is gone.") from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import termios

        try:
            self._set(self._before)
        except termios.error:  # the terminal was closed: there is nothing left to restore
            pass
        finally:
            os.close(self._handle)

    @property
    def color(self) -> bool:
        """Whether colours are wanted; nothing but colours depends on the environment."""
        return "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def unicode(self) -> bool:
        """Whether the screen understands UTF-8. To one that does not, parts of its letters are control characters."""
        import locale

        return locale.nl_langinfo(locale.CODESET).upper().replace("-", "") == "UTF8"

    def write(self, text: str, deadline: float) -> None:
        """Show `text`. A terminal that is stopped or gone shows nothing, and is not waited for beyond `deadline`."""
        data = text.encode("utf-8") if self.unicode else text.encode("ascii", "backslashreplace")
        while data:
            left = deadline - self._clock()
            if left <= 0 or not select([], [self._handle], [], left)[1]:
                return
            try:
                data = data[os.write(self._handle, data) :]
            except BlockingIOError:
                continue
            except OSError:  # hung up; whoever reads next learns it
                return

    def ask(self, prompt: str, deadline: float) -> None:
        """Show the prompt, after throwing away what was typed before the person could have seen it."""
        self._typed = b""
        self._flush()
        self.write(prompt, deadline)

    def line(self, deadline: float) -> _Line | None:
        """The next line typed; None if there is none by the `deadline`. NoTerminal if we are no longer in front."""
        while True:
            left = max(0.0, deadline - self._clock())
            if not select([self._handle], [], [], left)[0]:
                return None
            self._check_in_front()
            try:
                data = os.read(self._handle, _READ)
            except BlockingIOError:
                if left <= 0:
                    return None
                continue
            except OSError:
                return _Line("", "closed")
            if not data:
                return _Line("", "closed")
            self._typed += data
            if _CONTROL_C in self._typed:
                return _Line("", "interrupted")
            if self._typed.endswith(b"\n"):
                typed, self._typed = self._typed, b""
                return _Line(typed.decode("utf-8", "replace").strip())

    def _check_in_front(self) -> None:
        try:
            foreground = os.tcgetpgrp(self._handle)
        except OSError:
            return  # hung up: reading says so
        if foreground != os.getpgrp():
            raise NoTerminal("This process is no longer in front of its terminal.", fix="Bring it back with `fg`.")

    def _set(self, attributes: list[Any]) -> None:
        import termios

        termios.tcsetattr(self._handle, termios.TCSANOW, attributes)
        self._flush()

    def _flush(self) -> None:
        import contextlib
        import termios

        with contextlib.suppress(termios.error):  # hung up: nothing typed is left either
            termios.tcflush(self._handle, termios.TCIFLUSH)


def _width(handle: int) -> int:
    width = os.get_terminal_size(handle).columns or 80  # 0: the terminal does not say
    if width < NARROWEST:
        raise NoTerminal(f"The terminal is narrower than {NARROWEST} columns.", fix="Make it wider, and ask again.")
    return width


def _fit(attributes: list[Any]) -> list[Any]:
    """Whole lines, echoed and editable, whatever a program left behind; see `_Terminal` about Ctrl-C."""
    import termios

    attributes[0] = (attributes[0] | termios.ICRNL) & ~(termios.IGNCR | termios.INLCR | termios.ISTRIP)
    attributes[1] |= termios.OPOST | termios.ONLCR
    shown = termios.ICANON | termios.ECHO | termios.ECHOE | termios.ECHOK | termios.IEXTEN
    attributes[3] = (attributes[3] | shown) & ~(termios.ISIG | termios.TOSTOP)
    attributes[6] = [*attributes[6]]
    attributes[6][termios.VEOL] = _CONTROL_C
    attributes[6][termios.VEOF] = b"\x04"
    return attributes
