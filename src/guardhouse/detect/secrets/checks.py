"""Tests that a candidate must pass before it counts as a secret: checksums, structure, randomness, placeholders.

They look at the candidate alone, cost time linear in a bounded prefix of it, and know nothing of where it was found.
"""

from __future__ import annotations

import math
from collections import Counter
from operator import add
from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets.masks import MASKED, REDACTED, without_fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JUDGED: Final = 512
"""Only so much of a candidate is looked at; all of it is masked."""

_BASE62: Final = {
    char: index for index, char in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}
_GITHUB_BODY: Final = 36

# Pairs of letters that make up about 85 % of English words and of the identifiers made from them, against 27 % of
# random letters: enough to tell `authentication_scheme` from `kqzvtrwpxm`.
_COMMON_PAIRS: Final = frozenset(
    "ab ac ad ag ai al am an ap ar as at au av ay ba be bi bl bo ca ce ch ci ck cl co cr ct cu da de di "
    "do ds ea ec ed ee ef el em en ep er es et ev ex ey fa fe ff fi fl fo fr fu ge gh gi gr ha he hi ho "
    "ht ia ib ic id ie if ig il im in io ip ir is it iv iz ke la ld le li ll lo ls lt lu ly ma me mi mm "
    "mo mp na nc nd ne nf ng ni no ns nt nu ob oc od ol om on oo op or os ot ou ov ow pa pe pi pl po pp "
    "pr pt pu qu ra rc rd re ri rm rn ro rr rs rt ru ry sa sc se sh si so sp ss st su ta tc te th ti tl "
    "to tr ts tt tu ty ua ub ue ui ul um un up ur us ut va ve vi wa wi wo xt yp".split()
)

# Words people write where a secret will later stand.
_STOP_WORDS: Final = (
    "example", "changeme", "change_me", "change-me", "placeholder", "your_", "your-", "yourkey", "yourtoken",
    "yoursecret", "yourpass", "yourapi", "my_secret", "mysecret", "my-secret", "my_token", "my-token", "my_api",
    "my-api", "dummy", "redacted", "insert", "replace", "todo", "fixme", "sample", "not_a_real", "not-a-real",
    "notareal", "xxxx", "****", "....", "____", "-here", "_here", "undefined", "to_be_set", "removed", "censored",
    "<secret", "hidden", "foobar", "lorem", "deadbeef", "1234567890123456", "test_key", "test-key", "fake",
)  # fmt: skip
_PASSWORD_NAMES: Final = frozenset("password passwd pwd secret token user username x-oauth-basic".split())
_LOGIN_NAMES: Final = _PASSWORD_NAMES | frozenset(
    ["pass", "test", "admin", "root", "guest", "group", "string", "login", "api"]
)

# Identifiers that services hand out by the million, and hashes: random, and no secret.
_ID_PREFIXES: Final = frozenset(
    "sha1 sha256 sha384 sha512 md5 h1 req request msg toolu call chatcmpl cmpl resp run thread asst file "
    "img image batch item rs fc ws step vs job evt event cus sub pi ch in price prod txn acct usr user "
    "org proj session trace span build chunk main index app vendor static css js page layout commit rev "
    "hash etag uuid id node data base64".split()
)
_TEMPLATES: Final = (
    "${",
    "{{",
    "}}",
    "<%",
    "%>",
    "$(",
    "#{",
    "@@",
    "%(",
    "{%",
    "…",
    "\\u2026",
    "(?",
    "[a-z",
    "[A-Z",
    "[0-9",
    "[^",
)


_LATIN: Final = [chr(code) for code in range(256)]
_SHAPE: Final = str.maketrans({c: "0" if c.isdigit() else "A" if c.isupper() else "a" for c in _LATIN if c.isalnum()})
_RUNS: Final = str.maketrans({c: " " for c in _LATIN if not c.isalnum()})
_LETTERS: Final = str.maketrans({c: " " for c in _LATIN if not c.isalpha()})
_N_LOG_N: Final = (0.0, *(n * math.log2(n) for n in range(1, JUDGED + 1)))


