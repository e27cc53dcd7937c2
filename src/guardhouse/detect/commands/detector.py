"""Looks at calls that run a command or code.

What a command would do is not analysed here: the mode says whether every command asks a person or none may run, and
only commands on the allowlist pass. Two things are looked for all the same, because no answer may allow them: a
command that drives the guard itself, and one that reaches into the guard's own places or an agent's hook settings.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from guardhouse.detect.commands.codes import ASK_MODE, CODES, DENY_MODE, NOT_LISTED, OWN_COMMAND, SECRET_OUT
from guardhouse.detect.commands.reading import CODE_KEYS, NOT_CODE_KEYS, PLACE_KEYS, SHELLS, read_commands
from guardhouse.detect.interface import Detector, Leaf, Scene, TooMuchToBind
from guardhouse.detect.paths import (
    absolute,
    holds_own_place,
    inside,
    is_hook_file,
    other_readings,
    own_place,
    tidy,
    working_directory,
)
from guardhouse.detect.paths.places import GLOB_CHARACTERS, name_matches
from guardhouse.model import Effect, FileDigestOf, Finding, ProgramOf, RealPathOf, ReasonCode, Span
from guardhouse.net import BadDestination, parse_destination
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.commands.reading import Seen
    from guardhouse.model import Need

_ID: Final = "commands"

_SUBCOMMANDS: Final = frozenset(
    "approvals audit why token allow trust install uninstall policy enforce serve hook".split()
)
"""Subcommands of ours that change what is allowed, or show what the agent must not see; `check`, `url` and `redact` are
harmless."""
_TAMPERING: Final = frozenset("kill pkill killall stop disable mask remove purge uninstall".split())
"""What other programs do to a program, before or after its name."""
_PROGRAM: Final = "guardhouse"
_PROGRAM_NAMES: Final = frozenset({_PROGRAM, "guardhouse.cli", "guardhouse.exe", "guardhouse.__main__"})
_PROGRAM_DIRECTORIES: Final = frozenset({"", ".", "bin", "scripts"})
"""Where a word with a slash in it is still the program and not some checkout of its sources."""
_OWN_MODULES: Final = ("guardhouse.config", "guardhouse.cli.", "guardhouse.__")
_READERS: Final = frozenset("cat cmp diff grep head jq ls md5sum sha256sum stat tail wc".split())
"""Programs that only look, whatever their options; `yq -i`, `tree -o` and `less -o` write."""
_REMOVERS: Final = frozenset("rm rmdir shred unlink mv".split())
_CHANGES_DIRECTORY: Final = frozenset(["cd", "pushd", "-C", "--directory"])
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./~=:@,+%")
_BREAKS: Final = " \t\r\n;|&()<>{}[]`=,:"
_QUOTES_OUT: Final = str.maketrans(dict.fromkeys("'\"\\"))
_MOST_WORDS: Final = 20_000
"""A call with more words than that in its commands is not read to its end, and counts as touching the guard."""
_LONGEST_PATH: Final = 4096
_MOST_LETTERS: Final = 2_000_000
"""The same for a call whose commands are that long."""


def _commands(scene: Scene) -> list[Leaf]:
    """Every string of the call that may be run; a note for the reader is not, nor the place it runs in."""
    return [
        leaf
        for leaf in scene.leaves
        if not leaf.is_key
        and leaf.key not in NOT_CODE_KEYS
        and leaf.key not in PLACE_KEYS
        and not (leaf.key == "shell" and leaf.text in SHELLS)
    ]


def _find(scene: Scene) -> Iterator[Finding]:
    profile = scene.tool
    if profile is None or not profile.may(Capability.EXECUTES):
        return
    runs = Capability.EXECUTES in profile.capabilities
    leaves = [leaf for leaf in _commands(scene) if runs or leaf.key in CODE_KEYS]
    reads = runs and scene.settings.bash in ("effects", "listed")
    if _is_too_long(leaves):
        yield _finding(scene, OWN_COMMAND, leaves[0])
    else:
        yield from _own_by_acts(scene, leaves) if reads else _own_by_words(scene, leaves)
    if not runs:
        return
    for leaf in leaves:
        if not reads and leaf.secrets and _reaches_unlisted(scene, leaf.text):
            yield _finding(scene, SECRET_OUT, leaf)
    if len(leaves) == 1 and _is_allowed(scene, leaves[0]):
        return
    if reads:
        yield from _effects(scene, leaves)
        if scene.settings.bash == "listed" and not _is_listed(scene, leaves):
            yield _finding(scene, NOT_LISTED, leaves[0] if leaves else None)
        return
    code = DENY_MODE if scene.settings.bash == "deny" else ASK_MODE
    yield _finding(scene, code, leaves[0] if len(leaves) == 1 else None)


def _own_by_acts(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """Commands that drive the guard, by what would be run."""
    # A floor must not depend on the reader: if that breaks, words are enough.
    if _breaks(scene, leaves) and any(_speaks_of_guard(leaf.text) for leaf in leaves):
        yield _finding(scene, OWN_COMMAND, leaves[0])
    for seen in _seen(scene, leaves):
        if _touches_guard(seen):
            yield _finding(scene, OWN_COMMAND, seen.leaf)


def _own_by_words(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """The same where commands are not followed."""
    for leaf in leaves:
        if _drives_guard(scene, leaf.text):
            yield _finding(scene, OWN_COMMAND, leaf)
    # A program and its arguments may come as a list, one string each.
    if len(leaves) > 1 and _drives_guard(scene, " ".join(leaf.text for leaf in leaves)):
        yield _finding(scene, OWN_COMMAND, leaves[0])


def _is_listed(scene: Scene, leaves: list[Leaf]) -> bool:
    """Whether the call is one command of listed programs, and nothing else."""
    from guardhouse.detect.commands.listing import only_listed  # only needed in this mode

    return (
        len(leaves) == 1
        and leaves[0].key in CODE_KEYS
        and not leaves[0].secrets
        and only_listed(leaves[0].text, scene.settings.listed_programs)
    )


def _effects(scene: Scene, leaves: list[Leaf]) -> Iterator[Finding]:
    """What the commands of a call would do."""
    from guardhouse.detect.commands.effects import Effects  # the tables are large, and most calls run nothing

    effects = Effects(scene, _ID)
    for seen in _seen(scene, leaves):
        yield from effects.findings(seen)


def _seen(scene: Scene, leaves: list[Leaf]) -> list[Seen]:
    """The acts of each command, read once."""
    found: list[Seen] | None = scene.shared.get(_ID)
    if found is None:
        found = scene.shared[_ID] = read_commands(scene, leaves)
    return found


def _needs(scene: Scene) -> None:
    """Where paths lead, and what names resolve to."""
    profile = scene.tool
    if (
        profile is not None
        and Capability.EXECUTES in profile.capabilities
        and scene.settings.bash in ("effects", "listed")
    ):
        from guardhouse.detect.commands.effects import Effects  # as above

        effects = Effects(scene, _ID)
        for seen in _seen(scene, _commands(scene)):
            effects.ask(seen)


def _breaks(scene: Scene, leaves: list[Leaf]) -> bool:
    """Whether the commands of a call can't even be read; whoever reads them next meets the error itself."""
    try:
        _seen(scene, leaves)
    except Exception:  # noqa: BLE001 - whatever it is, it is raised again where it is recorded as a failure
        return True
    return False


