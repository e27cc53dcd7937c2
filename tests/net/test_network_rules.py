"""Allowlists: what a pattern covers, what it must not cover, and which patterns are refused at load."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.model import GuardhouseError
from guardhouse.net import BadDestination, BadPattern, NetworkRules, NetworkSettings, Refusal, parse_destination

PUBLIC = ("93.184.216.34",)


def rules(*domains, prefixes=(), **settings):
    return NetworkRules(NetworkSettings(allowed_domains=domains, allowed_url_prefixes=prefixes, **settings))


def code_of(network, url, addresses=PUBLIC):
    try:
        refusal = network.judge(parse_destination(url), addresses)
    except BadDestination as error:
        return error.code
    return refusal and refusal.code


def test_without_an_allowlist_nothing_is_allowed():
    assert code_of(NetworkRules(), "https://example.com/") == "non_allowlisted_domain"


DOMAINS = [
    # pattern, covered, not covered
    (
        "example.com",
        ["https://example.com/x", "http://example.com/", "HTTPS://EXAMPLE.com:443/", "https://example.com./"],
        [
            "https://www.example.com/",
            "https://example.com:8443/",
            "http://example.com:443/",
            "https://example.com.other.example/",
            "https://notexample.com/",
            "https://example.co/",
        ],
    ),
    (
        "*.example.com",
        ["https://www.example.com/", "https://a.b.c.example.com/"],
        ["https://example.com/", "https://badexample.com/", "https://x.example.com:8443/"],
    ),
    ("example.com:8443", ["https://example.com:8443/", "http://example.com:8443/"], ["https://example.com/"]),
    ("example.com:443", ["https://example.com/"], ["http://example.com/"]),
    ("*.example.com:8443", ["https://a.example.com:8443/"], ["https://a.example.com/", "https://example.com:8443/"]),
    ("Example.COM", ["https://example.com/"], []),
    ("bücher.example", ["https://xn--bcher-kva.example/", "https://Bücher.example/"], ["https://bucher.example/"]),
    ("9.9.9.9", ["http://9.9.9.9/"], ["http://9.9.9.9:8080/", "http://9.9.9.8/"]),
    ("2606:4700::1111", ["https://[2606:4700:0::1111]/"], ["https://[2606:4700::1112]/"]),
    ("[2606:4700::1111]:8443", ["https://[2606:4700::1111]:8443/"], ["https://[2606:4700::1111]/"]),
    ("*", ["https://example.com/", "http://any.example:9999/", "http://9.9.9.9:81/"], []),
]


@pytest.mark.parametrize(("pattern", "covered", "not_covered"), DOMAINS, ids=[row[0] for row in DOMAINS])
def test_a_domain_pattern_covers_what_it_says_and_no_more(pattern, covered, not_covered):
    network = rules(pattern)
    for url in covered:
        assert network.allows(parse_destination(url)) == pattern, url
        assert code_of(network, url) is None, url
    for url in not_covered:
        assert code_of(network, url) == "non_allowlisted_domain", url


PREFIXES = [
    (
        "https://api.example.com/v1/",
        ["/v1/", "/v1/items", "/v1/items/?q=../..", "/v1/caf%C3%A9", "/%761/x", "/v1/a#/../.."],
        ["/v1", "/v10/", "/v1x", "/", "/V1/", "/v2/v1/", "/v1/../admin", "/v1/%2e%2e/admin", "/v1/..%2fadmin",
         "/v1/x/../y", "/v1/./x", "/v1//x", "//v1/x", "/v1/..;/x", "/v1/x;y", "/v1/a%2fb", "/v1/%252e%252e%252fadmin",
         "/v1/....//x", "/v1/%c0%ae%c0%ae/x", "/v1/．．/x", "/v1/..\\x", "/v1/%00"],
    ),
    ("https://api.example.com/v1", ["/v1", "/v1/", "/v1/items", "/v1?x"], ["/v10", "/v1;x", "/", "/v1/../v1"]),
    ("https://api.example.com/", ["", "/", "/anything/at/all"], ["/a/../b", "//x"]),
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "covered", "not_covered"), PREFIXES, ids=[row[0] for row in PREFIXES])
def test_a_prefix_ends_at_a_whole_segment(prefix, covered, not_covered):
    network = rules(prefixes=(prefix,))
    for path in covered:
        assert network.allows(parse_destination(f"https://api.example.com{path}")) == prefix, path
    for path in not_covered:
        assert code_of(network, f"https://api.example.com{path}") in {"non_allowlisted_domain", "url.ambiguous"}, path


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com/v1/",
        "https://api.example.com:8443/v1/",
        "https://api.example.com.other.example/v1/",
        "https://api.example.com@other.example/v1/",
        "https://other.example/v1/",
        "https://other.example/https://api.example.com/v1/",
        "https://sub.api.example.com/v1/",
    ],
)
def test_a_prefix_holds_only_for_its_scheme_host_and_port(url):
    assert code_of(rules(prefixes=("https://api.example.com/v1/",)), url) is not None


def test_a_longer_prefix_does_not_stand_in_the_way_of_a_shorter_one():
    network = rules(prefixes=("https://e.example/a/b/", "https://e.example/a"))
    assert network.allows(parse_destination("https://e.example/a/c")) == "https://e.example/a"
    assert network.allows(parse_destination("https://e.example/a/b/c")) == "https://e.example/a"


def test_dot_segments_matter_to_prefixes_only():
    assert code_of(rules("api.example.com"), "https://api.example.com/v1/../admin") is None
    assert code_of(rules("api.example.com"), "https://api.example.com/group%2Fname") is None


def test_a_refusal_below_a_known_host_says_that_paths_are_limited():
    network = rules(prefixes=("https://api.example.com/v1/",))
    assert network.judge(parse_destination("https://api.example.com/v2/"), None) == Refusal(
        "non_allowlisted_domain", "api.example.com is allowed only below certain paths"
    )


BAD_DOMAINS = [
    "", " ", "exa mple.com", "example.com ", "https://example.com", "example.com/", "example.com/path", "//example.com",
    "*example.com", "foo.*", "foo.*.com", "*.*.example.com", "**", "**.example.com", "*.com", "*.", "*.localhost",
    "*.1.2.3.4", ".example.com", "example..com", "user@example.com", "example.com:", "example.com:*",
    "example.com:99999", "127.1", "0x7f000001", "example。com", "exam\u200bple.com", "-x.example", "example.com?x",
    "[::1", "*:8080", "2606::1::2",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BAD_DOMAINS)
def test_a_domain_pattern_that_is_unclear_or_too_broad_is_an_error_with_a_fix(pattern):
    with pytest.raises(BadPattern) as caught:
        rules(pattern)
    assert isinstance(caught.value, GuardhouseError)
    assert "allowed_domains" in caught.value.what
    assert caught.value.fix


BAD_PREFIXES = [
    "", "*", "https://", "https://example.com", "https://example.com:8443", "https:", "example.com/v1/",
    "//example.com/", "/v1/", "https://*.example.com/", "https://example.com/v1/*", "https://example.com/v1/?x=1",
    "https://example.com/?", "https://example.com/#x", "https://example.com?/x/", "https://user@example.com/", "file:///etc/",
    "https://example.com/a/../b/", "https://example.com/a//b", "https://example.com/a%2fb/", "https://example.com/a;b/",
    "http://127.1/", "https://example.com /",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BAD_PREFIXES)
def test_a_prefix_that_is_unclear_or_too_broad_is_an_error_with_a_fix(pattern):
    with pytest.raises(BadPattern) as caught:
        rules(prefixes=(pattern,))
    assert "allowed_url_prefixes" in caught.value.what
    assert caught.value.fix


PRIVATE = [
    "http://127.0.0.1:8080/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:8.8.8.8]/",
    "http://localhost:3000/",
    "http://localhost./",
    "http://app.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://intranet/",
]


@pytest.mark.parametrize("url", PRIVATE)
@pytest.mark.parametrize("listed", [(), ("*",), ("127.0.0.1:8080", "[::1]", "10.0.0.1", "localhost:3000", "intranet")])
def test_a_private_host_is_called_private_listed_or_not(url, listed):
    assert code_of(rules(*listed), url) == "private_ip"


def test_with_private_addresses_allowed_the_allowlist_still_decides():
    network = rules("127.0.0.1:8080", "localhost:3000", deny_private_ips=False)
    assert code_of(network, "http://127.0.0.1:8080/", None) is None
    assert code_of(network, "http://localhost:3000/", ("127.0.0.1",)) is None
    assert code_of(network, "http://127.0.0.1/", None) == "non_allowlisted_domain"
    assert code_of(network, "http://0x7f.1:8080/", None) == "url.odd_address"


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        (None, None),
        (PUBLIC, None),
        ((*PUBLIC, "2606:2800:220:1::1"), None),
        ((), "dns_failure"),
        (("10.0.0.9",), "private_ip"),
        ((*PUBLIC, "127.0.0.1"), "private_ip"),
        (("::ffff:93.184.216.34",), "private_ip"),
        (("fe80::1%eth0",), "private_ip"),
        (("nonsense",), "private_ip"),
    ],
)
def test_every_address_of_a_name_must_be_public(addresses, code):
    assert code_of(rules("example.com"), "https://example.com/", addresses) == code


def test_a_host_that_is_not_listed_is_refused_before_its_addresses_matter():
    assert code_of(rules("example.com"), "https://other.example/", ()) == "non_allowlisted_domain"


def test_a_refusal_names_the_host_and_the_address_but_nothing_else_of_the_url():
    refusal = rules("*").judge(parse_destination("https://db.example/secret?token=abc"), ("10.0.0.9",))
    assert refusal == Refusal("private_ip", "db.example resolves to 10.0.0.9, an address of the kind “private”")


def test_settings_refuse_an_unknown_key():
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"allowed_domain": ["example.com"]}, NetworkSettings)


def test_thousands_of_patterns_are_found_by_look_up_and_not_by_scanning():
    network = rules(
        *(f"h{number}.example.com" for number in range(2000)),
        *(f"*.z{number}.example.com" for number in range(2000)),
        prefixes=tuple(f"https://api.example.org/{number}/" for number in range(2000)),
    )
    assert network.allows(parse_destination("https://h1999.example.com/")) == "h1999.example.com"
    assert network.allows(parse_destination("https://a.b.z1999.example.com/")) == "*.z1999.example.com"
    assert network.allows(parse_destination("https://api.example.org/1999/x")) == "https://api.example.org/1999/"
    assert network.allows(parse_destination("https://api.example.org/2000/x")) is None


SEGMENTS = st.lists(st.sampled_from(["a", "b", "ab", "..", ".", "", "%2e", "a;b", "%61"]), max_size=5).map("/".join)


@given(
    st.sampled_from(["http", "https"]),
    st.sampled_from(["example.com", "sub.example.com", "example.com.other.example"]),
    st.sampled_from(["", ":80", ":443", ":8443"]),
    SEGMENTS,
    st.sampled_from(["https://example.com/a/", "https://example.com/a", "http://example.com:8443/a/b/"]),
)
def test_a_prefix_match_means_same_origin_and_whole_segments(scheme, host, port, path, prefix):
    try:
        dest = parse_destination(f"{scheme}://{host}{port}/{path}")
    except BadDestination:
        return
    if rules(prefixes=(prefix,)).allows(dest) is None:
        return
    wanted = parse_destination(prefix)
    assert (dest.scheme, dest.host, dest.port) == (wanted.scheme, wanted.host, wanted.port)
    assert dest.path == wanted.path or dest.path.startswith(wanted.path.rstrip("/") + "/")
    assert dest.path_is_plain


@given(st.text(max_size=40))
def test_any_text_is_a_pattern_or_a_bad_one(text):
    for settings in (NetworkSettings(allowed_domains=(text,)), NetworkSettings(allowed_url_prefixes=(text,))):
        fix = ""
        try:
            rules = NetworkRules(settings)
        except BadPattern as error:
            rules, fix = None, error.fix
        assert rules is not None or fix
