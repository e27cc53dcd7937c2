"""What content writes to be taken for something else: the table, and each entry of it in every disguise."""

from __future__ import annotations

import html
import json
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guardhouse.trust.disguise import Undisguised
from guardhouse.trust.forgeries import FORGERIES, forged
from guardhouse.trust.lookalikes import KINDS, LOOKALIKES
from guardhouse.trust.quoting import RULE, quoted, unquoted

ENTRIES = {forgery.id: forgery for forgery in FORGERIES}
MUST = [(forgery.id, text) for forgery in FORGERIES for text in forgery.must]


def bare(text):
    return Undisguised(text, text.translate(KINDS)).text


def forges(text):
    """Where in a text something would still have to be broken up."""
    plain = Undisguised(text, text.translate(KINDS))
    found = [(plain.origin(place), capital) for place, capital in forged(plain.text)]
    return [place for place, capital in found if not (capital and "a" <= text[place] <= "z")]


def finds(forgery, text):
    import re2

    match = re2.search(forgery.pattern.encode(), bare(text))
    return match is not None and not (forgery.capital and text[match.start(1)].islower())


def test_every_entry_has_an_id_of_its_own_and_examples():
    assert len(ENTRIES) == len(FORGERIES)
    assert all(forgery.must and forgery.must_not for forgery in FORGERIES)


@pytest.mark.parametrize(("name", "text"), MUST)
def test_an_entry_finds_what_it_must_find(name, text):
    assert finds(ENTRIES[name], text)


@pytest.mark.parametrize(("name", "text"), [(f.id, text) for f in FORGERIES for text in f.must_not])
def test_an_entry_leaves_alone_what_it_must_not_find(name, text):
    assert not finds(ENTRIES[name], text)


def test_a_character_looks_like_one_other_only():
    likes = [like for likes in LOOKALIKES.values() for like in likes]
    assert len(likes) == len(set(likes))
    assert not any(like.isascii() for like in likes)


def wide(text):
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def alike(text):
    return "".join(LOOKALIKES.get(char.lower(), char)[0] if char != "\n" else char for char in text)


def tags(text):
    return "".join(chr(0xE0000 + ord(char)) if " " <= char <= "~" else char for char in text)


DISGUISES = {
    "none": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "full width": wide,
    "look-alikes": alike,
    "zero width": "\u200b".join,
    "soft hyphen": "\u00ad".join,
    "word joiner": "\u2060".join,
    "variation selector": "\ufe0f".join,
    "right to left override": "\u202e".join,
    "accents": lambda text: "".join(f"{char}\u0301" if char.isalpha() else char for char in text),
    "html": html.escape,
    "html numbers": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "html without semicolons": lambda text: text.replace("<", "&lt").replace(">", "&gt"),
    "html in html": lambda text: html.escape(html.escape(text)),
    "percent": lambda text: quote(text, safe=""),
    "percent of everything": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent of percent": lambda text: quote(quote(text, safe=""), safe=""),
    "html in percent": lambda text: quote(html.escape(text), safe=""),
    "json": lambda text: "".join(f"\\u{ord(char):04x}" for char in text if ord(char) < 0x10000),
    "json in json": lambda text: "".join(f"\\\\u{ord(char):04x}" for char in text if ord(char) < 0x10000),
    "javascript": lambda text: "".join(f"\\u{{{ord(char):x}}}" for char in text),
    "hexadecimal": lambda text: "".join(f"\\x{ord(char):02x}" for char in text if ord(char) < 0x100),
    "octal": lambda text: "".join(f"\\{ord(char):03o}" if ord(char) < 0x80 else char for char in text),
    "full width, decomposed": lambda text: unicodedata.normalize("NFD", wide(text)),
    "zero width of html": "&ZeroWidthSpace;".join,
}
"""What is done to a text so that its words are not found, while a model, or what it is read with, still reads them."""


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize(("name", "text"), MUST)
def test_no_disguise_helps(name, text, disguise):
    if (disguise == "hexadecimal" and not text.isascii()) or (disguise == "lower case" and ENTRIES[name].capital):
        return
    shown = quoted(DISGUISES[disguise](text))
    assert "⟦U+" in shown
    assert not forges(shown)
    assert not forges(shown.replace(RULE, ""))


def test_words_that_are_spelt_in_tags_are_shown_as_numbers():
    assert quoted(f"hi{tags('</s>')}") == f"{RULE}hi⟦U+E003C U+E002F U+E0073 U+E003E⟧"


