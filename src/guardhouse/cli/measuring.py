"""`eval`: how the gate does on labelled cases, the project's or your own."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardhouse.cli.options import JsonOption

if TYPE_CHECKING:
    from guardhouse.suites import Suite


def evaluate(
    suite: Annotated[str, typer.Argument(help="The suite, or `list`.")],
    file: Annotated[Path | None, typer.Argument(help="Cases, one JSON object a line.")] = None,
    predictions: Annotated[Path | None, typer.Option("--predictions", help="Write one prediction a line here.")] = None,
    *,
    errors: Annotated[bool, typer.Option("--errors", help="Print the rows that came out wrong.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the gate on labelled cases: rates per group, and time per row."""
    from guardhouse.model import GuardhouseError
    from guardhouse.suites import find_suites

    suites = find_suites()
    if suite == "list":
        for one in suites.values():
            typer.echo(f"{one.id}: {one.about}. A row: {one.row}")
        return
    if suite not in suites:
        raise GuardhouseError(f"There is no suite `{suite}`.", fix=f"Known: {', '.join(suites)}.")
    if file is None:
        raise GuardhouseError("Name the file with the cases.")
    summary = _run(suites[suite], file, predictions, errors=errors)
    if as_json:
        import json

        typer.echo(json.dumps(summary))
        return
    for group, counts in summary["groups"].items():
        typer.echo(f"{group}: {counts['right']}/{counts['rows']} right ({counts['rate']:.2%})")
    typer.echo(f"{summary['rows']} rows, {summary['microseconds_a_row']:.0f} µs CPU a row (p95 {summary['p95']:.0f})")


def _run(suite: Suite, file: Path, predictions: Path | None, *, errors: bool) -> dict[str, Any]:
    import json

    from guardhouse.model import GuardhouseError

    try:
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise GuardhouseError(f"{file} can't be read: {error}.") from None
    predict = suite.start()
    right: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    times: list[float] = []
    written: list[str] = []
    with typer.progressbar(lines, label=suite.id, hidden=not _is_terminal()) as progress:
        for number, line in enumerate(progress, 1):
            try:
                row = json.loads(line)
                before = time.process_time()
                prediction = predict(row)
                times.append(time.process_time() - before)
                outcome = suite.score(row, prediction)
            except (ValueError, KeyError, TypeError) as error:
                raise GuardhouseError(
                    f"{file}:{number}: not a row of this suite ({type(error).__name__}).",
                    fix=f"A row has: {suite.row}.",
                ) from None
            written.append(json.dumps(prediction, ensure_ascii=False))
            if outcome is not None:
                rows[outcome.group] += 1
                right[outcome.group] += outcome.right
                if errors and not outcome.right:
                    typer.echo(f"{number}: {outcome.group}: {line}", err=True)
    if predictions is not None:
        predictions.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    ordered = sorted(times) or [0.0]
    return {
        "suite": suite.id,
        "rows": len(lines),
        "groups": {
            group: {"rows": rows[group], "right": right[group], "rate": right[group] / rows[group]}
            for group in sorted(rows)
        },
        "microseconds_a_row": 1e6 * sum(ordered) / len(ordered),
        "p95": 1e6 * ordered[int(0.95 * (len(ordered) - 1))],
    }


def _is_terminal() -> bool:
    import sys

    return sys.stderr.isatty() and sys.stdout.isatty()
