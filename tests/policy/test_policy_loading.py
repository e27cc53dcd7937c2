"""Every mistake in a configuration stops the load, with file, line, key and fix; nothing is silently not in force."""

import json

import pytest
import yaml

from guardhouse.detect import DETECTORS, Detector
from guardhouse.model import InvalidAction, PolicyError, ReasonCode, Severity
from guardhouse.net import CLIENT_CODES
from guardhouse.policy import FLOORS, OUTCOMES, Layer, catalogue, json_schema, load, read_document, run_examples
from guardhouse.policy.codes import GATE_CODES

MISTAKES = {
    # name: configuration below `guard`, key in the message, part of the message, its line in YAML (from line 2)
    "an unknown key": ({"bash": "ask", "netwrok": {}}, "netwrok", "Did you mean `network`?", 3),
    "an unknown key further in": ({"limits": {"max_byte": 1}}, "limits.max_byte", "Did you mean `max_bytes`?", 3),
    "a key in odd case": ({"Enabled": False}, "Enabled", "Did you mean `enabled`?", 2),
    "a key with a space": ({"bash ": "deny"}, "bash ", "Did you mean `bash`?", 2),
    "an unknown key in a rule": (
        {"rules": [{"id": "a", "effect": "deny", "tools": "x"}]},
        "rules[0].tools",
        "Did you mean `tool`?",
        5,
    ),
    "a wrong type": ({"limits": {"max_bytes": "many"}}, "limits.max_bytes", "expected `int`, got `str`", 3),
    "a boolean for a word": ({"bash": False}, "bash", "expected `str`, got `bool`", 2),
    "a word for a boolean": (
        {"network": {"default": {"deny_private_ips": "no"}}},
        "network.default.deny_private_ips",
        "expected `bool`",
        4,
    ),
    "a number for a boolean": ({"enabled": 0}, "enabled", "expected `bool`", 2),
    "a word for a list": ({"commands": {"allowed": "make"}}, "commands.allowed", "expected `array`", 3),
    "null for a section": ({"network": None}, "network", "got `null`", 2),
    "null for a condition": ({"rules": [{"id": "a", "effect": "deny", "tool": None}]}, "rules[0].tool", "null", 5),
    "a bad choice": ({"bash": "allow"}, "bash", "invalid enum value", 2),
    "an unknown effect": ({"findings": {"private_ip": "none"}}, "findings.private_ip", "invalid enum value", 3),
    "a bad percentage": ({"risk": {"high": 101}}, "risk.high", "<= 100", 3),
    "risks out of order": ({"risk": {"high": 95}}, "risk", "out of order", 2),
    "a risk of nothing": ({"risk": {"medium": 0}}, "risk", "out of order", 2),
    "an unknown code": ({"findings": {"private_pi": "deny"}}, "findings.private_pi", "Did you mean `private_ip`?", 3),
    "a code in odd case": ({"findings": {"Private_IP": "deny"}}, "findings.Private_IP", "is no reason code", 3),
    "a code of the gate itself": (
        {"findings": {"action.too_large": "allow"}},
        "findings.action.too_large",
        "is no reason code",
        3,
    ),
    "a floor": ({"findings": {"guard.own_files": "allow"}}, "findings.guard.own_files", "is a floor", 3),
    "nothing to mask": ({"findings": {"private_ip": "redact"}}, "findings.private_ip", "nothing to mask", 3),
    "an unknown detector": ({"detectors": {"secret": True}}, "detectors.secret", "is no detector", 3),
    "a detector of a floor": ({"detectors": {"paths": False}}, "detectors.paths", "floor `guard.own_files`", 3),
    "a bad domain": (
        {"network": {"default": {"allowed_domains": ["ok.example", "https://x.example/"]}}},
        "network.default.allowed_domains[1]",
        "URL, not a host",
        6,
    ),
    "an empty domain": ({"network": {"x": {"allowed_domains": [""]}}}, "network.x.allowed_domains[0]", "", 5),
    "a bad prefix": (
        {"network": {"x": {"allowed_url_prefixes": ["https://a.example"]}}},
        "network.x.allowed_url_prefixes[0]",
        "End it with a slash",
        5,
    ),
    "a bad secret pattern": (
        {"secrets": {"patterns": [{"id": "mine", "pattern": "("}]}},
        "secrets.patterns[0].pattern",
        "",
        5,
    ),
    "an unknown capability": (
        {"tools": {"x": {"capabilities": ["read"]}}},
        "tools.x.capabilities[0]",
        "invalid enum value",
        5,
    ),
    "a relative directory": (
        {"paths": {"allowed_directories": ["work"]}},
        "paths.allowed_directories[0]",
        "not an absolute",
        4,
    ),
    "an empty directory": ({"paths": {"allowed_directories": [""]}}, "paths.allowed_directories[0]", "absolute", 4),
    "the root": ({"paths": {"allowed_directories": ["//"]}}, "paths.allowed_directories[0]", "everything", 4),
    "the home": ({"paths": {"allowed_directories": ["~/"]}}, "paths.allowed_directories[0]", "everything", 4),
    "the way up": ({"paths": {"allowed_directories": ["/srv/.."]}}, "paths.allowed_directories[0]", "plain path", 4),
    "a dot": ({"paths": {"allowed_directories": ["/."]}}, "paths.allowed_directories[0]", "plain path", 4),
    "a directory glob": ({"paths": {"allowed_directories": ["/srv/*"]}}, "paths.allowed_directories[0]", "plain", 4),
    "a relative glob": ({"paths": {"sensitive": ["*.token"]}}, "paths.sensitive[0]", "never match", 4),
    "an open brace": ({"paths": {"sensitive": ["/a/{b,c"]}}, "paths.sensitive[0]", "never match", 4),
    "a directory as a glob": ({"paths": {"sensitive": ["~/vault/"]}}, "paths.sensitive[0]", "`/**`", 4),
    "an empty command": ({"commands": {"allowed": [""]}}, "commands.allowed[0]", "is empty", 4),
    "a command for all": ({"commands": {"allowed": ["make", " *"]}}, "commands.allowed[1]", "spaces", 5),
    "another command for all": ({"commands": {"allowed": ["*"]}}, "commands.allowed[0]", "every command", 4),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_an_error_with_file_line_key_and_what_to_do(problems, name):
    guard, key, part, line = MISTAKES[name]
    text = yaml.safe_dump({"guard": guard}, sort_keys=False)
    (problem,) = problems(user=text)
    assert problem.startswith(f"user.yaml:{line}: `{key}")
    assert part.lower() in problem.lower()


@pytest.mark.parametrize("name", MISTAKES)
def test_the_same_mistake_is_found_in_json(problems, name, layer):
    guard, key, part, line = MISTAKES[name]
    (problem,) = problems(layer("user", json.dumps({"guard": guard}, indent=1), file="user.json"))
    where, _, rest = problem.partition(": ")
    assert where.startswith("user.json:")
    assert int(where.rpartition(":")[2]) <= line + 2
    assert rest.startswith(f"`{key}")
    assert part.lower() in rest.lower()


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[guard]\nbash = 'ask'\nnetwrok = 1\n", 3, "netwrok"),
        ("[guard.limits]\nmax_bytes = 'many'\n", 2, "limits.max_bytes"),
        ("[guard.findings]\n'private_ip' = 'deny'\n\"guard.own_files\" = 'allow'\n", 3, "findings.guard.own_files"),
        ("[guard.network.url_fetch]\nallowed_domains = [\n 'x/y',\n]\n", 2, "network.url_fetch.allowed_domains[0]"),
        (
            "[[guard.rules]]\nid='a'\neffect='deny'\n[[guard.rules]]\nid='b'\neffect='deny'\nregex='('\n",
            7,
            "rules[1].regex",
        ),
        ("guard.lock = ['nope']\n", 1, "lock[0]"),
    ],
)
def test_the_same_mistakes_are_found_in_toml(problems, layer, text, line, key):
    (problem,) = problems(layer("user", text, file="user.toml"))
    assert problem.startswith(f"user.toml:{line}: `{key}`")


