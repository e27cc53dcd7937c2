"""What the world says, as far as a decision depends on it.

`decide` names what it needs; ports find out; the answers are recorded here and go into the audit event, so that the
same decision can be made again later without asking the world. A question that could not be answered is a fact too:
it carries an error, and policy treats it as the worst answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from guardhouse.model.session_events import SessionState, Traces

Purpose = Literal["spare", "watch"]
"""What a second opinion is for: to spare a person a question, or to look at what nobody would be asked about."""


class AddressesOf(msgspec.Struct, frozen=True, tag=True):
    """Every address a host name resolves to."""

    host: str


class RealPathOf(msgspec.Struct, frozen=True, tag=True):
    """Where an absolute path leads once every link on the way is followed."""

    path: str


class FileDigestOf(msgspec.Struct, frozen=True, tag=True):
    """What a file holds, by its digest. Asked only where a person is to approve something about that file."""

    path: str
    brief: bool = False
    """Where a call names very many files: what changes whenever the file is written is enough."""


class ProgramOf(msgspec.Struct, frozen=True, tag=True):
    """What a command's first word would run, by the digest of that program."""

    name: str


class ExtentOf(msgspec.Struct, frozen=True, tag=True):
    """How much lies at a path, with everything below it. Asked only where a person is to approve that it goes."""

    path: str
    """It may have wildcards; then everything that matches is meant."""


class ToolPinOf(msgspec.Struct, frozen=True, tag=True):
    """What was pinned of a tool's description. Asked only where the call says how the tool was announced."""

    tool: str


class SessionOf(msgspec.Struct, frozen=True, tag=True):
    """How a session stands: what its user asked for, and what has come into it."""

    session_id: str


class TracesOf(msgspec.Struct, frozen=True, tag=True):
    """Where values were seen in a session."""

    session_id: str
    values: tuple[str, ...]


