"""The pages of decisions, the record, a call and sessions, as fragments: what they show, to whom, and how safely."""

import html
import re
import time
from urllib.parse import quote

import pytest
from daemon_process import ASKING, HARMLESS, until
from hostile_record import BAD, FORBIDDEN, hostile_session, write

from guardhouse.config import find_sources
from guardhouse.desk import Desk
from guardhouse.server.console.links import key_in, key_link, session_link

PAGES = ("/console/decisions", "/console/audit", "/console/sessions", "/console/audit/chain")
_numbers = iter(range(10_000))


@pytest.fixture
def person(daemon):
    with daemon.approver(f"reader-{next(_numbers)}") as client:
        yield client


def shown(client, path, status=200):
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    return answer.text


def did(agent, session, action=HARMLESS):
    told = agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()
    return told.get("event_id") or told["verdict"]["event_id"]


def titles(page):
    return [" ".join(one.split()) for one in re.findall(r"<h2>(.*?)</h2>", page)]


def texts(page):
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def test_every_page_is_for_people_who_may_observe_only(daemon, agent, person):
    event = did(agent, "who")
    for path in (*PAGES, f"/console/audit/{event}", f"/console/audit/{event}/raw", "/console/decisions/news?after=0"):
        with daemon.client() as nobody:
            assert nobody.get(path).status_code == 401
        assert agent.get(path).status_code == 403
        assert person.get(path).status_code == 200
    for path in ("/decisions", "/audit", f"/audit/{event}", "/sessions", "/sessions/abc"):
        with daemon.client() as nobody:
            assert 'id="sign-in"' in nobody.get(path).text
            assert event not in nobody.get(path).text.replace(path, "")


def test_decisions_are_counted_charted_and_listed_by_their_filters(agent, person):
    session = f"counted-{next(_numbers)}"
    for _ in range(3):
        did(agent, session)
    did(agent, session, ASKING)
    page = shown(person, f"/console/decisions?session={session}&since=1h")
    assert re.search(r"Decisions</dt><dd><b>4</b>", page)
    assert re.search(r"Asked</dt><dd><b>25 %</b>", page)
    assert "3 allowed, 0 redacted, 1 asked, 0 denied" in page
    assert page.count('class="event-link"') == 4
    assert page.count('data-series="') == 4
    counts = [sum(map(int, one.split())) for one in re.findall(r'data-counts="([\d ]+)"', page)]
    assert counts == [3, 0, 1, 0]
    assert f'href="/decisions?session={session}&amp;since=1h&amp;tool=bash"' in page
    only = shown(person, f"/console/decisions?session={session}&tool=bash")
    assert only.count('class="event-link"') == 1
    assert "Remove the filter Tool: bash" in only


def test_older_rows_come_page_by_page_and_news_are_counted(agent, person):
    session = f"many-{next(_numbers)}"
    for _ in range(55):
        did(agent, session)
    page = shown(person, f"/console/decisions?session={session}")
    assert page.count('class="event-link"') == 50
    older = html.unescape(re.search(r'hx-get="([^"]+/rows[^"]+)"', page)[1])
    rest = shown(person, older)
    assert rest.count('class="event-link"') == 5
    assert "Older" not in rest
    newest = re.search(r'data-newest="(\d+)"', page)[1]
    news = f"/console/decisions/news?session={session}&after={newest}"
    assert person.get(news).headers["guardhouse-new"] == "0"
    did(agent, session)
    did(agent, f"another-{session}")
    assert person.get(news).headers["guardhouse-new"] == "1"
    assert person.get(news.replace("decisions", "audit")).headers["guardhouse-new"] == "1"


def test_a_filter_that_can_not_be_read_is_told_and_left_out(person):
    page = shown(person, "/console/decisions?since=yesterday")
    assert "That is no moment." in page
    assert "is not one of those there are" in shown(person, "/console/audit?kind=whatever")
    assert "Nothing fits these filters." in shown(person, "/console/audit?tool=nowhere-to-be-seen")


