"""What an approval of a command depends on: the programs its words would run, and the files they name.

Words only, so it errs towards more. Commands with too many words are not asked about.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from guardhouse.detect.commands.own import CHANGES_DIRECTORY, LONGEST_PATH, resolved, words_of
from guardhouse.detect.commands.reading import PLACE_KEYS, commands_of
from guardhouse.detect.interface import TooMuchToBind
from guardhouse.detect.paths import tidy, working_directory
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS
from guardhouse.model import FileDigestOf, ProgramOf, RealPathOf
from guardhouse.trust import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.interface import Scene
    from guardhouse.model import Need

_MOST_PLACES: Final = 16
_MOST_BOUND: Final = 4000
"""Words of a command that are looked at as files and programs when a person is to approve it. Nobody is asked about a
command with more."""


def binds(scene: Scene) -> Iterator[Need]:
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
            bases[tidy(resolved(scene, leaf.text, working_directory(scene)))] = None
    for leaf in commands_of(scene):
        split = words_of(leaf.text)
        words.update(dict.fromkeys((*split, *_shell_words(leaf.text))))
        here = working_directory(scene)
        for before, word in pairwise(split):
            if before in CHANGES_DIRECTORY:
                here = tidy(resolved(scene, word, here))
                bases |= {here: None, tidy(resolved(scene, word, working_directory(scene))): None}
                if len(bases) > _MOST_PLACES or len(here) > LONGEST_PATH:
                    raise TooMuchToBind
    named = {form: None for word in words for form in _forms(word) if 0 < len(form) <= LONGEST_PATH}
    if len(named) * len(bases) > _MOST_BOUND:
        raise TooMuchToBind
    for base in bases:
        yield RealPathOf(base)
        for word in named:
            path = tidy(resolved(scene, word, base))
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
    return [word for word in words if word and len(word) <= LONGEST_PATH]


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
