"""The page of approvals, in a real browser: what arrives, what is shown, and how it is answered."""

import re
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from approval_questions import question
from daemon_process import pending, until
from playwright.sync_api import expect

from guardhouse.config import find_sources
from guardhouse.desk import Desk
from guardhouse.model import Bound, Supply

HOSTILE = [
    '<img src=x onerror="alert(1)"><script>alert(2)</script>',
    "'\"><svg/onload=alert(3)>{{7*7}}${7*7}<!--",
    "safe\u202egnp.exe\u200b\U000e0041",
    "\x1b[2J\x1b[31mApproved by admin\x1b[0m",
    "р\u0430ypal.example שלום",
    "<hx-partial hx-target='body'>gone</hx-partial><template hx type='partial'></template>",
    '" hx-on:load="alert(4)" hx-get="/console/reasons" hx-trigger="load" x="',
    "</code></article><form action=/v1/approvals><button>Approve</button></form>",
]


def asked_with(agent, tool="deploy_everything", session="s1", **params):
    action = {"type": "ToolCallPre", "tool": tool, "params": params}
    told = agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()
    return told["approval_request_id"]


def request_of(daemon, request_id):
    with daemon.approver() as approver:
        return approver.get(f"/v1/approvals/{request_id}").json()


def test_a_request_arrives_without_a_reload_and_is_counted(daemon, visit, ada, agent):
    at = visit(daemon).signed_in(ada)
    expect(at.page.get_by_text("Nothing waits for you.")).to_be_visible()
    at.page.evaluate("window.stays = true")
    asked = pending(agent, "rm -rf /etc/first")
    expect(at.row(asked)).to_contain_text("rm -rf /etc/first")
    expect(at.page).to_have_title("(1) Guardhouse")
    expect(at.page.locator("#news")).to_contain_text("New request: bash")
    pending(agent, "rm -rf /etc/second")
    expect(at.page).to_have_title("(2) Guardhouse")
    expect(at.page.locator("#rows .row").first).to_contain_text("second")
    assert at.page.evaluate("window.stays")
    at.is_content()


def test_a_card_shows_the_whole_of_the_request(daemon, visit, ada, agent):
    asked = pending(agent, "rm -rf /etc/guardhouse-test")
    at = visit(daemon, path=f"/approvals/{asked}").signed_in(ada)
    card = at.card
    for words in ("high", "May the agent use bash", "Deny, unless you asked", "rm -rf /etc/guardhouse-test",
                  "shell.deletes_outside_project", "This exact call, once", "left to answer", "s1", asked):  # fmt: skip
        expect(card).to_contain_text(words)
    card.get_by_role("link", name="shell.deletes_outside_project").click()
    expect(at.page.get_by_role("heading", level=1)).to_contain_text("delete")
    expect(at.page).to_have_url(re.compile("/reasons/shell.deletes_outside_project$"))
    at.page.go_back()
    expect(at.card).to_have_attribute("data-id", asked)
    at.is_content()


def test_approving(daemon, visit, ada, agent):
    asked = pending(agent)
    at = visit(daemon).signed_in(ada).open(asked)
    at.page.get_by_label("Message").fill("go on")
    at.approve.click()
    expect(at.outcome).to_contain_text("Approved by approver:ada")
    expect(at.row(asked)).to_have_count(0)
    expect(at.page).to_have_title("Guardhouse")
    told = request_of(daemon, asked)
    assert (told["status"], told["comment"]) == ("approved", "go on")
    at.is_content()


def test_denying_with_a_message_for_the_agent(daemon, visit, ada, agent):
    asked = pending(agent)
    at = visit(daemon).signed_in(ada).open(asked)
    at.page.get_by_label("Message").fill("Use <b>trash</b> instead")
    at.deny.click()
    expect(at.outcome).to_contain_text("They said: Use <b>trash</b> instead")
    assert agent.get(f"/v1/approvals/{asked}").json()["comment"] == "Use <b>trash</b> instead"
    at.is_content()


