"""`eval`: how the gate does on labelled cases, the project's or your own."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from guardhouse.cli.options import json_option

if TYPE_CHECKING:
    from guardhouse.suites import Suite


@click.command("eval")
@click.argument("suite")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--predictions", type=click.Path(dir_okay=False, path_type=Path), help="Write one prediction a line here."
)
@click.option("--errors", is_flag=True, help="Print the rows that came out wrong.")
@json_option
def evaluate(suite: str, file: Path | None, predictions: Path | None, *, errors: bool, as_json: bool) -> None:
    """Measure the gate on labelled cases: rates per group, and time per row.

    SUITE is a suite's name, or `list`; FILE holds the cases, one JSON object a line.
    """
    from guardhouse.model import GuardhouseError
    from guardhouse.suites import find_suites

    suites = find_suites()
    if suite == "list":
        for one in suites.values():
            click.echo(f"{one.id}: {one.about}. A row: {one.row}")
        return
    if suite not in suites:
        raise GuardhouseError(f"There is no suite `{suite}`.", fix=f"Known: {', '.join(suites)}.")
    if file is None:
        raise GuardhouseError("Name the file with the cases.", fix=f"A row has: {suites[suite].row}.")
    summary = _run(suites[suite], file, predictions, errors=errors)
    if as_json:
        import json

        click.echo(json.dumps(summary))
        return
    for group, counts in summary["groups"].items():
        click.echo(f"{group}: {counts['right']}/{counts['rows']} right ({counts['rate']:.2%})")
    click.echo(
        f"{summary['rows']} rows, CPU a row: mean {summary['mean_us']:.0f} µs, "
        f"p50 {summary['p50_us']:.0f}, p95 {summary['p95_us']:.0f}"
    )


def _run(suite: Suite, file: Path, predictions: Path | None, *, errors: bool) -> dict[str, Any]:
    import json

    from guardhouse.model import GuardhouseError

    try:
        lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise GuardhouseError(f"{file} can't be read: {type(error).__name__}.") from None
    predict = suite.start()
    right: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    times: list[float] = []
    written: list[str] = []
    with click.progressbar(lines, label=suite.id, hidden=not sys.stdout.isatty()) as progress:
        for number, line in enumerate(progress, 1):
            try:
                row = json.loads(line)
                before = time.process_time()
                prediction = predict(row)
                times.append(time.process_time() - before)
                outcome = suite.score(row, prediction)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise GuardhouseError(
                    f"{file}:{number}: not a row of this suite ({type(error).__name__}).",
                    fix=f"A row has: {suite.row}.",
                ) from None
            written.append(_line(prediction))
            if outcome is not None:
                rows[outcome.group] += 1
                right[outcome.group] += outcome.right
                if errors and not outcome.right:
                    click.echo(f"{number}: {outcome.group}: {line}", err=True)
    if not lines:
        raise GuardhouseError(f"{file} has no rows.", fix=f"A row has: {suite.row}.")
    if predictions is not None:
        try:
            predictions.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
        except OSError as error:
            raise GuardhouseError(f"{predictions} can't be written: {error.strerror}.") from None
    ordered = sorted(times) or [0.0]
    return {
        "suite": suite.id,
        "rows": len(lines),
        "groups": {
            group: {"rows": rows[group], "right": right[group], "rate": right[group] / rows[group]}
            for group in sorted(rows)
        },
        "mean_us": 1e6 * sum(ordered) / len(ordered),
        "p50_us": 1e6 * ordered[len(ordered) // 2],
        "p95_us": 1e6 * ordered[int(0.95 * (len(ordered) - 1))],
    }


def _line(prediction: dict[str, Any]) -> str:
    """A prediction as JSON, for people to read; half a surrogate pair, which no file can hold, as its escape."""
    import json

    line = json.dumps(prediction, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(prediction)
    return line
