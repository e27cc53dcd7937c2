"""What was asked before: answers that are still good, how often the judge was against a session's calls, and what it
has cost. Kept in the database, so that all processes and nodes of a house go by the same.

After three blocks in a row, or ten among fifty answers, the judge is not asked about that session until its user says
something: an agent that keeps trying is a matter for a person, and so is a judge that keeps saying no.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from guardhouse.guardian.answer import Answer

if TYPE_CHECKING:
    from guardhouse.database import Database, Rows
    from guardhouse.policy.schema import GuardianSection
    from guardhouse.sealing import Seal

IN_A_ROW: Final = 3
AMONG: Final = 50
MOST_AMONG: Final = 10
_DAY: Final = 86_400.0
_KEPT: Final = 30 * _DAY

TRIPPED: Final = "It was against so many calls of this session that it is not asked until the user says something."
SESSION_SPENT: Final = "This session has used up `guardian.session_tokens`."
DAY_SPENT: Final = "This day has used up `guardian.day_tokens`."


class Begun(msgspec.Struct, frozen=True):
    """A question that may be asked."""

    number: int


class Standing:
    """The judge's memory of its own work. Raises GuardhouseError if it can't be read or written."""

    def __init__(self, database: Database, seal: Seal) -> None:
        self._database = database
        self._seal = seal

    def known(self, question: str, seconds: float) -> Answer | None:
        """The answer to a question, by its digest, if it was given within so many seconds."""
        if not seconds:
            return None
        with self._database.reading() as rows:
            found = rows.run(
                "SELECT sealed FROM guardian_answers WHERE question = ? AND at > ?",
                (self._mark(question), rows.now() - seconds),
            )
        if not found:
            return None
        return msgspec.json.decode(self._seal.open("answer", question, bytes(found[0][0])), type=Answer)

    def begin(self, session: str, heard: int, section: GuardianSection, cost: int) -> Begun | str:
        """Count a question about a session whose user has spoken `heard` times, and that will cost about `cost` tokens;
        why it may not be asked, if that is so."""
        with self._database.writing() as rows:
            now = rows.now()
            rows.run("DELETE FROM guardian_opinions WHERE at < ?", (now - _KEPT,))
            rows.run("DELETE FROM guardian_answers WHERE at < ?", (now - _DAY,))
            mark = self._session(session)
            refusal = _tripped(rows, mark, heard) or _spent(rows, mark, now, section, cost)
            if refusal:
                return refusal
            return Begun(_noted(rows, mark, heard, now, "asked", cost))

    def end(self, begun: Begun, outcome: str, tokens: int, question: str = "", answer: Answer | None = None) -> None:
        """Note what a question came to, and the answer for those who ask the same."""
        with self._database.writing() as rows:
            rows.run(
                "UPDATE guardian_opinions SET outcome = ?, tokens = ? WHERE number = ?", (outcome, tokens, begun.number)
            )
            if answer is not None:
                sealed = self._seal.seal("answer", question, msgspec.json.encode(answer))
                rows.run("DELETE FROM guardian_answers WHERE question = ?", (self._mark(question),))
                rows.run("INSERT INTO guardian_answers VALUES (?, ?, ?)", (self._mark(question), rows.now(), sealed))

    def again(self, session: str, heard: int, outcome: str) -> str:
        """Count an answer that was known; why it is not to be given, if the judge is not to be asked any more."""
        with self._database.writing() as rows:
            mark = self._session(session)
            refusal = _tripped(rows, mark, heard)
            if not refusal:
                _noted(rows, mark, heard, rows.now(), outcome, 0)
            return refusal

    def _mark(self, question: str) -> bytes:
        return self._seal.mark("question", question)

    def _session(self, session: str) -> bytes:
        return self._seal.mark("session", session)


def _noted(rows: Rows, mark: bytes, heard: int, now: float, outcome: str, tokens: int) -> int:
    [(number,)] = rows.run(
        "INSERT INTO guardian_opinions (session, turn, at, outcome, tokens) VALUES (?, ?, ?, ?, ?) RETURNING number",
        (mark, heard, now, outcome, tokens),
    )
    return int(number)


def _tripped(rows: Rows, mark: bytes, heard: int) -> str:
    found = rows.run(
        "SELECT outcome FROM guardian_opinions WHERE session = ? AND turn = ? AND outcome IN ('allow', 'block') "
        "ORDER BY number DESC LIMIT ?",
        (mark, heard, AMONG),
    )
    against = [outcome == "block" for (outcome,) in found]
    is_row = len(against) >= IN_A_ROW and all(against[:IN_A_ROW])
    return TRIPPED if is_row or sum(against) >= MOST_AMONG else ""


def _spent(rows: Rows, mark: bytes, now: float, section: GuardianSection, cost: int) -> str:
    for most, refusal, where, values in (
        (section.session_tokens, SESSION_SPENT, "session = ?", (mark,)),
        (section.day_tokens, DAY_SPENT, "at > ?", (now - _DAY,)),
    ):
        if most:
            [(spent,)] = rows.run(f"SELECT coalesce(sum(tokens), 0) FROM guardian_opinions WHERE {where}", values)  # noqa: S608
            if int(spent) + cost > most:
                return refusal
    return ""
