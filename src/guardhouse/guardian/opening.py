"""Puts the judge of a house together: what it may read, what it remembers of its own work, and whom it asks."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from guardhouse.guardian.endpoint import Endpoint
from guardhouse.guardian.judge import Guardian
from guardhouse.guardian.standing import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardhouse.desk import Desk
    from guardhouse.policy.schema import GuardianSection
    from guardhouse.ports import PolicySource, Resolver, TranscribedSessions

_ROOM = "guardian"
"""The name of the key that answers are sealed with."""


def open_guardian(
    policy: PolicySource,
    desk: Desk,
    sessions: TranscribedSessions,
    resolver: Resolver,
    variables: Mapping[str, str] | None = None,
) -> Guardian:
    """The judge that the policy in force names, at a desk. `variables` stand in for this process's environment."""

    @lru_cache(maxsize=4)
    def endpoint(section: GuardianSection) -> Endpoint:
        return Endpoint(section, resolver, variables=os.environ if variables is None else variables)

    def mask(text: str) -> str:
        return policy.current().redactor.text(text)

    return Guardian(
        lambda: policy.current().config.guardian,
        sessions,
        Standing(desk.database, desk.seal(_ROOM)),
        endpoint,
        mask,
    )
