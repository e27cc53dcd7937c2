"""Looks at where the arguments of a consequential call come from, and whether its kind is what the user asked for.

The session says what the user's words were and what untrusted content has come in; the ledger compares. Before anything
untrusted has been read, nothing can have been planted, so only what nobody asked for is a finding. After that, every
argument must be the user's, trusted, or follow from such, by its role. What a finding leads to is policy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from guardhouse.detect.interface import Detector, Scene
from guardhouse.model import Finding, Origin, ReasonCode, Severity, Span, ToolCallPost, ToolCallPre
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.model import SessionState, Traces
    from guardhouse.trust.ledger import Argument, Request, Shape, Traced

_ID: Final = "provenance"
_TRACED: Final = "provenance.traced"
_DOUBTED: Final = "provenance.doubted"
_ASKED: Final = "provenance.asked"
_REQUESTS: Final = "provenance.requests"
_ASK: Final = "Show the user what would be done and where it comes from, and go on with what they asked for."


def _code(
    name: str, title: str, why: str, instead: str, example: str, severity: Severity = Severity.MEDIUM
) -> ReasonCode:
    return ReasonCode(
        id=f"provenance.{name}", title=title, severity=severity, why=why, instead=instead, example=example,
        on=("ToolCallPre",), about="text",
    )  # fmt: skip


UNTRUSTED_DESTINATION: Final = _code(
    "untrusted_destination",
    "Who or what this goes to comes from content that anybody may have written",
    "Whoever planted an address there gets what is sent, paid or shared.",
    "Use a recipient that the user named, or ask the user for it.",
    "A mail to an address that stands only in a web page.",
    Severity.HIGH,
)
UNTRUSTED_VALUE: Final = _code(
    "untrusted_value",
    "A value comes from content that anybody may have written",
    "What was planted there decides what is done.",
    _ASK,
    "A file is deleted by an id that only an incoming mail names.",
)
UNKNOWN_VALUE: Final = _code(
    "unknown_value",
    "A value comes neither from the user nor from anything that was read",
    "After untrusted content was read, a value that nobody gave may be put together from what was planted.",
    "Use a value that the user gave, or look it up first.",
    "A payment to an account number that stands nowhere.",
)
DELEGATED: Final = _code(
    "delegated",
    "A value comes from a source that the user pointed at",
    "The user said where to look, not what stands there, and others may have written it.",
    _ASK,
    "“Adjust my rent as the letter says”: the amount stands in the letter.",
)
PLANTED_TEXT: Final = _code(
    "planted_text",
    "Others would read text, a link or an address that untrusted content supplied",
    "Planted text reaches people under the user's name.",
    "Say it in your own words, and leave out links and addresses that the user did not name.",
    "A sentence with a link, copied from a review into a message to a colleague.",
)
PRIVATE_DATA: Final = _code(
    "private_data",
    "Private data would go to others, and the user did not speak of it",
    "The user named the destination for something else.",
    "Leave the data out, or ask the user whether it may be sent.",
    "A passport number from the user's profile in a mail about a hotel.",
    Severity.HIGH,
)
UNASKED_KIND: Final = _code(
    "unasked_kind",
    "Nothing that the user said asks for this kind of action",
    "What the user did not ask for may be what somebody else did.",
    "Go on with what the user asked for; propose this to them if it is needed.",
    "A payment in a session in which the user asked for a summary.",
)
REPEATED: Final = _code(
    "repeated",
    "The same call was made before in this session",
    "What was asked for once is done twice.",
    "Do not repeat it unless the user asks for it.",
    "The same transfer a second time.",
)
CHANGING_READ: Final = _code(
    "changing_read",
    "This look-up changes what it reads, and nobody asked for it",
    "What was unread is marked as read, and its owner may never see it.",
    "Look it up in a way that changes nothing, or ask the user.",
    "A tool that returns unread messages and marks them as read, in a session about something else.",
)
UNKNOWN_SESSION: Final = _code(
    "unknown_session",
    "Where the values of this call come from can't be told",
    "The session's memory could not be read, so a planted value would not be noticed.",
    "Try again; the user can look at the guard's state directory.",
    "A consequential call while the store of sessions is damaged.",
    Severity.HIGH,
)

CODES: Final = (
    UNTRUSTED_DESTINATION,
    UNTRUSTED_VALUE,
    UNKNOWN_VALUE,
    DELEGATED,
    PLANTED_TEXT,
    PRIVATE_DATA,
    UNASKED_KIND,
    REPEATED,
    CHANGING_READ,
    UNKNOWN_SESSION,
)

_CONSEQUENTIAL: Final = (
    Capability.WRITES,
    Capability.DESTRUCTIVE,
    Capability.EXECUTES,
    Capability.EGRESS,
    Capability.SENDS,
    Capability.SPENDS,
)


_LOOKING: Final = (
    Capability.READS,
    Capability.READS_PRIVATE,
    Capability.READS_UNTRUSTED,
    Capability.EXECUTES,
    Capability.EGRESS,
)
GRANTABLE: Final = frozenset(
    {UNTRUSTED_DESTINATION.id, UNTRUSTED_VALUE.id, UNKNOWN_VALUE.id, DELEGATED.id, UNASKED_KIND.id}
)
"""What a person can say yes to for the rest of a run, value by value."""


MOST_SUPPLIED: Final = 64
"""Values of a call whose origin is told to a person; no others can be granted."""


def traced_values(scene: Scene) -> list[Traced]:
    """Where the values of a call come from, if that was looked at."""
    traced: list[Traced] = scene.shared.get(_TRACED, [])
    return traced


def grantable_fields(scene: Scene) -> frozenset[str]:
    """Where values stand that can be granted for the rest of a run: each is doubtful, listed, was read to its end, and
    is one value and no text."""
    from guardhouse.trust.ledger import Role

    unread = {one.field for one in _arguments(scene) if one.is_unread}
    listed = {one.field for one in traced_values(scene)[:MOST_SUPPLIED]}
    texts = {one.field for one in _doubted(scene) if one.role is Role.CONTENT or one.private}
    return frozenset(one.field for one in _doubted(scene)) & listed - unread - texts


def grantable_values(scene: Scene) -> tuple[tuple[str, ...], bool]:
    """Digests of those values, each with the argument that it is given by; and whether no other value is doubtful."""
    from guardhouse.model import typed_digest

    fields = grantable_fields(scene)
    given = ({"as": one.key, "value": one.value} for one in _arguments(scene) if one.field in fields)
    return tuple(sorted(set(map(typed_digest, given)))), all(one.field in fields for one in _doubted(scene))


def _doubted(scene: Scene) -> list[Traced]:
    """The values that are findings."""
    doubted: list[Traced] = scene.shared.get(_DOUBTED, [])
    return doubted


_SETTLING: Final = (Capability.SPENDS, Capability.DESTRUCTIVE)
_LONGEST_NAMED: Final = 200


def addressed(scene: Scene) -> str:
    """Whom a call writes to, with every other value of it that is no free text; nothing if it addresses nobody, does
    more than that, or has a value that can't be told in a few words."""
    from guardhouse.trust.ledger import Role

    profile = scene.rule_tool
    found = _arguments(scene)
    if (
        profile is None
        or profile.may(*_SETTLING)
        or not any(one.role in {Role.RECIPIENT, Role.DESTINATION} for one in found)
    ):
        return ""
    named = [one for one in found if one.role is not Role.CONTENT]
    if any(one.is_unread or not isinstance(one.value, (str, int, float, bool)) for one in named):
        return ""
    told = ", ".join(f"{one.field.removeprefix('params.')}={one.value!r}" for one in named)
    return f"with {told}" if len(told) <= _LONGEST_NAMED else ""


