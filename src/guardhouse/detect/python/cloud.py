"""Clients of a cloud's services: their methods are many, but what one does is in how its name begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import Scope, Source
from guardhouse.detect.python.arguments import TELLING, argument
from guardhouse.detect.python.known import CLOUD, CLOUD_CLIENT
from guardhouse.detect.python.values import NOTHING, NOWHERE, Made, Value, text_of
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardhouse.detect.python.deeds import Deeds

_FROM_FILE: Final = frozenset({Source.FILE})


def in_cloud(deeds: Deeds, method: str, owner: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Note what a method does; one that is in no row gives something that has such methods itself."""
    row = next((row for row in CLOUD if method.startswith(tuple(row.starts.split()))), None)
    if row is None:
        bucket = text_of(argument(given, named, 0, "name")) if method == "Bucket" else ""
        return Made(owner.origin, CLOUD_CLIENT, bucket)
    if row.effect is Effect.MUTATES:
        deeds.note(row.effect, method.replace("_", " "), "thing", scope=Scope.CLOUD, what=row.what)
        return NOTHING
    data = argument(given, named, row.at, row.keyword)
    if row.reads:
        deeds.note(Effect.READS, deeds.placed(text_of(data)), "path")
    held = owner.text if isinstance(owner, Made) else ""
    bucket = held or text_of(argument(given, named, row.at + 1, "Bucket"))
    origin = (data.origin & TELLING) | (_FROM_FILE if row.reads else NOWHERE)
    deeds.note(row.effect, f"s3://{bucket}", "url", origin)
    return NOTHING
