"""Names of fields in records, as far as they say something: what a person may mean by one, and who fills it in.

Whoever writes a record may choose the names of its fields, so of a name only the words of this vocabulary are kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from guardhouse.trust.ledger.words import name_words, stem

SPOKEN_OF: Final = tuple(
    stem(word)
    for word in "participant attendee guest invitee member sender author owner recipient client contact assignee "
    "reviewer user passport card account iban phone address birthday salary collaborator organizer organiser payee "
    "seller customer vendor friend people team subscriber follower username email licence license insurance ssn "
    "tax".split()
)
"""What people call such fields, by stems. Sessions number them: new ones go to the end."""
WRITERS: Final = frozenset({"sender", "from", "author", "user"})
"""Fields that name who wrote the record."""
_FULL_NAMES: Final = frozenset({"name", "fullname", "surname", "lastname", "firstname", "contact"})
_REACH: Final = frozenset("email mail phone mobile tel telephone cell handle username".split())
_OF_THEIRS: Final = frozenset("work home primary main business private office e contact mobile cell".split())
_BY_THEM: Final = frozenset("message mail email post comment sender from author posted created written by the".split())
_CONFIDENTIAL: Final = frozenset(
    map(stem, "passport card iban birthday salary licence license insurance ssn tax password passcode passphrase "
              "phrase pin otp secret token credential recovery pw cvv cvc".split())
)  # fmt: skip
"""Fields of which nobody passes on the value by the way."""
_IDS: Final = frozenset({"id", "ids", "uuid", "guid"})
_LIKE_IDS: Final = _IDS | {"sha", "key", "slug", "sku", "ref", "number"}
_SERVER: Final = frozenset(
    "id ids uuid guid key sha hash etag created updated modified timestamp date time size bytes count total status "
    "state type kind version number index page amount price balance currency read recurring start end day due rating "
    "score stars quantity stock".split()
)
"""Fields that the service fills in by itself, by the last word of their name."""
MEASURES: Final = {
    **dict.fromkeys("size bytes length lines words".split(), "size"),
    **dict.fromkeys("price amount cost fee total fare rent".split(), "price"),
    **dict.fromkeys("rating score stars rated".split(), "rating"),
    **dict.fromkeys("date time timestamp created updated modified start due day received sent".split(), "date"),
    **dict.fromkeys("count quantity number members messages users stock items".split(), "count"),
}
"""What a field tells how much there is of, by a word of its name."""
_FURTHER: Final = frozenset(
    "to cc bcc subject title name names mail e-mail tel mobile cell born label labels location place with for by "
    "sent received reply date when where what who patient product item order room".split()
)
"""Further names of fields, by which a record is recognised."""
_KEPT: Final = frozenset({*SPOKEN_OF, *map(stem, WRITERS), *map(stem, _REACH), *_IDS, *_CONFIDENTIAL, stem("balance")})
_OTHER: Final = "x"
_LONGEST: Final = 64


def field_name(name: str) -> str:
    """The name of a field in the form in which labels and the functions below know it; empty if it is none."""
    plain = name.strip().lower()
    return plain if plain.replace("_", "").replace("-", "").isalnum() and plain.isascii() and len(plain) <= 32 else ""


@lru_cache(maxsize=1024)
def kept_name(field: str) -> str:
    """What is kept of a field's name: the words that somebody may ask for later. Any other becomes an `x`."""
    known = [word.rstrip("0123456789") for word in name_words(field[:_LONGEST])]
    kept = [word if stem(word) in _KEPT else _OTHER for word in known]
    name = "_".join(word for at, word in enumerate(kept) if word != _OTHER or at == len(kept) - 1)
    elses = not _REACH.union(WRITERS).isdisjoint(known[-1:]) and not is_reach(field) and not is_writer(field)
    return f"{_OTHER}_{name}" if elses else name  # `referrer_email` is somebody else's


@lru_cache(maxsize=1024)
def is_known(name: str) -> bool:
    """Whether a name is one that fields have, by its last word."""
    said = name_words(name[:_LONGEST])[-1:]
    return any(word in _SERVER or word in _FURTHER or word in MEASURES or stem(word) in _KEPT for word in said)


@lru_cache(maxsize=1024)
def is_writer(field: str) -> bool:
    """Whether a field says who wrote a record, and nobody else."""
    said = name_words(field)
    return not WRITERS.isdisjoint(said[-1:]) and _BY_THEM.issuperset(said[:-1])


@lru_cache(maxsize=1024)
def is_full_name(field: str) -> bool:
    """Whether a field says what somebody is called."""
    return not _FULL_NAMES.isdisjoint(name_words(field)[-1:])


@lru_cache(maxsize=1024)
def is_reach(field: str) -> bool:
    """Whether a field says where somebody can be reached, and nobody else."""
    said = name_words(field)
    return not _REACH.isdisjoint(said[-1:]) and _OF_THEIRS.issuperset(said[:-1])


@lru_cache(maxsize=1024)
def is_id(field: str) -> bool:
    """Whether a field holds an id, or something like one."""
    return not _LIKE_IDS.isdisjoint(name_words(field)[-1:])


def is_made_id(slot: str) -> bool:
    """Whether a slot is that of an id which a service made, to find a thing again."""
    return slot.startswith("s") and not _IDS.isdisjoint(name_words(slot.partition(":")[2])[-1:])


@lru_cache(maxsize=1024)
def is_server_made(field: str) -> bool:
    """Whether a service fills in a field by itself."""
    return not _SERVER.isdisjoint(name_words(field)[-1:])


@lru_cache(maxsize=1024)
def is_confidential(kept: str) -> bool:
    """Whether nobody passes on the value of a field by the way, by what was kept of its name."""
    return any(stem(word) in _CONFIDENTIAL for word in name_words(kept))