def consequential(scene: Scene) -> bool:
    """Whether the tool that is called, or that answered, does something that the user must have wanted."""
    profile = scene.rule_tool
    return profile is not None and profile.may(*_CONSEQUENTIAL)


def makes(scene: Scene) -> bool:
    """Whether what the tool came back with is of its own making, as far as it is a service's own fields."""
    return consequential(scene) and not _only_fetches(scene)


_CREATING: Final = frozenset("create plan book buy upload branch".split())
_WORKING: Final = frozenset("change create commit push pull branch upload merge move".split())


def creates(scene: Scene) -> bool:
    """Whether a tool makes something new by its name, of which its answer may say the id."""
    kind = _shape(scene).kind
    return not _CREATING.isdisjoint(kind.verbs[:1]) or not kind.named.isdisjoint(_RELEASES)


_RELEASES: Final = frozenset({"releas", "build", "version"})


def worked_on(scene: Scene) -> Iterator[str]:
    """What a call worked on, by the arguments that say which one, as later calls ask for it."""
    from guardhouse.trust.ledger import Role, candidates

    if _WORKING.isdisjoint(_shape(scene).kind.verbs[:1]):
        return
    for argument in _arguments(scene):
        if argument.role in {Role.SELECTOR, Role.PATH}:
            yield from (str(one) for one in candidates(argument) if one.type in {"text", "id"})


