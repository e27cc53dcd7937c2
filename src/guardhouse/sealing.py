"""Sealing of what must be kept to take something up again but may never lie on disk as it is (SPEC R4).

XChaCha20-Poly1305 with a key that its caller keeps outside the store. A blob opens only as what it was sealed for:
another request's blob, or another one of the same request, is as wrong as a forged one. Where blobs are kept, and when
they are erased, is not decided here.
"""

from __future__ import annotations

from functools import lru_cache
from os import urandom
from typing import Final

from guardhouse.model import GuardhouseError
from guardhouse.model.digests import blake2b

_KEY: Final = 32
_NONCE: Final = 24
_TAG: Final = 16
_MARK: Final = 16
_VERSION: Final = b"\x01"


class Seal:
    """Seals and opens with subkeys of one key of 32 bytes, one for each purpose in a room of the house."""

    def __init__(self, key: bytes, room: str = "approvals") -> None:
        if not isinstance(key, bytes) or len(key) != _KEY:
            raise GuardhouseError(f"The key that seals {room} is not {_KEY} bytes.", fix="Make a new one.")
        self._key: Final = key
        self._room: Final = room

    def prepare(self) -> None:
        """Load the library now, so that it is not loaded later while a lock is held."""
        import nacl.bindings  # noqa: F401 - takes longer than everything else here

    def mark(self, purpose: str, text: str) -> bytes:
        """A mark by which the same text is found again, and which tells nobody without the key what it is."""
        return blake2b(text.encode(), key=_subkey(self._key, self._room, purpose), digest_size=_MARK).digest()

    def seal(self, purpose: str, identity: str, content: bytes) -> bytes:
        """`content` as a blob that only `open` with the same purpose, id and key gives back."""
        from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt

        nonce, key = urandom(_NONCE), _subkey(self._key, self._room, purpose)
        return _VERSION + nonce + encrypt(content, _label(purpose, identity), nonce, key)

    def open(self, purpose: str, identity: str, blob: bytes) -> bytes:
        """What was sealed; GuardhouseError if the key is another, or the blob is damaged or in the wrong place."""
        from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
        from nacl.exceptions import CryptoError

        start = len(_VERSION) + _NONCE
        if not isinstance(blob, bytes) or not blob.startswith(_VERSION) or len(blob) < start + _TAG:
            raise _cannot_open(identity)
        label, key = _label(purpose, identity), _subkey(self._key, self._room, purpose)
        try:
            return bytes(decrypt(blob[start:], label, blob[len(_VERSION) : start], key))
        except CryptoError:
            raise _cannot_open(identity) from None


@lru_cache(maxsize=64)
def _subkey(key: bytes, room: str, purpose: str) -> bytes:
    return blake2b(f"guardhouse {room}: {purpose}".encode(), key=key, digest_size=_KEY).digest()


def _label(purpose: str, identity: str) -> bytes:
    return f"{purpose}\0{identity}".encode()


def _cannot_open(identity: str) -> GuardhouseError:
    return GuardhouseError(
        f"What is kept for {identity} can't be opened: the key is another one, or it was damaged.",
        fix="Cancel it, or revoke it, and begin again.",
    )
