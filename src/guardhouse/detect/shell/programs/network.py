"""Programs that reach out: fetch, send, connect, listen, and those that run commands on other machines.

Where they reach to is noted as an act; whether that may be is the destination rules' to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from guardhouse.detect.acts import UNKNOWN, Scope, Source
from guardhouse.detect.shell.programs.options import Parsed, parsed
from guardhouse.detect.shell.programs.wrappers import elsewhere, run_inner
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.running import Machine

_NETWORK: Final = frozenset({Source.NETWORK})
_FILE: Final = frozenset({Source.FILE})


class Client(NamedTuple):
    """A program that talks HTTP or the like."""

    names: str
    valued: str
    outputs: str = ""
    """Options whose value is a file for what comes back."""
    named: str = ""
    """Options with which the file is named after the URL."""
    saves: bool = False
    """It saves to a file named after the URL unless told otherwise."""
    data: str = ""
    """Options whose value is sent; a file if it begins with `@`."""
    files: str = ""
    """Options whose value is a file that is sent."""
    urls: str = ""
    """Options whose value is a URL."""
    bare: bool = True
    """An argument without a scheme is a host too."""


CLIENTS: Final = (
    Client(
        "curl curlie",
        "-A -b -c -C -d -D -e -E -F -h -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --user-agent --cookie"
        " --cookie-jar --data --data-ascii --data-binary --data-raw --data-urlencode --json --dump-header --referer"
        " --cert --form --form-string --header --config --max-time --output --quote --range --upload-file --user"
        " --proxy-user --write-out --proxy --request --retry --retry-delay --connect-timeout --cacert --capath --key"
        " --resolve --output-dir --url --interface --limit-rate --max-redirs --oauth2-bearer --aws-sigv4 --ciphers"
        " --connect-to --dns-servers --noproxy --socks5 --socks5-hostname --unix-socket --url-query --retry-max-time",
        outputs="-o --output",
        named="-O --remote-name",
        data="-d --data --data-ascii --data-binary --data-urlencode --json -F --form",
        files="-T --upload-file",
        urls="--url -x --proxy --socks5 --socks5-hostname",
    ),
    Client(
        "wget wget2",
        "-a -B -D -e -i -I -l -o -O -P -Q -R -t -T -U -w -X --append-output --base --execute --input-file --output-file"
        " --output-document --directory-prefix --quota --reject --tries --timeout --user-agent --wait --post-data"
        " --post-file --body-data --body-file --header --method --user --password --http-user --http-password"
        " --proxy-user --proxy-password --ftp-user --ftp-password --referer --ca-certificate --load-cookies"
        " --save-cookies --level --domains --limit-rate --no-proxy --bind-address --secure-protocol --accept",
        outputs="-O --output-document",
        saves=True,
        data="--post-data --body-data",
        files="--post-file --body-file",
    ),
    Client(
        "http https httpie xh xhs",
        "-a -A -o -s -p -j -f --auth --auth-type --output --style --print --session --proxy --timeout --cert --verify",
        outputs="-o --output",
        named="-d --download",
        bare=False,
    ),
    Client("aria2c axel", "-d -o -x -s -j -k -i -l --dir --out --max-connection-per-server", outputs="-o", saves=True),
    Client("lwp-request lwp-download GET POST fetch", "-m -o -i -H -c -t", outputs="-o", saves=False),
    Client("lynx links elinks w3m", "-dump_charset -width -cfg", bare=False),
    Client("tftp", "-m -c -g -p -l -r", outputs="-l"),
    Client("websocat wscat grpcurl", "-c -d -H -import-path -proto", bare=False),
)
_CLIENTS: Final = {name: one for one in CLIENTS for name in one.names.split()}
_METHODS: Final = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS".split())


def run_client(machine: Machine, state: State, call: Call) -> Stream:
    """A fetch: where to, what is sent, where the answer goes."""
    one = _CLIENTS[call.name]
    sorted_ = parsed(call.args, one.valued)
    urls = [*sorted_.arguments, *(sorted_.values(one.urls) if one.urls else ())]
    if call.name in ("http", "https", "xh", "xhs", "httpie"):
        urls = [value for value in urls if value.text not in _METHODS][:1]
    targets = [value for value in urls if one.bare or "://" in value.text or "." in value.text]
    for target in targets:
        machine.act(call, state, Effect.CONNECTS, target, kind="url")
    if any(target.text.startswith("telnet:") for target in targets):
        machine.noted.add("network")
    if call.name == "curl" and sorted_.has("-K --config"):
        machine.give_up("what it fetches and sends stands in a file")
    sent = _sent(machine, state, call, one, sorted_)
    if sent is not None:
        for target in targets[:1] or [call.program._replace(text=UNKNOWN)]:
            machine.act(call, state, Effect.SENDS, target, kind="url", sources=sent)
    # Data can leave in the address itself.
    for target in targets:
        if target.sources & {Source.SECRET, Source.FILE}:
            machine.act(call, state, Effect.SENDS, target, kind="url", sources=target.sources)
    return _answer(machine, state, call, one, sorted_, targets)


def _sent(machine: Machine, state: State, call: Call, one: Client, sorted_: Parsed) -> frozenset[Source] | None:
    """Where what is sent comes from; None if nothing is."""
    sources: frozenset[Source] | None = None
    for value in sorted_.values(one.data) if one.data else []:
        sources = (sources or NOTHING) | value.sources
        at = value.text.find("@")
        name = value.text[:at] if at >= 0 else ""
        if at >= 0 and (at == 0 or name.endswith("=")) and call.name not in ("wget",):
            sources |= _content(machine, state, call, value._replace(text=value.text[at + 1 :].partition(";")[0]))
    for value in sorted_.values(one.files) if one.files else []:
        sources = (sources or NOTHING) | _content(machine, state, call, value)
    for value in sorted_.values("-H --header -u --user -b --cookie") if one.data else []:
        if value.sources & {Source.FILE}:
            sources = (sources or NOTHING) | value.sources
    return sources


def _content(machine: Machine, state: State, call: Call, place: Value) -> frozenset[Source]:
    if place.text in ("-", "/dev/stdin"):
        return call.stdin.sources or (_FILE if call.stdin.text is None and not call.waits else NOTHING)
    text = place.text
    stream = machine.read(state, place._replace(text=machine.home + text[1:] if text.startswith("~/") else text))
    return stream.sources


def _answer(machine: Machine, state: State, call: Call, one: Client, sorted_: Parsed, targets: list[Value]) -> Stream:
    fetched = Stream(None, _NETWORK)
    outputs = sorted_.values(one.outputs) if one.outputs else []
    if any(place.text == "-" for place in outputs):
        return fetched
    directory = next((place.text for place in sorted_.values("-P --directory-prefix --output-dir -d --dir")), "")
    for place in outputs:
        inside = bool(directory) and not place.text.startswith("/")
        machine.write(call, state, place._replace(text=f"{directory}/{place.text}") if inside else place, fetched)
    if outputs:
        return SILENT
    if one.saves or (one.named and (sorted_.has(one.named) or any(g.name == "-O" for g in sorted_.options))):
        for target in targets:
            name = target.text.partition("?")[0].rstrip("/").rpartition("/")[2]
            place = target._replace(text=f"{directory}/{name}" if directory else name, pattern=False)
            machine.write(call, state, place, fetched)
        return SILENT
    return fetched


def run_netcat(machine: Machine, state: State, call: Call) -> Stream:
    """`nc` and its kin: a host and a port, or a port to listen on."""
    sorted_ = parsed(
        call.args, "-e -c -g -G -i -I -O -P -p -q -s -T -V -w -W -X -x --exec --sh-exec --lua-exec --proxy"
    )
    words = sorted_.arguments
    machine.noted.add("network")
    if sorted_.has("-l --listen") or any(one.name == "-l" for one in sorted_.options):
        port = (sorted_.values("-p") or words or [call.program._replace(text="")])[-1]
        machine.act(call, state, Effect.LISTENS, port, kind="host", sources=_piped(call))
    elif not sorted_.has("-z"):
        host = words[0] if words else call.program._replace(text=UNKNOWN)
        port_text = words[1].text if len(words) > 1 else ""
        target = host._replace(text=f"{host.text}:{port_text}" if port_text else host.text)
        machine.act(call, state, Effect.CONNECTS, target, kind="host")
        if not call.waits and (call.stdin.sources or call.stdin.text is None):
            machine.act(call, state, Effect.SENDS, target, kind="host", sources=_piped(call))
    else:
        for host in words[:1]:
            machine.act(call, state, Effect.CONNECTS, host, kind="host")
    for code in sorted_.values("-e -c --exec --sh-exec"):
        machine.act(call, state, Effect.SPAWNS_SHELL, code, sources=_NETWORK)
        machine.enter(code.text, state.copy(), code)
    return Stream(None, _NETWORK)


def _piped(call: Call) -> frozenset[Source]:
    if call.waits:
        return NOTHING
    return call.stdin.sources or (_FILE if call.stdin.text is None else NOTHING)


def run_socat(machine: Machine, state: State, call: Call) -> Stream:
    """`socat`: two ends, each a kind with an address."""
    ends = [value for value in call.args if value.text[:1] != "-" or value.text == "-"]
    kinds = [value.text.partition(":")[0].lower() for value in ends]
    machine.noted.add("network")
    network = any(kind.startswith(("tcp", "udp", "openssl", "sctp", "vsock", "ssl", "socks")) for kind in kinds)
    for value, kind in zip(ends, kinds, strict=True):
        rest = value.text.partition(":")[2]
        address = rest.partition(",")[0]
        if kind in ("exec", "system", "shell"):
            if network:
                machine.act(call, state, Effect.SPAWNS_SHELL, value, sources=_NETWORK)
            machine.enter_wrapped(address.strip("'\""), state.copy(), value, "socat")
        elif "listen" in kind:
            machine.act(call, state, Effect.LISTENS, value._replace(text=address), kind="host")
        elif kind.startswith(("tcp", "udp", "openssl", "sctp", "ssl")):
            machine.act(call, state, Effect.CONNECTS, value._replace(text=address), kind="host")
        elif kind in ("file", "open", "create", "gopen") and network:
            effect = Effect.SENDS if value is ends[0] or "rdonly" in rest else Effect.WRITES
            if effect is Effect.SENDS:
                machine.act(
                    call,
                    state,
                    effect,
                    "",
                    kind="host",
                    sources=machine.read(state, value._replace(text=address)).sources,
                )
            else:
                machine.write(call, state, value._replace(text=address), Stream(None, _NETWORK))
    if (network and "-" in kinds) or "stdin" in kinds:
        sources = _piped(call)
        if sources:
            machine.act(call, state, Effect.SENDS, "", kind="host", sources=sources)
    return Stream(None, _NETWORK)


_SSH_VALUED: Final = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"


def run_ssh(machine: Machine, state: State, call: Call) -> Stream:
    """`ssh host command`: the command is followed as what happens there."""
    sorted_ = parsed(call.args, _SSH_VALUED, stop=True)
    words = sorted_.arguments
    if not words:
        return Stream(None)
    host = words[0]
    # Options may follow the host.
    more = parsed(words[1:], _SSH_VALUED, stop=True)
    command = more.arguments
    machine.noted.add("network")
    machine.act(call, state, Effect.CONNECTS, host._replace(text=host.text.rpartition("@")[2]), kind="host")
    if host.text.rpartition("@")[2] in ("localhost", "127.0.0.1", "::1") and command:
        machine.enter_wrapped(" ".join(word.text for word in command), state.copy(), command[0], "ssh")
        return Stream(None)
    if not call.waits and call.stdin.sources & {Source.FILE, Source.SECRET}:
        machine.act(
            call,
            state,
            Effect.SENDS,
            host._replace(text=host.text.rpartition("@")[2]),
            kind="host",
            sources=call.stdin.sources,
        )
    if sorted_.has("-R") or more.has("-R"):
        machine.act(call, state, Effect.LISTENS, host, kind="host", what="a port there would lead to this machine")
    inner = elsewhere(state, Scope.REMOTE)
    inner.stdin, inner.waits = call.stdin, call.waits
    if command:
        machine.enter(" ".join(word.text for word in command), inner, command[0])
    elif not call.waits and call.stdin.text is not None:
        machine.enter(call.stdin.text, inner, call.program)
    return Stream(None, _NETWORK)


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
    remote = [_remote_host(word.text) for word in words]
    for word, host in zip(words, remote, strict=True):
        if host:
            machine.act(call, state, Effect.CONNECTS, word._replace(text=host), kind="host")
    if any(remote):
        machine.noted.add("network")
    if len(words) < 2:
        return Stream(None)
    if remote[-1]:
        for place in words[:-1]:
            path = place._replace(text=machine.home + place.text[1:] if place.text.startswith("~/") else place.text)
            sources = machine.read(state, path).sources
            machine.act(
                call, state, Effect.SENDS, words[-1]._replace(text=remote[-1]), kind="host", sources=sources | _FILE
            )
    else:
        machine.write(call, state, words[-1], Stream(None, _NETWORK if any(remote) else NOTHING))
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
    target = (words[0] if words else call.program)._replace(text=host)
    machine.act(call, state, Effect.CONNECTS, target, kind="host")
    for line in (call.stdin.text or "").split("\n")[:64]:
        verb, _, rest = line.strip().partition(" ")
        if verb in ("put", "mput", "reput") and rest.split():
            sources = machine.read(state, call.program._replace(text=rest.split()[0])).sources
            machine.act(call, state, Effect.SENDS, target, kind="host", sources=sources | _FILE)
    return Stream(None)


def _remote_host(text: str) -> str:
    """The host of `user@host:path`, `host::module` and URLs; empty for a local path."""
    if "://" in text:
        return text
    head, colon, _rest = text.partition(":")
    if not colon or "/" in head or not head or (len(head) == 1 and head.isalpha()):
        return ""
    return head.rpartition("@")[2]


_IN_CONTAINER: Final = (
    "-a -c -e -h -l -m -p -u -v -w --add-host --attach --cap-add --cap-drop --cgroup-parent --cpus --cpuset-cpus"
    " --device --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd --hostname --ip --ipc"
    " --label"
    " --link --log-driver --log-opt --memory --mount --name --net --network --network-alias --pid --platform --publish"
    " --restart --runtime --security-opt --shm-size --stop-signal --sysctl --tmpfs --ulimit --user --userns --uts"
    " --volume"
    " --volumes-from --workdir --pull -f --file --project-name --profile --index --scale --detach-keys"
)


def run_container(machine: Machine, state: State, call: Call) -> Stream:
    """`docker run|exec`, also of compose: the command is followed as what happens in the container."""
    sorted_ = parsed(
        call.args,
        "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey -f --file -p",
        stop=True,
    )
    words = sorted_.arguments
    if words and words[0].text in ("compose", "container"):
        words = parsed(words[1:], "-f --file -p --project-name --profile --env-file", stop=True).arguments
    if not words or words[0].text not in ("run", "exec"):
        return Stream(None)
    inner = parsed(words[1:], _IN_CONTAINER, stop=True)
    _look_at_mounts(machine, state, call, inner)
    command = inner.arguments[1:]
    entry = inner.values("--entrypoint")
    if entry and entry[0].text:
        command = [entry[0], *command]
    if command:
        there = elsewhere(state, Scope.CONTAINER)
        there.stdin, there.waits = call.stdin, call.waits
        run_inner(machine, there, call._replace(environment={}), command, openly=True)
    return Stream(None)


_ROOT_MOUNTS: Final = ("/", "/etc", "/root", "/home", "/var", "/var/run", "/run", "/proc", "/sys", "/dev", "/boot")


def _look_at_mounts(machine: Machine, state: State, call: Call, sorted_: Parsed) -> None:
    """A container that holds the host's root, devices or sockets is no container."""
    reasons = []
    if any(one.name == "--privileged" and (one.value is None or one.value.text != "false") for one in sorted_.options):
        reasons.append("the container would have all rights on this machine")
    for value in sorted_.values("--pid --ipc --userns --uts --net --network --cgroupns"):
        if value.text == "host" and not sorted_.has("--net --network"):
            reasons.append("the container would share this machine's processes")
    for value in sorted_.values("--cap-add"):
        if value.text.upper().removeprefix("CAP_") in (
            "ALL",
            "SYS_ADMIN",
            "SYS_PTRACE",
            "SYS_MODULE",
            "DAC_READ_SEARCH",
        ):
            reasons.append("the container would have rights over this machine")
    for value in sorted_.values("-v --volume --mount"):
        source = _mount_source(value.text)
        path = state.path(source) if source[:1] in ("/", ".", "~") else ""
        if path in _ROOT_MOUNTS or path.endswith("docker.sock"):
            reasons.append("the container would hold this machine's files")
        elif path:
            machine.on_path(call, state, Effect.READS, value._replace(text=path), recursive=True)
    for reason in reasons[:1]:
        machine.act(call, state, Effect.ESCALATES, call.program, what=reason)


