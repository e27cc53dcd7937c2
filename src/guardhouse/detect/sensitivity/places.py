"""Which names and addresses belong to somebody's own network, cloud account, build or machine.

Programs are full of words with dots in them, versions look like addresses, and every manual has an account number; so
what has another likely meaning is none, and what everybody has is nobody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guardhouse.net.addresses import ipv4_number, ipv6_number

if TYPE_CHECKING:
    from guardhouse.detect.sensitivity.interface import Where

_IN_CODE: Final = frozenset({"internal", "local"})
"""Last names that attributes, packages and files have, too."""
_EVERYBODYS: Final = frozenset(
    {
        "gateway.docker.internal",
        "host.containers.internal",
        "host.docker.internal",
        "kubernetes.default.svc.cluster.local",
        "kubernetes.docker.internal",
        "metadata.google.internal",
        "svc.cluster.local",
        "cluster.local",
        "ec2.internal",
        "compute.internal",
        "localhost.local",
        "home.arpa",
    }
)
_WORDS_OF_CODE: Final = frozenset(
    # what attributes, packages and files begin with
    "self this cls super crate threading asyncio gevent contextvars werkzeug std core lib libs src pkg package packages"
    " module modules app application env config configs conf settings appsettings options opts ctx context data state"
    " props window document global globals process thread req request res response util utils common shared test tests"
    " docker compose docker-compose values tsconfig requirements makefile gradle pip usr var opt etc com org net io de"
    " java javax jdk sun kotlin scala akka android androidx dev edu gov main index readme claude agents".split()
)
_BEFORE_HOSTS: Final = (b"host", b"hostname", b"server", b"ssh", b"ping", b"curl", b"domain")
_LONGEST_HOST: Final = 253
_LONGEST_NAME: Final = 63

_PRIVATE: Final = (
    # the block's own address, how many bits name it
    ("10.0.0.0", 8),
    ("172.16.0.0", 12),
    ("192.168.0.0", 16),
    ("100.64.0.0", 10),
)
_BLOCKS: Final = tuple((ipv4_number(address) or 0, 32 - bits) for address, bits in _PRIVATE)
_UNIQUE_LOCAL: Final = 0xFC >> 1
_LONGEST_ADDRESS: Final = 45
_ASKING_FOR: Final = (b"==", b">=", b"<=", b"~=", b"!=", b"^", b"~")
_SPACES_AND_QUOTES: Final = b" \t:=\"'`("

_MANUAL_ACCOUNTS: Final = frozenset(
    {"123456789012", "012345678901", "111122223333", "444455556666", "555566667777", "777788889999", "210987654321"}
)
_FEW: Final = 3
"""So few different characters have only accounts that stand for any: `000000000000`."""
_MANUAL_PROJECTS: Final = ("my-", "your-", "example", "project-id", "test-project", "sample-")
_NOBODY: Final = frozenset(
    # homes that machines and images have, and words in their place
    "runner ubuntu user username users vscode node app appuser you me name your-name yourname example ec2-user circleci"
    " jovyan vagrant git linuxbrew shared public default guest admin administrator all coder codespace pi"
    " builder jenkins gitlab-runner nobody someone student container deploy debian centos fedora".split()
)


def internal_host(data: bytes, start: int, end: int) -> Where | None:
    """A host that only its own network knows."""
    if end - start > _LONGEST_HOST or data[max(start - 1, 0) : start] in (b".", b"$", b"%", b"\\"):
        return None
    name = data[start:end].decode("ascii", "replace")
    labels = name.split(".")
    last = labels[-1]
    if name in _EVERYBODYS or name != name.lower() or "_" in name:
        return None
    if any(not label or len(label) > _LONGEST_NAME or label[0] == "-" or label[-1] == "-" for label in labels):
        return None
    after = data[end : end + 2]
    if after[:1] in (b"-", b"_") or (after[:1] == b"." and after[1:].isalnum()):
        return None
    if last in _IN_CODE and not _is_no_attribute(data, start, end, labels):
        return None
    return start, end


def _is_no_attribute(data: bytes, start: int, end: int, labels: list[str]) -> bool:
    """Whether `x.local` is more likely a host than part of a program, by its own form or by what stands around it."""
    before, after = data[max(start - 16, 0) : start], data[end : end + 2]
    if labels[0] in _WORDS_OF_CODE or after[:1] in (b"(", b"[", b"="):
        return False
    if len(labels) > 2 or not labels[0].isalpha():
        return True
    quoted = before[-1:] == after[:1] and after[:1] in (b'"', b"'", b"`")
    reached = before.endswith((b"://", b"@")) or (after[:1] == b":" and after[1:].isdigit())
    return quoted or reached or before.rstrip(b" \t:=").lower().endswith(_BEFORE_HOSTS)


def internal_address(data: bytes, start: int, end: int) -> Where | None:
    """An address of a private network: RFC 1918, carrier-grade NAT, or unique local in IPv6."""
    if end - start > _LONGEST_ADDRESS:
        return None
    text = data[start:end].decode("ascii", "replace")
    if ":" in text:
        return (start, end) if _is_unique_local(text) and not _continues(data, start, end) else None
    number = ipv4_number(text)
    if number is None or _continues(data, start, end) or _is_version(data, start):
        return None
    block = next((address for address, rest in _BLOCKS if number >> rest == address >> rest), None)
    # The address of a whole block is in every manual.
    return (start, end) if block is not None and number != block else None


def _is_unique_local(text: str) -> bool:
    number = ipv6_number(text)
    return number is not None and number >> 121 == _UNIQUE_LOCAL and number << 8 & (1 << 128) - 1 != 0


def _continues(data: bytes, start: int, end: int) -> bool:
    """Whether it is part of a longer word or path: `v10.0.0.1`, `10.0.0.1.jar`, `10.0.0.1-rc2`, `docs/10.0.0.1/a`."""
    before, after = data[max(start - 1, 0) : start], data[end : end + 2]
    if before == b"/" and data[max(start - 2, 0) : start] != b"//":
        return True
    if before.isalnum() or before in (b"_", b".", b"-", b":") or after[:1].isalnum() or after[:1] in (b"_", b"-"):
        return True
    return after[:1] == b"." and after[1:].isalnum()


def _is_version(data: bytes, start: int) -> bool:
    before = data[max(start - 24, 0) : start]
    if before.rstrip(b" \"'").endswith(_ASKING_FOR):
        return True
    word = before.rstrip(_SPACES_AND_QUOTES).lower()
    return word.endswith((b"version", b"release", b" ver", b" v"))


def cloud_account(data: bytes, start: int, end: int) -> Where | None:
    """The number or name of an account, within the name of something in a cloud."""
    name = data[start:end].decode("ascii", "replace")
    is_manual = name in _MANUAL_ACCOUNTS or name.startswith(_MANUAL_PROJECTS) or len(set(name)) <= _FEW
    return None if is_manual else (start, end)


def home_of(data: bytes, start: int, end: int) -> Where | None:
    """Whose home it is, in the path of a file."""
    return None if data[start:end].decode("ascii", "replace").lower() in _NOBODY else (start, end)


def value_of(_data: bytes, start: int, end: int) -> Where | None:
    """What the expression has found, as it is."""
    return start, end
