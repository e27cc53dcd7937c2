"""How programs are described to the reader of commands: rows of data, one thing a row, each with examples.

A program that is in no table is not a risk by that. What is in the tables is what a program does beyond what its
words say: which of its arguments it runs, deletes, writes or sends, and which of its verbs take something away.
"""

from __future__ import annotations

import msgspec

from guardhouse.detect.acts import Scope
from guardhouse.model import Effect


class Tool(msgspec.Struct, frozen=True):
    """A program with verbs, as `git` and `kubectl` have them."""

    names: str
    """The names it goes by, separated by blanks."""
    valued: str = ""
    """Options that take the next word as their value, before the verb or after it, separated by blanks. Options given
    as `--name=value` need not be listed."""
    scope: Scope = Scope.LOCAL
    """Where its verbs act."""


class Verb(msgspec.Struct, frozen=True):
    """Something a tool does that cannot be taken back, or reaches far."""

    tool: str
    verb: str
    """The words after the tool's name, options left out: `push`, `stash drop`. Each may be a glob (`delete-*`) or a
    choice (`rm|remove`); `**` stands for any number of words, also none. More words may follow."""
    when: str = ""
    """Options of which one must be there, separated by blanks: `-f --force`. A short one is also seen in a cluster
    (`-xf`), a long one also abbreviated or with `=value`; `--name=value` asks for that value, which may be a glob.
    `-d&-f` asks for both. Empty: always."""
    unless: str = ""
    """Options that make it harmless: `-n --dry-run`. One with a value only excuses the option that has this value."""
    effect: Effect = Effect.MUTATES
    what: str = ""
    """What would be lost or changed, as a clause for a person."""
    instead: str = ""
    """A safer form."""
    example: str = ""
    """A command it must be seen in."""
    harmless: str = ""
    """A command of the same tool that it must not be seen in."""
    valued: str = ""
    """Options of this verb, besides those of the tool, that take the next word as their value."""
    where: str = ""
    """The name of a further condition, for what options can't say; see `programs/verbs.py`."""


class Launcher(msgspec.Struct, frozen=True):
    """A way in which a program runs something that its arguments name, where nobody would look for it."""

    program: str
    """The names it goes by, separated by blanks; each may be a glob."""
    where: str
    """Where the code stands: an option (`--checkpoint-action`, `-o`), an environment variable (`PAGER=`), `1`, `2`, …
    for that argument that is no option, `*` for each of them, `--` for everything after the options, or `stdin`."""
    code: str = "shell"
    """What it is read as: `shell`, a command line; `argv`, a program with arguments up to the end; `program`, a file
    that is run; or the language of the code: `python`, `perl`, `ruby`, `php`, `lua`, `node`, `awk`, `tcl`, `vim`,
    `sql`, `other` (a language in which a shell can be called, but that nobody reads here)."""
    strip: str = ""
    """What stands before the code in the argument: for `--checkpoint-action=exec=CMD` that is `exec=`. Several are
    separated by blanks; an argument with none of them is not code."""
    valued: str = ""
    """Other options of the program that take the next word as their value."""
    example: str = ""
    harmless: str = ""
