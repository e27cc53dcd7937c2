"""From findings to a decision. Everything that decides comes together in `combine`, and nowhere else.

A finding leads to what the policy says of its code; a matching rule leads to its effect; a waiver takes away what a
code leads to, never what a rule says; a floor stays whatever happens. The strictest of it all is the decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect import FAILED, is_confined, masks
from guardhouse.detect.paths import in_work
from guardhouse.model import (
    Confidence,
    Decision,
    Finding,
    PathClass,
    Reason,
    ReasonCode,
    RiskLevel,
    Severity,
    ToolCallPre,
    wire,
)
from guardhouse.policy.codes import RULE, RULE_FAILED
from guardhouse.policy.presets import BY_SEVERITY, CONTAINED, FLOORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from guardhouse.detect import Scene
    from guardhouse.policy.rules import Rule, RuleBook, Slice
    from guardhouse.policy.schema import RiskSection


class Cause(msgspec.Struct, frozen=True):
    """One thing that bears on the decision."""

    decision: Decision
    floor: Decision = Decision.ALLOW
    """The least it leads to."""
    waived: bool = False
    """An allow rule names its code, so only its floor is left."""
    contained: bool = False
    """It can't happen where the action runs, so that nobody has to be asked. A deny stays one."""


class Combined(msgspec.Struct, frozen=True):
    """What causes come to."""

    decision: Decision
    would_be: Decision
    """What it would be if the policy were enforced; the same as `decision` unless it is only observed."""


def combine(causes: Iterable[Cause], *, observe: bool = False, unattended: bool = False) -> Combined:
    """Deny beats approval beats redaction beats allow. Observing leaves only the floors in force; where nobody is
    there to ask, asking is denying."""
    strictest = floor = Decision.ALLOW
    for cause in causes:
        answered = cause.contained and cause.decision is Decision.REQUIRE_APPROVAL
        is_gone = cause.waived or answered
        wanted = cause.floor if is_gone or cause.floor.rank > cause.decision.rank else cause.decision
        if wanted.rank > strictest.rank:
            strictest = wanted
        if cause.floor.rank > floor.rank:
            floor = cause.floor
    if unattended:
        strictest, floor = _unattended(strictest), _unattended(floor)
    return Combined(floor if observe else strictest, strictest)


def _unattended(decision: Decision) -> Decision:
    return Decision.DENY if decision is Decision.REQUIRE_APPROVAL else decision


class Judgement(msgspec.Struct, frozen=True):
    """What policy makes of one action."""

    decision: Decision
    would_be: Decision
    risk_level: RiskLevel
    reasons: tuple[Reason, ...]
    masks: tuple[Any, ...]
    """Expressions of `redact` rules whose matches are to be masked, beside the secrets."""
    asking: tuple[tuple[str, Finding | None], ...] = ()
    """Everything that asks, by name, with what was found. A rule that asks, or a detector that failed, is named:
    approving one question answers no other."""


_SCORES: Final = {Severity.INFO: 0, Severity.LOW: 15, Severity.MEDIUM: 40, Severity.HIGH: 70, Severity.CRITICAL: 95}
_WEIGHTS: Final = {Confidence.LOW: 0.5, Confidence.MEDIUM: 0.75, Confidence.HIGH: 1.0}
_RULE_SCORES: Final = {
    Decision.ALLOW: 0,
    Decision.ALLOW_WITH_REDACTION: 15,
    Decision.REQUIRE_APPROVAL: 40,
    Decision.DENY: 70,
}


_MASKED: Final = (Decision.ALLOW_WITH_REDACTION, Decision.DENY)


class _Ruled(msgspec.Struct, frozen=True):
    """A cause with what is needed to explain it."""

    cause: Cause
    finding: Finding | None
    rule: Rule | None
    failed: bool = False


