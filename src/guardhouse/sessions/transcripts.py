"""The words of a session for a judge: sealed on the way into the index, opened on the way out.

Each is sealed for its own session, with a key that nothing else is sealed with. What they say, and who reads them, is
not decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from guardhouse.model import GuardhouseError, Transcript, Turn
from guardhouse.sessions.interface import DEFAULT_SESSION_LIMITS, KeptTurn

if TYPE_CHECKING:
    from guardhouse.sealing import Seal
    from guardhouse.sessions.interface import SessionIndex, SessionLimits

ROOM = "transcripts"
"""The name of the key."""
_PURPOSE = "turn"
_TOLD = frozenset({"user_said", "assistant_showed", "tool_returned", "memory_returned", "skill_returned"})


def sealed_turn(seal: Seal, session_id: str, turn: Turn) -> KeptTurn:
    """A turn as it is kept."""
    return KeptTurn(seal.seal(_PURPOSE, session_id, msgspec.json.encode(turn)), own=turn.origin == "user")


def read_transcript(
    index: SessionIndex, seal: Seal, session_id: str, limits: SessionLimits = DEFAULT_SESSION_LIMITS
) -> Transcript:
    """What is kept of a session in words; GuardhouseError if a turn of it can't be opened."""
    kept = index.turns(session_id)
    first = kept[-limits.turns].seq if len(kept) > limits.turns else 0
    turns = [(one.seq >= first, _opened(seal, session_id, one)) for one in kept]
    happened = sum(tally.events for tally in index.summary(session_id).tallies if tally.kind in _TOLD)
    return Transcript(
        turns=tuple(turn for is_late, turn in turns if is_late),
        earlier=tuple(turn for is_late, turn in turns if not is_late),
        forgotten=max(happened - len(kept), 0),
    )


def _opened(seal: Seal, session_id: str, kept: KeptTurn) -> Turn:
    try:
        turn = msgspec.json.decode(seal.open(_PURPOSE, session_id, kept.sealed), type=Turn)
    except msgspec.MsgspecError:
        raise GuardhouseError("What is kept of a session can't be read.", fix="Begin a new session.") from None
    if (turn.origin == "user") is not kept.own:
        raise GuardhouseError("What is kept of a session was changed.", fix="Begin a new session.")
    return turn
