"""Whether a call that brings content in was about something that the user named: a file, a page, a person, a search.

What comes from a source that the user pointed at is what they wanted to have read. It is not thereby true, and nothing
in it is an order; but facts from it may go where the user sends them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.roles import Role
from guardhouse.trust.ledger.sightings import is_key, is_structured
from guardhouse.trust.ledger.values import Value, values
from guardhouse.trust.ledger.words import telling, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.model import Traces
    from guardhouse.trust.ledger.arguments import Argument
    from guardhouse.trust.ledger.shapes import Shape
    from guardhouse.trust.ledger.sightings import Sightings

_LONGEST: Final = 6
_LONGEST_TEXT: Final = 1000
"""Characters of an argument that may say what a call is about."""
_EXACT: Final = frozenset({"email", "url", "host", "path", "id", "handle"})
_PLACES: Final = frozenset({"email", "url"})


def pointing_questions(found: Iterable[Argument], shape: Shape) -> list[str]:
    """What to ask of the index to tell whether these arguments point at something that the user named."""
    asked = {f"word:{noun}": None for noun in sorted(shape.kind.nouns)}
    for argument in found:
        for value in _said_as(argument):
            asked[str(value)] = None
    return list(asked)


def _said_as(argument: Argument) -> Iterator[Value]:
    if isinstance(argument.value, int) and not isinstance(argument.value, bool):
        yield from (Value(kind, str(argument.value)) for kind in ("id", "num"))
    if not isinstance(argument.value, str):
        return
    text = argument.value[:_LONGEST_TEXT]
    said = words(text)
    yield from (value for value in values(text) if value.type in _EXACT)
    if 0 < len(said) <= _LONGEST:
        yield Value("text", " ".join(said))
    for word in telling(said):
        yield Value("word", word)


def is_led_to(found: Iterable[Argument], sightings: Sightings) -> bool:
    """Whether the call was about an entry of something listed that the user's words single out."""
    forms = [str(value) for one in found for value in _said_as(one) if value.type in {"id", "num", "text"}]
    return any((is_key(one) or is_structured(one)) and sightings.is_picked(one) for one in sightings.of_any(forms))


def points_at(found: list[Argument], shape: Shape, traces: Traces) -> bool:
    """Whether the call was about something that the user named."""

    def users(value: str) -> bool:
        return any(one.event.grade == "user" for one in traces.found.get(value, ()))

    texts = [one for one in found if isinstance(one.value, str) and one.role not in {Role.FLAG, Role.LIMIT}]
    if not texts:
        return any(users(f"word:{noun}") for noun in shape.kind.named)
    for argument in texts:
        forms = [value for value in _said_as(argument) if value.type != "word"]
        if any(users(str(value)) for value in forms):
            return True
        if any(value.type in _PLACES for value in forms):
            continue  # another address is another place, however many words it shares
        said = telling(words(argument.value[:_LONGEST_TEXT]))
        if said and sum(users(f"word:{word}") for word in said) * 2 > len(said):
            return True
    return False
