"""What may be believed: what tools can do, and how content from outside is marked."""

from guardhouse.trust.capabilities import (
    KNOWN_TOOLS,
    MCP_READS,
    Announcement,
    Capability,
    ToolCatalogue,
    ToolDescription,
    ToolProfile,
    tool_name,
)
from guardhouse.trust.evidence import (
    OUTSIDE,
    Evidence,
    EvidenceSource,
    is_untrusted_source_tool,
    should_trust_content,
)
from guardhouse.trust.prose import is_data, is_name
from guardhouse.trust.untrusted import (
    NONCE_BYTES,
    NotWrapped,
    Untrusted,
    explain_markers,
    is_wrapped_untrusted,
    read_wrapped,
    unwrap_untrusted,
    wrap_untrusted,
)

__all__ = [
    "KNOWN_TOOLS",
    "MCP_READS",
    "NONCE_BYTES",
    "OUTSIDE",
    "Announcement",
    "Capability",
    "Evidence",
    "EvidenceSource",
    "NotWrapped",
    "ToolCatalogue",
    "ToolDescription",
    "ToolProfile",
    "Untrusted",
    "explain_markers",
    "is_data",
    "is_name",
    "is_untrusted_source_tool",
    "is_wrapped_untrusted",
    "read_wrapped",
    "should_trust_content",
    "tool_name",
    "unwrap_untrusted",
    "wrap_untrusted",
]
