"""`url_fetch` and `web_search` behind a real gate, against real servers."""

import asyncio
import json
import subprocess
import sys

import pytest
from loopback_server import HERE, Names, answer

from guardhouse import open_guard
from guardhouse.egress import FetchTools
from guardhouse.egress.fetching import MOST_TEXT
from guardhouse.model import PolicyError
from guardhouse.policy import Layer, load, read_document
from guardhouse.ports import FixedPolicy


class House:
    """A guard with a configuration of the test's, and its two tools, sync or async."""

    def __init__(self, root, *, asynchronous):
        self.file = root / "config.yaml"
        self.names = Names(a_example=[HERE], b_example=[HERE], inside_example=[("10.0.0.1",)])
        self._root = root
        self._async = asynchronous
        self.guard = None
        self.variables = {}

    def open(self, config):
        self.file.write_text(config)
        self.guard = open_guard(
            config_file=self.file,
            cwd=self._root,
            state_dir=self._root / "state",
            resolver=self.names,
            variables=self.variables,
        )

    def change(self, config):
        """Change the configuration, to be seen at once."""
        self.file.write_text(config)
        self.guard._policy._interval = 0

    def fetch(self, *args, **more):
        if self._async:
            return asyncio.run(self.guard.url_fetch_async()(*args, **more))
        return self.guard.url_fetch()(*args, **more)

    def search(self, *args, **more):
        if self._async:
            return asyncio.run(self.guard.web_search_async()(*args, **more))
        return self.guard.web_search()(*args, **more)


@pytest.fixture(params=["sync", "async"])
def house(request, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GUARDHOUSE_KEY_DIR", str(tmp_path / "keys"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    made = House(tmp_path, asynchronous=request.param == "async")
    yield made
    if made.guard is not None:
        made.guard.close()


def config(server, **more):
    """A policy under which url_fetch may reach one server on loopback."""
    section = {"allowed_domains": [f"a.example:{server.port}"], "deny_private_ips": False, **more}
    return json.dumps({"guard": {"network": {"url_fetch": section}}})


def page(body, kind="text/html; charset=utf-8"):
    return lambda request: answer(body, f"Content-Type: {kind}")


def test_a_page_is_fetched_and_comes_back_as_untrusted_content(house, serve):
    server = serve(page("<p>Grüße</p>".encode()))
    house.open(config(server))
    outcome = house.fetch(f"http://a.example:{server.port}/page?token=1")
    assert outcome.status == "completed"
    assert outcome.value == {
        "status": 200,
        "url": f"http://a.example:{server.port}/page",
        "content_type": "text/html",
        "bytes": 14,
        "text": "<p>Grüße</p>",
        "truncated": False,
    }
    assert outcome.untrusted
    assert "⚠️" in outcome.text
    assert server.requests[0].startswith(b"GET /page?token=1 ")


def test_method_headers_and_body_are_sent(house, serve):
    server = serve()
    tools = FetchTools(FixedPolicy(policy_of(config(server))), house.names)
    tools.url_fetch(f"http://a.example:{server.port}/x", "POST", {"X-A": "b"}, "größe")
    assert server.requests[0].startswith(b"POST /x ")
    assert b"\r\nX-A: b\r\n" in server.requests[0]
    assert server.requests[0].endswith("größe".encode())


def policy_of(text, name="user", *, trusted=True):
    return load([Layer(name, read_document("config.yaml", text.encode()), trusted)])


def test_what_the_gate_denies_is_not_fetched(house, serve):
    server = serve()
    house.open(config(server))
    for url in (f"http://b.example:{server.port}/", "http://169.254.169.254/", "file:///etc/passwd"):
        assert house.fetch(url).status == "denied"
    assert server.connections == 0


def test_the_client_refuses_what_changed_since_the_gate_looked(house, serve):
    """A name that is public for the gate and private a moment later: the second look is the one that counts."""
    server = serve()
    house.names = Names(a_example=[("93.184.216.34",), HERE])
    house.open(config(server, deny_private_ips=True))
    outcome = house.fetch(f"http://a.example:{server.port}/")
    assert (outcome.status, outcome.error) == ("failed", "Refused")
    assert "private_ip" in outcome.text
    assert server.connections == 0


def test_rules_are_those_of_the_policy_in_force_at_the_call(house, serve):
    server = serve()
    house.open(config(server))
    url = f"http://a.example:{server.port}/"
    fetch = house.guard.url_fetch_async() if house._async else house.guard.url_fetch()
    run = asyncio.run if house._async else lambda outcome: outcome
    assert run(fetch(url)).status == "completed"
    house.change(config(server, allowed_domains=["other.example"]))
    assert run(fetch(url)).status == "denied"
    assert len(server.requests) == 1


def test_secrets_in_a_page_are_masked(house, serve):
    key = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"
    server = serve(page(f"the key is {key}".encode(), "text/plain"))
    house.open(config(server))
    outcome = house.fetch(f"http://a.example:{server.port}/")
    assert key not in repr(outcome)


def test_a_redirect_is_shown_and_not_followed(house, serve):
    server = serve(lambda request: answer(b"", "Location: https://b.example/next", status="302 Found"))
    house.open(config(server))
    value = house.fetch(f"http://a.example:{server.port}/").unwrap()
    assert (value["status"], value["location"]) == (302, "https://b.example/next")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"gr\xfc\xdfe", "grüße"),
        ('text/plain; charset="Shift_JIS"', "日本".encode("shift_jis"), "日本"),
        ("text/plain; charset=utf-16", "日本".encode("utf-16"), "日本"),
        ("text/plain; charset=unicode_escape", rb"\u0041", r"\u0041"),
        ("text/plain; charset=idna", b"xn--a", "xn--a"),
        ("text/plain; charset=no-such", "é".encode(), "é"),
        ("text/plain", b"\xff\xfe", "��"),
        ("application/problem+json", b"{}", "{}"),
        ("", b"plain", "plain"),
        ("image/png", b"\x89PNG", None),
        ("application/octet-stream", b"text", None),
        ("text/plain", b"a\0b", None),
        ("", b"\0\1", None),
    ],
)
def test_text_is_read_by_its_charset_and_what_is_none_is_only_counted(serve, kind, body, text):
    server = serve(page(body, kind))
    tools = FetchTools(FixedPolicy(policy_of(config(server))), Names(a_example=[HERE]))
    shown = tools.url_fetch(f"http://a.example:{server.port}/")
    assert shown.get("text") == text
    assert shown.get("binary", False) is (text is None)
    assert shown["bytes"] == len(body)


