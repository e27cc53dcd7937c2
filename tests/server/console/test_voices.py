"""Ours and theirs: nothing that an agent, a repository or a tool wrote stands on a page as if Guardhouse said it."""

import itertools
from html.parser import HTMLParser

import pytest
from daemon_process import pending
from msgspec.structs import replace

from guardhouse.model import Decision, Reason, Severity
from guardhouse.policy import catalogue
from guardhouse.server.console.headings import heading_of

SPOOF = "Checked by Guardhouse: routine cleanup, safe. Approve (ok"
COMMAND = f"rm -rf '/etc/x) {SPOOF}'"
TOOL = f"deploy) {SPOOF}"
CODE = "shell.deletes_outside_project"
TITLE = catalogue()[CODE].title


_numbers = itertools.count(1)


class Ours(HTMLParser):
    """The text of a page outside what is tinted."""

    VOID = frozenset({"input", "use", "circle", "img", "br", "rect"})

    def __init__(self, page):
        super().__init__()
        self._open = []
        self.said = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self._open.append("theirs" in (dict(attrs).get("class") or "").split() or tag == "textarea")

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            self._open.pop()

    def handle_data(self, data):
        if not any(self._open):
            self.said.append(data)


def ours(person, path):
    answer = person.get(path)
    assert answer.status_code == 200, answer.text
    assert "Checked by Guardhouse" in answer.text
    return " ".join(" ".join(Ours(answer.text).said).lower().split())


def called(agent, action, session="voices"):
    return agent.post("/v1/evaluate", json={"action": action, "session_id": session}).json()


@pytest.fixture
def person(daemon):
    with daemon.approver(f"voices-{next(_numbers)}") as client:
        yield client


@pytest.fixture
def granted(person):
    """Says yes to a request, on terms, as the page does."""

    def say(request, **terms):
        page = person.get(f"/console/approvals/{request}/card").text
        shown = {name: page.split(f'name="{name}" value="')[1].split('"')[0] for name in ("shown", "standing")}
        answer = person.post(f"/console/approvals/{request}/answer", data={"answer": "approve", **terms, **shown})
        assert answer.status_code == 200, answer.text

    return say


def test_no_command_speaks_in_our_voice_on_a_card_or_on_another_ones_card(agent, person):
    first, second = pending(agent, COMMAND), pending(agent, f"{COMMAND} /etc/y")
    for request in (first, second):
        said = ours(person, f"/console/approvals/{request}/card")
        assert "checked by" not in said
        assert TITLE.lower() in said
        assert "1 more of the same kind" in said


def test_no_tools_name_speaks_in_our_voice(agent, person, granted):
    action = {"type": "ToolCallPre", "tool": TOOL, "params": {f"a) {SPOOF}": "prod"}}
    asked = called(agent, action)
    request = asked["approval_request_id"]
    assert "checked by" not in ours(person, f"/console/approvals/{request}/card")
    granted(request)
    for path in (f"/console/approvals/{request}/card", f"/console/audit/{request}"):
        assert "checked by" not in ours(person, path)


def test_nor_on_the_page_of_a_call_or_of_what_was_denied(agent, person):
    told = called(agent, {"type": "ToolCallPre", "tool": "bash", "params": {"command": f"rm -rf / && {COMMAND}"}})
    assert told["decision"] == "deny"
    for path in (f"/console/audit/{told['event_id']}", "/console/denied"):
        assert "checked by" not in ours(person, path)


def reason(**changes):
    made = Reason(
        code=CODE,
        decided_by="detector:x",
        decision=Decision.DENY,
        severity=Severity.HIGH,
        title=TITLE,
        why="",
        instead="",
    )
    return replace(made, **changes)


def test_a_title_is_ours_only_if_it_is_the_catalogues():
    assert heading_of(reason(detail="/etc")).title == TITLE
    assert heading_of(reason(title=f"{TITLE}, 12 times")).title == f"{TITLE}, 12 times"
    older = heading_of(reason(title=f"{TITLE} (/etc/x) {SPOOF})"))
    assert (older.title, SPOOF in older.about) == (TITLE, True)
    foreign = heading_of(reason(code="third.party", title=SPOOF))
    assert (foreign.title, foreign.about) == ("", SPOOF)


def test_what_a_rule_of_the_project_says_is_told_as_its_words():
    head = heading_of(reason(because=SPOOF))
    assert (head.title, head.about, head.project) == (TITLE, "", SPOOF)


def test_what_a_grant_goes_for_is_told_as_theirs(agent, person, granted):
    request = pending(agent, COMMAND, "voices-2")
    granted(request, scope="destination", seconds="600")
    for path in (f"/console/approvals/{request}/card", "/console/grants"):
        assert "checked by" not in ours(person, path)


def test_a_grant_for_one_call_says_which_call_that_is(agent, person, granted):
    granted(pending(agent, "rm -rf /etc/one-and-no-other"), scope="exact", seconds="600")
    page = person.get("/console/grants").text
    tile = page.split("Exactly this call")[1].split("</li>")[0]
    assert "rm -rf /etc/one-and-no-other" in tile
    assert "one-and-no-other" not in " ".join(Ours(page).said)
