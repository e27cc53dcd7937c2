"""What a tool is taken to be able to do."""

import pytest

from guardhouse.trust import KNOWN_TOOLS, Capability, ToolCatalogue, tool_name

READS, WRITES, EXECUTES = Capability.READS, Capability.WRITES, Capability.EXECUTES
SENDS = Capability.SENDS


def catalogue(**declared):
    return ToolCatalogue({name: frozenset(capabilities) for name, capabilities in declared.items()})


@pytest.mark.parametrize("name", ["bash", "Bash", " BASH\n", "Shell", "run_terminal_cmd"])
def test_a_shell_executes_however_its_name_is_written(name):
    profile = ToolCatalogue().profile(name)
    assert profile.capabilities == {EXECUTES}
    assert profile.classified


@pytest.mark.parametrize("name", ["frobnicate", "mcp__shell__bash", "bash2", "ｂａｓｈ", "bash\u200b", "read-file", ""])
def test_a_name_that_is_not_known_exactly_may_do_anything(name):
    profile = ToolCatalogue().profile(name)
    assert not profile.classified
    assert all(profile.may(capability) for capability in Capability)


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("send_email", SENDS),
        ("transfer_money", Capability.SPENDS),
        ("delete_rows", Capability.DESTRUCTIVE),
        ("web_crawl", Capability.READS_UNTRUSTED),
        ("external_docs", Capability.READS_UNTRUSTED),
    ],
)
def test_a_family_of_names_adds_what_is_sure_and_classifies_nothing(name, capability):
    profile = ToolCatalogue().profile(name)
    assert capability in profile.capabilities
    assert not profile.classified


def test_a_classified_tool_may_only_what_it_can():
    profile = ToolCatalogue().profile("read_file")
    assert profile.may(READS)
    assert profile.may(WRITES, READS)
    assert not profile.may(WRITES, SENDS)
    assert not profile.may()


def test_an_exact_declaration_wins_over_globs():
    tools = ToolCatalogue({"Deploy": frozenset({SENDS}), "*": frozenset({READS})})
    assert tools.profile("deploy").capabilities == {SENDS}


def test_a_well_known_tool_can_be_declared_more_than_it_is_known_for_never_less():
    tools = ToolCatalogue({"bash": frozenset({READS}), "write_file": frozenset()})
    assert tools.profile("bash").capabilities == {READS, Capability.EXECUTES}
    assert tools.profile("write_file").capabilities == {WRITES}


def test_globs_add_up():
    tools = ToolCatalogue({"crm_*": frozenset({READS}), "*_update": frozenset({WRITES})})
    assert tools.profile("CRM_update").capabilities == {READS, WRITES}
    assert tools.profile("crm_update").classified
    assert not tools.profile("hr_list").classified


def test_a_glob_never_takes_away_what_is_known():
    tools = ToolCatalogue({"*": frozenset({READS})})
    assert tools.profile("bash").capabilities == {READS, EXECUTES}
    assert tools.profile("send_email").capabilities == {READS, SENDS}
    assert tools.profile("url_fetch").needs_url


def test_declaring_nothing_says_that_a_tool_is_harmless():
    profile = catalogue(ping=[]).profile("ping")
    assert profile.classified
    assert not any(profile.may(capability) for capability in Capability)


def test_a_declared_fetcher_still_has_to_name_its_url():
    assert ToolCatalogue({"url_fetch": frozenset({READS})}).profile("url_fetch").needs_url


def test_every_known_name_is_written_as_it_is_compared():
    assert all(name == tool_name(name) == profile.name for name, profile in KNOWN_TOOLS.items())
    assert all(profile.classified for profile in KNOWN_TOOLS.values())


def test_thousands_of_names_are_looked_up_without_keeping_them_all():
    tools = ToolCatalogue()
    for number in range(10_000):
        assert not tools.profile(f"tool{number}").classified
    assert len(tools._memo) <= 4096
    assert tools.profile("bash").capabilities == {EXECUTES}


ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"


def test_what_was_said_of_one_description_does_not_count_for_another():
    tools = ToolCatalogue({"Deploy": frozenset({READS})}, {"Deploy": ONE})
    assert tools.profile("deploy", ONE).classified
    assert not tools.profile("deploy", TWO).classified
    assert not tools.profile("deploy", "unannounced").classified
    assert tools.profile("deploy").classified


def test_what_was_said_of_one_description_is_no_pattern_whatever_the_tool_is_called():
    tools = ToolCatalogue({"crm_*": frozenset({READS})}, {"crm_*": ONE})
    assert tools.profile("crm_*", ONE).classified
    assert not tools.profile("crm_list", ONE).classified
    assert not tools.profile("crm_list").classified


def test_what_was_said_of_a_tool_however_it_is_described_counts_for_every_description():
    tools = catalogue(deploy=[READS])
    assert tools.profile("deploy", ONE).classified
    assert tools.profile("deploy", "unannounced").classified


def test_hints_of_a_tool_only_ever_add():
    profile = catalogue(deploy=[READS]).profile("deploy")
    assert profile.hinted(destructive=False, open_world=False) is profile
    assert profile.hinted(destructive=True, open_world=False).capabilities == {READS, Capability.DESTRUCTIVE}
    outside = profile.hinted(destructive=False, open_world=True)
    assert outside.capabilities == {READS, Capability.READS_UNTRUSTED, Capability.EGRESS}
    assert outside.classified
    assert not ToolCatalogue().profile("deploy").hinted(destructive=True, open_world=True).classified


@pytest.mark.parametrize("name", ["mcp__docs__resources/read", "mcp__docs__prompts/get"])
def test_reading_what_a_server_offers_is_known_and_brings_content_from_outside(name):
    profile = ToolCatalogue().profile(name)
    assert profile.classified
    assert profile.capabilities == {READS, Capability.READS_UNTRUSTED}
    assert ToolCatalogue({name: frozenset({READS})}).profile(name).capabilities == {READS}


@pytest.mark.parametrize(
    "name", ["resources/read", "mcp__resources/read", "mcp__a__b__resources/read", "x__a__prompts/get"]
)
def test_no_other_name_passes_for_such_a_read(name):
    assert not ToolCatalogue().profile(name).classified
