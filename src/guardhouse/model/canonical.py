"""Canonical JSON (RFC 8785) and the action hash that an approval is bound to.

RFC 8785 knows one kind of number, the double; tools do not: `1`, `1.0` and 2**60 are three different arguments in
Python. So the hash is taken over an envelope that also lists where a number is not what its canonical form says.
The envelope carries a version: a change of what is covered is a new version, never a silent one.
"""

from __future__ import annotations

from collections.abc import Iterable
from json.encoder import encode_basestring
from math import copysign, isfinite
from typing import Any, Final

import msgspec

from guardhouse.model.digests import sha256_hex
from guardhouse.model.errors import InvalidAction

HASH_VERSION: Final = 1
_EXACT: Final = 2**53 - 1


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON value. Integers beyond ±(2**53 - 1) are refused: doubles can't hold them."""
    out: list[str] = []
    try:
        _write(value, out, "", None)
        return "".join(out).encode("utf-8")
    except _NOT_JSON:
        raise _not_json() from None


def typed_digest(envelope: dict[str, Any]) -> str:
    """`v1:` and the SHA-256 over `envelope` and the number types in it, as canonical JSON."""
    try:
        data = _typed(envelope)
    except _NOT_JSON:
        raise _not_json() from None
    return f"v{HASH_VERSION}:{sha256_hex(data)}"


def _typed(envelope: dict[str, Any]) -> bytes:
    types: dict[str, str] = {}
    if _is_simple(envelope):
        return _encode({"envelope": envelope, "types": types, "version": HASH_VERSION})
    out: list[str] = []
    types_out: list[str] = []
    _write(envelope, out, "", types)
    _write(types, types_out, "", None)
    text = f'{{"envelope":{"".join(out)},"types":{"".join(types_out)},"version":{HASH_VERSION}}}'
    return text.encode("utf-8")


_NOT_JSON: Final = (AttributeError, TypeError, UnicodeEncodeError, RecursionError)
"""What is no JSON after all: a key that is no string, half a surrogate pair, endless nesting."""


def _not_json() -> InvalidAction:
    return InvalidAction("A value is not JSON.", fix="Let `admit` check the action first.")


_encode: Final = msgspec.json.Encoder(order="sorted").encode
"""For simple values msgspec's encoder gives the RFC 8785 bytes, many times as fast; a test compares every character."""


def _is_simple(value: Any) -> bool:
    """No floats, no large integers, no keys that sort differently in UTF-16: what nearly every action is made of."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        return all(map(str.isascii, value)) and all(type(item) is str or _is_simple(item) for item in value.values())
    if kind is list:
        return all(type(item) is str or _is_simple(item) for item in value)
    return kind is int and -_EXACT <= value <= _EXACT


def _write(value: Any, out: list[str], path: str, types: dict[str, str] | None) -> None:
    kind = type(value)
    if kind is str:
        out.append(encode_basestring(value))
    elif kind is dict:
        out.append("{")
        for index, key in enumerate(_ordered(value)):
            out.append("," if index else "")
            out.append(encode_basestring(key))
            out.append(":")
            _write(value[key], out, f"{path}/{_pointer(key)}" if types is not None else "", types)
        out.append("}")
    elif kind is list:
        out.append("[")
        for index, item in enumerate(value):
            out.append("," if index else "")
            _write(item, out, f"{path}/{index}" if types is not None else "", types)
        out.append("]")
    elif kind is bool:
        out.append("true" if value else "false")
    elif value is None:
        out.append("null")
    elif kind is int:
        if -_EXACT <= value <= _EXACT:
            out.append(str(value))
        elif types is not None:
            types[path] = "integer"
            out.append(f'"{value:x}"')
        else:
            raise InvalidAction("A number is outside what canonical JSON can hold.", fix="Send it as a string.")
    elif kind is float:
        if types is not None and value.is_integer():
            types[path] = "negative zero" if value == 0 and copysign(1, value) < 0 else "float"
        out.append(_number(value))
    else:
        raise InvalidAction(f"A value of type {kind.__name__} is not JSON.")


def _pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _ordered(keys: Iterable[str]) -> list[str]:
    """By UTF-16 code units, as RFC 8785 asks; for ASCII that is Python's own order."""
    if all(map(str.isascii, keys)):
        return sorted(keys)
    return sorted(keys, key=lambda key: key.encode("utf-16-be"))


def _number(value: float) -> str:
    """A finite double as ECMAScript prints it, which is what RFC 8785 prescribes."""
    if not isfinite(value):
        raise InvalidAction("The value holds NaN or an infinite number.", fix="Send null or a string.")
    if value == 0:
        return "0"
    if value < 0:
        return "-" + _number(-value)
    mantissa, _, exponent_text = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = int(exponent_text or 0) + len(whole) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
