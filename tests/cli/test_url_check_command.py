"""`url check`: the steps, the verdict, and that the two never disagree."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from guardhouse.cli.app import app
from guardhouse.cli.destinations import explained
from guardhouse.egress import SkippedLookup
from guardhouse.files import LocalFiles
from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Addresses, ToolCallPre
from guardhouse.net import CODES
from guardhouse.policy import Layer, load, read_document

CONFIG = """
guard:
  network:
    default:
      allowed_domains: [ok.example, "*.wide.example", "odd.example:8443", 9.9.9.9, discord.com, bit.ly]
      allowed_url_prefixes: ["https://api.example/v1/"]
    web_fetch: {allowed_domains: ["*"]}
"""


@pytest.fixture
def check(machine):
    machine.user_config(CONFIG)
    return lambda *arguments: machine.run("url", "check", "--no-dns", *arguments)


def test_each_step_is_told_for_a_url_that_is_allowed(check):
    done = check("https://OK.example:443/a/../b?token=hunter2&page=3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "URL        https://OK.example:443/a/../b?token=…&page=… (GET, by url_fetch)",
        "Read as    https://ok.example/b",
        "           scheme https, host ok.example, port 443, path /b, with a query",
        "           the path can be read in more than one way, so no URL prefix covers it",
        "Host       a name",
        "Allowed by the entry ok.example",
        "Addresses  not looked up",
        "Verdict    allowed",
    ]


def test_a_refusal_comes_with_the_code_and_the_command_that_lifts_it(check):
    done = check("https://paste.example/b")
    assert done.returncode == 1
    assert "Allowed by no entry of the allowlist" in done.stdout
    assert "not looked up: a look-up would already tell it something" in done.stdout
    assert "Verdict    denied" in done.stdout
    assert "(`non_allowlisted_domain`)" in done.stdout
    assert "Fix        guardhouse allow domain paste.example" in done.stdout


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (
            "https://ok.example:8443/",
            "not by ok.example: it is for the default port of its scheme, and this is port 8443",
        ),
        ("https://odd.example/", "not by odd.example:8443: it is for port 8443, and this is port 443"),
        (
            "https://wide.example/",
            "not by *.wide.example: it covers the hosts below wide.example, not wide.example itself",
        ),
        ("https://sub.ok.example/", "not by ok.example: it covers ok.example alone, not the hosts below it"),
        ("https://ok.example.evil.tld/", "not by ok.example: this host only begins with ok.example: it belongs to"),
        ("https://evilok.example/", "not by ok.example: this host only ends like ok.example: it is no subdomain of it"),
        ("http://api.example/v1/x", "not by https://api.example/v1/: it is for https, and this is http"),
        ("https://api.example:8443/v1/x", "not by https://api.example/v1/: it is for port 443, and this is port 8443"),
        ("https://api.example/v2/x", "not by https://api.example/v1/: the path is not below /v1/"),
        (
            "https://api.example/v1/../x",
            "not by https://api.example/v1/: servers may read this path in more than one way",
        ),
        ("http://127.0.0.1/", "an address of the kind “loopback”"),
        ("http://printer.local/", "a local name"),
        ("https://webhook.site/x", "anybody can leave or collect things there (webhook)"),
        ("http://2130706433/", "(`url.odd_address`)"),
        ("https://api.example\\@evil.tld/", "a browser would reach https://api.example/@evil.tld/"),
        ("https://ok.example@evil.tld/", "Python would reach https://evil.tld/"),
        ("file:///etc/passwd", "Only http, https, ws and wss URLs are destinations."),
    ],
)
def test_it_says_what_is_different(check, url, line):
    done = check(url)
    assert done.returncode == 1
    assert line in done.stdout


def test_a_place_of_anybodys_is_told_and_asks(check):
    done = check("https://discord.com/api/webhooks/1/x", "--method", "POST")
    assert done.returncode == 1
    assert "anybody can have an address there (webhook)" in done.stdout
    assert "Verdict    asks a person" in done.stdout
    assert check("https://discord.com/api/v10/gateway").returncode == 0


def test_the_rules_are_those_of_the_tool(check):
    assert check("https://anything.example/").returncode == 1
    assert check("https://anything.example/", "--tool", "web_fetch").returncode == 0


def test_a_tool_that_reaches_nothing_is_told_as_such(check):
    done = check("https://anything.example/", "--tool", "think")
    assert done.returncode == 0
    assert "think reaches no URL that it is given so" in done.stdout


@pytest.mark.parametrize("flags", [(), ("--json",)])
@pytest.mark.parametrize(
    "url",
    [
        "https://ada:hunter2@ok.example/x?p=hunter2#hunter2",
        "https://ok.example/?hunter2",
        "https://ok.example/x?a=b&c=hunter2",
        "https://ada:hunter2",
        "https://ada:hunter2#@ok.example/",
        "https://ada:hunter2\\@ok.example/",
        "https:ada:hunter2@ok.example/",
        "ada:hunter2@ok.example/",
        "https://ok.example/#hunter2",
        "https://ok.example/?x=https://ada:hunter2@ok.example/",
    ],
)
def test_user_info_and_values_are_never_shown(check, url, flags):
    done = check(url, *flags)
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_nothing_is_printed_that_a_terminal_would_obey(check, flags):
    done = check("https://ok.example/\x1b[31m\u202e\u200b/\x07?\x1b]0;x=1", *flags)
    assert done.returncode == 1
    assert done.stdout.replace("\n", "").isprintable()
    assert "\u202e" not in done.stdout


def test_json_is_for_machines(check):
    done = check("https://sub.ok.example/x?a=1", "--json")
    told = json.loads(done.stdout)
    assert told["exit_status"] == done.returncode == 1
    assert told["read"]["host"] == "sub.ok.example"
    assert told["allowlist"] == {
        "entry": None,
        "near_misses": [{"entry": "ok.example", "why": "it covers ok.example alone, not the hosts below it"}],
    }
    assert told["verdict"]["reasons"][0]["remedy"] == "guardhouse allow domain sub.ok.example"


def test_wrong_usage_is_no_verdict(machine, check):
    assert machine.run("url", "check").returncode == 2
    assert check("https://ok.example/", "--config", "nowhere.yaml").returncode == 2
    assert check("https://ok.example/", "--frobnicate").returncode == 2


def test_the_addresses_that_are_shown_are_those_that_were_judged(monkeypatch, tmp_path):
    asked = []

    def resolve(_self, host):
        asked.append(host)
        return (
            Addresses(addresses=("93.184.216.34", "10.0.0.7")) if host == "ok.example" else Addresses(error="no such")
        )

    monkeypatch.setattr("guardhouse.egress.SystemResolver.resolve", resolve)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)

    def run(url):
        return CliRunner().invoke(app, ["url", "check", url, "--config", str(config)])

    done = run("https://ok.example/")
    assert done.exit_code == 1
    assert "Addresses  93.184.216.34 (public), 10.0.0.7 (private)" in done.output
    assert "(`private_ip`)" in done.output
    assert asked == ["ok.example"]
    assert "Addresses  none: no such" in run("https://a.wide.example/").output
    run("https://evil.example/")
    assert "evil.example" not in asked


# The steps and the verdict -------------------------------------------------------------------------------------------

SCHEMES = ["http", "https", "ws", "ftp", "HTTPS"]
HOSTS = [
    *("ok.example", "OK.example.", "a.wide.example", "wide.example", "odd.example:8443", "odd.example", "api.example"),
    *("9.9.9.9", "8.8.8.8", "127.0.0.1", "127.1", "0x7f.1", "[::1]", "[2606:4700::1111]", "localhost", "x.internal"),
    *("evil.example", "ok.example.evil.tld", "user@ok.example", "ok.example:0", "ok.example:8443", "bit.ly", ""),
    *("o k.example", "xn--bcher-kva.wide.example", "bücher.wide.example", "оk.example", "a..wide.example"),
    *("discord.com", "webhook.site"),
]
PATHS = [
    "",
    "/",
    "/v1/x",
    "/v1",
    "/v1/../x",
    "/v1/%2e%2e/x",
    "/v1/a%2fb",
    "//v1",
    "/v1;x/y",
    "\\v1",
    "/api/webhooks/1/x",
]
ANSWERS = {
    "ok.example": Addresses(addresses=("93.184.216.34",)),
    "a.wide.example": Addresses(addresses=("93.184.216.34", "192.168.0.1")),
    "api.example": Addresses(error="the name server failed"),
    "odd.example": Addresses(),
}


class Told:
    def __init__(self):
        self.answers = {}

    def resolve(self, host):
        self.answers[host] = ANSWERS.get(host, Addresses(addresses=("93.184.216.34",)))
        return self.answers[host]


@pytest.mark.parametrize("looked_up", [True, False])
def test_the_steps_and_the_verdict_never_disagree(looked_up):
    policy = load([Layer("user", read_document("config.yaml", CONFIG.encode()))])
    net = {code.id for code in CODES}
    seen = set()
    for scheme in SCHEMES:
        for host in HOSTS:
            for path in PATHS:
                address = f"{scheme}://{host}{path}"
                resolver = Told() if looked_up else SkippedLookup()
                guard = Guard(FixedPolicy(policy), resolver=resolver, files=LocalFiles())
                verdict = guard.evaluate(ToolCallPre(tool="url_fetch", params={"url": address, "method": "GET"}))
                answers = resolver.answers if looked_up else {}
                told = explained(address, "GET", guard.network_for("url_fetch"), answers, verdict)
                refused = told["read"]["refused"] if "refused" in told["read"] else told["refused"]
                assert [one.code for one in verdict.reasons if one.code in net] == ([refused] if refused else []), (
                    address
                )
                assert told["reached"], address
                if refused is None:
                    assert told["allowlist"]["entry"] is not None, address
                seen.add(refused)
    wanted = net if looked_up else net - {"dns_failure"}
    assert seen == {*wanted, None}
