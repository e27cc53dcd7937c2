"""The filter of system calls that a sandboxed process can't take off: a program for the kernel's seccomp.

A network namespace alone leaves sockets of other families open, and other namespaces can be made inside one. So only
sockets of the internet families can be made here, in a namespace that leads nowhere but to the door; what makes or
enters namespaces, mounts, traces other processes or loads code into the kernel fails as if it were not permitted. What
a call's number is depends on the machine; one that is not in the table has no sandbox.
"""

from __future__ import annotations

import struct
from typing import Final

EPERM: Final = 1
ENOSYS: Final = 38
EAFNOSUPPORT: Final = 97

AF_UNIX: Final = 1
AF_INET: Final = 2
AF_INET6: Final = 10
AF_NETLINK: Final = 16

# fmt: off - one entry a line: what it is, its number on x86_64, its number on aarch64
NUMBERS: Final[tuple[tuple[str, int | None, int | None], ...]] = (
    ("socket", 41, 198),
    ("socketpair", 53, 199),
    ("chmod", 90, None),
    ("fchmod", 91, 52),
    ("fchmodat", 268, 53),
    ("fchmodat2", 452, 452),
    ("creat", 85, None),
    ("open", 2, None),
    ("openat", 257, 56),
    ("openat2", 437, 437),
    ("mknod", 133, None),
    ("mknodat", 259, 33),
    ("ioctl", 16, 29),
    ("kill", 62, 129),
    ("clone", 56, 220),
    ("clone3", 435, 435),
    ("unshare", 272, 97),
    ("setns", 308, 268),
    ("mount", 165, 40),
    ("umount2", 166, 39),
    ("pivot_root", 155, 41),
    ("chroot", 161, 51),
    ("open_tree", 428, 428),
    ("move_mount", 429, 429),
    ("fsopen", 430, 430),
    ("fsconfig", 431, 431),
    ("fsmount", 432, 432),
    ("fspick", 433, 433),
    ("mount_setattr", 442, 442),
    ("open_tree_attr", 467, 467),
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("process_madvise", 440, 440),
    ("pidfd_getfd", 438, 438),
    ("kcmp", 312, 272),
    ("io_uring_setup", 425, 425),
    ("io_uring_enter", 426, 426),
    ("io_uring_register", 427, 427),
    ("bpf", 321, 280),
    ("perf_event_open", 298, 241),
    ("userfaultfd", 323, 282),
    ("add_key", 248, 217),
    ("request_key", 249, 218),
    ("keyctl", 250, 219),
    ("name_to_handle_at", 303, 264),
    ("open_by_handle_at", 304, 265),
    ("fanotify_init", 300, 262),
    ("kexec_load", 246, 104),
    ("kexec_file_load", 320, 294),
    ("init_module", 175, 105),
    ("finit_module", 313, 273),
    ("delete_module", 176, 106),
    ("reboot", 169, 142),
    ("swapon", 167, 224),
    ("swapoff", 168, 225),
    ("acct", 163, 89),
    ("quotactl", 179, 60),
    ("quotactl_fd", 443, 443),
    ("syslog", 103, 116),
    ("vhangup", 153, 58),
    ("settimeofday", 164, 170),
    ("clock_settime", 227, 112),
    ("adjtimex", 159, 171),
    ("clock_adjtime", 305, 266),
    ("lookup_dcookie", 212, 18),
    ("move_pages", 279, 239),
    ("migrate_pages", 256, 238),
    ("modify_ldt", 154, None),
    ("iopl", 172, None),
    ("ioperm", 173, None),
    ("uselib", 134, None),
)
# fmt: on
_MODES: Final = (
    # a call that gives a file its rights, which argument has them, and which one says whether it does
    ("chmod", 1, None),
    ("fchmod", 1, None),
    ("fchmodat", 2, None),
    ("fchmodat2", 2, None),
    ("creat", 1, None),
    ("mknod", 1, None),
    ("mknodat", 2, None),
    ("open", 2, 1),
    ("openat", 3, 2),
)
_WITH_ARGUMENTS: Final = frozenset(
    {"socket", "socketpair", "ioctl", "kill", "clone", "clone3", "unshare", "openat2", *(row[0] for row in _MODES)}
)
"""Refused for some arguments only, or in another way."""

_ARCHITECTURES: Final = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
"""What the kernel calls the machine, and its column of the table."""
_X32: Final = 0x40000000
"""On x86_64, calls of another interface have numbers from here on."""
_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. As a flag of `clone`, NEWTIME would be a signal."""
_NEW_TIME: Final = 0x80
_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI, which types into the terminal that the sandbox was started from, and TIOCLINUX, which pastes there."""
_SET_USER_OR_GROUP: Final = 0o6000
_CREATES: Final = 0o100 | 0o20000000
"""O_CREAT, and what O_TMPFILE has of its own."""
_STREAM: Final = 1
_PACKETS: Final = 5
_PLAIN_TYPES: Final = (_STREAM, 2)
"""Streams and datagrams. Raw sockets see what is meant for others."""

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_REFUSE: Final = 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

