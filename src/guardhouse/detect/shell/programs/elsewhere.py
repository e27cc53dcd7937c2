"""Programs that run commands in other worlds: on another machine, in a container, in a cluster.

The commands are followed as what happens there. Directories that a container is given stay this machine's, and what is
carried in and out of one is read and written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from guardhouse.detect.acts import Scope, Source
from guardhouse.detect.shell.programs.options import parsed
from guardhouse.detect.shell.programs.wrappers import elsewhere, run_inner
from guardhouse.detect.shell.values import Stream
from guardhouse.model import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from guardhouse.detect.shell.programs.options import Parsed
    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Value

_NETWORK: Final = frozenset({Source.NETWORK})
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
    hops = [(value, hop) for value in [*sorted_.values("-J"), *more.values("-J")] for hop in value.text.split(",")]
    for value, hop in (*hops, (host, host.text)):
        machine.act(call, state, Effect.CONNECTS, replace(value, text=hop.rpartition("@")[2]), kind="host")
    if host.text.rpartition("@")[2] in ("localhost", "127.0.0.1", "::1") and command:
        machine.enter_wrapped(" ".join(word.text for word in command), state.copy(), command[0], "ssh")
        return Stream(None)
    if not call.waits and call.stdin.sources & {Source.FILE, Source.SECRET}:
        machine.act(
            call,
            state,
            Effect.SENDS,
            replace(host, text=host.text.rpartition("@")[2]),
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


_IN_CONTAINER: Final = (
    "-a -c -e -h -l -m -p -u -v -w --add-host --attach --cap-add --cap-drop --cgroup-parent --cpus --cpuset-cpus"
    " --device --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd --hostname --ip --ipc"
    " --label"
    " --link --log-driver --log-opt --memory --mount --name --net --network --network-alias --pid --platform --publish"
    " --restart --runtime --security-opt --shm-size --stop-signal --sysctl --tmpfs --ulimit --user --userns --uts"
    " --volume"
    " --volumes-from --workdir --pull -f --file --project-name --profile --index --scale --detach-keys"
)
_CLIENT_VALUED: Final = "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey -f --file -p"
_BUILD_VALUED: Final = (
    "-c -f -m -o -t --add-host --allow --attest --build-arg --build-context --builder --cache-from --cache-to --file"
    " --iidfile --label --memory --metadata-file --network --output --platform --progress --secret --shm-size --ssh"
    " --tag --target --ulimit"
)
_SOCKETS: Final = ("docker.sock", "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock")


def is_runtime_socket(text: str) -> bool:
    """Whether a path is the socket of a program that runs containers: who may write to it may do anything."""
    return text.rstrip("/").endswith(_SOCKETS)


def run_container(machine: Machine, state: State, call: Call) -> Stream:
    """`docker run|exec`, also of compose, followed as what happens in the container; and what goes in and out."""
    sorted_ = parsed(call.args, _CLIENT_VALUED, stop=True)
    words = sorted_.arguments
    _look_at_daemon(machine, state, call, sorted_)
    if words and words[0].text in _GROUPS:
        words = parsed(words[1:], "-f --file -p --project-name --profile --env-file", stop=True).arguments
    if not words:
        return Stream(None)
    verb, rest = words[0].text, words[1:]
    if verb in ("run", "exec", "create"):
        _run_in_container(machine, state, call, verb, rest)
    elif verb in ("build", "b", "bake"):
        _look_at_build(machine, state, call, rest)
    elif verb == "cp":
        _carry(machine, state, call, parsed(rest, "--index").arguments)
    elif verb in ("save", "export"):
        for place in parsed(rest, "-o --output --platform").values("-o --output"):
            machine.write(call, state, place, Stream(None))
    elif verb in ("push", "pull", "login"):
        for image in parsed(rest, "-u -p --username --password --platform").arguments[:1]:
            _reach_registry(machine, state, call, image, login=verb == "login")
    return Stream(None)


_GROUPS: Final = frozenset("compose container image buildx builder".split())


def _look_at_daemon(machine: Machine, state: State, call: Call, sorted_: Parsed) -> None:
    """The machine on which the containers are."""
    held = call.environment.get("DOCKER_HOST") or next(iter(state.variables.values.get("DOCKER_HOST", ())), None)
    for value in [*sorted_.values("-H --host"), *([held] if held is not None else ())]:
        if "://" not in value.text or not value.text.startswith(("unix:", "npipe:", "fd:")):
            machine.act(call, state, Effect.CONNECTS, value, kind="host")


def _run_in_container(machine: Machine, state: State, call: Call, verb: str, rest: list[Value]) -> None:
    inner = parsed(rest, _IN_CONTAINER, stop=True)
    mounts = _look_at_mounts(machine, state, call, inner)
    if verb != "exec":
        for image in inner.arguments[:1]:
            _reach_registry(machine, state, call, image)
    command = inner.arguments[1:]
    entry = inner.values("--entrypoint")
    if entry and entry[0].text:
        command = [entry[0], *command]
    if command:
        directory = next((value.text for value in inner.values("-w --workdir") if value.text.startswith("/")), "/")
        there = elsewhere(state, Scope.CONTAINER, directory)
        there.stdin, there.waits = call.stdin, call.waits
        there.mounts = mounts
        run_inner(machine, there, replace(call, environment={}), command, openly=True)


def _look_at_build(machine: Machine, state: State, call: Call, rest: list[Value]) -> None:
    """A build: where its sources come from, where what it makes goes."""
    sorted_ = parsed(rest, _BUILD_VALUED)
    for value in sorted_.arguments:
        if "://" in value.text:
            machine.act(call, state, Effect.CONNECTS, value, kind="url")
        elif value.text.startswith("git@"):
            machine.act(
                call, state, Effect.CONNECTS, replace(value, text=value.text[4:].partition(":")[0]), kind="host"
            )
    if sorted_.has("--push"):
        for image in sorted_.values("-t --tag"):
            _reach_registry(machine, state, call, image)
    for value in sorted_.values("-o --output --iidfile --metadata-file"):
        fields = _fields(value.text)
        place = fields.get("dest", "") if fields else value.text
        if place and place != "-":
            machine.write(call, state, replace(value, text=place), Stream(None))
    for value in sorted_.values("--secret"):
        fields = _fields(value.text)
        source = fields.get("src") or fields.get("source") or ""
        if source:
            machine.on_path(call, state, Effect.READS, replace(value, text=source))


def _carry(machine: Machine, state: State, call: Call, words: list[Value]) -> None:
    """`cp` from here to a container, or from a container to here."""
    if len(words) != 2:
        return
    source, target = words
    if not _is_in_container(source.text):
        machine.on_path(call, state, Effect.READS, source, recursive=True)
    if not _is_in_container(target.text) and target.text != "-":
        machine.write(call, state, target, Stream(None))


def _is_in_container(text: str) -> bool:
    name, colon, rest = text.partition(":")
    # A single letter before a backslash is a drive; a pod may be named with its namespace.
    return bool(colon) and not name.startswith(("/", ".", "~")) and not rest.startswith("\\")


def _reach_registry(machine: Machine, state: State, call: Call, image: Value, *, login: bool = False) -> None:
    """The host in the name of an image; without one it is the usual registry."""
    host, slash, _ = image.text.partition("/")
    if (slash or login) and ("." in host or ":" in host):
        machine.act(call, state, Effect.CONNECTS, replace(image, text=host), kind="host")


_ROOT_MOUNTS: Final = ("/", "/etc", "/root", "/home", "/var", "/var/run", "/run", "/proc", "/sys", "/dev", "/boot")


def _look_at_mounts(machine: Machine, state: State, call: Call, sorted_: Parsed) -> dict[str, str]:
    """Which directories of this machine the container has, by its own names for them. One that holds the host's root,
    devices or sockets is no container."""
    mounts: dict[str, str] = {}
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
        source, target = _mounted(value.text)
        # Without a slash it is the name of a volume.
        path = state.path(source) if source[:1] in ("/", ".", "~") or "/" in source else ""
        if path and target:
            mounts[target.rstrip("/") or "/"] = path
        if path in _ROOT_MOUNTS or is_runtime_socket(path):
            reasons.append("the container would hold this machine's files")
        elif path:
            machine.on_path(call, state, Effect.READS, replace(value, text=path), recursive=True)
    for reason in reasons[:1]:
        machine.act(call, state, Effect.ESCALATES, call.program, what=reason)
    return mounts


def _mounted(text: str) -> tuple[str, str]:
    """What is mounted, and where; nowhere if nothing can be changed there."""
    fields = _fields(text)
    if fields:
        target = fields.get("target") or fields.get("destination") or fields.get("dst") or ""
        if "readonly" in fields or "ro" in fields:
            target = ""
        return fields.get("source") or fields.get("src") or "", target
    source, _, rest = text.partition(":")
    target, _, mode = rest.partition(":")
    return source, target if "ro" not in mode.split(",") else ""


def _fields(text: str) -> dict[str, str]:
    """`key=value,key=value`; empty if it is none."""
    if "=" not in text.partition(",")[0]:
        return {}
    return dict(field.partition("=")[::2] for field in text.split(","))


def run_kubectl(machine: Machine, state: State, call: Call) -> Stream:
    """`kubectl exec pod -- command`, `kubectl cp`."""
    texts = call.texts
    words = parsed(call.args, "-n -c -s --namespace --container --context --kubeconfig --cluster --retries").arguments
    if words and words[0].text == "cp":
        _carry(machine, state, call, words[1:])
    end = texts.index("--") if "--" in texts else 0
    if "exec" not in texts[:end]:
        return Stream(None)
    command = call.args[end + 1 :]
    if command:
        # What a cluster runs is used by others.
        there = elsewhere(state, Scope.REMOTE)
        there.stdin, there.waits = call.stdin, call.waits
        run_inner(machine, there, replace(call, environment={}), command, openly=True)
    return Stream(None)


ELSEWHERE: Final[dict[str, Callable[[Machine, State, Call], Stream]]] = {
    **dict.fromkeys(("ssh", "autossh", "mosh", "slogin"), run_ssh),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose"), run_container),
    **dict.fromkeys(("kubectl", "oc", "k3s"), run_kubectl),
}
