"""`policy show|check|test|schema`: looking at the policy in force."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from guardhouse.cli.options import config_option, json_option, printable

if TYPE_CHECKING:
    from guardhouse.config import Sources


@click.group()
def policy() -> None:
    """The policy in force."""


@policy.command()
@config_option
@json_option
def show(config_file: Path | None, *, as_json: bool) -> None:
    """Print the policy in force, with the file that set each key."""
    from guardhouse.model import visible

    loaded = _sources(config_file).load()
    if as_json:
        _print_json({"revision": loaded.revision, "guard": loaded.guard, "sources": loaded.sources})
        return
    import yaml

    click.echo(f"# revision {loaded.revision}")
    for key, file in sorted(loaded.sources.items()):
        click.echo(f"# {visible(key)}: {visible(file)}")
    click.echo(yaml.safe_dump({"guard": loaded.guard}, sort_keys=False), nl=False)


@policy.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@config_option
def check(files: tuple[Path, ...], config_file: Path | None) -> None:
    """Check the configuration files in force, or FILES, and say what is wrong: file, line, key and fix.

    A file is checked as your own would be; one named .guardhouse.* as the project file that it is.
    """
    from guardhouse.model import PolicyError

    if files and config_file:
        raise click.UsageError("Name files, or --config, not both.")
    failed = False
    for file in files or (config_file,):
        sources = _sources_of(file)
        try:
            loaded = sources.load()
        except PolicyError as error:
            failed = True
            for problem in error.problems:
                click.echo(printable(problem), err=True)
            continue
        names = ", ".join(layer.document.file for layer in sources.layers() if layer.document.data) or "built-in"
        click.echo(f"ok: {printable(names)} (revision {loaded.revision}, {len(loaded.config.rules)} rules)")
    sys.exit(2 if failed else 0)


@policy.command()
@config_option
@json_option
def test(config_file: Path | None, *, as_json: bool) -> None:
    """Run the examples that rules carry, and say how each came out."""
    from guardhouse.config import surroundings
    from guardhouse.policy import load, merge, run_examples

    sources = _sources(config_file)
    layers = sources.layers()
    around = surroundings(sources.locations, sources.cwd, sources.config_file)
    loaded = load(layers, around, check_examples=False)
    results = list(run_examples(loaded, merge(layers)))
    failures = sum(1 for result in results if result.problem)
    if as_json:
        _print_json([result._asdict() for result in results])
    else:
        for result in results:
            place = f"{result.key[-2]}[{result.key[-1]}]"
            click.echo(f"{'FAIL' if result.problem else 'ok  '} {result.rule} {place} {result.problem}".rstrip())
        click.echo(f"{len(results) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


@policy.command()
def schema() -> None:
    """Print the JSON Schema of a configuration file, for editors."""
    from guardhouse.policy import json_schema

    _print_json(json_schema())


def _sources_of(file: Path | None) -> Sources:
    """The sources in force with `file` among them, in the place where it would count."""
    from guardhouse.config import PROJECT_NAME, find_sources

    if file is not None and file.stem == PROJECT_NAME:
        return find_sources(cwd=file.absolute().parent)
    return _sources(file)


def _sources(config_file: Path | None) -> Sources:
    from guardhouse.config import find_sources

    return find_sources(config_file=config_file)


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
