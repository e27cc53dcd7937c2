"""What configuration says of sensitivity labels: which outcome each has, and whether all of it makes sense.

Loaded only where a label is named, because it brings the table of labels with it.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.sensitive_data import IN_OUTPUT, OUTBOUND
from guardhouse.detect.sensitivity import (
    GROUP_OF,
    Group,
    LabelMask,
    LabelScanner,
    OwnLabel,
    check_private,
    own_pattern,
)
from guardhouse.model import Decision, GuardhouseError
from guardhouse.policy.tightness import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from guardhouse.policy.schema import LabelsSection

ANY: Final = "*"
_GROUPS: Final = frozenset(group.value for group in Group)


def outcome_of(name: str, named: Mapping[str, str], groups: Mapping[str, str]) -> str:
    """What a label, a group or `*` leads to: its own outcome, else that of its group, else that of `*`."""
    return named.get(name) or named.get(groups.get(name, "")) or named.get(ANY) or "allow"


def groups_of(patterns: list[Mapping[str, Any]]) -> dict[str, str]:
    """Every label with its group; `patterns` are those of configuration's own, as data."""
    built_in = {label: group.value for label, group in GROUP_OF.items()}
    return {**{one["id"]: one.get("group", Group.BUSINESS.value) for one in patterns}, **built_in}


def touched_by(name: str, locked: Iterable[str]) -> Iterator[str]:
    """Every other key that may share a label with the key `name`: setting one may change what the other one meant.

    `locked` are keys that matter; one that is not built in may be in any group.
    """
    groups = {label: frozenset({group.value}) for label, group in GROUP_OF.items()}
    groups = {**{label: _GROUPS for label in locked if label not in _GROUPS}, **groups}
    if name == ANY:
        yield from (*groups, *_GROUPS)
    elif name in _GROUPS:
        yield from (label for label, within in groups.items() if name in within)
    else:
        yield from groups.get(name, _GROUPS)


def mask_of_all(section: LabelsSection) -> LabelMask:
    """What masks the data of every label there is, whatever they lead to."""
    own = [OwnLabel(id=one.id, group=Group(one.group), pattern=one.pattern) for one in section.patterns]
    every = [*GROUP_OF, *(one.id for one in own)]
    return LabelScanner(every, (), own, section.private).mask(every)


def compile_labels(
    section: LabelsSection, problem: Callable[[tuple[str | int, ...], str, str], str]
) -> tuple[LabelScanner | None, dict[tuple[str, str], Decision], list[str]]:
    """What looks for labels, what each leads to by code and label, and what is wrong."""
    problems = list(_problems(section, problem))
    if problems:
        return None, {}, problems
    own = [OwnLabel(id=one.id, group=Group(one.group), pattern=one.pattern) for one in section.patterns]
    groups = groups_of([{"id": one.id, "group": one.group} for one in section.patterns])
    outcomes = {
        (code.id, label): EFFECTS[outcome]
        for code, named in ((IN_OUTPUT, section.output), (OUTBOUND, section.egress))
        for label in groups
        if (outcome := outcome_of(label, named, groups)) != "allow"
    }
    wanted = {side.id: {label for code, label in outcomes if code == side.id} for side in (IN_OUTPUT, OUTBOUND)}
    if not outcomes:
        return None, {}, []
    return LabelScanner(wanted[IN_OUTPUT.id], wanted[OUTBOUND.id], own, section.private), outcomes, []


def _problems(section: LabelsSection, problem: Callable[[tuple[str | int, ...], str, str], str]) -> Iterator[str]:
    known = dict.fromkeys(GROUP_OF)
    for index, one in enumerate(section.patterns):
        if one.id in known or one.id in _GROUPS:
            yield problem(("labels", "patterns", index, "id"), f"`{one.id}` is there already.", "Rename it.")
        known[one.id] = None
        try:
            own_pattern(OwnLabel(id=one.id, group=Group(one.group), pattern=one.pattern))
        except GuardhouseError as error:
            yield problem(("labels", "patterns", index, "pattern"), error.what, error.fix)
    for index, text in enumerate(section.private):
        try:
            check_private(text)
        except GuardhouseError as error:
            yield problem(("labels", "private", index), error.what, error.fix)
    for side, named in (("output", section.output), ("egress", section.egress)):
        for name in named:
            if name not in known and name not in _GROUPS and name != ANY:
                close = get_close_matches(name, [*known, *sorted(_GROUPS)], n=1)
                fix = f"Did you mean `{close[0]}`?" if close else f"Known: {', '.join([*known, *sorted(_GROUPS)])}, *."
                yield problem(("labels", side, name), "is no label.", fix)
