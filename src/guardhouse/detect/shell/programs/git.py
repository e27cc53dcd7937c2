"""What git does beyond its working tree: where it reaches to, which files it writes and reads, what it sets for good.

What its verbs lose is in the table of verbs, code in its settings in the table of launchers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import Source
from guardhouse.detect.paths.hooks import is_telling
from guardhouse.detect.shell.programs.landing import land, last_part
from guardhouse.detect.shell.programs.looking import look_at_url
from guardhouse.detect.shell.programs.network import proxies
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.shell.programs.options import Parsed
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value


class GitVerb(msgspec.Struct, frozen=True):
    """What one of git's verbs is given."""

    verbs: str
    """Separated by commas; some have two words."""
    valued: str = ""
    remote: int = 0
    """Which of its arguments is a remote: its name, a URL, or `host:path`."""
    remotes: str = ""
    """Options whose value is a remote."""
    writes: str = ""
    """Options whose value is a file or directory it writes."""
    makes: int = 0
    """Which of its arguments is a file or directory it makes."""


_FETCH: Final = (
    "-o -j --depth --deepen --upload-pack --refmap --negotiation-tip --server-option --shallow-since --filter"
)
_SHOW: Final = "-n -G -S -O -U -L --output --format --author --grep --since --until --max-count --unified --diff-filter"

GIT_VERBS: Final = (
    GitVerb("clone", "-b -c -o -u -j --branch --config --origin --depth --reference --upload-pack --template"
            " --separate-git-dir --filter --jobs --shallow-since --shallow-exclude --server-option --bundle-uri",
            remote=1, remotes="--bundle-uri", writes="--separate-git-dir", makes=2),
    GitVerb("fetch,ls-remote,fetch-pack", f"{_FETCH} --sort", remote=1),
    GitVerb("pull", f"{_FETCH} -s -X --strategy --strategy-option", remote=1),
    GitVerb("push,send-pack", "-o --push-option --repo --receive-pack --exec", remote=1, remotes="--repo"),
    GitVerb("archive", "-o --output --format --prefix --remote --exec --add-file --mtime",
            remotes="--remote", writes="-o --output"),
    GitVerb("remote add", "-t -m", remote=2),
    GitVerb("remote set-url", remote=2),
    GitVerb("submodule add", "-b --branch --name --reference --depth", remote=1, makes=2),
    GitVerb("submodule set-url", remote=2),
    GitVerb("subtree add,subtree pull,subtree push", "-P -m --prefix --message", remote=1, writes="-P --prefix"),
    GitVerb("svn clone,svn init", "-T -t -b -s -r --trunk --tags --branches --stdlayout? --prefix", remote=1, makes=2),
    GitVerb("lfs push,lfs fetch,lfs pull", "-I -X --include --exclude", remote=1),
    GitVerb("send-email", "--smtp-server --smtp-user --smtp-pass --to --cc --bcc --from --subject --smtp-server-port",
            remotes="--smtp-server"),
    GitVerb("bundle create", makes=1),
    GitVerb("init", "-b --template --separate-git-dir --initial-branch --object-format --shared",
            writes="--separate-git-dir", makes=1),
    GitVerb("worktree add", "-b -B --reason --orphan", makes=1),
    GitVerb("format-patch", f"{_SHOW} -o -v --output-directory --in-reply-to --subject-prefix",
            writes="-o --output-directory --output"),
    GitVerb("diff,log,show,whatchanged,diff-tree,diff-index,diff-files,range-diff,reflog,stash show,shortlog", _SHOW,
            writes="--output"),
    GitVerb("read-tree", "--prefix --index-output --exclude-per-directory", writes="--prefix --index-output"),
    GitVerb("checkout-index", "--prefix --stage", writes="--prefix"),
    GitVerb("fast-export,fast-import", "--export-marks --import-marks --export-pack-edges",
            writes="--export-marks --export-pack-edges"),
    GitVerb("bugreport,diagnose,mailsplit", "-o -s --output-directory --suffix", writes="-o --output-directory"),
)  # fmt: skip
_BY_VERB: Final = {verb: one for one in GIT_VERBS for verb in one.verbs.split(",")}
_BEFORE_VERB: Final = "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source"
_TREE_VERBS: Final = frozenset(
    "checkout restore reset pull merge rebase switch read-tree stash apply am cherry-pick clean".split()
)
"""Verbs that write what git has into the working tree."""


