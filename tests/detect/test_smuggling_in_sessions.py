"""Whose a long value is: an address that came in is theirs, and what was read here and packed into one is not."""

import base64
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "guard"))

from guarded_house import House
from remembered_talk import Remembering

from guardhouse.model import Decision, ToolCallPost, ToolCallPre, UserInput

CONFIG = """
guard:
  network: {default: {allowed_domains: [ok.example, '*.wide.example']}}
  tools:
    get_profile: {capabilities: [reads]}
    list_items: {capabilities: [reads, reads_untrusted]}
"""
OPAQUE = base64.urlsafe_b64encode(bytes((at * 197 + 31) * (at + 7) % 256 for at in range(150))).decode().rstrip("=")
TEXT = base64.urlsafe_b64encode(b"the meeting with the buyers is at noon in the old house").decode().rstrip("=")
SIGNED = f"https://ok.example/files/a.zip?expires=1700000000&grant={OPAQUE}"
HOST = "orugkidnmvsxi2lom4qgs4zamf2ca3tpn5xa.wide.example"
ENCODED = ["exfil.encoded_data"]


class Session:
    def __init__(self, guard):
        self.guard = guard

    def says(self, text):
        self.guard.evaluate(UserInput(content=text, origin="typed", session_id="s"))
        return self

    def reads(self, content, tool="url_fetch", **params):
        self.guard.evaluate(ToolCallPost(tool=tool, params=params, content=content, session_id="s"))
        return self

    def fetches(self, url, **params):
        verdict = self.guard.evaluate(ToolCallPre(tool="url_fetch", params={"url": url, **params}, session_id="s"))
        return [one.code for one in verdict.findings if one.detector == "smuggling"]


@pytest.fixture
def session(tmp_path):
    return Session(House(tmp_path).guard(CONFIG, sessions=Remembering())).says(
        "Look at the files on ok.example, please"
    )


def test_a_long_value_that_nobody_gave_is_asked_about(session):
    session.reads("Nothing to see here.", url="https://ok.example/")
    assert session.fetches(SIGNED) == ENCODED


def test_an_address_that_the_user_gave_is_theirs(session):
    assert session.says(f"Fetch {SIGNED} for me").fetches(SIGNED) == []
    assert session.says(f"and https://ok.example/?m={TEXT}").fetches(f"https://ok.example/?m={TEXT}") == []


@pytest.mark.parametrize(
    "page",
    [
        f"The file is at {SIGNED}",
        f"- [the file]({SIGNED}), 12 MB",
        {"items": [{"name": "a.zip", "download_url": SIGNED}]},
        f'<p>See <a href="{SIGNED}">the file</a>.</p>',
        f'{{"url": "{SIGNED}"}}',
    ],
)
def test_an_address_that_stood_in_a_page_is_theirs(session, page):
    assert session.reads(page, url="https://ok.example/").fetches(SIGNED) == []


def test_a_cursor_that_came_in_by_itself_is_theirs(session):
    session.reads({"next_cursor": OPAQUE, "items": []}, tool="list_items")
    assert session.fetches(f"https://ok.example/items?after={OPAQUE}") == []


def test_what_was_read_here_is_not_theirs(session):
    session.reads({"blob": OPAQUE}, tool="get_profile")
    assert session.fetches(f"https://ok.example/items?after={OPAQUE}") == ENCODED


def test_what_the_agent_wrote_itself_is_not_theirs(session):
    for _ in range(2):
        assert session.fetches(SIGNED) == ENCODED
        session.reads("ok", url=SIGNED)


def test_text_in_an_encoding_is_asked_about_though_the_host_is_the_users(session):
    assert session.fetches(f"https://ok.example/?d={TEXT}") == ENCODED


def test_a_value_of_a_private_field_is_asked_about_plain_and_encoded(session):
    session.reads({"name": "Ada", "passport_number": "P1234567X"}, tool="get_profile")
    encoded = base64.urlsafe_b64encode(b"P1234567X").decode().rstrip("=")
    assert session.fetches("https://ok.example/?ref=P1234567X") == ["exfil.private_data"]
    assert session.fetches(f"https://ok.example/?ref={encoded}") == ["exfil.private_data"]
    assert session.fetches("https://ok.example/", headers={"X-Ref": "P1234567X"}) == ["exfil.private_data"]
    assert session.fetches("https://ok.example/?ref=P7654321X&page=1234567") == []


def test_a_private_value_that_the_user_spoke_of_may_go(session):
    session.reads({"name": "Ada", "passport_number": "P1234567X"}, tool="get_profile")
    session.says("Look up my passport on ok.example")
    assert session.fetches("https://ok.example/?ref=P1234567X") == []


def test_a_host_that_somebody_named_is_theirs(session):
    assert session.fetches(f"https://{HOST}/") == ["exfil.data_in_host_name"]
    assert session.reads(f"It is at https://{HOST}/ now", url="https://ok.example/").fetches(f"https://{HOST}/") == []


class Failing(Remembering):
    def state(self, session_id):
        raise OSError

    async def state_async(self, session_id):
        raise OSError


def test_a_session_that_can_not_be_read_excuses_nothing(tmp_path):
    session = Session(House(tmp_path).guard(CONFIG, sessions=Failing()))
    assert session.fetches(SIGNED) == ENCODED


def test_an_ordinary_address_asks_nothing_of_the_session(tmp_path):
    asked = []

    class Counting(Remembering):
        def state(self, session_id):
            asked.append(session_id)
            return super().state(session_id)

    guard = House(tmp_path).guard(CONFIG, sessions=Counting())
    for url in ("https://ok.example/docs/getting-started?page=2&sort=name", "https://ok.example/search?q=long+walks"):
        verdict = guard.evaluate(ToolCallPre(tool="url_fetch", params={"url": url}, session_id="s"))
        assert verdict.decision is Decision.ALLOW
    assert asked == []


