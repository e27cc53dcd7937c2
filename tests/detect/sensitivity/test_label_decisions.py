"""Labelled data decides where it leaves, by configuration, and is left alone where it stays."""

import subprocess
import sys

import pytest
from guarded_house import codes, every_text, found

from guardhouse.decide import Case
from guardhouse.model import (
    NO_FACTS,
    Decision,
    MemoryReadPost,
    MemoryReadPre,
    OutputPublish,
    SkillRunPost,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    UserInput,
)

CARD = "4111 1111 1111 1111"
MAIL = "ada@analytical.io"
HOST = "db01.prod.internal"
NET = "network: {default: {allowed_domains: [api.example.com, wiki.corp], deny_private_ips: false}}"
EVERYTHING = f"guard: {{labels: {{output: {{'*': deny}}, egress: {{'*': deny}}}}, {NET}}}"


def labels(output="{}", egress="{}", more=""):
    return f"guard: {{labels: {{output: {output}, egress: {egress}{more}}}, {NET}}}"


def published(house, yaml, content):
    return house.guard(yaml).evaluate(OutputPublish(content=content))


def fetched(house, yaml, url):
    return house.call("url_fetch", yaml, url=url)


@pytest.mark.parametrize(
    "action",
    [
        UserInput(content=f"{CARD} {MAIL}", origin="typed"),
        ToolCallPre(tool="write_file", params={"path": "notes.txt", "content": f"{CARD} {MAIL} {HOST}"}),
        ToolCallPre(tool="bash", params={"command": f"echo {MAIL} {HOST} '{CARD}' > notes.txt"}),
        ToolCallPre(tool="bash", params={"command": f"git commit -m 'mail {MAIL}'"}),
        ToolCallPost(tool="bash", content=f"{CARD} {MAIL}"),
        MemoryReadPre(store="notes", query=MAIL),
        MemoryReadPost(store="notes", content=[CARD, MAIL]),
        SkillRunPost(skill="pdf", content=CARD),
    ],
    ids=lambda action: action.type,
)
def test_local_use_is_quiet_whatever_the_configuration(house, action):
    verdict = house.guard(EVERYTHING).evaluate(action)
    assert not [finding for finding in verdict.findings if finding.detector == "sensitivity"]


@pytest.mark.parametrize("outcome", ["redact", "require_approval", "deny"])
def test_a_label_in_output_leads_to_what_its_key_says(house, outcome):
    wanted = {"redact": Decision.ALLOW_WITH_REDACTION, "deny": Decision.DENY}.get(outcome, Decision.REQUIRE_APPROVAL)
    verdict = published(house, labels(output=f"{{card: {outcome}}}"), f"Charged to {CARD}, says {MAIL}.")
    assert (verdict.decision, codes(verdict)) == (wanted, ["label.in_output"])
    (finding,) = found(verdict, "label.in_output")
    assert (finding.detail, finding.span.field, finding.span.start, finding.span.end) == ("card", "content", 11, 30)


@pytest.mark.parametrize("outcome", ["require_approval", "deny"])
def test_a_label_in_a_call_that_reaches_out_leads_to_what_its_key_says(house, outcome):
    url = f"https://api.example.com/?m={MAIL}&c=4111111111111111"
    verdict = fetched(house, labels(egress=f"{{email: {outcome}}}"), url)
    assert (verdict.decision.value, codes(verdict)) == (outcome, ["label.outbound"])
    assert [finding.detail for finding in found(verdict, "label.outbound")] == ["email"]


def test_masking_takes_just_the_label_out_of_what_is_published(house):
    yaml = labels(output="{card: redact, email: redact}")
    verdict = published(house, yaml, {"text": f"{CARD}; {MAIL} – ok", "number": 4111111111111111, "count": 3})
    masked = {"text": "[redacted]; [redacted] – ok", "number": "[redacted]", "count": 3}
    assert verdict.content == masked
    again = published(house, yaml, masked)
    assert (again.decision, again.content) == (Decision.ALLOW, None)


def test_numbers_alone_are_looked_at_too(house):
    assert published(house, labels(output="{card: redact}"), [4111111111111111, 7]).content == ["[redacted]", 7]
    assert published(house, labels(output="{card: redact}"), [True, 7.5, 10**30, -4111111111111111]).reasons == ()


def test_a_secret_and_a_label_are_both_masked(house):
    secret = "sk-ant-api03-" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ" * 3
    verdict = published(house, labels(output="{email: redact}"), f"{MAIL} has token={secret}")
    assert verdict.decision is Decision.ALLOW_WITH_REDACTION
    assert MAIL not in verdict.content
    assert secret not in verdict.content


