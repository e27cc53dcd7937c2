"""Commands as somebody would type them: a tool, and behind it words that only a shell would take.

`uses npm and pip` names tools; `npm install x` is a command wherever it stands. Tools and their words are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guardhouse.guru.contract import Violation
from guardhouse.guru.reading import Page, linear
from guardhouse.guru.rules import COMMAND
from guardhouse.guru.tools import NOT_ARGUMENTS, ROOT, TAKERS, TAKES_NAME, TOOLS

_NAMES: Final = frozenset((("pull", "requests"), ("pull", "request"), ("merge", "requests"), ("run", "loop")))
"""Words that are a name together."""
_ALONE: Final = frozenset(
    "npm pnpm yarn git kubectl docker podman pip cargo aws gcloud dotnet php mvn gradle terraform brew apt".split()
)
"""Tools whose name is no word of English, so that one word behind them is enough."""
_COMPOSED: Final = frozenset("up down run build exec pull push start stop restart logs ps create rm".split())
_PACKERS: Final = frozenset(("tar", "dd", "zip", "unzip", "7z"))
_DETERMINERS: Final = frozenset("the a an this that these your all every any".split())
_BEFORE: Final = frozenset("with via using run by through execute type enter called invoke running try".split())
_WORD: Final = re.compile(rb"[^\x00-\x20]++")
_ARGUMENT: Final = re.compile(r"-{1,2}[a-z0-9][\w=./:-]*|[+][rwx]+|[0-7]{3,4}|.*[/=@~$*<>|].*|.*\w\.\w.*|.*:\w.*")
_SCRIPT: Final = re.compile(r"[\w./-]*\w\.(?:py|js|mjs|ts|sh|bash|rb|pl|php|ps1|bat|jar|go|java)")
_ENDING: Final = ".,;:!?)\"'"
_SHELL: Final = (
    rb"&&|\|\||\$\(|\$\{|\$[a-z_]{2,40}\b|2>&1|>>\s?[\w./~]|\|\s?(?:sh|bash|zsh|sudo|xargs|nc|tee|python3?|grep|base64)\b"
    rb"|\s>\s?[\w~/-]{1,60}[./][\w./-]|<<\s?['\"]?eof|(?m:^)[\x20\t]*[$%]\x20+[a-z./~]|[:(]\x20*\$\x20+[a-z./~]"
    rb"|(?m:^)[\x20\t]*[a-z]:\\>|[a-z]:\\>\x20?\w|(?m:^)[\x20\t]*#\x20+(?:apt|yum|dnf|apk|pip|npm|systemctl|service)\b"
    rb"|(?m:^)[\x20\t]*ps\x20?[a-z]:\\|(?m:^|[:;]\x20)[\x20\t]*\.{1,2}/[\w./-]+(?:\x20|$)|:\(\)\{"
    rb"|\bpiped?\s(?:it\s)?(?:in)?to\s(?:a\s)?(?:sh|bash|zsh|shell|sudo|python)\b|(?m:^)[\x20\t]*source\x20[\w./-]+/[\w./-]+|\bexport\x20[a-z_]{1,40}="
)
"""Signs of a shell, and of its prompts."""


def commands(page: Page) -> Iterator[Violation]:
    """Where something could be typed as it stands."""
    data = page.data
    for match in linear(_SHELL).finditer(data):
        yield page.wrong(COMMAND, match.start(), match.end())
    before = ""
    pending: list[tuple[str, int, int]] = [
        (match[0].decode("latin-1"), match.start(), match.end()) for match in _WORD.finditer(data)
    ]
    for at, (raw, start, _end) in enumerate(pending):
        word = raw.strip("\"'`([{<>$#")
        if at + 1 < len(pending) and _is_option(pending[at + 1][0].rstrip(_ENDING)) and _is_program(word):
            yield page.wrong(COMMAND, start, pending[at + 1][2])
        elif word in _KNOWN:
            gap = data[pending[at - 1][2] : start] if at else b"\n"
            begins = not before or before[-1] in ".;:!?$#>(\x01`|&" or b"\n" in gap or before in _BEFORE
            nexts = [pending[at + n] if at + n < len(pending) else ("", 0, 0) for n in (1, 2, 3)]
            nexts = [one if _same_line(data, start, one) else ("", 0, 0) for one in nexts]
            if not raw.endswith((",", ";")) and _is_command(word, [one[0] for one in nexts], begins=begins):
                yield page.wrong(COMMAND, start, max(_end, nexts[0][2]))
        before = raw


def _is_program(word: str) -> bool:
    return word.startswith(("./", "../", "~/", "/usr/", "/bin/", "/opt/")) or bool(_SCRIPT.fullmatch(word))


def _same_line(data: bytes, start: int, word: tuple[str, int, int]) -> bool:
    return bool(word[0]) and data.find(b"\n", start, word[1]) < 0


def _is_command(tool: str, nexts: list[str], *, begins: bool) -> bool:
    first = nexts[0].rstrip(_ENDING)
    if not first or first[0] in "([":
        return False
    if tool in ROOT:
        return (first not in NOT_ARGUMENTS and first.isascii() and first[0].isalpha()) or first.startswith(
            ("-", "/", ".")
        )
    words = TOOLS.get(tool, frozenset())
    if first in words:
        return _behind_word(tool, first, nexts, begins=begins)
    if _is_option(first):
        return True
    if tool not in TAKERS and tool not in {"npx", "uvx", "bunx", "make"}:
        return False
    if tool in _PACKERS and begins and first.isalnum() and len(first) <= 5:
        return bool(_ARGUMENT.fullmatch(nexts[1].rstrip(_ENDING)))
    if tool in {"npx", "uvx", "bunx"}:
        return first not in NOT_ARGUMENTS and begins
    if _SCRIPT.fullmatch(first) and (begins or tool != "make"):
        return True
    if (
        tool in {"kill", "find", "touch", "mount", "java", "node", "make", "cat", "black", "invoke", "hatch", "flask"}
        and not begins
    ):
        return False
    return bool(_ARGUMENT.fullmatch(first)) and not _is_version(first)


def _behind_word(tool: str, first: str, nexts: list[str], *, begins: bool) -> bool:
    second = nexts[1].rstrip(_ENDING)
    if first == "compose":
        return second in _COMPOSED
    if nexts[0] != first or not second:  # nothing more of it
        return begins or (tool in _ALONE and first != "pip")
    if tool in {"http", "https", "httpie"}:
        return bool(_ARGUMENT.fullmatch(second)) and second[0] != "/"
    if _is_option(second) or (_ARGUMENT.fullmatch(second) and not second.endswith("'s")):
        return True
    if second in _DETERMINERS:
        return begins and tool not in {"make", "just", "go", "service", "port", "snap"}
    if tool in {"just", "go", "make", "service", "port"} and not begins:
        return False
    if begins and tool in _ALONE and second not in NOT_ARGUMENTS:
        return True
    if begins and second not in NOT_ARGUMENTS and first in TAKES_NAME and tool in {"make", "go", "just"}:
        return nexts[1] != second or not nexts[2]
    return first in TAKES_NAME and second not in NOT_ARGUMENTS and (first, second) not in _NAMES


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and (word[1].isalnum() or (word[1] == "-" and word[2:3].isalnum()))


def _is_version(word: str) -> bool:
    return word.removesuffix("'s").strip("+<>=~^v").translate(_IN_VERSIONS).isdigit()


_IN_VERSIONS: Final = str.maketrans("", "", ".x-,/+")


_KNOWN: Final = frozenset(TOOLS) | TAKERS | ROOT
