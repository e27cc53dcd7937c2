"""Takes what is left of an action's secrets out of what is said about the action.

Detectors mask what they quote. But a host is lower-cased, a path resolved, a name copied into a title, and a detector
of somebody else's quotes what it likes; so every text of a verdict passes here before anybody sees it. This is done
after deciding: rules must match the host as it is, not as it may be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect.secrets import REDACTED
from guardhouse.detect.secrets import masked as mask_matches
from guardhouse.detect.secrets.echoes import Echoes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from guardhouse.detect.interface import Leaf, Scene
    from guardhouse.model import Facts, Finding, Origin, Reason, Span

_FOLD: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_MOST_HOLDERS: Final = 1000
"""Strings with secrets that are told apart; where there are more, what was made of any other is not shown."""
_COMPARED: Final = 16
"""Most of what is said is part of a string that was scanned; these are looked at before scanning it again."""


class Masker:
    """What may be said about one scene in which there are secrets."""

    def __init__(self, scene: Scene, names: Iterable[str], patterns: Sequence[Any] = ()) -> None:
        self._scanner = scene.settings.scanner
        self._patterns = patterns
        texts = [leaf.text[match.start : match.end] for leaf, match in scene.secrets]
        for name in names:
            texts += [name[match.start : match.end] for match in self._scanner.scan(name)]
        self._echoes = Echoes((text.translate(_FOLD), None) for text in texts)
        holders = list({id(leaf): leaf for leaf, _match in scene.secrets}.values())
        self._leaves: dict[str, Leaf] = {leaf.field: leaf for leaf in holders[:_MOST_HOLDERS]}
        self._all_known = len(holders) <= _MOST_HOLDERS

    def text(self, text: str) -> str:
        """`text` without any secret of the action, in whatever case, and without any other."""
        pieces: list[str] = []
        at = 0
        for start, end, _ in self._echoes.spans(text.translate(_FOLD), ()):
            pieces += (text[at:start], REDACTED)
            at = end
        text = "".join((*pieces, text[at:]))
        text = mask_matches(text, self._scanner.scan(text))
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        return text

    def facts(self, facts: Facts) -> Facts:
        """What of the facts is fit to be recorded: addresses by masked name. Paths are left out, because they are made
        of pieces of the action, and a piece of a secret no longer looks like one."""
        opinion = facts.opinion
        if opinion is not None:
            opinion = msgspec.structs.replace(opinion, reason=self.text(opinion.reason))
        addresses = {self.text(host): answer for host, answer in facts.addresses.items()}
        return type(facts)(addresses=addresses, opinion=opinion)

    def finding(self, finding: Finding) -> Finding:
        """The same finding, fit to be shown and recorded."""
        leaf = self._leaves.get(finding.span.field) if finding.span is not None else None
        if leaf is None and finding.span is not None and not self._all_known:
            finding = msgspec.structs.replace(finding, url=None, path=None)
        return msgspec.structs.replace(
            finding,
            span=self._span(finding.span),
            excerpt=self.text(finding.excerpt),
            origin=self._origin(finding.origin),
            host=self._optional(finding.host),
            # What was escaped or resolved on the way to a URL no longer reads like the secret it was.
            url=self._optional(finding.url if leaf is None or finding.url is None else _address_part(leaf.masked)),
            method=self._optional(finding.method),
            path=self._optional(finding.path if leaf is None or finding.path is None else leaf.masked),
            detail=self.text(finding.detail),
        )

    def reason(self, reason: Reason) -> Reason:
        """The same reason, fit to be shown and recorded."""
        remedy = self.text(reason.remedy)
        holds_secret = reason.span is not None and (reason.span.field in self._leaves or not self._all_known)
        return msgspec.structs.replace(
            reason,
            title=self.text(reason.title),
            why=self.text(reason.why),
            instead=self.text(reason.instead),
            detail=self.text(reason.detail),
            because=self.text(reason.because),
            span=self._span(reason.span),
            origin=self._origin(reason.origin),
            excerpt=self.text(reason.excerpt),
            # A command with a mask in it would allow something else.
            remedy="" if holds_secret or remedy != reason.remedy else remedy,
        )

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _span(self, span: Span | None) -> Span | None:
        return None if span is None else msgspec.structs.replace(span, field=self.text(span.field))

    def _origin(self, origin: Origin | None) -> Origin | None:
        if origin is None:
            return None
        return msgspec.structs.replace(origin, name=self.text(origin.name), call_id=self._optional(origin.call_id))


def masker(scene: Scene, findings: Iterable[Finding], patterns: Sequence[Any] = ()) -> Masker | None:
    """What masks the secrets of `scene` in texts about it, and what `patterns` of the policy match; None if there is
    nothing to mask.

    The strings of the body are known already; the names around it, what detectors made of it all, and where its paths
    lead, are scanned here, at once.
    """
    names = scene.names
    if scene.secrets or patterns:
        return Masker(scene, names, patterns)
    said = [text for finding in findings for text in _said(finding) if text]
    said += [answer.path for path, answer in scene.facts.real_paths.items() if answer.path != path]
    scanner = scene.settings.scanner
    if scene.is_quiet and (not said or scanner.is_quiet(said)):
        return None
    new = {text for text in said if not any(text in leaf.text for leaf in scene.leaves[:_COMPARED])}
    if not (names or new) or not scanner.scan("\n".join((*names, *sorted(new)))):
        return None
    return Masker(scene, names)


def _said(finding: Finding) -> tuple[str | None, ...]:
    field = finding.span.field if finding.span is not None else None
    return finding.host, finding.url, finding.path, finding.detail, finding.excerpt, field


def _address_part(url: str) -> str:
    return url.partition("?")[0].partition("#")[0]
