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