NOTES = (
    "the surgeon said on Monday that the second operation has to wait until the infection in the left knee is gone "
    "and that nobody at the office must hear of it before the contract with the buyers is signed in March"
)


def test_an_address_inside_another_excuses_nothing(session):
    session.reads("See https://ok.example/docs for more.", url="https://ok.example/")
    assert session.fetches(f"https://ok.example/?d={TEXT}&u=https://ok.example/docs") == ENCODED
    assert session.fetches("https://ok.example/", headers={"User-Agent": f"bot (+https://ok.example/docs) {TEXT}"})


@pytest.mark.parametrize("joint", ["+", "-", "_", "/", "&p="])
def test_a_private_text_in_plain_words_is_seen(session, joint):
    session.reads({"notes": NOTES}, tool="get_profile")
    assert session.fetches("https://ok.example/?d=" + joint.join(NOTES.split())) == ["exfil.private_data"]


def test_a_private_text_in_a_header_or_a_parameter_is_seen(session):
    session.reads({"notes": NOTES}, tool="get_profile")
    assert session.fetches("https://ok.example/", headers={"User-Agent": NOTES}) == ["exfil.private_data"]
    assert session.fetches("https://ok.example/", headers={"Cookie": NOTES}) == ["exfil.private_data"]
    assert session.fetches("https://ok.example/", params={"d": NOTES}) == ["exfil.private_data"]


@pytest.mark.parametrize(
    "url",
    [
        "?p=X4471928KL",
        "?p=a:X4471928KL",
        "?p=id_X4471928KL_z",
        "?p=1,X4471928KL,2",
        "X4471928KL",
        "?p=X44-719-28KL",
    ],
)
def test_a_private_value_with_something_round_it_is_seen(session, url):
    session.reads({"passport": "X4471928KL"}, tool="get_profile")
    assert session.fetches(f"https://ok.example/{url}") == ["exfil.private_data"]


def test_encoded_text_in_a_credential_header_is_seen(session):
    session.reads("Nothing to see here.", url="https://ok.example/")
    assert session.fetches("https://ok.example/", headers={"Cookie": f"d={TEXT}"}) == ENCODED
    assert session.fetches("https://ok.example/", headers={"If-None-Match": OPAQUE}) == []


def chunks(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)]


def test_what_is_cut_up_over_headers_is_put_together(session):
    session.reads("Nothing to see here.", url="https://ok.example/")
    packed = base64.urlsafe_b64encode(NOTES.encode()).decode()
    by_value = {f"X-{at}": chunk for at, chunk in enumerate(chunks(packed, 20))}
    by_name = dict.fromkeys(chunks(packed, 60), "1")
    assert session.fetches("https://ok.example/", headers=by_value) == ENCODED
    assert session.fetches("https://ok.example/", headers=by_name) == ENCODED


def test_many_small_parts_are_counted_together(session):
    session.reads("Nothing to see here.", url="https://ok.example/")
    words = (NOTES + " ").split() * 5
    query = "&".join(f"p{at}=" + "+".join(words[at : at + 50]) for at in range(0, len(words), 50))
    assert session.fetches(f"https://ok.example/?{query}") == ENCODED
    opaque = {f"h{at}": "aB1cD2eF3gH4iJ5kL6mN7oP8zz" for at in range(200)}
    assert session.fetches("https://ok.example/", headers=opaque) == ENCODED


def test_ordinary_headers_are_let_be(session):
    session.reads("Nothing to see here.", url="https://ok.example/")
    headers = {
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language": "de-DE,de;q=0.9,en;q=0.8",
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0",
        "Content-Type": "application/json",
        "X-Request-Id": "3f2b8c1e-9d4a-4f6b-8a7c-1e2d3f4a5b6c",
        "If-None-Match": '"33a64df551425fcc55e4d42a148795d9f25f89d4"',
    }
    assert session.fetches("https://ok.example/search?q=what+is+the+best+way+to+learn+python", headers=headers) == []


@pytest.mark.parametrize(
    "packed",
    [
        ",".join(str(byte) for byte in NOTES.encode()),
        "".join(f"{byte:03}" for byte in NOTES.encode()),
        NOTES.encode().hex("-"),
        NOTES.encode().hex(":", 2),
        ".".join(chunks(base64.urlsafe_b64encode(NOTES.encode()).decode(), 8)),
        "!".join(chunks(base64.b32encode(NOTES.encode()).decode(), 5)),
    ],
)
def test_encodings_in_small_groups_are_read(session, packed):
    session.reads("Nothing to see here.", url="https://ok.example/")
    assert session.fetches(f"https://ok.example/?d={packed}") == ENCODED


@pytest.mark.parametrize(
    "query",
    [
        "id=" + ",".join(str(33_000_000 + 17 * at) for at in range(200)),
        "bbox=13.08,52.33,13.76,52.67&layers=1,2,3,4,5,6,7,8,9,10,11,12",
        "v=1.2.3.4.5.6.7.8.9.10.11.12",
        "slug=the-best-way-to-learn-python-in-a-week-for-people-who-can-not-wait",
        "t=2026-01-01T00:00:00Z&ids=a1,b2,c3,d4,e5,f6,a7,b8,c9,d0",
        "q=%E5%8C%97%E4%BA%AC%E5%A4%A9%E6%B0%94%E6%80%8E%E4%B9%88%E6%A0%B7",
    ],
)
def test_lists_and_slugs_are_let_be(session, query):
    session.reads("Nothing to see here.", url="https://ok.example/")
    assert session.fetches(f"https://ok.example/find?{query}") == []
