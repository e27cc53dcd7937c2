"""The nine kinds of action the gate judges, and their strict wire form.

An action is data: it says what an agent is about to do or has just received, and who says so. It never says whether
that is allowed. Unknown types and fields are errors; nothing is filled in by guessing.
"""

# Without `from __future__ import annotations`: msgspec would have to compile every annotation again at start-up.

from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec

from guardhouse.model.errors import InvalidAction
from guardhouse.model.strict_json import DEFAULT_LIMITS, Limits, checked_copy, decode

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
ToolDigest = Annotated[str, msgspec.Meta(pattern="^(sha256:[0-9a-f]{64}|unannounced)$", max_length=71)]
"""What a tool said of itself when it was announced, by its digest; `unannounced` if it said nothing."""


class _ActionBase(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"
):
    """What every action may carry beside its own fields."""

    session_id: Identifier | None = None
    run_id: Identifier | None = None
    parent_run_id: Identifier | None = None
    """The run that started this one, for calls inside a skill or a sub-agent."""
    task_id: Identifier | None = None
    principal: Identifier | None = None
    """Who the agent acts for, as the adapter authenticated it."""
    cwd: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    """The directory the call runs in; relative paths are read against it, and it is the project."""
    source: Annotated[str, msgspec.Meta(max_length=2048)] | None = None
    """The surface this action came through, for the record."""

    asks_first: ClassVar[bool] = False
    """True where a person can still say yes or no before it happens; a failure inside the gate then asks."""
    unbound: ClassVar[frozenset[str]] = frozenset({"call_id", "run_id", "parent_run_id", "task_id", "source"})
    """Fields that name a moment, a run or a surface, not what is done: the action hash leaves them out."""

    @property
    def type(self) -> str:
        """The wire name of the action's type."""
        return type(self).__name__


class UserInput(_ActionBase, frozen=True, kw_only=True, tag=True):
    """Words on their way in from a person, or from something that stands in for one."""

    content: str
    origin: Literal["typed", "pasted", "attachment", "scheduled"] = "pasted"
    """Only `typed` words carry the person's authority, so an absent origin claims none."""


