"""Whether an agent can read a settings file at all: the shape of its hooks, and of what else is known to matter.

An agent that finds one wrong value may read nothing of the file, and then runs none of its hooks, ours neither
(anthropics/claude-code#75081). What a hook does is not looked at. Tried with Claude Code 2.1.325; Codex and goose by
their sources, the others as far as their documents tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.installing.agents import CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI, GOOSE, HERMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.agents import Agent


class Misfit(NamedTuple):
    """A value that is not as the agent wants it."""

    place: str
    """As in `hooks.PreToolUse[0].matcher`."""
    what: str
    drops_file: bool = True
    """Whether the agent may read nothing of the file because of it; otherwise it passes over this value alone."""


class _Kind(NamedTuple):
    """What a value has to be."""

    words: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _one_of(*names: str | int) -> _Kind:
    return _Kind(f"is none of {', '.join(map(str, names))}", lambda value: value in names)


def _or_nothing(kind: _Kind) -> _Kind:
    return _Kind(kind.words, lambda value: value is None or kind.fits(value))


_TEXT: Final = _Kind("is not a text", lambda value: isinstance(value, str))
_TEXTS: Final = _Kind("is not a list of texts", _are_texts)
_TABLE: Final = _Kind("is not an object of texts", _is_table)
_OBJECT: Final = _Kind("is not an object", lambda value: isinstance(value, dict))
_LIST: Final = _Kind("is not a list", lambda value: isinstance(value, list))
_FLAG: Final = _Kind("is neither true nor false", lambda value: isinstance(value, bool))
_SECONDS: Final = _Kind("is not a number above 0", _is_number)
_COUNT: Final = _Kind("is not a whole number", _is_count)
_WHOLE_SECONDS: Final = _or_nothing(_COUNT)


class _Form(NamedTuple):
    """The fields of one thing. Fields that are not named here are the agent's own business."""

    required: Mapping[str, _Kind]
    optional: Mapping[str, _Kind]

    def misfits(self, value: dict[str, Any], place: str) -> Iterator[Misfit]:
        """What is missing or wrong in `value`, which stands at `place`."""
        for name, kind in {**self.required, **self.optional}.items():
            where = f"{place}.{name}" if place else name
            if name not in value:
                yield from [Misfit(where, "is missing")] if name in self.required else []
            elif not kind.fits(value[name]):
                yield Misfit(where, kind.words)


class _Shape(NamedTuple):
    """What one agent takes."""

    events: frozenset[str]
    group: _Form
    handlers: Mapping[str, _Form]
    """By their type."""
    default: str | None = None
    """The type of a handler that names none."""
    is_flat: bool = False
    """Whether handlers stand in no groups."""
    head: Mapping[str, _Kind] = {}
    """What the file has to say besides."""


_ANY_CLAUDE: Final = {"if": _TEXT, "timeout": _SECONDS, "statusMessage": _TEXT, "once": _FLAG}
_ON_FAILURE: Final = _one_of("continue", "block")

