"""What a suite is: labelled cases in a JSONL file, a prediction for each, and a way to tell right from wrong.

A suite measures the gate as it is configured for that purpose; it decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardhouse.model import Addresses, Extent, FileDigest, RealPath
from guardhouse.policy import Document, Layer, Policy, load

Row = Mapping[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one row came out."""

    group: str
    """What it is counted under: `deny`, `allow`, `positive`, `negative`…"""
    right: bool


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite of `guardhouse eval`."""

    id: str
    about: str
    """One line for the help text."""
    row: str
    """The fields of a row, for the help text."""
    start: Callable[[], Callable[[Row], Prediction]]
    """Makes the function that predicts; whatever is built once is built here."""
    score: Callable[[Row, Prediction], Outcome | None]
    """Right or wrong; None if the row does not count."""


class StillWorld:
    """Ports that look at nothing: names resolve as a case says, paths lead where they say."""

    def __init__(self, dns: Mapping[str, Any] | None = None) -> None:
        self.dns: Mapping[str, Any] = dns or {}

    def resolve(self, host: str) -> Addresses:
        """What the case says of `host`; a name it does not mention has a public address."""
        answer = self.dns.get(host, ["93.184.215.14"])
        answers = (answer,) if isinstance(answer, str) else tuple(answer or ())
        return Addresses(addresses=answers) if answers else Addresses(error="no such name")

    async def resolve_async(self, host: str) -> Addresses:
        """The same."""
        return self.resolve(host)

    def real_path(self, path: str) -> RealPath:
        """The path itself."""
        return RealPath(path=path)

    def digest(self, path: str, *, brief: bool = False) -> FileDigest:  # noqa: ARG002 - the port has it
        """No file is there."""
        return FileDigest(digest="absent")

    def program(self, name: str) -> FileDigest:
        """No program is there."""
        return self.digest(name)

    def extents(self, paths: Sequence[str]) -> dict[str, Extent]:
        """Nothing is there."""
        return {path: Extent() for path in paths}


def policy_for(guard: dict[str, Any]) -> Policy:
    """The policy that a configuration makes on its own."""
    return load([Layer("user", Document("suite", {"guard": guard}))])
