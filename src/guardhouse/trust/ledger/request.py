"""What a person's message asks for, as far as later calls must answer to it.

A message is words plus pasted material; only the words carry authority. Of the words, the values and phrases go into
the session's index as fingerprints. What is kept beside that is a few marks of a closed vocabulary (kinds of action,
"the cheapest", "all of them", "as the letter says") and the numbers that can be reckoned with: no text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.trust.ledger.fields import SPOKEN_OF
from guardhouse.trust.ledger.kinds import KINDS, VERBS, asked_for
from guardhouse.trust.ledger.values import Value, values
from guardhouse.trust.ledger.words import COMMON, grams, stem, telling, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARKS: Final = {
    # mark: words or phrases that set it, by their stems; a phrase is joined by blanks
    "max size": "largest|biggest|longest|heaviest|greatest",
    "min size": "smallest|shortest|tiniest|lightest|fewest",
    "max price": "most expensive|priciest|dearest|highest price|higher price",
    "min price": "cheapest|least expensive|lowest price|cheaper|budget friendly|best price|affordable",
    "max rating": "highest rated|top rated|best rated|highest rating|best rating|best reviewed|best|highest score|top",
    "min rating": "worst|lowest rated|lowest rating|worst rated|lowest score",
    "max date": "latest|newest|most recent|last|recent|recently",
    "min date": "oldest|earliest|first|next|soonest|upcoming",
    "max count": "most|highest number|largest number|busiest|most active",
    "min count": "least|lowest number|smallest number|fewest",
    "all": "all|each|every|everyone|everybody|both|everything|whoever",
    "delegates": "according to|accordingly|based on|as described|as stated|as mentioned|as written|as listed|"
                 "as it says|as requested|instruction|instructions|specified in|mentioned in|listed in|"
                 "described in|stated in|whatever it says|what it says|says|follow the|do what|as per|per the|"
                 "given in|see the|todo|to do|"
                 "task list|bill|invoice|what they|what he|what she|like in|as in|the one in|in the file|in the email|"
                 "in the message|in the document|in the letter|from the file|from the email|from the document|"
                 "the actions|handle|take care of|deal with|fill in|fill out|sort out|details in|can find",
    "orders": "follow the instruction|do what|the action|task list|todo list|to do list|todo|do all the task|"
              "follow it|whatever it ask|as requested|as it say|carry out|do everything|all the task|do the task|"
              "what it say to do|handle the request|do as",
    "copies": "forward|copy|paste|quote|verbatim|word for word|include the text|full text|as is|attach|cite|exact text|"
              "transcribe|repost|share the text",
    "reckons": "difference|percent|total|sum|half|double|twice|triple|split|share|average|plus|minus|remaining|rest|"
               "increase|decrease|tip|interest|vat|tax|each|per|back|too much|too little|extra|additional|fee|discount|"
               "round|combined|together|times|rate|multiply|add up|excess|balance|change",
    "relative date": "today|tomorrow|tonight|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|"
                     "weekend|month|morning|evening|afternoon|noon|midnight|now|later|next|soon|daily|weekly|monthly|"
                     "yearly|annual|recurring|every day|hour|hours|day|days|minute|minutes",
    "again": "again|once more|repeat|one more|second time|twice|resend|retry|duplicate",
    "replies": "reply|respond|answer|write back|get back|tell them|tell him|tell her|let them|let him|let her|rsvp|"
               "back to|thank|refund|return|them back|follow up",
    "own": "my|mine|me|our|us|i",
    "everyone": "everyone|everybody|whoever|anyone who|all of them|each of them|both of them",
}  # fmt: skip

CONFIRMING: Final = frozenset(
    "yes yeah yep yup sure ok okay okey k go ahead do it please proceed confirm confirmed correct right fine good "
    "great perfect sounds lets let continue approved approve agreed agree absolutely definitely of course "
    "thats that looks the this all thanks thank you make so will is lgtm".split()
)
_YES: Final = frozenset(
    "yes yeah yep yup sure ok okay proceed confirm confirmed correct approved approve agreed agree absolutely "
    "definitely ahead continue perfect right fine lgtm".split()
)
_LONGEST_YES: Final = 12
_ORDINALS: Final = {name: number for number, name in enumerate("first second third fourth fifth sixth".split())}
_NUMBER_WORDS: Final = {
    name: number
    for number, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_MOST_WORDS: Final = 1500
_MOST_NUMBERS: Final = 24
_LONGEST_NUMBER: Final = 9
"""Characters of a number that is reckoned with. A longer one is an account, a card or a telephone, and not kept."""
_LONGEST_PHRASE: Final = 6
_MOST_TYPED: Final = 20_000
"""Characters of a message that may have been typed."""
_LONG_BLOCK: Final = 1500
"""Characters of one paragraph from which on nobody has typed it."""
_PASTE_STARTS: Final = (">", "|", "From:", "Subject:", "Sent:", "-----")
_LETTER_STARTS: Final = ("From:", "Sent:")
_LETTER_HEADS: Final = ("From:", "Subject:", "Sent:", "To:", "Date:")
_FORWARDED: Final = ("-----Original", "---------- Forwarded")
"""From here on, the rest is somebody else's."""
_WROTE: Final = (" wrote:", " writes:", " schrieb:", " a écrit :", " a écrit:", " escribió:", " ha scritto:")
_WORKING: Final = frozenset(
    map(stem, "summarise summarize summary translate translation explain proofread rephrase paraphrase rewrite reword "
              "shorten simplify correct analyse analyze interpret classify extract parse decode tldr mean describe "
              "polish".split())
)  # fmt: skip
"""What is asked to be done with a text, and not as it says."""
_HERE: Final = frozenset("this these following below it that here".split())
_QUOTES: Final = ('"', "“”", "«»", "„“")
_SHORTEST_QUOTED: Final = 3
_FENCES: Final = ("```", "~~~", '"""')


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of one message of a person."""

    kinds: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """Fields of records that it speaks of."""
    numbers: tuple[str, ...] = ()
    percents: tuple[str, ...] = ()
    place: int | None = None
    """`the second one`: 1."""
    confirms: bool = False
    """It says yes to what was shown, and nothing else."""

    def kept(self) -> dict[str, str]:
        """The same in the form in which a session keeps it: a letter for each kind and mark."""
        texts = {
            "kinds": _letters(self.kinds, KINDS),
            "marks": _letters(self.marks, tuple(MARKS)),
            "fields": _letters(self.fields, SPOKEN_OF),
            "numbers": _fitting(self.numbers),
            "percents": _fitting(self.percents),
            "place": "" if self.place is None else str(self.place),
            "confirms": "1" if self.confirms else "",
        }
        return {name: text for name, text in texts.items() if text}


_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_LONGEST_KEPT: Final = 190


def _letters(names: tuple[str, ...], known: tuple[str, ...]) -> str:
    return "".join(_ALPHABET[known.index(name)] for name in names)


def _named(letters: str, known: tuple[str, ...]) -> tuple[str, ...]:
    places = map(_ALPHABET.find, letters)
    return tuple(known[place] for place in places if 0 <= place < len(known))


def _fitting(numbers: tuple[str, ...]) -> str:
    kept = ""
    for number in numbers:
        if len(kept) + len(number) >= _LONGEST_KEPT:
            break
        kept += f"{',' if kept else ''}{number}"
    return kept


def from_kept(texts: Mapping[str, str]) -> Request:
    """The request of which this was kept."""
    return _from_kept(*(texts.get(name, "") for name in _KEPT))


_KEPT: Final = ("kinds", "marks", "fields", "numbers", "percents", "place", "confirms")


@lru_cache(maxsize=256)
def _from_kept(kinds: str, marks: str, fields: str, numbers: str, percents: str, place: str, confirms: str) -> Request:
    return Request(
        kinds=_named(kinds, KINDS),
        marks=_named(marks, tuple(MARKS)),
        fields=_named(fields, SPOKEN_OF),
        numbers=tuple(number for number in numbers.split(",") if number),
        percents=tuple(number for number in percents.split(",") if number),
        place=int(place) if place.isdecimal() else None,
        confirms=bool(confirms),
    )


def typed_part(message: str) -> str:
    """The words of a message, without what was pasted into it: fences, quoted lines, tagged and long blocks.

    Whoever wrote what was pasted may have written the end of a fence or of a tag into it. So everything from the first
    mark of a sort to the last is pasted, and to the end of the message if one of them is open.
    """
    for mark in _FENCES:
        message = _without_fenced(message, mark)
    lines = [_without_quoted(line) for line in message.split("\n")]
    pasted = [line.strip().startswith(_PASTE_STARTS) for line in lines]
    _mark_material(lines, pasted)
    _mark_tagged(lines, pasted)
    _mark_long(lines, pasted)
    _mark_forwarded(lines, pasted)
    return "\n".join(line for line, out in zip(lines, pasted, strict=True) if not out)[:_MOST_TYPED]


def _without_fenced(message: str, mark: str) -> str:
    """A message without what stands between its first and its last fence of a sort."""
    first = message.find(mark)
    if first < 0:
        return message
    fences, at, end = 0, first, first
    while at >= 0:
        fences += 1
        end = at
        while message.startswith(mark[0], end):
            end += 1
        at = message.find(mark, end)
    return message[:first] + (f"\n{message[end:]}" if fences % 2 == 0 else "")


def _mark_tagged(lines: list[str], pasted: list[bool]) -> None:
    """Note which lines stand in an element: `<document>` … `</document>`."""
    ends = {_tag(f"<{end}>"): at for at, line in enumerate(lines) for end in line.split("</")[1:]}
    until = -1
    for at, line in enumerate(lines):
        tag = _tag(line.strip())
        if tag:
            end = ends.get(tag, -1)
            until = max(until, end if end >= at else len(lines) - 1)
        if at <= until:
            pasted[at] = True


def _mark_long(lines: list[str], pasted: list[bool]) -> None:
    """Note lines and paragraphs that are so long that nobody has typed them, but not the line that leads to one."""
    start, size = 0, 0
    for at, line in enumerate([*lines, ""]):
        if len(line) > _LONG_BLOCK:
            pasted[at] = True
        elif line.strip():
            size += len(line)
            continue
        if size > _LONG_BLOCK:
            first = start + lines[start].rstrip().endswith((":", "："))
            pasted[first:at] = [True] * (at - first)
        start, size = at + 1, 0


def _mark_material(lines: list[str], pasted: list[bool]) -> None:
    """Note everything behind a line that asks for work on the text which follows: `Summarise this mail:`."""
    for at, line in enumerate(lines[:-1]):
        said = words(line)
        if _WORKING.isdisjoint(map(stem, said)):
            continue
        leads = line.rstrip().endswith((":", "："))
        stands_alone = not lines[at + 1].strip() and not _HERE.isdisjoint(said) and not any(values(line))
        if leads or stands_alone:
            pasted[at + 1 :] = [True] * (len(lines) - at - 1)
            return


def _without_quoted(line: str) -> str:
    """A line without the sentence in quotation marks that it asks for work on: `Translate "…" into German`."""
    if _WORKING.isdisjoint(map(stem, words(line))):
        return line
    for marks in _QUOTES:
        start, end = line.find(marks[0]), line.rfind(marks[-1])
        if 0 <= start < end and len(words(line[start:end])) >= _SHORTEST_QUOTED:
            line = f"{line[:start]} {line[end + 1 :]}"
    return line


def _mark_forwarded(lines: list[str], pasted: list[bool]) -> None:
    """Note everything from the head of somebody else's letter on."""
    bare = [line.strip() for line in lines]
    for at, line in enumerate(bare):
        is_head = line.startswith(_LETTER_STARTS) and any(
            one.startswith(_LETTER_HEADS) for one in bare[at + 1 : at + 3]
        )
        if is_head or line.startswith(_FORWARDED) or line.endswith(_WROTE):
            pasted[at:] = [True] * (len(lines) - at)
            return


