"""How much hangs on a call. What is gone, goes out or costs money needs more than what is easily undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.ledger.roles import Role
from guardhouse.trust.ledger.shapes import Shape
from guardhouse.trust.ledger.words import name_words, words

if TYPE_CHECKING:
    from guardhouse.trust.ledger.arguments import Argument

_SETTINGS: Final = frozenset(
    "method speed variant size color colour mode format unit currency language priority want option payment shipping "
    "ship permission access type kind class state status frequency every reason category style level ending".split()
)
"""Arguments that choose how something is done, not what is done or to whom."""
_FREE: Final = frozenset("size color colour variant format unit language priority style speed reason category".split())
"""Those of them that nobody gains anything by."""
_NEUTRAL: Final = frozenset(
    "standard default normal regular plain text html markdown none once single one time onetime auto automatic low "
    "medium general other home r read reader view viewer comment commenter readonly only can may file image document "
    "attachment".split()
)
"""Settings that give nobody more than the least."""
_PAYING: Final = frozenset({"method", "payment"})
_CHOOSING: Final = frozenset({"run", "download", "switch", "sign in"})
"""Kinds of which the one thing that is named says what happens."""


class Stakes(msgspec.Struct, frozen=True):
    """What hangs on a call of a tool."""

    shape: Shape
    outward: bool
    """Others get to see something of it."""

    @property
    def are_high(self) -> bool:
        """Whether something is gone, goes out, or is open to others afterwards; or nobody knows what is."""
        return self.outward or self.are_lasting

    @property
    def are_lasting(self) -> bool:
        """Whether something is gone, or open to others, afterwards; or nobody knows what is."""
        kind = self.shape.kind
        return kind.is_destroying or kind.is_grave or not kind.verbs

    @property
    def are_money(self) -> bool:
        """Whether money is spent."""
        return "pay" in self.shape.kind.verbs or self.shape.spends or self.shape.kind.is_costly

    def may_be_loose(self, argument: Argument) -> bool:
        """Whether it is enough that the user named something that only one of the siblings has: then they may speak of
        several of them. What is gone or goes out afterwards must be the best match of all."""
        return argument.role in {Role.AMOUNT, Role.DATE} or not (self.are_high or self.are_money)

    def is_setting(self, argument: Argument) -> bool:
        """Whether an argument chooses how something is done, not what is done or to whom."""
        return not _SETTINGS.isdisjoint(name_words(argument.key))

    def may_be_chosen(self, argument: Argument, marks: frozenset[str]) -> bool:
        """Whether a model may pick a plain word by itself: where little hangs on it, or for a setting of the call that
        gives nobody more. `marks` are those of the user's words: who says how to pay has chosen."""
        is_setting = self.is_setting(argument)
        if is_setting and self.are_high:
            free = not _PAYING.isdisjoint(name_words(argument.key)) and "how paid" not in marks
            free = free or not _FREE.isdisjoint(name_words(argument.key))
            return free or _NEUTRAL.issuperset(words(str(argument.value)))
        return is_setting or not (self.are_high or _CHOOSING.intersection(self.shape.kind.verbs[:1]))
