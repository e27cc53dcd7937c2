"""SQL that was written to be slow to read costs no more than other SQL; what is not read is said."""

import time

import pytest

from guardhouse.detect.sql import read_sql
from guardhouse.detect.sql.session import LONGEST
from guardhouse.model import Effect

SIZE = 16 * 1024
MOST_SECONDS = 0.1
"""It takes about 10 ms; the rest is for slow and busy machines."""

SHAPES = {
    "tokens": [
        "a,",
        "a.",
        "''",
        "'a'||",
        "1,",
        "<=",
        '"a" ',
        "[a].",
        "$1 ",
        "$a$",
        "\0 ",
        "é ",
        "q'[a]' ",
        "@",
        ":",
        "-",
    ],
    "statements": ["a;", ";", "a;\n", "delete from t;", "update t set a=1 where id=5;", "set a='x';", "drop table x;"],
    "verbs": ["delete from t ", "update a set ", "alter ", "(delete from t ", "with a as (delete from t) ", "drop "],
    "brackets": ["(", ")", "f(", "(a or ", "not (", "(select * from ", "))((", "(set a = ", "explain ("],
    "conditions": [
        "a or ",
        "1=1 or ",
        "a=1 or a<>1 or ",
        "not ",
        "1=1 and ",
        "between and ",
        "case when a then b end or ",
    ],
    "comments": ["/*", "/**/", "/*!", "/*!drop table x*/;", "--a\n", "-- a\n", "#a\n", "\n", "*/"],
    "backslash commands": ["\\", "\\\\", "\\;", "\\g", "\\a", "\\a\n", "\\g |x ", "\\! x\n", "\\o x", "\\a `x` ", "`"],
    "line commands": [
        ".shell x\n",
        ".\n",
        "system x\n",
        "delimiter x\n",
        "!! x\n",
        ":r x\n",
        "@x\n",
        "GO\n",
        "\\copy t to 'x'\n",
    ],
    "code in strings": [
        "exec('drop table x');",
        "do $$ drop table x $$;",
        "execute immediate '",
        "select 'x' \\gexec\n",
    ],
    "variables": ["set @a=concat(@a,@a);", "declare @a = 'x' ", "\\set a :a:a\n", "@a;", "prepare p from @a;"],
    "routines": [
        "create function f begin;",
        "create procedure p begin select 1;end;",
        "create function f() as 'x';select f();",
    ],
    "functions": [
        "dblink(",
        "load_file('a',",
        "xp_cmdshell ",
        "xp_cmdshell = ",
        "select f('x') from t;",
        "load_file(a) ",
    ],
    "rows and undoing": [
        "copy t from stdin;",
        "copy t from stdin;\na\n\\.\n",
        "begin;rollback;",
        "begin;delete from t;rollback;",
    ],
}
STARTS = ("delete from t where ", "create procedure p() begin ")
DIALECTS = ("", "psql", "mysql")


def seconds_for(text, dialect):
    best = 10.0
    for _ in range(3):
        begun = time.process_time()
        read_sql(text, dialect)
        best = min(best, time.process_time() - begun)
        if best < MOST_SECONDS:
            break
    return best


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", SHAPES)
def test_no_repeated_piece_makes_reading_slow(kind, dialect):
    for shape in SHAPES[kind]:
        for start in STARTS:
            # The end has the signs that make an unknown dialect be read in each way.
            text = (start + shape * SIZE)[: SIZE - 5] + ' \\["'
            assert seconds_for(text, dialect) < MOST_SECONDS, (start, shape)


@pytest.mark.parametrize("text", ["drop table x; " + "a, " * 5000, "drop table x; " + "delete from y; " * 1000])
def test_what_was_found_until_the_budget_was_spent_is_kept(text):
    acts = read_sql(text, "psql")
    assert (acts[0].effect, acts[0].target) == (Effect.RUNS_SQL, "x")
    assert (acts[-1].effect, acts[-1].what) == (Effect.UNANALYSABLE, "the SQL is too long")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_migration_is_read_to_its_end(dialect):
    table = "create table customers (identifier integer primary key, name varchar(200) not null default 'nobody');\n"
    text = table * (12_000 // len(table)) + "drop table last"
    assert [(act.effect, act.target) for act in read_sql(text, dialect)] == [(Effect.RUNS_SQL, "last")]


def test_text_beyond_the_limit_is_said_not_to_have_been_read():
    text = "drop table x; " + " " * LONGEST + "select 1"
    assert [act.effect for act in read_sql(text)] == [Effect.RUNS_SQL, Effect.UNANALYSABLE]


def test_long_plain_text_is_no_risk_by_its_length():
    assert read_sql("select a from t; " * LONGEST) == ()
