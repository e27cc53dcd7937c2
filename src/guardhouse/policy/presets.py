"""The built-in policy: what each reason code leads to, the floors nobody can lift, and the presets.

Data only. `dev` is for a person at a terminal: reads and project work go through, what leaves the machine must be
allowlisted, and the rest asks. `ci` has nobody to ask, so what would ask is denied. `strict` lets less through: it
denies most of what `dev` asks about, and still asks about commands and about tools that send. `container` is for an
agent in a container that will be thrown away: what happens to that container's own files is its own affair, what leaves
it is not. `read-only` lets an agent look: it may change nothing, and run only programs that look.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from guardhouse.model import Decision, Severity

_ALLOW, _REDACT, _ASK, _DENY = "allow", "redact", "require_approval", "deny"

OUTCOMES: Final[tuple[tuple[str, str, str, str, str, str], ...]] = (
    # reason code, outcome under dev, ci, strict, container, read-only
    ("net.destination", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("path.touched", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("path.work_write", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _DENY),
    ("non_allowlisted_domain", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("private_ip", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("dns_failure", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.missing", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.invalid", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.ambiguous", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.userinfo", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.scheme", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("url.odd_address", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("net.anybodys_host", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("net.anybodys_place", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("tool.unclassified", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.changed", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.hidden_text", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.instructs_model", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.names_others", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.asks_for_secrets", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.looks_like_another", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("tool.consequential", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.untrusted_destination", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("provenance.untrusted_value", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.unknown_value", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.delegated", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.planted_text", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.private_data", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("provenance.unasked_kind", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.repeated", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("provenance.changing_read", _ASK, _DENY, _ASK, _ASK, _ASK),
    ("provenance.unknown_session", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("trust.label_doubtful", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("skill.unscanned", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("secret.in_content", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("secret.in_params", _ALLOW, _ALLOW, _ASK, _ALLOW, _ALLOW),
    ("secret.in_input", _ALLOW, _ALLOW, _REDACT, _ALLOW, _ALLOW),
    ("exfil.secret_to_unlisted_host", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("exfil.secret_outbound", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.secret_to_unknown_tool", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.encoded_data", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.private_data", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.data_in_host_name", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.upload", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("exfil.upload_to_listed_host", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("label.in_output", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("label.outbound", _ALLOW, _ALLOW, _ALLOW, _ALLOW, _ALLOW),
    ("output.image", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("output.link", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("output.active_content", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("output.terminal_commands", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("output.hidden_text", _REDACT, _REDACT, _REDACT, _REDACT, _REDACT),
    ("path.sensitive_read", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("path.write_outside_project", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("path.system_write", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("path.persistence_write", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("path.unresolvable", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("shell.ask_mode", _ASK, _DENY, _ASK, _ASK, _ASK),
    ("shell.deny_mode", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("shell.not_listed", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("shell.secret_to_unlisted_host", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("shell.deletes_everything", _DENY, _DENY, _DENY, _ASK, _DENY),
    ("shell.deletes_outside_project", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.deletes_project", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.deletes_unknown", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.writes_unknown", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.overwrites_device", _DENY, _DENY, _DENY, _ASK, _DENY),
    ("shell.changes_rights", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.executes_download", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.executes_decoded", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.executes_dynamic", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("shell.executes_variable", _ALLOW, _ALLOW, _ASK, _ALLOW, _ASK),
    ("shell.hidden_execution", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.spawns_shell", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.remote_shell", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("shell.escalates", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.persists", _ASK, _DENY, _DENY, _ALLOW, _DENY),
    ("shell.discards_work", _ASK, _DENY, _ASK, _ASK, _DENY),
    ("shell.mutates_service", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.reads_secret", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.sends_secret", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("shell.sends_file", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.unknown_host", _ASK, _DENY, _DENY, _ASK, _ASK),
    ("shell.listens", _ALLOW, _ALLOW, _ASK, _ALLOW, _DENY),
    ("shell.scans_network", _ALLOW, _DENY, _DENY, _ALLOW, _DENY),
    ("sql.destructive", _ASK, _DENY, _DENY, _ASK, _DENY),
    ("shell.unanalysable", _ASK, _DENY, _ASK, _ASK, _ASK),
    ("sandbox.required", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("run.may_have_run", _ASK, _DENY, _ASK, _ASK, _ASK),
    ("action.too_many_targets", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("guard.own_files", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("guard.hook_settings", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("guard.own_command", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("guard.own_socket", _DENY, _DENY, _DENY, _DENY, _DENY),
    ("guard.detector_failed", _ASK, _DENY, _DENY, _ASK, _ASK),
)

LABELS: Final[tuple[tuple[str, str, str, str], ...]] = (
    # preset, where it leaves, label, outcome; what is not here is allowed
    ("strict", "output", "card", _REDACT),
    ("strict", "output", "iban", _REDACT),
    ("strict", "egress", "card", _ASK),
    ("strict", "egress", "iban", _ASK),
    ("strict", "egress", "cloud_account", _ASK),
    ("strict", "egress", "internal_host", _ASK),
)
"""What labels lead to. A preset names single labels only, so whoever wants another outcome names them, too."""

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
    "guard.own_socket": Decision.DENY,
    "run.may_have_run": Decision.REQUIRE_APPROVAL,
    "skill.unscanned": Decision.REQUIRE_APPROVAL,
    "guard.detector_failed": Decision.REQUIRE_APPROVAL,
}
"""The least each of these leads to, whatever rules, waivers or observe mode say."""

CONTAINED: Final[tuple[tuple[str, Literal["anywhere", "elsewhere", "not here"], str], ...]] = (
    # code, where (of a finding without a path, `elsewhere` is not known to be so), what makes it so in the sandbox
    ("path.sensitive_read", "elsewhere", "it is not there"),
    ("path.write_outside_project", "elsewhere", "it can't be written to, or is the sandbox's own"),
    ("path.system_write", "elsewhere", "it can't be written to"),
    ("path.persistence_write", "elsewhere", "it can't be written to, or is the sandbox's own"),
    ("path.unresolvable", "anywhere", "only what is mounted can be reached, wherever it leads"),
    ("shell.reads_secret", "elsewhere", "it is not there"),
    ("shell.deletes_outside_project", "elsewhere", "it can't be written to, or is the sandbox's own"),
    ("shell.writes_unknown", "anywhere", "outside the project nothing can be written to"),
    ("shell.changes_rights", "not here", "it can't be written to, or is the sandbox's own"),
    ("shell.executes_dynamic", "anywhere", "unknown code reaches no more than known code"),
    ("shell.hidden_execution", "anywhere", "unknown code reaches no more than known code"),
    ("shell.spawns_shell", "anywhere", "nobody outside can be connected to it"),
    ("shell.escalates", "not here", "there are no rights to be had"),
    ("shell.persists", "anywhere", "what starts things later can't be written to"),
    ("shell.unknown_host", "anywhere", "the proxy sees which host it is"),
    ("shell.unanalysable", "anywhere", "unknown code reaches no more than known code"),
)
"""Questions that the sandbox answers: what a person would be asked about can't happen there. Not a question about what
can: losing work in the project, sending something to a host that is allowed, code that was downloaded or decoded."""

PRESETS: Final = ("dev", "ci", "strict", "container", "read-only")

LOOKERS: Final = (
    "basename", "cat", "cmp", "comm", "cut", "date", "df", "diff", "dirname", "du", "echo", "egrep", "fgrep", "file",
    "git blame", "git branch --list", "git diff", "git log", "git ls-files", "git rev-parse", "git show",
    "git status", "grep", "head", "id", "jq", "ls", "md5sum", "nl", "od", "printf", "ps", "pwd", "readlink", "realpath",
    "rg", "sha1sum", "sha256sum", "stat", "tail", "test", "tr", "tree", "true", "type", "uname", "wc", "which",
)  # fmt: skip
"""Programs that look, for `commands.programs` of the preset `read-only`."""


def preset_layer(preset: str) -> dict[str, Any]:
    """The whole built-in configuration of a preset, below `guard`."""
    column = PRESETS.index(preset) + 1
    return {
        "enabled": True,
        "mode": "enforce",
        "preset": preset,
        "bash": "listed" if preset == "read-only" else "effects",
        "commands": {
            "loopback": preset in {"dev", "ci", "container"},
            "programs": list(LOOKERS) if preset == "read-only" else [],
        },
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
        "labels": {
            side: {label: outcome for of, where, label, outcome in LABELS if (of, where) == (preset, side)}
            for side in ("output", "egress")
        },
        "findings": {row[0]: row[column] for row in OUTCOMES},
    }
