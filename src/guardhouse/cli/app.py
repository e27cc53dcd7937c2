"""The table of commands. A command's own imports are in its module's functions, so that each starts fast."""

from __future__ import annotations

from typing import Annotated

import typer

import guardhouse
from guardhouse.cli import allowing, checking, measuring, policies

app = typer.Typer(
    name="guardhouse",
    help="A safety gate for tool-using AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's signature
    if wanted:
        typer.echo(f"guardhouse {guardhouse.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A safety gate for tool-using AI agents."""


app.command("check")(checking.check)
app.command("redact")(checking.redact)
app.command("allow")(allowing.allow)
app.command("trust")(allowing.trust)
app.command("eval")(measuring.evaluate)
app.add_typer(checking.url_app, name="url")
app.add_typer(policies.app, name="policy")
