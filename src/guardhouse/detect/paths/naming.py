"""Finds the strings of a call that name files: by their keys, by their looks, and by what the tool is for.

What the strings come to, and where they lead, is for the detector.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from guardhouse.detect.paths.readings import plain_address
from guardhouse.trust import Capability, ToolProfile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.interface import Leaf, Scene

_PATH_KEYS: Final = frozenset(
    "path paths file files file_path filepath file_paths filename file_name dir directory folder cwd "
    "workdir working_directory target target_file source src dst dest destination old_path new_path "
    "from_path to_path notebook_path absolute_path relative_path relative_workspace_path output "
    "output_path output_file save_path attachment attachments include dir_path directory_path "
    "target_directory root out save_as save_to".split()
)
_PATH_ENDINGS: Final = ("path", "paths", "file", "files", "filename", "dir", "directory", "folder")
"""Of keys in every other spelling: `sourcePath`, `new_file`."""
_NOT_PATH_KEYS: Final = frozenset(["xpath", "jsonpath", "json_path", "profile"])
_TEXT_KEYS: Final = frozenset(
    "content text body data message prompt description comment new_string old_string new_str old_str "
    "file_text insert_text code script sql html markdown subject title note notes command cmd query q".split()
)
_PATTERN_KEYS: Final = frozenset(["pattern", "regex"])
"""What is searched for is data, unless the tool searches for files."""
_PATCH_KEYS: Final = frozenset(["patch", "diff"])
_PROSE_KEYS: Final = frozenset("comment description explanation message note notes prompt subject title".split())
"""Text for a person; but a tool for files has little to tell, and a lone path there is a path."""
_FILE_TOOL_KEYS: Final = frozenset("to from into name new_name old_name location".split())
"""Keys that name files where a tool is for files, and anything at all elsewhere."""
_DIRECTORY_KEYS: Final = frozenset(
    "base base_dir base_path cwd dir dir_path directory directory_path folder root target_directory workdir "
    "working_directory workspace".split()
)
_NAME_KEYS: Final = frozenset(
    "file file_name file_path filename filepath files glob include name new_name path paths relative_path "
    "relative_workspace_path target target_file".split()
)
"""What may stand below a directory that the same call names."""
LONGEST: Final = 4096
"""No longer text is a path that can be followed."""
_ADDRESS_KEYS: Final = frozenset("uri uris url urls href resource resources".split())
_ADDRESS_ENDINGS: Final = ("uri", "uris", "url", "urls", "href")
"""Of keys under which a tool is given an address: not prose, so blanks and line breaks in it hide something."""
_ELSEWHERE: Final = frozenset("http https ws wss ftp ftps data blob mailto".split())
"""Schemes of addresses that are no file, however long."""

_FOR_FILES: Final = frozenset([Capability.READS, Capability.WRITES, Capability.DESTRUCTIVE])


@lru_cache(maxsize=512)
def is_for_files(profile: ToolProfile) -> bool:
    """Whether a tool is known to work on files and nothing else."""
    return profile.classified and bool(profile.capabilities) and profile.capabilities <= _FOR_FILES


def read_paths(scene: Scene) -> Iterator[tuple[Leaf, str | None]]:
    """Every path of the call with the string it is in; None where a patch can't be read."""
    profile = scene.tool
    if profile is None:
        return
    patches = "patch" in profile.name
    # A network or shell tool has many strings with a slash in them; a file tool, under whatever key, has paths.
    loosely = not (profile.classified and {Capability.EGRESS, Capability.EXECUTES} & profile.capabilities)
    globs = profile.name.startswith("glob")
    text_keys = _TEXT_KEYS if globs else _TEXT_KEYS | _PATTERN_KEYS
    for_files = is_for_files(profile)
    for leaf in scene.leaves:
        key, text = leaf.key, leaf.text
        if leaf.is_key:
            if _is_path_as_key(leaf):
                yield leaf, text
            continue
        if is_path_key(key) or (for_files and key in _FILE_TOOL_KEYS):
            yield leaf, text or "."
        elif key in text_keys:
            if for_files and key in _PROSE_KEYS and " " not in text and _looks_like_path(text, loosely=False):
                yield leaf, text
        elif _looks_like_path(text, loosely=loosely, address=loosely and _is_address_key(key)):
            yield leaf, text
        if patches or key in _PATCH_KEYS:
            from guardhouse.detect.paths.patches import patched  # few calls have any

            for name in patched(text):
                yield leaf, name
    if len(scene.leaves) > 2:
        yield from _joined_paths(scene.leaves, profile.name)


