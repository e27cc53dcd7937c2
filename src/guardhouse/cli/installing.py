"""`install` and `uninstall`: put the gate under a coding agent or before MCP servers, and take it away again.

Everything is shown before it is done. Only a person does this: what a guarded agent starts is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import config_option, confirmed, json_option, printable, state_dir_option, yes_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.config import Locations
    from guardhouse.installing.agents import Scope
    from guardhouse.installing.commands import Options
    from guardhouse.installing.installer import Plan
    from guardhouse.installing.records import Records

_NOT_DONE: Final = 1

_scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project", "managed"]),
    default="user",
    show_default=True,
    help="For everything you do, only in this directory, or for everybody on this machine (as root).",
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
_observe_option = click.option("--observe", is_flag=True, help="Watch only, for a start: deny what no rule can allow.")
_server_option = click.option("--server", "servers", multiple=True, metavar="NAME", help="Only this one, or these.")
_file_argument = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


def _options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return apply


_common = (yes_option, _dry_run_option, json_option, state_dir_option)


@click.group()
def install() -> None:
    """Put the gate under an agent. The change is shown first, and what was there is kept."""


@click.group()
def uninstall() -> None:
    """Take the gate away. A file that nobody has changed since becomes what it was, byte for byte."""


def _add_agent(name: str, title: str) -> None:
    @install.command(name, help=f"Put the gate under {title}.")
    @_options(_scope_option, _observe_option, config_option, *_common)
    def _install(
        scope: Scope,
        config_file: Path | None,
        state_dir: Path | None,
        *,
        observe: bool,
        yes: bool,
        dry_run: bool,
        as_json: bool,
    ) -> None:
        _install_agent(name, scope, _Way(state_dir, config_file, observe=observe, yes=yes, dry=dry_run, json=as_json))

    @uninstall.command(name, help=f"Take the gate away from {title}.")
    @_options(_scope_option, *_common)
    def _uninstall(scope: Scope, state_dir: Path | None, *, yes: bool, dry_run: bool, as_json: bool) -> None:
        _uninstall_agent(name, scope, _Way(state_dir, yes=yes, dry=dry_run, json=as_json))


for _name, _title in {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "cursor": "Cursor",
    "copilot": "Copilot CLI",
    "goose": "goose",
    "hermes": "hermes",
}.items():
    _add_agent(_name, _title)


@install.command("mcp")
@_options(_file_argument, _server_option, _observe_option, config_option, *_common)
def install_mcp(
    file: Path,
    servers: tuple[str, ...],
    config_file: Path | None,
    state_dir: Path | None,
    *,
    observe: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put the gate before the MCP servers that the client's list FILE names (`mcpServers` or `servers`)."""
    from guardhouse.installing.commands import interpreter
    from guardhouse.installing.installer import plan_install
    from guardhouse.installing.machine import claimed_names
    from guardhouse.installing.mcp_servers import survey, with_gateway, without_gateway
    from guardhouse.model import GuardhouseError

    way = _Way(state_dir, config_file, observe=observe, yes=yes, dry=dry_run, json=as_json)
    if not file.exists():
        raise GuardhouseError(f"There is no file {file}.", fix="Name the client's list of servers.")
    python = way.require_runnable(interpreter())
    options = way.options()
    claimed = claimed_names(way.records.all(), file)
    plan = plan_install(
        "mcp",
        file.absolute(),
        way.records,
        lambda text: with_gateway(text, python, options, servers, claimed),
        lambda text: without_gateway(text, servers),
        (python, *options.words()),
    )
    from guardhouse.installing.json_text import JsonText

    found = survey(JsonText((plan.after or b"").decode()).value)
    notes = [f"Not guarded, because the gateway can't reach it as the client does: {name}" for name in found.remote]
    notes += way.unreached(plan)
    hidden = _header_values(plan)
    notes += [f"Not guarded, because what stands there is not understood: {name}" for name in found.unclear]
    notes += [f"Not guarded: {name}" for name in found.open]
    notes += [f"Left as somebody put it behind a gateway by hand: {name}" for name in found.by_hand]
    notes.append("Restart the client: it starts the servers.")
    way.carry_out(plan, f"Behind the gateway: {', '.join(found.guarded) or 'none'}.", notes, hidden=hidden)


