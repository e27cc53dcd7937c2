"""Typed values in texts: addresses, links, paths, numbers, dates, times, ids, each in one comparable form.

A value is written `type:form`, so that a number never meets a date and an id never meets an amount. The text is cut at
blanks and every piece is looked at by itself, but for dates that are written in words; all of it takes linear time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.trust.ledger.words import comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Value(NamedTuple):
    """One value: what sort of thing it is, and its comparable form."""

    type: str
    form: str

    def __str__(self) -> str:
        return f"{self.type}:{self.form}"


MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_OPENING: Final = "\"'“”‘’«»()[]{}<>|*_~=,;:!?`…"
_CLOSING: Final = f"{_OPENING}."
_CURRENCY: Final = "$€£¥₹₿"
_CURRENCIES: Final = frozenset("usd eur gbp chf jpy cny inr euro euros dollar dollars pounds pound bucks".split())
_LONGEST: Final = 512
_LONGEST_NUMBER: Final = 15
_LONG_ID: Final = 10
_HIGHEST_DAY: Final = 31
_HIGHEST_MONTH: Final = 12
_HOURS: Final = 24
_MINUTES: Final = 60
_YEARS: Final = range(1900, 2200)
_LABEL: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz")
_FILE_ENDINGS: Final = frozenset(
    "txt md pdf doc docx xls xlsx csv ppt pptx json yaml yml toml xml html htm py js ts tsx jsx sh rb go rs c h cpp "
    "java kt sql log ini cfg conf env zip tar gz png jpg jpeg gif svg webp mp3 mp4 mov wav ics eml key pem odt ods rtf "
    "tex lock ipynb bak tmp".split()
)


def values(text: str) -> Iterator[Value]:
    """Every typed value in a text, repetitions included."""
    chunks = _plainly(text).split()
    dated: set[int] = set()
    yield from _dates_in_words(chunks, dated)
    yield from _grouped(chunks, dated)
    for at, raw in enumerate(chunks):
        if at in dated:
            continue
        if raw.isalpha():
            continue  # most words are words: nothing that is typed has letters only
        chunk = raw.lstrip(_OPENING).rstrip(_CLOSING)
        if len(chunk) > _LONGEST:
            yield from _reached(chunk)
        elif chunk and not chunk.isalpha():
            yield from _of_chunk(chunk, chunks[at + 1] if at + 1 < len(chunks) else "")


_FOLDED: Final = {
    **dict.fromkeys((0x3002, 0xFF0E, 0xFF61), "."), **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)),
}  # fmt: skip
_ESCAPES: Final = (("%2e", "."), ("%2E", "."), ("%40", "@"), ("%2f", "/"), ("%2F", "/"))


def _plainly(text: str) -> str:
    """A text with the spellings of dots, slashes and at signs resolved in which links hide, and without what is not
    seen."""
    if not text.isascii():
        text = text.translate(_FOLDED)
    if "%" in text:
        for escape, char in _ESCAPES:
            text = text.replace(escape, char)
    return text


def _grouped(chunks: Sequence[str], taken: set[int]) -> Iterator[Value]:
    """Numbers that are written in groups: `+44 7700 900123`, `DE40 1203 0000 1056 7788 21`."""
    at = 0
    while at < len(chunks):
        end = at
        if not chunks[at].isalpha() and _starts_group(chunks[at]):
            end = at + 1
            while end < len(chunks) and end - at < _MOST_GROUPS and _is_group(chunks[end], chunks[end - 1]):
                end += 1
        if end - at > 1:
            form = "".join(char for chunk in chunks[at:end] for char in comparable(chunk) if char.isalnum())
            if len(form) >= _SHORTEST_GROUPED:
                yield Value("id", form)
                taken.update(range(at, end))
        elif chunks[at].isalpha() and len(chunks[at]) <= 3 and chunks[at].isupper() and at + 1 < len(chunks):
            digits = chunks[at + 1].strip(_CLOSING)
            if digits.isdecimal() and len(digits) >= _SHORTEST_SPLIT:
                yield Value("id", f"{comparable(chunks[at])}{digits}")
        elif chunks[at][-1:].isdecimal():
            yield from _in_usual_groups(chunks[at : at + _MOST_GROUPS])
        at = max(end, at + 1)


_USUAL_GROUPS: Final = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (3, 2, 4), (3, 3, 4), (3, 4, 4), (4, 4, 4, 4, 3), (3, 3), (4, 4)}
)
"""How cards, telephones and the like are written; their numbers may be amounts all the same."""


def _in_usual_groups(chunks: Sequence[str]) -> Iterator[Value]:
    """A number that is written like a card's, from the first of these on."""
    bare = [chunk.strip(_CLOSING) for chunk in chunks]
    for sizes in _USUAL_GROUPS:
        parts = bare[: len(sizes)]
        if tuple(map(len, parts)) == sizes and all(map(str.isdecimal, parts)):
            yield Value("id", "".join(parts))


