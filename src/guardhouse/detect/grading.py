"""How far a tool's answer may be believed: by the tool, by what it was called with, and by what that was made of.

A name is only a beginning. A shell is as good as its command, a reader as good as its file, and a tool that was called
with nothing but what untrusted content said gives back no more than that. What can't be told is untrusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from guardhouse.detect.interface import Scene
from guardhouse.model import ToolCallPost, ToolCallPre
from guardhouse.trust import KNOWN_TOOLS, OUTSIDE, Capability, Evidence, EvidenceSource, ToolProfile, tool_name

if TYPE_CHECKING:
    from guardhouse.model import SessionState
    from guardhouse.trust.ledger import Argument, Sightings

_ID: Final = "grading"
_LISTERS: Final = frozenset("glob list_dir list_directory list_files ls".split())
"""Of the tools that read files, those that only tell their names."""
_SUB_AGENTS: Final = frozenset("agent delegate task taskoutput wait_agent subagenthandback".split())
"""What they come back with is what a model made of everything that it has seen."""
_MOST_ASKED: Final = 200
"""Values of a call's arguments whose origins are looked up."""


def evidence_of(scene: Scene) -> Evidence:
    """Where a tool's answer comes from. Asks the scene for what it depends on; until that is known, from outside."""
    action, profile = scene.action, scene.rule_tool
    if not isinstance(action, ToolCallPost) or profile is None or not is_labelled_trusted(scene):
        return OUTSIDE
    state = scene.session()
    if action.session_id and (state is None or state.error):
        _source(scene, action, profile)  # what else there is to ask is asked at once
        return OUTSIDE
    source = _source(scene, action, profile)
    if state is None or not state.kept or not state.untrusted:
        return Evidence(source)
    taken_over = _is_tainted(scene, action, profile)
    traces = scene.facts.traces
    is_told = traces is not None and not traces.error
    looked_up = taken_over and is_told and _only_looks_up(action, profile)
    return Evidence(source, tainted=taken_over, led=looked_up)


def _source(scene: Scene, action: ToolCallPost, profile: ToolProfile) -> EvidenceSource:
    if Capability.EXECUTES in profile.capabilities:
        if action.params is None:
            return EvidenceSource.EXTERNAL_SYSTEM
        from guardhouse.detect.commands.outputs import output_source  # only where a command has run

        return output_source(_call(scene, action))
    known = _file_tool(scene, action)
    if known is None:
        return EvidenceSource.LOCAL_COMMAND
    if action.params is None:
        reads = Capability.READS in known.capabilities
        return EvidenceSource.EXTERNAL_SYSTEM if reads else EvidenceSource.LOCAL_COMMAND
    from guardhouse.detect.paths import stays_in_work  # as above

    if not stays_in_work(_call(scene, action)):
        return EvidenceSource.EXTERNAL_SYSTEM
    return EvidenceSource.PROJECT_METADATA if known.name in _LISTERS else EvidenceSource.PROJECT_SOURCE


def _file_tool(scene: Scene, action: ToolCallPost) -> ToolProfile | None:
    """The well-known tool for files that this one is, or is called like behind a server."""
    known = KNOWN_TOOLS.get(tool_name(action.tool)) or KNOWN_TOOLS.get(tool_name(action.tool.rpartition("__")[2]))
    if known is None or scene.settings.tools.takes_no_path(action.tool):
        return None
    return known if {Capability.READS, Capability.WRITES} & known.capabilities else None


def _call(scene: Scene, action: ToolCallPost) -> Scene:
    """The call that was answered, as it looked before it was made; what it asks for, the answer asks for."""
    call: Scene | None = scene.shared.get(_ID)
    if call is None:
        made = ToolCallPre(tool=action.tool, params=action.params or {}, tool_digest=action.tool_digest, cwd=action.cwd)
        call = scene.shared[_ID] = Scene(made, scene.settings, scene.facts)
        call.needed = scene.needed
    call.facts = scene.facts
    return call


# What an answer was made of.