def run_git(machine: Machine, state: State, call: Call) -> None:
    """Follow one call of git."""
    outer = parsed(call.args, _BEFORE_VERB, stop=True)
    elsewhere = outer.values("-C")
    state = state.copy() if elsewhere else state
    for place in elsewhere:
        state.move(state.path(place.text))
    for value in outer.values("-c"):
        _look_at_setting(machine, state, call, value, *value.text.partition("=")[::2])
    for key, value in _settings_in_variables(call):
        _look_at_setting(machine, state, call, value, key, value.text)
    words = outer.arguments
    if not words:
        return
    verb, rest = words[0].text, words[1:]
    _look_at_reads(machine, state, call, verb, rest)
    if verb == "config":
        _run_config(machine, state, call, rest)
    one = _BY_VERB.get(f"{verb} {rest[0].text}") if rest else None
    if one is not None:
        verb, rest = f"{verb} {rest[0].text}", rest[1:]
    one = one or _BY_VERB.get(verb)
    if one is not None:
        _run_verb(machine, state, call, verb, one, parsed(rest, one.valued))
    if verb in _PATH_VERBS:
        _look_at_paths(machine, state, call, verb, rest)
    if verb == "update-index":
        _look_at_entries(machine, state, call, rest)
    if verb in ("apply", "am"):
        _look_at_patches(machine, state, call, rest)
    if verb in _TREE_VERBS:
        _look_at_tree(machine, state, call, outer, rest)


def _run_verb(machine: Machine, state: State, call: Call, verb: str, one: GitVerb, sorted_: Parsed) -> None:
    words = sorted_.arguments
    remotes = sorted_.values(one.remotes) if one.remotes else []
    if one.remote:
        remotes += words if sorted_.has("--multiple") else words[one.remote - 1 : one.remote]
    for value in remotes:
        _reach(machine, state, call, value, bare=verb == "send-email")
    if one.remote or one.remotes:
        for proxy in proxies(machine, state, call):
            machine.act(call, state, Effect.CONNECTS, proxy, kind="host")
    for value in sorted_.values("-c --config") if verb == "clone" else []:
        _look_at_setting(machine, state, call, value, *value.text.partition("=")[::2])
    for place in sorted_.values(one.writes) if one.writes else []:
        if place.text != "-":
            machine.write(call, state, place, Stream(None))
    for place in words[one.makes - 1 : one.makes] if one.makes else []:
        if not _is_beside(place.text):
            machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    if verb == "clone" and words and _is_remote(words[0].text):
        name = words[1].text if len(words) > 1 else words[0].text.rstrip("/").rpartition("/")[2].removesuffix(".git")
        from guardhouse.detect.shell.programs.archives import keep_unpacked

        keep_unpacked(state, state.path(name), Stream(None, frozenset({Source.NETWORK})))


def _is_beside(path: str) -> bool:
    """Whether a path is right beside the directory, where other copies of a project usually are."""
    name = path.removeprefix("../").rstrip("/")
    return path.startswith("../") and "/" not in name and not name.startswith(".")


def _is_remote(text: str) -> bool:
    return "://" in text or bool(_remote_host(text))


def _remote_host(text: str) -> str:
    from guardhouse.detect.shell.programs.copies import remote_host  # most verbs reach nothing

    return remote_host(text)


def _reach(machine: Machine, state: State, call: Call, value: Value, *, bare: bool = False) -> None:
    """A remote as it is given: code, a URL, `host:path`; a plain word is the name of one, unless it is a host."""
    text = value.text
    if text.startswith("ext::"):
        import shlex  # hardly ever needed, and not cheap to load

        # Words are split at blanks, but for those after a percent sign.
        pieces = [piece.replace("\1", " ") for piece in text[5:].replace("% ", "\1").split(" ")]
        machine.enter_wrapped(" ".join(map(shlex.quote, pieces)), state.copy(), value, "git")
    elif "://" in text:
        look_at_url(machine, state, call, value)
    else:
        host = _remote_host(text) or (text if bare and not text.startswith("/") else "")
        if host:
            machine.act(call, state, Effect.CONNECTS, replace(value, text=host), kind="host")


# Settings.


def _settings_in_variables(call: Call) -> Iterator[tuple[str, Value]]:
    """Settings that `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0` make."""
    for name, key in call.environment.items():
        number = name.removeprefix("GIT_CONFIG_KEY_")
        value = call.environment.get(f"GIT_CONFIG_VALUE_{number}")
        if number != name and value is not None:
            yield key.text, value