_MOST_GROUPS: Final = 9
_SHORTEST_GROUPED: Final = 8
_SHORTEST_SPLIT: Final = 5


def _starts_group(chunk: str) -> bool:
    bare = chunk.lstrip(f"{_OPENING}+")
    digits = bare.rstrip(_CLOSING)
    if chunk.lstrip(_OPENING).startswith("+"):
        return digits.isdecimal()
    if len(digits) == 4 and digits[:2].isalpha() and digits[:2].isascii() and digits[2:].isdecimal():
        return digits == bare
    return digits.isdecimal() and digits == bare and digits.startswith("0") and len(digits) >= 3


def _is_group(chunk: str, before: str) -> bool:
    bare = chunk.rstrip(_CLOSING)
    return bare.isalnum() and bare.isascii() and 2 <= len(bare) <= 7 and bare[-1].isdecimal() and before[-1:].isalnum()


def _reached(chunk: str) -> Iterator[Value]:
    """What a piece of text names that can be reached: links, addresses, hosts. However long it is: data that is to be
    carried off makes a link long."""
    chunk = chunk.lstrip("/") if chunk.startswith("//") else chunk
    scheme, colon, rest = chunk.partition(":")
    if colon and scheme.lower() in {"http", "https"} and not rest.startswith("//"):
        chunk = f"{scheme}://{rest.lstrip('/')}"
    if "://" in chunk:
        yield from _links(chunk)
    elif "@" in chunk or "＠" in chunk:
        yield from _addressed(comparable(chunk))
    else:
        yield from _bare_link(chunk)


def _of_chunk(chunk: str, following: str) -> Iterator[Value]:
    reached = tuple(_reached(chunk))
    if reached:
        yield from reached
        return
    lowered = comparable(chunk)
    if "/" in lowered or "\\" in lowered or lowered.rpartition(".")[2] in _FILE_ENDINGS:
        day = _numeric_date(lowered)
        if day is not None:
            yield from day
            return
        path = lowered.replace("\\", "/")
        yield Value("path", path)
        yield Value("path", path.rpartition("/")[2]) if not path.endswith("/") else Value("path", path.rstrip("/"))
        return
    if not any(map(str.isdecimal, lowered)):
        return
    yield from _with_digits(chunk, lowered, following)


def _with_digits(chunk: str, lowered: str, following: str) -> Iterator[Value]:
    day = _numeric_date(lowered)
    if day is not None:
        yield from day
        return
    moment = clock_time(lowered, following)
    if moment is not None:
        yield Value("time", moment)
        return
    if chunk[0] == "#" or lowered.startswith("no."):
        yield Value("id", lowered.lstrip("#no."))
        return
    number, is_percent = _number(lowered)
    if number is not None:
        yield Value("pct" if is_percent or following.lower().startswith(("percent", "%")) else "num", number)
        if len(number) >= _LONG_ID:
            yield Value("id", number)
        return
    digits = "".join(char for char in lowered if char.isdecimal())
    if len(digits) >= 7 and set(lowered) <= set("0123456789+-().x/ "):
        yield Value("id", digits)
        return
    plain = lowered.replace("-", "").replace(".", "")
    may_be_id = sum(map(str.isdecimal, plain)) >= 2 and plain.isalnum() and plain.isascii()
    if may_be_id and (len(plain) >= _SHORTEST_ID or _is_short_id(plain)):
        yield Value("id", plain)
        return
    if len(lowered) > 1 and plain.isalnum():
        for part in lowered.split("-"):
            inner, percent = _number(part)
            if inner is not None and not percent:
                yield Value("num", inner)


_SHORTEST_ID: Final = 5


def _is_short_id(plain: str) -> bool:
    """Whether a few letters and a number behind them say which one: `T-207`, `F05`; not `20th`, nor `7b`."""
    letters = plain.rstrip("0123456789")
    return letters.isalpha() and len(plain) - len(letters) >= 2


