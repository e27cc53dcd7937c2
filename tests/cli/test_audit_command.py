"""`audit …` and `why`: what a person and a machine see of the record."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from guardhouse.audit import AuditLog, AuditSettings, verify
from guardhouse.cli.auditing import audit, feedback, why
from guardhouse.model import (
    ApprovalStatus,
    AuditEvent,
    Decision,
    Finding,
    GuardhouseError,
    Reason,
    RedactedText,
    RiskLevel,
    Severity,
)

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\r\nfake line"


def decision(number: int, **changes) -> AuditEvent:
    fields = {
        "event_id": f"ev_{number}",
        "kind": "decision",
        "timestamp": f"2026-01-31T12:00:{number:02d}.000000Z",
        "trace_id": f"tr_{number}",
        "action_type": "ToolCallPre",
        "tool_name": "url_fetch",
        "action_summary_redacted": RedactedText("POST https://paste.example/upload"),
        "risk_level": RiskLevel.HIGH,
        "decision": Decision.DENY,
        "policy_revision": "rev-7",
        "reasons": (
            Reason(
                code="non_allowlisted_domain",
                decided_by="network",
                decision=Decision.DENY,
                severity=Severity.HIGH,
                title="The host is not on your allowlist",
                why="Data sent there is out of your hands.",
                instead="Answer without uploading.",
                remedy="guardhouse allow domain paste.example",
            ),
        ),
        "findings": (Finding(code="net.destination", detector="d", severity=Severity.INFO, host="paste.example"),),
    }
    return AuditEvent(**{**fields, **changes})


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def write(state: Path, *events: AuditEvent) -> None:
    with AuditLog(state / "audit") as log:
        for event in events:
            log.record(event)


def run(state: Path, *arguments: str, command=audit):
    return CliRunner().invoke(command, [*arguments, "--state-dir", str(state)])


def is_harmless(text: str) -> bool:
    """Nothing in it that a terminal acts on, or that changes what a reader sees."""
    return all(char == "\n" or char.isprintable() for char in text) and "\u202e" not in text


def test_tail_prints_the_newest_oldest_first(state):
    write(state, *(decision(number) for number in range(5)))
    done = run(state, "tail", "-n", "2")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["ev_3", "ev_4"]
    assert "deny" in lines[0]
    assert "non_allowlisted_domain" in lines[0]


def test_tail_says_what_was_only_observed_and_what_nobody_judged(state):
    write(
        state,
        decision(1, decision=Decision.ALLOW, would_be=Decision.DENY, mode="observe"),
        decision(2, decision=Decision.ALLOW, would_be=Decision.ALLOW, mode="observe"),
        decision(3, decision=Decision.ALLOW, mode="disabled"),
    )
    observed, same, unjudged = run(state, "tail").stdout.splitlines()
    assert "allow  (observed: deny)" in observed
    assert "observed" not in same
    assert "allow  (switched off)" in unjudged


def test_tail_as_json_is_one_object_a_line(state):
    write(state, decision(1), decision(2))
    done = run(state, "tail", "--json")
    assert [json.loads(line)["event"]["event_id"] for line in done.stdout.splitlines()] == ["ev_1", "ev_2"]


@pytest.mark.parametrize("command", ["tail", "query", "verify", "stats", "anchor", "export"])
def test_a_log_that_is_not_there_does_not_pass_for_one_that_is_whole(state, command):
    done = run(state, command)
    assert isinstance(done.exception, GuardhouseError)
    assert "no audit log" in str(done.exception)


def test_tail_follows(state):
    write(state, decision(1))
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from guardhouse.cli.auditing import audit; audit()",
            "tail",
            "-f",
            "-n",
            "1",
            "--state-dir",
            str(state),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for number in (1, 2, 3):
            if number > 1:
                write(state, decision(number))
            assert f"ev_{number}" in process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


HOSTILE_EVENT = decision(
    1,
    tool_name=HOSTILE,
    session_id=HOSTILE,
    principal=HOSTILE,
    actor=HOSTILE,
    detail=HOSTILE,
    policy_revision=HOSTILE,
    comment=RedactedText(HOSTILE),
    action_summary_redacted=RedactedText(HOSTILE),
    findings=(Finding(code="x", detector="d", severity=Severity.INFO, excerpt=HOSTILE, path=HOSTILE),),
    reasons=(
        Reason(
            code="x",
            decided_by="rule:" + HOSTILE,
            decision=Decision.DENY,
            severity=Severity.HIGH,
            title=HOSTILE,
            why=HOSTILE,
            instead=HOSTILE,
            excerpt=HOSTILE,
        ),
    ),
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("tail",),
        ("tail", "--json"),
        ("query",),
        ("query", "--json"),
        ("stats",),
        ("stats", "--json"),
        ("export",),
        ("export", "--format", "csv"),
        ("verify",),
    ],
)
def test_what_an_attacker_wrote_reaches_no_terminal(state, arguments):
    write(state, HOSTILE_EVENT)
    (state / "audit" / HOSTILE.replace("/", "")).write_text("")
    done = run(state, *arguments)
    assert done.exit_code == 0
    assert is_harmless(done.output), ascii(done.output)
    assert not done.stdout.startswith("fake line")
    assert "\nfake line" not in done.stdout


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_why_shows_what_an_attacker_wrote_harmlessly(state, arguments):
    write(state, HOSTILE_EVENT)
    done = run(state, "ev_1", *arguments, command=why)
    assert done.exit_code == 0
    assert is_harmless(done.output), ascii(done.output)
    assert "\nfake line" not in done.stdout


def test_query_filters_and_limits(state):
    write(state, *(decision(number, tool_name="bash" if number % 2 else "url_fetch") for number in range(6)))
    done = run(state, "query", "--tool", "bash", "--decision", "deny", "--risk", "high", "--limit", "2", "--json")
    assert [json.loads(line)["event"]["event_id"] for line in done.stdout.splitlines()] == ["ev_5", "ev_3"]
    assert "--limit" in done.stderr
    assert run(state, "query", "--decision", "allow").stdout == ""
    assert (
        run(state, "query", "--since", "2026-01-31T12:00:04", "--until", "2026-01-31T12:00:05").stdout.count("\n") == 1
    )


def test_a_moment_that_is_none_is_an_error_with_help(state):
    done = run(state, "query", "--since", "tomorrow")
    assert isinstance(done.exception, GuardhouseError)
    assert "10m" in str(done.exception)


def test_verify_says_that_the_chain_is_whole(state):
    write(state, decision(1), decision(2))
    done = run(state, "verify")
    assert done.exit_code == 0
    assert "2 events" in done.stdout
    assert "first: event 1, 2026-01-31T12:00:01.000000Z" in done.stdout
    assert done.stdout.endswith("The chain is whole.\n")


def test_verify_names_the_place_of_a_change_and_fails(state):
    write(state, decision(1), decision(2), decision(3))
    (file,) = (state / "audit").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"12:00:02", b"13:00:02"))
    done = run(state, "verify")
    assert done.exit_code == 1
    assert f"PROBLEM {file.name}:2: event 2 was changed" in done.stdout
    wire = json.loads(run(state, "verify", "--json").stdout)
    assert wire["ok"] is False
    assert [problem["line"] for problem in wire["problems"]] == [2]


def test_verify_tells_what_was_cut(state):
    write(state, decision(1))
    (file,) = (state / "audit").glob("*.jsonl")
    with file.open("ab") as handle:
        handle.write(b"half")
    assert "unfinished: 4 bytes" in run(state, "verify").stdout
    write(state, decision(2))
    done = run(state, "verify")
    assert done.exit_code == 0
    assert "An unfinished line of 4 bytes was cut off" in done.stdout


def test_an_anchor_noted_elsewhere_shows_that_the_log_was_made_anew(state):
    write(state, decision(1), decision(2))
    anchor = run(state, "anchor").stdout.strip()
    assert run(state, "verify", "--anchor", anchor).exit_code == 0
    for file in (state / "audit").iterdir():
        file.unlink()
    write(state, decision(1))
    assert run(state, "verify").exit_code == 0
    assert run(state, "verify", "--anchor", anchor).exit_code == 1
    assert json.loads(run(state, "anchor", "--json").stdout)["seq"] == 1


def test_stats_count(state):
    write(state, decision(1), decision(2, decision=Decision.ALLOW), decision(3, tool_name="bash"))
    text = run(state, "stats").stdout
    assert "blocked: 66.7% of 3 decisions" in text
    assert json.loads(run(state, "stats", "--json").stdout)["tools"] == {"url_fetch": 2, "bash": 1}
    assert json.loads(run(state, "stats", "--json", "--since", "2026-01-31T12:00:03").stdout)["events"] == 1


def test_an_export_is_the_logs_own_lines(state):
    write(state, decision(1), decision(2))
    (file,) = (state / "audit").glob("*.jsonl")
    assert run(state, "export").stdout == file.read_text()
    assert run(state, "export", "--until", "2026-01-31T12:00:02").stdout == file.read_text().splitlines(True)[0]


def test_a_table_has_a_row_for_each_event_and_no_formulas(state):
    write(state, decision(1), decision(2, tool_name="=HYPERLINK(1)"))
    rows = list(csv.DictReader(io.StringIO(run(state, "export", "--format", "csv").stdout)))
    assert [row["event_id"] for row in rows] == ["ev_1", "ev_2"]
    assert rows[0]["codes"] == "non_allowlisted_domain"
    assert rows[0]["decision"] == "deny"
    assert rows[1]["tool_name"] == "'=HYPERLINK(1)"


def test_a_broken_chain_is_not_exported_in_silence(state):
    write(state, decision(1), decision(2))
    (file,) = (state / "audit").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"12:00:01", b"13:00:01"))
    done = run(state, "export")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "BROKEN" in done.stderr
    done = run(state, "export", "--broken")
    assert done.exit_code == 1
    assert done.stdout.count("\n") == 2
    assert "BROKEN" in done.stderr


def test_why_tells_the_whole_story(state):
    write(
        state,
        decision(1, decision=Decision.REQUIRE_APPROVAL, approval_request_id="ap_1"),
        decision(
            2,
            kind="approval",
            decision=None,
            trace_id="",
            approval_request_id="ap_1",
            approval_status=ApprovalStatus.APPROVED,
            actor="anna",
        ),
        decision(3, decision=Decision.ALLOW, approval_request_id="ap_1"),
        decision(4, kind="execution", decision=None, outcome="executed", about="ev_3", trace_id="tr_3"),
        decision(5),
    )
    text = run(state, "ev_1", command=why).stdout
    assert "ev_1: held back until a person approves" in text
    assert "risk: high" in text
    assert "policy: rev-7" in text
    assert "The host is not on your allowlist (`non_allowlisted_domain`)." in text
    assert "guardhouse allow domain paste.example" in text
    assert "net.destination (info, high confidence)" in text
    assert "approved  by anna" in text
    assert "executed" in text
    assert "ev_5" not in text
    wire = json.loads(run(state, "ev_1", "--json", command=why).stdout)
    assert [one["event"]["event_id"] for one in wire["related"]] == ["ev_2", "ev_3", "ev_4"]


def test_why_of_an_event_that_is_not_there_says_where_to_look(state):
    write(state, decision(1))
    done = run(state, "ev_x", command=why)
    assert isinstance(done.exception, GuardhouseError)
    assert "audit tail" in str(done.exception)


def test_looking_at_the_record_changes_nothing(state):
    write(state, decision(1))
    before = {file.name: file.read_bytes() for file in (state / "audit").iterdir()}
    for arguments in (("tail",), ("query",), ("verify",), ("stats",), ("anchor",), ("export",)):
        assert run(state, *arguments).exit_code == 0
    assert {file.name: file.read_bytes() for file in (state / "audit").iterdir()} == before
    assert verify(state / "audit").ok


def test_what_was_removed_to_make_room_is_told_loudly(state):
    settings = AuditSettings(max_file_bytes=3_000, max_total_bytes=12_000, min_age_hours=0)
    with AuditLog(state / "audit", settings) as log:
        for number in range(40):
            log.record(decision(number))
    removed = verify(state / "audit").removed_for_room
    assert removed == verify(state / "audit").first.seq - 1
    line = f"REMOVED TO MAKE ROOM: {removed} events"
    assert line in run(state, "verify").stdout
    assert line in run(state, "stats").stdout
    assert line in run(state, "tail").stderr
    assert json.loads(run(state, "verify", "--json").stdout)["removed_for_room"] == removed
    assert json.loads(run(state, "stats", "--json").stdout)["removed_for_room"] == removed


def test_nothing_is_told_if_nothing_was_removed_to_make_room(state):
    write(state, decision(1))
    for command in ("verify", "stats", "tail"):
        assert "REMOVED" not in run(state, command).output


def test_an_opinion_on_a_decision_is_recorded_masked_and_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    state = tmp_path / "state"
    with AuditLog(state / "audit") as log:
        log.record(decision(1))
    where = ["--state-dir", str(state)]
    secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    done = CliRunner().invoke(feedback, ["ev_1", "--false-alarm", f"our own host, {secret}", *where])
    assert (done.exit_code, done.output[:24]) == (0, "Recorded: false alarm (e"), done.output
    told = CliRunner().invoke(why, ["ev_1", *where]).output
    assert "feedback" in told
    [said] = [json.loads(line) for line in _lines(audit, "query", "--kind", "feedback", "--json", *where)]
    assert (said["event"]["about"], said["event"]["detail"]) == ("ev_1", "false_alarm")
    assert "our own host" in said["event"]["comment"]
    assert secret not in said["event"]["comment"]
    assert "false_alarm" in CliRunner().invoke(audit, ["stats", *where]).output
    assert CliRunner().invoke(feedback, ["ev_1", *where]).exit_code == 2
    nowhere = CliRunner().invoke(feedback, [said["event"]["event_id"], "--right", *where])
    assert isinstance(nowhere.exception, GuardhouseError)


def _lines(command, *words):
    return CliRunner().invoke(command, words).stdout.splitlines()
