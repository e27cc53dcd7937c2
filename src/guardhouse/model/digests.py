"""SHA-256 and BLAKE2b from Python's own modules, so that a short text is hashed without OpenSSL.

The digests are those of `hashlib`, but loading that loads OpenSSL, which takes as long as judging a call, and a hook is
a new process for every call. OpenSSL is the faster one for much data, so that is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hashlib import blake2b
    from hashlib import sha256 as _sha256
else:
    try:
        from _blake2 import blake2b

        try:
            from _sha256 import sha256 as _sha256
        except ImportError:
            from _sha2 import sha256 as _sha256  # its name from Python 3.12 on
    except ImportError:  # another Python than CPython, or one built without them
        from hashlib import blake2b
        from hashlib import sha256 as _sha256

__all__ = ["blake2b", "sha256_hex"]

_SHORT: Final = 128 * 1024


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data`, in hexadecimal digits."""
    if len(data) <= _SHORT:
        return _sha256(data).hexdigest()
    from hashlib import sha256  # only for much data

    return sha256(data).hexdigest()
