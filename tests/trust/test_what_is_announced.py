"""How far it is believed what a tool is said to be: a program's words count, a server's can only tighten."""

import pytest

from guardhouse.trust import Announcement, Capability, ToolCatalogue, ToolDescription
from guardhouse.trust.announced import believed
from guardhouse.trust.ledger import Role

SENDS = {"mcp__box__hand_over": frozenset({Capability.SENDS})}


def announced(properties, *, tool="mcp__box__hand_over", description="", by="server", digest="d1"):
    return Announcement(tool, digest, description, {"type": "object", "properties": properties}, by)


def parameter(described, *, name="target", **more):
    """What an argument is taken for; None if only the call itself will tell."""
    said = announced({name: described}, **more)
    return ToolCatalogue(SENDS).hearing(said).shape(said.tool).parameters.get(name)


def test_a_program_is_believed_its_own_defaults_and_choices():
    found = parameter({"enum": ["Mallory", "x@evil.example"], "default": 7}, by="program")
    assert (found.role, found.choices, found.default) == (Role.FLAG, ("Mallory", "x@evil.example"), 7)


@pytest.mark.parametrize("default", ["x@evil.example", 5000, "https://evil.example/", None])
@pytest.mark.parametrize("name", ["target", "recipient", "url", "amount", "code", "ref"])
def test_a_servers_default_says_nothing(name, default):
    found = parameter({"default": default}, name=name)
    assert found is None or not found.has_default


@pytest.mark.parametrize(
    "choice",
    ["x@evil.example", "https://evil.example/", "DE89370400440532013000", "Mallory", "evil.example", "4000", 4000, True,
     "rm -rf", "a" * 13, "drop_table", ""],
)  # fmt: skip
def test_a_choice_that_is_no_short_plain_word_takes_all_choices_with_it(choice):
    assert parameter({"enum": ["standard", choice]}) is None


@pytest.mark.parametrize("name", ["recipient", "channel", "url", "amount", "iban", "command", "path", "password"])
def test_choices_say_nothing_of_an_argument_that_is_somebody_some_place_or_some_sum(name):
    assert parameter({"enum": ["standard", "express"]}, name=name) is None


def test_choices_among_short_plain_words_are_known_as_such():
    found = parameter({"enum": ["standard", "express"]}, name="mode")
    assert (found.role, found.choices) == (Role.FLAG, ("standard", "express"))


@pytest.mark.parametrize("tool", ["mcp__box__delete_thing", "mcp__box__set_permission"])
def test_choices_say_nothing_where_something_is_gone_or_open_afterwards(tool):
    assert parameter({"enum": ["standard", "express"]}, name="mode", tool=tool) is None


@pytest.mark.parametrize(
    "described",
    [{"type": "boolean"}, {"format": "date"}, {"format": "time"}, {"description": "An ISO date"}, {"type": "integer"},
     {"description": "The amount"}, {"const": "x@evil.example"}, {"type": ["string", "null"]}, {"format": ["email"]},
     {"type": "string", "description": "any id"}],
)  # fmt: skip
@pytest.mark.parametrize("name", ["target", "recipient", "url", "ref", "body"])
def test_a_server_can_not_call_an_argument_less_than_it_is(name, described):
    assert parameter(described, name=name) is None


@pytest.mark.parametrize(
    ("described", "role"),
    [
        ({"format": "email"}, Role.RECIPIENT),
        ({"format": "uri", "enum": ["standard"]}, Role.DESTINATION),
        ({"description": "E-mail of the recipient"}, Role.RECIPIENT),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"format": "email"}}]}, Role.RECIPIENT),
        ({"$ref": "#/$defs/Mail"}, Role.RECIPIENT),
        ({"format": "password"}, Role.SECRET),
    ],
)
def test_a_server_can_say_that_an_unknown_argument_matters_more(described, role):
    said = Announcement(
        "mcp__box__hand_over",
        "d1",
        "",
        {"properties": {"target": described}, "$defs": {"Mail": {"format": "email"}}},
    )
    assert ToolCatalogue(SENDS).hearing(said).shape(said.tool).parameters["target"].role is role


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"a": 1, "b": None}, "$defs": 5}])
def test_a_schema_that_is_none_says_nothing(schema):
    assert believed(Announcement("mcp__box__x", "d", "", schema)) == ToolDescription()


def test_a_schema_that_refers_to_itself_is_read_to_an_end():
    loop = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 9}}}
    assert believed(Announcement("mcp__box__x", "d", "", loop)).parameters == {}


def test_the_configuration_beats_what_is_announced():
    described = {
        "mcp__box__hand_over": ToolDescription("Keep a note.", {"properties": {"target": {"format": "date"}}}, {})
    }
    said = announced({"target": {"format": "email"}, "mode": {"enum": ["standard"]}}, description="Send it.")
    shape = ToolCatalogue(SENDS, described=described).hearing(said).shape(said.tool)
    assert shape.parameters["target"].role is Role.DATE
    assert "mode" not in shape.parameters


def test_roles_from_the_configuration_stand_beside_what_is_announced():
    described = {"mcp__box__hand_over": ToolDescription(roles={"target": "path"})}
    said = announced({"target": {"format": "email"}, "other": {"format": "email"}})
    shape = ToolCatalogue(SENDS, described=described).hearing(said).shape(said.tool)
    assert (shape.parameters["target"].role, shape.parameters["other"].role) == (Role.PATH, Role.RECIPIENT)


def test_what_is_announced_of_one_tool_counts_for_no_other_and_takes_no_known_tool_its_name():
    catalogue = ToolCatalogue()
    hearing = catalogue.hearing(announced({"target": {"format": "email"}}, tool="delete_file", by="program"))
    assert hearing.description("delete_file") is None
    assert not hearing.takes_no_path("delete_file")
    assert hearing.shape("mcp__box__other") == catalogue.shape("mcp__box__other")


def test_another_announcement_of_the_same_tool_is_looked_at_anew():
    catalogue = ToolCatalogue(SENDS)
    first = catalogue.hearing(announced({"target": {"format": "email"}}))
    second = catalogue.hearing(announced({"target": {"format": "uri"}}, digest="d2"))
    roles = [one.shape("mcp__box__hand_over").parameters["target"].role for one in (first, second, first)]
    assert roles == [Role.RECIPIENT, Role.DESTINATION, Role.RECIPIENT]
    assert not catalogue.shape("mcp__box__hand_over").parameters
