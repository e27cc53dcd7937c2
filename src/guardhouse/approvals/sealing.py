"""Sealing of what must be kept to take an action up again but may never lie on disk as it is (SPEC R4).

XChaCha20-Poly1305 with a key that its caller keeps outside the store. A blob opens only as what it was sealed for:
another request's blob, or the other blob of the same request, is as wrong as a forged one. Where blobs are kept, and
when they are erased, is not decided here.
"""

from __future__ import annotations

from os import urandom
from typing import Final, Literal, get_args

from guardhouse.model import GuardhouseError
from guardhouse.model.digests import blake2b

_KEY: Final = 32
_NONCE: Final = 24
_TAG: Final = 16
_VERSION: Final = b"\x01"
Sealed = Literal["bound", "resume", "grant"]
"""What is sealed: the two blobs of a request, and what a grant covers."""
_PURPOSES: Final[tuple[Sealed, ...]] = get_args(Sealed)


class Seal:
    """Seals and opens with subkeys of one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        if not isinstance(key, bytes) or len(key) != _KEY:
            raise GuardhouseError(f"The key that seals approvals is not {_KEY} bytes.", fix="Make a new one.")
        self._keys: Final = {
            purpose: blake2b(f"guardhouse approvals: {purpose}".encode(), key=key, digest_size=_KEY).digest()
            for purpose in _PURPOSES
        }

    def prepare(self) -> None:
        """Load the library now, so that it is not loaded later while a lock is held."""
        import nacl.bindings  # noqa: F401 - takes longer than everything else here

    def seal(self, purpose: Sealed, identity: str, content: bytes) -> bytes:
        """`content` as a blob that only `open` with the same purpose, id and key gives back."""
        from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt

        nonce = urandom(_NONCE)
        return _VERSION + nonce + encrypt(content, _label(purpose, identity), nonce, self._keys[purpose])

    def open(self, purpose: Sealed, identity: str, blob: bytes) -> bytes:
        """What was sealed; GuardhouseError if the key is another, or the blob is damaged or in the wrong place."""
        from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
        from nacl.exceptions import CryptoError

        start = len(_VERSION) + _NONCE
        if not isinstance(blob, bytes) or not blob.startswith(_VERSION) or len(blob) < start + _TAG:
            raise _cannot_open(identity)
        label = _label(purpose, identity)
        try:
            return bytes(decrypt(blob[start:], label, blob[len(_VERSION) : start], self._keys[purpose]))
        except CryptoError:
            raise _cannot_open(identity) from None


def _label(purpose: Sealed, identity: str) -> bytes:
    return f"{purpose}\0{identity}".encode()


def _cannot_open(identity: str) -> GuardhouseError:
    return GuardhouseError(
        f"What is kept for {identity} can't be opened: the key is another one, or it was damaged.",
        fix="Cancel the request, or revoke the grant, and ask again.",
    )
