"""Signing in to the console and out of it: who may, for how long, and that no cookie has a part in it."""

import httpx
import pytest
from daemon_process import pending, until
from playwright.sync_api import expect

from guardhouse.database import SqliteDatabase
from guardhouse.sign_ins import SignIns
from guardhouse.tokens import Tokens

PAGES = ("/", "/approvals", "/approvals/ap_x", "/reasons", "/reasons/private_ip")


def sign_in(daemon, token):
    return httpx.post(f"{daemon.url}/v1/console/sign-in", json={"token": token}, trust_env=False)


def session_of(daemon, token):
    return sign_in(daemon, token).json()["session"]


def console_code(daemon, name):
    database = SqliteDatabase(daemon.state / "approvals.db")
    try:
        return SignIns(database).make_code(name)[0]
    finally:
        database.close()


def test_a_person_signs_in_and_out(daemon, visit, ada):
    at = visit(daemon)
    at.is_asked_to_sign_in()
    at.signed_in(ada)
    expect(at.page.get_by_role("heading", name="Approvals")).to_be_visible()
    at.page.get_by_role("button", name="Sign out").click()
    at.is_asked_to_sign_in("You have signed out")
    at.page.reload()
    at.is_asked_to_sign_in()
    at.is_content()


def test_signing_out_ends_the_session_for_whoever_has_its_secret(daemon, ada):
    secret = session_of(daemon, ada)
    with daemon.client(secret) as browser:
        assert browser.get("/v1/approvals").status_code == 200
        assert browser.post("/v1/console/sign-out").status_code == 200
        assert browser.get("/v1/approvals").status_code == 401
        assert browser.post("/v1/console/sign-out").status_code == 401


def test_a_token_itself_can_not_sign_out(daemon):
    with daemon.approver() as approver:
        assert approver.post("/v1/console/sign-out").status_code == 422


def test_an_agents_token_is_refused_and_told_why(daemon, visit):
    at = visit(daemon).sign_in(daemon.token("agent"))
    expect(at.page.get_by_role("alert")).to_contain_text("agent's token")
    at.is_asked_to_sign_in()


def test_a_wrong_token_is_refused(daemon, visit):
    at = visit(daemon).sign_in("gdh_approver_000000000000_" + "A" * 43)
    expect(at.page.get_by_role("alert")).to_contain_text("no token that can be used")


def test_tries_are_limited_but_a_good_token_is_let_in(new_daemon):
    daemon = new_daemon().start()
    ada = daemon.token("approver")
    with daemon.client() as stranger:
        given = {"token": "gdh_approver_000000000000_" + "A" * 43}
        statuses = {stranger.post("/v1/console/sign-in", json=given).status_code for _ in range(230)}
    assert statuses == {401, 429}
    assert sign_in(daemon, ada).status_code == 200


def test_a_session_is_its_tokens_principal_everywhere(daemon, agent):
    token = daemon.token("approver", "grace")
    asked = pending(agent)
    with daemon.client(session_of(daemon, token)) as browser:
        answered = browser.post(f"/v1/approvals/{asked}/approve", json={}).json()
        assert (answered["status"], answered["actor"]) == ("approved", "approver:grace")
        assert browser.get("/v1/policy").status_code == 403


