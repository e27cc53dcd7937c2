"""Programs that reach out: fetch, send, connect, listen, look up.

Where they reach to is noted as an act; whether that may be is the destination rules' to say. What runs on another
machine or in a container is in `elsewhere`, what copies files to and from other machines in `copies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.shell.programs.options import Parsed, matches, parsed
from guardhouse.detect.shell.programs.tables import read_later
from guardhouse.detect.shell.state import Call, State
from guardhouse.detect.shell.values import NOTHING, SILENT, Stream, Value
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guardhouse.detect.shell.running import Machine

_NETWORK: Final = frozenset({Source.NETWORK})
_FILE: Final = frozenset({Source.FILE})


class Client(msgspec.Struct, frozen=True):
    """A program that talks HTTP or the like."""

    names: str
    valued: str
    outputs: str = ""
    """Options whose value is a file for what comes back."""
    writes: str = ""
    """Options whose value is a file for something else: a log, cookies, headers."""
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
    dials: str = ""
    """Options that say which machine is really asked, whatever the URL says."""
    hidden: str = ""
    """Options whose value is a file in which it stands what to fetch."""
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
        " --connect-to --dns-servers --noproxy --socks4 --socks4a --socks5 --socks5-hostname --preproxy --proxy1.0"
        " --doh-url --unix-socket --abstract-unix-socket --url-query --retry-max-time --trace --trace-ascii --stderr"
        " --etag-save --etag-compare --hsts --alt-svc --libcurl --proxy-header --variable",
        outputs="-o --output",
        writes="-c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl",
        named="-O --remote-name --remote-name-all",
        data="-d --data --data-ascii --data-binary --data-urlencode --json -F --form",
        files="-T --upload-file",
        urls="--url",
        dials="-x --proxy --preproxy --proxy1.0 --socks4 --socks4a --socks5 --socks5-hostname --resolve --connect-to"
        " --dns-servers --doh-url",
        hidden="-K --config",
    ),
    Client(
        "wget wget2",
        "-a -B -D -e -i -I -l -o -O -P -Q -R -t -T -U -w -X --append-output --base --execute --input-file --output-file"
        " --output-document --directory-prefix --quota --reject --tries --timeout --user-agent --wait --post-data"
        " --post-file --body-data --body-file --header --method --user --password --http-user --http-password"
        " --proxy-user --proxy-password --ftp-user --ftp-password --referer --ca-certificate --load-cookies"
        " --save-cookies --level --domains --limit-rate --bind-address --secure-protocol --accept --config --warc-file"
        " --rejected-log --hsts-file --dns-servers",
        outputs="-O --output-document",
        writes="-o --output-file -a --append-output --save-cookies --warc-file --rejected-log --hsts-file",
        saves=True,
        data="--post-data --body-data",
        files="--post-file --body-file",
        urls="-B --base",
        dials="-e --execute --dns-servers",
        hidden="-i --input-file --config",
    ),
    Client(
        "http https httpie xh xhs",
        "-a -A -o -s -p -j -f --auth --auth-type --output --style --print --session --proxy --timeout --cert --verify",
        outputs="-o --output",
        named="-d --download",
        dials="--proxy",
    ),
    Client(
        "aria2c",
        "-d -o -x -s -j -k -i -l --dir --out --max-connection-per-server --input-file --log --save-session --conf-path"
        " --all-proxy --http-proxy --https-proxy --ftp-proxy --async-dns-server",
        outputs="-o --out",
        writes="-l --log --save-session",
        saves=True,
        dials="--all-proxy --http-proxy --https-proxy --ftp-proxy --async-dns-server",
        hidden="-i --input-file --conf-path",
    ),
    Client("axel", "-n -o -s -S -U -H -T --output", outputs="-o --output", saves=True),
    Client("lwp-request lwp-download GET POST fetch", "-m -o -i -H -c -t", outputs="-o", saves=False),
    Client("lynx links elinks w3m", "-dump_charset -width -cfg", bare=False),
    Client("tftp", "-m -c -g -p -l -r", outputs="-l"),
    Client("websocat wscat grpcurl", "-c -d -H -import-path -proto", bare=False),
)
_CLIENTS: Final = {name: one for one in CLIENTS for name in one.names.split()}
_METHODS: Final = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS".split())
_ASKING: Final = frozenset("http https httpie xh xhs".split())
"""Programs whose first argument alone is an address."""


def run_client(machine: Machine, state: State, call: Call) -> Stream:
    """A fetch: where to, what is sent, where the answer goes."""
    one = _CLIENTS[call.name]
    sorted_ = parsed(call.args, one.valued)
    urls = [*sorted_.arguments, *(sorted_.values(one.urls) if one.urls else ())]
    if call.name in _ASKING:
        # A port alone is one of this machine's.
        urls = [value for value in urls if value.text not in _METHODS][:1]
        urls = [value for value in urls if not value.text.startswith((":", "/"))]
    targets = [value for value in urls if one.bare or "://" in value.text or "." in value.text]
    dialled = list({value.text: value for value in (*_dialled(one, sorted_), *proxies(machine, state, call))}.values())
    for target in (*targets, *dialled):
        machine.act(call, state, Effect.CONNECTS, target, kind="url")
    if any(target.text.startswith("telnet:") for target in targets):
        machine.noted.add("network")
    if one.hidden and sorted_.has(one.hidden):
        machine.give_up("what it fetches and sends stands in a file")
    for value in sorted_.values("--unix-socket") if call.name == "curl" else []:
        _look_at_socket(machine, state, call, value.text)
    sent = _sent(machine, state, call, one, sorted_)
    if sent is not None:
        # What is sent goes to all of them: whether one is near does not matter if another is not.
        for target in [*targets[:1], *dialled] or [replace(call.program, text=UNKNOWN)]:
            machine.act(call, state, Effect.SENDS, target, kind="url", sources=sent)
    # Data can leave in the address itself.
    for target in targets:
        if target.sources & {Source.SECRET, Source.FILE}:
            machine.act(call, state, Effect.SENDS, target, kind="url", sources=target.sources)
    _write_beside(machine, state, call, one, sorted_)
    return _answer(machine, state, call, one, sorted_, targets)


def _dialled(one: Client, sorted_: Parsed) -> Iterator[Value]:
    """The machines that options name as those to ask."""
    names = one.dials.split()
    for given in sorted_.options:
        name = given.name if given.name in names else next((name for name in names if matches(given.name, name)), "")
        if name and given.value is not None:
            for host in _hosts_in(name, given.value.text):
                yield replace(given.value, text=host)


def _hosts_in(option: str, text: str) -> list[str]:
    """The hosts in the value of an option; each option has its own way to write them."""
    if option == "--resolve":
        return [one for one in text.split(":", 2)[2].split(",") if one] if text.count(":") > 1 else []
    if option == "--connect-to":
        return [host for host in [text.split(":", 2)[2]] if host.strip(":")] if text.count(":") > 1 else []
    if option in ("--dns-servers", "--async-dns-server"):
        return [one for one in text.split(",") if one]
    if option in ("-e", "--execute"):
        name, _, value = text.partition("=")
        return [value.strip()] if name.strip().lower().endswith("_proxy") and value.strip() else []
    # `--proxy http:http://host` of some clients says for which kind of address.
    scheme, _, rest = text.partition(":")
    return [rest if scheme in ("http", "https", "all") and "://" in rest else text]


def proxies(machine: Machine, state: State, call: Call) -> list[Value]:
    """The machines that variables name as those through which everything goes."""
    machine.spend(len(state.variables.values) // 8)
    given = {
        **{name: values[0] for name, values in state.variables.values.items() if _is_proxy(name) and values},
        **{name: value for name, value in call.environment.items() if _is_proxy(name)},
    }
    return [value for value in given.values() if value.text]


def _is_proxy(name: str) -> bool:
    return name[-6:].lower() == "_proxy" and name.lower() not in ("no_proxy", "use_proxy")


def _look_at_socket(machine: Machine, state: State, call: Call, text: str) -> None:
    from guardhouse.detect.shell.programs.elsewhere import is_runtime_socket

    if is_runtime_socket(text):
        machine.act(call, state, Effect.ESCALATES, call.program, what="whoever runs containers here may do anything")


_OUTPUT_MARK: Final = "%output{"


def _write_beside(machine: Machine, state: State, call: Call, one: Client, sorted_: Parsed) -> None:
    """Files that are written besides the answer: what is in them is mostly the other side's to choose."""
    places = [value for value in (sorted_.values(one.writes) if one.writes else []) if value.text not in ("-", "%")]
    for value in sorted_.values("-w --write-out") if call.name == "curl" else []:
        for piece in value.text.split(_OUTPUT_MARK)[1:]:
            places.append(replace(value, text=piece.partition("}")[0].removeprefix(">>")))
    for place in places:
        machine.write(call, state, _at_home(machine, place), Stream(None, _NETWORK), append=True)


