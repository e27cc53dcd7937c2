"""The examples of agent frameworks run as they are, without a network or a key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guardhouse.opening import open_approvals

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("framework", ["pydantic_ai", "langchain", "openai_agents"])
def test_an_example_sends_nothing_and_removes_what_a_person_approves(framework, tmp_path, monkeypatch):
    variables = {"HOME": tmp_path, "GUARDHOUSE_STATE_DIR": tmp_path / "state", "GUARDHOUSE_KEY_DIR": tmp_path / "keys"}
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    program = [sys.executable, EXAMPLES / f"{framework}_agent.py"]
    process = subprocess.Popen(
        program, cwd=tmp_path, env={**os.environ, "WAIT": "60"}, stdout=-1, stderr=-1, text=True, encoding="utf-8"
    )
    said = []
    for line in process.stdout:
        said.append(line)
        waits = re.match(r"it waits: guardhouse approvals approve (ap_\w+)", line)
        if waits:
            with open_approvals(state_dir=tmp_path / "state") as approvals:
                approvals.answer(waits[1], approve=True, actor="local:ada")
            break
    rest, errors = process.communicate(timeout=60)
    told = "".join(said) + rest
    assert process.returncode == 0, errors
    assert "non_allowlisted_domain" in told
    assert "!!" not in told
    assert told.count("-- ~/old would be removed now") == 1
    assert told.endswith("It is all set up.\n")
