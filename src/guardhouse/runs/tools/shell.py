"""Commands as a tool of a run: in the sandbox if the gate let them through for there, otherwise as a plain process.

A command never sees the environment of the process that works on the run, which has the model's key in it: only names
that are known to hold no password are passed on. It ends with its time or with the run, and with it all that it has
started in its process group. A process that leaves the group, outside the sandbox, is not found again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

from guardhouse.model import GuardhouseError
from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema
from guardhouse.sandbox.environment import KEPT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.runs.tools.interface import Errand

MOST_BYTES: Final = 100_000
"""Of a command's output that the model gets: its beginning and its end."""
_USUAL: Final = 120
_LONGEST: Final = 3_600
_TO_END: Final = 2.0
"""Seconds that a command has to end by itself once it is told to, and that is waited for the rest of its output."""


class _Command(Arguments, frozen=True, kw_only=True):
    command: str
    timeout: int = _USUAL


class Bash(HouseTool):
    """`bash`."""

    takes = _Command
    name = "bash"
    description = "Run a command with bash in the workspace; gives what it prints, and its exit status if it is not 0."
    parameters = schema(
        "command",
        command={"type": "string"},
        timeout={"type": "integer", "minimum": 1, "maximum": _LONGEST, "default": _USUAL, "description": "Seconds."},
    )

    def can_confine(self) -> bool:
        """Whether bubblewrap is there. Whether it works is found out where a command runs; then it runs there or not
        at all."""
        from guardhouse.sandbox.errors import NoSandbox
        from guardhouse.sandbox.needs import find_bubblewrap

        try:
            find_bubblewrap()
        except NoSandbox:
            return False
        return True

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """Run it. GuardhouseError if it can't be run, or took too long."""
        asked = _Command.of(params)
        if errand.is_confined:
            words, environment = _entrance(errand), None
        else:
            words, environment = ["bash"], plain_environment(errand.guard.policy.config.sandbox.environment)
        async with _Printed() as printed:
            process = await _started([*words, "-c", asked.command], errand.names.cwd, environment, printed)
            try:
                async with asyncio.timeout(min(max(asked.timeout, 1), _LONGEST)):
                    await process.wait()
                    await printed.ended(_TO_END)
            except TimeoutError:
                raise GuardhouseError(
                    f"The command was ended after {asked.timeout} seconds. It had printed:\n{printed.text()}"
                ) from None
            finally:
                await _ended(process)
        return printed.text() if process.returncode == 0 else f"{printed.text()}\n[exit status {process.returncode}]"


def _entrance(errand: Errand) -> list[str]:
    """What stands before a command in the sandbox."""
    names = errand.names
    words = [sys.executable, "-I", "-m", "guardhouse", "sandbox", *errand.guard.sandbox_options]
    words += ["--workspace", names.cwd or os.getcwd(), "--session", names.session_id]  # noqa: PTH109 - a word
    return [*words, "--told-by", "run", "--", "bash"]


def plain_environment(more: Iterable[str]) -> dict[str, str]:
    """Of this process's environment, what is known to hold no password, and `more` names."""
    kept = KEPT | set(more)
    return {name: value for name, value in os.environ.items() if name in kept or name.startswith("LC_")}


async def _started(
    words: list[str], cwd: str | None, environment: dict[str, str] | None, printed: _Printed
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *words,
            cwd=cwd,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=printed.way_in,
            stderr=printed.way_in,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise GuardhouseError(f"The command can't be run ({type(error).__name__}).") from None
    finally:
        printed.close_way_in()


class _Printed(asyncio.Protocol):
    """What a command prints: its beginning, and of what comes after that the end. A pipe of its own: what a command
    leaves running in the background may hold that open, and is not waited for."""

    def __init__(self) -> None:
        self._beginning = bytearray()
        self._end = bytearray()
        self._left_out = 0
        self.way_in = -1

    async def __aenter__(self) -> _Printed:
        way_out, self.way_in = os.pipe()
        loop = asyncio.get_running_loop()
        self._over = loop.create_future()
        self._transport, _ = await loop.connect_read_pipe(lambda: self, os.fdopen(way_out, "rb", buffering=0))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._transport.close()
        self.close_way_in()

    def close_way_in(self) -> None:
        """Leave it to the command."""
        if self.way_in >= 0:
            os.close(self.way_in)
            self.way_in = -1

    async def ended(self, seconds: float) -> None:
        """Wait until nobody can print any more, so long at most."""
        await asyncio.wait([self._over], timeout=seconds)

    def data_received(self, data: bytes) -> None:
        """More of it."""
        room = MOST_BYTES // 2 - len(self._beginning)
        self._beginning += data[:room] if room > 0 else b""
        self._end += data[max(room, 0) :]
        over = len(self._end) - MOST_BYTES // 2
        if over > 0:
            del self._end[:over]
            self._left_out += over

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - it is over either way
        """There is no more."""
        if not self._over.done():
            self._over.set_result(None)

    def text(self) -> str:
        """What the model gets of it."""
        middle = f"\n[{self._left_out} bytes left out]\n" if self._left_out else ""
        return self._beginning.decode("utf-8", "replace") + middle + self._end.decode("utf-8", "replace")


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End everything of the command's process group that still runs."""
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), _TO_END)
    _signal(process.pid, signal.SIGKILL)
    await process.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
