"""hermes-agent: its events, its tools in our terms, and verdicts in its words.

Its published versions know only no, and let a call pass whose answer says anything else: a question, or other
arguments. So what needs approval is held here, what would have to be changed is refused, and of results the session
only learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from guardhouse.adapters.hooks.interface import Agent, Fields, Kind, Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.adapters.hooks.interface import HookEvent, Origin

_COMMON: Final = frozenset("hook_event_name tool_name tool_input session_id cwd extra profile".split())
_PLACE: Final = {"path": "file_path"}
_TYPING: Final = frozenset({"cli", "tui"})
"""Where a person types at hermes itself. Everywhere else it may be anybody who writes to it, or a schedule."""


class Hermes(Agent):
    """hermes-agent, by its code of version 0.19, and by its documents where these go further."""

    name: ClassVar[str] = "hermes"
    title: ClassVar[str] = "hermes"
    events: ClassVar[Mapping[str, Kind]] = {
        "pre_tool_call": "call",
        "post_tool_call": "result",
        "pre_llm_call": "prompt",
        "post_llm_call": "answer",
    }
    known: ClassVar[Mapping[str, frozenset[str]]] = dict.fromkeys(events, _COMMON)
    programs: ClassVar[frozenset[str]] = frozenset({"hermes", "hermes-agent", "hermes-acp"})
    where: ClassVar[Fields] = Fields(
        run=("extra.subagent_id",),
        turn=("extra.turn_id",),
        call=("extra.tool_call_id",),
        response=("extra.result",),
        prompt=("extra.user_message",),
        spoken=("extra.assistant_response",),
    )
    tools: ClassVar[Mapping[str, Tool]] = {
        "terminal": Tool("Bash", without=frozenset({"watch_patterns"})),
        "read_file": Tool("Read", _PLACE),
        "write_file": Tool("Write", _PLACE),
        "search_files": Tool("Grep", without=frozenset({"target"})),
        "web_extract": Tool("WebFetch"),
        "todo": Tool("TodoWrite"),
        "clarify": Tool("AskUserQuestion"),
        "delegate_task": Tool("Agent"),
        "skills_list": Tool("ToolSearch"),
        "skill_view": Tool("Skill"),
    }
    skills: ClassVar[Mapping[str, str]] = {"skill_view": "name"}
    attached: ClassVar[tuple[str, ...]] = ("--- Attached Context ---", "<memory-context>")

    def origin(self, event: HookEvent) -> Origin:
        """hermes says on which platform a prompt came in."""
        extra = event.fields.get("extra")
        platform = extra.get("platform") if isinstance(extra, dict) else None
        if platform in _TYPING:
            return "typed"
        return "scheduled" if platform == "cron" else "pasted"

    def ours(self, event: HookEvent) -> Tool:
        """A patch is text in one of its modes, and the change of one file in the other; to ask for what a process has
        printed is less than to type into it."""
        if event.tool == "patch":
            return Tool("patch") if event.tool_input.get("mode") == "patch" else Tool("Edit", _PLACE)
        if event.tool == "process" and event.tool_input.get("action") in {"list", "poll", "log", "wait"}:
            return Tool("BashOutput")
        return super().ours(event)


AGENT: Final = Hermes()
