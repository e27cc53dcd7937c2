"""Plain programs through which text can be followed: what comes in, or what they are given, and what goes out.

Text stays known only if everything that a program does to it is worked out here; otherwise only where it comes from is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.escapes import decoded as ansi_c
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import LONGEST, NOTHING, SILENT, Stream, Value, sounds_secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State

_DECODED: Final = frozenset({Source.DECODED})


def sources_of(values: list[Value]) -> frozenset[Source]:
    return NOTHING.union(*(value.sources for value in values))


def which(_machine: Machine, _state: State, call: Call) -> Stream:
    """Where a program is: where programs are."""
    names = [text for text in call.texts if text[:1] != "-"]
    return Stream("".join(f"/usr/bin/{name}\n" for name in names) if names else "", sources_of(call.args))


def given(_machine: Machine, _state: State, call: Call) -> Stream:
    """`realpath`, `readlink -f`, `ls` of names: those names, or what lies below."""
    places = [value for value in call.args if value.text[:1] != "-"] or [replace(call.program, text=".")]
    whole = call.name != "ls" or any("d" in text for text in call.texts if text[:1] == "-")
    return Stream("".join(f"{_listed(value.text, whole=whole)}\n" for value in places), sources_of(call.args))


def _listed(path: str, *, whole: bool) -> str:
    """What is printed of a place: itself, or the names of what is in it."""
    return path if whole or "." in path.rpartition("/")[2].strip(".") else f"{path.rstrip('/')}/{UNKNOWN}"


def listing(_machine: Machine, _state: State, call: Call) -> Stream | None:
    """Programs that print the names of files below a place."""
    texts = call.texts
    if call.name == "git":
        shows = texts[:1] == ["ls-files"] or (texts[:1] in (["diff"], ["show"], ["log"]) and "--name-only" in texts)
    else:
        shows = any(
            (text[:2] == "--" and "files" in text) or (text[:1] == "-" and text[:2] != "--" and "l" in text)
            for text in texts
        )
    if not shows:
        return None
    words = parsed(call.args[1:] if call.name == "git" else call.args, "-e -f -g -t -A -B -C -m").arguments
    places = words[1:] if call.name != "git" and "--files" not in texts else words if call.name != "git" else []
    below = [value.text.rstrip("/") for value in places if value.text != "--"] or ["."]
    return Stream("".join(f"{place}/{UNKNOWN}\n{place}\n" if place != "." else f"./{UNKNOWN}\n" for place in below))


def plain(_machine: Machine, _state: State, call: Call) -> Stream:
    """Programs that print a number or a name of letters, digits and dashes, whatever they are given: it is no code."""
    if call.name == "date":
        forms = [text[1:] for text in call.texts if text[:1] == "+"]
        if any("%n" in form or "%t" in form for form in forms):
            return Stream(None)
        return Stream("".join(_dated(form) for form in forms) + "\n" if forms else "0\n")
    return Stream("0\n") if not sources_of(call.args) else Stream(None, sources_of(call.args))


def _dated(form: str) -> str:
    """A date in a form, with a digit for each part of it."""
    pieces = form.split("%")
    return pieces[0] + "".join(f"0{piece[1:]}" for piece in pieces[1:])


def printenv(_machine: Machine, _state: State, call: Call) -> Stream:
    """The environment, or one variable of it."""
    names = call.texts
    secret = not names or any(map(sounds_secret, names))
    return Stream(None, frozenset({Source.SECRET}) if secret else NOTHING)


def basename(_machine: Machine, _state: State, call: Call) -> Stream:
    """The last part of a path, or what is before it."""
    paths = [value for value in call.args if value.text[:1] != "-"]
    if not paths or len(paths) < len(call.args):
        return Stream(None, sources_of(call.args)) if call.args else SILENT
    text = paths[0].text.rstrip("/")
    head, _, tail = text.rpartition("/")
    if call.name == "dirname":
        return Stream(f"{head or ('/' if text.startswith('/') else '.')}\n", paths[0].sources)
    suffix = paths[1].text if len(paths) > 1 else ""
    return Stream(f"{tail.removesuffix(suffix)}\n", paths[0].sources)


def cat(machine: Machine, state: State, call: Call) -> Stream:
    """What files hold, one after the other."""
    places = [value for value in call.args if value.text[:1] != "-" or value.text == "-"]
    if not places:
        return call.stdin
    streams = [call.stdin if place.text == "-" else machine.read(state, place) for place in places]
    sources = NOTHING.union(*(stream.sources for stream in streams))
    texts = [stream.text for stream in streams if stream.text is not None]
    text = "".join(texts) if len(texts) == len(streams) else None
    if text is not None and len(text) > LONGEST:
        text = None
    return Stream(text, sources, streams[0].name if len(streams) == 1 else "")


def tee(machine: Machine, state: State, call: Call) -> Stream:
    """What comes in goes on, and into files."""
    sorted_ = parsed(call.args)
    append = sorted_.has("-a --append")
    for place in sorted_.arguments:
        machine.write(call, state, place, call.stdin, append=append)
    return call.stdin


def _file_or_stdin(machine: Machine, state: State, call: Call, places: list[Value]) -> Stream:
    return machine.read(state, places[0]) if places and places[0].text != "-" else call.stdin


def base64_(machine: Machine, state: State, call: Call) -> Stream:
    """Decoding is worked out if the text is known; encoding hides nothing from us."""
    sorted_ = parsed(call.args, "-w --wrap -i -o")
    stream = _file_or_stdin(machine, state, call, sorted_.values("-i") or sorted_.arguments)
    if not sorted_.has("-d -D --decode"):
        if stream.text is None or UNKNOWN in stream.text or len(stream.text) > LONGEST // 2:
            return Stream(None, stream.sources)
        import base64  # not cheap to load, and seldom needed

        return Stream(base64.b64encode(stream.text.encode("utf-8", "replace")).decode() + "\n", stream.sources)
    return _decoded(stream, _from_base64)


def _decoded(stream: Stream, decode: Callable[[str], str | None]) -> Stream:
    text = decode(stream.text) if stream.text is not None and len(stream.text) <= LONGEST else None
    return Stream(text, stream.sources | _DECODED)


def _from_base64(text: str) -> str | None:
    import base64  # not cheap to load, and seldom needed

    compact = "".join(text.split())
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True).decode("utf-8", "replace")
    except ValueError:
        return None


def _from_hex(text: str) -> str | None:
    try:
        return bytes.fromhex("".join(text.split())).decode("utf-8", "replace")
    except ValueError:
        return None


def xxd(machine: Machine, state: State, call: Call) -> Stream:
    """Hex to text with `-r`."""
    sorted_ = parsed(call.args, "-c -g -l -o -s -seek -len -cols")
    stream = _file_or_stdin(machine, state, call, sorted_.arguments)
    for place in sorted_.arguments[1:2]:
        machine.write(call, state, place, Stream(None, stream.sources))
    if not sorted_.has("-r"):
        return Stream(None, stream.sources)
    return _decoded(stream, _from_hex if sorted_.has("-p") else lambda _text: None)


def decoder(_machine: Machine, state: State, call: Call) -> Stream:
    """Programs that unpack or decrypt what comes in or what a file holds."""
    sorted_ = parsed(call.args, "-in -out -k -pass -S -o --output -d")
    sources = call.stdin.sources
    for value in call.args:
        held = state.files.get(state.path(value.text)) if value.text[:1] != "-" else None
        sources |= held.sources if held is not None else value.sources
    return Stream(None, sources | _DECODED) if sorted_.options or call.name in _ALWAYS_DECODE else Stream(None, sources)


_ALWAYS_DECODE: Final = frozenset("gunzip zcat bzcat xzcat zstdcat uudecode unxz bunzip2 unzstd".split())


def rev(machine: Machine, state: State, call: Call) -> Stream:
    """Lines backwards."""
    stream = _file_or_stdin(machine, state, call, call.args)
    if stream.text is None:
        return Stream(None, stream.sources | _DECODED)
    return Stream("\n".join(line[::-1] for line in stream.text.split("\n")), stream.sources | _DECODED)


def tr(_machine: Machine, _state: State, call: Call) -> Stream:
    """Letters for letters, if both sets are plain."""
    stream = call.stdin
    sorted_ = parsed(call.args)
    sets = [_letters(value.text) for value in sorted_.arguments]
    if stream.text is None or UNKNOWN in stream.text or None in sets or not sets:
        return Stream(None, stream.sources | _DECODED if stream.text is not None else stream.sources)
    first = sets[0] or ""
    if sorted_.has("-d --delete"):
        return Stream(stream.text.translate(dict.fromkeys(map(ord, first))), stream.sources | _DECODED)
    if sorted_.options or len(sets) < 2:
        return Stream(None, stream.sources | _DECODED)
    second = sets[1] or ""
    padded = second + second[-1:] * (len(first) - len(second))
    table = {ord(old): new for old, new in zip(first, padded, strict=False)}
    return Stream(stream.text.translate(table), stream.sources | _DECODED)


def _letters(text: str) -> str | None:
    """The letters that a set of `tr` names; None if it has classes or the like."""
    if "[:" in text or "[=" in text or len(text) > 256:
        return None
    text = ansi_c(text)
    out: list[str] = []
    at = 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-" and ord(text[at]) <= ord(text[at + 2]) < 256:
            out += [chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1)]
            at += 3
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def passing(_machine: Machine, state: State, call: Call) -> Stream:
    """Filters that let through some of what comes in, or of what files hold. What is left is not worked out, but for
    one line that goes through whole."""
    sources = call.stdin.sources
    named = False
    for value in call.args:
        held = state.held(value.text) if value.text[:1] not in ("-", "") else None
        if held is not None:
            sources, named = sources | held.sources, True
    text = call.stdin.text
    whole = (
        call.name in _KEEPING and text is not None and "\n" not in text.rstrip("\n") and not named and not call.waits
    )
    plain = all(value.text.lstrip("-n").isdigit() for value in call.args)
    return Stream(text if whole and plain and text else None, sources)


_KEEPING: Final = frozenset("head tail sort uniq tac less more strings fold fmt column pv sponge unbuffer".split())

FILTERS: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("which", "type", "whereis"), which),
    **dict.fromkeys(("realpath", "readlink", "ls"), given),
    **dict.fromkeys(("date", "nproc", "uname", "id", "whoami", "uuidgen", "arch", "tty"), plain),
    "printenv": printenv,
    **dict.fromkeys(("basename", "dirname"), basename),
    "cat": cat,
    "tee": tee,
    **dict.fromkeys(("base64", "gbase64", "base32"), base64_),
    "xxd": xxd,
    "rev": rev,
    "tr": tr,
    **dict.fromkeys(
        "gunzip zcat bzcat xzcat zstdcat gzip bzip2 xz zstd uudecode unxz bunzip2 unzstd gpg openssl".split(), decoder
    ),
    **dict.fromkeys("head tail sort uniq tac less more strings fold fmt column pv sponge grep cut jq".split(), passing),
}
"""By name. What such a program does beyond its output is told by the other tables too."""
