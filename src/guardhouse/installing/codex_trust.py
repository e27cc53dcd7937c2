"""Whether Codex runs a hook: it does so only if a person has trusted exactly what the hook holds.

Trust is a digest in Codex's `config.toml`, kept under the file, the event and the place of the hook in it. Here it is
computed and compared, never written: to trust a hook is the person's own step (`/hooks` in Codex).
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.installing.hook_settings import Handler

Trust = Literal["trusted", "untrusted", "changed", "disabled", "unknown"]
"""`changed`: trusted once, with another content. `unknown`: it can't be told."""

_NO_MATCHER: Final = frozenset(["UserPromptSubmit", "Stop"])
"""Events for which Codex ignores a matcher, and leaves it out of the digest."""
_DEFAULT_TIMEOUT: Final = 600
_KNOWN_FIELDS: Final = frozenset("type command commandWindows timeout async statusMessage".split())
"""A hook with other fields has a digest that is not known here."""


def event_label(event: str) -> str:
    """`PreToolUse` as Codex writes it in keys and digests: `pre_tool_use`."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


def trusted_hash(found: Handler) -> str | None:
    """The digest of a hook that Codex compares; None if the hook has parts whose digest is not known here."""
    handler = found.handler
    timeout = handler.get("timeout", _DEFAULT_TIMEOUT)
    if handler.get("type") != "command" or not set(handler) <= _KNOWN_FIELDS or type(timeout) is not int:
        return None
    command: dict[str, Any] = {
        "type": "command",
        "command": handler.get("command"),
        "timeout": max(timeout, 1),
        "async": handler.get("async", False),
    }
    if handler.get("statusMessage") is not None:
        command["statusMessage"] = handler["statusMessage"]
    identity: dict[str, Any] = {"event_name": event_label(found.event), "hooks": [command]}
    if found.event not in _NO_MATCHER and found.group.get("matcher") is not None:
        identity["matcher"] = found.group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def trust_of(found: Handler, file: Path, config: dict[str, Any]) -> Trust:
    """How Codex stands to a hook in `file`, by the user's `config`."""
    states = _table(_table(config, "hooks"), "state")
    place = f"{event_label(found.event)}:{found.group_index}:{found.handler_index}"
    # Codex resolves a directory that the environment names, and leaves the usual one as it is.
    state = next(
        (
            states[key]
            for name in dict.fromkeys((str(file), os.path.realpath(file)))
            if (key := f"{name}:{place}") in states
        ),
        None,
    )
    if not isinstance(state, dict):
        return "untrusted" if state is None else "unknown"
    if state.get("enabled") is False:
        return "disabled"
    if "trusted_hash" not in state:
        return "untrusted"
    expected = trusted_hash(found)
    if expected is None:
        return "unknown"
    return "trusted" if state["trusted_hash"] == expected else "changed"


def _table(config: dict[str, Any], key: str) -> dict[str, Any]:
    value = config.get(key)
    return value if isinstance(value, dict) else {}
