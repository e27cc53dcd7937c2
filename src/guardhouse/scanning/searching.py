"""The scan itself: every file in, one report out. It decides nothing about what is a secret; the policy's scanner does.

Bytes that are no UTF-8 are looked at, too, each as a character of its own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from guardhouse.detect.secrets import KINDS, PAIR, UNREADABLE, with_copies
from guardhouse.scanning.excerpts import Positions, excerpt
from guardhouse.scanning.interface import Finding, NotScanned, Report
from guardhouse.scanning.reading import read_file, read_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.policy import Policy
    from guardhouse.scanning.interface import File, Wanted
    from guardhouse.scanning.walking import Walk

_OPENS: Final = {kind.id: kind.what for kind in (*KINDS, PAIR, UNREADABLE)}


def known_kinds(policy: Policy) -> frozenset[str]:
    """Every kind that a scan by `policy` can find."""
    return frozenset(_OPENS) | {own.id for own in policy.config.secrets.patterns}


def search(
    policy: Policy, walked: Walk, wanted: Wanted, *, max_bytes: int, seen: Callable[[int], object] = lambda _size: None
) -> Report:
    """The secrets in the files of `walked` that are `wanted`. `seen` is told the size of each file once it is done."""
    findings: list[Finding] = []
    not_scanned = list(walked.not_scanned)
    files = hit = size = 0
    for file in walked.files:
        content = _content(file, max_bytes)
        if isinstance(content, NotScanned):
            not_scanned.append(content)
        else:
            files += 1
            size += len(content)
            here = list(_findings(policy, file.path, content, wanted))
            hit += bool(here)
            findings.extend(here)
        seen(file.size)
    return Report(
        findings=tuple(findings),
        not_scanned=tuple(NotScanned(policy.redactor.text(left.path), left.why) for left in not_scanned),
        files=files,
        files_with_secrets=hit,
        bytes=size,
        links=walked.links,
        not_entered=walked.not_entered,
    )


def _content(file: File, max_bytes: int) -> bytes | NotScanned:
    if file.real:
        return read_file(file, max_bytes)
    if sys.stdin is None:
        return NotScanned(file.path, "Standard input is closed.")
    return read_stream(file.path, sys.stdin.buffer, max_bytes)


def _findings(policy: Policy, path: str, content: bytes, wanted: Wanted) -> Iterator[Finding]:
    text = content.decode("utf-8", "surrogateescape")
    found = policy.settings.scanner.scan(text)
    if not found:
        return
    # What is a secret in the file is none the less one in its name.
    known = {text[match.start : match.end]: match for match in found}
    path = policy.redactor.text(policy.redactor.masked(path, with_copies(path, [], known)))
    positions = Positions(text)
    for number, match in enumerate(found):
        if not wanted.covers(match):
            continue
        line, column = positions.of(match.start)
        end_line, end_column = positions.of(match.end)
        yield Finding(
            path=path,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            kind=match.kind,
            category=match.category,
            confidence=match.confidence,
            opens=_OPENS.get(match.kind, ""),
            echo=match.echo,
            excerpt=excerpt(policy.redactor, text, found, number),
            fingerprint=wanted.fingerprints.of(text[match.start : match.end]) if wanted.fingerprints else "",
        )