def _tag(line: str) -> str:
    """The name of an element that a line opens, such as `<document>`."""
    if not line.startswith("<") or ">" not in line:
        return ""
    name = line[1 : line.index(">")].split()
    return name[0] if name and name[0].isidentifier() else ""


def pasted_part(message: str, typed: str) -> str:
    """What is in a message beside its typed words; a line with both in it as a whole."""
    own = set(typed.split("\n"))
    return "\n".join(line for line in message.split("\n") if line not in own)


def read_request(typed: str) -> Request:
    """What the words of a message ask for."""
    said = words(typed)[:_MOST_WORDS]
    ordered = _without_order(said)
    meant = affirmed(typed)
    stemmed = [stem(word) for word in _without_order(words(meant)[:_MOST_WORDS])]
    bidden = [stem(word) for word in words(_without_questions(meant))[:_MOST_WORDS]]
    found = [(value.type, value.form) for value in values(typed)]
    labelled = labelled_numbers(typed)
    numbers = [form for kind, form in found if kind == "num" and len(form) <= _LONGEST_NUMBER and form not in labelled]
    numbers += [str(_NUMBER_WORDS[word]) for word in said if word in _NUMBER_WORDS]
    return Request(
        kinds=tuple(sorted(asked_for(bidden))),
        marks=tuple(_marks(said, stemmed)),
        fields=tuple(field for field in SPOKEN_OF if field in stemmed),
        numbers=tuple(dict.fromkeys(numbers))[:_MOST_NUMBERS],
        percents=tuple(dict.fromkeys(form for kind, form in found if kind == "pct"))[:_MOST_NUMBERS],
        place=next((_ORDINALS[word] for word in ordered if word in _ORDINALS), None),
        confirms=is_confirmation(said),
    )


