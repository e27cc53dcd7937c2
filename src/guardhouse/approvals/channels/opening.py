"""Builds the notifiers that a configuration asks for.

A new kind of notifier is a file beside this one with a function that opens it, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from guardhouse.approvals.channels.courier import CourierSettings
from guardhouse.approvals.channels.interface import Notifier, Poster, Setting

if TYPE_CHECKING:
    from guardhouse.policy.schema import GuardSection

_NOTIFIERS: Final = (
    # module here, function that opens it or says None
    ("telegram", "open_telegram"),
    ("webhook", "open_webhook"),
)


def open_notifiers(
    config: GuardSection, environment: Mapping[str, str], open_poster: Callable[[str], Poster]
) -> list[Notifier]:
    """Every notifier that the configuration asks for; GuardhouseError if one of them can't be used.

    `open_poster` gives a way to post to one URL. Nothing is sent or connected yet.
    """
    setting = Setting(config=config, environment=environment, open_poster=open_poster)
    opened = (
        getattr(import_module(f"guardhouse.approvals.channels.{module}"), function)(setting)
        for module, function in _NOTIFIERS
    )
    return [notifier for notifier in opened if notifier is not None]


def courier_settings(config: GuardSection) -> CourierSettings:
    """How the configuration wants cards to be."""
    return CourierSettings(
        public_url=config.server.public_url,
        anonymous=config.approvals.anonymous_sessions,
        use_within=config.approvals.use_within,
    )
