"""From layers to a policy that can decide: merge, check every part for sense, compile once.

Pure: files are read elsewhere. Every problem is told with file, line, key and fix, and all of them at once, because
a policy that can't be loaded stops the program.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import msgspec

from guardhouse.detect import DETECTORS, Detector, DetectorSettings, OwnSocket, Surroundings
from guardhouse.detect.paths import check_patterns
from guardhouse.detect.secrets import CustomKind, Fingerprints, SecretScanner
from guardhouse.model import Decision, GuardhouseError, PolicyError, ReasonCode, typed_digest
from guardhouse.net import BadDestination, NetworkRules, NetworkSettings, parse_destination
from guardhouse.policy.codes import catalogue, found_codes
from guardhouse.policy.engine import PolicyEngine
from guardhouse.policy.layers import Layer, Merged, merge
from guardhouse.policy.presets import FLOORS
from guardhouse.policy.rules import BadRule, Rule, RuleBook, compile_rule
from guardhouse.policy.schema import GuardSection, LabelsSection
from guardhouse.policy.tightness import EFFECTS
from guardhouse.redact import Redactor
from guardhouse.trust import Capability, ToolCatalogue, ToolDescription

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from guardhouse.detect.secrets import Matcher
    from guardhouse.detect.sensitivity import LabelScanner
    from guardhouse.policy.reading import Document, Key

REVISION_OF: Final = "guardhouse-policy-1"
"""Part of every revision: raised when the meaning of a configuration changes."""


class Policy(msgspec.Struct, frozen=True):
    """A compiled policy. Immutable: a changed configuration is a new policy with a new revision."""

    revision: str
    config: GuardSection
    engine: PolicyEngine
    settings: DetectorSettings
    redactor: Redactor
    extra_detectors: tuple[Detector, ...] = ()
    guard: dict[str, Any] = msgspec.field(default_factory=dict)
    """The configuration in force, as data, for showing."""
    sources: dict[str, str] = msgspec.field(default_factory=dict)
    """Which file set each key; what is not listed is built in."""


def load(
    layers: Sequence[Layer],
    surroundings: Surroundings | None = None,
    extra_detectors: tuple[Detector, ...] = (),
    *,
    check_examples: bool = True,
    matcher: Matcher | None = None,
    fingerprint_key: Callable[[], bytes] | None = None,
) -> Policy:
    """The policy that `layers` make in `surroundings`; PolicyError with every problem found.

    `matcher` looks first for secrets. `fingerprint_key` is asked for the key of fingerprints if the policy wants any;
    without it no value is allowed by its fingerprint, and masks have none.
    """
    surroundings = surroundings or Surroundings()
    merged = merge(layers)
    config = msgspec.convert(merged.guard, GuardSection)
    codes = found_codes(extra_detectors)
    where = _Where(merged)
    problems = [
        *_finding_problems(config, codes, where),
        *_lock_problems(config, codes, where),
        *_detector_problems(config, extra_detectors, where),
        *_command_problems(config, where),
        *_path_problems(config, where),
        *_risk_problems(config, where),
        *_server_problems(config, where),
        *_guardian_problems(config, where),
    ]
    rules, rule_problems = _compile_rules(config, codes, merged)
    problems += rule_problems
    network, network_problems = _compile_network(config, where)
    problems += network_problems
    wants_key = config.secrets.fingerprints or config.secrets.allowed
    fingerprints = Fingerprints(fingerprint_key()) if wants_key and fingerprint_key is not None else None
    scanner, by_kind, scanner_problems = _compile_scanner(config, where, matcher, fingerprints)
    problems += scanner_problems
    labels, by_label, label_problems = _compile_labels(config, where)
    problems += label_problems
    if problems:
        raise PolicyError("\n".join(problems), problems=tuple(problems))
    redactor = Redactor(scanner, config.secrets.level, fingerprints if config.secrets.fingerprints else None)
    outcomes = {**by_label, **by_kind}
    policy = _build(config, merged, surroundings, rules, network, redactor, labels, outcomes, extra_detectors)
    problems = _example_problems(policy, merged) if check_examples and config.rules else []
    if problems:
        raise PolicyError("\n".join(problems), problems=tuple(problems))
    return policy


def _example_problems(policy: Policy, merged: Merged) -> list[str]:
    from guardhouse.policy.examples import example_problems  # only where there are rules

    return example_problems(policy, merged)


def _build(
    config: GuardSection,
    merged: Merged,
    surroundings: Surroundings,
    rules: list[Rule],
    network: dict[str, NetworkRules],
    redactor: Redactor,
    labels: LabelScanner | None,
    by_detail: dict[tuple[str, str], Decision],
    extra_detectors: tuple[Detector, ...],
) -> Policy:
    settings = DetectorSettings(
        scanner=redactor.scanner,
        tools=_tools(config),
        network=network["default"],
        network_by_tool=network,
        surroundings=surroundings,
        allowed_directories=tuple(_expanded(path, surroundings) for path in config.paths.allowed_directories),
        sensitive_paths=config.paths.sensitive,
        bash=config.bash,
        listed_programs=config.commands.programs or (),
        shell_loopback=config.commands.loopback is not False,
        allowed_commands=config.commands.allowed,
        labels=labels,
        named_kinds=frozenset(detail for _code, detail in by_detail),
        switched_off=frozenset(name for name, on in config.detectors.items() if not on),
        sockets=_sockets(config, surroundings),
        sandbox=config.sandbox.mode,
        outside_commands=config.sandbox.outside,
        sandbox_places=(
            *(_expanded(path, surroundings) for path in (*config.sandbox.readable, *config.sandbox.writable)),
            *surroundings.repository,
        ),
    )
    engine = PolicyEngine(
        RuleBook(rules),
        {code: EFFECTS[effect] for code, effect in config.findings.items()},
        catalogue(extra_detectors),
        config.risk,
        by_detail=by_detail,
        observe=config.mode == "observe",
        unattended=config.preset == "ci",
    )
    return Policy(
        revision=_revision(merged, extra_detectors),
        config=config,
        engine=engine,
        settings=settings,
        redactor=redactor,
        extra_detectors=extra_detectors,
        guard=merged.guard,
        sources=merged.sources,
    )


def _sockets(config: GuardSection, surroundings: Surroundings) -> tuple[OwnSocket, ...]:
    """Where the daemon answers. At its port this machine's own addresses always count, whichever it listens at."""
    server = config.server
    found = list(surroundings.sockets)
    if server.port:
        found.append(OwnSocket(_bare_host(server.host), server.port))
    found += [OwnSocket("localhost", socket.port) for socket in found]
    if server.public_url:
        public = parse_destination(server.public_url)
        ports = (80, 443) if public.port == 443 else (public.port,)  # what is asked without TLS is sent on to it
        found += [OwnSocket(public.host, port) for port in ports]
    return tuple(dict.fromkeys(found))


