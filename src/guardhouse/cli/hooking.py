"""`guardhouse hook`: answers one event of a coding agent, and says no if anything at all goes wrong.

Agents go on when their hook crashes, hangs or prints nonsense. So the work is done by a child process, and this one
only watches: it prints what the child answered, or a no in the agent's own words once the child has died, printed
something else, or taken too long. It starts before anything else of the house is loaded, and needs no library.
"""

from __future__ import annotations

import os
import sys

# Not from `signal`, which makes enumerations of them all, and takes longer for it than a fork.
from _signal import (  # type: ignore[import-not-found]
    SIG_BLOCK,
    SIG_DFL,
    SIG_IGN,
    SIG_UNBLOCK,
    SIGABRT,
    SIGBUS,
    SIGCHLD,
    SIGCONT,
    SIGFPE,
    SIGILL,
    SIGKILL,
    SIGPIPE,
    SIGSEGV,
    SIGSTOP,
    SIGSYS,
    SIGTRAP,
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
    SIGURG,
    SIGWINCH,
    pthread_sigmask,
    signal,
    valid_signals,
)
from select import POLLIN, poll
from time import monotonic

from guardhouse.adapters.hooks.closing import AGENTS, Answer, closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final, NoReturn

_DEADLINE: Final = 20.0
"""Seconds. The installer gives agents 30: the no has to be there before the agent stops waiting, and goes on."""
_LAST_WORDS: Final = 2.0
"""Seconds that an agent has to finish writing once the time is up."""
_LONGEST_DEADLINE: Final = 550.0
_SIGNALS: Final = frozenset(valid_signals()) - {
    *(SIGKILL, SIGSTOP),  # can't be caught
    *(SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS),  # are for what a process does itself
    *(SIGCHLD, SIGCONT, SIGURG, SIGWINCH),  # end nobody
}
"""What somebody could send, so that this process ends."""
_IGNORED: Final = frozenset({SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU})
_USAGE: Final = f"""\
Usage: guardhouse hook AGENT [OPTIONS]

  Judge one event of a coding agent, given as JSON on standard input, and answer it as that agent expects. Agents call
  this themselves, once `guardhouse install` has told them to.

  AGENT is one of: {", ".join(AGENTS)}.

Options:
  --event NAME        The event that this hook is configured for, so that even input that can't be read gets its answer.
  --config FILE       Configuration file to use instead of your own.
  --state-dir DIR     Where state lives.
  --home DIR          Your home. With it, no variable of the environment decides where anything is, nor what is allowed:
                      an agent may have been given its environment by a repository.
  --config-home DIR   With --home: where configuration lives, if not in ~/.config.
  --key-dir DIR       With --home: where keys live, if not in ~/.local/share/guardhouse/keys.
  --deadline SECONDS  Say no after this time (default {_DEADLINE:g}); keep it below the agent's own time limit.
  -h, --help          Show this message and exit.
"""
_OPTIONS: Final = ("--event", "--config", "--state-dir", "--deadline", "--home", "--config-home", "--key-dir")


class Options:
    """What the command line says."""

    def __init__(self, agent: str, given: Mapping[str, str], deadline: float) -> None:
        self.agent = agent
        self.deadline = deadline
        self.event = given.get("--event")
        self.config = given.get("--config")
        self.state_dir = given.get("--state-dir")
        self.home = given.get("--home")
        self.config_home = given.get("--config-home")
        self.key_dir = given.get("--key-dir")


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the event on standard input and exit."""
    _take_signals_for_a_no()
    can_answer = _has_output()
    if not arguments or set(arguments) & {"-h", "--help"}:
        print(_USAGE, end="")
        sys.exit(0 if arguments else 2)
    options = _read(arguments)
    ends = monotonic() + (_DEADLINE if isinstance(options, Answer) else options.deadline)
    try:
        answer = options if isinstance(options, Answer) else _supervised(options, ends)
        _drain(max(ends, monotonic() + _LAST_WORDS))
        _ignore_signals()
    except _Interrupted:
        answer = (
            options
            if isinstance(options, Answer)
            else closed(options.agent, options.event, "the check was interrupted by a signal.")
        )
        _drain(monotonic() + _LAST_WORDS)
    _finish(answer if can_answer else _UNHEARD)


class _Interrupted(BaseException):
    """Somebody sent a signal. Agents go on when their hook dies of one."""


def _take_signals_for_a_no() -> None:
    """Let signals that would end this process be a no; those that would stop it are ignored, because meanwhile the
    agent's time would run out."""

    def interrupts(_number: int, _frame: object) -> None:
        _ignore_signals()
        raise _Interrupted

    for number in _SIGNALS:
        signal(number, SIG_IGN if number in _IGNORED else interrupts)
    signal(SIGCHLD, SIG_DFL)  # where the agent ignores it, nobody could be told what became of the child


def _ignore_signals() -> None:
    """The answer stands: whatever comes now is too late."""
    for number in _SIGNALS:
        signal(number, SIG_IGN)


def _has_output() -> bool:
    """Whether there is anything to print to. What is missing of the three usual descriptors is given something: another
    file that took its place would get what is meant for it, or be written into the answer."""
    missing = []
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            missing.append(handle)
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free
    return 1 not in missing