class OpinionOf(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """What the judge thinks of a call. Asked only where policy wants to know."""

    session_id: str
    purpose: Purpose
    call: str
    """The call as JSON, masked."""
    action: str = ""
    """The hash of the call as it is: two that differ in what is masked are two questions."""
    heard: int = 0
    """Messages of the user's own words so far."""
    decided: str = ""
    """What policy decides without the judge."""
    codes: tuple[str, ...] = ()
    """What asks."""
    unattended: bool = False


Need = AddressesOf | RealPathOf | FileDigestOf | ProgramOf | ExtentOf | ToolPinOf | SessionOf | TracesOf | OpinionOf


class Addresses(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to AddressesOf."""

    addresses: tuple[str, ...] = ()
    error: str = ""
    """Why there is no answer; a reason to deny."""
    skipped: bool = False
    """The caller asked for a decision without network access, as `guardhouse check` does by default."""


class RealPath(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to RealPathOf."""

    path: str = ""
    error: str = ""
    elsewhere: bool = False
    """This machine has not even the first directory of it."""


class FileDigest(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to FileDigestOf and ProgramOf."""

    digest: str = ""
    """`sha256:…`; or what is there instead of a file: `absent`, `directory`, `special`. A very large file, or one of
    very many, is known by what changes whenever it is written: `status:…`."""
    path: str = ""
    """For a program: where it was found."""
    error: str = ""


class Extent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to ExtentOf. It decides nothing: it is told to whoever is asked."""

    files: int = 0
    bytes: int = 0
    untracked: int | None = None
    """Files that version control has not got; None if there is no repository, or none that can be read."""
    changed: int | None = None
    """Files that were written since version control last looked at them; None as above."""
    history: bool = False
    """A repository itself is among the files."""
    more: bool = False
    """Counting stopped at a budget."""
    error: str = ""
    """Why not everything could be counted."""


class Suspicion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A place in what a server says of a tool, or of itself, that is more than a description."""

    code: str
    """A reason code."""
    field: str
    """Where: `description`, `inputSchema.properties.note.description`, …"""
    start: int
    end: int
    excerpt: str = ""
    """The place with a little around it, for a person; masked, and never shown to an agent or a model."""


class ToolPin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to ToolPinOf."""

    digest: str = ""
    """Of the description that was pinned; empty if none was."""
    destructive: bool = False
    """The tool says of itself that it destroys; one that says it does not is not believed."""
    open_world: bool = False
    """The tool says of itself that it deals with things outside."""
    changed: bool = False
    """The tool was last announced otherwise than it was pinned."""
    description: str = ""
    """What it said of itself when it was pinned; only while the decision is made."""
    parameters: dict[str, Any] = {}
    """JSON Schema of its arguments, as it was pinned; only while the decision is made."""
    suspicions: tuple[Suspicion, ...] = ()
    """What is suspicious in what it says of itself, until a person has accepted that; only while the decision is
    made."""
    kept: bool = True
    """Whether anybody keeps what was pinned."""
    error: str = ""
    """Why there is no answer; the description then counts as changed."""

    def is_as(self, digest: str | None) -> bool:
        """Whether a tool is described as it was pinned. Who does not know the description that is announced now (None)
        goes by what anybody has seen; if nobody looks, there is nothing to go by."""
        if digest is None:
            return not self.kept or not (self.changed or self.error)
        return self.digest == digest and not self.error


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to OpinionOf. What follows from it is policy's to say."""

    outcome: Literal["allow", "block", "error"]
    purpose: Purpose = "watch"
    decided: str = ""
    """What policy decided without it."""
    reason: str = ""
    """The judge's words, masked, in one line; of an error, our own."""
    risk: Literal["", "low", "medium", "high", "critical"] = ""
    authorized: Literal["", "unknown", "low", "medium", "high"] = ""
    """How far the judge thinks that the user wanted this."""
    partial: bool = False
    """Something was too long to be shown, and only its structure was: an `allow` is then good for a question only."""
    model: str = ""
    prompt: str = ""
    """The version of the words that the judge was asked with."""
    transcript: str = ""
    """The digest of what it was shown."""
    cached: bool = False
    tokens: int = 0
    stopped: bool = False
    """Of an error: the judge is not asked any more for now, because it was against so much or has cost so much. An
    agent can bring that about, so it never leaves a call as it is."""


Answer = Addresses | RealPath | FileDigest | Extent | ToolPin | SessionState | Traces | SecondOpinion


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All answers so far. Immutable: gathering more makes a new one."""

    addresses: dict[str, Addresses] = {}
    real_paths: dict[str, RealPath] = {}
    files: dict[str, FileDigest] = {}
    programs: dict[str, FileDigest] = {}
    extents: dict[str, Extent] = {}
    pins: dict[str, ToolPin] = {}
    session: SessionState | None = None
    traces: Traces | None = None
    """Only while the decision is made: it holds values of the action, and what they come to is among the findings."""
    opinion: SecondOpinion | None = None

    def answers(self, need: Need) -> bool:
        """Whether `need` has an answer, good or bad."""
        if isinstance(need, RealPathOf):
            return need.path in self.real_paths
        if isinstance(need, AddressesOf):
            return need.host in self.addresses
        if isinstance(need, ExtentOf):
            return need.path in self.extents
        if isinstance(need, ToolPinOf):
            return need.tool in self.pins
        if isinstance(need, SessionOf):
            return self.session is not None
        if isinstance(need, TracesOf):
            return self.traces is not None
        if isinstance(need, OpinionOf):
            return self.opinion is not None
        return need.path in self.files if isinstance(need, FileDigestOf) else need.name in self.programs

    def with_answers(self, answers: Mapping[Need, Answer]) -> Facts:
        """These facts and `answers`."""
        if not answers:
            return self
        addresses = dict(self.addresses)
        real_paths = dict(self.real_paths)
        files, programs = dict(self.files), dict(self.programs)
        extents, pins = dict(self.extents), dict(self.pins)
        session, traces, opinion = self.session, self.traces, self.opinion
        for need, answer in answers.items():
            if isinstance(need, AddressesOf) and isinstance(answer, Addresses):
                addresses[need.host] = answer
            elif isinstance(need, RealPathOf) and isinstance(answer, RealPath):
                real_paths[need.path] = answer
            elif isinstance(need, FileDigestOf) and isinstance(answer, FileDigest):
                files[need.path] = answer
            elif isinstance(need, ProgramOf) and isinstance(answer, FileDigest):
                programs[need.name] = answer
            elif isinstance(need, ExtentOf) and isinstance(answer, Extent):
                extents[need.path] = answer
            elif isinstance(need, ToolPinOf) and isinstance(answer, ToolPin):
                pins[need.tool] = answer
            elif isinstance(need, SessionOf) and isinstance(answer, SessionState):
                session = answer
            elif isinstance(need, TracesOf) and isinstance(answer, Traces):
                traces = answer
            elif isinstance(need, OpinionOf) and isinstance(answer, SecondOpinion):
                opinion = answer
            else:
                raise TypeError(f"{type(answer).__name__} does not answer {type(need).__name__}")
        return Facts(
            addresses=addresses,
            real_paths=real_paths,
            files=files,
            programs=programs,
            extents=extents,
            pins=pins,
            session=session,
            traces=traces,
            opinion=opinion,
        )

    @property
    def binding(self) -> dict[str, str]:
        """The facts that an approval is bound to: where paths lead and what files hold. Addresses rotate, and
        files below a directory come and go."""
        bound = {f"real_path:{path}": answer.path or "unresolved" for path, answer in self.real_paths.items()}
        bound |= {f"file:{path}": answer.digest or f"unknown {answer.error}" for path, answer in self.files.items()}
        for name, answer in self.programs.items():
            bound[f"program:{name}"] = f"{answer.path} {answer.digest or f'unknown {answer.error}'}"
        return bound

    @property
    def kept(self) -> list[str]:
        """The files and programs that are there, and that an approval is bound to, by name. Paths that lead elsewhere
        come first, with where that is: a link must not hide what is changed."""
        leading = [f"path {path} -> {one.path}" for path, one in self.real_paths.items() if one.path not in {"", path}]
        files = [f"file {path}" for path, answer in self.files.items() if ":" in answer.digest]
        return leading + files + [f"program {one.path}" for one in self.programs.values() if one.path]


NO_FACTS = Facts()
