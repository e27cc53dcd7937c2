"""One question to a model: any service that speaks OpenAI's protocol, within one deadline for all attempts.

The operator wrote its address down, so it may be anywhere, also on this machine; but over the internet it is spoken to
by TLS only. Redirects are not followed, what comes back is bounded, and it is read strictly: a service that lies about
what it sends has given no answer. What the answer means is for others.
"""

from __future__ import annotations

import asyncio
import os
import time
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.egress import AsyncGuardedClient, FetchFailed, FetchLimits, GuardedClient, Refused
from guardhouse.guardian.answer import GRAMMAR, REGEX, answer_schema
from guardhouse.model import GuardhouseError, InvalidAction, decode
from guardhouse.model.strict_json import Limits
from guardhouse.net import BadDestination, NetworkRules, NetworkSettings, parse_destination

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Generator, Mapping

    from guardhouse.egress import Response
    from guardhouse.guardian.prompt import Prompt
    from guardhouse.net.destination import Destination
    from guardhouse.policy.schema import GuardianSection
    from guardhouse.ports import Resolver

_LARGEST: Final = 256 * 1024
"""Bytes of an answer."""
_MOST_TOKENS: Final = 2_000
"""That the model may write: a line takes fifty, but some models think aloud before it, where nobody reads it."""
_LIMITS: Final = Limits(max_bytes=_LARGEST, max_nodes=10_000)
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""What a service says that may answer if it is asked again."""
_OK: Final = 200
_FIRST_WAIT: Final = 0.25
_LEAST_CHARS_A_TOKEN: Final = 8
CHARS_A_TOKEN: Final = 3
"""By which tokens are counted where the service does not say, rather too many than too few."""


class NoOpinion(GuardhouseError):
    """The service gave no answer. Says what went wrong, in words of ours, and nothing of what came back. `costs` tells
    whether a model may have worked all the same."""

    def __init__(self, what: str, *, fix: str = "", costs: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.costs = costs


class NotAsked(NoOpinion):
    """The service was not asked, because of what came before. Says why."""


class Reply(msgspec.Struct, frozen=True):
    """What the model said."""

    text: str
    tokens: int
    """Read and written, as far as can be told."""


class _Attempt(msgspec.Struct, frozen=True):
    """To be done: ask, in so many seconds at most."""

    seconds: float


class _Wait(msgspec.Struct, frozen=True):
    """To be done: nothing, for so long."""

    seconds: float


class Endpoint:
    """The service that one configuration names. Safe to share between threads and event loops."""

    def __init__(
        self,
        section: GuardianSection,
        resolver: Resolver,
        *,
        variables: Mapping[str, str] = os.environ,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """NoOpinion if the configuration names none that could be asked."""
        if not section.model:
            raise NoOpinion("No model is configured.", fix="Set `guardian.model` and `guardian.base_url`.")
        destination = _destination(section.base_url)
        key = variables.get(section.key_env, "") if section.key_env else ""
        if section.key_env and not key:
            raise NoOpinion(f"The model needs its key in the environment variable {section.key_env}.")
        host = f"[{destination.host}]" if ":" in destination.host else destination.host
        self._rules: Final = NetworkRules(
            NetworkSettings(
                allowed_domains=(f"{host}:{destination.port}",),
                deny_private_ips=False,
                allow_proxy=section.allow_proxy,
            )
        )
        self._url: Final = f"{destination.href.rstrip('/')}/chat/completions"
        self._headers: Final = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._section: Final = section
        self._resolver: Final = resolver
        self._ssl_context = ssl_context
        self._clock: Final = clock

    def ask(self, prompt: Prompt) -> Reply:
        """What the model says to `prompt`; NoOpinion within the deadline if that is nothing."""
        body = _body(self._section, prompt)
        course = self._course(prompt)
        done: Response | Exception | None = None
        while True:
            step = _next(course, done)
            if isinstance(step, Reply):
                return step
            if isinstance(step, _Wait):
                time.sleep(step.seconds)
                done = None
                continue
            try:
                with GuardedClient(self._rules, self._resolver, **self._client(step)) as client:
                    done = client.request("POST", self._url, headers=self._headers, body=body)
            except GuardhouseError as error:
                done = error

    async def ask_async(self, prompt: Prompt) -> Reply:
        """The same, without blocking the event loop."""
        body = _body(self._section, prompt)
        course = self._course(prompt)
        done: Response | Exception | None = None
        while True:
            step = _next(course, done)
            if isinstance(step, Reply):
                return step
            if isinstance(step, _Wait):
                await asyncio.sleep(step.seconds)
                done = None
                continue
            try:
                async with AsyncGuardedClient(self._rules, self._resolver, **self._client(step)) as client:
                    done = await client.request("POST", self._url, headers=self._headers, body=body)
            except GuardhouseError as error:
                done = error

    def _client(self, attempt: _Attempt) -> dict[str, Any]:
        limits = FetchLimits(seconds=attempt.seconds, body_bytes=_LARGEST, wire_bytes=2 * _LARGEST, redirects=0)
        return {"limits": limits, "ssl_context": self._ssl_context}

    def _course(self, prompt: Prompt) -> Generator[_Attempt | _Wait, Response | Exception | None, Reply]:
        """Attempts and waits between them, until there is an answer, no attempt is left, or no time."""
        deadline = self._clock() + self._section.seconds
        problem = NoOpinion("There was no time to ask.")
        for attempt in range(self._section.retries + 1):
            left = deadline - self._clock()
            if left <= 0:
                raise problem
            answer = yield _Attempt(left)
            wait = _FIRST_WAIT * 2**attempt * (0.5 + os.urandom(1)[0] / 255)
            if isinstance(answer, FetchFailed):
                problem = NoOpinion("The service can't be reached.")
            elif isinstance(answer, Refused):
                slow = answer.code == "net.too_slow"
                said = "The answer did not come in time." if slow else "The answer could not be read."
                raise NoOpinion(said, costs=True)
            elif isinstance(answer, Exception):
                raise NoOpinion(f"Asking failed with {type(answer).__name__}.") from answer
            elif answer is None:
                raise NoOpinion("Asking came to nothing.")
            elif answer.status in _BUSY:
                problem = NoOpinion(f"The service answered with the status {answer.status}.")
                wait = max(wait, _asked_to_wait(answer))
            else:
                return read_reply(answer, len(prompt.instructions) + len(prompt.data))
            if wait >= deadline - self._clock():
                raise problem
            if attempt < self._section.retries:
                yield _Wait(wait)
        raise problem


def _next(
    course: Generator[_Attempt | _Wait, Response | Exception | None, Reply], done: Response | Exception | None
) -> _Attempt | _Wait | Reply:
    try:
        return course.send(done)
    except StopIteration as end:
        reply: Reply = end.value
        return reply


def _destination(base_url: str) -> Destination:
    try:
        destination = parse_destination(base_url)
    except BadDestination as error:
        raise NoOpinion(f"`guardian.base_url` can't be used: {error.what}", fix=error.fix) from None
    if "?" in destination.href or "#" in destination.href:
        raise NoOpinion("`guardian.base_url` has a query in it.", fix="Write it as https://host/v1.")
    if destination.scheme != "https" and not (destination.scheme == "http" and _is_near(destination.host)):
        raise NoOpinion(
            "`guardian.base_url` is not reached by TLS: what happens in sessions would be readable on the way.",
            fix="Use https, or a service on this machine or in your own network.",
        )
    return destination


_NEAR: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def _is_near(host: str) -> bool:
    """Whether a host is on this machine or in a network of one's own, by its name or address."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith(_NEAR)
    return address.is_loopback or address.is_private