def test_a_long_text_is_cut(house, serve):
    server = serve(page("é".encode() * (MOST_TEXT + 1), "text/plain; charset=utf-8"))
    house.open(config(server))
    value = house.fetch(f"http://a.example:{server.port}/").unwrap()
    assert (len(value["text"]), value["truncated"]) == (MOST_TEXT, True)


def test_an_answer_that_is_too_large_is_a_failure_with_its_code(house, serve):
    server = serve(page(b"x" * (10 * 1024 * 1024 + 1), "text/plain"))
    house.open(config(server))
    outcome = house.fetch(f"http://a.example:{server.port}/")
    assert outcome.status == "failed"
    assert "net.response_too_large" in outcome.text


def test_what_only_observing_lets_through_is_fetched_and_private_addresses_are_not(house, serve):
    server = serve(lambda request: answer(b"", "Location: /other", status="302 Found"))
    network = {"url_fetch": {"allowed_domains": ["x.example"], "deny_private_ips": False, "follow_redirects": True}}
    house.open(json.dumps({"guard": {"mode": "observe", "network": network}}))
    value = house.fetch(f"http://a.example:{server.port}/").unwrap()
    assert value["status"] == 302  # which is not followed where nobody listed the host
    house.change(json.dumps({"guard": {"mode": "observe"}}))
    assert "private_ip" in house.fetch(f"http://a.example:{server.port}/").text
    assert len(server.requests) == 1


def test_a_host_that_a_person_approved_is_fetched_once(house, serve):
    server = serve()
    network = {"url_fetch": {"allowed_domains": ["x.example"], "deny_private_ips": False}}
    findings = {"non_allowlisted_domain": "require_approval"}
    house.open(json.dumps({"guard": {"findings": findings, "network": network}}))
    pending = house.fetch(f"http://a.example:{server.port}/")
    assert (pending.status, server.connections) == ("pending", 0)
    house.guard.approvals.answer(pending.approval_request_id, approve=True, actor="local:ada")
    resumed = pending.resume()
    assert (asyncio.run(resumed) if house._async else resumed).status == "completed"
    assert house.fetch(f"http://a.example:{server.port}/").status == "pending"
    assert len(server.requests) == 1


