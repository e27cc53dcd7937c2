"""Programs that copy files to and from other machines, or make another machine's files look like this one's.

Where they reach to, what they take away and what they write here is noted. Clients that fetch by a URL are in
`network`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.programs.landing import land
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.values import NOTHING, Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_NETWORK: Final = frozenset({Source.NETWORK})
_FILE: Final = frozenset({Source.FILE})


def run_copy(machine: Machine, state: State, call: Call) -> Stream:
    """`scp`, `rsync`, `rclone`, `sftp`: files to and from other machines."""
    valued = {
        "scp": "-c -D -F -i -J -l -o -P -S -X",
        "rsync": "-e -f -B -T -M --rsh --exclude --include --exclude-from --include-from --files-from --filter"
        " --bwlimit"
        " --backup-dir --suffix --rsync-path --log-file --password-file --port --timeout --temp-dir --chmod --chown",
    }.get(call.name, "-b -B -c -D -F -i -J -l -o -P -R -S -s")
    sorted_ = parsed(call.args, valued)
    words = sorted_.arguments
    if call.name == "rsync" and sorted_.has("-n --dry-run --list-only"):
        return Stream(None)
    if call.name == "sftp":
        return _run_batch(machine, state, call, words)
    remote = [remote_host(word.text) for word in words]
    for word, host in zip(words, remote, strict=True):
        if host:
            machine.act(call, state, Effect.CONNECTS, replace(word, text=host), kind="host")
    if any(remote):
        machine.noted.add("network")
    if len(words) < 2:
        return Stream(None)
    if remote[-1]:
        for place in words[:-1]:
            path = replace(place, text=machine.home + place.text[1:] if place.text.startswith("~/") else place.text)
            sources = machine.read(state, path).sources
            machine.act(
                call, state, Effect.SENDS, replace(words[-1], text=remote[-1]), kind="host", sources=sources | _FILE
            )
    else:
        machine.write(call, state, words[-1], Stream(None, _NETWORK if any(remote) else NOTHING))
        given = [
            replace(word, text=word.text.rpartition(":")[2]) if host else word
            for word, host in zip(words[:-1], remote, strict=False)
        ]
        land(machine, state, call, given, words[-1], deep=sorted_.has("-r -a -R --recursive --archive"))
        if call.name == "rsync" and any(one.name.startswith(("--delete", "--del")) for one in sorted_.options):
            machine.on_path(
                call,
                state,
                Effect.DELETES,
                words[-1],
                recursive=True,
                instead="rsync with --dry-run, to see what would be deleted",
            )
    if call.name == "rsync" and sorted_.has("--remove-source-files"):
        for place, host in zip(words[:-1], remote, strict=False):
            if not host:
                machine.on_path(call, state, Effect.DELETES, place, recursive=True)
    return Stream(None)


def _run_batch(machine: Machine, state: State, call: Call, words: list[Value]) -> Stream:
    """`sftp`: what it does stands in a batch of its own commands."""
    host = words[0].text.rpartition("@")[2].partition(":")[0] if words else UNKNOWN
    target = replace(words[0] if words else call.program, text=host)
    machine.act(call, state, Effect.CONNECTS, target, kind="host")
    for line in (call.stdin.text or "").split("\n"):
        verb, _, rest = line.strip().partition(" ")
        if verb in ("put", "mput", "reput") and rest.split():
            sources = machine.read(state, replace(call.program, text=rest.split()[0])).sources
            machine.act(call, state, Effect.SENDS, target, kind="host", sources=sources | _FILE)
    return Stream(None)


def remote_host(text: str) -> str:
    """The host of `user@host:path`, `host::module` and URLs; empty for a local path."""
    if "://" in text:
        return text
    head, colon, _rest = text.partition(":")
    if not colon or "/" in head or not head or (len(head) == 1 and head.isalpha()):
        return ""
    return head.rpartition("@")[2]


def run_session(machine: Machine, state: State, call: Call) -> Stream:
    """`lftp`, `smbclient`, `ncftp`: a host, and commands of their own in an option."""
    sorted_ = parsed(call.args, "-c -e -f -u -p -s -U -I -W -A -D -m -P --command")
    words = sorted_.arguments
    lines = [line.split() for code in sorted_.values("-c -e --command") for line in _session_lines(code.text)]
    hosts = [word.text for word in words[:1]] + [line[-1] for line in lines if line[0] in ("open", "connect", "o")]
    for host in hosts:
        _reach(machine, state, call, host)
    if sorted_.values("-f") and call.name == "lftp":
        machine.give_up("what it fetches and sends stands in a file")
    target = replace(words[0] if words else call.program, text=_plain_host((hosts or [UNKNOWN])[0]))
    for line in lines:
        if not _sends(line):
            continue
        sources = _FILE
        for name in line[1:3]:
            if name[0] != "-":
                sources |= machine.read(state, replace(call.program, text=_from_home(machine, name))).sources
        machine.act(call, state, Effect.SENDS, target, kind="host", sources=sources)
    return Stream(None, _NETWORK)


def _session_lines(code: str) -> list[str]:
    """Commands of such a session."""
    pieces = code.replace("&&", ";").replace("\n", ";").split(";")
    return [piece for piece in pieces if piece.strip()]


def _sends(line: list[str]) -> bool:
    if line[0] == "mirror":
        return any(word in ("-R", "--reverse") or (word[:1] == "-" != word[1:2] and "R" in word) for word in line[1:])
    return line[0] in ("put", "mput", "reput", "prompt;mput", "append")


def run_put(machine: Machine, state: State, call: Call) -> Stream:
    """`ncftpput host directory files…`, `ncftpget host directory files…`."""
    sorted_ = parsed(call.args, "-u -p -P -j -d -e -t -r -f -W -X -Y -B -y -T -E")
    words = sorted_.arguments
    for word in words[:1]:
        _reach(machine, state, call, word.text)
    if call.name == "ncftpput":
        for place in words[2:]:
            sources = machine.read(state, place).sources | _FILE
            machine.act(call, state, Effect.SENDS, words[0], kind="host", sources=sources)
    elif len(words) > 1:
        machine.write(call, state, words[1], Stream(None, _NETWORK))
    return Stream(None)


def run_mount(machine: Machine, state: State, call: Call) -> Stream:
    """`sshfs`, `mount`: another machine's files at a place of this one."""
    sorted_ = parsed(call.args, "-t -o -L -U -O -p -F -C --types --options --source --target")
    for value in [*sorted_.arguments[:1], *sorted_.values("--source")]:
        _reach(machine, state, call, value.text)
    for place in sorted_.arguments[1:2] if len(sorted_.arguments) > 1 else []:
        machine.on_path(call, state, Effect.MUTATES, place, what="what is seen there")
    return Stream(None)


