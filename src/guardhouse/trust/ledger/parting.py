"""Which of a person's words are about what is to be gone, where a message orders other things as well.

`Delete the old menu and send report.pdf to Bob` names a report, and deletes none. Words of another order say nothing of
what is to be gone; words beside all orders may, and so may everything where an order only points: `find it and delete
it`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.trust.ledger.asking import asked_for
from guardhouse.trust.ledger.bidding import bids
from guardhouse.trust.ledger.kinds import DESTROYING
from guardhouse.trust.ledger.words import COMMON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.trust.ledger.bidding import Bid


def of_other_orders(meant: str) -> frozenset[str] | None:
    """The words of a message that belong to orders of another sort and to nothing else. None unless there is an order
    to have something gone, and every such order says by itself what."""
    orders = bids(meant)
    ending = [one for one in orders if _ends(one)]
    if not ending or any(one.refers or _is_bare(one.core[1:]) for one in ending):
        return None
    others = frozenset(word for one in orders if not _ends(one) for word in _written(one))
    theirs = frozenset(word for one in ending for word in _written(one))
    return others - theirs - COMMON


def _written(order: Bid) -> Iterator[str]:
    """The words of an order, and two or three of them as one: `LM-2041` is an id as well as two words."""
    said = (*order.core, *order.rest)
    for size in (1, 2, 3):
        yield from ("".join(said[at : at + size]) for at in range(len(said) - size + 1))


def _ends(order: Bid) -> bool:
    """Whether something is to be gone by it."""
    found = asked_for([order.core])
    return not DESTROYING.isdisjoint(found.plainly | found.perhaps)


def _is_bare(said: Sequence[str]) -> bool:
    """Whether an order does not say what it is about."""
    return all(word in COMMON for word in said)