def _addressed(lowered: str) -> Iterator[Value]:
    """E-mail addresses and handles."""
    found = dict.fromkeys(_address(lowered))
    for part in lowered.translate(_GLUE).split():
        local, at, domain = part.rpartition("@")
        if at:
            found |= dict.fromkeys(_address(f"{_end_of(local)}@{_start_of(domain)}"))
    yield from found


def _address(lowered: str) -> Iterator[Value]:
    if lowered.startswith("mailto:"):
        lowered = lowered[7:]
    local, _, domain = lowered.rpartition("@")
    if not local:
        if domain:
            yield Value("handle", domain)
        return
    local = local.rpartition("<")[2].rpartition(":")[2]
    domain = domain.partition(">")[0].partition("?")[0].rstrip(".")
    if local and "." in domain:
        yield Value("email", f"{local}@{domain}")
    elif local and domain:
        yield Value("handle", f"{local}@{domain}")


_GLUE: Final = str.maketrans(dict.fromkeys(",;:|<>()[]{}\"'`/\\=&?!", " "))
_PART: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._%+-")


def _start_of(text: str) -> str:
    """The beginning of a text, as far as it could be part of an address in plain letters; all of it if it has none."""
    end = next((at for at, char in enumerate(text) if char not in _PART), len(text))
    return text[:end].rstrip(".-") or text


def _end_of(text: str) -> str:
    return _start_of(text[::-1])[::-1]


def _links(chunk: str) -> Iterator[Value]:
    """The links in a piece of text: the first with everything behind it, and those that are glued to it or hidden in
    it, each up to the next."""
    pieces = chunk.split("://")
    for number, piece in enumerate(pieces[1:], 1):
        rest = chunk.partition("://")[2] if number == 1 else piece
        host, user, port, tail = _authority(rest)
        plain = _start_of(host)
        place = host.removeprefix("www.")
        whole = f"{user}{place}" + (f":{port}" if port and port not in {"80", "443"} else "")
        if place:
            yield Value("url", f"{whole}/{tail}" if tail else whole)
            yield Value("host", place)
        if plain != host and "." in plain:
            yield Value("host", plain.removeprefix("www."))


def _authority(rest: str) -> tuple[str, str, str, str]:
    """Of what stands behind `://`: the host, the user with an at sign, the port, and everything behind these."""
    end = next((at for at, char in enumerate(rest) if char in _AFTER_HOST), len(rest))
    named, tail = rest[:end], rest[end:]
    user, at, place = named.rpartition("@")
    if place.startswith("["):
        host, _, port = place[1:].partition("]")
        port = port.lstrip(":")
    else:
        host, _, port = place.partition(":")
        host = _unglued(host)
    if not port.isdecimal():
        port = ""
    return comparable(host).rstrip("."), f"{user}{at}", port, tail.removeprefix("/").rstrip("/")


_AFTER_HOST: Final = frozenset("/\\?#\"'<>()|,;`{}*！，。、；）」》】")


def _bare_link(chunk: str) -> Iterator[Value]:
    """A host name without `https://`, with what stands behind it."""
    host, slash, path = chunk.replace("[.]", ".").replace("(.)", ".").partition("/")
    host, _, port = host.partition(":")
    query_at = min((host.find(mark) for mark in "?#" if mark in host), default=-1)
    if query_at >= 0:
        host, path, slash = host[:query_at], host[query_at:] + slash + path, "/"
    lowered = comparable(_unglued(host)).rstrip(".")
    if not _is_host(lowered) and not (slash and _is_address(lowered)):
        return
    place = lowered.removeprefix("www.")
    whole = place + (f":{port}" if port.isdecimal() and port not in {"80", "443"} else "")
    tail = path.rstrip("/") if slash else ""
    yield Value("url", f"{whole}/{tail}" if tail else whole)
    yield Value("host", place)


def _unglued(host: str) -> str:
    """`example.com.They` is a host and the beginning of the next sentence."""
    before, dot, last = host.rpartition(".")
    return before if dot and "." in before and last[:1].isupper() and last[1:].islower() else host


def _is_address(name: str) -> bool:
    """`192.0.2.7`: a host only with a path behind it, since versions are written so, too."""
    labels = name.split(".")
    return len(labels) == _OCTETS and all(label.isdecimal() and len(label) <= 3 for label in labels)


