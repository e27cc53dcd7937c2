"""Whether one value is another with parts masked, and nothing else changed: what a daemon passes on in the place of
what was sent may hide something of it, and put nothing in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.secrets.masks import MASKED, mask_end

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER: Final = re.compile(r" \([1-9][0-9]{0,9}\)\Z", re.ASCII)
"""What a key gets behind it that would be like another one once it is masked."""
_LONGEST_NUMBER: Final = 13
_MOST_NUMBERS: Final = 8
"""A key can get one each time that masking is repeated, and one from a rule."""


_REMOVED: Final = re.compile(
    r"(?:\[redacted[a-z_:0-9]{0,13} ?)?\((?:image|link|active content|text) removed\)(?:[a-z_:0-9]{0,13}\])?", re.ASCII
)
"""What stands in the place of what is not published. A link may have ended inside a mask, and left a part of it."""

_NOTE: Final = re.compile(
    r"\[(?:withheld|number|yes or no|text: [0-9,]{1,20} characters, [0-9,]{1,20} lines"
    r"|(?:and )?[0-9,]{1,20} more(?: withheld)?)\]",
    re.ASCII,
)
_REST: Final = re.compile(
    r"(?: \[the rest of this line withheld\])?(?:\n\[[0-9,]{1,20} more lines withheld\])?\Z", re.ASCII
)
"""What stands in the place of what a person does not let be seen of a result, in words of ours."""
_CUT_MASK: Final = re.compile(r"\[[a-z_:0-9]{0,40}\Z", re.ASCII)


def is_masked(before: Any, after: Any, *, published: bool = False) -> bool:
    """Whether `after` is `before`, masked: of the same form, and each string what it was except where masks stand.

    Keys may be masked as strings are, and so may whole numbers, which become strings by it: a card can be one. Of what
    is `published`, links and active content are taken out too, which leaves words of ours and spaces.
    """
    if isinstance(before, dict):
        return (
            isinstance(after, dict)
            and len(before) == len(after)
            and all(
                _is_masked_key(old, new, published=published)
                and is_masked(before[old], after[new], published=published)
                for old, new in zip(before, after, strict=True)
            )
        )
    if isinstance(before, list):
        return (
            isinstance(after, list)
            and len(before) == len(after)
            and all(is_masked(old, new, published=published) for old, new in zip(before, after, strict=True))
        )
    if isinstance(before, str):
        return isinstance(after, str) and _is_masked_text(before, after, published=published)
    if type(before) is int and isinstance(after, str):
        return MASKED in after and _is_masked_text(str(before), after, published=False)
    return type(before) is type(after) and bool(before == after)


def is_cut(before: Any, after: Any) -> bool:
    """Whether `after` is what a condition on a result leaves of `before`: its beginning, masked, and notes of ours in
    the place of the rest."""
    if isinstance(after, str) and _NOTE.fullmatch(after):
        return True
    if isinstance(before, dict):
        return isinstance(after, dict) and _are_cut_fields(before, after)
    if isinstance(before, list):
        if not isinstance(after, list):
            return False
        shown = after[:-1] if after and isinstance(after[-1], str) and _NOTE.fullmatch(after[-1]) else after
        return len(shown) <= len(before) and all(map(is_cut, before, shown))
    if isinstance(before, str):
        return isinstance(after, str) and _is_beginning(before, after)
    return is_masked(before, after)


def _are_cut_fields(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Fields are cut at the end; names may be counted instead of told."""
    names = list(after)
    if names and _NOTE.fullmatch(names[-1]) and after[names[-1]] is None:
        names.pop()
    if len(names) > len(before):
        return False
    return all(
        (new == f"[name {number}]" or _is_masked_key(old, new, published=False)) and is_cut(before[old], after[new])
        for number, (old, new) in enumerate(zip(before, names, strict=False), 1)
    )


def _is_beginning(before: str, after: str) -> bool:
    cut = _REST.sub("", after)
    if cut != after:
        cut = _CUT_MASK.sub("", cut)
    first, *others = _between_masks(cut)
    if not before.startswith(first):
        return False
    at = len(first)
    for piece in others:
        found = before.find(piece, at + 1)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _is_masked_key(before: str, after: str, *, published: bool) -> bool:
    """Numbers behind a key are tried from the last on; of more than a few, nobody has masked it so often."""
    for _ in range(_MOST_NUMBERS):
        if _is_masked_text(before, after, published=published):
            return True
        number = _NUMBER.search(after[-_LONGEST_NUMBER:])
        if number is None or (MASKED not in after and not published):
            return False
        after = after[: -len(number[0])]
    return False


def _is_masked_text(before: str, after: str, *, published: bool) -> bool:
    return _has_pieces(before, after) or (published and _has_characters(before, after))


def _has_characters(before: str, after: str) -> bool:
    """Whether all characters of `after` stand in `before` in this order, but for marks, and for blanks between them."""
    at = 0
    for char in "".join(_REMOVED.sub("", " ".join(_between_masks(after))).split()):
        at = before.find(char, at) + 1
        if not at:
            return False
    return True


def _has_pieces(before: str, after: str) -> bool:
    """Whether what stands between the masks of `after` stands in `before` in this order, with something between.

    In time that grows with the texts and no faster: each piece is looked for behind the one before it. The first
    place where it is found leaves the most room for the others."""
    if before == after:
        return True
    first, *others = _between_masks(after)
    if not others or not before.startswith(first):
        return False
    *inner, last = others
    at, end = len(first), len(before) - len(last)
    for piece in inner:
        found = before.find(piece, at + 1, end)  # a mask stands for one character at least
        if found < 0:
            return False
        at = found + len(piece)
    return at < end and before.endswith(last)


def _between_masks(text: str) -> Iterator[str]:
    """What stands before, between and behind the masks in `text`."""
    begun = at = 0
    while (start := text.find(MASKED, at)) >= 0:
        end = mask_end(text, start)
        if end:
            yield text[begun:start]
            begun = end
        at = end or start + len(MASKED)
    yield text[begun:]
