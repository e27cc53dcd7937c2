"""Whatever looks first, the same secrets are found."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.secrets import SecretScanner, shapes, vectorscan
from guardhouse.detect.secrets.kinds import NAMED, PREFIXED
from guardhouse.detect.secrets.kinds.forms import FORMS
from guardhouse.detect.secrets.kinds.rows import example
from guardhouse.detect.secrets.matching import Re2Matcher
from guardhouse.detect.secrets.pairs import PAIR
from guardhouse.detect.secrets.searching import Searcher

pytestmark = pytest.mark.skipif(not vectorscan.is_available(), reason="there is no Vectorscan for this machine")


@pytest.fixture(scope="module")
def scanners(compiled_secrets):
    """By words, by sets of RE2, by Vectorscan."""
    busy = Re2Matcher()
    busy.places(b"x" * 100_000)
    fast = vectorscan.VectorscanMatcher(compiled_secrets)
    return [SecretScanner(matcher=Re2Matcher()), SecretScanner(matcher=busy), SecretScanner(matcher=fast)]


def found_by(scanners, text):
    return [scanner.scan(text) for scanner in scanners]


EXAMPLES = [
    *(example(row.example) for row in PREFIXED),
    *(text for kind in (*FORMS, PAIR) for text in (*kind.matches, *kind.misses)),
    *(f"{row.names.split()[0]}_api_key = a1B2c3D4e5F6a7b8c9d0e1f2a3b4c5d6" for row in NAMED[::20]),
]


def test_they_agree_on_every_example(scanners):
    # Afresh, so that it looks by words for as long as it does.
    for text in EXAMPLES:
        scanners[0] = SecretScanner(matcher=Re2Matcher()) if scanners[0].matcher._seen > 50_000 else scanners[0]
        words, sets, vectorscan_ = found_by(scanners, text)
        assert words == sets == vectorscan_, text


PIECES = st.sampled_from([*EXAMPLES[::7], " ", "\n", "x", '"', " + ", "password = ", "é", "\u200b", "%41", "=", "sk-"])


@settings(max_examples=up_to(150), deadline=None, derandomize=True)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=8).map("".join))
def test_they_agree_on_whatever_is_put_together(scanners, text):
    words, sets, vectorscan_ = found_by([SecretScanner(matcher=Re2Matcher()), *scanners[1:]], text)
    assert words == sets == vectorscan_


@pytest.mark.parametrize(
    "text",
    [
        "key: DB_PASSWORD_PROD=hunter2xx",
        "mysql -ps3cret-ish9 " + "x " * 150 + " -pfoo",
        "mysql -p\x0b161",
        "token egy_sk_live_30bbd64eebe7ba9d1205a004f961eabf469aa2a0",
        "api_key_mPSlEjMOVBul9DiMI4PCx=",
        "api_key_mPSlEjMOVBul9DiMI4PC-w",
    ],
)
def test_they_agree_where_they_once_did_not(scanners, text):
    words, sets, vectorscan_ = found_by([SecretScanner(matcher=Re2Matcher()), *scanners[1:]], text)
    assert words == sets == vectorscan_


HIDDEN = "ghp_" + "".join(random.Random(4).choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", k=36))


@pytest.mark.parametrize(
    "hide",
    [
        lambda text: base64.b64encode(text.encode()).decode(),
        lambda text: text.encode().hex(),
        lambda text: text.encode().hex(" "),
        lambda text: text.encode().hex(":"),
        " ".join,
        lambda text: text.encode("utf-16-le").decode("latin-1"),
    ],
    ids=["base64", "hexadecimal", "dump", "dump with colons", "blanks", "utf-16"],
)
def test_in_a_crowd_of_veils_the_last_secret_is_found_like_the_first(scanners, hide):
    dull = hide("nothing to be seen here, " * 2)
    text = "\n".join([hide(HIDDEN), *[dull] * (2 * shapes.MOST), hide(HIDDEN), ""])
    words, sets, fast = found_by([SecretScanner(matcher=Re2Matcher()), *scanners[1:]], text)
    assert words == sets == fast
    assert min(match.start for match in fast) < 16
    assert max(match.end for match in fast) > len(text) - 4


def test_threads_share_one_matcher(scanners):
    from concurrent.futures import ThreadPoolExecutor

    texts = EXAMPLES[:200]
    expected = [scanners[2].scan(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(scanners[2].scan, texts)) == expected


def test_without_the_search_underneath_the_wrapper_of_re2_finds_the_same():
    import re2

    class Wrapped:
        Options = re2.Options
        compile = staticmethod(re2.compile)

    pattern = "a(b+)|c(d)"
    under, over = Searcher(re2, pattern), Searcher(Wrapped, pattern)
    for data in (b"xxabbb", b"cd", b"x", b"zcdab"):
        for name in ("search", "match"):
            one, two = (getattr(one, name)(data, 0, len(data)) for one in (under, over))
            assert (one and [tuple(span) for span in one]) == (two and [tuple(span) for span in two])
