"""The parts of a server's answers that a model will read, marked as coming from outside, the rest left as it is.

Which answers are untrusted is the gate's to say. What has a shape that programs rely on (`structuredContent`, links,
base64) keeps it: only prose is wrapped.
"""

from __future__ import annotations

from os import urandom
from typing import Any

from guardhouse.trust import wrap_untrusted


def marked_result(method: str, result: dict[str, Any], source: str) -> dict[str, Any]:
    """A result with every text in it marked."""
    if method == "resources/read":
        return _with_each(result, "contents", lambda one: _wrapped(one, "text", source))
    if method == "prompts/get":
        return _with_each(result, "messages", lambda one: _message(one, source))
    return _with_each(result, "content", lambda one: _block(one, source))


def marked_error(error: dict[str, Any], source: str) -> dict[str, Any]:
    """An error with its message marked; its code and its data keep their form."""
    return _wrapped(error, "message", source)


def _with_each(holder: dict[str, Any], key: str, change: Any) -> dict[str, Any]:
    parts = holder.get(key)
    if isinstance(parts, list):
        return {**holder, key: [change(part) if isinstance(part, dict) else part for part in parts]}
    return holder


def _message(message: dict[str, Any], source: str) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, dict):
        return {**message, "content": _block(content, source)}
    return _with_each(message, "content", lambda one: _block(one, source))


def _block(block: dict[str, Any], source: str) -> dict[str, Any]:
    """A block of content: text, a resource that holds text, or a link that is described."""
    resource = block.get("resource")
    if isinstance(resource, dict):
        block = {**block, "resource": _wrapped(resource, "text", source)}
    if block.get("type") == "resource_link":
        block = _wrapped(block, "description", source)
    return _wrapped(block, "text", source)


def _wrapped(holder: dict[str, Any], key: str, source: str) -> dict[str, Any]:
    text = holder.get(key)
    if not isinstance(text, str) or not text:
        return holder
    return {**holder, key: wrap_untrusted(text, source, urandom(12).hex())}
