"""A memory as tools of a run: keeping a text, and finding what was kept, over a store that can be another one.

What is kept is masked first. It is kept as untrusted if anything untrusted has come into the session, whoever worded
it: what a model writes then may be what somebody else told it to. Read back, in whichever session, it is that again.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.model import Action, Decision, MemoryReadPost, MemoryReadPre, Verdict
from guardhouse.runs.tools.arguments import Arguments, HouseTool, schema

if TYPE_CHECKING:
    from guardhouse.runs.tools.interface import Errand, Names
    from guardhouse.runs.tools.memories import MemoryStore

STORE: Final = "memory"
_MOST_FOUND: Final = 20
_LONGEST: Final = 8_000
"""Characters of one memory."""


class _Search(Arguments, frozen=True, kw_only=True):
    query: str
    count: int = 5


class MemorySearch(HouseTool):
    """`memory_search`."""

    takes = _Search
    name = "memory_search"
    description = "Find what was kept in memory, also in earlier tasks, by words."
    parameters = schema(
        "query",
        query={"type": "string"},
        count={"type": "integer", "minimum": 1, "maximum": _MOST_FOUND, "default": 5},
    )

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - it only reads
        """Looking changes nothing."""
        return True

    def before(self, params: dict[str, Any], call_id: str, attempt: int, names: Names) -> Action:  # noqa: ARG002
        """A memory is about to be searched."""
        return MemoryReadPre(store=STORE, query=params["query"], source="run", **msgspec.structs.asdict(names))

    def passed_on(self, params: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
        """The question as the gate lets it through."""
        masked = verdict.decision is Decision.ALLOW_WITH_REDACTION
        return {**params, "query": str(verdict.content)} if masked else params

    def after(self, params: dict[str, Any], content: Any, call_id: str, names: Names) -> Action:  # noqa: ARG002
        """A memory has answered: with what can be believed, if all of it can."""
        origin: Literal["trusted", "untrusted"] = "trusted" if _is_trusted(content) else "untrusted"
        return MemoryReadPost(
            store=STORE, content=content, origin=origin, source="run", **msgspec.structs.asdict(names)
        )

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """What was found."""
        asked = _Search.of(params)
        count = min(max(asked.count, 1), _MOST_FOUND)
        found = await asyncio.to_thread(self._store.search, errand.names.principal or "", asked.query, count)
        return [
            {
                "text": one.text,
                "stored": datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds"),
                "untrusted": one.untrusted,
            }
            for one in found
        ]


def _is_trusted(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(one, dict) and one.get("untrusted") is False for one in content)


class _Write(Arguments, frozen=True, kw_only=True):
    text: str


class MemoryWrite(HouseTool):
    """`memory_write`."""

    takes = _Write
    name = "memory_write"
    description = "Keep a text in memory, for later tasks."
    parameters = schema("text", text={"type": "string", "minLength": 1, "maxLength": _LONGEST})

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def problem(self, params: dict[str, Any]) -> str:
        """What does not fit."""
        fits = super().problem(params) or 0 < len(params["text"].strip()) <= _LONGEST
        return fits if isinstance(fits, str) else "" if fits else f"A memory has 1 to {_LONGEST} characters."

    def may_repeat(self, params: dict[str, Any]) -> bool:  # noqa: ARG002 - the store keeps a text once
        """A text that is there already is not kept twice."""
        return True

    async def work(self, params: dict[str, Any], errand: Errand) -> Any:
        """Keep it."""
        await asyncio.to_thread(self._keep, _Write.of(params).text, errand)
        return "Kept."

    def _keep(self, text: str, errand: Errand) -> None:
        untrusted = errand.guard.is_tainted(errand.names.session_id)
        self._store.add(errand.names.principal or "", errand.guard.masked(text), untrusted=untrusted)
