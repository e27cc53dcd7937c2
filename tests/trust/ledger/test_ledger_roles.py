"""What an argument is for: by its name, by its schema, by what somebody declared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.trust.ledger.arguments import arguments
from guardhouse.trust.ledger.kinds import kind_of
from guardhouse.trust.ledger.roles import Role, by_name, parameters
from guardhouse.trust.ledger.shapes import Shape

BY_NAME = (
    # argument, its role, one that it has not
    ("to", Role.RECIPIENT),
    ("cc", Role.RECIPIENT),
    ("recipient_email", Role.RECIPIENT),
    ("attendees", Role.RECIPIENT),
    ("url", Role.DESTINATION),
    ("webhook_url", Role.DESTINATION),
    ("amount", Role.AMOUNT),
    ("totalPrice", Role.AMOUNT),
    ("start_date", Role.DATE),
    ("due", Role.DATE),
    ("file_path", Role.PATH),
    ("command", Role.CODE),
    ("password", Role.SECRET),
    ("api_key", Role.SECRET),
    ("user_id", Role.RECIPIENT),
    ("key", Role.SELECTOR),
    ("body", Role.CONTENT),
    ("subject", Role.CONTENT),
    ("query", Role.QUERY),
    ("limit", Role.LIMIT),
    ("frobnication", None),
    ("", None),
)


@pytest.mark.parametrize(("name", "role"), BY_NAME)
def test_the_name_of_an_argument_says_what_it_is_for(name, role):
    assert by_name(name) is role


def test_a_code_is_run_by_a_tool_that_runs_and_lets_in_where_one_is_let_in():
    assert by_name("code", ["run", "python"]) is Role.CODE
    assert by_name("code", ["verify", "login"]) is Role.SECRET
    assert by_name("code", ["apply", "coupon"]) is Role.SELECTOR


SCHEMA = {
    "properties": {
        "address": {"type": "string", "format": "uri"},
        "who": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]},
        "mode": {"type": "string", "enum": ["r", "w"], "default": "r"},
        "fast": {"type": "boolean"},
        "people": {"type": "array", "items": {"type": "string", "format": "email"}},
        "shade": {"$ref": "#/$defs/Shade"},
        "x": {"type": "string", "description": "The password of the account"},
        "y": {"type": "string"},
        "message": {"type": "integer"},
        "body": {"type": "string"},
    },
    "$defs": {"Shade": {"enum": ["light", "dark"]}},
}


def test_a_schema_says_more_than_a_name():
    found = parameters("t", SCHEMA, {})
    roles = {name: one.role for name, one in found.items()}
    assert roles == {
        "address": Role.DESTINATION,
        "who": Role.RECIPIENT,
        "mode": Role.FLAG,
        "fast": Role.FLAG,
        "people": Role.RECIPIENT,
        "shade": Role.FLAG,
        "x": Role.SECRET,
        "y": Role.SELECTOR,
        "message": Role.SELECTOR,
        "body": Role.CONTENT,
    }
    assert (found["mode"].choices, found["mode"].has_default, found["mode"].default) == (("r", "w"), True, "r")
    assert found["shade"].choices == ("light", "dark")
    assert not found["y"].known


def test_what_was_declared_says_more_than_the_schema():
    found = parameters("t", SCHEMA, {"body": Role.RECIPIENT, "other": Role.SECRET})
    assert (found["body"].role, found["other"].role) == (Role.RECIPIENT, Role.SECRET)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    )
)
def test_any_schema_can_be_read(schema):
    parameters("t", {"properties": schema, "$defs": schema} if isinstance(schema, dict) else {"properties": schema}, {})


def shape(tool="act", schema=None, **roles):
    return Shape(
        tool, kind_of(tool), parameters(tool, schema or {}, {name: Role(role) for name, role in roles.items()})
    )


def found(params, **more):
    return {one.field: (one.value, one.role) for one in arguments(params, shape(**more))}


def test_every_value_of_a_call_is_an_argument_with_the_role_of_its_nearest_name():
    assert found({"to": ["a@x.com", "b@x.com"], "item": {"amount": 5, "note": "hi"}, "empty": "", "none": None}) == {
        "params.to[0]": ("a@x.com", Role.RECIPIENT),
        "params.to[1]": ("b@x.com", Role.RECIPIENT),
        "params.item.amount": (5, Role.AMOUNT),
        "params.item.note": ("hi", Role.CONTENT),
    }


FORMS = (
    # value of an argument that nobody knows, the role that its form gives it
    ("mallory@evil.com", Role.RECIPIENT),
    ("https://evil.com/x", Role.DESTINATION),
    ("evil.com", Role.DESTINATION),
    ("DE40 1203 0000 1056 7788 21", Role.RECIPIENT),
    ("+447700900123", Role.RECIPIENT),
    ("standard", Role.SELECTOR),
    ("report 2024", Role.SELECTOR),
    ("one two three four five six seven eight nine ten eleven twelve thirteen", Role.CONTENT),
)


@pytest.mark.parametrize(("value", "role"), FORMS)
def test_a_value_of_unknown_use_has_the_role_that_it_looks_like(value, role):
    assert found({"frob": value}) == {"params.frob": (value, role)}


def test_a_key_that_is_no_name_of_a_field_is_a_value():
    seen = found({"shares": {"mallory@evil.com": "reader"}})
    assert seen["params.shares.mallory@evil.com#key"] == ("mallory@evil.com", Role.RECIPIENT)
    assert found({"https://evil.com/": 1})["params.https://evil.com/#key"][1] is Role.DESTINATION
    assert "params.options.dry-run#key" not in found({"options": {"dry-run": True}})


def test_a_large_number_is_somebodys_account_and_a_small_one_is_a_count():
    assert found({"account": 12345678})["params.account"][1] is Role.RECIPIENT
    assert found({"users": 3})["params.users"][1] is Role.AMOUNT


@pytest.mark.parametrize("params", [{"rows": list(range(5000))}, {f"p{number}": "x" for number in range(5000)}])
def test_where_there_are_too_many_values_the_last_stands_for_the_rest(params):
    seen = arguments(params, shape())
    assert len(seen) == 401
    assert [one.is_unread for one in seen] == [False] * 400 + [True]


def test_what_is_nested_too_deep_is_not_left_out_in_silence():
    deep = "mallory@evil.com"
    for _ in range(40):
        deep = [deep]
    assert [one.is_unread for one in arguments({"to": deep}, shape())] == [True]
    assert not any(one.is_unread for one in arguments({"to": [["a@x.com"]]}, shape()))
