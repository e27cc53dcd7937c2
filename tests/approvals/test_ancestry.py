"""Guarded agents are known by process and start; what comes from one of them is found, however it is started."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from guardhouse.approvals import ancestry
from guardhouse.approvals.ancestry import Agent, forget, guarded_ancestor, register
from guardhouse.model import GuardhouseError


@pytest.fixture
def agents(tmp_path):
    return tmp_path / "state" / "agents"


def run(code, *arguments, **how):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=30,
        check=True,
        **how,
    ).stdout.strip()


@pytest.fixture
def started():
    """Processes that wait until they are ended, each by its own number."""
    processes = []

    def start(code="import sys; print('ready', flush=True); sys.stdin.read()", *arguments, **how):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **how,
        )
        processes.append(process)
        process.first_line = process.stdout.readline().strip()
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


ASK_WHO = """
import sys
from pathlib import Path
from guardhouse.approvals.ancestry import guarded_ancestor
agent = guarded_ancestor(Path(sys.argv[1]))
print(agent.name if agent else "nobody")
"""


def test_nobody_is_guarded_where_nothing_is_registered(agents):
    assert guarded_ancestor(agents, itself=True) is None


def test_a_registration_is_a_private_file_named_by_the_process(agents, started):
    process = started()
    agent = register(agents, "helper", pid=process.pid)
    file = agents / f"{process.pid}.json"
    assert json.loads(file.read_text())["name"] == "helper"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(agents.stat().st_mode) == 0o700
    assert agent.pid == process.pid


def test_descendants_are_found_and_the_process_itself_only_if_asked_for(agents):
    agent = register(agents, "helper")
    try:
        assert guarded_ancestor(agents) is None
        assert guarded_ancestor(agents, itself=True) == agent
        assert run(ASK_WHO, agents) == "helper"
        grandchild = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ASK_WHO!r}, sys.argv[1]])"
        assert run(grandchild, agents) == "helper"
    finally:
        forget(agents, agent)
    assert run(ASK_WHO, agents) == "nobody"


def test_a_new_session_is_no_way_out(agents):
    agent = register(agents, "helper")
    try:
        assert run(ASK_WHO, agents, start_new_session=True) == "helper"
    finally:
        forget(agents, agent)


ORPHAN = """
import os, sys, time
from pathlib import Path
from guardhouse.approvals.ancestry import guarded_ancestor
registry, answer, middle = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
end = time.monotonic() + 20
while os.getppid() == middle and time.monotonic() < end:
    time.sleep(0.01)
agent = guarded_ancestor(registry)
answer.with_suffix(".draft").write_text(agent.name if agent else "nobody")
answer.with_suffix(".draft").rename(answer)
"""
MIDDLE = """
import os, subprocess, sys
orphan, *arguments, group = sys.argv[1:]
how = {"process_group": 0} if group == "own" else {}
subprocess.Popen([sys.executable, "-c", orphan, *arguments, str(os.getpid())], **how)
"""
AGENT = """
import subprocess, sys
from pathlib import Path
from guardhouse.approvals.ancestry import register
register(Path(sys.argv[3]), "helper")
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("agent_leads", "orphans_group"), [({"process_group": 0}, "agents"), ({"start_new_session": True}, "own")]
)
def test_a_child_whose_parent_has_ended_is_found_by_its_group_or_its_session(
    agents, started, tmp_path, agent_leads, orphans_group
):
    """The agent starts something that starts something and ends: the parent of the last is not the agent's any more."""
    answer = tmp_path / "answer"
    started(AGENT, MIDDLE, ORPHAN, agents, answer, orphans_group, **agent_leads)
    end = time.monotonic() + 20
    while not answer.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert answer.read_text() == "helper"


def test_what_a_process_registered_about_itself_is_gone_when_it_ends_even_if_it_forked(agents):
    code = """
import os, sys
from pathlib import Path
from guardhouse.approvals.ancestry import register
register(Path(sys.argv[1]), "short")
pid = os.fork()
if pid == 0:
    sys.exit(0)
os.waitpid(pid, 0)
print(len(list(Path(sys.argv[1]).iterdir())))
"""
    assert run(code, agents) == "1"
    assert list(agents.iterdir()) == []


FORKING = """
import json, os, sys
from pathlib import Path
from guardhouse.approvals import ancestry
registry = Path(sys.argv[1])
names = lambda: sorted(int(file.stem) for file in registry.iterdir())
ancestry.register(registry, "agent")
pid = os.fork()
if pid == 0:
    before = len(names())
    for _ in range(3):
        ancestry.register(registry, "agent")
    seen = [before, names() == sorted([os.getppid(), os.getpid()])]
    seen.append(ancestry.guarded_ancestor(registry, itself=True).pid == os.getpid())
    print(json.dumps(seen), flush=True)
    {end}
os.waitpid(pid, 0)
print(json.dumps([os.getpid() in names(), pid in names()]), flush=True)
ancestry.register(registry, "agent")
"""


