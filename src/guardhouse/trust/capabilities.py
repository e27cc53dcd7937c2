"""What a tool can do, as far as the gate knows before it runs.

Knowledge comes from the user's configuration first, then from the table below. A name alone never makes a tool
harmless: only exact, well-known names are in the table, and everything else is unclassified, which policy treats as
consequential. What a name or a description says of itself may only add capabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.model.digests import sha256_hex

if TYPE_CHECKING:
    from guardhouse.trust.ledger import Shape


class Capability(Enum):
    """One thing a tool can do to the world or bring into the conversation."""

    __hash__ = object.__hash__  # members are single objects, and Enum's own hash is slow Python

    READS = "reads"
    READS_PRIVATE = "reads_private"
    READS_UNTRUSTED = "reads_untrusted"
    WRITES = "writes"
    DESTRUCTIVE = "destructive"
    EXECUTES = "executes"
    EGRESS = "egress"
    SENDS = "sends"
    SPENDS = "spends"


_HINTED_DESTRUCTIVE: Final = frozenset({Capability.DESTRUCTIVE})
_HINTED_OPEN_WORLD: Final = frozenset({Capability.READS_UNTRUSTED, Capability.EGRESS})
"""What a tool's own hints add. None takes anything away: whoever made the tool may say what they like."""


class ToolDescription(msgspec.Struct, frozen=True):
    """What is said of a tool beyond what it can do."""

    description: str = ""
    parameters: Mapping[str, Any] = {}
    """JSON Schema of its arguments."""
    roles: Mapping[str, str] = {}
    """What its arguments are for, by name, where somebody has said so."""
    fields: Mapping[str, str] = {}
    """Who fills in the fields of its results."""


class Announcement(msgspec.Struct, frozen=True):
    """What a tool is said to be by somebody else than the configuration. How far that counts: `trust.announced`."""

    tool: str
    digest: str
    """Tells it from every other description of a tool with that name."""
    description: str = ""
    parameters: Mapping[str, Any] = {}
    """JSON Schema of its arguments."""
    by: Literal["program", "server"] = "server"


class ToolProfile(msgspec.Struct, frozen=True):
    """What is known about one tool."""

    name: str
    """Trimmed and lower-cased."""
    capabilities: frozenset[Capability]
    classified: bool = True
    """False: nobody has said what this tool does, so it may do anything."""
    needs_url: bool = False
    """A call without a destination makes no sense, so one that hides it is refused."""
    takes_away: bool = False
    """What it is given may be gone from its place afterwards."""

    def hinted(self, *, destructive: bool, open_world: bool) -> ToolProfile:
        """The profile with what the tool says of itself; never with less than without."""
        added: frozenset[Capability] = _HINTED_DESTRUCTIVE if destructive else frozenset()
        added |= _HINTED_OPEN_WORLD if open_world else frozenset()
        if added <= self.capabilities:
            return self
        return msgspec.structs.replace(self, capabilities=self.capabilities | added)

    def may(self, *wanted: Capability) -> bool:
        """Whether the tool has one of `wanted`; an unclassified tool may do everything."""
        return not self.classified or not self.capabilities.isdisjoint(wanted)


