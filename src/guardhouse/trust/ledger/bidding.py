"""What a message bids to do: its orders, each by its verb and by what stands with it.

Heard is only a verb where an order has it: at the beginning of a clause, behind words of courtesy (`could you please`),
of need (`I want you to`) or behind another order (`find it and send it`). What is asked, reported, refused, wished for
by somebody else, or told in words that are to be passed on (`tell Bob that I pay`) bids nothing. It is no grammar, but
errs by hearing too little: what is not heard of a user's words is asked about. In what strangers write (`leading`) that
is the other way round, so little may hang on it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.clauses import sentences
from guardhouse.trust.ledger.kinds import VERBS
from guardhouse.trust.ledger.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Bid(NamedTuple):
    """One order of a message."""

    verb: str
    core: tuple[str, ...]
    """The words of the order, its verb first, without what is only told in it."""
    rest: tuple[str, ...] = ()
    """What follows it, up to the next order."""

    @property
    def looks(self) -> bool:
        """Whether it only asks for something to be shown or told."""
        return self.verb in _LOOKING or (self.verb in _TOLD_ME and self.core[1:2] in (("me",), ("us",)))

    @property
    def refers(self) -> bool:
        """Whether it speaks of something that was named before: `book it`."""
        return not _REFERRING.isdisjoint(self.core[1:]) or len(self.core) == 1


_COURTESY: Final = frozenset(
    "please pls plz kindly just then now also first next finally lastly afterwards so ok okay hey hi hello well "
    "and but or simply quickly immediately once again maybe perhaps yes yeah right sure great perfect thanks "
    "lovely fine good oh ah instead still additionally furthermore to too lets us actually alternatively "
    "otherwise".split()
)
"""Before an order, these say nothing."""
_LEADS: Final = tuple(
    tuple(phrase.split())
    for phrase in (
        "can you|could you|would you|will you|can u|could u|shall we|would you mind|are you able to|"
        "i want you to|i need you to|i would like you to|id like you to|i like you to|i want to|i need to|"
        "i have to|i would like to|id like to|i would love to|id love to|i wish to|i must|i should|i plan to|"
        "i am trying to|im trying to|im looking to|i am looking to|we want to|we need to|we have to|we should|"
        "we must|we would like to|wed like to|you should|you must|you need to|you have to|you can|you could|"
        "you may|your task is to|make sure to|make sure that you|make sure you|make sure that|make sure|"
        "be sure to|dont forget to|do not forget to|remember to|go ahead and|feel free to|try to|help me to|"
        "help me|help us|i was hoping you could|i was wondering if you could|it would be great if you could|"
        "it would be nice if you could|would be nice if you could|i was wondering if you can|"
        "do you think you could|ill need you to|i will need you to|id appreciate if you could|i will need to|"
        "ill need to|id need to|i also need to|i also want to|i also need you to|i also want you to|after that|"
        "somebody has to|someone has to|somebody should|someone should|somebody needs to|someone needs to|"
        "i ought to|we ought to|its time to|it is time to|"
        "in that case|if so|if not|when done|once done|by the way|of course|no problem|all right"
    ).split("|")
)
"""Ways to begin an order, the longer ones first."""
_LONGEST_LEAD: Final = max(map(len, _LEADS))
_LEAD: Final = frozenset(_LEADS)
_MOST_LEAD: Final = 16
_WISHES: Final = frozenset((("i", "want"), ("i", "need"), ("we", "need"), ("we", "want"), ("id", "like")))
"""Before a thing, these are orders themselves: `we need gloves`."""
_ASKING: Final = frozenset(
    "what whats when whens who whos which where wheres why how hows did do does is are was were has have had am isnt "
    "wasnt whose whom".split()
)
_MODAL: Final = frozenset("should shall can could will would may might must".split())
_SELF: Final = frozenset("i we it they he she this that there".split())
_SUBORDINATE: Final = frozenset(
    "if when once after while before since because although though unless until as whenever wherever whether where "
    "provided given whatever whoever".split()
)
"""What a clause begins with that only says when, why or on what condition."""
_TELLING: Final = frozenset(
    "whether because since so how who which why while until unless though although what".split()
)
"""From here on a clause says what is told or meant, not what is to be done."""
_SUBJECTS: Final = frozenset(
    "i im ill id ive we were weve he hes she shes they theyre theyve it its this these those there theres my our "
    "his her their the a an somebody someone everyone nobody all both some any no not another one two three".split()
)
"""What a statement begins with, or a thing."""
_SMALL: Final = frozenset("with from for by of in on at into such like than very too under over about".split())
_PRONOUNS: Final = frozenset("me him her them us it this that these those everyone everybody all both".split())
_DETERMINERS: Final = frozenset("the a an my our his her their your its some any another each every new".split())
_PLAIN: Final = frozenset("take get give make look go use want need keep see bring turn come try perform".split())
"""Verbs that say little."""
_ALSO_NOUNS: Final = frozenset(
    "email mail message text call note book table order ticket card schedule report invoice label tag comment review "
    "rent tip share post copy file list reply answer change update request record plan star return transfer deposit "
    "charge release branch merge store print scan lock light set show place house room ship".split()
)
"""Verbs that are things as well: behind `and`, something must follow that they are done to."""
_FOLLOWING: Final = frozenset("there here back to in on with that".split())
_CURRENCY: Final = frozenset("$€£¥₹&+%")
_JOINS: Final = frozenset({"and", "then", "or"})
_PAST: Final = frozenset("paid sent bought wrote told gave got made did had took went said left".split())
_ENDINGS: Final = ("ed", "ing")
_SHORTEST_PAST: Final = 4
_NO_PAST: Final = frozenset("need feed embed proceed exceed speed bring string ping sing ring".split())
_HOURS: Final = frozenset("daily from until till to at every on all weekdays today now monday saturday sunday".split())
"""Behind `open`, these say when something is."""
MOST_BIDS: Final = 60
_LOOKING: Final = frozenset(
    "show find search look list read summarise summarize check compare see view explain describe open display browse "
    "recommend suggest count analyse analyze translate visit go identify determine retrieve fetch".split()
)
_TOLD_ME: Final = frozenset({"tell", "give", "get", "send", "name", "bring"})
_REFERRING: Final = frozenset("it that them this these those one ones there him her".split())


def bids(text: str) -> list[Bid]:
    """The orders in a text, in order. What forbids something must have been taken out of it."""
    found: list[Bid] = []
    for sentence in sentences(text):
        said = words(sentence)
        if not said or asks(sentence):
            continue
        for number, segment in enumerate(_segments(sentence)):
            labels = len(segment) == 1 and segment[0].endswith(":")
            orders = [] if labels else list(_of_segment(segment))
            if not orders and found and number:
                found[-1] = found[-1]._replace(rest=(*found[-1].rest, *words(" ".join(segment))))
            found += orders
        if len(found) >= MOST_BIDS:
            break
    return found[:MOST_BIDS]


class Needed(NamedTuple):
    """What a text says must be, without telling anybody to do it."""

    done: tuple[str, ...] = ()
    """What must be done, as it is said: `the order has to be cancelled`."""
    placed: bool = False
    """Something must be somewhere, or go there: `her day should be on the home page`."""


def needed(text: str) -> Needed:
    """What must be done or be somewhere, by the plain statements of a text. What is asked, told to somebody, wondered
    about, denied or reported is not."""
    done: list[str] = []
    placed = False
    for sentence in sentences(text):
        said = words(sentence.partition(",")[0].partition(";")[0])[:_LONGEST_STATEMENT]
        if not _NOT_PLAINLY.isdisjoint(said) or asks(sentence) or bids(sentence):
            continue
        for at in range(1, len(said) - 2):
            size = next((len(must) for must in _MUST if tuple(said[at : at + len(must)]) == must), 0)
            rest = said[at + size :] if size and said[at - 1] not in _NOBODY else []
            if rest[:1] == ["be"] and len(rest) > 1:
                done += [_undone(rest[1])] if rest[1].endswith("ed") or rest[1] in _PAST else []
                placed = placed or rest[1] in _PLACED
            placed = placed or (rest[:1] == ["go"] and len(rest) > 1)
    return Needed(tuple(done), placed)


def _undone(participle: str) -> str:
    """The verb of what is done: `cancelled`, `paid`."""
    if participle in _PAST:
        return {"paid": "pay", "sent": "send", "bought": "buy", "told": "tell"}.get(participle, participle)
    base = stem(participle)
    return base[:-1] if base not in VERBS and base[-2:] in {"ll", "tt", "pp", "nn"} else base


_LONGEST_STATEMENT: Final = 24
_NOT_PLAINLY: Final = frozenset(
    "if whether that when why what who which before unless until because nothing nobody none no not never by said says "
    "wrote writes told asks asked wants claims thinks think thought feel feels wonder doubt believe guess suppose "
    "maybe perhaps according apparently hope hopes fear tell ask remind check see find note draft write look show "
    "dont".split()
)
"""With any of these, a statement may be somebody else's, or none."""
_MUST: Final = (("needs", "to"), ("need", "to"), ("has", "to"), ("have", "to"), ("ought", "to"), ("must",), ("should",))
_NOBODY: Final = frozenset("i we you he she they who".split())
_PLACED: Final = frozenset("on in at up there online live".split())