def test_masking_a_call_gives_the_parameters_as_they_may_be_sent(house):
    yaml = labels(egress="{card: redact}")
    verdict = fetched(house, yaml, "https://api.example.com/?c=4111111111111111&x=1")
    assert verdict.params == {"url": "https://api.example.com/?c=[redacted]&x=1"}
    assert fetched(house, yaml, verdict.params["url"]).decision is Decision.ALLOW


def test_masking_that_would_take_the_destination_away_does_not_pass(house):
    verdict = fetched(house, labels(egress="{internal_host: redact}"), f"https://wiki.corp/?h={HOST}")
    assert verdict.decision in {Decision.REQUIRE_APPROVAL, Decision.DENY}
    assert verdict.params is None


def test_a_host_may_be_told_its_own_name_and_no_other(house):
    yaml = labels(egress="{environment: deny}")
    assert fetched(house, yaml, "https://wiki.corp/start").decision is Decision.ALLOW
    assert fetched(house, yaml, f"https://wiki.corp/?from={HOST}").decision is Decision.DENY
    assert "label.outbound" in codes(
        house.call("url_fetch", yaml, url=["https://wiki.corp/", "https://api.example.com/"])
    )
    assert house.call("bash", yaml, command="curl https://wiki.corp/start").decision is Decision.ALLOW


def test_a_command_that_reaches_another_machine_sends_what_stands_in_it(house):
    yaml = labels(egress="{personal: deny}")
    for command in (f"curl https://api.example.com/ -d {MAIL}", f"echo {MAIL} | curl -d @- https://api.example.com/"):
        assert "label.outbound" in codes(house.call("bash", yaml, command=command))
    assert house.call("bash", yaml, command=f"echo {MAIL}; curl http://localhost:8080/").reasons == ()


@pytest.mark.parametrize("tool", ["send_email", "frobnicate"])
def test_what_sends_or_is_unknown_counts_as_reaching_out(house, tool):
    assert "label.outbound" in codes(house.call(tool, labels(egress="{card: deny}"), text=CARD))


def test_a_skill_counts_as_reaching_out(house):
    verdict = house.guard(labels(egress="{card: deny}")).evaluate(SkillRunPre(skill="pdf", params={"a": [CARD]}))
    assert found(verdict, "label.outbound")[0].span.field == "params.a[0]"


@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        ("{'*': deny}", "deny"),
        ("{'*': deny, personal: redact}", "allow_with_redaction"),
        ("{'*': deny, personal: redact, card: require_approval}", "require_approval"),
        ("{personal: deny, card: allow}", "allow"),
        ("{environment: deny}", "allow"),
        ("{}", "allow"),
    ],
)
def test_the_most_specific_key_wins(house, output, outcome):
    assert published(house, labels(output=output), CARD).decision.value == outcome


def test_output_and_calls_are_apart(house):
    yaml = labels(output="{card: deny}", egress="{email: deny}")
    assert published(house, yaml, MAIL).decision is Decision.ALLOW
    assert fetched(house, yaml, "https://api.example.com/?c=4111111111111111").decision is Decision.ALLOW


def test_a_label_of_ones_own_is_one_like_the_others(house):
    more = ", patterns: [{id: customer, pattern: 'CUST-[0-9]{6}'}]"
    yaml = labels(output="{business: redact}", egress="{customer: deny}", more=more)
    assert published(house, yaml, "about CUST-004711").content == "about [redacted]"
    assert fetched(house, yaml, "https://api.example.com/CUST-004711").decision is Decision.DENY


def test_a_system_prompt_is_recognised_by_eight_of_its_words(house):
    more = ", private: ['You are the assistant of Ada and you never speak of the engine.']"
    yaml = labels(output="{private: redact}", more=more)
    verdict = published(house, yaml, "I was told: you are the assistant of Ada and you never speak up.")
    assert verdict.content == "I was told: [redacted] up."
    assert [finding.detail for finding in verdict.findings] == ["system_prompt"]


@pytest.mark.parametrize("outcome", ["redact", "deny"])
def test_no_text_of_a_verdict_repeats_what_is_labelled(house, outcome):
    yaml = labels(output=f"{{'*': {outcome}}}", egress=f"{{'*': {outcome}}}")
    for verdict in (
        published(house, yaml, f"{CARD} {MAIL} {HOST}"),
        fetched(house, yaml, f"https://api.example.com/{MAIL}?c=4111111111111111&h={HOST}"),
    ):
        told = "\n".join(every_text(verdict))
        assert "label." in told
        assert not [value for value in (CARD, "4111111111111111", MAIL, HOST) if value in told]


