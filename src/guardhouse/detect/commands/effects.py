"""From what a command would do to findings: each act, with the place or the host it is about, under its reason code.

This says what an act means, not what to do about it: that is policy's. Paths are judged as written and where their
links lead, hosts by the destination rules; what is harmless is still a finding that rules can speak of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.detect.acts import UNKNOWN, Act, Scope, Source
from guardhouse.detect.commands import codes
from guardhouse.detect.destinations import ANYBODYS, CONNECTS, OWN_SOCKET, anybodys
from guardhouse.detect.exfil import OUTBOUND
from guardhouse.detect.own_sockets import (
    has_own_port,
    is_own,
    is_own_by_name,
    is_this_machine,
    may_be_own,
    speaks_of_daemon,
)
from guardhouse.detect.paths import (
    HOOK_FILES,
    OUTSIDE,
    OWN_FILES,
    PERSISTENCE_WRITE,
    SENSITIVE_READ,
    SYSTEM_WRITE,
    TOUCHED,
    WORK,
    WORK_WRITE,
    Place,
    holds_own_place,
    holds_own_place_near,
    holds_secrets,
    inside,
    other_readings,
    own_place,
    place_of,
    project_directory,
    tidy,
)
from guardhouse.detect.paths.places import SYSTEM_ROOTS
from guardhouse.detect.paths.wildcards import GLOB_CHARACTERS, name_matches
from guardhouse.detect.smuggling import ANYBODYS_PLACE
from guardhouse.detect.smuggling.places import anybodys_place
from guardhouse.model import Confidence, Effect, Finding, PathClass, Severity, Span
from guardhouse.net import CODES as NET_CODES
from guardhouse.net import BadDestination, Refusal, address_class, parse_destination

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.detect.commands.reading import Seen
    from guardhouse.detect.interface import Leaf, Scene
    from guardhouse.model import ReasonCode
    from guardhouse.net import NetworkRules
    from guardhouse.net.destination import Destination

_MOST_PATHS: Final = 64
"""Paths of one command whose links are followed. Those of more are judged as they are written."""
_MOST_HOSTS: Final = 16
_CHANGES: Final = frozenset({Effect.WRITES, Effect.OVERWRITES, Effect.DELETES, Effect.MUTATES})
_FILE_DATA: Final = frozenset({Source.FILE})


class Effects:
    """The findings of one call's acts."""

    def __init__(self, scene: Scene, detector: str) -> None:
        self._scene = scene
        self._detector = detector
        self._project = tidy(project_directory(scene))
        self._followed = 0
        self._hosts: set[str] = set()

    def ask(self, seen: Seen) -> None:
        """Ask for every fact that the findings will depend on."""
        for act in seen.acts:
            if act.kind == "path" and act.target.startswith("/") and act.scope is Scope.LOCAL:
                self._real(act.target.replace(UNKNOWN, "*"))
            elif act.effect is Effect.CONNECTS:
                destination, refused = self._destination(act)
                if destination is not None and refused is None:
                    self._refusal(destination, act.program)

    def findings(self, seen: Seen) -> Iterator[Finding]:
        """What the acts of one command mean."""
        if self._scene.settings.sockets:
            yield from self._to_daemon(seen)
        for act in seen.acts:
            yield from self._of(act, seen.leaf)
        if self._followed >= _MOST_PATHS:
            unread = Act(effect=Effect.UNANALYSABLE, what="it names too many files")
            yield self._finding(codes.UNANALYSABLE, unread, seen.leaf)
        if seen.leaf is not None and seen.leaf.secrets:
            yield from self._carried(seen)

    def _carried(self, seen: Seen) -> Iterator[Finding]:
        """A secret that is written out in a command that reaches another machine."""
        for act, destination, refused in self._outgoing(seen):
            host = destination.host if destination is not None else None
            code = OUTBOUND if refused is None else codes.SECRET_OUT
            yield self._finding(code, act, seen.leaf, host=host)

    def reached(self, seen: Seen) -> Iterator[str | None]:
        """Every other machine that a command reaches; None for one that can't be told."""
        for _act, destination, _refused in self._outgoing(seen):
            yield destination.host if destination is not None else None

    def _outgoing(self, seen: Seen) -> Iterator[tuple[Act, Destination | None, Refusal | None]]:
        for act in seen.acts:
            if act.effect in (Effect.CONNECTS, Effect.SENDS):
                destination, refused = self._destination(act)
                if destination is None or not _is_loopback(destination.host):
                    yield act, destination, refused

    def _of(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        effect = act.effect
        if act.kind == "guard":
            return  # told already, and whether or not the command is allowed
        if act.kind == "name":
            yield from self._on_name(act, leaf)
        elif act.kind == "path" and effect is not Effect.EXECUTES:
            yield from self._on_path(act, leaf)
        elif effect is Effect.CONNECTS or (effect is Effect.SENDS and act.kind in ("url", "host")):
            yield from self._on_host(act, leaf)
        elif effect is Effect.EXECUTES:
            yield from self._on_code(act, leaf)
        elif effect is Effect.SPAWNS_SHELL:
            remote = Source.NETWORK in act.sources
            yield self._finding(codes.REMOTE_SHELL if remote else codes.SPAWNS_SHELL, act, leaf)
        elif effect is Effect.LISTENS and act.sources & _FILE_DATA:
            yield self._finding(codes.SENDS_FILE, act, leaf)
        else:
            code = _PLAIN.get(effect)
            if code is not None:
                yield self._finding(code, act, leaf)

    # Files.

    def _on_path(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        if act.scope is not Scope.LOCAL:
            yield from self._elsewhere(act, leaf)
            return
        path = act.target
        if not path.startswith("/"):
            # Only the run would show where it is.
            if act.effect is Effect.DELETES and (act.recursive or act.unplaced):
                yield self._finding(codes.DELETES_UNKNOWN, act, leaf)
            elif act.effect in _CHANGES and act.unplaced and act.program != "touch":
                yield self._finding(codes.WRITES_UNKNOWN, act, leaf)
            return
        if path.startswith("/dev/fd/") and path[8:].isdigit():
            # What is behind it was seen when it was opened.
            return
        known = path.replace(UNKNOWN, "*")
        if act.certainty is not Confidence.HIGH and known.startswith("/*"):
            # Anywhere at all, and only if a variable is empty.
            if act.effect is Effect.DELETES:
                yield self._finding(codes.DELETES_UNKNOWN, act, leaf)
            return
        places = [self._place(known, act)]
        real = self._real(known)
        if real is not None and real != known:
            places.append(self._place(real, act))
        yield from self._on_floor(act, leaf, places)
        worst = max(places, key=lambda place: _DELICATE.get(place.path_class, 0))
        if act.vague and act.effect in _CHANGES:
            # It may well be another file that is changed.
            if worst.path_class is PathClass.PERSISTENCE:
                yield self._on_place(PERSISTENCE_WRITE, act, leaf, worst)
            return
        yield self._on_place(TOUCHED, act, leaf, worst)
        if act.effect in _CHANGES and worst.path_class in WORK:
            yield self._on_place(WORK_WRITE, act, leaf, worst)
        for place in places:
            code = self._less(act, self._code(act, place), place)
            if code is not None:
                yield self._on_place(code, act, leaf, place)
                break

    def _on_floor(self, act: Act, leaf: Leaf | None, places: list[Place]) -> Iterator[Finding]:
        """What nobody may allow: places of the guard's, and settings that decide whether an agent calls it."""
        for place in places:
            if self._is_own(place, act):
                yield self._on_place(OWN_FILES, act, leaf, place, PathClass.GUARD)
            elif place.hooks is not None and (act.effect in _CHANGES or act.vague):
                yield self._on_place(HOOK_FILES, act, leaf, place, detail=place.hooks)

    def _less(self, act: Act, code: ReasonCode | None, place: Place) -> ReasonCode | None:
        """What is left of a code where the act depends on a variable being empty or a directory not being there."""
        if act.certainty is Confidence.HIGH:
            return code
        if code is codes.DELETES_EVERYTHING:
            return codes.DELETES_UNKNOWN
        return None if code is OUTSIDE or (code is SYSTEM_WRITE and place.path.count("/") < 2) else code

    def _on_name(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        """A place of the guard's is named to a program that may do more than look."""
        if act.scope is not Scope.LOCAL or not act.target.startswith("/") or act.program in _LOOKERS:
            return
        for path in (act.target, *other_readings(act.target)):
            own = own_place(self._scene, path.replace(UNKNOWN, "*"))
            if own is not None and not own.usable:
                yield self._on_place(OWN_FILES, act, leaf, Place(path, own=own), PathClass.GUARD)
                return

    def _real(self, path: str) -> str | None:
        """Where the path leads; None if that is not to be found out, or not known yet."""
        if not GLOB_CHARACTERS.isdisjoint(path) or len(path) > 1024 or self._followed >= _MOST_PATHS:
            return None
        self._followed += 1
        answer = self._scene.real_path(path)
        return answer.path if answer is not None and not answer.error and answer.path.startswith("/") else None

    def _place(self, path: str, act: Act) -> Place:
        # What is copied to a temporary directory decides nothing there.
        aside = act.effect is Effect.WRITES and self._in_temp(path) and not inside(path, self._project)
        return place_of(self._scene, path, whole=_is_whole(act) and not aside)

    def _is_own(self, place: Place, act: Act) -> bool:
        if place.own is not None:
            unseen = not place.own.readable or act.program not in _LOOKERS
            return act.effect in _CHANGES or (unseen and not place.own.usable)
        if act.effect is Effect.DELETES:
            return holds_own_place(self._scene, place.path)
        return _is_whole(act) and holds_own_place_near(self._scene, place.path)

    def _code(self, act: Act, place: Place) -> ReasonCode | None:
        """What doing this to a place means; None if that is nothing special."""
        if act.effect is Effect.READS:
            starts = place.path_class is PathClass.PERSISTENCE and act.program not in SHOWING | _STARTERS
            return PERSISTENCE_WRITE if starts else self._read_code(act, place)
        if act.effect is Effect.DELETES:
            return self._delete_code(act, place)
        if _is_device(place.path):
            return codes.DEVICE
        if place.path.startswith("/dev/"):
            return None
        if act.effect is Effect.MUTATES:
            return None if place.path_class in WORK else codes.RIGHTS
        if place.path_class is PathClass.PERSISTENCE:
            return PERSISTENCE_WRITE
        if place.path_class is PathClass.SYSTEM:
            return SYSTEM_WRITE
        free = place.path_class in WORK or place.path_class is PathClass.GUARD
        return None if free or self._in_temp(place.path) else OUTSIDE

    def _read_code(self, act: Act, place: Place) -> ReasonCode | None:
        if place.path in self._scene.settings.allowed_directories:
            return None
        near = place.path_class is PathClass.PROJECT or self._in_temp(place.path)
        if place.secret is not None and (not near or act.program in SHOWING):
            return SENSITIVE_READ
        if act.recursive and holds_secrets(self._scene, place):
            return SENSITIVE_READ
        return None

    def _in_temp(self, path: str) -> bool:
        around = self._scene.settings.surroundings
        return any(inside(path, temp) for temp in around.temp) and not any(inside(path, home) for home in around.homes)

    def _delete_code(self, act: Act, place: Place) -> ReasonCode | None:
        path, path_class = place.path, place.path_class
        if _is_device(path):
            return codes.DEVICE
        everything = path.rstrip("*").rstrip("/") or "/"
        if (act.recursive or path != everything) and self._is_wide(everything):
            return codes.DELETES_EVERYTHING
        if path_class is PathClass.PROJECT and act.program in ("mv", "gmv"):
            return codes.DELETES_PROJECT if path == self._project else None
        if path_class is PathClass.PROJECT:
            return codes.DELETES_PROJECT if self._is_project(path, act) else None
        if path_class is PathClass.TEMP:
            alone = any(tidy(temp) == everything for temp in self._scene.settings.surroundings.temp)
            return codes.DELETES_OUTSIDE if alone and path.count("*") <= 1 and UNKNOWN not in act.target else None
        if path_class is PathClass.ALLOWED:
            return None
        return codes.DELETES_OUTSIDE

    def _is_wide(self, path: str) -> bool:
        """Whether everything, or everything of somebody's, lies in a directory."""
        homes = self._scene.settings.surroundings.homes
        return (
            path == "/"
            or path in SYSTEM_ROOTS
            or path in ("/home", "/root", "/users", "/Users", "/mnt", "/media", "/usr/bin", "/usr/lib", "/var/lib")
            or path in homes
            or any(inside(home, path) for home in homes)
            or (path.rpartition("/")[0] in ("/home", "/Users", "/users"))
        )

    def _is_project(self, path: str, act: Act) -> bool:
        if UNKNOWN in act.target:
            # Some of what is there, picked by a test.
            return False
        if path == self._project or path in (f"{self._project}/.git", f"{self._project}/.git/*"):
            return act.recursive or path.endswith("*")
        inner = path.removeprefix(f"{self._project}/")
        if inner.startswith(".git/"):
            return inner.startswith((".git/objects", ".git/refs", ".git/*")) and act.recursive
        if "/" in inner or GLOB_CHARACTERS.isdisjoint(inner):
            return False
        # A pattern that takes the history, or of two files that have nothing in common both, takes everything.
        return (act.recursive and name_matches(".git", inner)) or all(
            name_matches(name, inner) for name in ("src", "README.md")
        )

    def _elsewhere(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        """In a container or on another machine only what is deleted there for good is worth a word."""
        if act.scope is not Scope.REMOTE or act.effect not in (Effect.DELETES, Effect.OVERWRITES):
            return
        path = act.target
        everything = path.rstrip("*").rstrip("/") or "/"
        if act.effect is Effect.OVERWRITES:
            if _is_device(path):
                yield self._finding(codes.DEVICE, act, leaf)
        elif self._is_wide(everything) or (act.recursive and not inside(path, "/tmp")):  # noqa: S108 - a class of places
            yield self._finding(codes.DELETES_OUTSIDE, act, leaf, detail="on another machine")

    # Hosts.

    def _on_host(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        destination, refused = self._destination(act)
        host = destination.host if destination is not None else None
        url = destination.url if destination is not None else None
        near = host is not None and _is_loopback(host)
        if destination is not None and refused is None and not near:
            kept = anybodys_place(self._rules, destination, sends=act.effect is Effect.SENDS)
            if kept:
                yield self._finding(ANYBODYS_PLACE, act, leaf, host=host, url=url, detail=kept)
        if act.effect is Effect.SENDS:
            if Source.SECRET in act.sources and not near:
                yield self._finding(codes.SENDS_SECRET, act, leaf, host=host, url=url)
            elif act.sources & _FILE_DATA and not near:
                yield self._finding(codes.SENDS_FILE, act, leaf, host=host, url=url)
            return
        if destination is not None:
            yield self._finding(CONNECTS, act, leaf, host=host, url=url)
            kind = anybodys(self._rules, destination)
            if kind is not None:
                yield self._finding(ANYBODYS, act, leaf, host=host, url=url, detail=kind)
        if refused is None and destination is not None:
            refused = self._refusal(destination, act.program)
        if refused is not None:
            severity = _NET_SEVERITIES.get(refused.code, Severity.MEDIUM)
            yield Finding(
                code=refused.code,
                detector=self._detector,
                severity=severity,
                span=_span(act, leaf),
                excerpt=leaf.masked if leaf is not None else "",
                origin=self._scene.origin,
                effect=act.effect,
                host=host,
                url=url,
                detail=refused.detail,
            )

    def _to_daemon(self, seen: Seen) -> Iterator[Finding]:
        """What talks to the guard's daemon."""
        for act in seen.acts:
            if act.effect is Effect.CONNECTS or (act.effect is Effect.SENDS and act.kind in ("url", "host")):
                if self._reaches_daemon(act, seen):
                    yield self._finding(OWN_SOCKET, act, seen.leaf)
            elif act.effect is Effect.UNANALYSABLE and speaks_of_daemon(self._scene, seen.text):
                yield self._finding(OWN_SOCKET, act, seen.leaf)
        if any(self._is_given_port(line) for line in seen.lines):
            yield self._finding(OWN_SOCKET, Act(effect=Effect.CONNECTS), seen.leaf)

    def _reaches_daemon(self, act: Act, seen: Seen) -> bool:
        destination, _ = self._destination(act)
        is_away = act.scope in (Scope.REMOTE, Scope.CLOUD)
        if destination is None:
            authority = _authority(act.target)
            hidden = UNKNOWN in authority and speaks_of_daemon(self._scene, seen.text)
            return not is_away and (hidden or may_be_own(self._scene, authority))
        if is_away:
            return is_own_by_name(self._scene, destination)
        if is_own(self._scene, destination, looks_up=act.program not in _LOGINS):
            return True
        # Where its reader saw a host and no port, the number stands somewhere in the command.
        portless = act.kind == "host" and ":" not in act.target and is_this_machine(destination.host)
        return portless and has_own_port(self._scene, seen.text)

    def _is_given_port(self, line: str) -> bool:
        """Whether a command is given the daemon's port in a way that its reader does not tell of."""
        program = line.partition(" ")[0].rpartition("/")[2]
        if program in _BY_NUMBER:
            return has_own_port(self._scene, line)
        return program in _BY_ADDRESS and speaks_of_daemon(self._scene, line)

    @property
    def _rules(self) -> NetworkRules:
        return self._scene.settings.network_for(self._scene.tool.name if self._scene.tool else "")

    def _destination(self, act: Act) -> tuple[Destination | None, Refusal | None]:
        """Where an act reaches to; or why that can't be said."""
        text = act.target
        scheme, separator, _rest = text.partition("://")
        authority = _authority(text)
        if UNKNOWN in authority or not authority:
            anywhere = "*" in self._rules.settings.allowed_domains
            return None, None if anywhere else Refusal(codes.UNKNOWN_HOST.id, "")
        if separator and scheme.lower() in _BUCKETS:
            return None, None
        if not separator or scheme.lower() not in ("http", "https"):
            text = (
                f"https://{authority.rpartition('@')[2]}/"
                if separator or ":" in text or "/" not in text
                else f"https://{text}"
            )
        try:
            destination = parse_destination(text.replace(UNKNOWN, "x"))
        except BadDestination as error:
            return None, Refusal(error.code, error.what.rstrip("."))
        if _is_loopback(destination.host) and self._scene.settings.shell_loopback:
            return destination, None
        if act.program in _LOGINS:
            # Machines one logs in to are mostly private, and known by names of one's own: the allowlist is enough.
            return destination, self._unlisted(destination)
        if destination.address is None and "." not in destination.host and not _is_loopback(destination.host):
            # A name of one's own network: what it resolves to is judged, not how it looks.
            return destination, self._unlisted(destination)
        return destination, self._rules.judge(destination, None)

    def _unlisted(self, destination: Destination) -> Refusal | None:
        if self._rules.allows(destination) is not None:
            return None
        return Refusal("non_allowlisted_domain", f"{destination.host} is not on the allowlist")

    def _is_open(self, host: str, program: str) -> bool:
        return (_is_loopback(host) and self._scene.settings.shell_loopback) or program in _LOGINS

    def _refusal(self, destination: Destination, program: str) -> Refusal | None:
        rules = self._rules
        if destination.address is not None or not rules.settings.resolve_dns:
            return None
        if self._is_open(destination.host, program):
            return None
        self._hosts.add(destination.host)
        if len(self._hosts) > _MOST_HOSTS:
            return Refusal("dns_failure", f"more than {_MOST_HOSTS} hosts in one command")
        answer = self._scene.addresses(destination.host)
        if answer is None or answer.skipped:
            return None
        if answer.error:
            return Refusal("dns_failure", answer.error)
        if "." in destination.host or not rules.settings.deny_private_ips:
            return rules.judge(destination, answer.addresses)
        private = next((address for address in answer.addresses if address_class(address) is not None), None)
        return Refusal("private_ip", f"{destination.host} is a private address") if private is not None else None

    # Code.

    def _on_code(self, act: Act, leaf: Leaf | None) -> Iterator[Finding]:
        if act.kind == "program":
            yield self._finding(codes.HIDDEN_CODE, act, leaf)
        elif act.certainty is Confidence.LOW:
            yield self._finding(codes.VARIABLE_PROGRAM, act, leaf)
        elif Source.NETWORK in act.sources or act.kind == "thing":
            yield self._finding(codes.DOWNLOADED_CODE, act, leaf)
        elif Source.DECODED in act.sources:
            yield self._finding(codes.DECODED_CODE, act, leaf)
        elif act.sources:
            yield self._finding(codes.DYNAMIC_CODE, act, leaf)

    # Findings.

    def _on_place(
        self,
        code: ReasonCode,
        act: Act,
        leaf: Leaf | None,
        place: Place,
        path_class: PathClass | None = None,
        detail: str = "",
    ) -> Finding:
        shown = place.path if code.severity is not Severity.INFO else ""
        if code is SENSITIVE_READ:
            shown = place.secret or ""
        return Finding(
            code=code.id,
            detector=self._detector,
            severity=code.severity,
            confidence=act.certainty,
            span=_span(act, leaf),
            excerpt="" if code.severity is Severity.INFO or leaf is None else leaf.masked,
            origin=self._scene.origin,
            effect=act.effect,
            path=place.path,
            path_class=path_class or self._class(place),
            detail=detail or shown[:200],
            instead=act.instead,
        )

    def _class(self, place: Place) -> PathClass:
        if _is_device(place.path):
            return PathClass.DEVICE
        return PathClass.ROOT if self._is_wide(place.path) else place.path_class

    def _finding(
        self,
        code: ReasonCode,
        act: Act,
        leaf: Leaf | None,
        *,
        detail: str = "",
        host: str | None = None,
        url: str | None = None,
    ) -> Finding:
        return Finding(
            code=code.id,
            detector=self._detector,
            severity=code.severity,
            confidence=act.certainty,
            span=_span(act, leaf),
            excerpt="" if code.severity is Severity.INFO or leaf is None else leaf.masked,
            origin=self._scene.origin,
            effect=act.effect,
            host=host,
            url=url,
            detail=detail or act.what,
            instead=act.instead,
        )


_PLAIN: Final = {
    Effect.ESCALATES: codes.ESCALATES,
    Effect.PERSISTS: codes.PERSISTS,
    Effect.DISCARDS: codes.DISCARDS,
    Effect.MUTATES: codes.MUTATES,
    Effect.DELETES: codes.MUTATES,
    Effect.OVERWRITES: codes.MUTATES,
    Effect.WRITES: codes.MUTATES,
    Effect.READS: codes.READS_SECRET,
    Effect.RUNS_SQL: codes.SQL,
    Effect.LISTENS: codes.LISTENS,
    Effect.SCANS: codes.SCANS,
    Effect.SENDS: codes.SENDS_FILE,
    Effect.UNANALYSABLE: codes.UNANALYSABLE,
}
_DELICATE: Final = {
    PathClass.PROJECT: 0,
    PathClass.ALLOWED: 1,
    PathClass.TEMP: 2,
    PathClass.HOME: 3,
    PathClass.OTHER: 4,
    PathClass.SECRET: 5,
    PathClass.SYSTEM: 6,
    PathClass.PERSISTENCE: 7,
    PathClass.GUARD: 8,
}
_NET_SEVERITIES: Final = {code.id: code.severity for code in NET_CODES}
_LOGINS: Final = frozenset("ssh autossh mosh slogin scp sftp rsync".split())
_BUCKETS: Final = frozenset("s3 gs az abfs hdfs".split())
"""Schemes whose names are no hosts."""

SHOWING: Final = frozenset(
    " cat head tail less more most bat batcat nl tac rev strings xxd od hexdump hd base64 base32 grep egrep fgrep rg ag"
    " ack awk gawk mawk sed cut sort uniq diff cmp comm paste tr jq yq vim vi nvim nano view emacs ed ex cp mv scp"
    " rsync tar zip"
    " gzip dd python python3 perl ruby node php curl wget ln tee xargs fold fmt column split pr iconv zcat".split()
) | {""}
"""Programs that show, copy or send what a file holds. Others use a key without showing it."""
_STARTERS: Final = frozenset(
    "git source . ssh ssh-keygen systemctl journalctl systemd-analyze visudo crontab shellcheck shfmt bash sh zsh dash"
    " pre-commit husky nginx pytest".split()
)
"""Programs that are given a start-up file, a unit or a hook to look at or to run it."""
_LOOKERS: Final = frozenset("cat cmp diff grep head jq ls md5sum sha256sum stat tail wc".split()) | {""}
"""Programs that only look, whatever their options. No other may be given a place of the guard's."""
_HARMLESS_DEVICES: Final = (
    "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx", "console", "kmsg", "log",
)  # fmt: skip
_HARMLESS_BELOW: Final = ("/dev/fd/", "/dev/shm/", "/dev/pts/", "/dev/tcp/", "/dev/udp/", "/dev/mqueue/")  # noqa: S108 - a class of places


def _is_whole(act: Act) -> bool:
    """Whether what is done to a directory is done to what lies in it: it is taken away, filled, shut, or replaced."""
    if act.effect is Effect.DELETES or act.effect is Effect.MUTATES:
        return True
    if act.effect is Effect.WRITES:
        return act.recursive
    return act.effect is Effect.OVERWRITES and (act.recursive or act.program not in _INTO_DIRECTORIES)


_INTO_DIRECTORIES: Final = frozenset("cp gcp mv gmv install ginstall rsync scp ln".split())
"""Programs that are given a directory to put something into; what lands there is an act of its own."""


def _is_device(path: str) -> bool:
    """Whether a path is a device that loses something when it is written to."""
    if not path.startswith("/dev/") or path.startswith(_HARMLESS_BELOW):
        return False
    name = path[5:]
    return not (name in _HARMLESS_DEVICES or name.startswith("tty"))


def _authority(target: str) -> str:
    """The host and port in a URL, or in a host with or without a path."""
    _scheme, separator, rest = target.partition("://")
    return (rest if separator else target).partition("/")[0]


_BY_NUMBER: Final = frozenset("bore localtunnel lt ngrok redis-cli tailscale valkey-cli zrok".split())
"""Programs that reach a port of this machine if they are given its number and nothing else."""
_BY_ADDRESS: Final = frozenset("autossh http httpie https mariadb mongosh mysql psql ssh xh xhs".split())
"""Programs that are given a host and a port by options, or `:8000` for one of this machine."""


def _is_loopback(host: str) -> bool:
    """Whether a host is this machine: by its name, or by an address that is one, not a name that begins like one."""
    return (
        host in ("localhost", "::1", "[::1]", "0.0.0.0")  # noqa: S104 - compared with, not bound to
        or host.endswith(".localhost")
        or address_class(host) == "loopback"
    )


def _span(act: Act, leaf: Leaf | None) -> Span | None:
    if leaf is None:
        return None
    return Span(leaf.field, act.start, act.end) if act.end else Span(leaf.field)
