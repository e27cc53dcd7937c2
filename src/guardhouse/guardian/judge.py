"""The judge that a gate asks: it shows a model what happened, and reads what that says.

Everything that goes wrong on the way is an opinion with the outcome `error`, in words of ours: policy says what that
leads to. Nothing here decides anything.
"""

from __future__ import annotations

import asyncio
from os import urandom
from typing import TYPE_CHECKING

import msgspec

from guardhouse.guardian.answer import Answer, BadAnswer, read_line, read_structured
from guardhouse.guardian.endpoint import CHARS_A_TOKEN, Endpoint, NoOpinion, NotAsked, Reply
from guardhouse.guardian.prompt import VERSION, Prompt, prompt
from guardhouse.guardian.standing import Begun
from guardhouse.model import GuardhouseError, SecondOpinion
from guardhouse.policy.schema import GuardianSection

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.guardian.standing import Standing
    from guardhouse.model import OpinionOf
    from guardhouse.ports import TranscribedSessions


class _Prepared(msgspec.Struct, frozen=True):
    """A question that is to be asked."""

    prompt: Prompt
    question: str
    """The digest of all that its answer depends on."""
    begun: Begun
    section: GuardianSection
    endpoint: Endpoint


class Guardian:
    """A port of the judge. Safe to share between threads and tasks."""

    def __init__(
        self,
        section: Callable[[], GuardianSection],
        sessions: TranscribedSessions,
        standing: Standing,
        endpoint: Callable[[GuardianSection], Endpoint],
        mask: Callable[[str], str],
    ) -> None:
        """`section` is the configuration in force, `endpoint` the service that one names, and `mask` takes secrets out
        of what the model says."""
        self._section = section
        self._sessions = sessions
        self._standing = standing
        self._endpoint = endpoint
        self._mask = mask

    def opinion(self, question: OpinionOf) -> SecondOpinion:
        """What the model thinks of a call."""
        try:
            prepared = self._prepared(question)
            if isinstance(prepared, SecondOpinion):
                return prepared
            try:
                reply: Reply | Exception = prepared.endpoint.ask(prepared.prompt)
            except Exception as error:  # noqa: BLE001 - what it comes to is said below
                reply = error
            return self._concluded(prepared, reply)
        except Exception as error:  # noqa: BLE001 - an opinion that can't be had is an error, and never more than that
            return _failed(error)

    async def opinion_async(self, question: OpinionOf) -> SecondOpinion:
        """The same, without blocking the event loop."""
        try:
            prepared = await asyncio.to_thread(self._prepared, question)
            if isinstance(prepared, SecondOpinion):
                return prepared
            try:
                reply: Reply | Exception = await prepared.endpoint.ask_async(prepared.prompt)
            except Exception as error:  # noqa: BLE001 - as above
                reply = error
            return await asyncio.to_thread(self._concluded, prepared, reply)
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(error)

    def shown(self, question: OpinionOf) -> Prompt:
        """What the model would be shown."""
        section = self._section()
        return prompt(
            question,
            self._sessions.transcript(question.session_id),
            fence=urandom(16).hex(),
            context=self._mask(section.context) if section.context else "",
            answer=section.answer,
            most=section.prompt_chars,
        )

    def _prepared(self, question: OpinionOf) -> _Prepared | SecondOpinion:
        section = self._section()
        shown = self.shown(question)
        session = self._sessions.known_as(question.session_id)
        digest = "\n".join((VERSION, section.base_url, section.model, section.held_to, question.action, shown.digest))
        known = self._standing.known(digest, section.keep_answers)
        if known is not None:
            refusal = self._standing.again(session, question.heard, known.outcome)
            if refusal:
                raise NotAsked(refusal)
            return _opinion(known, shown, section, self._mask, cached=True)
        endpoint = self._endpoint(section)
        begun = self._standing.begin(session, question.heard, section, _cost(shown))
        if isinstance(begun, str):
            raise NotAsked(begun)
        return _Prepared(shown, digest, begun, section, endpoint)

    def _concluded(self, prepared: _Prepared, reply: Reply | Exception) -> SecondOpinion:
        answer, tokens = _heard(reply, prepared.prompt, prepared.section)
        if isinstance(answer, Exception):
            self._standing.end(prepared.begun, "error", tokens)
        else:
            self._standing.end(prepared.begun, answer.outcome, tokens, prepared.question, answer)
        return _opinion(answer, prepared.prompt, prepared.section, self._mask, tokens=tokens)


def opinion_on(
    shown: Prompt, section: GuardianSection, endpoint: Endpoint, mask: Callable[[str], str]
) -> SecondOpinion:
    """What the model says to a prompt, of which nothing is remembered."""
    try:
        reply: Reply | Exception = endpoint.ask(shown)
    except NoOpinion as error:
        reply = error
    answer, tokens = _heard(reply, shown, section)
    return _opinion(answer, shown, section, mask, tokens=tokens)


def _heard(reply: Reply | Exception, shown: Prompt, section: GuardianSection) -> tuple[Answer | Exception, int]:
    """The answer in a reply, or why there is none, and about how many tokens it took."""
    if isinstance(reply, Reply):
        return _read(reply.text, section), reply.tokens
    return reply, 0 if isinstance(reply, NoOpinion) and not reply.costs else _cost(shown)


def _read(text: str, section: GuardianSection) -> Answer | BadAnswer:
    try:
        return read_structured(text) if section.answer == "structured" else read_line(text)
    except BadAnswer as error:
        return error


def _cost(shown: Prompt) -> int:
    """About how many tokens a prompt has."""
    return (len(shown.instructions) + len(shown.data)) // CHARS_A_TOKEN


def _opinion(
    answer: Answer | Exception,
    shown: Prompt,
    section: GuardianSection,
    mask: Callable[[str], str],
    *,
    cached: bool = False,
    tokens: int = 0,
) -> SecondOpinion:
    found = (
        _failed(answer)
        if isinstance(answer, Exception)
        else SecondOpinion(
            outcome=answer.outcome, reason=mask(answer.reason), risk=answer.risk, authorized=answer.authorized
        )
    )
    return msgspec.structs.replace(
        found,
        partial=shown.partial,
        model=section.model,
        prompt=VERSION,
        transcript=shown.transcript,
        cached=cached,
        tokens=tokens,
    )


def _failed(error: Exception) -> SecondOpinion:
    """The opinion that there is none. What went wrong is told if the words are ours."""
    told = error.what if isinstance(error, (NoOpinion, BadAnswer, GuardhouseError)) else type(error).__name__
    return SecondOpinion(outcome="error", reason=told, stopped=isinstance(error, NotAsked))
