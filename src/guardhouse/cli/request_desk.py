"""Which requests a command is about: those of this machine, or those of a daemon; and who may answer them from here."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from guardhouse.cli.options import state_dir_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.approvals import Approver, TerminalChannel
    from guardhouse.approvals.terminal import Answers
    from guardhouse.client import Following, RemoteApprover
    from guardhouse.model import ApprovalRequest, GrantReach, Terms

_FILE = click.Path(dir_okay=False, path_type=Path)


class RequestDesk(msgspec.Struct, frozen=True):
    """Where requests are kept, as the options say."""

    state_dir: Path | None
    url: str | None
    token_file: Path | None
    ca_file: Path | None

    @property
    def is_remote(self) -> bool:
        """Whether a daemon has them."""
        return self.url is not None

    @contextmanager
    def open(self) -> Iterator[Approver | RemoteApprover]:
        """The requests, and answering them."""
        if self.url is None:
            from guardhouse.opening import open_approvals

            with open_approvals(state_dir=self.state_dir) as approver:
                yield approver
            return
        from guardhouse.client import Connection, RemoteApprover

        ca_file = None if self.ca_file is None else str(self.ca_file)
        connection = Connection(self.url, self._token(), ca_file=ca_file)
        try:
            yield RemoteApprover(connection)
        finally:
            connection.close()

    def require_terminal(self) -> None:
        """NoTerminal (exit status 2) if this process may not answer."""
        from guardhouse.approvals import NoTerminal, require_terminal
        from guardhouse.config import find_sources

        os.close(require_terminal(*self._registries()))
        if self.is_remote:
            return  # whether a daemon's requests are answered at terminals is a matter of who has a token
        if not find_sources(state_dir=self.state_dir).load(project=False).config.approvals.terminal:
            raise NoTerminal(
                "The policy has switched answers at a terminal off (`approvals.terminal: false`).",
                fix="Answer on another channel.",
            )

    def channel(self, approver: Answers) -> TerminalChannel:
        """The way to put questions to the person at this terminal."""
        from guardhouse.approvals import TerminalChannel

        return TerminalChannel(approver, *self._registries(), use_within=self.use_within())

    @contextmanager
    def channel_to(self, approver: Approver | RemoteApprover) -> Iterator[TerminalChannel]:
        """The same for one question, which ends on the screen when it ends elsewhere."""
        if not self.is_remote:
            yield self.channel(approver)
            return
        with self.following(approver) as following:
            yield self.channel(following)

    def following(self, approver: Approver | RemoteApprover) -> Following:
        """A daemon's requests as they change."""
        from guardhouse.client import Following

        return Following(cast("RemoteApprover", approver))

    def use_within(self) -> float | None:
        """How long an approval lasts, by the policy here; a daemon goes by its own."""
        from guardhouse.config import find_sources

        return None if self.is_remote else find_sources().load().config.approvals.use_within

    def edit(
        self,
        approver: Approver | RemoteApprover,
        request: ApprovalRequest,
        changes: dict[str, Any],
        *,
        comment: str | None,
        terms: Terms,
    ) -> ApprovalRequest:
        """Put a call with other arguments in the place of one that waits. NotOffered if it would be denied."""
        if self.is_remote:
            return cast("RemoteApprover", approver).edit(request.id, changes, comment=comment, terms=terms)
        from guardhouse.approvals import NotOffered
        from guardhouse.editing import edit_and_approve
        from guardhouse.opening import open_considering

        local = cast("Approver", approver)
        cwd = request.action_redacted.get("cwd")
        with open_considering(Path(cwd) if isinstance(cwd, str) else None, state_dir=self.state_dir) as guard:
            done = edit_and_approve(guard, local, request.id, changes, actor=self.actor(), comment=comment, terms=terms)
        if done.request is None:
            raise NotOffered(f"The changed call would be denied; nothing was changed. {done.verdict.for_person}")
        return done.request

    def lift_pause(self, approver: Approver | RemoteApprover, request: ApprovalRequest) -> None:
        """Let the session of a request ask again; on this machine, the record says so."""
        if not self.is_remote:
            from guardhouse.config import find_sources
            from guardhouse.observing import record_change

            record_change(find_sources(state_dir=self.state_dir), f"letting the session of {request.id} ask again")
        approver.lift_pause(request.id, actor=self.actor())

    def actor(self) -> str:
        """Who answers here. A daemon goes by the token."""
        from guardhouse.approvals.terminal import local_actor

        return local_actor()

    def _registries(self) -> tuple[Path, ...]:
        """Where agents are noted that may not answer. Requests in a database, or at a daemon, can be answered from any
        state directory, so the registry beside the configuration counts too."""
        from guardhouse.config import find_locations

        return find_locations(state_dir=self.state_dir).registries

    def _token(self) -> str:
        from guardhouse.client.address import found_token, token_from_file

        return found_token(os.environ) if self.token_file is None else token_from_file(self.token_file)


class _Duration(click.ParamType[float]):
    """`30m`, `2h`, `90s`, or `session`."""

    name = "DURATION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from guardhouse.approvals.wording import seconds_of

        seconds = 0.0 if value == "session" else seconds_of(str(value))
        if seconds is None:
            self.fail("Write it as 30m, 2h, 90s, or `session`.", param, ctx)
        return seconds


def terms_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a yes is good for; the command gets them as `terms`."""

    @click.option("--for-run", is_flag=True, help="Also later calls of this tool with the values that the card lists.")
    @click.option("--again", type=_Duration(), default=None, help="Also exactly this call again, for so long.")
    @click.option("--there", type=_Duration(), default=None, help="Also calls of this tool at the same places.")
    @click.option("--first-lines", type=click.IntRange(1, 10_000), default=None, help="Show the agent so many lines.")
    @click.option("--redacted", is_flag=True, help="Show it the result without secrets and labelled data.")
    @click.option("--structure", is_flag=True, help="Show it only what the result is made of.")
    @wraps(command)
    def with_terms(
        *args: Any,
        for_run: bool,
        again: float | None,
        there: float | None,
        first_lines: int | None,
        redacted: bool,
        structure: bool,
        **more: Any,
    ) -> Any:
        from guardhouse.model import Condition, GrantScope, Terms

        conditions = [
            *([Condition("first_lines", first_lines)] if first_lines is not None else []),
            *([Condition("redacted")] if redacted else []),
            *([Condition("structure")] if structure else []),
        ]
        reach: GrantReach = "exact" if again is not None else "destination"
        seconds = again if again is not None else there
        if len(conditions) > 1 or (again is not None and there is not None):
            raise click.UsageError(
                "Choose one of --first-lines, --redacted and --structure, and one of --again, --there."
            )
        terms = Terms(
            for_run=for_run,
            condition=conditions[0] if conditions else None,
            grant=None if seconds is None else GrantScope(reach, seconds or None),
        )
        return command(*args, terms=terms, **more)

    return with_terms


def desk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where requests are kept; the command gets them as `desk`."""

    @click.option("--url", envvar="GUARDHOUSE_URL", show_envvar=True, help="A daemon, instead of this machine.")
    @click.option("--token-file", type=_FILE, default=None, help="Your token for it. [env var: GUARDHOUSE_TOKEN]")
    @click.option("--ca-file", type=_FILE, default=None, help="The authorities that its certificate is from.")
    @state_dir_option
    @wraps(command)
    def with_desk(
        *args: Any,
        url: str | None,
        token_file: Path | None,
        ca_file: Path | None,
        state_dir: Path | None,
        **more: Any,
    ) -> Any:
        return command(*args, desk=RequestDesk(state_dir, url or None, token_file, ca_file), **more)

    return with_desk
