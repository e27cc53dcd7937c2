"""A case put to people: what they are asked, and what is left of the verdict once they have answered.

Pure, like the decision before it. Who asks whom, and how answers are kept, is the keeper of approvals'.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.decide import MOST_COUNTED, asking, covers, own_reason, redacted, withheld
from guardhouse.detect import hides
from guardhouse.detect.asking import place_of
from guardhouse.detect.provenance import GRANTABLE, MOST_SUPPLIED, grantable_fields, grantable_values, traced_values
from guardhouse.model import (
    ApprovalRequest,
    ApprovalStatus,
    Asked,
    Condition,
    Decision,
    Grant,
    Reason,
    Settlement,
    SkillRunPre,
    Span,
    Supply,
    Target,
    ToolCallPre,
    Verdict,
    bind,
    typed_digest,
    wire,
)
from guardhouse.model.actions import is_named
from guardhouse.policy import APPROVED, BY_GRANT, CONDITION_UNKNOWN, EDITED, REFUSED
from guardhouse.policy.codes import JUDGE_AGAINST
from guardhouse.redact import loss, masked_wire
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.decide import Case


class Consultation:
    """One case, as people are asked about it."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def asked(self, verdict: Verdict) -> Asked:
        """The question to a person that a verdict of `require_approval` leads to."""
        described = self._case.described
        mask = self._case.mask
        return Asked(
            bound=bind(self._case.action, self._case.binding),
            resume=msgspec.json.encode(wire(self._case.action)),
            action_type=described.action_type,
            tool_name=described.tool_name,
            session_id=described.session_id,
            run_id=described.run_id,
            principal=described.principal,
            action_summary_redacted="\n".join((described.summary.text, *self._losses())),
            action_redacted=masked_wire(self._case.action, self._case.scene.body[0], self._case.masked_body, mask),
            risk_level=verdict.risk_level,
            reasons=verdict.reasons,
            codes=tuple(sorted(asking(verdict))),
            policy_revision=verdict.policy_revision,
            bound_to=self._bound_to(),
            supplied=(supplied := self._supplied(verdict)),
            kin=self._kin(verdict, supplied),
            turn=self._turn(),
            targets=self._targets(verdict),
            conditional=self._is_conditional,
            executes=self._executes,
            values=(offered := self._values(verdict))[0],
            only_values=offered[1],
        )

    def _supplied(self, verdict: Verdict) -> tuple[Supply, ...]:
        """Who supplied which value of the call. Values may be offered for the rest of a run only if nothing asks but
        where they come from."""
        is_offered = GRANTABLE.issuperset(asking(verdict)) and not _is_judged_against(verdict)
        offered = grantable_fields(self._case.scene) if is_offered else frozenset()
        mask = self._case.mask or str
        return tuple(
            Supply(
                field=mask(one.field),
                source=one.source,
                tool=mask(one.seen.event.name) if one.seen is not None else "",
                call_id=(one.seen.event.call_id or "") if one.seen is not None else "",
                offered=one.field in offered,
            )
            for one in traced_values(self._case.scene)[:MOST_SUPPLIED]
        )

    def _values(self, verdict: Verdict) -> tuple[tuple[str, ...], bool]:
        """Digests of the values that may be offered so, and whether nothing but them asks."""
        if not GRANTABLE.issuperset(asking(verdict)) or _is_judged_against(verdict):
            return (), False
        return grantable_values(self._case.scene)

    def _kin(self, verdict: Verdict, supplied: tuple[Supply, ...]) -> str:
        """What questions of one tool, for the same reasons, about values from one source have in common."""
        tool, codes = getattr(self._case.action, "tool", ""), sorted(asking(verdict))
        if not tool or not codes:
            return ""
        doubtful = sorted({(one.source, one.tool, one.call_id) for one in supplied if one.offered})
        return typed_digest({"tool": tool, "codes": codes, "from": [list(one) for one in doubtful]})

    def _turn(self) -> str:
        """What questions between two messages of the user's have in common."""
        state = self._case.facts.session
        if state is None or not state.kept or state.error or not self._case.action.session_id:
            return ""
        return typed_digest(
            {"session": self._case.action.session_id, "principal": self._case.action.principal, "messages": state.user}
        )

    def _targets(self, verdict: Verdict) -> tuple[Target, ...]:
        """What asks, and about which place; nothing unless that is so of all that asks, and can be shown as it is."""
        causes = self._case.judgement.asking if self._case.judgement is not None else ()
        if not causes or {name for name, _ in causes} != asking(verdict) or _is_judged_against(verdict):
            return ()
        found: set[Target] = set()
        for name, finding in causes:
            place = place_of(self._case.scene, finding)
            masked = self._case.mask(place) if self._case.mask is not None else place
            if not place or masked != place or self._holds_piece(place) or len(found) == _MOST_TARGETS:
                return ()
            found.add(Target(name, place))
        return tuple(sorted(found))

    @property
    def _is_conditional(self) -> bool:
        """Whether the result of this call will be known as its own, and be all that comes back of it."""
        action = self._case.action
        if not self._case.remembers or not isinstance(action, ToolCallPre) or not is_named(action.call_id):
            return False
        from guardhouse.trust.returning import returns_elsewhere  # only where somebody is asked

        return not returns_elsewhere(action.tool, action.params)

    @property
    def _executes(self) -> bool:
        """Whether the tool may run what it is given: then it can put elsewhere what its result would show."""
        profile = self._case.scene.rule_tool
        return profile is None or profile.may(Capability.EXECUTES)

    def _bound_to(self) -> tuple[str, ...]:
        """The files and programs that must stay as they are, but for names that are made of a piece of a secret."""
        told = [name for name in self._case.facts.kept if not self._holds_piece(name)]
        return tuple(map(self._case.mask, told[:_MOST_NAMED]) if self._case.mask is not None else told[:_MOST_NAMED])

    def _losses(self) -> Iterator[str]:
        """How much would be lost, a line for each place. Files come and go, so no approval is bound to it."""
        for path, effect in self._case.at_stake.items():
            extent = self._case.facts.extents.get(path)
            if extent is not None:
                mask = _hidden if self._holds_piece(path) else self._case.mask
                yield from loss(path, extent, effect, mask)
        if len(self._case.at_stake) > MOST_COUNTED:
            yield f"not counted: what would be lost in {len(self._case.at_stake) - MOST_COUNTED:,} other places"

    def _holds_piece(self, name: str) -> bool:
        """Whether the name of a file is made of a piece of a secret, which may not look like one any more."""
        return any(piece in name for piece in self._pieces)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        secrets = [leaf.text[match.start : match.end] for leaf, match in self._case.scene.secrets]
        return frozenset(piece for secret in secrets for piece in secret.split("=") if len(piece) >= _SHORTEST_PIECE)

    @property
    def is_showable(self) -> bool:
        """Whether a person can be shown the whole of it, with nothing hidden behind a mask but a secret, and in a size
        that can be read. Otherwise nobody can be asked."""
        field, body = self._case.scene.body
        redactor = self._case.policy.redactor
        if hides(self._case.scene) or (self._case.scene.secrets and redactor.once(body) != redactor.value(body)):
            return False
        shown = masked_wire(self._case.action, field, self._case.masked_body, self._case.mask)
        if any(shown.get(name) != getattr(self._case.action, name, None) for name in _TELLING):
            return False
        return len(msgspec.json.encode(shown)) <= _LARGEST_SHOWN

    def settled(self, verdict: Verdict, settlement: Settlement) -> Verdict:
        """The verdict once the keeper of approvals has spoken about it."""
        request = settlement.request
        known = msgspec.structs.replace(
            verdict,
            approval_request_id=request.id if request is not None else None,
            approval_status=request.status if request is not None else None,
            approval_actor=request.actor if request is not None else None,
        )
        if settlement.granted and settlement.grant is not None:
            return self._covered(known, settlement.grant, settlement.values)
        if settlement.granted and request is not None:
            settled = self._approved(known, request) if verdict.decision is Decision.REQUIRE_APPROVAL else known
            return self._on_condition(settled, request.terms.condition)
        if settlement.refusal is not None:
            return self._refused(known, settlement)
        if request is None or request.status is not ApprovalStatus.PENDING:
            raise ValueError("a question was neither granted, nor refused, nor put to anybody")
        return known

    def _approved(self, verdict: Verdict, request: ApprovalRequest) -> Verdict:
        """The verdict when a person has said yes to exactly this."""
        approved = frozenset(request.codes)
        if not covers(approved, verdict) or request.action_hash != verdict.action_hash:
            raise ValueError("the approval does not cover this verdict")
        by = own_reason(APPROVED, Decision.ALLOW, f"by {request.actor}, {request.id}")
        return self._let_through(verdict, approved, by)

    def _covered(self, verdict: Verdict, grant: Grant, values: tuple[str, ...]) -> Verdict:
        """The verdict when a person's grant covers it: looked at here again, whatever the keeper of grants says."""
        approved = frozenset(grant.codes)
        is_it = grant.action_hash == verdict.action_hash
        if grant.reach == "destination":
            targets = self._targets(verdict)
            is_it = bool(targets) and set(targets) <= set(grant.targets)
        elif grant.reach == "values":
            doubtful, is_all = self._values(verdict)
            is_it = is_all and bool(doubtful) and set(doubtful) <= set(values)
        if not covers(approved, verdict) or not is_it or verdict.risk_level > grant.risk_level:
            raise ValueError("the grant does not cover this verdict")
        by = own_reason(BY_GRANT, Decision.ALLOW, f"by {grant.actor}, {grant.id}")
        known = msgspec.structs.replace(verdict, grant_id=grant.id, approval_status=None, approval_actor=grant.actor)
        passed = self._let_through(known, approved, by)
        if grant.condition is not None and grant.reach != "exact" and self._executes:
            return withheld(passed, CONDITION_UNKNOWN, "a tool that runs what it is given")
        return self._on_condition(passed, grant.condition)

    def _on_condition(self, verdict: Verdict, condition: Condition | None) -> Verdict:
        """The verdict, with how much of the result may be seen; a deny if that could not be seen to."""
        if condition is None or verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return verdict
        if not self._is_conditional:
            return withheld(verdict, CONDITION_UNKNOWN, "its result has no name, or may come by another call")
        self._case.condition = condition
        return msgspec.structs.replace(verdict, condition=condition.words)

    def edited(self, verdict: Verdict) -> Verdict:
        """The verdict for whoever made another call, in the place of which a person put this one."""
        if verdict.decision > Decision.ALLOW_WITH_REDACTION or not isinstance(
            self._case.action, (ToolCallPre, SkillRunPre)
        ):
            return verdict
        return msgspec.structs.replace(
            verdict,
            decision=Decision.ALLOW_WITH_REDACTION,
            params=verdict.params if verdict.params is not None else self._case.action.params,
            edited=True,
            reasons=(own_reason(EDITED, Decision.ALLOW), *verdict.reasons),
        )

    def _let_through(self, verdict: Verdict, approved: frozenset[str], by: Reason) -> Verdict:
        """What is left when a person has said yes: the causes that asked are settled, every other one stands."""
        others = [one.decision for one in verdict.reasons if one.decision is not Decision.REQUIRE_APPROVAL]
        left = Decision.ALLOW if verdict.mode == "observe" else max(others, default=Decision.ALLOW)
        verdict = msgspec.structs.replace(verdict, decision=left, reasons=(by, *verdict.reasons))
        if left is Decision.ALLOW_WITH_REDACTION and self._case.judgement is not None:
            masked = redacted(self._case.scene, verdict, self._case.judgement, self._case.policy.redactor)
            verdict = self._case.sendable(masked, approved)
        return self._case.limited(verdict)

    def _refused(self, verdict: Verdict, settlement: Settlement) -> Verdict:
        """The verdict when there is no approval to be had: a deny that says why."""
        code = REFUSED[settlement.refusal or "unknown"]
        request = settlement.request
        redactor = self._case.policy.redactor
        detail = ""
        if settlement.refusal == "denied" and request is not None:
            detail = f"by {request.actor}"
        reasons = [own_reason(code, Decision.DENY, detail)]
        if settlement.refusal == "drift":
            # Names of files are made of pieces of the action: they are told only if there is no secret in it.
            told = [name for name in settlement.drifted if self._case.mask is None or _field(name) is not None]
            drifted = [redactor.text(name) for name in told] or ["a file or program that it names"]
            reasons = [
                msgspec.structs.replace(own_reason(code, Decision.DENY, _changed(name)), span=_field(name))
                for name in drifted
            ] or reasons
        elif settlement.refusal == "denied" and request is not None and request.comment:
            # The person's own words, for the agent: the one thing here that was written for it.
            said = redactor.text(request.comment)
            reasons = [msgspec.structs.replace(reasons[0], instead=f"The person who was asked says: {said}")]
        return msgspec.structs.replace(verdict, decision=Decision.DENY, reasons=(*reasons, *verdict.reasons))


_MOST_NAMED: Final = 64
_MOST_TARGETS: Final = 16
"""Places of one call that a person can grant; nobody reads more."""
_SHORTEST_PIECE: Final = 3
_TELLING: Final = ("tool", "skill", "store", "cwd", "principal")
"""Names that say what is done, where, and for whom: a mask in one of them hides that."""
_LARGEST_SHOWN: Final = 128 * 1024
"""Bytes of an action beyond which no person reads it to its end."""


def _hidden(_text: str) -> str:
    return "[redacted]"


def _changed(name: str) -> str:
    """What drifted, in words."""
    kind, _, subject = name.partition(":")
    match kind:
        case "real_path":
            return f"{subject} leads elsewhere now"
        case "file":
            return f"{subject} was changed"
        case "program":
            return f"the program {subject} is another one now"
    return f"{name} is different"


def _field(name: str) -> Span | None:
    return None if name.startswith(("real_path:", "file:", "program:")) else Span(name)


def _is_judged_against(verdict: Verdict) -> bool:
    """Whether a second opinion is against the call. Then a yes that was given to calls like it is none to this one."""
    return any(reason.code == JUDGE_AGAINST.id for reason in verdict.reasons)
