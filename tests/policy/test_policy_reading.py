"""Three formats, one meaning; and nothing in a file that could be read in two ways."""

import time

import pytest

from guardhouse.model import PolicyError
from guardhouse.policy import read_document

YAML = """
guard:
  enabled: true
  network:
    url_fetch:
      allowed_url_prefixes: ["https://api.jsonbill.com/tasks/", "https://duckduckgo.com/html/"]
      deny_private_ips: true
      resolve_dns: true
      follow_redirects: false
      allow_proxy: false
"""
TOML = """
[guard]
enabled = true
[guard.network.url_fetch]
allowed_url_prefixes = ["https://api.jsonbill.com/tasks/", "https://duckduckgo.com/html/"]
deny_private_ips = true
resolve_dns = true
follow_redirects = false
allow_proxy = false
"""
DOTTED_TOML = """
guard.enabled = true
guard.network.url_fetch.allowed_url_prefixes = [
  "https://api.jsonbill.com/tasks/",
  "https://duckduckgo.com/html/",
]
guard.network.url_fetch.deny_private_ips = true
guard.network.url_fetch.resolve_dns = true
guard."network".'url_fetch'.follow_redirects = false
guard.network.url_fetch.allow_proxy = false
"""
JSON = """
{"guard": {"enabled": true, "network": {"url_fetch": {
  "allowed_url_prefixes": ["https://api.jsonbill.com/tasks/", "https://duckduckgo.com/html/"],
  "deny_private_ips": true, "resolve_dns": true, "follow_redirects": false, "allow_proxy": false}}}}
"""
WRITTEN = [
    ("c.yaml", YAML),
    ("c.yml", YAML),
    ("c.toml", TOML),
    ("d.toml", DOTTED_TOML),
    ("c.json", JSON),
    ("c.JSON", JSON),
]


def read(text, file="c.yaml"):
    return read_document(file, text.encode() if isinstance(text, str) else text).data


def refused(text, file="c.yaml"):
    with pytest.raises(PolicyError) as error:
        read(text, file)
    return str(error.value)


def test_every_format_says_the_same():
    assert [read(text, file) for file, text in WRITTEN] == [read(YAML)] * len(WRITTEN)


@pytest.mark.parametrize(("file", "text"), WRITTEN)
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(file, text):
    assert read(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), file) == read(YAML)


@pytest.mark.parametrize("file", ["c.yaml", "c.toml"])
@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_file_says_nothing(file, text):
    assert read(text, file) == {}


@pytest.mark.parametrize("file", ["config", "config.txt", "config.yaml.bak", "yaml", "c.ini"])
def test_an_unknown_ending_is_an_error(file):
    assert "ending" in refused(YAML, file)


@pytest.mark.parametrize(("file", "text"), [("c.yaml", "- a"), ("c.yaml", "5"), ("c.json", "[]"), ("c.json", '"x"')])
def test_a_configuration_is_a_mapping(file, text):
    assert "mapping" in refused(text, file)


@pytest.mark.parametrize("file", ["c.yaml", "c.toml", "c.json"])
def test_what_is_not_utf8_is_an_error(file):
    assert "UTF-8" in refused(b"a\xff", file)


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("c.yaml", "guard:\n  mode: enforce\n  mode: observe\n", 3),
        ("c.yaml", "guard:\n  rules:\n  - {id: a,\n     id: b}\n", 4),
        ("c.toml", "[guard]\nmode = 'enforce'\nmode = 'observe'\n", 3),
        ("c.toml", "[guard]\nbash = 'ask'\n[guard]\nmode = 'observe'\n", 3),
        ("c.json", '{"guard": {\n "mode": "enforce",\n "mode": "observe"}}', 3),
        ("c.json", '{"guard": {"rules": [{"id": "a"},\n {"id": "b",\n  "id": "c"}]}}', 3),
    ],
)
def test_a_key_that_is_there_twice_is_an_error_with_its_line(file, text, line):
    assert f"{file}:{line}" in refused(text, file)


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("c.yaml", "guard:\n  a: [1\nb: 2\n", 3),
        ("c.yaml", "guard:\n\tmode: x\n", 2),
        ("c.toml", "[guard]\nmode = \n", 2),
        ("c.toml", "[guard\n", 1),
        ("c.json", '{"guard":\n {,}}', 2),
    ],
)
def test_broken_syntax_is_an_error_with_its_line(file, text, line):
    assert f"{file}:{line}: " in refused(text, file)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [x]",
        "a: !!bool foo",
        "a: !!int x",
        "a: !!str 5",
        "a: !!binary aGk=",
        "a: !!set {x}",
        "a: !custom {b: 1}",
        "a: ! 5",
        "!!map {a: 1}",
        "a: !!seq [1]",
        "!!str a: 1",
    ],
)
def test_yaml_tags_are_refused(text):
    assert "c.yaml:1: " in refused(text)


@pytest.mark.parametrize(
    "text", ["a: &x {b: 1}\nc:\n  <<: *x\n", "<<: {a: 1}", "? [a, b]\n: 1", "? {a: 1}\n: 1", "&k a: 1"]
)
def test_merge_keys_and_keys_that_are_not_plain_are_refused(text):
    assert "plain keys" in refused(text)


def test_a_quoted_merge_key_is_only_a_strange_name():
    assert read('"<<": 1') == {"<<": 1}


