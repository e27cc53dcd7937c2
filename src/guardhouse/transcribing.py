"""The words of what comes into a session, as a judge may read them later: masked, and never cut in silence.

Pure, and loaded only where a judge is configured. What is longer than a judge would be shown is told by its structure.
Sealing them, and how many are kept, is the sessions' affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.model import (
    MemoryReadPost,
    OutputPublish,
    Remembered,
    SkillRunPost,
    ToolCallPost,
    Turn,
    TurnOrigin,
    UserInput,
)
from guardhouse.redact.outline import fitted, outline
from guardhouse.trust.ledger import pasted_part, typed_as_shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.model import Action

LONGEST: Final = 16_000
"""Characters of one turn that are kept as they are."""
_LONGEST_PARAMS: Final = 4_000


def transcribed(
    remembered: tuple[Remembered, ...],
    action: Action,
    content: Any,
    params: Any,
    name: str,
    call_id: str,
    mask: Callable[[str], str],
) -> tuple[Remembered, ...]:
    """What is to be kept of an action that was let through, with its words. `content` is what may be seen of it, and
    `params` what the call was made with, under which names; all of it masked, as `mask` does."""
    if isinstance(action, UserInput):
        return _message(remembered, action, content if isinstance(content, str) else _as_text(content), mask)
    if isinstance(action, OutputPublish):
        return _on_last(remembered, _turn("assistant", content))
    if isinstance(action, (ToolCallPost, MemoryReadPost, SkillRunPost)) and remembered:
        last = remembered[-1].event
        turn = _turn("trusted" if last.grade == "trusted" else "untrusted", content)
        return _on_last(remembered, _of_call(turn, name, call_id, params))
    return remembered


def _message(
    remembered: tuple[Remembered, ...], action: UserInput, text: str, mask: Callable[[str], str]
) -> tuple[Remembered, ...]:
    """The user's own words, or what they put in from elsewhere, or both beside each other: only the first carry
    authority."""
    typed = typed_as_shown(action.content, text, mask)
    pasted = pasted_part(text, typed)
    others = _turn("pasted", pasted if len(remembered) > 1 else text)
    own = _turn("user", typed)
    if len(remembered) == 1 and pasted.strip():
        own = _in_part(own)
    return tuple(msgspec.structs.replace(one, turn=own if one.event.grade == "user" else others) for one in remembered)


def _turn(origin: TurnOrigin, content: Any) -> Turn:
    text = content if isinstance(content, str) else _as_text(content)
    if len(text) <= LONGEST:
        return Turn(origin=origin, text=text)
    return Turn(origin=origin, text=_as_text({"outline": outline(text)}), whole=False)


def _of_call(turn: Turn, name: str, call_id: str, params: Any) -> Turn:
    turn = msgspec.structs.replace(turn, name=name, call_id=call_id)
    if params is None:
        return turn
    shown, whole = fitted(params, _LONGEST_PARAMS)
    turn = msgspec.structs.replace(turn, params=_as_text(shown))
    return turn if whole else _in_part(turn)


def _in_part(turn: Turn) -> Turn:
    """A turn of which something is not shown as it is. The text of such a one is JSON, whoever wrote it."""
    return msgspec.structs.replace(turn, text=_as_text(turn.text), whole=False) if turn.whole else turn


def _on_last(remembered: tuple[Remembered, ...], turn: Turn) -> tuple[Remembered, ...]:
    if not remembered:
        return ()
    last = remembered[-1]
    told = msgspec.structs.replace(turn, kind=last.event.kind)
    return (*remembered[:-1], msgspec.structs.replace(last, turn=told))


def _as_text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
