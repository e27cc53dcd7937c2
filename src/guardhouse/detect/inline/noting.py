"""Keeps what was seen in a piece of inline code, and puts together what only means something together.

A socket and a shell in the same code are a shell for whoever is at the other end; a file that is read and a request
that is sent are a file that leaves.
"""

from __future__ import annotations

import shlex
from typing import Final

from guardhouse.detect.acts import UNKNOWN, Act, Source, Target
from guardhouse.detect.inline.home import HOME, as_command, as_path
from guardhouse.model import Confidence, Effect

_MOST_ACTS: Final = 200
_MOST_CALLS: Final = 300
_MOST_WORK: Final = 3300
"""Tokens, lines and commands that are looked at, each counted as one: that takes about ten milliseconds."""
_MOST_GATHERED: Final = 2000
"""Tokens that are looked at once more, as arguments of calls."""
_MOST_GLOBS: Final = 8
_MOST_DIRECTORIES: Final = 4
_ABSOLUTE: Final = frozenset(("/", "~", HOME, UNKNOWN))
"""What a path begins with that is the same from every directory, or that nobody knows."""
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
_DECODED: Final = frozenset({Source.DECODED})


class Notes:
    """What a piece of code would do, as it is found out."""

    def __init__(self) -> None:
        self._acts: dict[Act, None] = {}
        self.place = (0, 0)
        """Where it is seen."""
        self._calls = 0
        self._work = _MOST_WORK
        self._gathering = _MOST_GATHERED
        self._directories: list[str] = []
        """Directories that the code goes to, besides the one it starts in."""
        self._globs: dict[tuple[str, bool], None] = {}
        self.sockets = False
        self.listens = False
        self.serves = False
        self.runs = False
        self.runs_unknown = False
        self.fetches = False
        self.sends = False
        self.reads = False
        self.reads_environment = False
        self.decodes = False
        self.hosts: list[str] = []
        """Where a socket goes, if there turns out to be one."""
        self.destination: tuple[str, Target] = (UNKNOWN, "host")

    def act(
        self,
        effect: Effect,
        target: str = "",
        kind: Target = "",
        *,
        sources: frozenset[Source] = frozenset(),
        certainty: Confidence = Confidence.HIGH,
        recursive: bool = False,
        what: str = "",
    ) -> None:
        """Note one act, once."""
        start, end = self.place
        if HOME in target:
            target = as_command(target) if kind == "shell" else as_path(target)
        if len(self._acts) < _MOST_ACTS:
            act = Act(
                effect=effect,
                target=target,
                kind=kind,
                sources=sources,
                certainty=certainty,
                start=start,
                end=end,
                recursive=recursive,
                what=what,
            )
            self._acts[act] = None
        elif len(self._acts) == _MOST_ACTS:
            self._acts[Act(effect=Effect.UNANALYSABLE, what="it does too much", certainty=Confidence.MEDIUM)] = None

    def give_up(self, why: str) -> None:
        """Note that something could not be followed."""
        self.act(Effect.UNANALYSABLE, what=why, certainty=Confidence.MEDIUM)

    def _give_up_all(self) -> None:
        """Note, of the whole code, that there is too much of it."""
        before, self.place = self.place, (0, 0)
        self.give_up("the code is too long")
        self.place = before

    @property
    def work_left(self) -> int:
        """How much more can be looked at."""
        return self._work

    def spend(self, work: int) -> bool:
        """Count what is looked at; whether there was enough left for it. That there was not is noted."""
        if self._work > 0 >= self._work - work:
            self._give_up_all()
        self._work -= work
        return self._work > 0

    def gather(self, tokens: int) -> bool:
        """Count what is looked at once more; whether more can be."""
        self._gathering -= tokens
        if self._gathering <= 0 < self._gathering + tokens:
            self._give_up_all()
        return self._gathering > 0

    def spent(self) -> bool:
        """Whether too many calls and filled strings were looked at; the first that is too much is noted."""
        self._calls += 1
        if self._calls == _MOST_CALLS:
            self._give_up_all()
        return self._gathering <= 0 or self._calls >= _MOST_CALLS or len(self._acts) > _MOST_ACTS

    def run(self, command: str, *, certainty: Confidence = Confidence.HIGH, was_decoded: bool = False) -> None:
        """Note a program that is started."""
        self.runs = True
        unknown = UNKNOWN in command
        self.runs_unknown |= unknown
        sources = (_DYNAMIC if unknown else frozenset()) | (_DECODED if was_decoded else frozenset())
        self.act(Effect.EXECUTES, command, "shell", sources=sources, certainty=certainty)
        for directory in self._directories:
            if UNKNOWN not in directory and not unknown:
                line = f"cd {shlex.quote(directory)} && {command}"
                self.act(Effect.EXECUTES, line, "shell", sources=sources, certainty=certainty)

    def evaluate(self) -> None:
        """Note text that is run as code, and that nobody can see."""
        self.runs = self.runs_unknown = True
        self.act(Effect.EXECUTES, UNKNOWN, sources=_DYNAMIC, what="text that is made while it runs is run as code")

    def evaluate_decoded(self) -> None:
        """Note text that is run as code, and was written so that nobody reads it at first sight."""
        self.runs = True
        self.act(Effect.EXECUTES, sources=_DECODED, what="text that was hidden in an encoding is run as code")

    def glob(self, pattern: str, *, recursive: bool = False) -> None:
        """Note files that are looked for: what is deleted later without a name may be these."""
        if pattern and pattern != UNKNOWN and len(self._globs) < _MOST_GLOBS:
            self._globs[as_path(pattern), recursive] = None

    def path(self, effect: Effect, path: str, *, recursive: bool = False) -> None:
        """Note something that is done to a file."""
        if effect is Effect.READS:
            self.reads = True
            if UNKNOWN in path:
                return
        if path:
            certainty = Confidence.MEDIUM if path == UNKNOWN else Confidence.HIGH
            self.act(effect, path, "path", recursive=recursive, certainty=certainty)
            if path[0] not in _ABSOLUTE:
                for directory in self._directories:
                    self.act(effect, f"{directory.rstrip('/')}/{path}", "path", recursive=recursive)

    def enter(self, directory: str) -> None:
        """Note that from here on the code may be in another directory: whether it got there is not known, so what it
        does is done in each."""
        if directory and directory[0] not in _ABSOLUTE and self._directories:
            directory = f"{self._directories[-1].rstrip('/')}/{directory}"
        if directory and directory not in self._directories:
            if len(self._directories) == _MOST_DIRECTORIES:
                self.give_up("it goes to too many directories")
            else:
                self._directories.append(directory)

    def connect(self, target: str, kind: Target) -> None:
        """Note where it reaches out to."""
        if self.destination[0] == UNKNOWN:
            self.destination = (target, kind)
        certainty = Confidence.MEDIUM if target == UNKNOWN else Confidence.HIGH
        self.act(Effect.CONNECTS, target, kind, certainty=certainty)

    def finished(self) -> tuple[Act, ...]:
        """All acts, with those that several things make together."""
        if self.sockets and self.hosts:
            for host in self.hosts:
                self.connect(host, "host")
        elif self.sockets and self.destination[0] == UNKNOWN:
            self.connect(UNKNOWN, "host")
        if (self.runs and (self.sockets or self.listens)) or (self.serves and self.runs_unknown):
            self.act(
                Effect.SPAWNS_SHELL,
                sources=frozenset({Source.NETWORK}),
                what="whoever is at the other end of the connection could give commands",
            )
        self._note_sending()
        self._note_globs()
        return tuple(self._with_origins(act) for act in self._acts)

    def _note_sending(self) -> None:
        if not self.sends or not (self.fetches or self.sockets):
            return
        target, kind = self.destination
        if self.reads:
            self.act(Effect.SENDS, target, kind, sources=frozenset({Source.FILE}), what="what is in a file would leave")
        if self.reads_environment:
            sources = frozenset({Source.SECRET})
            self.act(Effect.SENDS, target, kind, sources=sources, what="the whole environment would leave")

    def _note_globs(self) -> None:
        """What is deleted, and named only while it runs, is what was looked for."""
        nameless = [act for act in self._acts if act.effect is Effect.DELETES and act.target == UNKNOWN]
        for act in nameless[:1]:
            self.place = (act.start, act.end)
            for pattern, recursive in self._globs:
                self.act(Effect.DELETES, pattern, "path", recursive=act.recursive or recursive)

    def _with_origins(self, act: Act) -> Act:
        """Code that is not known may come from whatever the rest of the code gets."""
        if act.effect is not Effect.EXECUTES or Source.DYNAMIC not in act.sources:
            return act
        more = {Source.NETWORK} if self.fetches or self.sockets or self.listens or self.serves else set()
        more |= {Source.DECODED} if self.decodes else set()
        if not more:
            return act
        return Act(
            effect=act.effect,
            target=act.target,
            kind=act.kind,
            sources=act.sources | more,
            certainty=act.certainty,
            start=act.start,
            end=act.end,
            what=act.what,
        )