def _is_tainted(scene: Scene, action: ToolCallPost, profile: ToolProfile) -> bool:
    """Whether everything that the tool was called with comes from untrusted content, and from nobody else."""
    if tool_name(action.tool) in _SUB_AGENTS:
        return True
    if action.params is None or (_file_tool(scene, action) is not None and not profile.may(Capability.EXECUTES)):
        return False  # what stands in a file is not written by whoever named it
    from guardhouse.trust.ledger import tool_words

    found = _said(scene, action)
    if not found:
        return False
    asked = dict.fromkeys(form for _, forms in found for form in forms)
    traces = scene.traces(list(asked))
    if traces is None:
        return True
    if _TRANSFORMING.isdisjoint(tool_words(action.tool)):
        return bool(traces.error) or all(_is_foreign(forms, sightings(scene)) for _, forms in found)
    # What such a tool says is what it was told, in another form: somebody must answer for that.
    return bool(traces.error) or not all(_is_answered_for(forms, sightings(scene)) for _, forms in found)


def _only_looks_up(action: ToolCallPost, profile: ToolProfile) -> bool:
    """Whether a tool finds what is there and does nothing else: then whoever said what to look for chose the answer,
    and did not write it."""
    from guardhouse.trust.ledger import tool_words

    if tool_name(action.tool) in _SUB_AGENTS or not _TRANSFORMING.isdisjoint(tool_words(action.tool)):
        return False
    return profile.classified and bool(profile.capabilities) and profile.capabilities <= _FINDING


_FINDING: Final = frozenset({Capability.READS, Capability.READS_PRIVATE})


def _said(scene: Scene, action: ToolCallPost) -> list[tuple[Argument, list[str]]]:
    """The arguments that say something, each with the forms in which that may have been seen."""
    from guardhouse.trust.ledger import Role, arguments, candidates

    shape = scene.settings.tools.shape(action.tool)
    found: list[tuple[Argument, list[str]]] = []
    left = _MOST_ASKED
    for argument in arguments(action.params or {}, shape):
        plain = argument.parameter.has_default and argument.value == argument.parameter.default
        if plain or argument.role in {Role.FLAG, Role.LIMIT} or not isinstance(argument.value, str):
            continue
        forms = [str(one) for one in candidates(argument) if one.type not in {"word", "part", "num"}][:left]
        left -= len(forms)
        found.append((argument, forms))
    return found


def _is_foreign(forms: list[str], seen: Sightings) -> bool:
    """Whether a value was in untrusted content, and nobody else gave it. A longer text is known by its runs of words:
    most of them must be."""
    runs = [form for form in forms if form.startswith("gram:")]
    if runs:
        return sum(_only_foreign([run, run.replace("gram:", "text:", 1)], seen) for run in runs) * 2 > len(runs)
    return _only_foreign(forms, seen)


def _is_answered_for(forms: list[str], seen: Sightings) -> bool:
    return seen.by_user(forms) or seen.is_confirmed(forms) or bool(seen.trusted(forms))


_TRANSFORMING: Final = frozenset(
    "calculate calc calculator compute eval evaluate decode encode convert translate transform format parse unescape "
    "concat join render template base64 hex rot13 regex".split()
)
"""Words of tools that make one text or number out of another."""


def _only_foreign(forms: list[str], seen: Sightings) -> bool:
    if seen.by_user(forms) or seen.is_confirmed(forms) or seen.trusted(forms):
        return False
    return bool(seen.untrusted(forms))


def sightings(scene: Scene) -> Sightings:
    """What the session answered, for a scene of which that is known."""
    from guardhouse.model import Traces
    from guardhouse.trust.ledger import Sightings

    state: Any = scene.session()
    return Sightings(state, scene.facts.traces or Traces(), ())


def is_labelled_trusted(scene: Scene) -> bool:
    """Whether the tool that answered counts as one that brings in nothing from outside."""
    profile = scene.rule_tool
    return profile is not None and not profile.may(Capability.READS_UNTRUSTED)


def remembers_untrusted(scene: Scene) -> bool:
    """Whether untrusted content has come into the session."""
    state: SessionState | None = scene.session()
    return state is not None and state.kept and not state.error and state.untrusted > 0