def is_confirmation(said: list[str]) -> bool:
    """Whether a message is a yes and nothing more, or a short yes with how and when: `yes, for a quarter past 7`."""
    if 0 < len(said) <= _LONGEST_YES and CONFIRMING.issuperset(said) and not _YES.isdisjoint(said):
        return True
    if not 1 < len(said) <= _LONGEST_YES or said[0] not in _OUTRIGHT:
        return False
    return _WITHHELD.isdisjoint(said) and VERBS.isdisjoint(stem(word) for word in said if word not in CONFIRMING)


_OUTRIGHT: Final = frozenset("yes yeah yep yup sure".split())
_WITHHELD: Final = frozenset(
    "no not dont never but instead except without only wait stop first rather just before unless if nothing none "
    "cancel change different other another".split()
)
"""Words with which a yes is no yes to what was shown."""


_PHRASES: Final = {
    mark: tuple(" ".join(stem(word) for word in phrase.split()) for phrase in phrases.split("|"))
    for mark, phrases in MARKS.items()
}


_OWN: Final = frozenset(MARKS["own"].split("|"))


def _marks(said: list[str], stemmed: list[str]) -> Iterator[str]:
    text = f" {' '.join(stemmed)} "
    plain = set(said)
    for mark, phrases in _PHRASES.items():
        if mark == "own":
            if not plain.isdisjoint(_OWN):
                yield mark
        elif any(f" {phrase} " in text for phrase in phrases) or (mark == "everyone" and _speaks_of_all(stemmed)):
            yield mark