def test_a_call_is_told_from_its_plan_to_its_result(daemon, agent, person):
    told = agent.post("/v1/evaluate", json={"action": {**ASKING, "call_id": "c1"}, "session_id": "story"}).json()
    request = told["approval_request_id"]
    assert person.post(f"/v1/approvals/{request}/approve", json={"comment": "Once <b>only</b>"}).status_code == 200
    agent.post("/v1/consume", json={"action": {**ASKING, "call_id": "c1"}, "session_id": "story"})
    result = {"type": "ToolCallPost", "tool": "bash", "call_id": "c1", "content": "done"}
    agent.post("/v1/evaluate", json={"action": result, "session_id": "story"})
    page = shown(person, f"/console/audit/{request}")
    words = ("The agent planned", "The gate decided", "answered", "Its result was looked at")
    places = [page.index(one) for one in words]
    assert places == sorted(places)
    for one in (f'href="/approvals/{request}"', 'href="/reasons/shell.deletes_outside_project"', 'href="/sessions/',
                "Once &lt;b&gt;only&lt;/b&gt;", "after", "This was a false alarm", "Was this right?"):  # fmt: skip
        assert one in page, one
    by_event = shown(person, f"/console/audit/{told['verdict']['event_id']}")
    assert by_event.count('class="step ') == page.count('class="step ')
    raw = texts(shown(person, f"/console/audit/{told['verdict']['event_id']}/raw"))
    assert '"policy_revision"' in raw
    assert "There is no such event" in shown(person, "/console/audit/ev_nowhere", 404)


def test_what_somebody_thinks_of_a_decision_is_shown_counted_and_escaped(agent, person):
    session = f"opinion-{next(_numbers)}"
    event = did(agent, session, ASKING)
    form = {"content-type": "application/x-www-form-urlencoded"}
    to = f"/console/audit/{event}/feedback"
    said = person.post(to, content=f"opinion=false_alarm&comment={quote('<b>ours</b>')}&from=page", headers=form)
    assert (said.status_code, "False alarm" in said.text, "&lt;b&gt;ours" in said.text) == (200, True, True)
    row = person.post(to, content="opinion=right&from=row", headers=form)
    assert 'aria-label="Right"' in row.text
    page = shown(person, f"/console/decisions?session={session}")
    assert "0 of 1 marked" in page
    assert 'aria-label="Right"' in page
    assert person.post(to, content="opinion=maybe", headers=form).status_code == 400
    assert agent.post(to, content="opinion=right", headers=form).status_code == 403


def test_a_session_tells_what_came_in_from_whom(agent, person):
    def said(kind, **fields):
        told = agent.post("/v1/evaluate", json={"action": {"type": kind, **fields}, "session_id": "a/b ü"})
        assert told.status_code == 200, told.text

    said("UserInput", content="Look at the page", origin="typed")
    said("ToolCallPost", tool="url_fetch", call_id="c9", content="<b>A page</b> of theirs")
    listed = shown(person, "/console/sessions")
    link = re.search(r'href="(/sessions/[\w-]+)">\s*<span class="session-name"><code>a/b ü<', listed)[1]
    page = shown(person, f"/console{link}")
    for one in ("The user said", "A tool returned", "From the user", "Untrusted", "url_fetch", "c9",
                "&lt;b&gt;A page&lt;/b&gt; of theirs", "/decisions?session=a%2Fb+%C3%BC"):  # fmt: skip
        assert one in page, one
    assert "Nothing is kept of this session" in shown(person, f"/console{key_link('nobody/nothing')}", 404)
    assert "That is no session" in shown(person, "/console/sessions/%21%21", 404)


@pytest.mark.parametrize("key", ["a", "ada/s1", "ada/../../x?y#z&", "ü/\u202e\n", "a" * 512])
def test_a_session_is_found_by_its_link_whatever_its_name(key):
    assert key_in(key_link(key).removeprefix("/sessions/")) == key
    assert re.fullmatch(r"/sessions/[\w-]+", key_link(key))
    assert session_link(None, None) == ""


def test_a_long_session_comes_in_parts(daemon, person):
    with desk_of(daemon) as desk:
        for number in range(120):
            desk.sessions.append("ada/long", _event(number))
    page = shown(person, f"/console{key_link('ada/long')}")
    assert page.count('class="step ') == 100
    later = shown(person, re.search(r'hx-get="([^"]+)"', page)[1])
    assert later.count('class="step ') == 20


def test_the_chain_is_checked_when_somebody_wants_it(daemon, person, agent):
    did(agent, "chain")
    assert "Being verified" in person.post("/console/audit/chain").text
    page = until(
        lambda: re.search(r".*The record is whole.*Verify now.*", shown(person, "/console/audit/chain"), re.S)
    )[0]
    assert str(daemon.state / "audit") in page
    assert agent.post("/console/audit/chain").status_code == 403


