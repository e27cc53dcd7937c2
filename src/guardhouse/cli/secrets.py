"""`redact` and `scan`: taking the secrets out of what passes by, and finding those that lie in files.

Neither prints a secret. What can't be read or written is an error, never a shorter result.
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from guardhouse.cli.options import config_option, json_option, read_stdin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

    from guardhouse.config import Sources
    from guardhouse.detect.secrets import Fingerprints
    from guardhouse.model import GuardhouseError
    from guardhouse.policy import Policy
    from guardhouse.scanning import Report, Walk, Wanted

_PIECE: Final = 1 << 20
_FOUND: Final = 1
_INCOMPLETE: Final = 2
_MAX_BYTES: Final = 64 << 20


@click.command()
@config_option
@click.option("--value", is_flag=True, help="Read one JSON value and keep its structure. Limited in size.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead. Only you can read it, and it takes its place whole, once everything is done.",
)
def redact(config_file: Path | None, output: Path | None, *, value: bool) -> None:
    """Print standard input with every secret masked.

    Text of any length is masked as it comes, in constant memory. Whatever holds no secret comes out byte for byte as it
    went in, also what is no UTF-8.

    Exit status: 0 done; 1 whoever read the output went away; 2 something could not be read or written, or bad input.
    """
    from guardhouse.model import GuardhouseError

    if sys.stdin is None:
        raise GuardhouseError("Standard input is closed.", fix="Pass the text in, as in: guardhouse redact < FILE")
    policy = _sources(config_file).load()
    with _written_to(output) as write:
        for piece in [_redacted_value(policy)] if value else _redacted_text(policy):
            write(piece)


def _sources(config_file: Path | None) -> Sources:
    """What the policy in force is made of, for somebody who may have much to look at."""
    from guardhouse.config import find_sources
    from guardhouse.opening import with_first_look

    return with_first_look(find_sources(config_file=config_file))


def _redacted_value(policy: Policy) -> bytes:
    import msgspec

    from guardhouse.model import GuardhouseError, decode

    limits = policy.config.limits
    data = read_stdin(limits.max_bytes)
    if len(data) > limits.max_bytes:
        raise GuardhouseError(
            f"The input is larger than {limits.max_bytes} bytes.",
            fix="Cut it up, raise `limits.max_bytes`, or leave out --value to have it masked as text.",
        )
    return msgspec.json.encode(policy.redactor.value(decode(data, limits))) + b"\n"


def _redacted_text(policy: Policy) -> Iterator[bytes]:
    from guardhouse.redact import redacted_stream

    for piece in redacted_stream(policy.redactor, _text_of_stdin()):
        yield piece.encode("utf-8", "surrogateescape")


def _text_of_stdin() -> Iterator[str]:
    """Standard input in pieces. A byte that is no UTF-8 becomes a lone surrogate, which is turned back at the end."""
    from guardhouse.model import GuardhouseError

    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    try:
        # As much as there is: who watches a log does not want to wait for a full piece.
        stdin = cast("BufferedReader", sys.stdin.buffer)
        while data := stdin.read1(_PIECE):
            yield decoder.decode(data)
    except OSError as error:
        raise GuardhouseError(f"Standard input can't be read: {error.strerror}.") from error
    yield decoder.decode(b"", final=True)


@contextmanager
def _written_to(output: Path | None) -> Iterator[Callable[[bytes], None]]:
    """What writes to `output`, or to standard output if there is none. A file is as it was until all is written."""
    if output is None:
        _write_out(b"")
        yield _write_out
        return
    try:
        target = output.resolve()
        # A device must not be replaced by a file.
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            raise _unwritable(output, "it is not a file")
        draft = target.with_name(f".guardhouse-{os.getpid()}-{os.urandom(4).hex()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except (OSError, RuntimeError) as error:
        raise _unwritable(output, _why(error)) from error
    try:
        yield lambda data: _write(handle, data, output)
        try:
            os.fsync(handle)
            draft.replace(target)
        except OSError as error:
            raise _unwritable(output, _why(error)) from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _write_out(data: bytes) -> None:
    """All of `data` to standard output, past its buffer: what is kept there would be lost without a word."""
    from guardhouse.model import GuardhouseError

    if sys.stdout is None:
        raise GuardhouseError("Standard output is closed.", fix="Send it somewhere, as in: … > FILE")
    _write(sys.stdout.fileno(), data, None)


def _write(handle: int, data: bytes, output: Path | None) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except BrokenPipeError:
        raise  # which `click` takes for what it is, and ends quietly
    except OSError as error:
        raise _unwritable(output, _why(error)) from error


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "there can be no such file"


def _unwritable(output: Path | None, why: str) -> GuardhouseError:
    from guardhouse.model import GuardhouseError

    if output is None:
        return GuardhouseError(f"Standard output can't be written: {why}.", fix="What came out so far is not all.")
    return GuardhouseError(f"{output} can't be written: {why}.", fix="It is as it was.")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(allow_dash=True))
@config_option
@click.option(
    "--exclude",
    "excluded",
    multiple=True,
    metavar="GLOB",
    help="Leave out files and directories of this name, or of this path if it has a slash. May be repeated.",
)
@click.option(
    "--kind", "kinds", multiple=True, metavar="GLOB", help="Only kinds that match, as in 'aws_*'. May be repeated."
)
@click.option(
    "--min-confidence",
    type=click.Choice(["low", "medium", "high"]),
    default="low",
    show_default=True,
    help="Only what is at least as certain as this.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=_MAX_BYTES,
    show_default=True,
    help="The largest file to scan. A larger one is named as not scanned.",
)
@click.option("--fingerprints", is_flag=True, help="Tell what `secrets.allowed` takes, for each secret.")
@click.option("--progress/--no-progress", default=None, help="A bar on standard error; by default at a terminal.")
@json_option
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF 2.1.0, for code hosts and editors.")
def scan(
    paths: tuple[str, ...],
    config_file: Path | None,
    excluded: tuple[str, ...],
    kinds: tuple[str, ...],
    min_confidence: str,
    max_bytes: int,
    *,
    fingerprints: bool,
    progress: bool | None,
    as_json: bool,
    as_sarif: bool,
) -> None:
    """Find the secrets in files, and say where they are without repeating them.

    PATH is a file, a directory with all that is below it, or `-` for standard input. `.git` directories are not
    entered, and symbolic links are not followed, unless you name them. Everything else is scanned, also what came with
    a dependency or out of a build: leave it out with --exclude.

    Exit status: 0 nothing found; 1 something found; 2 something could not be scanned (whatever was found), or bad
    usage.
    """
    from guardhouse.model import Confidence
    from guardhouse.scanning import Wanted, walk

    if as_json and as_sarif:
        raise click.UsageError("--json and --sarif are two ways to print the same; choose one.")
    sources = _sources(config_file)
    policy = sources.load()
    _check_kinds(policy, kinds)
    wanted = Wanted(kinds, Confidence(min_confidence), _fingerprints(sources) if fingerprints else None)
    report = _search(policy, walk(paths, excluded), wanted, max_bytes, progress=progress)
    if as_json:
        _print_json(_wire(report))
    elif as_sarif:
        from guardhouse import __version__
        from guardhouse.scanning import sarif_document

        _print_json(sarif_document(report, __version__))
    else:
        _write_out("".join(f"{line}\n" for line in _lines(report)).encode())
    sys.exit(_INCOMPLETE if report.not_scanned else _FOUND if report.findings else 0)


def _fingerprints(sources: Sources) -> Fingerprints | None:
    from guardhouse.detect.secrets import Fingerprints

    return Fingerprints(sources.fingerprint_key()) if sources.fingerprint_key is not None else None


def _check_kinds(policy: Policy, globs: tuple[str, ...]) -> None:
    """Refuse a glob that covers nothing: with a slip of the pen, nothing would ever be found."""
    from fnmatch import filter as covered

    from guardhouse.scanning import known_kinds

    known = known_kinds(policy)
    for glob in globs:
        if not covered(known, glob):
            raise click.BadParameter("There is no such kind of secret.", param_hint=f"--kind {glob!r}")


def _search(policy: Policy, walked: Walk, wanted: Wanted, max_bytes: int, *, progress: bool | None) -> Report:
    from guardhouse.scanning import search

    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return search(policy, walked, wanted, max_bytes=max_bytes)
    size = sum(file.size for file in walked.files)
    with click.progressbar(length=size, label="Scanning", file=sys.stderr) as bar:
        return search(policy, walked, wanted, max_bytes=max_bytes, seen=bar.update)


def _lines(report: Report) -> Iterator[str]:
    from guardhouse.model import visible

    for found in report.findings:
        place = f"{visible(found.path)}:{found.line}:{found.column}"
        told = f" [{found.fingerprint}]" if found.fingerprint else ""
        yield f"{place} {found.kind} ({found.confidence.value}){told}: {found.excerpt}"
    for left in report.not_scanned:
        yield f"{visible(left.path)} NOT SCANNED: {left.why}"
    secrets = "1 secret" if len(report.findings) == 1 else f"{len(report.findings)} secrets"
    files = "1 file" if report.files == 1 else f"{report.files} files"
    links = f"; {report.links} symbolic link{'' if report.links == 1 else 's'} not followed" if report.links else ""
    git = f"; {report.not_entered} .git director{'y' if report.not_entered == 1 else 'ies'} not entered"
    git = git if report.not_entered else ""
    yield f"{secrets} in {report.files_with_secrets} of {files}, {len(report.not_scanned)} not scanned{links}{git}"


def _wire(report: Report) -> dict[str, Any]:
    import msgspec

    wire: dict[str, Any] = msgspec.to_builtins(report)
    for row in (*wire["findings"], *wire["not_scanned"]):
        # A name need not be UTF-8, and JSON must be.
        row["path"] = row["path"].encode("utf-8", "backslashreplace").decode()
    return wire


def _print_json(value: Any) -> None:
    """On one line, in ASCII: a terminal may read it, too."""
    import json

    _write_out(json.dumps(value).replace("\x7f", "\\u007f").encode() + b"\n")
