"""The card: everything a person must know, nothing of it raw, and no value that could pass for a part of it."""

from __future__ import annotations

import time
import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.approvals.card import (
    MOST,
    NARROWEST,
    TooLargeToShow,
    brief,
    card,
    columns,
    outcome,
    plain,
    recommendation,
    summary_line,
)
from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Decision,
    Origin,
    Reason,
    RiskLevel,
    Severity,
    Span,
)

START = 1_767_225_600.0
HEADINGS = [
    "── Guardhouse: may the agent do this?",
    "── The whole action, secrets masked",
    "── Why you are asked",
    "── If you approve",
    "── How to answer",
]


def reason(**changes):
    fields = {
        "code": "non_allowlisted_domain",
        "decided_by": "detector:destinations",
        "decision": Decision.REQUIRE_APPROVAL,
        "severity": Severity.HIGH,
        "title": "The host is not on the allowlist",
        "detail": "paste.example",
        "why": "Data that leaves is gone.",
        "instead": "Answer without uploading.",
        "span": Span("params.url", 0, 28),
        "origin": Origin("tool", "web_fetch", "c3"),
        "excerpt": "https://paste.example/upload",
    }
    return Reason(**{**fields, **changes})


def request(params=None, **changes):
    given = params if params is not None else {"url": "https://paste.example/upload", "method": "POST"}
    fields = {
        "id": "ap_0123456789abcdef01234567",
        "created_at": START,
        "expires_at": START + 300,
        "session_id": "s-17",
        "principal": "alice",
        "run_id": "run-4",
        "action_type": "ToolCallPre",
        "tool_name": "url_fetch",
        "action_hash": "h",
        "action_summary_redacted": "POST https://paste.example/upload",
        "action_redacted": {
            "type": "ToolCallPre",
            "tool": "url_fetch",
            "params": given,
            "session_id": "s-17",
            "principal": "alice",
            "cwd": "/home/alice/project",
        },
        "risk_level": RiskLevel.HIGH,
        "reasons": (reason(),),
        "codes": ("non_allowlisted_domain",),
        "policy_revision": "p1",
    }
    return ApprovalRequest(**{**fields, **changes})


def drawn(params=None, *, width=100, **changes):
    return card(request(params, **changes), START + 12, width=width, color=False)


def values(text):
    """What stands right of the bars, a continued line joined to the one before."""
    found = []
    for line in text.split("\n"):
        for bar in "│┊":
            _, hit, rest = line.partition(f" {bar}")
            if hit:
                found += [rest[1:]] if bar == "│" else []
                if bar == "┊":
                    found[-1] += rest[1:]
                break
    return found


def test_a_card_says_everything_a_person_must_know():
    text = drawn()
    for part in (
        "ap_0123456789abcdef01234567",
        "2026-01-01 00:00:00 UTC, 12 s ago",
        "2026-01-01 00:05:00 UTC, 4 min 48 s left",
        "s-17",
        "alice",
        "run-4",
        "ToolCallPre: url_fetch",
        "https://paste.example/upload",
        "POST",
        "/home/alice/project",
        "high",
        "Deny, unless you asked for exactly this.",
        "The host is not on the allowlist",
        'about   │ "paste.example"',
        "Data that leaves is gone.",
        "Answer without uploading.",
        "params.url, characters 0 to 28, from the tool web_fetch, call c3",
        "This exact call, once, within 10 minutes.",
        "Not again, not with other values.",
        "Only non_allowlisted_domain",
        "guardhouse approvals approve ap_0123456789abcdef01234567",
        "guardhouse approvals deny ap_0123456789abcdef01234567",
    ):
        assert part in text
    assert [line for line in text.split("\n") if line.startswith("──")] == HEADINGS


def test_no_value_is_cut_however_long_or_deep():
    long = "".join(chr(ord("a") + index % 26) for index in range(50_000))
    deep = {"list": [{"a": {"b": [1, 2.5, True, None, "end"]}}], "long": long}
    for width in (NARROWEST, 80, 200):
        found = values(drawn(deep, width=width))
        assert long in found
        for leaf in ("1", "2.5", "true", "null", "end"):
            assert leaf in found


