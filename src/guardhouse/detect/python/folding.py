"""What functions of Python that only compute give for known arguments: text, paths, names of modules, lists.

Nothing here reaches out of the program; those that do are in `deeds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.python.decoding import decoded, decoded_by_codec, encoded, is_decoder
from guardhouse.detect.python.known import CLOUD_CLIENT, INSIDE_OTHERS, MODULES
from guardhouse.detect.python.listing import below, globbed, globbed_deep, globbed_path, walked, walked_path
from guardhouse.detect.python.values import (
    DECODED,
    LONGEST_LIST,
    NOTHING,
    NOWHERE,
    PATH,
    Bound,
    Items,
    Made,
    Named,
    Number,
    Routine,
    Table,
    Text,
    Value,
    items,
    number,
    path_join,
    picked,
    text,
    text_of,
    unknown,
)
from guardhouse.detect.python.words import command_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Given = Sequence[Value]

SECRET: Final = frozenset({Source.SECRET})
_DYNAMIC: Final = frozenset({Source.DYNAMIC})
NAMESPACE: Final = "namespace"
"""What `globals()` and the like give: the names of the code itself."""
_SECRET_NAMES: Final = ("SECRET", "TOKEN", "PASSW", "API_KEY", "APIKEY", "PRIVATE_KEY", "CREDENTIAL", "ACCESS_KEY")


_LOOKED_UP: Final = INSIDE_OTHERS | {"sep", "executable", "environ"}
"""Attributes that may be something else than what their module and their name say."""


def module(name: str) -> Value:
    """A module or what is in it, under the name the tables have it by."""
    parts = name.split(".")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index] in INSIDE_OTHERS and parts[0] not in {"asyncio", parts[index]}:
            parts = [parts[index].lstrip("_") if parts[index] != "__builtins__" else "builtins", *parts[index + 1 :]]
            break
    parts[0] = MODULES.get(parts[0], parts[0])
    full = ".".join(parts)
    if full in {"os.path.sep", "os.sep"}:
        return Text(NOWHERE, "/")
    if full == "sys.executable":
        return Text(NOWHERE, "python3")
    return Named(SECRET if full == "os.environ" else NOWHERE, full)


def attribute(owner: Value, name: str) -> Value:
    """`owner.name`."""
    if name in {"__globals__", "f_globals", "f_builtins", "gi_frame"}:
        return Named(NOWHERE, NAMESPACE)
    if isinstance(owner, Named):
        if name in {"__dict__", "__call__"}:
            return owner
        full = f"{owner.name}.{name}"
        return module(full) if name in _LOOKED_UP else Named(NOWHERE, full)
    if isinstance(owner, Made):
        if owner.by == PATH:
            return _of_path(owner, name)
        if owner.by == "ctypes.CDLL":
            return module(f"os.{name}")
        if owner.by == "subprocess.Popen" and name == "stdin":
            return owner
        return Bound(owner.origin, f"{owner.by}.{name}", owner)
    if name == "__call__":
        return owner
    if isinstance(owner, Bound) and owner.name.startswith(CLOUD_CLIENT):
        return Bound(owner.origin, f"{owner.name}.{name}", owner.owner)
    return Bound(owner.origin, f"str.{name}" if isinstance(owner, Text) else f"?.{name}", owner)


def _of_path(owner: Made, name: str) -> Value:
    if name in {"parent", "parents"}:
        above, slash, _ = owner.text.rpartition("/")
        return Made(owner.origin, PATH, above or slash or ".")
    if name == "path":
        return Text(owner.origin, owner.text)
    if name == "name":
        return Text(owner.origin, owner.text.rpartition("/")[2])
    return Bound(owner.origin, f"{PATH}.{name}", owner)


def entry(owner: Value, key: Value) -> Value | None:
    """`owner[key]` for what holds things by name; None if it is for the names of the code itself."""
    if isinstance(owner, Named):
        if owner.name == NAMESPACE:
            return None
        if owner.name == "os.environ":
            return variable(key)
        if owner.name == "sys.modules":
            return module(text_of(key))
        if owner.name == "sys.argv":
            return NOTHING
        return module(f"{owner.name}.{text_of(key)}")
    if isinstance(owner, Made | Bound):
        return owner if owner.origin else NOTHING
    return picked(owner, key)


def variable(key: Value) -> Value:
    """A variable of the environment."""
    name = text_of(key)
    if name in {"HOME", "USERPROFILE"}:
        return Text(NOWHERE, "~")
    return Text(SECRET if any(part in name.upper() for part in _SECRET_NAMES) else NOWHERE, UNKNOWN)


def compute(name: str, owner: Value, given: Given) -> Value | None:
    """What the function gives; None if it is not one of those that only compute."""
    if is_decoder(name):
        return decoded(name, given[0] if given else NOTHING)
    if isinstance(owner, Made) and owner.by == PATH:
        method = PATH_METHODS.get(name.rpartition(".")[2])
        return method(owner, given) if method else None
    function = _FUNCTIONS.get(name)
    if function is None or (not given and name not in _WITHOUT_ARGUMENTS):
        return None
    return function(given)


def _code_point(given: Given) -> Value:
    first = given[0]
    if isinstance(first, Number) and 0 <= first.number < 0x110000:
        return Text(DECODED, chr(first.number))
    return Text(first.origin | DECODED, UNKNOWN)


def _integer(given: Given) -> Value:
    first = given[0]
    base = given[1].number if len(given) > 1 and isinstance(given[1], Number) else 10
    if isinstance(first, Text) and len(first.text) < 20 and base in {2, 8, 10, 16}:
        try:
            return number(int(first.text, base))
        except ValueError:
            return NOTHING
    return first if isinstance(first, Number) else unknown(first)


def _bytes(given: Given) -> Value:
    first = given[0]
    if isinstance(first, Items):
        values = [each.number for each in first.items if isinstance(each, Number) and 0 <= each.number < 256]
        if len(values) == len(first.items):
            return Text(first.origin | DECODED, "".join(map(chr, values)), is_bytes=True)
        return Value(first.origin | DECODED)
    if isinstance(first, Text):
        return first if first.is_bytes else encoded(first)
    return unknown(first)


def _string(given: Given) -> Value:
    first = given[0]
    if isinstance(first, Text):
        return Text(first.origin, first.text)
    if isinstance(first, Number) or (isinstance(first, Made) and first.by == PATH):
        return Text(first.origin, text_of(first))
    return first if isinstance(first, Made) else unknown(first)


def _elements(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Text) and len(value.text) <= LONGEST_LIST:
        return tuple(number(ord(c)) if value.is_bytes else Text(value.origin, c) for c in value.text)
    if isinstance(value, Table):
        return tuple(Text(NOWHERE, name) for name, _ in value.entries)
    return None


def elements(value: Value) -> tuple[Value, ...] | None:
    """What a loop over `value` sees; None if that is not known."""
    return _elements(value)


def _listed(given: Given) -> Value:
    found = _elements(given[0])
    return items(found) if found is not None else unknown(given[0])


def _turned(given: Given) -> Value:
    found = _elements(given[0])
    return Items(given[0].origin | DECODED, found[::-1]) if found is not None else unknown(given[0])


def _range(given: Given) -> Value:
    ends = [each.number for each in given if isinstance(each, Number)]
    if len(ends) != len(given) or not 1 <= len(ends) <= 3 or (len(ends) == 3 and not ends[2]):
        return NOTHING
    return items(number(each) for each in range(*ends)[:LONGEST_LIST])


def _zip(given: Given) -> Value:
    rows = [_elements(each) for each in given]
    if any(row is None for row in rows):
        return unknown(*given)
    return items(items(pair) for pair in zip(*(row or () for row in rows), strict=False))


def _enumerated(given: Given) -> Value:
    found = _elements(given[0])
    if found is None:
        return unknown(given[0])
    return items(items((number(index), each)) for index, each in enumerate(found[:LONGEST_LIST]))


def _path_joined(given: Given) -> Value:
    origin = frozenset[Source]().union(*(each.origin for each in given))
    return text(path_join(text_of(each) for each in given), origin)


def _path(given: Given) -> Value:
    origin = frozenset[Source]().union(*(each.origin for each in given))
    return Made(origin, PATH, path_join(text_of(each) for each in given) or ".")


def _same_text(given: Given) -> Value:
    return Text(given[0].origin, text_of(given[0]))


def _directory(given: Given) -> Value:
    above, slash, _ = text_of(given[0]).rpartition("/")
    return Text(given[0].origin, above or slash)


def _last_part(given: Given) -> Value:
    return Text(given[0].origin, text_of(given[0]).rpartition("/")[2])


def _attribute(given: Given) -> Value:
    return attribute(given[0], text_of(given[1])) if len(given) > 1 else NOTHING


def _imported(given: Given) -> Value:
    return module(text_of(given[0]))


def _imported_root(given: Given) -> Value:
    """`__import__` gives the outermost package, unless it is told what is wanted from it."""
    return module(text_of(given[0]).partition(".")[0]) if len(given) == 1 else _imported(given)


def _namespace(given: Given) -> Value:
    return given[0] if given and not isinstance(given[0], Routine) else Named(NOWHERE, NAMESPACE)


def _by_codec(given: Given) -> Value:
    return decoded_by_codec(given[0], text_of(given[1]) if len(given) > 1 else "utf8")


def _shell_joined(given: Given) -> Value:
    words = given[0].items if isinstance(given[0], Items) else (given[0],)
    return Text(given[0].origin, command_words(text_of(each) for each in words))


def _shell_split(given: Given) -> Value:
    # A command line that is split goes on to a process as it was: one word that holds it all says the same.
    return Made(given[0].origin, "line", text_of(given[0]))


_FUNCTIONS: Final[dict[str, Callable[[Given], Value]]] = {
    "builtins.chr": _code_point,
    "builtins.unichr": _code_point,
    "builtins.ord": lambda given: (
        number(ord(given[0].text)) if isinstance(given[0], Text) and len(given[0].text) == 1 else NOTHING
    ),
    "builtins.int": _integer,
    "builtins.str": _string,
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.list": _listed,
    "builtins.tuple": _listed,
    "builtins.set": _listed,
    "builtins.sorted": _listed,
    "builtins.iter": _listed,
    "builtins.next": lambda given: picked(given[0], Number()),
    "builtins.reversed": _turned,
    "builtins.range": _range,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerated,
    "builtins.getattr": _attribute,
    "builtins.__import__": _imported_root,
    "builtins.vars": _namespace,
    "builtins.globals": _namespace,
    "builtins.locals": _namespace,
    "builtins.compile": lambda given: given[0],
    "builtins.input": lambda _: Value(_DYNAMIC),
    "builtins.raw_input": lambda _: Value(_DYNAMIC),
    "ast.parse": lambda given: given[0],
    "textwrap.dedent": lambda given: given[0],
    "importlib.import_module": _imported,
    "importlib.__import__": _imported_root,
    "builtins.object.__getattribute__": _attribute,
    "builtins.type.__getattribute__": _attribute,
    "os.path.join": _path_joined,
    "os.path.expanduser": _same_text,
    "os.path.expandvars": _same_text,
    "os.path.abspath": _same_text,
    "os.path.realpath": _same_text,
    "os.path.normpath": _same_text,
    "os.fspath": _same_text,
    "os.path.dirname": _directory,
    "os.path.basename": _last_part,
    "os.getenv": lambda given: variable(given[0]),
    "os.environ.get": lambda given: variable(given[0]),
    "os.environ.__getitem__": lambda given: variable(given[0]),
    "os.getcwd": lambda _: Text(NOWHERE, "."),
    "os.listdir": lambda _: items((Text(NOWHERE, UNKNOWN),)),
    "os.scandir": lambda given: items((Made(NOWHERE, PATH, below(text_of(given[0]))),)),
    "os.walk": walked,
    "os.fwalk": walked,
    "glob.glob": globbed,
    "glob.iglob": globbed,
    "tempfile.mkdtemp": lambda _: Text(NOWHERE, "/tmp/" + UNKNOWN),  # noqa: S108 - a place to name, not one to use
    "tempfile.gettempdir": lambda _: Text(NOWHERE, "/tmp"),  # noqa: S108
    "tempfile.mktemp": lambda _: Text(NOWHERE, "/tmp/" + UNKNOWN),  # noqa: S108
    "tempfile.TemporaryDirectory": lambda _: Text(NOWHERE, "/tmp/" + UNKNOWN),  # noqa: S108
    "pathlib.Path": _path,
    "pathlib.PosixPath": _path,
    "pathlib.PurePath": _path,
    "pathlib.PurePosixPath": _path,
    "pathlib.Path.home": lambda _: Made(NOWHERE, PATH, "~"),
    "pathlib.Path.cwd": lambda _: Made(NOWHERE, PATH, "."),
    "codecs.decode": _by_codec,
    "codecs.getdecoder": lambda given: Named(NOWHERE, f"codec.{text_of(given[0])}"),
    "shlex.join": _shell_joined,
    "subprocess.list2cmdline": _shell_joined,
    "shlex.quote": lambda given: Text(given[0].origin, command_words((text_of(given[0]),))),
    "pipes.quote": lambda given: Text(given[0].origin, command_words((text_of(given[0]),))),
    "shlex.split": _shell_split,
}
_WITHOUT_ARGUMENTS: Final = frozenset(
    """
    builtins.vars builtins.globals builtins.locals builtins.input builtins.raw_input os.getcwd os.listdir
    tempfile.mkdtemp tempfile.gettempdir tempfile.mktemp tempfile.TemporaryDirectory pathlib.Path pathlib.Path.home
    pathlib.Path.cwd
    """.split()
)
PATH_METHODS: Final[dict[str, Callable[[Made, Given], Value]]] = {
    "joinpath": lambda owner, given: _path((owner, *given)),
    "expanduser": lambda owner, _: owner,
    "resolve": lambda owner, _: owner,
    "absolute": lambda owner, _: owner,
    "as_posix": lambda owner, _: Text(owner.origin, owner.text),
    "__str__": lambda owner, _: Text(owner.origin, owner.text),
    "with_suffix": lambda owner, _: Made(owner.origin, PATH, owner.text + UNKNOWN),
    "with_name": lambda owner, given: _path((_of_path(owner, "parent"), *given)),
    "glob": globbed_path,
    "rglob": globbed_deep,
    "walk": walked_path,
    "iterdir": lambda owner, _: items((Made(owner.origin, PATH, below(owner.text)),)),
}
