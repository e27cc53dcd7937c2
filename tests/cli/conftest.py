"""A person's machine in a temporary directory, and the real command run on it as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Machine:
    home: Path
    project: Path

    def run(
        self, *arguments: str, stdin: bytes | str = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`guardhouse ARGUMENTS` in the project, with nothing of the tester's own environment."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "guardhouse", *arguments],
            input=data,
            capture_output=True,
            cwd=self.project,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], **(env or {})},
            timeout=60,
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def check(
        self, action: dict[str, Any] | str, *arguments: str, env: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The exit status and the verdict of `guardhouse check`."""
        text = action if isinstance(action, str) else json.dumps(action)
        done = self.run("check", *arguments, stdin=text, env=env)
        return done.returncode, json.loads(done.stdout)

    @staticmethod
    def fetch(url: str, **params: str) -> dict[str, Any]:
        """The action of a tool about to fetch a URL."""
        return {"type": "ToolCallPre", "tool": "url_fetch", "params": {"url": url, **params}}

    def user_config(self, text: str, name: str = "config.yaml") -> Path:
        file = self.home / ".config" / "guardhouse" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def project_config(self, text: str) -> Path:
        file = self.project / ".guardhouse.yaml"
        file.write_text(text)
        return file


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    project.mkdir(parents=True)
    return Machine(home, project)
