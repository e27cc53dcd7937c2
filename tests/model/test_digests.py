from __future__ import annotations

import hashlib

import pytest

from guardhouse.model.digests import blake2b, sha256_hex


@pytest.mark.parametrize("size", [0, 1, 1000, 128 * 1024, 128 * 1024 + 1, 1 << 20])
def test_a_digest_is_that_of_hashlib_however_it_is_made(size):
    data = b"x" * size
    assert sha256_hex(data) == hashlib.sha256(data).hexdigest()


def test_a_keyed_digest_is_that_of_hashlib():
    given = {"key": b"k" * 32, "digest_size": 16, "person": b"gh value"}
    assert blake2b(b"text", **given).digest() == hashlib.blake2b(b"text", **given).digest()
