"""Undoes the plainest ways to hide text in a literal: base64 and hexadecimal digits.

Only what takes no time to undo. What can't be decoded is not known.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

BASE64: Final = frozenset(
    "decode_base64 MIME.Base64.decode_base64 base64_decode atob Buffer.from Base64.decode64 Base64.strict_decode64 "
    "base64decode base64-decode-string Base64.urlsafe_decode64 Base64.decode64! Base64.decode! mime.unb64 "
    "base64.decode Base64.decode_string".split()
)
HEXADECIMAL: Final = frozenset("hex2bin Base16.decode!".split())
_LONGEST: Final = 16384


def decoded(name: str, text: str) -> str | None:
    """What a decoder of that name makes of a text; None if it is no decoder or makes nothing of it."""
    if len(text) > _LONGEST:
        return None
    short = ".".join(name.split(".")[-2:])
    try:
        if name in BASE64 or short in BASE64:
            return base64.b64decode(text.translate(_URL_SAFE) + "=" * (-len(text) % 4)).decode()
        if name in HEXADECIMAL or (name == "pack" and text):
            return bytes.fromhex(text).decode()
    except (binascii.Error, ValueError):
        # Not in that encoding: what is run is then not known, and whoever asked says so.
        return None
    return None


_URL_SAFE: Final = str.maketrans("-_", "+/")
