"""The tools of the house, by the names that the configuration knows them by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.opening import LocalGuard
    from guardhouse.policy.schema import RunsSection
    from guardhouse.runs.tools.interface import Tool


def tools_of(section: RunsSection, guard: LocalGuard) -> tuple[Tool, ...]:
    """The tools that a configuration names, each behind the gate of the guard that judges its run. One that lacks
    something is left out: `web_search` without a service."""
    from guardhouse.runs.tools.delegating import Delegate
    from guardhouse.runs.tools.files import ListFiles, ReadFile, WriteFile
    from guardhouse.runs.tools.shell import Bash
    from guardhouse.runs.tools.web import UrlFetch, WebSearch, can_search

    made: dict[str, Callable[[], tuple[Tool, ...]]] = {
        "url_fetch": lambda: (UrlFetch(),),
        "web_search": lambda: (WebSearch(),) if can_search(guard.policy) else (),
        "read_file": lambda: (ReadFile(),),
        "write_file": lambda: (WriteFile(),),
        "list_files": lambda: (ListFiles(),),
        "bash": lambda: (Bash(),),
        "memory": lambda: _memory(guard),
        "delegate": lambda: (Delegate(),),
        "skills": _skills,
    }
    return tuple(tool for name in dict.fromkeys(section.tools) for tool in made[name]())


def _memory(guard: LocalGuard) -> tuple[Tool, ...]:
    from guardhouse.runs.tools.memories import open_memories
    from guardhouse.runs.tools.memory import MemorySearch, MemoryWrite

    store = open_memories(guard)
    return MemorySearch(store), MemoryWrite(store)


def _skills() -> tuple[Tool, ...]:
    from guardhouse.runs.tools.skills import RunSkill

    # One that a repository brings does not stand in for the user's own.
    return (RunSkill((Path.home() / ".claude" / "skills", Path.cwd() / ".claude" / "skills")),)
