"""Which things, functions and statements of databases lose data, give rights or reach the machine: tables.

An entry has an example that the tests walk through. How statements are taken apart is told elsewhere.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from guardhouse.detect.acts import Target
from guardhouse.model import Effect

_DROPPED_KINDS: Final = (
    ("TABLE", "the table and every row in it would be gone"),
    ("DATABASE SCHEMA KEYSPACE DATASET CATALOG STAGE", "it and everything in it would be gone"),
    ("OWNED", "everything that the role owns would be gone"),
    ("VIEW INDEX SEQUENCE TYPE DOMAIN DICTIONARY TABLESPACE", "it would be gone for everybody who uses it"),
    ("FUNCTION PROCEDURE PROC PACKAGE AGGREGATE TRIGGER EVENT RULE TASK STREAM PIPE", "that code would be gone"),
    ("EXTENSION SERVER WAREHOUSE", "it and what depends on it would be gone"),
    ("PUBLICATION SUBSCRIPTION", "replication would stop"),
    ("USER ROLE LOGIN GROUP", "the account would be gone"),
    ("POLICY", "the rule that says who sees which rows would be gone"),
)
DROPPED: Final = {kind: what for kinds, what in _DROPPED_KINDS for kind in kinds.split()}
"""What is lost with each kind of thing."""
DROP_MODIFIERS: Final = frozenset(
    "MATERIALIZED EXTERNAL FOREIGN UNIQUE PUBLIC TRANSIENT CLUSTERED VIRTUAL ICEBERG DYNAMIC SECURE ROW ACCESS".split()
)
TEMPORARY: Final = frozenset("TEMP TEMPORARY".split())
ACCOUNTS: Final = frozenset("USER ROLE LOGIN GROUP".split())
KEPT_BY_ALTER: Final = frozenset(
    "CONSTRAINT INDEX KEY PRIMARY FOREIGN CHECK DEFAULT NOT EXPRESSION IDENTITY STATISTICS TRIGGER POLICY TAG "
    "PROJECTION PROPERTY MASKING CLUSTERING SYNONYM".split()
)
"""What ALTER TABLE … DROP can take away without a value being lost."""
RISKY_EXTENSIONS: Final = frozenset(
    "PLPYTHONU PLPYTHON2U PLPYTHON3U PLPERLU PLTCLU PLSH DBLINK FILE_FDW ADMINPACK".split()
)
GRANTING_PROCEDURES: Final = frozenset(
    "SP_ADDSRVROLEMEMBER SP_ADDROLEMEMBER SP_ADDLOGIN SP_CONFIGURE SP_PASSWORD".split()
)
LANGUAGES: Final[dict[str, Target]] = {
    "PLPYTHONU": "python",
    "PLPYTHON2U": "python",
    "PLPYTHON3U": "python",
    "PLSH": "shell",
    "PLPERLU": "thing",
    "PLTCLU": "thing",
    "PLRUBY": "thing",
    "PLR": "thing",
    "C": "program",
}
"""Languages of routines in which code reaches the machine, and how that code is read."""


class Command(NamedTuple):
    """A statement that is told by its first words."""

    words: str
    what: str
    example: str


COMMANDS: Final = (
    Command("RESET MASTER", "the log of all changes, which backups rely on, would be gone", "reset master"),
    Command(
        "RESET BINARY", "the log of all changes, which backups rely on, would be gone", "reset binary logs and gtids"
    ),
    Command("PURGE BINARY", "logs of changes, which backups rely on, would be gone", "purge binary logs to 'x'"),
    Command("PURGE MASTER", "logs of changes, which backups rely on, would be gone", "purge master logs before now()"),
    Command("SHUTDOWN", "the database would stop for everybody", "shutdown"),
    Command("INSERT OVERWRITE", "every row of the table would be replaced", "insert overwrite table t select 1"),
    Command("RESTORE DATABASE", "the database would be replaced by the backup", "restore database d from disk = 'x'"),
)


class FileStatement(NamedTuple):
    """A statement with which the database reads or writes a file that a string names."""

    verb: str
    word: str
    """The word that comes before the string; empty if any string is meant."""
    effect: Effect
    example: str


FILE_STATEMENTS: Final = (
    FileStatement("ATTACH", "", Effect.WRITES, "attach database 'x.db' as y"),
    FileStatement("VACUUM", "INTO", Effect.WRITES, "vacuum into 'x.db'"),
    FileStatement("BACKUP", "TO", Effect.WRITES, "backup database d to disk = 'x.bak'"),
    FileStatement("UNLOAD", "TO", Effect.WRITES, "unload ('select 1') to 's3://example/x'"),
    FileStatement("BULK", "FROM", Effect.READS, "bulk insert t from 'x.csv'"),
)


class Function(NamedTuple):
    """A function, or a stored procedure, that reaches out of the database or runs text."""

    name: str
    effect: Effect
    kind: Target
    argument: int
    """Which argument says where, or what."""
    example: str
    procedure: bool = False
    """It may be called without brackets."""


FUNCTIONS: Final = (
    Function("pg_read_file", Effect.READS, "path", 0, "select pg_read_file('/x')"),
    Function("pg_read_binary_file", Effect.READS, "path", 0, "select pg_read_binary_file('/x')"),
    Function("pg_ls_dir", Effect.READS, "path", 0, "select pg_ls_dir('/x')"),
    Function("pg_file_write", Effect.WRITES, "path", 0, "select pg_file_write('/x', 'y', false)"),
    Function("pg_file_unlink", Effect.DELETES, "path", 0, "select pg_file_unlink('/x')"),
    Function("lo_import", Effect.READS, "path", 0, "select lo_import('/x')"),
    Function("lo_export", Effect.WRITES, "path", 1, "select lo_export(1, '/x')"),
    Function("load_file", Effect.READS, "path", 0, "select load_file('/x')"),
    Function("readfile", Effect.READS, "path", 0, "select readfile('/x')"),
    Function("writefile", Effect.WRITES, "path", 0, "select writefile('/x', 'y')"),
    Function("read_text", Effect.READS, "path", 0, "select * from read_text('/x')"),
    Function("read_blob", Effect.READS, "path", 0, "select * from read_blob('/x')"),
    Function("read_csv", Effect.READS, "path", 0, "select * from read_csv('/x')"),
    Function("load_extension", Effect.EXECUTES, "program", 0, "select load_extension('./x.so')"),
    Function("sys_exec", Effect.EXECUTES, "shell", 0, "select sys_exec('id')"),
    Function("sys_eval", Effect.EXECUTES, "shell", 0, "select sys_eval('id')"),
    Function("dblink", Effect.RUNS_SQL, "sql", 1, "select dblink('host=db.example.com', 'drop table t')"),
    Function("dblink_exec", Effect.RUNS_SQL, "sql", 1, "select dblink_exec('host=db.example.com', 'drop table t')"),
    Function("query_to_xml", Effect.RUNS_SQL, "sql", 0, "select query_to_xml('drop table t', true)"),
    Function("xp_cmdshell", Effect.EXECUTES, "shell", 0, "exec xp_cmdshell 'dir'", procedure=True),
    Function("sp_oacreate", Effect.EXECUTES, "program", 0, "exec sp_oacreate 'wscript.shell'", procedure=True),
    Function("sp_executesql", Effect.RUNS_SQL, "sql", 0, "exec sp_executesql N'drop table t'", procedure=True),
)
FUNCTION_OF: Final = {row.name.upper(): row for row in FUNCTIONS}
