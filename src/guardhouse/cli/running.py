"""`run` and `runs`: an agent at work in a terminal, behind the gate, and runs that were left, to be looked at, resumed
and cancelled.

What an agent is told to do here counts as said by a person, and a run knows nothing of the session that started it. So
nothing that a guarded agent has started may begin, resume or cancel one.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from guardhouse.cli.options import config_option, json_option, read_stdin, state_dir_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.config import Sources
    from guardhouse.opening import LocalGuard
    from guardhouse.runs import Run, Runs
    from guardhouse.runs.models import NoModel

_DONE: Final = 0
_FAILED: Final = 1
_USAGE: Final = 2
_STOPPED: Final = 3
_DAY: Final = 86_400
_MOST_BYTES: Final = 800_000
_SHORTEST_PREFIX: Final = len("run_") + 6
_STATUSES: Final = ("ready", "running", "waiting", "paused", "done", "failed", "cancelled")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)

_no_wait_option = click.option("--no-wait", is_flag=True, help="End where the run has to wait for somebody.")


@click.command()
@click.option("--task", default=None, help="What is to be done.")
@click.option("--task-file", type=_FILE, default=None, help="A file that says it.")
@click.argument("stdin", required=False, metavar="[-]")
@click.option("--workspace", type=_DIRECTORY, default=None, help="Where the agent works. Default: here.")
@_no_wait_option
@config_option
@state_dir_option
@json_option
def run(
    task: str | None,
    task_file: Path | None,
    stdin: str | None,
    workspace: Path | None,
    config_file: Path | None,
    state_dir: Path | None,
    *,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Let an agent work on a task, with every call behind the gate. `-` reads the task from standard input.

    What happens is told on standard error; the answer, or with --json one object, goes to standard output. What needs
    an answer is asked here if there is a terminal, and waited for otherwise. Ctrl-C pauses the run: `guardhouse runs
    resume` goes on with it, also after a crash.

    Exit status: 0 done, 1 failed or cancelled, 2 it could not be begun, 3 it is paused or waits.
    """
    said = _task(task, task_file, stdin)
    place = (workspace or Path.cwd()).resolve()
    sources = _sources(config_file, place, state_dir)
    _require_person(sources)
    with _at_work(config_file, place, state_dir) as desk:
        begun = desk.runs.start(said, place="terminal", workspace=str(place))
        desk.go_on_with(begun, waits=not no_wait, as_json=as_json, resumes=False)


@click.group()
def runs() -> None:
    """Runs of agents on this machine: those that wait, were paused or left behind, and what came of the others."""


@runs.command("list")
@click.option("--status", type=click.Choice(_STATUSES), default=None, help="Only these.")
@click.option("--all", "every", is_flag=True, help="Also those that are over, and those inside others.")
@state_dir_option
@json_option
def list_(status: str | None, state_dir: Path | None, *, every: bool, as_json: bool) -> None:
    """List runs that are not over, the newest first: id, status, how long ago it changed, and how the task begins."""
    from guardhouse.cli.run_report import list_line
    from guardhouse.runs import FINAL, RunStatus

    open_ones = [one for one in RunStatus if every or one not in FINAL]
    with _looking(state_dir) as (kept, _guard):
        found = kept.find(status=open_ones if status is None else [RunStatus(status)], limit=1000)
        shown = [(one, _is_abandoned(kept, one)) for one in found if every or one.parent_id is None]
    if as_json:
        import msgspec

        _print_json([{**msgspec.to_builtins(one), "abandoned": gone} for one, gone in shown])
        return
    for one, gone in shown:
        _print(list_line(one, is_abandoned=gone, now=time.time()))
    if any(gone for _one, gone in shown):
        _print("(gone: its process is gone; `guardhouse runs resume ID` goes on with it)")
    if not shown:
        _print("No runs." if every or status else "No runs that are not over. (--all lists the others)")


@runs.command()
@click.argument("run_id", metavar="ID")
@state_dir_option
@json_option
def show(run_id: str, state_dir: Path | None, *, as_json: bool) -> None:
    """Show one run: how it stands, its calls and what became of them, what it waits for, and its answer.

    ID may be cut to its first characters, at least six after `run_`; the id of a request (`ap_…`) names its run too.
    """
    from guardhouse.cli.run_report import report, show_lines, wire
    from guardhouse.cli.run_screen import plain_text

    with _looking(state_dir) as (kept, guard):
        found = _find(kept, guard, run_id)
        told, tellings = report(kept, guard.approvals, found.id), kept.tellings(found.id)
    if as_json:
        _print_json({**wire(told), "events": [_event(one.at, one.kind, one.told) for one in tellings]})
        return
    for line in show_lines(told, tellings):
        _print(line)
    if told.output is not None:
        _print("  answer:")
        click.echo(plain_text(told.output))