def is_wish(text: str) -> bool:
    """Whether a text only names what somebody would like: `2x the usual beans, please`. Nothing is told or asked in it,
    and nobody says so of anything."""
    said = words(text)
    told = {*_FINITE, *_HAPPENS, *_ASKING, *_MODAL, *_PAST, *_SUBORDINATE, "i", "he", "she", "they", "we", "it", "you"}
    return 1 < len(said) <= _LONGEST_WISH and "?" not in text and told.isdisjoint(said)


_LONGEST_WISH: Final = 24


def asks(sentence: str) -> bool:
    """Whether a sentence asks for an answer, and bids nothing."""
    return _is_question(words(sentence), asks=sentence.rstrip().endswith("?"))


def _is_question(said: list[str], *, asks: bool) -> bool:
    """Whether a sentence asks for an answer and bids nothing: `Should I cancel it`, but not `Can you cancel it?`"""
    begin = next((at for at, word in enumerate(said) if word not in _COURTESY or word in {"right", "to"}), len(said))
    said = said[begin:]
    if not said or tuple(said[:2]) in _LEAD or "please" in said[:4]:
        return False
    if said[0] in _MODAL:
        return len(said) > 1 and (said[1] in _SELF or asks)
    if said[0] in {"when", "where", "while", "what", "how"} and not asks:
        return said[0] in {"what", "how"}
    if said[0] == "why" and "dont" in said[:3]:
        return False
    return said[0] in _ASKING and (asks or said[0] not in {"do", "have", "had"}) and "you" not in said[:2]


