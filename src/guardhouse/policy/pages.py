"""A page for each reason code, in Markdown, made from the catalogue: what it means, why, and what to do."""

from __future__ import annotations

from typing import Final

import msgspec

from guardhouse.model import ReasonCode
from guardhouse.policy.presets import FLOORS, LABELS, OUTCOMES, PRESETS

_OUTCOMES: Final = {code: outcomes for code, *outcomes in OUTCOMES}
_SIDES: Final = {"label.in_output": "output", "label.outbound": "egress"}
"""Codes whose outcome is up to the label that was found."""
REMEDIES: Final = {
    "domain": "`guardhouse allow domain HOST` adds the host to your allowlist.",
    "path": "`guardhouse allow path PATH` allows exactly that file, or work in that directory.",
    "command": "`guardhouse allow command 'COMMAND'` lets exactly that command run without a question.",
    "pin": "`guardhouse pins accept NAME` shows the old and the new description, and takes the new one.",
    "tool": "`guardhouse allow tool NAME --can reads,writes` says what the tool does, so that it no longer asks.",
}


class LeadsTo(msgspec.Struct, frozen=True):
    """What a code leads to."""

    table: tuple[tuple[str, ...], ...] = ()
    """The head of the table, and its rows; nothing if nobody says."""
    changing: str = ""
    """How that can be changed, with code between backticks."""


def leads_to(code: ReasonCode) -> LeadsTo:
    """What a code leads to, by preset or by label."""
    if code.id in _SIDES:
        side = _SIDES[code.id]
        rows = tuple((preset, label, outcome) for preset, where, label, outcome in LABELS if where == side)
        return LeadsTo((("preset", "label", "outcome"), *rows), _by_label(code).rpartition("\n\n")[2])
    if code.id in _OUTCOMES:
        return LeadsTo((tuple(PRESETS), tuple(map(str, _OUTCOMES[code.id]))), _changing(code))
    return LeadsTo()


def reason_page(code: ReasonCode) -> str:
    """The page of one code."""
    parts = [
        f"# `{code.id}`",
        f"**{code.title}.** Severity: {code.severity.value}.",
        "## Why",
        code.why,
    ]
    if code.instead:
        parts += ["## Instead", code.instead]
    if code.id in _SIDES:
        parts += ["## What it leads to", _by_label(code)]
    elif code.id in _OUTCOMES:
        table = ("| {} |".format(" | ".join(cells)) for cells in (PRESETS, ["---"] * len(PRESETS), _OUTCOMES[code.id]))
        parts += ["## What it leads to", "\n".join(table)]
        parts += [_changing(code)]
    if code.remedy:
        parts += ["## To allow it", REMEDIES[code.remedy]]
    example = f"```json\n{code.example}\n```" if code.example.startswith("{") else code.example
    parts += ["## Example", example]
    return "\n\n".join(parts) + "\n"


def _by_label(code: ReasonCode) -> str:
    side = _SIDES[code.id]
    rows = [f"| {preset} | `{label}` | {outcome} |" for preset, where, label, outcome in LABELS if where == side]
    return (
        f"To what `labels.{side}` says of the label. A label that it does not name is allowed, and not looked for;"
        " these are named by presets:\n\n"
        + "\n".join(["| preset | label | outcome |", "| --- | --- | --- |", *rows])
        + f"\n\nWith `findings: {{{code.id}: …}}` all labels that are looked for get stricter, never milder; a rule"
        " that allows and waives this code lets some tools pass."
    )


def _changing(code: ReasonCode) -> str:
    floor = FLOORS.get(code.id)
    if floor is not None:
        return f"This is a floor: it is always at least `{floor.value}`, whatever rules, waivers or observe mode say."
    return f"Change it with `findings: {{{code.id}: …}}` in your configuration, or for some tools with a rule."


def index_page(codes: list[ReasonCode]) -> str:
    """The page that lists all codes."""
    rows = "\n".join(f"| [`{code.id}`]({code.id}.md) | {code.severity.value} | {code.title} |" for code in codes)
    head = "# Reason codes\n\nMade from the code by `make docs`.\n\n| code | severity | meaning |\n|---|---|---|"
    return f"{head}\n{rows}\n"
