"""The contract: what a reply of the Guru is made of, and a strict reader that tells every way in which one is not.

It says nothing about what the words in it mean; that is `checking`.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

import msgspec

from guardhouse.guru.rules import BY_ID, NOT_JSON, REFERENCE, SCHEMA, TOO_LARGE
from guardhouse.model import InvalidAction, Limits, decode

Confidence = Literal["low", "medium", "high"]


class InternetFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one fetched page says, in the Guru's words."""

    source: str
    retrieved_at: str
    """ISO 8601 with seconds and an offset."""
    claims: tuple[str, ...]
    confidence: Confidence


class McpRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the Guru would have a service asked. The host asks it, through the gate."""

    mcp: str
    purpose: str
    query: str
    context_refs: tuple[str, ...]
    """`file:path#L1-L9`"""


class GuruResponse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply of the Guru. Every key is required."""

    role: Literal["guru"]
    summary: str
    repo_facts: tuple[str, ...]
    internet_facts: tuple[InternetFact, ...]
    open_questions: tuple[str, ...]
    mcp_requests: tuple[McpRequest, ...]


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a reply breaks the contract. It holds nothing of the reply."""

    rule: str
    field: str
    """Such as `internet_facts[0].claims[2]`; empty for the reply as a whole."""
    start: int
    """Where in the text of the field, in characters."""
    end: int
    why: str


def violation(rule: str, field: str, start: int = 0, end: int = 0, why: str = "") -> Violation:
    """A violation in the words of its rule; `why` says more, in words of ours."""
    about = BY_ID[rule]
    told = f"{about.title[0].upper()}{about.title[1:]}{f' ({why})' if why else ''}. {about.why}"
    return Violation(rule=rule, field=field, start=start, end=end, why=told)


class Text(NamedTuple):
    """A string of a reply that is prose, and where it stands."""

    field: str
    kind: str
    """The name of the field without places, such as `claims`."""
    text: str


MAX_BYTES: Final = 64 << 10
_MAX_NODES: Final = 2_000
_LONGEST: Final = {
    "summary": 2_000, "repo_facts": 600, "open_questions": 400, "claims": 600, "source": 2_048, "retrieved_at": 40,
    "mcp": 64, "purpose": 400, "query": 400, "context_refs": 512,
}  # fmt: skip
"""Characters of one text."""
_MOST: Final = {
    "repo_facts": 64, "internet_facts": 32, "open_questions": 32, "mcp_requests": 8, "claims": 32, "context_refs": 16,
}  # fmt: skip
"""Items of one list."""
_CONFIDENCES: Final = ("low", "medium", "high")
_PROSE: Final = frozenset(("summary", "repo_facts", "open_questions", "claims", "purpose", "query"))


class Read(NamedTuple):
    """What was read of a reply. There is a response only if nothing is wrong with its shape."""

    response: GuruResponse | None
    violations: list[Violation]


def read_reply(text: str) -> Read:
    """The response in `text`, or every way in which there is none."""
    if len(text) > MAX_BYTES or (not text.isascii() and len(text.encode("utf-8", "replace")) > MAX_BYTES):
        return Read(None, [violation(TOO_LARGE, "", 0, len(text), f"more than {MAX_BYTES} bytes")])
    try:
        value = decode(text, Limits(max_bytes=MAX_BYTES, max_nodes=_MAX_NODES))
    except InvalidAction as error:
        rule = TOO_LARGE if error.code == "action.too_large" else NOT_JSON
        return Read(None, [violation(rule, "", 0, len(text))])
    reader = _Reader()
    reader.response(value)
    if reader.violations:
        return Read(None, reader.violations)
    return Read(msgspec.convert(value, GuruResponse), [])


def prose(response: GuruResponse) -> list[Text]:
    """The texts of a response that are read as language."""
    found = [Text("summary", "summary", response.summary)]
    found += [Text(f"repo_facts[{at}]", "repo_facts", text) for at, text in enumerate(response.repo_facts)]
    for at, fact in enumerate(response.internet_facts):
        found += [Text(f"internet_facts[{at}].claims[{n}]", "claims", text) for n, text in enumerate(fact.claims)]
    found += [Text(f"open_questions[{at}]", "open_questions", text) for at, text in enumerate(response.open_questions)]
    for at, request in enumerate(response.mcp_requests):
        found.append(Text(f"mcp_requests[{at}].purpose", "purpose", request.purpose))
        found.append(Text(f"mcp_requests[{at}].query", "query", request.query))
    return found


class _Reader:
    """Compares a value with the contract, part by part. Unknown keys are never named: they are content too."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def response(self, value: Any) -> None:
        keys = ("role", "summary", "repo_facts", "internet_facts", "open_questions", "mcp_requests")
        found = self._object(value, "", keys)
        if "role" in found and found["role"] != "guru":
            self._wrong("role", "it is always guru")
        self._text(found, "summary", "")
        self._texts(found, "repo_facts", "")
        self._texts(found, "open_questions", "")
        for path, item in self._items(found, "internet_facts"):
            fact = self._object(item, path, ("source", "retrieved_at", "claims", "confidence"))
            self._text(fact, "source", path)
            self._text(fact, "retrieved_at", path)
            if isinstance(fact.get("retrieved_at"), str) and seconds_of(fact["retrieved_at"]) is None:
                self._wrong(f"{path}.retrieved_at", "no time in ISO 8601 with an offset")
            self._texts(fact, "claims", path)
            if "confidence" in fact and fact["confidence"] not in _CONFIDENCES:
                self._wrong(f"{path}.confidence", "low, medium or high")
        for path, item in self._items(found, "mcp_requests"):
            request = self._object(item, path, ("mcp", "purpose", "query", "context_refs"))
            for name in ("mcp", "purpose", "query"):
                self._text(request, name, path)
            self._texts(request, "context_refs", path)

    def _wrong(self, field: str, why: str) -> None:
        self.violations.append(violation(SCHEMA, field, why=why))

    def _object(self, value: Any, path: str, keys: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._wrong(path, "not an object")
            return {}
        if any(key not in keys for key in value):
            self._wrong(path, "a key that the contract does not know")
        for key in keys:
            if key not in value:
                self._wrong(f"{path}.{key}".lstrip("."), "missing")
        return value

    def _items(self, value: dict[str, Any], name: str, path: str = "") -> list[tuple[str, Any]]:
        if name not in value:
            return []
        here = f"{path}.{name}".lstrip(".")
        items = value[name]
        if not isinstance(items, list):
            self._wrong(here, "not a list")
            return []
        if len(items) > _MOST[name]:
            self.violations.append(violation(TOO_LARGE, here, why=f"more than {_MOST[name]} items"))
            return []
        return [(f"{here}[{at}]", item) for at, item in enumerate(items)]

    def _texts(self, value: dict[str, Any], name: str, path: str) -> None:
        for here, item in self._items(value, name, path):
            self._is_text(item, here, name)

    def _text(self, value: dict[str, Any], name: str, path: str) -> None:
        if name in value:
            self._is_text(value[name], f"{path}.{name}".lstrip("."), name)

    def _is_text(self, value: Any, here: str, name: str) -> None:
        if not isinstance(value, str):
            self._wrong(here, "not a string")
        elif len(value) > _LONGEST[name]:
            longest = _LONGEST[name]
            self.violations.append(violation(TOO_LARGE, here, longest, len(value), f"more than {longest} characters"))
        elif name in _PROSE and not value.strip():
            self._wrong(here, "empty")


_TIME: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def seconds_of(text: str) -> int | None:
    """A time in ISO 8601, in seconds since the year 0; None if it is none."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    if not 1 <= month <= 12:
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS[month - 1] + (leap and month == 2) or hour > 23 or minute > 59 or second > 60:
        return None
    before = year - 1
    days = 365 * year + before // 4 - before // 100 + before // 400
    days += sum(_DAYS[: month - 1]) + (leap and month > 2) + day
    offset = 0
    if match[7]:
        hours, minutes = int(match[8]), int(match[9])
        if hours > 23 or minutes > 59:
            return None
        offset = (hours * 60 + minutes) * (60 if match[7] == "+" else -60)
    return ((days * 24 + hour) * 60 + minute) * 60 + second - offset


class Reference(NamedTuple):
    """Lines of a file in the workspace."""

    path: str
    first: int
    last: int


_REFERENCE: Final = re.compile(r"file:([^#\\:*?\"<>|\x00-\x1f\x7f]{1,400})#L([1-9]\d{0,7})-L([1-9]\d{0,7})", re.ASCII)


def reference_of(text: str) -> Reference | None:
    """The lines that `text` refers to; None if it is no reference into the workspace."""
    match = _REFERENCE.fullmatch(text)
    if match is None or not text.isprintable():
        return None
    path, first, last = match[1], int(match[2]), int(match[3])
    if first > last or any(part in {"", ".", ".."} for part in path.split("/")):
        return None
    return Reference(path, first, last)


def wrong_reference(field: str, size: int, why: str) -> Violation:
    """The violation of a reference that leads nowhere."""
    return violation(REFERENCE, field, 0, size, why)
