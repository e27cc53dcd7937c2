"""What may be believed: what tools can do, and how content from outside is marked."""

from guardhouse.trust.capabilities import (
    KNOWN_TOOLS,
    MCP_READS,
    Capability,
    ToolCatalogue,
    ToolDescription,
    ToolProfile,
    tool_name,
)
from guardhouse.trust.prose import is_data, is_name
from guardhouse.trust.untrusted import (
    NONCE_BYTES,
    NotWrapped,
    Untrusted,
    explain_markers,
    is_wrapped_untrusted,
    unwrap_untrusted,
    wrap_untrusted,
)

__all__ = [
    "KNOWN_TOOLS",
    "MCP_READS",
    "NONCE_BYTES",
    "Capability",
    "NotWrapped",
    "ToolCatalogue",
    "ToolDescription",
    "ToolProfile",
    "Untrusted",
    "explain_markers",
    "is_data",
    "is_name",
    "is_wrapped_untrusted",
    "tool_name",
    "unwrap_untrusted",
    "wrap_untrusted",
]
