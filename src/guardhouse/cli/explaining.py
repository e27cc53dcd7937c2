"""`explain`: what a reason code means, and what to do about it; which kinds of secrets are known."""

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
@click.option("--kinds", is_flag=True, help="List the kinds of secrets that are known, for `secrets.kinds`.")
def explain(code: str | None, write: Path | None, *, kinds: bool) -> None:
    """Explain a reason CODE: what it means, why it is risky, what to do instead, how to allow it.

    Without CODE, all of them are listed. CODE may also be a kind of secret, such as `github_token`.
    """
    from difflib import get_close_matches

    from guardhouse.model import GuardhouseError
    from guardhouse.policy import catalogue, index_page, reason_page

    if kinds:
        for kind, opens in sorted(_kinds().items()):
            click.echo(f"{kind}: {opens}")
        return
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
    if code in codes:
        click.echo(reason_page(codes[code]), nl=False)
        return
    known = _kinds()
    if code in known:
        click.echo(f"`{code}` is a kind of secret. It opens: {known[code]}.")
        click.echo(f"In your configuration, `guard.secrets.kinds: {{{code}: …}}` says what happens where one is found:")
        click.echo("ignore, redact (as it is now), require_approval or deny.")
        return
    close = get_close_matches(code, [*codes, *known], n=1)
    hint = f"Did you mean `{close[0]}`?" if close else "`guardhouse explain` and `… explain --kinds` list them."
    raise GuardhouseError("There is no such reason code, and no such kind of secret.", fix=hint)


def _kinds() -> dict[str, str]:
    """What secrets of each kind open. Tokens of a service and keys under its name may be one kind."""
    from guardhouse.detect.secrets import KINDS, PAIR, UNREADABLE

    return {kind.id: kind.what for kind in (PAIR, UNREADABLE, *reversed(KINDS))}
