"""Looks at the guard itself: policy, state directory, disk, keys, record, approvals, sessions and pins."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Final

from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.machine import GUARDHOUSE, Machine
from guardhouse.model import GuardhouseError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.config import Sources

_LITTLE: Final = 200 * 1024 * 1024
_TOO_LITTLE: Final = 10 * 1024 * 1024
"""Bytes of free disk. A gate that can't record denies everything."""
_MEGABYTE: Final = 1024 * 1024


def house_checks(machine: Machine) -> Iterator[Check]:
    """Everything that does not depend on an agent."""
    yield from _policy(machine)
    yield _state(machine)
    yield _disk(machine)
    yield _keys(machine)
    yield _secrets(machine)
    yield _record(machine)
    yield _approvals(machine)
    yield _sessions(machine)
    yield _pins(machine)
    yield _sandbox(machine)
    if machine.records_problem:
        yield unknown(GUARDHOUSE, "install records", machine.records_problem)


def _policy(machine: Machine) -> Iterator[Check]:
    from guardhouse.config import find_sources

    sources = find_sources(config_file=machine.config_file, cwd=machine.cwd, state_dir=machine.state_dir)
    yield from policy_checks(GUARDHOUSE, sources)


def policy_checks(about: str, sources: Sources, *, told_if_sound: bool = True) -> Iterator[Check]:
    """Whether a policy can be made of `sources`, and holds anything back."""
    try:
        policy = sources.load()
        layers = sources.layers()
    except PolicyError as error:
        yield fail(about, "policy", " ".join(error.problems), "Mend it: until then everything is denied.")
        return
    files = [layer.document.file for layer in layers if layer.document.data]
    config = policy.config
    where = ", ".join(files) or "built in"
    if told_if_sound:
        yield ok(about, "policy", f"valid: preset {config.preset}, mode {config.mode}, from {where}")
    if not config.enabled:
        yield fail(about, "enabled", f"the gate is switched off, by {where}", "Set `enabled: true` there.")
    elif config.mode == "observe":
        yield warn(about, "mode", "observe: only what no rule can allow is denied", "`guardhouse enforce` ends that.")


def _sandbox(machine: Machine) -> Check:
    """Whether it works here, and whether commands are put into it: without, they run with the user's rights."""
    from guardhouse.config import find_sources
    from guardhouse.sandbox import NoSandbox, standing

    sources = find_sources(config_file=machine.config_file, cwd=machine.cwd, state_dir=machine.state_dir)
    try:
        mode = sources.load().config.sandbox.mode
    except PolicyError:
        return unknown(GUARDHOUSE, "sandbox", "the policy that says whether it is used can't be read")
    try:
        found = standing()
    except NoSandbox as error:
        what = f"{error.what.rstrip('.')}; sandbox.mode is {mode}"
        if mode == "off":
            return ok(GUARDHOUSE, "sandbox", f"not used, and not to be had here: {error.what}")
        told = fail if mode == "require" else warn
        return told(GUARDHOUSE, "sandbox", what, error.fix)
    if mode == "off":
        return ok(GUARDHOUSE, "sandbox", "works here, and is not used: commands run with your rights (`sandbox.mode`)")
    return ok(GUARDHOUSE, "sandbox", f"commands of hooked agents run in it: {mode}, bubblewrap {found['version']}")


def _state(machine: Machine) -> Check:
    """A real write: what the rights say is not the whole truth, as on a disk that is mounted read-only."""
    state = machine.locations.state
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=state) as file:
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        fix = "Mend its rights, or name another with --state-dir; until then everything is denied."
        return fail(GUARDHOUSE, "state directory", f"{state} can't be written: {error.strerror}", fix)
    status = state.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        return warn(GUARDHOUSE, "state directory", f"{state} is open to others", f"`chmod 700 {state}`")
    return ok(GUARDHOUSE, "state directory", f"{state} can be written")


def _disk(machine: Machine) -> Check:
    try:
        free = shutil.disk_usage(machine.locations.state).free
    except OSError as error:
        return unknown(GUARDHOUSE, "disk", f"free space can't be told: {error.strerror}")
    if free < _TOO_LITTLE:
        return fail(GUARDHOUSE, "disk", f"{free // _MEGABYTE} MB are free", "Make room: without it all is denied.")
    if free < _LITTLE:
        return warn(GUARDHOUSE, "disk", f"only {free // _MEGABYTE} MB are free", "Make room soon.")
    return ok(GUARDHOUSE, "disk", f"{free // _MEGABYTE} MB are free")


