"""What is never suggested, and why: codes whose allowance would let through more than what was seen, or something
that does not come back. Data, and the one question asked of it.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

_SECRET: Final = "It is about a secret."
_GONE: Final = "What is removed or overwritten does not come back."
_OTHER_CODE: Final = "The code that would run can be another one each time."
_UNTOLD: Final = "What it would do can't be told, so nobody can say what would be allowed."
_BEYOND: Final = "It reaches beyond the work, or acts after it."
_OTHER_DATA: Final = "What is sent can be something else each time."
_OWN: Final = "The guard itself could not judge, ask or record."

_SAID: Final = "What the server says of the tool is more than a description: look at it first."
NEVER: Final[tuple[tuple[str, str], ...]] = (
    # code or pattern of codes, why no allowance is suggested
    ("secret.*", _SECRET),
    ("exfil.secret_*", _SECRET),
    ("exfil.*", _OTHER_DATA),
    ("path.sensitive_read", _SECRET),
    ("shell.reads_secret", _SECRET),
    ("shell.sends_secret", _SECRET),
    ("shell.secret_to_unlisted_host", _SECRET),
    ("shell.deletes_*", _GONE),
    ("shell.overwrites_device", _GONE),
    ("shell.discards_work", _GONE),
    ("shell.mutates_service", _GONE),
    ("sql.destructive", _GONE),
    ("shell.executes_download", _OTHER_CODE),
    ("shell.executes_decoded", _OTHER_CODE),
    ("shell.executes_dynamic", _OTHER_CODE),
    ("shell.hidden_execution", _OTHER_CODE),
    ("shell.spawns_shell", _OTHER_CODE),
    ("shell.remote_shell", _OTHER_CODE),
    ("shell.unanalysable", _UNTOLD),
    ("shell.unknown_host", _UNTOLD),
    ("shell.writes_unknown", _UNTOLD),
    ("path.unresolvable", _UNTOLD),
    ("shell.escalates", _BEYOND),
    ("shell.persists", _BEYOND),
    ("shell.changes_rights", _BEYOND),
    ("path.system_write", _BEYOND),
    ("path.persistence_write", _BEYOND),
    ("shell.sends_file", _OTHER_DATA),
    ("tool.hidden_text", _SAID),
    ("tool.instructs_model", _SAID),
    ("tool.names_others", _SAID),
    ("tool.asks_for_secrets", _SAID),
    ("tool.looks_like_another", _SAID),
    ("tool.changed", "The tool is no longer the one that was described: look at it first."),
    ("net.anybodys_host", "Anybody can leave or collect anything there."),
    ("net.anybodys_place", "Anybody can have an address there."),
    ("output.*", _OTHER_DATA),
    ("guard.*", _OWN),
    ("action.*", _OWN),
)


def never(code: str) -> str:
    """Why no allowance is ever suggested for `code`; empty if one may be."""
    return next((why for pattern, why in NEVER if fnmatchcase(code, pattern)), "")
