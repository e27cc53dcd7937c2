"""`policy show|check|test|schema`: looking at the policy in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardhouse.cli.options import ConfigOption, JsonOption

if TYPE_CHECKING:
    from guardhouse.config import Sources

app = typer.Typer(help="The policy in force.", no_args_is_help=True)


@app.command()
def show(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Print the policy in force, with the file that set each key."""
    from guardhouse.model import visible

    policy = _sources(config).load()
    if as_json:
        _print_json({"revision": policy.revision, "guard": policy.guard, "sources": policy.sources})
        return
    import yaml

    typer.echo(f"# revision {policy.revision}")
    for key, file in sorted(policy.sources.items()):
        typer.echo(f"# {visible(key)}: {visible(file)}")
    typer.echo(yaml.safe_dump({"guard": policy.guard}, sort_keys=False, allow_unicode=False), nl=False)


@app.command()
def check(
    files: Annotated[list[str] | None, typer.Argument(help="Files to check instead of those in force.")] = None,
    config: ConfigOption = None,
) -> None:
    """Check the configuration files, and say what is wrong with them: file, line, key and fix."""
    from pathlib import Path

    from guardhouse.model import PolicyError

    failed = False
    wanted: list[Path | None] = [Path(file) for file in files or []]
    for source in wanted or [config]:
        sources = _sources(source)
        try:
            policy = sources.load()
        except PolicyError as error:
            failed = True
            for problem in error.problems:
                typer.echo(problem, err=True)
            continue
        names = ", ".join(layer.document.file for layer in sources.layers() if layer.document.data) or "built-in"
        typer.echo(f"ok: {names} (revision {policy.revision}, {len(policy.config.rules)} rules)")
    raise typer.Exit(2 if failed else 0)


@app.command()
def test(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Run the examples that rules carry, and say how each came out."""
    from guardhouse.config import surroundings
    from guardhouse.policy import load, merge, run_examples

    sources = _sources(config)
    layers = sources.layers()
    around = surroundings(sources.locations, sources.cwd, sources.config_file)
    policy = load(layers, around, check_examples=False)
    results = list(run_examples(policy, merge(layers)))
    if as_json:
        _print_json([result._asdict() for result in results])
    else:
        for result in results:
            place = f"{result.key[-2]}[{result.key[-1]}]"
            typer.echo(f"{'FAIL' if result.problem else 'ok  '} {result.rule} {place} {result.problem}".rstrip())
        failures = sum(1 for result in results if result.problem)
        typer.echo(f"{len(results) - failures} passed, {failures} failed")
    raise typer.Exit(1 if any(result.problem for result in results) else 0)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a configuration file, for editors."""
    from guardhouse.policy import json_schema

    _print_json(json_schema())


def _sources(config: Any) -> Sources:
    from guardhouse.config import find_sources

    return find_sources(config_file=config)


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
