"""The table of commands. What a command needs is imported inside it, so that each starts fast."""

from __future__ import annotations

import click

import guardhouse
from guardhouse.cli import (
    allowing,
    approving,
    auditing,
    checking,
    consoling,
    demonstrating,
    destinations,
    diagnosing,
    explaining,
    gateway,
    gurus,
    installing,
    measuring,
    observing,
    policies,
    proxying,
    remembering,
    running,
    second_opinions,
    secrets,
    serving,
    taking_inventory,
    tokens,
    tools,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(guardhouse.__version__, prog_name="guardhouse", message="%(prog)s %(version)s")
def app() -> None:
    """A safety gate for tool-using AI agents."""


app.add_command(demonstrating.demo)
app.add_command(checking.check)
app.add_command(destinations.url)
app.add_command(secrets.redact)
app.add_command(secrets.scan)
app.add_command(policies.policy)
app.add_command(allowing.allow)
app.add_command(allowing.trust)
app.add_command(approving.approvals)
app.add_command(running.run)
app.add_command(running.runs)
app.add_command(remembering.memory)
app.add_command(serving.serve)
app.add_command(proxying.proxy)
app.add_command(consoling.console)
app.add_command(tokens.token)
app.add_command(auditing.audit)
app.add_command(auditing.why)
app.add_command(auditing.feedback)
app.add_command(observing.status)
app.add_command(observing.observe)
app.add_command(observing.suggest)
app.add_command(observing.enforce)
app.add_command(second_opinions.guardian)
app.add_command(explaining.explain)
app.add_command(gurus.guru)
app.add_command(gateway.mcp)
app.add_command(gateway.pins)
app.add_command(tools.tools)
app.add_command(measuring.evaluate)
app.add_command(installing.install)
app.add_command(installing.uninstall)
app.add_command(diagnosing.doctor)
app.add_command(taking_inventory.scan_machine)


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def hook(arguments: tuple[str, ...]) -> None:
    """Answer one event of a coding agent. Agents call this themselves."""
    from guardhouse.cli.hooking import main  # which `guardhouse` starts without this table, to be fast

    main(arguments)