_OCTETS: Final = 4


def _is_host(name: str) -> bool:
    labels = name.split(".")
    if len(labels) < 2 or not all(map(_is_label, labels)):
        return False
    last = labels[-1]
    return (
        2 <= len(last) <= 12
        and set(last) <= _LETTERS
        and last not in _FILE_ENDINGS
        and any(not label.isdecimal() for label in labels[:-1])
        and len(labels[0]) > 1
    )


def _is_label(label: str) -> bool:
    """A part of the name of a host, in any script."""
    return bool(label) and (set(label) <= _LABEL if label.isascii() else label.replace("-", "").isalnum())


def _number(lowered: str) -> tuple[str | None, bool]:
    """The form of a number, and whether it is a percentage."""
    text = lowered.strip(_CURRENCY).lstrip("~≈").strip(_CURRENCY)
    percent = text.endswith("%")
    text = text.rstrip("%")
    for name in ("usd", "eur", "gbp", "chf"):
        text = text.removeprefix(name).removesuffix(name)
    negative = text.startswith("-")
    text = text.lstrip("+-").replace("'", "").replace("’", "").replace("_", "")
    if not text or len(text) > 2 * _LONGEST_NUMBER or not text[-1].isdecimal() or not set(text) <= set("0123456789.,"):
        return None, False
    point = _decimal_point(text)
    whole = "".join(char for char in (text[:point] if point >= 0 else text) if char.isdecimal())
    part = text[point + 1 :] if point >= 0 else ""
    if not part.isdecimal() and part:
        return None, False
    if len(whole) > _LONGEST_NUMBER or not part:
        return f"{'-' if negative else ''}{whole.lstrip('0') or '0'}", percent
    return number_form(float(f"{'-' if negative else ''}{whole or '0'}.{part or '0'}")), percent


def _decimal_point(text: str) -> int:
    """Where the decimals begin, or -1: the last separator, unless it groups thousands."""
    at = max(text.rfind("."), text.rfind(","))
    if at < 0:
        return -1
    mark, behind = text[at], len(text) - at - 1
    if text.count(mark) > 1 or (behind == 3 and mark == "," and "." not in text[:at]):
        return -1
    return at


def number_form(number: float) -> str:
    """The one form of a number. Whole numbers keep every digit: they may be accounts."""
    if isinstance(number, int):
        return str(number)
    return str(int(number)) if number.is_integer() and abs(number) < _EXACT else f"{number:.12g}"


_EXACT: Final = 2**53


def _numeric_date(lowered: str) -> tuple[Value, ...] | None:
    """`2024-05-15`, `15.05.2024`, `5/15/2024`, with a time behind a T or not."""
    day, letter, moment = lowered.partition("t")
    if letter and not (moment[:2].isdecimal() and ":" in moment):
        return None
    for mark in "-/.":
        parts = day.split(mark)
        if len(parts) == 3 and all(part.isdecimal() and len(part) <= 4 for part in parts):
            found = _ordered([int(part) for part in parts], parts, mark)
            if found is None:
                return None
            at = clock_time(moment[:5], "") if letter else None
            return (Value("date", found), Value("time", at)) if at else (Value("date", found),)
    return None


def _ordered(numbers: list[int], parts: Sequence[str], mark: str) -> str | None:
    if len(parts[0]) == 4:
        year, month, day = numbers
    elif len(parts[2]) == 4:
        first, second, year = numbers
        day, month = (first, second) if mark == "." or first > _HIGHEST_MONTH else (second, first)
        if month > _HIGHEST_MONTH:
            day, month = month, day
    else:
        return None
    return date_form(year, month, day)


WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


_SHIFTS: Final = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)
"""How the first of each month lies in the week, with the year beginning in March."""


