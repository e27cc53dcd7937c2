"""A home, a project and a guard over them, for tests: real files, the real policy, a resolver that keeps a list."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from guardhouse.detect import OwnPlace, Surroundings
from guardhouse.files import LocalFiles
from guardhouse.guard import FixedPolicy, Guard
from guardhouse.model import Addresses, ToolCallPre
from guardhouse.policy import Layer, load, read_document

PUBLIC = Addresses(addresses=("93.184.216.34",))
CONTRACT = """
guard:
  enabled: true
  network:
    url_fetch:
      allowed_url_prefixes: ["https://api.jsonbill.com/tasks/", "https://duckduckgo.com/html/"]
      deny_private_ips: true
      resolve_dns: true
      follow_redirects: false
      allow_proxy: false
"""


class RecordingResolver:
    """Answers as told, and remembers which names were asked for."""

    def __init__(self, answer=PUBLIC):
        self.answer = answer
        self.asked = []

    def resolve(self, host):
        self.asked.append(host)
        return self.answer(host) if callable(self.answer) else self.answer

    async def resolve_async(self, host):
        return self.resolve(host)


@dataclass
class House:
    """Where everything lies. `guard` makes a gate over it with the given configuration."""

    root: Path
    resolver: RecordingResolver = field(default_factory=RecordingResolver)

    def __post_init__(self):
        self.home = self.root / "users" / "ada"
        self.project = self.root / "work" / "app"
        self.temp = self.root / "scratch"
        self.config = self.home / ".config" / "guardhouse"
        self.state = self.home / ".local" / "state" / "guardhouse"
        for directory in (self.project, self.temp, self.config, self.state):
            directory.mkdir(parents=True)
        (self.config / "config.yaml").write_text("guard: {}\n")
        (self.state / "audit.jsonl").write_text("{}\n")

    def surroundings(self):
        return Surroundings(
            homes=(str(self.home),),
            cwd=str(self.project),
            temp=(str(self.temp),),
            own=(OwnPlace(str(self.config), readable=True), OwnPlace(str(self.state), readable=False)),
        )

    def policy(self, yaml="guard: {}", extra=()):
        document = read_document("config.yaml", yaml.encode())
        return load([Layer("user", document)], self.surroundings(), tuple(extra))

    def guard(self, yaml="guard: {}", extra=(), resolver=None, files=None, **more):
        return Guard(
            FixedPolicy(self.policy(yaml, extra)),
            resolver=resolver or self.resolver,
            files=files or LocalFiles(),
            **more,
        )

    def call(self, tool, yaml="guard: {}", *, cwd=None, **params):
        """The verdict on one call."""
        return self.guard(yaml).evaluate(ToolCallPre(tool=tool, params=params, cwd=str(cwd) if cwd else None))


def codes(verdict):
    return [reason.code for reason in verdict.reasons]


def found(verdict, code):
    return [finding for finding in verdict.findings if finding.code == code]


def every_text(value):
    """Every string in a verdict, whatever struct it is in, and both of its voices."""
    import msgspec

    texts = []

    def walk(item):
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            for key, inner in item.items():
                walk(key)
                walk(inner)
        elif isinstance(item, (list, tuple)):
            for inner in item:
                walk(inner)

    walk(msgspec.to_builtins(value))
    texts += [value.for_person, value.for_agent]
    return texts


def relative(path, start):
    return os.path.relpath(path, start)
