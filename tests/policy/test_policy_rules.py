"""Rules: each condition, rules that could never match, and the index that finds the few that could."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect import Scene
from guardhouse.model import (
    NO_FACTS,
    Addresses,
    AddressesOf,
    Confidence,
    Decision,
    Effect,
    Finding,
    PathClass,
    ReasonCode,
    RiskLevel,
    Severity,
    ToolCallPre,
)
from guardhouse.policy.rules import BadRule, RuleBook, compile_rule
from guardhouse.policy.schema import RuleSection
from guardhouse.trust import ToolCatalogue

ALLOWING = "guard: {network: {default: {allowed_domains: ['*']}}, preset: dev, rules: [%s]}"
FETCH = {"type": "ToolCallPre", "tool": "url_fetch", "params": {"url": "https://api.evil.example/v1/x"}}
READ = {"type": "ToolCallPre", "tool": "read_file", "params": {"path": "README.md"}}
SAY = {"type": "OutputPublish", "content": {"a": ["the password of Ada"]}}
UNKNOWN = {"type": "ToolCallPre", "tool": "frobnicate", "params": {"text": "x"}}
SECRET = {"type": "OutputPublish", "content": "token sk-abcdefghijklmnopqrstuvwx1234567890"}
MAIL = {"type": "ToolCallPost", "tool": "send_mail", "content": "sent"}

CONDITIONS = [
    # conditions, actions that match, actions that do not
    ("action: ToolCallPre", [FETCH, READ], [SAY, MAIL]),
    ("action: [OutputPublish, ToolCallPost]", [SAY, MAIL], [FETCH]),
    ("tool: url_fetch", [FETCH], [READ, SAY, UNKNOWN]),
    ("tool: ' URL_Fetch '", [FETCH], [READ]),
    ("tool: 'U*_f?tch'", [FETCH], [READ]),
    ("tool: [read_file, 'send_*']", [READ, MAIL], [FETCH]),
    ("capability: reads", [READ, UNKNOWN], [FETCH, SAY]),
    ("capability: [sends, spends]", [UNKNOWN, MAIL], [FETCH, READ]),
    ("finding: net.destination", [FETCH], [READ, SAY]),
    ("finding: 'net.*'", [FETCH], [READ]),
    ("finding: [path.touched, tool.unclassified]", [READ, UNKNOWN], [FETCH]),
    ("does: connects", [FETCH], [READ]),
    ("does: [reads, sends]", [READ], [FETCH, SAY]),
    ("domain: api.evil.example", [FETCH], [READ]),
    ("domain: API.Evil.Example.", [FETCH], [READ]),
    ("domain: '*.evil.example'", [FETCH], [READ]),
    ("domain: '*.EVIL.example.'", [FETCH], [READ]),
    ("domain: evil.example", [], [FETCH]),
    ("domain: '*.api.evil.example'", [], [FETCH]),
    ("url_prefix: 'https://api.evil.example/v1/'", [FETCH], [READ]),
    ("url_prefix: 'HTTPS://API.evil.example:443/v1/x'", [FETCH], []),
    ("url_prefix: 'https://api.evil.example/v2/'", [], [FETCH]),
    ("path_class: project", [READ], [FETCH]),
    ("path_class: [home, temp]", [], [READ]),
    ("risk: medium", [UNKNOWN, SECRET], [FETCH, READ]),
    ("risk: high", [SECRET], [UNKNOWN]),
    ("regex: passw", [SAY], [FETCH]),
    ("regex: ['nope', '(?i)PASSWORD']", [SAY], [FETCH]),
    ("regex: passw, field: content", [SAY], [FETCH]),
    ("regex: passw, field: content.a", [SAY], []),
    ("regex: passw, field: 'content.a[0]'", [SAY], []),
    ("regex: passw, field: content.b", [], [SAY]),
    ("regex: passw, field: 'content.a[1]'", [], [SAY]),
    ("tool: url_fetch, does: connects, domain: api.evil.example", [FETCH], [READ]),
    ("tool: read_file, domain: api.evil.example", [], [FETCH, READ]),
    ("", [FETCH, READ, SAY, UNKNOWN, SECRET, MAIL], []),
    ("when: 'has(action.tool) && action.tool == \"url_fetch\"'", [FETCH], [READ, SAY]),
    ("does: [connects, reads], when: 'finding.code == \"net.destination\"'", [FETCH], [READ]),
    ("when: 'finding == null && [\"url_fetch\"].exists(t, t == action.tool)'", [FETCH], [READ]),
    ("when: 'action.tool.startsWith(\"url_\")'", [FETCH], [READ]),
    ("finding: net.destination, when: 'finding.host.startsWith(\"api\")'", [FETCH], []),
    ("finding: net.destination, when: 'finding.host.startsWith(\"www\")'", [], [FETCH]),
]


@pytest.mark.parametrize(("conditions", "matching", "others"), CONDITIONS)
def test_a_rule_matches_exactly_when_everything_it_names_does(policy, verdict, conditions, matching, others):
    separator = ", " if conditions else ""
    made = policy(user=ALLOWING % f"{{id: it, effect: deny{separator}{conditions}}}")
    for action, wanted in [*((one, True) for one in matching), *((one, False) for one in others)]:
        found = verdict(made, action)
        assert any(reason.decided_by == "rule:it" for reason in found.reasons) == wanted
        assert found.decision is Decision.DENY or not wanted


@pytest.mark.parametrize("effect", ["require_approval", "deny"])
def test_the_strictest_rule_counts(policy, verdict, effect):
    rules = f"{{id: a, effect: require_approval, tool: read_file}}, {{id: b, effect: {effect}, tool: 'read*'}}"
    assert verdict(policy(user=ALLOWING % rules), READ).decision.value == effect


def test_a_redacting_rule_masks_what_it_matches(policy, verdict):
    found = verdict(policy(user=ALLOWING % "{id: a, effect: redact, regex: 'pass[a-z]+'}"), SAY)
    assert found.decision is Decision.ALLOW_WITH_REDACTION
    assert found.content == {"a": ["the [redacted] of Ada"]}


URLS = [
    "https://api.example/admin/",
    "https://api.example/admin/users",
    "https://api.example//admin/",
    "https://api.example/x/../admin/",
    "https://api.example/x/%2e%2e/admin/",
    "https://api.example/x/..%2fadmin/",
    "https://api.example/%61dmin/",
    "https://api.example/admin;x/",
    "https://api.example./admin/",
    "https://API.example:443/admin/",
    "https://u:p@api.example/admin/",
]


@pytest.mark.parametrize("url", URLS)
def test_no_spelling_of_a_path_gets_past_a_rule_that_denies_its_prefix(policy, decision, url):
    made = policy(user=ALLOWING % "{id: a, effect: deny, url_prefix: 'https://api.example/admin/'}")
    assert decision(made, "url_fetch", url=url) == "deny"


@pytest.mark.parametrize(
    "url", ["https://api.example/", "https://api.example/administer/", "https://other.example/admin/"]
)
def test_a_rule_that_denies_a_prefix_leaves_the_rest_alone(policy, decision, url):
    made = policy(user=ALLOWING % "{id: a, effect: deny, url_prefix: 'https://api.example/admin/'}")
    assert decision(made, "url_fetch", url=url) == "allow"


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("xn--bcher-kva.example", "https://bücher.example/"),
        ("*.BÜCHER.example", "https://www.bücher.example/"),
        ("93.184.216.34", "https://93.184.216.34/"),
        ("2606:4700::1111", "https://[2606:4700:0:0::1111]/"),
        ("[2606:4700::1111]", "https://[2606:4700::1111]/"),
    ],
)
def test_a_host_is_compared_in_its_canonical_form(policy, decision, pattern, url):
    made = policy(user=ALLOWING % f'{{id: a, effect: deny, domain: "{pattern}"}}')
    assert decision(policy(user=ALLOWING % ""), "url_fetch", url=url) == "allow"
    assert decision(made, "url_fetch", url=url) == "deny"


NEVER = [
    # rule, key that is wrong, part of the message
    ("effect: deny, action: ToolCallPr", "action", "Did you mean `ToolCallPre`?"),
    ("effect: deny, action: toolcallpre", "action", "never match"),
    ("effect: deny, capability: read", "capability", "Did you mean `reads`?"),
    ("effect: deny, does: delete", "does", "Did you mean `deletes`?"),
    ("effect: deny, path_class: secrets", "path_class", "Did you mean `secret`?"),
    ("effect: deny, finding: private_pi", "finding", "Did you mean `private_ip`?"),
    ("effect: deny, finding: 'urls.*'", "finding", "no reason code"),
    ("effect: deny, finding: action.too_large", "finding", "no reason code"),
    ("effect: deny, finding: [private_ip, nope]", "finding", "no reason code"),
    ("effect: deny, domain: 'https://x.example'", "domain", "never match"),
    ("effect: deny, domain: 'x.example:8443'", "domain", "without a port"),
    ("effect: deny, domain: '*'", "domain", "every host"),
    ("effect: deny, domain: 'x.*'", "domain", "never match"),
    ("effect: deny, domain: 'x y'", "domain", "never match"),
    ("effect: deny, url_prefix: 'x.example/'", "url_prefix", "never match"),
    ("effect: deny, url_prefix: 'https://x.example'", "url_prefix", "slash"),
    ("effect: deny, url_prefix: 'https://x.example/a/../b/'", "url_prefix", "never match"),
    ("effect: deny, regex: '('", "regex", "RE2"),
    ("effect: deny, regex: '(?=x)'", "regex", "RE2"),
    ("effect: deny, regex: 'a*'", "regex", "empty text"),
    ("effect: deny, regex: [x, '']", "regex", "is empty"),
    ("effect: deny, when: 'action.'", "when", "CEL"),
    ("effect: deny, when: ''", "when", "CEL"),
    ("effect: deny, when: 'size(findings) == 0'", "when", "`findings` is not one of action, finding"),
    ("effect: deny, when: 'user == 1'", "when", "`user` is not one of action, finding"),
    ("effect: deny, field: params", "field", "Add `regex`"),
    ("effect: deny, regex: x, field: ''", "field", "no such field"),
    ("effect: deny, regex: x, field: parms.command", "field", "no such field"),
    ("effect: deny, regex: x, field: paramsx", "field", "no such field"),
    ("effect: deny, regex: x, field: params.url, action: OutputPublish", "field", "Start it with `content`"),
    ("effect: deny, regex: x, field: query, tool: bash", "field", "`content` or `params`"),
    ("effect: deny, tool: bash, action: UserInput", "tool", "no tool"),
    ("effect: deny, capability: sends, action: [SkillRunPre, UserInput]", "capability", "no tool"),
    ("effect: deny, domain: x.example, path_class: home", "path_class", "never match"),
    ("effect: deny, tool: 'bash, sh'", "tool", "Write a list"),
    ("effect: deny, tool: 'bash|sh'", "tool", "Write a list"),
    ("effect: deny, tool: '{bash,sh}'", "tool", "Write a list"),
    ("effect: deny, tool: ''", "tool", "is empty"),
    ("effect: deny, tool: ['bash', ' ']", "tool", "is empty"),
    *((f"effect: deny, {key}: []", key, "is empty") for key in RuleSection.__struct_fields__[2:9]),
    ("effect: deny, regex: []", "regex", "is empty"),
    ("effect: deny, finding: net.destination, path_class: home", "path_class", "can never match"),
    ("effect: deny, path_class: project, does: connects", "does", "can never match"),
    ("effect: deny, action: ToolCallPost, finding: path.touched", "finding", "can never match"),
    ("effect: deny, action: UserInput, does: sends", "does", "can never match"),
    ("effect: deny, finding: net.destination, risk: critical", "risk", "can never match"),
    ("effect: deny, finding: secret.in_content, action: ToolCallPre", "finding", "can never match"),
    ("effect: allow, action: UserInput, waives: [path.sensitive_read]", "waives", "nothing that is found"),
    ("effect: deny, tool: think, domain: x.example", "domain", "can never match"),
    ("effect: deny, waives: [private_ip]", "waives", "for allow rules"),
    ("effect: redact, tool: x", "effect", "nothing to mask"),
    ("effect: redact, finding: private_ip", "effect", "nothing to mask"),
    ("effect: redact, finding: [secret.in_content, private_ip]", "effect", "nothing to mask"),
    ("effect: allow, tool: x", "waives", "is missing"),
    ("effect: allow, tool: x, waives: []", "waives", "is missing"),
    ("effect: allow, tool: [], waives: [private_ip]", "tool", "is empty"),
    ("effect: allow, waives: [private_ip]", "effect", "for everything"),
    ("effect: allow, tool: x, waives: [nope]", "waives", "no reason code"),
    ("effect: allow, tool: x, waives: ['*']", "waives", "floor"),
    ("effect: allow, tool: x, waives: [guard.own_files]", "waives", "`guard.own_files` is a floor"),
    ("effect: allow, tool: x, waives: ['exfil.*']", "waives", "floor"),
    ("effect: allow, tool: x, waives: [private_ip], finding: private_ip", "effect", "match on action"),
    ("effect: allow, tool: x, waives: [private_ip], domain: a.example", "effect", "match on action"),
    ("effect: allow, tool: x, waives: [private_ip], regex: x", "effect", "match on action"),
    ("effect: allow, tool: x, waives: [private_ip], when: 'true'", "effect", "match on action"),
]


@pytest.mark.parametrize(("rule", "key", "part"), NEVER)
def test_a_rule_that_could_never_match_or_says_two_things_is_an_error(problems, rule, key, part):
    (problem,) = problems(user=f"guard:\n  rules:\n  - {{id: fine, effect: deny, tool: y}}\n  - {{id: it, {rule}}}\n")
    assert problem.startswith(f"user.yaml:4: `rules[1].{key}")
    assert part in problem


@pytest.mark.parametrize("rule_id", ["", "A", "a b", "a\\n", "-a", "x" * 65])
def test_a_rule_has_a_plain_id(problems, rule_id):
    assert "rules[0].id" in problems(user=f'guard: {{rules: [{{id: "{rule_id}", effect: deny}}]}}')[0]


def test_an_id_is_there_once_in_a_file(problems, layer):
    text = "guard:\n  rules:\n  - {id: a, effect: deny}\n  - {id: a, effect: deny}\n"
    assert problems(user=text) == ["user.yaml:4: `rules[1].id` `a` is there twice. Rename one."]


# Allow rules


@pytest.mark.parametrize("conditions", ["tool: frobnicate", "tool: 'frob*'", "action: ToolCallPre", "tool: '*'"])
def test_an_allow_rule_waives_the_codes_it_names(policy, verdict, conditions):
    made = policy(user=ALLOWING % f"{{id: w, effect: allow, {conditions}, waives: [tool.unclassified]}}")
    assert verdict(made, UNKNOWN).decision is Decision.ALLOW
    assert verdict(made, UNKNOWN).risk_level is RiskLevel.LOW


@pytest.mark.parametrize("conditions", ["tool: other", "tool: 'x*'", "capability: reads"])
def test_an_allow_rule_for_something_else_waives_nothing(policy, verdict, conditions):
    made = policy(user=ALLOWING % f"{{id: w, effect: allow, {conditions}, waives: [tool.unclassified]}}")
    assert verdict(made, UNKNOWN).decision is Decision.REQUIRE_APPROVAL


def test_an_allow_rule_waives_no_other_code(policy, verdict):
    made = policy(user=ALLOWING % "{id: w, effect: allow, tool: '*', waives: [path.touched]}")
    assert verdict(made, UNKNOWN).decision is Decision.REQUIRE_APPROVAL


@pytest.mark.parametrize("capability", ["reads", "sends", "[reads, writes, executes]"])
def test_nobody_knows_what_an_unclassified_tool_can_do_so_no_capability_allows_it(policy, verdict, capability):
    made = policy(user=ALLOWING % f"{{id: w, effect: allow, capability: {capability}, waives: [tool.unclassified]}}")
    assert verdict(made, UNKNOWN).decision is Decision.REQUIRE_APPROVAL


def test_a_capability_allows_a_tool_that_is_known_to_have_it(policy, decision):
    made = policy(user=ALLOWING % "{id: w, effect: allow, capability: executes, waives: [shell.ask_mode]}")
    assert decision(made, "bash", command="make all") == "allow"


@pytest.mark.parametrize("effect", ["require_approval", "deny"])
def test_a_waiver_never_lifts_a_rule(policy, verdict, effect):
    rules = (
        "{id: w, effect: allow, tool: '*', waives: [tool.unclassified]}, "
        f"{{id: r, effect: {effect}, finding: tool.unclassified}}"
    )
    assert verdict(policy(user=ALLOWING % rules), UNKNOWN).decision.value == effect


# `when`


@pytest.mark.parametrize(
    "expression", ["action.params.count > 3", "action.params.text > 3", "nope(action)", "1/0 == 1"]
)
def test_a_condition_that_can_not_be_evaluated_counts_as_matching(policy, verdict, expression):
    found = verdict(policy(user=ALLOWING % f"{{id: a, effect: deny, tool: frobnicate, when: '{expression}'}}"), UNKNOWN)
    assert found.decision is Decision.DENY
    assert "policy.rule_failed" in {reason.code for reason in found.reasons}


@pytest.mark.parametrize("expression", ["1", "action.params.text", "null", "finding", "0", '""'])
def test_a_condition_that_is_neither_true_nor_false_counts_as_matching(policy, verdict, expression):
    rule = f"{{id: a, effect: deny, tool: frobnicate, when: '{expression}'}}"
    found = verdict(policy(user=ALLOWING % rule), UNKNOWN)
    assert found.decision is Decision.DENY
    assert "policy.rule_failed" in {reason.code for reason in found.reasons}


@pytest.mark.parametrize(("expression", "wanted"), [("true", "deny"), ("false", "require_approval")])
def test_a_condition_that_is_evaluated_decides(policy, verdict, expression, wanted):
    rule = f"{{id: a, effect: deny, tool: frobnicate, when: '{expression}'}}"
    assert verdict(policy(user=ALLOWING % rule), UNKNOWN).decision.value == wanted


def test_numbers_beyond_64_bits_do_not_let_a_condition_slip(policy, decision):
    made = policy(user=ALLOWING % "{id: a, effect: deny, tool: read_file, when: 'action.params.n > 3'}")
    assert decision(made, "read_file", path="README.md", n=2**70) == "deny"
    assert decision(made, "read_file", path="README.md", n=2) == "allow"


# The index

CODES = ["net.destination", "private_ip", "path.touched", "secret.in_content", "tool.unclassified", "url.missing"]
HOSTS = ["a.example", "b.a.example", "c.b.a.example", "example.org", "93.184.216.34"]


def several(values, **limits):
    return st.lists(st.sampled_from(values), unique=True, **limits)


rule_sections = st.fixed_dictionaries(
    {},
    optional={
        "action": several(["ToolCallPre", "ToolCallPost"], min_size=1),
        "tool": several(["bash", "read_file", "url_*", "*"], min_size=1),
        "capability": several(["reads", "egress", "sends"], min_size=1),
        "finding": several([*CODES, "net.*", "*"], min_size=1),
        "does": several([effect.value for effect in Effect], min_size=1),
        "domain": several([*HOSTS, *(f"*.{host}" for host in HOSTS[:4] if host.count("."))], min_size=1),
        "url_prefix": several([f"https://{host}/v1/" for host in HOSTS], min_size=1),
        "path_class": several([one.value for one in PathClass], min_size=1),
        "risk": st.sampled_from(["low", "medium", "high", "critical"]),
    },
)
findings = st.builds(
    Finding,
    code=st.sampled_from(CODES),
    detector=st.just("d"),
    severity=st.sampled_from(list(Severity)),
    confidence=st.sampled_from(list(Confidence)),
    effect=st.none() | st.sampled_from(list(Effect)),
    host=st.none() | st.sampled_from(HOSTS),
    url=st.none() | st.sampled_from([f"https://{host}{path}" for host in HOSTS for path in ("/v1/x", "/v2/", "//v1/")]),
    path_class=st.none() | st.sampled_from(list(PathClass)),
)


def compiled(sections):
    known = {
        code: ReasonCode(id=code, title="", severity=Severity.LOW, why="", instead="", example="") for code in CODES
    }
    rules = []
    for number, section in enumerate(sections):
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in section.items()}
        if (fields.keys() & {"domain", "url_prefix"}) and "path_class" in fields:
            del fields["path_class"]
        rule = RuleSection(id=f"r{number}", effect="deny", **fields)
        try:
            rules.append(compile_rule(rule, known, frozenset(), ToolCatalogue()))
        except BadRule:  # it could never match, so it is no rule
            continue
    return rules


@given(
    st.lists(rule_sections, max_size=8),
    findings,
    st.sampled_from(list(RiskLevel)),
    st.sampled_from(["ToolCallPre", "ToolCallPost"]),
    st.sampled_from(["bash", "read_file", "url_fetch", "unknown"]),
)
def test_the_index_finds_exactly_what_looking_at_every_rule_finds(sections, finding, risk, action_type, tool):
    rules = compiled(sections)
    profile = ToolCatalogue().profile(tool)
    piece = RuleBook(rules).slice(action_type, profile)
    by_index = {rule.id for rule in piece.candidates(finding) if rule.covers_finding(finding, risk)}
    by_hand = {
        rule.id
        for rule in rules
        if rule.wants_finding and rule.covers_tool(action_type, profile) and rule.covers_finding(finding, risk)
    }
    assert by_index == by_hand
    assert {rule.id for rule in piece.whole} == {
        rule.id for rule in rules if not rule.wants_finding and rule.covers_tool(action_type, profile)
    }


def test_thousands_of_rules_are_found_by_what_they_ask_for(policy):
    rules = ", ".join(f"{{id: r{number}, effect: deny, domain: h{number}.example}}" for number in range(3000))
    made = policy(user=f"guard: {{rules: [{rules}]}}")
    scene = Scene(
        ToolCallPre(tool="url_fetch", params={}), made.settings, NO_FACTS.with_answers({AddressesOf("x"): Addresses()})
    )
    piece = made.engine.rules.slice("ToolCallPre", scene.rule_tool)
    finding = Finding(code="net.destination", detector="d", severity=Severity.INFO, host="h7.example")
    assert [rule.id for rule in piece.candidates(finding)] == ["r7"]
