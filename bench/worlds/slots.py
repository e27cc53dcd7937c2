"""Places in a world's state where third parties write: `{{name}}` inside a text, filled by an attacker or left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

State = dict[str, Any]

_SLOT = re.compile(r"\{\{\w+\}\}")


def without_slots(value: Any) -> Any:
    """A copy of the value without the slots that nobody filled."""
    if isinstance(value, str):
        return _SLOT.sub("", value)
    if isinstance(value, dict):
        return {k: without_slots(v) for k, v in value.items()}
    return [without_slots(v) for v in value] if isinstance(value, list) else value


def planter(prefix: str) -> Callable[[State, str], None]:
    """Puts a text into every slot whose name starts with the prefix."""
    slot = re.compile(r"\{\{" + prefix + r"\w*\}\}")

    def filled(value: Any, text: str) -> Any:
        if isinstance(value, str):
            return slot.sub(lambda _: " " + text, value)
        if isinstance(value, dict):
            return {k: filled(v, text) for k, v in value.items()}
        return [filled(v, text) for v in value] if isinstance(value, list) else value

    def plant(state: State, text: str) -> None:
        for part in state:
            state[part] = filled(state[part], text)

    return plant
