"""Opens a guard on this machine: the real ports, and the policy that the configuration files make."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Unpack

import msgspec

from guardhouse.adapters.holding import AgentGuard
from guardhouse.config import ReloadingPolicy, find_sources
from guardhouse.desk import Desk
from guardhouse.egress import SystemResolver
from guardhouse.files import LocalFiles
from guardhouse.guard import Guard
from guardhouse.model import GuardhouseError, parse_action
from guardhouse.pins import PinStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from guardhouse.adapters import GuardedAsyncFunction, GuardedFunction, TakenUp
    from guardhouse.adapters.holding import CallNames
    from guardhouse.approvals import Approver
    from guardhouse.config import Sources
    from guardhouse.database import Database
    from guardhouse.detect import Detector
    from guardhouse.egress import FetchTools
    from guardhouse.egress.exchanges import Exchanges
    from guardhouse.egress.proxy import Callers, Door, ForwardProxy
    from guardhouse.guard import Resolver
    from guardhouse.guardian import Guardian
    from guardhouse.model import Action, ApprovalRequest, OpinionOf, SecondOpinion, ToolCallPre, Verdict
    from guardhouse.net import NetworkRules
    from guardhouse.policy import Policy
    from guardhouse.ports import Alongside, Judge, TranscribedSessions
    from guardhouse.sealing import Seal
    from guardhouse.sign_ins import SignIns
    from guardhouse.tokens import Tokens
    from guardhouse.trust import Announcement


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
    in_loop: bool = False,
    judge: Judge | None = None,
) -> LocalGuard:
    """A guard with the configuration of this machine, user and project, which asks people and records what it decides.

    `config_file` stands in for the user's own file. The policy follows the files as they change; PolicyError if it
    can't be read now. The agent's process (this one, unless `agent_pid` says which) then counts as a guarded agent:
    what it starts can't approve anything. `variables` stand in for this process's environment, which somebody else may
    have had a say in. `in_loop` is for an event loop that serves many: `evaluate_async` then does there what waits for
    nobody, which is sooner done than handed to a thread. `judge` gives second opinions in the place of the service that
    `guardian` names; the policy says as ever when it is asked and what follows.
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
        in_loop=in_loop,
        judge=judge,
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


def open_for_sandbox(
    *, project: Path, config_file: Path | None = None, state_dir: Path, variables: Mapping[str, str]
) -> LocalGuard:
    """A guard for what commands in a sandbox reach, from a process that outlives them. This process is no agent by
    that. `variables` stand in for its environment: they are those of the command."""
    from guardhouse.egress import RecentAnswers

    sources = find_sources(
        config_file=config_file, cwd=project, state_dir=state_dir, is_project=True, variables=variables
    )
    return LocalGuard(
        with_first_look(sources),
        resolver=RecentAnswers(SystemResolver()),
        registers=False,
        remembers=True,
        in_loop=True,
    )


def open_considering(cwd: Path | None, *, state_dir: Path | None = None) -> LocalGuard:
    """A guard for a person who considers a call of an agent's on this machine, made in `cwd`. This process is no agent
    by that."""
    return LocalGuard(
        with_keys(find_sources(cwd=cwd, state_dir=state_dir)),
        resolver=SystemResolver(),
        registers=False,
        remembers=True,
    )


def open_for_proxy(sources: Sources) -> LocalGuard:
    """A guard for connections of agents that bring a token each. This process is no agent by that."""
    from guardhouse.egress import RecentAnswers

    return LocalGuard(with_first_look(sources), resolver=RecentAnswers(SystemResolver()), registers=False, in_loop=True)


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


@contextmanager
def open_sign_ins(*, state_dir: Path | None = None) -> Iterator[SignIns]:
    """Who is signed in to the console, in the same place."""
    from guardhouse.sign_ins import SignIns

    sources = find_sources(state_dir=state_dir)
    policy = sources.load(project=False)
    desk = Desk(sources.locations, lambda: policy)
    try:
        yield SignIns(desk.database)
    finally:
        desk.close()


class _Judge:
    """The guardian of one guard, made when it is first asked: few have one."""

    def __init__(
        self,
        policy: ReloadingPolicy,
        desk: Desk,
        sessions: TranscribedSessions,
        resolver: Resolver,
        variables: Mapping[str, str] | None,
    ) -> None:
        self._parts = policy, desk, sessions, resolver, variables
        self._made: Guardian | None = None

    def opinion(self, question: OpinionOf) -> SecondOpinion:
        return self.guardian.opinion(question)

    async def opinion_async(self, question: OpinionOf) -> SecondOpinion:
        return await self.guardian.opinion_async(question)

    @property
    def guardian(self) -> Guardian:
        if self._made is None:
            from guardhouse.guardian import open_guardian

            self._made = open_guardian(*self._parts)
        return self._made


