"""The two forms in which most kinds of secret are written down: by how a token begins, and by whose name it stands.

A row says what a reader of a service's documentation would note. What is searched for, the words that give it away and
the examples that the tests try are made from it, so that no row can say one thing and do another.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.secrets.interface import Pass, SecretKind
from guardhouse.detect.secrets.runs import RunReader, plain_body
from guardhouse.model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterator


class Prefixed(NamedTuple):
    """A token with a beginning of its own, such as `glpat-`."""

    id: str
    what: str
    """What it opens, in a few words."""
    head: str
    """How it begins, and what stays when it is masked: letters, `[ab]`, `(?:a|b)`, `?` after either, `\\.`"""
    body: str
    """RE2, without groups that capture: what follows, and is masked. Of fixed length, it must not go on."""
    example: str
    """A token, with made-up parts in braces: see `example`."""
    checks: tuple[str, ...] = ("real",)
    proof: str = ""
    misses: tuple[str, ...] = ()
    """Texts in which nothing is found, besides the example cut short."""


class Named(NamedTuple):
    """A key without a form of its own, known by the service whose name it stands under, such as `algolia_key = …`."""

    id: str
    what: str
    names: str
    """How the service is called in names of variables, in lower case, divided by blanks."""
    shapes: str
    """What its keys look like, divided by blanks: see `SHAPES`, each with a length (`hex32`, `alnum20-24`)."""


EDGE: Final = (
    r"(?:^|[^A-Za-z0-9\\%\x1b]|\\(?:[nrtbf]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})?"
    r"|%(?:[0-9A-Fa-f]{2})?|\x1b(?:\[[0-9;]{0,12}m)?)"
)
"""What may stand before a token: nothing, a character that is not part of a word, an escape as in JSON text or URLs, or
the end of a terminal colour."""
END: Final = r"(?:[^A-Za-z0-9]|$)"
"""What must follow a token of fixed length: no more of it."""
EDGE_IN_BASE64: Final = EDGE.replace(r"[^A-Za-z0-9\\%\x1b]", r"[^A-Za-z0-9\\%\x1b+/]|^\+|\n\+")
END_IN_BASE64: Final = "(?:[^A-Za-z0-9+/]|$)"
"""The same round tokens that could as well be a piece of something in base64."""

SHAPES: Final = {
    "hex": "[0-9a-fA-F]",
    "digits": "[0-9]",
    "lower": "[a-z0-9]",
    "upper": "[A-Z0-9]",
    "alnum": "[A-Za-z0-9]",
    "word": r"[A-Za-z0-9_\-]",
    "base64": "[A-Za-z0-9+/=]",
    "dotted": r"[A-Za-z0-9_\-.]",
}
UUID: Final = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

_ALPHABETS: Final = {
    "hex": "0123456789abcdef",
    "digits": "0123456789",
    "lower": "abcdefghijklmnopqrstuvwxyz0123456789",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "word": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "dotted": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
}
_MOST_LITERALS: Final = 128
_SPECIAL: Final = frozenset("\\[](){}?*+|^$.")


def example(template: str) -> str:
    """`template` with each `{hex32}` replaced by so many made-up characters of that alphabet, `{uuid}` by one."""
    pieces: list[str] = []
    rest = template
    while (start := rest.find("{")) >= 0:
        end = rest.index("}", start)
        pieces += (rest[:start], _made_up(rest[start + 1 : end], f"{template}{len(pieces)}"))
        rest = rest[end + 1 :]
    return "".join((*pieces, rest))


def _made_up(part: str, seed: str) -> str:
    if part == "uuid":
        return "-".join(_characters("hex", size, f"{seed}{size}") for size in (8, 4, 4, 4, 12))
    shape = part.rstrip("0123456789")
    return _characters(shape, int(part[len(shape) :]), seed)


def _characters(shape: str, size: int, seed: str) -> str:
    """Any, but the same each time; of letters and digits, some of both."""
    from hashlib import shake_256

    alphabet = _ALPHABETS[shape]
    tries = 0
    while True:
        drawn = shake_256(f"{seed} {tries}".encode()).digest(size)
        text = "".join(alphabet[byte % len(alphabet)] for byte in drawn)
        if size < _TOLD_APART or shape == "digits" or (any(map(str.isdigit, text)) and any(map(str.isalpha, text))):
            return text
        tries += 1


_TOLD_APART: Final = 8


def literals(head: str) -> list[str]:
    """Every fixed text that `head` can stand for. ValueError if it is not of the simple form, or there are too many."""
    if _SPECIAL.isdisjoint(head):
        return [head]
    found, rest = _alternatives(head, 0)
    if rest != len(head):
        raise ValueError(f"unbalanced: {head}")
    if len(found) > _MOST_LITERALS:
        raise ValueError(f"stands for too many texts: {head}")
    return found


def _alternatives(head: str, at: int) -> tuple[list[str], int]:
    done: list[str] = []
    current = [""]
    while at < len(head) and head[at] != ")":
        if head[at] == "|":
            done += current
            current, at = [""], at + 1
            continue
        if head.startswith("(?:", at):
            part, at = _alternatives(head, at + 3)
            at += 1
        elif head[at] == "[":
            end = head.index("]", at)
            part, at = list(_class(head[at + 1 : end])), end + 1
        elif head[at] == "\\":
            part, at = [head[at + 1]], at + 2
        elif head[at] in "()*+{}^$.":
            raise ValueError(f"not simple: {head}")
        else:
            part, at = [head[at]], at + 1
        if head[at : at + 1] == "?":
            part, at = [*part, ""], at + 1
        current = [before + after for before in current for after in part]
        if len(current) > _MOST_LITERALS:
            raise ValueError(f"stands for too many texts: {head}")
    return done + current, at


def _class(inside: str) -> Iterator[str]:
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            yield from map(chr, range(ord(inside[at]), ord(inside[at + 2]) + 1))
            at += 3
        else:
            yield inside[at]
            at += 1


def is_open(body: str) -> bool:
    """Whether a token may be of any length: then it needs no end, it is all masked."""
    return body.endswith((",}", "+", "*")) or body.rstrip("=]{0123456789,}?").endswith(",}")


def shape_pattern(shape: str) -> str:
    """RE2 for one of the shapes of a `Named` row."""
    if shape == "uuid":
        return UUID
    name = shape.rstrip("0123456789-")
    least, _, most = shape[len(name) :].partition("-")
    return f"{SHAPES[name]}{{{least}{',' + most if most else ''}}}"


_LEAD: Final = 16
"""So many characters of a token at most are asked for before it is looked at closely."""


def lead(body: str) -> tuple[str, int]:
    """The beginning of `body` that is the same for all tokens, as a pattern of fixed width, and that width."""
    alternatives = [body]
    if body.startswith("(?:"):
        close = body.index(")")
        if body[close + 1 : close + 2] in ("?", "*") or body[close + 1 : close + 3] == "{0":
            return "", 0
        alternatives = body[3:close].split("|")
    leads = [_class_and_least(alternative) for alternative in alternatives]
    least = min(count for _inside, count in leads)
    if not least:
        return "", 0
    # `-` last, so that it stands for itself.
    inside = "".join(dict.fromkeys(inside.replace("\\-", "") for inside, _count in leads))
    hyphen = "\\-" if any("\\-" in inside for inside, _count in leads) else ""
    return f"[{inside}{hyphen}]{{{least}}}", least


def opening(body: str) -> tuple[str, int]:
    """How a `body` of several pieces begins, as a pattern, and how wide that can be: further than `lead` goes."""
    pieces: list[str] = []
    least = most = at = 0
    while least < _LEAD and (piece := _PIECE.match(body, at)) is not None:
        at = piece.end()
        if piece["literal"]:
            pieces.append(piece["literal"])
            least, most = least + 1, most + 1
            continue
        low, high = int(piece["low"]), int(piece["high"] or piece["low"])
        goes_on = low < _LEAD - least and not piece["open"] and _PIECE.match(body, at) is not None
        if not goes_on:
            # Cut short, so that it ends in one place only.
            low = high = min(low, _LEAD - least)
            at = len(body)
        pieces.append(f"{piece['class']}{{{low}}}" if low == high else f"{piece['class']}{{{low},{high}}}")
        least, most = least + low, most + high
    return "".join(pieces), most


_PIECE: Final = re.compile(
    r"(?P<class>\[(?!\^)(?:[^\]\\]|\\.)++\])\{(?P<low>[0-9]++)(?:,(?P<high>[0-9]++)|(?P<open>,))?+\}"
    r"|(?P<literal>\\[^A-Za-z0-9]|[A-Za-z0-9_\-])(?![?*+{])"
)
"""Of a row's body, which we wrote."""


