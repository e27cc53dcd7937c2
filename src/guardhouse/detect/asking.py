"""What a cause that asks is about, as a place that a person can say yes to for more than once.

Only what is one place: a path, a host, or who is written to. What has none can be granted for exactly the same action,
and no other. What a finding leads to is policy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.provenance import addressed
from guardhouse.detect.tools import CONSEQUENTIAL

if TYPE_CHECKING:
    from guardhouse.detect.interface import Scene
    from guardhouse.model import Finding

_PLACES_ON_HOSTS: Final = frozenset({"net.anybodys_place"})
"""Codes of which the host alone says too little: others have places there, too."""
_ABOUT_VALUES: Final = "provenance."
"""Codes about where a value comes from. The place of the call is not what asks there."""
_LEADS: Final = " -> "
_LONGEST: Final = 500


def place_of(scene: Scene, finding: Finding | None) -> str:
    """The place that a finding is about, written so that equal means equal; nothing if it has none."""
    if finding is None or finding.code.startswith(_ABOUT_VALUES):
        return ""
    host = _host(finding)
    if finding.path is not None:
        path = _path(scene, finding.path)
        place = f"path {path} to {host}" if path and host else f"path {path}" if path else ""
    elif host:
        place = host
    elif finding.code == CONSEQUENTIAL.id:
        place = addressed(scene)
    else:
        place = ""
    return place if len(place) <= _LONGEST else ""


def _path(scene: Scene, path: str) -> str:
    """A path, with where it leads; nothing if that is not known, because it may lead elsewhere the next time."""
    known = scene.facts.real_paths
    if path not in known:
        return path if any(real.path == path for real in known.values()) else ""
    real = known[path].path
    if real == path or not real:
        return real
    return "" if _LEADS in path + real else f"{path}{_LEADS}{real}"


def _host(finding: Finding) -> str:
    if finding.url is not None:
        if finding.code in _PLACES_ON_HOSTS:
            return f"url {finding.url}"
        scheme, _, rest = finding.url.partition("://")
        return f"host {scheme}://{rest.partition('/')[0]}"
    return f"host {finding.host}" if finding.host else ""
