"""Looks at the lists of MCP servers that were rewritten: is each server still behind our gateway, and nobody else's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.commands import interpreter
from guardhouse.installing.machine import read_settings
from guardhouse.installing.mcp_servers import Entry, entries, survey
from guardhouse.installing.variables import meddling_with_gateway
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.machine import Machine
    from guardhouse.installing.records import Record

_MCP: Final = "mcp"


def mcp_checks(machine: Machine) -> Iterator[Check]:
    """The server lists that were rewritten."""
    for record in machine.records:
        if record.kind == _MCP:
            yield from _server_list(record)


def _server_list(record: Record) -> Iterator[Check]:
    settings = read_settings(Path(record.path))
    if settings.problem:
        yield unknown(_MCP, record.path, f"can't be read: {settings.problem}")
        return
    if settings.value is None:
        yield warn(_MCP, record.path, "the file is gone", "`guardhouse uninstall mcp` forgets it.")
        return
    try:
        found = entries(settings.value)
        servers = survey(settings.value)
    except GuardhouseError as error:
        yield unknown(_MCP, record.path, error.what)
        return
    wrong = [*_wrong(record, found)]
    yield from wrong
    if servers.remote:
        yield warn(_MCP, record.path, f"not started by the client, so not guarded: {', '.join(servers.remote)}")
    elif not wrong:
        yield ok(_MCP, record.path, f"behind the gateway: {', '.join(servers.guarded) or 'none'}")


def _wrong(record: Record, found: list[Entry]) -> Iterator[Check]:
    again = f"`guardhouse install mcp {record.path}`"
    python = record.commands[0] if record.commands else interpreter()
    guarded = [entry for entry in found if entry.kind == "guarded"]
    by_hand = [entry for entry in found if entry.kind == "by hand"]

    def named(chosen: list[Entry]) -> str:
        return ", ".join(entry.label for entry in chosen)

    if guarded and not os.access(python, os.X_OK):
        yield fail(_MCP, record.path, f"{python} is not there: no server can start", again)
    if others := [entry for entry in guarded if entry.server["command"] != python]:
        what = f"run by another program than the one that was installed, which can be anything: {named(others)}"
        yield fail(_MCP, record.path, what, f"If you did not change it, somebody else did: {again}")
    if plain := [entry for entry in found if entry.kind == "open"]:
        yield fail(_MCP, record.path, f"not behind the gateway: {named(plain)}", again)
    if unclear := [entry for entry in found if entry.kind == "unclear"]:
        what = f"not guarded, because what stands there is not understood: {named(unclear)}"
        yield fail(_MCP, record.path, what, "Give it a `command` and `args` of texts, and no URL; then " + again)
    own = {python, str(Path(python).with_name("guardhouse"))}
    if strange := [entry for entry in by_hand if entry.server["command"] not in own]:
        what = f"behind a gateway that `install` did not write; whether it is ours can't be told: {named(strange)}"
        yield unknown(_MCP, record.path, what, "Write the server's own command there, then " + again)
    for entry in (*guarded, *by_hand):
        names = meddling_with_gateway(entry.server.get("env"))
        if names:
            what = f"{entry.label}: its `env` decides where the gateway finds its policy: {', '.join(names)}"
            yield fail(_MCP, record.path, what, "Take it out.")
