"""`explain`: what a reason code means, and what to do about it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("code", required=False)
@click.option(
    "--write",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a page for every code into this directory.",
)
def explain(code: str | None, write: Path | None) -> None:
    """Explain a reason CODE: what it means, why it is risky, what to do instead, how to allow it.

    Without CODE, all of them are listed.
    """
    from difflib import get_close_matches

    from guardhouse.model import GuardhouseError
    from guardhouse.policy import catalogue, index_page, reason_page

    codes = dict(sorted(catalogue().items()))
    if write is not None:
        try:
            write.mkdir(parents=True, exist_ok=True)
            for one in codes.values():
                (write / f"{one.id}.md").write_text(reason_page(one), encoding="utf-8")
            (write / "README.md").write_text(index_page(list(codes.values())), encoding="utf-8")
        except OSError as error:
            raise GuardhouseError(f"{write} can't be written: {error.strerror}.") from None
        click.echo(f"{len(codes)} pages in {write}")
        return
    if code is None:
        for one in codes.values():
            click.echo(f"{one.id}: {one.title}")
        return
    if code not in codes:
        close = get_close_matches(code, codes, n=1)
        hint = f"Did you mean `{close[0]}`?" if close else "`guardhouse explain` lists them."
        raise GuardhouseError("There is no such reason code.", fix=hint)
    click.echo(reason_page(codes[code]), nl=False)
