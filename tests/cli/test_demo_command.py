"""The demo, as a person sees it: without a terminal, in one, and as data."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
PATIENCE = 30


def unattended(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "guardhouse", "demo", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
        check=False,
    )


class Viewer:
    """Somebody who watches the demo in a terminal of their own."""

    def __init__(self):
        self.shown = b""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            try:
                environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
                os.execve(sys.executable, [sys.executable, "-m", "guardhouse", "demo"], environment)
            finally:
                os._exit(99)

    def read_until(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.shown.decode("utf-8", "replace"):
            left = end - time.monotonic()
            assert left > 0, f"never saw {text!r} in {self.shown!r}"
            if select.select([self.screen], [], [], left)[0]:
                self.shown += os.read(self.screen, 65536)

    def answer(self, keys):
        """Wait for the next question, and answer it."""
        self.read_until("[y/N] ")
        self.shown = b""
        os.write(self.screen, keys)

    def finish(self):
        try:
            while data := os.read(self.screen, 65536):
                self.shown += data
        except OSError:  # the other end is closed: it has ended
            pass
        os.close(self.screen)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), self.shown.decode().replace("\r\n", "\n")


def test_without_a_terminal_nobody_is_asked_and_the_attack_comes_to_nothing():
    done = unattended()
    assert done.returncode == 0, done.stderr
    assert "The key is on somebody else's server" in done.stdout
    assert "key stolen: no   photos deleted: no" in done.stdout
    assert "chain verified" in done.stdout
    assert "one byte changed in a copy of the record: found" in done.stdout


def test_it_takes_less_than_three_seconds():
    before = os.times()
    assert unattended().returncode == 0
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 3


def test_a_deletion_that_nobody_approved_counts_as_a_failure(tmp_path, monkeypatch):
    from guardhouse.demo import Stage

    stage = Stage(tmp_path)
    list(stage.without_gate())
    monkeypatch.setattr(
        "guardhouse.demo.world.POLICY",
        "guard: {network: {default: {allowed_domains: [docs.example]}}, findings: {tool.consequential: allow}}\n",
    )
    list(stage.with_gate(ask=False))
    ending = stage.ending()
    assert ending.destroyed
    assert not ending.held


def test_as_data():
    done = unattended("--json")
    told = json.loads(done.stdout)
    assert told["held"]
    assert told["without_gate"]["key_stolen"]
    assert told["without_gate"]["photos_deleted"]
    assert [step["status"] for step in told["with_gate"]["steps"]] == ["completed", "pending", "denied", "pending"]


def test_who_says_no_in_a_terminal_is_obeyed():
    viewer = Viewer()
    viewer.answer(b"n\n")
    viewer.answer(b"n those are my photos\n")
    status, shown = viewer.finish()
    assert status == 0
    assert "approval.denied" in shown
    assert "those are my photos" in shown
    assert "key stolen: no   photos deleted: no" in shown


def test_who_approves_everything_still_does_not_lose_the_key():
    viewer = Viewer()
    viewer.answer(b"y\n")
    viewer.answer(b"y\n")
    status, shown = viewer.finish()
    assert status == 0
    assert "key stolen: no   photos deleted: yes" in shown


def test_the_readme_opens_with_what_it_prints():
    def settled(text):
        return re.sub(r"\d+", "0", text)

    printed = unattended().stdout.rsplit("\n\n", 1)[0].strip()
    assert settled(printed) in settled(README.read_text(encoding="utf-8"))
