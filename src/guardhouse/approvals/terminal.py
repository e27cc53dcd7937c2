"""Puts a request to the person at the controlling terminal, and takes their answer.

It opens the terminal itself, because standard input may be the agent's, and reads only what was typed after the card
was shown and the person had stopped typing something else. A yes to a card that is much longer than the screen must
say how long it is; one that can't be shown at all can't be approved. It decides nothing about who wins: the answer
goes to the `Approver`, where the first one counts.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from select import select
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

import msgspec

from guardhouse.approvals.ancestry import NoTerminal, require_terminal
from guardhouse.approvals.card import NARROWEST, USE_WITHIN, TooLargeToShow, brief, card, outcome, plain
from guardhouse.approvals.interface import NotOffered
from guardhouse.approvals.wording import split_terms
from guardhouse.model import ONCE, ApprovalRequest, ApprovalStatus, GuardhouseError, Terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

_POLL: Final = 0.3
"""Seconds after which we look whether somebody else has answered."""

_DWELL: Final = 0.7
"""Seconds before which nobody has taken in a card, so that nothing is taken for an answer to it."""

_QUIET: Final = 0.3
"""Seconds without a key after which somebody has stopped typing what was not meant for us."""

_BELOW: Final = 3
"""Lines of the screen that are left for the question under the card."""

_SHORT: Final = 60
"""Lines that any terminal keeps within a turn of the wheel: up to that, a card need not fit on the screen."""

_DENIALS: Final = (
    ("n or Enter", "deny"),
    ("n TEXT", "deny, and tell the agent TEXT"),
    ("Ctrl-C", "deny"),
)
_TOGETHER: Final = (
    ("y 1 3", "approve those, and let the others wait"),
    ("n or Enter", "deny all of them"),
    ("n TEXT", "deny all of them, and tell the agent TEXT"),
    ("each", "answer them one by one"),
)
_LEAVING: Final = (("n or Enter", "leave it unanswered"), ("Ctrl-C", "leave it unanswered"))
_APPROVAL: Final = ("y", "approve; for more than once, or on a condition, with the words listed above")
_APPROVAL_OF_ALL: Final = ("y", "approve all of them, each for this once")
_LONG_APPROVAL: Final = ("yes N", "approve; N is the number of lines of this card, asked for below")

_AT_THE_TERMINAL: Final = threading.Lock()
"""There is one controlling terminal to a process: one question at a time."""


class Answers(Protocol):
    """What the channel needs of the `Approver`."""

    def answer(
        self, request_id: str, *, approve: bool, actor: str, comment: str | None = None, terms: Terms = ONCE
    ) -> ApprovalRequest: ...

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
        *agents: Path,
        own: bool = False,
        use_within: float | None = USE_WITHIN,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`agents` are the registries of guarded agents; `own` says that this process is the guard inside one of them.
        `use_within` is how long an approval lasts, for the card; None if that is not known here."""
        self._approver = approver
        self._agents = agents
        self._own = own
        self._use_within = use_within
        self._clock = clock

    def ask(self, request: ApprovalRequest) -> ApprovalRequest:
        """Show `request`, wait for an answer, record it; the request as it stands then.

        It comes back approved or denied, whoever answered first and wherever; expired, if its time ran out; still
        pending, if the terminal was closed. One that is too large to be shown is only named, and can only be denied.
        """

        def lay_out(terminal: _Terminal, current: ApprovalRequest) -> _Sheet:
            try:
                return self._sheet(terminal, current, _DENIALS)
            except TooLargeToShow:
                return self._sheet_without_card(terminal, current)

        def take(terminal: _Terminal, line: _Line, sheet: _Sheet) -> ApprovalRequest | None:
            if line.end == "closed":
                return self._current(request)
            if line.end == "interrupted":
                terminal.write("\n", self._clock() + _POLL)
                return self._record(terminal, request, approve=False, comment=None)
            said = sheet.yes_in(line)
            if said is not None:
                try:
                    terms, comment = split_terms(said)
                except NotOffered as error:
                    terminal.write(f"{error}\n", self._clock() + _POLL)
                    return None
                return self._record(terminal, request, approve=True, comment=comment or None, terms=terms)
            if _is_no(line):
                message = line.text.partition(" ")[2].strip() or None
                return self._record(terminal, request, approve=False, comment=message)
            return None

        return self._put(request, lay_out, take)

    def ask_together(self, request: ApprovalRequest, alike: Sequence[ApprovalRequest]) -> bool:
        """Put several requests on one card, and record an answer to all of them, or to those that are numbered; the
        others wait, to be put one by one. False if the terminal was closed.

        TooLargeToShow if they do not fit on one card.
        """
        listed = (request, *alike)
        closed: list[bool] = []

        def lay_out(terminal: _Terminal, current: ApprovalRequest) -> _Sheet:
            return self._sheet(terminal, current, _TOGETHER, alike)

        def take(terminal: _Terminal, line: _Line, sheet: _Sheet) -> ApprovalRequest | None:
            if line.end == "closed":
                closed.append(True)
                return self._current(request)
            if line.end is None and line.words == "each":
                return self._current(request)
            said = "" if line.end == "interrupted" else sheet.numbers_in(line)
            approve = line.end is None and said is not None
            if not approve and line.end is None and not _is_no(line):
                return None
            chosen = _numbered(listed, said) if said else listed
            if not chosen:
                return None
            message = None if approve else line.text.partition(" ")[2].strip() or None
            for one in chosen:
                self._record(terminal, one, approve=approve, comment=message)
            return self._current(request)

        self._put(request, lay_out, take)
        return not closed

    def confirm(
        self,
        request: ApprovalRequest,
        *,
        comment: str | None = None,
        terms: Terms = ONCE,
        alike: Sequence[ApprovalRequest] = (),
    ) -> ApprovalRequest:
        """The same for somebody who has already said that they want to approve, and on which `terms`, this and others
        that are `alike` with it: a no leaves it pending.

        TooLargeToShow if there is nothing they could approve by.
        """

        def lay_out(terminal: _Terminal, current: ApprovalRequest) -> _Sheet:
            return self._sheet(terminal, current, _LEAVING, alike, terms)

        def take(terminal: _Terminal, line: _Line, sheet: _Sheet) -> ApprovalRequest | None:
            if sheet.is_yes(line):
                for other in alike:
                    self._record(terminal, other, approve=True, comment=comment, terms=terms_for(other, request, terms))
                settled = self._record(terminal, request, approve=True, comment=comment, terms=terms)
                return settled or self._current(request)  # no other answer would change what they were given
            if line.end is None and not _is_no(line):
                return None
            terminal.write("Not approved. It can still be answered.\n", self._clock() + _POLL)
            return self._current(request)

        return self._put(request, lay_out, take)

    def _sheet(
        self,
        terminal: _Terminal,
        request: ApprovalRequest,
        others: _Answers,
        alike: Sequence[ApprovalRequest] = (),
        terms: Terms = ONCE,
    ) -> _Sheet:
        """The card, and how a yes to it must read: a longer one if the card does not fit on the screen."""

        def drawn(answers: _Answers) -> str:
            return card(
                request,
                self._clock(),
                width=terminal.width,
                color=terminal.color,
                unicode=terminal.unicode,
                answers=answers,
                use_within=self._use_within,
                alike=alike,
                terms=terms,
            )

        name = plain(request.id) + (f" and {len(alike)} more" if alike else "")
        text = drawn((_APPROVAL_OF_ALL if alike else _APPROVAL, *others))
        if text.count("\n") <= max(terminal.height - _BELOW, _SHORT):
            return _Sheet(text, _YES, f"Approve {name}? [y/N] ", "Please answer y or n.\n")
        text = drawn((_LONG_APPROVAL, *others))
        lines = text.count("\n")
        return _Sheet(
            text,
            frozenset({f"yes {lines}"}),
            f"The card has {lines} lines, more than fit here: scroll up and read it all.\n"
            f"Approve {name}? [yes {lines}/N] ",
            f"Please answer yes {lines}, once you have read all of the card, or n.\n",
        )

    def _sheet_without_card(self, terminal: _Terminal, request: ApprovalRequest) -> _Sheet:
        text = brief(
            request,
            self._clock(),
            width=terminal.width,
            color=terminal.color,
            unicode=terminal.unicode,
            answers=_DENIALS,
        )
        again = "It can't be approved: nobody can read it whole. n or Enter denies it.\n"
        return _Sheet(text, frozenset(), f"Deny {plain(request.id)}? [Enter] ", again)

    def _put(self, request: ApprovalRequest, lay_out: _LayOut, take: _Take) -> ApprovalRequest:
        deadline = request.expires_at
        patience = min(max(0.0, deadline - self._clock()), threading.TIMEOUT_MAX)
        if not _AT_THE_TERMINAL.acquire(timeout=patience):
            return self._current(request)
        try:
            with _Terminal(require_terminal(*self._agents, own=self._own), self._clock) as terminal:
                return self._converse(terminal, request, lay_out, take, deadline)
        finally:
            _AT_THE_TERMINAL.release()

    def _converse(
        self, terminal: _Terminal, request: ApprovalRequest, lay_out: _LayOut, take: _Take, deadline: float
    ) -> ApprovalRequest:
        """Show the card and the prompt, and take lines until one is an answer or there is nothing to wait for."""
        current = self._current(request)  # what is answered is what is stored: that is shown
        if current.status is not ApprovalStatus.PENDING:
            return self._ended(terminal, current)
        sheet = lay_out(terminal, current)
        terminal.write(f"\n{sheet.card}", deadline)
        for _ in terminal.settling(deadline):
            current = self._current(request)
            if current.status is not ApprovalStatus.PENDING:
                return self._ended(terminal, current)
        terminal.ask(sheet.prompt, deadline)
        while True:
            line = terminal.line(min(deadline, self._clock() + _POLL))
            if line is None:
                current = self._current(request)
                if current.status is not ApprovalStatus.PENDING or self._clock() >= deadline:
                    return self._ended(terminal, current)
                continue
            settled = take(terminal, line, sheet)
            if settled is not None:
                return settled
            terminal.write(sheet.again, deadline)
            terminal.ask(sheet.prompt, deadline)

    def _record(
        self,
        terminal: _Terminal,
        request: ApprovalRequest,
        *,
        approve: bool,
        comment: str | None,
        terms: Terms = ONCE,
    ) -> ApprovalRequest | None:
        """The request with the answer in it; None if it can't be answered so, and may be otherwise."""
        try:
            settled = self._approver.answer(
                request.id, approve=approve, actor=local_actor(), comment=comment, terms=terms
            )
        except NotOffered as error:
            terminal.write(f"{plain(str(error))}\n", self._clock() + _POLL)
            return None
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


