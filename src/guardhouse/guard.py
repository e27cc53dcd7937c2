"""The gate: the only place where a decision is made.

It admits an action, has found out what `decide` needs to know, puts questions to the keeper of approvals, and has every
decision recorded before it gives it. The steps are written once, as a generator that yields what it wants done; the
sync and the async driver differ only in how they wait. Whatever goes wrong inside becomes a verdict that holds the
action back, never an exception that a caller could mistake for silence, and never an allow.
"""

from __future__ import annotations

from collections.abc import Generator
from os import urandom
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from guardhouse.decide import Binds, Case, Needs, refused
from guardhouse.gathering import Gatherer, is_quick
from guardhouse.model import (
    DEFAULT_LIMITS,
    NO_FACTS,
    NO_TEXT,
    Action,
    ApprovalStatus,
    Asked,
    AuditEvent,
    Decision,
    Edited,
    Facts,
    InvalidAction,
    Limits,
    PolicyError,
    ReasonCode,
    Remembered,
    RiskLevel,
    Settlement,
    SkillRunPost,
    ToolCallPost,
    Verdict,
    admit,
    parse_action,
)
from guardhouse.policy import (
    APPROVALS_UNUSABLE,
    AUDIT_UNWRITABLE,
    INTERNAL_ERROR,
    INVALID,
    MARKERS_UNUSABLE,
    POLICY_UNREADABLE,
    SESSION_UNWRITABLE,
    TOO_LARGE,
    UNSHOWABLE,
    Policy,
)
from guardhouse.recording import Made, decision_event, execution_event, trace
from guardhouse.redact import NAMES, NOTHING_KNOWN, Description, describe
from guardhouse.trust import NONCE_BYTES, is_wrapped_untrusted, wrap_untrusted

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.consulting import Consultation
    from guardhouse.net import NetworkRules
    from guardhouse.ports import (
        Alongside,
        Approvals,
        AuditSink,
        Files,
        FixedPolicy,
        Judge,
        Pins,
        PolicySource,
        PromptAuditSink,
        Resolver,
        Sessions,
    )
    from guardhouse.recalling import Recall
    from guardhouse.trust import Announcement

__all__ = ["Approvals", "AuditSink", "Files", "FixedPolicy", "Guard", "Pins", "PolicySource", "Resolver", "Sessions"]


