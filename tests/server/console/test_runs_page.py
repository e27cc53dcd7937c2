"""The pages of runs, in a real browser: what stands how, what waits for whom, cancelling and resuming."""

import itertools
import re

import pytest
from playwright.sync_api import expect
from running_daemon import RunningDaemon, stands, started
from scripted_model import ScriptedModel, script
from test_for_everybody import faults

BAD = "<img src=x onerror=alert(1)>\u202e</code><script>alert(2)</script>"
_amounts = itertools.count(1)


@pytest.fixture(scope="module")
def model():
    serves = ScriptedModel()
    yield serves
    serves.close()


@pytest.fixture(scope="module")
def working(tmp_path_factory, model):
    process = RunningDaemon(tmp_path_factory.mktemp("working"), model).start()
    yield process
    process.stop()


@pytest.fixture(scope="module")
def worker(working):
    with working.agent("worker") as client:
        yield client


@pytest.fixture
def approver(working):
    with working.approver() as client:
        yield client


def waiting(worker, *after):
    run_id = started(worker, script(("pay", {"amount": next(_amounts)}), *(after or ("Paid.",))))
    return run_id, stands(worker, run_id, "waiting")["waits_for"][0]


def test_the_list_tells_how_runs_stand_and_what_they_wait_for(working, visit, worker):
    run_id, request_id = waiting(worker)
    done = started(worker, script("All is well."))
    stands(worker, done, "done")
    at = visit(working, path="/runs").signed_in(working.token("approver"))
    page = at.page
    tile = page.locator(f"#{run_id}")
    expect(tile).to_contain_text("Waits")
    expect(tile).to_contain_text("worker")
    expect(tile.get_by_role("link", name=request_id)).to_have_attribute("href", f"/approvals/{request_id}")
    expect(page.locator(f"#{done}")).to_contain_text("Done")
    page.get_by_label("How it stands").select_option("done")
    expect(page).to_have_url(re.compile(r"/runs\?status=done$"))
    expect(tile).to_have_count(0)
    expect(page.locator(f"#{done}")).to_be_visible()
    at.is_content()


def test_a_run_is_followed_from_its_question_to_its_answer(working, visit, worker, approver):
    run_id, request_id = waiting(worker, "Paid it all.")
    at = visit(working, path=f"/runs/{run_id}").signed_in(working.token("approver"))
    page = at.page
    expect(page.locator(".step").first).to_contain_text("Waits")
    expect(page.get_by_role("link", name="in the record", exact=True).first).to_have_attribute(
        "href", f"/audit/{request_id}"
    )
    approver.post(f"/v1/approvals/{request_id}/approve")
    expect(page.get_by_role("heading", name="Its answer").first).to_be_visible()
    expect(page.locator(".part .theirs").first).to_have_text("Paid it all.")
    expect(page.locator(".step").first).to_contain_text("Completed")
    at.is_content()


def test_news_of_a_run_wait_until_somebody_wants_them(working, visit, worker):
    first = started(worker, script("One."))
    stands(worker, first, "done")
    at = visit(working, path="/runs").signed_in(working.token("approver"))
    expect(at.page.locator(f"#{first}")).to_be_visible()
    second = started(worker, script("Two."))
    stands(worker, second, "done")
    at.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # or ten seconds later
    chip = at.page.get_by_role("button", name="1 new")
    expect(chip).to_be_visible()
    expect(at.page.locator(f"#{second}")).to_have_count(0)
    chip.click()
    expect(at.page.locator(f"#{second}")).to_be_visible()
    at.is_content()


def test_a_run_is_cancelled_and_a_paused_one_resumed(working, visit, worker, approver, model):
    run_id, request_id = waiting(worker)
    at = visit(working, path=f"/runs/{run_id}").signed_in(working.token("approver", "ada"))
    page = at.page
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.locator(".card-line").first).to_contain_text("Cancelled")
    expect(page.locator(".card-head")).to_contain_text("approver:ada")
    expect(page.get_by_role("button", name="Cancel the run")).to_have_count(0)
    assert approver.get(f"/v1/approvals/{request_id}").json()["status"] == "cancelled"
    model.fails_with = 500
    try:
        paused = started(worker, script("At last."))
        stands(worker, paused, "paused")
    finally:
        model.fails_with = 0
    page.goto(f"{working.url}/runs/{paused}")
    expect(page.locator(".card-head")).to_contain_text("The model could not be asked")
    page.get_by_role("button", name="Resume").click()
    stands(worker, paused, "done")
    at.is_content()


def test_an_agent_can_not_look_at_the_pages(working, worker):
    for path in ("/console/runs", "/console/runs/run_0", "/console/runs/news"):
        assert worker.get(path).status_code == 403
    assert worker.post("/console/runs/run_0/cancel").status_code == 403


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_hostile_runs_run_nothing_fit_and_have_no_serious_fault(working, visit, worker, scheme, width):
    run_id = started(worker, script(("look", {"what": BAD}), f"{BAD}\nline two {'long ' * 60}"), session_id=BAD)
    shown = stands(worker, run_id, "done", "failed")
    at = visit(working, scheme=scheme, width=width, motion="reduce", path="/runs").signed_in(working.token("approver"))
    for path in ("/runs", f"/runs/{run_id}"):
        at.page.evaluate(
            "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path
        )
        expect(at.page.locator("#page .skeletons")).to_have_count(0)
        expect(at.page.get_by_role("heading", level=1)).to_be_visible()
        assert at.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        box = "(() => { const page = document.getElementById('page'); return page.scrollWidth <= page.clientWidth; })()"
        assert at.page.evaluate(box), path
        assert faults(at.page) == [], path
    if shown["status"] == "done":
        expect(at.page.locator(".part .theirs").first).to_contain_text("onerror=alert(1)")
    at.is_content()
