"""How each family of databases, with its client, tells strings, names, comments and client commands apart.

A table and nothing else; the cutting itself is in `lexing.py`.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Lexicon(NamedTuple):
    """What the signs mean to one family of databases."""

    names: str
    """What the database and its clients are called, separated by blanks."""
    client: str
    """Whose own commands may stand between the SQL; several are separated by blanks."""
    backslash: bool = False
    """A backslash in a string takes the next character along."""
    double: bool = False
    """Double quotes hold a string, not a name."""
    brackets: bool = False
    """`[…]` is a name."""
    dollar: bool = False
    """`$$…$$` and `$tag$…$tag$` are strings."""
    hashes: bool = False
    """`#` begins a comment."""
    slashes: bool = False
    """`//` begins a comment."""
    blank_after_dashes: bool = False
    """`--` begins a comment only before a blank."""
    nested: bool = False
    """Comments may stand in comments."""
    executable: bool = False
    """`/*! … */` is run."""
    undoes_ddl: bool = False
    """ROLLBACK also brings back what DROP, TRUNCATE and ALTER took."""


GENERIC: Final = Lexicon("generic", "psql mysql sqlite", dollar=True, nested=True)
POSTGRES: Final = Lexicon(
    "postgres psql postgresql pgcli redshift cockroach cockroachdb greenplum",
    "psql",
    dollar=True,
    nested=True,
    undoes_ddl=True,
)
MYSQL: Final = Lexicon(
    "mysql mariadb tidb singlestore mycli mysqlsh",
    "mysql",
    backslash=True,
    double=True,
    hashes=True,
    blank_after_dashes=True,
    executable=True,
)
TSQL: Final = Lexicon("tsql sqlcmd mssql sqlserver osql", "sqlcmd", brackets=True, nested=True, undoes_ddl=True)
LEXICONS: Final = (
    POSTGRES,
    MYSQL,
    TSQL,
    Lexicon("sqlite sqlite3 litecli libsql turso", "sqlite", brackets=True, undoes_ddl=True),
    Lexicon("duckdb", "sqlite", dollar=True, undoes_ddl=True),
    Lexicon("bigquery bq", "", backslash=True, double=True, hashes=True),
    Lexicon("snowflake snowsql", "snowsql", backslash=True, dollar=True, slashes=True),
    Lexicon("clickhouse clickhouse-client clickhouse-local", "", backslash=True, hashes=True, dollar=True, nested=True),
    Lexicon("oracle sqlplus sqlcl", "sqlplus"),
    Lexicon("spark hive databricks spark-sql beeline presto trino", "", backslash=True, double=True),
)
_BY_NAME: Final = {name: lexicon for lexicon in LEXICONS for name in lexicon.names.split()}


def lexicons_for(text: str, dialect: str) -> tuple[Lexicon, ...]:
    """The lexicon of the client of that name; if nobody knows the client, each that would read the text differently."""
    known = _BY_NAME.get(dialect.lower())
    if known is not None:
        return (known,)
    tried = [GENERIC]
    if any(sign in text for sign in ("\\", "#", "/*", "--", '"')):
        tried.append(MYSQL)
    if "[" in text:
        tried.append(TSQL)
    return tuple(tried)
