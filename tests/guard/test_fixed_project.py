"""A project that stays the project, wherever in it or outside of it a call runs."""

from __future__ import annotations

import msgspec
import pytest
from guarded_house import House, codes

from guardhouse.files import LocalFiles
from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, ToolCallPre
from guardhouse.policy import Layer, load, read_document


@pytest.fixture
def fixed(house):
    """A guard whose project is fixed, as a coding agent's hook has it."""
    around = msgspec.structs.replace(house.surroundings(), project=str(house.project))
    document = read_document("config.yaml", b"guard: {commands: {allowed: ['git push --force']}}")
    policy = load([Layer("user", document)], around)
    guard = Guard(FixedPolicy(policy), resolver=house.resolver, files=LocalFiles())

    def call(tool, cwd, **params):
        return guard.evaluate(ToolCallPre(tool=tool, params=params, cwd=str(cwd)))

    return call


def test_a_call_from_a_subdirectory_may_change_the_rest_of_the_project(house: House, fixed):
    inner = house.project / "packages" / "core"
    inner.mkdir(parents=True)
    assert fixed("write_file", inner, path="../../README.md", content="x").decision is Decision.ALLOW
    assert fixed("bash", inner, command="touch ../../README.md && rm ../old.txt").decision is Decision.ALLOW


def test_a_call_from_elsewhere_does_not_make_that_place_the_project(house: House, fixed):
    elsewhere = house.root / "elsewhere"
    elsewhere.mkdir()
    assert codes(fixed("write_file", elsewhere, path="README.md", content="x")) == ["path.write_outside_project"]
    assert codes(fixed("bash", elsewhere, command="rm notes.txt")) == ["shell.deletes_outside_project"]
    assert fixed("write_file", elsewhere, path=str(house.project / "x"), content="x").decision is Decision.ALLOW


def test_the_whole_project_is_the_whole_project_from_anywhere_in_it(house: House, fixed):
    inner = house.project / "src"
    inner.mkdir()
    assert codes(fixed("bash", inner, command=f"rm -rf {house.project}")) == ["shell.deletes_project"]
    assert fixed("bash", inner, command="rm -rf *").decision is Decision.ALLOW


def test_an_allowed_command_is_allowed_in_the_project_only(house: House, fixed):
    """The same words do it to another repository elsewhere."""
    elsewhere = house.root / "elsewhere"
    elsewhere.mkdir()
    assert fixed("bash", house.project, command="git push --force").decision is Decision.ALLOW
    assert codes(fixed("bash", elsewhere, command="git push --force")) == ["shell.discards_work"]
