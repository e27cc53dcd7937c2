"""The commands that a database's client takes for itself and never sends: a table.

What they do with their arguments is in `reaching.py`; where they may stand is in `lexing.py`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from guardhouse.detect.sql.lexicons import GENERIC, LEXICONS


class ClientCommand(NamedTuple):
    """A command, and the short and long names it has."""

    client: str
    names: str
    does: str
    """What its argument is: `shell`, a command line; `out`, a file it writes or `|command`; `in`, a file it reads or
    `|command`; `last`: the file is the last argument; `library`, code that is loaded; `copy`, psql's own COPY;
    `password`; `set`, a variable; `runs`, what the statement before it yields is run; `delimiter`."""
    example: str
    harmless: str


CLIENT_COMMANDS: Final = (
    ClientCommand("psql", "\\!", "shell", "\\! touch x", "select '\\! touch x'"),
    ClientCommand("psql", "\\copy", "copy", "\\copy t to program 'cat > x'", "\\copy t from stdin"),
    ClientCommand("psql", "\\o \\out", "out", "\\o |sh", "\\o"),
    ClientCommand("psql", "\\g \\gx", "out", "select 1 \\g |sh", "select 1 \\g"),
    ClientCommand("psql", "\\w \\write", "out", "\\w |sh", "\\warn x"),
    ClientCommand("psql", "\\s", "out", "\\s x.txt", "\\s"),
    ClientCommand("psql", "\\i \\ir \\include \\include_relative", "in", "\\i x.sql", "\\i"),
    ClientCommand("psql", "\\lo_import", "in", "\\lo_import x", "\\lo_list"),
    ClientCommand("psql", "\\lo_export", "out last", "\\lo_export 1 x", "\\lo_list"),
    ClientCommand("psql", "\\password", "password", "\\password bob", "\\du bob"),
    ClientCommand("psql", "\\set", "set", "\\set q 'drop table t'\n:q;", "\\set q 'drop table t'"),
    ClientCommand("psql", "\\gexec", "runs", "select 'drop table t' \\gexec", "select 'drop table t' \\gdesc"),
    ClientCommand("mysql", "\\! system", "shell", "system touch x", "select system"),
    ClientCommand("mysql", "\\. source", "in", "source x.sql", "select source"),
    ClientCommand("mysql", "\\T tee", "out", "\\T x.txt", "\\t"),
    ClientCommand("mysql", "\\P pager", "shell", "pager less -S", "nopager"),
    ClientCommand("mysql", "\\d delimiter", "delimiter", "delimiter //\ndrop table t//", "delimiter //"),
    ClientCommand("sqlite", ".shell .system", "shell", ".sh touch x", "select '.shell touch x'"),
    ClientCommand("sqlite", ".load", "library", ".load ./x.so", ".tables"),
    ClientCommand("sqlite", ".output .once", "out", ".once |sh", ".output stdout"),
    ClientCommand("sqlite", ".log .trace", "out", ".log x.txt", ".trace off"),
    ClientCommand("sqlite", ".backup .save", "out last", ".backup main x.db", ".databases"),
    ClientCommand("sqlite", ".clone .open", "out", ".open x.db", ".open"),
    ClientCommand("sqlite", ".read .import", "in", ".import x.csv t", ".indexes"),
    ClientCommand("sqlite", ".restore", "in last", ".restore x.db", ".schema t"),
    ClientCommand("sqlcmd", "!! :!!", "shell", ":!! dir", ":list"),
    ClientCommand("sqlcmd", ":r", "in", ":r x.sql", ":reset"),
    ClientCommand("sqlcmd", ":out :error", "out", ":out x.txt", ":out stdout"),
    ClientCommand("sqlplus", "! host", "shell", "!touch x", "select host from t"),
    ClientCommand("sqlplus", "@ @@ start", "in", "@x.sql", "select 1 from dual"),
    ClientCommand("sqlplus", "spool", "out", "spool x.txt", "spool off"),
    ClientCommand("snowsql", "!system", "shell", "!system touch x", "!help"),
    ClientCommand("snowsql", "!source !load", "in", "!source x.sql", "!options"),
    ClientCommand("snowsql", "!spool", "out", "!spool x.txt", "!spool off"),
)


def _by_name(clients: str) -> dict[str, ClientCommand]:
    """The commands by their names; where two clients have one of the same name, the client named first is right."""
    rows: dict[str, ClientCommand] = {}
    for client in clients.split():
        for row in CLIENT_COMMANDS:
            for name in row.names.split() if row.client == client else ():
                rows.setdefault(name, row)
                # sqlite takes any beginning of a name.
                for size in range(3, len(name)) if client == "sqlite" else ():
                    rows.setdefault(name[:size], row)
    return rows


COMMANDS_OF: Final = {clients: _by_name(clients) for clients in {one.client for one in (GENERIC, *LEXICONS)}}
SENDING: Final = frozenset("\\g \\gx \\gexec \\gset \\gdesc \\watch \\crosstabview \\G \\go".split())
"""Commands that also send the statement before them."""
