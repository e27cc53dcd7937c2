"""A result as far as a person lets it be seen: its first lines, without labelled data, or only what it is made of.

The shape stays, so that whoever reads the result still can: lists, names of fields, and the few words by which
protocols say what kind of thing stands beside. Whatever else could carry content counts as content. Secrets have been
masked before this; where a condition comes from is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from guardhouse.model.conditions import Condition

_WITHHELD: Final = "[withheld]"
_MOST_DESCRIBED: Final = 20
"""Items of a list, or fields of a record, that are described; the others are counted."""
_MOST_IN_ALL: Final = 200
"""Values that are described altogether: lists in lists add up."""
_LONGEST_NAME: Final = 40
_LONGEST_LINE: Final = 400
"""Characters that count as one line: data without line breaks is not one line of it."""
_MOST_AFTER: Final = 20
"""Names of fields that are still told when all lines are used up, so that the shape stays."""
_KIND: Final = "type"
_KINDS: Final = frozenset(
    "text image audio document resource resource_link search_result tool_result tool_use thinking file object".split()
)
"""What protocols say there: any other word may be content."""
_FAILED: Final = frozenset({"isError", "is_error", "interrupted"})
"""Fields that say whether a call went well, which has to be known."""


def limited(value: Any, condition: Condition) -> Any:
    """What of a result may be seen under a condition that cuts it. One that only masks is the caller's to apply."""
    match condition.show:
        case "first_lines":
            return _Lines(condition.lines).of(value)
        case "structure":
            return _Structure().of(value)
        case "redacted":
            return value


class _Lines:
    """So many lines of a value, counted over all that it says in order: texts, numbers and names alike. An item of a
    list takes at least one."""

    def __init__(self, lines: int) -> None:
        self._left = lines
        self._begun = 0
        """Characters of numbers and names that have not yet made a line together."""
        self._after = _MOST_AFTER

    def of(self, value: Any, name: str = "") -> Any:
        if _is_shape(name, value):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return self._items(value)
        if isinstance(value, dict):
            return self._fields(value)
        if value is None or isinstance(value, (bool, int, float)):
            shown = value if self._left > 0 else _WITHHELD
            self._spend(len(str(value)))
            return shown
        raise TypeError("what is no JSON can't be cut")

    def _text(self, text: str) -> str:
        if not text:
            return text
        if self._left <= 0:
            return _WITHHELD
        shown: list[str] = []
        lines = text.split("\n")
        for line in lines:
            if self._left <= 0:
                break
            shown.append(line[: self._left * _LONGEST_LINE])
            self._left -= max(1, -(-len(line) // _LONGEST_LINE))
        rest = len(lines) - len(shown)
        if len(shown[-1]) < len(lines[len(shown) - 1]):
            shown[-1] += " [the rest of this line withheld]"
        return "\n".join((*shown, f"[{rest:,} more lines withheld]") if rest else shown)

    def _items(self, items: list[Any]) -> list[Any]:
        shown: list[Any] = []
        for item in items:
            if self._left <= 0:
                break
            before = self._left
            shown.append(self.of(item))
            self._left -= self._left == before
        if len(shown) < len(items) and all(isinstance(item, str) for item in items):
            shown.append(f"[{len(items) - len(shown):,} more withheld]")
        return shown

    def _fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for number, (name, value) in enumerate(fields.items(), 1):
            if self._left <= 0:
                self._after -= 1
                if self._after < 0:
                    break
            fits = _is_plain(name) or len(name) <= self._left * _LONGEST_LINE
            told = name if fits else f"[name {number}]"
            self._spend(len(told))
            shown[told] = self.of(value, told)
        return shown

    def _spend(self, characters: int) -> None:
        lines, self._begun = divmod(self._begun + characters, _LONGEST_LINE)
        self._left -= lines


class _Structure:
    """What a value is made of: sizes, names of fields, kinds of values."""

    def __init__(self) -> None:
        self._left = _MOST_IN_ALL

    def of(self, value: Any, name: str = "") -> Any:
        self._left -= 1
        if _is_shape(name, value):
            return value
        if isinstance(value, str):
            return f"[text: {len(value):,} characters, {value.count(chr(10)) + 1:,} lines]"
        if isinstance(value, bool):
            return "[yes or no]"
        if value is None:
            return None
        if isinstance(value, (int, float)):
            return "[number]"
        if isinstance(value, list):
            return self._items(value)
        if isinstance(value, dict):
            return self._fields(value)
        raise TypeError("what is no JSON can't be described")

    def _items(self, items: list[Any]) -> list[Any]:
        shown = [self.of(item) for item in items[: self._room()]]
        rest = len(items) - len(shown)
        return [*shown, f"[and {rest:,} more]"] if rest else shown

    def _fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        """By their names where those are plain short words, and few: any other name may be content."""
        shown: dict[str, Any] = {}
        room = self._room()
        for number, (name, value) in enumerate(list(fields.items())[:room], 1):
            told = name if _is_plain(name) else f"[name {number}]"
            shown[told] = self.of(value, told)
        rest = len(fields) - len(shown)
        return {**shown, f"[and {rest:,} more]": None} if rest else shown

    def _room(self) -> int:
        return max(0, min(_MOST_DESCRIBED, self._left))


def _is_plain(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and name.isascii() and name.replace("_", "").replace("-", "").isalnum()


def _is_shape(name: str, value: Any) -> bool:
    """Whether a value only says what stands beside it, in one of the few words that protocols have for that."""
    if name in _FAILED:
        return isinstance(value, bool)
    return name == _KIND and isinstance(value, str) and value in _KINDS
