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
    LABEL_DOUBTFUL,
    Scene,
    TooMuchToBind,
    at_stake,
    bindings,
    inspect,
    is_confined,
    masker,
    needs,
)
from guardhouse.detect.sensitive_data import LARGEST_NUMBER
from guardhouse.model import (
    NO_FACTS,
    STRICTEST,
    Action,
    Condition,
    Decision,
    ExtentOf,
    Facts,
    Finding,
    Grade,
    GuardhouseError,
    MemoryReadPost,
    Need,
    NewEvent,
    OutputPublish,
    Reason,
    ReasonCode,
    Remembered,
    RiskLevel,
    SecondOpinion,
    SessionState,
    SkillRunPost,
    SkillRunPre,
    ToolCallPost,
    ToolCallPre,
    ToolPin,
    UserInput,
    Verdict,
    bind,
    typed_digest,
    visible,
)
from guardhouse.model.actions import is_named
from guardhouse.policy import (
    CONDITION,
    DISABLED,
    INTERNAL_ERROR,
    REDACTION_FAILED,
    UNSHOWABLE,
    Judgement,
    Policy,
    asking_name,
)
from guardhouse.redact import Description, describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect import Masker
    from guardhouse.model import Effect
    from guardhouse.redact import Redactor
    from guardhouse.trust import Announcement


