"""The gate: the only place where a decision is made.

It admits an action, lets ports find out what `decide` needs to know, puts questions to the keeper of approvals, and
has every decision recorded before it gives it. The steps are written once, as a generator that yields what it wants
done; the sync and the async driver differ only in how they wait. Whatever goes wrong inside becomes a verdict that
holds the action back, never an exception that a caller could mistake for silence, and never an allow.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from os import urandom
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import msgspec

from guardhouse.decide import Case, Needs, refused
from guardhouse.model import (
    DEFAULT_LIMITS,
    NO_FACTS,
    Action,
    Addresses,
    AddressesOf,
    Answer,
    ApprovalStatus,
    Asked,
    AuditEvent,
    Decision,
    FileDigest,
    FileDigestOf,
    GuardhouseError,
    InvalidAction,
    Limits,
    Need,
    PolicyError,
    ProgramOf,
    RealPath,
    RealPathOf,
    ReasonCode,
    RiskLevel,
    Settlement,
    Verdict,
    admit,
    parse_action,
)
from guardhouse.policy import (
    APPROVALS_UNUSABLE,
    AUDIT_UNWRITABLE,
    INTERNAL_ERROR,
    INVALID,
    POLICY_UNREADABLE,
    TOO_LARGE,
    Policy,
)
from guardhouse.redact import NOTHING_KNOWN, Description, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_ROUNDS: Final = 5
"""How often `decide` may come back with further questions."""


class Resolver(Protocol):
    """Looks host names up. A failure is an answer with an error, not an exception."""

    def resolve(self, host: str) -> Addresses: ...

    async def resolve_async(self, host: str) -> Addresses: ...


class Files(Protocol):
    """Looks at the file system. A failure is an answer with an error, not an exception."""

    def real_path(self, path: str) -> RealPath: ...

    def digest(self, path: str, *, brief: bool = False) -> FileDigest: ...

    def program(self, name: str) -> FileDigest: ...


class PolicySource(Protocol):
    """Gives the policy in force; PolicyError if it can't be read."""

    def current(self) -> Policy: ...


class Approvals(Protocol):
    """Keeps questions to people, and their answers. Raises if it can't."""

    def settle(self, asked: Asked, approval_id: str | None = None) -> Settlement: ...


class AuditSink(Protocol):
    """Keeps events. Raises if it can't; a `durable` event is on disk when it returns."""

    def record(self, event: AuditEvent, *, durable: bool = False) -> None: ...


