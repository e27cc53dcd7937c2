"""`GUARDHOUSE_…` variables: each names one key, and a name that is no key is never silently ignored."""

import pytest

from guardhouse.model import PolicyError
from guardhouse.policy import read_environment


def guard(**variables):
    return read_environment({f"GUARDHOUSE_{name}": value for name, value in variables.items()}).data.get("guard", {})


def refused(variables):
    with pytest.raises(PolicyError) as error:
        read_environment(variables)
    return str(error.value)


PREFIXES = '["https://api.jsonbill.com/tasks/", "https://duckduckgo.com/html/"]'


@pytest.mark.parametrize("joint", ["_", "__"])
@pytest.mark.parametrize("lead", ["", "GUARD"])
@pytest.mark.parametrize("prefixes", [PREFIXES, "https://api.jsonbill.com/tasks/, https://duckduckgo.com/html/"])
def test_the_contract_keys_from_the_environment_make_the_same_policy_as_the_file(policy, joint, lead, prefixes):
    values = {
        "ALLOWED_URL_PREFIXES": prefixes,
        "DENY_PRIVATE_IPS": "true",
        "RESOLVE_DNS": "1",
        "FOLLOW_REDIRECTS": "false",
        "ALLOW_PROXY": "0",
    }
    parts = ([lead] if lead else []) + ["NETWORK", "URL_FETCH"]
    variables = {"GUARDHOUSE_" + joint.join([*parts, key]): value for key, value in values.items()}
    text = f"""
        guard:
          enabled: true
          network:
            url_fetch:
              allowed_url_prefixes: {PREFIXES}
              deny_private_ips: true
              resolve_dns: true
              follow_redirects: false
              allow_proxy: false
    """
    assert policy(environment={**variables, "GUARDHOUSE_ENABLED": "true"}).revision == policy(user=text).revision


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PRESET", "ci", {"preset": "ci"}),
        ("preset", "ci", {"preset": "ci"}),
        ("BASH", "deny", {"bash": "deny"}),
        ("LIMITS_MAX_BYTES", "100", {"limits": {"max_bytes": 100}}),
        ("RISK__HIGH", "50", {"risk": {"high": 50}}),
        ("FINDINGS_PRIVATE_IP", "allow", {"findings": {"private_ip": "allow"}}),
        ("FINDINGS__TOOL.UNCLASSIFIED", "deny", {"findings": {"tool.unclassified": "deny"}}),
        ("DETECTORS_SECRETS", "false", {"detectors": {"secrets": False}}),
        ("TOOLS_MY_TOOL_CAPABILITIES", "reads,sends", {"tools": {"my_tool": {"capabilities": ["reads", "sends"]}}}),
        ("COMMANDS_ALLOWED", "make test, git log *", {"commands": {"allowed": ["make test", "git log *"]}}),
        ("COMMANDS_ALLOWED", "", {"commands": {"allowed": []}}),
        ("NETWORK_DEFAULT_ALLOWED_DOMAINS", " , ", {"network": {"default": {"allowed_domains": []}}}),
        ("RULES", '[{"id":"a","effect":"deny"}]', {"rules": [{"id": "a", "effect": "deny"}]}),
    ],
)
def test_a_variable_sets_the_key_it_is_named_after(name, value, expected):
    assert guard(**{name: value}) == expected


@pytest.mark.parametrize(
    "name",
    [
        "GUARDHOUSE_BSAH",
        "GUARDHOUSE_",
        "GUARDHOUSE_NETWORK",
        "GUARDHOUSE_NETWORK_URL_FETCH",
        "GUARDHOUSE_NETWORK_URL_FETCH_DENY_PRIVATE_IP",
        "GUARDHOUSE_NETWORK__DENY_PRIVATE_IPS",
        "GUARDHOUSE_LIMITS__MAX__BYTES",
        "GUARDHOUSE_BASH__X",
        "GUARDHOUSE_FINDINGS",
        "GUARDHOUSE_GUARD",
    ],
)
def test_a_variable_that_names_no_key_is_an_error(name):
    assert f"{name} names no key" in refused({name: "x"})


def test_a_near_miss_is_answered_with_the_right_name():
    assert "GUARDHOUSE_BASH" in refused({"GUARDHOUSE_BSAH": "deny"})


@pytest.mark.parametrize("name", ["guardhouse_bash", "Guardhouse_Bash", "GuardHouse_MODE"])
def test_a_prefix_in_odd_case_is_an_error_not_nothing(name):
    assert "capitals" in refused({name: "deny"})


@pytest.mark.parametrize("other", ["GUARDHOUSE_bash", "GUARDHOUSE_GUARD_BASH", "GUARDHOUSE_GUARD__BASH"])
def test_two_variables_for_one_key_are_an_error(other):
    assert "same key" in refused({"GUARDHOUSE_BASH": "deny", other: "ask"})


def test_variables_that_are_not_keys_are_left_alone():
    assert (
        read_environment({"GUARDHOUSE_STATE_DIR": "/x", "HOME": "/h", "XGUARDHOUSE_BASH": "x", "GUARD": "x"}).data == {}
    )


@pytest.mark.parametrize("value", ["[", '[{"id":"a","id":"b"}]', "[NaN]"])
def test_a_list_that_is_not_strict_json_is_an_error(value):
    assert "list can't be read" in refused({"GUARDHOUSE_RULES": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NETWORK_DEFAULT_DENY_PRIVATE_IPS", "no"),
        ("NETWORK_DEFAULT_DENY_PRIVATE_IPS", "False"),
        ("NETWORK_DEFAULT_DENY_PRIVATE_IPS", ""),
        ("LIMITS_MAX_BYTES", "1e9"),
        ("LIMITS_MAX_BYTES", "many"),
        ("BASH", "allow"),
        ("BASH", ""),
        ("BASH", " deny"),
        ("PRESET", "DEV"),
        ("FINDINGS_PRIVATE_IP", "none"),
        ("SECRETS_PATTERNS", "a,b"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error_that_names_the_key(problems, name, value):
    (problem,) = problems(environment={f"GUARDHOUSE_{name}": value})
    assert problem.startswith("environment: GUARDHOUSE_")


@pytest.mark.parametrize(
    "variables", [{"GUARDHOUSE_ENABLED": "false"}, {"GUARDHOUSE_ENABLED": "0"}, {"GUARDHOUSE_MODE": "observe"}]
)
def test_the_environment_can_not_switch_the_gate_off(problems, variables):
    (problem,) = problems(environment=variables)
    assert "can't be" in problem
    assert "system's or the user's" in problem


def test_the_environment_can_switch_it_back_on(policy):
    user = "guard: {enabled: false, mode: observe}"
    made = policy(user=user, environment={"GUARDHOUSE_ENABLED": "true", "GUARDHOUSE_MODE": "enforce"})
    assert made.config.enabled
    assert made.config.mode == "enforce"
