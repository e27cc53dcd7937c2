"""Recognises the home directory, however a language asks for it, so that a path or command below it is known as one.

Only the ways that are written plainly. Inside a value the home directory is one letter, which becomes `~` in a path and
`$HOME` in a command line.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from guardhouse.detect.acts import UNKNOWN
from guardhouse.detect.inline.tokens import NAME, TEXT, Tokens

HOME: Final = "\x01"
"""Stands in a value for the path of the home directory."""

_VALUES: Final = frozenset(
    "$HOME Dir.home Path.home os.homedir homedir homedir.call env.HOME env.USERPROFILE os.UserHomeDir System.user_home "
    "System.user_home! dirs.home_dir env.home_dir home_dir HomeDir.my_home fs.path_home NSHomeDirectory "
    "getHomeDirectory user-homedir-pathname user-emacs-home Etc.getpwuid.dir Deno.env.HOME usr.homedir".split()
)
"""Names that are the home directory, or give it when called."""
_GETTERS: Final = frozenset(
    "$ENV ENV ENV.fetch process.env getenv os.getenv Sys.getenv os.Getenv $_ENV $_SERVER System.getenv env.fetch "
    "System.getProperty System.get_env System.fetch_env! env.var env.get ENVIRON getEnv "
    "Environment.GetEnvironmentVariable os.environ env.var_os posix.getenv $::env env System.getenv.get".split()
)
"""Names that give a variable of the environment."""
_VARIABLES: Final = frozenset("HOME USERPROFILE user.home HOMEPATH".split())
_DRESSING: Final = frozenset(
    ".unwrap .expect .toString .to_s .unwrap_or_default .display .clone .to_string .to_str .as_str .into_string".split()
)
_SPELLED: Final = _VALUES | {getter + variable for getter in _GETTERS for variable in _VARIABLES}
_NO_BRACKETS: Final = str.maketrans(dict.fromkeys("\"'{}[]() "))
_LONGEST: Final = 64


def home_end(tokens: Tokens, i: int) -> int:
    """The token after the one that asks for the home directory at `i`; 0 if none does."""
    name = tokens.texts[i]
    if name == "require" and i + 4 < len(tokens.kinds) and tokens.texts[i + 4] == ".homedir":
        return _undressed(tokens, i + 7)
    short = ".".join(name.split(".")[-2:]) if "." in name else name
    if name in _VALUES or short in _VALUES:
        called = tokens.is_mark(i + 1, "(") and tokens.is_mark(i + 2, ")")
        return _undressed(tokens, i + 1 + 2 * called)
    if name in _GETTERS or short in _GETTERS:
        bracket = i + 1 < len(tokens.kinds) and tokens.texts[i + 1] in ("(", "[", "{")
        at = i + 1 + bracket
        if at < len(tokens.kinds) and tokens.kinds[at] in (NAME, TEXT) and tokens.texts[at] in _VARIABLES:
            return _undressed(tokens, at + 1 + bracket)
    return 0


def _undressed(tokens: Tokens, end: int) -> int:
    """Past `.unwrap()` and its like."""
    while tokens.is_name(end) and tokens.texts[end] in _DRESSING:
        end += 1
        if tokens.is_mark(end, "("):
            end += 2 if tokens.is_mark(end + 1, ")") else 3
    return end


def is_home(code: str) -> bool:
    """Whether a short piece of code, as it is put into a string, is the home directory."""
    if len(code) > _LONGEST:
        return False
    spelled = code.translate(_NO_BRACKETS).removesuffix(".to_s")
    return spelled in _SPELLED or ".".join(spelled.split(".")[-2:]) in _SPELLED


def as_path(text: str) -> str:
    """The path that a value is."""
    if HOME not in text:
        return text
    return text.replace(HOME, "~", 1).replace(HOME, UNKNOWN) if text[0] == HOME else text.replace(HOME, UNKNOWN)


def as_command(text: str) -> str:
    """The command line that a value is; in single quotes the variable has to stand outside of them."""
    if HOME not in text:
        return text
    pieces = text.split(HOME)
    quotes, whole = 0, pieces[0]
    for before, after in pairwise(pieces):
        quotes += before.count("'")
        whole += ("'\"$HOME\"'" if quotes % 2 else "$HOME") + after
    return whole