def _segments(sentence: str) -> Iterator[list[str]]:
    """The pieces of a sentence between its commas and the like, as its raw words."""
    piece: list[str] = []
    for chunk in sentence.split():
        piece.append(chunk)
        if chunk[-1] in ",;:)–—" or (chunk not in _CURRENCY and not any(map(str.isalnum, chunk))):
            yield piece
            piece = []
    if piece:
        yield piece


def _of_segment(raw: Sequence[str]) -> Iterator[Bid]:
    """The orders in one piece of a sentence."""
    written = [(word, chunk) for chunk in raw for word in words(chunk)]
    said = [word for word, _ in written]
    large = ["@" in chunk or chunk.strip("\"'“”‘’(*_")[:1].isupper() for _, chunk in written]
    begin = _behind_lead(said, 0)
    at: int | None = begin
    if begin >= len(said) or said[begin] in _SUBORDINATE:
        at = _next_order(said, large, begin) or _order_within(said, begin)
    elif tuple(said[max(begin - 2, 0) : begin]) not in _WISHES and not _may_begin(said, begin):
        at = _next_order(said, large, begin, told=True)
    while at is not None and at < len(said):
        end = _end_of_core(said, large, at)
        following = _next_order(said, large, end)
        yield Bid(said[at], tuple(said[at:end]), tuple(said[end:following]))
        at = following


def _behind_lead(said: list[str], at: int) -> int:
    """Where a clause begins behind words of courtesy and the like, of which nobody says very many."""
    last = min(len(said), at + _MOST_LEAD)
    while at < last:
        size = next((size for size in range(_LONGEST_LEAD, 1, -1) if tuple(said[at : at + size]) in _LEAD), 0)
        if not size and tuple(said[at : at + 2]) in _WISHES:
            return at + 1 if said[at + 1] != "like" else at + 2
        if not size and said[at] in {"to", "for"} and said[at + 1 : at + 2] in (["each"], ["every"], ["all"]):
            size = next((size for size in range(2, 5) if said[at + size : at + size + 1] in _TOLD), 0)
        if not size and said[at] not in _COURTESY:
            return at
        at += size or 1
    return at


_TOLD: Final = (["write"], ["send"], ["email"], ["message"], ["text"], ["give"], ["add"])
"""Verbs behind those whom they are for: `to each user write …`."""


