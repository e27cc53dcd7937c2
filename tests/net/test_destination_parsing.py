"""What is read as a destination, and what is refused because somebody could read it otherwise."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guardhouse.net import BadDestination, parse_destination
from guardhouse.net.destination import DEFAULT_PORTS, MAX_URL


def refusal_of(raw):
    with pytest.raises(BadDestination) as caught:
        parse_destination(raw)
    return caught.value


def again(dest):
    """`dest` parsed from its own canonical form, in which the dot segments it may have been written with are gone."""
    return msgspec.structs.replace(parse_destination(dest.href), path_is_plain=dest.path_is_plain)


def test_a_destination_has_all_its_parts_in_canonical_form():
    dest = parse_destination("HTTPS://API.Example.COM:8443/v1/Items?limit=10#top")
    assert (dest.scheme, dest.host, dest.port) == ("https", "api.example.com", 8443)
    assert (dest.path, dest.segments, dest.path_is_plain) == ("/v1/Items", ("v1", "Items"), True)
    assert dest.has_query
    assert dest.url == "https://api.example.com:8443/v1/Items"
    assert dest.href == "https://api.example.com:8443/v1/Items?limit=10"
    assert dest.address is None


ORDINARY = [
    # written, canonical
    ("https://example.com", "https://example.com/"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:80/", "https://example.com:80/"),
    ("wss://stream.example.com/feed", "wss://stream.example.com/feed"),
    ("https://example.com?x=1", "https://example.com/?x=1"),
    ("https://example.com#part", "https://example.com/"),
    ("https://example.com/?", "https://example.com/?"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://a_b.example.com/", "https://a_b.example.com/"),
    ("https://r3---sn-abc.example.com/", "https://r3---sn-abc.example.com/"),
    ("https://3com.example/0x10", "https://3com.example/0x10"),
    ("https://0xdead.example/", "https://0xdead.example/"),
    ("https://1.2.3.4.example/", "https://1.2.3.4.example/"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
    ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
    ("https://例え.example/", "https://xn--r8jz45g.example/"),
    ("https://日本語tv.example/", "https://xn--tv-5t7du0ck91h.example/"),
    ("https://пример.example/", "https://xn--e1afmkfd.example/"),
    ("https://example.com/wiki/２ちゃんねる", "https://example.com/wiki/%EF%BC%92%E3%81%A1%E3%82%83%E3%82%93%E3%81%AD%E3%82%8B"),
    ("https://example.com/caf%c3%a9?q=%e2%82%ac", "https://example.com/caf%c3%a9?q=%e2%82%ac"),
    ("https://example.com/a/../b/./c", "https://example.com/b/c"),
    ("https://example.com/a/..", "https://example.com/"),
    ("https://example.com/../../a/.", "https://example.com/a/"),
    ("https://example.com/a//b", "https://example.com/a//b"),
    ("https://example.com/.well-known/x...y", "https://example.com/.well-known/x...y"),
    ("https://example.com/@scope/pkg@1.2.3;v=1/(x)!$&'*+,=:|[1]", "https://example.com/@scope/pkg@1.2.3;v=1/(x)!$&'*+,=:|[1]"),
    ("https://example.com/{id}/<x>", "https://example.com/%7Bid%7D/%3Cx%3E"),
    ("https://example.com/projects/group%2Fname", "https://example.com/projects/group%2Fname"),
    ("https://example.com/job/feature%252Fx", "https://example.com/job/feature%252Fx"),
    ("https://example.com/100%25", "https://example.com/100%25"),
    ("https://example.com/legacy/%E9t%E9", "https://example.com/legacy/%E9t%E9"),
    ("https://example.com/?q=100%&r=a%2f..%2fb&s=x@y&t={'1'}", "https://example.com/?q=100%&r=a%2f..%2fb&s=x@y&t={%271%27}"),
    ("https://example.com/?next=https://user@other.example/..//", "https://example.com/?next=https://user@other.example/..//"),
    ("http://9.9.9.9:8080/", "http://9.9.9.9:8080/"),
    ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
    ("http://[::FFFF:1.2.3.4]:81/", "http://[::ffff:102:304]:81/"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "href"), ORDINARY)
def test_an_ordinary_url_is_read_and_written_canonically(raw, href):
    dest = parse_destination(raw)
    assert dest.href == href
    assert again(dest) == dest


@pytest.mark.parametrize(
    ("raw", "host", "address"),
    [
        ("http://127.0.0.1/", "127.0.0.1", "127.0.0.1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1", "::1"),
        ("http://localhost./", "localhost", None),
    ],
)
def test_a_literal_address_is_known_as_one(raw, host, address):
    dest = parse_destination(raw)
    assert (dest.host, dest.address) == (host, address)


def test_escapes_of_plain_letters_do_not_hide_a_path():
    dest = parse_destination("https://example.com/%61dmin/%7Euser/%c3%a9")
    assert dest.path == "/admin/~user/%C3%A9"
    assert dest.url == "https://example.com/admin/~user/%C3%A9"
    assert dest.path_is_plain


REFUSED = {
    "url.scheme": [
        "file:///etc/hosts",
        "FILE://localhost/etc/hosts",
        "ftp://example.com/",
        "gopher://example.com:70/_x",
        "dict://example.com:2628/d:word",
        "ldap://example.com/",
        "data:text/html,hello",
        "javascript:alert(1)",
        "about:blank",
        "view-source:https://example.com/",
        "jar:https://example.com/a.jar!/b",
        "httpx://example.com/",
        "example.com:8080/path",
        "localhost:11211/stats",
        "file:\\\\server\\share",
    ],
    "url.userinfo": [
        "https://user@example.com/",
        "https://user:word@example.com/",
        "https://@example.com/",
        "https://:@example.com/",
        "https://example.com@other.example/",
        "https://example.com:443@other.example/",
        "https://example.com%2f@other.example/",
        "https://a@b@example.com/",
        "https://[::1]@example.com/",
    ],
    "url.odd_address": [
        "http://2130706433/",
        "http://017700000001/",
        "http://0x7f000001/",
        "http://0X7F.1/",
        "http://0x/",
        "http://127.1/",
        "http://127.0.1/",
        "http://0/",
        "http://00.0.0.0/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://8.8.8.08/",
        "http://8.8.010.8/",
        "http://127.0.0.1./",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://999999999999/",
        "http://example.1/",
        "http://example.0x1f/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
    ],
    "url.ambiguous": [
        " https://example.com/",
        "https://example.com/ ",
        "https://example.com/a b",
        "https://exam\tple.com/",
        "https://example.com/\n",
        "ht\ntps://example.com/",
        "java\tscript:alert(1)",
        "https://example.com/\x00",
        "https://example.com\\@other.example/",
        "https:\\\\example.com/",
        "https://example.com/a\\..\\b",
        "https:/\\example.com/",
        "https:example.com",
        "https:/example.com",
        "https://ex\u00adample.com/",
        "https://ex\u200bample.com/",
        "https://example.com/\u200d",
        "https://example.com/\u202e",
        "https://example.com/#\ufeff",
        "https://example.com/\ufe0f",
        "https://example.com/\U000e0041",
        "https://example.com/\u3000",
        "https://example。com/",
        "https://example．com/",
        "https://example｡com/",
        "https://ｅxample.com/",
        "https://①.example/",
        "https://ﬁsh.example/",
        "https://\u212aiwi.example/",  # the Kelvin sign
        "https://example.com\u2044other.example/",  # the fraction slash
        "https://i❤.example/",
        "http://１２７.0.0.1/",
        "https://xn--pple-43d.com/",  # Cyrillic а before Latin pple
        "https://\u0430pple.com/",
        "https://gοοgle.example/",  # Greek omicrons
        "https://bu\u0308cher.example/",  # decomposed
        "https://%65xample.com/",
        "https://example%2ecom/",
        "https://example.com%00.other.example/",
        "https://example.com&other.example/",
        "https://example.com,other.example/",
        "https://*.example.com/",
        "https://$(id).example.com/",
        "https://example.com/a/%2e%2e/b",
        "https://example.com/a/.%2E/b",
        "https://example.com/a/%2e/b",
        "https://example.com/a/..%2fb",
        "https://example.com/a%2f..%2fb",
        "https://example.com/%252e%252e/b",
        "https://example.com/a%252f%252e%252e%252fb",
        "https://example.com/%25252e%25252e/b",
        "https://example.com/a%5cb",
        "https://example.com/a%255cb",
        "https://example.com/a%00",
        "https://example.com/a%2500",
        "https://example.com/a%0d%0aX:%20y",
        "https://example.com/a%",
        "https://example.com/a%2",
        "https://example.com/a%zz",
        "https://example.com/%u002e",
        "https://example.com/%2525252525252e",
    ],
    "url.invalid": [
        "",
        "example.com",
        "//example.com/",
        "/path",
        "://example.com/",
        "https://",
        "https:///path",
        "https:////example.com/",
        "https://?x",
        "https://:443/",
        "https://./",
        "https://.example.com/",
        "https://a..b/",
        "https://example.com../",
        "https://-a.example/",
        "https://a-.example/",
        f"https://{'a' * 64}.example/",
        f"https://{'a.' * 130}example/",
        "https://example.com:/",
        "https://example.com:0/",
        "https://example.com:080/",
        "https://example.com:65536/",
        "https://example.com:-1/",
        "https://example.com:8o/",
        "https://example.com:４４３/",
        "https://example.com:80:80/",
        "https://2606:4700::1/",
        "https://[2606:4700::1/",
        "https://[2606:4700::1]x/",
        "https://[]/",
        "https://[1.2.3.4]/",
        "https://[::1::2]/",
        "https://xn--a-.example/",
        "https://xn--999999999.example/",
        f"https://example.com/{'a' * MAX_URL}",
    ],
}


@pytest.mark.parametrize(("code", "raw"), [(code, raw) for code, raws in REFUSED.items() for raw in raws])
def test_what_can_be_misread_is_refused(code, raw):
    assert refusal_of(raw).code == code


@pytest.mark.parametrize("raws", REFUSED.values(), ids=REFUSED)
def test_a_refusal_says_what_to_do_and_never_quotes_the_url(raws):
    for raw in raws:
        error = refusal_of(raw)
        assert error.what
        assert error.fix
        assert "example" not in error.what


NOT_PLAIN = [
    "/v1/../v1/x",
    "/v1/./x",
    "/v1//x",
    "//v1/x",
    "/v1/x;y",
    "/v1/..;/x",
    "/v1/..%3b/x",
    "/v1/.../x",
    "/v1/....//x",
    "/v1/..x",
    "/v1/a%2fb",
    "/v1/a%252fb",
    "/v1/a%3bb",
    "/v1/%c0%ae%c0%ae/x",
    "/v1/%e9",
    "/v1/．．／x",
    "/v1/%ef%bc%8e%ef%bc%8e/x",
    "/v1/‥/x",
    "/v1/a／b",
    "/v1/％2e％2e",
]


@pytest.mark.parametrize("path", NOT_PLAIN)
def test_a_path_that_some_server_reads_otherwise_is_not_plain(path):
    assert not parse_destination(f"https://example.com{path}").path_is_plain


@pytest.mark.parametrize(
    "path", ["", "/", "/v1", "/v1/", "/.well-known/a", "/v1/a.b..c", "/v1/%20x", "/caf%C3%A9", "/价格。"]
)
def test_an_everyday_path_is_plain(path):
    assert parse_destination(f"https://example.com{path}").path_is_plain


ALPHABET = st.text(
    alphabet=st.one_of(st.sampled_from("htps:/@.%2eEfF#?\\[]0x17aé．。\u200b\t -_"), st.characters()), max_size=60
)


@given(st.one_of(st.text(max_size=80), ALPHABET, ALPHABET.map(lambda tail: f"https://{tail}")))
@example("https://xn--\udcff.example/")
@example("http://[" + ":" * 50 + "]")
def test_any_text_is_a_destination_or_a_bad_one(raw):
    try:
        dest = parse_destination(raw)
    except BadDestination:
        return
    assert dest.scheme in DEFAULT_PORTS
    assert dest.host.isascii()
    assert dest.host == dest.host.lower()
    assert dest.path == "/" + "/".join(dest.segments)


HOSTS = st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{0,8}(\.[a-z]{2,8}){1,3}", fullmatch=True)
PATHS = st.text(st.sampled_from("ab/.%25cé;:@~'\"{|[&=+"), max_size=20).map(lambda path: f"/{path}")
QUERIES = st.text(st.sampled_from("ab/.%?&='é{@"), max_size=12)


@given(HOSTS, st.one_of(st.none(), st.integers(1, 65535)), PATHS, QUERIES)
def test_parsing_a_canonical_url_again_changes_nothing(host, port, path, query):
    raw = f"https://{host}{'' if port is None else f':{port}'}{path}?{query}"
    try:
        dest = parse_destination(raw)
    except BadDestination:
        return
    assert again(dest) == dest
    assert parse_destination(dest.url).path == dest.path


@given(HOSTS, st.text(max_size=20))
def test_the_host_is_never_anything_but_what_stands_before_the_first_slash(host, tail):
    try:
        dest = parse_destination(f"https://{host}/{tail}")
    except BadDestination:
        return
    assert dest.host == host.lower()


def test_the_other_parser_is_loaded_with_the_first_url_and_not_before():
    script = (
        "import sys, guardhouse.net as net; assert 'ada_url' not in sys.modules;"
        "net.parse_destination('https://example.com/'); assert 'ada_url' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