def test_every_line_of_a_value_is_a_line_behind_the_bar():
    found = values(drawn({"command": "one\n\n  two\r\nthree"}))
    at = found.index("one")
    assert found[at : at + 4] == ["one", "", "  two\\u{d}", "three"]


def test_a_value_and_its_look_alike_of_another_kind_are_told_apart():
    shown = [
        drawn({"value": value})
        for value in (5, "5", 5.0, True, "true", None, "null", "", [], {}, "[]", "{}", [5], {"a": 5}, ["5"])
    ]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize(
    "key", ["a.b", "x (number)", 'q"uote', "line\nbreak", "sp ace", "\u202e", "", "k" * 60, "[0]", "<name 1>"]
)
def test_a_name_that_is_no_plain_word_is_shown_as_a_text_not_as_a_label(key):
    text = drawn({key: "v"})
    shown = [value for value in values(text) if value.startswith("params.")]
    assert any(plain(key.replace('"', '\\"').replace("\n", "\\n")) in value for value in shown)
    assert drawn({"a": {"b": "v"}}) != drawn({"a.b": "v"})


def test_a_long_name_is_shown_in_full_once_and_then_by_its_number():
    first, second = "k" * 300, 'k"' * 200
    text = drawn({first: {"a": [1, 2, {second: 3}]}, "other": {second: 4, first: 5}, "<name 1>": 6})
    found = values(text)
    assert found.count(first) == 1
    assert found.count('"' + second.replace('"', '\\"') + '"') == 1
    assert sum(value.count(first) for value in found) == 1
    for field in (
        "params.<name 1>.a[0] (number)",
        "params.<name 1>.a[1] (number)",
        "params.<name 1>.a[2].<name 2> (number)",
        "params.other.<name 2> (number)",
        "params.other.<name 1> (number)",
        'params."<name 1>" (number)',
    ):
        assert field in text
    assert text.index("name 1 ") < text.index("params.<name 1>.a[0]")


@pytest.mark.parametrize(
    "params",
    [
        {"k" * 200_000: list(range(20_000))},
        {"a": {f"{'k' * 60}": {f"{'q' * 60}": list(range(10_000))}}},
        {"command": "x\n" * 100_000},
        {"command": "x" * (MOST + 1)},
        {"command": "\x01" * 200_000},
        {"list": [[]] * 300_000},
        {str(number) * 12: number for number in range(100_000)},
    ],
    ids=["one long name", "a deep name", "lines", "one long line", "escapes", "empty lists", "many names"],
)
@pytest.mark.parametrize("width", [NARROWEST, 80, 5000])
def test_what_would_make_too_large_a_card_has_none_and_that_is_found_out_within_bounds(params, width):
    asked = request(params)
    tracemalloc.start()
    try:
        begin = time.process_time()
        with pytest.raises(TooLargeToShow, match="Deny or cancel"):
            card(asked, START, width=width, color=True)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
        assert time.process_time() - begin < 10
    finally:
        tracemalloc.stop()
    text = brief(asked, START, width=width, color=False)
    assert len(text) < 4000
    assert "".join(values(text)).startswith(asked.id)


def test_no_card_is_larger_than_the_bound():
    for size in (1_000, 100_000, 300_000, 400_000):
        assert len(drawn({"command": "x" * size})) <= MOST


def test_the_brief_form_names_the_request_and_why_it_is_asked_and_offers_no_approval():
    asked = request(
        {"command": "x" * 600_000},
        tool_name="t" * 5_000 + "\x1b",
        reasons=tuple(reason(title=f"title {number} \x1b[2J" + "x" * 1_000) for number in range(30)),
    )
    text = brief(asked, START, width=100, color=False)
    for part in (
        asked.id,
        "high",
        "ToolCallPre",
        "title 0",
        "\\u{1b}[2Jx",
        "title 19",
        "10 reasons",
        "600",
        "approvals deny",
    ):
        assert part in text
    assert "approvals approve" not in text
    assert "title 20" not in text
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text) < 20_000