def _bare_host(host: str) -> str:
    return host.strip("[]").lower()


def _server_problems(config: GuardSection, where: _Where) -> Iterator[str]:
    if config.server.public_url:
        try:
            parse_destination(config.server.public_url)
        except BadDestination as error:
            yield where.problem(("server", "public_url"), f"can't be used: {error.what}", error.fix)


def _guardian_problems(config: GuardSection, where: _Where) -> Iterator[str]:
    section = config.guardian
    if (section.held_to == "schema") != (section.answer == "structured") and section.held_to != "words":
        fix = "Use `schema` with structured answers, `grammar` or `regex` with a line, or `words`."
        yield where.problem(("guardian", "held_to"), "does not go with `guardian.answer`.", fix)
    if section.mode != "off":
        try:
            parse_destination(section.base_url)
        except BadDestination as error:
            yield where.problem(("guardian", "base_url"), f"can't be used: {error.what}", error.fix)


def _tools(config: GuardSection) -> ToolCatalogue:
    return ToolCatalogue(
        {name: frozenset(map(Capability, tool.capabilities)) for name, tool in config.tools.items()},
        {name: tool.pinned_to for name, tool in config.tools.items() if tool.pinned_to is not None},
        {
            name: ToolDescription(tool.description, tool.parameters, tool.roles, tool.fields)
            for name, tool in config.tools.items()
            if tool.description or tool.parameters or tool.roles or tool.fields
        },
        frozenset(one.strip().lower() for one in config.own),
    )


def _revision(merged: Merged, extra_detectors: tuple[Detector, ...]) -> str:
    named = {"of": REVISION_OF, "guard": merged.guard, "detectors": [detector.id for detector in extra_detectors]}
    return f"p-{typed_digest(named).rpartition(':')[2][:16]}"


class _Where:
    """Finds the document that set a key, so that a problem can name its line."""

    def __init__(self, merged: Merged) -> None:
        self._documents: dict[str, Document] = {layer.document.file: layer.document for layer in merged.layers}
        self._sources = merged.sources

    def problem(self, key: Key, what: str, fix: str = "") -> str:
        """The message for `key` (without `guard`), as told by the file that set it."""
        names = [str(part) for part in key if not isinstance(part, int)]
        for end in range(len(names), 0, -1):
            file = self._file(".".join(names[:end]))
            if file is not None:
                return self._documents[file].problem(("guard", *key), what, fix)
        return f"configuration: `{'.'.join(map(str, key))}` {what} {fix}".strip()

    def _file(self, name: str) -> str | None:
        """The file that set a key, or something in a section; the last one, if there were several."""
        files = [file for key, file in self._sources.items() if key == name or key.startswith(f"{name}.")]
        return next((file for file in reversed(files) if file in self._documents), None)


