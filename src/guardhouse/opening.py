"""Opens a guard on this machine: the real ports, and the policy that the configuration files make."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypedDict, TypeVar, Unpack, overload

import msgspec

from guardhouse.config import ReloadingPolicy, find_sources
from guardhouse.desk import Desk
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.guard import Guard
from guardhouse.model import OutputPublish, UserInput
from guardhouse.pins import PinStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    from guardhouse.adapters import GuardedAsyncFunction, GuardedFunction, ToolNames
    from guardhouse.approvals import Approver
    from guardhouse.config import Sources
    from guardhouse.detect import Detector
    from guardhouse.egress import FetchTools
    from guardhouse.guard import Resolver
    from guardhouse.model import Action, ApprovalRequest, Verdict
    from guardhouse.tokens import Tokens
    from guardhouse.trust import Announcement

P = ParamSpec("P")
R = TypeVar("R")


class CallNames(TypedDict, total=False):
    """What every call of a guarded tool says of itself."""

    session_id: str | None
    principal: str | None
    run_id: str | None
    parent_run_id: str | None
    task_id: str | None
    cwd: str | None


def open_judge(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    resolver: Resolver | None = None,
    extra_detectors: tuple[Detector, ...] = (),
) -> Guard:
    """A guard that only judges: nobody is asked and nothing is recorded. PolicyError if the policy can't be read."""
    sources = find_sources(config_file=config_file, cwd=cwd, state_dir=state_dir, extra_detectors=extra_detectors)
    return Guard(
        ReloadingPolicy(with_first_look(sources)),
        resolver=resolver or SystemResolver(),
        files=LocalFiles(),
        pins=PinStore(sources.locations.pins),
    )


def open_guard(
    *,
    config_file: Path | None = None,
    cwd: Path | None = None,
    state_dir: Path | None = None,
    resolver: Resolver | None = None,
    extra_detectors: tuple[Detector, ...] = (),
    clock: Callable[[], float] = time.time,
    agent_pid: int | None = None,
    variables: Mapping[str, str] | None = None,
    remembers: bool = True,
) -> LocalGuard:
    """A guard with the configuration of this machine, user and project, which asks people and records what it decides.

    `config_file` stands in for the user's own file. The policy follows the files as they change; PolicyError if it
    can't be read now. The agent's process (this one, unless `agent_pid` says which) then counts as a guarded agent:
    what it starts can't approve anything. `variables` stand in for this process's environment, which somebody else may
    have had a say in.
    """
    sources = find_sources(
        config_file=config_file, cwd=cwd, state_dir=state_dir, extra_detectors=extra_detectors, variables=variables
    )
    return LocalGuard(
        with_first_look(sources),
        resolver=resolver or SystemResolver(),
        clock=clock,
        agent_pid=agent_pid,
        remembers=remembers,
        variables=variables,
    )


def with_first_look(sources: Sources) -> Sources:
    """`sources` for a process that may have much to look at: secrets are looked for with a compiled database as soon as
    that is worth it."""
    from guardhouse.secret_database import FirstLook, SecretDatabase

    places = sources.locations
    return msgspec.structs.replace(with_keys(sources), matcher=FirstLook(SecretDatabase(places.cache, places.keys)))


def with_keys(sources: Sources) -> Sources:
    """`sources` with the key of fingerprints, for a policy that wants any."""

    def key() -> bytes:
        from guardhouse.keys import KeyDirectory

        return KeyDirectory(sources.locations.keys).key("fingerprints")

    return msgspec.structs.replace(sources, fingerprint_key=key)


