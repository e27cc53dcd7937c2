"""RFC 8785, held against another implementation and the RFC's own vectors."""

import json
import struct

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.model import InvalidAction, canonical_json

EXACT = 2**53 - 1
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-EXACT, EXACT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=5)
    ),
    max_leaves=15,
)


@given(values)
def test_it_gives_the_bytes_of_the_reference_implementation(value):
    assert canonical_json(value) == rfc8785.dumps(value)


@given(st.integers(0, 2**64 - 1))
def test_every_double_is_printed_as_ecmascript_prints_it(bits):
    value = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    if value - value == 0:
        assert canonical_json(value) == rfc8785.dumps(value)
        assert float(canonical_json(value)) == value


@pytest.mark.parametrize(
    ("bits", "text"),
    [  # RFC 8785, appendix B
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_the_numbers_of_the_rfc(bits, text):
    assert canonical_json(struct.unpack(">d", bytes.fromhex(bits))[0]).decode() == text


def test_the_example_of_the_rfc():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert canonical_json(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf16_code_units():
    keys = ["€", "\r", "\ufb33", "1", "😀", "\u0080", "ö"]
    assert list(json.loads(canonical_json(dict.fromkeys(keys, 0)))) == ["\r", "1", "\u0080", "ö", "€", "😀", "\ufb33"]


@pytest.mark.parametrize(
    "value",
    [
        2**53,
        -(2**53),
        10**400,
        float("nan"),
        float("inf"),
        float("-inf"),
        "\ud800",
        {"\ud800": 1},
        {1: 2},
        (1,),
        b"",
        {None},
    ],
)
def test_what_canonical_json_can_not_hold_is_refused(value):
    with pytest.raises(InvalidAction):
        canonical_json(value)


def test_endless_nesting_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(InvalidAction):
        canonical_json(loop)