def _finding_problems(config: GuardSection, codes: dict[str, ReasonCode], where: _Where) -> Iterator[str]:
    for code, effect in config.findings.items():
        key = ("findings", code)
        if code not in codes:
            fix = _close_code(code, codes, "")
            yield where.problem(key, "is no reason code.", fix)
        elif EFFECTS[effect] < FLOORS.get(code, Decision.ALLOW):
            yield where.problem(key, f"is a floor: at least `{_effect(FLOORS[code])}`.", "Take it out.")
        elif effect == "redact" and not codes[code].masks:
            yield where.problem(key, "has nothing to mask.", "Use allow, require_approval or deny.")


def _close_code(name: str, codes: dict[str, ReasonCode], section: str) -> str:
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, codes, n=1)
    return f"Did you mean `{section}{close[0]}`?" if close else "See docs/reasons for all codes."


def _effect(decision: Decision) -> str:
    return next(name for name, value in EFFECTS.items() if value is decision)


def _detector_problems(config: GuardSection, extra: tuple[Detector, ...], where: _Where) -> Iterator[str]:
    known = {detector.id: detector for detector in (*DETECTORS, *extra)}
    for name, on in config.detectors.items():
        if name not in known:
            yield where.problem(("detectors", name), "is no detector.", f"Known: {', '.join(known)}.")
            continue
        floor = next((code.id for code in known[name].codes if code.id in FLOORS), None)
        if not on and floor is not None:
            fix = "Set the codes you do not want to `allow` under `findings`."
            yield where.problem(("detectors", name), f"can't be switched off: it keeps the floor `{floor}`.", fix)


def _lock_problems(config: GuardSection, codes: dict[str, ReasonCode], where: _Where) -> Iterator[str]:
    """Locks on codes that are not there; other locks are checked where they are merged."""
    for index, lock in enumerate(config.lock):
        section, _, name = lock.partition(".")
        if (
            section == "findings"
            and name
            and not any(fnmatchcase(code, name) or code.startswith(f"{name}.") for code in codes)
        ):
            fix = _close_code(name, codes, "findings.")
            yield where.problem(("lock", index), f"names no reason code: `{name}`.", fix)


def _command_problems(config: GuardSection, where: _Where) -> Iterator[str]:
    for index, entry in enumerate(config.commands.allowed):
        key = ("commands", "allowed", index)
        if not entry.strip() or entry != entry.strip():
            yield where.problem(key, "is empty, or has spaces at its ends.", "Write the command as it is typed.")
        elif entry.split(maxsplit=1)[0] == "*":
            yield where.problem(key, "would allow every command.", "Name the program: `git log *`.")


def _path_problems(config: GuardSection, where: _Where) -> Iterator[str]:
    for index, path in enumerate(config.paths.allowed_directories):
        key = ("paths", "allowed_directories", index)
        if not path.startswith(("/", "~/")):
            yield where.problem(key, "is not an absolute directory.", "Start it with `/` or `~/`.")
        elif path.rstrip("/") in {"", "~"}:
            yield where.problem(key, "would allow everything.", "Name a directory of its own.")
        elif not {"", ".", ".."}.isdisjoint(path.rstrip("/").split("/")[1:]) or "*" in path:
            yield where.problem(key, "is not a plain path.", "Write it out, without `..`, `//` or a star.")
    for index, pattern in enumerate(config.paths.sensitive):
        unbalanced = pattern.count("{") != pattern.count("}")
        if not pattern.startswith(("/", "~/", "**/")) or pattern.endswith("/") or unbalanced:
            key = ("paths", "sensitive", index)
            fix = "Start it with `/`, `~/` or `**/`, close its braces, and end a directory with `/**`."
            yield where.problem(key, "can never match.", fix)
    problem = check_patterns(config.paths.sensitive) if config.paths.sensitive else None
    if problem is not None:
        yield where.problem(("paths", "sensitive"), f"can't be used: {problem}.")


def _risk_problems(config: GuardSection, where: _Where) -> Iterator[str]:
    risk = config.risk
    if not 0 < risk.medium <= risk.high <= risk.critical:
        yield where.problem(("risk",), "is out of order.", "Use medium ≤ high ≤ critical, and medium above 0.")


