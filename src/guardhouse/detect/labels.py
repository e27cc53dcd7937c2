"""Looks at what trusted tools return: text that came in as untrusted and turns up there puts a tool's label in doubt.

One wrong label switches the ledger off, so no label is believed against the evidence. The finding stops nothing; the
answer is graded untrusted, which is for the decision to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import Finding, Origin, ReasonCode, Severity, Span, ToolCallPost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.model import Occurrence
    from guardhouse.trust.ledger import Sightings

_ID: Final = "labels"
_MOST_ASKED: Final = 150
"""Runs of words and addresses of one answer that are looked up, each in the two forms in which it may be known."""

LABEL_DOUBTFUL: Final = ReasonCode(
    id="trust.label_doubtful",
    title="A tool that counts as trusted returned text that came in as untrusted",
    severity=Severity.LOW,
    why="If anybody's text can come back from this tool, believing it lets planted values pass as the user's own.",
    instead="Its answer counts as untrusted; the user can say so of the tool, with the capability `reads_untrusted`.",
    example="A mail that was read as untrusted, and a tool declared as `reads` that returns five words of it in a row.",
    on=("ToolCallPost",),
    about="text",
)


def _find(scene: Scene) -> Iterator[Finding]:
    action = scene.action
    if not isinstance(action, ToolCallPost):
        return
    from guardhouse.detect.grading import evidence_of, is_labelled_trusted, remembers_untrusted, sightings

    evidence = evidence_of(scene)
    if _ID in scene.settings.switched_off or not remembers_untrusted(scene):
        return
    if scene.facts.traces is None:
        # Asked as soon as the others ask, though it may turn out that the answer is untrusted anyway.
        if is_labelled_trusted(scene):
            scene.traces(_questions(scene, action))
    elif evidence.is_trusted:
        yield from _doubts(scene, action, sightings(scene))


def is_doubtful(scene: Scene) -> bool:
    """Whether an answer has text that came in as untrusted, however the tool is labelled; or that can't be told."""
    from guardhouse.detect.grading import sightings

    action, traces = scene.action, scene.facts.traces
    if not isinstance(action, ToolCallPost) or traces is None or traces.error or _ID in scene.settings.switched_off:
        return True
    return any(_doubts(scene, action, sightings(scene)))


def _doubts(scene: Scene, action: ToolCallPost, seen: Sightings) -> Iterator[Finding]:
    for form in _told(scene, action):
        source = _planted(form, seen)
        if source is not None:
            event = source.event
            yield Finding(
                code=LABEL_DOUBTFUL.id,
                detector=_ID,
                severity=LABEL_DOUBTFUL.severity,
                span=Span(scene.body[0]),
                origin=Origin("tool", event.name, event.call_id),
                detail=f"{action.tool}, {_KINDS.get(form.partition(':')[0], 'a number')}",
            )
            return


_KINDS: Final = {"gram": "a run of words", "email": "an address", "url": "a link"}


def _questions(scene: Scene, action: ToolCallPost) -> list[str]:
    return [one for form in _told(scene, action) for one in (form, form.replace("gram:", "text:", 1))]


def _told(scene: Scene, action: ToolCallPost) -> tuple[str, ...]:
    """What the answer tells that the call did not."""
    from guardhouse.trust.ledger import echoes, telltales

    found: tuple[str, ...] | None = scene.shared.get(_ID)
    if found is None:
        echoed = echoes(action.params or {})
        told = telltales((leaf.text for leaf in scene.leaves), _MOST_ASKED)
        found = scene.shared[_ID] = tuple(form for form in told if form not in echoed)
    return found


def _planted(form: str, seen: Sightings) -> Occurrence | None:
    """Where untrusted content had it, if nobody else did. An address must have stood in prose: everybody's letters and
    the user's own contacts have the same ones in their fields."""
    forms = [form, form.replace("gram:", "text:", 1)]
    if seen.by_user(forms) or seen.is_confirmed(forms) or seen.trusted(forms):
        return None
    foreign = seen.untrusted([form])
    if not form.startswith("gram:"):
        headed = {one.event.seq for one in foreign if not one.slot.startswith("p")}
        foreign = [one for one in foreign if one.event.seq not in headed]
    return foreign[0] if foreign else None


DETECTOR: Final = Detector(
    id=_ID, codes=(LABEL_DOUBTFUL,), find=_find, needs=lambda scene: list(_find(scene)), stays=True
)