class PolicyEngine:
    """The compiled policy, as far as it decides."""

    def __init__(
        self,
        rules: RuleBook,
        outcomes: Mapping[str, Decision],
        codes: Mapping[str, ReasonCode],
        risk: RiskSection,
        *,
        by_detail: Mapping[tuple[str, str], Decision] | None = None,
        observe: bool = False,
        unattended: bool = False,
    ) -> None:
        self.rules = rules
        self.codes = codes
        self.observe = observe
        self.unattended = unattended
        self._outcomes = outcomes
        self._by_detail = by_detail or {}
        """What a code leads to at least where its finding is of a label, or of a kind of secret, that has its own."""
        self._thresholds = (
            (risk.critical, RiskLevel.CRITICAL),
            (risk.high, RiskLevel.HIGH),
            (risk.medium, RiskLevel.MEDIUM),
        )
        self._nothing = Judgement(Decision.ALLOW, Decision.ALLOW, self._risk_level(0), (), ())
        """Of an action in which nothing was found, and that no rule looks at by itself."""

    def judge(self, scene: Scene, findings: Sequence[Finding]) -> Judgement:
        """The decision on `scene`, given what was found in it."""
        rules = self.rules.slice(scene.action.type, scene.rule_tool)
        if not findings and not rules.whole:
            return self._nothing
        waived = frozenset().union(*(rule.waives for rule in rules.allows)) if rules.allows else frozenset()
        ruled = self._rule_on_action(scene, rules)
        score = max((_RULE_SCORES[one.cause.decision] for one in ruled), default=0)
        for finding in findings:
            on_finding = self._rule_on_finding(scene, finding, rules, waived)
            ruled += on_finding
            own = on_finding[0].cause
            if not (own.waived or own.contained) or len(on_finding) > 1:
                score = max(score, _score(finding))
        combined = combine((one.cause for one in ruled), observe=self.observe, unattended=self.unattended)
        return Judgement(
            combined.decision,
            combined.would_be,
            self._risk_level(score),
            self._reasons(scene, ruled),
            (
                *(
                    pattern
                    for one in ruled
                    if one.rule is not None and one.rule.decision is Decision.ALLOW_WITH_REDACTION
                    for pattern in one.rule.patterns
                ),
                *self._masks(scene, ruled),
            ),
            tuple(self._asking(ruled)) if combined.decision is Decision.REQUIRE_APPROVAL else (),
        )

    def _asking(self, ruled: Sequence[_Ruled]) -> Iterator[tuple[str, Finding | None]]:
        for one in ruled:
            if combine((one.cause,), unattended=self.unattended).decision is Decision.REQUIRE_APPROVAL:
                yield asking_name(_code(one), _decided_by(one.rule, one.finding)), one.finding

    def _masks(self, scene: Scene, ruled: Sequence[_Ruled]) -> Iterator[Any]:
        """What takes out what is to be masked, beside secrets. What is denied is masked where it is recorded; what a
        person is asked about is not, because they must see it."""
        if self.observe:
            return  # a call is made as it is, and so it is recorded
        wanted = {
            (one.finding.code, one.finding.detail): None
            for one in ruled
            if one.finding is not None and one.cause.decision in _MASKED and not one.cause.waived
        }
        if wanted:
            yield from masks(scene, list(wanted))

    def matches(self, rule: Rule, scene: Scene, findings: Sequence[Finding]) -> bool:
        """Whether one rule matches by itself, for its examples."""
        if not (rule.covers_tool(scene.action.type, scene.rule_tool) and rule.covers_text(scene)):
            return False
        if not rule.wants_finding:
            return _holds(rule, scene, None)[0]
        return any(
            rule.covers_finding(finding, self._risk_of(finding)) and _holds(rule, scene, finding)[0]
            for finding in findings
        )

    def _risk_of(self, finding: Finding) -> RiskLevel:
        return self._risk_level(_score(finding))

    def _rule_on_action(self, scene: Scene, rules: Slice) -> list[_Ruled]:
        """What rules that look at no finding say."""
        ruled = []
        for rule in rules.whole:
            if rule.covers_text(scene):
                matched, failed = _holds(rule, scene, None)
                if matched:
                    ruled.append(_Ruled(Cause(rule.decision), None, rule, failed))
        return ruled

    def _rule_on_finding(self, scene: Scene, finding: Finding, rules: Slice, waived: frozenset[str]) -> list[_Ruled]:
        """What the finding's code leads to, then what rules say of it."""
        floor = FLOORS.get(finding.code, Decision.ALLOW)
        if finding.code == FAILED.id and not scene.action.asks_first:
            floor = Decision.DENY
        contained = scene.can_confine and _is_contained(scene, finding) and is_confined(scene)
        ruled = [_Ruled(Cause(self._outcome(finding), floor, finding.code in waived, contained), finding, None)]
        risk = self._risk_of(finding)
        seen: set[int] = set()
        for rule in rules.candidates(finding):
            # By identity: two layers may use one id, and neither may silence the other.
            if id(rule) not in seen and rule.covers_finding(finding, risk) and rule.covers_text(scene):
                seen.add(id(rule))
                matched, failed = _holds(rule, scene, finding)
                if matched:
                    ruled.append(_Ruled(Cause(rule.decision), finding, rule, failed))
        return ruled

    def _outcome(self, finding: Finding) -> Decision:
        of_code = self._outcomes.get(finding.code) or BY_SEVERITY[finding.severity]
        return max(of_code, self._by_detail.get((finding.code, finding.detail), Decision.ALLOW))

    def _risk_level(self, score: int) -> RiskLevel:
        return next((level for threshold, level in self._thresholds if score >= threshold), RiskLevel.LOW)

    def _reasons(self, scene: Scene, ruled: list[_Ruled]) -> tuple[Reason, ...]:
        """One reason for each different cause that restricts, the strictest first; repeats are counted."""
        grouped: dict[tuple[str, int, str], list[_Ruled]] = {}
        for one in ruled:
            if combine((one.cause,)).decision is Decision.ALLOW:
                continue
            code = one.finding.code if one.finding else ""
            detail = one.finding.detail if one.finding else ""
            grouped.setdefault((code, id(one.rule) if one.rule else 0, detail), []).append(one)
        # What a floor forbids, no command can allow.
        stays = any(one.cause.floor is Decision.DENY for one in ruled)
        reasons = [self._reason(scene, group[0], len(group), stays=stays) for group in grouped.values()]
        return tuple(sorted(reasons, key=lambda reason: (-reason.decision.rank, -reason.severity.rank)))

    def _reason(self, scene: Scene, one: _Ruled, count: int, *, stays: bool) -> Reason:
        rule, finding = one.rule, one.finding
        fallback = RULE_FAILED if one.failed else RULE
        code = self.codes.get(finding.code, fallback) if finding is not None else fallback
        title, why, instead = code.title, code.why, code.instead
        if finding is not None and finding.instead:
            instead = finding.instead
        if count > 1:
            title = f"{title}, {count} times"
        if rule is not None and rule.trusted:
            why = rule.because or why
            instead = rule.instead or instead
        return Reason(
            code=_code(one),
            decided_by=_decided_by(rule, finding),
            decision=combine((one.cause,), unattended=self.unattended).decision,
            severity=finding.severity if finding is not None else code.severity,
            title=title,
            why=why,
            instead=instead,
            detail=finding.detail if finding is not None else "",
            # A repository's words: a person sees them as such, an agent does not get them at all.
            because=rule.because if rule is not None and not rule.trusted else "",
            span=finding.span if finding is not None else None,
            origin=finding.origin if finding is not None else None,
            effect=finding.effect if finding is not None else None,
            excerpt=finding.excerpt if finding is not None else "",
            remedy=_remedy(code, finding, scene) if rule is None and finding is not None and not stays else "",
        )