def _mount_source(text: str) -> str:
    if "=" in text:
        fields = dict(field.partition("=")[::2] for field in text.split(","))
        return fields.get("source") or fields.get("src") or ""
    return text.partition(":")[0]


def run_kubectl(machine: Machine, state: State, call: Call) -> Stream:
    """`kubectl exec pod -- command`."""
    texts = call.texts
    if "exec" not in texts[:6] or "--" not in texts:
        return Stream(None)
    command = call.args[texts.index("--") + 1 :]
    if command:
        # What a cluster runs is used by others.
        there = elsewhere(state, Scope.REMOTE)
        there.stdin, there.waits = call.stdin, call.waits
        run_inner(machine, there, call._replace(environment={}), command, openly=True)
    return Stream(None)


_LOOKUPS_VALUED: Final = "-b -c -f -k -p -q -t -x -y -W -i -s -I -w -n -l"


def run_lookup(machine: Machine, state: State, call: Call) -> Stream:
    """Names that are looked up, and hosts that are pinged: a name made of data tells the data."""
    for value in parsed(call.args, _LOOKUPS_VALUED).arguments:
        if value.sources & {Source.FILE, Source.SECRET, Source.DYNAMIC} and "." in value.text:
            machine.act(call, state, Effect.SENDS, value, kind="host", sources=value.sources)
    return Stream(None)


