"""Marks the texts in a tool's answer that come from outside, and puts another text in their place, keeping its shape.

An agent takes a changed answer only in the shape that the tool gives it. So what tells a reader how to read the answer
stays, if it is one of the few words that do; every other text may be somebody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.trust import is_data, is_name

if TYPE_CHECKING:
    from collections.abc import Callable

_SHAPE: Final = frozenset(
    "text image audio resource resource_link pdf notebook parts create update content files_with_matches count "
    "file_unchanged image/png image/jpeg image/gif image/webp text/plain text/html text/markdown application/json "
    "application/pdf".split()
)
"""Words that say how an answer is to be read."""
_SHAPE_KEYS: Final = frozenset("type mimeType mode".split())
_DATA_KEYS: Final = frozenset("data blob base64".split())
_NAME_KEYS: Final = frozenset("uri url filePath tool_use_id".split())
"""What an agent works with and shows, but does not read as text, as long as it is data or a name and no prose. Whoever
marks also says that nothing in it counts."""


def marked(value: Any, mark: Callable[[str], str]) -> Any:
    """`value` with every text in it marked as untrusted."""
    return _changed(value, mark, keeps=_is_kept)


def withheld(value: Any, instead: str) -> Any:
    """`value` with every text in it replaced: the first one by `instead`."""
    words = iter((instead,))
    if not isinstance(value, (dict, list)):
        return instead
    return _changed(value, lambda _text: next(words, "[withheld]"), keeps=lambda _key, _text: False)


def _is_kept(key: str, text: str) -> bool:
    return is_data(text) if key in _DATA_KEYS else key in _NAME_KEYS and is_name(text)


def _changed(value: Any, change: Callable[[str], str], *, keeps: Callable[[str, str], bool], key: str = "") -> Any:
    if isinstance(value, str):
        if not value.strip() or keeps(key, value) or (key in _SHAPE_KEYS and value in _SHAPE):
            return value
        return change(value)
    if isinstance(value, list):
        return [_changed(item, change, keeps=keeps, key=key) for item in value]
    if isinstance(value, dict):
        return {name: _changed(item, change, keeps=keeps, key=name) for name, item in value.items()}
    return value
