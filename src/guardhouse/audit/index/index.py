"""An index over the log of one node: events by what is said of them, counts over time, and the story of a call.

It is a cache and never evidence: it can be removed at any time, is made anew when it is damaged or does not fit the
log, and holds nothing that the log does not hold. Events are always read from the log itself. It checks no chain.
"""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.audit.chain import Entry, read_entry
from guardhouse.audit.index.answers import Bucket, Offers, Page, Timeline, Waits
from guardhouse.audit.index.asking import Asking, By, Located
from guardhouse.audit.index.feeding import Feeder, Progress, read_place, seq_in
from guardhouse.audit.index.file import Damaged, IndexFile, make_tables
from guardhouse.audit.place import open_to_read
from guardhouse.audit.query import Query, at_second
from guardhouse.audit.reading import MOST_RELATED, Story
from guardhouse.audit.statistics import TOP, Statistics
from guardhouse.model import Decision, GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from guardhouse.audit.index.feeding import Place

_AT_ONCE: Final = 1_000
"""Events that are taken in between two looks at the clock: a few hundredths of a second."""
_TRIES: Final = 3
_MOST: Final = 1_000
"""Events, names or buckets that one answer holds."""
_OFFERED: Final = 200
_WIDTHS: Final = (1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800, 2_419_200)
"""Seconds that a bucket of a chart may have."""


