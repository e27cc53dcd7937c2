from __future__ import annotations

import os
import shutil
import subprocess

import pytest


@pytest.fixture
def git(tmp_path):
    """Runs the real git in a repository, with nobody's configuration; gives what it printed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
    }

    def run(where, *arguments):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        return subprocess.run(
            ["git", *who, *arguments], cwd=where, env=env, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    return run
