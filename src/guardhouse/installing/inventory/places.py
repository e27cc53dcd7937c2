"""Where agents and their clients keep things, one entry a line: the tables of the inventory.

Agents that hooks can be installed under are in `installing/agents.py`. Paths are below the home directory, or below a
project.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_CODE: Final = (".config/Code/User", "Library/Application Support/Code/User")
_DESKTOP: Final = (".config/Claude", "Library/Application Support/Claude")


class OtherAgent(NamedTuple):
    """An agent without hooks that we could be installed as."""

    name: str
    title: str
    program: str
    """What it is started as; empty if it is no program of its own."""
    places: tuple[str, ...]
    """Files or directories that it leaves in a home directory."""


OTHER_AGENTS: Final = (
    OtherAgent("aider", "Aider", "aider", (".aider.conf.yml", ".aider")),
    OtherAgent("amp", "Amp", "amp", (".config/amp",)),
    OtherAgent("amazon-q", "Amazon Q", "q", (".aws/amazonq",)),
    OtherAgent("claude-desktop", "Claude Desktop", "", _DESKTOP),
    OtherAgent("cline", "Cline", "", tuple(f"{code}/globalStorage/saoudrizwan.claude-dev" for code in _CODE)),
    OtherAgent("continue", "Continue", "cn", (".continue",)),
    OtherAgent("crush", "Crush", "crush", (".config/crush",)),
    OtherAgent("junie", "Junie", "junie", (".junie",)),
    OtherAgent("kiro", "Kiro", "kiro-cli", (".kiro",)),
    OtherAgent("lm-studio", "LM Studio", "lms", (".lmstudio",)),
    OtherAgent("openclaw", "OpenClaw", "openclaw", (".openclaw",)),
    OtherAgent("opencode", "OpenCode", "opencode", (".config/opencode",)),
    OtherAgent("qwen", "Qwen Code", "qwen", (".qwen",)),
    OtherAgent("roo", "Roo Code", "", tuple(f"{code}/globalStorage/rooveterinaryinc.roo-cline" for code in _CODE)),
    OtherAgent("windsurf", "Windsurf", "windsurf", (".codeium/windsurf",)),
    OtherAgent("zed", "Zed", "zed", (".config/zed",)),
)


class ServerList(NamedTuple):
    """A file with a client's MCP servers."""

    client: str
    """The name of the agent whose it is."""
    file: str
    key: str
    """Where in the file the servers are, by name."""
    in_project: bool = False


SERVER_LISTS: Final = (
    ServerList("claude-code", ".claude.json", "mcpServers"),
    ServerList("claude-code", ".mcp.json", "mcpServers", in_project=True),
    *(ServerList("claude-desktop", f"{place}/claude_desktop_config.json", "mcpServers") for place in _DESKTOP),
    ServerList("codex", ".codex/config.toml", "mcp_servers"),
    ServerList("codex", ".codex/config.toml", "mcp_servers", in_project=True),
    ServerList("gemini", ".gemini/settings.json", "mcpServers"),
    ServerList("gemini", ".gemini/settings.json", "mcpServers", in_project=True),
    ServerList("cursor", ".cursor/mcp.json", "mcpServers"),
    ServerList("cursor", ".cursor/mcp.json", "mcpServers", in_project=True),
    ServerList("copilot", ".copilot/mcp-config.json", "mcpServers"),
    *(ServerList("vscode", f"{code}/mcp.json", "servers") for code in _CODE),
    ServerList("vscode", ".vscode/mcp.json", "servers", in_project=True),
    ServerList("goose", ".config/goose/config.yaml", "extensions"),
    ServerList("hermes", ".hermes/config.yaml", "mcp_servers"),
    *(
        ServerList(
            "cline", f"{code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "mcpServers"
        )
        for code in _CODE
    ),
    *(
        ServerList("roo", f"{code}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "mcpServers")
        for code in _CODE
    ),
    ServerList("roo", ".roo/mcp.json", "mcpServers", in_project=True),
    ServerList("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers"),
    ServerList("kiro", ".kiro/settings/mcp.json", "mcpServers"),
    ServerList("kiro", ".kiro/settings/mcp.json", "mcpServers", in_project=True),
    ServerList("amazon-q", ".aws/amazonq/mcp.json", "mcpServers"),
    ServerList("qwen", ".qwen/settings.json", "mcpServers"),
    ServerList("lm-studio", ".lmstudio/mcp.json", "mcpServers"),
    ServerList("junie", ".junie/mcp/mcp.json", "mcpServers"),
    ServerList("opencode", ".config/opencode/opencode.json", "mcp"),
    ServerList("opencode", "opencode.json", "mcp", in_project=True),
    ServerList("crush", ".config/crush/crush.json", "mcp"),
    ServerList("zed", ".config/zed/settings.json", "context_servers"),
)


class SkillsDirectory(NamedTuple):
    """Where an agent takes skills from: directories with a `SKILL.md` each."""

    client: str
    directory: str
    in_project: bool = False


SKILLS: Final = (
    SkillsDirectory("claude-code", ".claude/skills"),
    SkillsDirectory("claude-code", ".claude/skills", in_project=True),
    SkillsDirectory("codex", ".codex/skills"),
    SkillsDirectory("codex", ".codex/skills", in_project=True),
    SkillsDirectory("gemini", ".gemini/skills"),
    SkillsDirectory("gemini", ".gemini/skills", in_project=True),
    SkillsDirectory("cursor", ".cursor/skills"),
    SkillsDirectory("cursor", ".cursor/skills", in_project=True),
    SkillsDirectory("copilot", ".copilot/skills"),
    SkillsDirectory("copilot", ".github/skills", in_project=True),
    SkillsDirectory("goose", ".config/goose/skills"),
    SkillsDirectory("goose", ".goose/skills", in_project=True),
    SkillsDirectory("hermes", ".hermes/skills"),
    SkillsDirectory("openclaw", ".openclaw/skills"),
    SkillsDirectory("openclaw", ".openclaw/workspace/skills"),
    SkillsDirectory("opencode", ".config/opencode/skill"),
    SkillsDirectory("opencode", ".opencode/skill", in_project=True),
    SkillsDirectory("", ".agents/skills"),
    SkillsDirectory("", ".agents/skills", in_project=True),
)
"""Without a client: several agents read them."""