def open_for_agent(
    agent: str,
    *,
    project: Path,
    agent_pid: int | None,
    holds_questions: bool = True,
    config_file: Path | None = None,
    state_dir: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> LocalGuard:
    """A guard for a call that a coding agent is about to make, or has made, in a process of its own.

    `project` is the project wherever the call runs. What comes into the agent's session is remembered, for the
    processes that judge its later calls. Without `holds_questions` nobody is asked here: the agent puts its question to
    its own user. `agent_pid` is the agent's process, None if that is not known. `variables` stand in for this process's
    environment, which a repository may have had a say in.
    """
    sources = find_sources(
        config_file=config_file, cwd=project, state_dir=state_dir, is_project=True, variables=variables
    )
    return LocalGuard(
        with_keys(sources),
        resolver=SystemResolver(),
        agent_name=agent,
        agent_pid=agent_pid,
        registers=agent_pid is not None,
        holds_questions=holds_questions,
        remembers=True,
    )


@contextmanager
def open_approvals(*, state_dir: Path | None = None) -> Iterator[Approver]:
    """The approvals of this machine and user, for whoever answers them. What is answered is recorded.

    A project's configuration has no say here, so a broken one can't keep a person from answering.
    """
    sources = find_sources(state_dir=state_dir)
    policy = sources.load(project=False)
    desk = Desk(sources.locations, lambda: policy)
    try:
        yield desk.approver
    finally:
        desk.close()


@contextmanager
def open_tokens(*, state_dir: Path | None = None) -> Iterator[Tokens]:
    """The tokens of this machine's daemon, or of all nodes that share its database. As with approvals, a project's
    configuration has no say."""
    from guardhouse.tokens import Tokens

    sources = find_sources(state_dir=state_dir)
    policy = sources.load(project=False)
    desk = Desk(sources.locations, lambda: policy)
    try:
        yield Tokens(desk.database)
    finally:
        desk.close()


class LocalGuard(Guard):
    """A guard on this machine, with its record and its approvals. Close it, or use it as a context manager."""

    def __init__(
        self,
        sources: Sources,
        *,
        resolver: Resolver,
        clock: Callable[[], float] = time.time,
        agent_name: str | None = None,
        agent_pid: int | None = None,
        registers: bool = True,
        holds_questions: bool = True,
        remembers: bool = False,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        policy = ReloadingPolicy(sources)
        self._desk = desk = Desk(sources.locations, policy.current, clock)
        super().__init__(
            policy,
            resolver=resolver,
            files=LocalFiles(),
            approvals=desk if holds_questions else None,
            audit=desk.audit,
            sessions=desk if remembers else None,
            pins=PinStore(sources.locations.pins),
            clock=clock,
            marker_key=desk.marker_key,
        )
        self._session = f"s_{os.urandom(8).hex()}"
        self._names: ToolNames | None = None
        self._resolver = resolver
        self._fetching: FetchTools | None = None
        self._variables = variables
        self._agent_name = agent_name or os.path.basename(sys.argv[0]) or "python"  # noqa: PTH119
        self._agent_pid = agent_pid
        self._registers = registers
        self._registered_by = 0
        self._register()

    def evaluate(
        self, action: Action, *, approval_id: str | None = None, announced: Announcement | None = None
    ) -> Verdict:
        """The verdict on `action`; see `Guard.evaluate`."""
        if self._registered_by != os.getpid():
            self._register()
        return super().evaluate(action, approval_id=approval_id, announced=announced)

    async def evaluate_async(
        self,
        action: Action,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        is_private: bool = False,
    ) -> Verdict:
        """The same, without blocking the event loop."""
        if self._registered_by != os.getpid():
            self._register()
        return await super().evaluate_async(action, approval_id=approval_id, announced=announced, is_private=is_private)

    def _register(self) -> None:
        """Register the agent; again in a process that was forked off, which is one of its own."""
        if self._registers:
            self._desk.register_agent(self._agent_name, self._agent_pid)
        self._registered_by = os.getpid()

    @property
    def approvals(self) -> Approver:
        """The requests, and answering them."""
        return self._desk.approver

    def masked(self, text: str) -> str:
        """`text` without its secrets, by the policy in force. PolicyError if that can't be read."""
        return self._policy.current().redactor.text(text)

    def ask_in_terminal(self, approval_id: str) -> ApprovalRequest:
        """Put a pending request to the person at this process's terminal, until it expires; the request as it stands
        then. NoTerminal if there is no terminal to ask at."""
        return self._desk.ask_in_terminal(approval_id)

    def user_said(
        self,
        text: str,
        *,
        session_id: str | None = None,
        origin: Literal["typed", "pasted", "attachment", "scheduled"] = "typed",
    ) -> Verdict:
        """Tell the gate what the user said, in this guard's own session unless one is named: from now on calls are held
        against it. Only words that a person `typed` carry authority, so say so of nothing else; what was pasted into
        them is told apart. Give the model what the verdict lets through."""
        return self.evaluate(UserInput(content=text, origin=origin, session_id=session_id or self._session))

    async def user_said_async(
        self,
        text: str,
        *,
        session_id: str | None = None,
        origin: Literal["typed", "pasted", "attachment", "scheduled"] = "typed",
    ) -> Verdict:
        """The same, without blocking the event loop."""
        said = UserInput(content=text, origin=origin, session_id=session_id or self._session)
        return await self.evaluate_async(said)

    def assistant_showed(self, text: str, *, session_id: str | None = None, channel: str | None = None) -> Verdict:
        """Ask before the user is shown an answer, and let the session know of it: a `yes` of theirs then is a yes to
        what stands there. Show what the verdict lets through."""
        return self.evaluate(OutputPublish(content=text, channel=channel, session_id=session_id or self._session))

    async def assistant_showed_async(
        self, text: str, *, session_id: str | None = None, channel: str | None = None
    ) -> Verdict:
        """The same, without blocking the event loop."""
        shown = OutputPublish(content=text, channel=channel, session_id=session_id or self._session)
        return await self.evaluate_async(shown)

    @overload
    def wrap(  # type: ignore[overload-overlap]  # the first that fits is meant
        self,
        tool: Callable[P, Awaitable[R]],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> GuardedAsyncFunction[P, R]: ...

    @overload
    def wrap(
        self,
        tool: Callable[P, R],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> GuardedFunction[P, R]: ...

    def wrap(
        self,
        tool: Callable[..., Any],
        *,
        name: str | None = None,
        session_id: str | None = None,
        principal: str | None = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        task_id: str | None = None,
        cwd: str | None = None,
    ) -> Any:
        """`tool` behind the gate: calling it gives an outcome, never an unjudged result.

        `name` is what the policy knows the tool by, its own name unless given. The rest is what every call says of
        itself; without a session it is one of this guard's own. In one session a name means one tool.
        """
        from guardhouse.adapters import CallContext, GuardedAsyncFunction, GuardedFunction, ToolNames, is_async

        names = self._names = self._names or ToolNames()
        context = CallContext(
            session_id=session_id or self._session,
            principal=principal,
            run_id=run_id,
            parent_run_id=parent_run_id,
            task_id=task_id,
            cwd=cwd,
        )
        kind: Any = GuardedAsyncFunction if is_async(tool) else GuardedFunction
        return kind(self, tool, name=names.take(tool, name, context), context=context, kept=self._desk)

    def url_fetch(self, **context: Unpack[CallNames]) -> GuardedFunction[..., dict[str, Any]]:
        """The tool `url_fetch(url, method="GET", headers=None, body=None)`, behind the gate like anything that is
        wrapped: made with the guarded client, by the network rules of the policy in force at each call."""
        return self.wrap(self._fetch_tools().url_fetch, name="url_fetch", **context)

    def url_fetch_async(self, **context: Unpack[CallNames]) -> GuardedAsyncFunction[..., dict[str, Any]]:
        """The same, without blocking the event loop. A session has one of the two."""
        tool: GuardedAsyncFunction[..., dict[str, Any]]
        tool = self.wrap(self._fetch_tools().url_fetch_async, name="url_fetch", **context)
        return tool

    def web_search(self, **context: Unpack[CallNames]) -> GuardedFunction[..., dict[str, Any]]:
        """The tool `web_search(query, count=10)`, behind the gate: asks the one service that the policy in force names
        at `network.web_search.endpoint`."""
        return self.wrap(self._fetch_tools().web_search, name="web_search", **context)

    def web_search_async(self, **context: Unpack[CallNames]) -> GuardedAsyncFunction[..., dict[str, Any]]:
        """The same, without blocking the event loop. A session has one of the two."""
        tool: GuardedAsyncFunction[..., dict[str, Any]]
        tool = self.wrap(self._fetch_tools().web_search_async, name="web_search", **context)
        return tool

    def _fetch_tools(self) -> FetchTools:
        """Made when it is first asked for: a guard that fetches nothing does not load a client."""
        if self._fetching is None:
            from guardhouse.egress import FetchTools

            self._fetching = FetchTools(self._policy, self._resolver, variables=self._variables)
        return self._fetching

    def close(self) -> None:
        """Bring the record to disk and let go of the stores. What is asked after that is denied."""
        self._desk.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