# web_search -----------------------------------------------------------------------------------------------------------


def searching(server, **more):
    endpoint = f"http://a.example:{server.port}/search?q={{query}}&format=json&n={{count}}"
    section = {"endpoint": endpoint, "deny_private_ips": False, **more}
    return json.dumps({"guard": {"network": {"web_search": section}}})


def found(*results, place="results"):
    return lambda request: answer(json.dumps({place: results}).encode(), "Content-Type: application/json")


def test_a_search_asks_the_endpoint_and_gives_untrusted_results(house, serve):
    server = serve(found({"title": "T", "url": "https://x.example/", "content": "C", "score": 1}, {"title": "no url"}))
    house.open(searching(server))
    outcome = house.search("grüße & 'more'", count=3)
    assert outcome.unwrap() == {"results": [{"title": "T", "url": "https://x.example/", "snippet": "C"}]}
    assert outcome.untrusted
    assert server.requests[0].startswith(b"GET /search?q=gr%C3%BC%C3%9Fe%20%26%20%27more%27&format=json&n=3 ")


def test_a_query_can_not_leave_its_place_in_the_url(house, serve):
    server = serve(found())
    house.open(searching(server))
    for query in ("x&format=html#", "../../admin", "@evil.example/", "{count}", "\\\\evil.example"):
        house.search(query).unwrap()
    assert {request.partition(b"?")[0] for request in server.requests} == {b"GET /search"}
    assert all(request.count(b"&") == 2 for request in server.requests)


def test_the_key_is_sent_in_its_header_and_never_comes_back(house, serve, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "of-somebody-else")
    house.variables["SEARCH_KEY"] = "hunter2-hunter2"
    server = serve(found({"title": "your key: hunter2-hunter2", "url": "https://x.example/"}))
    house.open(searching(server, key_env="SEARCH_KEY", key_header="X-Subscription-Token"))
    outcome = house.search("x")
    assert b"\r\nX-Subscription-Token: hunter2-hunter2\r\n" in server.requests[0]
    assert "hunter2" not in repr(outcome)
    del house.variables["SEARCH_KEY"]
    assert "SEARCH_KEY is not set" in house.search("x").text
    assert len(server.requests) == 1


def test_a_key_is_not_sent_in_the_clear_but_to_a_network_of_ones_own():
    section = {"endpoint": "http://search.example.com/s?q={query}", "key_env": "K"}
    with pytest.raises(PolicyError, match="in the clear"):
        policy_of(json.dumps({"guard": {"network": {"web_search": section}}}))
    for own in ({"deny_private_ips": False}, {"endpoint": "https://search.example.com/s?q={query}"}):
        policy_of(json.dumps({"guard": {"network": {"web_search": section | own}}}))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (lambda request: answer(b"no json"), "no JSON"),
        (lambda request: answer(b"[" * 100_000), "no JSON"),
        (lambda request: answer(b"[]"), "no list of results"),
        (lambda request: answer(b'{"results": 1}'), "no list of results"),
        (lambda request: answer(b"{}", status="500 Broken"), "status 500"),
        (lambda request: answer(b"", "Location: /", status="302 Found"), "status 302"),
    ],
)
def test_a_service_that_gives_no_results_is_a_failure(house, serve, reply, words):
    house.open(searching(serve(reply)))
    outcome = house.search("x")
    assert outcome.status == "failed"
    assert words in outcome.text


@pytest.mark.parametrize(
    "body",
    [
        {"web": {"results": [{"title": "T", "url": "https://x.example/", "description": "C"}]}},
        {"items": [{"title": "T", "link": "https://x.example/", "snippet": "C"}]},
        {"organic": [{"title": "T", "link": "https://x.example/", "snippet": "C"}, 1, None]},
    ],
)
def test_the_answers_of_other_services_are_read_too(house, serve, body):
    house.open(searching(serve(lambda request: answer(json.dumps(body).encode()))))
    assert house.search("x").unwrap() == {"results": [{"title": "T", "url": "https://x.example/", "snippet": "C"}]}