@pytest.mark.parametrize(("end", "left"), [("sys.exit(0)", False), ("os._exit(0)", True)])
def test_a_forked_child_registers_for_itself_and_takes_back_only_its_own_entry(agents, end, left):
    lines = run(FORKING.format(end=end), agents).splitlines()
    assert [json.loads(line) for line in lines] == [[1, True, True], [True, left]]
    register(agents, "next")
    assert [file.name for file in agents.iterdir()] == [f"{os.getpid()}.json"]


def test_to_register_again_writes_nothing_unless_the_entry_is_gone_or_changed(agents):
    agent = register(agents, "me")
    file = agents / f"{os.getpid()}.json"
    written = file.stat().st_ino
    assert register(agents, "me") == agent
    assert file.stat().st_ino == written
    for spoil in (file.unlink, lambda: file.write_text("{")):
        spoil()
        register(agents, "me")
        assert guarded_ancestor(agents, itself=True) == agent


def test_what_a_killed_process_left_behind_is_cleaned_by_the_next(agents, started):
    code = """
import sys
from pathlib import Path
from guardhouse.approvals.ancestry import register
register(Path(sys.argv[1]), "killed")
print("ready", flush=True)
sys.stdin.read()
"""
    killed = started(code, agents)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert [file.name for file in agents.iterdir()] == [f"{killed.pid}.json"]
    alive = started()
    register(agents, "alive", pid=alive.pid)
    assert [file.name for file in agents.iterdir()] == [f"{alive.pid}.json"]


def test_another_process_with_the_number_of_an_old_agent_is_not_that_agent(agents, started):
    process = started()
    agent = register(agents, "old", pid=os.getpid())
    file = agents / f"{os.getpid()}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "started": agent.started - 1000}))
    assert guarded_ancestor(agents, process.pid) is None
    register(agents, "other", pid=process.pid)
    assert not file.exists()


def test_entries_of_another_numbering_of_processes_are_neither_matched_nor_removed(agents, started):
    agent = register(agents, "here")
    file = agents / f"{os.getpid()}.json"
    elsewhere = {**json.loads(file.read_text()), "namespace": "pid:[1]"}
    file.write_text(json.dumps(elsewhere))
    assert guarded_ancestor(agents, itself=True) is None
    register(agents, "other", pid=started().pid)
    assert file.exists()
    assert agent.name == "here"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("5.json", ""),
        ("5.json", "[]"),
        ("5.json", '{"pid": 5}'),
        ("5.json", '{"pid": 6, "started": 1, "name": "x"}'),
        ("5.json", '{"pid": 5, "started": 1, "name": "x", "extra": 1}'),
        ("notes.txt", "hello"),
    ],
)
def test_a_registry_with_anything_in_it_that_is_no_registration_stops_local_answers(agents, name, content):
    agents.mkdir(parents=True)
    (agents / name).write_text(content)
    with pytest.raises(GuardhouseError, match="damaged"):
        guarded_ancestor(agents)


def test_a_registry_that_is_no_directory_stops_local_answers(agents):
    agents.parent.mkdir()
    agents.write_text("")
    with pytest.raises(GuardhouseError, match="can't be read"):
        guarded_ancestor(agents)
    with pytest.raises(GuardhouseError, match="can't be written"):
        register(agents, "x")


def test_a_registration_that_is_being_written_is_not_read_yet(agents):
    agents.mkdir(parents=True)
    (agents / ".5.json.abc").write_text("{")
    assert guarded_ancestor(agents) is None


def test_an_ancestor_that_can_not_be_seen_stops_local_answers(agents, started, monkeypatch):
    register(agents, "elsewhere", pid=started().pid)
    look_up = ancestry._look_up
    monkeypatch.setattr(ancestry, "_look_up", lambda pid: None if pid == os.getppid() else look_up(pid))
    with pytest.raises(GuardhouseError, match="can't be told"):
        guarded_ancestor(agents)


def test_a_process_that_does_not_exist_is_no_agent(agents, started):
    process = started()
    process.kill()
    process.wait()
    with pytest.raises(GuardhouseError, match="no process"):
        register(agents, "gone", pid=process.pid)


def test_forgetting_leaves_a_later_process_of_the_same_number_alone(agents, started):
    agent = register(agents, "new", pid=started().pid)
    forget(agents, Agent(pid=agent.pid, started=agent.started - 50, name="old", namespace=agent.namespace))
    assert (agents / f"{agent.pid}.json").exists()


def test_both_ways_to_look_a_process_up_agree_on_its_parent(started):
    process = started()
    seen = ancestry._look_up_by_psutil(process.pid)
    assert seen.parent == os.getpid()
    assert abs(seen.started - time.time()) < 60
    if sys.platform == "linux":
        assert ancestry._look_up_in_proc(process.pid).parent == os.getpid()
    process.kill()
    process.wait()
    assert ancestry._look_up_by_psutil(process.pid) is None
    assert ancestry._look_up(process.pid) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's table of processes as files")
def test_a_program_with_brackets_in_its_name_is_read_right(tmp_path, started):
    odd = tmp_path / "a) 1 (b"
    odd.symlink_to("/bin/cat")
    process = subprocess.Popen([str(odd)], stdin=subprocess.PIPE)
    try:
        assert ancestry._look_up(process.pid).parent == os.getpid()
    finally:
        process.communicate(timeout=10)