def test_what_asks_names_the_label_and_not_the_value(house):
    verdict = published(house, labels(output="{email: require_approval}"), f"write to {MAIL}")
    (reason,) = verdict.reasons
    assert reason.detail == "email"
    assert MAIL not in verdict.for_agent
    assert MAIL not in verdict.for_person


def test_many_of_one_label_do_not_hide_another(house):
    yaml = labels(output="{email: redact, card: deny}")
    verdict = published(house, yaml, " ".join(f"ada{number}@analytical.io" for number in range(5000)) + f" {CARD}")
    assert verdict.decision is Decision.DENY
    assert len(found(verdict, "label.in_output")) <= 1000
    masked = published(house, labels(output="{email: redact}"), "\n".join(f"a{n}@analytical.io" for n in range(5000)))
    assert "@" not in masked.content


def test_findings_can_only_make_a_label_stricter(house):
    def with_findings(outcome):
        return f"guard: {{labels: {{output: {{card: redact}}}}, findings: {{label.in_output: {outcome}}}}}"

    assert published(house, with_findings("allow"), CARD).decision is Decision.ALLOW_WITH_REDACTION
    assert published(house, with_findings("deny"), CARD).decision is Decision.DENY
    assert published(house, with_findings("deny"), MAIL).decision is Decision.ALLOW


def test_an_allow_rule_can_let_one_tool_send_labels(house):
    rule = "rules: [{id: crm, effect: allow, tool: url_fetch, waives: [label.outbound]}]"
    yaml = f"guard: {{labels: {{egress: {{email: deny}}}}, {NET}, {rule}}}"
    assert fetched(house, yaml, f"https://api.example.com/{MAIL}").decision is Decision.ALLOW
    assert house.call("web_fetch", yaml, url=f"https://api.example.com/{MAIL}").decision is Decision.DENY


def test_a_rule_that_masks_does_not_lift_what_a_label_asks(house):
    rule = "rules: [{id: mask, effect: redact, finding: label.in_output}]"
    yaml = f"guard: {{labels: {{output: {{card: redact, email: require_approval}}}}, {rule}}}"
    assert published(house, yaml, CARD).content == "[redacted]"
    assert published(house, yaml, f"{CARD} {MAIL}").decision is Decision.REQUIRE_APPROVAL


def test_what_is_denied_is_masked_in_the_record_and_what_asks_is_shown(house):
    def recorded(outcome):
        action = ToolCallPre(tool="send_email", params={"to": MAIL})
        case = Case(action, house.policy(labels(egress=f"{{email: {outcome}}}")))
        case.decide(NO_FACTS)
        return case.described.summary.text

    assert MAIL not in recorded("deny")
    assert MAIL not in recorded("redact")
    assert MAIL in recorded("require_approval")


@pytest.mark.parametrize("preset", ["dev", "ci", "container", "read-only"])
def test_no_preset_but_strict_looks_for_labels(house, preset):
    policy = house.policy(f"guard: {{preset: {preset}}}")
    assert policy.settings.labels is None
    assert published(house, f"guard: {{preset: {preset}}}", f"{CARD} {HOST}").decision is Decision.ALLOW


def test_strict_masks_cards_and_accounts_and_asks_before_they_leave(house):
    strict = f"guard: {{preset: strict, {NET}}}"
    assert published(house, strict, f"{CARD} DE89370400440532013000 {MAIL}").content == f"[redacted] [redacted] {MAIL}"
    for value in ("4111111111111111", "DE89370400440532013000", "arn:aws:iam::493827165501:role/x", HOST):
        verdict = fetched(house, strict, f"https://api.example.com/?v={value}")
        assert (verdict.decision, codes(verdict)) == (Decision.REQUIRE_APPROVAL, ["label.outbound"])
    assert fetched(house, strict, f"https://api.example.com/?v={MAIL}").decision is Decision.ALLOW


def test_switched_off_it_finds_nothing(house):
    yaml = "guard: {labels: {output: {card: deny}}, detectors: {sensitivity: false}}"
    assert published(house, yaml, CARD).decision is Decision.ALLOW


def test_nothing_of_it_is_loaded_where_no_label_is_named():
    code = """
import sys
from guardhouse.decide import decide
from guardhouse.model import NO_FACTS, OutputPublish
from guardhouse.policy import load
decide(OutputPublish(content="4111 1111 1111 1111"), NO_FACTS, load([]))
unwanted = ("guardhouse.detect.sensitivity", "guardhouse.policy.labels")
assert not [name for name in sys.modules if name.startswith(unwanted)]
"""
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
