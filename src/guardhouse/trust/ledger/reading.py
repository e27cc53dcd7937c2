"""Content as the ledger takes it in: the values in it, and the objects that they belong to.

An object is an entry of a list, a record, a line of a listing or a paragraph: what a person means by "the one about the
coffee mug". Its words and its place among its siblings are kept, so that a later call that picks one of them can be
held against what the person said. Structured fields are told from prose: a field that a server fills in is something
else than a sentence that anybody wrote.
"""

from __future__ import annotations

from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.model import WRITTEN
from guardhouse.trust.ledger.entries import entries_of, own_words, parts_of_line
from guardhouse.trust.ledger.fields import (
    MEASURES,
    field_name,
    is_confidential,
    is_full_name,
    is_id,
    is_made_id,
    is_reach,
    is_server_made,
    is_writer,
    kept_name,
)
from guardhouse.trust.ledger.forms import Letter, Loose, parts, unwrapped
from guardhouse.trust.ledger.kinds import acts_in
from guardhouse.trust.ledger.leading import speaks_of
from guardhouse.trust.ledger.listings import own_ids
from guardhouse.trust.ledger.values import Value, is_whole, number_form, values
from guardhouse.trust.ledger.words import (
    comparable,
    going_by,
    grams,
    name_words,
    named_exactly,
    stem,
    telling,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

GRAM: Final = 5
"""Words of a run by which texts are recognised."""
_LONGEST_NAME: Final = 12
"""Words of a text that is still a name or a title."""
_MOST_OBJECTS: Final = 400
_MOST_OBJECT_WORDS: Final = 48
_MOST_VALUES: Final = 20_000
"""Of each sort: what can be reached, numbers and ids, names and phrases, runs of words. None can use up another's room,
so that nobody hides an address behind a flood of words. What had no room is missed, and that is said: `Reading.cut`."""
_SORTS: Final = {
    "gram": "run",
    "part": "phrase",
    "text": "phrase",
    "email": "reached",
    "handle": "reached",
    "host": "reached",
    "url": "reached",
}
_MOST_READ: Final = 500_000
"""Characters that are looked at."""
_MOST_PIECES: Final = 40_000
"""Values and sentences that are looked at."""
_PHRASED: Final = 400
"""Words of a text up to which its short phrases are indexed as well."""
_MOST_ACTS: Final = 6
ANY_ACT: Final = "~*"
"""Instead of the kinds of action that a text speaks of, where these are too many to be kept."""
_DEEPEST: Final = 24
_LONGEST_QUOTE: Final = 400
_SHORT: Final = 64
"""Characters of a text that may be one value, written with blanks."""

_SEPARATORS: Final = (",", ":", "|", " - ", " – ", " — ", ";", "(", ")", "[", "]", "\t", '"', "“", "”", "=", "*")
_CURRENCY: Final = frozenset("$€£¥₹")
_CURRENCIES: Final = frozenset("usd eur gbp chf euro euros dollars pounds".split())
_ODD: Final = "odd"
"""Instead of the name of a field that is none."""
_LONGEST_SEGMENT: Final = 8
"""Words between two separators that may be a name."""


LISTED: Final = "#"
"""The flag of an entry of a listing that has an id of its own."""
KEY: Final = "k"
"""With its number, the slot of such an id."""
COLUMN: Final = "j"
"""The same for a further one: it may be the id of something else that the entry has to do with."""
FIRST_KEY: Final = f"{KEY}0:"
_LED: Final = "d"
"""The slot of what a text speaks of doing: it only matters that one did."""
WORKED: Final = "wk"
"""The slot of what a call worked on that made or changed something."""
ANYTHING: Final = Value("written", "*")
"""Instead of all that a model wrote, where it is too much to be told."""


class Seen(NamedTuple):
    """A value, where it stood, and in which object."""

    value: Value
    slot: str


class Object(NamedTuple):
    """One thing among its siblings."""

    group: int
    words: tuple[str, ...]
    """Stems of the words that tell it from others."""
    flags: tuple[str, ...] = ()
    """What it speaks of doing (`~cancel`), whether a service lists it (`#`), and what it has most or least of among
    its siblings: `max price`."""
    quote: str = ""
    """How its text begins; neither masked nor made visible."""


class Reading(NamedTuple):
    """What the ledger takes in of one piece of content."""

    seen: tuple[Seen, ...]
    objects: tuple[Object, ...]
    cut: bool = False
    """There is more in it than is told here."""


class _Draft:
    """An object while it is read."""

    __slots__ = ("acts", "group", "listed", "measures", "quote", "words")

    def __init__(self, group: int) -> None:
        self.group = group
        self.words: dict[str, None] = {}
        self.measures: dict[str, float | str] = {}
        self.quote = ""
        self.acts: tuple[str, ...] = ()
        self.listed = False

    def add(self, stems: Iterable[str]) -> None:
        for word in stems:
            if len(self.words) >= _MOST_OBJECT_WORDS:
                return
            self.words[word] = None


class _Reader:
    def __init__(
        self,
        labels: Mapping[str, str] | None = None,
        echoed: frozenset[str] = frozenset(),
        *,
        shaped: bool = False,
        printed: bool = False,
        runs: bool = True,
    ) -> None:
        self._labels = labels or {}
        self._echoed = echoed
        self._shaped = shaped
        self._printed = printed and not shaped
        self._runs = runs
        self._inner = 0
        """How many records deep in a record this is."""
        self._seen: dict[Seen, None] = {}
        self._grams: set[str] = set()
        self._deeds: set[Value] = set()
        self._people: list[tuple[int, str, str]] = []
        """Entries of a listing that may be about somebody: their place, their name, and how they begin."""
        self._objects: list[_Draft] = []
        self._overflow = _Draft(0)
        self._groups = 0
        self._room = dict.fromkeys(("", *_SORTS.values()), _MOST_VALUES)
        self._left = _MOST_READ
        self._pieces = 0
        self._cut = False

    def done(self) -> Reading:
        most = _flags(self._objects)
        objects = []
        for number, draft in enumerate(self._objects):
            listed = (LISTED,) if draft.listed else ()
            flags = (*_few(draft.acts), *listed, *sorted(most.get(number, ())))  # there is room for some only
            objects.append(Object(draft.group, tuple(draft.words), flags, draft.quote))
        return Reading(tuple(self._seen), tuple(objects), self._cut)

    def read(self, value: Any, at: int | None = None, field: str = "", depth: int = 0) -> None:
        if depth > _DEEPEST or not self._goes_on():
            self._cut = True
            return
        if isinstance(value, str):
            self._text(self._looked_at(value), at, field)
        elif isinstance(value, bool) or value is None:
            return
        elif isinstance(value, (int, float)):
            self._scalar(value, at, field)
        elif isinstance(value, list):
            self._list(value, at, field, depth)
        elif isinstance(value, dict):
            self._record(value, at, field, depth)

    def read_answer(self, content: Any) -> None:
        """A tool's whole answer: its text is a record, if it was one before it was printed."""
        for part in unwrapped(content):
            for one in parts(part) if isinstance(part, str) and self._printed else (part,):
                if isinstance(one, Letter):
                    self.read(one.head)
                    self.read(one.body)
                else:
                    self.read(one)
                    if isinstance(one, str) and self._printed:
                        self._card(one)

    def _card(self, text: str) -> None:
        """Whom an answer in prose is about, and where they can be reached: what a service says of somebody comes before
        what others say."""
        begin = own_words(text[:_LONGEST_CARD])
        first = begin.partition(". ")[0].partition("\n")[0].partition("(")[0].partition(",")[0].partition(":")[0]
        place = self._new_object(self._new_group())
        sender = _sender(text[:_LONGEST_CARD].partition("\n")[0])
        if sender:
            slot = self._slot("f", place, "from")
            self._note(Value("email", sender), slot)
            self._goes_by(place, text[:_LONGEST_CARD].partition("<")[0] + sender, slot)
            return
        named = " ".join(chunk for chunk in first.split()[:_LONGEST_SEGMENT] if chunk[:1].isupper())
        if self._is_only_about(named, begin):
            self._draft(place).add(map(going_by, words(named)))
            self._reach(begin, place)

    def _is_only_about(self, named: str, text: str) -> bool:
        """Whether a text speaks of one person: nobody else's address stands beside theirs, and nobody was not found."""
        if not named or not _ELSEWHERE.isdisjoint(words(text)):
            return False
        reached = [value for value in values(text) if value.type == "email"]
        return len(reached) <= 1

    def _reach(self, text: str, place: int) -> None:
        """The first address and the first telephone number in a text."""
        found = list(values(text))
        email = next((value for value in found if value.type == "email"), None)
        phone = next((value for value in found if value.type == "id" and _is_phone(value.form)), None)
        for value, field in ((email, "email"), (phone, "phone")):
            if value is not None:
                self._note(value, self._slot("f", place, field))

    def _goes_on(self) -> bool:
        """Whether there is time for another value, and room to note anything of it."""
        self._pieces += 1
        return self._pieces <= _MOST_PIECES and any(self._room.values())

    def _looked_at(self, text: str) -> str:
        """As much of a text as there is time for."""
        if len(text) > self._left:
            self._cut = True
            text = text[: self._left]
        self._left -= len(text)
        return text

    def _list(self, items: list[Any], at: int | None, field: str, depth: int) -> None:
        plain = at is not None and not any(isinstance(item, (dict, list)) for item in items)
        group = self._new_group() if not plain else 0
        for item in items:
            place = at if plain else self._new_object(group)
            self.read(item, place, field, depth + 1)

    def _record(self, record: dict[str, Any], at: int | None, field: str, depth: int) -> None:
        if _is_table(record):
            group = self._new_group()
            for name, item in record.items():
                place = self._new_object(group)
                self._text(self._looked_at(name), place, field)
                self.read(item, place, field, depth + 1)
            return
        place = at if at is not None else self._new_object(self._new_group())
        self._inner += at is not None and bool(field)
        for name, item in record.items():
            if isinstance(name, str):
                if "@" in name or " " in name.strip():
                    self._text(self._looked_at(name), place, field)
                self.read(item, place, field_name(name) or _ODD, depth + 1)
        self._inner -= at is not None and bool(field)
        if not self._shaped:
            self._whose(record, place)

    def _whose(self, record: dict[str, Any], place: int) -> None:
        """Whose record it is: who wrote it, or who can be reached by it."""
        reached = [name for name in record if isinstance(name, str) and is_reach(name)]
        mailed = [name for name in record if isinstance(name, str) and "mail" in name.lower()]
        is_contact = not self._inner and bool(reached) and len(mailed) <= 1
        for name, item in record.items():
            if not isinstance(name, str) or not isinstance(item, str) or isinstance(item, Loose):
                continue
            if is_writer(name) or (is_contact and is_full_name(name)):
                self._goes_by(place, item[:_LONGEST_QUOTE], self._slot("f", place, field_name(name)))

    def _scalar(self, number: float, at: int | None, field: str) -> None:
        form = number_form(number)
        place = at if at is not None else self._new_object(self._new_group())
        slot = self._slot("f", place, field)
        self._note(Value("num", form), slot)
        if is_id(field):
            self._note(Value("id", form), slot)
        if is_confidential(kept_name(field)):
            self._note(Value("secret", form), slot)
        if abs(number) < _LARGEST:
            self._measure(place, field, float(number))
        self._words(place, [form])

    def _text(self, text: str, at: int | None, field: str) -> None:
        if not text.strip():
            return
        if at is None or ("\n" in text and not field):
            self._prose(text, field)
            return
        said = words(text)
        self._quote(at, text)
        is_field = len(said) <= _LONGEST_NAME and "\n" not in text and not isinstance(text, Loose)
        is_field = is_field and not (self._inner and (is_reach(field) or is_writer(field)))
        label = "f" if is_field else "p"
        slot = self._slot(label, at, field)
        if len(said) <= _LONGEST_NAME:
            self._note(Value("text", " ".join(said)), slot)
        if is_id(field):
            self._note(Value("id", text.strip().lower()), slot)
        if len(said) <= _LONGEST_NAME and is_confidential(kept_name(field)):
            self._note(Value("secret", comparable(text.strip())), slot)
        # What stands in a longer text was written by whoever wrote that, whatever field it is in.
        inner = slot if len(text.split()) == 1 else self._slot("p", at, field)
        address = _address(text) if label == "f" else ""
        for value in values(text):
            whole = (len(text) <= _SHORT and is_whole(value, text)) or (value.type == "email" and value.form == address)
            self._note(value, slot if whole else inner)
            self._measure_value(at, field, value)
        self._phrases(said, slot)
        self._words(at, said)
        if is_field and 1 < len(said) <= _LONGEST_SEGMENT:
            self._draft(at).add([named_exactly(said)])
        if len(said) > 1:
            for sentence in parts_of_line(text):
                self._leads(sentence)
        if label == "p":
            self._segments(text, slot)

    def _prose(self, text: str, field: str) -> None:
        """A text by itself: its entries, lines or sentences, are the objects. A heading or a `key: value` line belongs
        to what stands with it."""
        group = self._new_group()
        entries = entries_of(text)
        listed = list(islice(entries, _MOST_OBJECTS))
        ids = own_ids([entry.lines for entry in listed])
        head: int | None = None
        """The entry of a listing that this line began with, as long as the service itself goes on speaking of it."""
        for number, entry in enumerate(chain(listed, entries)):
            if not self._goes_on():
                self._cut = True
                return
            place = self._new_object(group)
            slot = self._slot("p", place, field)
            if number < len(ids) and ids[number] and not self._shaped:
                self._listed(ids[number], entry.lines, place)
                head = place
            elif not entry.goes_on:
                head = None
            if head is not None and head != place:
                self._words(head, words(own_words(entry.lines[0])))
            if any(own_words(line) != line for line in entry.lines):
                head = None
            for line in entry.lines:
                said = words(line)
                self._quote(place, line)
                for value in values(line):
                    self._note(value, slot)
                self._labelled(line, place)
                self._phrases(said, slot)
                self._segments(line, slot)
                self._words(place, said)
                self._leads(line)
                acts = acts_in([stem(word) for word in said])
                draft = self._draft(place)
                draft.acts = tuple(sorted({*draft.acts, *(f"~{kind}" for kind in acts)}))
        self._list_people(sum(map(bool, ids)))
        self._spread_acts(group)
        slot = self._slot("p", max(len(self._objects) - 1, 0), field)
        for gram in grams(words(text), GRAM) if self._runs else ():  # also across the ends of lines
            if gram not in self._grams:
                self._note(Value("gram", gram), slot)

    def _list_people(self, entries: int) -> None:
        """The people that a service lists, and where they can be reached: only if every one of its entries is somebody.
        Who writes the title of one entry can't make a list of people of it."""
        found, self._people = self._people, []
        reached = [begin for _, _, begin in found if any(map(_is_reach, values(begin)))]
        if len(reached) < 2 or len(reached) != entries:
            return
        for place, name, begin in found:
            self._draft(place).add(map(going_by, words(name)))
            self._reach(begin, place)

    def _spread_acts(self, group: int) -> None:
        """Let a sentence count as one that tells to act if it stands beside one: `Ann is off on Friday. Just set it.`
        What a service lists stands for itself."""
        members = [draft for draft in self._objects if draft.group == group]
        acts = [set(draft.acts) for draft in members]
        for at, draft in enumerate(members):
            if not draft.listed:
                draft.acts = tuple(sorted(set().union(*acts[max(at - 1, 0) : at + 2])))

    def _listed(self, own: tuple[str, ...], entry: list[str], place: int) -> None:
        """An entry of a listing: its ids, and what it costs."""
        draft = self._draft(place)
        draft.listed = True
        for number, one in enumerate(own):
            self._note(Value("id", one), f"{KEY if not number else COLUMN}{place}:")
        sender = _sender(entry[0])
        begin = own_words(entry[0])
        name = begin.partition(",")[0].partition("(")[0].partition(":")[0]
        if self._printed and len(words(name)) <= _LONGEST_SEGMENT and self._is_only_about(name, begin):
            self._people.append((place, name, begin))
        if sender:
            slot = self._slot("f", place, "from")
            self._note(Value("email", sender), slot)
            self._goes_by(place, entry[0].partition("<")[0] + sender, slot)
        price = next((price for line in entry for price in _prices(line)), None)
        if price is not None:
            draft.measures.setdefault("price", price)

    def _labelled(self, line: str, place: int) -> None:
        """`Rating: 4.3`, `price=20` in a line."""
        parts = line.replace("=", ":").split(":")
        for name, rest in pairwise(parts):
            label = name_words(name[-40:])
            family = MEASURES.get(label[-1]) if label else None
            if family is not None:
                number = next((value.form for value in values(rest[:60]) if value.type in {"num", "date"}), None)
                if number is not None:
                    self._draft(place).measures.setdefault(family, _measure(number))

    def _segments(self, text: str, slot: str) -> None:
        """The names in a line: what stands between its separators."""
        if len(text) > 2000:
            return
        for mark in _SEPARATORS:
            text = text.replace(mark, "\n")
        for segment in text.split("\n"):
            said = words(segment)
            if 0 < len(said) <= _LONGEST_SEGMENT:
                self._note(Value("text", " ".join(said)), slot)

    def _phrases(self, said: list[str], slot: str) -> None:
        for gram in grams(said, GRAM) if self._runs else ():
            self._grams.add(gram)
            self._note(Value("gram", gram), slot)
        if len(said) <= _PHRASED:
            for size in (1, 2, 3, 4):
                for phrase in grams(said, size):
                    self._note(Value("part", phrase), slot)

    def _leads(self, sentence: str) -> None:
        """What a text speaks of doing, each once: it only matters that somebody did."""
        for value in speaks_of(sentence) if self._runs else ():
            if value not in self._deeds:
                self._deeds.add(value)
                self._note(value, _LED)

    def _goes_by(self, place: int, text: str, slot: str) -> None:
        """Whose entry this is: by their name, and by that in their address."""
        named = [word for word in words(text) if len(word) > 1 and not word.isdecimal()]
        self._draft(place).add(map(going_by, named[:_LONGEST_NAME]))
        if "@" in text:
            for word in named[:_LONGEST_NAME]:
                self._note(Value("by", word), slot)

    def _quote(self, place: int, text: str) -> None:
        draft = self._draft(place)
        if len(draft.quote) < _LONGEST_QUOTE:
            draft.quote = f"{draft.quote} {text[:_LONGEST_QUOTE]}".strip()[:_LONGEST_QUOTE]

    def _words(self, place: int, said: list[str]) -> None:
        self._draft(place).add(telling(said))

    def _measure(self, place: int, field: str, number: float) -> None:
        family = MEASURES.get(name_words(field)[-1]) if field else None
        if family is not None and (field == family or family not in self._draft(place).measures):
            self._draft(place).measures[family] = number

    def _measure_value(self, place: int, field: str, value: Value) -> None:
        family = next((MEASURES[word] for word in name_words(field) if word in MEASURES), None) if field else None
        if family is not None and value.type in {"num", "date"}:
            self._draft(place).measures.setdefault(family, _measure(value.form))

    def _note(self, value: Value, slot: str) -> None:
        seen = Seen(value, slot)
        if not value.form or seen in self._seen or str(value) in self._echoed:
            return
        sort = _SORTS.get(value.type, "")
        if not self._room[sort]:
            self._cut = True
            return
        self._room[sort] -= 1
        self._seen[seen] = None

    def _slot(self, label: str, place: int, field: str) -> str:
        said = self._labels.get(field)
        if said is None and self._shaped:
            label = "p"
        elif said == "server" or (said is None and label == "f" and not self._inner and is_server_made(field)):
            label = "s"
        elif said == "own":
            label = "o"
        return f"{label}{place}:{kept_name(field)}"

    def _new_group(self) -> int:
        self._groups += 1
        return self._groups

    def _new_object(self, group: int) -> int:
        """The number of a further object. Those that there is no room for share one that is not kept: nobody's words
        can single it out."""
        if len(self._objects) >= _MOST_OBJECTS:
            return _MOST_OBJECTS
        self._objects.append(_Draft(group))
        return len(self._objects) - 1

    def _draft(self, place: int) -> _Draft:
        return self._objects[place] if place < len(self._objects) else self._overflow


def read_content(
    content: Any,
    *,
    labels: Mapping[str, str] | None = None,
    echoed: frozenset[str] = frozenset(),
    shaped: bool = False,
    printed: bool = False,
) -> Reading:
    """What is in a tool's answer. `labels` say of fields who fills them in: `server`, `own` or `third_party`. What is
    `echoed` was in the call already, and proves nothing by coming back. `shaped`: its author chose the fields too, so
    that a field says no more than a sentence. `printed`: a service wrote its text, and may have printed records."""
    reader = _Reader(labels, echoed, shaped=shaped, printed=printed)
    reader.read_answer(content)
    return reader.done()


def with_new_id(reading: Reading, echoed: frozenset[str]) -> Reading:
    """The reading of an answer of a tool that made something, with the id of that: the first id in the service's own
    words at its beginning that the call did not have. A field that is all of it will do, a text in one will not."""
    if any(one.slot == FIRST_KEY for one in reading.seen) or not reading.objects:
        return reading
    told = {str(value) for value in values(own_words(reading.objects[0].quote)) if value.type == "id"}
    begins = (one for one in reading.seen if one.value.type == "id" and one.slot[1:].startswith("0:"))
    plain = (one for one in begins if one.slot[0] in "fs" or one.slot == "p0:")
    first = next((one for one in plain if str(one.value) not in echoed and str(one.value) in told), None)
    return reading if first is None else reading._replace(seen=(*reading.seen, Seen(first.value, FIRST_KEY)))


def echoes(params: Any) -> frozenset[str]:
    """The values in a call's arguments: what an answer does not prove by saying it again."""
    reader = _Reader()
    reader.read(params)
    return frozenset(str(seen.value) for seen in reader.done().seen if seen.slot != _LED)


def written(params: Any) -> tuple[Seen, ...]:
    """What a model wrote into a call's arguments, but for runs of words: who reads it back later reads no more than
    that. More than can be told stands for everything."""
    reader = _Reader(shaped=True, runs=False)
    reader.read(params)
    found = reader.done()
    everything = (Seen(ANYTHING, WRITTEN),) if found.cut else ()
    return (*everything, *dict.fromkeys(Seen(one.value, WRITTEN) for one in found.seen))


def only_made(reading: Reading) -> Reading:
    """Of the answer of a tool that looks nothing up: the ids that it gave out. The rest says back what it was told."""
    kept = tuple(one for one in reading.seen if is_made_id(one.slot) or one.slot == FIRST_KEY)
    return reading._replace(seen=kept)


def _address(text: str) -> str:
    """The address in `Ann Lee <ann@example.com>`, at the end of a field."""
    head, _, rest = text.rpartition("<")
    return comparable(rest.rstrip()[:-1]) if head and rest.rstrip().endswith(">") and "@" in rest else ""


_LARGEST: Final = 10**15
"""Numbers from which on nobody compares them."""
_LONGEST_CARD: Final = 600
"""Characters at the beginning of an answer in which a service says whom it is about."""
_PHONES: Final = range(9, 16)


_ELSEWHERE: Final = frozenset(
    "no not none nobody did mean note notes remark remarks comment ticket message wrote says said asked write contact "
    "works with by via instead new forward referred referrer".split()
)
"""Words with which a text may speak of somebody else, or pass on what somebody said."""


def _is_reach(value: Value) -> bool:
    return value.type == "email" or (value.type == "id" and _is_phone(value.form))


def _is_phone(form: str) -> bool:
    return form.isdecimal() and len(form) in _PHONES


def _sender(line: str) -> str:
    """The address in an entry that begins with who it is from: `m1 from Ann Lee <ann@example.com>: Lunch`."""
    head, _, rest = line.partition("<")
    address = rest.partition(">")[0]
    return comparable(address) if rest != address and "@" in address and len(words(head)) <= _LONGEST_SEGMENT else ""


def _is_table(record: dict[str, Any]) -> bool:
    """Whether an object's keys are names of things and not of fields."""
    names = [name for name in record if isinstance(name, str)]
    if not names or len(names) != len(record):
        return False
    odd = sum(" " in name.strip() or (name[:1].isupper() and not name.isupper()) for name in names)
    return odd * 2 > len(names)


def _few(acts: tuple[str, ...]) -> tuple[str, ...]:
    """What a text speaks of doing, or that it is too much to list: there is room for few."""
    return acts if len(acts) <= _MOST_ACTS else (ANY_ACT,)


def _prices(line: str) -> Iterator[float]:
    """The prices in a line: numbers with a currency."""
    chunks = line.split()
    for chunk, following in pairwise((*chunks, "")):
        if set(chunk) & _CURRENCY or set(following[:1]) & _CURRENCY or following.strip(".,;)").lower() in _CURRENCIES:
            numbers = [value.form for value in values(chunk) if value.type == "num"]
            yield from (float(form) for form in numbers[:1])


def _measure(form: str) -> float | str:
    try:
        return float(form)
    except ValueError:
        return form


def _flags(objects: list[_Draft]) -> dict[int, set[str]]:
    """What each object has most or least of in its group."""
    groups: dict[int, list[int]] = {}
    for number, draft in enumerate(objects):
        groups.setdefault(draft.group, []).append(number)
    found: dict[int, set[str]] = {}
    for members in groups.values():
        for family in ("size", "price", "rating", "date", "count"):
            measured = [
                (objects[member].measures[family], member) for member in members if family in objects[member].measures
            ]
            comparable = [one for one in measured if isinstance(one[0], type(measured[0][0]))] if measured else []
            if len(comparable) > 1:
                amounts = [str(one[0]) if isinstance(one[0], str) else one[0] for one in comparable]
                for word, extreme in (("max", max(amounts)), ("min", min(amounts))):
                    for amount, member in comparable:
                        if amount == extreme:
                            found.setdefault(member, set()).add(f"{word} {family}")
    return found
