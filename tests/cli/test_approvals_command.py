"""`guardhouse approvals`, run as a process: in a terminal where it answers, and without one where it must not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from screens import PATIENCE, Screen

from guardhouse.approvals import ApprovalSettings, Approver, SqliteStore
from guardhouse.approvals.terminal import local_actor
from guardhouse.model import ApprovalStatus, Asked, Decision, Reason, RiskLevel, Severity, ToolCallPre, bind, wire

COMMAND = [sys.executable, "-m", "guardhouse", "approvals"]
PROMPT = "[y/N] "


class House:
    """A state directory with requests in it, and ways to run the command on it."""

    def __init__(self, home: Path, state: Path):
        self.home, self.state = home, state
        self.ids = iter(f"ap_{index:06x}aaaaaaaaaaaaaaaaaa" for index in range(1, 99))
        self.env = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "GUARDHOUSE_STATE_DIR": str(state),
            **{name: value for name, value in os.environ.items() if name == "PYTHONPATH"},
        }
        self.screens = []

    def approver(self, seconds=300.0):
        return Approver(
            SqliteStore(self.state / "approvals.db"),
            bytes(32),
            ApprovalSettings(answer_within={"medium": seconds}),
            new_id=lambda: next(self.ids),
        )

    def request(self, command="make deploy", *, seconds=300.0, **changes):
        action = ToolCallPre(tool="bash", params={"command": command}, session_id="s1")
        reason = Reason(
            code="shell.ask_mode",
            decided_by="detector:commands",
            decision=Decision.REQUIRE_APPROVAL,
            severity=Severity.MEDIUM,
            title="A command asks first",
            why="A command can do anything you can.",
            instead="Use a tool that does one thing.",
        )
        fields = {
            "bound": bind(action, {}),
            "resume": b"{}",
            "action_type": "ToolCallPre",
            "tool_name": "bash",
            "session_id": "s1",
            "run_id": None,
            "principal": None,
            "action_summary_redacted": f"bash: {command}",
            "action_redacted": wire(action),
            "risk_level": RiskLevel.MEDIUM,
            "reasons": (reason,),
            "codes": ("shell.ask_mode",),
            "policy_revision": "p1",
        }
        return self.approver(seconds).settle(Asked(**{**fields, **changes})).request

    def now(self, request):
        return self.approver().get(request.id)

    def run(self, *arguments):
        """Without any terminal."""
        return subprocess.run(
            [*COMMAND, *arguments],
            input="y\n" * 10,
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.home,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
        )

    def memory(self, *arguments):
        """The most memory that the command takes, in units that only compare."""
        code = (
            "import resource, subprocess, sys;"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *COMMAND, *arguments],
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.home,
            timeout=PATIENCE,
            check=True,
        )
        return int(done.stdout) // (1024 if sys.platform == "darwin" else 1)

    def at_terminal(self, *arguments, command=COMMAND):
        screen = Screen([*command, *arguments], self.env, self.home)
        self.screens.append(screen)
        return screen


@pytest.fixture
def house(tmp_path):
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    state.mkdir(mode=0o700)
    house = House(home, state)
    yield house
    for screen in house.screens:
        screen.close()


HOSTILE = "a\x1b[2J\u202eb\nap_000000  approved  low\x07\t\x9b1m"


def test_the_list_has_a_line_for_each_pending_request_and_nothing_raw(house):
    first, second = house.request(), house.request(HOSTILE)
    house.approver().answer(house.request("done").id, approve=False, actor="telegram:7")
    done = house.run("list")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [[second.id, "pending", "medium"], [first.id, "pending", "medium"]]
    assert all(line.isprintable() for line in lines)


def test_a_list_of_large_requests_takes_no_more_memory_than_one_of_small_ones(house):
    house.request("small")
    small = house.memory("list")
    for index in range(40):
        house.request(f"{index} {'x' * 450_000}", action_summary_redacted=f"bash: {index}")
    assert len(house.run("list").stdout.splitlines()) == 41
    assert house.memory("list") < small + 10_000
    assert len(json.loads(house.run("list", "--json").stdout)) == 41
    assert house.memory("list", "--json") < small + 20_000


def test_the_json_list_of_nothing_is_an_empty_list(house):
    assert json.loads(house.run("list", "--json").stdout) == []


def test_the_list_can_be_of_any_status_or_of_all(house):
    request, other = house.request(), house.request("other")
    house.approver().answer(request.id, approve=False, actor="telegram:7")
    assert house.run("list", "--status", "denied").stdout.split()[:2] == [request.id, "denied"]
    assert len(house.run("list", "--status", "all").stdout.splitlines()) == 2
    assert house.run("list", "--status", "approved").stdout == "No approved requests.\n"
    assert house.run("list", "--status", "nonsense").returncode == 2
    assert other.id in house.run("list").stdout


def test_json_has_the_whole_request_with_times_as_text(house):
    request = house.request(HOSTILE)
    done = house.run("list", "--json")
    assert done.stdout.isascii()
    assert not set(done.stdout) & set("\x1b\x07\t")
    [listed] = json.loads(done.stdout)
    shown = json.loads(house.run("show", request.id, "--json").stdout)
    assert shown == listed
    assert shown["id"] == request.id
    assert shown["status"] == "pending"
    assert shown["action_redacted"]["params"]["command"] == HOSTILE
    for name in ("created_at", "expires_at"):
        assert time.strptime(shown[name], "%Y-%m-%dT%H:%M:%S.%fZ")


def test_show_prints_the_whole_card_and_takes_a_beginning_of_the_id(house):
    request = house.request("x" * 3000 + HOSTILE)
    house.request("another")
    done = house.run("show", request.id[:9])
    assert done.returncode == 0, done.stderr
    assert request.id in done.stdout
    assert sum(line.count("x") for line in done.stdout.splitlines()) >= 3000
    assert all(line.isprintable() for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("ap_0000", "six characters"),
        ("nonsense\x1b[2J", "no request nonsense\\u{1b}"),
        ("ap_ffffffff", "There is no request ap_ffffffff"),
        ("ap_%", "There is no request"),
    ],
)
def test_an_id_that_means_no_request_is_said_to_and_nothing_happens(house, given, says):
    house.request()
    for command in ("show", "cancel"):
        done = house.run(command, given)
        assert done.returncode == 1
        assert says in done.stderr


def test_a_beginning_that_fits_two_requests_means_neither(house):
    house.ids = iter(["ap_abcdef01", "ap_abcdef02"])
    house.request()
    house.request("other")
    done = house.run("show", "ap_abcdef")
    assert done.returncode == 1
    assert "2 requests begin with ap_abcdef" in done.stderr
    assert house.run("show", "ap_abcdef02").returncode == 0


def test_approve_shows_the_card_asks_and_approves(house):
    request = house.request()
    screen = house.at_terminal("approve", request.id[:9], "--comment", "looked at it with sk-abcdefghijklmnopqrstuvwx")
    text = screen.read_until(PROMPT)
    assert "make deploy" in text
    assert house.now(request).status is ApprovalStatus.PENDING
    screen.type("y\r")
    assert screen.status() == 0
    now = house.now(request)
    assert (now.status, now.actor) == (ApprovalStatus.APPROVED, local_actor())
    assert now.comment == "looked at it with sk-[redacted]"


@pytest.mark.parametrize("keys", ["\r", "n\r", "no way\r", "\x03", "\x04"])
def test_approve_without_a_yes_approves_nothing_and_leaves_it_to_be_answered(house, keys):
    request = house.request()
    screen = house.at_terminal("approve", request.id)
    screen.read_until(PROMPT)
    screen.type(keys)
    assert screen.status() == 1
    assert house.now(request).status is ApprovalStatus.PENDING


LARGE = "#\n" * 200_000


def test_what_is_too_large_to_be_shown_is_named_and_can_be_denied_but_not_approved(house):
    request = house.request(LARGE)
    shown = house.run("show", request.id)
    assert shown.returncode == 0, shown.stderr
    assert "too large to be shown" in shown.stdout
    assert len(shown.stdout) < 4000
    assert f"approvals show {request.id} --json" in "".join(shown.stdout.split("\n")).replace("  ", " ")
    assert "approvals approve" not in shown.stdout
    whole = json.loads(house.run("show", request.id, "--json").stdout)
    assert whole["action_redacted"]["params"]["command"] == LARGE
    approving = house.at_terminal("approve", request.id)
    assert approving.status() == 1
    assert "too large" in approving.text
    assert "Deny or cancel it" in approving.text
    assert house.now(request).status is ApprovalStatus.PENDING
    assert house.at_terminal("deny", request.id).status() == 0
    assert house.now(request).status is ApprovalStatus.DENIED


def test_a_message_of_any_bytes_denies(house):
    request = house.request()
    assert house.at_terminal("deny", request.id, b"no \xff").status() == 0
    assert house.now(request).comment == "no ?"


def test_deny_needs_no_question_and_passes_the_message_on_without_secrets(house):
    request = house.request()
    screen = house.at_terminal("deny", request.id, "use staging, not sk-abcdefghijklmnopqrstuvwx")
    assert screen.status() == 0, screen.text
    now = house.now(request)
    assert (now.status, now.actor) == (ApprovalStatus.DENIED, local_actor())
    assert now.comment == "use staging, not sk-[redacted]"
    assert f"Denied by {local_actor()}." in screen.text


@pytest.mark.parametrize("command", [["approve"], ["deny"], ["watch"]])
def test_without_a_terminal_nothing_is_answered_whatever_standard_input_says(house, command):
    request = house.request()
    done = house.run(*command, *([] if command == ["watch"] else [request.id]))
    assert done.returncode == 2
    assert "There is no terminal here" in done.stderr
    assert house.now(request).status is ApprovalStatus.PENDING


AGENT = """
import os, subprocess, sys
from pathlib import Path
from guardhouse.approvals.ancestry import register
register(Path(os.environ["GUARDHOUSE_STATE_DIR"]) / "agents", "helper")
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


