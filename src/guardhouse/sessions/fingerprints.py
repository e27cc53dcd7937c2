"""What is kept instead of a session's id and instead of a value: digests that nobody can make without the key.

A value's fingerprint is 64 bits of BLAKE2b under a key of its session. A false origin needs a value that is *looked
up* to have the fingerprint of another that was stored: with a million stored values that is one look-up in 10^13.
Birthdays do not help an attacker, because two of their own values that collide prove nothing; only one of theirs that
meets one of the user's would, and without the key they can neither compute fingerprints nor try in advance. The best
they can do is to have the agent read and use value after value, each with that chance. More bits would make every row
larger for a risk that is already below that of a damaged disk. Equal values have unrelated fingerprints in two
sessions, so the store does not tell that two sessions speak of the same thing.
"""

from __future__ import annotations

from typing import Final

from guardhouse.model import GuardhouseError
from guardhouse.model.digests import blake2b

KEY_SIZE: Final = 32
_TAG_SIZE: Final = 16
_FINGERPRINT_SIZE: Final = 8


class SessionKey:
    """The key of one session: its tag, by which it is stored, and the fingerprints of its values."""

    __slots__ = ("_start", "tag")

    def __init__(self, key: bytes, session_id: str) -> None:
        if not isinstance(session_id, str) or not session_id:
            raise GuardhouseError("A session needs an id, a text that is not empty.", fix="Give session_id.")
        name = _encoded(session_id)
        self.tag: Final = blake2b(name, key=key, digest_size=_TAG_SIZE, person=b"gh session tag").digest()
        own_key = blake2b(name, key=key, digest_size=KEY_SIZE, person=b"gh session key").digest()
        # The key is worked in once; each value then starts from a copy.
        self._start: Final = blake2b(key=own_key, digest_size=_FINGERPRINT_SIZE, person=b"gh value")

    def fingerprint(self, value: str) -> int:
        """A signed number of 64 bits, which SQLite keeps in eight bytes."""
        state = self._start.copy()
        state.update(_encoded(value))
        return int.from_bytes(state.digest(), "big", signed=True)

    def short(self, word: str) -> int:
        """32 bits for a word of an object: such words are only ever counted against each other, so one that meets
        another by accident moves a comparison by one."""
        return self.fingerprint(word) & 0xFFFF_FFFF


def checked_key(key: bytes) -> bytes:
    """`key` itself, if it is one."""
    if not isinstance(key, bytes) or len(key) != KEY_SIZE:
        raise GuardhouseError(
            f"The key of a session index is {KEY_SIZE} bytes.", fix="Take one from the key directory."
        )
    return key


def _encoded(text: str) -> bytes:
    """Different texts give different bytes, also where a text holds half a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")