@uninstall.command("mcp")
@_options(_file_argument, *_common)
def uninstall_mcp(file: Path, state_dir: Path | None, *, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Take the gate away from the MCP servers of the client's list FILE."""
    from guardhouse.installing.installer import plan_uninstall
    from guardhouse.installing.mcp_servers import without_gateway

    way = _Way(state_dir, yes=yes, dry=dry_run, json=as_json)
    plan = plan_uninstall("mcp", file.absolute(), way.records, without_gateway)
    way.carry_out(plan, "", ["Restart the client.", *way.still_observing(plan)], hidden=_header_values(plan))


def _header_values(plan: Plan) -> list[str]:
    """The values of headers in a client's list, in the form that they have in it."""
    import json

    from guardhouse.installing.json_text import JsonText
    from guardhouse.installing.mcp_servers import header_values
    from guardhouse.model import GuardhouseError

    found: list[str] = []
    for content in (plan.target.content, plan.after):
        try:
            found += header_values(JsonText((content or b"").decode()).value)
        except (GuardhouseError, UnicodeDecodeError):
            continue  # no list, so no headers
    texts = [json.dumps(one, ensure_ascii=ascii_only)[1:-1] for one in found for ascii_only in (False, True)]
    return sorted({*texts, *found}, key=len, reverse=True)


def _install_agent(name: str, scope: Scope, way: _Way) -> None:
    from guardhouse.installing.agents import AGENTS
    from guardhouse.installing.commands import HookCommand, interpreter
    from guardhouse.installing.hook_settings import with_hooks, without_hooks
    from guardhouse.installing.installer import NotPlainSettings, plan_install

    agent = AGENTS[name]
    python = way.require_runnable(interpreter())
    options = way.options(scope)
    commands = {event: HookCommand(python=python, agent=name, event=event, options=options) for event in agent.events}
    path = way.settings_file(name, scope)
    try:
        plan = plan_install(
            name,
            path,
            way.records,
            lambda text: with_hooks(text, agent, commands),
            lambda text: without_hooks(text, agent),
            tuple(command.text for command in commands.values()),
            for_all=scope == "managed",
        )
    except NotPlainSettings:
        import json

        snippet = {**agent.head, "hooks": {event: [agent.group(event, command)] for event, command in commands.items()}}
        click.echo(f"To be added to {path} by hand:\n{json.dumps(snippet, indent=2)}", err=True)
        raise
    notes = [agent.then] if agent.then else []
    if scope == "project":
        notes.append(f"{path} names paths of this machine: keep it out of version control.")
    notes.append(f"Then `guardhouse doctor {name}` proves that the gate is shut.")
    way.carry_out(plan, f"The gate is under {agent.title}: {plan.target.shown}", notes)


def _uninstall_agent(name: str, scope: Scope, way: _Way) -> None:
    from guardhouse.installing.agents import AGENTS
    from guardhouse.installing.hook_settings import without_hooks
    from guardhouse.installing.installer import plan_uninstall

    agent = AGENTS[name]
    path = way.settings_file(name, scope)
    plan = plan_uninstall(name, path, way.records, lambda text: without_hooks(text, agent))
    way.carry_out(plan, "", way.still_observing(plan))


class _Way:
    """How a change is made: with which directories and options, asked about or not, told to a person or a machine."""

    def __init__(
        self,
        state_dir: Path | None,
        config_file: Path | None = None,
        *,
        observe: bool = False,
        yes: bool,
        dry: bool,
        json: bool,
    ) -> None:
        from guardhouse.config import find_locations
        from guardhouse.installing.records import Records
        from guardhouse.observing import require_person

        self.locations: Locations = find_locations(state_dir=state_dir)
        self.records: Records = Records(self.locations)
        self._state_dir = state_dir
        self._config = config_file
        self._observe, self._yes, self._dry, self._json = observe, yes, dry, json
        require_person(self.locations)

    def options(self, scope: Scope = "user") -> Options:
        """What a hook or a gateway must be told: its environment may be a project's, so every place is named."""
        from guardhouse.installing.places import anybodys_options, pinned_options

        return anybodys_options() if scope == "managed" else pinned_options(self.locations, self._config)

    def settings_file(self, name: str, scope: Scope) -> Path:
        """The file of an agent that is written to."""
        import os

        from guardhouse.installing.agents import AGENTS
        from guardhouse.installing.target_file import require_inside

        path = AGENTS[name].settings_file(scope, os.environ, self.locations.home, Path.cwd())
        if scope == "project":
            require_inside(path, Path.cwd())
        return path

    def still_observing(self, plan: Plan) -> list[str]:
        """What to tell somebody who takes the last gate away, and will not think of the mode when they put one back."""
        from guardhouse.model import GuardhouseError

        if any(record.real != str(plan.target.real) for record in self.records.all()):
            return []
        try:
            mode = self._mode_in_force()
        except GuardhouseError:
            return []  # there is no gate left that could deny for it; `guardhouse status` says what is wrong
        return ["The mode is still observe: `guardhouse enforce` ends that."] if mode == "observe" else []

    def require_runnable(self, python: str) -> str:
        """The interpreter, if it can start the guard the way it will be started; otherwise all would be blocked."""
        from guardhouse.installing.programs import run
        from guardhouse.model import GuardhouseError

        ran = run([python, "-I", "-m", "guardhouse", "--version"], timeout=60, cwd=Path("/"))
        if ran.status != 0:
            raise GuardhouseError(
                f"{python} can't run guardhouse by itself, as an agent would start it.",
                fix="Install guardhouse into a virtual environment, with pipx or with uv, not with `pip --user`.",
            )
        return python

    def unreached(self, plan: Plan) -> list[str]:
        """What is still to be said so that servers behind the gateway can be reached by URL."""
        from guardhouse.config import ReloadingPolicy, find_sources
        from guardhouse.installing.json_text import JsonText
        from guardhouse.installing.mcp_checks import why_unreached
        from guardhouse.installing.mcp_servers import entries
        from guardhouse.model import GuardhouseError

        guarded = [one.guarded for one in entries(JsonText((plan.after or b"").decode()).value)]
        remote = [one for one in guarded if one is not None and one.remote is not None]
        if not remote:
            return []
        try:
            policy = ReloadingPolicy(find_sources(config_file=self._config, state_dir=self._state_dir)).current()
        except GuardhouseError:
            return []  # it is said below that the policy can't be read
        fixes = {one.name: why_unreached(policy, one) for one in remote}
        return [f"The policy does not let {name} be reached yet. {fix}" for name, fix in fixes.items() if fix]

    def carry_out(self, plan: Plan, done: str, notes: list[str], *, hidden: list[str] | None = None) -> None:
        """Show the plan, without what is `hidden`, ask, do it, and tell."""
        from guardhouse.installing.installer import carry_out

        self._check_mode()
        # A tab or a carriage return would be shown as an escape, which is true but hard to read.
        text = plan.diff() if plan.is_change else ""
        for value in hidden or ():
            text = text.replace(value, "[hidden]")
        diff = printable(text.replace("\r\n", "\n").replace("\t", "    "))
        if not self._json:
            click.echo(diff or "Nothing to change.\n", nl=False)
            if plan.note:
                click.echo(printable(plan.note))
        changed = plan.is_change and not self._dry
        if changed:
            self._confirm(plan)
        if not self._dry:
            carry_out(plan, self.records)
        mode = self._set_mode() if plan.way == "install" else []
        self._tell(plan, diff, changed=changed, done=done, notes=[*notes, *mode] if changed else mode)

    def _tell(self, plan: Plan, diff: str, *, changed: bool, done: str, notes: list[str]) -> None:
        if self._json:
            import json

            answer = {
                "file": str(plan.target.path),
                "real_file": str(plan.target.real),
                "way": plan.way,
                "changed": changed,
                "would_change": plan.is_change,
                "diff": diff,
                "notes": [note for note in (plan.note, *notes) if note],
            }
            click.echo(json.dumps(answer, ensure_ascii=False))
            return
        if changed:
            click.echo(printable(done or f"{_DONE[plan.way]}: {plan.target.shown}"))
        for note in notes:
            click.echo(printable(note))

    def _confirm(self, plan: Plan) -> None:
        from guardhouse.model import visible

        question = f"Change {visible(plan.target.shown)} like this?"
        if not confirmed(question, yes=self._yes, for_machines=self._json):
            click.echo("Nothing was changed.")
            sys.exit(_NOT_DONE)

    def _check_mode(self) -> None:
        """An error, before anything is done, if to observe is forbidden here, or would have no effect."""
        if self._observe:
            from guardhouse.config import chosen_mode, find_sources
            from guardhouse.model import GuardhouseError

            sources = find_sources(config_file=self._config, state_dir=self._state_dir)
            foreseen = chosen_mode(sources, assumed="observe")
            if foreseen.mode != "observe":
                raise GuardhouseError(f"Nothing was changed. {foreseen.problem}")

    def _set_mode(self) -> list[str]:
        """Observe, if that was asked for. The mode in force then, in words: who installs a gate should know whether it
        holds anything back."""
        from guardhouse.model import GuardhouseError

        if self._observe and not self._dry:
            from guardhouse.config import find_sources
            from guardhouse.observing import switch_mode

            switch_mode(find_sources(config_file=self._config, state_dir=self._state_dir), "observe")
        try:
            return [_MODES[self._mode_in_force()]]
        except GuardhouseError as error:
            return [f"The policy can't be read, so everything will be denied: {error}"]

    def _mode_in_force(self) -> str:
        """The mode that hooks will work in, by the user's own policy. GuardhouseError if it can't be read."""
        from guardhouse.installing.places import sources_of

        config = sources_of(self.options(), Path.cwd()).load(project=False).config
        return config.mode if config.enabled else "disabled"


_MODES: Final = {
    "enforce": "Mode: enforce.",
    "observe": "Observe mode: everything is recorded, and only what no rule can allow is denied. `guardhouse enforce`"
    " ends that.",
    "disabled": "The gate is SWITCHED OFF by `enabled: false`: everything is let through.",
}
_DONE: Final = {
    "install": "Installed",
    "restore": "As it was, byte for byte",
    "remove": "Removed, as there was none before",
    "strip": "Our entries are removed",
}
