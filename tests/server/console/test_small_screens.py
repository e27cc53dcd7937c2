"""The console on a phone, upright and on its side, and with long names of an agent's: all can be reached and read."""

import pytest
from daemon_process import pending
from playwright.sync_api import expect

PHONE = {"width": 375, "height": 667}
ON_ITS_SIDE = {"width": 720, "height": 375}
LONG = "a-session-name-that-an-agent-chose-to-squeeze-everything-else-out-of-the-row-it-stands-in"


def asked(agent, tool, session="small", **params):
    action = {"type": "ToolCallPre", "tool": tool, "params": params}
    return agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()["approval_request_id"]


def box(locator):
    expect(locator).to_be_visible()
    return locator.bounding_box()


@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE])
def test_every_page_is_in_the_navigation_or_behind_more(daemon, visit, ada, size):
    at = visit(daemon, **size).signed_in(ada)
    links = at.page.locator("[data-page]")
    # There is room for one page more than there are.
    at.page.evaluate("() => { const one = document.querySelector('.other-pages li'); one.after(one.cloneNode(true)); }")
    more = at.page.get_by_role("button", name="More")
    more.click()
    for link in links.all():
        where = box(link)
        assert where["x"] >= 0
        assert where["y"] >= 0
        assert where["x"] + where["width"] <= size["width"]
        assert where["y"] + where["height"] <= size["height"]
    expect(at.page.get_by_role("button", name="Sign out")).to_be_visible()
    at.page.keyboard.press("Escape")
    expect(at.page.locator("#rest")).to_be_hidden()
    more.click()
    at.page.get_by_role("link", name="Reasons").click()
    expect(at.page.get_by_role("heading", level=1)).to_have_text("Reasons")
    expect(at.page.locator("#rest")).to_be_hidden()
    expect(more).to_have_attribute("data-here", "")
    at.is_content()


def test_on_a_large_screen_there_is_no_more(daemon, visit, ada):
    at = visit(daemon).signed_in(ada)
    expect(at.page.locator("#more")).to_be_hidden()
    for link in at.page.locator("[data-page]").all():
        expect(link).to_be_visible()


@pytest.mark.parametrize("width", [375, 768, 1280])
def test_no_sessions_name_hides_which_agent_asks(daemon, visit, ada, agent, width):
    request = pending(agent, session=LONG)
    at = visit(daemon, width=width).signed_in(ada)
    who = at.row(request).locator(".row-who")
    expect(who).to_contain_text("agent-")
    assert who.evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("width", [375, 768])
def test_a_tools_name_stays_in_one_line_among_those_alike(daemon, visit, ada, agent, width):
    first = asked(agent, "write_file", path="/etc/cron.d/a", content="x")
    asked(agent, "write_file", path="/etc/cron.d/b", content="x")
    at = visit(daemon, width=width, path=f"/approvals/{first}").signed_in(ada)
    tool = at.card.locator(".other-tool")
    assert box(tool)["height"] < 30
    assert tool.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert box(at.card.locator(".other-summary"))["width"] > 150


@pytest.mark.parametrize("width", [375, 1280])
def test_a_long_tools_name_stays_within_the_card(daemon, visit, ada, agent, width):
    request = asked(agent, "mcp__everything__" + "delete_" * 30)
    at = visit(daemon, width=width, path=f"/approvals/{request}").signed_in(ada)
    title = box(at.page.locator("#card-title"))
    # The boxes that are drawn, one for each line.
    right = at.page.evaluate(
        "Math.max(...[...document.querySelector('#card-title code').getClientRects()].map((one) => one.right))"
    )
    assert right <= title["x"] + title["width"] + 0.5


def test_a_card_on_a_phone_has_a_heading_for_the_page(daemon, visit, ada, agent):
    at = visit(daemon, **PHONE, path=f"/approvals/{pending(agent)}").signed_in(ada)
    expect(at.card).to_be_visible()
    expect(at.page.get_by_role("heading", level=1)).to_have_text("Approvals")


def test_on_its_side_a_phone_shows_the_action_and_a_low_bar(daemon, visit, ada, agent):
    at = visit(daemon, **ON_ITS_SIDE, path=f"/approvals/{pending(agent)}").signed_in(ada)
    bar = box(at.page.locator(".answer-bar"))
    assert bar["height"] < 60
    value = box(at.card.locator(".value .theirs").first)
    assert value["y"] + 20 < bar["y"]
    at.page.get_by_role("link", name="All requests").click()
    expect(at.page.locator("#rows")).to_be_visible()


def test_what_people_think_of_a_decision_is_asked_for_when_they_want_to_say_it(daemon, visit, ada, agent):
    at = visit(daemon, **PHONE, path=f"/audit/{pending(agent)}").signed_in(ada)
    expect(at.page.get_by_text("Was this right?").first).to_be_visible()
    expect(at.page.get_by_role("button", name="This was a false alarm")).to_have_count(0)
