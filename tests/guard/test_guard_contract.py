"""The examples that were promised: what the gate says to the calls and texts of the requirements."""

import pytest
from guarded_house import CONTRACT, codes, found

from guardhouse.model import Decision, OutputPublish, RiskLevel, ToolCallPost, ToolCallPre

FAKE_KEY = "sk-" + "abcdefghijklmnopqrstuvwx"
FAKE_JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpM"


@pytest.fixture
def guard(house):
    return house.guard(CONTRACT)


def fetch(guard, url, **params):
    return guard.evaluate(ToolCallPre(tool="url_fetch", params={"url": url, **params}))


def test_an_allowlisted_url_is_fetched(guard):
    verdict = fetch(guard, "https://api.jsonbill.com/tasks/123")
    assert verdict.decision is Decision.ALLOW
    assert verdict.risk_level is RiskLevel.LOW
    assert verdict.reasons == ()
    assert [finding.method for finding in found(verdict, "net.destination")] == ["GET"]


def test_a_post_to_a_paste_site_is_denied_with_high_risk(guard):
    verdict = fetch(guard, "https://paste.example/upload", method="POST")
    assert verdict.decision is Decision.DENY
    assert verdict.risk_level is RiskLevel.HIGH
    assert codes(verdict) == ["non_allowlisted_domain"]
    assert found(verdict, "non_allowlisted_domain")[0].method == "POST"
    assert "paste.example" in verdict.for_person
    assert "guardhouse allow domain paste.example" in verdict.for_person
    assert "guardhouse allow" not in verdict.for_agent


def test_a_loopback_url_is_denied_as_private(guard):
    verdict = fetch(guard, "http://127.0.0.1:8080/")
    assert verdict.decision is Decision.DENY
    assert codes(verdict) == ["private_ip"]


@pytest.mark.parametrize(
    "url",
    [
        "https://api.jsonbill.com/tasks/../admin",
        "https://api.jsonbill.com/tasks/%2e%2e/admin",
        "https://api.jsonbill.com/tasks/..%2fadmin",
        "https://api.jsonbill.com.evil.tld/tasks/1",
        "https://api.jsonbill.com@evil.tld/tasks/1",
        "https://evil.tld/https://api.jsonbill.com/tasks/1",
        "http://api.jsonbill.com/tasks/1",
        "https://api.jsonbill.com:8443/tasks/1",
        "https://api.jsonbill.com/tasks",
        "https://api.jsonbill.com/tasksx/1",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "//api.jsonbill.com/tasks/1",
    ],
)
def test_whatever_only_looks_like_the_allowlisted_url_is_denied(guard, url):
    assert fetch(guard, url).decision is Decision.DENY


def test_a_token_in_published_output_is_masked(guard):
    verdict = guard.evaluate(OutputPublish(content=f"Here is the token: {FAKE_KEY}"))
    assert verdict.decision is Decision.ALLOW_WITH_REDACTION
    assert verdict.risk_level is RiskLevel.HIGH
    assert verdict.content == "Here is the token: sk-[redacted]"
    assert codes(verdict) == ["secret.in_content"]


def test_a_jwt_in_a_tool_result_is_masked(guard):
    verdict = guard.evaluate(ToolCallPost(tool="read_file", content=f"token={FAKE_JWT}"))
    assert verdict.decision is Decision.ALLOW_WITH_REDACTION
    assert verdict.content == "token=[redacted_jwt]"


def test_structured_content_keeps_its_structure_when_it_is_masked(guard):
    verdict = guard.evaluate(ToolCallPost(tool="x", content={"rows": [{"k": FAKE_KEY, "n": 1}, None, True]}))
    assert verdict.content == {"rows": [{"k": "sk-[redacted]", "n": 1}, None, True]}


def test_ordinary_content_passes_untouched(guard):
    for content in ("All 12 tests pass.", {"ok": True}, [], None, 0):
        verdict = guard.evaluate(ToolCallPost(tool="x", content=content))
        assert verdict.decision is Decision.ALLOW
        assert verdict.content is None