def _joined_paths(leaves: tuple[Leaf, ...], tool: str) -> Iterator[tuple[Leaf, str]]:
    """Names below the directories that the same call gives apart from them."""
    above = _DIRECTORY_KEYS | {"path"} if tool in _LOOKING else _DIRECTORY_KEYS
    directories = dict.fromkeys(leaf.text for leaf in leaves if leaf.key in above and not leaf.is_key)
    if not directories:
        return
    below = _NAME_KEYS | _PATTERN_KEYS if tool.startswith("glob") else _NAME_KEYS
    names = [leaf for leaf in leaves if leaf.key in below and not leaf.is_key and leaf.text[:1] not in _ABSOLUTE]
    for directory in directories:
        for leaf in names:
            if leaf.text != directory:
                yield leaf, f"{directory.rstrip('/')}/{leaf.text}"


_ABSOLUTE: Final = frozenset("/~")
_LOOKING: Final = frozenset(
    "find_files glob glob_file_search grep list_dir list_directory list_files ls read_many_files search_file_content "
    "search_files".split()
)
"""Tools that are given a directory as `path`, and a glob for what lies below it."""


def is_path_key(key: str) -> bool:
    """Whether what stands under `key` is a path, by the name of the key."""
    return key in _PATH_KEYS or (key.endswith(_PATH_ENDINGS) and key not in _NOT_PATH_KEYS)


def _is_path_as_key(leaf: Leaf) -> bool:
    """Whether an object's key is itself a path, as in `{"files": {"notes.txt": "…"}}`."""
    if is_path_key(leaf.key):
        return leaf.text.lower() not in _TEXT_KEYS and not is_path_key(leaf.text.lower())
    return _looks_like_path(leaf.text, loosely=False)


def _is_address_key(key: str) -> bool:
    return key in _ADDRESS_KEYS or key.endswith(_ADDRESS_ENDINGS)


def _looks_like_path(text: str, *, loosely: bool, address: bool = False) -> bool:
    if not loosely and text[:1] not in _STARTS:
        return False
    if len(text) > LONGEST or "\n" in text:
        return _hides_path(text, address=address)
    head = plain_address(text)
    if head.startswith(_PATH_STARTS) or head[:5].lower() == "file:":
        return True
    if not loosely:
        return head[:1] == "." and "/" in text and " " not in text
    return ("/" in head or head.startswith(".")) and (address or " " not in head)


def _hides_path(text: str, *, address: bool) -> bool:
    """Whether a text that is too long for a path, or has a line break in it, may still be read as one: programs that
    read addresses take line breaks out, and cut off what follows the path. Nobody can follow it, so it is asked about.
    Texts of several lines that only begin like a path are left alone, unless they stand where an address should."""
    head = plain_address(text)
    if head[:5].lower() == "file:":
        return head[5:6] not in {"", " "}
    if not address:
        return False
    scheme = head[:16].partition(":")[0].lower()
    return head.startswith(_PATH_STARTS) or ("/" in head and scheme not in _ELSEWHERE)


_PATH_STARTS: Final = ("/", "~", "./", "../", "$HOME", "${HOME}", "$XDG", "${XDG", "$PWD", "${PWD}")
_STARTS: Final = frozenset("/~.$fF\x85\xa0") | frozenset(map(chr, range(33)))
"""What such a string can begin with: a quick look that most strings need no second one after."""