Binds = Literal["never", "asks", "always", "considered"]
"""When a verdict is bound to what the files it is about hold: never, because nobody can be asked; if it asks; always,
because it goes back to an approval; or because a person considers it, who wants to know what is at stake, too."""


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
        binds: Binds = "never",
        announced: Announcement | None = None,
        remembers: bool = False,
        can_confine: bool = False,
        of_house: bool = False,
    ) -> None:
        """`binds` says whether the verdict is bound to what the files it is about hold. `announced` is what the tool is
        said to be by the program that calls it. `remembers` says that sessions are remembered: only then a result can
        be told from others. `can_confine` says that who makes the call can put it into the sandbox. `of_house` says
        that the tool is one of our own."""
        self.action = action
        self.policy = policy
        self._binds = binds
        self._announced = announced
        self.remembers = remembers and bool(action.session_id)
        self.of_house = of_house
        settings = policy.settings
        if of_house:
            settings = msgspec.structs.replace(settings, tools=settings.tools.of_house())
        if announced is not None:
            settings = msgspec.structs.replace(settings, tools=settings.tools.hearing(announced))
        self.scene = Scene(action, settings)
        self.scene.can_confine = can_confine and not policy.engine.observe
        self._asked = False
        self.facts = NO_FACTS
        self.judgement: Judgement | None = None
        self.at_stake: dict[str, Effect] = {}
        self._masker: tuple[Masker | None] | None = None
        self.condition: Condition | None = None
        self._is_unknown = False

    def decide(self, facts: Facts, *, last: bool = False) -> Verdict | Needs:
        """The verdict, or what it still depends on. The `last` time, what is still missing counts as a failure."""
        policy = self.policy
        if not policy.config.enabled:
            return _switched_off(self.action, policy)
        scene = self.scene
        scene.learn(facts)
        self.facts = facts
        if not self._asked:
            self._asked = True
            if self.remembers and isinstance(self.action, ToolCallPost):
                scene.session()  # it knows whether the call was let through on a condition
            missing = needs(scene, policy.extra_detectors)
            if missing and not last:
                return Needs(missing)
        findings = inspect(scene, policy.extra_detectors, last=last)
        if scene.unanswered and not last:
            return Needs(scene.unanswered)
        try:
            judgement = self.judgement = policy.engine.judge(scene, findings)
            if policy.config.guardian.mode != "off":
                looked_at = self._looked_at(scene, findings, judgement, last=last)
                if isinstance(looked_at, Needs):
                    return looked_at
                judgement = self.judgement = looked_at
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

    def _looked_at(
        self, scene: Scene, findings: tuple[Finding, ...], judgement: Judgement, *, last: bool
    ) -> Judgement | Needs:
        """The judgement with a second opinion in it, where policy wants one; or what is needed for that."""
        from guardhouse.policy import second_opinions  # only where a judge is configured
        from guardhouse.redact import masked_wire

        config = self.policy.config
        opinion = self.facts.opinion
        if not (self.remembers or opinion is not None) or not second_opinions.may_look(judgement, scene, config):
            return judgement
        if scene.session() is None and not last:
            return Needs(scene.unanswered)
        purpose = second_opinions.purpose_of(judgement, scene, findings, config)
        if purpose is None:
            return judgement
        if opinion is None and not last:
            shown = masked_wire(self.action, scene.body[0], self.masked_body, self.mask)
            call = msgspec.json.encode({name: shown[name] for name in _ASKED_ABOUT if name in shown}).decode()
            return Needs((second_opinions.question(purpose, judgement, scene, call, config),))
        unheard = SecondOpinion(outcome="error", purpose=purpose, decided=judgement.decision.value)
        return second_opinions.weighed(judgement, opinion or unheard, scene, config)

    def _is_bound(self, judgement: Judgement) -> bool:
        asks = judgement.decision is Decision.REQUIRE_APPROVAL
        return self._binds in {"always", "considered"} or (self._binds == "asks" and asks)

    def _uncounted(self, scene: Scene, findings: tuple[Finding, ...]) -> tuple[Need, ...]:
        """What a person who is asked would want to know, and nothing depends on: how much would be lost."""
        if self._binds not in {"asks", "considered"}:
            return ()
        self.at_stake = at_stake(scene, findings)
        wanted = (ExtentOf(path) for path in list(self.at_stake)[:MOST_COUNTED])
        return tuple(need for need in wanted if not self.facts.answers(need))

    def _judged(self, scene: Scene, findings: tuple[Finding, ...], judgement: Judgement) -> Verdict:
        policy = self.policy
        observed = policy.engine.observe
        verdict = Verdict(
            decision=judgement.decision,
            risk_level=judgement.risk_level,
            reasons=judgement.reasons,
            policy_revision=policy.revision,
            action_hash=bind(self.action, self.binding).hash,
            findings=findings,
            facts=_recordable(self.facts, self.binding),
            untrusted=self._is_untrusted(findings),
            confined=is_confined(scene),
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
            verdict = self.sendable(redacted(scene, verdict, judgement, policy.redactor))
        return self.limited(verdict)

    def limited(self, verdict: Verdict) -> Verdict:
        """The verdict on a result, with as much of it as a person who approved the call lets be seen."""
        action = self.action
        if not isinstance(action, ToolCallPost) or not self.remembers or verdict.decision > _PASSES:
            return verdict
        state = self.facts.session
        if state is None or state.error:
            self._is_unknown = True
            return verdict
        conditions = _conditions_on(action, state)
        if not conditions:
            return verdict
        try:
            content = verdict.content if verdict.decision is Decision.ALLOW_WITH_REDACTION else self.content
            for condition in conditions:
                content = self._as_far_as(condition, content)
        except Exception as error:  # noqa: BLE001 - what can't be cut is not shown
            return withheld(verdict, REDACTION_FAILED, type(error).__name__)
        words = ", ".join(condition.words for condition in conditions)
        why = own_reason(CONDITION, Decision.ALLOW_WITH_REDACTION, words)
        return msgspec.structs.replace(
            verdict,
            decision=Decision.ALLOW_WITH_REDACTION,
            content=content,
            condition=words,
            reasons=(why, *verdict.reasons),
        )

    def _as_far_as(self, condition: Condition, content: Any) -> Any:
        from guardhouse.redact.limiting import limited  # few results have a condition

        masked = self.policy.redactor.value(content)
        if condition.show == "redacted":
            from guardhouse.policy.labels import mask_of_all

            masked = _mask_patterns(masked, (mask_of_all(self.policy.config.labels),))
        return limited(masked, condition)

    def sendable(self, verdict: Verdict, approved: frozenset[str] = frozenset()) -> Verdict:
        """The verdict on a call whose parameters were masked: what will be sent must be allowed, or approved, too."""
        if verdict.params is None or not isinstance(self.action, (ToolCallPre, SkillRunPre)):
            return verdict
        masked = msgspec.structs.replace(self.action, params=verdict.params)
        case = Case(
            masked,
            self.policy,
            announced=self._announced,
            can_confine=self.scene.can_confine,
            of_house=self.of_house,
        )
        again = case.decide(self.facts, last=True)
        if isinstance(again, Verdict) and (again.decision is Decision.ALLOW or covers(approved, again)):
            return verdict
        decision = Decision.DENY if approved else Decision.REQUIRE_APPROVAL
        if isinstance(again, Verdict) and again.decision > decision:
            decision = again.decision
        return msgspec.structs.replace(
            verdict,
            decision=decision,
            params=None,
            reasons=(own_reason(REDACTION_FAILED, decision, "the masked call would not be allowed"), *verdict.reasons),
        )

    @property
    def binding(self) -> dict[str, str]:
        """The facts that an approval is bound to: none where a call has been made already."""
        return {} if isinstance(self.action, ToolCallPost) else self.facts.binding

    @property
    def content(self) -> Any:
        """What the action brings, unmasked."""
        return self.scene.body[1]

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
        return self.mask(source) if self.mask is not None else source

    def _is_untrusted(self, findings: tuple[Finding, ...]) -> bool:
        """Whether the action brings in content from outside. What nobody has described may come from anywhere."""
        if isinstance(self.action, ToolCallPost):
            from guardhouse.detect.grading import evidence_of  # only where something came back

            doubted = any(finding.code == LABEL_DOUBTFUL.id for finding in findings)
            return doubted or not evidence_of(self.scene).is_trusted
        if isinstance(self.action, MemoryReadPost):
            return self.action.origin != "trusted"
        return isinstance(self.action, SkillRunPost)

    @cached_property
    def described(self) -> Description:
        """The action as it may be recorded."""
        return describe(self.action, self.masked_body, self.mask)

    @property
    def mask(self) -> Callable[[str], str] | None:
        """What masks the names around the body; None if there is nothing to mask. Also where nothing was judged."""
        if self._masker is None:
            self._masker = (masker(self.scene, (), self.judgement.masks if self.judgement else ()),)
        found = self._masker[0]
        return found.text if found is not None else None

    @cached_property
    def masked_body(self) -> Any:
        """What the action says, without its secrets and without what rules mask."""
        body = self.scene.body[1]
        if self.scene.secrets:
            body = self.policy.redactor.value(body)
        return _mask_patterns(body, self.judgement.masks if self.judgement is not None else ())

    def remembered(self, verdict: Verdict) -> tuple[Remembered, ...]:
        """What its session remembers of the action, if it is part of one and brings something into it. GuardhouseError
        for a result of which the session does not even tell whether it may be seen."""
        if self._is_unknown:
            raise GuardhouseError("The session can't be read.")
        event = self._event(verdict)
        withheld = event is None and self.action.session_id and isinstance(self.action, ToolCallPost)
        if self.condition is not None and verdict.decision <= Decision.ALLOW_WITH_REDACTION:
            return (Remembered(self._conditioned(self.condition)),)
        if event is None and not withheld:
            return ()
        from guardhouse.remembering import of_call, remember  # only where a session is remembered

        if event is None:
            # What came back is withheld; that the call was made, and what the model wrote into it, is so all the same.
            made = NewEvent(kind="tool_returned", name=self.described.tool_name or "", grade="trusted")
            return of_call(self.scene, made)

        masks = self.judgement.masks if self.judgement is not None else ()
        redacted = self.policy.redactor.text

        def mask(text: str) -> str:
            masked: str = _mask_patterns(redacted(text), masks)
            return masked

        kept = remember(self.scene, verdict, event, mask)
        return kept if self.policy.config.guardian.mode == "off" else self._transcribed(kept, verdict, mask)

    def _transcribed(
        self, kept: tuple[Remembered, ...], verdict: Verdict, mask: Callable[[str], str]
    ) -> tuple[Remembered, ...]:
        """What its session remembers of the action, with the words of it."""
        from guardhouse.transcribing import transcribed  # only where a judge is configured

        content = self.masked_body if verdict.content is None else verdict.content
        masks = self.judgement.masks if self.judgement is not None else ()
        params = _mask_patterns(self.policy.redactor.value(getattr(self.action, "params", None)), masks)
        name, call_id = self.described.tool_name or "", self.described.call_id or ""
        return transcribed(kept, self.action, content, params, name, call_id, mask)

    def _conditioned(self, condition: Condition) -> NewEvent:
        """That a call was let through on a condition, for when its result comes back."""
        said: dict[str, str] = {"show": condition.show, "call": _call_digest(self.action)}
        if condition.lines:
            said["lines"] = str(condition.lines)
        name, call_id = self.described.tool_name or "", self.described.call_id
        return NewEvent(kind="conditioned", name=name, call_id=call_id, grade="trusted", detail=said)

    def unread(self) -> Remembered | None:
        """What its session remembers of what came in if nothing of it could be read: that it did."""
        if not self.action.session_id or not isinstance(self.action, (ToolCallPost, MemoryReadPost, SkillRunPost)):
            return None
        return Remembered(NewEvent(kind="tool_returned", grade="untrusted"), cut=True)

    def _event(self, verdict: Verdict) -> NewEvent | None:
        action = self.action
        if not action.session_id or verdict.decision > Decision.ALLOW_WITH_REDACTION:
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
        pieces = (leaf.masked for leaf in self.scene.leaves if not leaf.is_key)
        text = " ".join(" ".join(islice(pieces, _MOST_PIECES)).split())
        masked: str = _mask_patterns(text, self.judgement.masks if self.judgement is not None else ())
        return visible(masked[:_LONGEST_EXCERPT])


MOST_COUNTED: Final = 8
"""Places of one call for which it is counted how much would be lost."""


_ASKED_ABOUT: Final = ("type", "tool", "params", "cwd")
"""What a judge is told of a call."""
_TO_SERVER: Final = "mcp:"
"""How the channel begins by which a gateway publishes to a server."""
_LONGEST_EXCERPT: Final = 160
_LONGEST_NAME: Final = 200
"""Characters of a tool's name that a session keeps."""
_PASSES: Final = Decision.ALLOW_WITH_REDACTION
_MOST_PIECES: Final = 8


def asking(verdict: Verdict) -> set[str]:
    """The codes of what asks. A rule that asks, or a detector that failed, is named: approving one question answers no
    other."""
    return {
        asking_name(one.code, one.decided_by) for one in verdict.reasons if one.decision is Decision.REQUIRE_APPROVAL
    }


def _call_digest(action: Action) -> str:
    """The name of a call, whole and as it is: what a mask or a limit leaves of one may be another's, too."""
    return typed_digest({"call": getattr(action, "call_id", None)})


def _conditions_on(result: ToolCallPost, state: SessionState) -> tuple[Condition, ...]:
    """How much of a result may be seen; nothing if all of it. One that does not say which call it answers is held to
    the strictest condition, if there is any on a call of its tool; so is one that might answer a call of long ago, and
    one that may hold what a call with a condition put out."""
    if not state.conditions and not state.forgot_conditions:
        return ()
    from guardhouse.trust.returning import fetches_from  # few sessions have conditions

    own = [one.condition for one in state.conditions if one.call == _call_digest(result)]
    if own and is_named(result.call_id):
        return tuple(dict.fromkeys(own))
    of_tool = not is_named(result.call_id) and any(
        one.tool[:_LONGEST_NAME] == result.tool[:_LONGEST_NAME] for one in state.conditions
    )
    of_another = any(fetches_from(result.tool, one.tool) for one in state.conditions)
    return (STRICTEST,) if of_tool or of_another or state.forgot_conditions else ()


def covers(approved: frozenset[str], verdict: Verdict) -> bool:
    """Whether everything that asks in this verdict was approved."""
    return verdict.decision is Decision.REQUIRE_APPROVAL and asking(verdict) <= approved


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
        pins={tool: _recordable_pin(pin) for tool, pin in facts.pins.items()},
        session=msgspec.structs.replace(session, said=frozenset(), requests=(), conditions=())
        if session is not None
        else None,
        opinion=facts.opinion,
    )


