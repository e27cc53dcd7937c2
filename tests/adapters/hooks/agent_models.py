"""Gemini CLI, Cursor, Copilot CLI, goose and hermes as far as a hook can tell: how each tells of an event, and what it
makes of an exit status, an output, and words on standard error.

Written down from their code (Gemini CLI 0.61, hermes 0.19, goose of 2026), their documents (Copilot CLI), and what was
seen of them (Copilot CLI 1.0.102, Cursor). Where versions differ, a call only stops if it does in all of them, and only
goes on if it does in all of them; everything else `breaks`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Does = str
"""goes on, stops, asks, or breaks: an answer that the agent can't read, or not in all of its versions."""


@dataclass(frozen=True)
class Dialect:
    """How one agent says what every agent says, and what it makes of an answer."""

    call: str
    result: str
    prompt: str
    tell: Callable[[Any, str, dict[str, Any]], dict[str, Any]]
    """The event of this kind, with what is to be said in Claude Code's words, in this agent's."""
    makes_of: Callable[[int, bytes, bytes, str | None], Does]
    tools: dict[str, tuple[str, dict[str, str]]]
    """Claude Code's tools, and their arguments, as this agent calls them."""
    rewrites: bool = True
    """Whether it can be told to make a call with other arguments."""
    changes_results: bool = True
    blocks_prompts: bool = True


def parsed(out: bytes) -> Any:
    """One JSON document; None if it is none."""
    try:
        return json.loads(out)
    except ValueError:
        return None


def fits(answer: Any, *fields: str) -> bool:
    return isinstance(answer, dict) and answer.keys() <= set(fields)


def gemini(status: int, out: bytes, err: bytes, event: str | None) -> Does:
    text = out.strip() or err.strip()
    answer = parsed(text)
    if not isinstance(answer, dict):
        return "goes on" if not text else "breaks" if status in (0, 1) else "stops"
    if not fits(answer, "decision", "reason", "systemMessage", "hookSpecificOutput"):
        return "breaks"
    output = answer.get("hookSpecificOutput", {})
    own = {"BeforeTool": "tool_input", "AfterTool": "additionalContext"}.get(event or "", "")
    if not fits(output, "hookEventName", own) or (output and output.get("hookEventName") != event):
        return "breaks"
    if answer.get("decision") == "ask":
        return "asks"
    return "stops" if answer.get("decision") in ("deny", "block") and answer.get("reason") else "goes on"


CURSOR_ANSWERS = {
    "preToolUse": ("permission", "user_message", "agent_message", "updated_input"),
    "beforeShellExecution": ("permission", "user_message", "agent_message"),
    "beforeMCPExecution": ("permission", "user_message", "agent_message"),
    "beforeReadFile": ("permission", "user_message"),
    "beforeSubmitPrompt": ("continue", "user_message"),
    "postToolUse": ("additional_context", "updated_mcp_tool_output"),
}


def cursor(status: int, out: bytes, err: bytes, event: str | None) -> Does:
    if status == 2:
        return "stops"
    answer = parsed(out)
    if status or not fits(answer, *CURSOR_ANSWERS.get(event or "", ())):
        return "breaks"
    if event == "beforeSubmitPrompt":
        return {True: "goes on", False: "stops"}.get(answer.get("continue"), "breaks")
    if event == "postToolUse":
        return "stops" if "updated_mcp_tool_output" in answer else "goes on"
    # It takes silence for a failure, and a question for nothing at all.
    return {"allow": "goes on", "deny": "stops"}.get(answer.get("permission"), "breaks")


COPILOT_ANSWERS = {
    "preToolUse": ("permissionDecision", "permissionDecisionReason", "modifiedArgs"),
    "PreToolUse": ("hookSpecificOutput", "modifiedArgs"),
    "postToolUse": ("modifiedResult", "additionalContext"),
    "PostToolUse": ("modifiedResult", "additionalContext"),
    "userPromptSubmitted": ("decision", "reason"),
    "UserPromptSubmit": ("decision", "reason"),
}


def copilot(status: int, out: bytes, err: bytes, event: str | None) -> Does:
    is_call = event is None or event.lower() == "pretooluse"
    if status:
        return "stops" if is_call else "breaks"
    answer = parsed(out)
    if not fits(answer, *COPILOT_ANSWERS.get(event or "", ())):
        return "breaks"
    said = answer.get("hookSpecificOutput", answer)
    if said.get("permissionDecision") == "ask":
        return "asks"
    if said.get("permissionDecision") == "deny":
        return "stops" if said.get("permissionDecisionReason") else "breaks"
    if "modifiedResult" in answer:
        assert answer["modifiedResult"].keys() == {"resultType", "textResultForLlm"}
        return "stops"
    return "stops" if answer.get("decision") == "block" else "goes on"


def goose(status: int, out: bytes, err: bytes, event: str | None) -> Does:
    if status == 2:
        return "stops"
    answer = parsed(out)
    if not fits(answer, "decision", "reason"):
        return "breaks"
    if answer.get("decision") == "block":
        return "stops"
    # With `on_failure`, newer versions take whatever is neither for a failure.
    is_said = event not in {None, "PreToolUse"} or answer.get("decision") == "allow"
    return "goes on" if status == 0 and is_said else "breaks"


def hermes(status: int, out: bytes, err: bytes, event: str | None) -> Does:
    answer = parsed(out)
    if answer is None:
        return "breaks"
    if not fits(answer, "decision", "reason"):
        return "breaks"  # a question or other arguments are not read by all versions: they let the call pass
    if event not in {None, "pre_tool_call"}:
        return "goes on" if answer == {} else "breaks"
    if answer.get("decision") == "block" and answer.get("reason"):
        return "stops"
    return "goes on" if answer == {} and status == 0 else "breaks"