_SHAPES: Final[Mapping[str, _Shape]] = {
    CLAUDE_CODE.name: _Shape(
        events=frozenset(
            "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion"
            " SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch"
            " PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted"
            " Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged"
            " FileChanged DirectoryAdded MessageDisplay".split()
        ),
        group=_Form({"hooks": _LIST}, {"matcher": _TEXT}),
        handlers={
            "command": _Form(
                {"command": _TEXT},
                {
                    **_ANY_CLAUDE,
                    "args": _TEXTS,
                    "shell": _one_of("bash", "powershell"),
                    "onFailure": _ON_FAILURE,
                    "async": _FLAG,
                    "asyncRewake": _FLAG,
                },
            ),
            "prompt": _Form({"prompt": _TEXT}, {**_ANY_CLAUDE, "model": _TEXT, "continueOnBlock": _FLAG}),
            "agent": _Form({"prompt": _TEXT}, {**_ANY_CLAUDE, "model": _TEXT}),
            "http": _Form(
                {"url": _TEXT}, {**_ANY_CLAUDE, "headers": _TABLE, "allowedEnvVars": _TEXTS, "onFailure": _ON_FAILURE}
            ),
            "mcp_tool": _Form({"server": _TEXT, "tool": _TEXT}, {**_ANY_CLAUDE, "input": _OBJECT}),
        },
    ),
    CODEX.name: _Shape(
        events=frozenset(
            "PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit"
            " SubagentStart SubagentStop Stop".split()
        ),
        group=_Form({}, {"hooks": _LIST, "matcher": _or_nothing(_TEXT)}),
        handlers={
            "command": _Form(
                {"command": _TEXT},
                {
                    "commandWindows": _or_nothing(_TEXT),
                    "timeout": _WHOLE_SECONDS,
                    "async": _FLAG,
                    "statusMessage": _or_nothing(_TEXT),
                },
            ),
            "mcp_tool": _Form({"server": _TEXT, "tool": _TEXT}, {"timeout": _WHOLE_SECONDS}),
            "prompt": _Form({}, {}),
            "agent": _Form({}, {}),
        },
    ),
    GEMINI.name: _Shape(
        events=frozenset(
            "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart"
            " SessionEnd Notification PreCompress".split()
        ),
        group=_Form({"hooks": _LIST}, {"matcher": _TEXT, "sequential": _FLAG}),
        handlers={
            "command": _Form({"command": _TEXT}, {"name": _TEXT, "timeout": _SECONDS, "description": _TEXT}),
            "plugin": _Form({}, {}),
        },
    ),
    CURSOR.name: _Shape(
        events=frozenset(
            "preToolUse postToolUse postToolUseFailure beforeShellExecution afterShellExecution beforeMCPExecution"
            " afterMCPExecution beforeReadFile afterFileEdit beforeTabFileRead afterTabFileEdit beforeSubmitPrompt"
            " afterAgentResponse afterAgentThought sessionStart sessionEnd subagentStart subagentStop preCompact"
            " stop".split()
        ),
        group=_Form({}, {}),
        handlers={
            "command": _Form({"command": _TEXT}, {"timeout": _SECONDS, "failClosed": _FLAG, "loop_limit": _COUNT}),
            "prompt": _Form({"prompt": _TEXT}, {"timeout": _SECONDS}),
        },
        default="command",
        is_flat=True,
        head={"version": _COUNT},
    ),
    COPILOT.name: _Shape(
        events=frozenset(
            "sessionStart sessionEnd userPromptSubmitted userPromptTransformed preToolUse postToolUse"
            " postToolUseFailure permissionRequest agentStop subagentStart subagentStop errorOccurred preCompact"
            " notification SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure"
            " PermissionRequest Stop SubagentStop ErrorOccurred PreCompact Notification".split()
        ),
        group=_Form({}, {}),
        handlers={
            "command": _Form(
                {},
                {
                    **dict.fromkeys(("bash", "powershell", "command", "exec", "cwd", "matcher"), _TEXT),
                    "args": _TEXTS,
                    "env": _TABLE,
                    "timeoutSec": _SECONDS,
                    "timeout": _SECONDS,
                },
            ),
            "http": _Form({"url": _TEXT}, {"headers": _TABLE, "allowedEnvVars": _TEXTS, "timeoutSec": _SECONDS}),
            "prompt": _Form({"prompt": _TEXT}, {}),
        },
        default="command",
        is_flat=True,
        head={"version": _one_of(1)},
    ),
    GOOSE.name: _Shape(
        events=frozenset(
            "PreToolUse PreToolUseResult PostToolUse PostToolUseFailure SessionStart SessionEnd UserPromptSubmit"
            " BeforeReadFile AfterFileEdit BeforeShellExecution AfterShellExecution Stop SubagentStart"
            " SubagentStop".split()
        ),
        group=_Form({}, {"hooks": _LIST, "matcher": _or_nothing(_TEXT)}),
        handlers={
            "command": _Form({"command": _TEXT}, {"timeout": _WHOLE_SECONDS, "on_failure": _one_of("allow", "block")})
        },
        default="command",
    ),
    HERMES.name: _Shape(
        events=frozenset(
            "pre_tool_call post_tool_call transform_terminal_output transform_tool_result transform_llm_output"
            " pre_llm_call post_llm_call pre_verify pre_api_request post_api_request api_request_error"
            " on_session_start on_session_end on_session_finalize on_session_reset subagent_start subagent_stop"
            " pre_gateway_dispatch pre_approval_request post_approval_response".split()
        ),
        group=_Form({}, {}),
        handlers={"command": _Form({"command": _TEXT}, {"fail_closed": _FLAG})},
        default="command",
        is_flat=True,
    ),
}
_RULES: Final = {"allow": _TEXTS, "deny": _TEXTS, "ask": _TEXTS}
_SWITCHES: Final = {"disableAllHooks": _FLAG, "allowManagedHooksOnly": _FLAG}


