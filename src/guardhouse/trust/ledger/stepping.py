"""Steps that a model takes by itself on the way to what the user asked for, and that nobody else can have asked for.

Only where no text that came in speaks of such a deed (`leading`), and only where little hangs on it: orders can be
worded so that they are not heard. Nothing that goes out, is gone, costs money or opens access is among them, but for
signing in, and for bringing work that was done in this session to where it belongs.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.intent import has_word_for
from guardhouse.trust.ledger.kinds import PUBLISHED, WORKING, is_delicate, stemmed
from guardhouse.trust.ledger.questions import candidates, grave_choices
from guardhouse.trust.ledger.roles import Role
from guardhouse.trust.ledger.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.trust.ledger.arguments import Argument
    from guardhouse.trust.ledger.sightings import Sightings
    from guardhouse.trust.ledger.stakes import Stakes

_RELEASING: Final = stemmed("deploy release")
_REPOSITORY: Final = stemmed("git repo repository branch change code project work remote origin")
_RELEASED: Final = _REPOSITORY | PUBLISHED | stemmed("version build host cut app release deploy")
_ACCOUNTS: Final = stemmed("service account session site app code enter start step")
_WORKED: Final = frozenset("change create post upload push commit merge branch move".split())
"""Kinds of which the result has to be committed, pushed and released."""
_LOOKING: Final = frozenset({"search", "create"})
"""Kinds that somebody may ask for who only wants to know something."""
_UNDONE: Final = frozenset("cart mark plan change move".split())
"""Kinds of steps that are easily undone."""
_NAMING: Final = frozenset({Role.SELECTOR, Role.DESTINATION, Role.RECIPIENT})


class Steps:
    """What a call would be as a step of the model's own."""

    def __init__(self, stakes: Stakes, sightings: Sightings, found: Sequence[Argument]) -> None:
        self._stakes = stakes
        self._shape = stakes.shape
        self._sightings = sightings
        self._found = found

    @cached_property
    def is_led(self) -> bool:
        """Whether a text that came in may have told the model to do such a thing."""
        return self._sightings.may_be_led(self._shape.kind)

    @property
    def are_free(self) -> bool:
        """Whether it signs in, fetches what is new of the work, or brings work to where it belongs."""
        kind = self._shape.kind
        enters = kind.verbs[:1] == ("sign in",) and kind.named <= _ACCOUNTS
        pulls = "pull" in name_words(self._shape.name) and self._is_of_work and self._wants_work
        return (enters or pulls or self._goes_on) and bool(self._sightings.requests) and not self.is_led

    @property
    def is_small(self) -> bool:
        """Whether it is easily undone, is done to what the user speaks of, and they want something done."""
        if not self._sightings.speaks_of_all(self._shape.kind.named):
            return False
        return not self._sightings.ordered <= _LOOKING and self._is_undone and not self.is_led

    @property
    def may_choose(self) -> bool:
        """Whether the model chooses between the user's own things by itself: the user has a word for such an action,
        nobody else speaks of it, and little hangs on which one it is."""
        if not self._is_undone or grave_choices(self._found) or self.is_led:
            return False
        return has_word_for(self._shape.kind, self._sightings)

    def goes_on_with(self, argument: Argument) -> bool:
        """Whether an argument names what was worked on in this session, for a call that brings that to its place."""
        return self._goes_on and not self.is_led and self._is_worked_on(argument)

    @property
    def _is_undone(self) -> bool:
        kind = self._shape.kind
        if self._stakes.are_high or self._stakes.are_money or kind.breaks:
            return False
        return not _UNDONE.isdisjoint(kind.verbs[:1]) and not is_delicate(self._shape.name)

    @cached_property
    def _goes_on(self) -> bool:
        """Whether the call commits, pushes, releases or deploys what was worked on in this session, and the user asked
        for something that takes it."""
        kind = self._shape.kind
        works = not WORKING.isdisjoint(kind.verbs[:1]) and self._is_of_work
        releases = not _RELEASING.isdisjoint(map(stem, name_words(self._shape.name))) and kind.named <= _RELEASED
        releases = releases and any(map(self._sightings.said_word, PUBLISHED))
        if not (works or releases) or kind.is_grave or kind.is_destroying or self._stakes.are_money:
            return False
        named = [one for one in self._found if one.role in _NAMING]
        return self._wants_work and any(map(self._is_worked_on, named))

    @property
    def _is_of_work(self) -> bool:
        named = self._shape.kind.named
        return bool(named) and named <= _REPOSITORY

    @property
    def _wants_work(self) -> bool:
        said = {one for request in self._sightings.requests for one in (*request.kinds, *request.hints)}
        return not said.isdisjoint(_WORKED)

    def _is_worked_on(self, argument: Argument) -> bool:
        """Whether a call of this session worked on what an argument names."""
        forms = [str(one) for one in candidates(argument) if one.type in {"text", "id"}]
        return argument.role in {Role.SELECTOR, Role.DESTINATION} and self._sightings.is_worked_on(forms)