class FixedPolicy:
    """A policy that does not change."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def current(self) -> Policy:
        """The one policy."""
        return self._policy


class _Settle(msgspec.Struct, frozen=True):
    """To be done: put this to the keeper of approvals."""

    asked: Asked
    approval_id: str | None


class _Record(msgspec.Struct, frozen=True):
    """To be done: keep this event."""

    event: AuditEvent
    durable: bool


_Step = Needs | _Settle | _Record


class Guard:
    """The gate. Build it once; it is safe to share between threads and tasks.

    Without `approvals` nobody can be asked: what asks is only said to ask. Without `audit` nothing is recorded. Both
    are for judging without doing, as `guardhouse check` does; `open_guard` gives a guard that has them.
    """

    def __init__(
        self,
        policy: PolicySource,
        *,
        resolver: Resolver,
        files: Files,
        approvals: Approvals | None = None,
        audit: AuditSink | None = None,
        clock: Callable[[], float] = time,
        new_event_id: Callable[[], str] = lambda: f"ev_{urandom(12).hex()}",
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._files = files
        self._approvals = approvals
        self._audit = audit
        self._clock = clock
        self._new_event_id = new_event_id
        _current(policy)  # a guard that can't be built stops the program

    def evaluate(self, action: Action, *, approval_id: str | None = None) -> Verdict:
        """The verdict on `action`. Never raises for what the action holds or for what fails inside.

        Ask right before the action is done, and do it at once if the verdict lets it: an approval is used up by this.
        With `approval_id` the action must be the one that was approved; without it, an approval that fits is found.
        """
        course = self._course(action, approval_id)
        done: Any = None
        while True:
            try:
                step = course.send(done) if not isinstance(done, Exception) else course.throw(done)
            except StopIteration as end:
                return _verdict(end.value)
            try:
                done = self._do(step)
            except Exception as error:  # noqa: BLE001 - the course says what a failed step leads to
                done = error

    async def evaluate_async(self, action: Action, *, approval_id: str | None = None) -> Verdict:
        """The same, without blocking the event loop while a name is looked up or a store is written."""
        course = self._course(action, approval_id)
        done: Any = None
        while True:
            try:
                step = course.send(done) if not isinstance(done, Exception) else course.throw(done)
            except StopIteration as end:
                return _verdict(end.value)
            try:
                done = await self._do_async(step)
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
            return self._refuse(error), False
        return self.evaluate(action, approval_id=approval_id), True

    def report(
        self, action: Action, verdict: Verdict, outcome: Literal["executed", "aborted"], detail: str = ""
    ) -> None:
        """Record what became of an action that was let through. Raises GuardhouseError if that can't be recorded."""
        if self._audit is None:
            return
        try:
            redactor = _current(self._policy).redactor
            event = self._event(
                "execution",
                describe(action, None, redactor.text),
                event_id=self._new_event_id(),
                trace_id=verdict.trace_id,
                action_hash=verdict.action_hash,
                outcome=outcome,
                about=verdict.event_id,
                approval_request_id=verdict.approval_request_id,
                detail=redactor.text(detail),
            )
            self._audit.record(event, durable=verdict.risk_level is RiskLevel.CRITICAL)
        except GuardhouseError:
            raise
        except Exception as error:
            raise GuardhouseError(f"What was done can't be recorded: {type(error).__name__}.") from error

    @property
    def limits(self) -> Limits:
        """How much input the policy in force looks at."""
        return _current(self._policy).config.limits

    # The way an action takes ------------------------------------------------------------------------------------------

    def _course(self, action: Action, approval_id: str | None) -> Generator[_Step, Any, Verdict]:
        """Decided, then settled with people if it asks, then recorded. Each may only make the verdict stricter, but
        for an approval."""
        case: Case | None = None
        try:
            policy = _current(self._policy)
            case = Case(admit(action, policy.config.limits), policy, binds=self._approvals is not None)
            verdict = yield from _decided(case)
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            verdict = _failed(error, self._in_force())
        verdict = self._stamped(verdict, case)
        if case is not None and verdict.decision is Decision.REQUIRE_APPROVAL and self._approvals is not None:
            try:
                asked = case.asked(verdict)
                verdict = case.settled(verdict, (yield _Settle(asked, approval_id)))
            except Exception as error:  # noqa: BLE001 - what can't be asked is not done
                verdict = _held_back(verdict, APPROVALS_UNUSABLE, error)
        return (yield from self._recorded(verdict, case))

    def _recorded(self, verdict: Verdict, case: Case | None) -> Generator[_Step, Any, Verdict]:
        """The verdict once it is in the record; a deny if it can't be."""
        if self._audit is None:
            return verdict
        try:
            yield self._record_of(verdict, case)
        except Exception as error:  # noqa: BLE001 - what leaves no evidence is not done
            return _held_back(verdict, AUDIT_UNWRITABLE, error)
        return verdict

    def _record_of(self, verdict: Verdict, case: Case | None) -> _Record:
        described = _described(case)
        event = self._event(
            "decision",
            described,
            event_id=verdict.event_id,
            trace_id=verdict.trace_id,
            action_summary_redacted=described.summary,
            action_hash=verdict.action_hash,
            risk_level=verdict.risk_level,
            decision=verdict.decision,
            would_be=verdict.would_be,
            mode=verdict.mode,
            reasons=verdict.reasons,
            findings=verdict.findings,
            facts=verdict.facts,
            policy_revision=verdict.policy_revision,
            approval_request_id=verdict.approval_request_id,
            approval_status=verdict.approval_status,
        )
        # What a person approved, and what is critical, is on disk before it runs.
        runs = verdict.decision <= Decision.ALLOW_WITH_REDACTION
        grave = verdict.risk_level is RiskLevel.CRITICAL or verdict.approval_status is ApprovalStatus.CONSUMED
        return _Record(event, durable=runs and grave)

    def _event(self, kind: Literal["decision", "execution"], described: Description, **more: Any) -> AuditEvent:
        return AuditEvent(
            kind=kind,
            timestamp=utc(self._clock()),
            run_id=described.run_id,
            parent_run_id=described.parent_run_id,
            session_id=described.session_id,
            task_id=described.task_id,
            call_id=described.call_id,
            principal=described.principal,
            source=described.source,
            action_type=described.action_type,
            tool_name=described.tool_name,
            **more,
        )

    def _stamped(self, verdict: Verdict, case: Case | None) -> Verdict:
        """The verdict with its name in the record."""
        try:
            trace = _trace(case, verdict) if case is not None and self._audit is not None else ""
            return msgspec.structs.replace(verdict, event_id=self._new_event_id(), trace_id=trace)
        except Exception as error:  # noqa: BLE001 - a decision that can't be named can't be recorded
            return _held_back(verdict, INTERNAL_ERROR, error)

    def _refuse(self, error: Exception) -> Verdict:
        """The verdict on what is no action."""
        verdict = self._stamped(_failed(error, self._in_force()), None)
        if self._audit is None:
            return verdict
        try:
            self._do(self._record_of(verdict, None))
        except Exception as failure:  # noqa: BLE001 - what leaves no evidence is not done
            return _held_back(verdict, AUDIT_UNWRITABLE, failure)
        return verdict

    def _in_force(self) -> Policy | None:
        """The policy in force, if it can be read, for a verdict that could not be made by it."""
        try:
            return _current(self._policy)
        except Exception:  # noqa: BLE001 - the verdict already says what is wrong
            return None

    # What the steps ask for -------------------------------------------------------------------------------------------

    def _do(self, step: _Step) -> Any:
        if isinstance(step, Needs):
            return self._answers(step)
        if isinstance(step, _Settle):
            return self._settle(step)
        return self._keep(step)

    async def _do_async(self, step: _Step) -> Any:
        if isinstance(step, Needs):
            return await self._answers_async(step)
        if isinstance(step, _Record) and not step.durable:
            return self._keep(step)
        from asyncio import to_thread

        return await to_thread(self._do, step)

    def _settle(self, step: _Settle) -> Settlement:
        if self._approvals is None:
            raise TypeError("there is no keeper of approvals")
        settlement: object = self._approvals.settle(step.asked, step.approval_id)
        if not isinstance(settlement, Settlement):
            raise TypeError("the keeper of approvals gave no settlement")
        return settlement

    def _keep(self, step: _Record) -> None:
        if self._audit is not None:
            self._audit.record(step.event, durable=step.durable)

    # Names are looked up side by side: each may take as long as the resolver allows, and a call may name many.

    def _answers(self, question: Needs) -> dict[Need, Answer]:
        answers, hosts = self._local_answers(question)
        if len(hosts) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(hosts)) as pool:
                answers.update(zip(hosts, pool.map(self._addresses, hosts), strict=True))
        elif hosts:
            answers[hosts[0]] = self._addresses(hosts[0])
        return answers

    async def _answers_async(self, question: Needs) -> dict[Need, Answer]:
        answers, hosts = self._local_answers(question)
        if hosts:
            from asyncio import gather

            answers.update(zip(hosts, await gather(*map(self._addresses_async, hosts)), strict=True))
        return answers

    def _local_answers(self, question: Needs) -> tuple[dict[Need, Answer], list[AddressesOf]]:
        answers: dict[Need, Answer] = {}
        hosts: list[AddressesOf] = []
        for need in question.needs:
            if isinstance(need, RealPathOf):
                answers[need] = self._real_path(need)
            elif isinstance(need, AddressesOf):
                hosts.append(need)
            else:
                answers[need] = self._digest(need)
        return answers, hosts

    # A port that breaks has answered with an error: what was found without it still counts.

    def _addresses(self, need: AddressesOf) -> Addresses:
        try:
            answer: object = self._resolver.resolve(need.host)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_addresses(answer)

    async def _addresses_async(self, need: AddressesOf) -> Addresses:
        try:
            answer: object = await self._resolver.resolve_async(need.host)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_addresses(answer)

    def _real_path(self, need: RealPathOf) -> RealPath:
        try:
            answer: object = self._files.real_path(need.path)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_real_path(answer)

    def _digest(self, need: FileDigestOf | ProgramOf) -> FileDigest:
        try:
            answer: object = (
                self._files.program(need.name)
                if isinstance(need, ProgramOf)
                else self._files.digest(need.path, brief=need.brief)
            )
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_digest(answer)


