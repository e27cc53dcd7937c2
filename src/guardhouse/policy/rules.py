"""Rules, compiled once: what a rule asks for, and an index that finds the few rules that could match.

A rule has two halves. One half looks at the action (type, tool, capability, regex); the other at one finding (code,
effect, domain, URL prefix, path class, risk). Rules are sorted out by action type and tool once per tool, and within
that by the most telling thing they ask of a finding, so that thousands of rules cost no more than a few.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UnsetType

from guardhouse.model import ACTION_TYPES, Decision, Effect, Finding, PathClass, ReasonCode, RiskLevel, Severity
from guardhouse.net import BadPattern, NetworkRules, NetworkSettings, parse_destination
from guardhouse.policy.tightness import EFFECTS
from guardhouse.trust import Capability, ToolCatalogue, ToolProfile, tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from guardhouse.detect import Scene
    from guardhouse.policy.schema import RuleSection

_MEMO_LIMIT: Final = 4096
_WITH_TOOL: Final = frozenset({"ToolCallPre", "ToolCallPost"})


class BadRule(Exception):
    """A rule that can't be compiled, or that could never match."""

    def __init__(self, key: str, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.key = key
        self.what = what
        self.fix = fix


class Rule(msgspec.Struct, frozen=True):
    """One compiled rule."""

    id: str
    decision: Decision
    actions: frozenset[str]
    tools: tuple[str, ...]
    capabilities: frozenset[Capability]
    codes: frozenset[str]
    """Exact reason codes: globs are written out when the rule is compiled. Empty: any."""
    effects: frozenset[Effect]
    domains: tuple[str, ...]
    prefixes: Prefixes | None
    path_classes: frozenset[PathClass]
    risk: RiskLevel | None
    patterns: tuple[Any, ...]
    field: str | None
    when: Callable[[Mapping[str, Any]], object] | None
    waives: frozenset[str]
    because: str
    instead: str
    trusted: bool = True
    """False: it came with a repository, and its words are that repository's."""

    @property
    def wants_finding(self) -> bool:
        """Whether it looks at findings at all."""
        return bool(
            self.codes or self.effects or self.domains or self.prefixes or self.path_classes or self.risk is not None
        )

    def covers_tool(self, action_type: str, profile: ToolProfile | None) -> bool:
        """Whether type, tool and capability match; what is the same for every call of one tool."""
        if self.actions and action_type not in self.actions:
            return False
        if self.tools and (profile is None or not any(fnmatchcase(profile.name, glob) for glob in self.tools)):
            return False
        if not self.capabilities:
            return True
        if profile is None:
            return False
        # To allow, everything the tool can do must be named. Nobody has said what an unclassified tool does: that is a
        # reason to restrict it, never one to allow it.
        if self.decision is Decision.ALLOW:
            return profile.classified and bool(profile.capabilities) and profile.capabilities <= self.capabilities
        return profile.may(*self.capabilities)

    def covers_text(self, scene: Scene) -> bool:
        """Whether a regex matches somewhere in the action."""
        if not self.patterns:
            return True
        return any(
            pattern.search(leaf.text) is not None
            for leaf in scene.leaves
            if self.field is None or _is_at(leaf.field, self.field)
            for pattern in self.patterns
        )

    def covers_finding(self, finding: Finding, risk: RiskLevel) -> bool:
        """Whether everything it asks of one finding holds."""
        return (
            (not self.codes or finding.code in self.codes)
            and (not self.effects or finding.effect in self.effects)
            and (not self.path_classes or finding.path_class in self.path_classes)
            and (self.risk is None or risk >= self.risk)
            and (not self.domains or _host_matches(finding.host, self.domains))
            and (self.prefixes is None or (finding.url is not None and self.prefixes.cover(finding.url)))
        )


def _is_at(name: str, field: str) -> bool:
    return name == field or name.startswith((f"{field}.", f"{field}["))


def _host_matches(host: str | None, patterns: tuple[str, ...]) -> bool:
    return host is not None and any(
        host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern for pattern in patterns
    )


class Prefixes:
    """The URL prefixes of a rule that restricts. BadPattern for one that is not understood."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._rules = NetworkRules(NetworkSettings(allowed_url_prefixes=patterns))
        parsed = [parse_destination(pattern) for pattern in patterns]
        self._origins = frozenset((one.scheme, one.host, one.port) for one in parsed)
        self.hosts = frozenset(one.host for one in parsed)

    def cover(self, url: str) -> bool:
        """Whether a prefix covers `url`. A path that servers read in different ways counts as covered: on an allowlist
        doubt means no, and a rule that restricts must not be passed by with `//` or an escaped dot."""
        destination = parse_destination(url)
        if self._rules.allows(destination) is not None:
            return True
        origin = (destination.scheme, destination.host, destination.port)
        return not destination.path_is_plain and origin in self._origins


class Slice(msgspec.Struct):
    """The rules that can matter for one action type and tool."""

    whole: list[Rule] = msgspec.field(default_factory=list)
    """Rules that look at no finding."""
    allows: list[Rule] = msgspec.field(default_factory=list)
    by_code: dict[str, list[Rule]] = msgspec.field(default_factory=dict)
    by_host: dict[str, list[Rule]] = msgspec.field(default_factory=dict)
    by_url_host: dict[str, list[Rule]] = msgspec.field(default_factory=dict)
    by_path_class: dict[PathClass, list[Rule]] = msgspec.field(default_factory=dict)
    by_effect: dict[Effect, list[Rule]] = msgspec.field(default_factory=dict)
    any_finding: list[Rule] = msgspec.field(default_factory=list)

    def add(self, rule: Rule) -> None:
        """Put a rule where it will be looked for: under the most telling thing it asks for."""
        if rule.decision is Decision.ALLOW:
            self.allows.append(rule)
        elif not rule.wants_finding:
            self.whole.append(rule)
        elif rule.domains:
            for host in {pattern.removeprefix("*.") for pattern in rule.domains}:
                self.by_host.setdefault(host, []).append(rule)
        elif rule.prefixes is not None:
            for host in rule.prefixes.hosts:
                self.by_url_host.setdefault(host, []).append(rule)
        elif rule.codes:
            for code in rule.codes:
                self.by_code.setdefault(code, []).append(rule)
        elif rule.path_classes:
            for path_class in rule.path_classes:
                self.by_path_class.setdefault(path_class, []).append(rule)
        elif rule.effects:
            for effect in rule.effects:
                self.by_effect.setdefault(effect, []).append(rule)
        else:
            self.any_finding.append(rule)

    def candidates(self, finding: Finding) -> Iterator[Rule]:
        """Every rule that could match `finding`, and few others."""
        yield from self.by_code.get(finding.code, ())
        if self.by_host and finding.host is not None:
            host = finding.host
            while True:
                yield from self.by_host.get(host, ())
                _, dot, host = host.partition(".")
                if not dot:
                    break
        if self.by_url_host and finding.url is not None:
            yield from self.by_url_host.get(parse_destination(finding.url).host, ())
        if finding.path_class is not None:
            yield from self.by_path_class.get(finding.path_class, ())
        if finding.effect is not None:
            yield from self.by_effect.get(finding.effect, ())
        yield from self.any_finding


class RuleBook:
    """All rules of a policy."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._slices: dict[tuple[str, str], Slice] = {}

    def slice(self, action_type: str, profile: ToolProfile | None) -> Slice:
        """The rules for one action type and tool, sorted out the first time and kept."""
        key = (action_type, profile.name if profile else "")
        found = self._slices.get(key)
        if found is None:
            found = Slice()
            for rule in self.rules:
                if rule.covers_tool(action_type, profile):
                    found.add(rule)
            if len(self._slices) >= _MEMO_LIMIT:
                self._slices.clear()
            self._slices[key] = found
        return found


def compile_rule(
    section: RuleSection,
    codes: Mapping[str, ReasonCode],
    floors: frozenset[str],
    tools_known: ToolCatalogue,
    *,
    trusted: bool = True,
) -> Rule:
    """A rule from its configuration; BadRule says which part of it is wrong or could never match.

    `codes` are all reason codes, `floors` those nothing can lift.
    """
    known = frozenset(codes)
    decision = EFFECTS[section.effect]
    actions = _names("action", section.action, ACTION_TYPES)
    tools = tuple(_tool(tool) for tool in _several("tool", section.tool))
    capabilities = frozenset(Capability(name) for name in _names("capability", section.capability, _values(Capability)))
    rule = Rule(
        id=section.id,
        decision=decision,
        actions=actions,
        tools=tools,
        capabilities=capabilities,
        codes=_codes("finding", _several("finding", section.finding), known),
        effects=frozenset(Effect(name) for name in _names("does", section.does, _values(Effect))),
        domains=tuple(_domain(pattern) for pattern in _several("domain", section.domain)),
        prefixes=_prefixes(section),
        path_classes=frozenset(
            PathClass(name) for name in _names("path_class", section.path_class, _values(PathClass))
        ),
        risk=RiskLevel(section.risk) if section.risk else None,
        patterns=tuple(_pattern(pattern) for pattern in _several("regex", section.regex)),
        field=section.field,
        when=_condition(section.when) if section.when is not None else None,
        waives=_codes("waives", section.waives, known),
        because=section.because,
        instead=section.instead,
        trusted=trusted,
    )
    _check_sense(rule, section, floors, frozenset(code.id for code in codes.values() if code.masks))
    _check_can_match(rule, codes.values(), tools_known)
    return rule


def _check_can_match(rule: Rule, codes: Iterable[ReasonCode], tools: ToolCatalogue) -> None:
    """Refuse a rule whose conditions no finding, or no waived code, can meet all together."""
    if rule.decision is Decision.ALLOW:
        if not any(code.id in rule.waives and _is_found_in(code, rule.actions) for code in codes):
            raise BadRule("waives", "names nothing that is found in these actions.", "See `guardhouse explain CODE`.")
        return
    if not rule.wants_finding:
        return
    possible = [
        code for code in codes if (not rule.codes or code.id in rule.codes) and _is_found_in(code, rule.actions)
    ]
    if not possible:
        raise BadRule("finding" if rule.codes else "action", "can never match: nothing of that is found there.")
    for key, wanted in (
        ("domain", {"host"} if rule.domains or rule.prefixes else None),
        ("path_class", {"path"} if rule.path_classes else None),
        ("does", frozenset().union(*(_ABOUT[effect] for effect in rule.effects)) or None),
    ):
        if wanted is not None:
            possible = [code for code in possible if code.about is None or code.about in wanted]
        if not possible:
            raise BadRule(key, "can never match together with the rest.", "Make a rule of its own for it.")
    if rule.risk is not None and rule.risk > RiskLevel.LOW and all(code.severity is Severity.INFO for code in possible):
        raise BadRule("risk", "can never match: this is an observation without risk.", "Leave it out.")
    if (rule.domains or rule.prefixes) and rule.tools and not any(_may_reach_out(tools, name) for name in rule.tools):
        raise BadRule(
            "domain",
            "can never match: hosts are not read out of what these tools are given.",
            "Use `regex` for their text.",
        )


def _is_found_in(code: ReasonCode, actions: frozenset[str]) -> bool:
    return not code.on or not actions or not actions.isdisjoint(code.on)


def _may_reach_out(tools: ToolCatalogue, name: str) -> bool:
    """Whether destinations are looked for in calls of a tool; of a glob, nobody knows."""
    if any(char in name for char in "*?["):
        return True
    return tools.profile(name).may(
        Capability.EGRESS, Capability.SENDS, Capability.READS, Capability.WRITES, Capability.EXECUTES
    )


_ABOUT: Final = {
    **dict.fromkeys(Effect, frozenset({"command"})),
    **dict.fromkeys(
        (Effect.READS, Effect.WRITES, Effect.OVERWRITES, Effect.DELETES, Effect.MUTATES), frozenset({"path", "command"})
    ),
    **dict.fromkeys((Effect.CONNECTS, Effect.SENDS, Effect.LISTENS, Effect.SCANS), frozenset({"host"})),
}
"""What findings about an effect can speak of."""


def _check_sense(rule: Rule, section: RuleSection, floors: frozenset[str], masked: frozenset[str]) -> None:
    """Refuse a rule that says two things at once, or that could never match."""
    if rule.decision is Decision.ALLOW:
        _check_allow(rule, section, floors)
    elif rule.waives:
        raise BadRule("waives", "is for allow rules.", "Leave it out, or use `effect: allow`.")
    if (rule.tools or rule.capabilities) and rule.actions and rule.actions.isdisjoint(_WITH_TOOL):
        raise BadRule("tool" if rule.tools else "capability", "can never match: these actions have no tool.")
    _check_field(rule)
    if (rule.domains or rule.prefixes) and rule.path_classes:
        raise BadRule("path_class", "can never match together with a host: one finding has one or the other.")
    if rule.decision is Decision.ALLOW_WITH_REDACTION and not (rule.patterns or (rule.codes and rule.codes <= masked)):
        raise BadRule("effect", "`redact` has nothing to mask.", "Add `finding: secret.*` or a `regex`.")


def _check_allow(rule: Rule, section: RuleSection, floors: frozenset[str]) -> None:
    if rule.wants_finding or rule.patterns or rule.when is not None:
        raise BadRule(
            "effect",
            "`allow` rules match on action, tool and capability only.",
            "Name what they let through with `waives`.",
        )
    if not rule.waives:
        raise BadRule("waives", "is missing: an allow rule names the reason codes that it lifts.")
    lifted = floors & rule.waives
    if lifted:
        named = sorted(floors & set(section.waives)) or sorted(lifted)
        raise BadRule("waives", f"`{named[0]}` is a floor that no rule can lift.", "Take it out.")
    if not (rule.actions or rule.tools or rule.capabilities):
        raise BadRule("effect", "`allow` for everything.", "Say for which tools, or change the code under `findings`.")


_TEXTS: Final = {
    "UserInput": "content",
    "ToolCallPre": "params",
    "ToolCallPost": "content",
    "OutputPublish": "content",
    "MemoryReadPre": "query",
    "MemoryReadPost": "content",
    "SkillRunPre": "params",
    "SkillRunPost": "content",
    "SkillInstall": "source",
}
"""The field of each action type in which expressions are looked for."""


def _check_field(rule: Rule) -> None:
    if rule.field is None:
        return
    if not rule.patterns:
        raise BadRule("field", "says where to look for `regex`, and there is none.", "Add `regex`.")
    types = rule.actions or (_WITH_TOOL if rule.tools or rule.capabilities else frozenset(_TEXTS))
    known = sorted({_TEXTS[name] for name in types})
    if not any(_is_at(rule.field, name) for name in known):
        raise BadRule("field", "can never match: these actions have no such field.", f"Start it with {_or(known)}.")


def _or(names: list[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _several(key: str, value: str | tuple[str, ...] | UnsetType) -> tuple[str, ...]:
    if isinstance(value, UnsetType):
        return ()
    entries = (value,) if isinstance(value, str) else value
    if not entries or not all(entry.strip() for entry in entries):
        raise BadRule(key, "is empty, so the rule can never match.", "Name what it is about, or leave the key out.")
    return entries


def _tool(pattern: str) -> str:
    if any(char in pattern for char in ",|{}"):
        raise BadRule("tool", f"can never match: `{pattern}` is not one name or glob.", "Write a list of names.")
    return tool_name(pattern)


def _values(kind: type[Capability] | type[Effect] | type[PathClass]) -> list[str]:
    return [member.value for member in kind]


def _names(key: str, value: str | tuple[str, ...] | UnsetType, known: Iterable[str]) -> frozenset[str]:
    allowed = list(known)
    names = _several(key, value)
    for name in names:
        if name not in allowed:
            raise BadRule(key, f"can never match: `{name}` is not known.", _suggest(name, allowed))
    return frozenset(names)


def _codes(key: str, patterns: tuple[str, ...], known: frozenset[str]) -> frozenset[str]:
    found: set[str] = set()
    for pattern in patterns:
        matching = {code for code in known if fnmatchcase(code, pattern)}
        if not matching:
            raise BadRule(key, f"can never match: `{pattern}` is no reason code.", _suggest(pattern, sorted(known)))
        found |= matching
    return frozenset(found)


def _suggest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known, n=1)
    return f"Did you mean `{close[0]}`?" if close else f"Known: {', '.join(known)}."


def _domain(pattern: str) -> str:
    try:
        NetworkRules(NetworkSettings(allowed_domains=(pattern,)))
    except BadPattern as error:
        raise BadRule("domain", f"can never match: {error.what}", error.fix) from None
    star, name = ("*.", pattern[2:]) if pattern.startswith("*.") else ("", pattern)
    is_ipv6 = name.count(":") > 1
    if pattern == "*" or (":" in name and not is_ipv6) or "]:" in name:
        raise BadRule("domain", "is a host without a port, and not `*`.", "Leave it out to match every host.")
    # Findings name hosts in canonical form; a trailing dot, an upper-case or an international name must not differ.
    return star + parse_destination(f"https://[{name.strip('[]')}]/" if is_ipv6 else f"https://{name}/").host


def _prefixes(section: RuleSection) -> Prefixes | None:
    patterns = _several("url_prefix", section.url_prefix)
    if not patterns:
        return None
    try:
        return Prefixes(patterns)
    except BadPattern as error:
        raise BadRule("url_prefix", f"can never match: {error.what}", error.fix) from None


def _pattern(text: str) -> Any:
    import re2  # only where a rule has a regex

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise BadRule(
            "regex", f"is not an RE2 expression: {reason}.", "Look-around and back-references are not in RE2."
        ) from None
    if compiled.search("") is not None:
        raise BadRule("regex", "matches empty text, hence everything.", "Make it match something.")
    return compiled


def _condition(text: str) -> Callable[[Mapping[str, Any]], object]:
    from guardhouse.policy.conditions import compile_condition  # CEL is only loaded where it is used

    try:
        return compile_condition(text)
    except ValueError as error:
        raise BadRule("when", f"is not a CEL expression: {error}.", "See docs/policy.md.") from None