def _compile_rules(config: GuardSection, codes: dict[str, ReasonCode], merged: Merged) -> tuple[list[Rule], list[str]]:
    rules: list[Rule] = []
    problems: list[str] = []
    seen: dict[tuple[str, str], None] = {}
    tools = _tools(config)
    for section, (layer, index) in zip(config.rules, merged.rule_layers, strict=True):
        key: Key = ("guard", "rules", index)
        if (layer.document.file, section.id) in seen:
            problems.append(layer.document.problem((*key, "id"), f"`{section.id}` is there twice.", "Rename one."))
        seen[layer.document.file, section.id] = None
        try:
            rule = compile_rule(section, codes, frozenset(FLOORS), tools, trusted=layer.trusted)
        except BadRule as error:
            problems.append(layer.document.problem((*key, error.key), error.what, error.fix))
        else:
            rules.append(rule)
    return rules, problems


def _compile_network(config: GuardSection, where: _Where) -> tuple[dict[str, NetworkRules], list[str]]:
    named = msgspec.to_builtins(config.network["default"])
    default = {key: value for key, value in named.items() if key in NetworkSettings.__struct_fields__}
    compiled: dict[str, NetworkRules] = {"default": NetworkRules()}
    problems: list[str] = []
    for tool, section in config.network.items():
        own = msgspec.to_builtins(section)
        if any(key in own for key in ("endpoint", "key_env", "key_header")):
            own, service_problems = _compile_service(tool, own, where)
            problems += service_problems
        base = default
        if "allowed_domains" in own or "allowed_url_prefixes" in own:
            base = {**default, "allowed_domains": (), "allowed_url_prefixes": ()}
        settings = msgspec.convert({**base, **own}, NetworkSettings)
        for key in ("allowed_domains", "allowed_url_prefixes"):
            for index, pattern in enumerate(own.get(key, ())):
                try:
                    NetworkRules(msgspec.convert({key: [pattern]}, NetworkSettings))
                except GuardhouseError as error:
                    problems.append(where.problem(("network", tool, key, index), error.what, error.fix))
        if not problems:
            compiled[tool] = NetworkRules(settings)
    return compiled, problems


def _compile_service(tool: str, own: dict[str, Any], where: _Where) -> tuple[dict[str, Any], list[str]]:
    """A network section that names a search service, as one that allows exactly that; and what is wrong with it."""
    from guardhouse.policy.searching import SERVICE_KEYS, endpoint_prefix, service_problems  # only where one is named

    problems = list(service_problems(tool, own, where.problem))
    rest = {key: value for key, value in own.items() if key not in SERVICE_KEYS}
    if not problems:
        rest["allowed_url_prefixes"] = [endpoint_prefix(own["endpoint"])]
    return rest, problems


def _compile_scanner(
    config: GuardSection, where: _Where, matcher: Matcher | None, fingerprints: Fingerprints | None
) -> tuple[SecretScanner, dict[tuple[str, str], Decision], list[str]]:
    """What looks for secrets, what their kinds lead to by code and kind, and what is wrong."""
    section = config.secrets
    problems: list[str] = []
    custom: list[CustomKind] = []
    for index, pattern in enumerate(section.patterns):
        kind = CustomKind(id=pattern.id, pattern=pattern.pattern)
        try:
            SecretScanner((kind,))
        except GuardhouseError as error:
            problems.append(where.problem(("secrets", "patterns", index, "pattern"), error.what, error.fix))
        else:
            custom.append(kind)
    ignored: frozenset[str] = frozenset()
    outcomes: dict[tuple[str, str], Decision] = {}
    if section.kinds:
        from guardhouse.policy.secret_kinds import kind_outcomes, kind_problems  # only where a kind is named

        problems += kind_problems(section, where.problem)
        ignored, outcomes = kind_outcomes(section)
    scanner = SecretScanner(custom, matcher, ignored=ignored, allowed=section.allowed, fingerprints=fingerprints)
    return scanner, outcomes, problems


def _compile_labels(
    config: GuardSection, where: _Where
) -> tuple[LabelScanner | None, dict[tuple[str, str], Decision], list[str]]:
    if config.labels == LabelsSection():
        return None, {}, []
    from guardhouse.policy.labels import compile_labels  # only where a label is named

    return compile_labels(config.labels, where.problem)


def _expanded(path: str, surroundings: Surroundings) -> str:
    home = surroundings.homes[0] if surroundings.homes else ""
    return (f"{home}{path[1:]}" if path.startswith("~") else path).rstrip("/")
