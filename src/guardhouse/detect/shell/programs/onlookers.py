"""Programs that are known only to look at the files they are given, so that any other may change them.

For most files that makes no difference. It does for the few that decide whether an agent calls the guard: these may be
looked at, and are given to nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.paths.hooks import is_telling
from guardhouse.detect.shell.programs.interpreters import SHELLS, interpreter
from guardhouse.model import Effect

if TYPE_CHECKING:
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call
    from guardhouse.detect.shell.values import Value

_LOOKERS: Final = frozenset(
    "bat batcat less more most view nl tac rev od xxd hexdump hd strings du tree eza exa lsd lsattr getfacl md5 md5sum"
    " sha1sum sha224sum sha256sum sha384sum sha512sum shasum cksum b2sum sum base64 base32 fd fdfind locate colordiff"
    " delta difft icdiff sdiff gron jless fx jid glow mdcat pygmentize highlight source . gitleaks trufflehog"
    " detect-secrets semgrep bandit ajv check-jsonschema yamllint shellcheck mypy pyright pylint flake8 pytest py.test"
    " tsc actionlint zizmor hadolint markdownlint vale codespell cloc tokei scc lsof fuser namei pathchk".split()
)
_FIXERS: Final = frozenset(
    "eslint prettier ruff black biome shfmt gofmt goimports rustfmt dprint stylelint taplo jsonlint yamlfmt oxlint"
    " autopep8 isort xmllint".split()
)
"""Programs that look, or change what they look at, as they are told."""
_CHANGING: Final = ("--fix", "--write", "-w", "-i", "--in-place", "--inplace", "--unsafe-fixes", "--output")
_CHECKING: Final = frozenset("--check --diff -c --check-only -l --list-different".split())
_CHANGE_UNASKED: Final = frozenset("black isort rustfmt dprint".split())
_EDITORS: Final = frozenset(
    "vim vi nvim ex ed red nano pico emacs emacsclient micro hx helix kak joe code subl".split()
)
_CODE_OPTIONS: Final = frozenset("-c -e -r -E --eval -p --print -".split())
"""What code stands after, or that it comes in (`-`)."""
_READING_MODULES: Final = frozenset(["json.tool", "pytest", "mypy", "tokenize", "ast"])
_WRITES: Final = frozenset({Effect.WRITES, Effect.OVERWRITES, Effect.DELETES})


def may_change(machine: Machine, call: Call, value: Value, *, explained: bool) -> bool:
    """Whether a program that is given a file may do more than look at it. `explained` says that what it does with its
    words is followed elsewhere."""
    name = call.name
    if name in _EDITORS:
        return "-R" not in call.texts
    if name in SHELLS or interpreter(name) is not None:
        return _is_given_to_code(machine, call, value)
    if explained or name in _LOOKERS:
        return False
    if name in _FIXERS:
        texts = call.texts
        if any(text.partition("=")[0] in _CHANGING for text in texts):
            return True
        unasked = name in _CHANGE_UNASKED or (name in ("ruff", "biome") and "format" in texts[:1])
        return unasked and _CHECKING.isdisjoint(texts)
    return True


def _is_given_to_code(machine: Machine, call: Call, value: Value) -> bool:
    """Whether a file is an argument of a script or of code, and not the script itself. Code that was read changes it
    only if it changes something whose name is not known."""
    if not is_telling(value.text.rstrip("/").rpartition("/")[2]):
        return False
    words = [one for one in call.args if one.text[:1] != "-"]
    if "-m" in call.texts:
        return _READING_MODULES.isdisjoint(call.texts)
    if any(text in _CODE_OPTIONS for text in call.texts):
        return any(act.effect in _WRITES and UNKNOWN in act.target for act in machine.acts)
    return bool(words) and value is not words[0]