def _at_home(machine: Machine, place: Value) -> Value:
    return replace(place, text=machine.home + place.text[1:]) if place.text.startswith("~/") else place


def _sent(machine: Machine, state: State, call: Call, one: Client, sorted_: Parsed) -> frozenset[Source] | None:
    """Where what is sent comes from; None if nothing is."""
    sources: frozenset[Source] | None = None
    for value in sorted_.values(one.data) if one.data else []:
        sources = (sources or NOTHING) | value.sources
        at = value.text.find("@")
        name = value.text[:at] if at >= 0 else ""
        if at >= 0 and (at == 0 or name.endswith("=")) and call.name not in ("wget",):
            sources |= _content(machine, state, call, replace(value, text=value.text[at + 1 :].partition(";")[0]))
    for value in sorted_.values(one.files) if one.files else []:
        sources = (sources or NOTHING) | _content(machine, state, call, value)
    for value in sorted_.values("-H --header -u --user -b --cookie") if one.data else []:
        if value.sources & {Source.FILE}:
            sources = (sources or NOTHING) | value.sources
    return sources


def _content(machine: Machine, state: State, call: Call, place: Value) -> frozenset[Source]:
    if place.text in ("-", "/dev/stdin"):
        return call.stdin.sources or (_FILE if call.stdin.text is None and not call.waits else NOTHING)
    return machine.read(state, _at_home(machine, place)).sources


