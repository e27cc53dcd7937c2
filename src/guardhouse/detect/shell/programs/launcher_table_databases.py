"""Ways to have code run by databases and their clients.

Rows are facts about programs, one a line: name, where the code stands, how to read it, what to strip, other options
that take a value, an example (its code has `payload` in it) and a harmless use. `launchers.py` tells how to read them.
"""
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from guardhouse.detect.shell.programs.interface import Launcher

# One entry a line.
# fmt: off
LAUNCHERS: Final[tuple[Launcher, ...]] = (
    Launcher("mysql mariadb mycli mysqlsh", "-e|--execute", "shell", "**\\! system~ **;system~ **;~system~", "-u --user -h --host -P --port -D --database -S --socket -p? --password? --defaults-file --default-character-set", "mysql -u root -e '\\! payload -c'", "mysql -u root -e 'select 1'"),
    Launcher("mysql mariadb mycli mysqlsh", "-e|--execute|--init-command", "sql", "", "", "mysql -e 'drop table payload'", "mysql -u root a"),
    Launcher("mysql mariadb mycli", "--pager", "shell", "", "", "mysql --pager='payload -c' a", "mysql --no-auto-rehash a"),
    Launcher("mysql mariadb", "--default-auth|--plugin-dir", "program", "*/<", "", "mysql --default-auth ../../tmp/payload", "mysql --default-auth=mysql_native_password a"),
    Launcher("mysql mariadb mycli", "!-e|--execute|--version|--help|-V stdin", "sql", "", "", "mysql a", "mysql -e 'select 1' a"),
    Launcher("mysqld mariadbd", "--init-file|--plugin-load|--plugin-load-add", "program", "@scratch", "", "mysqld --init-file=/tmp/payload.sql", "mysqld --user=mysql"),
    Launcher("psql pgcli usql", "-c|--command", "shell", "**\\!", "-d --dbname -h --host -p --port -U --username -f --file -v --set --variable -F -R -o --output -P -T -L", "psql -c '\\! payload -c'", "psql -U ada -c 'select 1'"),
    Launcher("psql pgcli usql", "-c|--command", "shell", "**program~' **program' **\\o~| **\\g~| **\\w~|", "", "psql -c \"copy t from program 'payload -c'\"", "psql -c 'copy t from stdin'"),
    Launcher("psql pgcli usql", "-c|--command", "sql", "", "", "psql -c 'drop table payload'", "psql -l"),
    Launcher("psql", "-o|--output", "shell", "|", "", "psql -o '|payload -c' -c 'select 1'", "psql -o a.txt -c 'select 1'"),
    Launcher("psql pgcli usql", "!-c|--command|-f|--file|-l|--list|--version|--help stdin", "sql", "", "", "psql a", "psql -c 'select 1' a"),
    Launcher("sqlite3 sqlite litecli", "*", "shell", '.shell~ .system~ .output~| .once~| .import~| .import~"|', "-separator -nullvalue -init -newline -mmap -vfs", "sqlite3 /dev/null '.shell payload -c'", "sqlite3 a.db .tables"),
    Launcher("sqlite3 sqlite litecli", "-cmd", "shell", ".shell~ .system~ .output~| .once~|", "", "sqlite3 -cmd '.system payload -c' a.db", "sqlite3 -cmd '.mode csv' a.db"),
    Launcher("sqlite3 sqlite", "*", "program", ".load~ **load_extension(' **load_extension(\"", "", "sqlite3 a.db '.load ./payload'", "sqlite3 a.db .schema"),
    Launcher("sqlite3 sqlite", "-cmd", "program", ".load~ **load_extension('", "", "sqlite3 -cmd '.load ./payload' a.db", "sqlite3 -cmd .tables a.db"),
    Launcher("sqlite3 sqlite", "-init|--init", "program", "@scratch", "", "sqlite3 -init /tmp/payload.sql a.db", "sqlite3 -csv a.db"),
    Launcher("sqlite3 sqlite", "2", "sql", "", "", "sqlite3 a.db 'drop table payload'", "sqlite3 a.db"),
    Launcher("sqlite3 sqlite", "* stdin", "sql", "", "", "sqlite3 a.db", "sqlite3 -version"),
    Launcher("duckdb", "-c|-cmd|-s|-init", "shell", ".shell~ .system~ .sh~ .output~| .once~|", "-f", "duckdb -c '.shell payload -c'", "duckdb -c 'select 1'"),
    Launcher("duckdb", "-c|-cmd|-s", "sql", "", "", "duckdb -c 'drop table payload'", "duckdb a.db"),
    Launcher("mongo mongosh", "--eval", "other", "", "-u -p -h --host --port --username --password --authenticationDatabase", "mongosh --eval 'db.payload.drop()'", "mongosh --host a.example"),
    Launcher("mongo mongosh", "!1 stdin", "other", "", "", "mongosh", "mongosh a.js"),
    Launcher("redis-cli valkey-cli keydb-cli", "MODULE|module LOAD|load|LOADEX|loadex 1", "program", "", "-h -p -a -n -u --user --pass -r -i", "redis-cli MODULE LOAD ./payload.so", "redis-cli -h a.example get x"),
    Launcher("redis-cli valkey-cli", "EVAL|eval|EVAL_RO 1", "lua", "", "", "redis-cli EVAL 'os.execute(\"payload\")' 0", "redis-cli GET x"),
    Launcher("redis-server valkey-server", "--loadmodule", "program", "", "", "redis-server --loadmodule ./payload.so", "redis-server --port 7000"),
    Launcher("clickhouse clickhouse-local clickhouse-client", "-q|--query", "shell", "**executable('", "-u --user --host --port --password --format -d", "clickhouse-local -q \"select * from executable('payload', TSV, 'a String')\"", "clickhouse-local -q 'select 1'"),
    Launcher("clickhouse clickhouse-local clickhouse-client", "-q|--query", "sql", "", "", "clickhouse-client -q 'drop table payload'", "clickhouse-client --host a.example"),
    Launcher("sqlplus sqlcl", "!-V|-H stdin", "sql", "", "", "sqlplus ada/x@a", "sqlplus -V"),
    Launcher("sqlcmd", "-Q|-q", "shell", "!! :!!", "-S -U -P -d -i -o -h -s", "sqlcmd -Q '!!payload -c'", "sqlcmd -S a.example -Q 'select 1'"),
    Launcher("sqlcmd", "-Q|-q", "sql", "", "", "sqlcmd -Q 'drop table payload'", "sqlcmd -S a.example"),
    Launcher("impala-shell", "-q|--query", "shell", "! shell~", "-i -d -f -o", "impala-shell -q 'shell payload -c'", "impala-shell -q 'select 1'"),
    Launcher("beeline hive", "-e", "shell", "!sh~ !", "-u -n -p -f -d -i --hiveconf --hivevar", "hive -e '!payload -c'", "hive -e 'select 1'"),
    Launcher("beeline hive impala-shell trino presto cqlsh snowsql bq", "-e|-q|--query|--execute", "sql", "", "-u -n -p", "trino --execute 'drop table payload'", "trino --server a.example"),
    Launcher("isql isql-fb fbsql", "!-z stdin", "sql", "", "-u -p -d -i -o", "isql a", "isql -z"),
    Launcher("postgres pg_ctl", "-c|-o", "shell", "**archive_command= **restore_command= **ssl_passphrase_command= **archive_cleanup_command= **recovery_end_command=", "-D -p -h -l -t -m -N -B", "postgres -D a -c archive_command='payload %p'", "postgres -D a -c max_connections=10"),
    Launcher("postgres pg_ctl", "-c|-o", "program", "**shared_preload_libraries= **local_preload_libraries= **session_preload_libraries=", "", "postgres -D a -c shared_preload_libraries=payload", "postgres -D a -c work_mem=4MB"),
    Launcher("pg_ctl", "-p", "program", "", "", "pg_ctl -p ./payload -D a start", "pg_ctl -D a start"),
    Launcher("spark-shell spark-submit pyspark", "-i|-I|--py-files|--jars", "program", "@scratch", "--master --class --name --conf", "spark-shell -i /tmp/payload.scala", "spark-shell --master local"),
    Launcher("spark-sql", "-e", "sql", "", "-f --master", "spark-sql -e 'drop table payload'", "spark-sql -f a.sql"),
)
# fmt: on