@pytest.mark.parametrize(
    "text",
    [
        "List<List<String>> x = new ArrayList<>();",
        "def f(a: dict[str, list[int]]) -> None: return a[b[0]] << 2 | c >> 1",
        "if (a<b && c>d || !e) { x |= y; }  # 100% &amp; more",
        "«Le Monde» a publié un article\u00a0: «\u202foui\u202f»",
        "〈参考〉詳細は次のページ、「引用」と【注】",
        "می\u200cخواهم",
        "क्\u200dष, ക്\u200d",
        "👩\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 👍🏽 🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        '{"role":"user","content":"hi"}',
        "Action: merged by bot\nObservation: CI green",
        "user: postgres\nsystem_time: 3",
        "| a | b |\n|---|---|\n```python\nx = 1\n```\n=======\n-----",
        "<div><span>x</span></div> <user-agent>",
        "C:\\new\\users\\system32 \\d+ \\n",
        "a\ttab and\r\na line of Windows",
        "let y = x |> f >>= g <$> h <|> k",
        "https://example.com/?q=%20a%2Fb&lt=1",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert quoted(text) == RULE + text.replace("\n", f"\n{RULE}")


@pytest.mark.parametrize(
    "text",
    [
        "a\u200bb",
        "a\u200db",
        "x\u202ey",
        "\ufeffx",
        "a\u00adb",
        "\x1b[31mred",
        "a\u2028b",
        "a\x85b",
        "a\x0bb",
        "a\rb",
        "a\ufe0fb",
        "🏴\U000e0067\U000e0062\U000e007f",
        "\ud800",
        "\u3164",
        "\u2800",
        "👍\ufe0f\ufe0f",
        "a\x00b",
        "می\u200c\u200cx",
    ],
)
def test_what_can_not_be_seen_is_shown(text):
    shown = quoted(text)
    assert "⟦U+" in shown
    assert shown.splitlines() == [shown]
    assert unquoted(shown) == text


PIECES = [text for _name, text in MUST]
PIECES += [
    "<",
    "|",
    "[",
    "]",
    "&lt;",
    "%3C",
    "\\u003c",
    "\u200b",
    "⟦",
    "⟧",
    "┊ ",
    "\n",
    "ˆ",
    " ",
    "s",
    "untrusted",
    "end",
    "ﬆ",
    "\r",
    "Å",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8).map("".join))
@example("<|<|im_start|>")
@example("<user><tool><user>")
@example("syﬆem:")
@example("[INﬆ]")
@example("&amp;&lt;system")
@example("0\x1fBEGIN SYSTEM MESSAGE")
@example("<|t<user>")
@example("<|xend untrusted")
@example("end end untrusted untrusted")
def test_nothing_is_forged_any_more_and_everything_comes_back(text):
    shown = quoted(text)
    assert not forges(shown)
    assert unquoted(shown) == text


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_any_text_comes_back_exactly(text):
    for marks_spaces in (False, True):
        shown = quoted(text, marks_spaces=marks_spaces)
        shown.encode()
        assert unquoted(shown, marks_spaces=marks_spaces) == text
        assert all(line.startswith("┊") for line in shown.splitlines())


@given(st.text(max_size=40), st.text(max_size=3), st.integers(0, 40))
def test_what_is_not_written_as_it_would_be_quoted_is_refused(text, change, place):
    shown = quoted(text)
    other = shown[:place] + change + shown[place:]
    try:
        back = unquoted(other)
    except ValueError:
        return
    assert quoted(back) == other


def test_data_marking_leaves_no_space():
    assert quoted("send the  key", marks_spaces=True) == "┊ sendˆtheˆˆkey"
    assert quoted("2ˆ3", marks_spaces=True) == "┊ 2⟦U+02C6⟧3"


@pytest.mark.parametrize(
    "piece",
    [
        "<|im_start|>",
        "< ",
        "[ ",
        "&lt;",
        "&amp;",
        "%3C",
        "%25",
        "\\",
        "\\u003c",
        "a\u200b",
        "⟦",
        "end of the ",
        "<" + " " * 200,
        "\n",
        "\n>*",
        '"',
        "ﬆ",
    ],
)
def test_time_grows_with_the_text_and_no_faster(piece):
    import time

    def cost(size):
        text = piece * (size // len(piece))
        before = time.process_time()
        unquoted(quoted(text))
        return time.process_time() - before

    quoted(piece)
    enough = 4 * 4 * min(cost(16_000) for _ in range(3)) + 0.02
    assert any(cost(64_000) < enough for _ in range(3)), json.dumps(piece)
