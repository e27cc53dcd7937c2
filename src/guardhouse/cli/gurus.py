"""`guardhouse guru`: holding replies of the Guru against its contract. Nothing of a reply is ever printed."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from guardhouse.cli.options import json_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.guru import Checked, FetchLog

_BLOCKED: Final = 30
_MAX_LOG: Final = 64 << 20
_MAX_FILE: Final = 64 << 20


@click.group()
def guru() -> None:
    """The Guru: facts about a code base and the web, never instructions."""


@guru.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE")
@click.option(
    "--sources",
    "sources_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What was fetched, one result a line (url, title, snippet, extracted_text, retrieved_at). Without it, sources "
    "are not compared with what was fetched.",
)
@click.option(
    "--service", "services", multiple=True, metavar="NAME", help="A service that a request may name. May be repeated."
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The workspace that `context_refs` refer to. Without it, they are checked for their form only.",
)
@json_option
@click.option("--jsonl", "is_jsonl", is_flag=True, help="Read one reply a line, and print one result a line.")
def check(
    file: Path,
    sources_file: Path | None,
    services: tuple[str, ...],
    root: Path | None,
    *,
    as_json: bool,
    is_jsonl: bool,
) -> None:
    """Check a reply of the Guru: FILE, or `-` for standard input.

    Exit status: 0 it passes; 30 it is blocked (with --jsonl: at least one is); 2 something could not be read, or bad
    usage.
    """
    from guardhouse.guru import check_reply

    log = _log(sources_file) if sources_file is not None else None
    lines_of = _lines_of(root) if root is not None else None
    passes = True
    with _opened(file) as stream:
        for reply in _lines(stream) if is_jsonl else [_whole(stream)]:
            checked = check_reply(reply, sources=log, services=services, files=lines_of)
            passes &= checked.passes
            if as_json or is_jsonl:
                click.echo(json.dumps(_wire(checked)))
            else:
                _tell(checked)
    sys.exit(0 if passes else _BLOCKED)


def _wire(checked: Checked) -> dict[str, Any]:
    """The result as JSON, without the reply."""
    import msgspec

    return {
        "passes": checked.passes,
        "codes": list(checked.codes),
        "violations": msgspec.to_builtins(checked.violations),
        "compared": {"sources": checked.sources_compared, "files": checked.files_compared},
    }


def _tell(checked: Checked) -> None:
    for one in checked.violations:
        click.echo(f"{one.field or 'reply'}:{one.start}-{one.end} {one.rule}: {one.why}")
    count = len(checked.violations)
    click.echo("Passes." if checked.passes else f"Blocked: {count} violation{'s' if count != 1 else ''}.")
    if not checked.sources_compared:
        click.echo("Sources were not compared with what was fetched: there is no --sources.")
    if not checked.files_compared:
        click.echo("References were checked for their form only: there is no --root.")


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """The file, or standard input. Whatever of it can't be read is an error."""
    from guardhouse.model import GuardhouseError

    try:
        if str(file) == "-":
            yield sys.stdin.buffer
        else:
            with file.open("rb") as stream:
                yield stream
    except OSError as error:
        raise GuardhouseError(
            f"The replies can't be read: {error.strerror or 'there can be no such file'}.",
            fix="Name a file that you may read, or - for standard input.",
        ) from error


def _whole(stream: BinaryIO) -> str:
    """All that is looked at of one reply. What is no UTF-8 stays as something that is no reply."""
    from guardhouse.guru import MAX_BYTES

    return stream.read(MAX_BYTES + 1).decode("utf-8", "surrogateescape")


def _lines(stream: BinaryIO) -> Iterator[str]:
    """One reply a line; of a line that is too long, enough to say so."""
    from guardhouse.guru import MAX_BYTES

    while line := stream.readline(MAX_BYTES + 2):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES)
        yield line.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _log(file: Path) -> FetchLog:
    from guardhouse.guru import read_log
    from guardhouse.model import GuardhouseError

    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_LOG + 1)
        if len(data) > _MAX_LOG:
            raise GuardhouseError(
                f"The log of sources is larger than {_MAX_LOG} bytes.", fix="Pass that of one session."
            )
        return read_log(data.decode().split("\n"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise GuardhouseError(f"The log of sources can't be read: {why}.", fix="Nothing was checked.") from error


def _lines_of(root: Path) -> Callable[[str], int | None]:
    """How many lines a file below `root` has; None if there is none, or it is elsewhere in truth."""
    from guardhouse.model import GuardhouseError

    try:
        home = root.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise GuardhouseError("The workspace can't be looked at.", fix="Name a directory with --root.") from error
    if not home.is_dir():
        raise GuardhouseError("The workspace is no directory.", fix="Name a directory with --root.")

    def lines_of(path: str) -> int | None:
        try:
            file = (home / path).resolve(strict=True)
            if not file.is_relative_to(home):
                return None
            handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except (OSError, RuntimeError, ValueError):
            return None  # which blocks the reply: a reference that can't be followed is none
        with os.fdopen(handle, "rb") as stream:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode) or about.st_size > _MAX_FILE:
                return None
            return sum(1 for _line in stream)

    return lines_of