def _class_and_least(body: str) -> tuple[str, int]:
    """What stands inside the class that `body` begins with, and how often it must be there; 0 if there is none."""
    if not body.startswith("[") or body.startswith("[^"):
        return "", 0
    close = body.index("]", 2)
    count = body[close + 1 :]
    if not count.startswith("{"):
        return body[1:close], 0 if count.startswith(("*", "?")) else 1
    return body[1:close], min(_LEAD, int(count[1 : count.index("}")].partition(",")[0]))


def of_prefixed(row: Prefixed) -> SecretKind:
    """The kind that a row speaks of."""
    heads = literals(row.head)
    shortest = min(map(len, heads))
    has_sign = not any(_SIGNS.isdisjoint(head) for head in heads)
    body = _opened(row.body) if shortest >= _TELLING and has_sign else row.body
    start, width = lead(body)
    edge, end, checks = EDGE, "" if is_open(body) else END, row.checks
    in_base64 = False
    if has_sign and shortest >= _TELLING:
        edge = ""
    elif not has_sign and "a-z" in start and "A-Z" in start:
        # It could as well be a piece of something in base64.
        in_base64 = True
        edge, end = EDGE_IN_BASE64, END_IN_BASE64
        checks = (*row.checks, "no_pem_line") if is_open(body) else row.checks
    # Of two beginnings where one begins the other, a pattern tries both.
    is_ambiguous = any(longer.startswith(head) for head, longer in pairwise(sorted(set(heads))))
    plain = None if is_ambiguous else plain_body(body)
    if plain is None and width < _LEAD:
        start, width = max((start, width), opening(body), key=lambda found: found[1])
    return SecretKind(
        id=row.id,
        what=row.what,
        anchor=row.head,
        trigger=f"(?:{row.head}){start}",
        pattern=f"{edge}(?:{row.head})({body}){end}",
        before=len(row.head) + width + 20,
        after=512,
        spans=RunReader(heads, plain, width, edge=bool(edge), end=bool(end), in_base64=in_base64) if plain else None,
        checks=checks,
        goes_on=is_open(row.body) or "," in row.body,
        proof=row.proof,
        self_evident=not edge,
        behind_letter="glued" if not edge and shortest < _UNMISTAKABLE else "",
        confidence=Confidence.MEDIUM if row.proof else Confidence.HIGH,
    )