_CONTAINED: Final = {code: where for code, where, _how in CONTAINED}
_WORK: Final = (PathClass.PROJECT, PathClass.ALLOWED, PathClass.GUARD)


def _is_contained(scene: Scene, finding: Finding) -> bool:
    """Whether what was found can't happen in the sandbox; for what can at some places, by the place."""
    where = _CONTAINED.get(finding.code)
    if where is None or where == "anywhere":
        return where is not None
    path = finding.path
    if path is None:
        return where == "not here"
    return (
        finding.path_class not in _WORK
        and not in_work(scene, path)
        and not any(path == place or path.startswith(f"{place}/") for place in scene.settings.sandbox_places)
    )


def asking_name(code: str, decided_by: str) -> str:
    """What a cause that asks is called among those that a person says yes to."""
    if decided_by == "guardian":
        return "guardian.blocked"  # whatever kept it from being sure: a person who says yes has heard it
    return f"{code}/{decided_by}" if decided_by.startswith("rule:") or code == FAILED.id else code


def _code(one: _Ruled) -> str:
    if one.failed:
        return RULE_FAILED.id
    return one.finding.code if one.finding is not None else RULE.id


def _decided_by(rule: Rule | None, finding: Finding | None) -> str:
    """Who says so. A project's rule may have the id of one of the user's, and is another rule all the same."""
    if rule is not None:
        return f"rule:{rule.id}" if rule.trusted else f"rule:project/{rule.id}"
    return f"detector:{finding.detector if finding else ''}"


def _score(finding: Finding) -> int:
    return int(_SCORES[finding.severity] * _WEIGHTS[finding.confidence])


def _holds(rule: Rule, scene: Scene, finding: Finding | None) -> tuple[bool, bool]:
    """Whether a rule's `when` holds, and whether evaluating it failed, which counts as holding."""
    if rule.when is None:
        return True, False
    try:
        value = rule.when(
            {
                "action": wire(scene.action),
                "finding": msgspec.to_builtins(finding),
            }
        )
    except Exception:  # noqa: BLE001 - a restricting rule that can't be evaluated restricts
        return True, True
    return value is not False, not isinstance(value, bool)


def _remedy(code: ReasonCode, finding: Finding, scene: Scene) -> str:
    """The one command with which a person can allow this."""
    from shlex import quote  # only where something is stopped

    match code.remedy:
        case "domain" if finding.url is not None:
            return f"guardhouse allow domain {quote(finding.url.split('/')[2])}"
        case "path" if finding.path is not None:
            return f"guardhouse allow path {quote(finding.path)}"
        case "command" if finding.excerpt and not finding.excerpt.endswith("…") and not scene.secrets:
            return f"guardhouse allow command {quote(finding.excerpt)}"
        case "tool":
            known = sorted(capability.value for capability in scene.tool.capabilities) if scene.tool else []
            return f"guardhouse allow tool {quote(finding.detail)} --can {','.join(known) or 'WHAT'}"
        case "pin" if isinstance(scene.action, ToolCallPre):
            return f"guardhouse pins accept {quote(scene.action.tool)}"
    return ""
