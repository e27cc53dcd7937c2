"""How each key may change where a layer may only tighten: in a project file nobody has trusted, and where an earlier
layer has locked the key.

Every key of the schema is in the table; a test walks both. "Tighter" is judged against what is in force so far.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from guardhouse.model import Decision


class Direction(Enum):
    """Which change of a key can't let more through."""

    TRUE = "only to true"
    FALSE = "only to false"
    LOWER = "only to a lower number"
    FEWER = "only to fewer entries"
    ADDS = "entries are added to those of other layers"
    ADDS_WORDS = "entries are added to those of other layers, by layers that are trusted"
    RESTRICTING = "rules that deny, ask or mask secrets are added, without `when`; allow rules are not"
    STRICTER = "only to a stricter value"
    PRESET = "only what the preset tightens is taken from it"
    OWNER = "set by the system or the user only"


TIGHTER: Final[tuple[tuple[str, Direction], ...]] = (
    # key (`*` is any one name), what a layer that may only tighten can do with it
    ("enabled", Direction.TRUE),
    ("mode", Direction.STRICTER),
    ("preset", Direction.PRESET),
    ("lock", Direction.OWNER),
    ("bash", Direction.STRICTER),
    ("commands.allowed", Direction.FEWER),
    ("commands.programs", Direction.FEWER),
    ("commands.loopback", Direction.FALSE),
    ("paths.allowed_directories", Direction.FEWER),
    ("paths.sensitive", Direction.ADDS),
    ("network.*.allowed_domains", Direction.FEWER),
    ("network.*.allowed_url_prefixes", Direction.FEWER),
    ("network.*.deny_private_ips", Direction.TRUE),
    ("network.*.resolve_dns", Direction.TRUE),
    ("network.*.follow_redirects", Direction.FALSE),
    ("network.*.allow_proxy", Direction.FALSE),
    ("network.*.endpoint", Direction.OWNER),
    ("network.*.key_env", Direction.OWNER),
    ("network.*.key_header", Direction.OWNER),
    ("secrets.level", Direction.STRICTER),
    ("secrets.fingerprints", Direction.OWNER),
    ("secrets.patterns", Direction.ADDS_WORDS),
    ("secrets.kinds.*", Direction.OWNER),
    ("secrets.allowed", Direction.FEWER),
    ("labels.output.*", Direction.STRICTER),
    ("labels.egress.*", Direction.STRICTER),
    ("labels.patterns", Direction.ADDS_WORDS),
    ("labels.private", Direction.ADDS_WORDS),
    ("untrusted.data_marking", Direction.TRUE),
    ("tools.*.capabilities", Direction.OWNER),
    ("tools.*.pinned_to", Direction.OWNER),
    ("tools.*.description", Direction.OWNER),
    ("tools.*.parameters", Direction.OWNER),
    ("tools.*.roles", Direction.OWNER),
    ("tools.*.fields", Direction.OWNER),
    ("own", Direction.OWNER),
    ("detectors.*", Direction.TRUE),
    ("findings.*", Direction.STRICTER),
    ("risk.medium", Direction.LOWER),
    ("risk.high", Direction.LOWER),
    ("risk.critical", Direction.LOWER),
    ("limits.max_bytes", Direction.LOWER),
    ("limits.max_nodes", Direction.LOWER),
    ("approvals.answer_within.low", Direction.OWNER),
    ("approvals.answer_within.medium", Direction.OWNER),
    ("approvals.answer_within.high", Direction.OWNER),
    ("approvals.answer_within.critical", Direction.OWNER),
    ("approvals.use_within", Direction.OWNER),
    ("approvals.unattended", Direction.TRUE),
    ("approvals.terminal", Direction.FALSE),
    ("approvals.anonymous_sessions", Direction.TRUE),
    ("approvals.second_approver", Direction.OWNER),
    ("approvals.people.*", Direction.OWNER),
    ("approvals.longest_grant", Direction.LOWER),
    ("approvals.never_grant", Direction.ADDS),
    ("approvals.pause_after", Direction.OWNER),
    ("approvals.pause", Direction.OWNER),
    ("approvals.telegram.chat_ids", Direction.OWNER),
    ("approvals.telegram.token_file", Direction.OWNER),
    ("approvals.telegram.template", Direction.OWNER),
    ("approvals.telegram.api_url", Direction.OWNER),
    ("approvals.webhook.url", Direction.OWNER),
    ("approvals.webhook.secret_file", Direction.OWNER),
    ("audit.max_file_bytes", Direction.OWNER),
    ("audit.max_age_days", Direction.OWNER),
    ("audit.max_total_bytes", Direction.OWNER),
    ("audit.sinks", Direction.OWNER),
    ("server.host", Direction.OWNER),
    ("server.port", Direction.OWNER),
    ("server.tls_cert", Direction.OWNER),
    ("server.tls_key", Direction.OWNER),
    ("server.plain_http", Direction.OWNER),
    ("server.public_url", Direction.OWNER),
    ("server.requests_per_minute", Direction.OWNER),
    ("server.max_streams", Direction.OWNER),
    ("server.console_idle", Direction.OWNER),
    ("server.console_session", Direction.OWNER),
    ("sandbox.mode", Direction.OWNER),
    ("sandbox.outside", Direction.FEWER),
    ("sandbox.workspace", Direction.STRICTER),
    ("sandbox.readable", Direction.FEWER),
    ("sandbox.writable", Direction.FEWER),
    ("sandbox.shown", Direction.FEWER),
    ("sandbox.environment", Direction.FEWER),
    ("sandbox.unix_sockets", Direction.FALSE),
    ("proxy.connections", Direction.LOWER),
    ("proxy.all_connections", Direction.LOWER),
    ("proxy.head_bytes", Direction.LOWER),
    ("proxy.head_seconds", Direction.LOWER),
    ("proxy.idle_seconds", Direction.LOWER),
    ("proxy.longest_seconds", Direction.LOWER),
    ("proxy.up_bytes", Direction.LOWER),
    ("proxy.down_bytes", Direction.LOWER),
    ("runs.model.name", Direction.OWNER),
    ("runs.model.base_url", Direction.OWNER),
    ("runs.model.key_env", Direction.OWNER),
    ("runs.model.seconds", Direction.OWNER),
    ("runs.model.retries", Direction.OWNER),
    ("runs.tools", Direction.FEWER),
    ("runs.mcp.*.command", Direction.OWNER),
    ("runs.mcp.*.environment", Direction.OWNER),
    ("runs.instructions", Direction.OWNER),
    ("runs.most_steps", Direction.LOWER),
    ("runs.most_tokens", Direction.LOWER),
    ("runs.most_denied", Direction.LOWER),
    ("runs.at_once", Direction.OWNER),
    ("runs.workspaces", Direction.OWNER),
    ("runs.keep_days", Direction.OWNER),
    ("mcp.servers.*.command", Direction.OWNER),
    ("mcp.servers.*.environment", Direction.OWNER),
    ("mcp.servers.*.url", Direction.OWNER),
    ("mcp.servers.*.headers", Direction.OWNER),
    ("mcp.servers.*.allowed_tools", Direction.OWNER),
    ("mcp.servers.*.denied_tools", Direction.OWNER),
    ("guardian.mode", Direction.OWNER),
    ("guardian.model", Direction.OWNER),
    ("guardian.base_url", Direction.OWNER),
    ("guardian.key_env", Direction.OWNER),
    ("guardian.answer", Direction.OWNER),
    ("guardian.held_to", Direction.OWNER),
    ("guardian.spares", Direction.OWNER),
    ("guardian.watches", Direction.OWNER),
    ("guardian.may_clear", Direction.OWNER),
    ("guardian.on_block", Direction.OWNER),
    ("guardian.on_error", Direction.OWNER),
    ("guardian.context", Direction.OWNER),
    ("guardian.seconds", Direction.OWNER),
    ("guardian.retries", Direction.OWNER),
    ("guardian.allow_proxy", Direction.OWNER),
    ("guardian.prompt_chars", Direction.OWNER),
    ("guardian.session_tokens", Direction.OWNER),
    ("guardian.day_tokens", Direction.OWNER),
    ("guardian.keep_answers", Direction.OWNER),
    ("rules", Direction.RESTRICTING),
)

