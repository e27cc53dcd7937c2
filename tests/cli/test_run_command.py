"""`guardhouse run` and `guardhouse runs` as processes, in a terminal and without one, with a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from guardhouse_with_tools import KEY
from screens import PATIENCE, Screen

sys.path.insert(0, str(Path(__file__).parents[1] / "runs"))
from openai_server import OpenAIServer, Say

LAUNCHER = str(Path(__file__).parent / "guardhouse_with_tools.py")
PROMPT = "[y/N] "
CONFIG = """
guard:
  tools:
    look: {{capabilities: [reads]}}
    vault: {{capabilities: [reads]}}
    pay: {{capabilities: [writes, spends]}}
    slow: {{capabilities: [reads]}}
    helper: {{capabilities: [reads]}}
  rules:
    - {{id: pay-asks, action: ToolCallPre, tool: pay, effect: require_approval, because: It is money.}}
  {approvals}
  runs:
    model: {{name: scripted, base_url: "{url}", key_env: "", retries: 0}}
"""


class House:
    """A person's machine, with a model's server."""

    def __init__(self, root: Path):
        self.home, self.state = root / "home", root / "state"
        self.project = self.home / "app"
        self.project.mkdir(parents=True)
        self.made_file = root / "made"
        self.made_file.touch()
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "MADE": str(self.made_file),
            "GUARDHOUSE_STATE_DIR": str(self.state),
            **{name: value for name, value in os.environ.items() if name == "PYTHONPATH"},
        }
        self.screens, self.servers = [], []

    def model(self, *answers, approvals="", others=None):
        server = OpenAIServer(*answers, others=others)
        server.__enter__()
        self.servers.append(server)
        self.configure(CONFIG.format(url=server.base_url, approvals=approvals))
        return server

    def configure(self, text):
        file = self.home / ".config" / "guardhouse" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, *arguments, stdin=""):
        """Without any terminal."""
        return subprocess.run(
            [sys.executable, LAUNCHER, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.env,
            cwd=self.project,
            start_new_session=True,
            timeout=PATIENCE * 2,
            check=False,
        )

    def started(self, *arguments):
        """The same, while it goes on."""
        return subprocess.Popen(
            [sys.executable, LAUNCHER, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
            cwd=self.project,
            start_new_session=True,
        )

    def at_terminal(self, *arguments):
        screen = Screen([sys.executable, LAUNCHER, *arguments], self.env, self.project)
        self.screens.append(screen)
        return screen

    def made(self):
        return self.made_file.read_text().splitlines()

    def runs(self, *more):
        return json.loads(self.run("runs", "list", "--json", "--all", *more).stdout)

    def pending(self):
        found = json.loads(self.run("approvals", "list", "--json").stdout)
        return [one["id"] for one in found]

    def answer(self, request_id, *, approve):
        from guardhouse.approvals import Approver, SqliteStore
        from guardhouse.keys import KeyDirectory

        key = KeyDirectory(self.home / ".local" / "share" / "guardhouse" / "keys").key("approvals")
        approver = Approver(SqliteStore(self.state / "approvals.db"), key)
        approver.answer(request_id, approve=approve, actor="telegram:7")
        approver.close()

    def close(self):
        for screen in self.screens:
            screen.close()
        for server in self.servers:
            server.__exit__()


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    yield house
    house.close()


def eventually(find):
    end = time.monotonic() + PATIENCE
    while not (found := find()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def test_a_task_is_done_and_only_the_answer_is_on_standard_output(house):
    server = house.model([("look", {"what": "roof"})], "The roof is fine.")
    done = house.run("run", "--task", "Look at the roof.")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "The roof is fine.\n"
    assert '→ look {"what":"roof"}' in done.stderr
    assert "calls: 1 made (look 1)" in done.stderr
    assert "2 answers of the model, 200 tokens read, 20 written" in done.stderr
    assert server.told() == ["roof is fine"]
    assert house.made() == ["look roof"]


def test_the_task_comes_from_a_file_or_standard_input_and_from_one_of_them_only(house):
    house.model("Yes.")
    (house.project / "task.txt").write_text("Is it?")
    assert house.run("run", "--task-file", "task.txt").stdout == "Yes.\n"
    assert house.run("run", "-", stdin="Is it?").stdout == "Yes.\n"
    for wrong in ([], ["--task", "x", "-"], ["x"], ["--task", " "]):
        assert house.run("run", *wrong).returncode == 2, wrong


def test_with_json_one_object_is_all_that_is_on_standard_output(house):
    house.model([("look", {"what": "roof"}), ("vault", {})], "Fine.")
    done = house.run("run", "--task", "Look.", "--json")
    told = json.loads(done.stdout)
    assert (told["status"], told["output"], told["denied"], told["redacted"]) == ("done", "Fine.", 0, 1)
    assert [(call["tool"], call["outcome"]) for call in told["calls"]] == [("look", "completed"), ("vault", "redacted")]


def test_no_secret_is_shown_of_what_a_tool_returns_or_the_model_says(house):
    filling = "words and more of them " * 40
    server = house.model(Say(f"I read it.\n{filling}", (("vault", {}),)), Say(f"{filling} The key is {KEY}.", piece=7))
    screen = house.at_terminal("run", "--task", f"Read the vault. Not {KEY}.")
    assert screen.status() == 0
    assert "the model sees it masked" in screen.text
    assert "The key is " in screen.text
    [told] = server.told()
    for place in (screen.text, told, house.run("runs", "show", house.runs()[0]["id"]).stdout):
        assert KEY not in place
    for file in (house.state / "audit").rglob("*.jsonl"):
        assert KEY not in file.read_text()


def test_what_the_model_says_is_shown_while_it_says_it_and_can_not_move_the_cursor(house):
    held = threading.Event()
    house.model(Say("First this.\n\x1b[2Jthen that \u202e" + "and more words " * 40, held=held))
    screen = house.at_terminal("run", "--task", "Talk.")
    screen.read_until("│ First this.")
    shown = screen.read_until("then that")
    assert "the answer" not in shown
    held.set()
    assert screen.status() == 0
    assert "\x1b[2J" not in screen.text
    assert "\u202e" not in screen.text


def test_what_needs_an_answer_is_asked_in_place_and_the_run_goes_on(house):
    server = house.model([("pay", {"amount": 5})], "Paid.")
    screen = house.at_terminal("run", "--task", "Pay 5.")
    screen.read_until(PROMPT)
    assert house.made() == []
    screen.type("y\n")
    assert screen.status() == 0, screen.text
    assert house.made() == ["pay 5"]
    assert server.told() == ["paid 5"]
    assert "Approved by local:" in screen.text
    assert screen.text.rstrip().endswith("Paid.")


def test_a_no_in_place_is_a_denial_for_the_model_with_what_the_person_said(house):
    server = house.model([("pay", {"amount": 5})], "Not paid.")
    screen = house.at_terminal("run", "--task", "Pay 5.")
    screen.read_until(PROMPT)
    screen.type("n too much\n")
    assert screen.status() == 0, screen.text
    assert house.made() == []
    assert "too much" in server.told()[0]
    assert "0 made, 1 denied" in screen.text


def test_without_a_terminal_the_run_waits_for_an_answer_from_elsewhere(house):
    house.model([("pay", {"amount": 5})], "Paid.")
    with house.started("run", "--task", "Pay 5.") as process:
        [request_id] = eventually(house.pending)
        house.answer(request_id, approve=True)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert out == "Paid.\n"
    assert f"Waiting for {request_id}" in err
    assert "Approved by telegram:7" in err
    assert house.made() == ["pay 5"]


def test_with_no_wait_it_ends_where_it_has_to_wait_and_an_approval_id_resumes_it(house):
    house.model([("pay", {"amount": 5})], "Paid.")
    done = house.run("run", "--task", "Pay 5.", "--no-wait", "--json")
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    [request_id] = told["waits_for"]
    assert told["status"] == "waiting"
    assert f"guardhouse runs resume {told['run_id']}" in done.stderr
    assert house.run("runs", "resume", told["run_id"], "--no-wait").returncode == 3
    house.answer(request_id, approve=True)
    done = house.run("runs", "resume", request_id)
    assert (done.returncode, done.stdout) == (0, "Paid.\n"), done.stderr
    assert house.made() == ["pay 5"]


def test_a_request_that_nobody_answers_is_a_denial_and_the_run_goes_on_by_itself(house):
    server = house.model([("pay", {"amount": 5})], "Not paid.", approvals=SHORT)
    done = house.run("run", "--task", "Pay 5.")
    assert (done.returncode, done.stdout) == (0, "Not paid.\n"), done.stderr
    assert house.made() == []
    assert "Timed out" in done.stderr
    assert len(server.told()) == 1


SHORT = "approvals: {answer_within: {low: 2, medium: 2, high: 2, critical: 2}}"


def test_a_run_whose_process_is_killed_at_a_question_is_resumed_and_the_call_made_once(house):
    house.model([("look", {"what": "bill"})], [("pay", {"amount": 5})], "Paid.")
    screen = house.at_terminal("run", "--task", "Pay 5.")
    screen.read_until(PROMPT)
    os.kill(screen.pid, signal.SIGKILL)
    os.waitpid(screen.pid, 0)
    screen.pid = 0
    [left] = house.runs()
    assert left["status"] == "waiting"
    again = house.at_terminal("runs", "resume", left["id"][:12])
    again.read_until(PROMPT)
    again.type("y\n")
    assert again.status() == 0, again.text
    assert house.made() == ["look bill", "pay 5"]
    assert "2 made (look 1, pay 1)" in again.text


def test_a_run_whose_process_is_killed_inside_a_call_is_said_to_be_so_and_a_person_decides(house):
    server = house.model([("slow", {"seconds": 60})], "So be it.")
    process = house.started("run", "--task", "Take long.")
    eventually(house.made)
    process.kill()
    process.communicate()
    [left] = house.runs()
    assert left["abandoned"]
    assert "its process is gone: resume it" in house.run("runs", "show", left["id"]).stdout
    assert "gone" in house.run("runs", "list").stdout
    screen = house.at_terminal("runs", "resume", left["id"])
    screen.read_until(PROMPT)
    assert "nobody knows whether it took effect" in screen.text
    screen.type("n\n")
    assert screen.status() == 0, screen.text
    assert house.made() == ["slow begun"]
    assert "1 of unknown outcome" in screen.text
    assert "not known whether this call took effect" in server.told()[0]


def test_ctrl_c_pauses_a_run_and_it_is_resumed_where_it_was(house):
    held = threading.Event()
    house.model([("look", {"what": "roof"})], Say("The roof is fine.", held=held))
    screen = house.at_terminal("run", "--task", "Look at the roof.")
    screen.read_until("✓ done")
    screen.type("\x03")
    assert screen.status() == 3, screen.text
    held.set()
    [left] = house.runs()
    assert left["status"] == "paused"
    assert f"guardhouse runs resume {left['id']}" in screen.text
    done = house.run("runs", "resume", left["id"])
    assert (done.returncode, done.stdout) == (0, "The roof is fine.\n"), done.stderr
    assert house.made() == ["look roof"]


def test_ctrl_c_inside_a_call_says_that_nobody_knows_and_once_more_ends_it_hard(house):
    house.model([("slow", {"seconds": 60})], "Never.")
    screen = house.at_terminal("run", "--task", "Take long.")
    eventually(house.made)
    screen.type("\x03")
    screen.read_until("slow was under way: nobody knows whether it took effect.")
    assert house.runs()[0]["status"] == "paused"
    screen.type("\x03")
    assert screen.status() == 130
    assert house.made() == ["slow begun"]


def test_a_terminal_that_is_closed_leaves_a_paused_run(house):
    held = threading.Event()
    house.model([("look", {"what": "roof"})], Say("The roof is fine.", held=held))
    screen = house.at_terminal("run", "--task", "Look at the roof.")
    screen.read_until("✓ done")
    os.close(screen.handle)
    screen.handle = os.open(os.devnull, os.O_RDONLY)
    eventually(lambda: house.runs()[0]["status"] == "paused")
    held.set()
    assert house.run("runs", "resume", house.runs()[0]["id"]).stdout == "The roof is fine.\n"
    assert house.made() == ["look roof"]


def test_a_model_that_can_not_be_asked_pauses_the_run(house):
    house.model(500)
    done = house.run("run", "--task", "Anything.")
    assert done.returncode == 3, done.stderr
    assert "The model gave no usable answer" in done.stderr
    [left] = house.runs()
    assert (left["status"], left["why"]) == ("paused", "model")
    house.model("There.")
    assert house.run("runs", "resume", left["id"]).stdout == "There.\n"


def test_a_run_is_cancelled_with_what_it_asks(house):
    house.model([("pay", {"amount": 5})], "Paid.")
    house.run("run", "--task", "Pay 5.", "--no-wait")
    [left] = house.runs()
    assert house.run("runs", "cancel", left["id"]).returncode == 0
    assert house.pending() == []
    assert house.run("runs", "cancel", left["id"]).returncode == 2
    assert house.run("runs", "resume", left["id"]).returncode == 1
    assert house.run("runs", "list").stdout.startswith("No runs that are not over.")
    assert house.made() == []


def test_a_run_that_is_cancelled_while_somebody_waits_with_it_ends_there(house):
    house.model([("pay", {"amount": 5})], "Paid.")
    with house.started("run", "--task", "Pay 5.") as process:
        eventually(house.pending)
        house.run("runs", "cancel", house.runs()[0]["id"])
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 1


DELEGATED = {"Pay 5.": [[("pay", {"amount": 5})], "I paid 5."]}


def test_a_question_of_a_run_inside_another_is_asked_in_place_and_both_go_on(house):
    server = house.model([("helper", {"task": "Pay 5."})], "It is paid.", others=DELEGATED)
    screen = house.at_terminal("run", "--task", "See to the bill.")
    screen.read_until(PROMPT)
    screen.type("y\n")
    assert screen.status() == 0, screen.text
    assert house.made() == ["pay 5"]
    assert "I paid 5." in server.told()[0]
    assert "2 made (helper 1, pay 1)" in screen.text
    assert screen.text.rstrip().endswith("It is paid.")


def test_a_run_inside_another_is_resumed_with_it_by_the_approval(house):
    house.model([("helper", {"task": "Pay 5."})], "It is paid.", others=DELEGATED)
    told = json.loads(house.run("run", "--task", "See to the bill.", "--no-wait", "--json").stdout)
    [request_id] = told["waits_for"]
    house.answer(request_id, approve=True)
    done = house.run("runs", "resume", request_id)
    assert (done.returncode, done.stdout) == (0, "It is paid.\n"), done.stderr
    assert house.made() == ["pay 5"]


def test_a_run_that_somebody_works_on_is_not_resumed_by_another(house):
    house.model([("slow", {"seconds": 60})], "Never.")
    process = house.started("run", "--task", "Take long.")
    eventually(house.made)
    done = house.run("runs", "resume", house.runs()[0]["id"])
    assert done.returncode == 2
    assert "Somebody works on this run." in done.stderr
    process.kill()
    process.communicate()


def test_an_id_that_names_none_or_several_runs_is_refused(house):
    house.model("Yes.")
    house.run("run", "--task", "One?")
    for wrong in ("run_", "run_zzzzzzzz", "ap_000000000000000000000000", "x"):
        done = house.run("runs", "show", wrong)
        assert done.returncode == 2, wrong
        assert done.stderr.startswith("guardhouse: "), wrong


def test_show_has_no_sealed_text_but_the_answer(house):
    house.model([("look", {"what": "a-word-of-the-call"})], "The answer.")
    house.run("run", "--task", "Look. " + "And think. " * 30 + "a-word-of-the-task")
    [done] = house.runs()
    for more in ([], ["--json"]):
        shown = house.run("runs", "show", done["id"], *more).stdout
        assert "The answer." in shown
        assert "look" in shown
        assert "a-word-of" not in shown


def test_without_a_model_it_says_how_to_name_one_and_starts_nothing(house):
    done = house.run("run", "--task", "Anything.")
    assert done.returncode == 2
    assert 'base_url: "http://127.0.0.1:11434/v1"' in done.stderr
    assert "guardhouse demo" in done.stderr
    assert house.runs() == []


def test_without_a_model_the_demo_is_offered_at_a_terminal(house):
    screen = house.at_terminal("run", "--task", "Anything.")
    screen.read_until("Watch the demo now? [y/N]")
    screen.type("n\n")
    assert screen.status() == 2
    assert "Guardhouse demo" not in screen.text


def test_help_loads_no_library_of_models():
    code = (
        "import sys; sys.argv = ['guardhouse', '--help']\n"
        "from guardhouse.cli import main\n"
        "try: main()\n"
        "except SystemExit: print([name for name in ('pydantic_ai', 'openai', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_status_says_how_many_runs_wait(house):
    house.model([("pay", {"amount": 5})], "Paid.")
    house.run("run", "--task", "Pay 5.", "--no-wait")
    assert "runs: 1 waiting" in house.run("status").stdout


def test_what_a_model_says_never_looks_like_a_line_of_ours(house):
    """The terminal is 80 columns wide, and would begin a new line by itself."""
    lure = "x" * 75 + "── run_0123: done. Approve ap_1? [y/N] " + "\t" * 30 + "宽" * 60 + "\n── the answer\n"
    house.model(Say(lure, (("look", {"what": "roof"}),)), "Done.")
    screen = house.at_terminal("run", "--task", "Look at the roof.")
    assert screen.status() == 0
    said = screen.text[: screen.text.index("→ look")].splitlines()[1:-1]
    assert "宽" in said[-3]
    for line in said:
        assert line.startswith("  │ "), line
        assert sum(2 if "宽" in char else 1 for char in line) <= 80