def _as_addresses(answer: object) -> Addresses:
    """The resolver's answer, if it is one through and through."""
    if (
        isinstance(answer, Addresses)
        and isinstance(answer.addresses, (tuple, list))
        and all(isinstance(address, str) for address in answer.addresses)
        and isinstance(answer.error, str)
    ):
        return answer
    return Addresses(error=f"the resolver answered with {type(answer).__name__}")


def _as_real_path(answer: object) -> RealPath:
    if isinstance(answer, RealPath) and isinstance(answer.path, str) and isinstance(answer.error, str):
        return answer
    return RealPath(error=f"the file system answered with {type(answer).__name__}")


def _as_digest(answer: object) -> FileDigest:
    if isinstance(answer, FileDigest) and all(isinstance(text, str) for text in msgspec.structs.astuple(answer)):
        return answer
    # New each time, so that what is bound to it never fits: what can't be read can't be known to be unchanged.
    return FileDigest(error=f"{type(answer).__name__} {urandom(8).hex()}")


def _decided(case: Case) -> Generator[Needs, Any, Verdict]:
    """The case decided, and decided again as answers come in."""
    facts = NO_FACTS
    for last in (*[False] * (_ROUNDS - 1), True):
        outcome = case.decide(facts, last=last)
        if isinstance(outcome, Verdict):
            return outcome
        facts = facts.with_answers((yield outcome) or {})
    raise AssertionError("the last round ends with a verdict")