def test_results_are_bounded(house, serve):
    many = [{"title": "t" * 5000, "url": f"https://x.example/{n}", "content": "c" * 5000} for n in range(100)]
    house.open(searching(serve(found(*many))))
    results = house.search("x", count=1000).unwrap()["results"]
    assert len(results) == 20
    assert {(len(one["title"]), len(one["snippet"])) for one in results} == {(300, 1000)}
    assert len(house.search("x", count=2).unwrap()["results"]) == 2


@pytest.mark.parametrize("query", ["", " ", "x" * 1001])
def test_a_query_of_no_or_too_many_characters_is_not_sent(house, serve, query):
    server = serve(found())
    house.open(searching(server))
    assert house.search(query).status != "completed"
    assert server.connections == 0


def test_without_an_endpoint_there_is_no_search(house):
    house.open("guard: {}")
    assert "network.web_search.endpoint" in house.search("x").text


def test_an_endpoint_on_a_private_address_is_refused_unless_that_is_allowed(house, serve):
    server = serve(found())
    house.open(searching(server, deny_private_ips=True))
    assert "private_ip" in house.search("x").text
    assert server.connections == 0


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("web_search: {endpoint: 'https://s.example/search'}", "does not have `{query}` once"),
        ("web_search: {endpoint: 'https://s.example/{query}'}", "does not have `{query}` once"),
        ("web_search: {endpoint: 'https://{query}.example/?q={query}'}", "does not have `{query}` once"),
        ("web_search: {endpoint: 'https://s.example/?q={query}&k={key}'}", "more in braces"),
        ("web_search: {endpoint: 'https://s.example/?q={query}#x'}", "a fragment"),
        ("web_search: {endpoint: 'https://a:b@s.example/?q={query}'}", "user name or password"),
        ("web_search: {endpoint: 'file:///search?q={query}'}", "can't be used"),
        ("web_search: {endpoint: 'wss://s.example/?q={query}'}", "no web address"),
        ("web_search: {key_env: X}", "without an `endpoint`"),
        ("web_search: {endpoint: 'https://s.example/?q={query}', key_env: 'not a name'}", "no variable's name"),
        ("web_search: {endpoint: 'https://s.example/?q={query}', key_env: K, key_header: Host}", "no header"),
        ("web_search: {endpoint: 'https://s.example/?q={query}', key_header: X-Key}", "without a `key_env`"),
        (
            "web_search: {endpoint: 'https://s.example/?q={query}', allowed_domains: [x.example]}",
            "beside an `endpoint`",
        ),
        ("url_fetch: {endpoint: 'https://s.example/?q={query}'}", "for `network.web_search` only"),
        ("default: {endpoint: 'https://s.example/?q={query}'}", "for `network.web_search` only"),
    ],
)
def test_an_endpoint_that_can_not_be_used_is_an_error_of_the_policy(section, words):
    with pytest.raises(PolicyError) as caught:
        policy_of(f"guard: {{network: {{{section}}}}}")
    assert words in str(caught.value)


def test_a_search_reaches_its_endpoint_and_nothing_else():
    policy = policy_of("guard: {network: {web_search: {endpoint: 'https://s.example/find?q={query}'}}}")
    settings = policy.settings.network_for("web_search").settings
    assert (settings.allowed_domains, settings.allowed_url_prefixes) == ((), ("https://s.example/find",))


def test_a_project_file_that_nobody_trusted_can_not_name_the_search_service():
    text = "guard: {network: {web_search: {endpoint: 'https://evil.example/?q={query}'}}}"
    with pytest.raises(PolicyError, match="would loosen"):
        policy_of(text, "project", trusted=False)
    assert policy_of(text, "project").config.network["web_search"].endpoint == "https://evil.example/?q={query}"


def test_opening_a_guard_loads_no_client():
    code = (
        "import sys, guardhouse.opening, guardhouse.egress;"
        "print([name for name in ('httpcore', 'httpx', 'ssl', 'anyio', 'zlib') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "httpcore" not in ran.stdout
    assert "httpx" not in ran.stdout
    assert "ssl" not in ran.stdout
