"""Observing and enforcing: with an effect or an error, and with the evidence."""

import subprocess
import sys

import pytest
from observed_machine import NOON, bash, fetch

from guardhouse.approvals import register
from guardhouse.approvals.ancestry import forget
from guardhouse.audit import events, verify
from guardhouse.config import get_mode
from guardhouse.model import Decision, GuardhouseError, PolicyError
from guardhouse.observing import switch_mode


def switch(machine, mode):
    return switch_mode(machine.sources, mode, clock=lambda: machine.now)


def notices(machine):
    return [entry.event for entry in events(machine.log) if entry.event.source == "command"]


def test_observing_begins_and_ends_for_a_guard_that_runs_and_both_are_recorded(machine):
    assert switch(machine, "observe").where == f"{machine.locations.mode}:3"
    with machine.guard() as guard:
        verdict = guard.evaluate(fetch("https://paste.example/"))
        assert (verdict.decision, verdict.would_be, verdict.mode) == (Decision.ALLOW, Decision.DENY, "observe")
        assert guard.evaluate(bash("guardhouse enforce")).decision is Decision.DENY
    switch(machine, "enforce")
    with machine.guard() as guard:
        assert guard.evaluate(fetch("https://paste.example/")).decision is Decision.DENY
    said = [(event.kind, event.mode, event.detail, event.actor[:6]) for event in notices(machine)]
    assert said == [
        ("notice", "observe", "the mode was set to observe", "local:"),
        ("notice", "enforce", "the mode was set to enforce", "local:"),
    ]
    assert verify(machine.log).ok


def test_saying_it_twice_is_no_change(machine):
    for mode in ("observe", "observe", "enforce", "enforce"):
        assert switch(machine, mode).mode == mode
    assert len(notices(machine)) == 2


@pytest.mark.parametrize(("wanted", "written"), [("observe", "enforce"), ("enforce", "observe")])
def test_a_command_that_could_have_no_effect_is_an_error_that_names_file_and_line(machine, wanted, written):
    machine.config(f"guard:\n  bash: effects\n  mode: {written}\n")
    with pytest.raises(GuardhouseError) as error:
        switch(machine, wanted)
    own = machine.locations.user / "config.yaml"
    assert f"{own}:3: `mode` is `{written}`" in str(error.value)
    assert f"mode: {wanted}" in str(error.value)
    assert get_mode(machine.locations) is None


def test_what_a_file_says_already_needs_no_command(machine):
    machine.config("guard: {mode: observe}\n")
    assert switch(machine, "observe").where.endswith("config.yaml:1")
    assert get_mode(machine.locations) is None


def test_what_an_agent_starts_can_not_switch_to_observing(machine):
    agent = register(machine.state / "agents", "claude-code")
    code = (
        "import sys; from pathlib import Path; from guardhouse.config import find_sources;"
        "from guardhouse.observing import switch_mode;"
        "switch_mode(find_sources(state_dir=Path(sys.argv[1])), 'observe')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(machine.state)],
        env={"HOME": str(machine.home)},
        capture_output=True,
        text=True,
        check=False,
    )
    forget(machine.state / "agents", agent)
    assert done.returncode
    assert "belongs to the guarded agent claude-code" in done.stderr
    assert get_mode(machine.locations) is None


def test_what_can_not_be_recorded_is_not_observed(machine):
    machine.state.mkdir()
    machine.log.write_text("a file where the log should be")
    with pytest.raises(GuardhouseError):
        switch(machine, "observe")
    assert get_mode(machine.locations) is None


def test_enforcing_needs_no_record_to_take_effect(machine):
    machine.observe()
    machine.state.mkdir()
    machine.log.write_text("a file where the log should be")
    with pytest.raises(GuardhouseError):
        switch(machine, "enforce")
    assert get_mode(machine.locations) is None


def test_enforcing_works_while_the_configuration_is_broken(machine):
    machine.observe()
    machine.config("guard: {bahs: deny}\n")
    with pytest.raises(PolicyError):
        switch(machine, "enforce")
    assert not machine.locations.mode.exists()
    with pytest.raises(PolicyError):
        switch(machine, "observe")
    assert not machine.locations.mode.exists()


def test_the_clock_of_the_record_is_the_one_that_was_given(machine):
    switch(machine, "observe")
    assert notices(machine)[0].timestamp == "2026-01-31T12:00:00.000000Z"
    assert machine.now == NOON