def run_connect(machine: Machine, state: State, call: Call) -> Stream:
    """`telnet`, `openssl s_client`, `ftp`: a connection whose answer comes out."""
    if call.name == "openssl" and "s_client" not in call.texts[:1]:
        return Stream(None)
    sorted_ = parsed(
        call.args[1:] if call.name == "openssl" else call.args,
        "-connect -l -b -e -n -X -S -p -h",
        single=call.name == "openssl",
    )
    targets = sorted_.values("-connect") if call.name == "openssl" else sorted_.arguments[:1]
    machine.noted.add("network")
    for target in targets:
        machine.act(call, state, Effect.CONNECTS, target, kind="host")
        if not call.waits and _piped(call) & {Source.FILE, Source.SECRET}:
            machine.act(call, state, Effect.SENDS, target, kind="host", sources=_piped(call))
    return Stream(None, _NETWORK)


def run_mail(machine: Machine, state: State, call: Call) -> Stream:
    """Mail with a file in it, or out of one."""
    sorted_ = parsed(call.args, "-a -A -s -c -b -r -S -q --attach --subject -f -F -i -H")
    attached = [value for value in sorted_.values("-a -A --attach -q -i -H") if "/" in value.text or "." in value.text]
    sources = _piped(call) & {Source.FILE, Source.SECRET}
    for value in attached:
        sources |= machine.read(state, value).sources
    if sources:
        machine.act(
            call, state, Effect.SENDS, sorted_.arguments[-1] if sorted_.arguments else "", kind="thing", sources=sources
        )
    return Stream(None)


NETWORK: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(_CLIENTS, run_client),
    **dict.fromkeys("nc ncat netcat nc.traditional nc.openbsd".split(), run_netcat),
    **dict.fromkeys(("socat", "socat1"), run_socat),
    **dict.fromkeys(("ssh", "autossh", "mosh", "slogin"), run_ssh),
    **dict.fromkeys(("scp", "rsync", "sftp"), run_copy),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose"), run_container),
    **dict.fromkeys(("kubectl", "oc", "k3s"), run_kubectl),
    **dict.fromkeys("dig nslookup host drill ping ping6 traceroute tracepath mtr whois getent".split(), run_lookup),
    **dict.fromkeys(("telnet", "ftp", "rlogin", "openssl"), run_connect),
    **dict.fromkeys("mail mailx sendmail mutt swaks msmtp s-nail".split(), run_mail),
}
