"""The gate: the only place where a decision is made.

It admits an action, lets ports find out what `decide` needs to know, and stamps the verdict. The steps are written
once, as a generator that yields questions; the sync and the async driver differ only in how they wait for answers.
Whatever goes wrong inside becomes a verdict that holds the action back, never an exception that a caller could
mistake for silence, and never an allow.
"""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from guardhouse.decide import Case, Needs, refused
from guardhouse.model import (
    ACTION_TYPES,
    DEFAULT_LIMITS,
    NO_FACTS,
    Action,
    Addresses,
    AddressesOf,
    InvalidAction,
    Limits,
    Need,
    PolicyError,
    RealPath,
    RealPathOf,
    ReasonCode,
    Verdict,
    admit,
    parse_action,
)
from guardhouse.policy import INTERNAL_ERROR, INVALID, POLICY_UNREADABLE, TOO_LARGE, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_ROUNDS: Final = 4
"""How often `decide` may come back with further questions."""

_Answers = dict[Need, Addresses | RealPath]


class Resolver(Protocol):
    """Looks host names up. A failure is an answer with an error, not an exception."""

    def resolve(self, host: str) -> Addresses: ...

    async def resolve_async(self, host: str) -> Addresses: ...


class Files(Protocol):
    """Looks at the file system. A failure is an answer with an error, not an exception."""

    def real_path(self, path: str) -> RealPath: ...


class PolicySource(Protocol):
    """Gives the policy in force; PolicyError if it can't be read."""

    def current(self) -> Policy: ...


class FixedPolicy:
    """A policy that does not change."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def current(self) -> Policy:
        """The one policy."""
        return self._policy


class Guard:
    """The gate. Build it once; it is safe to share between threads and tasks."""

    def __init__(
        self,
        policy: PolicySource,
        *,
        resolver: Resolver,
        files: Files,
        new_event_id: Callable[[], str] = lambda: f"ev_{urandom(12).hex()}",
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._files = files
        self._new_event_id = new_event_id
        _current(policy)  # a guard that can't be built stops the program

    def evaluate(self, action: Action) -> Verdict:
        """The verdict on `action`. Never raises for what the action holds or for what fails inside."""
        return self._stamped(self._drive(action))

    def evaluate_json(self, data: bytes | str) -> tuple[Verdict, bool]:
        """The verdict on an action in its wire form, and whether it was understood as an action at all."""
        try:
            limits = self.limits
        except Exception:  # noqa: BLE001 - `evaluate` says what is wrong with the policy
            limits = DEFAULT_LIMITS
        try:
            action = parse_action(data, limits)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no action
            return self._stamped(_failed(None, error, self._in_force())), False
        return self.evaluate(action), True

    @property
    def limits(self) -> Limits:
        """How much input the policy in force looks at."""
        return _current(self._policy).config.limits

    async def evaluate_async(self, action: Action) -> Verdict:
        """The same, without blocking the event loop while a name is looked up."""
        return self._stamped(await self._drive_async(action))

    def _stamped(self, verdict: Verdict) -> Verdict:
        try:
            return msgspec.structs.replace(verdict, event_id=self._new_event_id())
        except Exception:  # noqa: BLE001 - a decision that can't be named can't be recorded
            return refused(INTERNAL_ERROR, verdict.policy_revision, detail="no event id")

    def _drive(self, action: Action) -> Verdict:
        try:
            steps = _steps(action, self._policy)
            answers: _Answers | None = None
            while True:
                try:
                    question = steps.send(answers)
                except StopIteration as done:
                    return _verdict(done.value)
                answers = self._answers(question)
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            return _failed(action, error, self._in_force())

    async def _drive_async(self, action: Action) -> Verdict:
        try:
            steps = _steps(action, self._policy)
            answers: _Answers | None = None
            while True:
                try:
                    question = steps.send(answers)
                except StopIteration as done:
                    return _verdict(done.value)
                answers = await self._answers_async(question)
        except Exception as error:  # noqa: BLE001 - anything at all must hold the action back
            return _failed(action, error, self._in_force())

    def _in_force(self) -> Policy | None:
        """The policy in force, if it can be read, for a verdict that could not be made by it."""
        try:
            return _current(self._policy)
        except Exception:  # noqa: BLE001 - the verdict already says what is wrong
            return None

    # Names are looked up side by side: each may take as long as the resolver allows, and a call may name many.

    def _answers(self, question: Needs) -> _Answers:
        answers, hosts = self._paths_and_hosts(question)
        if len(hosts) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(hosts)) as pool:
                answers.update(zip(hosts, pool.map(self._addresses, hosts), strict=True))
        elif hosts:
            answers[hosts[0]] = self._addresses(hosts[0])
        return answers

    async def _answers_async(self, question: Needs) -> _Answers:
        answers, hosts = self._paths_and_hosts(question)
        if hosts:
            from asyncio import gather

            answers.update(zip(hosts, await gather(*map(self._addresses_async, hosts)), strict=True))
        return answers

    def _paths_and_hosts(self, question: Needs) -> tuple[_Answers, list[AddressesOf]]:
        answers: _Answers = {need: self._real_path(need) for need in question.needs if isinstance(need, RealPathOf)}
        return answers, [need for need in question.needs if isinstance(need, AddressesOf)]

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


def _steps(action: Action, source: PolicySource) -> Generator[Needs, _Answers | None, Verdict]:
    """The way an action takes: admitted, decided, and decided again as answers come in."""
    policy = _current(source)
    case = Case(admit(action, policy.config.limits), policy)
    facts = NO_FACTS
    for last in (*[False] * (_ROUNDS - 1), True):
        outcome = case.decide(facts, last=last)
        if isinstance(outcome, Verdict):
            return outcome
        facts = facts.with_answers((yield outcome) or {})
    raise AssertionError("the last round ends with a verdict")


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


def _failed(action: Action | None, error: Exception, policy: Policy | None) -> Verdict:
    """The verdict for a failure. The error's own text stays out of it, unless it was written for people."""
    code: ReasonCode = INTERNAL_ERROR
    detail = type(error).__name__
    asks_first = type(action) in ACTION_TYPES.values() and action is not None and action.asks_first
    if isinstance(error, InvalidAction):
        code = TOO_LARGE if error.code == TOO_LARGE.id else INVALID
        detail = str(error)
        asks_first = False
    elif isinstance(error, PolicyError):
        code = POLICY_UNREADABLE
        detail = error.problems[0]
        asks_first = False
    if policy is None or policy.engine.unattended:
        asks_first = False
    return refused(code, policy.revision if policy else "none", asks_first=asks_first, detail=detail)