def tell_gemini(hooked: Any, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    common = {"session_id": hooked.session, "transcript_path": "", "cwd": str(hooked.project)}
    common |= {"hook_event_name": kind, "timestamp": "2026-11-18T20:00:00.000Z"}
    if "prompt" in said:
        return {**common, "prompt": said["prompt"]}
    event = {**common, "tool_name": said["tool"], "tool_input": said["given"]}
    if said["tool"].startswith("mcp__"):
        _, server, tool = said["tool"].split("__")
        event |= {"tool_name": f"mcp_{server}_{tool}", "mcp_context": {"server_name": server, "tool_name": tool}}
    if "response" in said:
        event["tool_response"] = {"llmContent": said["response"], "returnDisplay": ""}
    return event


def tell_cursor(hooked: Any, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    common = {"conversation_id": hooked.session, "generation_id": "turn-1", "model": "m", "hook_event_name": kind}
    common |= {"cursor_version": "3.9.16", "workspace_roots": [str(hooked.project)], "user_email": None}
    if "prompt" in said:
        return {**common, "prompt": said["prompt"], "attachments": []}
    tool = said["tool"].replace("mcp__", "MCP:", 1).replace("__", ":")
    event = {**common, "tool_name": tool, "tool_input": said["given"], "tool_use_id": said["call_id"]}
    if "response" in said:
        event["tool_output"] = json.dumps(said["response"])
    return {**event, "cwd": str(hooked.project)}


def tell_copilot(hooked: Any, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    if kind[0].isupper():
        common = {"hook_event_name": kind, "session_id": hooked.session, "timestamp": "2026-11-18T20:00:00.000Z"}
        names = ("tool_name", "tool_input", "tool_result", "result_type", "text_result_for_llm")
    else:
        common = {"sessionId": hooked.session, "timestamp": 1_795_032_462_992}
        names = ("toolName", "toolArgs", "toolResult", "resultType", "textResultForLlm")
    common["cwd"] = str(hooked.project)
    if "prompt" in said:
        return {**common, "prompt": said["prompt"]}
    event = {**common, names[0]: said["tool"], names[1]: said["given"]}
    if "response" in said:
        text = said["response"] if isinstance(said["response"], str) else json.dumps(said["response"])
        event[names[2]] = {names[3]: "success", names[4]: text}
    return event


def tell_goose(hooked: Any, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    common = {"event": kind, "session_id": hooked.session, "matcher_context": None, "working_dir": str(hooked.project)}
    if "prompt" in said:
        return {**common, "message": said["prompt"]}
    tool = said["tool"].removeprefix("mcp__")
    event = {**common, "matcher_context": tool, "tool_name": tool, "tool_input": said["given"]}
    if "response" in said:
        event["tool_output"] = said["response"]
    return {**event, "tool_call_id": said["call_id"]}


def tell_hermes(hooked: Any, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    event = {"hook_event_name": kind, "session_id": hooked.session, "cwd": str(hooked.project)}
    if "prompt" in said:
        extra = {"user_message": said["prompt"], "platform": "cli", "conversation_history": [], "turn_id": "turn-1"}
        return {**event, "tool_name": None, "tool_input": None, "extra": extra}
    extra = {"tool_call_id": said["call_id"], "turn_id": "turn-1", "task_id": ""}
    if "response" in said:
        extra["result"] = said["response"] if isinstance(said["response"], str) else json.dumps(said["response"])
    return {**event, "tool_name": said["tool"], "tool_input": said["given"], "extra": extra}


PATH = {"file_path": "path"}
DIALECTS = {
    "gemini": Dialect(
        call="BeforeTool",
        result="AfterTool",
        prompt="BeforeAgent",
        tell=tell_gemini,
        makes_of=gemini,
        tools={"Bash": ("run_shell_command", {}), "Read": ("read_file", {}), "Write": ("write_file", {})},
    ),
    "cursor": Dialect(
        call="preToolUse",
        result="postToolUse",
        prompt="beforeSubmitPrompt",
        tell=tell_cursor,
        makes_of=cursor,
        tools={"Bash": ("Shell", {}), "Read": ("Read", PATH), "Write": ("Write", {**PATH, "content": "contents"})},
    ),
    "copilot": Dialect(
        call="preToolUse",
        result="postToolUse",
        prompt="userPromptSubmitted",
        tell=tell_copilot,
        makes_of=copilot,
        tools={"Bash": ("bash", {}), "Read": ("view", PATH), "Write": ("create", {**PATH, "content": "file_text"})},
    ),
    "copilot by the other names": Dialect(
        call="PreToolUse",
        result="PostToolUse",
        prompt="UserPromptSubmit",
        tell=tell_copilot,
        makes_of=copilot,
        tools={"Read": ("Read", PATH), "Write": ("Write", {**PATH, "content": "file_text"})},
    ),
    "goose": Dialect(
        call="PreToolUse",
        result="PostToolUse",
        prompt="UserPromptSubmit",
        tell=tell_goose,
        makes_of=goose,
        tools={
            "Bash": ("developer__shell", {}),
            "Read": ("developer__text_editor", PATH),
            "Write": ("developer__write", PATH),
        },
        rewrites=False,
        changes_results=False,
        blocks_prompts=False,
    ),
    "hermes": Dialect(
        call="pre_tool_call",
        result="post_tool_call",
        prompt="pre_llm_call",
        tell=tell_hermes,
        makes_of=hermes,
        tools={"Bash": ("terminal", {}), "Read": ("read_file", PATH), "Write": ("write_file", PATH)},
        rewrites=False,
        changes_results=False,
        blocks_prompts=False,
    ),
}