@runs.command()
@click.argument("run_id", metavar="ID")
@_no_wait_option
@config_option
@state_dir_option
@json_option
def resume(run_id: str, config_file: Path | None, state_dir: Path | None, *, no_wait: bool, as_json: bool) -> None:
    """Go on with a run from where it stopped, as `guardhouse run` does. ID is a run's, or that of a request of its own.

    No call that was made is made again. One that was begun when its process ended is asked about.
    """
    from guardhouse.runs import NotTaken

    _require_person(_sources(config_file, None, state_dir))
    with _looking(state_dir) as (kept, guard):
        found = _outermost(kept, _find(kept, guard, run_id))
        if kept.is_held(found.id):
            raise NotTaken("Somebody works on this run.", fix="Follow it there, or end that process first.")
    place = Path(found.workspace) if found.workspace else Path.cwd()
    with _at_work(config_file, place, state_dir) as desk:
        desk.go_on_with(found, waits=not no_wait, as_json=as_json, resumes=True)


@runs.command()
@click.argument("run_id", metavar="ID")
@state_dir_option
def cancel(run_id: str, state_dir: Path | None) -> None:
    """End a run for good, and those inside it. What it asks is taken back."""
    from guardhouse.approvals.terminal import local_actor
    from guardhouse.runs import FINAL

    _require_person(_sources(None, None, state_dir))
    with _looking(state_dir) as (kept, guard):
        found = _find(kept, guard, run_id)
        if found.status in FINAL:
            _fail(f"{found.id} is over already ({found.status.value}).")
        guard.note(f"a run is cancelled by {local_actor()}", source="run", run_id=found.id, session_id=found.session_id)
        after = kept.cancel(found.id, actor=local_actor())
    over = after.status in FINAL
    _print(f"{after.id} is cancelled." if over else f"{after.id} ends when what it does at the moment is done.")


class _Desk:
    """This process as one that works on runs."""

    def __init__(self, guard: LocalGuard, state_dir: Path | None) -> None:
        from guardhouse.cli.run_screen import RunScreen
        from guardhouse.runs.opening import open_runs

        self._guard = guard
        self._state_dir = state_dir
        self._screen = RunScreen(guard)
        self.runs = open_runs(guard, hears=self._screen.hear)

    def go_on_with(self, begun: Run, *, waits: bool, as_json: bool, resumes: bool) -> NoReturn:
        """Work on a run, tell how it went, and end with the status that says so."""
        from guardhouse.cli.run_report import report, summary_lines, wire
        from guardhouse.cli.run_screen import plain_text
        from guardhouse.cli.run_work import RunWork
        from guardhouse.runs import FINAL, RunStatus

        screen = self._screen
        screen.follow(begun.id)
        screen.say(f"{begun.id}: {begun.title}", "head")
        after = RunWork(
            guard=self._guard,
            runs=self.runs,
            run_id=begun.id,
            screen=screen,
            asks=sys.stderr.isatty(),
            waits=waits,
            resumes=resumes,
        ).carry_on()
        screen.pause()
        told = report(self.runs, self._guard.approvals, begun.id)
        screen.say()
        for line in summary_lines(told):
            screen.say(line, "head" if line.startswith("──") else "")
        if after.status not in FINAL:
            for one in told.waits_for:
                screen.say(f"   waits for: {one} (`guardhouse approvals show {one}`)", "asks")
            screen.say(f"   go on with: guardhouse runs resume {begun.id}{_option(self._state_dir)}", "asks")
        if as_json:
            _print_json(wire(told))
        elif told.output is not None:
            screen.say("── the answer", "head")
            click.echo(plain_text(told.output))
        sys.exit(_DONE if after.status is RunStatus.DONE else _FAILED if after.status in FINAL else _STOPPED)


@contextmanager
def _at_work(config_file: Path | None, workspace: Path, state_dir: Path | None) -> Iterator[_Desk]:
    """A guard in the workspace, and runs behind it. Ends the command if there is no model to ask."""
    from guardhouse.opening import open_guard
    from guardhouse.runs.models import NoModel, model_of

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    with open_guard(config_file=config_file, cwd=workspace, state_dir=state_dir) as guard:
        try:
            model_of(guard.policy.config.runs.model)
        except NoModel as error:
            _explain_models(error, is_named=bool(guard.policy.config.runs.model.name))
        desk = _Desk(guard, state_dir)
        try:
            desk.runs.sweep(guard.policy.config.runs.keep_days * _DAY)  # where there is no daemon nobody else does
            yield desk
        finally:
            desk.runs.close()