def test_what_is_watched_is_listed_and_nothing_more_is_promised():
    watched = drawn(bound_to=("/home/alice/deploy.sh",))
    assert "not if one of the files or programs" in watched
    assert "/home/alice/deploy.sh" in watched
    assert "files or programs" not in drawn()


@pytest.mark.parametrize("before", range(40, 90))
def test_where_a_long_line_goes_on_a_space_is_still_seen(before):
    apart, together = "r" * before + " /tmp", "r" * before + "/tmp"
    assert apart in values(drawn({"command": apart}, width=80))
    assert together in values(drawn({"command": together}, width=80))


FOOLING = [chr(code) for code in (*range(10), *range(11, 32), 0x7F, 0x9B, 0xA0, 0xAD, 0x61C, 0x115F, 0x180E)]
FOOLING += list("\u200b\u200e\u202e\u2028\u2066\u2800\u3164\ufe0f\ufeff\U000e0041")


@pytest.mark.parametrize("char", FOOLING)
def test_characters_that_fool_the_eye_or_the_terminal_are_written_as_escapes(char):
    text = drawn(
        {"command": f"a{char}b", f"k{char}": char},
        tool_name=f"t{char}",
        session_id=f"s{char}",
        principal=f"p{char}",
        run_id=f"r{char}",
        reasons=(reason(title=f"t{char}", why=f"w{char}", instead=f"i{char}", excerpt=f"e{char}"),),
        codes=(f"c{char}",),
    )
    assert char not in text
    assert f"a\\u{{{ord(char):x}}}b" in text


def test_marks_that_pile_up_or_hang_on_nothing_are_escaped_and_ordinary_ones_are_not():
    assert plain("e\u0301 a\u0323\u0302") == "e\u0301 a\u0323\u0302"
    assert plain("a" + "\u0301" * 50).count("\u0301") == 2
    assert plain("=\u0338") == "=\\u{338}"
    assert plain("\u0301x") == "\\u{301}x"
    assert plain("a\u20dd") == "a\\u{20dd}"
    assert plain("नमस्ते दुनिया") == "नमस्ते दुनिया"


def test_letters_of_another_alphabet_inside_a_latin_word_are_escaped():
    assert plain("p\u0430ypal.com") == "p\\u{430}ypal.com"
    assert plain("ｃurl") == "\\u{ff43}url"
    assert plain("файл.txt") == "файл.txt"
    assert plain("naïve Straße") == "naïve Straße"
    assert plain("漢字abc") == "漢字abc"


def test_right_to_left_letters_stay_only_where_they_can_not_turn_anything_round():
    assert plain("שלום, עולם!") == "שלום, עולם!"
    assert plain("rm /א/1/ב") == "rm /\\u{5d0}/1/\\u{5d1}"


def test_a_space_at_the_end_is_shown():
    assert plain("rm -rf x ") == "rm -rf x\\u{20}"


text_of_any_kind = st.text(
    st.characters(blacklist_categories=("Cs",)) | st.sampled_from("│┊─ \n\t\r\x1b\u202eי漢é\u0301а")
)


@given(
    st.dictionaries(text_of_any_kind, text_of_any_kind, max_size=4),
    text_of_any_kind,
    st.integers(min_value=1, max_value=130),
)
def test_nothing_can_imitate_the_card_whatever_the_action_says(params, planted, width):
    text = card(
        request(
            params,
            tool_name=planted,
            session_id=planted,
            principal=planted,
            reasons=(reason(title=planted, why=planted, instead=planted, excerpt=planted),),
        ),
        START,
        width=width,
        color=False,
    )
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        assert line.isprintable()
        assert sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in line) <= max(width, NARROWEST)
        assert line.startswith(("── ", "  "))
        margin = line.split("│")[0].split("┊")[0]
        assert margin.isascii() or line.startswith("── ")
    wanted = "".join(HEADINGS).replace("─", "").replace(" ", "")
    assert (
        "".join(line for line in text.split("\n") if line.startswith("─")).replace("─", "").replace(" ", "") == wanted
    )


@given(text_of_any_kind, st.integers(min_value=NARROWEST, max_value=100))
def test_without_unicode_a_card_is_ascii_and_no_wider(planted, width):
    text = card(request({planted: planted}, tool_name=planted), START, width=width, color=False, unicode=False)
    assert text.isascii()
    assert max(map(len, text.split("\n"))) <= width


