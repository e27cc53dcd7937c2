"""Programs that look for files and do something with each: `find`, `bfs`, `fd`.

What counts is which of all files they pick. A test that is true of every file, or of every file but one, picks none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.programs.wrappers import run_inner
from guardhouse.detect.shell.values import SILENT, Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_PATTERNS: Final = frozenset("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname".split())
_PICKS: Final = _PATTERNS | frozenset(
    "-empty -newer -mtime -mmin -atime -ctime -size -inum -samefile -cmin -amin -xtype -links -anewer -cnewer".split()
)
"""Tests that pick some files out of all, if what they ask for is not true of every file."""
_VALUED: Final = (_PICKS - {"-empty"}) | frozenset(
    "-type -maxdepth -mindepth -perm -user -group -uid -gid -fstype -printf -fprint -fprint0 -fls -fprintf -context"
    " -regextype -D -used".split()
)
_ANYTHING: Final = "*?./[]!a-zA-Z0-9_+"
"""What is left of a pattern that is true of nearly every name once these are taken off its ends: nothing."""
_MOST_DEPTH: Final = 64


class _Choice:
    """Whether what stands so far in the words of a `find` picks some files out of all.

    Tests after each other all have to be true, so that one is enough that picks; of those with `-o` between them each
    has to pick. A test that is negated picks nothing.
    """

    __slots__ = ("_chain", "_groups", "_negated", "_others")

    def __init__(self) -> None:
        self._chain = False
        self._others = True
        self._negated = False
        self._groups: list[tuple[bool, bool, bool]] = []

    @property
    def picks(self) -> bool:
        return self._chain or any(chain for chain, _others, _negated in self._groups)

    def test(self, *, picks: bool) -> None:
        self._chain = self._chain or (picks and not self._negated)
        self._negated = False

    def word(self, text: str) -> None:
        """One of the words that join tests."""
        if text in ("!", "-not"):
            self._negated = not self._negated
        elif text in ("-o", "-or", ","):
            self._others = self._others and self._chain
            self._chain = False
        elif text in ("(", "\\(") and len(self._groups) < _MOST_DEPTH:
            self._groups.append((self._chain, self._others, self._negated))
            self._chain, self._others, self._negated = False, True, False
        elif text in (")", "\\)") and self._groups:
            inner = self._chain and self._others
            self._chain, self._others, self._negated = self._groups.pop()
            self.test(picks=inner)


def run_find(machine: Machine, state: State, call: Call) -> Stream:
    """`find`: where it starts, what it picks, and what it does with each."""
    texts = call.texts
    first = next(
        (at for at, text in enumerate(texts) if text[:1] in ("-", "(", "!") and text not in ("-H", "-L", "-P")),
        len(texts),
    )
    places = [value for value in call.args[:first] if value.text[:1] != "-"]
    if call.name == "bfs":
        places += _later_places(call, first)
    places = places or [replace(call.program, text=".")]
    choice = _Choice()
    at = first
    while at < len(texts):
        text = texts[at]
        if text in _VALUED:
            choice.test(picks=text in _PICKS and _is_choosy(text, texts[at + 1] if at + 1 < len(texts) else ""))
            at += 2 if text != "-fprintf" else 3
            if text.startswith(("-fprint", "-fls")) and at - 1 < len(texts):
                machine.write(call, state, call.args[at - 1 if text != "-fprintf" else at - 2], Stream(None))
            continue
        if text == "-delete":
            for place in places:
                _found(machine, state, call, place, picks=choice.picks)
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((to for to in range(at + 1, len(texts)) if texts[to] in (";", "+", "\\;")), len(texts))
            _run_on_found(machine, state, call, places, call.args[at + 1 : end], picks=choice.picks)
            at = end
        elif text == "-empty":
            choice.test(picks=True)
        else:
            choice.word(text)
        at += 1
    _look_for_keys(machine, state, call, places)
    # What is found lies below; without a test that picks, the place itself is found, too.
    found = [
        f"{state.path(place.text).rstrip('/')}/{UNKNOWN}" if choice.picks else state.path(place.text)
        for place in places
    ]
    return Stream("\n".join(found) + "\n")


def _later_places(call: Call, first: int) -> list[Value]:
    """Places that stand among the tests, as `bfs` allows."""
    texts = call.texts
    return [
        value
        for at, value in enumerate(call.args[first:], start=first)
        if value.text.startswith(("/", "~", "./", "../")) and (at == 0 or texts[at - 1] not in _VALUED)
    ]


def _is_choosy(test: str, text: str) -> bool:
    """Whether a test is not true of every file."""
    if test in _PATTERNS:
        return bool(text.strip(_ANYTHING)) or not ("*" in text or "?" in text)
    if test == "-size":
        return text.lstrip("+").rstrip("bckwMG") not in ("0", "") or not text.startswith("+")
    if test == "-xtype":
        return text == "l"
    return True


_KEY_NAMES: Final = (
    "id_rsa", "id_dsa", "id_ed25519", "id_ecdsa", ".pem", ".ppk", ".kdbx", ".p12", ".pfx", ".pgp", ".gpg", ".key",
    "shadow", "credential", ".aws", ".netrc", "_history", "authorized_keys", "wallet", ".env", "password", "secret",
    "token",
)  # fmt: skip


def _look_for_keys(machine: Machine, state: State, call: Call, places: list[Value]) -> None:
    """A search for keys and passwords all over a machine."""
    texts = call.texts
    wanted = [texts[at + 1] for at in range(len(texts) - 1) if texts[at] in ("-name", "-iname", "-path", "-regex")]
    if any(name in text.lower() for text in wanted for name in _KEY_NAMES):
        for place in places:
            path = state.path(place.text)
            if path.count("/") == 1 or (
                path.startswith(("/etc", "/root", "/var", machine.home))
                and path
                in (
                    machine.home,
                    "/etc",
                    "/root",
                    "/var",
                )
            ):
                machine.act(call, state, Effect.READS, place, kind="thing", what="it looks for keys and passwords")


def _found(machine: Machine, state: State, call: Call, place: Value, *, picks: bool) -> None:
    """Files below a place are deleted: all of them, or those that were picked."""
    target = place if not picks else replace(place, text=f"{place.text.rstrip('/')}/{UNKNOWN}")
    machine.on_path(call, state, Effect.DELETES, target, recursive=not picks)


def _run_on_found(
    machine: Machine, state: State, call: Call, places: list[Value], words: list[Value], *, picks: bool
) -> None:
    """A command for what is found. If nothing is picked, that is a place and all that is in it."""
    for place in places if words else []:
        base = place.text.rstrip("/")
        text = place.text if not picks else f"{base}/{UNKNOWN}"
        replaced: list[Value] = []
        for word in words:
            replaced.append(replace(word, text=word.text.replace("{}", text)))
            if word.text == "{}" and not picks:
                replaced.append(replace(word, text=f"{base}/*", pattern=True))
        run_inner(machine, state, replace(call, stdin=SILENT, waits=True), replaced)


def run_fd(machine: Machine, state: State, call: Call) -> Stream:
    """`fd`: a pattern, places, and with `-x` or `-X` a command for what is found there."""
    texts = call.texts
    at = next((at for at, text in enumerate(texts) if text in ("-x", "-X", "--exec", "--exec-batch")), len(texts))
    sorted_ = parsed(call.args[:at], _FD_VALUED)
    words = sorted_.arguments
    places = [*words[1:], *sorted_.values("--search-path --base-directory")] or [replace(call.program, text=".")]
    picks = (bool(words) and bool(words[0].text.strip(f"{_ANYTHING}^$"))) or sorted_.has("-e --extension")
    command = call.args[at + 1 :]
    if command and not any("{" in word.text for word in command):
        command = [*command, replace(command[0], text="{}")]
    _run_on_found(machine, state, call, places, command, picks=picks)
    return Stream(None, frozenset({Source.DYNAMIC}))


_FD_VALUED: Final = (
    "-e -t -d -E -S -o -c -j --extension --type --max-depth --min-depth --exact-depth --exclude --size --owner"
    " --color --threads --changed-within --changed-before --search-path --base-directory --max-results --format"
)

SEARCHING: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("find", "gfind", "bfs"), run_find),
    **dict.fromkeys(("fd", "fdfind"), run_fd),
}