def _opened(body: str) -> str:
    """The body behind a beginning that nothing else has: any letter will do for a hexadecimal one, and it may go on.
    Who makes up an example does not keep to the alphabet; and who adds a letter to a key has not made it safe."""
    for alphabet in ("[0-9a-f]", "[0-9a-z]", "[a-z0-9]", "[0-9a-fA-F]"):
        body = body.replace(alphabet, "[0-9A-Za-z]")
    if body.endswith("}") and not body.endswith("={0,2}"):
        least = body[body.rindex("{") + 1 : -1].partition(",")[0]
        body = f"{body[: body.rindex('{')]}{{{least},}}"
    return body


_SIGNS: Final = frozenset("_-.:|=/~$^ ")
_TELLING: Final = 4
_UNMISTAKABLE: Final = 6
"""A beginning that is so long and has a sign in it is one wherever it stands; a shorter one behind a letter may be the
end of a word."""

_SECRET_WORD: Final = "(?i:keys?|tokens?|secrets?|password|passwd|pass|pwd|credentials?|cred|auth|pat)"
_SAID: Final = (
    "(?i:api|app|application|access|auth|account|admin|client|consumer|customer|developer|dev|private|secret|personal"
    "|project|production|prod|live|test|sandbox|user|service|server|rest|sdk|v[0-9]|bearer|keys?|tokens?|secrets?"
    "|password|passwd|pass|pwd|credentials?|cred|sid|signing|webhook|license|read|write|master|value|env|is|pat)"
)
_BETWEEN: Final = r"\s\"'`:=,|>(\[\]{}\\"
_IN_KEY: Final = r"A-Za-z0-9_\-+/.~"
_JOINT: Final = rf"[{_BETWEEN}~\-_.]{{1,12}}"


def of_named(row: Named) -> SecretKind:
    """The kind that a row speaks of: the service's name, and a key of its shape; or the name, a word that says that a
    secret follows, and anything that looks like one."""
    names = "|".join(row.names.split())
    keys = "|".join(map(shape_pattern, row.shapes.split()))
    said = rf"(?:[_\-. ]{{0,2}}{_SAID})"
    by_shape = rf"{said}{{0,5}}{_JOINT}({keys})(?:[^A-Za-z0-9_\-]|$)"
    by_word = rf"{said}{{0,3}}[_\-. ]{{0,2}}{_SECRET_WORD}{_JOINT}([{_IN_KEY}]{{16,}}={{0,2}})"
    return SecretKind(
        id=row.id,
        what=row.what,
        anchor=f"(?i)(?:{names})",
        look=Pass.NAMES,
        trigger=rf"(?i)(?:{names})(?:[{_BETWEEN}{_IN_KEY}]{{0,48}}?[{_BETWEEN}])??[{_IN_KEY}]{{16}}",
        pattern=f"(?i:{names})(?:{by_shape}|{by_word})",
        before=96,
        after=1024,
        checks=("named_key",),
        by_context=True,
        confidence=Confidence.MEDIUM,
    )