class AuditIndex:
    """The index at `path` over the log in `directory`. Safe to share between threads; several processes may use one.

    Nothing is read before `catch_up` is called, and questions are answered from what was read so far."""

    def __init__(self, directory: Path, path: Path) -> None:
        self._directory = directory
        self._file = IndexFile(path)
        self._feeder = Feeder(directory)
        self._feeding = threading.Lock()
        self._is_suspect = False
        """Whether a line was not where the index has it."""
        self._is_damaged = False
        """Whether somebody who asked found the file damaged."""

    def catch_up(self, *, most: int | None = None, within: float | None = None) -> Progress:
        """Read on in the log, at most so many events or, about, so many seconds; how far that came. Without either,
        to its end. GuardhouseError if the log can't be read or the index can't be made."""
        end = None if within is None else time.monotonic() + within
        left = most
        while True:
            step = _AT_ONCE if left is None else min(_AT_ONCE, left)
            progress = self._step(step)
            left = None if left is None else left - step
            if progress.complete or (left is not None and left <= 0) or (end is not None and time.monotonic() >= end):
                return progress

    def progress(self) -> Progress:
        """How far the index is. Costs no more than a look."""
        with self._asking() as (_, place):
            try:
                return self._feeder.progress(place)
            except OSError as error:
                raise self._unreadable(error) from None

    def page(
        self,
        query: Query = Query(),  # noqa: B008 - frozen
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int = 50,
    ) -> Page:
        """Events that `query` wants, newest first: the newest, the newest before the number `before`, or the next ones
        after the number `after`."""
        limit = max(0, min(limit, _MOST))
        with self._asking() as (asking, _):
            found = asking.locate(query, before=before, after=after, limit=limit + 1)
        more = len(found) > limit
        if more:
            found = found[1:] if after is not None else found[:limit]
        entries = tuple(entry for entry in self._read(found) if query.matches(entry.event))
        return Page(entries, more, found[0].seq, found[-1].seq) if found else Page((), more=False)

    def story(self, event_id: str) -> Story | None:
        """The event of that id, the newest if there are several, and what belongs to it: what `reading.story` gives."""
        return self._story("event", event_id, newest=True)

    def story_of_approval(self, approval_id: str) -> Story | None:
        """The first event that names that request, and what belongs to it."""
        return self._story("approval", approval_id, newest=False)

    def story_of_trace(self, trace_id: str) -> Story | None:
        """The first event of that trace, and what belongs to it."""
        return self._story("trace", trace_id, newest=False)

    def timeline(self, query: Query, since: float, until: float, buckets: int = 60) -> Timeline:
        """How many decisions of each sort that `query` wants there were from `since` to `until`, in at most so many
        buckets. Their width is a round one, and they begin where a clock would show it (UTC)."""
        span = max(1.0, until - since)
        buckets = max(1, min(buckets, _MOST))
        width = next((width for width in _WIDTHS if width * buckets >= span + width), _WIDTHS[-1])
        first, last = int(since // width), int(-(-until // width))
        if last - first > _MOST:
            first = last - _MOST
        bounded = replace(query, since=at_second(first * width), until=at_second(last * width))
        with self._asking() as (asking, _):
            counts = asking.decisions_over_time(bounded, width * 1_000_000)
        found: dict[int, dict[str, int]] = {}
        for (number, decision), count in sorted(counts.items()):
            found.setdefault(number, {})[decision] = count
        return Timeline(
            first * width,
            last * width,
            width,
            tuple(Bucket(number * width, decisions) for number, decisions in sorted(found.items())),
        )

    def top(self, query: Query, by: By, limit: int = 10) -> dict[str, int]:
        """The most frequent names among the decisions that `query` wants, and how many of them have each. Codes are
        those of reasons; sessions are looked for among the newest 250,000 events."""
        query = query if query.kind is not None else replace(query, kind="decision")
        limit = max(0, min(limit, _MOST))
        with self._asking() as (asking, _):
            if by == "session":
                return dict(asking.sessions(query, limit))
            [counts] = asking.count(query, ("codes" if by == "code" else by,))
            return _most(asking.codes(counts, reasons_only=True) if by == "code" else asking.names(counts), limit)

    def statistics(self, query: Query = Query()) -> Statistics:  # noqa: B008 - frozen
        """The figures of the events that `query` wants, as `statistics.count` makes them."""
        decisions: Counter[str] = Counter()
        risks: Counter[str] = Counter()
        approvals: Counter[str] = Counter()
        outcomes: Counter[str] = Counter()
        with self._asking() as (asking, _):
            of_sorts, of_tools, of_codes = asking.count(
                query,
                ("kind", "decision", "risk", "status", "outcome"),
                ("kind", "decision", "tool"),
                ("kind", "decision", "codes"),
            )
            sorts, tools = asking.named(of_sorts), asking.names(asking.decided(of_tools))
            codes = asking.codes(asking.decided(of_codes), reasons_only=True)
            opinions = asking.opinions(query)
        for (kind, decision, risk, status, outcome), count in sorts.items():
            if kind == "decision" and decision is not None:
                decisions[decision] += count
                risks.update({risk: count} if risk is not None else {})
            elif kind == "approval" and status is not None:
                approvals[status] += count
            if outcome is not None:
                outcomes[outcome] += count
        judged = decisions.total()
        return Statistics(
            events=sum(sorts.values()),
            decisions=dict(decisions.most_common()),
            block_rate=decisions[Decision.DENY.value] / judged if judged else 0.0,
            risks=dict(risks.most_common()),
            tools=_most(tools, TOP),
            codes=_most(codes, TOP),
            approvals=dict(approvals.most_common()),
            outcomes=dict(outcomes.most_common()),
            feedback=opinions,
        )

    def waits(self, query: Query = Query()) -> Waits | None:  # noqa: B008 - frozen
        """How long people took to answer, where the answer is an event that `query` wants; None if there is none."""
        with self._asking() as (asking, _):
            found = asking.waits(query)
        if not found:
            return None
        middle = len(found) // 2
        median = found[middle] if len(found) % 2 else (found[middle - 1] + found[middle]) / 2
        return Waits(len(found), median / 1e6, found[-(-9 * len(found) // 10) - 1] / 1e6)

    def opinions_on(self, event_ids: Iterable[str]) -> dict[str, Counter[str]]:
        """How many people say what of these decisions, by what each said last; nothing for those nobody spoke of."""
        with self._asking() as (asking, _):
            return asking.opinions_on(event_ids)

    def offers(self) -> Offers:
        """What there is to filter by."""
        with self._asking() as (asking, _):
            *counted, sets = asking.count(Query(), ("tool",), ("action",), ("principal",), ("actor",), ("codes",))
            names = [asking.names(counts) for counts in counted]
            codes = asking.codes(sets, reasons_only=False)
        tools, actions, principals, actors = (tuple(name for name in _most(one, _OFFERED) if name) for one in names)
        return Offers(tools, tuple(_most(codes, _OFFERED)), actions, principals, actors)

    def close(self) -> None:
        """Let go of the file. The index opens again if it is used again."""
        self._file.close()

    def _step(self, most: int) -> Progress:
        with self._feeding:
            for _ in range(_TRIES):
                try:
                    if self._is_damaged:
                        self._file.remove()
                        self._is_damaged = False
                    with self._file.writing() as connection:
                        if self._is_suspect:
                            make_tables(connection)
                        progress = self._feeder.step(connection, most)
                    self._is_suspect = False
                except Damaged:
                    self._feeder.forget()
                    self._is_damaged = True
                except FileNotFoundError:
                    self._feeder.forget()  # retention removed a file meanwhile
                except BaseException as error:
                    self._feeder.forget()
                    if isinstance(error, OSError):
                        raise self._unreadable(error) from None
                    raise
                else:
                    return progress
            raise GuardhouseError(
                f"The index over the record in {self._directory} is damaged as soon as it is made.",
                fix="Look at the disk, or at who writes there.",
            )

    @contextmanager
    def _asking(self) -> Iterator[tuple[Asking, Place]]:
        """The tables as they stand. GuardhouseError if they are damaged; the next `catch_up` makes them anew."""
        try:
            with self._file.reading() as connection:
                place = read_place(connection)
                yield Asking(connection, place.salt), place
        except Damaged:
            self._is_damaged = True
            raise GuardhouseError(
                "The index over the record was damaged, and is being made anew.", fix="Ask again in a moment."
            ) from None

    def _story(self, field: str, value: str, *, newest: bool) -> Story | None:
        with self._asking() as (asking, _):
            for located in asking.locate_tied(field, value, newest=newest, limit=_TRIES):
                for entry in self._read([located]):
                    if value in _ids(entry, field):
                        return Story(entry, tuple(self._related(asking, entry)))
        return None

    def _related(self, asking: Asking, entry: Entry) -> Iterator[Entry]:
        """What belongs to an event, oldest first. What an event refers to counts for those that come after it."""
        asked: set[tuple[str, str]] = set()
        waiting: list[Located] = []
        seen = {entry.seq}
        given = 0

        def look(ties: Iterable[tuple[str, str]], after: int) -> None:
            for tie in ties:
                if tie not in asked:
                    asked.add(tie)
                    for located in asking.locate_tied(*tie, after=after, limit=MOST_RELATED + 1):
                        heapq.heappush(waiting, located)

        look(_ties(entry), 0)
        while waiting and given < MOST_RELATED:
            located = heapq.heappop(waiting)
            if located.seq in seen:
                continue
            seen.add(located.seq)
            for other in self._read([located]):
                if asked.isdisjoint(_own(other)):
                    continue  # another id has the same short digest
                look(_ties(other), other.seq)
                given += 1
                yield other

    def _read(self, located: Iterable[Located]) -> Iterator[Entry]:
        """The events at these places, from the log. Those that retention has just removed are left out."""
        handles: dict[str, int | None] = {}
        try:
            for seq, file, at, length in located:
                if file not in handles:
                    handles[file] = self._open(file)
                handle = handles[file]
                line = os.pread(handle, length, at) if handle is not None else b""
                if handle is not None and seq_in(line) != seq:
                    self._is_suspect = True  # it is another log, or lines were moved: all is read anew
                    continue
                try:
                    if line:
                        yield read_entry(line)
                except ValueError:
                    continue  # a line that can't be read is passed over, here as elsewhere
        except OSError as error:
            raise self._unreadable(error) from None
        finally:
            for handle in handles.values():
                if handle is not None:
                    os.close(handle)

    def _open(self, file: str) -> int | None:
        try:
            return open_to_read(self._directory / file)
        except FileNotFoundError:
            return None

    def _unreadable(self, error: OSError) -> GuardhouseError:
        return GuardhouseError(
            f"The audit log in {self._directory} can't be read: {error.strerror or type(error).__name__}."
        )


def _most(counts: dict[str, int], limit: int) -> dict[str, int]:
    """The most frequent, by name where they are equally so."""
    return dict(heapq.nsmallest(limit, counts.items(), key=lambda item: (-item[1], item[0])))


def _ids(entry: Entry, field: str) -> tuple[str | None, ...]:
    event = entry.event
    return {"event": (event.event_id,), "trace": (event.trace_id,), "approval": (event.approval_request_id,)}[field]


def _ties(entry: Entry) -> Iterator[tuple[str, str]]:
    """By which other events refer to what this one is about."""
    event = entry.event
    yield "about", event.event_id
    if event.trace_id:
        yield "trace", event.trace_id
    if event.approval_request_id:
        yield "approval", event.approval_request_id
    if event.about:
        yield "event", event.about
        yield "about", event.about


def _own(entry: Entry) -> set[tuple[str, str | None]]:
    """By which an event is found."""
    event = entry.event
    return {
        ("event", event.event_id),
        ("trace", event.trace_id),
        ("approval", event.approval_request_id),
        ("about", event.about),
    }