def _touches_guard(seen: Seen) -> bool:
    """Whether one of the commands that would be run drives the guard. Where it can't be told what would be run, the
    words of the whole text count."""
    if any(act.effect is Effect.UNANALYSABLE for act in seen.acts) and _speaks_of_guard(seen.text):
        return True
    whole = " \n".join(seen.lines).lower()
    if _ends_guard(seen.lines) or any(map(_drives, seen.lines)):
        return True
    if "guard" not in whole:
        return False
    words = _words(whole)
    if _PROGRAM in words and not _INSIDE.isdisjoint(words):
        return True
    return (
        _controls(words)
        or _controls(_words(whole, _SPLIT_NOT_AT_BRACKETS))
        or any(name.rpartition("/")[2].startswith(_OWN_MODULES) for name in words)
    )


def _drives(line: str) -> bool:
    """Whether a command is the guard's program with anything but one of its harmless subcommands."""
    words = [word for word in line.split() if not word.startswith("-")]
    at = next((place for place, word in enumerate(words[:4]) if word.rpartition("/")[2] in _PROGRAM_NAMES), None)
    if at is None or (
        at and words[0].rpartition("/")[2] not in _RUNNERS and words[0].rpartition("/")[2][:6] != "python"
    ):
        return False
    return words[at + 1 : at + 2] != [] and words[at + 1] not in _HARMLESS