@pytest.mark.parametrize("command", ["approve", "deny", "watch"])
def test_a_guarded_agent_can_not_answer_for_itself_by_running_the_command(house, command):
    request = house.request()
    arguments = [command] if command == "watch" else [command, request.id]
    screen = house.at_terminal(*arguments, command=[sys.executable, "-c", AGENT, *COMMAND])
    assert screen.status() == 2
    assert "guarded agent helper" in screen.text
    assert house.now(request).status is ApprovalStatus.PENDING


GUARDED = """
import subprocess, sys
from guardhouse import open_guard
with open_guard():
    sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


@pytest.mark.parametrize("command", ["approve", "deny", "resume", "watch"])
def test_a_guarded_agent_can_not_answer_by_naming_another_state(house, command):
    """The requests may be in a database that any state directory leads to."""
    fake = house.home / "fake"
    request = House(house.home, fake).request()
    arguments = [command] if command == "watch" else [command, request.id]
    screen = house.at_terminal(*arguments, "--state-dir", fake, command=[sys.executable, "-c", GUARDED, *COMMAND])
    assert screen.status() == 2, screen.text
    assert "guarded agent" in screen.text
    assert House(house.home, fake).now(request).status is ApprovalStatus.PENDING


@pytest.mark.parametrize(("approve", "command", "word"), [(True, "deny", "approved"), (False, "approve", "Denied")])
def test_an_answer_that_comes_second_says_who_was_first(house, approve, command, word):
    request = house.request()
    first = house.approver().answer(request.id, approve=approve, actor="telegram:7")
    screen = house.at_terminal(command, request.id)
    assert screen.status() == 1
    assert f"{word} by telegram:7" in screen.text
    assert house.now(request) == first


@pytest.mark.parametrize("command", ["approve", "deny"])
def test_an_answer_that_comes_too_late_is_refused_and_says_so(house, command):
    request = house.request(seconds=0.001)
    screen = house.at_terminal(command, request.id)
    assert screen.status() == 1
    assert "nobody answered in time" in screen.text
    assert house.now(request).status is ApprovalStatus.EXPIRED


def test_cancel_takes_a_request_back(house):
    request = house.request()
    done = house.run("cancel", request.id)
    assert done.returncode == 0
    assert done.stdout == f"Cancelled by {local_actor()}.\n"
    assert house.now(request).status is ApprovalStatus.CANCELLED
    denied = house.request("other")
    house.approver().answer(denied.id, approve=False, actor="telegram:7")
    done = house.run("cancel", denied.id)
    assert done.returncode == 1
    assert "denied by telegram:7" in done.stderr


def test_watch_puts_requests_in_turn_as_they_come_until_ctrl_c(house):
    screen = house.at_terminal("watch")
    screen.read_until("Waiting for questions.")
    first = house.request("make one")
    screen.read_until(f"Approve {first.id}? [y/N] ")
    second, third = house.request("make two"), house.request("make three")
    house.approver().answer(third.id, approve=False, actor="telegram:7")
    screen.type("y\r")
    screen.read_until(f"Approve {second.id}? [y/N] ")
    screen.type("\x03")
    screen.read_until("Denied by")
    fourth = house.request("make four")
    screen.read_until(f"Approve {fourth.id}? [y/N] ")
    house.approver().answer(fourth.id, approve=True, actor="telegram:7")
    screen.read_until("Waiting for questions.", after="Approved by telegram:7.")
    assert third.id not in screen.text
    assert [house.now(one).status.value for one in (first, second, fourth)] == ["approved", "denied", "approved"]
    screen.type("\x03")
    assert screen.status() == 0
    assert "Stopped." in screen.text


def test_watch_announces_what_ended_while_another_question_was_open(house):
    first, second = house.request("make one"), house.request("make two")
    third = house.request("make three")
    screen = house.at_terminal("watch")
    screen.read_until(f"Approve {first.id}? [y/N] ")
    house.approver().answer(second.id, approve=False, actor="telegram:7")
    screen.type("n\r")
    screen.read_until(f"Approve {third.id}? [y/N] ")
    assert f"{second.id}: Denied by telegram:7." in screen.text
    screen.type("n\r")
    screen.read_until("Waiting for questions.")
    screen.type("\x03")
    assert screen.status() == 0


def test_watch_ends_when_its_terminal_gives_no_answers_any_more(house):
    request = house.request()
    screen = house.at_terminal("watch")
    screen.read_until(PROMPT)
    screen.type("\x04")
    assert screen.status() == 1
    assert house.now(request).status is ApprovalStatus.PENDING


def test_watch_puts_those_of_one_kind_on_one_card(house):
    first, second, third = (house.request(f"make {name}", kin="deploys") for name in ("one", "two", "three"))
    other = house.request("make other")
    screen = house.at_terminal("watch")
    screen.read_until(f"Approve {first.id} and 2 more? [y/N] ")
    assert "make two" in screen.text
    screen.type("y 1 4\r")  # there is no fourth
    screen.read_until("and 2 more? [y/N] ", after="Please answer y or n.")
    screen.type("y 1 3\r")
    screen.read_until(f"Approve {second.id}? [y/N] ")  # what was left is put by itself
    screen.type("n not this\r")
    screen.read_until(f"Approve {other.id}? [y/N] ")
    screen.type("\x03")
    screen.read_until("Waiting for questions.")
    screen.type("\x03")
    assert screen.status() == 0
    statuses = [house.now(one).status.value for one in (first, second, third, other)]
    assert statuses == ["approved", "denied", "approved", "denied"]


@pytest.mark.parametrize(("typed", "status"), [("y\r", "approved"), ("n stop it\r", "denied"), ("\x03", "denied")])
def test_one_answer_can_be_to_all_on_a_card(house, typed, status):
    both = [house.request(f"make {name}", turn="the same") for name in ("one", "two")]
    screen = house.at_terminal("watch")
    screen.read_until("and 1 more? [y/N] ")
    screen.type(typed)
    screen.read_until("Waiting for questions.")
    screen.type("\x03")
    assert screen.status() == 0
    assert [house.now(one).status.value for one in both] == [status, status]


def test_those_on_one_card_can_be_answered_one_by_one(house):
    first, second = (house.request(f"make {name}", kin="deploys") for name in ("one", "two"))
    screen = house.at_terminal("watch")
    screen.read_until("and 1 more? [y/N] ")
    screen.type("each\r")
    screen.read_until(f"Approve {first.id}? [y/N] ", after="and 1 more")
    screen.type("y\r")
    screen.read_until(f"Approve {second.id}? [y/N] ")
    screen.type("n\r")
    screen.read_until("Waiting for questions.")
    screen.type("\x03")
    assert screen.status() == 0
