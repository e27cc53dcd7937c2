"""Looks for labelled data on its way out: in what is published, and in calls that reach out of the machine.

A label is no secret, so nothing is said of it while it stays here: in files, in results, in memory, in local commands.
Which labels are looked for is up to configuration; where it names none, nothing is loaded and nothing is looked at.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.detect.destinations import targets
from guardhouse.detect.exfil import reaches_out
from guardhouse.detect.interface import Detector, Scene
from guardhouse.detect.secret_use import MOST_REPORTED
from guardhouse.model import Effect, Finding, OutputPublish, ReasonCode, Severity, Span
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guardhouse.detect.interface import Leaf, Mask
    from guardhouse.detect.sensitivity import LabelScanner
    from guardhouse.trust import ToolProfile

_ID: Final = "sensitivity"

IN_OUTPUT: Final = ReasonCode(
    id="label.in_output",
    title="The output holds data that is not for every reader",
    severity=Severity.MEDIUM,
    why="Your configuration says of this label what happens when it is published.",
    instead="Say it without this detail, or let the user look it up.",
    example=(
        'With `labels: {output: {card: redact}}`: {"type":"OutputPublish","content":"Charged to 4111 1111 1111 1111"}'
    ),
    masks=True,
    on=("OutputPublish",),
    about="text",
)
OUTBOUND: Final = ReasonCode(
    id="label.outbound",
    title="The call would send data that is not for everybody",
    severity=Severity.MEDIUM,
    why="Your configuration says of this label what happens when it leaves the machine.",
    instead="Leave this detail out of the call, or ask the user.",
    example=(
        "With api.example.com allowed and `labels: {egress: {card: require_approval}}`:"
        ' {"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://api.example.com/?c=4111111111111111"}}'
    ),
    masks=True,
    on=("ToolCallPre", "SkillRunPre"),
    about="host",
)
LARGEST_NUMBER: Final = 10**19
"""Beyond it, nothing that has a label is written as a number."""
_OF_HOSTS: Final = frozenset({"internal_host", "internal_address"})


def _find(scene: Scene) -> Iterator[Finding]:
    labels = scene.settings.labels
    if labels is None:
        return
    if isinstance(scene.action, OutputPublish):
        yield from _labelled(scene, labels, IN_OUTPUT, _texts(scene, scene.leaves))
    elif scene.tool is not None and labels.egress:
        leaves, hosts = _sent(scene, scene.tool)
        if not leaves:
            return
        # The one host that a call goes to knows its own name. Of two, one would learn of the other.
        told = next(iter(hosts)) if len(hosts) == 1 else None
        yield from _labelled(scene, labels, OUTBOUND, _texts(scene, leaves), told)


def _sent(scene: Scene, tool: ToolProfile) -> tuple[Sequence[Leaf], frozenset[str | None]]:
    """The strings of a call that may leave the machine, and the hosts that it goes to; None for one nobody knows."""
    if reaches_out(scene):
        found = targets(scene)
        return scene.leaves, frozenset(one.destination.host if one.destination is not None else None for one in found)
    if Capability.EXECUTES in tool.capabilities:
        from guardhouse.detect.commands.looking import reached  # large, and only for calls that run something
        from guardhouse.detect.commands.reading import commands_of

        hosts = reached(scene)
        return commands_of(scene) if hosts else (), hosts
    return (), frozenset()


class _Text(NamedTuple):
    """Something to look at: a string of the action, or all of its numbers."""

    where: Leaf | str
    """The string; of numbers, the field that they are all in."""
    text: str


def _texts(scene: Scene, leaves: Sequence[Leaf]) -> list[_Text]:
    """The strings, and the numbers of the same action if it says any: a card may be one."""
    texts = [_Text(leaf, leaf.text) for leaf in leaves]
    numbers = "\n".join(map(str, _numbers(scene.body[1])))
    return [*texts, _Text(scene.body[0], numbers)] if numbers else texts


def _numbers(value: Any) -> Iterator[int]:
    if type(value) is int and 0 < value < LARGEST_NUMBER:
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def _labelled(
    scene: Scene, scanner: LabelScanner, code: ReasonCode, texts: Sequence[_Text], told: str | None = None
) -> Iterator[Finding]:
    """Each label has its own share of what is reported, so that many of one can't hide another."""
    labels = scanner.egress if code is OUTBOUND else scanner.output
    share = max(1, MOST_REPORTED // max(1, len(labels)))
    for label in labels:
        known = told if label in _OF_HOSTS else None
        for span in islice(_spans(scanner, label, texts, known), share):
            yield Finding(
                code=code.id,
                detector=_ID,
                severity=code.severity,
                span=span,
                origin=scene.origin,
                effect=Effect.SENDS if code is OUTBOUND else None,
                detail=label,
            )


def _spans(scanner: LabelScanner, label: str, texts: Sequence[_Text], known: str | None) -> Iterator[Span]:
    for where, text in texts:
        for start, end in scanner.spans(label, text):
            if known is None or text[start:end].lower() != known:
                yield Span(where) if isinstance(where, str) else Span(where.field, start, end)


def _masks(scene: Scene, wanted: Iterable[tuple[str, str]]) -> Iterator[Mask]:
    """One mask for all the labels that are to be masked: what one of them leaves may be another's."""
    labels = sorted({label for _code, label in wanted})
    if labels and scene.settings.labels is not None:
        yield scene.settings.labels.mask(labels)


DETECTOR: Final = Detector(id=_ID, codes=(IN_OUTPUT, OUTBOUND), find=_find, masks=_masks)
