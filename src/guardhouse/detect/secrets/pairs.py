"""Secrets known by the name they stand under: `password=…`, `"api_key": "…"`, `<token>…</token>`, `--token …`.

Reads where names and their values stand in a text. What a name promises, and whether its value keeps it, is in
`promises`; tokens known by their own form are in `kinds`.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.secrets.checks import JUDGED
from guardhouse.detect.secrets.interface import Category, SecretKind
from guardhouse.detect.secrets.masks import LONGEST_MASK, MASKED, mask_end
from guardhouse.detect.secrets.promises import Name, classify, is_identifier, judge
from guardhouse.detect.secrets.searching import Searcher
from guardhouse.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PAIR_ID: Final = "sensitive_pair"
PAIR: Final = SecretKind(
    id=PAIR_ID,
    what="whatever the name says",
    anchor="(?i)pass|pwd|pw|pswd|secret|token|key|auth|cred|jwt|bearer|session|_pat|salt|access|private|api",
    category=Category.PAIR,
    by_context=True,
    confidence=Confidence.MEDIUM,
    matches=(
        "password=" + "tr0ub4dor&3",
        'DB_PASSWORD="' + "Tr0ub4dor/3+x" + '"',
        '{"client_secret": "' + "a1B2c3D4e5F6g7H8" + '"}',
        'payload = "{\\"api_key\\": \\"' + "a1B2c3D4e5F6g7H8" + '\\"}"',
        "api_key: " + "a1B2c3D4e5F6g7H8",
        "api_key:\n  " + "a1B2c3D4e5F6g7H8",
        "<password>" + "tr0ub4dor&3" + "</password>",
        "- name: API_TOKEN\n  value: " + "a1B2c3D4e5F6g7H8",
        "deploy --token " + "a1B2c3D4e5F6g7H8i9J0",
        "token := `" + "a1b2c3d4e5f6a7b8c9d0" + "`",
        "db_pw=" + "tr0ub4dor&3",
    ),
    misses=(
        "password = getpass.getpass()",
        "api_key = YOUR_API_KEY",
        "API_KEY=${API_KEY}",
        'token = os.environ["API_KEY"]',
        "const token = process.env.GITHUB_TOKEN",
        "password: changeme",
        "password=********",
        "token: <token>",
        "max_tokens=4096",
        "token_type: bearer",
        'tokenizer = "cl100k_base"',
        "secret_name: my-app-credentials",
        "primary_key = user_id_2024_01",
        "password: Optional[str] = None",
        "src/auth.py:12:    if not password:\nsrc/auth.py:31:    token = create_token(user)",
        "passwords must be 12 characters",
        '"AWS::KMS::Key": "2b447c471bc70388"',
    ),
)

# Patterns have no groups: RE2 finds where they match far faster than what each group holds.
_NAME: Final = (
    r"(?i)[\w.$\-]*(?:(?:api|access|license|secret|private|auth|account|insert|query|user) (?:key|token|secret)"
    r"|pass|pswd|pwd?|secret|token|key|auth|cred|jwt|bearer|session|_pat|salt|access|private|api)[\w.$\-]*"
    r"(?:\\*[\"'`])?[\])]?"
)
_QUOTE: Final = r"(?:[bBuUrRfFL@]{0,2}\\*(?:\"\"\"|'''|[\"'`]))?"
_JOINED: Final = (
    _NAME + r"(?:[ \t]*:?[ \t]*(?:const[ \t]+)?(?:string|str|char[ \t]*\*?|text)\b\??)?"
    r"(?:\s*[,;{]?\s*(?:\\*[\"'])?(?:value|default)(?:\\*[\"'])?\s*[:=]"
    r"|\s*[:.?|+]*=+[>~]?|[ \t]*:{1,3}|[ \t]*->|[ \t]*,|\(|>|[ \t]+-[ \t])\s*(?:(?:!!?\w+|&\w+|[|>][+\-]?)\s+)?"
    r"(?:\[[ \t]*[\"'`]|" + _QUOTE + ")"
)
_FLAG: Final = r"(?i)--[\w.\-]{0,40}(?:pass|pwd|secret|token|key|cred|auth)[\w.\-]{0,24}[ \t]{1,8}" + _QUOTE
_REST: Final = r"(?: (?:key|token|secret)[\w.$\-]*)?\\*[\"'`]?[\])]?"
_TYPED: Final = r"(?:[ \t]*:?[ \t]*(?:const[ \t]+)?(?:string|str|char[ \t]?\*?|text)\??)?"
_ASSIGNED: Final = r"\s*[,;{]?\s*\\*[\"']?(?:value|default)\\*[\"']?\s*[:=]|\s*[:.?|+]*=+[>~]?|[ \t]*:+|[ \t]*->|>"
_BEHIND_SIGN: Final = r"\s*(?:(?:!!?\w+|&\w+|[|>][+\-]?)\s+)?(?:\[[ \t]*)?"
_BARE_SIGN: Final = rf"{_TYPED}(?:{_ASSIGNED}){_BEHIND_SIGN}"
"""What may stand between a name and a value without quotation marks."""
_SIGN: Final = rf"{_TYPED}(?:{_ASSIGNED}|[ \t]*,|\(|[ \t]+-[ \t]){_BEHIND_SIGN}"
_BARE: Final = r"[^\s\"'`,;<>(){}\[\]&|]"


class _Called(NamedTuple):
    """How the names of some secrets look."""

    anchor: str
    """A short pattern without which none of them is there."""
    name: str


_SECRET_NAMES: Final = (
    _Called(
        "(?i)secret|token|key|credential|jwt|bearer|pass|pwd",
        rf"(?i)(?:secret|token|key|credential|jwt|bearer|pass|pwd)[\w.$\-]*{_REST}",
    ),
    # These say something only as the last word of a name: `auth`, and not `author`.
    _Called(
        "(?i)auth|cred|_pat|salt|session|access|private|api",
        rf"(?i)(?:auth(?:orization)?|creds?|_pat|salt|session(?:id)?|access|private|api)[0-9_.$\-]*{_REST}",
    ),
)
_PASSWORD_NAMES: Final = (
    _Called("(?i)pass|pwd", rf"(?i)(?:pass|pwd)[\w.$\-]*{_REST}"),
    # As a word of its own: not in `upward`.
    _Called("(?i)pw|pswd", rf"(?:(?:^|[^A-Za-z])(?i:pw|pswd)|[a-z0-9]P[wW])(?:[0-9_.$\-][\w.$\-]*)?{_REST}"),
)
_BARE_OPENER: Final = r"[bBuUrRfFL@\\{]*"
_OPENER: Final = r"[bBuUrRfFL@\\\"'`{]*"
_WORDS_BEFORE: Final = "(?:[A-Za-z]+ ){0,2}?"
# Something long, or a digit. In this order, so that a search ends where the first of them does.
_BARE_VALUE: Final = r"(?:[A-Za-z0-9+/_\-]{12}|[^\s\"'`,;<>(){}\[\]&|0-9]*[0-9])"
_ANY_VALUE: Final = r"(?:[^\s\"'`]{12}|[^\s\"'`0-9]*[0-9])"
# In quotes of one kind, the other kinds are signs like any.
_QUOTED_VALUE: Final = "|".join(
    rf"{mark}+{_WORDS_BEFORE}(?:[^\s{mark}]{{12}}|[^\s{mark}0-9]*[0-9])" for mark in ('"', "'", "`")
)
_QUOTED_LETTERS: Final = "|".join(rf"{mark}{{1,3}}[^{mark}\n]{{6}}" for mark in ('"', "'", "`"))
_SPACED_VALUE: Final = r"(?:[ \t]+(?:is[ \t]+)?|[ \t]*\|[ \t]*)[bBuUrRfFL@\\]*[\"'`]*[^\s\"'`:=,;\\]{14}"
_FLAG_TRIGGER: Final = (
    r"(?i)--[\w.\-]*(?:pass|pwd|secret|token|key|cred|auth)[\w.\-]*[ \t]+"
    rf"(?:[bBuUrRfFL@\\]*(?:{_QUOTED_LETTERS})|[^\s\-$<{{][^\s0-9]{{0,24}}[0-9])"
)
# What stands behind a mask may be the rest of a secret.
_BEHIND_MASK: Final = (r"\[redacted", rf"\[redacted[a-z_]{{0,4}}(?::[0-9a-f]{{8}})?\]{_BARE}")
JOINED_TRIGGERS: Final = (
    *((anchor, f"{name}{_BARE_SIGN}{_BARE_OPENER}{_WORDS_BEFORE}{_BARE_VALUE}") for anchor, name in _SECRET_NAMES),
    # In quotes, between tags, and in a password, any sign may stand.
    *(
        (
            anchor,
            rf"{name}(?:{_SIGN}[bBuUrRfFL@\\{{]*(?:{_QUOTED_VALUE})|>\s*{_WORDS_BEFORE}(?:[^\s<]{{12}}|[^\s<0-9]*[0-9]))",
        )
        for anchor, name in _SECRET_NAMES
    ),
    *((anchor, rf"{name}(?:{_SIGN}{_OPENER}[^\s\"'`0-9]*|>\s*[^\s<0-9]*)[0-9]") for anchor, name in _PASSWORD_NAMES),
    # And in what a line of its own assigns.
    *(
        (anchor, rf"(?:^|\n|\\n|export |set |ENV |-e )[\w.$\-]*{name}\s*[:.?|+]*=+\s*{_ANY_VALUE}")
        for anchor, name in _SECRET_NAMES
    ),
    # A password may be all letters, if it is quoted.
    *((anchor, rf"{name}{_SIGN}[bBuUrRfFL@\\]*(?:{_QUOTED_LETTERS})") for anchor, name in _PASSWORD_NAMES),
    _BEHIND_MASK,
)
SPACED_TRIGGERS: Final = (
    *((anchor, name + _SPACED_VALUE) for anchor, name in (*_SECRET_NAMES, _PASSWORD_NAMES[1])),
    _BEHIND_MASK,
)
FLAG_TRIGGERS: Final = (("--", _FLAG_TRIGGER), _BEHIND_MASK)
"""What every pair that counts has, for a first look, each with its anchor: where a sign joins the two, where only a
blank does, and on a command line. Where they end is never far behind where the value begins."""
_SPACED_LEAST: Final = 14
_SPACED: Final = _NAME + r"(?:[ \t]+(?:is[ \t]+)?|[ \t]*\|[ \t]*)" + _QUOTE + r"[^\s\"'`:=,;\\]{14}"
_ENV_END: Final = bytes(0 if byte in b" \t\n\r\f\v\"'`" else 1 for byte in range(256))
_BARE_END: Final = bytes(0 if byte in b",;<>(){}[]&|\x1b" or not _ENV_END[byte] else 1 for byte in range(256))
"""Which bytes end a value: those that become 0."""
_STEP: Final = 256
_IN_NAME: Final = bytes(0x6B if chr(c).isascii() and (chr(c).isalnum() or chr(c) in "_.$-") else 0 for c in range(256))
_PAIR_JUDGED: Final = 128
_TRIGGERED: Final = 96
"""How far behind the beginning of a value its trigger ends, at most."""
_BYTES_MASKED: Final = MASKED.encode()
_QUOTATION: Final = (b'"', b"'", b"`")


def _first_end(data: bytes, at: int, stop: int, ends: bytes) -> int:
    """Where the first byte of data[at:stop] stands that ends a value; -1 if none does."""
    while at < stop:
        piece = data[at : min(stop, at + _STEP)]
        place = piece.translate(ends).find(b"\0")
        if place >= 0:
            return at + place
        at += len(piece)
    return -1


class PairEnds(NamedTuple):
    """Where the triggers of pairs ended, in order, by how the name and the value are joined: a value begins shortly
    before."""

    joined: Sequence[int]
    spaced: Sequence[int]
    flagged: Sequence[int]


class PairReader:
    """Finds pairs in UTF-8 bytes. Patterns are compiled at the first text that needs them."""

    def __init__(self) -> None:
        self._searchers: tuple[Searcher, Searcher, Searcher] | None = None

    def spans(self, data: bytes, known: Callable[[int, int], bool], ends: PairEnds) -> Iterator[tuple[int, int]]:
        """Where the values of sensitive names are, near where triggers ended; those for which `known` says so are left
        out."""
        if self._searchers is None:
            import re2

            self._searchers = (Searcher(re2, _JOINED), Searcher(re2, _SPACED), Searcher(re2, _FLAG))
        joined, spaced, flag = self._searchers
        for low, high in _regions(data, ends.joined):
            yield from _joined(data, _starts(joined, data, low, high), known, ends.joined)
        for low, high in _regions(data, ends.spaced):
            yield from _spaced(data, spaced, known, low, high)
        for low, high in _regions(data, ends.flagged):
            yield from _flagged(data, _starts(flag, data, low, high), known)


def _regions(data: bytes, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The lines round `ends`, where pairs may be, put together where they meet."""
    low = high = -1
    for end in ends:
        if end + _BEHIND // 2 <= high:
            continue
        begin = max(0, end - _BEFORE)
        line = data.find(b"\n", begin, max(begin, end - _BEFORE // 2))
        begin = begin if line < 0 or not begin else line + 1
        stop = data.find(b"\n", end + _BEHIND // 2, end + _BEHIND)
        stop = min(len(data), end + _BEHIND) if stop < 0 else stop
        if begin <= high:
            high = max(high, stop)
            continue
        if high > low:
            yield low, high
        low, high = begin, stop
    if high > low:
        yield low, high


_BEFORE: Final = 256
_BEHIND: Final = 256


class _Next:
    """Where a sign stands next; asked in rising order, it looks at the text once."""

    def __init__(self, data: bytes, sign: bytes) -> None:
        self._data = data
        self._sign = sign
        self._at = -1

    def __call__(self, start: int) -> int:
        if start > self._at:
            found = self._data.find(self._sign, start)
            self._at = len(self._data) if found < 0 else found
        return self._at


def _starts(searcher: Searcher, data: bytes, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where names with a sign begin, and where their values do."""
    search = searcher.search
    while at < stop and (spans := search(data, at, stop)) is not None:
        at = spans[0][1]
        yield spans[0]


def _joined(
    data: bytes, matches: Iterator[tuple[int, int]], known: Callable[[int, int], bool], ends: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Values that a sign joins to their name. A bare value that is itself a name with a value is left to that one."""
    # A run without delimiters, or a text without tags, is measured once, however many names stand in it.
    run_end = -1
    tag, line, zero = _Next(data, b"<"), _Next(data, b"\n"), _Next(data, b"\0")
    following = next(matches, None)
    while following is not None:
        low, start = following
        following = next(matches, None)
        if following is not None and following[0] == start and data[start - 1 : start] not in _QUOTATION:
            continue
        at = bisect_right(ends, start)
        if at == len(ends) or ends[at] > start + _TRIGGERED:
            continue
        head = data[low:start]
        name_end = _name_end(head)
        name = classify(head[max(0, name_end - 80) : name_end].decode("latin-1"))
        if name is None or (data[low - 2 : low] == b"::" and head[name_end : name_end + 1] in (b'"', b"'")):
            continue  # the second is a type, as in `"AWS::KMS::Key": …`
        opener = _opener(head)
        joint = head[name_end : len(head) - len(opener)].strip()
        separator = joint[-1:]
        if opener:
            end = _closing(data, start, opener)
            # After a comma it may just be the next word of a list.
            if separator == b"," and (name is Name.KEY or is_identifier(_shown(data, start, end))):
                continue
        elif separator == b">" and joint[-2:-1] not in (b"=", b"-"):
            # Without a tag it ends with its line; and no value reaches from one view into another.
            end = tag(start)
            end = min(end if end < len(data) else line(start), zero(start))
        else:
            if separator in (b",", b"(", b"-") or not _belongs(data, low, head):
                continue
            if start >= run_end:
                found = _first_end(data, start, len(data), _BARE_END)
                run_end = found if found >= 0 else len(data)
            end = _past_masks(data, _past_ampersand(data, run_end), following[0] if following else len(data))
            if start < end and _mask_end(data, start) == end:
                continue
            if separator == b"=" and _starts_line(data, low):
                end = _line_value(data, start, end)
            if data[end : end + 1] in (b"(", b"["):
                continue
        start, end = _trim(data, start, end, bare=not opener)
        if start < end and not known(start, end) and judge(_shown(data, start, end), name, quoted=bool(opener)):
            yield start, end


def _spaced(
    data: bytes, searcher: Searcher, known: Callable[[int, int], bool], at: int, stop: int
) -> Iterator[tuple[int, int]]:
    """Values that only a blank divides from their name, as on a command line."""
    while at < stop and (spans := searcher.search(data, at, stop)) is not None:
        low, start = spans[0][0], spans[0][1] - _SPACED_LEAST
        at = start + 1
        head = data[low:start]
        name_end = _name_end(head)
        name = classify(head[max(0, name_end - 80) : name_end].decode("latin-1"))
        if name is None:
            continue
        opener = _opener(head)
        if opener:
            end = _closing(data, start, opener)
        else:
            found = _first_end(data, start, len(data), _BARE_END)
            end = found if found >= 0 else len(data)
        at = max(at, end)
        if not opener and data[end : end + 1] == b"(":
            continue  # what is called, or declared
        start, end = _trim(data, start, end, bare=not opener)
        if (
            start < end
            and not known(start, end)
            and judge(_shown(data, start, end), name, quoted=bool(opener), spaced=True)
        ):
            yield start, end


def _flagged(
    data: bytes, matches: Iterator[tuple[int, int]], known: Callable[[int, int], bool]
) -> Iterator[tuple[int, int]]:
    """Values of options on a command line: `--password hunter2`."""
    for low, behind in matches:
        head = data[low:behind]
        name = classify(head[: _name_end(head)][-80:].decode("latin-1"))
        if name is None:
            continue
        opener = _opener(head)
        if opener:
            end = _closing(data, behind, opener)
        else:
            found = _first_end(data, behind, len(data), _BARE_END)
            end = found if found >= 0 else len(data)
        start, end = _trim(data, behind, end, bare=not opener)
        value = _shown(data, start, end)
        if start < end and value[0] not in "-$<{" and not known(start, end) and judge(value, name, quoted=bool(opener)):
            yield start, end


def _shown(data: bytes, start: int, end: int) -> str:
    return data[start : min(end, start + _PAIR_JUDGED)].decode("latin-1")


def _name_end(head: bytes) -> int:
    """Where the name at the beginning of `head` ends; `api key` is one name."""
    kinds = head.translate(_IN_NAME)
    end = kinds.find(b"\0")
    if end < 0:
        return len(head)
    if head[end : end + 1] == b" " and head[end + 1 : end + 7].lower().startswith((b"key", b"token", b"secret")):
        second = kinds.find(b"\0", end + 1)
        return len(head) if second < 0 else second
    return end


def _opener(head: bytes) -> bytes:
    """The quotation mark that `head` ends with, and the backslashes before it."""
    mark = head[-1:]
    if mark not in _QUOTATION:
        return b""
    if head.endswith(mark * 3):
        return mark * 3
    first = len(head) - 1
    while first and head[first - 1] == 0x5C:
        first -= 1
    return head[first:]


def _past_ampersand(data: bytes, end: int) -> int:
    """In `a&b` the sign is part of the value, unless a query string goes on with `&name=`."""
    limit = min(len(data), end + _PAIR_JUDGED)
    while end < limit and data[end : end + 1] == b"&":
        found = _first_end(data, end + 1, limit, _BARE_END)
        after = found if found >= 0 else limit
        if b"=" in data[end:after].rstrip(b"="):
            break
        end = after
    return end


def _past_masks(data: bytes, end: int, following: int) -> int:
    """A mask in a bare value does not end it: what stands beside one may be the rest of the secret, or all of it.

    What belongs to the pair that follows is left to that one, so that no text is read twice.
    """
    limit = min(following, end + JUDGED)
    while end < limit and (behind := _mask_end(data, end)):
        found = _first_end(data, behind, limit, _BARE_END)
        end = found if found >= 0 else limit
    return end


def _mask_end(data: bytes, at: int) -> int:
    """Where the mask ends that begins at `at`; 0 if none does."""
    if not data.startswith(_BYTES_MASKED, at):
        return 0
    end = mask_end(data[at : at + LONGEST_MASK].decode("latin-1"), 0)
    return at + end if end else 0


def _belongs(data: bytes, low: int, head: bytes) -> bool:
    """Whether a bare value stands on the line of its name, or below it as YAML has it: a name that begins its line, and
    a line that is indented deeper. Otherwise the next line is another line, of code or of what `grep` found."""
    space = head[len(head.rstrip()) :]
    if b"\n" not in space:
        return True
    begin = max(0, low - _DEEPEST)
    before = data[begin:low].rpartition(b"\n")[2]
    if before.strip(b" \t-\"'") or (len(before) == low - begin and begin):
        return False
    return len(space.rpartition(b"\n")[2]) > len(before) - len(before.lstrip(b" \t"))


_DEEPEST: Final = 200
"""Characters of indentation that are looked at."""


def _line_value(data: bytes, start: int, end: int) -> int:
    """An assignment on a line of its own reaches to white space, unless a query string follows."""
    limit = min(len(data), start + JUDGED)
    found = _first_end(data, start, limit, _ENV_END)
    wide = found if found >= 0 else limit if limit == len(data) else end
    rest = data[end:wide]
    if wide <= end or rest[:1] in (b"(", b"[", b"{", b"<") or (rest[:1] == b"&" and b"=" in rest):
        return end
    return wide


def _starts_line(data: bytes, at: int) -> bool:
    before = data[max(0, at - 16) : at]
    return not before or before.endswith((b"\n", b"\\n", b"export ", b"set ", b"ENV ", b"-e "))


def _closing(data: bytes, start: int, opener: bytes) -> int:
    """Where the quotation that `opener` began ends: its unescaped counterpart, or the end of the line."""
    at = start
    while True:
        at = data.find(opener, at)
        if at < 0:
            break
        if data[at - 1 : at] != b"\\" or at == start or opener[:1] == b"\\" or _even_backslashes(data, start, at):
            break
        at += len(opener)
    line_end = data.find(b"\n", start, at if at >= 0 else len(data))
    if line_end >= 0:
        return line_end
    return at if at >= 0 else len(data)


def _even_backslashes(data: bytes, start: int, at: int) -> bool:
    first = at
    while first > start and data[first - 1] == 0x5C:
        first -= 1
    return (at - first) % 2 == 0


def _trim(data: bytes, start: int, end: int, *, bare: bool) -> tuple[int, int]:
    space = b" \t\r\n"
    while start < end and data[start] in space:
        start += 1
    tail = space + b":!?,\\" if bare else space
    while end > start and data[end - 1] in tail:
        end -= 1
    # One full stop ends a sentence; more stand for what was left out.
    if bare and data[end - 1 : end] == b"." and data[end - 2 : end - 1] != b".":
        end -= 1
    return start, end
