"""SQL, and the commands of its clients: what a text of it would do, without running it."""

from guardhouse.detect.sql.reading import looks_like_sql, read_sql

__all__ = ["looks_like_sql", "read_sql"]