def _look_at_setting(machine: Machine, state: State, call: Call, value: Value, key: str, text: str) -> None:
    """A setting that says where git reaches to."""
    first, _, rest = key.partition(".")
    middle, _, last = rest.rpartition(".")
    first, last = first.lower(), last.lower()
    if first == "url" and last in ("insteadof", "pushinsteadof"):
        _reach(machine, state, call, replace(value, text=middle))
    elif (first, last) in _REMOTE_KEYS:
        _reach(machine, state, call, replace(value, text=text))
    elif (first, last) in _HOST_KEYS and text:
        _reach(machine, state, call, replace(value, text=text), bare=True)


_REMOTE_KEYS: Final = frozenset(
    [("remote", "url"), ("remote", "pushurl"), ("remote", "lfsurl"), ("submodule", "url"), ("lfs", "url"),
     ("lfs", "pushurl"), ("branch", "remote"), ("branch", "pushremote"), ("remote", "pushdefault")]
)  # fmt: skip
"""The first and the last part of settings whose value is a remote."""
_HOST_KEYS: Final = frozenset(
    [("http", "proxy"), ("https", "proxy"), ("remote", "proxy"), ("sendemail", "smtpserver"), ("imap", "host")]
)
"""The same, of those whose value is a host."""
_CODE_KEYS: Final = (
    "core.pager pager. core.editor sequence.editor core.sshcommand core.fsmonitor core.askpass core.gitproxy"
    " diff.external credential. gpg.program gpg. interactive.difffilter uploadpack.packobjectshook sendemail. browser."
    " man. difftool. mergetool. filter. merge. diff. trailer. alias."
).split()
"""Settings whose value git runs, or that begin like one."""
_CODE_ENDS: Final = frozenset(
    "helper program cmd command textconv clean smudge process driver path sendmailcmd tocmd cccmd headercmd".split()
)
_PLACE_KEYS: Final = ("core.hookspath", "init.templatedir", "include.path", "core.attributesfile")
"""Settings whose value is a place in which git finds what it runs."""
_USUAL: Final = frozenset(
    "less more most cat delta bat diff-so-fancy diff-highlight vim vi nvim nano emacs emacsclient micro hx code codium"
    " subl zed idea ssh git-lfs gh glab gpg gpg2 gpgsm ssh-keygen git meld kdiff3 difft vimdiff nvimdiff opendiff"
    " true false store cache osxkeychain manager manager-core libsecret wincred".split()
)
"""Programs that are usually set there."""
_JOINS: Final = frozenset(";|&$`<>(\n")


def _run_config(machine: Machine, state: State, call: Call, rest: list[Value]) -> None:
    """`git config`: which file it writes or shows, and what stays set for every repository."""
    sorted_ = parsed(rest, "-f --file --blob --type --default --comment --value")
    words = sorted_.arguments
    if words and words[0].text in _CONFIG_VERBS:
        words = words[1:] if words[0].text == "set" else []
    changes = len(words) > 1 or sorted_.has("--unset --unset-all --remove-section --rename-section --edit -e --add")
    for place in sorted_.values("-f --file"):
        if changes:
            machine.write(call, state, place, Stream(None), append=True)
        else:
            machine.on_path(call, state, Effect.READS, place)
    if len(words) < 2 or sorted_.has("--get --get-all --get-regexp --get-urlmatch --unset --unset-all"):
        return
    key, value = words[0].text, words[1]
    _look_at_setting(machine, state, call, value, key, value.text)
    if sorted_.has("--global --system") and _stays(key.lower(), value.text):
        what = "every call of git would run it"
        machine.act(call, state, Effect.PERSISTS, value, kind="thing", what=what)


_CONFIG_VERBS: Final = frozenset("set get unset list edit rename-section remove-section".split())


def _stays(key: str, text: str) -> bool:
    """Whether a setting for all repositories makes git run something that is not the usual."""
    if key in _PLACE_KEYS or (key.startswith("includeif.") and key.endswith(".path")):
        return True
    if key.startswith("alias."):
        return text.startswith("!") and not _is_usual(text)
    named = next((known for known in _CODE_KEYS if key.startswith(known)), "")
    if not named or (named.endswith(".") and named != "pager." and key.rpartition(".")[2] not in _CODE_ENDS):
        return False
    return bool(text) and not _is_usual(text)