class At(msgspec.Struct, frozen=True, kw_only=True):
    """What a guard works with that is one of several in a house."""

    policy: ReloadingPolicy
    desk: Desk
    sessions: TranscribedSessions
    """Those that it may see."""
    files: LocalFiles
    pins: PinStore


def open_at(sources: Sources, at: At, resolver: Resolver) -> LocalGuard:
    """A guard at a desk that many share, for an event loop that serves them. This process is no agent by that."""
    return LocalGuard(sources, resolver=resolver, registers=False, remembers=True, in_loop=True, at=at)


class LocalGuard(Guard, AgentGuard):
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
        in_loop: bool = False,
        at: At | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._at = at
        policy = ReloadingPolicy(sources) if at is None else at.policy
        self._desk = desk = Desk(sources.locations, policy.current, clock) if at is None else at.desk
        sessions: TranscribedSessions = desk if at is None else at.sessions
        self._own_pins = PinStore(sources.locations.pins) if at is None else at.pins
        self._judge = _Judge(policy, desk, sessions, resolver, variables)
        super().__init__(
            policy,
            resolver=resolver,
            files=LocalFiles() if at is None else at.files,
            approvals=desk if holds_questions else None,
            audit=desk.audit,
            sessions=sessions if remembers else None,
            pins=self._own_pins,
            clock=clock,
            marker_key=desk.marker_key,
            prompt=desk.audit if in_loop and not sources.locations.database else None,
            judge=judge or self._judge,
        )
        AgentGuard.__init__(self)
        self._sources = sources
        self._resolver = resolver
        self._fetching: FetchTools | None = None
        self._variables = variables
        self._agent_name = agent_name or os.path.basename(sys.argv[0]) or "python"  # noqa: PTH119
        self._agent_pid = agent_pid
        self._registers = registers
        self._registered_by = 0
        self._register()

    def evaluate(
        self,
        action: Action,
        *,
        approval_id: str | None = None,
        announced: Announcement | None = None,
        can_confine: Callable[[], bool] | None = None,
        alongside: Alongside | None = None,
        of_house: bool = False,
    ) -> Verdict:
        """The verdict on `action`; see `Guard.evaluate`."""
        if self._registered_by != os.getpid():
            self._register()
        return super().evaluate(
            action,
            approval_id=approval_id,
            announced=announced,
            can_confine=can_confine,
            alongside=alongside,
            of_house=of_house,
        )

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

    @property
    def policy(self) -> Policy:
        """The policy in force. PolicyError if it can't be read."""
        return self._policy.current()

    def note(
        self,
        detail: str,
        *,
        source: Literal["sandbox", "run"],
        session_id: str | None = None,
        run_id: str | None = None,
    ) -> None:
        """Record something that the house itself does. Secrets in `detail` are masked. GuardhouseError if it can't be
        recorded: then it may not be done."""
        self._desk.note(detail, source=source, session_id=session_id, run_id=run_id)

    @property
    def database(self) -> Database:
        """Where requests are kept, and what has to change together with them."""
        return self._desk.database

    def seal(self, room: str) -> Seal:
        """Seals what another room of the house keeps there, with a key of that room's own."""
        return self._desk.seal(room)

    @property
    def state_dir(self) -> Path:
        """The state directory."""
        return self._desk.state_dir

    @property
    def pins(self) -> PinStore:
        """What MCP servers said of their tools. What is pinned by it, the gate knows at once."""
        return self._own_pins

    def exchanges(self, tool: str, url: str) -> Exchanges:
        """Exchanges with a URL that somebody wrote down, by the destination rules that `tool` has in force. Refused if
        the URL is none that can be asked."""
        from guardhouse.egress.exchanges import Exchanges
        from guardhouse.egress.permitted import rules_for

        def rules() -> NetworkRules:
            return rules_for(self.policy, tool, exchanges.destination)

        exchanges = Exchanges(url, rules, self._resolver)
        return exchanges

    @property
    def sandbox_options(self) -> list[str]:
        """The options with which `guardhouse sandbox` goes by the same configuration and state."""
        places = self._sources.locations
        named: dict[str, object] = {"--state-dir": places.state}
        if self._sources.config_file is not None:
            named["--config"] = self._sources.config_file.absolute()
        if self._variables is not None:
            named |= {"--home": places.home, "--config-home": places.user.parent, "--key-dir": places.keys}
        return [word for name, value in named.items() for word in (name, str(value))]

    def is_tainted(self, session_id: str) -> bool:
        """Whether anything untrusted has come into a session, or that can't be told: as where nobody remembers."""
        try:
            if self._sessions is None or not self.policy.config.enabled:
                return True
            state = self._sessions.state(session_id)
        except GuardhouseError:
            return True
        return bool(state.error) or not state.kept or state.untrusted > 0

    @property
    def tokens(self) -> Tokens:
        """Who may use the daemon and the proxy."""
        from guardhouse.tokens import Tokens

        return Tokens(self._desk.database)

    def masked(self, text: str) -> str:
        """`text` without its secrets, by the policy in force. PolicyError if that can't be read."""
        return self._policy.current().redactor.text(text)

    def ask_in_terminal(self, approval_id: str) -> ApprovalRequest:
        """Put a pending request to the person at this process's terminal, until it expires; the request as it stands
        then. NoTerminal if there is no terminal to ask at."""
        return self._desk.ask_in_terminal(approval_id)

    def take_up(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp:
        """The call that waits for an approval, as it was kept, with the verdict under it; see `Gate.take_up`."""
        from guardhouse.adapters import TakenUp

        call = check(self._kept(approval_id))
        return TakenUp(call, self.evaluate(call, approval_id=approval_id, announced=announced))

    async def take_up_async(
        self, approval_id: str, check: Callable[[Action], ToolCallPre], *, announced: Announcement | None = None
    ) -> TakenUp:
        """The same, without blocking the event loop."""
        from asyncio import to_thread

        from guardhouse.adapters import TakenUp

        call = check(await to_thread(self._kept, approval_id))
        return TakenUp(call, await self.evaluate_async(call, approval_id=approval_id, announced=announced))

    def _kept(self, approval_id: str) -> Action:
        data = self._desk.resume_data(approval_id)
        if data is None:
            raise GuardhouseError("There is no call that waits for this approval.", fix="Make the call again.")
        return parse_action(data)

    def url_fetch(self, **context: Unpack[CallNames]) -> GuardedFunction[..., dict[str, Any]]:
        """The tool `url_fetch(url, method="GET", headers=None, body=None)`, behind the gate like anything that is
        wrapped: made with the guarded client, by the network rules of the policy in force at each call."""
        return self.wrap(self.fetch_tools().url_fetch, name="url_fetch", **context)

    def url_fetch_async(self, **context: Unpack[CallNames]) -> GuardedAsyncFunction[..., dict[str, Any]]:
        """The same, without blocking the event loop. A session has one of the two."""
        tool: GuardedAsyncFunction[..., dict[str, Any]]
        tool = self.wrap(self.fetch_tools().url_fetch_async, name="url_fetch", **context)
        return tool

    def web_search(self, **context: Unpack[CallNames]) -> GuardedFunction[..., dict[str, Any]]:
        """The tool `web_search(query, count=10)`, behind the gate: asks the one service that the policy in force names
        at `network.web_search.endpoint`."""
        return self.wrap(self.fetch_tools().web_search, name="web_search", **context)

    def web_search_async(self, **context: Unpack[CallNames]) -> GuardedAsyncFunction[..., dict[str, Any]]:
        """The same, without blocking the event loop. A session has one of the two."""
        tool: GuardedAsyncFunction[..., dict[str, Any]]
        tool = self.wrap(self.fetch_tools().web_search_async, name="web_search", **context)
        return tool

    def fetch_tools(self) -> FetchTools:
        """The tools on the guarded client, without the gate before them: for who asks it themselves. Made when they are
        first asked for: a guard that fetches nothing does not load a client."""
        if self._fetching is None:
            from guardhouse.egress import FetchTools

            self._fetching = FetchTools(self._policy, self._resolver, variables=self._variables)
        return self._fetching

    def forward_proxy(self, *, report: Callable[[str], None] | None = None) -> ForwardProxy:
        """A proxy for child processes, by the policy in force at each connection. Its doors are `door`s of this guard,
        or of another one on the same configuration. `report` is told of problems."""
        from guardhouse.egress.proxy import ForwardProxy

        return ForwardProxy(self._policy, self._resolver, report=report)

    @property
    def guardian(self) -> Guardian:
        """The judge that gives second opinions, for who asks it without a call being made."""
        return self._judge.guardian

    def door(
        self,
        *,
        principal: str | None = None,
        session_id: str | None = None,
        cwd: str | None = None,
        callers: Callers | None = None,
    ) -> Door:
        """A door of a proxy at which this guard is asked, under these names; see `Door`."""
        from guardhouse.egress.proxy import Door

        return Door(guard=self, principal=principal, session_id=session_id, cwd=cwd, callers=callers)

    def close(self) -> None:
        """Bring the record to disk and let go of the stores. What is asked after that is denied. A desk that is shared
        is left to who has it."""
        if self._at is None:
            self._desk.close()
