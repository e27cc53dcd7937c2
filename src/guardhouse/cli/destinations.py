"""`url check`: why a URL may be reached or not, step by step.

The verdict is the gate's own, on a call of the tool that is named. The steps are told by the functions that the gate
asked, with the addresses that it got, so that they can't say anything else.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.options import config_option, json_option, printable

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.guard import Resolver
    from guardhouse.model import Addresses, Verdict
    from guardhouse.net import NetworkRules
    from guardhouse.net.destination import Destination

_STOPPED: Final = 1
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SAYS: Final = {
    "allow": "allowed",
    "allow_with_redaction": "allowed, with something masked",
    "require_approval": "asks a person",
    "deny": "denied",
}


class _Heard:
    """A resolver that keeps what it answered: the addresses that are shown are those that were judged."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.answers: dict[str, Addresses] = {}

    def resolve(self, host: str) -> Addresses:
        answer = self.answers[host] = self._resolver.resolve(host)
        return answer

    async def resolve_async(self, host: str) -> Addresses:
        answer = self.answers[host] = await self._resolver.resolve_async(host)
        return answer


@click.group()
def url() -> None:
    """Destinations."""


@url.command("check")
@click.argument("address", metavar="URL")
@click.option("--tool", default="url_fetch", show_default=True, help="The tool that would fetch it.")
@click.option("--method", default="GET", show_default=True, help="The HTTP method.")
@click.option("--no-dns", is_flag=True, help="Do not look the host up; then its addresses are not judged.")
@config_option
@json_option
def url_check(address: str, tool: str, method: str, config_file: Path | None, *, no_dns: bool, as_json: bool) -> None:
    """Say whether a URL may be reached, and why, step by step.

    Nothing is fetched. The host is looked up only if its name is allowed. Values of the query and user info are never
    shown. Exit status: 0 allowed, 1 asks or denied, 2 wrong usage.
    """
    from guardhouse.egress import SkippedLookup, SystemResolver
    from guardhouse.model import Decision, ToolCallPre
    from guardhouse.opening import open_judge

    resolver = _Heard(SkippedLookup() if no_dns else SystemResolver())
    guard = open_judge(config_file=config_file, resolver=resolver)
    verdict = guard.evaluate(ToolCallPre(tool=tool, params={"url": address, "method": method}))
    told = explained(address, method, guard.network_for(tool), resolver.answers, verdict)
    told["tool"], told["mode"] = tool, guard.standing
    stopped = verdict.decision not in {Decision.ALLOW, Decision.ALLOW_WITH_REDACTION}
    told["exit_status"] = _STOPPED if stopped else 0
    if as_json:
        import json

        click.echo(json.dumps(_masked(told), ensure_ascii=True))
    else:
        for line in _lines(told):
            click.echo(printable(line))
    sys.exit(told["exit_status"])


def explained(
    address: str, method: str, rules: NetworkRules, answers: dict[str, Addresses], verdict: Verdict
) -> dict[str, Any]:
    """Every step on the way to the verdict, as values for a machine."""
    from guardhouse.net import BadDestination, parse_destination
    from guardhouse.net.reading import as_browsers_read, shown

    told: dict[str, Any] = {"url": shown(address), "method": method}
    try:
        destination = parse_destination(address)
    except BadDestination as error:
        told["read"] = {
            "refused": error.code,
            "why": error.what,
            "fix": error.fix,
            "browsers": as_browsers_read(address),
            "python": _as_python_reads(address),
        }
    else:
        told["url"] = shown(address, is_read=True)
        told |= _of_destination(destination, method, rules, answers)
    told["reached"] = any(finding.code in _reaching() for finding in verdict.findings)
    told["verdict"] = {
        "decision": verdict.decision.value,
        "would_be": verdict.would_be.value if verdict.would_be is not None else verdict.decision.value,
        "reasons": [
            {
                "code": one.code,
                "decision": one.decision.value,
                "title": one.title,
                "why": one.why,
                "instead": one.instead,
                "remedy": one.remedy,
            }
            for one in verdict.reasons
        ],
    }
    return told


def _reaching() -> frozenset[str]:
    """The codes that tell that the gate saw a destination in the call."""
    from guardhouse.net import CODES

    return frozenset({"net.destination", *(code.id for code in CODES)})