def weekday_of(form: str) -> str | None:
    """The weekday of a date, given by its form; None for a day without a year. By the Gregorian calendar, and with no
    clock or calendar of the machine's."""
    parts = form.split("-")
    if len(parts) != 3 or not all(map(str.isdecimal, parts)):
        return None
    year, month, day = map(int, parts)
    if not 1 <= month <= _HIGHEST_MONTH:
        return None
    year -= month < 3
    return WEEKDAYS[(year + year // 4 - year // 100 + year // 400 + _SHIFTS[month - 1] + day - 1) % 7]


def date_form(year: int | None, month: int, day: int) -> str | None:
    """The one form of a day, or None if there is no such day. Without a year: `MM-DD`."""
    if not 1 <= month <= _HIGHEST_MONTH or not 1 <= day <= _HIGHEST_DAY:
        return None
    if year is None:
        return f"{month:02}-{day:02}"
    return f"{year:04}-{month:02}-{day:02}" if year in _YEARS else None


def clock_time(lowered: str, following: str) -> str | None:
    """The form of a time of day: `9:30`, `21:30:00`, `9pm`, `9 p.m.`."""
    text = lowered.rstrip("h")
    after = following.lower().strip(_CLOSING).replace(".", "")
    half = ""
    for name in ("am", "pm"):
        if text.endswith(name):
            text, half = text[:-2], name
        elif after == name:
            half = name
    parts = text.split(":")
    if not all(part.isdecimal() and len(part) <= 2 for part in parts) or len(parts) > 3:
        return None
    if len(parts) == 1 and not half and not (lowered.endswith("h") and lowered != text):
        return None
    hour, minute = int(parts[0]), int(parts[1]) if len(parts) > 1 else 0
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}" if hour <= _HOURS and minute < _MINUTES else None


def _dates_in_words(chunks: Sequence[str], dated: set[int]) -> Iterator[Value]:
    """`May 26th, 2024`, `the 5th of May`, `May 10 to 13`: with a year a date, without one a day of the year. Notes in
    `dated` which chunks are part of one, because their numbers are no amounts."""
    last_month = 0
    for at, raw in enumerate(chunks):
        word = comparable(raw.strip(_CLOSING)) if len(raw) <= 16 else ""
        month = MONTHS.get(word)
        if month is not None:
            found = _day_beside(chunks, at)
            if found is None:
                last_month = month if word != "may" or raw[:1].isupper() else last_month
                continue
            last_month = month
            day_at, day = found
            year = _year(chunks, max(at, day_at) + 1)
            dated.update({day_at} if year is None else {day_at, max(at, day_at) + 1})
            form = date_form(year, month, day)
        elif last_month and at and comparable(chunks[at - 1]) in _UNTIL and raw[:1].isdecimal():
            day = _day_number(raw) or 0
            form = date_form(None, last_month, day)
            dated.update({at} if form is not None else ())
        else:
            continue
        if form is not None:
            yield Value("date" if len(form) > 5 else "day", form)


def _day_beside(chunks: Sequence[str], at: int) -> tuple[int, int] | None:
    """The day that stands before or behind the name of a month: where, and which."""
    behind_of = at > 1 and comparable(chunks[at - 1]) == "of"
    for place in (at - 2 if behind_of else at - 1, at + 1):
        day = _day_number(chunks[place]) if 0 <= place < len(chunks) else None
        if day is not None:
            return place, day
    return None


_UNTIL: Final = frozenset("to until till through and the – - —".split())


def _day_number(chunk: str) -> int | None:
    text = comparable(chunk.strip(_CLOSING))
    for ending in ("st", "nd", "rd", "th"):
        text = text.removesuffix(ending)
    return int(text) if text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= _HIGHEST_DAY else None


def _year(chunks: Sequence[str], at: int) -> int | None:
    text = chunks[at].strip(_CLOSING) if at < len(chunks) else ""
    return int(text) if text.isdecimal() and len(text) == 4 and int(text) in _YEARS else None


def is_exactly(value: Value, text: str) -> bool:
    """Whether a text is this address or link and nothing besides: no second one in it, nothing that a reader drops. A
    name before an address in angle brackets is none of it."""
    bare = comparable(text.strip())
    if value.type == "email":
        name, bracket, rest = bare.partition("<")
        if bracket and rest.endswith(">") and all(char.isalpha() or char in " .-" for char in name):
            bare = rest[:-1]
        return bare == value.form
    for scheme in ("https://", "http://"):
        bare = bare.removeprefix(scheme)
    return bare.removeprefix("www.").rstrip("/") == comparable(value.form)


def is_whole(value: Value, text: str) -> bool:
    """Whether a text is nothing but this value, written with blanks: a phone number, an account, a date."""
    if value.type in {"date", "time", "day"}:
        return len(text.split()) <= _LONGEST_DATE
    return value.type == "id" and value.form == "".join(char for char in text.lower() if char.isalnum())


_LONGEST_DATE: Final = 3