def test_everything_goes_under_guard(problems):
    assert "Everything goes under `guard:`" in problems(user="network: {}")[0]
    assert problems(user="guard:\n")


@pytest.mark.parametrize("detector", [detector.id for detector in DETECTORS])
def test_a_detector_that_keeps_a_floor_can_not_be_switched_off(problems, detector):
    keeps_floor = any(code.id in FLOORS for row in DETECTORS if row.id == detector for code in row.codes)
    assert bool(problems(user=f"guard: {{detectors: {{{detector}: false}}}}")) == keeps_floor


def test_a_secret_bound_for_an_unlisted_host_is_denied_whatever_is_switched_off(policy, decision):
    user = """
        guard:
          detectors: {secrets: false, destinations: false}
          findings: {non_allowlisted_domain: allow}
          rules:
          - {id: w, effect: allow, tool: "*", waives: [non_allowlisted_domain, url.*, exfil.secret_outbound]}
    """
    url = "https://paste.example/?k=sk-abcdefghijklmnopqrstuvwx1234567890"
    assert decision(policy(user=user), "url_fetch", url=url) == "deny"


@pytest.mark.parametrize("effect", ["allow", "redact", "require_approval", "deny"])
def test_an_override_of_a_finding_is_what_it_then_leads_to(policy, decision, effect):
    user = f"guard: {{findings: {{tool.unclassified: {effect}}}}}"
    if effect == "redact":
        with pytest.raises(PolicyError, match="nothing to mask"):
            policy(user=user)
    else:
        assert decision(policy(user=user), "frobnicate", x=1) == effect


