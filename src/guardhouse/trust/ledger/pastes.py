"""A person's message is words plus pasted material: which part of it they typed, and which is somebody else's text.

Pasted are fences, quoted lines, tagged and very long blocks, forwarded letters, and what somebody asks to have
translated, summarised or judged. Whoever wrote what was pasted may have written the end of a fence or of a tag into it,
so everything from the first mark of a sort to the last is pasted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.trust.ledger.values import values
from guardhouse.trust.ledger.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Callable

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
_FENCES: Final = ("```", "~~~", '"""')
WORKING: Final = frozenset(
    map(stem, "summarise summarize summary translate translation explain proofread rephrase paraphrase rewrite reword "
              "shorten simplify analyse analyze interpret classify extract parse decode tldr tl mean polish grammar "
              "spelling friendlier politer legit legitimate scam phishing spam genuine fake".split())
)  # fmt: skip
"""What is asked to be done with a text or to be said of it, and not as it says."""
_HERE: Final = frozenset("this these following below it that here above".split())
_QUOTES: Final = (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), (" '", "'"), ("‘", "’"))
_SHORTEST_QUOTED: Final = 3


def typed_part(message: str) -> str:
    """The words of a message, without what was pasted into it."""
    for mark in _FENCES:
        message = _without_fenced(message, mark)
    message = _without_material(message)
    lines = message.split("\n")
    _mark_letters(lines, letters := [False] * len(lines))
    lines = [line for line, out in zip(lines, letters, strict=True) if not out]
    pasted = [line.strip().startswith(_PASTE_STARTS) for line in lines]
    _mark_tagged(lines, pasted)
    _mark_long(lines, pasted)
    _mark_forwarded(lines, pasted)
    return "\n".join(line for line, out in zip(lines, pasted, strict=True) if not out)[:_MOST_TYPED]


def typed_as_shown(message: str, shown: str, mask: Callable[[str], str]) -> str:
    """The words of a message that was masked, `shown`, without what was pasted into it. A mask may take away what tells
    that a line was pasted, such as its length, so a line of it counts only if it was typed as it was written, too."""
    typed = typed_part(message)
    if shown == message:
        return typed
    own = set(mask(typed).split("\n"))
    return "\n".join(line for line in typed_part(shown).split("\n") if line in own)


def pasted_part(message: str, typed: str) -> str:
    """What is in a message beside its typed words; a line with both in it as a whole."""
    own = set(typed.split("\n"))
    return "\n".join(line for line in message.split("\n") if line not in own)


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


def _without_material(message: str) -> str:
    """A message without the text that it asks to have worked on or judged: what follows the line that asks for it, the
    paragraphs before `the text above`, what stands behind its colon, and what it quotes."""
    if WORKING.isdisjoint(map(stem, words(message))):
        return message
    lines = message.split("\n")
    asking = [at for at, line in enumerate(lines) if not WORKING.isdisjoint(map(stem, words(line)))]
    line = _without_quoted(lines[asking[0]])
    head, colon, rest = _at_colon(line)
    said = words(head)
    points = not _HERE.isdisjoint(said) or (bool(colon) and not rest.strip()) or len(said) <= _SHORT_ORDER
    if "above" in said:
        return "\n".join(lines[asking[0] :])
    if colon and rest.strip() and len(words(rest)) >= _SHORTEST_QUOTED:
        return "\n".join([*lines[: asking[0]], head])
    if points and any(map(str.strip, lines[asking[0] + 1 :])) and not any(values(line)):
        return "\n".join([*lines[: asking[0]], line])
    return "\n".join([*lines[: asking[0]], line, *lines[asking[0] + 1 :]])


_SHORT_ORDER: Final = 2
"""Words of a line that is nothing but the order: `tl;dr`."""


def _at_colon(line: str) -> tuple[str, str, str]:
    """A line, cut at the colon that leads to a text: not one in a time, a link or a label with a value."""
    at = next((at for at in range(len(line)) if line[at] in ":：" and (at + 1 == len(line) or line[at + 1] == " ")), -1)
    head = words(line[:at]) if at >= 0 else []
    if at < 0 or WORKING.isdisjoint(map(stem, head)):
        return line, "", ""
    return line[: at + 1], ":", line[at + 1 :]


def _without_quoted(line: str) -> str:
    """A line without the sentence in quotation marks that it asks for work on: `Translate "…" into German`. What is
    quoted right behind such a word reaches to the last mark: there may be others in it."""
    for opening, closing in _QUOTES:
        start = line.find(opening)
        while start >= 0:
            near = words(line[max(start - _LOOK_BACK, 0) : start])[-_NEAR:]
            worked_on = not WORKING.isdisjoint(map(stem, near))
            end = line.rfind(closing) if worked_on else line.find(closing, start + len(opening))
            if end <= start:
                break
            long = len(words(line[start:end])) >= _SHORTEST_QUOTED
            if worked_on and long:
                line = f"{line[:start]} {line[end + 1 :]}"
                break
            start = line.find(opening, end + 1)
    return line


_NEAR: Final = 3
_LOOK_BACK: Final = 80


_GREETINGS: Final = frozenset("hi hello dear hey good moin hallo bonjour".split())
_LONGEST_GREETING: Final = 5


def _mark_letters(lines: list[str], pasted: list[bool]) -> None:
    """Note letters that begin with a greeting in a line of its own, where something else stands before or behind them:
    whoever writes to an assistant greets nobody else in the middle of it."""
    for at, line in enumerate(lines):
        if not _greets(line) or pasted[at]:
            continue
        end = next((place for place in range(at, len(lines)) if not lines[place].strip()), len(lines))
        before = any(map(str.strip, lines[:at]))
        behind = any(map(str.strip, lines[end:]))
        if before:
            pasted[at:] = [True] * (len(lines) - at)
            return
        if behind:
            pasted[at:end] = [True] * (end - at)


def _greets(line: str) -> bool:
    """`Hi Ann,` in a line of its own."""
    said = line.strip()
    first = words(said)[:1]
    return (
        bool(first)
        and first[0] in _GREETINGS
        and said.endswith((",", "!", ":"))
        and 1 < len(said.split()) <= _LONGEST_GREETING
    )


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
