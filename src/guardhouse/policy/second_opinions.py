"""When the judge is asked, and what its opinion leads to (SPEC J1–J3).

Pure, and loaded only where a judge is configured. An opinion can spare a person a question of at most medium risk, if
it is a question of the kind that is listed here, and it can hold back what would simply go through. It never lifts a
deny. Whatever is no opinion through and through counts as none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect.provenance import consequential
from guardhouse.model import Decision, Effect, OpinionOf, Reason, RiskLevel, SecondOpinion, ToolCallPre, action_hash
from guardhouse.policy.codes import JUDGE_AGAINST, JUDGE_CLEARED, JUDGE_HALF_SEEN, JUDGE_SILENT
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from guardhouse.detect import Scene
    from guardhouse.model import Finding, Purpose, ReasonCode, SessionState
    from guardhouse.policy.engine import Judgement
    from guardhouse.policy.schema import GuardianSection, GuardSection

DECIDED_BY: Final = "guardian"

_GRAVE: Final = frozenset({"recipient", "destination", "amount", "code", "secret", "path"})
"""Arguments that decide whom a call reaches, what it costs and what it runs."""
_NEVER: Final = frozenset({"code", "secret"})

CLEARABLE: Final[tuple[tuple[str, str, str], ...]] = (
    # reason code, when the judge may clear it, what it puts in doubt
    ("provenance.unknown_value", "not grave", "value"),
    ("provenance.untrusted_value", "not grave", "value"),
    ("provenance.delegated", "not grave", "value"),
    ("provenance.changing_read", "always", "value"),
    ("provenance.unasked_kind", "always", "kind"),
    ("provenance.untrusted_destination", "wide", "place"),
    ("provenance.planted_text", "wide", "text"),
    ("path.write_outside_project", "untainted", "value"),
    ("shell.changes_rights", "untainted", "value"),
    ("shell.deletes_outside_project", "untainted", "value"),
    ("shell.deletes_project", "untainted", "value"),
    ("shell.deletes_unknown", "untainted", "value"),
    ("shell.discards_work", "untainted", "value"),
    ("shell.writes_unknown", "untainted", "value"),
)
"""Questions that the judge may spare a person; every other one it may not. `not grave`: unless an argument of the kind
that decides whom a call reaches, what it costs or what it runs has that doubtful origin, which only `may_clear: wide`
lets it clear. `untainted`: where a command comes from can't be told, so only while nothing untrusted has come into the
session, unless `wide`. No more than one of kind, place and text may be in doubt, and with the kind nothing else: where
policy doubts that the user wanted such a call at all, and also what it is made with, a person is asked."""
_CLEARABLE: Final = {code: (when, doubts) for code, when, doubts in CLEARABLE}


def purpose_of(judgement: Judgement, scene: Scene, findings: Sequence[Finding], config: GuardSection) -> Purpose | None:
    """What the judge is to be asked for about a call; None if it is not to be asked. It knows nothing of calls outside
    a session that is remembered, and nothing of what its user wants where no word of theirs has come through."""
    section, state = config.guardian, scene.facts.session
    if not isinstance(scene.action, ToolCallPre) or state is None or not state.kept:
        return None
    if judgement.decision is Decision.REQUIRE_APPROVAL:
        wanted = section.spares and not is_unattended(config)
        return "spare" if wanted and may_clear(judgement, state, section) else None
    if judgement.decision is Decision.DENY or section.watches == "never":
        return None
    if state.error:
        return "watch" if _does_something(scene, findings) else None  # anything may have come into it
    if section.watches == "tainted" and (not state.untrusted or _only_fetches(scene)):
        return None
    return "watch" if _does_something(scene, findings) else None


def may_look(judgement: Judgement, scene: Scene, config: GuardSection) -> bool:
    """Whether it depends on the session if the judge is asked. Where policy only observes, nobody would go by it."""
    if config.mode != "enforce" or not isinstance(scene.action, ToolCallPre):
        return False
    return judgement.decision is Decision.REQUIRE_APPROVAL or consequential(scene)


def is_unattended(config: GuardSection) -> bool:
    """Whether nobody is there to be asked. Then nothing is spared: the judge can only be against a call."""
    return config.approvals.unattended or config.preset == "ci"


_FETCHING: Final = frozenset(
    {Capability.EGRESS, Capability.READS, Capability.READS_UNTRUSTED, Capability.READS_PRIVATE}
)


def _only_fetches(scene: Scene) -> bool:
    """Whether a call reaches out to read and does nothing else. Where it may reach is for the allowlists to say."""
    profile = scene.rule_tool
    return profile is not None and profile.classified and profile.capabilities <= _FETCHING


LOOKING: Final = (
    "basename", "cat", "cd", "cmp", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "false", "fgrep", "file",
    "git blame", "git describe", "git log", "git ls-files", "git rev-parse", "git shortlog", "git show", "git status",
    "grep", "head", "id", "jq", "ls", "md5sum", "nl", "printf", "ps", "pwd", "readlink", "realpath", "sha1sum",
    "sha256sum", "stat", "tail", "tr", "true", "type", "uname", "wc", "which", "whoami",
)  # fmt: skip
"""Programs that only look, whatever they are given, unless something was found that they would do. None that may be
told to run another."""


def _does_something(scene: Scene, findings: Iterable[Finding]) -> bool:
    """Whether a call would do more than look. A command would, unless it is known to do nothing else: what a program
    does that nobody has described is not among the findings."""
    if not consequential(scene):
        return False
    profile = scene.rule_tool
    if profile is None or Capability.EXECUTES not in profile.capabilities:
        return True
    from guardhouse.detect.commands.looking import only_runs  # large, and only for calls that run something

    is_found = any(one.effect not in {None, Effect.READS} for one in findings)
    return is_found or not only_runs(scene, (*LOOKING, *scene.settings.listed_programs))


def may_clear(judgement: Judgement, state: SessionState, section: GuardianSection) -> bool:
    """Whether all that asks is of the kind that the judge may spare a person."""
    if judgement.risk_level > RiskLevel.MEDIUM or not judgement.asking or not state.user or state.error:
        return False
    doubts = []
    for name, finding in judgement.asking:
        if finding is None or name not in _CLEARABLE or name != finding.code:
            return False  # a rule that asks is somebody's word, and a detector that failed has seen nothing
        when, doubt = _CLEARABLE[name]
        if not _is_open(when, finding, state, is_wide=section.may_clear == "wide"):
            return False
        doubts.append(doubt)
    # Who was not asked for such a call at all was not asked for its values, either.
    return len(set(doubts)) == 1 if "kind" in doubts else len({"place", "text"} & set(doubts)) <= 1


def _is_open(when: str, finding: Finding, state: SessionState, *, is_wide: bool) -> bool:
    role = finding.detail if finding.span is not None else ""
    if role in _NEVER:
        return False
    if is_wide or when == "always":
        return True
    if when == "not grave":
        return role not in _GRAVE or (role == "amount" and _is_nowhere(finding, state))
    return when == "untainted" and not state.untrusted


def _is_nowhere(finding: Finding, state: SessionState) -> bool:
    """Whether a value is certainly in no untrusted content: it was computed, or made up."""
    return finding.code == "provenance.unknown_value" and not state.cut


def question(purpose: Purpose, judgement: Judgement, scene: Scene, call: str, config: GuardSection) -> OpinionOf:
    """What the judge is asked. `call` was masked."""
    state = scene.facts.session
    return OpinionOf(
        session_id=scene.action.session_id or "",
        purpose=purpose,
        call=call,
        action=action_hash(scene.action),
        heard=state.user if state is not None else 0,
        decided=judgement.decision.value,
        codes=tuple(sorted({name for name, _ in judgement.asking})),
        unattended=is_unattended(config),
    )


def weighed(judgement: Judgement, opinion: SecondOpinion, scene: Scene, config: GuardSection) -> Judgement:
    """The judgement with the judge's opinion in it. Never softer than without, but for a question that the judge may
    spare a person; a deny stays a deny."""
    section = config.guardian
    if section.mode != "enforce" or judgement.decision is Decision.DENY:
        return judgement
    asks = judgement.decision is Decision.REQUIRE_APPROVAL
    heard = _heard(opinion)
    if heard == "allow":
        # An opinion on what nobody would be asked about was not given on this question.
        return _cleared(judgement, opinion, scene, config) if asks and opinion.purpose == "spare" else judgement
    if heard == "block":
        return _held(judgement, JUDGE_AGAINST, opinion, _least(section.on_block, config), config)
    if heard == "half":
        return _held(judgement, JUDGE_HALF_SEEN, opinion, Decision.REQUIRE_APPROVAL, config)
    is_stopped = isinstance(opinion, SecondOpinion) and opinion.stopped is not False
    if section.on_error == "keep" and not is_stopped and not is_unattended(config):
        return judgement
    return _held(judgement, JUDGE_SILENT, opinion, _least(section.on_error, config), config)


def _heard(opinion: Any) -> str:
    """`allow`, `block`, `half` for an allow that is good for a question only, or nothing at all."""
    if not isinstance(opinion, SecondOpinion) or opinion.outcome not in {"allow", "block"}:
        return ""
    if not isinstance(opinion.reason, str) or not opinion.reason.strip():
        return ""
    if opinion.outcome == "block":
        return "block"
    is_small, is_wanted = opinion.risk in {"", "low", "medium"}, opinion.authorized in {"", "medium", "high"}
    return "allow" if is_small and is_wanted and opinion.partial is False else "half"


def _least(configured: str, config: GuardSection) -> Decision:
    """What a call comes to at least. Where nobody can be asked, a question is a no."""
    return Decision.DENY if configured == "deny" or is_unattended(config) else Decision.REQUIRE_APPROVAL


def _cleared(judgement: Judgement, opinion: SecondOpinion, scene: Scene, config: GuardSection) -> Judgement:
    """The judgement without the questions, if all of them are of the kind that the judge may answer."""
    state = scene.facts.session
    if state is None or is_unattended(config) or not may_clear(judgement, state, config.guardian):
        return judgement
    others = [one.decision for one in judgement.reasons if one.decision is not Decision.REQUIRE_APPROVAL]
    left = max(others, default=Decision.ALLOW)
    said = _reason(JUDGE_CLEARED, Decision.ALLOW, opinion)
    return msgspec.structs.replace(
        judgement, decision=left, would_be=left, reasons=(said, *judgement.reasons), asking=()
    )


def _held(
    judgement: Judgement, code: ReasonCode, opinion: SecondOpinion, least: Decision, config: GuardSection
) -> Judgement:
    """The judgement, at least as strict as `least`. Where a person is asked anyway, they are told what the judge said,
    and nothing more asks for that."""
    if is_unattended(config) and least is Decision.REQUIRE_APPROVAL:
        least = Decision.DENY
    if judgement.decision is Decision.REQUIRE_APPROVAL and least is not Decision.DENY:
        said = _reason(code, Decision.ALLOW, opinion)
        return msgspec.structs.replace(judgement, reasons=(*judgement.reasons, said))
    said = _reason(code, least, opinion)
    return msgspec.structs.replace(
        judgement,
        decision=least,
        would_be=least,
        reasons=(said, *judgement.reasons),
        asking=((code.id, None),) if least is Decision.REQUIRE_APPROVAL else (),
        risk_level=max(judgement.risk_level, RiskLevel.MEDIUM),
    )


def _reason(code: ReasonCode, decision: Decision, opinion: Any) -> Reason:
    """What the judge said, for people: its words may repeat what was planted, so an agent never gets them."""
    return Reason(
        code=code.id,
        decided_by=DECIDED_BY,
        decision=decision,
        severity=code.severity,
        title=code.title,
        why=code.why,
        instead=code.instead,
        excerpt=opinion.reason if isinstance(getattr(opinion, "reason", None), str) else "",
    )