@pytest.mark.parametrize("code", sorted(FLOORS))
@pytest.mark.parametrize("effect", ["allow", "redact", "require_approval", "deny"])
def test_no_override_goes_below_a_floor(problems, code, effect):
    order = ["allow", "allow_with_redaction", "require_approval", "deny"]
    too_low = {"redact": "allow_with_redaction"}.get(effect, effect)
    found = problems(user=f"guard: {{findings: {{{code}: {effect}}}}}")
    assert bool(found) == (order.index(too_low) < FLOORS[code].rank)


def test_every_code_a_detector_can_raise_has_an_outcome_under_every_preset():
    raised = {code.id for detector in DETECTORS for code in detector.codes} | {"guard.detector_failed"}
    assert raised == {row[0] for row in OUTCOMES}
    assert len(OUTCOMES) == len({row[0] for row in OUTCOMES})


def test_ci_and_strict_are_nowhere_looser_than_dev():
    order = ["allow", "redact", "require_approval", "deny"]
    for code, dev, ci, strict, _container, read_only in OUTCOMES:
        assert order.index(dev) <= order.index(ci), code
        assert order.index(dev) <= order.index(strict), code
        assert order.index(dev) <= order.index(read_only), code


def test_in_a_container_nothing_that_leaves_it_is_looser():
    own_affair = {
        "path.write_outside_project",
        "path.system_write",
        "path.persistence_write",
        "shell.changes_rights",
        "shell.deletes_everything",
        "shell.deletes_outside_project",
        "shell.deletes_unknown",
        "shell.escalates",
        "shell.overwrites_device",
        "shell.persists",
        "shell.writes_unknown",
    }
    order = ["allow", "redact", "require_approval", "deny"]
    looser = {code for code, dev, _ci, _strict, container, _ in OUTCOMES if order.index(container) < order.index(dev)}
    assert looser == own_affair


def test_every_preset_respects_every_floor():
    order = ["allow", "redact", "require_approval", "deny"]
    for code, *columns in OUTCOMES:
        assert all(order.index(effect) >= FLOORS[code].rank for effect in columns if code in FLOORS)
    assert set(FLOORS) <= {row[0] for row in OUTCOMES}


def test_the_catalogue_holds_the_codes_of_detectors_of_the_gate_and_of_the_client():
    known = catalogue()
    assert {code.id for code in (*GATE_CODES, *CLIENT_CODES)} | {row[0] for row in OUTCOMES} == set(known)
    assert all(code.id == name for name, code in known.items())


OWN = ReasonCode(id="mine.seen", title="Seen", severity=Severity.HIGH, why="Because.", instead="", example="x")


def test_a_code_of_ones_own_detector_can_be_spoken_of():
    extra = (Detector(id="mine", codes=(OWN,), find=lambda _scene: ()),)
    text = "guard: {findings: {mine.seen: allow}, rules: [{id: a, effect: deny, finding: mine.*}]}"
    layers = [Layer("user", read_document("user.yaml", text.encode()))]
    assert load(layers, extra_detectors=extra).config.findings["mine.seen"] == "allow"
    with pytest.raises(PolicyError, match=r"mine\.seen"):
        load(layers)


# Revisions


def test_a_revision_names_the_policy_not_the_way_it_is_written(policy, layer):
    one = "guard: {bash: deny, limits: {max_bytes: 5}}"
    other = "guard:\n  limits:\n    max_bytes: 5\n  # why\n  bash: deny\n"
    assert policy(user=one).revision == policy(user=other).revision == policy(system=one).revision
    in_json = layer("user", '{"guard": {"limits": {"max_bytes": 5}, "bash": "deny"}}', file="u.json")
    in_toml = layer("user", "guard.bash = 'deny'\nguard.limits.max_bytes = 5\n", file="u.toml")
    assert policy(in_json).revision == policy(in_toml).revision == policy(user=one).revision


