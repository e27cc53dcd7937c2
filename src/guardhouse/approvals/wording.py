"""Terms of a yes as people write them in one line, at a terminal or on a phone, and as a card says them.

`+run`, `+again=30m`, `+there=2h`, `+lines=20`, `+redacted`, `+structure`: each word begins with a plus, so that no
comment is taken for one. What a request offers is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.approvals.interface import NotOffered
from guardhouse.model import ONCE, Condition, GrantScope, Terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from guardhouse.model import GrantReach

_UNITS: Final = {"s": 1, "m": 60, "h": 3600}
_REACHES: Final[dict[str, GrantReach]] = {"again": "exact", "there": "destination"}
KNOWN: Final = "+run, +again=30m, +there=30m, +lines=20, +redacted, +structure"


def split_terms(text: str) -> tuple[Terms, str]:
    """What the words at the beginning of `text` that have a plus say, and the rest. NotOffered if one says nothing."""
    terms = ONCE
    rest = text.strip()
    while rest.startswith("+"):
        word, _, rest = rest.partition(" ")
        terms = _with(terms, word[1:].lower())
        rest = rest.strip()
    return terms, rest


def seconds_of(text: str) -> float | None:
    """How long `30m`, `2h` or `90s` is; None if it is none of these."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit()) or unit not in _UNITS or len(number) > 6 or int(number) == 0:
        return None
    return float(int(number) * _UNITS[unit])


def _with(terms: Terms, word: str) -> Terms:
    name, equals, value = word.partition("=")
    if name == "run" and not equals and not terms.for_run:
        return msgspec.structs.replace(terms, for_run=True)
    if name in _REACHES and terms.grant is None and (not equals or seconds_of(value) is not None):
        scope = GrantScope(_REACHES[name], seconds_of(value))
        return msgspec.structs.replace(terms, grant=scope)
    condition = _condition(name, value) if value or not equals else None
    if condition is not None and terms.condition is None:
        return msgspec.structs.replace(terms, condition=condition)
    raise NotOffered("That is no way to say yes, or it was said twice.", fix=f"Known are {KNOWN}.")


def _condition(name: str, value: str) -> Condition | None:
    if name == "lines" and value.isascii() and value.isdigit() and len(value) < 6:
        try:
            return Condition("first_lines", int(value))
        except ValueError:
            return None
    if name in {"redacted", "structure"} and not value:
        return Condition("redacted") if name == "redacted" else Condition("structure")
    return None


def wanted(terms: Terms) -> Iterable[str]:
    """The words that say these terms, without how long or how much."""
    if terms.for_run:
        yield "+run"
    if terms.grant is not None:
        yield "+again" if terms.grant.reach == "exact" else "+there"
    if terms.condition is not None:
        yield {"first_lines": "+lines"}.get(terms.condition.show, f"+{terms.condition.show}")


def terms_words(terms: Terms, duration: str = "") -> Iterable[str]:
    """What terms say, in sentences; `duration` is how long the longest grant lasts, in words."""
    if terms.for_run:
        yield (
            "Also later calls of this tool in this session with the values that were listed, "
            "as long as the policy lets any grant last."
        )
    if terms.grant is not None:
        long = f"{_long(terms.grant.seconds)}" if terms.grant.seconds is not None else duration or "the whole session"
        what = "exactly this call again" if terms.grant.reach == "exact" else "calls of this tool at the same places"
        yield f"Also {what}, for {long}."
    if terms.condition is not None:
        yield f"On the condition that the agent sees {terms.condition.words}."


def _long(seconds: float) -> str:
    whole = int(seconds)
    if whole % 3600 == 0:
        return f"{whole // 3600} h"
    return f"{whole // 60} min" if whole % 60 == 0 else f"{whole} s"