_FILE_READERS: Final = (
    "cat glob grep grep_files list_dir list_directory list_files ls lsp notebookread open_file read read_file "
    "read_many_files read_text_file search_file_content search_files view view_file view_image"
)
_FILE_WRITERS: Final = (
    "append_file create_directory create_file edit edit_file make_directory mkdir multiedit notebookedit replace "
    "str_replace write write_file"
)
_FILE_PATCHERS: Final = "apply_patch patch"
_FILE_EDITORS: Final = "str_replace_based_edit_tool str_replace_editor"
_FILE_MOVERS: Final = "copy_file cp move_file mv rename_file"
_FILE_REMOVERS: Final = "delete_directory delete_file remove_directory remove_file rm rmdir unlink"
_SHELLS: Final = (
    "bash bash_tool cmd container.exec exec exec_command execute_command local_shell monitor powershell pwsh "
    "run_command run_in_terminal run_shell_command run_terminal_cmd sh shell shell_command terminal"
)
_CODE_RUNNERS: Final = "code_interpreter execute_code execute_python ipython python python_exec run_code run_python"
_URL_FETCHERS: Final = (
    "browser_navigate download download_file fetch fetch_url http_get http_post http_request open_url read_url "
    "url_fetch web_fetch webfetch"
)
_PROXIES: Final = "proxy"
"""What child processes reach out by: each connection, or request, of theirs is a call of this tool."""
_SEARCHERS: Final = "google_search search_web web_search websearch"
_MCP_READERS: Final = (
    "list_mcp_resource_templates list_mcp_resources listmcpresourcestool read_mcp_resource readmcpresourcedirtool "
    "readmcpresourcetool refreshmcptools"
)
_BOOKKEEPING: Final = (
    "agent ask_user ask_user_question askuserquestion bashoutput close_agent endconversation enter_plan_mode "
    "enterplanmode exit_plan_mode exitplanmode killbash killshell listagents proposegoal reportfindings "
    "cronlist current_time get_context_remaining get_goal list_agents readnotifications resume_agent skill "
    "structuredoutput tool_search "
    "request_user_input schedulewakeup spawn_agent subagenthandback task taskcreate taskget tasklist taskoutput "
    "taskstop taskupdate think todo_write todowrite toolsearch update_plan wait_agent waitformcpservers"
)
"""What an agent does with itself: plans, its own sub-agents (whose calls pass the gate too), questions to its user."""

_READS = frozenset({Capability.READS})
_WRITES = frozenset({Capability.WRITES})
_BRINGS_WEB = frozenset({Capability.EGRESS, Capability.READS_UNTRUSTED})
_BRINGS_CONTENT = frozenset({Capability.READS, Capability.READS_UNTRUSTED})

_KNOWN_NAMES: Final[tuple[tuple[str, frozenset[Capability], bool, bool], ...]] = (
    # names, capabilities, whether a call must name a URL, whether what it is given may be gone afterwards
    (_FILE_READERS, _READS, False, False),
    (_FILE_WRITERS, _WRITES, False, False),
    (_FILE_PATCHERS, _WRITES, False, True),
    (_FILE_EDITORS, _READS | _WRITES, False, False),
    (_FILE_MOVERS, _READS | _WRITES, False, True),
    (_FILE_REMOVERS, frozenset({Capability.WRITES, Capability.DESTRUCTIVE}), False, True),
    (_SHELLS, frozenset({Capability.EXECUTES}), False, True),
    (_CODE_RUNNERS, frozenset({Capability.EXECUTES}), False, True),
    (_URL_FETCHERS, _BRINGS_WEB, True, False),
    (_PROXIES, _BRINGS_WEB, True, False),
    (_SEARCHERS, _BRINGS_WEB, False, False),
    (_MCP_READERS, _BRINGS_CONTENT, False, False),
    (_BOOKKEEPING, frozenset(), False, False),
)

KNOWN_TOOLS: Final[dict[str, ToolProfile]] = {
    name: ToolProfile(name=name, capabilities=capabilities, needs_url=needs_url, takes_away=takes_away)
    for names, capabilities, needs_url, takes_away in _KNOWN_NAMES
    for name in names.split()
}
"""Tools of well-known agents and libraries, by exact name."""

_OF_AGENTS: Final = frozenset(_BOOKKEEPING.split())

_HOUSE_NAMES: Final[tuple[tuple[str, frozenset[Capability], bool], ...]] = (
    # what an agent keeps for later, in a memory that it is read back from as it was stored
    ("memory_write", _WRITES, False),
    # only what a skill says comes in by this name: that it runs is asked about as a skill
    ("run_skill", frozenset({Capability.EXECUTES, Capability.READS_UNTRUSTED}), True),
    # a run inside the run, whose calls pass the gate too
    ("delegate", frozenset(), False),
)

HOUSE_TOOLS: Final[dict[str, ToolProfile]] = {
    name: ToolProfile(name=name, capabilities=capabilities, takes_away=takes_away)
    for name, capabilities, takes_away in _HOUSE_NAMES
}
"""Tools of our own runs. Nobody else's tool is known by one of these names: who makes the call says whose it is."""

MCP_READS: Final = frozenset(["resources/read", "prompts/get"])
"""Of an MCP server's requests, those that only bring content in. They are judged as tools with these names, which no
tool of a server may have."""

_UNTRUSTED_NAMES: Final = frozenset(
    "kd_doc_read web_fetch web_search kd_cosmic_api external_file_read mcp_external_content".split()
)
_UNTRUSTED_FAMILIES: Final = ("web_", "external_")


