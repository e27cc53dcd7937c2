"""Which key things in a shared database are sealed with, so that a node with another one is told before it matters.

Only a mark of a key is kept, from which nobody gets back to it.
"""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from guardhouse.model import GuardhouseError
from guardhouse.model.digests import blake2b

if TYPE_CHECKING:
    from guardhouse.database.interface import Database

_NOTED: Final = "SELECT mark FROM key_marks WHERE name = ?"


def check_key(database: Database, name: str, key: bytes) -> None:
    """Note the mark of the first key of that name; GuardhouseError for another one than was noted."""
    mark = blake2b(b"guardhouse key mark", key=key, digest_size=16).hexdigest()
    with database.reading() as rows:  # every process that opens a store comes by here: it need not wait for its turn
        noted = rows.run(_NOTED, (name,))
    if not noted:
        with database.writing() as rows:
            rows.run("INSERT INTO key_marks VALUES (?, ?) ON CONFLICT (name) DO NOTHING", (name, mark))
            noted = rows.run(_NOTED, (name,))
    if not compare_digest(noted[0][0], mark):
        raise GuardhouseError(
            f"The key {name}.key of this node is not the one that the other nodes have.",
            fix="Copy the directory of keys from one of them (GUARDHOUSE_KEY_DIR).",
        )