# Opcodes of the classic packet filter.
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06

_Instruction = tuple[int, int, int, int]


def machines() -> tuple[str, ...]:
    """The machines that there is a filter for, as `uname -m` calls them."""
    return tuple(_ARCHITECTURES)


def system_call_filter(machine: str, *, unix_sockets: bool = False, shares_group: bool = False) -> bytes:
    """The filter for a machine, as `bwrap --seccomp` reads it. KeyError for one that is not in the table. Who shares
    the process group of whoever started the sandbox can't send signals to the group."""
    architecture, column = _ARCHITECTURES[machine]
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # the other interfaces of a processor have calls that can't be told apart
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _REFUSE | ENOSYS)]
    numbers = {row[0]: row[column] for row in NUMBERS}
    for name, number in numbers.items():
        if isinstance(number, int) and name not in _WITH_ARGUMENTS:
            program += _of_call(number, [(_RETURN, 0, 0, _REFUSE | EPERM)])
    families = (AF_INET, AF_INET6, *((AF_UNIX,) if unix_sockets else ()))
    program += _of_call(_number(numbers, "socket"), _sockets(families))
    program += _of_call(_number(numbers, "socketpair"), _pairs())
    program += _of_call(_number(numbers, "ioctl"), _terminal_input())
    if shares_group:
        program += _of_call(_number(numbers, "kill"), _own_group())
    program += _of_call(_number(numbers, "clone"), _namespaces(_NAMESPACES))
    program += _of_call(_number(numbers, "unshare"), _namespaces(_NAMESPACES | _NEW_TIME))
    for name, mode, flags in _MODES:
        if isinstance(number := numbers[name], int):
            program += _of_call(number, _rights(mode, flags))
    # Their flags are in memory, where no filter can look. Who is told that there is no such call takes an older one.
    for name in ("clone3", "openat2"):
        program += _of_call(_number(numbers, name), [(_RETURN, 0, 0, _REFUSE | ENOSYS)])
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *one) for one in program)


def _number(numbers: dict[str, int | str | None], name: str) -> int:
    number = numbers[name]
    assert isinstance(number, int)  # noqa: S101 - a row of the table
    return number


def _of_call(number: int, body: list[_Instruction]) -> list[_Instruction]:
    """What is done for one call. The body returns; for another call it is jumped over."""
    return [(_EQUAL, 0, len(body), number), *body]


def _argument(index: int) -> _Instruction:
    """Load an argument's lower half: all that the kernel looks at of an `int`."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _sockets(families: tuple[int, ...]) -> list[_Instruction]:
    """Plain sockets of these families, and the routes of this namespace; no other."""
    refused = (_RETURN, 0, 0, _REFUSE | EAFNOSUPPORT)
    body: list[_Instruction] = [
        _argument(0),
        (_EQUAL, 0, 3, AF_NETLINK),
        _argument(2),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        _argument(0),
    ]
    for left, family in enumerate(reversed(families)):
        body.insert(6, (_EQUAL, left + 1, 0, family))
    body.append(refused)
    body += [_argument(1), (_AND, 0, 0, 0xF)]
    body += [(_EQUAL, 1, 0, _PLAIN_TYPES[0]), (_EQUAL, 0, 1, _PLAIN_TYPES[1])]
    return [*body, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE | EPERM)]


def _pairs() -> list[_Instruction]:
    """Pairs whose ends are connected for good: one of datagrams can send to any other name."""
    return [
        _argument(1),
        (_AND, 0, 0, 0xF),
        (_EQUAL, 1, 0, _STREAM),
        (_EQUAL, 0, 1, _PACKETS),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE | EPERM),
    ]


def _rights(mode: int, flags: int | None) -> list[_Instruction]:
    """No file that runs with the rights of whoever owns it: others could run it outside."""
    body: list[_Instruction] = []
    if flags is not None:
        body = [_argument(flags), (_ANY_BIT, 1, 0, _CREATES), (_RETURN, 0, 0, _ALLOW)]
    return [
        *body,
        _argument(mode),
        (_ANY_BIT, 0, 1, _SET_USER_OR_GROUP),
        (_RETURN, 0, 0, _REFUSE | EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _terminal_input() -> list[_Instruction]:
    first, second = _TERMINAL_INPUT
    return [
        _argument(1),
        (_EQUAL, 1, 0, first),
        (_EQUAL, 0, 1, second),
        (_RETURN, 0, 0, _REFUSE | EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _own_group() -> list[_Instruction]:
    """No signal to the caller's own process group: a space of processes does not end it."""
    return [_argument(0), (_EQUAL, 0, 1, 0), (_RETURN, 0, 0, _REFUSE | EPERM), (_RETURN, 0, 0, _ALLOW)]


def _namespaces(flags: int) -> list[_Instruction]:
    return [_argument(0), (_ANY_BIT, 0, 1, flags), (_RETURN, 0, 0, _REFUSE | EPERM), (_RETURN, 0, 0, _ALLOW)]
