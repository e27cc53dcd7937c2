"""Where the output of commands comes from: this machine, the project's files, or somewhere else.

Commands are read as before they run. What can't be read, or reaches out, or looks at files outside the project, brings
in what anybody may have written.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Act, Scope, Source
from guardhouse.detect.commands.reading import commands_of, read_commands
from guardhouse.detect.paths import in_work
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS
from guardhouse.model import Effect
from guardhouse.trust import EvidenceSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.commands.reading import Seen
    from guardhouse.detect.interface import Scene

REMOTE_PROGRAMS: Final = (
    # programs, the first words after them that bring in other people's text (none: all), an example, and none
    ("gh glab hub tea jira acli linear", "", "gh issue view 3", "echo gh issue view 3"),
    ("curl wget http https xh aria2c lynx w3m elinks ftp lftp", "", "wget -qO- \"$URL\"", "grep -rn curl docs"),
    ("ssh scp sftp rsync telnet nc ncat netcat", "", "ssh build tail log", "ls .ssh-notes"),
    ("aws az gcloud gsutil kubectl oc heroku flyctl vercel", "", "kubectl logs web-1", "cat kubectl.txt"),
    ("psql mysql mariadb mongosh redis-cli clickhouse-client bq snowsql", "", "psql -c 'select 1'", "which psql"),
    ("mail mutt neomutt himalaya notmuch offlineimap fetchmail mbsync", "", "himalaya message read 1", "ls mail"),
    ("whois dig nslookup yt-dlp youtube-dl", "", "whois x.example", "echo whois"),
    ("git", "pull fetch clone ls-remote", "git -C lib pull", "git commit -m 'pull the data, then fetch it'"),
    ("npm pnpm yarn", "view info show search", "npm view left-pad readme", "npm test"),
    ("pip uv cargo brew gem", "search info", "cargo search serde", "cargo test search"),
)  # fmt: skip
"""Programs whose output is what somebody else wrote, though no address need be named."""

_TELLS_OF_MACHINE: Final = frozenset("cd date whoami hostname pwd uname id uptime nproc true which type".split())
"""Programs whose output has nothing from any file."""
_TELLS_NAMES: Final = _TELLS_OF_MACHINE | frozenset("ls tree find stat wc du df file basename dirname realpath".split())
"""Programs that tell of files, and not what stands in them."""
_ALWAYS: Final = frozenset(name for names, verbs, *_ in REMOTE_PROGRAMS if not verbs for name in names.split())
_SOMETIMES: Final = {
    name: frozenset(verbs.split()) for names, verbs, *_ in REMOTE_PROGRAMS if verbs for name in names.split()
}
_TAKES_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--prefix", "--namespace"})
_REACHES: Final = frozenset({Effect.CONNECTS, Effect.SENDS, Effect.LISTENS, Effect.SCANS, Effect.UNANALYSABLE})
_OPAQUE: Final = frozenset({Source.NETWORK, Source.DYNAMIC, Source.DECODED, Source.WRITTEN})
_MOST_PATHS: Final = 64
_DEEPEST: Final = 4


def output_source(call: Scene) -> EvidenceSource:
    """Where the output of a call's commands comes from, at its worst."""
    seen = read_commands(call, commands_of(call))
    acts = [act for one in seen for act in one.acts]
    read = [act for act in acts if act.effect is Effect.READS]
    if not seen or any(map(_is_remote, seen)) or any(map(_is_from_outside, acts)) or len(read) > _MOST_PATHS:
        return EvidenceSource.EXTERNAL_SYSTEM
    # Every one of them is looked at: whether it lies inside may have to be found out, all at once.
    inner = [_lies_inside(call, act) for act in read]
    if not all(inner):
        return EvidenceSource.EXTERNAL_SYSTEM
    programs = frozenset(program for one in seen for program in _programs(one))
    if programs and programs <= _TELLS_OF_MACHINE and not read:
        return EvidenceSource.LOCAL_COMMAND
    # Whatever else runs in a project prints what stands in its files, or is made from them.
    return EvidenceSource.PROJECT_METADATA if programs and programs <= _TELLS_NAMES else EvidenceSource.PROJECT_SOURCE


def _is_from_outside(act: Act) -> bool:
    if act.effect in _REACHES or act.scope in {Scope.REMOTE, Scope.CLOUD}:
        return True
    return act.effect is Effect.EXECUTES and not act.sources.isdisjoint(_OPAQUE)


def _lies_inside(call: Scene, act: Act) -> bool:
    path = act.target.replace(UNKNOWN, "*")
    if path.startswith("/dev/") or act.scope is Scope.CONTAINER:
        return act.scope is Scope.LOCAL
    if not path.startswith("/") or act.unplaced:
        return False
    if not GLOB_CHARACTERS.isdisjoint(path):
        return in_work(call, path)
    real = call.real_path(path)
    return in_work(call, path) and real is not None and not real.error and in_work(call, real.path)


def _is_remote(seen: Seen) -> bool:
    programs = _programs(seen)
    if not programs.isdisjoint(_ALWAYS):
        return True
    if programs.isdisjoint(_SOMETIMES):
        return False
    return any(verb in _SOMETIMES[name] for name, verb in _verbs(seen.text))


def _programs(seen: Seen) -> frozenset[str]:
    """Every program that a command runs, by name."""
    return frozenset(_program(line.split(maxsplit=1)[0]) for line in seen.lines if line.strip())


def _verbs(text: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The programs in a text that do this or that, each with its first word that is no option. What is quoted is data,
    unless a shell is told to run it."""
    try:
        said = shlex.split(text)
    except ValueError:
        said = text.split()
    for place, word in enumerate(said):
        if place and said[place - 1] == "-c" and " " in word and depth < _DEEPEST:
            yield from _verbs(word, depth + 1)
        name = _program(word)
        if name not in _SOMETIMES:
            continue
        skips = False
        for after in said[place + 1 :]:
            if skips or after.startswith("-"):
                skips = not skips and after in _TAKES_VALUE
                continue
            yield name, after.strip("'\"`;|&()")
            break


def _program(word: str) -> str:
    return word.strip("'\"`;|&()$").rpartition("/")[2]
