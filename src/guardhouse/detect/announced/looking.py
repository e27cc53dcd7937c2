"""Looks at what a server says of a tool, or of itself, for what is meant for the model and not for the user: text that
nobody sees, instructions, other servers' tools, secrets, and names that pass for others.

Pure, and linear in the text. What is found is kept beside the description; a call of the tool is a finding then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect.announced.words import HIDING, WORDS, compiled, spaced
from guardhouse.detect.output.unseen import hidden
from guardhouse.model import Suspicion, visible
from guardhouse.trust.disguise import Undisguised
from guardhouse.trust.lookalikes import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

REVISION: Final = 2
"""Of what is looked for. What was looked at by another one is looked at again."""
HIDDEN_TEXT: Final = "tool.hidden_text"
NAMES_OTHERS: Final = "tool.names_others"
LOOKS_LIKE_ANOTHER: Final = "tool.looks_like_another"
_MOST: Final = 16
"""Of one description."""
_AROUND: Final = 60
"""Characters before and after what was found that a person is shown."""
_LONGEST: Final = 400
_LONGEST_FIELD: Final = 120
_DEEPEST: Final = 64
_SHORTEST: Final = 6
"""A name of a tool that stands in a text by accident is shorter, or an ordinary word."""
_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "$": "s", "-": "_", ".": "_"})
_BREAKS: Final = str.maketrans(dict.fromkeys("\x0b\x0c\x85\u2028\u2029", "\n"))
"""Ends of lines that divide words for whoever reads them."""
_WORD: Final = r"[a-z0-9_][a-z0-9_.-]*"


class Neighbours(msgspec.Struct, frozen=True):
    """The tools of a user's other servers."""

    by_name: Mapping[str, str] = {}
    """Whole names, by the names of their own."""
    by_looks: Mapping[str, str] = {}
    """The same by what their names look like."""

    @classmethod
    def of(cls, tools: Mapping[str, str]) -> Neighbours:
        """`tools`: whole names by own names."""
        return cls(
            {name.lower(): whole for name, whole in tools.items() if _is_telling(name)},
            {_looks(name): whole for name, whole in tools.items()},
        )


NOBODY: Final = Neighbours()


def in_tool(
    tool: Mapping[str, Any], own: frozenset[str], neighbours: Neighbours, mask: Callable[[str], str]
) -> tuple[Suspicion, ...]:
    """What is suspicious in everything that a server says of a tool. `own` are the names of its own tools, in lower
    case."""
    found: list[Suspicion] = []
    name = tool.get("name")
    if isinstance(name, str):
        found += _alike(name, own, neighbours)
    for field, text in _texts(tool):
        others = neighbours if field != "name" else NOBODY  # a name was looked at as one
        found += _in_text(text, field, own, others, mask)
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def in_instructions(text: str, neighbours: Neighbours, mask: Callable[[str], str]) -> tuple[Suspicion, ...]:
    """The same of what a server says of itself."""
    return tuple(_in_text(text, "instructions", frozenset(), neighbours, mask))[:_MOST]


def _texts(value: Any, field: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every string, with where it is; keys as well."""
    if isinstance(value, str):
        yield field, value
    elif depth > _DEEPEST:
        return
    elif isinstance(value, dict):
        for key, item in value.items():
            below = f"{field}.{key}" if field else key
            yield f"{below[:_LONGEST_FIELD]}#key", key
            yield from _texts(item, below[:_LONGEST_FIELD], depth + 1)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, f"{field}[{place}]"[:_LONGEST_FIELD], depth + 1)


def _in_text(
    text: str, field: str, own: frozenset[str], neighbours: Neighbours, mask: Callable[[str], str]
) -> Iterator[Suspicion]:
    if len(text) < _SHORTEST and text.isascii():
        return
    for code, start, end in _spans(text, own, neighbours):
        yield Suspicion(code=code, field=field, start=start, end=end, excerpt=_shown(text, start, end, mask))


def _spans(text: str, own: frozenset[str], neighbours: Neighbours) -> Iterator[tuple[str, int, int]]:
    """Code, beginning and end of each place, the first of its kind only: a person reads the text around it."""
    unseen = next(iter(hidden(text)), None)
    if unseen is not None:
        yield HIDDEN_TEXT, unseen.start, unseen.end
    plain = Undisguised(text, text.translate(_BREAKS).translate(KINDS))
    data = plain.text

    def span(start: int, end: int) -> tuple[int, int]:
        return plain.origin(start), plain.origin(end - 1) + 1

    if unseen is None and (out := compiled(HIDING).search(data)) is not None:
        yield (HIDDEN_TEXT, *span(out.start(), out.end()))
    seen: set[str] = set()
    for words in WORDS:
        if words.code not in seen and (said := compiled(spaced(words.pattern)).search(data)) is not None:
            seen.add(words.code)
            yield (words.code, *span(said.start(), said.end()))
    if neighbours.by_name:
        for word in compiled(_WORD).finditer(data):
            name = word[0].decode().rstrip(".-").rpartition("__")[2]
            if name in neighbours.by_name and name not in own:
                yield (NAMES_OTHERS, *span(word.start(), word.end()))
                return


def _alike(name: str, own: frozenset[str], neighbours: Neighbours) -> Iterator[Suspicion]:
    """Whether a tool's name could pass for that of another server's tool, or says that it is one."""
    whole = neighbours.by_looks.get(_looks(name), "")
    other = whole.partition("__")[2].partition("__")[2]
    passes_for = bool(whole) and other.lower() != name.lower()
    if not passes_for and "__" in name:
        behind = name.rpartition("__")[2].lower()
        whole = neighbours.by_name.get(behind, "")
        passes_for = bool(whole) and behind not in own
    if passes_for:
        excerpt = f"{name}, and {whole}"
        yield Suspicion(code=LOOKS_LIKE_ANOTHER, field="name", start=0, end=len(name), excerpt=excerpt)


def _looks(name: str) -> str:
    return name.lower().translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def _is_telling(name: str) -> bool:
    """Whether a name in a text is meant: more than one word, written together."""
    return len(name) >= _SHORTEST and ("_" in name or "-" in name or name.lower()[1:] != name[1:])


def _shown(text: str, start: int, end: int, mask: Callable[[str], str]) -> str:
    """The place with a little around it, for a person."""
    first, last = max(0, start - _AROUND), min(len(text), min(end, start + _LONGEST) + _AROUND)
    masked = mask(text)  # the whole: a piece of a secret no longer looks like one
    return visible(f"{'…' * (first > 0)}{masked[first:last]}{'…' * (last < len(masked))}")
