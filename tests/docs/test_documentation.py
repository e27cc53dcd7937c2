"""The documentation says what the code says."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from guardhouse.model import ACTION_TYPES, parse_action
from guardhouse.policy import (
    TIGHTER,
    Document,
    Layer,
    catalogue,
    index_page,
    load,
    read_document,
    reason_page,
)
from guardhouse.trust import explain_markers

ROOT = Path(__file__).resolve().parents[2]


def test_there_is_a_page_for_every_reason_code_and_it_is_up_to_date():
    codes = dict(sorted(catalogue().items()))
    pages = {file.stem: file.read_text() for file in (ROOT / "docs" / "reasons").glob("*.md")}
    assert pages.pop("README") == index_page(list(codes.values())), "run `make docs`"
    assert pages == {code.id: reason_page(code) for code in codes.values()}, "run `make docs`"


def test_every_example_of_a_reason_code_that_is_an_action_is_one():
    for code in catalogue().values():
        if code.example.startswith("{") and code.id != "action.invalid":
            assert parse_action(code.example).type in ACTION_TYPES


def test_the_example_configuration_has_every_key_and_loads():
    file = ROOT / "config.example.yaml"
    data = yaml.safe_load(file.read_text())["guard"]
    for key, _direction in TIGHTER:
        found = [data]
        for part in key.split("."):
            found = [value for section in found for value in (section.values() if part == "*" else [section.get(part)])]
            found = [value for value in found if value is not None]
        assert found, f"config.example.yaml has no {key}"
    load([Layer("user", read_document("config.example.yaml", file.read_bytes()))])


def test_every_condition_of_a_rule_is_in_the_example_configuration():
    from guardhouse.policy.schema import RuleSection

    rules = yaml.safe_load((ROOT / "config.example.yaml").read_text())["guard"]["rules"]
    used = {key for rule in rules for key in rule}
    assert {field.name for field in msgspec.structs.fields(RuleSection)} <= used


def test_no_page_names_a_file_that_is_not_there():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in page.read_text().split("](")[1:]:
            target = link.split(")")[0].split("#")[0]
            if target and "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_what_a_model_is_told_about_markers_is_in_the_documentation():
    assert f"\n> {explain_markers()}\n" in (ROOT / "docs" / "untrusted-content.md").read_text()


def test_a_built_in_policy_needs_no_file():
    assert load([]).revision == load([Layer("user", Document("empty", {}))]).revision
