"""A person's home, project and programs in a temporary directory, and `install` and `doctor` at work there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guardhouse.cli.app import app
from guardhouse.config import find_locations
from guardhouse.installing import hook_checks
from guardhouse.installing.agents import AGENTS
from guardhouse.installing.checks import Check, ok
from guardhouse.installing.doctor import examine
from guardhouse.installing.machine import read_settings, this_machine
from guardhouse.installing.records import Records


class Place:
    """One person's machine. The working directory and the environment of the test are its own."""

    def __init__(self, root: Path) -> None:
        self.home, self.project, self.programs = root / "home", root / "home" / "project", root / "programs"
        self.project.mkdir(parents=True)
        self.programs.mkdir()

    @property
    def claude(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def codex(self) -> Path:
        return self.home / ".codex" / "hooks.json"

    def settings(self, agent: str) -> Path:
        """The user's settings that the hooks of an agent stand in."""
        return AGENTS[agent].settings_file("user", {}, self.home, self.project)

    def read(self, agent: str) -> Any:
        """What they say."""
        return read_settings(self.settings(agent)).value

    @property
    def codex_config(self) -> Path:
        return self.home / ".codex" / "config.toml"

    @property
    def state(self) -> Path:
        return find_locations().state

    @property
    def records(self) -> Records:
        return Records(find_locations())

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """`guardhouse ARGUMENTS`, without a terminal."""
        return subprocess.run(
            [sys.executable, "-m", "guardhouse", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.project,
            env={**os.environ, **(env or {})},
            timeout=60,
            check=False,
        )

    def install(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.run("install", *arguments, "--yes")
        assert done.returncode == 0, done.stderr
        return done

    def put_under(self, *arguments: str) -> None:
        """The same without a process of its own, for tests of what comes after."""
        app.main(["install", *arguments, "--yes"], standalone_mode=False)

    def uninstall(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.run("uninstall", *arguments, "--yes")
        assert done.returncode == 0, done.stderr
        return done

    def program(self, name: str, script: str, directory: Path | None = None) -> Path:
        file = (directory or self.programs) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def change(self, file: Path, change: Any) -> None:
        """Let `change` edit the JSON in a file."""
        value = json.loads(file.read_text()) if file.exists() else {}
        change(value)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value, indent=2))

    def doctor(self, *names: str) -> list[Check]:
        return list(examine(this_machine(None, None), names))

    def look_over(self, *names: str) -> list[Check]:
        """`doctor` as far as it only reads: our own program is not started, as the command or with a canary."""
        with pytest.MonkeyPatch.context() as without:
            without.setattr(hook_checks, "_interpreter", lambda hooks, *_: ok(hooks.agent.name, "command", "not tried"))
            without.setattr(hook_checks, "_canaries", lambda hooks, *_: [ok(hooks.agent.name, "canary", "not tried")])
            return self.doctor(*names)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    for name in list(os.environ):
        if name.startswith(("GUARDHOUSE_", "XDG_", "CLAUDE", "CODEX", "COPILOT", "HERMES")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("PATH", f"{made.programs}:/usr/bin:/bin")
    monkeypatch.chdir(made.project)
    return made