def test_any_change_is_another_revision(policy):
    texts = [
        "guard: {}",
        "guard: {bash: deny}",
        "guard: {preset: ci}",
        "guard: {rules: [{id: a, effect: deny, tool: x}]}",
        "guard: {rules: [{id: a, effect: deny, tool: y}]}",
        "guard: {rules: [{id: a, effect: deny, tool: x, because: z}]}",
        "guard: {network: {default: {allowed_domains: [a.example]}}}",
        "guard: {network: {url_fetch: {allowed_domains: [a.example]}}}",
    ]
    assert len({policy(user=text).revision for text in texts}) == len(texts)


def test_numbers_of_any_size_may_stand_in_examples(policy):
    text = (
        '{"guard": {"rules": [{"id": "a", "effect": "deny", "tool": "x", '
        '"match": [{"type": "ToolCallPre", "tool": "x", "params": {"n": 123456789012345678901234567890, "f": 1.5}}]}]}}'
    )
    assert policy(user=text).revision


# Examples


def examples(rule):
    return f"guard:\n  rules:\n  - {rule}\n"


MATCHING = '{type: ToolCallPre, tool: x, params: {command: "rm a"}}'
OTHER = "{type: ToolCallPre, tool: x, params: {command: ls}}"


def test_examples_are_run_when_a_policy_is_loaded(policy, problems):
    rule = "{id: a, effect: deny, tool: x, regex: '^rm ', match: [%s], not_match: [%s]}"
    assert policy(user=examples(rule % (MATCHING, OTHER)))
    found = problems(user=examples(rule % (OTHER, MATCHING)))
    assert "`rules[0].match[0]` rule `a` does not match it." in found[0]
    assert "`rules[0].not_match[0]` rule `a` matches it, and should not." in found[1]
    assert all(problem.startswith("user.yaml:3: ") for problem in found)


@pytest.mark.parametrize(
    "example", ["{}", "{type: ToolCallPr}", "{type: ToolCallPre, tool: x}", "{type: UserInput, content: 5}"]
)
def test_an_example_that_is_no_action_is_an_error(problems, example):
    assert "is not an action" in problems(user=examples(f"{{id: a, effect: deny, match: [{example}]}}"))[0]


def test_examples_see_findings_in_a_plain_world(policy):
    rule = """
        guard:
          rules:
          - id: uploads
            effect: deny
            does: sends
            domain: "*.paste.example"
            match:
            - {type: ToolCallPre, tool: url_fetch, params: {url: "https://x.paste.example/", method: POST}}
            not_match:
            - {type: ToolCallPre, tool: url_fetch, params: {url: "https://x.paste.example/"}}
            - {type: ToolCallPre, tool: url_fetch, params: {url: "https://paste.example/", method: POST}}
    """
    assert policy(user=rule)


def test_examples_can_be_run_one_by_one(layer):
    from guardhouse.policy import merge

    text = examples(f"{{id: a, effect: deny, tool: x, match: [{MATCHING}], not_match: [{OTHER}]}}")
    layers = [layer("user", text)]
    results = list(run_examples(load(layers, check_examples=False), merge(layers)))
    assert [(result.rule, result.wanted, bool(result.problem)) for result in results] == [
        ("a", True, False),
        ("a", False, True),
    ]


def test_examples_of_two_layers_are_told_by_their_own_files(problems):
    bad = f"{{id: a, effect: deny, tool: y, match: [{MATCHING}]}}"
    found = problems(system=examples(bad), project=examples(bad))
    assert [problem.split(":")[0] for problem in found] == ["system.yaml", "project.yaml"]


# The schema for editors


def test_the_json_schema_names_every_key():
    schema = json.loads(json.dumps(json_schema()))
    sections = schema["$defs"]
    assert set(sections["GuardSection"]["properties"]) >= {"enabled", "network", "rules", "limits"}
    assert all(not section.get("additionalProperties", True) for section in sections.values())


def test_loading_raises_nothing_but_policy_errors_for_strange_values(policy):
    for value in ("[1]", "{a: b}", "x", "1.5", "true", "~", "''"):
        for key in (
            "enabled",
            "mode",
            "lock",
            "commands",
            "network",
            "rules",
            "findings",
            "tools",
            "preset",
            "secrets",
        ):
            try:
                policy(user=f"guard: {{{key}: {value}}}")
            except PolicyError:
                continue
            except InvalidAction as error:
                pytest.fail(f"{key}: {value}: {error}")