WATCH = """() => {
  window.seen = {};
  new MutationObserver(() => {
    const button = document.querySelector("#card [data-approve]");
    if (!button) return;
    const times = (window.seen[button.closest("article").dataset.id] ??= { shown: performance.now() });
    if (!button.disabled) times.enabled ??= performance.now();
  }).observe(document.getElementById("card"), { subtree: true, childList: true, attributes: true });
}"""


def test_a_card_that_has_just_come_can_not_be_approved_at_once(daemon, visit, ada, agent):
    first, second = pending(agent, "rm -rf /etc/a", "s1"), pending(agent, "rm -rf /etc/b", "s2")
    at = visit(daemon).signed_in(ada)
    expect(at.row(first)).to_be_visible()
    at.page.evaluate(WATCH)
    for asked in (first, second):
        at.open(asked)
        expect(at.deny).to_be_enabled()
        expect(at.approve).to_be_enabled()
        seen = at.page.evaluate("window.seen")[asked]
        assert seen["enabled"] - seen["shown"] >= 690


def test_what_expires_while_it_is_open_says_so(new_daemon, visit):
    daemon = new_daemon()
    daemon.configure("guard: {approvals: {answer_within: {low: 2, medium: 2, high: 2, critical: 2}}}")
    daemon.start()
    at = visit(daemon).signed_in(daemon.token("approver"))
    with daemon.agent() as agent:
        asked = pending(agent)
        at.open(asked)
        expect(at.outcome).to_contain_text("Timed out")
        expect(at.approve).to_have_count(0)
        expect(at.row(asked)).to_have_count(0)
    at.is_content()


def test_an_answer_given_elsewhere_turns_the_open_card_final(daemon, visit, ada, agent):
    asked = pending(agent)
    at = visit(daemon).signed_in(ada).open(asked)
    with daemon.approver("grace-elsewhere") as grace:
        grace.post(f"/v1/approvals/{asked}/deny", json={"comment": "no"})
    expect(at.outcome).to_contain_text("Denied by approver:grace-elsewhere")
    expect(at.approve).to_have_count(0)


