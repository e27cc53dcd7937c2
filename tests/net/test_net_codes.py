"""Each reason code of this room has an example that raises it."""

import json

import pytest

from guardhouse.net import CLIENT_CODES, CODES, BadDestination, NetworkRules, parse_destination

WITH_ACTION = [code for code in CODES if code.id != "dns_failure"]


@pytest.mark.parametrize("code", WITH_ACTION, ids=lambda code: code.id)
def test_the_example_of_a_code_raises_that_code(code):
    url = json.loads(code.example)["params"]["url"]
    try:
        refusal = NetworkRules().judge(parse_destination(url), None)
        found = refusal and refusal.code
    except BadDestination as error:
        found = error.code
    assert found == code.id


def test_codes_are_listed_once_and_only_a_domain_can_be_allowed_by_a_command():
    assert len({code.id for code in CODES}) == len(CODES)
    assert [code.id for code in CODES if code.remedy] == ["non_allowlisted_domain"]


def test_no_configuration_speaks_of_the_codes_of_the_client():
    from guardhouse.policy import catalogue
    from guardhouse.policy.codes import found_codes

    ids = {code.id for code in CLIENT_CODES}
    assert ids <= set(catalogue())
    assert ids.isdisjoint(found_codes())
