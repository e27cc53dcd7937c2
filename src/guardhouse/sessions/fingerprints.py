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
_LONGEST_NAME: Final = 512
"""Bytes of an id that is kept, sealed, to be shown."""


class SessionKey:
    """The key of one session: its tag, by which it is stored, and the fingerprints of its values."""

    __slots__ = ("_key", "_name", "_start", "tag")

    def __init__(self, key: bytes, session_id: str) -> None:
        if not isinstance(session_id, str) or not session_id:
            raise GuardhouseError("A session needs an id, a text that is not empty.", fix="Give session_id.")
        name = self._name = _encoded(session_id)
        self._key = key
        self.tag: Final = blake2b(name, key=key, digest_size=_TAG_SIZE, person=b"gh session tag").digest()
        own_key = blake2b(name, key=key, digest_size=KEY_SIZE, person=b"gh session key").digest()
        # The key is worked in once; each value then starts from a copy.
        self._start: Final = blake2b(key=own_key, digest_size=_FINGERPRINT_SIZE, person=b"gh value")

    def fingerprint(self, value: str) -> int:
        """A signed number of 64 bits, which SQLite keeps in eight bytes."""
        state = self._start.copy()
        state.update(_encoded(value))
        return int.from_bytes(state.digest(), "big", signed=True)

    @property
    def sealed_name(self) -> bytes | None:
        """The session's id as it may be kept; None if it is longer than any that is shown."""
        return _mixed(self._key, self.tag, self._name) if len(self._name) <= _LONGEST_NAME else None

    @property
    def kin(self) -> bytes:
        """What sessions have in common whose ids begin with the same part; see `kin_of`."""
        return kin_of(self._key, self._name.partition(b"/")[0] + b"/" if b"/" in self._name else b"")

    def short(self, word: str) -> int:
        """32 bits for a word of an object: such words are only ever counted against each other, so one that meets
        another by accident moves a comparison by one."""
        return self.fingerprint(word) & 0xFFFF_FFFF


def kin_of(key: bytes, beginning: bytes) -> bytes:
    """What is kept of the part of an id up to its first slash, so that sessions can be found by it. Nobody can tell
    from it what that part is."""
    return blake2b(beginning, key=key, digest_size=_TAG_SIZE, person=b"gh session kin").digest()


def opened_name(key: bytes, tag: bytes, sealed: bytes) -> str | None:
    """The id of a session from how it is kept; None if it was not sealed under this key."""
    try:
        name = _mixed(key, tag, sealed).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return name if name and SessionKey(key, name).tag == tag else None


def _mixed(key: bytes, tag: bytes, text: bytes) -> bytes:
    """`text` under a stream of bytes that nobody can make without the key; twice gives it back.

    The tag is a keyed digest of the id itself, so the same stream is never used for two ids, and an id that was changed
    no longer fits its tag. This is the SIV construction, with BLAKE2b as what can't be told from chance; a cipher would
    have to be loaded in every hook.
    """
    stream = b"".join(
        blake2b(number.to_bytes(4, "big") + tag, key=key, digest_size=64, person=b"gh session name").digest()
        for number in range(-(-len(text) // 64))
    )
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))


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