def is_untrusted_name(name: str) -> bool:
    """Whether a tool's name alone says that it brings in what anybody may have written."""
    full = tool_name(name)
    own = full.rpartition("__")[2]
    return (
        full in _UNTRUSTED_NAMES
        or own in _UNTRUSTED_NAMES
        or full.startswith(_UNTRUSTED_FAMILIES)
        or own.startswith(_UNTRUSTED_FAMILIES)
        or ("mcp" in full and "external" in full)
    )


_MEMO_LIMIT: Final = 4096


def _fingerprint(heard: Announcement | None) -> str:
    """Tells an announcement from every other one and from none, by what it says: its own `digest` is whatever its
    sender wrote, and one sender's words must not be taken for another's."""
    if heard is None:
        return ""
    return sha256_hex(msgspec.json.encode(msgspec.structs.astuple(heard), order="deterministic"))


class ToolCatalogue:
    """Profiles by tool name, from configuration and built-in knowledge."""

    def __init__(
        self,
        declared: Mapping[str, frozenset[Capability]] | None = None,
        pinned_to: Mapping[str, str] | None = None,
        described: Mapping[str, ToolDescription] | None = None,
        own: frozenset[str] = frozenset(),
    ) -> None:
        """`pinned_to` has the digests of the descriptions that declarations were made for, by the same names. `own`
        are values that are the user's own."""
        self._described = {tool_name(name): said for name, said in (described or {}).items()}
        self._own = own
        self._announced: Announcement | None = None
        self._shapes: dict[tuple[str, str], Shape] = {}
        self._exact: dict[str, frozenset[Capability]] = {}
        self._globs: list[tuple[str, frozenset[Capability]]] = []
        self._pinned_to: dict[str, str] = {}
        for pattern, capabilities in (declared or {}).items():
            name = tool_name(pattern)
            digest = (pinned_to or {}).get(pattern, "")
            # What was said of one description was said of one tool, whatever characters its name has.
            if not digest and any(char in name for char in "*?["):
                self._globs.append((name, capabilities))
            else:
                self._exact[name] = capabilities
                self._pinned_to[name] = digest
        self._memo: dict[tuple[str, str | None], ToolProfile] = {}
        self._house: Mapping[str, ToolProfile] = {}
        self._mistaken = ""
        self._of_house: ToolCatalogue | None = None

    def profile(self, tool: str, digest: str | None = None) -> ToolProfile:
        """What is known about `tool`. An exact declaration wins; globs add up, and add to what is known anyway.

        With the `digest` of its description as announced, a declaration that was made for another one does not count.
        Where nothing is known of descriptions (None), there is nothing to compare.
        """
        profile = self._memo.get((tool, digest))
        if profile is None:
            if len(self._memo) >= _MEMO_LIMIT:
                self._memo.clear()
            profile = self._memo[tool, digest] = self._look_up(tool, digest)
        return profile

    def description(self, tool: str) -> ToolDescription | None:
        """What was said of the tool beyond what it can do, if anything."""
        return self._described.get(tool_name(tool))

    def hearing(self, announced: Announcement) -> ToolCatalogue:
        """The same catalogue with what a tool is announced to be. It counts for `shape` only, and only where the
        configuration says nothing: it can't make a tool any other one than it is known for. But a function of a
        program's own is none of the tools by which agents keep their books, whatever it is called."""
        hearing = copy(self)
        hearing._announced = announced
        name = tool_name(announced.tool)
        if announced.by == "program" and name in _OF_AGENTS:
            hearing._mistaken, hearing._memo, hearing._shapes = name, {}, {}
        return hearing

    def of_house(self) -> ToolCatalogue:
        """The same catalogue for calls of the house's own tools, which no other tool of their names is."""
        if self._of_house is None:
            other = copy(self)
            other._house, other._memo, other._shapes = HOUSE_TOOLS, {}, {}
            self._of_house = other
        return self._of_house

    def is_well_known(self, tool: str) -> bool:
        """Whether it is one of a well-known agent, or of the house."""
        return self._known(tool_name(tool)) is not None

    def _known(self, name: str) -> ToolProfile | None:
        return None if name == self._mistaken else KNOWN_TOOLS.get(name) or self._house.get(name)

    def takes_no_path(self, tool: str) -> bool:
        """Whether the user has described the tool's arguments, and none of them is a path: then it is another tool than
        the well-known one of that name."""
        said = self.description(tool)
        if said is None or not said.parameters:
            return False
        from guardhouse.trust.ledger import Role  # only where a tool was described

        return not any(one.role is Role.PATH for one in self.shape(tool).parameters.values())

    def shape(self, tool: str) -> Shape:
        """What the ledger goes by: the tool's kind, and what its arguments are for."""
        heard = self._announced if self._announced is not None and self._announced.tool == tool else None
        key = (tool, _fingerprint(heard))
        shape = self._shapes.get(key)
        if shape is None:
            from guardhouse.trust.ledger import shape_of  # only where a session is remembered

            if len(self._shapes) >= _MEMO_LIMIT:
                self._shapes.clear()
            said = self._said(tool, heard)
            shape = self._shapes[key] = shape_of(tool, said, self.profile(tool), self._own)
        return shape

    def _said(self, tool: str, heard: Announcement | None) -> ToolDescription:
        """Everything that is said of a tool: by the configuration, and where that is silent by whoever announced it."""
        said = self.description(tool) or ToolDescription()
        if heard is None:
            return said
        from guardhouse.trust.announced import believed  # as above

        beside = believed(heard)
        described = said if said.parameters else beside
        return ToolDescription(
            said.description or beside.description,
            described.parameters,
            {**described.roles, **said.roles},
            said.fields,
        )

    def _look_up(self, tool: str, digest: str | None) -> ToolProfile:
        name = tool_name(tool)
        known = self._known(name)
        said = self._described.get(name)
        anyway = known.capabilities if known is not None else _at_least(tool, said.description if said else "")
        declared = self._exact.get(name)
        if declared is not None and not _is_for(self._pinned_to[name], digest):
            declared = None
        if declared is not None and not _is_request(name):
            declared |= anyway  # a tool can be more than is known of it, or than its name says, never less
        if declared is None:
            declared = self._by_glob(name, anyway)
        if declared is not None:
            return ToolProfile(
                name=name,
                capabilities=declared,
                needs_url=known is not None and known.needs_url,
                takes_away=known is not None and known.takes_away,
            )
        if known is not None:
            return known
        if _is_request(name):
            return ToolProfile(name=name, capabilities=_BRINGS_CONTENT)
        return ToolProfile(name=name, capabilities=anyway, classified=False)

    def _by_glob(self, name: str, anyway: frozenset[Capability]) -> frozenset[Capability] | None:
        """What globs declare, beside what is known anyway: a pattern for many must not make a shell harmless."""
        matching = [capabilities for glob, capabilities in self._globs if fnmatchcase(name, glob)]
        return frozenset().union(*matching, anyway) if matching else None


