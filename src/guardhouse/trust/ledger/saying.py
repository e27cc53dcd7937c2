"""The words of a person as values that a later call may be compared with, each by the use that it has in the message.

A number with a currency is money, one behind a label is somebody's, one before a noun counts things: none of them
stands for another. Who is named as the sender of something is not thereby one to send to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.bidding import asks, begins_telling, bids
from guardhouse.trust.ledger.clauses import affirmed, sentences
from guardhouse.trust.ledger.kinds import VERBS, is_ordinary
from guardhouse.trust.ledger.parting import of_other_orders
from guardhouse.trust.ledger.values import MONTHS, Value, values
from guardhouse.trust.ledger.words import COMMON, grams, named_exactly, stem, telling, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.trust.ledger.bidding import Bid

MOST_WORDS: Final = 1500
_LONGEST_PHRASE: Final = 6
FROM: Final = "uf"
"""The slot of a value that the user named as where something comes from."""
THING: Final = "ut"
"""The slot of a number that stands for a thing, and for nobody."""
OTHER: Final = "uo"
"""The slot of a value that belongs to an order of another sort than one to have something gone."""
GIVEN: Final = "u"
"""The slot of any other value of the user's."""


class Uses(NamedTuple):
    """The numbers of a message, by what they are used for."""

    money: tuple[str, ...]
    named: tuple[str, ...]
    """They stand for something: `my order number is 45000`."""
    counted: tuple[str, ...]
    plain: tuple[str, ...]
    things: tuple[str, ...] = ()
    """They stand for a thing, and for nobody: `invoice 4711`."""


_LABELS: Final = frozenset(
    "number no nr id code pin ssn card account iban passport phone zip postcode password passcode ref reference serial "
    "policy case cvv cvc otp tan safe alarm combination".split()
)
_THINGS: Final = frozenset(
    "order invoice ticket issue pr room flight version page chapter line gate seat bill transaction booking event file "
    "item patient case step".split()
)
"""What a number behind them may be the name of, unless it counts what follows: `order 3 pizzas`."""
_BETWEEN: Final = 3
_CURRENCY: Final = frozenset("$€£¥₹")
_CURRENCIES: Final = frozenset(
    "usd eur gbp chf jpy euro euros dollar dollars pounds pound bucks quid franc francs yen".split()
)


def numbers_by_use(text: str) -> Uses:
    """The numbers in a text, in order, each by the first use that it has."""
    chunks = text.split()
    found: dict[str, str] = {}
    for at, chunk in enumerate(chunks):
        if not any(map(str.isdecimal, chunk)):
            continue
        use = _use(chunks[max(at - _BETWEEN, 0) : at], chunk, chunks[at + 1 : at + 1 + _BETWEEN])
        following = chunks[at + 1] if at + 1 < len(chunks) else ""
        for value in values(f"{chunk} {following}"):
            if value.type == "num" and (value.form not in found or use == "money"):
                found[value.form] = use
    return Uses(*(tuple(form for form, own in found.items() if own == use) for use in Uses._fields))


def _use(before: list[str], chunk: str, behind: list[str]) -> str:
    following = (words(behind[0]) or [""])[0] if behind else ""
    earlier = (words(before[-1]) or [""])[-1] if before else ""
    if _CURRENCY & set(chunk) or following in _CURRENCIES or earlier in _CURRENCIES:
        return "money"
    if behind and behind[0][:1] in _CURRENCY:
        return "money"
    ends = chunk[-1] in ".,;!?)"
    counts = bool(following) and not ends and following.isalpha() and following not in COMMON
    if _has_label(before, counts=counts and following.endswith("s")) or (not ends and _is_explained(behind)):
        return "things" if before and (words(before[-1]) or [""])[-1] in _THINGS else "named"
    return "counted" if counts and following not in MONTHS and stem(following) not in VERBS else "plain"


def _has_label(before: list[str], *, counts: bool) -> bool:
    """Whether a label stands right before a number, or with nothing but small words between."""
    for number, word in enumerate(reversed(before)):
        said = words(word)
        if not said or word[-1:] in ".!?;,":
            return False
        if said[-1] in _LABELS:
            return True
        if said[-1] in _THINGS and not number:
            return not counts  # `order 3 pizzas`, but `share file 1 publicly`
        if said[-1] not in COMMON:
            return False
    return False


def _is_explained(behind: list[str]) -> bool:
    """`4821 is my PIN`."""
    said = [word for piece in behind for word in words(piece)]
    return said[:1] == ["is"] and not _LABELS.isdisjoint(said)


def told_of(typed: str) -> tuple[str, ...]:
    """The stems of the words that tell one thing from another: not what is to be done, but what with."""
    meant = affirmed(typed)
    counted = numbers_by_use(meant).counted
    told = telling(words(meant)[:MOST_WORDS])
    doing = {stem(one.verb) for one in bids(meant)}
    files = [words(value.form) for value in values(meant) if value.type == "path" and "/" not in value.form]
    exactly = [named_exactly(name) for name in files if len(name) > 1]
    plain = (word for word in told if word not in doing and word not in _ALWAYS_DONE and word not in counted)
    return tuple(dict.fromkeys([*plain, *exactly]))