_ORDERS: Final = {
    "mode": ("observe", "enforce"),
    "bash": ("effects", "listed", "ask", "deny"),
    "secrets.level": ("partial", "full"),
    "sandbox.workspace": ("write", "read"),
    "findings": ("allow", "redact", "require_approval", "deny"),
    "labels": ("allow", "redact", "require_approval", "deny"),
}
_DIRECTIONS: Final = dict(TIGHTER)

EFFECTS: Final = dict(zip(_ORDERS["findings"], Decision, strict=True))
"""What a rule's or a code's `effect` means as a decision."""


def direction(key: tuple[str, ...]) -> Direction:
    """The direction of a leaf key, given without the leading `guard`."""
    exact = _DIRECTIONS.get(".".join(key))
    if exact is not None:
        return exact
    free = 2 if key[0] in {"labels", "secrets", "approvals", "runs", "mcp"} else 1
    return _DIRECTIONS[".".join("*" if index == free else part for index, part in enumerate(key))]


def adds(key: tuple[str, ...]) -> bool:
    """Whether layers add to each other's entries here, instead of replacing them."""
    return direction(key) in {Direction.ADDS, Direction.ADDS_WORDS, Direction.RESTRICTING}


def is_tighter(key: tuple[str, ...], current: Any, proposed: Any, *, by_preset: bool = False) -> bool:
    """Whether a layer that may only tighten can set `key` to `proposed` while it is `current`; with its own words, or
    `by_preset`."""
    match direction(key):
        case Direction.TRUE:
            return proposed is True or current is False
        case Direction.FALSE:
            return proposed is False or current is True
        case Direction.LOWER:
            return bool(proposed <= current)
        case Direction.FEWER:
            return set(proposed) <= set(current) or (key[-1] == "allowed_domains" and "*" in current)
        case Direction.ADDS:
            return True
        case Direction.ADDS_WORDS:
            # What is masked is also masked on the card of the person who is asked.
            return not proposed
        case Direction.RESTRICTING:
            return all(map(_only_restricts, proposed))
        case Direction.STRICTER:
            order = _ORDERS.get(".".join(key)) or _ORDERS[key[0]]
            if key[0] == "labels" and proposed == "redact" != current and not by_preset:
                # What is masked is not on the card, nor in the record; and a masked call is another call.
                return False
            return order.index(proposed) >= order.index(current)
        case Direction.PRESET:
            return True
        case Direction.OWNER:
            return bool(proposed == current)


def _only_restricts(rule: dict[str, Any]) -> bool:
    """A rule that masks what its own expression matches could rewrite a call into another one, so it is left out."""
    rewrites = rule.get("effect") == "redact" and "regex" in rule
    return rule.get("effect") != "allow" and rule.get("when") is None and not rewrites