def test_a_session_is_kept_as_a_digest_only(daemon, ada):
    secret = session_of(daemon, ada)
    files = [path for path in daemon.state.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_signing_in_is_in_the_record(daemon):
    token = daemon.token("approver", "hedy")
    session_of(daemon, token)
    with daemon.admin() as admin:
        events = admin.get("/v1/audit/events?limit=50").json()["events"]
    assert [one for one in events if one.get("actor") == "approver:hedy" and "signing in" in one.get("detail", "")]


def test_a_revoked_token_ends_its_sessions_and_what_they_showed(daemon, visit, agent):
    token = daemon.token("approver", "revoked-one")
    at = visit(daemon).signed_in(token)
    asked = pending(agent)
    at.open(asked)
    database = SqliteDatabase(daemon.state / "approvals.db")
    Tokens(database).revoke("revoked-one")
    database.close()
    at.is_asked_to_sign_in("session is over")
    assert at.page.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("setting", ["console_idle: 1", "console_session: 1"])
def test_a_session_ends_by_itself(new_daemon, setting):
    daemon = new_daemon()
    daemon.configure(f"guard: {{server: {{{setting}}}}}")
    daemon.start()
    token = daemon.token("approver")
    secret = session_of(daemon, token)
    with daemon.client(secret) as browser:
        waiting = {"guardhouse-by-itself": "1"}
        until(lambda: browser.get("/v1/console/session", headers=waiting).status_code == 401, "the end")


def test_a_page_whose_session_has_ended_shows_nothing_any_more(daemon, visit, ada):
    at = visit(daemon).signed_in(ada)
    with daemon.client(at.page.evaluate("sessionStorage['guardhouse.session']")) as elsewhere:
        elsewhere.post("/v1/console/sign-out")
    at.page.get_by_role("link", name="Reasons").click()
    at.is_asked_to_sign_in("session is over")


def test_a_page_that_looks_for_news_does_not_keep_a_session_from_becoming_idle(new_daemon):
    daemon = new_daemon()
    daemon.configure("guard: {server: {console_idle: 4}}")
    daemon.start()
    token = daemon.token("approver")
    used, unused = session_of(daemon, token), session_of(daemon, token)
    with daemon.client(used) as person, daemon.client(unused) as page:
        news = {"guardhouse-by-itself": "1"}

        def is_over():
            assert person.get("/v1/console/session").status_code == 200
            return page.get("/v1/console/session", headers=news).status_code == 401

        until(is_over, "the end of the session that nobody used")


def test_a_link_of_the_terminal_signs_in_once_and_leaves_the_address_bar(daemon, visit):
    daemon.token("approver", "linus")
    code = console_code(daemon, "linus")
    at = visit(daemon, path=f"/#code={code}")
    at.is_live()
    expect(at.page.locator("#who-name")).to_have_text("linus")
    assert "code" not in at.page.url
    assert sign_in(daemon, code).status_code == 401


def test_a_link_on_another_page_signs_nobody_in(daemon, visit, browser):
    daemon.token("approver", "mallory")
    code = console_code(daemon, "mallory")
    other = browser.new_context()
    page = other.new_page()
    page.route("http://other.example/", lambda route: route.fulfill(
        content_type="text/html", body=f'<a href="{daemon.url}/#code={code}">look</a>'))  # fmt: skip
    page.goto("http://other.example/")
    page.get_by_text("look").click()
    expect(page.locator("#sign-in")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    other.close()
    assert sign_in(daemon, code).status_code == 200


def test_another_tab_of_the_console_is_signed_in_too(daemon, visit, ada):
    at = visit(daemon).signed_in(ada)
    tab = at.opened_tab()
    tab.goto(daemon.url + "/reasons")
    expect(tab.get_by_role("heading", name="Reasons")).to_be_visible()
    tab.get_by_role("button", name="Sign out").click()
    at.is_asked_to_sign_in("another tab")


def test_pages_are_a_shell_without_data_and_no_answer_sets_a_cookie(daemon, ada, agent):
    asked = pending(agent)
    with daemon.client() as stranger:
        shells = {stranger.get(path).text for path in PAGES}
        assert len(shells) == 1
        answers = [stranger.get(path) for path in (*PAGES, f"/approvals/{asked}", "/console/approvals", "/nowhere")]
    assert asked not in shells.pop()
    answers.append(sign_in(daemon, ada))
    assert not [answer for answer in answers if "set-cookie" in answer.headers]


def test_the_shell_may_run_our_own_scripts_only_and_is_never_kept(daemon):
    with daemon.client() as stranger:
        shell = stranger.get("/approvals")
        policy = shell.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert shell.headers["cache-control"] == "no-store"
        assert shell.headers["cross-origin-opener-policy"] == "same-origin"
        assert " style=" not in shell.text
        assert "<script>" not in shell.text
        assert "script-src" not in stranger.get("/v1/openapi.json").headers["content-security-policy"]


def test_fragments_need_a_session_or_a_token_of_a_person(daemon, agent):
    for path in ("/console/approvals", "/console/approvals/rows", "/console/reasons"):
        assert httpx.get(daemon.url + path, trust_env=False).status_code == 401
        assert agent.get(path).status_code == 403


def test_a_page_of_another_place_can_neither_sign_in_nor_answer(daemon, visit, browser, ada, agent):
    asked = pending(agent)
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "same-site"}):
        with daemon.client(session_of(daemon, ada)) as session:
            form = {"answer": "approve"}
            answer = session.post(f"/console/approvals/{asked}/answer", data=form, headers=headers)
            assert answer.status_code == 403
            assert session.post("/v1/console/sign-in", json={"token": ada}, headers=headers).status_code == 403
    with daemon.approver() as approver:
        assert approver.get(f"/v1/approvals/{asked}").json()["status"] == "pending"


def test_a_link_may_lead_to_a_page_but_to_nothing_else(daemon):
    navigating = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    with daemon.approver() as approver:
        assert approver.get("/approvals", headers=navigating).status_code == 200
        assert approver.get("/approvals", headers=navigating | {"sec-fetch-dest": "iframe"}).status_code == 403
        for path in ("/v1/approvals", "/console/approvals", "/healthz"):
            assert approver.get(path, headers=navigating).status_code == 403
