"""Looks at a call that reaches out: is data packed into it, is a file uploaded, is something left at anybody's place?

A URL that the user gave, or that stood in content that came in, is an address of theirs, whatever it looks like. So
where the session can tell, it is asked; where it can't, only what hardly any address has counts.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from guardhouse.detect.destinations import reads_only, rules_of, sends, targets
from guardhouse.detect.smuggling import ANYBODYS_PLACE, ENCODED, HOST_NAME, ID, PRIVATE, UPLOAD, UPLOAD_LISTED
from guardhouse.detect.smuggling.labels import data_in
from guardhouse.detect.smuggling.packing import (
    LONGEST_ID,
    MOST_IDS,
    Packed,
    decodings,
    may_pack,
    packed,
    unescaped,
)
from guardhouse.detect.smuggling.places import anybodys_place
from guardhouse.detect.smuggling.uploads import uploaded
from guardhouse.model import WRITTEN, Confidence, Effect, Finding, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guardhouse.detect.destinations import Target
    from guardhouse.detect.interface import Leaf, Scene
    from guardhouse.model import Occurrence, ReasonCode, SessionState, Traces
    from guardhouse.net.destination import Destination

_CARRIED: Final = f"{ID}.carried"
_ASKED: Final = f"{ID}.asked"
_ALLOWED: Final = f"{ID}.allowed"
_MOST_ADDRESSES: Final = 64
"""URLs of one call that are looked at; of more, `action.too_many_targets` is told."""
_MOST_LOOKED_AT: Final = 65_536
"""Characters of headers, and of the body of a request that reads, that are looked at."""
_UNSEEN_IDS: Final = 512
"""Characters without a meaning that an address may have where no session can tell whose they are."""
_MOST_ASKED: Final = 2_000
_SHORTEST_PRIVATE: Final = 6
_LONGEST_PRIVATE: Final = 40
_FEWEST_DIGITS: Final = 3
_DIGITS: Final = frozenset("0123456789")
_SHORT: Final = 24
_LONG_RUN: Final = 12
"""Words in a row that nobody writes by accident, not even who looks for an error message."""
_RUN: Final = 5
_SIGNING: Final = frozenset(
    "signature sig policy key-pair-id samlrequest samlresponse relaystate code state token id_token access_token "
    "upn gclid fbclid msclkid _gl dclid cursor page_token pagetoken continuation hmac jwt ticket nonce".split()
)
"""Parameters that carry what a service made for itself, where no session can tell whose a value is."""
_SIGNING_STARTS: Final = ("x-amz-", "x-goog-", "x-ms-", "x-oss-", "x-cos-")
_CREDENTIALS: Final = frozenset(
    "authorization proxy-authorization cookie x-api-key api-key x-auth-token x-csrf-token x-xsrf-token if-none-match "
    "if-match etag sec-websocket-key digest content-md5 dpop signature traceparent tracestate".split()
)
"""Headers that carry ids and credentials by their nature: what of that is a secret is found as one."""
_BY_MODEL: Final = frozenset({WRITTEN, "wk"})


class _Part(Enum):
    """What carries something. What is cut up is cut up within one of them."""

    PATH = "path"
    NAME = "name"
    VALUE = "value"


_PARTS: Final = tuple(_Part)


class _Piece(NamedTuple):
    """A part of an address or a header that can carry something."""

    name: str
    """Of a parameter or a header, in small letters."""
    text: str
    part: _Part


class _Carried(NamedTuple):
    """One string of the call, with what can be packed into it."""

    leaf: Leaf
    target: Target
    pieces: tuple[_Piece, ...]
    found: tuple[Packed, ...]
    private: tuple[str, ...]
    """Values of it that may be private, in the form that the session knows."""
    said: tuple[str, ...] = ()
    """What it says in words, if those are many."""


class _Reached(NamedTuple):
    """A destination that is allowed: of others nothing more need be said."""

    target: Target
    destination: Destination
    pattern: str
    """The entry that allows it."""
    in_name: str
    """What looks like data in its name."""


def find(scene: Scene) -> Iterator[Finding]:
    """What leaves with the requests of a call."""
    rules = rules_of(scene)
    sending = sends(scene)
    state, traces = _session(scene)
    for one in _reached(scene):
        if one.in_name and not _is_seen(traces, [_host_form(one.destination)]):
            yield _finding(HOST_NAME, scene, one.target, one.in_name)
        place = anybodys_place(rules, one.destination, sends=sending)
        if place:
            yield _finding(ANYBODYS_PLACE, scene, one.target, place)
    told = False
    for carried in _carried(scene):
        for finding in _packed_findings(scene, carried, state, traces):
            told = True
            yield finding
    if not told:
        yield from _in_all(scene, traces)
    yield from _uploads(scene, sending=sending)


def ask(scene: Scene) -> None:
    """Ask the session whose the long values are, and whether others are private; nothing, if there are none."""
    _session(scene)


def _reached(scene: Scene) -> list[_Reached]:
    found: list[_Reached] | None = scene.shared.get(_ALLOWED)
    if found is None:
        rules = rules_of(scene)
        found = scene.shared[_ALLOWED] = []
        for target in targets(scene)[:_MOST_ADDRESSES]:
            destination = target.destination
            if destination is not None and target.refused is None:
                pattern = rules.allows(destination) or "*"
                found.append(_Reached(target, destination, pattern, data_in(destination.host, pattern)))
    return found


def _host_form(destination: Destination) -> str:
    """A host as a session knows it."""
    return f"host:{destination.host.removeprefix('www.')}"


def _session(scene: Scene) -> tuple[SessionState | None, Traces | None]:
    """How the session stands, and where it saw what this call carries; None of each where nobody can tell."""
    if not scene.action.session_id:
        return None, None
    questions: list[str] | None = scene.shared.get(_ASKED)
    if questions is None:
        questions = scene.shared[_ASKED] = _questions(scene)
    if not questions:
        return None, None
    state = scene.session()
    if state is None or not state.kept or state.error or not (state.user or state.untrusted):
        return state, None
    return state, scene.traces(questions)


def _questions(scene: Scene) -> list[str]:
    asked: dict[str, None] = {}
    for one in _carried(scene):
        if one.found:
            asked.update(dict.fromkeys(_forms(one)))
            asked.update((f"gram:{run}", None) for found in one.found for run in _runs_of(found.text))
            asked.update((f"gram:{run}", None) for found in one.found for run in _context(one, found))
        asked.update((f"gram:{run}", None) for text in one.said for run in _runs_of(text))
        asked.update((f"secret:{value}", None) for value in one.private)
        asked.update((f"text:{value}", None) for value in one.private)
    asked.update((_host_form(one.destination), None) for one in _reached(scene) if one.in_name)
    return list(asked)[:_MOST_ASKED]


# What is packed into an address or a header --------------------------------------------------------------------------


def _carried(scene: Scene) -> list[_Carried]:
    """Every string of the call that can carry something out, looked at once."""
    found: list[_Carried] | None = scene.shared.get(_CARRIED)
    if found is None:
        found = scene.shared[_CARRIED] = []
        told = bool(scene.action.session_id)
        reached = [one.target for one in _reached(scene)]
        for target in reached:
            found.append(_looked_at(target.leaf, target, _pieces(target.leaf.text), private=told))
        if reached:
            found += _beside(scene, reached[0])
    return found


def _looked_at(leaf: Leaf, target: Target, pieces: tuple[_Piece, ...], *, private: bool) -> _Carried:
    found: list[Packed] = []
    for part in _PARTS:
        texts = [piece.text for piece in pieces if piece.part is part]
        if may_pack(texts):
            found += packed(texts)
    if not private:
        return _Carried(leaf, target, pieces, tuple(found), ())
    values = (value for piece in pieces for value in _private(piece.text))
    # A text may go in one piece, or one word in each.
    said = " ".join(unescaped(piece.text) for piece in pieces if piece.part is not _Part.NAME).translate(_BLANKS)
    is_long = len(said.split()) >= _LONG_RUN
    return _Carried(leaf, target, pieces, tuple(found), tuple(dict.fromkeys(values)), (said,) if is_long else ())


_BLANKS: Final = str.maketrans(dict.fromkeys("+-_,./;:|", " "))


def _pieces(url: str) -> tuple[_Piece, ...]:
    """The parts of a URL behind its host. The strict reader has read it, so that it is split as it is read there."""
    rest = url.partition("://")[2] or url
    rest, _, fragment = rest.partition("#")
    place, _, query = rest.partition("?")
    found = [_Piece("", segment, _Part.PATH) for segment in place.split("/")[1:]]
    for part in (*query.split("&"), *fragment.split("&")):
        name, equals, value = part.partition("=")
        found += [_Piece("", name, _Part.NAME)] if equals else []
        found.append(_Piece(name.lower(), value if equals else part, _Part.VALUE))
    return tuple(piece for piece in found if piece.text)


def _private(text: str) -> Iterator[str]:
    """The values of a piece that may be from a private field: neither words nor small numbers."""
    if len(text) < _SHORTEST_PRIVATE or (text.islower() and _DIGITS.isdisjoint(text)):
        return  # in capital letters or in digits is whatever is encoded
    for plain in decodings(text):
        for chunk in plain.split():
            # Whole, without the signs in it, and by its parts: whoever takes it along can put something round it.
            parts = "".join(char if char.isalnum() else " " for char in chunk).split()
            for bare in dict.fromkeys((chunk.strip(".,;:!?()[]\"'"), "".join(parts), *parts)):
                if _SHORTEST_PRIVATE <= len(bare) <= _LONGEST_PRIVATE and sum(map(str.isdigit, bare)) >= _FEWEST_DIGITS:
                    yield bare.lower()


def _beside(scene: Scene, target: Target) -> Iterator[_Carried]:
    """What headers carry, and the body of a request that says that it only reads."""
    left = _MOST_LOOKED_AT
    bodies = reads_only(scene)
    if not bodies and not any(leaf.is_key and _names_more(leaf.text.lower()) for leaf in scene.leaves):
        return
    told = bool(scene.action.session_id)
    names: list[_Piece] = []
    values: list[_Piece] = []
    last: Leaf | None = None
    for leaf in scene.leaves:
        if leaf is target.leaf:
            continue
        field = leaf.field.lower()
        name = leaf.key.replace("_", "-")
        top = _top(field)
        is_more = ".header" in field or top in _MORE
        if not is_more and not (bodies and top in _BODIES):
            continue
        last = leaf
        if leaf.is_key:
            names.append(_Piece("", leaf.text, _Part.NAME))
            continue
        values.append(_Piece(name, leaf.text, _Part.VALUE))
        if _is_plain(leaf.text):
            continue
        left -= len(leaf.text)
        if left < 0:
            yield _Carried(leaf, target, (), (Packed("more than can be looked at", "", size=_MOST_LOOKED_AT),), ())
            return
        parts = leaf.text.replace("=", ";", 1).split(";") if name == "cookie" else (leaf.text,)
        pieces = tuple(_Piece(name, part.strip(), _Part.VALUE) for part in parts)
        carried = _looked_at(leaf, target, pieces, private=told)
        if name in _CREDENTIALS or (name.startswith(_SIGNING_STARTS) and not name.startswith("x-amz-meta")):
            # Ids and credentials are long and without a meaning; texts are neither.
            carried = carried._replace(found=tuple(one for one in carried.found if not one.size))
        yield carried
    if last is not None and len(values) >= _MANY:
        # Cut up, one piece in each.
        cut = [piece for piece in values if piece.name not in _CREDENTIALS and len(piece.text) < _LONGEST_CUT]
        together = _looked_at(last, target, (*names, *cut), private=told)
        yield together._replace(found=tuple(one for one in together.found if not one.size))


_MANY: Final = 3
_LONGEST_CUT: Final = 64


def _is_plain(text: str) -> bool:
    """Whether a header is too short to carry anything: `application/json`."""
    if len(text) <= _SHORTEST_PRIVATE:
        return True
    return len(text) < _SHORT and sum(map(str.isdigit, text)) < _FEWEST_DIGITS and text.islower()


def _top(field: str) -> str:
    """The parameter that a field is part of."""
    return field.partition(".")[2].partition(".")[0].partition("[")[0]


def _names_more(key: str) -> bool:
    return "header" in key or key in _MORE


_MORE: Final = frozenset("params query query_string querystring search cookies cookie user_agent referer args".split())
"""Parameters that become part of an address, or headers."""
_BODIES: Final = frozenset(["body", "data", "json", "payload", "content", "form"])


def _packed_findings(
    scene: Scene, carried: _Carried, state: SessionState | None, traces: Traces | None
) -> Iterator[Finding]:
    private = _private_value(carried, state, traces)
    if private:
        yield _finding(PRIVATE, scene, carried.target, private, carried.leaf)
    if not carried.found or _is_seen_whole(carried, traces):
        return
    left = [one for one in carried.found if not _is_theirs(carried, one, traces)]
    text = next((one for one in left if not one.size), None)
    if text is not None:
        yield _finding(ENCODED, scene, carried.target, text.how, carried.leaf)
        return
    if traces is None and not (state is not None and state.error):
        # Nobody can tell whose it is, so only what no address of anybody's has.
        signed = {piece.text for piece in carried.pieces if _is_signing(piece.name)}
        left = [one for one in left if one.piece not in signed]
        size = sum(one.size for one in left)
        if size <= _UNSEEN_IDS:
            return
    else:
        size = sum(one.size for one in left)
        if size <= MOST_IDS and all(one.size <= LONGEST_ID for one in left):
            return
    how = left[0].how if len(left) == 1 else f"{size} characters without a meaning, in {len(left)} parts"
    yield _finding(ENCODED, scene, carried.target, how, carried.leaf, Confidence.MEDIUM)


def _in_all(scene: Scene, traces: Traces | None) -> Iterator[Finding]:
    """What a call carries in all of its parts together, where each by itself is little."""
    everything = _carried(scene)
    if not any(one.found for one in everything) and sum(len(one.leaf.text) for one in everything) < _SHORTEST_TEXT:
        return
    size = words = 0
    last: _Carried | None = None
    for carried in everything:
        said = sum(len(piece.text.replace("+", " ").split()) for piece in carried.pieces)
        if (not carried.found and said < _MANY_WORDS) or _is_seen_whole(carried, traces):
            continue
        signed = {piece.text for piece in carried.pieces if _is_signing(piece.name) or piece.name in _CREDENTIALS}
        left = [one for one in carried.found if one.piece not in signed and not _is_theirs(carried, one, traces)]
        size += sum(one.size for one in left)
        words += said if said >= _MANY_WORDS else 0
        last = carried
    if last is not None and (size > _MOST_IN_ALL or words > _MOST_SAID):
        how = f"{size} characters without a meaning" if size > _MOST_IN_ALL else f"a text of {words} words"
        yield _finding(ENCODED, scene, last.target, f"{how}, in several parts", last.leaf, Confidence.MEDIUM)


_SHORTEST_TEXT: Final = 240
_MOST_IN_ALL: Final = 1024
_MANY_WORDS: Final = 8
_MOST_SAID: Final = 120
"""Words of all parts of a call that may still be what somebody looks for."""


def _is_signing(name: str) -> bool:
    return name in _SIGNING or name.startswith(_SIGNING_STARTS)


# What the session knows ----------------------------------------------------------------------------------------------


def _forms(carried: _Carried) -> list[str]:
    return [*_urls(carried.leaf.text), *(form for one in carried.found for form in _alone(one.piece))]


def _urls(text: str) -> list[str]:
    """The URL as a session knows it."""
    from guardhouse.trust.ledger.values import values

    return [str(value) for value in values(text) if value.type == "url"]


def _alone(piece: str) -> list[str]:
    """A value by itself, as a session knows it."""
    from guardhouse.trust.ledger.words import words

    return [f"id:{piece.strip().lower()}", f"text:{' '.join(words(piece))}"] if piece else []


def _context(carried: _Carried, found: Packed) -> list[str]:
    """The runs of words of the address that the value is part of, as they stand in content that has the address."""
    from guardhouse.trust.ledger.words import words

    if not found.piece or found.piece not in carried.leaf.text:
        return []
    before, own, _ = carried.leaf.text.partition(found.piece)
    said = [*words(before)[-(_RUN - 1) :], *words(own)]
    return [" ".join(said[at : at + _RUN]) for at in range(len(said) - _RUN + 1)]


def _runs_of(text: str) -> list[str]:
    from guardhouse.trust.ledger.words import words

    said = words(text)[:_MOST_ASKED]
    return [" ".join(said[at : at + _RUN]) for at in range(len(said) - _RUN + 1)]


def _seen(traces: Traces | None, form: str) -> list[Occurrence]:
    """Where something was seen, but for what the model wrote or said itself."""
    if traces is None:
        return []
    return [
        one
        for one in traces.found.get(form, ())
        if one.slot not in _BY_MODEL and one.event.kind not in {"assistant_showed", "granted"}
    ]


def _is_seen(traces: Traces | None, forms: Iterable[str]) -> bool:
    return any(_seen(traces, form) for form in forms)


def _is_seen_whole(carried: _Carried, traces: Traces | None) -> bool:
    """Whether all of an address was seen. One that only has another in it was made here."""
    if carried.leaf is not carried.target.leaf:
        return False
    urls = _urls(carried.leaf.text)
    return bool(urls) and _is_seen(traces, [max(urls, key=len)])


def _is_theirs(carried: _Carried, found: Packed, traces: Traces | None) -> bool:
    """Whether the user gave a value, or content that came in from outside: what was read here is not theirs."""
    if any(_from_outside(traces, form) for form in _alone(found.piece)):
        return True
    runs = _context(carried, found)
    return bool(runs) and all(_from_outside(traces, f"gram:{run}") for run in runs)


def _from_outside(traces: Traces | None, form: str) -> bool:
    return any(one.event.grade in {"user", "untrusted"} for one in _seen(traces, form))


def _private_value(carried: _Carried, state: SessionState | None, traces: Traces | None) -> str:
    """What of a string stood in a private field or text that the user did not speak of."""
    if traces is None or state is None:
        return ""
    sightings = _sightings(state, traces)
    for value in carried.private:
        seen = [one for one in _seen(traces, f"secret:{value}") if not sightings.is_field_spoken_of(one)]
        if seen and not any(one.event.grade == "user" for one in _seen(traces, f"text:{value}")):
            return "a value from a private field"
    for text in (*(found.text for found in carried.found), *carried.said):
        length = 0
        for run in _runs_of(text):
            length = length + 1 if sightings.private(run) else 0
            if length + _RUN - 1 >= _LONG_RUN:
                return f"{_LONG_RUN} words in a row"
    return ""


def _sightings(state: SessionState, traces: Traces) -> Any:
    from guardhouse.trust.ledger import Sightings, from_kept

    return Sightings(state, traces, [from_kept(one) for one in state.requests])


# Uploads -------------------------------------------------------------------------------------


def _uploads(scene: Scene, *, sending: bool) -> Iterator[Finding]:
    reached = _reached(scene)
    if not reached:
        return
    files = [leaf for leaf in uploaded(scene, sends=sending) if all(leaf is not one.target.leaf for one in reached)]
    if not files:
        return
    told = "1 file" if len(files) == 1 else f"{len(files)} files"
    for one in reached:
        code = UPLOAD if one.pattern.startswith("*") else UPLOAD_LISTED
        yield _finding(code, scene, one.target, told, files[0])


def _finding(
    code: ReasonCode,
    scene: Scene,
    target: Target,
    detail: str,
    leaf: Leaf | None = None,
    confidence: Confidence = Confidence.HIGH,
) -> Finding:
    leaf = leaf or target.leaf
    destination = target.destination
    return Finding(
        code=code.id,
        detector=ID,
        severity=code.severity,
        confidence=confidence,
        span=Span(leaf.field),
        excerpt=leaf.masked,
        origin=scene.origin,
        effect=Effect.SENDS,
        host=destination.host if destination is not None else None,
        url=destination.url if destination is not None else None,
        detail=detail,
    )
