"""The detector table, and running it: every detector looks at the scene, and one that breaks leaves a finding.

Third-party detectors are passed in by name in the program that builds the guard; nothing is ever loaded by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect import (
    commands,
    destinations,
    exfil,
    labels,
    output,
    paths,
    provenance,
    repeating,
    sandboxing,
    secret_use,
    sensitive_data,
    smuggling,
    tools,
)
from guardhouse.model import Effect, FileDigestOf, Finding, PathClass, ReasonCode, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guardhouse.detect.interface import Detector, Mask, Scene
    from guardhouse.model import Need

DETECTORS: Final[tuple[Detector, ...]] = (
    tools.DETECTOR,
    secret_use.DETECTOR,
    destinations.DETECTOR,
    destinations.OWN_DETECTOR,
    paths.DETECTOR,
    commands.DETECTOR,
    sandboxing.DETECTOR,
    repeating.DETECTOR,
    exfil.DETECTOR,
    provenance.DETECTOR,
    labels.DETECTOR,
    sensitive_data.DETECTOR,
    smuggling.DETECTOR,
    output.DETECTOR,
)
"""Every detector of the house, in the order in which they look."""

FAILED: Final = ReasonCode(
    id="guard.detector_failed",
    title="A part of the guard failed while looking at this",
    severity=Severity.HIGH,
    why="What could not be looked at could be anything.",
    instead="Try a simpler call; the user can report the failure.",
    example="A detector raised an exception; the text of the finding names the detector and the kind of error.",
    about="text",
)

MOST_FINDINGS: Final = 20_000
"""The budget of one detector on one action: beyond it, it has failed."""


def needs(scene: Scene, extra: tuple[Detector, ...] = ()) -> tuple[Need, ...]:
    """What must be known of the world before `inspect` can see everything; cheaper than finding out by inspecting."""
    for detector in _asked(scene, extra):
        if detector.needs is not None:
            try:
                detector.needs(scene)
            except Exception as error:  # noqa: BLE001 - whatever it is, it must become a finding
                _failed(scene, detector, error)
    return scene.unanswered if scene.needed else ()


def inspect(scene: Scene, extra: tuple[Detector, ...] = (), *, last: bool = False) -> tuple[Finding, ...]:
    """Everything all detectors saw. A detector that fails is a finding, never a gap.

    If `scene.unanswered` is not empty afterwards, something is still missing and this must be asked again; the `last`
    time, what is missing counts as a failure.
    """
    found: list[Finding] = []
    for detector in _asked(scene, extra):
        try:
            _look(detector, found, scene)
        except Exception as error:  # noqa: BLE001 - as above
            _failed(scene, detector, error)
    if last and scene.unanswered:
        scene.failures["questions"] = "too many"
    if not found and not scene.failures:
        return ()
    found += [
        Finding(code=FAILED.id, detector=name, severity=FAILED.severity, detail=f"{name}: {error}")
        for name, error in scene.failures.items()
    ]
    return tuple(found)


_MOST_READ: Final = 32
"""Files of one call that are read to know what they hold; of the others it is known whether they were written."""


def bindings(scene: Scene, findings: tuple[Finding, ...], extra: tuple[Detector, ...] = ()) -> tuple[Need, ...]:
    """What a person's approval of this action is to depend on: the files it is about must stay as they are."""
    wanted: dict[Need, None] = {}
    for detector in _asked(scene, extra):
        if detector.binds is not None:
            wanted.update(dict.fromkeys(detector.binds(scene)))
    wanted.update((FileDigestOf(finding.path), None) for finding in findings if finding.path)
    return tuple(
        FileDigestOf(need.path, brief=True) if isinstance(need, FileDigestOf) and number >= _MOST_READ else need
        for number, need in enumerate(wanted)
    )


def masks(scene: Scene, wanted: Sequence[tuple[str, str]]) -> Iterator[Mask]:
    """What takes out of a text what was found, given the codes of what is to be masked and their details."""
    for detector in DETECTORS:
        if detector.masks is not None:
            codes = {code.id for code in detector.codes}
            yield from detector.masks(scene, [one for one in wanted if one[0] in codes])


_TAKES: Final = frozenset({Effect.DELETES, Effect.OVERWRITES})
_IN_THE_TREE: Final = ("uncommitted ", "local changes ", "files that ", "files with ", "a file is ")
"""How the table of commands begins to say that files here are lost, and not commits, or something on a server."""


def at_stake(scene: Scene, findings: tuple[Finding, ...]) -> dict[str, Effect]:
    """The paths where something would be lost, and by what effect; the gravest first. What version control would
    discard is lost in the working directory."""
    found: dict[str, Effect] = {}
    for finding in sorted(findings, key=lambda finding: finding.severity, reverse=True):
        effect, path = finding.effect, finding.path
        if effect is Effect.DISCARDS and finding.detail.startswith(_IN_THE_TREE):
            found.setdefault(paths.tidy(paths.working_directory(scene)), effect)
        elif effect in _TAKES and path is not None and not _is_harmless(finding):
            # What is deleted is the link; what is overwritten is where it leads.
            real = scene.facts.real_paths.get(path) if effect is Effect.OVERWRITES else None
            found[real.path if real is not None and real.path else path] = effect
    return found


def _is_harmless(finding: Finding) -> bool:
    """`/dev/null` and its like."""
    return finding.path is not None and finding.path.startswith("/dev/") and finding.path_class is not PathClass.DEVICE


def _look(detector: Detector, found: list[Finding], scene: Scene) -> None:
    """What it sees is kept as it comes, so that what was seen before a failure still counts."""
    for number, finding in enumerate(detector.find(scene)):
        if not isinstance(finding, Finding):
            raise TypeError("a detector gives findings and nothing else")
        if number >= MOST_FINDINGS:
            raise OverflowError("a detector found more than anybody can read")
        found.append(finding)


def _asked(scene: Scene, extra: tuple[Detector, ...]) -> Sequence[Detector]:
    """The detectors that look at this scene."""
    if not extra and not scene.settings.switched_off:
        return DETECTORS if scene.tool is not None else _OF_ANYTHING
    return [
        detector
        for detector in (*DETECTORS, *extra)
        if (detector.stays or detector.id not in scene.settings.switched_off)
        and (scene.tool is not None or not detector.calls_only)
    ]


_OF_ANYTHING: Final = tuple(detector for detector in DETECTORS if not detector.calls_only)


def _failed(scene: Scene, detector: Detector, error: Exception) -> None:
    """A detector's failure is kept, without the message, which could quote what it was looking at."""
    scene.failures[detector.id] = type(error).__name__