def _described(case: Case | None) -> Description:
    """What may be recorded of the action; if even that fails, nothing of it."""
    if case is None:
        return NOTHING_KNOWN
    try:
        return case.described()
    except Exception:  # noqa: BLE001 - the decision is recorded all the same
        return Description(action_type=case.action.type)


def _trace(case: Case, verdict: Verdict) -> str:
    """A name for everything about one call: by the caller's id of it, or by what it is."""
    action = case.action
    call = getattr(action, "call_id", None) or verdict.action_hash
    return f"tr_{sha256(repr((action.session_id, action.run_id, call)).encode()).hexdigest()[:24]}"


def utc(seconds: float) -> str:
    """A moment as it is written in the record."""
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='microseconds')[:-6]}Z"


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


def _verdict(value: object) -> Verdict:
    if not isinstance(value, Verdict):
        raise TypeError("the gate's steps ended without a verdict")
    return value


def _held_back(verdict: Verdict, code: ReasonCode, error: Exception) -> Verdict:
    """The verdict as a deny, because something failed after it was made; what it found still counts."""
    denied = refused(code, verdict.policy_revision, detail=type(error).__name__)
    return msgspec.structs.replace(
        verdict,
        decision=Decision.DENY,
        risk_level=max(verdict.risk_level, denied.risk_level),
        reasons=(*denied.reasons, *verdict.reasons),
        params=None,
        content=None,
    )


def _failed(error: Exception, policy: Policy | None) -> Verdict:
    """The verdict for a failure. The error's own text stays out of it, unless it was written for people."""
    code: ReasonCode = INTERNAL_ERROR
    detail = type(error).__name__
    if isinstance(error, InvalidAction):
        code = TOO_LARGE if error.code == TOO_LARGE.id else INVALID
        detail = str(error)
    elif isinstance(error, PolicyError):
        code = POLICY_UNREADABLE
        detail = error.problems[0]
    return refused(code, policy.revision if policy else "none", detail=detail)
