"""The decision, as a pure function: same action, same facts, same policy, same verdict.

`decide` either gives a verdict or says which facts it still needs. It does no I/O, reads no clock and makes no ids;
the gate does that around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from guardhouse.detect import Scene, inspect, masker, needs
from guardhouse.model import (
    Action,
    Decision,
    Facts,
    Finding,
    Need,
    Reason,
    ReasonCode,
    RiskLevel,
    SkillRunPre,
    ToolCallPre,
    Verdict,
    action_hash,
)
from guardhouse.policy import DISABLED, INTERNAL_ERROR, REDACTION_FAILED, Judgement, Policy

if TYPE_CHECKING:
    from guardhouse.redact import Redactor


class Needs(msgspec.Struct, frozen=True):
    """Not decided yet: these facts are missing."""

    needs: tuple[Need, ...]


def decide(action: Action, facts: Facts, policy: Policy) -> Verdict | Needs:
    """The verdict on an admitted `action`, or the facts it still depends on.

    Facts that were asked for and answered are not asked for again, so a caller that answers every need, with an error
    if it must, gets its verdict.
    """
    return Case(action, policy).decide(facts)


class Case:
    """One action before one policy. `decide` may be called again with more facts; what was already read out of the
    action is kept, and the answer is the same as if everything were looked at afresh."""

    def __init__(self, action: Action, policy: Policy) -> None:
        self.action = action
        self.policy = policy
        self._scene = Scene(action, policy.settings)
        self._asked = False

    def decide(self, facts: Facts, *, last: bool = False) -> Verdict | Needs:
        """The verdict, or what it still depends on. The `last` time, what is still missing counts as a failure."""
        policy = self.policy
        if not policy.config.enabled:
            return _switched_off(self.action, policy)
        scene = self._scene
        scene.learn(facts)
        if not self._asked:
            self._asked = True
            missing = needs(scene, policy.extra_detectors)
            if missing and not last:
                return Needs(missing)
        findings = inspect(scene, policy.extra_detectors, last=last)
        if scene.unanswered and not last:
            return Needs(scene.unanswered)
        try:
            return self._judged(scene, findings, facts)
        except Exception as error:  # noqa: BLE001 - a deny may have been found and lost with it, so nobody is asked
            return refused(INTERNAL_ERROR, policy.revision, detail=type(error).__name__)

    def _judged(self, scene: Scene, findings: tuple[Finding, ...], facts: Facts) -> Verdict:
        policy = self.policy
        judgement = policy.engine.judge(scene, findings)
        observed = policy.engine.observe
        verdict = Verdict(
            decision=judgement.decision,
            risk_level=judgement.risk_level,
            reasons=judgement.reasons,
            policy_revision=policy.revision,
            action_hash=action_hash(self.action, _binding(facts)),
            findings=findings,
            mode="observe" if observed else "enforce",
            would_be=judgement.would_be if observed else None,
        )
        mask = masker(scene, findings)
        if mask is not None:
            verdict = msgspec.structs.replace(
                verdict,
                reasons=tuple(map(mask.reason, verdict.reasons)),
                findings=tuple(map(mask.finding, findings)),
            )
        if verdict.decision is Decision.ALLOW_WITH_REDACTION:
            return self._sendable(_redacted(scene, verdict, judgement, policy.redactor), facts)
        return verdict

    def _sendable(self, verdict: Verdict, facts: Facts) -> Verdict:
        """The verdict on a call whose parameters were masked: what will be sent must be allowed as well."""
        if verdict.params is None or not isinstance(self.action, (ToolCallPre, SkillRunPre)):
            return verdict
        masked = msgspec.structs.replace(self.action, params=verdict.params)
        again = Case(masked, self.policy).decide(facts, last=True)
        if isinstance(again, Verdict) and again.decision is Decision.ALLOW:
            return verdict
        decision = Decision.REQUIRE_APPROVAL
        if isinstance(again, Verdict) and again.decision > decision:
            decision = again.decision
        return msgspec.structs.replace(
            verdict,
            decision=decision,
            params=None,
            reasons=(_own_reason(REDACTION_FAILED, decision, "the masked call would not be allowed"), *verdict.reasons),
        )


def refused(code: ReasonCode, revision: str, *, asks_first: bool = False, detail: str = "") -> Verdict:
    """The verdict when the gate itself can't do its work: never an allow.

    Where a person can still be asked before anything happens, they are; content that can't be checked is withheld.
    """
    decision = Decision.REQUIRE_APPROVAL if asks_first else Decision.DENY
    return Verdict(
        decision=decision,
        risk_level=RiskLevel.HIGH,
        reasons=(_own_reason(code, decision, detail),),
        policy_revision=revision,
    )


def _own_reason(code: ReasonCode, decision: Decision, detail: str = "") -> Reason:
    return Reason(
        code=code.id,
        decided_by="guard",
        decision=decision,
        severity=code.severity,
        title=f"{code.title} ({detail})" if detail else code.title,
        why=code.why,
        instead=code.instead,
    )


def _switched_off(action: Action, policy: Policy) -> Verdict:
    return Verdict(
        decision=Decision.ALLOW,
        risk_level=RiskLevel.LOW,
        reasons=(_own_reason(DISABLED, Decision.ALLOW),),
        policy_revision=policy.revision,
        action_hash=action_hash(action),
        mode="disabled",
    )


def _binding(facts: Facts) -> dict[str, str]:
    """The facts an approval is bound to: where paths lead. Addresses are left out, because they rotate."""
    return {f"real_path:{path}": answer.path or "unresolved" for path, answer in facts.real_paths.items()}


def _redacted(scene: Scene, verdict: Verdict, judgement: Judgement, redactor: Redactor) -> Verdict:
    """The verdict with what may be passed on; a deny if that can't be made, or is no different after all."""
    body = scene.body[1]
    try:
        value = _mask_patterns(redactor.value(body), judgement.masks)
        unchanged = bool(value == body)
    except Exception as error:  # noqa: BLE001 - what can't be masked is not passed on
        return _not_redacted(verdict, type(error).__name__)
    if unchanged:
        return _not_redacted(verdict, "nothing changed")
    if isinstance(scene.action, (ToolCallPre, SkillRunPre)):
        return msgspec.structs.replace(verdict, params=value)
    return msgspec.structs.replace(verdict, content=value)


def _not_redacted(verdict: Verdict, detail: str) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        decision=Decision.DENY,
        reasons=(_own_reason(REDACTION_FAILED, Decision.DENY, detail), *verdict.reasons),
    )


def _mask_patterns(value: Any, patterns: tuple[Any, ...]) -> Any:
    """`value` with every match of a rule's expressions masked, in strings and in keys."""
    if not patterns:
        return value
    if isinstance(value, str):
        for pattern in patterns:
            value = pattern.sub("[redacted]", value)
        return value
    if isinstance(value, list):
        return [_mask_patterns(item, patterns) for item in value]
    if isinstance(value, dict):
        masked: dict[str, Any] = {}
        for key, item in value.items():
            name = shown = _mask_patterns(key, patterns)
            number = 1
            while name != key and (name in masked or name in value):  # keys that become equal must not swallow another
                number += 1
                name = f"{shown} ({number})"
            masked[name] = _mask_patterns(item, patterns)
        return masked
    return value