@pytest.mark.parametrize(
    "value",
    [
        "010",
        "0x1F",
        "0b11",
        "1_000",
        "1:30",
        "190:20:30",
        "1:30.5",
        ".inf",
        "-.inf",
        ".nan",
        "9" * 5000,
        "2001-12-14",
        "2001-12-14t21:59:43.10-05:00",
        "=",
    ],
)
def test_numbers_and_dates_that_can_be_misread_are_refused(value):
    assert "c.yaml:1: " in refused(f"a: {value}")
    assert read(f'a: "{value}"') == {"a": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", False),
        ("Off", False),
        ("FALSE", False),
        ("yes", True),
        ("On", True),
        ("true", True),
        ("~", None),
        ("", None),
        ("null", None),
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("12", 12),
        ("1.5", 1.5),
        ("y", "y"),
        ("n", "n"),
        ("0o17", "0o17"),
        ("'no'", "no"),
        ('"5"', "5"),
        ("|\n  no\n", "no\n"),
        ("a b", "a b"),
    ],
)
def test_plain_values_mean_what_yaml_says(written, value):
    found = read(f"a: {written}")["a"]
    assert (found, type(found)) == (value, type(value))


def test_keys_are_text_whatever_they_look_like():
    assert read("no: 1\n5: 2\n~: 3\ntrue: 4\n2001-12-14: 5\n") == {"no": 1, "5": 2, "~": 3, "true": 4, "2001-12-14": 5}


def test_an_alias_repeats_a_value():
    assert read("a: &x [1, {b: 2}]\nc: *x\nd: *x\n") == {"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": [1, {"b": 2}]}


def bomb(levels, width=9):
    lines = ["a0: &a0 [x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join(lines)


NASTY = {
    "aliases that multiply": ("c.yaml", bomb(12)),
    "an alias of itself": ("c.yaml", "a: &a [*a]"),
    "an alias of nothing": ("c.yaml", "a: *b"),
    "deep lists": ("c.yaml", "a: " + "[" * 100_000),
    "deep closed lists": ("c.yaml", "a: " + "[" * 5000 + "]" * 5000),
    "deep mappings": ("c.yaml", "a: " + "{x: " * 100_000),
    "deep blocks": ("c.yaml", "- " * 100_000),
    "too many values": ("c.yaml", "a: [" + "1," * 300_000 + "]"),
    "two documents": ("c.yaml", "a: 1\n---\nb: 2\n"),
    "control characters": ("c.yaml", "a: \x00"),
    "deep TOML": ("c.toml", "a = " + "[" * 100_000),
    "deep inline TOML": ("c.toml", "a = " + "{x = " * 5000),
    "deep dotted TOML": ("c.toml", "a." * 2000 + "a = 1"),
    "a TOML number": ("c.toml", "a = " + "9" * 5000),
    "TOML nan": ("c.toml", "a = nan"),
    "a TOML date": ("c.toml", "[guard]\na = [1979-05-27]"),
    "deep JSON": ("c.json", '{"a":' * 100_000),
    "a JSON number": ("c.json", '{"a": 1e999}'),
    "JSON half a pair": ("c.json", '{"a": "\\ud800"}'),
    "a huge file": ("c.yaml", "#" * (4 * 1024 * 1024 + 1)),
}


@pytest.mark.parametrize("name", NASTY)
def test_a_file_made_to_hurt_is_an_error_and_soon(name):
    file, text = NASTY[name]
    started = time.process_time()
    assert refused(text, file).startswith(file)
    assert time.process_time() - started < 8


def test_a_date_in_toml_is_named_with_its_line():
    assert "c.toml:3: `a[0]`" in refused("[guard]\nx = 1\na = [1979-05-27]", "c.toml")


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        (
            "c.yaml",
            "guard:\n  rules:\n  - id: a\n    regex: x\n  -\n    id: b\n  findings:\n    tool.unclassified: deny\n",
            (3, 4, 6, 8),
        ),
        (
            "c.toml",
            (
                "[guard]\n\n[[guard.rules]]\nid = 'a'\nregex = 'x'\n[[guard.rules]]\nid = 'b'\n"
                "[guard.findings]\n# a.b = 1\n'tool.unclassified' = 'deny'\n"
            ),
            (4, 5, 7, 10),
        ),
        (
            "c.json",
            (
                '{"guard": {"rules": [\n{"id": "a:{[",\n"regex": "x\\""},\n{"id": "b"}],\n'
                '"findings": {\n "tool.unclassified": "deny"}}}'
            ),
            (2, 3, 4, 6),
        ),
    ],
)
def test_every_key_knows_its_line(file, text, lines):
    document = read_document(file, text.encode())
    keys = (("rules", 0, "id"), ("rules", 0, "regex"), ("rules", 1, "id"), ("findings", "tool.unclassified"))
    assert tuple(document.line(("guard", *key)) for key in keys) == lines


def test_a_table_below_an_array_of_tables_is_in_its_latest_entry():
    text = "[[guard.rules]]\nid = 'a'\n[[guard.rules]]\nid = 'b'\n[[guard.rules.match]]\ntype = 'UserInput'\n"
    assert read_document("c.toml", text.encode()).line(("guard", "rules", 1, "match", 0, "type")) == 6


def test_a_key_that_is_not_in_the_file_has_the_line_of_what_is_above_it():
    document = read_document("c.yaml", b"guard:\n  rules:\n  - id: a\n")
    assert document.line(("guard", "rules", 0, "match", 3)) == 3
    assert document.line(("other",)) is None
