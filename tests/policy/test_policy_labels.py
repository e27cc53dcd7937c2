"""The `labels` section: what is wrong with it is told with its line, and no layer gets around another."""

import pytest

from guardhouse.model import OutputPublish, PolicyError

CARD = "4111 1111 1111 1111"
SYSTEM = "guard: {labels: {output: {personal: deny}}, lock: [%s]}"


@pytest.fixture
def outcome(verdict):
    def judge(policy, content=CARD):
        return verdict(policy, OutputPublish(content=content)).decision.value

    return judge


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("output:\n      crad: deny", "user.yaml:4: `labels.output.crad` is no label. Did you mean `card`?"),
        ("egress:\n      people: deny", "user.yaml:4: `labels.egress.people` is no label."),
        ("output:\n      card: mask", "user.yaml:4: `labels.output.card` invalid enum value 'mask'."),
        ("outputs: {}", "user.yaml:3: `labels.outputs` is not a key. Did you mean `output`?"),
        (
            "patterns:\n      - {id: x1, pattern: '('}",
            "user.yaml:4: `labels.patterns[0].pattern` This is not a valid RE2",
        ),
        ("patterns:\n      - {id: x1, pattern: 'a*'}", "matches the empty string"),
        ("patterns:\n      - {id: x1, pattern: '[a-z]+'}", "matches `[redacted]`"),
        ("patterns:\n      - {id: card, pattern: X-1}", "`labels.patterns[0].id` `card` is there already."),
        ("patterns:\n      - {id: personal, pattern: X-1}", "`personal` is there already."),
        ("patterns:\n      - {id: x1, pattern: X-1}\n      - {id: x1, pattern: Y-1}", "`labels.patterns[1].id`"),
        ("private:\n      - too short a text", "`labels.private[0]` A private text of fewer than 8 words"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_a_fix(problems, section, problem):
    (told,) = problems(user=f"guard:\n  labels:\n    {section}\n")
    assert told.startswith("user.yaml:")
    assert problem in told


def test_a_variable_can_set_a_label(policy, outcome, layer):
    made = policy(layer("environment", {"GUARDHOUSE_LABELS_OUTPUT_CARD": "deny"}))
    assert outcome(made) == "deny"


@pytest.mark.parametrize(
    "project", ["{card: redact}", "{personal: redact}", "{card: allow}", "{'*': redact, iban: allow}"]
)
def test_no_narrower_or_wider_key_of_a_project_loosens_a_label(problems, project):
    user = "guard: {labels: {output: {personal: deny, '*': deny}}}"
    assert "would loosen" in problems(user=user, project=f"guard: {{labels: {{output: {project}}}}}")[0]


def test_a_project_may_tighten_what_nobody_has_named(policy, outcome):
    made = policy(
        user="guard: {labels: {output: {email: allow}}}", project="guard: {labels: {output: {'*': require_approval}}}"
    )
    assert outcome(made) == "require_approval"
    assert outcome(made, "ada@analytical.io") == "allow"


@pytest.mark.parametrize("side", ["output", "egress"])
def test_a_project_may_not_have_anything_masked(policy, side):
    """What is masked is neither on a card nor in the record, and a masked call is another call."""
    with pytest.raises(PolicyError, match="would loosen"):
        policy(project=f"guard: {{labels: {{{side}: {{'*': redact}}}}}}")


def test_a_project_that_asks_for_a_stricter_preset_gets_its_labels(policy, outcome):
    assert outcome(policy(project="guard: {preset: strict}")) == "allow_with_redaction"
    assert outcome(policy(user="guard: {labels: {output: {card: deny}}}", project="guard: {preset: strict}")) == "deny"


def test_another_preset_takes_back_what_the_last_one_said(policy, outcome):
    assert outcome(policy(system="guard: {preset: strict}", user="guard: {preset: dev}")) == "allow"
    locked = "guard: {preset: strict, lock: [labels.output.card]}"
    assert outcome(policy(system=locked, user="guard: {preset: dev}")) == "allow_with_redaction"


def test_what_a_layer_has_said_itself_stays_under_another_preset(policy, outcome):
    system = "guard: {labels: {output: {card: deny}}}"
    assert outcome(policy(system=system, user="guard: {preset: strict}")) == "deny"
    assert outcome(policy(system=system, user="guard: {preset: dev}")) == "deny"


@pytest.mark.parametrize("lock", ["labels", "labels.output", "labels.output.personal", "labels.output.card"])
@pytest.mark.parametrize("user", ["{card: allow}", "{personal: allow}"])
def test_a_lock_holds_for_a_label_and_for_its_group(problems, lock, user):
    told = problems(system=SYSTEM % lock, user=f"guard: {{labels: {{output: {user}}}}}")
    assert told
    assert "locked by system.yaml" in told[0]


def test_a_lock_on_one_label_leaves_other_groups_free(policy):
    system = "guard: {labels: {output: {card: deny, environment: deny}}, lock: [labels.output.card]}"
    assert policy(system=system, user="guard: {labels: {output: {environment: allow, local_path: redact}}}")


def test_a_lock_on_a_label_of_ones_own_holds_against_any_group(problems):
    system = """
        guard:
          labels: {output: {business: deny}, patterns: [{id: customer, pattern: CUST-1}]}
          lock: [labels.output.customer]
    """
    assert "locked" in problems(system=system, user="guard: {labels: {output: {business: allow}}}")[0]
    assert "locked" in problems(system=system, user="guard: {labels: {output: {customer: allow}}}")[0]


def test_a_locked_label_is_not_waived_by_a_rule(problems):
    system = "guard: {labels: {output: {card: deny}}, lock: [labels.output.card]}"
    for waived in ("label.in_output", "label.*"):
        rule = f"guard: {{rules: [{{id: r, effect: allow, action: OutputPublish, waives: ['{waived}']}}]}}"
        assert "locked by system.yaml" in problems(system=system, user=rule)[0]


def test_labels_of_several_layers_add_up(policy, outcome):
    def one(name):
        return (
            f"guard: {{labels: {{output: {{business: deny}}, patterns: [{{id: {name}, pattern: '{name}-[0-9]+'}}]}}}}"
        )

    made = policy(system=one("abc"), user=one("xyz"))
    assert (outcome(made, "abc-1"), outcome(made, "xyz-1"), outcome(made, "nop-1")) == ("deny", "deny", "allow")
