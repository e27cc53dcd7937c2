"""The decision, as a pure function: same action, same facts, same policy, same verdict.

`decide` either gives a verdict or says which facts it still needs. It does no I/O, reads no clock and makes no ids;
the gate does that around it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.detect import (
    FAILED,
    LABEL_DOUBTFUL,
    Scene,
    TooMuchToBind,
    at_stake,
    bindings,
    hides,
    inspect,
    masker,
    needs,
)
from guardhouse.detect.provenance import GRANTABLE, MOST_SUPPLIED, is_grantable, traced_values
from guardhouse.detect.sensitive_data import LARGEST_NUMBER
from guardhouse.model import (
    NO_FACTS,
    Action,
    ApprovalRequest,
    ApprovalStatus,
    Asked,
    Decision,
    ExtentOf,
    Facts,
    Finding,
    Grade,
    MemoryReadPost,
    Need,
    NewEvent,
    OutputPublish,
    Reason,
    ReasonCode,
    Remembered,
    RiskLevel,
    Settlement,
    SkillRunPost,
    SkillRunPre,
    Span,
    Supply,
    ToolCallPost,
    ToolCallPre,
    UserInput,
    Verdict,
    bind,
    typed_digest,
    visible,
    wire,
)
from guardhouse.policy import (
    APPROVED,
    DISABLED,
    INTERNAL_ERROR,
    REDACTION_FAILED,
    REFUSED,
    UNSHOWABLE,
    Judgement,
    Policy,
)
from guardhouse.redact import Description, describe, loss, masked_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.detect import Masker
    from guardhouse.model import Effect
    from guardhouse.redact import Redactor
    from guardhouse.trust import Announcement


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

    def __init__(
        self,
        action: Action,
        policy: Policy,
        *,
        binds: Literal["never", "asks", "always"] = "never",
        announced: Announcement | None = None,
    ) -> None:
        """`binds` says whether the verdict is bound to what the files it is about hold: if it asks and a person can be
        asked, or in any case, because it goes back to an approval. `announced` is what the tool is said to be by the
        program that calls it."""
        self.action = action
        self.policy = policy
        self._binds = binds
        self._announced = announced
        settings = policy.settings
        if announced is not None:
            settings = msgspec.structs.replace(settings, tools=settings.tools.hearing(announced))
        self._scene = Scene(action, settings)
        self._asked = False
        self._facts = NO_FACTS
        self._judgement: Judgement | None = None
        self._at_stake: dict[str, Effect] = {}
        self._masker: tuple[Masker | None] | None = None
        self._for_run = False

    def decide(self, facts: Facts, *, last: bool = False) -> Verdict | Needs:
        """The verdict, or what it still depends on. The `last` time, what is still missing counts as a failure."""
        policy = self.policy
        if not policy.config.enabled:
            return _switched_off(self.action, policy)
        scene = self._scene
        scene.learn(facts)
        self._facts = facts
        if not self._asked:
            self._asked = True
            missing = needs(scene, policy.extra_detectors)
            if missing and not last:
                return Needs(missing)
        findings = inspect(scene, policy.extra_detectors, last=last)
        if scene.unanswered and not last:
            return Needs(scene.unanswered)
        try:
            judgement = self._judgement = policy.engine.judge(scene, findings)
            if self._is_bound(judgement):
                wanted = bindings(scene, findings, policy.extra_detectors)
                missing = tuple(need for need in wanted if not facts.answers(need))
                if missing and last:
                    return refused(INTERNAL_ERROR, policy.revision, detail="too many questions")
                missing += self._uncounted(scene, findings)
                if missing and not last:
                    return Needs(missing)
            return self._judged(scene, findings, judgement)
        except TooMuchToBind:
            return refused(UNSHOWABLE, policy.revision)
        except Exception as error:  # noqa: BLE001 - a deny may have been found and lost with it, so nobody is asked
            return refused(INTERNAL_ERROR, policy.revision, detail=type(error).__name__)

    def _is_bound(self, judgement: Judgement) -> bool:
        return self._binds == "always" or (self._binds == "asks" and judgement.decision is Decision.REQUIRE_APPROVAL)

    def _uncounted(self, scene: Scene, findings: tuple[Finding, ...]) -> tuple[Need, ...]:
        """What a person who is asked would want to know, and nothing depends on: how much would be lost."""
        if self._binds != "asks":
            return ()
        self._at_stake = at_stake(scene, findings)
        wanted = (ExtentOf(path) for path in list(self._at_stake)[:_MOST_COUNTED])
        return tuple(need for need in wanted if not self._facts.answers(need))

    def _judged(self, scene: Scene, findings: tuple[Finding, ...], judgement: Judgement) -> Verdict:
        policy = self.policy
        observed = policy.engine.observe
        verdict = Verdict(
            decision=judgement.decision,
            risk_level=judgement.risk_level,
            reasons=judgement.reasons,
            policy_revision=policy.revision,
            action_hash=bind(self.action, self._binding).hash,
            findings=findings,
            facts=_recordable(self._facts, self._binding),
            untrusted=self._is_untrusted(findings),
            mode="observe" if observed else "enforce",
            would_be=judgement.would_be if observed else None,
        )
        mask = masker(scene, findings, judgement.masks)
        self._masker = (mask,)
        if mask is not None:
            verdict = msgspec.structs.replace(
                verdict,
                reasons=tuple(map(mask.reason, verdict.reasons)),
                findings=tuple(map(mask.finding, findings)),
                facts=mask.facts(verdict.facts),
            )
        if verdict.decision is Decision.ALLOW_WITH_REDACTION:
            return self._sendable(_redacted(scene, verdict, judgement, policy.redactor))
        return verdict

    def _sendable(self, verdict: Verdict, approved: frozenset[str] = frozenset()) -> Verdict:
        """The verdict on a call whose parameters were masked: what will be sent must be allowed, or approved, too."""
        if verdict.params is None or not isinstance(self.action, (ToolCallPre, SkillRunPre)):
            return verdict
        masked = msgspec.structs.replace(self.action, params=verdict.params)
        again = Case(masked, self.policy, announced=self._announced).decide(self._facts, last=True)
        if isinstance(again, Verdict) and (again.decision is Decision.ALLOW or _covers(approved, again)):
            return verdict
        decision = Decision.DENY if approved else Decision.REQUIRE_APPROVAL
        if isinstance(again, Verdict) and again.decision > decision:
            decision = again.decision
        return msgspec.structs.replace(
            verdict,
            decision=decision,
            params=None,
            reasons=(_own_reason(REDACTION_FAILED, decision, "the masked call would not be allowed"), *verdict.reasons),
        )

    @property
    def _binding(self) -> dict[str, str]:
        """The facts that an approval is bound to: none where a call has been made already."""
        return {} if isinstance(self.action, ToolCallPost) else self._facts.binding

    @property
    def content(self) -> Any:
        """What the action brings, unmasked."""
        return self._scene.body[1]

    @property
    def source(self) -> str:
        """Where it comes from, in a few words, masked."""
        match self.action:
            case ToolCallPost():
                source = f"the tool {self.action.tool}"
            case MemoryReadPost():
                source = f"the memory {self.action.store}"
            case SkillRunPost():
                source = f"the skill {self.action.skill}"
            case _:
                source = self.action.type
        return self._mask(source) if self._mask is not None else source

    def _is_untrusted(self, findings: tuple[Finding, ...]) -> bool:
        """Whether the action brings in content from outside. What nobody has described may come from anywhere."""
        if isinstance(self.action, ToolCallPost):
            from guardhouse.detect.grading import evidence_of  # only where something came back

            doubted = any(finding.code == LABEL_DOUBTFUL.id for finding in findings)
            return doubted or not evidence_of(self._scene).is_trusted
        return isinstance(self.action, (MemoryReadPost, SkillRunPost))

    @cached_property
    def described(self) -> Description:
        """The action as it may be recorded."""
        return describe(self.action, self._masked_body, self._mask)

    @property
    def _mask(self) -> Callable[[str], str] | None:
        """What masks the names around the body; None if there is nothing to mask. Also where nothing was judged."""
        if self._masker is None:
            self._masker = (masker(self._scene, (), self._judgement.masks if self._judgement else ()),)
        found = self._masker[0]
        return found.text if found is not None else None

    @cached_property
    def _masked_body(self) -> Any:
        """What the action says, without its secrets and without what rules mask."""
        body = self._scene.body[1]
        if self._scene.secrets:
            body = self.policy.redactor.value(body)
        return _mask_patterns(body, self._judgement.masks if self._judgement is not None else ())

    def remembered(self, verdict: Verdict) -> tuple[Remembered, ...]:
        """What its session remembers of the action, if it is part of one and brings something into it."""
        event = self._event(verdict)
        withheld = event is None and self.action.session_id and isinstance(self.action, ToolCallPost)
        if event is None and not withheld:
            return ()
        from guardhouse.remembering import of_call, remember  # only where a session is remembered

        if event is None:
            # What came back is withheld; that the call was made, and what the model wrote into it, is so all the same.
            made = NewEvent(kind="tool_returned", name=self.described.tool_name or "", grade="trusted")
            return of_call(self._scene, made)

        masks = self._judgement.masks if self._judgement is not None else ()
        mask = self.policy.redactor.text
        return remember(self._scene, verdict, event, lambda text: _mask_patterns(mask(text), masks))

    def unread(self) -> Remembered | None:
        """What its session remembers of what came in if nothing of it could be read: that it did."""
        if not self.action.session_id or not isinstance(self.action, (ToolCallPost, MemoryReadPost, SkillRunPost)):
            return None
        return Remembered(NewEvent(kind="tool_returned", grade="untrusted"), cut=True)

    def _event(self, verdict: Verdict) -> NewEvent | None:
        action = self.action
        if not action.session_id or verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return None
        if isinstance(action, ToolCallPre) and not self._for_run:
            return None
        grade: Grade = "untrusted" if verdict.untrusted else "trusted"
        excerpt = self._excerpt() if verdict.untrusted else ""  # of what may have to be quoted, and of nothing else
        match action:
            case UserInput():
                # Only words that a person typed carry authority; what they pasted is somebody's text.
                by: Grade = "user" if action.origin == "typed" else "untrusted"
                return NewEvent(kind="user_said", name=action.origin, grade=by)
            case OutputPublish():
                if (action.channel or "").startswith(_TO_SERVER):
                    return None  # sent to a server, and not shown to the user, whose yes can't mean it
                # A model's words may be anybody's.
                return NewEvent(kind="assistant_showed", grade="untrusted")
            case ToolCallPre():
                name, call_id = self.described.tool_name or "", self.described.call_id
                return NewEvent(kind="granted", name=name, call_id=call_id, grade="trusted")
            case ToolCallPost():
                name, call_id = self.described.tool_name or "", self.described.call_id
                return NewEvent(kind="tool_returned", name=name, call_id=call_id, grade=grade, excerpt=excerpt)
            case MemoryReadPost():
                name = self.described.tool_name or ""
                return NewEvent(kind="memory_returned", name=name, grade=grade, excerpt=excerpt)
            case SkillRunPost():
                name = self.described.tool_name or ""
                return NewEvent(kind="skill_returned", name=name, grade=grade, excerpt=excerpt)
        return None

    def _excerpt(self) -> str:
        """The beginning of what the action says, masked, in one line."""
        pieces = (leaf.masked for leaf in self._scene.leaves if not leaf.is_key)
        text = " ".join(" ".join(islice(pieces, _MOST_PIECES)).split())
        masked: str = _mask_patterns(text, self._judgement.masks if self._judgement is not None else ())
        return visible(masked[:_LONGEST_EXCERPT])

    def asked(self, verdict: Verdict) -> Asked:
        """The question to a person that a verdict of `require_approval` leads to."""
        described = self.described
        mask = self._mask
        return Asked(
            bound=bind(self.action, self._binding),
            resume=msgspec.json.encode(wire(self.action)),
            action_type=described.action_type,
            tool_name=described.tool_name,
            session_id=described.session_id,
            run_id=described.run_id,
            principal=described.principal,
            action_summary_redacted="\n".join((described.summary.text, *self._losses())),
            action_redacted=masked_wire(self.action, self._scene.body[0], self._masked_body, mask),
            risk_level=verdict.risk_level,
            reasons=verdict.reasons,
            codes=tuple(sorted(_asking(verdict))),
            policy_revision=verdict.policy_revision,
            bound_to=self._bound_to(),
            supplied=(supplied := self._supplied(verdict)),
            kin=self._kin(verdict, supplied),
        )

    def _supplied(self, verdict: Verdict) -> tuple[Supply, ...]:
        """Who supplied which value of the call. Values may be offered for the rest of a run only if nothing asks but
        where they come from."""
        grantable = GRANTABLE.issuperset(_asking(verdict))
        mask = self._mask or str
        return tuple(
            Supply(
                field=mask(one.field),
                source=one.source,
                tool=mask(one.seen.event.name) if one.seen is not None else "",
                call_id=(one.seen.event.call_id or "") if one.seen is not None else "",
                offered=grantable and is_grantable(one),
            )
            for one in traced_values(self._scene)[:MOST_SUPPLIED]
        )

    def _kin(self, verdict: Verdict, supplied: tuple[Supply, ...]) -> str:
        """What questions of one tool about values from one source have in common."""
        doubtful = sorted({(one.source, one.tool, one.call_id) for one in supplied if one.offered})
        if not doubtful:
            return ""
        tool = getattr(self.action, "tool", "")
        return typed_digest({"tool": tool, "codes": sorted(_asking(verdict)), "from": [list(one) for one in doubtful]})

    def _bound_to(self) -> tuple[str, ...]:
        """The files and programs that must stay as they are, but for names that are made of a piece of a secret."""
        told = [name for name in self._facts.kept if not self._holds_piece(name)]
        return tuple(map(self._mask, told[:_MOST_NAMED]) if self._mask is not None else told[:_MOST_NAMED])

    def _losses(self) -> Iterator[str]:
        """How much would be lost, a line for each place. Files come and go, so no approval is bound to it."""
        for path, effect in self._at_stake.items():
            extent = self._facts.extents.get(path)
            if extent is not None:
                mask = _hidden if self._holds_piece(path) else self._mask
                yield from loss(path, extent, effect, mask)
        if len(self._at_stake) > _MOST_COUNTED:
            yield f"not counted: what would be lost in {len(self._at_stake) - _MOST_COUNTED:,} other places"

    def _holds_piece(self, name: str) -> bool:
        """Whether the name of a file is made of a piece of a secret, which may not look like one any more."""
        return any(piece in name for piece in self._pieces)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        secrets = [leaf.text[match.start : match.end] for leaf, match in self._scene.secrets]
        return frozenset(piece for secret in secrets for piece in secret.split("=") if len(piece) >= _SHORTEST_PIECE)

    @property
    def is_showable(self) -> bool:
        """Whether a person can be shown the whole of it, with nothing hidden behind a mask but a secret, and in a size
        that can be read. Otherwise nobody can be asked."""
        field, body = self._scene.body
        redactor = self.policy.redactor
        if hides(self._scene) or (self._scene.secrets and redactor.once(body) != redactor.value(body)):
            return False
        shown = masked_wire(self.action, field, self._masked_body, self._mask)
        if any(shown.get(name) != getattr(self.action, name, None) for name in _TELLING):
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
        if settlement.granted and request is not None:
            self._for_run = request.for_run
            return self._approved(known, request) if verdict.decision is Decision.REQUIRE_APPROVAL else known
        if settlement.refusal is not None:
            return self._refused(known, settlement)
        if request is None or request.status is not ApprovalStatus.PENDING:
            raise ValueError("a question was neither granted, nor refused, nor put to anybody")
        return known

    def _approved(self, verdict: Verdict, request: ApprovalRequest) -> Verdict:
        """What is left when a person has said yes: the causes that asked are settled, every other one stands."""
        approved = frozenset(request.codes)
        if not _covers(approved, verdict) or request.action_hash != verdict.action_hash:
            raise ValueError("the approval does not cover this verdict")
        others = [one.decision for one in verdict.reasons if one.decision is not Decision.REQUIRE_APPROVAL]
        left = Decision.ALLOW if verdict.mode == "observe" else max(others, default=Decision.ALLOW)
        by = _own_reason(APPROVED, Decision.ALLOW, f"by {request.actor}, {request.id}")
        verdict = msgspec.structs.replace(verdict, decision=left, reasons=(by, *verdict.reasons))
        if left is Decision.ALLOW_WITH_REDACTION and self._judgement is not None:
            redacted = _redacted(self._scene, verdict, self._judgement, self.policy.redactor)
            return self._sendable(redacted, approved)
        return verdict

    def _refused(self, verdict: Verdict, settlement: Settlement) -> Verdict:
        """The verdict when there is no approval to be had: a deny that says why."""
        code = REFUSED[settlement.refusal or "unknown"]
        request = settlement.request
        redactor = self.policy.redactor
        detail = ""
        if settlement.refusal == "denied" and request is not None:
            detail = f"by {request.actor}"
        reasons = [_own_reason(code, Decision.DENY, detail)]
        if settlement.refusal == "drift":
            # Names of files are made of pieces of the action: they are told only if there is no secret in it.
            told = [name for name in settlement.drifted if self._mask is None or _field(name) is not None]
            drifted = [redactor.text(name) for name in told] or ["a file or program that it names"]
            reasons = [
                msgspec.structs.replace(_own_reason(code, Decision.DENY, _changed(name)), span=_field(name))
                for name in drifted
            ] or reasons
        elif settlement.refusal == "denied" and request is not None and request.comment:
            # The person's own words, for the agent: the one thing here that was written for it.
            said = redactor.text(request.comment)
            reasons = [msgspec.structs.replace(reasons[0], instead=f"The person who was asked says: {said}")]
        return msgspec.structs.replace(verdict, decision=Decision.DENY, reasons=(*reasons, *verdict.reasons))


_MOST_NAMED: Final = 64
_MOST_COUNTED: Final = 8
"""Places of one call for which it is counted how much would be lost."""
_SHORTEST_PIECE: Final = 3
_TELLING: Final = ("tool", "skill", "store", "cwd", "principal")
"""Names that say what is done, where, and for whom: a mask in one of them hides that."""
_LARGEST_SHOWN: Final = 128 * 1024
"""Bytes of an action beyond which no person reads it to its end."""


_TO_SERVER: Final = "mcp:"
"""How the channel begins by which a gateway publishes to a server."""
_LONGEST_EXCERPT: Final = 160
_MOST_PIECES: Final = 8


def _hidden(_text: str) -> str:
    return "[redacted]"


def _asking(verdict: Verdict) -> set[str]:
    """The codes of what asks. A rule that asks, or a detector that failed, is named: approving one question answers no
    other."""
    return {
        f"{one.code}/{one.decided_by}" if one.decided_by.startswith("rule:") or one.code == FAILED.id else one.code
        for one in verdict.reasons
        if one.decision is Decision.REQUIRE_APPROVAL
    }


def _covers(approved: frozenset[str], verdict: Verdict) -> bool:
    """Whether everything that asks in this verdict was approved."""
    return verdict.decision is Decision.REQUIRE_APPROVAL and _asking(verdict) <= approved


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


def _recordable(facts: Facts, binding: dict[str, str]) -> Facts:
    """The facts without digests: what a short file holds could be guessed from them. The action hash covers them. Paths
    that nothing is bound to are from the call that was answered, and were recorded, masked, with that. Nor does the
    record repeat what a server says of a tool: the digest names it."""
    unbound = facts.real_paths and not binding
    if not facts.files and not facts.programs and not facts.pins and facts.session is None and not unbound:
        return facts
    session = facts.session
    return Facts(
        addresses=facts.addresses,
        real_paths=facts.real_paths if binding else {},
        extents=facts.extents,
        pins={tool: msgspec.structs.replace(pin, description="", parameters={}) for tool, pin in facts.pins.items()},
        session=msgspec.structs.replace(session, said=frozenset(), requests=()) if session is not None else None,
    )


def refused(code: ReasonCode, revision: str, *, detail: str = "") -> Verdict:
    """The verdict when the gate itself can't do its work: a deny, because nobody could be told what they approve."""
    return Verdict(
        decision=Decision.DENY,
        risk_level=RiskLevel.HIGH,
        reasons=(_own_reason(code, Decision.DENY, detail),),
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
        action_hash=bind(action, {}).hash,
        mode="disabled",
    )


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
    if type(value) is int and 0 < value < LARGEST_NUMBER:
        text = _mask_patterns(str(value), tuple(one for one in patterns if getattr(one, "numbers", False)))
        return value if text == str(value) else text
    if isinstance(value, list):
        return [_mask_patterns(item, patterns) for item in value]
    if isinstance(value, dict):
        masked: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        for key, item in value.items():
            name = shown = _mask_patterns(key, patterns)
            while name != key and (name in masked or name in value):  # keys that become equal must not swallow another
                numbers[shown] = numbers.get(shown, 1) + 1
                name = f"{shown} ({numbers[shown]})"
            masked[name] = _mask_patterns(item, patterns)
        return masked
    return value
