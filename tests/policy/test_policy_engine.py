"""The one place where decisions are combined, and invariant 1: more findings or more rules never let more through."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect import Detector, DetectorSettings, Scene
from guardhouse.detect.secrets import SecretScanner
from guardhouse.model import (
    Confidence,
    Decision,
    Effect,
    Finding,
    OutputPublish,
    PathClass,
    ReasonCode,
    RiskLevel,
    Severity,
    ToolCallPost,
    ToolCallPre,
)
from guardhouse.policy import FLOORS, OUTCOMES, Cause, Layer, PolicyEngine, catalogue, combine, load, read_document
from guardhouse.policy.engine import Combined
from guardhouse.policy.rules import RuleBook, compile_rule
from guardhouse.policy.schema import RiskSection, RuleSection
from guardhouse.policy.tightness import EFFECTS
from guardhouse.trust import ToolCatalogue, ToolProfile

CAUSES = [Cause(*fields) for fields in itertools.product(Decision, Decision, [False, True], [False, True])]


def weight(cause):
    """What one cause comes to, written the long way round."""
    if cause.waived or (cause.contained and cause.decision is Decision.REQUIRE_APPROVAL):
        return cause.floor
    return max(cause.decision, cause.floor)


def test_nothing_at_all_is_an_allow():
    assert combine([]) == combine([], observe=True) == Combined(Decision.ALLOW, Decision.ALLOW)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_strictest_cause_decides_and_observing_leaves_the_floors(count):
    for causes in itertools.product(CAUSES, repeat=count):
        strictest = max(map(weight, causes))
        floor = max(cause.floor for cause in causes)
        assert combine(causes) == Combined(strictest, strictest)
        assert combine(causes, observe=True) == Combined(floor, strictest)


def test_the_order_of_causes_does_not_count():
    for one, other in itertools.combinations(CAUSES, 2):
        assert combine([one, other]) == combine([other, one])


def test_one_more_cause_never_lets_more_through():
    for one, other in itertools.product(CAUSES, repeat=2):
        for observe in (False, True):
            assert combine([one, other], observe=observe).decision >= combine([one], observe=observe).decision


# Invariant 1, over the whole engine

CODES = catalogue()
FOUND = [row[0] for row in OUTCOMES]
HOSTS = ["a.example", "b.a.example", "evil.example"]
SETTINGS = DetectorSettings(scanner=SecretScanner(()))

findings = st.builds(
    Finding,
    code=st.sampled_from([*FOUND, "third.party"]),
    detector=st.just("d"),
    severity=st.sampled_from(list(Severity)),
    confidence=st.sampled_from(list(Confidence)),
    effect=st.none() | st.sampled_from(list(Effect)),
    host=st.none() | st.sampled_from(HOSTS),
    url=st.none() | st.sampled_from([f"https://{host}/v1/x" for host in HOSTS]),
    path_class=st.none() | st.sampled_from(list(PathClass)),
    detail=st.sampled_from(["", "x"]),
)


def several(values):
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True).map(tuple)


restricting = st.fixed_dictionaries(
    {"effect": st.sampled_from(["require_approval", "deny"]), "id": st.sampled_from(["a", "b"])},
    optional={
        "action": several(["ToolCallPre", "ToolCallPost", "OutputPublish"]),
        "finding": several([*FOUND, "secret.*", "*"]),
        "does": several([effect.value for effect in Effect]),
        "domain": several([*HOSTS, "*.a.example"]),
        "risk": st.sampled_from(["low", "medium", "high", "critical"]),
        "regex": several(["pass", "nothing"]),
    },
)
allowing = st.fixed_dictionaries(
    {
        "effect": st.just("allow"),
        "id": st.sampled_from(["a", "w"]),
        "action": several(["ToolCallPre", "ToolCallPost", "OutputPublish"]),
        "waives": several([code for code in FOUND if code not in FLOORS]),
    }
)
actions = st.sampled_from(
    [
        ToolCallPre(tool="bash", params={"command": "pass"}),
        ToolCallPre(tool="frobnicate", params={}),
        ToolCallPost(tool="url_fetch", content="pass"),
        OutputPublish(content={"a": ["x"]}),
    ]
)
outcomes = st.dictionaries(st.sampled_from(FOUND), st.sampled_from(list(Decision)), max_size=6)
rule_lists = st.lists(restricting | allowing, max_size=5)


class AnyTool(ToolCatalogue):
    """Every tool may reach out, so that no rule is refused for its tool."""

    def profile(self, tool):
        return ToolProfile(name=tool, capabilities=frozenset(), classified=False)


def engine(rules, overrides, *, observe):
    # The findings are made up, so their codes may be about anything.
    known = {
        code: ReasonCode(id=code, title="", severity=Severity.LOW, why="", instead="", example="", masks=True)
        for code in FOUND
    }
    compiled = [compile_rule(RuleSection(**rule), known, frozenset(FLOORS), AnyTool()) for rule in rules]
    preset = {row[0]: EFFECTS[row[1]] for row in OUTCOMES}
    return PolicyEngine(RuleBook(compiled), {**preset, **overrides}, CODES, RiskSection(), observe=observe)


def check_tighter(before, after):
    assert after.decision >= before.decision
    assert after.would_be >= before.would_be
    assert after.risk_level >= before.risk_level


@given(actions, st.lists(findings, max_size=4), findings, rule_lists, outcomes, st.booleans(), st.integers(0, 4))
def test_one_more_finding_never_makes_a_verdict_more_permissive(action, found, extra, rules, overrides, observe, at):
    judge = engine(rules, overrides, observe=observe).judge
    scene = Scene(action, SETTINGS)
    check_tighter(judge(scene, found), judge(scene, [*found[:at], extra, *found[at:]]))


@given(actions, st.lists(findings, max_size=4), rule_lists, restricting, outcomes, st.booleans(), st.integers(0, 5))
def test_one_more_restricting_rule_never_makes_any_verdict_more_permissive(
    action, found, rules, extra, overrides, observe, at
):
    scene = Scene(action, SETTINGS)
    before = engine(rules, overrides, observe=observe).judge(scene, found)
    after = engine([*rules[:at], extra, *rules[at:]], overrides, observe=observe).judge(scene, found)
    check_tighter(before, after)


@given(actions, st.lists(findings, max_size=4), rule_lists, allowing, outcomes)
def test_a_waiver_lifts_neither_floors_nor_rules(action, found, rules, waiver, overrides):
    scene = Scene(action, SETTINGS)
    no_waivers = [rule for rule in rules if rule["effect"] != "allow"]
    found_by_rules = engine(no_waivers, dict.fromkeys([*FOUND, "third.party"], Decision.ALLOW), observe=False)
    least = found_by_rules.judge(scene, found).decision
    assert engine([*rules, waiver], overrides, observe=False).judge(scene, found).decision >= least


@given(actions, st.lists(findings, max_size=4), rule_lists, outcomes)
def test_observing_enforces_the_floors_and_tells_what_would_be(action, found, rules, overrides):
    scene = Scene(action, SETTINGS)
    enforced = engine(rules, overrides, observe=False).judge(scene, found)
    observed = engine(rules, overrides, observe=True).judge(scene, found)
    assert observed.would_be == enforced.decision == enforced.would_be
    assert observed.decision <= enforced.decision
    floors = [
        Decision.DENY if one.code == "guard.detector_failed" and not action.asks_first else FLOORS[one.code]
        for one in found
        if one.code in FLOORS
    ]
    assert observed.decision == max(floors, default=Decision.ALLOW)


@given(actions, st.lists(findings, max_size=4), rule_lists, outcomes)
def test_reasons_say_what_was_decided_the_strictest_first(action, found, rules, overrides):
    judged = engine(rules, overrides, observe=False).judge(Scene(action, SETTINGS), found)
    ranks = [reason.decision.rank for reason in judged.reasons]
    assert ranks == sorted(ranks, reverse=True)
    assert max(ranks, default=0) == judged.decision.rank
    assert 0 not in ranks


# Single cases


def judged(code, severity=Severity.HIGH, action=None, rules=(), overrides=None, *, observe=False, **fields):
    finding = Finding(code=code, detector="d", severity=severity, **fields)
    scene = Scene(action or ToolCallPre(tool="frobnicate", params={"x": "pass"}), SETTINGS)
    return engine(rules, overrides or {}, observe=observe).judge(scene, [finding])


@pytest.mark.parametrize("code", sorted(FLOORS))
@pytest.mark.parametrize("observe", [False, True])
def test_a_floor_stays_whatever_the_configuration_says(code, observe):
    found = judged(code, overrides={code: Decision.ALLOW}, observe=observe)
    assert found.decision == FLOORS[code]


@pytest.mark.parametrize("observe", [False, True])
def test_content_that_a_detector_could_not_look_at_is_withheld(observe):
    found = judged("guard.detector_failed", action=OutputPublish(content="x"), observe=observe)
    assert found.decision is Decision.DENY


@pytest.mark.parametrize(
    ("severity", "decision"),
    [
        (Severity.INFO, Decision.ALLOW),
        (Severity.LOW, Decision.ALLOW),
        (Severity.MEDIUM, Decision.REQUIRE_APPROVAL),
        (Severity.HIGH, Decision.DENY),
        (Severity.CRITICAL, Decision.DENY),
    ],
)
def test_a_code_nobody_has_listed_is_decided_by_its_severity(severity, decision):
    assert judged("third.party", severity).decision is decision


@pytest.mark.parametrize(
    ("severity", "confidence", "risk"),
    [
        (Severity.INFO, Confidence.HIGH, RiskLevel.LOW),
        (Severity.MEDIUM, Confidence.HIGH, RiskLevel.MEDIUM),
        (Severity.MEDIUM, Confidence.LOW, RiskLevel.LOW),
        (Severity.HIGH, Confidence.HIGH, RiskLevel.HIGH),
        (Severity.HIGH, Confidence.LOW, RiskLevel.MEDIUM),
        (Severity.CRITICAL, Confidence.HIGH, RiskLevel.CRITICAL),
        (Severity.CRITICAL, Confidence.MEDIUM, RiskLevel.HIGH),
    ],
)
def test_risk_is_severity_weighed_by_confidence(severity, confidence, risk):
    assert judged("third.party", severity, confidence=confidence).risk_level is risk


def test_repeats_are_one_reason_with_a_count():
    finding = Finding(code="tool.unclassified", detector="d", severity=Severity.MEDIUM, detail="x")
    other = msgspec.structs.replace(finding, detail="y")
    scene = Scene(ToolCallPre(tool="t", params={}), SETTINGS)
    reasons = engine([], {}, observe=False).judge(scene, [finding, finding, other]).reasons
    assert sorted((reason.detail, reason.title.endswith(", 2 times")) for reason in reasons) == [
        ("x", True),
        ("y", False),
    ]


def test_two_rules_with_one_id_are_two_reasons():
    rules = [
        {"id": "a", "effect": "require_approval", "finding": ("tool.unclassified",)},
        {"id": "a", "effect": "deny", "does": ("sends",)},
    ]
    found = judged("tool.unclassified", Severity.MEDIUM, rules=rules, effect=Effect.SENDS)
    assert [(one.decided_by, one.decision) for one in found.reasons][:1] == [("rule:a", Decision.DENY)]
    assert found.decision is Decision.DENY
    assert len(found.reasons) == 3


@pytest.mark.parametrize(
    ("code", "fields", "remedy"),
    [
        ("non_allowlisted_domain", {"url": "https://a.example:8443/x"}, "guardhouse allow domain a.example:8443"),
        ("path.sensitive_read", {"path": "/srv/my file"}, "guardhouse allow path '/srv/my file'"),
        ("shell.ask_mode", {"excerpt": "make 'all'"}, "guardhouse allow command 'make '\"'\"'all'\"'\"''"),
        ("shell.ask_mode", {"excerpt": "make al…"}, ""),
        ("guard.own_files", {"path": "/x"}, ""),
    ],
)
def test_a_person_is_told_the_one_command_that_allows_it(code, fields, remedy):
    reasons = judged(code, overrides={code: Decision.DENY}, **fields).reasons
    assert reasons[0].remedy == remedy


def test_a_rule_is_lifted_by_no_command():
    rules = [{"id": "a", "effect": "deny", "finding": ("non_allowlisted_domain",)}]
    reasons = judged("non_allowlisted_domain", rules=rules, url="https://a.example/").reasons
    assert [reason.remedy for reason in reasons if reason.decided_by == "rule:a"] == [""]


def broken(_scene):
    raise RuntimeError("sk-secret")


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_a_broken_detector_holds_the_action_back_in_every_mode(verdict, mode):
    text = f"guard: {{mode: {mode}, rules: [{{id: w, effect: allow, tool: '*', waives: ['tool.*', 'path.*']}}]}}"
    layers = [Layer("user", read_document("u.yaml", text.encode()))]
    made = load(layers, extra_detectors=(Detector(id="mine", codes=(), find=broken),))
    assert verdict(made, ToolCallPre(tool="read_file", params={"path": "a"})).decision is Decision.REQUIRE_APPROVAL
    assert verdict(made, OutputPublish(content="x")).decision is Decision.DENY


def test_observe_mode_lets_through_and_says_what_it_would_have_done(policy, verdict):
    made = policy(user="guard: {mode: observe}")
    found = verdict(made, ToolCallPre(tool="url_fetch", params={"url": "https://evil.example/"}))
    assert (found.decision, found.would_be, found.mode) == (Decision.ALLOW, Decision.DENY, "observe")
    assert found.reasons
    found = verdict(made, ToolCallPre(tool="write_file", params={"path": ".claude/settings.json", "content": "{}"}))
    assert found.decision is Decision.DENY


def test_a_gate_that_is_switched_off_says_so(policy, verdict):
    found = verdict(policy(user="guard: {enabled: false}"), ToolCallPre(tool="bash", params={"command": "x"}))
    assert (found.decision, found.mode) == (Decision.ALLOW, "disabled")
    assert [reason.code for reason in found.reasons] == ["guard.disabled"]