_ALWAYS_DONE: Final = VERBS - frozenset(
    map(stem, "run watch light book ring park print scan stamp ship water feed".split())
)
"""Words for what is done, but for those that are things as often."""


def spared(typed: str) -> tuple[str, ...]:
    """The stems of the words of what is left out or forbidden, and spoken of nowhere else."""
    told = {stem(word) for word in words(affirmed(typed))}
    said = " ".join(chunk.partition("@")[0] for chunk in typed.split())
    return tuple(dict.fromkeys(word for word in telling(words(said)[:MOST_WORDS]) if word not in told | VERBS))


def people(typed: str) -> list[str]:
    """The words of a message that may be somebody's name, and are no other word that is written large."""
    meant = " ".join(chunk for chunk in affirmed(typed).split() if "@" not in chunk[1:])
    found = dict.fromkeys(_names(meant))
    return [name for name in found if name not in _WEEKDAYS and name not in MONTHS and not is_ordinary(name)]


def whom(typed: str) -> list[str]:
    """The same, and in a message without capitals every word that is no other: whose record was looked up."""
    if any(map(str.isupper, typed)):
        return people(typed)
    said = (word for word in words(affirmed(typed)) if word.isalpha() and len(word) > 2)
    return [word for word in dict.fromkeys(said) if not is_ordinary(word) and word not in _WEEKDAYS]


def request_values(typed: str) -> Iterator[tuple[str, Value]]:
    """Everything of a message that a later value may be compared with, and its slot."""
    meant = affirmed(typed)
    given = dict.fromkeys(_values(_without_senders(_without_asides(meant))))
    asked = _only_asked(meant)
    things = numbers_by_use(meant).things
    others = of_other_orders(meant) or frozenset()
    for value in given:
        is_aside = value.type == "word" and value.form in asked
        is_thing = value.type == "id" and value.form in things
        if others and value.type in _NAMING and _is_of(value.form, others):
            yield (OTHER, value)
        else:
            yield (FROM if is_aside else THING if is_thing else GIVEN, value)
    yield from ((FROM, value) for value in dict.fromkeys(_values(meant)) if value not in given)
    yield from ((GIVEN, Value("act", word)) for word in dict.fromkeys(stem(one.verb) for one in bids(meant)))


_NAMING: Final = frozenset({"path", "id", "text", "name", "url", "email", "num", "count", "handle"})
"""Types of values that may say what is to be gone."""


def _is_of(form: str, others: frozenset[str]) -> bool:
    """Whether all that is told by a value belongs to other orders."""
    said = [word for word in words(form) if word not in COMMON]
    return bool(said) and others.issuperset(said)


def gone(typed: str) -> tuple[str, ...]:
    """The stems of the words that may say what is to be gone; none if that can't be told from the rest."""
    others = of_other_orders(affirmed(typed))
    if others is None:
        return ()
    kept = [stem(word) for word in others]
    return tuple(word for word in told_of(typed) if word not in kept and not _is_of(word.removeprefix("="), others))


def _only_asked(meant: str) -> frozenset[str]:
    """The stems of words that stand in questions only: whoever asks whether something is public does not say so."""
    asked, told = set[str](), set[str]()
    for sentence in sentences(meant):
        (asked if asks(sentence) else told).update(map(stem, words(sentence)))
    return frozenset(asked - told)


def _values(meant: str) -> Iterator[Value]:
    uses = numbers_by_use(meant)
    for value in values(meant):
        if value.type != "num" or value.form in uses.plain:
            yield value
        elif value.form in uses.money or value.form in uses.counted:
            yield Value("money" if value.form in uses.money else "count", value.form)
        else:
            yield Value("id", value.form)
    said = words(meant)[:MOST_WORDS]
    for word in dict.fromkeys(said):
        if word not in COMMON:
            yield Value("word", stem(word))
        if word in _WEEKDAYS:
            yield Value("weekday", word[:3])
    for name in dict.fromkeys(_names(meant)):
        yield Value("name", name)
        if name not in said:  # of `Ann's`
            yield from (Value("word", stem(name)), Value("text", name))
    for size in range(1, _LONGEST_PHRASE + 1):
        yield from (Value("text", phrase) for phrase in grams(said, size))


_WEEKDAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays mon tue tues wed thu thurs fri sat sun".split()
)
_GOVERNING: Final = frozenset(
    "to with ask tell pay email mail text call give invite add remind message dm send notify thank answer reply "
    "forward channel user room group".split()
)
"""Words that somebody's name may stand right behind, in small letters too."""
_ABOUT: Final = frozenset({"about", "regarding", "concerning", "the", "a", "an"})
"""What follows is what something is about, and nobody to send it to."""
_PLACES: Final = frozenset({"channel", "room", "group"})
_MARKS: Final = "\"'“”‘’«»()[],;:.!?"


