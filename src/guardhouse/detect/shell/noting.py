"""What a reading has seen so far, and what it may still cost. Nothing is followed here.

Work is counted in units of about a microsecond. When it is used up, whoever is at work is stopped by `Spent`; what was
noted until then stays, with a note that there was more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Act, Scope, Source
from guardhouse.detect.paths.hooks import is_telling
from guardhouse.detect.shell.values import Stream
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_MOST_WORK: Final = 11_000
_MOST_ACTS: Final = 200
_ACT_COST: Final = 6
_CHANGING: Final = frozenset({Effect.WRITES, Effect.OVERWRITES})
_LOSING: Final = _CHANGING | {Effect.DELETES}


class Spent(Exception):
    """The work that a reading may take is done; what was seen until then stays."""


class Notes:
    """The acts of one reading, and its budget."""

    def __init__(self) -> None:
        self._acts: dict[Act, None] = {}
        self._work = 0
        self._unsure = False
        """Whether what is followed now is only what would happen if variables that nobody has set are empty."""
        self._place: tuple[int, int] | None = None
        """Where the code that is read now stands, if it is nested in an argument."""
        self.loose: list[tuple[Effect, bool]] = []
        """What is done to files, with or without all below, that may be any agent's settings for all one can tell."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """What was seen, in the order in which it was seen."""
        return tuple(self._acts)

    def spend(self, units: int) -> None:
        """Count work; raises `Spent` when there was too much of it."""
        self._work += units
        if self._work > _MOST_WORK:
            raise Spent

    def guarded(self, work: Callable[[], object]) -> None:
        """Do a piece of work within the budget."""
        try:
            work()
        except Spent:
            self._place = None
            self.give_up("it does too much")
        except RecursionError:  # nested in more ways at once than are counted
            self._place = None
            self.give_up("it is nested too deep")

    def act(self, call: Call | None, state: State, effect: Effect, value: Value | str = "", **more: object) -> None:
        """Note that a program would do something to what a value names."""
        self.spend(_ACT_COST)
        text, start, end = (value, 0, 0) if isinstance(value, str) else (value.text, value.start, value.end)
        if self._place is not None:
            start, end = self._place
        elif not end and call is not None:
            start, end = call.program.start, call.program.end
        if len(self._acts) >= _MOST_ACTS:
            raise Spent
        if self._unsure:
            more.setdefault("certainty", Confidence.MEDIUM)
        act = Act(
            effect=effect,
            target=text,
            scope=more.pop("scope", state.scope),  # type: ignore[arg-type]
            start=start,
            end=end,
            program=call.name if call is not None else "",
            **more,  # type: ignore[arg-type]
        )
        self._acts[act] = None

    def on_path(self, call: Call | None, state: State, effect: Effect, value: Value, **more: object) -> None:
        """Note that a program would do something to a file, wherever that may be."""
        if value.text == "-" or not value.text:
            return
        more.setdefault("sources", value.sources)
        for place, path in enumerate(state.paths(value.text, follow=effect is not Effect.DELETES)):
            here, scope = located(state, path)
            sure: dict[str, object] = {} if place == 0 else {"certainty": Confidence.MEDIUM}
            if path == UNKNOWN and Source.DYNAMIC in value.sources:
                sure["unplaced"] = True
            self.act(call, state, effect, replace(value, text=here), kind="path", scope=scope, **{**more, **sure})
            if effect in _LOSING and (path == UNKNOWN or UNKNOWN in value.text) and _may_be_anything(value.text):
                self.loose.append((effect, bool(more.get("recursive"))))
            if effect in _CHANGING and path in state.files:
                # What it holds now is not known.
                state.files[path] = Stream(None, state.files[path].sources | {Source.WRITTEN})

    def give_up(self, why: str) -> None:
        """Note that something could not be followed."""
        start, end = self._place or (0, 0)
        self._acts[Act(effect=Effect.UNANALYSABLE, what=why, start=start, end=end, certainty=Confidence.MEDIUM)] = None


def _may_be_anything(text: str) -> bool:
    """Whether a path of which a piece is not known may end in the name of a setting."""
    name = text.rstrip("/").rpartition("/")[2]
    return name == UNKNOWN or is_telling(name.replace(UNKNOWN, "*"))


def located(state: State, path: str) -> tuple[str, Scope]:
    """Where a path really is: a directory that a container was given is this machine's."""
    if state.scope is Scope.CONTAINER:
        for target, host in state.mounts.items():
            if path == target or path.startswith(f"{target.rstrip('/')}/"):
                return host.rstrip("/") + path[len(target.rstrip("/")) :] or "/", Scope.LOCAL
    return path, state.scope
