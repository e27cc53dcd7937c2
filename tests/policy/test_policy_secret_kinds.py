"""What configuration says of kinds of secrets, and that nothing gets round it."""

from __future__ import annotations

import base64

import pytest

from guardhouse.decide import decide
from guardhouse.model import Decision, Facts, OutputPublish, PolicyError, ToolCallPost, ToolCallPre
from guardhouse.policy import Layer, load, read_document

GITHUB = "gh" + "p_q8Zr3Lk9Vt2Xw7Yb5Nc1Md4Pf6Hg0JsAeRuT"
AWS = "AK" + "IAQYLPMN5HFIQR7XYA"
CORP = "patterns: [{id: corp_key, pattern: 'CORP[0-9]{6}'}]"


def policy(secrets: str, file: str = "user.yaml"):
    return load([Layer("user", read_document(file, f"guard:\n  secrets: {{{secrets}}}\n".encode()))])


def decision(action, secrets: str) -> Decision:
    return decide(action, Facts(), policy(secrets)).decision


def test_a_kind_leads_to_what_is_said_of_it():
    text = OutputPublish(content=f"here: {AWS}")
    assert decision(text, "") is Decision.ALLOW_WITH_REDACTION
    assert decision(text, "kinds: {aws_access_key_id: deny}") is Decision.DENY
    assert decision(text, "kinds: {'aws_*': require_approval}") is Decision.REQUIRE_APPROVAL
    assert decision(text, "kinds: {aws_access_key_id: ignore}") is Decision.ALLOW
    assert decision(text, "kinds: {'aws_*': deny, aws_access_key_id: redact}") is Decision.ALLOW_WITH_REDACTION
    assert decision(text, "kinds: {'aws_*': ignore, '*_key_id': deny}") is Decision.DENY


def test_redact_leaves_a_local_call_alone_and_deny_does_not():
    call = ToolCallPre(tool="think", params={"text": AWS})
    assert decision(call, "kinds: {aws_access_key_id: redact}") is Decision.ALLOW
    assert decision(call, "kinds: {aws_access_key_id: deny}") is Decision.DENY


def test_many_others_before_it_do_not_hide_a_kind():
    many = "\n".join(f"{GITHUB[:-4]}{number:04}" for number in range(1100))
    assert decision(OutputPublish(content=f"{many}\n{AWS}"), "kinds: {aws_access_key_id: deny}") is Decision.DENY


def test_another_kind_in_the_same_place_does_not_hide_a_kind():
    blob = base64.b64encode(f"{AWS} {GITHUB}".encode()).decode()
    for kind in ("github_token", "aws_access_key_id"):
        assert decision(OutputPublish(content=blob), f"kinds: {{{kind}: deny}}") is Decision.DENY
    own = f"{CORP}, kinds: {{corp_key: deny}}"
    assert decision(ToolCallPost(tool="read_file", content="password=" + "CORP123456xQ9z!"), own) is Decision.DENY


def test_what_is_ignored_takes_nothing_with_it():
    blob = base64.b64encode(f"{AWS} {GITHUB}".encode()).decode()
    ignored = "kinds: {aws_access_key_id: ignore}"
    assert decision(OutputPublish(content=blob), ignored) is Decision.ALLOW_WITH_REDACTION
    own = f"{CORP}, kinds: {{sensitive_pair: ignore}}"
    assert decision(OutputPublish(content="password=" + "CORP123456xQ9z!"), own) is Decision.ALLOW_WITH_REDACTION


@pytest.mark.parametrize(
    ("secrets", "told"),
    [
        ("kinds: {aws_acess_key_id: deny}", "Did you mean `aws_access_key_id`"),
        ("kinds: {'zzz_*': deny}", "no kind of secret"),
        ("kinds: {jwt: perhaps}", "kinds"),
        ("allowed: [abc]", "allowed"),
    ],
)
def test_what_is_wrong_is_told(secrets, told):
    with pytest.raises(PolicyError, match=told):
        policy(secrets)


def test_what_can_not_be_read_can_be_named():
    assert policy("kinds: {unreadable_blob: deny}").settings.named_kinds == {"unreadable_blob"}


@pytest.mark.parametrize(
    "text",
    ["secrets: {{patterns: [{{id: own, pattern: '{0}('}}]}}", "labels: {{patterns: [{{id: own, pattern: '{0}('}}]}}"],
)
def test_a_pattern_that_is_none_is_not_written_to_standard_error(text, capfd):
    with pytest.raises(PolicyError):
        load([Layer("user", read_document("user.yaml", f"guard:\n  {text.format(GITHUB)}\n".encode()))])
    assert GITHUB not in capfd.readouterr().err