def misfits(value: dict[str, Any], agent: Agent) -> Iterator[Misfit]:
    """Everything in an agent's settings that is known to be of another shape than the agent takes."""
    shape = _SHAPES[agent.name]
    yield from _hooks(value.get("hooks", {}), shape, agent.title)
    yield from _Form(shape.head, {}).misfits(value, "")
    if agent is CLAUDE_CODE:
        yield from _claude_settings(value)


_RESERVED: Final = frozenset({"output_spill"})
"""What stands beside events, and is none."""


def _hooks(events: Any, shape: _Shape, title: str) -> Iterator[Misfit]:
    if not isinstance(events, dict):
        yield Misfit("hooks", _OBJECT.words)
        return
    for event, groups in events.items():
        if event in _RESERVED:
            continue
        if event not in shape.events:
            what = f"is no event that Guardhouse knows; a {title} that does not know it either may read nothing here"
            yield Misfit(f"hooks.{event}", what, drops_file=False)
        elif not isinstance(groups, list):
            yield Misfit(f"hooks.{event}", _LIST.words)
        else:
            for index, group in enumerate(groups):
                yield from _group(group, f"hooks.{event}[{index}]", shape)


def _group(group: Any, place: str, shape: _Shape) -> Iterator[Misfit]:
    if shape.is_flat:
        yield from _handler(group, place, shape)
        return
    if not isinstance(group, dict):
        yield Misfit(place, _OBJECT.words)
        return
    yield from shape.group.misfits(group, place)
    inner = group.get("hooks")
    for index, handler in enumerate(inner if isinstance(inner, list) else ()):
        yield from _handler(handler, f"{place}.hooks[{index}]", shape)


def _handler(handler: Any, place: str, shape: _Shape) -> Iterator[Misfit]:
    if not isinstance(handler, dict):
        yield Misfit(place, _OBJECT.words)
        return
    kind = handler.get("type", shape.default)
    form = shape.handlers.get(kind) if isinstance(kind, str) else None
    if form is None:
        yield Misfit(f"{place}.type", _one_of(*shape.handlers).words)
    else:
        yield from form.misfits(handler, place)


def _claude_settings(value: dict[str, Any]) -> Iterator[Misfit]:
    yield from _Form({}, _SWITCHES).misfits(value, "")
    environment = value.get("env", {})
    if not isinstance(environment, dict):
        yield Misfit("env", _OBJECT.words)
    else:
        # Claude Code makes a text of it, and says so nowhere.
        odd = [name for name, given in environment.items() if not isinstance(given, str)]
        yield from (Misfit(f"env.{name}", _TEXT.words, drops_file=False) for name in odd)
    permissions = value.get("permissions", {})
    if not isinstance(permissions, dict):
        yield Misfit("permissions", _OBJECT.words)
    else:
        yield from _Form({}, _RULES).misfits(permissions, "permissions")
