"""An ordinary coding session is not stopped under the preset `dev`: not in its calls, and not in what comes back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from guardhouse.detect import Surroundings
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Decision, ToolCallPost, ToolCallPre, parse_action, wire
from guardhouse.opening import open_guard
from guardhouse.policy import Document, Layer, load

HERE = Path(__file__).parent
SESSIONS = sorted(file.stem for file in HERE.glob("session_*.yaml"))
PASSES = {Decision.ALLOW, Decision.ALLOW_WITH_REDACTION}


def actions(name, project, scratch):
    """The actions of a list, with its project and temporary directory where ours are."""
    for row in yaml.safe_load((HERE / f"{name}.yaml").read_text()):
        text = json.dumps({"cwd": "/home/ada/app", "session_id": name, **whole(row)})
        yield parse_action(text.replace("/tmp/", f"{scratch}/").replace("/home/ada/app", str(project)))


def whole(row):
    if isinstance(row, str):
        return {"type": "ToolCallPre", "tool": "Bash", "params": {"command": row, "description": "The next step"}}
    if "content" in row:
        return {"type": "ToolCallPost", **row}
    if "type" in row:
        return row
    ((tool, params),) = row.items()
    return {"type": "ToolCallPre", "tool": tool, "params": params}


def stopped(guard, session):
    """What is held back, told so that one can see what it was."""
    told = []
    for action in session:
        verdict = guard.evaluate(action)
        if verdict.decision not in PASSES:
            told.append((wire(action).get("params") or action.tool, [reason.code for reason in verdict.reasons]))
    return told


@pytest.fixture
def project(tmp_path):
    """A project in a home, with the files that the sessions start from."""
    project = tmp_path / "home" / "ada" / "app"
    for name in ("src/app/auth.py", "src/main.rs", "tests/test_auth.py", "README.md", "package.json", ".git/HEAD"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("{}\n")
    (tmp_path / "scratch").mkdir()
    return project


@pytest.fixture
def strict_place(project, tmp_path):
    """A gate for which the directory of the tests is no temporary one, as it would be on a person's machine."""
    around = Surroundings(homes=(str(project.parent),), cwd=str(project), temp=(str(tmp_path / "scratch"),))
    policy = load([Layer("user", Document("config.yaml", {"guard": {"preset": "dev"}}))], around)
    return Guard(FixedPolicy(policy), resolver=SystemResolver(), files=LocalFiles())


@pytest.fixture
def whole_machine(project, tmp_path, monkeypatch):
    """A gate with everything it has on a person's machine: configuration files, record, approvals."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "GUARDHOUSE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(project.parent))
    with open_guard(cwd=project, state_dir=tmp_path / "state") as guard:
        yield guard


def test_what_was_left_out_of_the_sessions_leads_to_what_is_said_of_it(strict_place, project):
    for row in yaml.safe_load((HERE / "left_out.yaml").read_text()):
        tool, params = row.get("tool", "Bash"), row.get("params") or {"command": row["command"]}
        verdict = strict_place.evaluate(ToolCallPre(tool=tool, params=params, cwd=str(project)))
        assert verdict.decision is Decision(row["leads_to"]), row
        assert row["why"]


@pytest.mark.parametrize("name", SESSIONS)
def test_no_call_of_an_ordinary_session_is_stopped(name, strict_place, project, tmp_path):
    assert stopped(strict_place, actions(name, project, tmp_path / "scratch")) == []


@pytest.mark.parametrize("name", SESSIONS)
def test_no_call_is_stopped_where_everything_is_recorded_as_one_session(name, whole_machine, project, tmp_path):
    assert stopped(whole_machine, actions(name, project, tmp_path / "scratch")) == []


def test_nothing_that_comes_back_in_an_ordinary_session_is_held_back_or_masked(strict_place, project, tmp_path):
    for action in actions("results", project, tmp_path / "scratch"):
        verdict = strict_place.evaluate(action)
        assert verdict.decision is Decision.ALLOW, (action.content, [reason.code for reason in verdict.reasons])


def test_a_long_log_of_builds_and_installs_comes_back_whole(strict_place):
    lines = [
        f"[{number:05d}] Downloading package-{number} ({number * 37 % 900} kB) sha256:{number:064x}"
        for number in range(20_000)
    ]
    verdict = strict_place.evaluate(ToolCallPost(tool="Bash", content="\n".join(lines)))
    assert verdict.decision is Decision.ALLOW


def test_there_are_more_than_250_actions_in_several_languages(project, tmp_path):
    counts = {name: len(list(actions(name, project, tmp_path))) for name in SESSIONS}
    assert sum(counts.values()) >= 350
    assert set(counts) == {f"session_{name}" for name in ("codex", "git", "javascript", "python", "systems")}