def _names(meant: str) -> Iterator[str]:
    """The words of a message that may be names of people or places: written large, quoted, possessive, or where only a
    name can stand."""
    chunks = meant.split()
    listed = False
    for at, chunk in enumerate(chunks):
        said = words(chunk)
        if not said or (listed and said == ["and"]):
            continue
        bare = chunk.strip(_MARKS)
        before = (words(chunks[at - 1]) or [""])[-1] if at else ""
        starts = not at or chunks[at - 1][-1:] in ".!?"
        large = bare[:1].isupper() and (not starts or not is_ordinary(said[0]))
        owns = bare.endswith(("'s", "’s"))
        large = large and before not in _ABOUT
        follows = before in _GOVERNING and said[0] not in COMMON
        precedes = at + 1 < len(chunks) and (words(chunks[at + 1]) or [""])[0] in _PLACES and said[0] not in COMMON
        quoted = chunk[:1] in "\"'“‘" or chunk[-1:] in "\"'”’"
        goes_on = listed and said[0] not in COMMON
        listed = (follows or goes_on) and (chunk.endswith(",") or chunks[at + 1 : at + 2] == ["and"])
        if large or owns or follows or goes_on or precedes or quoted or bare[:1] in "@#":
            yield from (said[0].removesuffix("s") if owns else word for word in said)


_REPORTING: Final = frozenset(
    "wrote asked sent says said wants wanted emailed mailed called contacted texted messaged mentioned told "
    "owes".split()
)
_STATING: Final = frozenset("would is was are were has have had wants owes costs wanted cost got says said".split())
_SHUNNING: Final = frozenset("block report remove delete ban mute ignore unsubscribe unfollow kick".split())
_PARTS: Final = frozenset({"of", "from", "in"})


def is_addressed(typed: str) -> bool:
    """Whether a message gives an address to send something to."""
    return any(value.type == "email" for value in values(_without_senders(_without_asides(affirmed(typed)))))


def _without_asides(meant: str) -> str:
    """A message without the addresses and sums in it that are only spoken of: of who wrote or is to be blocked, in what
    is to be told, and in statements beside an order that has its own; and without the file of which a part is to
    go."""
    pieces = [piece for sentence in sentences(meant) for piece in _pieces(sentence)]
    orders = [bids(piece) for piece in pieces]
    has_sum = any(any(map(_has_digit, piece.split())) for piece, own in zip(pieces, orders, strict=True) if own)
    return "".join(_without_aside(piece, own, has_sum=has_sum) for piece, own in zip(pieces, orders, strict=True))


def _pieces(sentence: str) -> Iterator[str]:
    """A sentence, cut before each `but` and behind each semicolon."""
    kept: list[str] = []
    for chunk in sentence.split(" "):
        if chunk == "but" and kept:
            yield " ".join(kept) + " "
            kept = []
        kept.append(chunk)
        if chunk.endswith(";"):
            yield " ".join(kept) + " "
            kept = []
    yield " ".join(kept)


def _has_digit(chunk: str) -> bool:
    return any(map(str.isdecimal, chunk))


def _without_aside(piece: str, orders: list[Bid], *, has_sum: bool) -> str:
    said = words(piece)
    told = not orders and not _REPORTING.isdisjoint(said)
    stated = not orders and has_sum and not _STATING.isdisjoint(said)
    shuns = any(one.verb in _SHUNNING or "rid" in one.core for one in orders)
    chunks = piece.split(" ")
    aside = told
    shunned = False
    for at, chunk in enumerate(chunks):
        bare = (words(chunk) or [""])[-1]
        following = (words(chunks[at + 1]) or [""])[0] if at + 1 < len(chunks) else ""
        names = at + 1 < len(chunks) and ("@" in chunks[at + 1] or chunks[at + 1][:1].isupper())
        if orders and at and (begins_telling(bare, following) or (bare == "that" and names)):
            aside = True
        elif bare in {"and", "then"} or chunk[-1:] in ",;":
            aside, shunned = told, False
        elif bare == "to":
            shunned = False
        if shuns and bare in _SHUNNING:
            shunned = True
        before = (words(chunks[at - 1]) or [""])[-1] if at else ""
        is_part = shuns and before in _PARTS and any(value.type == "path" for value in values(chunk))
        of_that = (
            before in {"the", "my"} and at > 1 and (words(chunks[at - 2]) or [""])[-1] in {"of", "from"} and has_sum
        )
        is_sum = (aside or stated or of_that) and _has_digit(chunk) and bool(orders or stated)
        if ("@" in chunk and (aside or shunned)) or is_sum or is_part:
            chunks[at] = _SENDER
    return " ".join(chunks)


def _without_senders(meant: str) -> str:
    """A message without those whom it names as the senders of something: `the mail from Bob Smith`."""
    kept: list[str] = []
    skipping = False
    for chunk in meant.split(" "):
        if kept and kept[-1].lower() in {"from", "by"} and ("@" in chunk or chunk[:1].isupper()):
            skipping = True
        elif not (skipping and chunk[:1].isupper()):
            skipping = False
        kept.append(_SENDER if skipping and chunk.strip() else chunk)
        if skipping and chunk[-1:] in ".,;!?":
            skipping = False
    return " ".join(kept)


_SENDER: Final = "qqsenderqq"
"""Stands for one in the text, so that no two words meet that were apart."""
