"""Marks the texts in a tool's answer that come from outside, and puts another text in their place, keeping its shape.

An agent takes a changed answer only in the shape that the tool gives it. So texts are changed where answers are known
to carry them; what they are carried in stays as it is.
"""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING, Any, Final

from guardhouse.trust import wrap_untrusted

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXTS: Final = frozenset("content contents error output result results snippet stderr stdout text title".split())
"""Keys under which answers carry text that a model reads."""


def marked(value: Any, source: str) -> Any | None:
    """`value` with every text in it marked as untrusted; None if there is nothing that could be marked."""
    return _changed(value, lambda text: wrap_untrusted(text, source, _new_id(text)))


def withheld(value: Any, instead: str) -> Any:
    """`value` with every string in it replaced: the first one by `instead`."""
    words = iter((instead,))
    return _replaced(value, lambda: next(words, "[withheld]")) if isinstance(value, (dict, list)) else instead


def _changed(value: Any, change: Callable[[str], str]) -> Any | None:
    if isinstance(value, str):
        return change(value) if value.strip() else None
    found = False
    if isinstance(value, list):
        items = []
        for item in value:
            changed = _changed(item, change)
            found = found or changed is not None
            items.append(item if changed is None else changed)
        return items if found else None
    if isinstance(value, dict):
        fields = {}
        for key, item in value.items():
            # Keys of blocks such as {"type": "text"} are no text, nor is what stands under them.
            changed = _changed(item, change) if key in _TEXTS or not isinstance(item, str) else None
            found = found or changed is not None
            fields[key] = item if changed is None else changed
        return fields if found else None
    return None


def _replaced(value: Any, word: Callable[[], str]) -> Any:
    if isinstance(value, dict):
        # What tells a reader of the answer how to read it stays.
        return {key: item if key in _SHAPE else _replaced(item, word) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, word) for item in value]
    return word() if isinstance(value, str) else value


_SHAPE: Final = frozenset(("type", "mimeType", "mode"))


def _new_id(text: str) -> str:
    while (marker := urandom(8).hex()) in text:
        continue
    return marker