def test_nothing_of_a_hostile_event_or_session_gets_through(new_daemon_with):
    daemon = new_daemon_with(lambda state: write(state / "audit"))
    with desk_of(daemon) as desk:
        hostile_session(desk.sessions, f"agent/{BAD}")
    with daemon.approver("reader") as person:
        begun = time.monotonic()
        listed = shown(person, "/console/sessions")
        links = re.findall(r'href="(/sessions/[\w-]+)"', listed)
        pages = [
            shown(person, path)
            for path in (
                "/console/decisions?since=2026-01-01", "/console/audit", "/console/audit/ev_hostile",
                "/console/audit/tr_hostile", "/console/audit/ap_hostile", "/console/audit/ev_hostile/raw",
                "/console/audit/ev_hostile_2/raw", f"/console/audit?tool={quote(BAD)}",
                *(f"/console{one}" for one in links),
                f"/console/decisions?session={quote(BAD)}&since=2026-01-01&code={quote(BAD)}",
            )
        ]  # fmt: skip
        assert time.monotonic() - begun < 10
    assert links
    for page in (listed, *pages):
        for one in FORBIDDEN:
            assert one not in page, one
        assert len(page) < 2_000_000
    assert "\\u{202e}" in pages[0]


def test_a_record_that_can_not_be_asked_is_a_problem_and_no_empty_page(new_daemon_with):
    def broken(state):
        write(state / "audit")
        (state / "cache").mkdir(mode=0o700, parents=True, exist_ok=True)
        (state / "cache" / "audit-index.db").mkdir()

    daemon = new_daemon_with(broken)
    with daemon.approver("reader") as person:
        for path in ("/console/audit", "/console/decisions", "/console/audit/ev_hostile"):
            answer = person.get(path)
            assert answer.status_code >= 500
            assert 'role="alert"' in answer.text
            assert "Nothing" not in answer.text


def _event(number):
    from guardhouse.model import NewEvent

    return NewEvent(kind="tool_returned", name="url_fetch", grade="trusted", excerpt=f"page {number}")


class desk_of:  # noqa: N801 - reads like a function
    """The stores of a daemon, as another process of the same user opens them."""

    def __init__(self, daemon):
        self._sources = find_sources(state_dir=daemon.state, cwd=daemon.work, variables=daemon.environment)

    def __enter__(self):
        policy = self._sources.load(project=False)
        self._desk = Desk(self._sources.locations, lambda: policy)
        return self._desk

    def __exit__(self, *_):
        self._desk.close()


def test_a_call_is_told_from_plan_to_use_in_the_order_in_which_it_happened(agent, person):
    session = f"in-order-{next(_numbers)}"
    action = {**ASKING, "call_id": "c1"}
    asked = agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()["approval_request_id"]
    given = {"terms": {"grant": {"reach": "exact", "seconds": 600}}}
    assert person.post(f"/v1/approvals/{asked}/approve", json=given).status_code == 200
    assert agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()["decision"] == "allow"
    told = titles(shown(person, f"/console/audit/{asked}"))
    assert told[:3] == ["The agent planned", "The gate decided", "A person was asked"]
    answered = next(at for at, one in enumerate(told) if one.endswith(" answered"))
    gave = next(at for at, one in enumerate(told) if one.endswith(" gave a grant"))
    assert sorted((answered, gave)) == [3, 4]
    assert "The approval was used" in told[5:]


def checked(person, words):
    """What is said of the chain, once it was checked and holds the words."""

    def said():
        page = " ".join(texts(shown(person, "/console/audit/chain")).split())
        return page if words in page and "Being verified" not in page else ""

    person.post("/console/audit/chain")
    return until(said, words)


def test_what_was_not_checked_yet_is_not_called_whole(new_daemon):
    daemon = new_daemon().start()
    with daemon.approver("early") as person, daemon.agent() as agent:
        assert "The record has not been checked yet" in checked(person, "It was empty when it was checked")
        for _ in range(3):
            did(agent, "later")
        page = " ".join(texts(shown(person, "/console/audit/chain")).split())
        assert "The record has not been checked yet" in page
        assert "3 newer, not yet checked" in page
        assert "The record is whole" in checked(person, "Checked up to event 3 ")
        did(agent, "later")
        page = " ".join(texts(shown(person, "/console/audit/chain")).split())
        assert "The record is whole up to event 3" in page
        assert "1 newer, not yet checked" in page