def _body(section: GuardianSection, prompt: Prompt) -> bytes:
    asked: dict[str, Any] = {
        "model": section.model,
        "messages": [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.data},
        ],
        "temperature": 0,
        "max_tokens": _MOST_TOKENS,
        "stream": False,
    }
    if section.held_to == "grammar":
        asked["grammar"] = GRAMMAR
    elif section.held_to == "regex":
        asked["guided_regex"] = REGEX
    elif section.held_to == "schema":
        schema = {"name": "opinion", "strict": True, "schema": answer_schema()}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return msgspec.json.encode(asked)


def _asked_to_wait(answer: Response) -> float:
    said = (answer.header("retry-after") or "").strip()
    return float(said) if said.isdecimal() and len(said) <= 6 else 0.0


def read_reply(answer: Response, asked: int) -> Reply:
    """What a model said, in a whole and plain answer of a service; NoOpinion for anything else. `asked` is how many
    characters it was asked in."""
    if answer.status != _OK:
        raise NoOpinion(f"The service answered with the status {answer.status}.")
    if (answer.header("content-type") or "").partition(";")[0].strip().lower() != "application/json":
        raise NoOpinion("The service's answer is no JSON.", costs=True)
    try:
        said = decode(answer.body, _LIMITS)
    except InvalidAction:
        raise NoOpinion("The service's answer is no JSON that can be read.", costs=True) from None
    text = _text(said)
    return Reply(text, _tokens(said, asked + len(text)))


def _text(said: Any) -> str:
    """The text of the one message in an answer, if the model came to its end and said nothing else."""
    if isinstance(said, dict) and said.get("error"):
        raise NoOpinion("The service's answer is that of an error.", costs=True)
    choices = said.get("choices") if isinstance(said, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise NoOpinion("The service's answer does not hold one answer of a model.", costs=True)
    if choices[0].get("finish_reason") != "stop":
        raise NoOpinion("The model did not come to its end.", costs=True)
    message = choices[0].get("message")
    if not isinstance(message, dict) or message.get("role", "assistant") != "assistant":
        raise NoOpinion("The service's answer holds no message of a model.", costs=True)
    if message.get("refusal") or message.get("tool_calls") or message.get("function_call"):
        raise NoOpinion("The model did something else than to answer.", costs=True)
    text = message.get("content")
    if not isinstance(text, str):
        raise NoOpinion("The model's answer is no text.", costs=True)
    return text


def _tokens(said: dict[str, Any], chars: int) -> int:
    usage = said.get("usage")
    told = usage.get("total_tokens") if isinstance(usage, dict) else None
    if type(told) is not int or told <= 0:
        return chars // CHARS_A_TOKEN
    return min(max(told, chars // _LEAST_CHARS_A_TOKEN), 10 * max(chars, 1_000))
