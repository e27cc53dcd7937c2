"""The parts of a server's answers that a model will read, marked as coming from outside, the rest left as it is.

Which answers are untrusted is the gate's to say. What has a shape that programs rely on (`structuredContent`, `_meta`,
addresses, base64) keeps it: only prose is wrapped. Where a part has not the shape that the protocol gives it, nobody
knows who will read it, so every text in it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.trust import is_data, is_name

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT: Final = frozenset(["structuredContent", "_meta", "task", "isError", "nextCursor", "ttl", "pollInterval"])
"""Parts of a result that programs read."""
_DATA: Final = frozenset(["data", "blob"])
_PROSE: Final = frozenset(["text", "title", "description", "message", "statusMessage", "reason"])
"""Parts that are for reading, however short they are."""


def marked_result(method: str, result: dict[str, Any], mark: Callable[[str], str]) -> dict[str, Any]:
    """A result with every text in it marked by `mark`."""
    parts = {"resources/read": "contents", "prompts/get": "messages", "tasks/list": "tasks"}.get(method, "content")

    def marked(key: str, value: Any) -> Any:
        if key == "task":
            return _words(value, mark)
        if key in _KEPT:
            return value
        if key != parts:
            return _words(value, mark, prose=key in _PROSE or key == "toolResult")
        change = _message if key == "messages" else _block
        return _each(value, change, mark)

    return {key: marked(key, value) for key, value in result.items()}


def marked_error(error: dict[str, Any], mark: Callable[[str], str]) -> dict[str, Any]:
    """An error with its message and the prose in its data marked."""
    return {key: _words(value, mark, prose=key == "message") for key, value in error.items()}


def _each(parts: Any, change: Callable[[dict[str, Any], Callable[[str], str]], Any], mark: Callable[[str], str]) -> Any:
    if isinstance(parts, list):
        return [change(part, mark) if isinstance(part, dict) else _words(part, mark, prose=True) for part in parts]
    return change(parts, mark) if isinstance(parts, dict) else _words(parts, mark, prose=True)


def _message(message: dict[str, Any], mark: Callable[[str], str]) -> dict[str, Any]:
    return {
        key: _each(value, _block, mark) if key == "content" else _words(value, mark) for key, value in message.items()
    }


def _block(block: dict[str, Any], mark: Callable[[str], str]) -> dict[str, Any]:
    """A block of content: text, a resource that holds text, or a link that is described."""
    is_link = block.get("type") == "resource_link"

    def marked(key: str, value: Any) -> Any:
        if key in _DATA and isinstance(value, str) and is_data(value):
            return value
        if key == "content":  # a result in a result
            return _each(value, _block, mark)
        if key == "resource" and isinstance(value, dict):
            return _block(value, mark)
        return value if key in _KEPT else _words(value, mark, prose=key in _PROSE or (is_link and key == "name"))

    return {key: marked(key, value) for key, value in block.items()}


def _words(value: Any, mark: Callable[[str], str], *, prose: bool = False) -> Any:
    """A value with every text in it wrapped that is more than a word, or every one at all."""
    if isinstance(value, str):
        if not value or (not prose and is_name(value)):
            return value
        return mark(value)
    if isinstance(value, dict):
        return {
            name: item if name in _KEPT else _words(item, mark, prose=prose or name in _PROSE)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_words(item, mark, prose=prose) for item in value]
    return value