def _of_destination(
    destination: Destination, method: str, rules: NetworkRules, answers: dict[str, Addresses]
) -> dict[str, Any]:
    from guardhouse.net import address_class, host_class, is_local_name
    from guardhouse.net.nearest import near_misses
    from guardhouse.net.places import place_of

    answer = answers.get(destination.host)
    known = answer is not None and not answer.skipped and not answer.error
    refusal = rules.judge(destination, answer.addresses if answer is not None and known else None)
    failed = answer is not None and bool(answer.error)
    pattern = rules.allows(destination)
    place = place_of(destination, sends=method.upper() not in _READING)
    return {
        "read": {
            "as": destination.url,
            "scheme": destination.scheme,
            "host": destination.host,
            "port": destination.port,
            "path": destination.path,
            "has_query": destination.has_query,
            "path_is_plain": destination.path_is_plain,
        },
        "host": {
            "is": "address" if destination.address is not None else "name",
            "address_kind": address_class(destination.address) if destination.address is not None else None,
            "is_local_name": destination.address is None and is_local_name(destination.host),
            "class": host_class(destination.host),
            "place": place.kind if place is not None else None,
        },
        "allowlist": {
            "entry": pattern,
            "near_misses": [one._asdict() for one in near_misses(rules, destination)] if pattern is None else [],
        },
        "addresses": None
        if answer is None or answer.skipped
        else [{"address": one, "kind": address_class(one) or "public"} for one in answer.addresses],
        "dns_error": answer.error if answer is not None else "",
        "refused": "dns_failure" if failed and refusal is None else refusal.code if refusal is not None else None,
    }


# For people ----------------------------------------------------------------------------------------------------------


def _lines(told: dict[str, Any]) -> list[str]:
    read = told["read"]
    lines = [_line("URL", f"{told['url']} ({told['method']}, by {told['tool']})")]
    if "refused" in read:
        lines += [
            _line("Read as", f"nothing: {read['why']} (`{read['refused']}`)"),
            *([_line("", read["fix"])] if read["fix"] else []),
            _line("", f"a browser would reach {read['browsers'] or 'nothing'}"),
            _line("", f"Python would reach {read['python'] or 'nothing'}"),
        ]
    else:
        lines += _destination_lines(told)
    if not told["reached"]:
        lines.append(
            _line("Tool", f"{told['tool']} reaches no URL that it is given so, and the allowlist is not asked")
        )
    return [*lines, *_verdict_lines(told)]


def _line(head: str, text: str) -> str:
    return f"{head:<10} {text}"


def _destination_lines(told: dict[str, Any]) -> list[str]:
    read, host, listed = told["read"], told["host"], told["allowlist"]
    query = ", with a query" if read["has_query"] else ""
    lines = [
        _line("Read as", read["as"]),
        _line("", f"scheme {read['scheme']}, host {read['host']}, port {read['port']}, path {read['path']}{query}"),
    ]
    if not read["path_is_plain"]:
        lines.append(_line("", "the path can be read in more than one way, so no URL prefix covers it"))
    lines.append(_line("Host", _host_text(host)))
    if listed["entry"] is not None:
        lines.append(_line("Allowed by", f"the entry {listed['entry']}"))
    else:
        lines.append(_line("Allowed by", "no entry of the allowlist"))
        lines += [_line("", f"not by {one['entry']}: {one['why']}") for one in listed["near_misses"]]
    return [*lines, _line("Addresses", _addresses_text(told))]


def _host_text(host: dict[str, Any]) -> str:
    if host["is"] == "address":
        kind = host["address_kind"]
        text = "a public address" if kind is None else f"an address of the kind “{kind}”"
    else:
        text = "a local name" if host["is_local_name"] else "a name"
    if host["class"] is not None:
        text += f"; anybody can leave or collect things there ({host['class'].replace('_', ' ')})"
    if host["place"] is not None:
        text += f"; anybody can have an address there ({host['place']})"
    return text


def _addresses_text(told: dict[str, Any]) -> str:
    if told["host"]["is"] == "address":
        return "the host is one"
    if told["dns_error"]:
        return f"none: {told['dns_error']}"
    if told["addresses"] is None:
        return (
            "not looked up" if told["refused"] is None else "not looked up: a look-up would already tell it something"
        )
    return ", ".join(f"{one['address']} ({one['kind']})" for one in told["addresses"]) or "none"


def _verdict_lines(told: dict[str, Any]) -> list[str]:
    verdict = told["verdict"]
    says = _SAYS[verdict["decision"]]
    if told["mode"] == "observe" and verdict["would_be"] != verdict["decision"]:
        says += f" while observing; enforced: {_SAYS[verdict['would_be']]}"
    elif told["mode"] == "disabled":
        says += ": the guard is switched off"
    lines = [_line("Verdict", says)]
    for one in verdict["reasons"]:
        lines.append(_line("", f"{one['title']} (`{one['code']}`). {one['why']}"))
        if one["instead"]:
            lines.append(_line("", f"Instead: {one['instead']}"))
        if one["remedy"]:
            lines.append(_line("Fix", one["remedy"]))
    return lines


def _masked(value: Any) -> Any:
    """Every text of it as a terminal may show it, without secrets."""
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return printable(value) if isinstance(value, str) else value


def _as_python_reads(raw: str) -> str | None:
    """Scheme, host, port and path as Python's standard library reads them; None if it reads nothing."""
    from urllib.parse import urlsplit  # for URLs that were read already, or refused

    from guardhouse.model import visible

    try:
        parts = urlsplit(raw)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not parts.scheme or not host:
        return None
    return visible(f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path or '/'}")[:_LONGEST_READING]


_LONGEST_READING: Final = 300