def shape(text: str) -> str:
    """`text` with every digit as `0`, every capital as `A`, every other letter as `a`."""
    return text.translate(_SHAPE)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character, of the part that is judged."""
    text = text[:JUDGED]
    if not text:
        return 0.0
    return math.log2(len(text)) - sum(map(_N_LOG_N.__getitem__, Counter(text).values())) / len(text)


def is_placeholder(text: str) -> bool:
    """Whether `text` is a stand-in for a secret: a template, a stop word, or one character over and over."""
    text = text[:JUDGED]
    if MASKED in text:
        # What stands beside a mask is judged by itself; a mask alone is no secret.
        text = without_fingerprints(text).replace(REDACTED, "")
        if not text:
            return True
    lowered = text.lower()
    if any(template in text for template in _TEMPLATES) and not _is_noise(text):
        return True
    for word in _STOP_WORDS:
        # A long random value may hold such a word by chance, or be made from one: it still is a value.
        if word in lowered and (len(text) - len(word) < 20 or wordiness(text) >= 0.5):
            return True
    if text[:1] in "<[({%" and text[-1:] in ">])}%" and not (len(text) >= 24 and _no_words(text)):
        return True
    return len(text) >= 6 and len(set(lowered)) <= max(2, min(5, len(text) // 8))


def _is_noise(text: str) -> bool:
    """Whether it is so long and random that it holds any two signs by chance."""
    digits = shape(text).count("0")
    return len(text) >= 32 and entropy(text) >= 4.2 and (digits >= 6 or (digits >= 3 and wordiness(text) < 0.6))


def wordiness(text: str) -> float:
    """Which part of the neighbouring letters in `text` is common in words; 0 if there are too few to tell."""
    lowered = text[:JUDGED].lower()
    letters = lowered.translate(_LETTERS).split()
    pairs = sum(map(len, letters)) - len(letters)
    if pairs < 5:
        return 0.0
    return sum(map(_COMMON_PAIRS.__contains__, map(add, lowered, lowered[1:]))) / pairs


def longest_run(text: str) -> int:
    """The length of the longest piece of `text` between `-`, `_`, `.` and the like."""
    return max(map(len, text[:JUDGED].translate(_RUNS).split()), default=0)


def _real(text: str) -> bool:
    return not is_placeholder(text)


def _random(text: str) -> bool:
    return entropy(text) >= 3.0


def _very_random(text: str) -> bool:
    form = shape(text[:JUDGED])
    return "0" in form and "A" in form and "a" in form and entropy(text) >= 3.7


def _no_words(text: str) -> bool:
    """Not words joined by hyphens, such as the name of a package or a model."""
    digits = shape(text[:JUDGED]).count("0")
    return digits >= 6 or longest_run(text) >= 16 or (digits > 0 and wordiness(text) < 0.6)


def _long_run(text: str) -> bool:
    """Tests are named `test_this_and_that_2024`; a key has a long piece that is no word, and no word with a number."""
    piece = max(text[:JUDGED].translate(_RUNS).split(), key=len, default="")
    form = shape(piece)
    digits = form.count("0")
    return len(piece) >= 16 and digits >= 2 and (digits >= 4 or wordiness(piece) < 0.6)


_PEM_LINES: Final = frozenset({60, 61, 64, 72, 73, 76})
"""How long a line of base64 is, or what is left of it behind a beginning of three or four characters."""


def _no_pem_line(text: str) -> bool:
    return len(text) not in _PEM_LINES


def _has_digit(text: str) -> bool:
    return "0" in shape(text[:JUDGED])


def _mixed(text: str) -> bool:
    form = shape(text[:JUDGED])
    return "0" in form and ("a" in form or "A" in form)


def _jwt(text: str) -> bool:
    """The first part is base64url of something that begins like a JSON object with a member."""
    import base64
    import binascii

    head = text[: text.find(".")][:JUDGED]
    try:
        raw = base64.urlsafe_b64decode(head.rstrip("=")[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return False
    return raw.startswith(b"{") and raw.isascii() and b'":' in raw


def _github_checksum(text: str) -> bool:
    """The last six characters are the CRC-32 of those before, in base 62. Other lengths carry no such checksum."""
    body = text.rsplit("_", 1)[-1]
    if len(body) != _GITHUB_BODY:
        return True
    number = 0
    for char in body[-6:]:
        number = number * 62 + _BASE62.get(char, 0)
    from zlib import crc32  # only where there is a token with a checksum

    return number == crc32(body[:-6].encode("latin-1"))


def _aws_id(text: str) -> bool:
    """Base 32 with some variety; real ids hold digits or are at least not a word."""
    return len(set(text)) >= 6 and (any(c.isdigit() for c in text) or wordiness(text) < 0.7)


def _key_body(text: str) -> bool:
    """Holds at least one line that can be key material, not prose about keys."""
    run = 0
    for char in text[:8192]:
        run = run + 1 if char.isalnum() or char in "+/=" else 0
        if run >= 24:
            return True
    return False


def _url_password(text: str) -> bool:
    """In a URL even a short password is one, unless it is a word for one."""
    text = without_fingerprints(text).replace(REDACTED, "")
    return (
        len(text) >= 3 and not is_placeholder(text) and text[0] not in "$%{<[" and text.lower() not in _PASSWORD_NAMES
    )


def _login_password(text: str) -> bool:
    """On a command line `user:group` and `name:tag` look the same, so a number or a short word is none."""
    return (
        len(text) >= 4
        and not text.isdigit()
        and not is_placeholder(text)
        and text[0] not in "$%{<["
        and text.lower() not in _LOGIN_NAMES
    )


def _no_port(text: str) -> bool:
    """Not what follows `-p` in `-p3307:3306` or `-port9000`."""
    return text.strip("0123456789.:") != "" and not text.startswith("ort")


def _unknown_token(text: str) -> bool:
    """`name_RANDOM` of a service we do not know by name."""
    pieces = text.replace("-", "_").split("_")
    body = max(pieces, key=len)
    return (
        pieces[0].lower() not in _ID_PREFIXES
        and _very_random(body)
        and entropy(body) >= 4.2
        and wordiness(body) < 0.6
        and not is_placeholder(text)
    )


def _header_value(text: str) -> bool:
    """A credential, not a word that happens to follow `basic` or `bearer`."""
    return (
        "://" not in text
        and (_has_digit(text) or (longest_run(text) >= 16 and not text.islower()))
        and (wordiness(text) < 0.6 or longest_run(text) >= 20)
        and not is_placeholder(text)
    )


def _named_key(text: str) -> bool:
    """Under the name of a service: random, with digits, and no stand-in."""
    least = 3.0 if len(text) >= 24 and text.strip("0123456789abcdefABCDEF-") else 2.6
    return _has_digit(text) and entropy(text) >= least and not is_placeholder(text)


def _glued(text: str) -> bool:
    """No words: what stands before it may be the beginning of one."""
    return shape(text[:JUDGED]).count("0") >= 3 and entropy(text) >= 3.0 and wordiness(text) < 0.6


CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "real": _real,
    "random": _random,
    "very_random": _very_random,
    "no_words": _no_words,
    "long_run": _long_run,
    "digit": _has_digit,
    "mixed": _mixed,
    "jwt": _jwt,
    "github_checksum": _github_checksum,
    "aws_id": _aws_id,
    "key_body": _key_body,
    "url_password": _url_password,
    "login_password": _login_password,
    "no_port": _no_port,
    "unknown_token": _unknown_token,
    "header_value": _header_value,
    "named_key": _named_key,
    "no_pem_line": _no_pem_line,
    "glued": _glued,
}
