"""`check`, `redact` and `url check`: judging one thing, without doing anything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from guardhouse.cli.options import ConfigOption, JsonOption, StateDirOption, read_stdin

if TYPE_CHECKING:
    from guardhouse.guard import Guard
    from guardhouse.model import Verdict

_EXIT: Final = {"allow": 0, "allow_with_redaction": 10, "require_approval": 20, "deny": 30}
_BAD_INPUT: Final = 2

url_app = typer.Typer(help="Destinations.", no_args_is_help=True)


def check(
    config: ConfigOption = None,
    state_dir: StateDirOption = None,
    *,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read one action a line, print one verdict a line.")] = False,
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Look host names up; otherwise no network is used.")
    ] = False,
    findings: Annotated[bool, typer.Option("--findings", help="Print everything that was seen, too.")] = False,
) -> None:
    """Judge an action, given as JSON on standard input, and print the verdict as JSON.

    Exit status: 0 allow, 10 allow with redaction, 20 needs approval, 30 deny, 2 bad input (with --jsonl: the worst).
    Nothing is run, no approval is opened, and without --resolve nothing is looked up.
    """
    from guardhouse.egress import SkippedLookup, SystemResolver
    from guardhouse.opening import open_guard

    guard = open_guard(
        config_file=config, state_dir=state_dir, resolver=SystemResolver() if resolve else SkippedLookup()
    )
    if jsonl:
        codes = [_check_one(guard, line, findings=findings) for line in sys.stdin.buffer if line.strip()]
    else:
        codes = [_check_one(guard, read_stdin(guard.limits.max_bytes), findings=findings)]
    raise typer.Exit(_BAD_INPUT if not codes or _BAD_INPUT in codes else max(codes))


def _check_one(guard: Guard, data: bytes, *, findings: bool) -> int:
    """Print the verdict on one action; the exit status it stands for."""
    verdict, understood = guard.evaluate_json(data)
    typer.echo(_verdict_line(verdict, findings=findings))
    return _EXIT[verdict.decision.value] if understood else _BAD_INPUT


def _verdict_line(verdict: Verdict, *, findings: bool) -> str:
    import msgspec

    wire: dict[str, Any] = msgspec.to_builtins(verdict)
    if not findings:
        wire.pop("findings", None)
    wire["message"] = verdict.for_person
    wire["agent_message"] = verdict.for_agent
    return msgspec.json.encode(wire).decode()


def redact(
    config: ConfigOption = None,
    *,
    value: Annotated[bool, typer.Option("--value", help="Read a JSON value and keep its structure.")] = False,
) -> None:
    """Print standard input with every secret masked."""
    from guardhouse.config import find_sources
    from guardhouse.model import decode

    policy = find_sources(config_file=config).load()
    limits = policy.config.limits
    data = read_stdin(limits.max_bytes)
    if len(data) > limits.max_bytes:
        from guardhouse.model import GuardhouseError

        raise GuardhouseError(
            f"The input is larger than {limits.max_bytes} bytes.", fix="Cut it up, or raise `limits.max_bytes`."
        )
    if value:
        import msgspec

        sys.stdout.write(msgspec.json.encode(policy.redactor.value(decode(data, limits))).decode() + "\n")
    else:
        sys.stdout.buffer.write(policy.redactor.value(data))
        sys.stdout.buffer.flush()


@url_app.command("check")
def url_check(
    url: Annotated[str, typer.Argument(help="The URL to judge.")],
    config: ConfigOption = None,
    tool: Annotated[str, typer.Option("--tool", help="The tool that would fetch it.")] = "url_fetch",
    method: Annotated[str, typer.Option("--method", help="The HTTP method.")] = "GET",
    *,
    resolve: Annotated[bool, typer.Option("--resolve", help="Look the host up, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say whether a URL may be reached, and why. Exit status as for `check`."""
    from guardhouse.egress import SkippedLookup, SystemResolver
    from guardhouse.model import ToolCallPre
    from guardhouse.opening import open_guard

    guard = open_guard(config_file=config, resolver=SystemResolver() if resolve else SkippedLookup())
    verdict = guard.evaluate(ToolCallPre(tool=tool, params={"url": url, "method": method}))
    if as_json:
        typer.echo(_verdict_line(verdict, findings=True))
    else:
        for finding in verdict.findings:
            if finding.url is not None and finding.code == "net.destination":
                typer.echo(f"read as: {finding.url} ({finding.method})")
        typer.echo(verdict.for_person)
        if not resolve:
            typer.echo("(addresses not looked up; --resolve does)", err=True)
    raise typer.Exit(_EXIT[verdict.decision.value])
