"""What a name promises about the value that stands under it, and whether a value keeps the promise.

`password` promises something that a person may have chosen, `token` something that a machine made, `key` perhaps
nothing. The value is then judged alone. Where names and values stand in a text is read in `pairs`.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Any, Final

from guardhouse.detect.secrets.checks import entropy, is_placeholder, longest_run, shape, wordiness
from guardhouse.detect.secrets.masks import MASKED, REDACTED, without_fingerprints


class Name(Enum):
    """What a name promises about its value."""

    PASSWORD = "password"
    """Chosen by a person perhaps: short values count."""
    SECRET = "secret"
    """Made by a machine: the value must look random, or at least not like code or words."""
    KEY = "key"
    """May be a secret, may be a cache key: only a long random value counts."""


_PASSWORD_WORDS: Final = ("password", "passwd", "passwrd", "passwort", "pwd", "passphrase", "passcode", "userpass")
_SECRET_WORDS: Final = (
    "secret", "secrets", "token", "tokens", "apikey", "apikeys", "accesskey", "secretkey", "privatekey", "authkey",
    "authtoken", "credential", "credentials", "accountkey", "licensekey", "encryptionkey", "signingkey", "bearer",
    "jwt", "masterkey", "sessionkey", "clientkey", "appkey", "consumerkey", "hmackey", "sharedkey", "apitoken",
)  # fmt: skip
_KEY_WORDS: Final = (
    "key",
    "keys",
    "auth",
    "cred",
    "creds",
    "pat",
    "salt",
    "sessionid",
    "session",
    "sid",
    "authorization",
    "access",
    "private",
    "api",
)
_BEFORE_KEY: Final = frozenset(
    "api access secret private auth account encryption encrypt signing sign master license client app "
    "application consumer shared service hmac session storage admin root deploy webhook function "
    "functions host insert query insights project server subscription device rest write ingest".split()
)
_PUBLIC: Final = frozenset(
    "public pub primary foreign sort partition cache hot shortcut arrow translation i18n dict lookup "
    "keyboard csrf xsrf syntax lexer parser tokenizer bos eos pad unk mask max min num stop special end "
    "start next page sync continuation pagination invalid missing unexpected expected bad wrong unknown "
    "without no has is".split()
)
_NONE_OF: Final = frozenset(
    "no without has is invalid missing unexpected expected bad wrong unknown max min num mask csrf xsrf".split()
)
"""What before a word for a password says that it is none."""
_NOT_ITSELF: Final = frozenset(
    "id ids name names type types count counts len length size limit path paths file files filename dir "
    "url uri urls endpoint host expires expiry expiration expired expire ttl hint policy field fields "
    "label prefix suffix regex pattern format scheme version index idx pos position error errors err msg "
    "message text title description desc enabled required valid ok status state mode provider manager "
    "service class func function callback handler validator hash digest checksum algorithm alg algo usage "
    "created updated at date time timeout age rotation input placeholder help doc docs list map set "
    "strength changed reset forgot confirm confirmation match matches arn ref env var variable kind "
    "source store stream info meta metadata schema column attr attribute param parameter header headers "
    "fingerprint thumbprint location namespace budget cost price prompt completion encryption".split()
)

_LITERALS: Final = frozenset(
    "none null nil true false undefined string str int integer number bool boolean object bytes required "
    "optional password passwd secret token bearer basic apikey default empty unset disabled enabled "
    "anonymous".split()
)
_HASHES: Final = (
    "sha1",
    "sha2",
    "sha3",
    "sha5",
    "md5",
    "$2a$",
    "$2b$",
    "$2y$",
    "$1$",
    "$5$",
    "$6$",
    "$argon",
    "pbkdf2",
    "{ssha",
    "{sha",
    "h1:",
)
_CODE_HEADS: Final = (
    "process.env", "os.environ", "os.getenv", "env.", "env[", "getenv", "config.", "self.", "this.", "req.", "request.",
    "secrets.", "vars.", "var.", "local.", "module.", "data.", "ctx.", "settings.", "options.", "opts.", "args.",
    "params.", "props.", "event.", "user.", "new ", "await ", "async ", "function", "lambda", "return ", "ref:", "arn:",
    "op://", "vault:", "keyring:", "file:", "env:",
)  # fmt: skip

_NO_SECRET_HEADS: Final = _HASHES + _CODE_HEADS
_HEAD: Final = 4
_TAIL: Final = 2
"""How much of a token the redactor may show round its mask."""


def _words(name: str) -> list[str]:
    """`fooBarKEY_id` as `foo bar key id`."""
    words: list[str] = []
    word = ""
    for index, char in enumerate(name):
        if not char.isalnum():
            words.append(word)
            word = ""
            continue
        if char.isupper() and word and (not name[index - 1].isupper() or name[index + 1 : index + 2].islower()):
            words.append(word)
            word = ""
        word += char.lower()
    words.append(word)
    return [each for each in words if each]


@lru_cache(maxsize=1024)
def classify(name: str) -> Name | None:
    """What a name promises, or None if it does not name a secret. Depends on nothing but the name."""
    words = _words(name)
    words = [stripped for word in words if (stripped := word.rstrip("0123456789"))]
    if not words or words[-1] in _NOT_ITSELF:
        return None
    best: Name | None = None
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word.endswith(_PASSWORD_WORDS) or word in ("pass", "pw", "pswd"):
            if before not in _NONE_OF and words[0] not in _NONE_OF:
                return Name.PASSWORD
            continue
        if before in _PUBLIC or words[0] in _PUBLIC:
            continue
        if word.endswith(_SECRET_WORDS) or (word in ("key", "keys") and before in _BEFORE_KEY):
            best = Name.SECRET
        elif (
            best is None
            and index == len(words) - 1
            and (word in _KEY_WORDS or (word.endswith("key") and word != "monkey"))
        ):
            best = Name.KEY
    return best


def judge(value: str, name: Name, *, quoted: bool, spaced: bool = False) -> bool:
    """Whether `value` under a name of this class is a secret. `spaced`: nothing but a blank joins the two."""
    if MASKED in value:
        value = _unmasked(value)
    # Cheap tests first: most values under such names are code.
    if len(value) < (6 if name is Name.PASSWORD else 8) or (
        name is not Name.PASSWORD and len(value) < 12 and not _has_digits(value, 1)
    ):
        return False
    if is_placeholder(value) or _is_reference(value, quoted=quoted):
        return False
    if " " in value or "\t" in value:
        pieces = value.strip("{}").split()
        return len(pieces) <= 3 and any(len(piece) >= 20 and _machine_made(piece) for piece in pieces)
    if spaced and len(value) < 32 and not _has_digits(value, 1):
        return False
    if spaced or name is Name.KEY:
        return len(value) >= 14 and _machine_made(value) and (name is not Name.KEY or not _is_uuid(value))
    if name is Name.PASSWORD and _person_made(value, quoted=quoted):
        return True
    return len(value) >= 8 and _machine_made(value) and (len(value) >= 16 or _turns(value) >= 2)


def _unmasked(value: str) -> str:
    """What is left of `value` when masks are taken out, with what the redactor leaves round them of a known token.

    Anything else beside a mask was not put there by the redactor, and is judged.
    """
    pieces = without_fingerprints(value).split(REDACTED)
    rest = [_without_head(piece) for piece in pieces[:-1]]
    return "".join((*rest, pieces[-1] if len(pieces[-1]) > _TAIL else ""))


def _without_head(piece: str) -> str:
    """`piece` without the beginning of a token that it ends with, and what level `partial` shows of the rest. Of what
    has no beginning of its own, the few characters that are shown are all there is."""
    if len(piece) <= _HEAD:
        return ""
    literals, longest, others = _heads()
    for shown in range(_HEAD + 1):
        stop = len(piece) - shown
        for start in range(max(0, stop - longest), stop):
            if piece[start:stop] in literals:
                return piece[:start]
    return str(others.sub("", piece.encode("utf-8", "replace").decode()))


@lru_cache(maxsize=1)
def _heads() -> tuple[frozenset[str], int, Any]:
    import re2  # kept out of `import guardhouse`

    from guardhouse.detect.secrets.kinds import HEADS, PREFIXED
    from guardhouse.detect.secrets.kinds.rows import literals

    fixed = frozenset(head for row in PREFIXED for head in literals(row.head))
    return fixed, max(map(len, fixed)), re2.compile(f"(?s)(?:{'|'.join(HEADS)}).{{0,{_HEAD}}}\\z")


def _is_reference(value: str, *, quoted: bool) -> bool:
    """A variable, a call, a path, a URL, a literal, a hash: something that names or derives, and is not, a secret."""
    lowered = value.lower()
    if lowered in _LITERALS or lowered.startswith(_NO_SECRET_HEADS):
        return True
    if (
        value[0] in "$%&@#"
        and value[1:].replace("_", "").isalnum()
        and (value[1:].isupper() or not _has_digits(value, 2))
    ):
        return True
    if "://" in value or value.startswith(("/", "./", "../", "~/")):
        return "://" in value or wordiness(value) >= 0.5
    if not quoted and ("(" in value or (value.endswith(("=", "==")) and not _has_digits(value, 1))):
        return True
    if not value.strip("0123456789.:-/TZ+ ") and not value.isdigit():
        return True
    if "." not in value and "->" not in value and "::" not in value:
        return False
    pieces = value.replace("->", ".").replace("::", ".").replace("?.", ".").split(".")
    return len(pieces) > 1 and all(piece.isidentifier() and not _has_digits(piece, 2) for piece in pieces)


def _has_digits(text: str, least: int) -> bool:
    return shape(text).count("0") >= least


def is_identifier(value: str) -> bool:
    """Whether it is a name as programs have them, made of words."""
    return value.isidentifier() and wordiness(value) >= 0.5


def _is_uuid(value: str) -> bool:
    return [len(part) for part in value.strip("{}").split("-")] == [8, 4, 4, 4, 12]


def _person_made(value: str, *, quoted: bool) -> bool:
    """A password somebody may have typed: letters with digits or signs, or digits alone; not a word or identifier."""
    if value.isdigit():
        return True
    if "password" in value.lower() and len(value) < 14:
        return False
    form = shape(value)
    digits = form.count("0")
    letters = form.count("a") + form.count("A")
    signs = len(form) - letters - digits - form.count("_") - form.count("-") - form.count(".")
    if not letters:
        return digits > 0 and signs > 0
    if signs and (digits or quoted) and not value.isidentifier():
        return True
    if digits:
        return quoted or digits >= 3 or wordiness(value) < 0.75
    return quoted and "a" in form and "A" in form and wordiness(value) < 0.55


def _turns(value: str) -> int:
    """How often letters and digits take turns: once in `name42`, often in what a machine made."""
    form = shape(value).replace("A", "a")
    return form.count("a0") + form.count("0a")


def _machine_made(value: str) -> bool:
    """Random rather than readable."""
    form = shape(value)
    digits = form.count("0")
    if ("a" not in form and "A" not in form) or entropy(value) < 2.2:
        return False
    if len(value) >= 24 and not value.strip("0123456789abcdefABCDEF"):
        return True
    words = wordiness(value)
    if not digits:
        turns = form.count("aA") + form.count("Aa")
        if len(value) >= 12 and turns >= 5 and words < 0.5 and value.isalnum():
            return True
        return len(value) >= 20 and words < 0.6 and longest_run(value) >= 16
    if words >= 0.6 and digits <= 4 and longest_run(value) < 24:
        return False
    return digits >= 2 or words < 0.5
