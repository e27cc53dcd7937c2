"""The environment of a sandboxed command: names that are known to hold no password, and where the door is.

An agent's environment is full of keys. What is not in the list is left out; a policy can name more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DOOR_PORT: Final = 9399
"""Where the proxy is inside. Nobody else is there, so any port would do."""
DOOR: Final = f"http://127.0.0.1:{DOOR_PORT}"

# fmt: off - a list of names
KEPT: Final = frozenset(
    "CARGO_HOME CI CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS CONDA_DEFAULT_ENV CONDA_PREFIX EDITOR FORCE_COLOR GOPATH "
    "GOROOT GRADLE_USER_HOME HOME JAVA_HOME LANG LANGUAGE LINES LOGNAME LS_COLORS NODE_ENV NODE_OPTIONS "
    "NODE_PATH NO_COLOR NVM_BIN NVM_DIR PAGER PATH PYENV_ROOT PYENV_VERSION PYTHONDONTWRITEBYTECODE PYTHONHASHSEED "
    "PYTHONPATH PYTHONUNBUFFERED RUSTFLAGS RUSTUP_HOME RUST_BACKTRACE SDKMAN_DIR SHELL SHLVL TERM TERM_PROGRAM TZ USER "
    "VIRTUAL_ENV VISUAL VOLTA_HOME".split()
)
# fmt: on
_KEPT_BEGINNING: Final = ("LC_",)
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy")
_AT_HOME: Final = "localhost,127.0.0.1,::1"
"""Reached without the proxy: ports inside the sandbox, which nobody outside has."""


def inner_environment(outer: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """What a command inside gets of the environment outside; `more` are names that a policy adds."""
    kept = KEPT | set(more)
    inner = {name: value for name, value in outer.items() if name in kept or name.startswith(_KEPT_BEGINNING)}
    for name in _PROXIES:
        inner[name] = inner[name.upper()] = DOOR
    inner["no_proxy"] = inner["NO_PROXY"] = _AT_HOME
    inner["npm_config_proxy"] = inner["npm_config_https_proxy"] = DOOR
    inner["TMPDIR"] = "/tmp"  # noqa: S108 - an empty one of its own
    inner["GUARDHOUSE_SANDBOX"] = "1"
    inner["GIT_TERMINAL_PROMPT"] = "0"
    return inner
