"""Programs that type into a terminal or a desktop that is not theirs, or take hold of a running process.

Whoever can type can answer the question that a person was asked, and whoever holds an agent can make it do anything. A
terminal that the same command opened is its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State


class Typist(msgspec.Struct, frozen=True):
    """A program that types, or takes hold of a process."""

    names: str
    words: str
    """Words with which it does; `*` for always. One that ends in `=` may have a value glued to it."""
    example: str
    harmless: str
    attaches: bool = False
    """It takes hold of a process."""


TYPISTS: Final = (
    Typist("tmux byobu", "send-keys send paste-buffer pasteb", "tmux send-keys -t main y Enter", "tmux ls"),
    Typist("screen", "stuff paste", "screen -S main -X stuff y", "screen -ls"),
    Typist("zellij", "write write-chars", "zellij action write-chars y", "zellij list-sessions"),
    Typist("xdotool", "type key keydown keyup click", "xdotool type y", "xdotool getactivewindow"),
    Typist("ydotool", "type key click", "ydotool type y", "ydotool --help"),
    Typist("wtype dotool dotoolc wtype-rs", "*", "wtype y", "which wtype"),
    Typist("xte xvkbd", "*", "xte 'str y'", "which xte"),
    Typist("kitty kitten", "send-text send-key", "kitty @ send-text y", "kitty @ ls"),
    Typist("wezterm", "send-text", "wezterm cli send-text y", "wezterm cli list"),
    Typist("reptyr neercs", "*", "reptyr 1234", "which reptyr", attaches=True),
    Typist("gdb lldb", "-p --pid= --attach-pid= attach", "gdb -p 1234", "gdb --args ./app x", attaches=True),
    Typist("strace ltrace", "-p --attach=", "strace -p 1234", "strace -f ls", attaches=True),
)
BY_NAME: Final = {name: one for one in TYPISTS for name in one.names.split()}
_OPENING: Final = frozenset("new-session new -dmS -dmSL -d".split())
_TARGETS: Final = frozenset("-t -S".split())


def look_at_keys(machine: Machine, state: State, call: Call, one: Typist) -> None:
    """Note that keys would be typed elsewhere, or a process be held."""
    words = one.words.split()
    if one.words != "*" and not any(_is_word(text, word) for text in call.texts for word in words):
        return
    if call.name in _WITH_SESSIONS and _is_own(machine, call):
        return
    what = "it would take hold of a running process" if one.attaches else _TYPES
    machine.act(call, state, Effect.ESCALATES, call.program, what=what)


_TYPES: Final = "it would type into a terminal or a desktop where questions are answered"
_WITH_SESSIONS: Final = frozenset("tmux byobu screen".split())


def _is_word(text: str, word: str) -> bool:
    return text == word or (word[-1] == "=" and (text == word[:-1] or text.startswith(word)))


def _is_own(machine: Machine, call: Call) -> bool:
    """Whether the session that is typed into is one that the same command opened, by its name."""
    texts = call.texts
    targets = {
        texts[at + 1].partition(":")[0].partition(".")[0].lstrip("=")
        for at, text in enumerate(texts[:-1])
        if text in _TARGETS
    }
    return bool(targets) and targets <= _opened(machine, call.name)


def _opened(machine: Machine, program: str) -> set[str]:
    """The names of sessions that were opened so far."""
    found = set()
    for line in machine.lines:
        words = line.split()
        if (
            words[:1]
            and words[0].rpartition("/")[2] == program
            and "-X" not in words
            and not _OPENING.isdisjoint(words)
        ):
            for at, word in enumerate(words[:-1]):
                if word.startswith("-") and word[1:2] != "-" and word[-1] in "sS":
                    found.add(words[at + 1])
    return found


def types_keys(code: str) -> bool:
    """Whether code puts letters into the input of a terminal."""
    return "TIOCSTI" in code or ("ioctl" in code and ("0x5412" in code or "21522" in code))
