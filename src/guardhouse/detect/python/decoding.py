"""Encoded data that stands in the code, turned into what it holds: base64, hexadecimal, rot13, compressed bytes.

Sizes are bounded, and what could blow up is not unpacked.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import zlib
from typing import TYPE_CHECKING, Final

from guardhouse.detect.python.values import DECODED, LONGEST_DECODED, Text, Value, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

_DECODERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "base64.b64decode": base64.b64decode,
    "base64.standard_b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.decodebytes": base64.b64decode,
    "base64.decodestring": base64.b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "builtins.bytes.fromhex": lambda data: bytes.fromhex(data.decode("ascii")),
    "builtins.bytearray.fromhex": lambda data: bytes.fromhex(data.decode("ascii")),
    "zlib.decompress": lambda data: zlib.decompressobj(47).decompress(data, LONGEST_DECODED),
    "gzip.decompress": lambda data: zlib.decompressobj(47).decompress(data, LONGEST_DECODED),
    "bz2.decompress": lambda _: b"",
    "lzma.decompress": lambda _: b"",
    "urllib.parse.unquote": lambda data: data,
    "html.unescape": lambda data: html.unescape(data.decode("latin-1")).encode("latin-1"),
}
"""How encoded literals are read. What could blow up is not unpacked, and stays unknown."""

_CODECS: Final = {
    "base64": "base64.b64decode",
    "base_64": "base64.b64decode",
    "base64_codec": "base64.b64decode",
    "hex": "binascii.unhexlify",
    "hex_codec": "binascii.unhexlify",
    "zip": "zlib.decompress",
    "zlib": "zlib.decompress",
    "zlib_codec": "zlib.decompress",
    "bz2": "bz2.decompress",
}
TEXT_CODECS: Final = {"utf8", "utf_8", "ascii", "latin1", "latin_1", "us_ascii", "iso_8859_1"}


def is_decoder(name: str) -> bool:
    """Whether the function of that name turns encoded data into plain data."""
    return name in _DECODERS


def decoded(name: str, value: Value) -> Value:
    """What a decoding function makes out of a value."""
    if not isinstance(value, Text):
        return Value(value.origin | DECODED)
    try:
        made = _DECODERS[name](value.text.encode("latin-1"))
    except (ValueError, zlib.error, TypeError, OverflowError):
        made = b""
    if not made:
        return Value(value.origin | DECODED)
    is_text = name in {"urllib.parse.unquote", "html.unescape"}
    return Text(value.origin | DECODED, made[:LONGEST_DECODED].decode("latin-1"), not is_text)


def decoded_by_codec(value: Value, codec: str) -> Value:
    """`value.decode(codec)`."""
    codec = codec.lower().replace("-", "_")
    if codec in _CODECS:
        return decoded(_CODECS[codec], value)
    if not isinstance(value, Text):
        return unknown(value)
    if codec in {"rot13", "rot_13"}:
        return Text(value.origin | DECODED, codecs.decode(value.text, "rot13"), value.is_bytes)
    try:
        data = value.text.encode("latin-1") if value.is_bytes else value.text.encode()
        if codec in TEXT_CODECS:
            return Text(value.origin, data.decode("utf-8", "replace"))
        if codec in {"unicode_escape", "raw_unicode_escape", "utf_16", "utf_16le", "utf_16_le", "utf_32", "utf_7"}:
            return Text(value.origin | DECODED, data.decode(codec, "replace"))
    except (ValueError, LookupError):
        # No such text, or no such codec: what it comes to is not known, and that it was decoded is.
        return Value(value.origin | DECODED)
    return Value(value.origin | DECODED)


def encoded(value: Text) -> Text:
    """`value.encode()`."""
    data = value.text[:LONGEST_DECODED].encode("utf-8", "replace")
    return Text(value.origin, data[:LONGEST_DECODED].decode("latin-1"), is_bytes=True)