class ToolCallPre(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A tool is about to be called."""

    tool: Name
    params: dict[str, Any]
    call_id: Identifier | None = None
    tool_digest: ToolDigest | None = None
    """Given where tools are announced by whoever offers them; the call is then held to what was pinned of it."""
    attempt: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    """How often the call may have been made before, by a process that ended before it came back."""
    asks_first: ClassVar[bool] = True


class ToolCallPost(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A tool has answered; the agent has not seen it yet."""

    tool: Name
    content: Any
    params: dict[str, Any] | None = None
    """What it was called with, where that is known: what merely comes back proves nothing, and a call about something
    that the user named brings in what they meant."""
    call_id: Identifier | None = None
    tool_digest: ToolDigest | None = None
    unbound: ClassVar[frozenset[str]] = _ActionBase.unbound | {"params"}


class OutputPublish(_ActionBase, frozen=True, kw_only=True, tag=True):
    """An answer is about to be shown or sent."""

    content: Any
    channel: Name | None = None


class MemoryReadPre(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A memory store is about to be searched."""

    store: Name
    query: Any
    asks_first: ClassVar[bool] = True


class MemoryReadPost(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A memory store has answered."""

    store: Name
    content: Any
    origin: Literal["trusted", "untrusted"] | None = None
    """`trusted` if all of it was stored in sessions that nothing untrusted had come into; absent, it is not."""


class SkillRunPre(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A skill is about to run."""

    skill: Name
    params: dict[str, Any]
    asks_first: ClassVar[bool] = True


class SkillRunPost(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A skill has answered."""

    skill: Name
    content: Any


class SkillInstall(_ActionBase, frozen=True, kw_only=True, tag=True):
    """A skill package is about to be installed."""

    skill: Name
    source: Annotated[str, msgspec.Meta(min_length=1, max_length=2048)]
    """Where the package comes from; here it is part of what is done."""
    tree_digest: Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$", max_length=71)]
    asks_first: ClassVar[bool] = True
    unbound: ClassVar[frozenset[str]] = _ActionBase.unbound - {"source"}


UNNAMED: Final = "unnamed_"
"""How the id of a call begins that its caller gave none: nobody will give the same one to its result."""

Action = (
    UserInput
    | ToolCallPre
    | ToolCallPost
    | OutputPublish
    | MemoryReadPre
    | MemoryReadPost
    | SkillRunPre
    | SkillRunPost
    | SkillInstall
)

ACTION_TYPES: Final[dict[str, type[Action]]] = {
    kind.__name__: kind
    for kind in (
        UserInput,
        ToolCallPre,
        ToolCallPost,
        OutputPublish,
        MemoryReadPre,
        MemoryReadPost,
        SkillRunPre,
        SkillRunPost,
        SkillInstall,
    )
}
"""Every action type by its wire name."""


def parse_action(data: bytes | str | dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> Action:
    """The action in one JSON object (text, or already a dict); InvalidAction says what is wrong with it."""
    return action_of(decode(data, limits) if isinstance(data, (bytes, str)) else checked_copy(data, limits))


def action_of(value: Any) -> Action:
    """The action in a JSON value that `decode` gave and that nobody else holds; InvalidAction says what is wrong."""
    if not isinstance(value, dict):
        raise InvalidAction("An action is a JSON object.", fix='For example {"type": "ToolCallPre", …}.')
    kind = value.get("type")
    struct = ACTION_TYPES.get(kind) if isinstance(kind, str) else None
    if struct is None:
        raise InvalidAction("The action has no known type.", fix=_suggest("type", kind, ACTION_TYPES))
    unknown = value.keys() - struct.__struct_fields__ - {"type"}
    if unknown:
        key = min(unknown)
        raise InvalidAction(
            f"{kind} has a field it should not have.", fix=_suggest("field", key, struct.__struct_fields__)
        )
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError as error:
        # msgspec quotes a wrong enum value, and a value may be a secret: only the place is told then.
        what = str(error)
        if what.startswith("Invalid enum value"):
            what = f"A value that is not one of those allowed{what[what.rfind(' - at ') :]}"
        raise InvalidAction(f"{kind}: {what}.", fix="See docs/actions.md for the fields of each type.") from None


def is_named(call_id: str | None) -> bool:
    """Whether a call has an id of its caller's, by which its result is known, too."""
    return bool(call_id) and not (call_id or "").startswith(UNNAMED)


def admit(action: Action, limits: Limits = DEFAULT_LIMITS) -> Action:
    """`action` as a private, checked copy: what the gate judges can't be changed by whoever handed it in."""
    if type(action) not in ACTION_TYPES.values():
        raise InvalidAction(f"{type(action).__name__} is not an action.", fix="Pass one of the nine action types.")
    return parse_action(wire(action), limits)


def wire(action: Action) -> dict[str, Any]:
    """The action as the JSON object it travels as (not a copy: treat it as read-only)."""
    fields: dict[str, Any] = {"type": action.type}
    for name, value in msgspec.structs.asdict(action).items():
        if (value is not None or name in _MAY_BE_NULL) and (value or name != "attempt"):
            fields[name] = value
    return fields


_MAY_BE_NULL: Final = frozenset({"content", "query"})


_LONGEST_TYPO: Final = 64
"""A longer name is no misspelling, and comparing it would cost time."""


def _suggest(what: str, given: object, known: Any) -> str:
    if isinstance(given, str) and len(given) <= _LONGEST_TYPO:
        from difflib import get_close_matches  # only on the way to an error

        close = get_close_matches(given, list(known), n=1)
        if close:
            return f"Did you mean the {what} `{close[0]}`?"
    return f"Known: {', '.join(sorted(known))}."
