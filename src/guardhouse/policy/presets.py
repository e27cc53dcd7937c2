"""The built-in policy: what each reason code leads to, the floors nobody can lift, and the presets.

Data only. `dev` is for a person at a terminal: reads and project work go through, what leaves the machine must be
allowlisted, and the rest asks. `ci` has nobody to ask, so what would ask is denied. `strict` lets less through: it
denies most of what `dev` asks about, and still asks about commands and about tools that send.
"""

from __future__ import annotations

from typing import Any, Final

from guardhouse.model import Decision, Severity

_ALLOW, _REDACT, _ASK, _DENY = "allow", "redact", "require_approval", "deny"

OUTCOMES: Final[tuple[tuple[str, str, str, str], ...]] = (
    # reason code, outcome under dev, ci, strict
    ("net.destination", _ALLOW, _ALLOW, _ALLOW),
    ("path.touched", _ALLOW, _ALLOW, _ALLOW),
    ("non_allowlisted_domain", _DENY, _DENY, _DENY),
    ("private_ip", _DENY, _DENY, _DENY),
    ("dns_failure", _DENY, _DENY, _DENY),
    ("url.missing", _DENY, _DENY, _DENY),
    ("url.invalid", _DENY, _DENY, _DENY),
    ("url.ambiguous", _DENY, _DENY, _DENY),
    ("url.userinfo", _DENY, _DENY, _DENY),
    ("url.scheme", _DENY, _DENY, _DENY),
    ("url.odd_address", _DENY, _DENY, _DENY),
    ("tool.unclassified", _ASK, _DENY, _DENY),
    ("tool.consequential", _ASK, _DENY, _ASK),
    ("skill.unscanned", _ASK, _DENY, _DENY),
    ("secret.in_content", _REDACT, _REDACT, _REDACT),
    ("secret.in_params", _ALLOW, _ALLOW, _ASK),
    ("secret.in_input", _ALLOW, _ALLOW, _REDACT),
    ("exfil.secret_to_unlisted_host", _DENY, _DENY, _DENY),
    ("exfil.secret_outbound", _ASK, _DENY, _DENY),
    ("exfil.secret_to_unknown_tool", _ASK, _DENY, _DENY),
    ("path.sensitive_read", _ASK, _DENY, _DENY),
    ("path.write_outside_project", _ASK, _DENY, _DENY),
    ("path.system_write", _ASK, _DENY, _DENY),
    ("path.persistence_write", _ASK, _DENY, _DENY),
    ("path.unresolvable", _ASK, _DENY, _DENY),
    ("shell.ask_mode", _ASK, _DENY, _ASK),
    ("shell.deny_mode", _DENY, _DENY, _DENY),
    ("shell.secret_to_unlisted_host", _DENY, _DENY, _DENY),
    ("action.too_many_targets", _DENY, _DENY, _DENY),
    ("guard.own_files", _DENY, _DENY, _DENY),
    ("guard.hook_settings", _DENY, _DENY, _DENY),
    ("guard.own_command", _DENY, _DENY, _DENY),
    ("guard.detector_failed", _ASK, _DENY, _DENY),
)

BY_SEVERITY: Final = {
    Severity.INFO: Decision.ALLOW,
    Severity.LOW: Decision.ALLOW,
    Severity.MEDIUM: Decision.REQUIRE_APPROVAL,
    Severity.HIGH: Decision.DENY,
    Severity.CRITICAL: Decision.DENY,
}
"""For codes that are not in the table: what the code's severity leads to."""

FLOORS: Final = {
    "exfil.secret_to_unlisted_host": Decision.DENY,
    "shell.secret_to_unlisted_host": Decision.DENY,
    "action.too_many_targets": Decision.DENY,
    "guard.own_files": Decision.DENY,
    "guard.hook_settings": Decision.DENY,
    "guard.own_command": Decision.DENY,
    "skill.unscanned": Decision.REQUIRE_APPROVAL,
    "guard.detector_failed": Decision.REQUIRE_APPROVAL,
}
"""The least each of these leads to, whatever rules, waivers or observe mode say."""

_COLUMNS: Final = {"dev": 1, "ci": 2, "strict": 3}


def preset_layer(preset: str) -> dict[str, Any]:
    """The whole built-in configuration of a preset, below `guard`."""
    column = _COLUMNS[preset]
    return {
        "enabled": True,
        "mode": "enforce",
        "preset": preset,
        "bash": "ask",
        "network": {
            "default": {
                "allowed_domains": [],
                "allowed_url_prefixes": [],
                "deny_private_ips": True,
                "resolve_dns": True,
                "follow_redirects": False,
                "allow_proxy": False,
            }
        },
        "findings": {row[0]: row[column] for row in OUTCOMES},
    }
