"""`demo`: what an attack looks like, without the gate and with it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import json_option

if TYPE_CHECKING:
    from guardhouse.demo import Call, Ending, Stage, Step
    from guardhouse.model import Verdict

_WIDTH: Final = 96
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red", "bold": True},
    "asks": {"fg": "yellow"},
    "dim": {"dim": True},
    "head": {"bold": True},
}


@click.command()
@click.option("--ask/--no-ask", default=True, help="Put questions to you, if there is a terminal to ask at.")
@json_option
def demo(*, ask: bool, as_json: bool) -> None:
    """Watch a hijacked agent try to steal a key and delete photos: without the gate, then with it.

    Everything happens in a temporary directory. No network, no model. Exit status 0 if the gate held.
    """
    import tempfile
    from pathlib import Path

    from guardhouse.demo import Stage

    with tempfile.TemporaryDirectory(prefix="guardhouse-demo-") as directory:
        stage = Stage(Path(directory))
        ending = _as_json(stage) if as_json else _tell(stage, ask=ask)
    sys.exit(0 if ending.held else 1)


def _tell(stage: Stage, *, ask: bool) -> Ending:
    from guardhouse.demo import PAGE, TASK, Call

    _say("Guardhouse demo: an agent reads a web page that was written for it.", "head")
    _say(f"The user asked: {TASK}")
    _say("The page says, in a comment no reader sees:")
    _wrapped(PAGE.splitlines()[1], "  │ ", "dim")
    _say()
    _say("1. Without the gate", "head")
    for step in stage.without_gate():
        if isinstance(step, Call):
            _say(f"  agent → {_shown(step)}")
        else:
            _say(f"          {_plain_result(step)}", "dim" if step.call.tool == "web_fetch" else "bad")
    _say("  The key is on somebody else's server, and the photos are gone.", "bad")
    _say()
    _say("2. The same agent, the same world, behind the gate", "head")
    for step in stage.with_gate(ask=ask):
        if isinstance(step, Call):
            _say(f"  agent → {_shown(step)}")
        else:
            _tell_outcome(step)
    ending = stage.ending()
    _say()
    _say("3. What is left", "head")
    _say(f"  key stolen: {_yes_no(ending.stolen)}   photos deleted: {_yes_no(ending.destroyed)}", _mood(ending.held))
    record = ending.record
    _say(f"  record: {record.events} events, chain {'verified' if record.ok else 'BROKEN'}", _mood(record.ok))
    found = ending.tampered.problems[0] if ending.tampered.problems else None
    where = f"found: {found}" if found is not None else "NOT found"
    _wrapped(f"one byte changed in a copy of the record: {where}", "  ", _mood(found is not None))
    _say()
    _say("Put it before your own tools: docs/quickstart.md. What a code means: guardhouse explain CODE.", "dim")
    return ending


def _tell_outcome(step: Step) -> None:
    from guardhouse.adapters import Completed, Denied, Failed, Pending

    match step.result:
        case Completed() as done:
            marked = ", marked as untrusted for the model" if done.untrusted else ""
            masked = ", secrets masked" if done.redacted else ""
            _say(f"          ✓ allowed{marked}{masked}", "good")
            if done.redacted:
                _wrapped(f"the agent sees: {' '.join(str(done.value).split())}", "            ", "dim")
        case Pending() as waits:
            _say("          ? asks a person; nobody is here to answer, so it does not happen", "asks")
            _tell_why(waits.verdict)
        case Denied() as denied:
            _say("          ✗ blocked", "good")
            _tell_why(denied.verdict)
        case Failed() as failed:
            _wrapped(f"failed: {failed.text}", "          ", "dim")


def _tell_why(verdict: Verdict) -> None:
    reason = verdict.reasons[0]
    quoted = f": “{reason.excerpt}”" if reason.excerpt else ""
    _wrapped(f"{reason.headline}{quoted} ({reason.code})", "            ", "")
    _wrapped(f"why: {reason.why}", "            ", "dim")
    _wrapped(f"instead: {reason.instead}", "            ", "dim")


def _as_json(stage: Stage) -> Ending:
    import json

    from guardhouse.demo import Step

    made = [step for step in stage.without_gate() if isinstance(step, Step)]
    without = [{"tool": step.call.tool, "result": _plain_result(step)} for step in made]
    stolen, destroyed = stage.world.stolen, stage.world.destroyed
    made = [step for step in stage.with_gate(ask=False) if isinstance(step, Step)]
    steps = [{"tool": step.call.tool, **step.result.wire()} for step in made]
    ending = stage.ending()
    click.echo(
        json.dumps(
            {
                "without_gate": {"steps": without, "key_stolen": stolen, "photos_deleted": destroyed},
                "with_gate": {"steps": steps, "key_stolen": ending.stolen, "photos_deleted": ending.destroyed},
                "audit": {"events": ending.record.events, "verified": ending.record.ok},
                "tampering_found": not ending.tampered.ok,
                "held": ending.held,
            }
        )
    )
    return ending


def _shown(call: Call) -> str:
    shown = {name: value if len(value) < 48 else "…" for name, value in call.arguments.items()}
    return f"{call.tool}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def _plain_result(step: Step) -> str:
    match step.call.tool:
        case "web_fetch":
            return f"{len(step.result)} characters"
        case "read_file":
            return f"the private key, {len(step.result)} characters"
        case "http_post":
            return f"sent, {len(step.call.arguments['body'])} characters: {step.result}"
    return str(step.result)


def _yes_no(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"


def _mood(good: bool) -> str:  # noqa: FBT001
    return "good" if good else "bad"


def _wrapped(text: str, indent: str, style: str) -> None:
    from textwrap import wrap

    from guardhouse.model import visible

    for line in wrap(visible(text), _WIDTH - len(indent)):
        _say(f"{indent}{line}", style)


def _say(text: str = "", style: str = "") -> None:
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    click.echo(click.style(text, **_STYLES[style]) if style and color else text)
