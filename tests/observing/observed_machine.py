"""A machine with a real guard whose clock stands where a test puts it, and what it records."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from pathlib import Path

from guardhouse.audit import events
from guardhouse.config import Sources, find_locations, set_mode
from guardhouse.egress import SystemResolver
from guardhouse.model import ToolCallPre
from guardhouse.observing import allowed_by, suggest, unfit_place
from guardhouse.opening import LocalGuard

NOON = 1_769_860_800.0  # 2026-01-31T12:00:00Z


class Machine:
    def __init__(self, root: Path):
        self.home, self.project, self.state = root / "home", root / "home" / "app", root / "state"
        self.project.mkdir(parents=True)
        self.now = NOON
        variables = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        self.locations = find_locations(variables, self.state)
        self.sources = Sources(self.locations, self.project, variables)
        self.log = self.state / "audit"

    @contextmanager
    def guard(self):
        with LocalGuard(self.sources, resolver=SystemResolver(), clock=lambda: self.now) as guard:
            yield guard

    def config(self, text):
        self.locations.user.mkdir(parents=True, exist_ok=True)
        (self.locations.user / "config.yaml").write_text(text)

    def observe(self):
        set_mode(self.locations, "observe")

    def suggestions(self):
        seen = (entry.event for entry in events(self.log))
        policy = self.sources.load()
        return suggest(seen, allowed_by(policy), unfit_place(policy.settings.surroundings, ""))


def fetch(url, session="s1", **more):
    return ToolCallPre(tool="url_fetch", params={"url": url}, session_id=session, **more)


def bash(command, session="s1", **more):
    return ToolCallPre(tool="Bash", params={"command": command}, session_id=session, **more)


def write(path, session="s1"):
    return ToolCallPre(tool="Write", params={"file_path": str(path), "content": "x"}, session_id=session)


@contextmanager
def time_zone(name):
    """The machine is somewhere else for a while."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()