def _keys(machine: Machine) -> Check:
    from guardhouse.keys import KeyDirectory

    directory = machine.locations.keys
    try:
        names = sorted(file.stem for file in directory.glob("*.key"))
        for name in names:
            KeyDirectory(directory).key(name)
    except GuardhouseError as error:
        return fail(GUARDHOUSE, "keys", error.what, error.fix)
    except OSError as error:
        return fail(GUARDHOUSE, "keys", f"{directory} can't be read: {error.strerror}", "Mend its rights.")
    return ok(GUARDHOUSE, "keys", f"{len(names)} readable by you alone" if names else "none made yet")


def _secrets(machine: Machine) -> Check:
    """Whether secrets are looked for at full speed; what is found is the same without."""
    from guardhouse.detect.secrets import vectorscan
    from guardhouse.secret_database import SecretDatabase

    if not vectorscan.is_available():
        return ok(GUARDHOUSE, "secrets", "looked for with RE2: there is no Vectorscan here")
    directory = machine.locations.cache
    if directory.exists() and not os.access(directory, os.W_OK | os.X_OK):
        return warn(
            GUARDHOUSE, "secrets", f"nothing can be kept in {directory}", "Mend its rights: it only costs time."
        )
    database = SecretDatabase(directory, machine.locations.keys)
    if not database.path.exists():
        return ok(GUARDHOUSE, "secrets", "the database is made when there is much to look at")
    if database.load() is None:
        return warn(GUARDHOUSE, "secrets", f"{database.path} is not used: it is damaged, or not ours", "Remove it.")
    return ok(GUARDHOUSE, "secrets", "looked for with a compiled database")


def _record(machine: Machine) -> Check:
    from guardhouse.audit import head_anchor

    directory = machine.locations.state / "audit"
    try:
        if not directory.is_dir() or not any(directory.iterdir()):
            return ok(GUARDHOUSE, "record", "nothing is recorded yet")
        anchor = head_anchor(directory)
    except GuardhouseError as error:
        return fail(GUARDHOUSE, "record", error.what, error.fix or "`guardhouse audit verify` says more.")
    except OSError as error:
        return fail(GUARDHOUSE, "record", f"{directory} can't be read: {error.strerror}", "Mend its rights.")
    return ok(GUARDHOUSE, "record", f"its end is sound, at event {anchor.seq}; `guardhouse audit verify` checks it all")


def _approvals(machine: Machine) -> Check:
    from guardhouse.approvals import count_waiting
    from guardhouse.runs import count_runs

    path = machine.locations.state / "approvals.db"
    try:
        waiting = count_waiting(path, machine.locations.database)
        runs = count_runs(path, machine.locations.database)
    except GuardhouseError as error:
        return fail(GUARDHOUSE, "approvals", error.what, error.fix)
    except OSError as error:
        return fail(GUARDHOUSE, "approvals", f"{path} can't be read: {error.strerror}", "Mend its rights.")
    if waiting is None:
        return ok(GUARDHOUSE, "approvals", "nothing was asked yet")
    left = runs.get("waiting", 0) + runs.get("paused", 0)
    more = f", {left} runs waiting (`guardhouse runs list`)" if left else ""
    return ok(GUARDHOUSE, "approvals", f"the store opens; {waiting} waiting for an answer{more}")


def _sessions(machine: Machine) -> Check:
    """While the index can't be used, every prompt and every result is held back."""
    from guardhouse.sessions import check_index

    path = machine.locations.state / "sessions.db"
    try:
        there = check_index(path)
    except GuardhouseError as error:
        return fail(GUARDHOUSE, "sessions", error.what, error.fix)
    return ok(GUARDHOUSE, "sessions", "the index opens and can be written" if there else "none yet")


def _pins(machine: Machine) -> Check:
    from guardhouse.pins import PinStore

    try:
        known = PinStore(machine.locations.pins).servers()
    except GuardhouseError as error:
        return fail(GUARDHOUSE, "pins", error.what, error.fix)
    return ok(GUARDHOUSE, "pins", f"{len(known)} MCP servers are known" if known else "no MCP server was seen yet")