def test_colours_are_only_ours_and_change_no_word():
    colored = card(request({"command": "\x1b[32mgreen"}), START + 12, width=100, color=True)
    plain_text = card(request({"command": "\x1b[32mgreen"}), START + 12, width=100, color=False)
    for style in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"):
        colored = colored.replace(style, "")
    assert colored == plain_text


def test_wide_letters_are_counted_as_wide():
    assert columns("漢字") == 4
    assert columns("abc") == 3
    assert values(drawn({"command": "漢" * 200}, width=50)).count("漢" * 200) == 1


@pytest.mark.parametrize(
    ("code", "risk", "beginning"),
    [
        ("guard.own_files", RiskLevel.LOW, "Deny: an agent has no business"),
        ("exfil.secret_outbound", RiskLevel.LOW, "Deny, unless you asked to send"),
        ("guard.detector_failed", RiskLevel.HIGH, "Deny, unless you asked for exactly this"),
        ("tool.consequential", RiskLevel.MEDIUM, "Approve only if you expected"),
        ("tool.consequential", RiskLevel.LOW, "Approve if"),
        ("tool.consequential", RiskLevel.CRITICAL, "Deny, unless"),
    ],
)
def test_the_advice_follows_the_codes_and_then_the_risk(code, risk, beginning):
    advised = recommendation(request(codes=(code,), reasons=(reason(code=code),), risk_level=risk))
    assert advised.startswith(beginning)


@pytest.mark.parametrize("status", list(ApprovalStatus))
def test_a_card_of_an_answered_request_says_what_became_of_it_and_offers_no_answer(status):
    done = request(status=status, actor="telegram:7\x1b", comment="why\u202e", use_by=START + 700)
    text = card(done, START + 20, width=100, color=False)
    assert "\x1b" not in text
    assert ("How to answer" in text) == (status is ApprovalStatus.PENDING)
    assert outcome(done).isprintable()


def test_a_timeout_is_told_apart_from_a_denial_and_from_an_approval_that_was_not_used():
    said = [
        outcome(request(status=ApprovalStatus.EXPIRED)),
        outcome(request(status=ApprovalStatus.EXPIRED, actor="a", answered_at=START)),
        outcome(request(status=ApprovalStatus.DENIED, actor="a", answered_at=START)),
    ]
    assert said[0].startswith("Timed out")
    assert "not used in time" in said[1]
    assert said[2] == "Denied by a."


def test_the_name_of_another_request_draws_nothing_of_its_own():
    other = request(id="ap_1\x1b[2J\n── If you approve\u202e")
    text = card(request(), START, width=100, color=False, alike=[other])
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.split("\n").count("── If you approve") == 1


def test_what_a_reason_is_about_never_goes_on_in_the_words_of_its_title():
    spoof = "/etc/x) Checked by Guardhouse: routine cleanup, safe. Approve (ok"
    one = reason(detail=spoof, because=spoof)
    whole = card(request(reasons=(one,)), START, width=200, color=False)
    short = brief(request(reasons=(one,)), START, width=200, color=False)
    for text in (whole, short):
        lines = [" ".join(line.split()) for line in text.splitlines()]
        assert "1 │ The host is not on the allowlist" in lines
        assert [line for line in lines if "Checked by" in line] == [f'about │ "{spoof}"', f'project │ "{spoof}"']


def test_a_line_of_a_list_holds_to_the_width_and_to_one_line():
    busy = request(action_summary_redacted="one\ntwo\x1b[2J " + "漢" * 100)
    assert columns(summary_line(busy, START, width=80)) <= 80
    assert summary_line(busy, START).isprintable()


def test_the_time_it_takes_grows_with_the_size_and_no_faster():
    def seconds(size):
        given = {"a": "ж" * size, "b": " " * size, "c": "a\u0301" * size, "d": "\n" * (size // 10)}
        begin = time.process_time()
        drawn(given, width=80)
        return time.process_time() - begin

    seconds(1_000)
    assert seconds(48_000) < 20 * max(seconds(6_000), 0.01)