def _read(arguments: Sequence[str]) -> Options | Answer:
    """The command line; a no if it is wrong, because an agent that calls us so would go on."""
    agent, rest = arguments[0], list(arguments[1:])
    if agent not in AGENTS:
        return closed(agent, None, f"there is no hook for this agent; known: {', '.join(AGENTS)}.")
    given: dict[str, str] = {}
    while rest:
        name, _, value = rest.pop(0).partition("=")
        if name not in _OPTIONS or name in given or not (value or rest):
            return closed(agent, given.get("--event"), "the hook's command line is wrong; run `guardhouse install`.")
        given[name] = value or rest.pop(0)
    try:
        deadline = float(given.get("--deadline", _DEADLINE))
    except ValueError:
        deadline = -1.0
    if not 0 < deadline <= _LONGEST_DEADLINE:
        return closed(agent, given.get("--event"), "the hook's deadline is no sensible number of seconds.")
    return Options(agent, given, deadline)


def _drain(ends: float) -> None:
    """Let the agent say all it has to say, until it ends or the time does: one that can't write to its hook any more
    may take the hook for broken, and go on without its answer."""
    if os.isatty(0):
        return
    waiting = poll()
    waiting.register(0, POLLIN)
    while (left := ends - monotonic()) > 0 and waiting.poll(left * 1000):
        try:
            if not os.read(0, 1 << 20):
                return
        except OSError:
            return  # there is nothing that could be read, so nobody writes there either


def _supervised(options: Options, ends: float) -> Answer:
    """What the child answers, or the no that fits what became of it."""
    caller = os.getppid()
    pthread_sigmask(SIG_BLOCK, _SIGNALS)  # of two processes that are interrupted, one answers
    try:
        reader, writer = os.pipe()
        child = os.fork()
    except OSError as error:
        return closed(options.agent, options.event, f"no process could be started ({error.strerror}).")
    if child == 0:
        os.close(reader)
        _work(options, writer, caller)
    os.close(writer)
    try:
        pthread_sigmask(SIG_UNBLOCK, _SIGNALS)
        return _answer_of(child, reader, options, ends)
    except _Interrupted:
        os.kill(child, SIGKILL)
        raise


def _answer_of(child: int, reader: int, options: Options, ends: float) -> Answer:
    answers = _Answers(closed(options.agent, options.event, "the check broke off."))
    waiting = poll()
    waiting.register(reader, POLLIN)
    timed_out = False
    while not answers.is_final:
        left = ends - monotonic()
        if left <= 0 or not waiting.poll(left * 1000):
            timed_out = True
            break
        piece = os.read(reader, 1 << 16)
        if not piece:
            break
        answers.take(piece)
    if not answers.is_final:
        os.kill(child, SIGKILL)
    os.waitpid(child, 0)
    if timed_out:
        return closed(options.agent, answers.event or options.event, f"no answer within {options.deadline:g} seconds.")
    return answers.last


class _Answers:
    """What the child has sent so far: first the no that counts if it breaks off, then its answer."""

    def __init__(self, last: Answer) -> None:
        self.last = last
        self.event: str | None = None
        self.is_final = False
        self._data = b""

    def take(self, piece: bytes) -> None:
        """Go on with more bytes. Only whole answers count."""
        self._data += piece
        while not self.is_final and b"\n" in self._data:
            head, _, rest = self._data.partition(b"\n")
            event, status, out, err = head.decode().split(" ")
            sizes = int(out), int(err)
            if len(rest) < sum(sizes):
                return
            self.last = Answer(rest[: sizes[0]], rest[sizes[0] : sum(sizes)], int(status))
            self.is_final, self.event = event == _FINAL, None if event == _FINAL else event
            self._data = rest[sum(sizes) :]


_FINAL: Final = "-"


def _sent(answer: Answer, event: str = _FINAL) -> bytes:
    """An answer as the child sends it; with an event, the no to that event in case nothing more comes."""
    return f"{event} {answer.status} {len(answer.out)} {len(answer.err)}\n".encode() + answer.out + answer.err


def _work(options: Options, writer: int, caller: int) -> NoReturn:
    """In the child: answer the event, or break off, which the parent sees."""
    status = 1
    try:
        for number in _SIGNALS:
            signal(number, SIG_DFL)  # one that ends this process is seen by the parent
        pthread_sigmask(SIG_UNBLOCK, _SIGNALS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever prints must not print into the answer
        from guardhouse.cli.sparing import load_libraries

        load_libraries()
        from guardhouse.adapters.hooks.responding import respond
        from guardhouse.cli.hook_house import HookHouse

        def provide(event: str, answer: Answer) -> None:
            _write(writer, _sent(answer, event))

        house = HookHouse(options, caller)
        _write(writer, _sent(respond(options.agent, options.event, 0, house, provide)))
        status = 0
    except BaseException as error:  # noqa: BLE001 - the parent answers; a traceback may quote what is being judged
        os.write(2, f"guardhouse: the hook broke off ({type(error).__name__}).\n".encode())
    finally:
        os._exit(status)  # no exit handlers: this process was forked, and they are the parent's


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


_UNHEARD: Final = Answer(b"", b"Blocked by Guardhouse: its answer can't be printed.\n", 2)
"""For an agent that takes an exit status of 2 for a no, some only if there is a reason."""


def _finish(answer: Answer) -> NoReturn:
    """Print the answer and exit. What can't be printed is a no: the status says so, and the reason, if there is
    anywhere to say it."""
    try:
        _write(1, answer.out)
        _write(2, answer.err)
    except OSError:
        from contextlib import suppress  # only here: every call waits for what is loaded above

        with suppress(OSError):
            _write(2, _UNHEARD.err)
        os._exit(_UNHEARD.status)
    os._exit(answer.status)