def looks_up(scene: Scene) -> bool:
    """Whether what the tool came back with was found somewhere, and not just said back."""
    profile = scene.rule_tool
    return profile is None or profile.may(*_LOOKING)


def fetched(scene: Scene) -> bool:
    """Whether an answer comes from an address on the network: whoever owns that chose its form, too."""
    from guardhouse.trust.ledger import Role

    places = [str(one.value) for one in _arguments(scene) if one.role is Role.DESTINATION]
    return any("." in place or ":" in place for place in places)


def is_document(scene: Scene) -> bool:
    """Whether an answer is a text as somebody wrote it, by the tool's name or by what it was given: its form is its
    author's."""
    from guardhouse.trust.ledger import Role, tool_words

    if any(one.role is Role.PATH for one in _arguments(scene)):
        return True
    return not _DOCUMENTS.isdisjoint(tool_words(getattr(scene.action, "tool", "")))


_DOCUMENTS: Final = frozenset(
    "file files page web website webpage url document doc docs attachment article pdf note notes clipboard transcript "
    "body raw html markdown text content memory readme wiki gist paste shell bash run execute browse browser "
    "fetch".split()
)


def may_be_led(scene: Scene) -> bool:
    """Whether untrusted content has come into the session, or may have: from then on, what a model writes may be what
    somebody else told it to."""
    state = scene.session()
    return state is None or bool(state.error) or (state.kept and state.untrusted > 0)


def _is_judged(scene: Scene) -> bool:
    """Whether the ledger has a say. An agent's own tools for files and commands are judged by what they would do."""
    action = scene.action
    if not isinstance(action, (ToolCallPre, ToolCallPost)) or not action.session_id:
        return False
    return _is_described(scene) or not scene.settings.tools.is_well_known(action.tool)


def _is_described(scene: Scene) -> bool:
    tool = getattr(scene.action, "tool", "")
    return scene.settings.tools.description(tool) is not None


def covers(scene: Scene) -> bool:
    """Whether the ledger can tell where the values of this call come from, so that a tool that sends, spends or
    destroys need not be a question by itself. None of the user's words, no authority."""
    if not _is_judged(scene) or _ID in scene.settings.switched_off:
        return False
    state = scene.session()
    return state is not None and state.kept and not state.error and state.user > 0


def _needs(scene: Scene) -> None:
    if not _is_judged(scene):
        return
    state = scene.session()
    if state is None or not state.kept or state.error or not scene.action.session_id:
        return
    if isinstance(scene.action, ToolCallPost):
        if scene.action.params is not None and state.user:
            scene.traces(_pointing(scene))
    elif _matters(scene) and _has_a_say(state):
        scene.traces(_questions(scene, state))


def _has_a_say(state: SessionState) -> bool:
    """Whether there is anything to hold a call against. Where the user's words never came through and nothing untrusted
    was read, the ledger knows nothing, and policy goes by the tool alone."""
    return bool(state.user or state.untrusted)