def __getattr__(name: str) -> Any:
    """The ports, which a gate is given and has no need to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from guardhouse import ports

    return getattr(ports, name)


_PROCESS_KEY: Final = urandom(32)
"""For the markers of a gate that keeps no keys: then only this process knows its own."""
_LATER: Final = object()
_NAMED: Final = ("tool", "skill", "store", *NAMES)
_MOST_KNOWN: Final = 256
_ROUNDS: Final = 6
"""How often `decide` may come back with further questions."""


class _Settle(msgspec.Struct, frozen=True):
    """To be done: put this to the keeper of approvals."""

    asked: Asked
    approval_id: str | None
    alongside: Alongside | None = None


class _Record(msgspec.Struct, frozen=True):
    """To be done: keep this event."""

    event: AuditEvent
    durable: bool


class _Remember(msgspec.Struct, frozen=True):
    """To be done: let the session remember this."""

    session_id: str
    remembered: Remembered


_Step = Needs | _Settle | _Remember | _Record
_Course = Generator[_Step, Any, Verdict]


class Guard:
    """The gate. Build it once; it is safe to share between threads and tasks.

    Without `approvals` nobody can be asked: what asks is only said to ask, and whoever is told puts the question.
    Without `audit` nothing is recorded, which is for judging without doing, as `guardhouse check` does. With `sessions`
    what comes into a session is remembered; `open_guard` gives a guard with what it needs. A `judge` is asked where the
    policy wants a second opinion. With `prompt`, which is the
    `audit` again, sessions are files of this machine: `evaluate_async` does in the event loop what waits for nobody,
    and what was allowed before is recalled if everything is as it was then.
    """

    def __init__(
        self,
        policy: PolicySource,
        *,
        resolver: Resolver,
        files: Files,
        approvals: Approvals | None = None,
        audit: AuditSink | None = None,
        sessions: Sessions | None = None,
        pins: Pins | None = None,
        clock: Callable[[], float] = time,
        new_event_id: Callable[[], str] = lambda: f"ev_{urandom(12).hex()}",
        marker_key: Callable[[], bytes] = lambda: _PROCESS_KEY,
        new_nonce: Callable[[], bytes] = lambda: urandom(NONCE_BYTES),
        prompt: PromptAuditSink | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._policy = policy
        self._gatherer = Gatherer(resolver, files, pins, sessions, judge)
        self._approvals = approvals
        self._audit = audit
        self._sessions = sessions
        self._clock = clock
        self._new_event_id = new_event_id
        self._marker_key = marker_key
        self._new_nonce = new_nonce
        self._prompt = prompt
        self._recall = _recall() if prompt is not None else None
        self._known: tuple[Policy | None, dict[tuple[Any, ...], Description]] = (None, {})
        _current(policy)  # a guard that can't be built stops the program

    def evaluate(
        self,
        action: Action,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        can_confine: Callable[[], bool] | None = None,
        alongside: Alongside | None = None,
        of_house: bool = False,
    ) -> Verdict:
        """The verdict on `action`. Never raises for what the action holds or for what fails inside.

        Ask right before the action is done, and do it at once if the verdict lets it: an approval is used up by this.
        With `approval_id` the action must be the one that was approved; without it, an approval that fits is found.
        `announced` is what the tool is said to be, where the configuration does not say it. `can_confine` tells whether
        the caller can put the call into the sandbox; it is asked if the policy wants that. If the verdict is `confined`
        then, what it lets through may run there and nowhere else. `alongside` is for a run that outlives its process:
        it is done in the transaction in which people are asked, or their answer is used. `of_house` says that the tool
        is one of our own, and not only called like one.
        """
        course = self._course(
            action,
            approval_id,
            announced=announced,
            can_confine=can_confine,
            alongside=alongside,
            of_house=of_house,
        )
        return self._finish(course, None)

    def evaluate_result(
        self, result: ToolCallPost | SkillRunPost, call: Verdict | None, *, raised: bool = False
    ) -> Verdict:
        """The verdict on what a call came back with. Its event also says that the call was made, by the verdict that
        let it through (None if another process had that): one event less than to `report` it first."""
        return self._finish(self._course(result, None, Made(call, "raised" if raised else "")), None)

    async def evaluate_async(
        self,
        action: Action,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        is_private: bool = False,
    ) -> Verdict:
        """The same, without blocking the event loop while a name is looked up, a file read or a store written.

        `is_private` says that the action was just read from bytes within the limits and nobody else holds it, so that
        it need not be copied.
        """
        course = self._course(action, approval_id, announced=announced, is_private=is_private)
        done: Any = None
        while True:
            step = _next(course, done)
            if isinstance(step, Verdict):
                return step
            if self._is_quick(step):
                done = self._done(step)
                continue
            if isinstance(step, _Record) and not step.durable and self._prompt is not None:
                done = self._kept_at_once(step, self._prompt)
                if done is not _LATER:
                    continue
            if not isinstance(step, Needs):
                # In one go, in a thread: a task that is cancelled now must not leave an approval used up without an
                # event that says so.
                from asyncio import to_thread

                return await to_thread(self._finish_from, course, step)
            try:
                done = await self._gatherer.answers_async(step)
            except Exception as error:  # noqa: BLE001 - the course says what a failed step leads to
                done = error

    def evaluate_json(self, data: bytes | str, *, approval_id: str | None = None) -> tuple[Verdict, bool]:
        """The verdict on an action in its wire form, and whether it was understood as an action at all."""
        try:
            limits = self.limits
        except Exception:  # noqa: BLE001 - `evaluate` says what is wrong with the policy
            limits = DEFAULT_LIMITS
        try:
            action = parse_action(data, limits)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no action
            verdict = self._stamped(_failed(error, self._in_force()), None)
            return self._finish(self._recorded(verdict, None), None), False
        return self.evaluate(action, approval_id=approval_id), True

    def refuse(self, error: InvalidAction, principal: str | None = None) -> Verdict:
        """The verdict on what is no action at all, of which the record then says that it came and from whom."""
        verdict = self._stamped(_failed(error, self._in_force()), None)
        return self._finish(self._recorded(verdict, None, principal=principal), None)

    def report(
        self,
        action: Action,
        verdict: Verdict,
        outcome: Literal["executed", "aborted"],
        detail: Literal["", "raised", "stopped"] = "",
        *,
        note: str = "",
    ) -> Verdict | None:
        """Record what became of an action that was let through. None once it is recorded; otherwise the verdict on
        its result, which then may not be seen. `note` says more, in words of ours; names in it are masked."""
        if self._audit is None:
            return None
        try:
            step = self._reported(action, verdict, outcome, detail, note)
            self._audit.record(step.event, durable=step.durable)
        except Exception as error:  # noqa: BLE001 - what leaves no evidence is not seen
            return _held_back(verdict, AUDIT_UNWRITABLE, error)
        return None

    async def report_async(
        self, action: Action, verdict: Verdict, outcome: Literal["executed", "aborted"], *, note: str = ""
    ) -> Verdict | None:
        """The same, without blocking the event loop while the record is written."""
        if self._prompt is not None and verdict.risk_level is not RiskLevel.CRITICAL:
            try:
                if self._prompt.try_record(self._reported(action, verdict, outcome, "", note).event):
                    return None
            except Exception as error:  # noqa: BLE001 - as above
                return _held_back(verdict, AUDIT_UNWRITABLE, error)
        from asyncio import to_thread

        return await to_thread(lambda: self.report(action, verdict, outcome, note=note))

    def _reported(
        self,
        action: Action,
        verdict: Verdict,
        outcome: Literal["executed", "aborted"],
        detail: Literal["", "raised", "stopped"],
        note: str,
    ) -> _Record:
        policy = self._in_force()
        # Without a policy nothing says what to mask, so nothing of the action is told.
        described = self._named(action, policy) if policy is not None else NOTHING_KNOWN
        told = policy.redactor.text(note) if note and policy is not None else ""
        words = ", ".join(filter(None, (detail, told)))
        event = execution_event(self._new_event_id(), verdict, described, self._clock(), outcome, words)
        return _Record(event, durable=verdict.risk_level is RiskLevel.CRITICAL)

    def _named(self, action: Action, policy: Policy) -> Description:
        """The names around an action, masked. The same few come again and again."""
        names = (action.type, *(getattr(action, name, None) for name in _NAMED))
        known_by, known = self._known
        if known_by is not policy or len(known) >= _MOST_KNOWN:
            self._known = (policy, known := {})
        described = known.get(names)
        if described is None:
            described = describe(action, None, policy.redactor.text)
            described = known[names] = msgspec.structs.replace(described, summary=NO_TEXT)
        return described

    def is_wrapped(self, value: object) -> bool:
        """Whether `value` is untrusted content that this gate, or one with the same key, has wrapped."""
        return is_wrapped_untrusted(value, self._marker_key())

    @property
    def limits(self) -> Limits:
        """How much input the policy in force looks at."""
        return _current(self._policy).config.limits

    def network_for(self, tool: str) -> NetworkRules:
        """The destination rules that the policy in force has for a tool."""
        settings = _current(self._policy).settings
        return settings.network_for(settings.tools.profile(tool).name)

    @property
    def standing(self) -> Literal["enforce", "observe", "disabled"]:
        """Whether what the policy in force says is done, only noted, or not looked at."""
        config = _current(self._policy).config
        return config.mode if config.enabled else "disabled"

    # The way an action takes

    def _course(
        self,
        action: Action,
        approval_id: str | None,
        made: Made | None = None,
        announced: Announcement | None = None,
        *,
        is_private: bool = False,
        can_confine: Callable[[], bool] | None = None,
        alongside: Alongside | None = None,
        of_house: bool = False,
    ) -> _Course:
        """Decided, then settled with people if it asks or goes back to an approval, then remembered by its session,
        then recorded. Each may only make the verdict stricter, but for an approval."""
        case: Case | None = None
        try:
            policy = _current(self._policy)
            binds: Binds = "asks" if approval_id is None else "always"
            admitted = _placed(action if is_private else admit(action, policy.config.limits), policy)
            bound: Binds = binds if self._approvals is not None else "never"
            may_recall = announced is None and approval_id is None and can_confine is None and not of_house
            if self._recall is not None and may_recall:
                case, verdict = yield from self._recalled(self._recall, admitted, policy, bound)
            else:
                is_wanted = policy.config.sandbox.mode != "off"
                confines = is_wanted and can_confine is not None and can_confine()
                case = self._case(admitted, policy, bound, announced, can_confine=confines, of_house=of_house)
                verdict = yield from _decided(case)
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            verdict = _failed(error, self._in_force())
        verdict = self._stamped(verdict, case)
        asks = verdict.decision is Decision.REQUIRE_APPROVAL
        goes_back = approval_id is not None and verdict.decision is not Decision.DENY
        if case is not None and self._approvals is not None and (asks or goes_back):
            try:
                people = _consulted(case)
                if asks and not people.is_showable:
                    verdict = _held_back(verdict, UNSHOWABLE)
                else:
                    settlement: Settlement = yield _Settle(people.asked(verdict), approval_id, alongside)
                    if settlement.edited is not None:
                        case, verdict = yield from self._instead(case, settlement.edited, announced, alongside)
                    else:
                        verdict = people.settled(verdict, settlement)
            except Exception as error:  # noqa: BLE001 - what can't be asked is not done
                verdict = _held_back(verdict, APPROVALS_UNUSABLE, error)
        verdict = self._wrapped(verdict, case)
        if case is not None and self._sessions is not None:
            try:
                for remembered in case.remembered(verdict):
                    yield _Remember(case.action.session_id or "", remembered)
            except Exception as error:  # noqa: BLE001 - what a session does not know of must not come into it
                verdict = yield from self._left_out(_held_back(verdict, SESSION_UNWRITABLE, error), case)
        return (yield from self._recorded(verdict, case, made))

    def _recalled(
        self, recall: Recall, action: Action, policy: Policy, binds: Binds
    ) -> Generator[_Step, Any, tuple[Case, Verdict]]:
        """The verdict on an action that may have come before just as it is now: then the facts are asked for again, and
        only if they are the same, the verdict is."""
        name, known = recall.find(action, policy)
        facts = NO_FACTS
        if known is not None:
            for asked in known.asked:
                facts = facts.with_answers((yield asked) or {})
            if facts == known.facts:
                return known.case, known.verdict
        case = self._case(action, policy, binds, None)
        questions = list(known.asked) if known is not None else []
        verdict = yield from _decided(case, facts, questions)
        recall.keep(name, case, tuple(questions), verdict)
        return case, verdict

    def _case(
        self,
        action: Action,
        policy: Policy,
        binds: Binds,
        announced: Announcement | None,
        *,
        can_confine: bool = False,
        of_house: bool = False,
    ) -> Case:
        return Case(
            action,
            policy,
            binds=binds,
            announced=announced,
            remembers=self._sessions is not None,
            can_confine=can_confine,
            of_house=of_house,
        )

    def _instead(
        self, case: Case, edited: Edited, announced: Announcement | None, alongside: Alongside | None
    ) -> Generator[_Step, Any, tuple[Case, Verdict]]:
        """The call that a person put in the place of the one that was made, judged and settled by itself."""
        action = _in_the_name_of(case.action, parse_action(edited.action, case.policy.config.limits))
        confines = case.scene.can_confine
        other = self._case(action, case.policy, "always", announced, can_confine=confines, of_house=case.of_house)
        verdict = self._stamped((yield from _decided(other)), other)
        if verdict.decision is Decision.DENY:
            return other, verdict
        people = _consulted(other)
        if not people.is_showable:
            return other, _held_back(verdict, UNSHOWABLE)
        settlement: Settlement = yield _Settle(people.asked(verdict), edited.request_id, alongside)
        return other, people.edited(people.settled(verdict, settlement))

    def consider(self, action: Action, *, announced: Announcement | None = None) -> tuple[Verdict, Asked | None]:
        """The verdict on an action that a person would put in the place of another, and the question it is to them;
        no question if it is denied, or nobody could be shown it. It is recorded; nothing is asked, used or done."""
        course = self._considered(action, announced)
        done: Any = None
        while True:
            try:
                step = course.throw(done) if isinstance(done, Exception) else course.send(done)
            except StopIteration as end:
                verdict, asked = end.value
                return self._finish(self._recorded(verdict, asked[0]), None), asked[1]
            done = self._done(step)

    def _considered(
        self, action: Action, announced: Announcement | None
    ) -> Generator[_Step, Any, tuple[Verdict, tuple[Case | None, Asked | None]]]:
        case: Case | None = None
        try:
            policy = _current(self._policy)
            case = self._case(_placed(admit(action, policy.config.limits), policy), policy, "considered", announced)
            verdict = self._stamped((yield from _decided(case)), case)
            if verdict.decision is Decision.DENY:
                return verdict, (case, None)
            people = _consulted(case)
            if not people.is_showable:
                return _held_back(verdict, UNSHOWABLE), (case, None)
            return verdict, (case, people.asked(verdict))
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            return self._stamped(_failed(error, self._in_force()), case), (case, None)

    def _left_out(self, verdict: Verdict, case: Case) -> _Course:
        """The verdict, once the session knows at least that something came in of which it knows nothing: whoever lets
        it in all the same finds the session on its guard."""
        try:
            unread = case.unread()
            if unread is not None:
                yield _Remember(case.action.session_id or "", unread)
        except Exception as error:  # noqa: BLE001 - the same store, most likely
            return _held_back(verdict, SESSION_UNWRITABLE, error)
        return verdict

    def _recorded(
        self, verdict: Verdict, case: Case | None, made: Made | None = None, *, principal: str | None = None
    ) -> _Course:
        """The verdict once it is in the record; a deny if it can't be."""
        if self._audit is None:
            return verdict
        try:
            # What a person approved, and what is critical, is on disk before it runs.
            runs = verdict.decision <= Decision.ALLOW_WITH_REDACTION
            used = verdict.approval_status is ApprovalStatus.CONSUMED or verdict.grant_id is not None
            grave = verdict.risk_level is RiskLevel.CRITICAL or used
            if made is not None and made.verdict is not None and made.verdict.risk_level is RiskLevel.CRITICAL:
                runs = grave = True
            described = _described(case)
            if principal is not None:
                described = msgspec.structs.replace(described, principal=principal)
            yield _Record(decision_event(verdict, described, self._clock(), made), durable=runs and grave)
        except Exception as error:  # noqa: BLE001 - what leaves no evidence is not done
            return _held_back(verdict, AUDIT_UNWRITABLE, error)
        return verdict

    def _stamped(self, verdict: Verdict, case: Case | None) -> Verdict:
        """The verdict with its names in the record."""
        try:
            name = ""
            if self._audit is not None:
                known = _described(case)
                name = trace(known.session_id, known.run_id, known.call_id, verdict.action_hash)
            return msgspec.structs.replace(verdict, event_id=self._new_event_id(), trace_id=name)
        except Exception as error:  # noqa: BLE001 - a decision that can't be named can't be recorded
            return _held_back(verdict, INTERNAL_ERROR, error)

    def _wrapped(self, verdict: Verdict, case: Case | None) -> Verdict:
        """The verdict with what it lets in from outside in its wrapper."""
        if case is None or not verdict.untrusted or verdict.decision > Decision.ALLOW_WITH_REDACTION:
            return verdict
        try:
            masked = verdict.decision is Decision.ALLOW_WITH_REDACTION
            wrapped = wrap_untrusted(
                verdict.content if masked else case.content,
                case.source,
                key=self._marker_key(),
                nonce=self._new_nonce(),
                marks_spaces=case.policy.config.untrusted.data_marking,
            )
            return msgspec.structs.replace(verdict, wrapped=wrapped)
        except Exception as error:  # noqa: BLE001 - what can't be marked is not shown
            return _held_back(verdict, MARKERS_UNUSABLE, error)

    def _in_force(self) -> Policy | None:
        """The policy in force, if it can be read, for a verdict that could not be made by it."""
        try:
            return _current(self._policy)
        except Exception:  # noqa: BLE001 - the verdict already says what is wrong
            return None

    # Doing the steps

    def _finish(self, course: _Course, done: Any) -> Verdict:
        """Do all the steps that are left."""
        while True:
            step = _next(course, done)
            if isinstance(step, Verdict):
                return step
            done = self._done(step)

    def _finish_from(self, course: _Course, step: _Step) -> Verdict:
        """Do this step and all that are left."""
        return self._finish(course, self._done(step))

    def _done(self, step: _Step) -> Any:
        """What a step came to, or the exception it ended with: the course says what that leads to."""
        try:
            if isinstance(step, Needs):
                return self._gatherer.answers(step)
            if isinstance(step, _Remember):
                return self._sessions.remember(step.session_id, step.remembered) if self._sessions is not None else None
            return self._settle(step) if isinstance(step, _Settle) else self._keep(step)
        except Exception as error:  # noqa: BLE001 - see above
            return error

    def _is_quick(self, step: _Step) -> bool:
        """Whether a step is done sooner than a thread would begin with it."""
        return self._prompt is not None and isinstance(step, Needs) and all(map(is_quick, step.needs))

    def _kept_at_once(self, step: _Record, prompt: PromptAuditSink) -> Any:
        """What recording came to; `_LATER` if it would have to wait, and nothing was done."""
        try:
            return None if prompt.try_record(step.event) else _LATER
        except Exception as error:  # noqa: BLE001 - see `_done`
            return error

    def _settle(self, step: _Settle) -> Settlement:
        settlement: object = None
        if self._approvals is not None and step.alongside is not None:
            settlement = self._approvals.settle(step.asked, step.approval_id, alongside=step.alongside)
        elif self._approvals is not None:
            settlement = self._approvals.settle(step.asked, step.approval_id)
        if not isinstance(settlement, Settlement):
            raise TypeError("the keeper of approvals gave no settlement")
        return settlement

    def _keep(self, step: _Record) -> None:
        if self._audit is not None:
            self._audit.record(step.event, durable=step.durable)


