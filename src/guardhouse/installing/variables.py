"""Variables of the environment that decide over the gate: data, and the questions asked of it.

An agent hands the variables that its settings name to the hooks it starts, and a repository can bring settings.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACES: Final = ("HOME", "XDG_*", "GUARDHOUSE_*")
_LOADING: Final = ("LD_*", "DYLD_*")
_PYTHON: Final = ("PYTHON*",)
SWITCHES: Final = ("CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE")
"""With one of these Claude Code runs no hooks of settings at all."""
_CLAUDE: Final = ("CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", *SWITCHES)
"""The third says which directory is the project: what lies in it may be changed."""


def meddling_with_hooks(environment: Any) -> list[str]:
    """The names in an `env` of Claude Code's settings that move the gate, change what it runs, or switch it off."""
    return _matching(environment, (*_PLACES, *_LOADING, *_PYTHON, *_CLAUDE))


def meddling_with_gateway(environment: Any, *, is_told_its_places: bool) -> list[str]:
    """The names in an `env` of an MCP server that decide what the gateway before it loads, or, unless it is told that,
    where it finds its policy. It ignores Python's own."""
    return _matching(environment, _LOADING if is_told_its_places else (*_PLACES, *_LOADING))


def switched_off(variables: Mapping[str, str]) -> list[str]:
    """The switches that are set in an environment."""
    return [name for name in SWITCHES if variables.get(name)]


def _matching(environment: Any, patterns: tuple[str, ...]) -> list[str]:
    names = [str(name) for name in environment] if isinstance(environment, dict) else []
    # Any case: whoever writes it in another may know a system on which that does not matter.
    return [name for name in names if any(fnmatchcase(name.upper(), pattern) for pattern in patterns)]