_PEOPLE: Final = frozenset(
    (*SPOKEN_OF, *map(stem, "person channel room group colleague employee manager developer student parent child "
                      "neighbor neighbour player teacher passenger tenant resident department".split()))
)  # fmt: skip
_EACH: Final = frozenset(map(stem, ("all", "each", "every", "both")))
_NEAR: Final = 4


def _speaks_of_all(stemmed: list[str]) -> bool:
    """Whether all of some people or places are spoken of: `all the channels`, `every member`."""
    return any(
        word in _EACH and not _PEOPLE.isdisjoint(stemmed[at + 1 : at + _NEAR]) for at, word in enumerate(stemmed)
    )


_ORDERING: Final = frozenset((*_ORDINALS, "next", "last"))
_DETERMINERS: Final = frozenset("the my your his her their our its this that these those a an very".split())


def _without_order(said: list[str]) -> list[str]:
    """The words without those that tell when to do what: `First look at my mail` is about no first one."""
    return [
        word
        for at, word in enumerate(said)
        if word not in _ORDERING or (at > 0 and said[at - 1] in _DETERMINERS) or said[at + 1 : at + 2] == ["one"]
    ]


_NEVER: Final = frozenset({"dont", "never"})
_BEFORE_NOT: Final = frozenset({"do", "must", "should", "may", "please"})
_MEANT: Final = frozenset("forget hesitate only just worry miss fail need have know".split())


def affirmed(typed: str) -> str:
    """The words of a message without the sentences that forbid something: what nobody is to do is not asked for."""
    kept = []
    for sentence in typed.replace("\n", ". ").split(". "):
        said = words(sentence)
        forbids = any(
            (word in _NEVER or (word == "not" and said[at - 1 : at] != [] and said[at - 1] in _BEFORE_NOT))
            and not _MEANT.intersection(said[at + 1 : at + 3])
            for at, word in enumerate(said)
        )
        if not forbids or sentence.rstrip().endswith("?"):
            kept.append(sentence)
    return ". ".join(kept)


_ASKING: Final = frozenset(
    "did do does is are was were has have had am what whats when whens who whos which where wheres why how hows".split()
)
_BIDDING: Final = frozenset("please you".split())


def _without_questions(typed: str) -> str:
    """The words of a message without the sentences that only ask something: `Did I get my money back?`"""
    kept = []
    for part in typed.replace("\n", ". ").split(". "):
        rest = part
        while "?" in rest:
            sentence, _, rest = rest.partition("?")
            said = words(sentence)
            if not said or said[0] not in _ASKING or not _BIDDING.isdisjoint(said):
                kept.append(sentence)
        kept.append(rest)
    return ". ".join(kept)


