"""Verbs of databases, queues and of what moves databases from one shape to another: what drops or empties them.

SQL that is given as text is read elsewhere.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.acts import Scope
from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_GONE = Effect.MUTATES
_MORE = Effect.ESCALATES
_HELP = "--help -? --version"
_POSTGRES = "-h --host -p --port -U --username -d --dbname --maintenance-db"

TOOLS: tuple[Tool, ...] = (
    Tool("redis-cli valkey-cli keydb-cli", "-h -p -s -a -u -n -r -i --user --pass --cacert --cert --key", Scope.REMOTE),
    Tool("mongosh mongo", "--eval --host --port -u --username -p --password --authenticationDatabase -f --file", Scope.REMOTE),
    Tool("mongorestore", "--uri -h --host --port -u --username -p --password -d --db -c --collection --nsInclude", Scope.REMOTE),
    Tool("dropdb", _POSTGRES, Scope.REMOTE),
    Tool("dropuser", _POSTGRES, Scope.REMOTE),
    Tool("createuser", _POSTGRES + " -c -r --role -g -m -a", Scope.REMOTE),
    Tool("pg_restore", _POSTGRES + " -f --file -F --format -j --jobs -n --schema -t --table", Scope.REMOTE),
    Tool("pg_dropcluster pg_resetwal pg_resetxlog", "-D --pgdata"),
    Tool("mysqladmin mariadb-admin", "-h --host -P --port -u --user -S --socket", Scope.REMOTE),
    Tool("rabbitmqctl rabbitmqadmin", "-n --node -p --vhost -t --timeout -H --host -P --port -u --username --password", Scope.REMOTE),
    Tool("rabbitmq-queues", "-n --node", Scope.REMOTE),
    Tool("kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-acls kafka-acls.sh", "--bootstrap-server --zookeeper --topic --command-config --group", Scope.REMOTE),
    Tool("kafka-delete-records kafka-delete-records.sh", "--bootstrap-server --command-config --offset-json-file", Scope.REMOTE),
    Tool("rpk nats", "-X --brokers -s --server --creds --context", Scope.REMOTE),
    Tool("nodetool", "-h --host -p --port -u --username -pw --password", Scope.REMOTE),
    Tool("influx", "--host -t --token -o --org -b --bucket -c --active-config", Scope.REMOTE),
    Tool("cockroach", "--host --url --certs-dir", Scope.REMOTE),
    Tool("prisma", "--schema --config"),
    Tool("rails rake", "-e --environment -f --rakefile"),
    Tool("manage.py django-admin", "--settings --pythonpath --database -v --verbosity"),
    Tool("artisan", "--env"),
    Tool("flyway", ""),
    Tool("alembic", "-c --config -n --name -x"),
    Tool("flask", "-A --app -e --env-file"),
    Tool("liquibase", ""),
    Tool("sequelize sequelize-cli", "--env --url --config"),
    Tool("knex", "--env --knexfile"),
    Tool("typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm", "-d --dataSource"),
    Tool("drizzle-kit", "--config"),
    Tool("diesel sqlx sea-orm-cli", "--database-url -D --source"),
    Tool("goose migrate dbmate", "-dir -database -path -source -u --url -d --migrations-dir -e --env"),
    Tool("mix", ""),
    Tool("hasura", "--project --endpoint --admin-secret"),
    Tool("wp", "--path --url --user"),
    Tool("airflow superset", ""),
)

VERBS: tuple[Verb, ...] = (
    Verb("redis-cli", "flushall|flushdb", "", "", _GONE, "every key is deleted", "redis-cli dbsize", "redis-cli -h cache.example.com FLUSHALL", "redis-cli -h cache.example.com ping"),
    Verb("redis-cli", "shutdown|failover|replicaof|slaveof|debug", "", "", _GONE, "the server is stopped, or follows another and loses what it has", "redis-cli info", "redis-cli shutdown nosave", "redis-cli info"),
    Verb("redis-cli", "config set dir|dbfilename|requirepass|protected-mode|bind|save|appendonly", "", "", _MORE, "where the server writes, or who may use it, is changed", "redis-cli config get", "redis-cli config set dir /var/spool", "redis-cli config get dir"),
    Verb("redis-cli", "module load|loadex", "", "", Effect.EXECUTES, "code is loaded into the server", "redis-cli module list", "redis-cli module load ./m.so", "redis-cli module list"),
    Verb("redis-cli", "acl setuser|deluser", "", "", _MORE, "who may use the server is changed", "redis-cli acl list", "redis-cli acl setuser ann on", "redis-cli acl list"),
    Verb("redis-cli", "cluster reset|forget|flushslots", "", "", _GONE, "the cluster loses a part", "redis-cli cluster info", "redis-cli cluster reset hard", "redis-cli cluster info"),
    Verb("mongosh", "**", "--eval=*dropdatabase(* --eval=*.drop(* --eval=*deletemany({}* --eval=*.remove({})*", "", _GONE, "a collection or the whole database is deleted", "a dump first", "mongosh shop --eval 'db.dropDatabase()'", "mongosh shop --eval 'db.orders.count()'"),
    Verb("mongosh", "**", "--eval=*shutdownserver(* --eval=*createuser(* --eval=*grantroles*", "", _MORE, "the server is stopped, or someone gets more rights", "", "mongosh admin --eval 'db.shutdownServer()'", "mongosh admin --eval 'db.stats()'"),
    Verb("mongorestore", "**", "--drop", "--dryRun", _GONE, "collections are deleted before they are restored", "mongorestore --dryRun", "mongorestore --drop dump/", "mongorestore dump/"),
    Verb("dropdb", "**", "", _HELP, _GONE, "a database is deleted", "pg_dump first", "dropdb --if-exists shop", "dropdb --help"),
    Verb("dropuser", "**", "", _HELP, _GONE, "a user of the database is deleted", "", "dropuser ann", "dropuser --help"),
    Verb("createuser", "**", "-s --superuser", _HELP, _MORE, "a user with all rights is made", "createuser", "createuser -s ann", "createuser ann"),
    Verb("pg_restore", "**", "-c --clean -C&-c", "-l --list", _GONE, "tables are deleted before they are restored", "pg_restore --list", "pg_restore --clean -d shop shop.dump", "pg_restore -d shop shop.dump"),
    Verb("pg_dropcluster", "**", "", _HELP + " -n --dry-run", _GONE, "a cluster of databases, or its log, is deleted", "pg_lsclusters", "pg_dropcluster 16 main --stop", "pg_dropcluster --help"),
    Verb("mysqladmin", "** drop|shutdown|flush-privileges|password", "", "", _GONE, "a database is deleted, the server stopped, or its log-in changed", "mysqladmin status", "mysqladmin -u root drop shop", "mysqladmin -u root status"),
    Verb("rabbitmqctl", "reset|force_reset|forget_cluster_node|delete_*|purge_queue|purge|delete|force_boot|clear_*", "", "", _GONE, "queues and settings are deleted", "rabbitmqctl list_queues", "rabbitmqctl -n rabbit@q1 force_reset", "rabbitmqctl list_queues"),
    Verb("rabbitmqctl", "add_user|change_password|set_user_tags|set_permissions", "", "", _MORE, "someone gets more rights", "rabbitmqctl list_users", "rabbitmqctl add_user ann secret1", "rabbitmqctl list_users"),
    Verb("rabbitmq-queues", "delete_member|shrink", "", "", _GONE, "a queue loses copies", "rabbitmq-queues quorum_status", "rabbitmq-queues shrink rabbit@q1", "rabbitmq-queues quorum_status q"),
    Verb("kafka-topics", "**", "--delete --remove", "", _GONE, "topics, offsets or rights are deleted", "kafka-topics --describe", "kafka-topics --bootstrap-server q.example.com:9092 --delete --topic orders", "kafka-topics --bootstrap-server q.example.com:9092 --list"),
    Verb("kafka-topics", "**", "--reset-offsets&--execute", "", _GONE, "readers lose their place", "kafka-consumer-groups --dry-run", "kafka-consumer-groups --group g --reset-offsets --to-latest --execute", "kafka-consumer-groups --group g --reset-offsets --to-latest --dry-run"),
    Verb("kafka-delete-records", "**", "", "--help --version", _GONE, "records are deleted", "", "kafka-delete-records --offset-json-file o.json", "kafka-delete-records --help"),
    Verb("rpk", "topic|stream|consumer|kv|object|bucket delete|rm|purge|del|trim-prefix", "", "", _GONE, "topics or streams are deleted", "", "rpk topic delete orders", "rpk topic list"),
    Verb("nodetool", "decommission|removenode|clearsnapshot|assassinate|truncatehints|stopdaemon|drain", "", "", _GONE, "a node or its data leaves the cluster", "nodetool status", "nodetool decommission", "nodetool status"),
    Verb("influx", "delete", "", "", _GONE, "measurements are deleted", "influx query", "influx delete --bucket shop --start 2020-01-01T00:00:00Z", "influx query --org o"),
    Verb("influx", "bucket|org|user|auth|task|stack delete|rm", "", "", _GONE, "a bucket or an account is deleted", "influx bucket list", "influx bucket delete --name shop", "influx bucket list"),
    Verb("cockroach", "node decommission|drain", "", "", _GONE, "a node leaves the cluster", "cockroach node status", "cockroach node decommission 4", "cockroach node status"),
    Verb("prisma", "migrate reset", "", "", _GONE, "the database is emptied", "prisma migrate status", "prisma migrate reset --force", "prisma migrate dev"),
    Verb("prisma", "db push", "--force-reset --accept-data-loss", "", _GONE, "data that does not fit is lost", "prisma migrate diff", "prisma db push --accept-data-loss", "prisma db push"),
    Verb("rails", "** db:drop*|db:reset*|db:purge*|db:migrate:reset*|db:truncate_all*|db:seed:replant*", "", "", _GONE, "the database is emptied or dropped", "rails db:migrate:status", "rails db:drop RAILS_ENV=test", "rails db:migrate"),
    Verb("manage.py", "flush|reset_db|drop_test_database|clear_index", "", "--help", _GONE, "the database is emptied", "manage.py dumpdata", "manage.py flush --noinput", "manage.py migrate"),
    Verb("manage.py", "migrate * zero", "", "--plan --fake --check", _GONE, "the tables of an application are dropped", "manage.py migrate --plan", "manage.py migrate shop zero", "manage.py migrate shop"),
    Verb("artisan", "migrate:fresh|migrate:refresh|migrate:reset|db:wipe", "", "--pretend", _GONE, "the database is emptied", "artisan migrate:status", "artisan migrate:fresh --seed", "artisan migrate"),
    Verb("flyway", "** clean", "", "-cleandisabled=true", _GONE, "the database is emptied", "flyway info", "flyway -url=jdbc:h2:mem clean", "flyway info"),
    Verb("flyway", "** undo|repair", "", "", _GONE, "steps of the database, or their record, are undone", "flyway info", "flyway undo", "flyway validate"),
    Verb("alembic", "downgrade base", "", "--sql", _GONE, "every table is dropped", "alembic history", "alembic -c prod.ini downgrade base", "alembic upgrade head"),
    Verb("flask", "db downgrade base", "", "--sql", _GONE, "every table is dropped", "flask db history", "flask db downgrade base", "flask db upgrade"),
    Verb("liquibase", "** drop-all|dropall|rollback*|clear-checksums", "", "", _GONE, "the database is emptied or set back", "liquibase status", "liquibase --url=jdbc:h2:mem drop-all", "liquibase status"),
    Verb("sequelize", "db:drop|db:migrate:undo:all|db:seed:undo:all", "", "", _GONE, "the database is emptied or dropped", "sequelize db:migrate:status", "sequelize-cli db:drop", "sequelize-cli db:migrate"),
    Verb("knex", "migrate:rollback", "--all", "", _GONE, "every table is dropped", "knex migrate:list", "knex migrate:rollback --all", "knex migrate:latest"),
    Verb("typeorm", "schema:drop", "", "", _GONE, "every table is dropped", "typeorm schema:log", "typeorm schema:drop -d source.js", "typeorm schema:log -d source.js"),
    Verb("drizzle-kit", "drop", "", "", _GONE, "a step of the database is removed", "drizzle-kit check", "drizzle-kit drop", "drizzle-kit generate"),
    Verb("drizzle-kit", "push", "--force", "", _GONE, "data that does not fit is lost", "drizzle-kit push", "drizzle-kit push --force", "drizzle-kit push"),
    Verb("diesel", "database|migrate drop|reset|fresh|refresh", "", "", _GONE, "the database is emptied or dropped", "", "diesel database reset", "diesel migration run"),
    Verb("goose", "** drop|reset", "", "", _GONE, "the database is emptied or dropped", "", "dbmate drop", "dbmate up"),
    Verb("mix", "ecto.drop|ecto.reset", "", "", _GONE, "the database is dropped", "mix ecto.migrations", "mix ecto.reset", "mix ecto.migrate"),
    Verb("hasura", "metadata|migrate clear|delete|squash", "", "", _GONE, "the shape of the interface or its record is deleted", "", "hasura metadata clear", "hasura metadata diff"),
    Verb("wp", "db|site reset|drop|clean|empty|delete", "", "", _GONE, "the site's database is emptied or dropped", "wp db export", "wp db reset --yes", "wp db export"),
    Verb("airflow", "db|dags reset|delete|clean", "", "", _GONE, "the records of all runs are deleted", "", "airflow db reset -y", "airflow db check"),
)
