"""What a session remembers of an action: the event, the values in it, and the objects that they belong to.

Pure, like the decision it follows. Texts that are kept are masked; values leave here in the clear and are kept as keyed
fingerprints only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect.grading import evidence_of
from guardhouse.detect.labels import is_doubtful
from guardhouse.detect.provenance import (
    call_value,
    creates,
    fetched,
    is_document,
    looks_up,
    makes,
    may_be_led,
    pointed,
    worked_on,
)
from guardhouse.model import (
    TOLD_GONE,
    TOLD_PEOPLE,
    TOLD_SPARED,
    TOLD_THINGS,
    MemoryReadPost,
    NewObject,
    OutputPublish,
    Remembered,
    SkillRunPost,
    ToolCallPost,
    UserInput,
    visible,
)
from guardhouse.trust import EvidenceSource
from guardhouse.trust.ledger import (
    WORKED,
    agreed,
    echoes,
    going_by,
    gone,
    only_made,
    pasted_part,
    proposal,
    read_content,
    read_request,
    request_values,
    spared,
    told_of,
    typed_as_shown,
    whom,
    with_new_id,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.detect import Scene
    from guardhouse.model import NewEvent, Verdict
    from guardhouse.trust.ledger import Reading

_MOST_QUOTED: Final = 48
"""Objects of one event of which the beginning is kept, for people who ask where something came from."""
_LONGEST_QUOTE: Final = 160
_MOST_SHOWN: Final = 20_000
"""Characters of a message of the assistant's that a yes can be about."""


def remember(scene: Scene, verdict: Verdict, event: NewEvent, mask: Callable[[str], str]) -> tuple[Remembered, ...]:
    """What is to be kept of an action that was let through, in order."""
    action = scene.action
    if isinstance(action, UserInput):
        return _message(action, verdict, event, mask)
    if isinstance(action, OutputPublish):
        return (_shown(verdict.content if verdict.content is not None else action.content, event),)
    if isinstance(action, (ToolCallPost, MemoryReadPost, SkillRunPost)):
        content = verdict.content if verdict.content is not None else action.content
        return (_answer(scene, content, event, mask),)
    return (Remembered(event),)


def _message(
    action: UserInput, verdict: Verdict, event: NewEvent, mask: Callable[[str], str]
) -> tuple[Remembered, ...]:
    """A message of the user's. Its words carry authority; what was pasted into it is content like any other."""
    text = verdict.content if isinstance(verdict.content, str) else action.content
    if event.grade != "user":
        return (_content(read_content(text), event),)
    typed = typed_as_shown(str(action.content), text, mask)
    values = tuple((slot, str(value)) for slot, value in request_values(typed))
    said = Remembered(msgspec.structs.replace(event, detail=read_request(typed).kept() or None), values, _told(typed))
    pasted = pasted_part(text, typed)
    if not pasted.strip():
        return (said,)
    beside = msgspec.structs.replace(event, name="pasted", grade="untrusted", excerpt="")
    return (_content(read_content(pasted), beside), said)


def _shown(content: Any, event: NewEvent) -> Remembered:
    """What the assistant showed, so that a yes to it can be understood."""
    text = proposal((content if isinstance(content, str) else msgspec.json.encode(content).decode())[:_MOST_SHOWN])
    text = agreed(text)
    values = tuple(("a", str(value)) for _, value in request_values(text))
    return Remembered(msgspec.structs.replace(event, detail=read_request(text).kept() or None), values, _told(text))


def _told(text: str) -> tuple[NewObject, ...]:
    """What words tell: which things are spoken of, which people, and what is to be left out."""
    return (
        NewObject(TOLD_THINGS, told_of(text)),
        NewObject(TOLD_PEOPLE, tuple(map(going_by, whom(text)))),
        NewObject(TOLD_SPARED, spared(text)),
        NewObject(TOLD_GONE, gone(text)),
    )


def _answer(scene: Scene, content: Any, event: NewEvent, mask: Callable[[str], str]) -> Remembered:
    """What a tool, a memory store or a skill came back with."""
    action = scene.action
    labels, echoed, detail, printed = {}, frozenset[str](), {}, False
    if isinstance(action, MemoryReadPost) and event.grade == "trusted":
        # A model wrote it down, perhaps from a file of the project's: no better than such a file.
        detail["evidence"] = EvidenceSource.PROJECT_SOURCE.value
    if isinstance(action, ToolCallPost):
        said = scene.settings.tools.description(action.tool)
        labels = dict(said.fields) if said is not None else {}
        params = action.params or {}
        printed = not is_document(scene)
        if event.grade == "trusted":
            echoed = echoes(params)
            evidence = evidence_of(scene)
            if evidence.picks_only:
                detail["evidence"] = evidence.source.value
        elif evidence_of(scene).led and not is_doubtful(scene):
            echoed = echoes(params)
            detail["led"] = "1"
        else:
            # A day that was asked for is nobody's news.
            echoed = frozenset(one for one in echoes(params) if one.startswith(("date:", "day:", "weekday:")))
        if makes(scene):
            detail["made"] = "1"
        if pointed(scene):
            detail["pointed"] = "1"
    reading = read_content(content, labels=labels, echoed=echoed, shaped=fetched(scene), printed=printed)
    if "made" in detail and creates(scene):
        reading = with_new_id(reading, echoes(getattr(action, "params", None) or {}))
    if event.grade == "trusted" and not looks_up(scene):
        reading = only_made(reading)
        detail["said_back"] = "1"
    quotes = _quotes(reading, mask) if event.grade == "untrusted" else ()
    remembered = _content(reading, msgspec.structs.replace(event, detail=detail or None), quotes)
    return msgspec.structs.replace(remembered, values=(*_of_call(scene), *remembered.values))


def of_call(scene: Scene, event: NewEvent) -> tuple[Remembered, ...]:
    """What is to be kept of a call whose answer was held back."""
    detail = {"made": "1"} if makes(scene) else None
    values = tuple(_of_call(scene))
    return (Remembered(msgspec.structs.replace(event, detail=detail), values),) if values else ()


def _of_call(scene: Scene) -> Iterator[tuple[str, str]]:
    """What is remembered of the call that an answer belongs to: that it was made, if it did something, and what the
    model wrote into it after untrusted content had come in."""
    action = scene.action
    if not isinstance(action, ToolCallPost):
        return
    if makes(scene):
        yield ("c", call_value(scene))
        yield from ((WORKED, value) for value in worked_on(scene))
    if action.params and may_be_led(scene):
        for seen in written(action.params):
            yield (seen.slot, str(seen.value))


def _content(reading: Reading, event: NewEvent, quotes: tuple[str, ...] = ()) -> Remembered:
    objects = tuple(
        NewObject(one.group, one.words, one.flags, quotes[number] if number < len(quotes) else "")
        for number, one in enumerate(reading.objects)
    )
    values = tuple((seen.slot, str(seen.value)) for seen in reading.seen)
    return Remembered(event, values, objects, cut=reading.cut)


def _quotes(reading: Reading, mask: Callable[[str], str]) -> tuple[str, ...]:
    """The beginning of each of the first objects, masked, in one line."""
    return tuple(
        visible(mask(" ".join(one.quote[: 4 * _LONGEST_QUOTE].split()))[:_LONGEST_QUOTE]) if one.quote else ""
        for one in reading.objects[:_MOST_QUOTED]
    )