def _recall() -> Recall:
    from guardhouse.recalling import Recall  # a process that judges one call has no use for it

    return Recall()


def _next(course: _Course, done: Any) -> _Step | Verdict:
    """What a course wants done next, or the verdict it ends with."""
    try:
        return course.throw(done) if isinstance(done, Exception) else course.send(done)
    except StopIteration as end:
        if not isinstance(end.value, Verdict):
            raise TypeError("the gate's steps ended without a verdict") from None
        return end.value


def _decided(
    case: Case, facts: Facts = NO_FACTS, questions: list[Needs] | None = None
) -> Generator[Needs, Any, Verdict]:
    """The case decided, and decided again as answers come in. What was asked is added to `questions`."""
    for last in (*[False] * (_ROUNDS - 1), True):
        outcome = case.decide(facts, last=last)
        if isinstance(outcome, Verdict):
            return outcome
        if questions is not None:
            questions.append(outcome)
        facts = facts.with_answers((yield outcome) or {})
    raise AssertionError("the last round ends with a verdict")


def _consulted(case: Case) -> Consultation:
    """The case as people are asked about it."""
    from guardhouse.consulting import Consultation  # most calls ask nobody

    return Consultation(case)


def _in_the_name_of(made: Action, instead: Action) -> Action:
    """The call `instead`, under the names of the moment, the run and the surface of the one that was made."""
    named = {name: getattr(made, name) for name in made.unbound if hasattr(made, name) and hasattr(instead, name)}
    return msgspec.structs.replace(instead, **named)