def _answer(machine: Machine, state: State, call: Call, one: Client, sorted_: Parsed, targets: list[Value]) -> Stream:
    fetched = Stream(None, _NETWORK)
    outputs = sorted_.values(one.outputs) if one.outputs else []
    if any(place.text == "-" for place in outputs):
        return fetched
    directory = next((place.text for place in sorted_.values("-P --directory-prefix --output-dir -d --dir")), "")
    for place in outputs:
        inside = bool(directory) and not place.text.startswith("/")
        machine.write(call, state, replace(place, text=f"{directory}/{place.text}") if inside else place, fetched)
    if outputs:
        return SILENT
    if one.saves or (one.named and (sorted_.has(one.named) or any(g.name == "-O" for g in sorted_.options))):
        for target in targets:
            name = target.text.partition("?")[0].rstrip("/").rpartition("/")[2]
            place = replace(target, text=f"{directory}/{name}" if directory else name, pattern=False)
            machine.write(call, state, place, fetched)
        return SILENT
    return fetched


def run_netcat(machine: Machine, state: State, call: Call) -> Stream:
    """`nc` and its kin: a host and a port, or a port to listen on."""
    sorted_ = parsed(
        call.args, "-e -c -g -G -i -I -O -P -p -q -s -T -V -w -W -X -x --exec --sh-exec --lua-exec --proxy"
    )
    words = sorted_.arguments
    if sorted_.has("-U --unixsock"):
        for word in words:
            _look_at_socket(machine, state, call, word.text)
        return Stream(None)
    machine.noted.add("network")
    for proxy in sorted_.values("-x --proxy"):
        machine.act(call, state, Effect.CONNECTS, proxy, kind="host")
    if sorted_.has("-l --listen") or any(one.name == "-l" for one in sorted_.options):
        port = (sorted_.values("-p") or words or [replace(call.program, text="")])[-1]
        machine.act(call, state, Effect.LISTENS, port, kind="host", sources=_piped(call))
    elif not sorted_.has("-z"):
        host = words[0] if words else replace(call.program, text=UNKNOWN)
        port_text = words[1].text if len(words) > 1 else ""
        target = replace(host, text=f"{host.text}:{port_text}" if port_text else host.text)
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
        elif kind.startswith(("unix", "abstract", "gopen")) and "listen" not in kind:
            _look_at_socket(machine, state, call, address)
        elif "listen" in kind:
            machine.act(call, state, Effect.LISTENS, replace(value, text=address), kind="host")
        elif kind.startswith(("tcp", "udp", "openssl", "sctp", "ssl")):
            machine.act(call, state, Effect.CONNECTS, replace(value, text=address), kind="host")
        elif kind in ("file", "open", "create", "gopen") and network:
            effect = Effect.SENDS if value is ends[0] or "rdonly" in rest else Effect.WRITES
            if effect is Effect.SENDS:
                machine.act(
                    call,
                    state,
                    effect,
                    "",
                    kind="host",
                    sources=machine.read(state, replace(value, text=address)).sources,
                )
            else:
                machine.write(call, state, replace(value, text=address), Stream(None, _NETWORK))
    if (network and "-" in kinds) or "stdin" in kinds:
        sources = _piped(call)
        if sources:
            machine.act(call, state, Effect.SENDS, "", kind="host", sources=sources)
    return Stream(None, _NETWORK)


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
    **dict.fromkeys("dig nslookup host drill ping ping6 traceroute tracepath mtr whois getent".split(), run_lookup),
    **dict.fromkeys(("telnet", "ftp", "rlogin", "openssl"), run_connect),
    **dict.fromkeys("mail mailx sendmail mutt swaks msmtp s-nail".split(), run_mail),
    **read_later("copies"),
    **read_later("elsewhere"),
}
