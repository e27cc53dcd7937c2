"""A person's machine in a temporary directory with a real guard on it: real files, stores and log; a clock of ours."""

from __future__ import annotations

from pathlib import Path

from guardhouse.egress import SkippedLookup
from guardhouse.opening import open_guard

START = 1_800_000_000.0
PRIVATE_KEY = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE\n-----END OPENSSH PRIVATE KEY-----\n"
)


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


class GuardedMachine:
    def __init__(self, root: Path, monkeypatch):
        self.home = root / "home" / "ada"
        self.project = self.home / "app"
        self.state = root / "state"
        self.keys = root / "keys"
        self.project.mkdir(parents=True)
        (self.home / ".ssh").mkdir()
        self.key = self.home / ".ssh" / "id_ed25519"
        self.key.write_text(PRIVATE_KEY)
        self.clock = Clock()
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("GUARDHOUSE_KEY_DIR", str(self.keys))
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "GUARDHOUSE_STATE_DIR"):
            monkeypatch.delenv(name, raising=False)
        self._open = []
        # Approvals are tried on commands that would otherwise simply run.
        self.configure("guard: {bash: ask}\n")

    def configure(self, text: str) -> None:
        file = self.home / ".config" / "guardhouse" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def guard(self, **more):
        guard = open_guard(cwd=self.project, state_dir=self.state, resolver=SkippedLookup(), clock=self.clock, **more)
        self._open.append(guard)
        return guard

    def close(self) -> None:
        for guard in self._open:
            guard.close()

    def events(self):
        from guardhouse.audit import events

        return [entry.event for entry in events(self.state / "audit")]

    def written(self) -> dict[Path, bytes]:
        """Every byte under the state directory: log, database, its pages, its write-ahead log."""
        return {path: path.read_bytes() for path in self.state.rglob("*") if path.is_file()}