def _matters(scene: Scene) -> bool:
    return consequential(scene) or _shape(scene).changes


def _shape(scene: Scene) -> Shape:
    return scene.settings.tools.shape(getattr(scene.action, "tool", ""))


def _arguments(scene: Scene) -> list[Argument]:
    from guardhouse.trust.ledger import arguments

    found = scene.shared.get(_ID)
    if found is None:
        params = getattr(scene.action, "params", None) or {}
        found = scene.shared[_ID] = arguments(params, _shape(scene))
    return list(found)


def _pointing(scene: Scene) -> list[str]:
    from guardhouse.trust.ledger import pointing_questions

    return pointing_questions(_arguments(scene), _shape(scene))


def pointed(scene: Scene) -> bool:
    """Whether an answer comes from a call about something that the user named."""
    from guardhouse.trust.ledger import Sightings, is_led_to, points_at

    action, traces, state = scene.action, scene.facts.traces, scene.session()
    if not isinstance(action, ToolCallPost) or action.params is None or traces is None or traces.error:
        return False
    if points_at(_arguments(scene), _shape(scene), traces):
        return True
    return state is not None and is_led_to(_arguments(scene), Sightings(state, traces, _requests(scene, state)))


def _questions(scene: Scene, state: SessionState) -> list[str]:
    from guardhouse.trust.ledger import questions

    asked: list[str] | None = scene.shared.get(_ASKED)
    if asked is None:
        asked = questions(_arguments(scene), _shape(scene), _requests(scene, state))
        asked = scene.shared[_ASKED] = [*asked, call_value(scene)]
    return asked


def _requests(scene: Scene, state: SessionState) -> list[Request]:
    """What the user asked for."""
    from guardhouse.trust.ledger import from_kept

    found: list[Request] | None = scene.shared.get(_REQUESTS)
    if found is None:
        found = scene.shared[_REQUESTS] = [from_kept(one) for one in state.requests]
    return found


def call_value(scene: Scene) -> str:
    """The call itself, as a value that its answer is remembered with."""
    from guardhouse.model import typed_digest
    from guardhouse.trust.ledger import payment

    action = scene.action
    paid = payment(_arguments(scene), _shape(scene))
    if paid is not None:
        return f"call:{typed_digest(paid)}"
    return f"call:{typed_digest({'tool': getattr(action, 'tool', ''), 'params': getattr(action, 'params', None)})}"


def _find(scene: Scene) -> Iterator[Finding]:
    if isinstance(scene.action, ToolCallPost):
        _needs(scene)  # what the session is to remember of it, once it is known how that stands
    if not isinstance(scene.action, ToolCallPre) or not _is_judged(scene) or not _matters(scene):
        return
    state = scene.session()
    if state is None or not state.kept:
        return
    if state.error:
        yield Finding(code=UNKNOWN_SESSION.id, detector=_ID, severity=UNKNOWN_SESSION.severity, detail=state.error)
        return
    if not _has_a_say(state):
        return
    traces = scene.traces(_questions(scene, state))
    if traces is None:
        return
    if traces.error:
        yield Finding(code=UNKNOWN_SESSION.id, detector=_ID, severity=UNKNOWN_SESSION.severity, detail=traces.error)
        return
    yield from _judged(scene, state, traces)


def _judged(scene: Scene, state: SessionState, traces: Traces) -> Iterator[Finding]:
    from guardhouse.trust.ledger import Ledger, Sightings, is_unfit

    shape = _shape(scene)
    if shape.kind.is_destroying and state.gone:
        state = structs.replace(state, said=state.gone)  # what another order names is not what is to be gone
    sightings = Sightings(state, traces, _requests(scene, state))
    ledger = Ledger(shape, sightings, _arguments(scene), fetches=_only_fetches(scene))
    if not consequential(scene):
        if state.untrusted and not ledger.is_spoken_of():
            yield _finding(CHANGING_READ, scene)
        return
    traced = scene.shared[_TRACED] = ledger.trace()
    if ledger.is_repeated(call_value(scene)):
        yield _finding(REPEATED, scene)
    if not _only_fetches(scene) and not _runs(scene) and not ledger.is_asked_for(traced):
        if ledger.takes_orders:
            if not ledger.is_small(traced):
                yield _finding(DELEGATED, scene)
        elif not ledger.is_own_step(traced) and (
            (state.untrusted and state.user) or shape.outward or shape.kind.is_destroying or shape.kind.is_grave
        ):
            yield _finding(UNASKED_KIND, scene)
    if shape.outward:
        yield from _secrets(scene)
    doubted = scene.shared[_DOUBTED] = [
        one
        for one in traced
        if not one.is_fine and (state.untrusted or is_unfit(one.seen, one.role)) and _tells(one, state)
    ]
    for one in doubted:
        yield _of(one, scene, traces)


