"""T2: which tools and which sources may be believed, and for what."""

import pytest

from guardhouse.trust import (
    Capability,
    Evidence,
    EvidenceSource,
    ToolCatalogue,
    is_untrusted_source_tool,
    should_trust_content,
)
from guardhouse.trust.evidence import PICKING_ROLES
from guardhouse.trust.ledger import Role

READS = frozenset({Capability.READS})


@pytest.mark.parametrize(
    "name",
    [
        *"kd_doc_read web_fetch web_search kd_cosmic_api external_file_read mcp_external_content".split(),
        *"web_anything external_anything my_mcp_of_external_things mcp__external-crm__get".split(),
        *"mcp__github__get_issue fetch browser_navigate bash gmail_read memory_search frobnicate".split(),
        " Web_Fetch\n",
        "EXTERNAL_DOCS",
        "mcp__docs__web_search",
        "",
    ],
)
def test_what_is_not_known_to_be_trusted_is_untrusted(name):
    assert is_untrusted_source_tool(name)
    assert is_untrusted_source_tool(name, ToolCatalogue())


@pytest.mark.parametrize("name", ["read_file", " Read ", "GREP", "todo_write", "write_file", "think"])
def test_a_well_known_tool_that_brings_in_nothing_is_trusted(name):
    assert not is_untrusted_source_tool(name)


def test_configured_tools_are_untrusted_and_declared_ones_may_be_trusted():
    tools = ToolCatalogue({"crm_search": READS, "mail_read": READS | {Capability.READS_UNTRUSTED}})
    assert not is_untrusted_source_tool("CRM_search", tools)
    assert is_untrusted_source_tool("crm_search")
    assert is_untrusted_source_tool("crm_search", tools, configured=["CRM_Search "])
    assert is_untrusted_source_tool("mail_read", tools)


@pytest.mark.parametrize("name", ["web_notes", "external_ids", "kd_doc_read", "mcp__external__list"])
def test_no_declaration_makes_a_tool_trusted_whose_name_says_otherwise(name):
    tools = ToolCatalogue({name: READS})
    assert is_untrusted_source_tool(name, tools)
    assert tools.profile(name).may(Capability.READS_UNTRUSTED)


@pytest.mark.parametrize(
    ("source", "trusted"),
    [
        ("local-command", True),
        ("project-metadata", True),
        ("project-source", True),
        ("user-provided", True),
        ("manual-note", True),
        ("external-system", False),
        (" Manual-Note ", True),
        ("something else", False),
        ("", False),
    ],
)
def test_a_source_is_trusted_or_not_and_an_unknown_one_is_not(source, trusted):
    assert should_trust_content(source) is trusted
    assert not should_trust_content(source, tainted=True)


def test_every_source_has_a_grade_and_only_notes_are_flagged_for_review():
    assert {one for one in EvidenceSource if not Evidence(one).is_trusted} == {EvidenceSource.EXTERNAL_SYSTEM}
    assert {one for one in EvidenceSource if Evidence(one).needs_review} == {EvidenceSource.MANUAL_NOTE}
    assert not any(Evidence(one, tainted=True).is_trusted for one in EvidenceSource)
    assert not Evidence(EvidenceSource.PROJECT_SOURCE, tainted=True).picks_only


@pytest.mark.parametrize("source", [EvidenceSource.PROJECT_SOURCE, EvidenceSource.PROJECT_METADATA])
def test_project_files_pick_things_and_never_say_where_something_goes_or_what_is_run(source):
    evidence = Evidence(source)
    assert evidence.picks_only
    never = {Role.RECIPIENT, Role.DESTINATION, Role.CODE, Role.SECRET}
    assert {role for role in Role if not evidence.is_trusted_for(role.value)} == never
    assert {role.value for role in Role} - PICKING_ROLES == {role.value for role in never}
    assert Evidence(EvidenceSource.USER_PROVIDED).is_trusted_for("recipient")
