"""The front door to Python code: text in, acts out.

It never raises and never runs anything. Code that can't be read as a whole gives the acts of what could be read, and
one that says that there is more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardhouse.detect.acts import Act
from guardhouse.detect.python.parsing import LARGEST
from guardhouse.detect.python.walking import Walker
from guardhouse.model import Confidence, Effect

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_python(code: str, words: Sequence[str] | None = None) -> tuple[Act, ...]:
    """What `code` would do, in the order it is met. `UNKNOWN` may stand in the code for what is not known of it.

    `words` are the arguments that the program is given, if that is known: `sys.argv` without its first entry.
    """
    walker = Walker(min(len(code), LARGEST), words)
    too_much = len(code) > LARGEST
    try:
        walker.read(code[:LARGEST])
    except RecursionError:  # the caller was deep in the stack already
        too_much = True
    acts = walker.deeds.acts
    if too_much or walker.spent or walker.parser.dense or walker.deeds.overflow:
        return (*acts, _unread("the code is too long or too dense", len(code)))
    return acts if walker.parser.complete else (*acts, _unread("part of the Python code could not be read", len(code)))


def _unread(what: str, end: int) -> Act:
    return Act(effect=Effect.UNANALYSABLE, certainty=Confidence.MEDIUM, end=end, program="python", what=what)
