"""What `install` and `uninstall` tell: the mode in force, and where a link really leads."""

import json

import pytest

from guardhouse.audit import events
from guardhouse.installing.agents import AGENTS


@pytest.mark.parametrize("agent", AGENTS)
def test_the_mode_in_force_is_told_every_time(place, agent):
    assert "Mode: enforce." in place.install(agent).stdout
    assert "Mode: enforce." in place.install(agent).stdout
    assert place.run("observe").returncode == 0
    assert "Observe mode" in place.install(agent).stdout
    assert any("Observe mode" in note for note in json.loads(place.install(agent, "--json").stdout)["notes"])


def test_a_policy_that_can_not_be_read_or_is_switched_off_is_told(place):
    config = place.home / ".config" / "guardhouse" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("guard: {enabled: false}")
    assert "SWITCHED OFF" in place.install("claude-code").stdout
    config.write_text("guard: {nonsense: 1}")
    assert "everything will be denied" in place.install("claude-code").stdout


def test_taking_the_last_gate_away_while_observing_says_so(place):
    place.install("claude-code", "--observe")
    place.install("codex")
    assert "guardhouse enforce" not in place.uninstall("claude-code").stdout
    assert "guardhouse enforce" in place.uninstall("codex").stdout


def test_in_a_project_a_link_that_leads_out_is_refused(place):
    mine = place.home / "mine.json"
    mine.write_text("{}")
    directory = place.project / ".claude"
    directory.mkdir()
    (directory / "settings.local.json").symlink_to(mine)
    for command in ("install", "uninstall"):
        done = place.run(command, "claude-code", "--scope", "project", "--yes")
        assert done.returncode == 2
        assert "leads out of the project" in done.stderr
    assert mine.read_text() == "{}"


def test_in_a_project_a_directory_that_leads_out_is_refused(place):
    elsewhere = place.home / "elsewhere"
    elsewhere.mkdir()
    (place.project / ".codex").symlink_to(elsewhere)
    assert place.run("install", "codex", "--scope", "project", "--yes").returncode == 2
    assert list(elsewhere.iterdir()) == []


def test_in_a_project_a_link_that_stays_inside_is_followed(place):
    real = place.project / "real.json"
    real.write_text("{}")
    (place.project / ".claude").mkdir()
    (place.project / ".claude" / "settings.local.json").symlink_to(real)
    place.install("claude-code", "--scope", "project")
    assert "guardhouse" in real.read_text()


def test_where_a_users_link_really_leads_is_shown(place):
    real = place.home / "dotfiles.json"
    real.write_text("{}\n")
    place.claude.parent.mkdir()
    place.claude.symlink_to(real)
    told = place.install("claude-code").stdout
    assert told.count(f"(really {real})") == 3
    assert f"(really {real})" in place.uninstall("claude-code").stdout


def test_the_doctors_canary_is_in_the_record_and_not_in_the_status(place):
    place.install("claude-code")
    place.run("doctor", "claude-code")
    assert any(entry.event.session_id == "guardhouse-doctor" for entry in events(place.state / "audit"))
    assert "today: 0 calls" in place.run("status").stdout