def test_of_two_who_answer_differently_one_is_first_and_the_other_is_told(daemon, visit, ada, agent):
    asked = pending(agent)
    one = visit(daemon).signed_in(ada).open(asked)
    two = visit(daemon).signed_in(daemon.token("approver", "late-one")).open(asked)
    # The second one hears nothing of it, as if both had clicked in the same moment.
    two.page.route("**/v1/events", lambda route: route.abort())
    expect(two.approve).to_be_enabled()
    held = []
    two.page.route(f"**/approvals/{asked}/answer", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    two.approve.click()
    until(lambda: two.page.evaluate("1") and held, "the second answer")
    one.deny.click()
    expect(one.outcome).to_contain_text("Denied by approver:ada")
    held[0].continue_()
    expect(two.card).to_contain_text("was already denied by approver:ada")
    expect(two.outcome).to_contain_text("Denied by")
    assert request_of(daemon, asked)["status"] == "denied"


def test_what_is_long_has_to_be_opened_before_it_can_be_approved(daemon, visit, ada, agent):
    asked = pending(agent, "\n".join(f"rm -rf /srv/{number}" for number in range(80)))
    at = visit(daemon).signed_in(ada).open(asked)
    expect(at.card).to_contain_text("Open the folded value to approve.")
    until(lambda: at.page.evaluate("new Promise(done => setTimeout(() => done(true), 800))"))
    expect(at.approve).to_be_disabled()
    at.page.get_by_text("Show all 80 lines").click()
    expect(at.card).to_contain_text("rm -rf /srv/79")
    expect(at.approve).to_be_enabled()
    at.approve.click()
    expect(at.outcome).to_contain_text("Approved by")


def test_what_the_card_did_not_show_is_not_approved(daemon, ada, agent):
    asked = pending(agent)
    with daemon.client(ada) as approver:
        form = {"answer": "approve", "shown": "sha256:something-else"}
        assert approver.post(f"/console/approvals/{asked}/answer", data=form).status_code == 409
        for form in ({}, {"answer": "maybe"}, {"answer": ["approve", "deny"]}):
            assert approver.post(f"/console/approvals/{asked}/answer", data=form).status_code == 400
    assert request_of(daemon, asked)["status"] == "pending"


def test_nobody_answers_what_they_asked(daemon, visit):
    token = daemon.token("admin", "self-asker")
    with daemon.client(token) as admin:
        asked = pending(admin)
    at = visit(daemon, path=f"/approvals/{asked}").signed_in(token)
    expect(at.card).to_contain_text("somebody else has to answer")
    expect(at.approve).to_have_count(0)
    with daemon.client(token) as admin:
        form = {"answer": "deny"}
        assert admin.post(f"/console/approvals/{asked}/answer", data=form).status_code == 403


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_obeyed(daemon, visit, ada, agent, text):
    at = visit(daemon).signed_in(ada)
    first = asked_with(agent, "tool" + text[:40], text[:60], command=text, nested={text: [text]}, body=f"a\n{text}\nb")
    second = pending(agent, f"rm -rf /etc/x # {text}", session=text[:60])
    for asked in filter(None, (first, second)):
        at.open(asked)
        assert at.card.count() == 1
        shown = at.card.inner_text()
        assert not re.search("[\u200b\u202e\U000e0041\x1b\u0430]", shown)
        assert at.page.locator("#card script, #card img, #card [onerror], #card [onload]").count() == 0
        assert at.page.locator("#card form").count() == 1
        assert at.page.locator("#card button").count() == 2
    if "<" in text:
        assert text in at.card.inner_text()
    at.page.get_by_label("Message").fill(text)
    at.deny.click()
    expect(at.outcome).to_contain_text("Denied by")
    at.is_content()


def test_everything_can_be_done_with_the_keyboard(daemon, visit, ada, agent):
    older, newer = pending(agent, "rm -rf /etc/older", "s1"), pending(agent, "rm -rf /etc/newer", "s2")
    at = visit(daemon)
    at.is_asked_to_sign_in()
    at.page.get_by_label("Token").press_sequentially(ada, delay=0)
    at.page.keyboard.press("Enter")
    expect(at.row(older)).to_be_visible()
    keys = at.page.keyboard
    keys.press("j")
    keys.press("j")
    expect(at.row(older).locator("a")).to_be_focused()
    keys.press("k")
    expect(at.row(newer).locator("a")).to_be_focused()
    keys.press("Enter")
    expect(at.card).to_have_attribute("data-id", newer)
    expect(at.approve).to_be_enabled()
    keys.press("a")
    expect(at.approve).to_be_focused()
    expect(at.approve).to_contain_text("Press again")
    assert request_of(daemon, newer)["status"] == "pending"
    keys.press("a")
    expect(at.outcome).to_contain_text("Approved by")
    keys.press("j")
    keys.press("Enter")
    expect(at.card).to_have_attribute("data-id", older)
    keys.press("d")
    expect(at.page.get_by_label("Message")).to_be_focused()
    keys.type("a no, said ? here")
    keys.press("Control+Enter")
    expect(at.outcome).to_contain_text("They said: a no, said ? here")
    keys.press("?")
    expect(at.page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(at.page.get_by_role("dialog")).to_be_hidden()
    at.is_content()


def test_an_answer_that_comes_after_the_news_of_it_leaves_the_keyboard_where_it_is(daemon, visit, ada, agent):
    older, newer = pending(agent, "rm -rf /etc/older", "s1"), pending(agent, "rm -rf /etc/newer", "s2")
    at = visit(daemon).signed_in(ada).open(newer)
    held = []
    at.page.route("**/answer", lambda route: held.append((route, route.fetch())))
    expect(at.approve).to_be_enabled()
    at.approve.click()
    expect(at.outcome).to_contain_text("Approved by")
    at.page.keyboard.press("j")
    expect(at.row(older).locator("a")).to_be_focused()
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(at.page.locator(".toast")).to_be_visible()
    expect(at.row(older).locator("a")).to_be_focused()


def test_one_key_alone_approves_nothing(daemon, visit, ada, agent):
    asked = pending(agent)
    at = visit(daemon).signed_in(ada).open(asked)
    expect(at.approve).to_be_enabled()
    at.page.keyboard.press("a")
    at.page.keyboard.press("Escape")
    expect(at.approve).not_to_contain_text("Press again")
    assert request_of(daemon, asked)["status"] == "pending"


def test_on_a_phone_nothing_is_wider_than_the_screen(daemon, visit, ada, agent):
    asked = asked_with(agent, "x" * 60, command="y" * 3000, **{"z" * 200: "w" * 500})
    at = visit(daemon, width=375, height=740).signed_in(ada)
    for path in ("/approvals", f"/approvals/{asked}", "/reasons", "/reasons/private_ip"):
        at.go(path)
        at.is_live()
        expect(at.page.locator("#page h1, #page h2").first).to_be_attached()
        assert at.page.evaluate("document.documentElement.scrollWidth") <= 375
    at.go("/approvals")
    at.row(asked).click()
    expect(at.row(asked)).to_be_hidden()
    at.deny.scroll_into_view_if_needed()
    at.page.get_by_role("link", name="All requests").click()
    expect(at.row(asked)).to_be_visible()


def test_a_stream_that_ends_is_shown_and_what_was_missed_is_made_up_for(new_daemon, visit):
    daemon = new_daemon().start()
    token, agents = daemon.token("approver"), daemon.token("agent")
    at = visit(daemon).signed_in(token)
    expect(at.page.locator("#rows")).to_be_attached()
    at.is_live()
    blocked = []
    at.page.route("**/v1/events", lambda route: (blocked.append(1), route.abort()))
    port = daemon.url.rpartition(":")[2]
    daemon.kill()
    expect(at.page.locator("#live")).to_have_attribute("data-state", "reconnecting")
    daemon.options = ("--port", port)
    daemon.start()
    with daemon.client(agents) as agent:
        asked = pending(agent)
    expect(at.row(asked)).to_have_count(0)
    at.page.unroute("**/v1/events")
    at.is_live()
    expect(at.row(asked)).to_be_visible()


def test_many_that_arrive_at_once_are_all_shown_and_what_is_typed_stays(daemon, visit, ada, agent):
    open_one = pending(agent, "rm -rf /etc/open")
    at = visit(daemon).signed_in(ada).open(open_one)
    at.page.get_by_label("Message").fill("not yet")

    def ask(number):
        with daemon.agent() as other:
            return [pending(other, f"rm -rf /etc/{number}-{one}") for one in range(20)]

    with ThreadPoolExecutor(2) as threads:
        ids = {one for some in threads.map(ask, range(2)) for one in some}
    rows = at.page.locator("#rows .row")
    expect(rows).to_have_count(41)
    assert set(rows.evaluate_all("rows => rows.map(row => row.dataset.id)")) == ids | {open_one}
    expect(at.page).to_have_title("(41) Guardhouse")
    expect(at.page.get_by_label("Message")).to_have_value("not yet")
    at.page.get_by_role("link", name="Guardhouse").click()
    expect(at.page.get_by_text("Choose a request to see all of it.")).to_be_visible()
    at.is_content()


def test_a_long_list_comes_in_parts(daemon, visit, ada):
    def ask(number):
        with daemon.agent() as agent:
            return [pending(agent, f"rm -rf /etc/{number}-{one}") for one in range(30)]

    with ThreadPoolExecutor(2) as threads:
        ids = {one for some in threads.map(ask, range(4)) for one in some}
    at = visit(daemon).signed_in(ada)
    rows = at.page.locator("#rows .row")
    expect(rows).to_have_count(50)
    at.page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(100)
    at.page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(120)
    expect(at.page.get_by_role("button", name="Show more")).to_have_count(0)
    assert set(rows.evaluate_all("rows => rows.map(row => row.dataset.id)")) == ids
    expect(at.page).to_have_title("(120) Guardhouse")


def test_what_is_not_there_is_told_in_a_sentence(daemon, visit, ada):
    at = visit(daemon, path="/approvals/ap_nothing").signed_in(ada)
    expect(at.page.get_by_role("alert")).to_contain_text("There is no such approval request.")
    at.go("/reasons/no.such")
    expect(at.page.get_by_role("alert")).to_contain_text("There is no such reason.")


def offered(daemon, number, session, **params):
    """A request whose values came from somewhere, so that it can be answered together with others, or for the run."""
    values = {
        "type": "ToolCallPre",
        "tool": "send_email",
        "params": {"to": "bob@example.com", "number": number, **params},
    }
    asked = msgspec.structs.replace(
        question(),
        bound=Bound(values | {"session_id": session}, {}),
        session_id=session,
        tool_name="send_email",
        action_summary_redacted=f'send_email {{"to":"bob@example.com","number":{number}}}',
        action_redacted=values,
        supplied=(Supply("params.to", "untrusted", tool="read_mail", call_id="c1", offered=True),),
        values=("digest-of-bob",),
        only_values=True,
        kin="same",
    )
    sources = find_sources(state_dir=daemon.state, cwd=daemon.work)
    policy = sources.load(project=False)
    keys = daemon.home / ".local" / "share" / "guardhouse" / "keys"
    desk = Desk(msgspec.structs.replace(sources.locations, keys=keys), lambda: policy)
    try:
        return desk.approver.settle(asked).request.id
    finally:
        desk.close()


def test_those_alike_are_answered_together_once_they_were_opened(daemon, visit, ada):
    first, second, third, fourth = (offered(daemon, number, "together") for number in range(4))
    at = visit(daemon, path=f"/approvals/{first}").signed_in(ada)
    expect(at.card).to_contain_text("params.to came from content that anybody may have written")
    expect(at.card).to_contain_text("3 more of the same kind")
    at.answer_other(second, "Approve")
    expect(at.page.locator(f"#other-{second}")).to_have_attribute("open", "")
    at.answer_other(third, "Deny")
    expect(at.page.locator("[data-says-all]")).to_have_text("Also 1 approved and 1 denied.")
    expect(at.approve).to_be_enabled()
    at.approve.click()
    expect(at.outcome).to_contain_text("Approved by")
    statuses = [request_of(daemon, one)["status"] for one in (first, second, third, fourth)]
    assert statuses == ["approved", "approved", "denied", "pending"]
    at.is_content()


def test_of_those_alike_the_list_shows_one_and_says_how_many_there_are(daemon, visit, ada, agent):
    first, second = pending(agent, "rm -rf /etc/one"), pending(agent, "rm -rf /etc/two")
    at = visit(daemon).signed_in(ada)
    expect(at.row(second)).to_contain_text("+1 alike")
    expect(at.row(first)).to_be_hidden()
    at.open(second).deny.click()
    expect(at.row(first)).to_be_visible()
    at.is_content()


def test_what_is_not_alike_is_not_answered_together(daemon, ada, agent):
    asked, other = offered(daemon, 1, "not-alike"), pending(agent)
    with daemon.client(ada) as approver:
        for form in ({"answer": "deny", f"other:{other}": "deny"}, {"answer": "deny", "other:ap_nothing": "deny"}):
            assert approver.post(f"/console/approvals/{asked}/answer", data=form).status_code == 422
    assert [request_of(daemon, one)["status"] for one in (asked, other)] == ["pending", "pending"]


def test_a_yes_for_the_rest_of_the_run(daemon, visit, ada):
    asked = offered(daemon, 7, "for-run")
    at = visit(daemon).signed_in(ada).open(asked)
    at.page.get_by_text("What the yes is good for").click()
    at.page.get_by_label("These values for the rest of the run").check()
    at.approve.click()
    expect(at.card).to_contain_text("Also later calls of this tool in this session with the values that were listed")
    assert request_of(daemon, asked)["terms"] == {"for_run": True}
    at.page.get_by_role("link", name="Grants").click()
    same = "Later calls of this tool in this session with the same values"
    tile = at.page.locator(".tile").filter(has_text=same).filter(has_text="params.to")
    tile.get_by_role("button", name="Revoke").click()
    expect(tile).to_be_hidden()


def test_what_is_too_large_to_be_read_can_be_denied_only(daemon, visit, ada):
    asked = offered(daemon, 1, "large", note="\u202e" * 90_000)
    at = visit(daemon).signed_in(ada).open(asked)
    expect(at.card).to_contain_text("Too large to be shown")
    with daemon.client(ada) as approver:
        form = {"answer": "approve"}
        assert approver.post(f"/console/approvals/{asked}/answer", data=form).status_code == 422
    at.deny.click()
    expect(at.outcome).to_contain_text("Denied by")