def _tells(traced: Traced, state: SessionState) -> bool:
    """Whether the doubtful origin of a value is to be told of. Where the user's words never came through, everything
    that a model picks by itself stands nowhere: then only who or what is reached by it is."""
    from guardhouse.trust.ledger import SENSITIVE

    return bool(state.user) or traced.source != "nowhere" or traced.role in SENSITIVE


def _secrets(scene: Scene) -> Iterator[Finding]:
    """A secret on its way to where others can read it."""
    for leaf, match in scene.secrets:
        yield Finding(
            code=PRIVATE_DATA.id,
            detector=_ID,
            severity=PRIVATE_DATA.severity,
            span=Span(leaf.field, match.start, match.end),
            excerpt=leaf.masked,
            secret_kind=match.kind,
            detail="a secret",
        )


_FETCHING: Final = frozenset(
    {Capability.EGRESS, Capability.READS, Capability.READS_UNTRUSTED, Capability.READS_PRIVATE}
)


def _only_fetches(scene: Scene) -> bool:
    """Whether the call reaches out to read and to do nothing else: then it is where to that matters."""
    profile = scene.rule_tool
    return profile is not None and profile.classified and profile.capabilities <= _FETCHING


def _runs(scene: Scene) -> bool:
    """Whether the tool runs what it is given: then what that would do is looked at elsewhere."""
    profile = scene.rule_tool
    return profile is not None and profile.classified and Capability.EXECUTES in profile.capabilities


def _of(traced: Traced, scene: Scene, traces: Traces) -> Finding:
    """The finding that a value of doubtful origin is."""
    from guardhouse.trust.ledger import Role

    if traced.private:
        code = PRIVATE_DATA
    elif traced.source == "nowhere":
        code = UNKNOWN_VALUE
    elif traced.role is Role.CONTENT:
        code = PLANTED_TEXT
    elif traced.source == "delegated":
        code = DELEGATED
    elif traced.role in {Role.RECIPIENT, Role.DESTINATION}:
        code = UNTRUSTED_DESTINATION
    else:
        code = UNTRUSTED_VALUE
    return _finding(code, scene, traced, traces)


def _finding(code: ReasonCode, scene: Scene, traced: Traced | None = None, traces: Traces | None = None) -> Finding:
    if traced is None:
        detail = getattr(scene.action, "tool", "")
        return Finding(code=code.id, detector=_ID, severity=code.severity, detail=detail)
    masked = {leaf.field: leaf.masked for leaf in scene.leaves if not leaf.is_key}
    seen = traced.seen
    quote = ""
    if seen is not None and traces is not None:
        quote = _quote(seen, traces)
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(traced.field),
        excerpt=quote or masked.get(traced.field, ""),
        origin=Origin("tool", seen.event.name, seen.event.call_id) if seen is not None else None,
        detail=traced.role.value,
    )


def _quote(seen: Any, traces: Traces) -> str:
    """What was planted, as far as it was kept for people to read."""
    objects = traces.objects.get(seen.event.seq, ())
    digits = seen.slot.partition(":")[0][1:]
    place = int(digits) if digits.isdigit() else -1
    return objects[place].excerpt if 0 <= place < len(objects) else ""


DETECTOR: Final = Detector(id=_ID, codes=CODES, find=_find, needs=_needs)
