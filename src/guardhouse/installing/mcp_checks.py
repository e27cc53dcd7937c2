"""Looks at the lists of MCP servers that were rewritten: is each server still behind our gateway, and nobody else's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from guardhouse.config import ReloadingPolicy
from guardhouse.installing.checks import Check, fail, ok, unknown, warn
from guardhouse.installing.commands import Options, interpreter
from guardhouse.installing.house_checks import policy_checks
from guardhouse.installing.machine import read_settings
from guardhouse.installing.mcp_servers import Entry, entries, survey
from guardhouse.installing.places import pinned_options, sources_of
from guardhouse.installing.variables import meddling_with_gateway
from guardhouse.model import GuardhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guardhouse.installing.commands import Guarded
    from guardhouse.installing.machine import Machine
    from guardhouse.installing.records import Record
    from guardhouse.policy import Policy

_MCP: Final = "mcp"


def mcp_checks(machine: Machine) -> Iterator[Check]:
    """The server lists that were rewritten."""
    for record in machine.records:
        if record.kind == _MCP:
            yield from _server_list(record, machine)


def _server_list(record: Record, machine: Machine) -> Iterator[Check]:
    settings = read_settings(Path(record.path))
    if settings.problem:
        yield unknown(_MCP, record.path, f"can't be read: {settings.problem}")
        return
    if settings.value is None:
        yield warn(_MCP, record.path, "the file is gone", f"`guardhouse uninstall mcp {record.path}` forgets it.")
        return
    try:
        found = entries(settings.value)
        servers = survey(settings.value)
    except GuardhouseError as error:
        yield unknown(_MCP, record.path, error.what)
        return
    wrong = [*_wrong(record, found), *_places(record, found, machine), *_reach(record, found, machine)]
    yield from wrong
    if servers.remote:
        what = f"reached in a way that the gateway can't, so not guarded: {', '.join(servers.remote)}"
        yield warn(_MCP, record.path, what)
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
        yield fail(
            _MCP, record.path, what, "Give it a `command` and `args` of texts and no URL, or a URL alone; then " + again
        )
    own = {python, str(Path(python).with_name("guardhouse"))}
    if strange := [entry for entry in by_hand if entry.server["command"] not in own]:
        what = f"behind a gateway that `install` did not write; whether it is ours can't be told: {named(strange)}"
        yield unknown(_MCP, record.path, what, "Write the server's own command there, then " + again)
    for entry in (*guarded, *by_hand):
        behind = entry.guarded
        is_told = behind is not None and behind.options.home is not None
        names = meddling_with_gateway(entry.server.get("env"), is_told_its_places=is_told)
        if names:
            what = f"{entry.label}: its `env` decides what the gateway loads, or its policy: {', '.join(names)}"
            yield fail(_MCP, record.path, what, "Take it out.")


def _reach(record: Record, found: list[Entry], machine: Machine) -> Iterator[Check]:
    """Whether the policy lets the gateways reach the URLs of their servers."""
    guarded = [behind for entry in found if (behind := entry.guarded) is not None and behind.remote is not None]
    for options in dict.fromkeys(behind.options for behind in guarded):
        try:
            policy = ReloadingPolicy(sources_of(options, machine.cwd)).current()
        except GuardhouseError:
            continue  # `_places` says so
        for behind in guarded:
            fix = why_unreached(policy, behind) if behind.options == options else ""
            if fix:
                yield warn(_MCP, record.path, f"the policy does not let {behind.name} be reached", fix)


def why_unreached(policy: Policy, behind: Guarded) -> str:
    """What to do so that the policy lets the gateway reach its server; nothing if it does, or if that can't be told:
    clients put values into URLs."""
    from guardhouse.egress.permitted import rules_for
    from guardhouse.net import BadDestination, parse_destination

    if behind.remote is None or "$" in behind.remote.url:
        return ""
    try:
        destination = parse_destination(behind.remote.url)
    except BadDestination as error:
        return error.what
    tool = f"mcp__{behind.name}"
    refusal = rules_for(policy, tool, destination).judge(destination, None)
    if refusal is None:
        return ""
    if refusal.code == "non_allowlisted_domain":
        port = "" if destination.has_default_port else f":{destination.port}"
        return f"`guardhouse allow domain {destination.host}{port}`"
    host = f"{destination.host}:{destination.port}"
    return f'In your configuration: network: {{{tool}: {{allowed_domains: ["{host}"], deny_private_ips: false}}}}'


def _places(record: Record, found: list[Entry], machine: Machine) -> Iterator[Check]:
    """Whether the gateways are told the places that were installed, and what policy they have there."""
    again = f"`guardhouse install mcp {record.path}`"
    guarded = [(entry, behind) for entry in found if entry.kind == "guarded" and (behind := entry.guarded) is not None]
    older = [entry.label for entry, behind in guarded if behind.options.home is None]
    if older:
        what = f"written by an older Guardhouse, and find their policy by the environment: {', '.join(older)}"
        yield warn(_MCP, record.path, what, again)
    noted = list(record.commands[1:])
    moved = [entry.label for entry, behind in guarded if noted and behind.options.words() != noted]
    if moved:
        what = f"told other places for policy and state than were installed: {', '.join(moved)}"
        yield fail(_MCP, record.path, what, f"If you did not change it, somebody else did: {again}")
    expected = pinned_options(machine.locations, machine.config_file)
    for options in dict.fromkeys(behind.options for _entry, behind in guarded):
        if options not in (expected, Options()):
            yield from policy_checks(_MCP, sources_of(options, machine.cwd), told_if_sound=False)