_RUNNERS: Final = frozenset(["env", "sudo", "uvx", "pipx", "uv", "exec", "command", "nohup", "time", "xargs"])
_HARMLESS: Final = frozenset(["check", "url", "redact", "demo", "explain", "eval"])


def _ends_guard(lines: tuple[str, ...]) -> bool:
    """Whether processes are ended by a pattern that is a part of the guard's name."""
    for line in lines:
        words = line.split()
        ends = bool(words) and words[0].rpartition("/")[2] in _ENDERS
        if ends and any(len(bare := word.strip("^$.*[]()'\"")) > 2 and bare in _PROGRAM for word in words[1:]):
            return True
    return False


_ENDERS: Final = frozenset(["pkill", "killall", "pgrep", "pidof"])
_INSIDE: Final = frozenset("cli runpy run_module __main__ trust_store approver".split())
"""Parts of the guard that code could drive it with."""


def _speaks_of_guard(text: str) -> bool:
    """Whether a text that can't be followed names the guard's program with a word that changes it, or its places."""
    words = _words(text)
    folded = "".join(words).lower()
    if "guard" not in folded and GLOB_CHARACTERS.isdisjoint(text):
        return False
    return (
        any(tail in folded for tail in _OWN_TAILS)
        or any(word.rpartition("/")[2].lower().startswith(_OWN_MODULES) for word in words)
        or _controls(words)
        or _controls(_words(text, _SPLIT_NOT_AT_BRACKETS))
    )


def _is_too_long(leaves: list[Leaf]) -> bool:
    """Whether a call's commands together are more than can be read in the time that a call may take."""
    letters = sum(len(leaf.text) for leaf in leaves)
    # No text has more words than every second letter of it.
    if letters + len(leaves) < _MOST_WORDS:
        return False
    return letters > _MOST_LETTERS or sum(len(_words(leaf.text)) for leaf in leaves) > _MOST_WORDS


def _reaches_unlisted(scene: Scene, command: str) -> bool:
    """Whether a command names a URL whose host is not allowlisted; what can't be read is not."""
    rules = scene.settings.network_for(scene.tool.name if scene.tool else "")
    for word in command.replace("\\\n", "").translate(_QUOTES_OUT).split():
        at = word.find("://")
        if at >= 0:
            begin = max(word.rfind(mark, 0, at) for mark in "=@(<>|;&") + 1
            try:
                if rules.judge(parse_destination(word[begin:]), None) is not None:
                    return True
            except BadDestination:
                return True
    return False


def _is_allowed(scene: Scene, leaf: Leaf) -> bool:
    """Whether the allowlist covers the command, here: the same words do something else in another directory."""
    if leaf.secrets:
        return False
    cwd = working_directory(scene)
    return all(
        inside(tidy(_resolved(scene, leaf.text, cwd)), tidy(cwd)) for leaf in scene.leaves if leaf.key in PLACE_KEYS
    ) and any(matches_allowed(leaf.text, entry) for entry in scene.settings.allowed_commands)


def matches_allowed(command: str, entry: str) -> bool:
    """Whether an allowlist entry covers a command: the same text, or, for an entry that ends in ` *`, the same words
    followed by more plain words. A command with any shell syntax in it, a URL, or a path that leads out of the working
    directory, is covered only by its exact text."""
    command = command.strip()
    if not entry.endswith(" *"):
        return command == entry and bool(command)
    if not _PLAIN.issuperset(command):
        return False
    words, wanted = command.split(), entry[:-2].split()
    more = words[len(wanted) :]
    return (
        bool(wanted)
        and words[: len(wanted)] == wanted
        and not any(":" in word or "@" in word or ".." in word or _leads_out(word) for word in more)
    )


def _leads_out(word: str) -> bool:
    """Whether a word, or the value in `--name=value`, is a path from the root or from a home directory."""
    return any(part.startswith(("/", "~")) for part in word.split("="))


