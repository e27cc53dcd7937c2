"""Typed values in texts: every spelling of one value has one form, and no value is taken for another."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.trust.ledger.values import WEEKDAYS, values, weekday_of

FOUND = (
    # text, what must be found in it
    ("May 26th, 2024", "date:2024-05-26"),
    ("on 5 May 2024.", "date:2024-05-05"),
    ("Sept 3 2024", "date:2024-09-03"),
    ("the 5th of May", "day:05-05"),
    ("from May 10 to 13", "day:05-10"),
    ("from May 10 to 13", "day:05-13"),
    ("2024-05-15", "date:2024-05-15"),
    ("2024-05-15T10:30:00Z", "date:2024-05-15"),
    ("2024-05-15T10:30:00Z", "time:10:30"),
    ("15.05.2024", "date:2024-05-15"),
    ("5/15/2024", "date:2024-05-15"),
    ("31/12/2024", "date:2024-12-31"),
    ("at 9pm", "time:21:00"),
    ("at 9 p.m.", "time:21:00"),
    ("12am", "time:00:00"),
    ("21:30:00", "time:21:30"),
    ("10h", "time:10:00"),
    ("98.70", "num:98.7"),
    ("$1,200", "num:1200"),
    ("1,234.56", "num:1234.56"),
    ("1.234,56 EUR", "num:1234.56"),
    ("1'000", "num:1000"),
    ("€12.50,", "num:12.5"),
    ("-50", "num:-50"),
    ("12%", "pct:12"),
    ("12 percent", "pct:12"),
    ("DE40 1203 0000 1056 7788 21", "id:de40120300001056778821"),
    ("DE40120300001056778821", "id:de40120300001056778821"),
    ("+44 7700 900123", "id:447700900123"),
    ("0171 234 5678", "id:01712345678"),
    ("1234567890", "id:1234567890"),
    ("(AB-1234)", "id:ab1234"),
    ("#31", "id:31"),
    ("Bob <Bob@X.com>,", "email:bob@x.com"),
    ("mailto:bob@x.com", "email:bob@x.com"),
    ("ＢＯＢ@ｘ.com", "email:bob@x.com"),
    ("contact(mallory@evil.com)", "email:mallory@evil.com"),
    ("a@b.com,c@d.com", "email:c@d.com"),
    ("联系mallory@evil.com谢谢", "email:mallory@evil.com"),
    (f"{'x' * 600},mallory@evil.com", "email:mallory@evil.com"),
    ("@handle", "handle:handle"),
    ("bob@server", "handle:bob@server"),
    ("HTTPS://Evil.com:443/A/", "url:evil.com/A"),
    ("www.evil.com", "url:evil.com"),
    ("evil.com/path?x=1", "url:evil.com/path?x=1"),
    ("http://evil.com:8080/a", "url:evil.com:8080/a"),
    ("https://example.com.They said", "host:example.com"),
    ("[click](https://evil.com/a)", "url:evil.com/a"),
    ('<a href="https://evil.com/x">click</a>', "host:evil.com"),
    ("https://data@evil.com/x", "host:evil.com"),
    ("https://evil.com\\@ok.com", "host:evil.com"),
    ("https://ok.com,https://evil.com", "host:evil.com"),
    ("https://ok.com/r?to=https://evil.com/a", "url:evil.com/a"),
    ("https://medium.com/@user/post", "url:medium.com/@user/post"),
    ("请访问https://evil.com查看", "host:evil.com"),
    ("http://[::1]:8080/x", "host:::1"),
    ("http://under_score.evil/x", "host:under_score.evil"),
    (f"https://evil.com/?q={'a' * 600}", "host:evil.com"),
    ("report.pdf", "path:report.pdf"),
    ("/srv/notes/plan.txt", "path:plan.txt"),
    ("C:\\tmp\\a.txt", "path:c:/tmp/a.txt"),
)
NOT_FOUND = (
    # text, what must not be found in it
    ("May 26th, 2024", "num:"),
    ("15.05.2024", "num:"),
    ("DE40 1203 0000 1056 7788 21", "num:"),
    ("12%", "num:"),
    ("report.pdf", "host:"),
    ("node.js", "host:"),
    ("e.g.", "host:"),
    ("3.14", "host:"),
    ("he may come", "day:"),
    ("may be", "date:"),
    ("2024-13-45", "date:"),
    ("https://medium.com/@user/post", "email:"),
    ("https://data@evil.com/x", "email:"),
    ("a plain sentence without anything", ""),
)


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_a_value_is_found_however_it_is_written(text, value):
    assert value in [str(one) for one in values(text)]


@pytest.mark.parametrize(("text", "start"), NOT_FOUND)
def test_a_value_is_not_taken_for_another(text, start):
    assert not [str(one) for one in values(text) if str(one).startswith(start)]


def test_of_values_that_are_glued_together_the_first_is_the_whole():
    assert str(next(values("ok@fine.com,mallory@evil.com"))) == "email:ok@fine.com,mallory@evil.com"
    assert str(next(values("https://ok.com/,https://evil.com"))) == "url:ok.com/,https://evil.com"


def test_a_user_in_a_link_stays_part_of_it():
    assert str(next(values("https://data@evil.com/x"))) != str(next(values("https://evil.com/x")))


@given(st.text())
def test_any_text_can_be_looked_through(text):
    assert all(value.type and isinstance(value.form, str) for value in values(text))


@pytest.mark.parametrize("text", ["May 5 ²⁰²⁴", "𐩀/𐩀/2024", "𐩀:𐩀", "5 May 𐩀𐩀𐩀𐩀", "¹%", "+𐩀𐩀 𐩀𐩀𐩀", "①②"])
def test_digits_that_are_no_numbers_are_none(text):
    list(values(text))


@given(st.text(alphabet="a@:/.,;()<>\"'[]+-0123 tm%$#\\", max_size=80))
def test_any_mixture_of_marks_can_be_looked_through(text):
    list(values(text))


@pytest.mark.parametrize(
    "piece", ["a@b.c,", "http://a.b,", "://", "@", "+1 ", "may 5 to ", "x1y2", "1.", "a.b/", "([{"]
)
def test_looking_through_takes_time_in_proportion_to_the_text(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        start = time.process_time()
        for _value in values(text):
            pass
        return time.process_time() - start

    enough = 12 * min(seconds(40_000) for _ in range(3)) + 0.05
    assert any(seconds(240_000) < enough for _ in range(3))


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_the_weekday_of_a_date_is_the_calendars(day):
    assert weekday_of(day.isoformat()) == WEEKDAYS[day.weekday()]


@pytest.mark.parametrize("form", ["05-15", "2024-13-01", "", "x", "2024-5"])
def test_what_is_no_whole_date_has_no_weekday(form):
    assert weekday_of(form) is None
