"""The pages about the record, in a real browser: the chart, filters that a link carries, news that wait, opinions."""

import itertools
import re

import pytest
from daemon_process import ASKING, HARMLESS, DaemonProcess
from hostile_record import BAD, hostile_session, write
from playwright.sync_api import expect
from test_for_everybody import faults
from test_record_pages import desk_of

from guardhouse.server.console.links import key_link

_numbers = itertools.count(1)


def did(agent, session, action=HARMLESS):
    told = agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()
    return told.get("event_id") or told["verdict"]["event_id"]


@pytest.fixture
def session():
    return f"browsed-{next(_numbers)}"


@pytest.fixture(scope="session")
def hostile_daemon(tmp_path_factory):
    process = DaemonProcess(tmp_path_factory.mktemp("hostile"))
    process.state.mkdir(mode=0o700)
    write(process.state / "audit")
    process.start()
    with desk_of(process) as desk:
        hostile_session(desk.sessions, f"agent/{BAD}")
    yield process
    process.stop()


def test_a_link_carries_the_filters_and_the_chart_is_drawn(daemon, visit, ada, agent, session):
    did(agent, session)
    did(agent, session, ASKING)
    at = visit(daemon, path=f"/decisions?session={session}&since=1h").signed_in(ada)
    page = at.page
    expect(page.locator(".event-link")).to_have_count(2)
    canvas = page.locator("#chart canvas")
    expect(canvas).to_be_visible()
    painted = (
        "c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size > 3"
    )
    assert canvas.evaluate(painted)
    expect(page.get_by_role("img", name="Decisions per minute")).to_have_count(1)
    page.get_by_role("link", name=re.compile("^bash")).first.click()
    expect(page).to_have_url(re.compile(f"session={session}&since=1h&tool=bash$"))
    expect(page.locator(".event-link")).to_have_count(1)
    page.go_back()
    expect(page.locator(".event-link")).to_have_count(2)
    page.locator("#filter-box > summary").click()
    page.get_by_label("Decision", exact=True).focus()
    page.get_by_label("Decision", exact=True).select_option("require_approval")
    expect(page).to_have_url(re.compile("decision=require_approval"))
    expect(page.locator(".event-link")).to_have_count(1)
    expect(page.get_by_label("Decision", exact=True)).to_be_focused()
    page.get_by_label("Tool", exact=True).fill("nothing")
    page.get_by_label("Tool", exact=True).press("Enter")
    expect(page.get_by_text("Nothing fits these filters.")).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 700})
    wide = "() => document.querySelector('#chart').clientWidth - document.querySelector('#chart .uplot').clientWidth"
    page.wait_for_function(f"({wide})() < 20")
    page.emulate_media(color_scheme="dark")
    at.is_content()


def test_what_is_new_waits_until_somebody_wants_it(daemon, visit, ada, agent, session):
    did(agent, session)
    at = visit(daemon, path=f"/audit?session={session}").signed_in(ada)
    expect(at.page.locator(".event-link")).to_have_count(1)
    did(agent, session)
    at.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # or ten seconds later
    chip = at.page.get_by_role("button", name="1 new")
    expect(chip).to_be_visible()
    expect(at.page.locator(".event-link")).to_have_count(1)
    chip.click()
    expect(at.page.locator(".event-link")).to_have_count(2)
    at.is_content()


def test_an_opinion_by_keyboard_in_the_row_and_on_the_page(daemon, visit, ada, agent, session):
    event = did(agent, session, ASKING)
    at = visit(daemon, path=f"/decisions?session={session}").signed_in(ada)
    page = at.page
    menu = page.locator(".menu > summary")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="This was right")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="This was right")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.get_by_role("button", name="This was right").click()
    expect(page.get_by_role("img", name="Right")).to_be_visible()
    page.locator(".event-link").click()
    expect(page).to_have_url(re.compile(f"/audit/{event}$"))
    expect(page.locator(".said")).to_contain_text("Right")
    page.get_by_text("Say something else").click()
    page.get_by_label("Comment").fill("ours <b>")
    page.get_by_role("button", name="This was a false alarm").click()
    expect(page.locator(".said")).to_contain_text("ours <b>")
    page.get_by_text("Every field").first.click()
    expect(page.locator(".raw").first).to_contain_text('"action_hash"')
    at.is_content()


def test_verifying_is_followed_to_its_end(daemon, visit, ada, agent, session):
    did(agent, session)
    at = visit(daemon, path="/audit").signed_in(ada)
    at.page.get_by_role("button", name="Verify now").click()
    expect(at.page.get_by_role("heading", name="The record is whole")).to_be_visible()
    expect(at.page.get_by_role("button", name="Verify now")).to_be_enabled()
    at.is_content()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 375)])
def test_hostile_pages_run_nothing_fit_and_have_no_serious_fault(hostile_daemon, visit, scheme, width):
    at = visit(hostile_daemon, scheme=scheme, width=width, motion="reduce", path="/decisions?since=2026-01-01")
    at.signed_in(hostile_daemon.token("approver", f"reader-{next(_numbers)}"))
    expect(at.page.locator(".event-link").first).to_be_visible()
    for path in ("/decisions?since=2026-01-01", "/audit", "/audit/ev_hostile", "/sessions", key_link(f"agent/{BAD}")):
        at.page.evaluate(
            "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path
        )
        expect(at.page.locator("#page .skeletons")).to_have_count(0)
        expect(at.page.get_by_role("heading", level=1)).to_be_visible()
        assert at.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        box = "(() => { const page = document.getElementById('page'); return page.scrollWidth <= page.clientWidth; })()"
        assert at.page.evaluate(box), path
        assert faults(at.page) == [], path
    at.is_content()
