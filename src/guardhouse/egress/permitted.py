"""The destination rules of one call that the gate let through, for whoever makes the connection.

The gate has judged the call as a whole; the connection is held to the same lists once more, and its addresses always.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.net import NetworkRules

if TYPE_CHECKING:
    from guardhouse.net.destination import Destination
    from guardhouse.policy import Policy

_UNLISTED: Final = "non_allowlisted_domain"


def rules_for(policy: Policy, tool: str, destination: Destination) -> NetworkRules:
    """The rules of `tool` for one destination that the gate let through.

    Where the policy lets a host pass that is not listed, because a person approved it or because it only observes, that
    host is added for this one call, and no redirect is followed. Addresses are judged all the same.
    """
    rules = policy.settings.network_for(tool)
    if not _may_pass_unlisted(policy):
        return rules
    refusal = rules.judge(destination, None)
    if refusal is None or refusal.code != _UNLISTED:
        return rules
    host = f"[{destination.host}]" if ":" in destination.host else destination.host
    alone = msgspec.structs.replace(
        rules.settings, allowed_domains=(f"{host}:{destination.port}",), allowed_url_prefixes=(), follow_redirects=False
    )
    return NetworkRules(alone)


def _may_pass_unlisted(policy: Policy) -> bool:
    config = policy.config
    return (
        not config.enabled
        or config.mode == "observe"
        or config.findings.get(_UNLISTED, "deny") != "deny"
        or any(fnmatchcase(_UNLISTED, code) for rule in config.rules for code in rule.waives)
    )
