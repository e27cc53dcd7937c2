"""What a person sees of a run while it goes on, on standard error: what the model says, each call and what became of
it, and what is waited for.

Nothing is shown raw. What a model says passes the redactor for streams on its way, a few words late, and whatever a
terminal would obey is written out.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from unicodedata import east_asian_width

import click

if TYPE_CHECKING:
    from guardhouse.opening import LocalGuard
    from guardhouse.redact import StreamRedactor
    from guardhouse.runs import Hearing

_LONGEST_PARAMS: Final = 160
_NO_TERMINAL: Final = 1_000_000
_NARROW: Final = frozenset({"N", "Na", "H"})
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "asks": {"fg": "yellow"},
    "dim": {"dim": True},
    "head": {"bold": True},
}
_OUTCOMES: Final = {
    "completed": ("✓ done", "good"),
    "redacted": ("✓ done; the model sees it masked", "good"),
    "denied": ("✗ denied", "bad"),
    "failed": ("✗ failed", "bad"),
    "unknown": ("? nobody knows whether it took effect; it is not made again", "bad"),
}


class RunScreen:
    """Of one run, with those inside it: they are set in by a step."""

    def __init__(self, guard: LocalGuard) -> None:
        self._guard = guard
        self._run_id = ""
        self._speaker = ""
        self._stream: StreamRedactor | None = None
        self._is_in_line = False
        self._column = 0

    def follow(self, run_id: str) -> None:
        """From now on it is about this run."""
        self._run_id = run_id

    def hear(self, hearing: Hearing) -> None:
        """Show something that happens."""
        if hearing.kind == "text":
            self._speak(hearing.run_id, hearing.told["text"])
            return
        self.pause()
        told, indent = hearing.told, self._indent(hearing.run_id)
        match hearing.kind:
            case "call":
                self.say(f"{indent}→ {_call(told)}")
            case "unknown":
                self.say(f"{indent}→ {_call(told)}")
                self.say(f"{indent}  ? was begun by a process that is gone: nobody knows whether it took effect", "bad")
            case "ended":
                words, style = _OUTCOMES.get(told["outcome"], (told["outcome"], ""))
                self.say(f"{indent}  {words}", style)
            case "waits":
                what = f"for the run {told['run']}" if told["run"] else f"for a person's answer: {told['approval']}"
                self.say(f"{indent}  … waits {what}", "asks")
            case "trouble":
                self.say(f"{indent}! {told['what']} {told['fix'] or ''}".rstrip(), "bad")

    def pause(self) -> None:
        """Show the rest of what the model says: something else comes."""
        if self._stream is not None:
            self._show(self._speaker, self._stream.end())
            self._stream = None
        if self._is_in_line:
            _echo("\n")
            self._is_in_line = False

    def say(self, text: str = "", style: str = "") -> None:
        """A line of ours."""
        from guardhouse.model import visible

        shown = visible(text)
        _echo(f"{click.style(shown, **_STYLES[style]) if style and _has_color() else shown}\n")

    def _speak(self, run_id: str, text: str) -> None:
        from guardhouse.redact import StreamRedactor

        if self._stream is None or self._speaker != run_id:
            self.pause()
            self._stream, self._speaker = StreamRedactor(self._guard.policy.redactor), run_id
        let_go = self._stream.feed(text) + self._stream.soon()
        self._show(run_id, let_go)

    def _show(self, run_id: str, text: str) -> None:
        """Each line behind a bar, so that nothing a model says looks like a line of ours; also where the terminal would
        begin a new one by itself."""
        bar = f"{self._indent(run_id)}│ "
        most = max(_terminal_width(), 2 * len(bar))
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
            shown = "\n" if number else ""
            self._is_in_line = self._is_in_line and not number
            for character in plain_text(line).replace("\t", "    "):
                width = _width(character)
                if not self._is_in_line or self._column + width > most:
                    shown += f"\n{bar}" if self._is_in_line else bar
                    self._is_in_line, self._column = True, len(bar)
                shown += character
                self._column += width
            _echo(shown)

    def _indent(self, run_id: str) -> str:
        return "  " if run_id == self._run_id else "      "


def plain_text(text: str) -> str:
    """A text of several lines in which a terminal finds nothing to obey; tabs stay."""
    from guardhouse.model import visible

    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def _call(told: dict[str, Any]) -> str:
    params = told["params"]
    return f"{told['tool']} {params if len(params) <= _LONGEST_PARAMS else f'{params[:_LONGEST_PARAMS]}…'}".rstrip()


def _terminal_width() -> int:
    """Columns after which the terminal begins a new line; as many as you like where there is none."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _NO_TERMINAL
    except (OSError, ValueError):
        return _NO_TERMINAL


def _width(character: str) -> int:
    """Columns that a character takes, rather one too many."""
    return 1 if character.isascii() or east_asian_width(character) in _NARROW else 2


def _echo(text: str) -> None:
    with suppress(OSError):  # whoever watched is gone; the run does not depend on them
        click.echo(text, nl=False, err=True)


def _has_color() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