def _is_request(name: str) -> bool:
    """Whether the name is that of a request which a gateway judges like a tool."""
    parts = name.split("__", 2)
    return parts[0] == "mcp" and len(parts) == 3 and parts[2] in MCP_READS


def _is_for(made_for: str, digest: str | None) -> bool:
    """Whether a declaration counts for a tool that was announced with this digest."""
    return not made_for or digest is None or made_for == digest


def _at_least(tool: str, description: str) -> frozenset[Capability]:
    """What a tool surely does, by its name and by what is said of it: `mcp__mail__sendMessage` sends."""
    from guardhouse.trust.ledger import does_for_sure  # only for tools that are not well-known

    found = frozenset(_BY_KIND[kind] for kind in does_for_sure(tool, description) if kind in _BY_KIND)
    return found | _HINTED_UNTRUSTED if is_untrusted_name(tool) else found


_HINTED_UNTRUSTED: Final = frozenset({Capability.READS_UNTRUSTED})
_BY_KIND: Final = {
    "send": Capability.SENDS,
    "post": Capability.SENDS,
    "share": Capability.SENDS,
    "invite": Capability.SENDS,
    "pay": Capability.SPENDS,
    "buy": Capability.SPENDS,
    "book": Capability.SPENDS,
    "delete": Capability.DESTRUCTIVE,
    "cancel": Capability.DESTRUCTIVE,
}
"""What the ledger's kinds of action come to. Its table of verbs is the only one."""


def tool_name(raw: str) -> str:
    """The form in which tool names are compared."""
    return raw.strip().lower()
