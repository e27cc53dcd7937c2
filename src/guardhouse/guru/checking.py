"""Whether a reply of the Guru may reach anybody: the contract, then every rule over what the reply says.

Pure and repeatable. What the world knows comes in: which pages were fetched, which services are configured, which files
there are. A check that fails in itself raises; it never passes a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from guardhouse.detect.secrets import SecretScanner
from guardhouse.guru.addresses import addresses
from guardhouse.guru.commands import commands
from guardhouse.guru.contract import (
    GuruResponse,
    Violation,
    prose,
    read_reply,
    reference_of,
    seconds_of,
    violation,
    wrong_reference,
)
from guardhouse.guru.directives import directives
from guardhouse.guru.encodings import encoded
from guardhouse.guru.imperatives import imperatives
from guardhouse.guru.languages import foreign
from guardhouse.guru.log import FetchLog, canonical, fetched
from guardhouse.guru.patterns import patterned
from guardhouse.guru.reading import Page
from guardhouse.guru.rules import COPIED, SECRET, SERVICE, SOURCE, SOURCE_TIME, TOO_LARGE, UNNOTED

Files = Mapping[str, int] | Callable[[str], int | None]
"""How many lines a file of the workspace has, by its path; None if there is no such file."""
_MOST: Final = 200
"""So many violations are told; the next says that there are more."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What the checker says of one reply."""

    violations: tuple[Violation, ...]
    sources_compared: bool
    """Whether there was a log to hold sources, times and words against."""
    files_compared: bool
    """Whether it was known which files there are."""
    response: GuruResponse | None = None
    """The reply, if it is one at all."""

    @property
    def passes(self) -> bool:
        return not self.violations

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules that were broken, each once: all that a request to say it again may carry."""
        return tuple(dict.fromkeys(violation.rule for violation in self.violations))


def check_reply(
    text: str,
    *,
    sources: FetchLog | Iterable[Any] | None = None,
    services: Collection[str] = (),
    files: Files | None = None,
) -> Checked:
    """Hold a reply against the contract and every rule.

    `sources` is what was fetched: a log, or results as JSON values; without it, sources are not compared. `services`
    are those a request may name: none, unless they are given. `files` says which files there are; without it,
    references are held against their form only. GuardhouseError if `sources` is no log.
    """
    known = frozenset((services,) if isinstance(services, str) else services)
    log = sources if isinstance(sources, FetchLog) or sources is None else fetched(sources)
    read = read_reply(text)
    found = read.violations
    if read.response is not None:
        found = [*_said(read.response, log), *_named(read.response, log, known, files)]
    if len(found) > _MOST:
        found = [*found[:_MOST], violation(TOO_LARGE, "", why=f"more than {_MOST} violations")]
    return Checked(
        violations=tuple(found),
        sources_compared=log is not None,
        files_compared=files is not None,
        response=read.response,
    )


def _said(response: GuruResponse, log: FetchLog | None) -> list[Violation]:
    """What is wrong with the words of a response."""
    page = Page(prose(response))
    found = [
        *imperatives(page),
        *directives(page),
        *commands(page),
        *patterned(page),
        *encoded(page),
        *foreign(page),
        *addresses(page, log),
        *_secrets(response, page),
    ]
    if log is not None:
        for text in page.texts:
            found += [violation(COPIED, text.field, *span) for span in log.copies(text.text)]
    return sorted({(one.field, one.start, one.rule): one for one in found}.values(), key=_place)


def _place(one: Violation) -> tuple[str, int, str]:
    return one.field, one.start, one.rule


def _secrets(response: GuruResponse, page: Page) -> list[Violation]:
    """Secrets in any string of the reply."""
    texts = [(text.field, text.text) for text in page.texts]
    for at, fact in enumerate(response.internet_facts):
        texts.append((f"internet_facts[{at}].source", fact.source))
    for at, request in enumerate(response.mcp_requests):
        texts.append((f"mcp_requests[{at}].mcp", request.mcp))
        texts += [(f"mcp_requests[{at}].context_refs[{n}]", ref) for n, ref in enumerate(request.context_refs)]
    scanned = _scanner().scan_leaves([text for _field, text in texts])
    return [
        violation(SECRET, field, match.start, match.end, match.kind)
        for (field, _text), (_leaf, matches) in zip(texts, scanned.leaves, strict=True)
        for match in matches
    ]


@cache
def _scanner() -> SecretScanner:
    return SecretScanner()


def _named(
    response: GuruResponse, log: FetchLog | None, services: Collection[str], files: Files | None
) -> Iterable[Violation]:
    """What is wrong with what a response points at."""
    tells = False
    for at, fact in enumerate(response.internet_facts):
        here = f"internet_facts[{at}]"
        yield from _source(here, fact.source, fact.retrieved_at, log)
        if any(_tells_of_instructions(claim) for claim in fact.claims):
            tells = True
            if fact.confidence != "low":
                yield violation(UNNOTED, f"{here}.confidence", 0, len(fact.confidence), "the confidence is not low")
    if tells and "instruction" not in response.summary.casefold():
        yield violation(UNNOTED, "summary", 0, len(response.summary), "the summary does not say so")
    for at, request in enumerate(response.mcp_requests):
        here = f"mcp_requests[{at}]"
        if request.mcp not in services:
            yield violation(SERVICE, f"{here}.mcp", 0, len(request.mcp))
        for n, text in enumerate(request.context_refs):
            why = _wrong_with(text, files)
            if why:
                yield wrong_reference(f"{here}.context_refs[{n}]", len(text), why)


def _source(here: str, source: str, retrieved_at: str, log: FetchLog | None) -> Iterable[Violation]:
    field = f"{here}.source"
    if canonical(source) is None:
        yield violation(SOURCE, field, 0, len(source), "no http or https address")
    elif log is not None and not log.has(source):
        yield violation(SOURCE, field, 0, len(source))
    elif log is not None:
        time = seconds_of(retrieved_at)
        if time is None or not log.has_at(source, time):
            yield violation(SOURCE_TIME, f"{here}.retrieved_at", 0, len(retrieved_at))


_HELD: Final = (
    "contain",
    "held",
    "hold",
    "include",
    "carry",
    "carries",
    "carried",
    "addressed",
    "found",
    "embed",
    "planted",
)


def _tells_of_instructions(claim: str) -> bool:
    """Whether a claim says that a page holds orders for whoever reads it."""
    said = claim.casefold()
    if "instruction" not in said and "prompt injection" not in said:
        return False
    to_agents = any(word in said for word in ("agent", "assistant", "model", "llm", " ai ", "reader", "automated"))
    return to_agents and any(word in said for word in _HELD)


def _wrong_with(text: str, files: Files | None) -> str:
    """Why a reference is none; empty if it is one."""
    reference = reference_of(text)
    if reference is None:
        return "not of the form"
    if files is None:
        return ""
    lines = files.get(reference.path) if isinstance(files, Mapping) else files(reference.path)
    if lines is None:
        return "no such file in the workspace"
    return "" if reference.last <= lines else "lines that do not exist"