_REPOSITORIES: Final = ("RESTIC_REPOSITORY", "BORG_REPO", "KOPIA_REPOSITORY")


def run_backup(machine: Machine, state: State, call: Call) -> Stream:
    """`restic`, `borg`: where the backups lie."""
    sorted_ = parsed(
        call.args, "-r -p -o -e -H --repo --from-repo --password-file --tag --exclude --host --option --rsh"
    )
    named = [call.environment[name] for name in _REPOSITORIES if name in call.environment]
    places = [*named, *sorted_.values("-r --repo --from-repo")]
    if call.name == "borg":
        places += sorted_.arguments[1:2]
    for place in places:
        kind, _, rest = place.text.partition(":")
        _reach(machine, state, call, rest.lstrip("/") if kind in ("rest", "sftp") and "://" not in kind else place.text)
    return Stream(None)


def _reach(machine: Machine, state: State, call: Call, text: str) -> None:
    """A host, wherever it stands in a text: `//host/share`, `user@host:path`, a URL, a name."""
    host = _plain_host(text)
    if host:
        machine.act(call, state, Effect.CONNECTS, replace(call.program, text=host), kind="host")


def _plain_host(text: str) -> str:
    if "://" in text:
        return text
    if text.startswith(("//", "\\\\")):
        return text[2:].replace("\\", "/").partition("/")[0]
    if ":" in text or text.startswith(("/", ".", "~")):
        return remote_host(text)
    return text if "." in text and "/" not in text else ""


def _from_home(machine: Machine, text: str) -> str:
    return machine.home + text[1:] if text == "~" or text.startswith("~/") else text


COPIES: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("scp", "rsync", "sftp"), run_copy),
    **dict.fromkeys(("lftp", "smbclient", "ncftp", "tnftp"), run_session),
    **dict.fromkeys(("ncftpput", "ncftpget"), run_put),
    **dict.fromkeys(("sshfs", "mount", "mount.nfs", "mount.cifs", "mount_nfs", "mount_smbfs"), run_mount),
    **dict.fromkeys(("restic", "borg"), run_backup),
}
