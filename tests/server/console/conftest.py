"""A real browser, and a daemon that the tests of one worker share. Each test has people of its own, and a browser's
profile in which nothing is left of the tests before."""

from __future__ import annotations

import itertools
import os
import shutil

import pytest
from daemon_process import DEADLINE, DaemonProcess
from playwright.sync_api import expect, sync_playwright
from visitor import Visitor

from guardhouse.server.console.assets import asset_url

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_numbers = itertools.count(1)
expect.set_options(timeout=DEADLINE * 1000)


def found_browser() -> str:
    named = os.environ.get("GUARDHOUSE_TEST_BROWSER")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail(
            "The tests of the console need a browser, and there is none: install Chromium (apt-get install chromium), "
            "or name one in GUARDHOUSE_TEST_BROWSER."
        )
    return found


@pytest.fixture(scope="module")
def browser():
    """Not for longer than a module: while Playwright runs, no other test of this worker can have an event loop."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found_browser(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def daemon(tmp_path_factory):
    """One daemon for all tests of the console in this worker."""
    process = DaemonProcess(tmp_path_factory.mktemp("console")).start()
    yield process
    process.stop()


@pytest.fixture(scope="module")
def profile(browser, daemon):
    """A browser's profile for one test after the other: to make one, and to load the console into it, takes longer than
    most tests do. A tab stays open, and with it the process that shows the tabs of a test."""
    context = browser.new_context()
    context.new_page().goto(daemon.url + asset_url("console.css"))
    yield context
    context.close()


@pytest.fixture
def visit(browser, profile):
    """Opens the console of a daemon: `visit(daemon)`. Whoever else comes in the same test has a profile of their own.
    What goes wrong in any page fails the test."""
    contexts = []

    def opened(daemon, *, width=1280, height=800, scheme="light", motion="no-preference", path="/approvals"):
        contexts.append(browser.new_context() if contexts else profile)
        contexts[-1].set_default_timeout(DEADLINE * 1000)
        visitor = Visitor(contexts[-1], daemon.url)
        visitor.page.set_viewport_size({"width": width, "height": height})
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion=motion)
        visitor.go(path)
        return visitor

    yield opened
    stays, *pages = profile.pages
    for page in pages:
        page.close()
    stays.evaluate("localStorage.clear()")
    cookies = [cookie for context in contexts for cookie in context.cookies()]
    for context in contexts[1:]:
        context.close()
    assert cookies == [], "a cookie was set"


@pytest.fixture
def agent(daemon):
    """An agent that only this test knows."""
    with daemon.agent(f"agent-{os.getpid()}-{next(_numbers)}") as client:
        yield client


@pytest.fixture
def ada(daemon):
    """The token of an approver."""
    return daemon.token("approver", f"ada-{os.getpid()}-{next(_numbers)}")


@pytest.fixture(autouse=True)
def nothing_waits_afterwards(request):
    """What a test has asked for is answered when it ends, so that the next one has a list of its own."""
    yield
    if "daemon" not in request.fixturenames:
        return
    daemon = request.getfixturevalue("daemon")
    with daemon.approver() as approver:
        for one in approver.get("/v1/approvals?status=pending&limit=1000").json()["approvals"]:
            approver.post(f"/v1/approvals/{one['id']}/cancel")


@pytest.fixture
def new_daemon_with(tmp_path):
    """A daemon whose state directory was filled before it began."""
    started = []

    def start(fill):
        process = DaemonProcess(tmp_path)
        process.state.mkdir(mode=0o700)
        fill(process.state)
        started.append(process.start())
        return process

    yield start
    for process in started:
        process.stop()
