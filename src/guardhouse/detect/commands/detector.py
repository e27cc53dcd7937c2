"""The command detector's row in the table. What looks at commands is large, and loaded for a call that may run one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.commands.codes import CODES
from guardhouse.detect.interface import Detector, Scene
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.model import Finding, Need


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is not None and profile.may(Capability.EXECUTES):
        from guardhouse.detect.commands.looking import find

        yield from find(scene, profile)


def _needs(scene: Scene) -> None:
    profile = scene.tool
    if profile is not None and Capability.EXECUTES in profile.capabilities:
        from guardhouse.detect.commands.looking import ask

        ask(scene)


def _binds(scene: Scene) -> Iterable[Need]:
    from guardhouse.detect.commands.binding import binds  # only where a person is to approve a command

    return binds(scene)


DETECTOR: Final = Detector(id="commands", codes=CODES, find=_find, needs=_needs, binds=_binds, calls_only=True)