def _drives_guard(scene: Scene, command: str) -> bool:
    """Whether the command names the guard's program with a word that changes it, or a place of the guard's.

    This reads words, not syntax, so it errs towards yes: quotes and backslashes are dropped, every separator splits.
    Only plain commands that begin with a reading program may name the readable places.
    """
    words = _words(command)
    names = [word.rpartition("/")[2].lower() for word in words]
    if any(name.startswith(_OWN_MODULES) for name in names):
        return True
    if _controls(words) or _controls(_words(command, _SPLIT_NOT_AT_BRACKETS)):
        return True
    only_reads = _only_reads(command)
    if any(path is None or _reaches(scene, path, only_reads=only_reads) for path in _named_paths(scene, words)):
        return True
    if not _REMOVERS.isdisjoint(names) and any(_removes_own(scene, part) for part in _parts(command)):
        return True
    folded = "".join(words).lower()
    return not only_reads and any(tail in folded for tail in _OWN_TAILS)


def _controls(words: list[str]) -> bool:
    """Whether the guard's program is named together with a word that changes it."""
    at = next((index for index, word in enumerate(words) if _is_program(word)), None)
    if at is None:
        return False
    # Before its name they are arguments to come (`echo allow | xargs guardhouse`), but for `pip install guardhouse`.
    before, after = {word.lower() for word in words[:at]}, {word.lower() for word in words[at + 1 :]}
    return not _SUBCOMMANDS.isdisjoint(after | before - {"install"}) or not _TAMPERING.isdisjoint(after | before)


def _is_program(word: str) -> bool:
    """Whether a word is the guard's program, by name or by a pattern that matches the name."""
    directory, _, name = word.lower().rpartition("/")
    if name not in _PROGRAM_NAMES:
        is_glob = not GLOB_CHARACTERS.isdisjoint(name) and sum(map(str.isalpha, name)) > 2
        if not (is_glob and name_matches(_PROGRAM, name)):
            return False
    return directory.rpartition("/")[2] in _PROGRAM_DIRECTORIES


def _only_reads(command: str) -> bool:
    """Whether every part of a pipe is a plain command of a program that only looks."""
    return all(
        _PLAIN.issuperset(part) and part.split()[:1] and part.split()[0].rpartition("/")[2] in _READERS
        for part in command.strip().split("|")
    )


def _named_paths(scene: Scene, words: list[str]) -> Iterator[str | None]:
    """The working directory, and every word that can be a path; after a `cd`, also as seen from there, or None if
    that is too far to be a real place."""
    cwd = working_directory(scene)
    yield tidy(cwd)
    for word in dict.fromkeys(words):
        if not _PATH_MARKS.isdisjoint(word):
            path = _resolved(scene, word, cwd)
            yield tidy(path)
            yield from map(tidy, other_readings(path))
    if _CHANGES_DIRECTORY.isdisjoint(words):
        return
    base = ""
    above_own = False
    for before, word in pairwise(words):
        if before in _CHANGES_DIRECTORY:
            base = tidy(_resolved(scene, word, base or cwd))
            if len(base) > _LONGEST_PATH:
                yield None
                return
            above_own = holds_own_place(scene, base)
            yield base
        elif base and (above_own or not _PATH_MARKS.isdisjoint(word)):
            yield tidy(_resolved(scene, word, base))


def _resolved(scene: Scene, word: str, cwd: str) -> str:
    homes = scene.settings.surroundings.homes
    return absolute(word, cwd, homes[0] if homes else "/root")


def _reaches(scene: Scene, path: str, *, only_reads: bool) -> bool:
    own = own_place(scene, path)
    if own is not None:
        return not (only_reads and own.readable)
    return not only_reads and is_hook_file(scene, path)


_MOST_PLACES: Final = 16
_MOST_BOUND: Final = 4000
"""Words of a command that are looked at as files and programs when a person is to approve it. Nobody is asked about a
command with more."""


