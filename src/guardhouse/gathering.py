"""Finds out what a decision needs to know, through the ports, with or without blocking an event loop.

A port that breaks, or answers with something else than an answer, has answered with an error: what was found without
it still counts, and policy treats an error as the worst answer.
"""

from __future__ import annotations

from os import urandom
from typing import TYPE_CHECKING

import msgspec

from guardhouse.model import (
    Addresses,
    AddressesOf,
    Extent,
    ExtentOf,
    FileDigest,
    FileDigestOf,
    OpinionOf,
    ProgramOf,
    RealPath,
    RealPathOf,
    SecondOpinion,
    SessionOf,
    SessionState,
    ToolPin,
    ToolPinOf,
    Traces,
    TracesOf,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardhouse.decide import Needs
    from guardhouse.model import Answer, Need
    from guardhouse.ports import Files, Judge, Pins, Resolver, Sessions


def is_quick(need: Need) -> bool:
    """Whether it is answered by a look at a file or two: not a name look-up, not reading whole files or trees."""
    return isinstance(need, (RealPathOf, ToolPinOf, SessionOf, TracesOf))


class Gatherer:
    """Asks the ports. Names are looked up side by side: each may take as long as the resolver allows."""

    def __init__(
        self,
        resolver: Resolver,
        files: Files,
        pins: Pins | None = None,
        sessions: Sessions | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._resolver = resolver
        self._files = files
        self._pins = pins
        self._sessions = sessions
        self._judge = judge

    def answers(self, question: Needs) -> dict[Need, Answer]:
        """An answer to every need, good or bad."""
        answers, hosts = self._local(question)
        answers.update((need, self._opinion(need)) for need in question.needs if isinstance(need, OpinionOf))
        if len(hosts) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(hosts)) as pool:
                answers.update(zip(hosts, pool.map(self._addresses, hosts), strict=True))
        elif hosts:
            answers[hosts[0]] = self._addresses(hosts[0])
        return answers

    async def answers_async(self, question: Needs) -> dict[Need, Answer]:
        """The same; reading files and stores is done in a thread."""
        if any(isinstance(need, (FileDigestOf, ProgramOf, ExtentOf, SessionOf, TracesOf)) for need in question.needs):
            from asyncio import to_thread

            answers, hosts = await to_thread(self._local, question)
        else:
            answers, hosts = self._local(question)
        if hosts:
            from asyncio import gather

            answers.update(zip(hosts, await gather(*map(self._addresses_async, hosts)), strict=True))
        for need in question.needs:
            if isinstance(need, OpinionOf):
                answers[need] = await self._opinion_async(need)
        return answers

    def _local(self, question: Needs) -> tuple[dict[Need, Answer], list[AddressesOf]]:
        answers: dict[Need, Answer] = {}
        hosts: list[AddressesOf] = []
        counted: list[ExtentOf] = []
        for need in question.needs:
            if isinstance(need, RealPathOf):
                answers[need] = self._real_path(need)
            elif isinstance(need, AddressesOf):
                hosts.append(need)
            elif isinstance(need, ExtentOf):
                counted.append(need)
            elif isinstance(need, ToolPinOf):
                answers[need] = self._pin(need)
            elif isinstance(need, SessionOf):
                answers[need] = self._session(need)
            elif isinstance(need, TracesOf):
                answers[need] = self._traces(need)
            elif not isinstance(need, OpinionOf):
                answers[need] = self._digest(need)
        if counted:
            answers.update(self._extents(counted))
        return answers, hosts

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

    def _pin(self, need: ToolPinOf) -> ToolPin:
        if self._pins is None:
            return ToolPin(kept=False, error="nobody keeps what was pinned")
        try:
            answer: object = self._pins.pin(need.tool)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_pin(answer)

    def _session(self, need: SessionOf) -> SessionState:
        if self._sessions is None:
            return SessionState(kept=False)
        try:
            answer: object = self._sessions.state(need.session_id)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return answer if isinstance(answer, SessionState) else SessionState(error=type(answer).__name__)

    def _traces(self, need: TracesOf) -> Traces:
        if self._sessions is None:
            return Traces(error="nobody remembers sessions")
        try:
            answer: object = self._sessions.traces(need.session_id, need.values)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return answer if isinstance(answer, Traces) else Traces(error=type(answer).__name__)

    def _opinion(self, need: OpinionOf) -> SecondOpinion:
        if self._judge is None:
            return _as_opinion(None, need)
        try:
            answer: object = self._judge.opinion(need)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_opinion(answer, need)

    async def _opinion_async(self, need: OpinionOf) -> SecondOpinion:
        if self._judge is None:
            return _as_opinion(None, need)
        try:
            answer: object = await self._judge.opinion_async(need)
        except Exception as error:  # noqa: BLE001 - see above
            answer = error
        return _as_opinion(answer, need)

    def _extents(self, needs: Sequence[ExtentOf]) -> dict[Need, Answer]:
        try:
            found = dict(self._files.extents([need.path for need in needs]))
        except Exception as error:  # noqa: BLE001 - see above
            return {need: _as_extent(error) for need in needs}
        return {need: _as_extent(found.get(need.path)) for need in needs}


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
    is_answer = isinstance(answer, FileDigest) and all(isinstance(one, str) for one in msgspec.structs.astuple(answer))
    if isinstance(answer, FileDigest) and is_answer and not answer.error:
        return answer
    # New each time, so that what is bound to it never fits: what can't be read can't be known to be unchanged.
    return FileDigest(error=f"{type(answer).__name__} {urandom(8).hex()}")


def _as_pin(answer: object) -> ToolPin:
    if isinstance(answer, ToolPin):
        try:
            return msgspec.convert(msgspec.structs.asdict(answer), ToolPin)
        except msgspec.ValidationError as error:
            answer = error
    return ToolPin(error=f"what was pinned can't be told: {type(answer).__name__}")


def _as_extent(answer: object) -> Extent:
    if isinstance(answer, Extent):
        try:
            return msgspec.convert(msgspec.structs.asdict(answer), Extent)
        except msgspec.ValidationError as error:
            answer = error
    return Extent(error=type(answer).__name__)


def _as_opinion(answer: object, need: OpinionOf) -> SecondOpinion:
    """The judge's answer, if it is one through and through, with what it was asked for."""
    if isinstance(answer, SecondOpinion):
        try:
            opinion = msgspec.convert(msgspec.structs.asdict(answer), SecondOpinion)
            return msgspec.structs.replace(opinion, purpose=need.purpose, decided=need.decided)
        except msgspec.ValidationError as error:
            answer = error
    told = "nobody judges here" if answer is None else type(answer).__name__
    return SecondOpinion(outcome="error", purpose=need.purpose, decided=need.decided, reason=told)
