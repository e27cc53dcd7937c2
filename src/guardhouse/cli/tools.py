"""`tools check`: whether tools that count as trusted return what was planted for them to return.

The results come from whoever tried the tools out, with text planted where anybody could have put it. Nothing of it is
printed: only which tool, and in which line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import config_option, json_option, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.trust import ToolCatalogue

_WRONG: Final = 1
_DEEPEST: Final = 64


@click.group()
def tools() -> None:
    """What tools are taken to be."""


@tools.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@config_option
@json_option
def check(file: Path, config_file: Path | None, *, as_json: bool) -> None:
    """Hold the labels of tools against recorded results, in which something was planted.

    FILE has one JSON object a line: {"tool": "crm_search", "content": …, "planted": ["what anybody could write", …]}.
    A tool that counts as trusted and returns planted text has the wrong label.

    Exit status: 0, 1 if a label is wrong, 2 if the file can't be read.
    """
    from guardhouse.config import find_sources

    catalogue = find_sources(config_file=config_file).load().settings.tools
    found: dict[str, dict[str, Any]] = {}
    for number, row in _rows(file):
        one = found.setdefault(
            row["tool"], {"tool": row["tool"], "label": _label(row["tool"], catalogue), "results": 0, "planted_in": []}
        )
        one["results"] += 1
        if _carries(row):
            one["planted_in"].append(number)
    wrong = [one for one in found.values() if one["label"] == "trusted" and one["planted_in"]]
    if as_json:
        import json

        click.echo(json.dumps({"tools": list(found.values()), "wrong": [one["tool"] for one in wrong]}))
    else:
        for line in _told(found, wrong):
            click.echo(printable(line))
    sys.exit(_WRONG if wrong else 0)


def _label(tool: str, catalogue: ToolCatalogue) -> str:
    """Whether results of the tool are believed, as far as its name and what was said of it go."""
    from guardhouse.trust import Capability, is_untrusted_source_tool

    if not is_untrusted_source_tool(tool, catalogue):
        return "trusted"
    profile = catalogue.profile(tool)
    runs = profile.classified and Capability.READS_UNTRUSTED not in profile.capabilities
    return "by its command" if runs else "untrusted"


def _told(found: dict[str, dict[str, Any]], wrong: list[dict[str, Any]]) -> Iterator[str]:
    for one in wrong:
        lines = ", ".join(map(str, one["planted_in"][:8]))
        yield f"WRONG: {one['tool']} counts as trusted, and returned planted text (line {lines})."
        yield "       Add `reads_untrusted` to its capabilities."
    good = sum(one["label"] == "trusted" for one in found.values()) - len(wrong)
    yield f"{len(found)} tools: {len(wrong)} with a wrong label, {good} trusted that returned nothing planted."


def _carries(row: dict[str, Any]) -> bool:
    from guardhouse.trust.ledger import carries

    texts = list(_texts(row["content"]))
    return any(carries(texts, planted) for planted in row["planted"])


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Every string in a result, and every number as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item, depth + 1) if depth < _DEEPEST else ()
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1) if depth < _DEEPEST else ()
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    from guardhouse.model import GuardhouseError
    from guardhouse.model.strict_json import decode

    read = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = decode(line)
            except GuardhouseError as error:
                raise GuardhouseError(f"Line {number} of {file} can't be read: {error}", fix=_SHAPE) from None
            if not _is_row(row):
                raise GuardhouseError(f"Line {number} of {file} is no recorded result.", fix=_SHAPE)
            read += 1
            yield number, row
    if not read:
        raise GuardhouseError(f"There is no result in {file}.", fix=_SHAPE)


_SHAPE: Final = 'Each line is {"tool": "name", "content": …, "planted": ["text", …]}, with at least one planted text.'


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or row.keys() != {"tool", "content", "planted"}:
        return False
    planted = row["planted"]
    texts = isinstance(planted, list) and planted and all(isinstance(one, str) and one.strip() for one in planted)
    return bool(texts) and isinstance(row["tool"], str) and bool(row["tool"].strip())