def terms_for(other: ApprovalRequest, request: ApprovalRequest, terms: Terms) -> Terms:
    """On which terms a yes to `request` is one to another request on its card, too. What that would cover beyond this
    once is not on the card, but for the same tool, reasons and source; a condition holds for all that was said yes to
    in one breath."""
    is_of_kind = bool(other.kin) and other.kin == request.kin
    return Terms(for_run=terms.for_run and is_of_kind, condition=terms.condition)


_YES: Final = frozenset({"y", "yes"})
_NO: Final = frozenset({"n", "no"})


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 3


def _numbered(listed: Sequence[ApprovalRequest], said: str) -> list[ApprovalRequest]:
    """Those that are meant by their numbers; none if one is not there."""
    numbers = dict.fromkeys(int(word) for word in said.split())
    if not all(1 <= number <= len(listed) for number in numbers):
        return []
    return [listed[number - 1] for number in numbers]


class _Line(NamedTuple):
    """What was typed, and how it ended if not with Enter."""

    text: str
    end: Literal["closed", "interrupted"] | None = None

    @property
    def words(self) -> str:
        """The text in small letters, its words one space apart."""
        return " ".join(self.text.lower().split())


def _is_no(line: _Line) -> bool:
    """Whether a line that ended with Enter says no. One that says nothing does."""
    return line.end is None and (not line.text or line.text.partition(" ")[0].lower() in _NO)