def _may_begin(said: list[str], at: int) -> bool:
    """Whether an order begins here. A word that nobody knows may be a verb, where something follows that verbs have."""
    word = said[at]
    following = said[at + 1] if at + 1 < len(said) else ""
    if word in {"have", "do", "let"}:
        return following not in {"i", "we", "you", "they", "not", ""}
    if word in _SUBJECTS or word in _ASKING or word in _MODAL or word in _SMALL:
        return False
    if word in _PAST or (word.endswith(_ENDINGS) and len(word) > _SHORTEST_PAST and word not in _NO_PAST):
        return False
    if word.endswith("s") and not word.endswith("ss"):
        return False  # somebody does it, or it is several things
    if word == "open" and (following in _HOURS or following.isdecimal()):
        return False
    if word in _ONLY_NOUNS or following == "of":
        return False
    if stem(word) in VERBS or word in _ALSO_NOUNS or word in _PLAIN or (word, following) in _TOGETHER:
        return following not in _FINITE and not (_is_subject(said, at))
    return (following in _PRONOUNS or following in _DETERMINERS) and not word.endswith("s")


def _is_subject(said: list[str], at: int) -> bool:
    """Whether something is told of what a clause begins with: `Transfer to Bob failed`, `Delete button fails`."""
    following = said[at + 1] if at + 1 < len(said) else ""
    if following in _DETERMINERS or following in _PRONOUNS:
        return False
    for word in said[at + 1 : at + _FAR]:
        if word in _TELLING or word in _BREAKING or word.endswith("ing"):
            return False
        if word in _FINITE or word in _HAPPENS:
            return True
    return False


_FAR: Final = 12
_BREAKING: Final = frozenset("that if and but or then where when".split())
_FINITE: Final = frozenset("is was has are were wants needs isnt wasnt hasnt never still does doesnt didnt did".split())
_HAPPENS: Final = frozenset(
    "failed fails fail bounced arrived arrives broke breaks broken works worked stopped went came looks seems appears "
    "hangs crashed crashes disappeared missing".split()
)
_TOGETHER: Final = frozenset(
    (("clear", "out"), ("clear", "up"), ("throw", "away"), ("throw", "out"), ("pencil", "in"), ("call", "off"))
)
"""Verbs that are none without the word behind them."""
_ONLY_NOUNS: Final = frozenset("payment appointment reservation subscription invitation reminder".split())


def _next_order(said: list[str], large: list[bool], at: int, *, told: bool = False) -> int | None:
    """Where the next order begins, behind an `and` or a `then`; in a statement (`told`) only behind `but`."""
    for place in range(at, len(said) - 1):
        if said[place] == "please" and _may_begin(said, place + 1):
            return place + 1
        if (said[place] == "but" or (not told and said[place] in _JOINS)) and _is_order_behind(said, large, place):
            return _behind_lead(said, place)
    return None


def _order_within(said: list[str], at: int) -> int | None:
    """Where an order begins behind a condition, without a comma: `if it is late call them`."""
    for place in range(at + 2, len(said) - 1):
        word, before = said[place], said[place - 1]
        is_verb = stem(word) in VERBS or word in _ALSO_NOUNS
        if is_verb and said[place + 1] in _PRONOUNS and before not in _SUBJECTS and before not in _NOT_BEFORE:
            return place
    return None


_NOT_BEFORE: Final = frozenset("to you who will can could should would must dont not youd did does do".split())


def _is_order_behind(said: list[str], large: list[bool], at: int) -> bool:
    """Whether an `and` leads to another order, and not to another thing."""
    begin = _behind_lead(said, at)
    if begin >= len(said) or large[begin] or not _may_begin(said, begin):
        return False
    word = said[begin]
    if word == "let":
        return "know" in said[begin + 1 : begin + _KNOWING]
    following = said[begin + 1] if begin + 1 < len(said) else ""
    if word in _ALSO_NOUNS:
        is_done_to = following in _PRONOUNS or following in _DETERMINERS or following in _FOLLOWING
        is_done_to = is_done_to or following.isdecimal()
        return is_done_to or (begin + 1 < len(said) and large[begin + 1])
    return stem(word) in VERBS or following in _PRONOUNS or following in _DETERMINERS


_KNOWING: Final = 6
"""How far `know` may stand behind `let`."""


def begins_telling(word: str, following: str) -> bool:
    """Whether from this word on something is told, and not ordered: `that I am late`, but not `that order`."""
    return word in _TELLING or (word == "that" and (following in _SUBJECTS or following in _SELF))


def _end_of_core(said: list[str], large: list[bool], at: int) -> int:
    """Where an order ends, and something begins that is only told with it, or the next order."""
    for place in range(at + 1, len(said)):
        word = said[place]
        following = said[place + 1] if place + 1 < len(said) else ""
        if begins_telling(word, following) or (word == "if" and place > at + 1):
            return place
        if word == "to" and stem(following) in VERBS and following not in _ALSO_NOUNS and not large[place + 1]:
            return place
        if word in {*_JOINS, "but"} and _is_order_behind(said, large, place):
            return place
    return len(said)
