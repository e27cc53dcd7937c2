"""What a tool surely does, by the verbs of its name and of its description, with the ledger's one table of them.

A guess for the ledger may be wrong now and then; a capability asks a person every time, and nobody can take it away.
So only what is plain counts: `delete_file`, `mail_send`; not `list_deleted_files`, `share_price`, `order_status`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.kinds import kind_of_verb
from guardhouse.trust.ledger.words import name_words, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKS: Final = frozenset(
    "get list search find read fetch view show lookup look check count query describe browse see retrieve calculate "
    "compare preview is has can status history info details summary stats report suggest estimate validate parse "
    "extract format convert translate render draft prepare price level template latest recent newest unread pending "
    "current methods options inbox overview".split()
)
"""Words with which a name says that it only looks, or only prepares something."""
_NOUNS_TOO: Final = frozenset(
    "message email mail dm sms post comment tweet share grant invite transfer refund charge order checkout book trash "
    "drop ban return void purchase forward reply reserve broadcast".split()
)
"""Verbs that are things as well: they count only where a name begins with them."""
_ROOMS: Final = frozenset("message email mail dm sms post comment order book".split())
_THINGS: Final = _NOUNS_TOO | frozenset("file record log request text label tag review contact".split())
_TOLD: Final = frozenset("received incoming outstanding due overdue open history list log".split())
"""Words with which a name says that it tells of payments, and makes none."""
_DOING: Final = frozenset("process start run execute settle submit make send approve pay release initiate".split())
_MONEY: Final = frozenset("money payment payments payout".split())
_OBJECTS: Final = {False: frozenset("a an money".split()), True: frozenset("a an the your money".split())}
"""What follows a verb that is a thing as well, where a sentence begins with it: `Email a colleague`."""
_WEAK: Final = frozenset("text contact respond clear kick call ring dial rent tip wire".split())
"""Verbs that are something else too often to count at all."""
_JOINS: Final = frozenset("and then or also automatically it".split())
_LONGEST_DESCRIPTION: Final = 400


def does_for_sure(tool: str, description: str = "") -> frozenset[str]:
    """The kinds of action that a tool surely does."""
    return frozenset((*_by_name(name_words(tool.strip().rpartition("__")[2])), *_by_description(description)))


def _by_name(said: list[str]) -> list[str]:
    looks = bool(said) and said[0] in _LOOKS
    found = []
    for place, word in enumerate(said):
        if word in _WEAK:
            continue
        joined = place > 0 and said[place - 1] in _JOINS
        if word in _NOUNS_TOO:
            counts = joined or (place == 0 and _LOOKS.isdisjoint(said) and not _is_room(word, said[1:]))
        else:
            counts = joined or not looks
        kind = kind_of_verb(word) if counts else None
        if kind is not None:
            found.append(kind)
    looks = looks or (not _TOLD.isdisjoint(said) and _DOING.isdisjoint(said))
    return found if looks or _MONEY.isdisjoint(said) else [*found, "pay"]


def _is_room(word: str, others: list[str]) -> bool:
    """Whether a name begins with what it is about, and says later what is done: `mail_open`."""
    return word in _ROOMS and any(kind_of_verb(other) and other not in _THINGS for other in others)


def _by_description(description: str) -> list[str]:
    """What its sentences begin with, or go on with: `Deletes a file.`, `Books a table and emails the owner.`"""
    found = []
    for sentence in description[:_LONGEST_DESCRIPTION].replace("\n", ".").replace(";", ".").split("."):
        said = words(sentence)
        for place, word in enumerate(said):
            if place and said[place - 1] not in _JOINS:
                continue
            plain = next((one for one in _plain_forms(word) if kind_of_verb(one) is not None), None)
            if plain is None or plain in _WEAK:
                continue
            if plain in _NOUNS_TOO and _OBJECTS[plain != word].isdisjoint(said[place + 1 : place + 2]):
                continue
            if plain in _NOUNS_TOO and place and plain == word:
                continue
            found.append(str(kind_of_verb(plain)))
    return found


def _plain_forms(word: str) -> Iterator[str]:
    """What a word is the third person of, and itself."""
    yield word
    for ending, plain in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending):
            yield word.removesuffix(ending) + plain