class _Sheet(NamedTuple):
    """What the person sees, and what counts as a yes to it."""

    card: str
    yes: frozenset[str]
    prompt: str
    again: str
    """What is said when a line is no answer."""

    def is_yes(self, line: _Line) -> bool:
        return line.end is None and line.words in self.yes

    def numbers_in(self, line: _Line) -> str | None:
        """The numbers that were said with a yes, none if it is to all; None if it is no yes."""
        if self.is_yes(line):
            return ""
        if line.end is not None:
            return None
        words = line.text.replace(",", " ").split()
        for count in (1, 2):
            rest = words[count:]
            if " ".join(words[:count]).lower() in self.yes and rest and all(map(_is_number, rest)):
                return " ".join(rest)
        return None

    def yes_in(self, line: _Line) -> str | None:
        """What was said with a yes; None if it is none. More than a yes must begin with a plus."""
        if self.is_yes(line):
            return ""
        if line.end is not None:
            return None
        words = line.text.split()
        for count in (1, 2):
            if " ".join(words[:count]).lower() in self.yes and words[count:] and words[count].startswith("+"):
                return " ".join(words[count:])
        return None


_Answers = tuple[tuple[str, str], ...]
_LayOut = Callable[["_Terminal", ApprovalRequest], _Sheet]
_Take = Callable[["_Terminal", _Line, _Sheet], ApprovalRequest | None]

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
            self.width, self.height = _size(self._handle)
            self._before = termios.tcgetattr(self._handle)
            self._fit = _fit(termios.tcgetattr(self._handle))
            os.set_blocking(self._handle, False)  # our own opening of it: nobody else's reads change
            self._set(_unseen(self._fit))  # until we ask: what is typed now must not be drawn into the card
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

    def settling(self, deadline: float) -> Iterator[None]:
        """Wait until the person can have seen what was just written and types nothing any more, or the `deadline`.

        What is typed meanwhile was not meant for us: it is neither shown nor kept. Comes back now and then, so that
        the caller can see whether there is still something to wait for. Only then can lines be read.
        """
        shown = quiet_since = time.monotonic()
        while (left := max(shown + _DWELL, quiet_since + _QUIET) - time.monotonic()) > 0 and self._clock() < deadline:
            if select([self._handle], [], [], min(left, _POLL, max(0.0, deadline - self._clock())))[0]:
                self._check_in_front()
                if not self._drain():
                    break
                quiet_since = time.monotonic()
            yield
        self._make_fit()

    def _make_fit(self) -> None:
        """From now on whole lines, seen as they are typed. To a terminal that was closed nothing happens: reading says
        so."""
        import contextlib
        import termios

        self._check_in_front()  # a process in the background is stopped if it tries
        with contextlib.suppress(termios.error):
            self._set(self._fit)

    def _drain(self) -> bool:
        """Throw away what can be read; False if the terminal is gone."""
        try:
            return bool(os.read(self._handle, _READ))
        except BlockingIOError:
            return True
        except OSError:
            return False

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


def _size(handle: int) -> tuple[int, int]:
    """Columns and lines. A terminal that does not say (0) has the fewest that are usual."""
    size = os.get_terminal_size(handle)
    width = size.columns or 80
    if width < NARROWEST:
        raise NoTerminal(f"The terminal is narrower than {NARROWEST} columns.", fix="Make it wider, and ask again.")
    return width, size.lines or 24


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


def _unseen(attributes: list[Any]) -> list[Any]:
    """The same, but key by key and without echo: half a line counts as typing too."""
    import termios

    keys = [*attributes[6]]
    keys[termios.VMIN], keys[termios.VTIME] = 1, 0
    return [*attributes[:3], attributes[3] & ~(termios.ICANON | termios.ECHO), *attributes[4:6], keys]