_PROPOSING: Final = (
    "shall i", "should i", "may i", "can i", "want me to", "like me to", "go ahead", "proceed", "confirm", "ok to",
    "okay to", "is that right", "is this right", "is that ok", "is this ok", "sound good", "sounds good",
    "do you agree", "ready to", "i will", "ill", "would you like", "do you want",
)  # fmt: skip
_LAST_LINES: Final = 12


def proposal(shown: str) -> str:
    """What an answer proposes to do, as far as a short yes can mean it: its end, if that asks or says what will be
    done; only the sentences that do so, where these say with whom or where. Comments that nobody sees are no part of
    it."""
    pieces = shown.split("<!--")
    text = pieces[0] + "".join(piece.partition("-->")[2] for piece in pieces[1:])
    lines = [line for line in text.split("\n") if line.strip()][-_LAST_LINES:]
    sentences = [sentence for line in lines for sentence in line.replace("? ", "?\0").replace(". ", ".\0").split("\0")]
    proposing = [sentence for sentence in sentences if _proposes(sentence)]
    if not proposing:
        return ""
    exact = any(value.type in _REACHED for sentence in proposing for value in values(sentence))
    return "\n".join(proposing if exact else lines)


_REACHED: Final = frozenset({"email", "url", "handle", "id"})


def _proposes(sentence: str) -> bool:
    said = f" {' '.join(words(sentence))} "
    return any(f" {phrase} " in said for phrase in _PROPOSING)


_LABELS: Final = frozenset(
    "number no nr id code pin ssn card account iban passport phone zip postcode password passcode ref reference serial "
    "policy case".split()
)
_THINGS: Final = frozenset(
    "order invoice ticket issue pr room flight version page chapter line gate seat bill transaction booking".split()
)
"""What a number behind them may be the name of, unless it counts what follows: `order 3 pizzas`."""
_BETWEEN: Final = 3


def labelled_numbers(text: str) -> frozenset[str]:
    """The numbers in a text that stand for something and are no amounts: `my order number is 45000`. Not those that
    stand there as amounts as well."""
    chunks = text.split()
    named: set[str] = set()
    counted: set[str] = set()
    for at, chunk in enumerate(chunks):
        if any(map(str.isdecimal, chunk)):
            following = chunks[at + 1] if at + 1 < len(chunks) else ""
            forms = {value.form for value in values(f"{chunk} {following}") if value.type == "num"}
            (named if _is_labelled(chunks[max(at - _BETWEEN, 0) : at], chunk, following) else counted).update(forms)
    return frozenset(named - counted)


def _is_labelled(before: list[str], chunk: str, following: str) -> bool:
    """Whether a number has a label: right before it, or with nothing but small words between."""
    if set(chunk) & set("$€£¥₹%") or not set(words(following)).isdisjoint(_MONEY):
        return False
    for number, word in enumerate(reversed(before)):
        said = words(word)
        if not said or word[-1:] in ".!?;":
            return False
        if said[-1] in _LABELS:
            return True
        if said[-1] in _THINGS and not number:
            return chunk[-1:] in ".,;!?)" or not following or words(following)[:1] == [] or not _is_noun(following)
        if said[-1] not in COMMON:
            return False
    return False


_MONEY: Final = frozenset("usd eur gbp chf euro euros dollar dollars pounds pound bucks percent".split())


def _is_noun(word: str) -> bool:
    return not COMMON.issuperset(words(word))


_WEEKDAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays mon tue tues wed thu thurs fri sat sun".split()
)


def told_of(typed: str) -> tuple[str, ...]:
    """The stems of the words that tell one thing from another: not what is to be done, but what with."""
    return tuple(dict.fromkeys(word for word in telling(words(typed)[:_MOST_WORDS]) if word not in VERBS))


def request_values(typed: str) -> Iterator[Value]:
    """Everything of a message that a later value may be compared with."""
    meant = affirmed(typed)
    said = words(meant)[:_MOST_WORDS]
    labelled = labelled_numbers(meant)
    for value in values(meant):
        yield Value("id", value.form) if value.type == "num" and value.form in labelled else value
    for word in dict.fromkeys(said):
        if word not in COMMON:
            yield Value("word", stem(word))
        if word in _WEEKDAYS:
            yield Value("weekday", word[:3])
    for size in range(1, _LONGEST_PHRASE + 1):
        for phrase in grams(said, size):
            yield Value("text", phrase)