def _binds(scene: Scene) -> Iterator[Need]:
    """The programs that a command's words would run, and the files they name, there or not: a script that is changed,
    or made, after a person looked at the command would be another command. Words only, so it errs towards more: each is
    taken as a file from every directory the command works in, with and without what glues it to an option, and as a
    program."""
    profile = scene.tool
    if profile is None or Capability.EXECUTES not in profile.capabilities:
        return
    words: dict[str, None] = {}
    bases = {working_directory(scene): None}
    for leaf in scene.leaves:
        if leaf.key in PLACE_KEYS and not leaf.is_key:
            bases[tidy(_resolved(scene, leaf.text, working_directory(scene)))] = None
    for leaf in _commands(scene):
        split = _words(leaf.text)
        words.update(dict.fromkeys((*split, *_shell_words(leaf.text))))
        here = working_directory(scene)
        for before, word in pairwise(split):
            if before in _CHANGES_DIRECTORY:
                here = tidy(_resolved(scene, word, here))
                bases |= {here: None, tidy(_resolved(scene, word, working_directory(scene))): None}
                if len(bases) > _MOST_PLACES or len(here) > _LONGEST_PATH:
                    raise TooMuchToBind
    named = {form: None for word in words for form in _forms(word) if 0 < len(form) <= _LONGEST_PATH}
    if len(named) * len(bases) > _MOST_BOUND:
        raise TooMuchToBind
    for base in bases:
        yield RealPathOf(base)
        for word in named:
            path = tidy(_resolved(scene, word, base))
            yield FileDigestOf(path)
            if "/" in word:
                yield RealPathOf(_above_wildcard(path))
    for word in named:
        if "/" not in word:
            yield ProgramOf(word)


def _shell_words(command: str) -> list[str]:
    """The words that a shell would make of the command, as far as it can be read and they are plain text."""
    from guardhouse.detect.shell import parse, simple_commands  # only needed where a person is to be asked

    simple = simple_commands(parse(command).script)
    words = [word.literal for one in simple for word in (*one.words, *(to.target for to in one.redirects))]
    return [word for word in words if word and len(word) <= _LONGEST_PATH]


def _forms(word: str) -> tuple[str, ...]:
    """A word, and what it says if something is glued to it: `-fx.mk`, `--file=x.mk`, `@x`, `!x`."""
    if not word or "\0" in word:
        return ()
    if word[0] not in "-@!+^:":
        return (word,)
    return word, word[1:], word[2:], word.lstrip("-@!+^:"), word.partition("=")[2]


def _above_wildcard(path: str) -> str:
    """The path, up to the directory in which the first wildcard stands."""
    first = min((at for char in GLOB_CHARACTERS if (at := path.find(char)) >= 0), default=len(path))
    return path if first == len(path) else path[:first].rpartition("/")[0] or "/"


def _parts(command: str) -> list[str]:
    """The commands of a list or a pipe."""
    return command.translate(_PART_BREAKS).split("\n")


def _removes_own(scene: Scene, part: str) -> bool:
    """Whether one command of a list removes or moves a directory that a place of the guard's lies in."""
    words = [word for word in _words(part) if not word.startswith("-")]
    verb = next((index for index, word in enumerate(words) if word.rpartition("/")[2] in _REMOVERS), len(words))
    removed = words[verb + 1 : -1] if words[verb : verb + 1] == ["mv"] else words[verb + 1 :]
    cwd = working_directory(scene)
    return any(holds_own_place(scene, tidy(_resolved(scene, word, cwd))) for word in removed)


_PART_BREAKS: Final = str.maketrans(";&|", "\n\n\n")
_PATH_MARKS: Final = frozenset("/.~$")
_OWN_TAILS: Final = (
    ".config/guardhouse",
    ".local/state/guardhouse",
    ".local/share/guardhouse",
    ".guardhouse.",
    "/etc/guardhouse",
)
"""Places of ours that a command may name after a `cd` or by a variable, where the words alone do not resolve."""


_QUOTES: Final = dict.fromkeys("'\"\\")
_SPLIT: Final = str.maketrans({**_QUOTES, **dict.fromkeys(_BREAKS, " ")})
_SPLIT_NOT_AT_BRACKETS: Final = str.maketrans({**_QUOTES, **dict.fromkeys(set(_BREAKS) - set("[]"), " ")})


def _words(command: str, split: dict[int, str | None] = _SPLIT) -> list[str]:
    bare = command.replace("\\\n", "").replace("$'", "").replace('$"', "")
    return bare.translate(split).split()


def _finding(scene: Scene, code: ReasonCode, leaf: Leaf | None) -> Finding:
    return Finding(
        code=code.id,
        detector=_ID,
        severity=code.severity,
        span=Span(leaf.field) if leaf else None,
        excerpt=leaf.masked if leaf else "",
        origin=scene.origin,
        effect=Effect.EXECUTES,
    )


DETECTOR: Final = Detector(id=_ID, codes=CODES, find=_find, needs=_needs, binds=_binds)