def _is_usual(text: str) -> bool:
    words = text.removeprefix("!").split()
    if not words or not _JOINS.isdisjoint(text):
        return False
    return words[0].rpartition("/")[2] in _USUAL and (not words[0].startswith(("/tmp", ".", "/home")))  # noqa: S108 - a class of places


# Files.


def _look_at_tree(machine: Machine, state: State, call: Call, outer: Parsed, rest: list[Value]) -> None:
    """A working tree that is not the directory git is called in."""
    held = call.environment.get("GIT_WORK_TREE")
    for place in [*outer.values("--work-tree"), *([held] if held is not None else ())]:
        machine.on_path(call, state, Effect.WRITES, place, recursive=True)
    if outer.has("-C") and outer.arguments[0].text in ("apply", "am"):
        machine.on_path(call, state, Effect.WRITES, replace(call.program, text="."), recursive=True)
    sorted_ = parsed(rest, "--directory --exclude --include -p")
    if sorted_.has("--unsafe-paths"):
        for place in sorted_.values("--directory"):
            machine.on_path(call, state, Effect.WRITES, place, recursive=True)


_PATH_VERBS: Final = frozenset("rm mv checkout restore clean stash".split())
"""Verbs that change the files of the working tree which they are given."""
_MOST_PATHS: Final = 16


def _look_at_paths(machine: Machine, state: State, call: Call, verb: str, rest: list[Value]) -> None:
    """Files that git takes away, moves or puts another version of in their place. Git can give back most of what it
    changes; what counts here is whose files they are."""
    sorted_ = parsed(rest, "-s -b -B -m -e --source --pathspec-from-file --conflict --exclude --message")
    if sorted_.has("--cached -n --dry-run"):
        return
    words = sorted_.arguments
    if verb == "mv" and len(words) > 1:
        land(machine, state, call, words[:-1], words[-1], deep=True)
    telling = [word for word in words if is_telling(last_part(_pathspec(word.text)))]
    for word in telling[:_MOST_PATHS]:
        machine.on_path(call, state, Effect.WRITES, replace(word, text=_pathspec(word.text)), recursive=True)
    if len(telling) > _MOST_PATHS:
        machine.give_up("it changes too many files that may be an agent's settings")


def _look_at_entries(machine: Machine, state: State, call: Call, rest: list[Value]) -> None:
    """`update-index --cacheinfo mode,object,path`, `--index-info`: any content under any name, to be checked out."""
    if not any(value.text in ("--cacheinfo", "--index-info") for value in rest):
        return
    read = (call.stdin.text or "").split() if not call.waits else []
    named = [value.text.rpartition(",")[2] for value in rest] + read
    for text in [text for text in named if is_telling(last_part(text))][:_MOST_PATHS]:
        machine.on_path(call, state, Effect.WRITES, replace(call.program, text=text))


def _pathspec(text: str) -> str:
    """The path in `:/path` and `:(top)path`."""
    if text[:1] != ":":
        return text
    return text.partition(")")[2] if text.startswith(":(") else text.lstrip(":/!^")


def _look_at_patches(machine: Machine, state: State, call: Call, rest: list[Value]) -> None:
    from guardhouse.detect.shell.programs.patching import note_patched  # most verbs have none

    held = [state.held(value.text) for value in rest if value.text[:1] != "-" or value.text == "-"]
    for stream in (call.stdin, *held):
        if stream is not None and stream.text:
            note_patched(machine, state, call, stream.text)


_TEXTS: Final = frozenset("-m --message --grep -S -G --author --format --pretty".split())
"""Options whose value is a text and no file."""


def _look_at_reads(machine: Machine, state: State, call: Call, verb: str, rest: list[Value]) -> None:
    """Files outside the project that git is given: it may show, store or commit what is in them."""
    everywhere = any(value.text == "--no-index" for value in rest)
    if verb == "grep":
        pattern = next((value for value in rest if value.text[:1] != "-"), None)
        rest = [value for value in rest if value is not pattern]
    before = ""
    for value in rest:
        text, name = value.text, before
        before = text
        if name in _TEXTS or not text:
            continue
        if text[0] == "-":
            text = text.partition("=")[2] if text[1:2] == "-" else text[2:]
        elif everywhere:
            machine.on_path(call, state, Effect.READS, value, recursive=True)
            continue
        if text.startswith(("/", "~/", "../")):
            path = machine.home + text[1:] if text[0] == "~" else text
            machine.on_path(call, state, Effect.READS, replace(value, text=path))