@contextmanager
def _looking(state_dir: Path | None) -> Iterator[tuple[Runs, LocalGuard]]:
    """Runs to be looked at. This process is no agent by that."""
    from guardhouse.opening import open_considering
    from guardhouse.runs.opening import look_at_runs

    with open_considering(None, state_dir=state_dir) as guard:
        kept = look_at_runs(guard)
        try:
            yield kept, guard
        finally:
            kept.close()


_HOW_TO_SET_A_MODEL: Final = """\
Name a model in ~/.config/guardhouse/config.yaml, of any service that speaks OpenAI's protocol. One on this machine:

    guard:
      runs:
        model: {name: qwen3, base_url: "http://127.0.0.1:11434/v1", key_env: ""}

or a hosted one, whose key is in the environment (export OPENAI_API_KEY=…):

    guard:
      runs:
        model: {name: gpt-5, base_url: "https://api.openai.com/v1", key_env: OPENAI_API_KEY}

docs/runs.md has more. To see the gate at work without any model: guardhouse demo"""


def _explain_models(error: NoModel, *, is_named: bool) -> NoReturn:
    """Say how to name a model, and offer what needs none."""
    if is_named:
        raise error
    click.echo(f"guardhouse: {error.what}\n\n{_HOW_TO_SET_A_MODEL}", err=True)
    if sys.stdin.isatty() and sys.stdout.isatty() and click.confirm("Watch the demo now?", default=False, err=True):
        from guardhouse.cli.demonstrating import demo

        demo.main([], standalone_mode=False)
    sys.exit(_USAGE)


def _task(task: str | None, task_file: Path | None, stdin: str | None) -> str:
    if stdin not in {None, "-"}:
        raise click.UsageError('Give the task as --task "…", or as - from standard input.')
    given = [one for one in (task, task_file, stdin) if one is not None]
    if len(given) != 1:
        raise click.UsageError("Say what is to be done with one of --task, --task-file and -.")
    if task is not None:
        return task.encode("utf-8", "replace").decode()
    if task_file is None:
        data = read_stdin(_MOST_BYTES)
    else:
        with task_file.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise click.UsageError("The task is too long.")
    return data.decode("utf-8", "replace")


def _sources(config_file: Path | None, workspace: Path | None, state_dir: Path | None) -> Sources:
    from guardhouse.config import find_sources

    return find_sources(config_file=config_file, cwd=workspace, state_dir=state_dir)


def _require_person(sources: Sources) -> None:
    from guardhouse.observing import require_person

    require_person(sources.locations)


def _option(state_dir: Path | None) -> str:
    """What has to be said once more for the same state directory."""
    known = state_dir is None or os.environ.get("GUARDHOUSE_STATE_DIR") == str(state_dir)
    return "" if known else f" --state-dir {state_dir}"


def _is_abandoned(kept: Runs, one: Run) -> bool:
    from guardhouse.runs import RunStatus

    return one.status is RunStatus.RUNNING and not kept.is_held(one.id)


def _find(kept: Runs, guard: LocalGuard, given: str) -> Run:
    """The run that is meant by its id, by the only id that begins so, or by a request of its own; ends the command if
    there is none."""
    from guardhouse.model import visible

    if given.startswith("ap_"):
        request = guard.approvals.get(given)
        if request is None or request.run_id is None:
            _fail(f"No run has asked {visible(given)}. See: guardhouse runs list --all")
        given = request.run_id
    found = kept.find(beginning=given, limit=3) if given.startswith("run_") else []
    exact = next((one for one in found if one.id == given), None)
    if exact is not None:
        return exact
    if len(given) < _SHORTEST_PREFIX or not found:
        _fail(f"There is no run {visible(given)}. An id begins with run_; six characters after that are enough.")
    if len(found) > 1:
        _fail(f"Several runs begin with {visible(given)}. Give more of the id.")
    return found[0]


def _outermost(kept: Runs, one: Run) -> Run:
    while one.parent_id is not None:
        one = kept.get(one.parent_id)
    return one


def _event(at: float, kind: str, told: dict[str, Any]) -> dict[str, Any]:
    return {"at": at, "kind": kind, **told}


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2))  # ASCII: every character that could do anything is an escape


def _print(text: str) -> None:
    from guardhouse.model import visible

    click.echo(visible(text))


def _fail(problem: str) -> NoReturn:
    click.echo(f"guardhouse: {problem}", err=True)
    sys.exit(_USAGE)