def _recordable_pin(pin: ToolPin) -> ToolPin:
    return msgspec.structs.replace(pin, description="", parameters={}, suspicions=())


def refused(code: ReasonCode, revision: str, *, detail: str = "") -> Verdict:
    """The verdict when the gate itself can't do its work: a deny, because nobody could be told what they approve."""
    return Verdict(
        decision=Decision.DENY,
        risk_level=RiskLevel.HIGH,
        reasons=(own_reason(code, Decision.DENY, detail),),
        policy_revision=revision,
    )


def own_reason(code: ReasonCode, decision: Decision, detail: str = "") -> Reason:
    return Reason(
        code=code.id,
        decided_by="guard",
        decision=decision,
        severity=code.severity,
        title=code.title,
        why=code.why,
        instead=code.instead,
        detail=detail,
    )


def withheld(verdict: Verdict, code: ReasonCode, detail: str = "") -> Verdict:
    """The verdict as a deny: what should have been limited can't be."""
    return msgspec.structs.replace(
        verdict,
        decision=Decision.DENY,
        params=None,
        content=None,
        reasons=(own_reason(code, Decision.DENY, detail), *verdict.reasons),
    )


def _switched_off(action: Action, policy: Policy) -> Verdict:
    return Verdict(
        decision=Decision.ALLOW,
        risk_level=RiskLevel.LOW,
        reasons=(own_reason(DISABLED, Decision.ALLOW),),
        policy_revision=policy.revision,
        action_hash=bind(action, {}).hash,
        mode="disabled",
    )


def redacted(scene: Scene, verdict: Verdict, judgement: Judgement, redactor: Redactor) -> Verdict:
    """The verdict with what may be passed on; a deny if that can't be made, or is no different after all."""
    body = scene.body[1]
    try:
        value = _mask_patterns(redactor.value(body), judgement.masks)
        unchanged = bool(value == body)
    except Exception as error:  # noqa: BLE001 - what can't be masked is not passed on
        return withheld(verdict, REDACTION_FAILED, type(error).__name__)
    if unchanged:
        return withheld(verdict, REDACTION_FAILED, "nothing changed")
    if isinstance(scene.action, (ToolCallPre, SkillRunPre)):
        return msgspec.structs.replace(verdict, params=value)
    return msgspec.structs.replace(verdict, content=value)


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