def _placed(action: Action, policy: Policy) -> Action:
    """The action with the directory it runs in: the same call elsewhere is another one."""
    cwd = policy.settings.surroundings.cwd
    return msgspec.structs.replace(action, cwd=cwd) if action.asks_first and not action.cwd and cwd else action


def _described(case: Case | None) -> Description:
    """What may be recorded of the action; if even that fails, nothing of it."""
    if case is None:
        return NOTHING_KNOWN
    try:
        return case.described
    except Exception:  # noqa: BLE001 - the decision is recorded all the same
        return Description(action_type=case.action.type)


def _current(source: PolicySource) -> Policy:
    """The policy in force; whatever else a source does than give one, the policy can't be read."""
    try:
        policy: object = source.current()
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(f"The source of the policy failed with {type(error).__name__}.") from error
    if not isinstance(policy, Policy):
        raise PolicyError(f"The source of the policy gave a {type(policy).__name__}.")
    return policy


def _held_back(verdict: Verdict, code: ReasonCode, error: Exception | None = None) -> Verdict:
    """The verdict as a deny, because of what came after it was made; what it found still counts."""
    denied = refused(code, verdict.policy_revision, detail=type(error).__name__ if error is not None else "")
    return msgspec.structs.replace(
        verdict,
        decision=Decision.DENY,
        risk_level=max(verdict.risk_level, denied.risk_level),
        reasons=(*denied.reasons, *verdict.reasons),
        params=None,
        content=None,
        wrapped=None,
    )


def _failed(error: Exception, policy: Policy | None) -> Verdict:
    """The verdict for a failure. The error's own text stays out of it, unless it was written for people."""
    code: ReasonCode = INTERNAL_ERROR
    detail = type(error).__name__
    if isinstance(error, InvalidAction):
        code = TOO_LARGE if error.code == TOO_LARGE.id else INVALID
        detail = str(error)
    elif isinstance(error, PolicyError):
        code, detail = POLICY_UNREADABLE, ""  # it would quote the file, and anybody may have written that
    return refused(code, policy.revision if policy else "none", detail=detail)
