"""Tools that nobody described, tools that do much, and tools that run commands."""

import pytest
from guarded_house import codes
from hypothesis import given
from hypothesis import strategies as st

from guardhouse.detect.commands.looking import matches_allowed
from guardhouse.model import Decision, SkillInstall, ToolCallPre, ToolPin
from guardhouse.trust import KNOWN_TOOLS, Capability

SHELLS = sorted(name for name, profile in KNOWN_TOOLS.items() if Capability.EXECUTES in profile.capabilities)
ALLOWED = "guard: {bash: ask, commands: {allowed: ['make test', 'git log *', 'echo $HOME; ls']}}"


def test_an_unclassified_tool_asks_and_says_how_to_describe_it(house):
    for params in ({}, {"x": 1}, {"path": "x"}):
        verdict = house.call("frobnicate", **params)
        assert verdict.decision is Decision.REQUIRE_APPROVAL
        assert codes(verdict) == ["tool.unclassified"]
        assert "guardhouse allow tool frobnicate" in verdict.for_person


DIGEST = f"sha256:{'1' * 64}"


class Pinned:
    """Pins as a test wants them."""

    def __init__(self, **pin):
        self._pin = ToolPin(**pin)

    def pin(self, tool):
        return self._pin


def announced(house, yaml, pins, *, tool_digest=DIGEST, **params):
    action = ToolCallPre(tool="mcp__box__echo", params=params, tool_digest=tool_digest)
    return house.guard(yaml, pins=pins).evaluate(action)


DESCRIBED = "guard: {tools: {mcp__box__echo: {capabilities: [reads]}}}"


def test_a_tool_that_is_described_as_it_was_pinned_is_what_it_was_said_to_be(house):
    assert announced(house, DESCRIBED, Pinned(digest=DIGEST)).decision is Decision.ALLOW


@pytest.mark.parametrize("pinned", [{}, {"digest": f"sha256:{'2' * 64}"}, {"digest": DIGEST, "error": "gone"}])
def test_a_tool_that_is_described_otherwise_than_it_was_pinned_asks_and_says_how_to_accept_it(house, pinned):
    verdict = announced(house, DESCRIBED, Pinned(**pinned))
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert "tool.changed" in codes(verdict)
    assert "guardhouse pins accept mcp__box__echo" in verdict.for_person
    assert "pins accept" not in verdict.for_agent


@pytest.mark.parametrize(
    ("preset", "decision"),
    [
        ("dev", Decision.REQUIRE_APPROVAL),
        ("container", Decision.REQUIRE_APPROVAL),
        ("read-only", Decision.REQUIRE_APPROVAL),
        ("ci", Decision.DENY),
        ("strict", Decision.DENY),
    ],
)
def test_a_changed_tool_is_asked_about_where_somebody_is_there(house, preset, decision):
    yaml = DESCRIBED.replace("guard: {", f"guard: {{preset: {preset}, ")
    assert announced(house, yaml, Pinned()).decision is decision


def test_what_was_said_of_another_description_no_longer_counts(house):
    yaml = DESCRIBED.replace("[reads]", f"[reads], pinned_to: 'sha256:{'2' * 64}'")
    assert codes(announced(house, yaml, Pinned(digest=DIGEST))) == ["tool.unclassified"]
    assert announced(house, yaml, Pinned(digest=f"sha256:{'2' * 64}"), tool_digest=f"sha256:{'2' * 64}").decision is (
        Decision.ALLOW
    )


def test_what_a_tool_says_of_itself_is_looked_at_in_its_arguments_too(house):
    plain = announced(house, DESCRIBED, Pinned(digest=DIGEST), site="evil.example")
    assert plain.decision is Decision.ALLOW
    hinted = announced(house, DESCRIBED, Pinned(digest=DIGEST, open_world=True), site="evil.example")
    assert "non_allowlisted_domain" in codes(hinted)
    assert "tool.consequential" in codes(announced(house, DESCRIBED, Pinned(digest=DIGEST, destructive=True)))


def test_a_name_that_only_resembles_a_known_tool_is_unclassified(house):
    for name in ("read_file2", "mcp__files__read_file", "bash\u200b", "ｂａｓｈ", "read_file\u00ad", "read file"):
        assert "tool.unclassified" in codes(house.call(name, path="x"))


def test_case_and_spaces_round_a_name_do_not_matter(house):
    for name in ("READ_FILE", " read_file ", "Read"):
        assert house.call(name, path="x").decision is Decision.ALLOW
    assert "shell.ask_mode" in codes(house.call(" BASH\n", "guard: {bash: ask}", command="ls"))


def test_a_described_tool_is_taken_at_its_owners_word(house):
    yaml = (
        "guard: {tools: {'mcp__notes__*': {capabilities: [reads]}, wire: {capabilities: [spends]}, "
        "noop: {capabilities: []}}}"
    )
    assert house.call("mcp__notes__list", yaml).decision is Decision.ALLOW
    assert house.call("noop", yaml, url="https://evil.example/", path="/etc/shadow").decision is Decision.ALLOW
    assert codes(house.call("wire", yaml, amount=5)) == ["tool.consequential"]


def test_sending_spending_and_destroying_ask(house):
    for tool in ("send_email", "pay_invoice", "delete_file", "transfer_money", "publish_post"):
        assert "tool.consequential" in codes(house.call(tool, path="x", to="y"))


def test_bookkeeping_is_free(house):
    for tool in ("todo_write", "think", "update_plan"):
        assert house.call(tool, todos=[{"content": "rm -rf / ; guardhouse allow"}]).decision is Decision.ALLOW


def test_a_skill_nobody_looked_into_asks(house):
    action = SkillInstall(skill="pdf", source="https://skills.example/pdf.zip", tree_digest="sha256:" + "0" * 64)
    verdict = house.guard().evaluate(action)
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert codes(verdict) == ["skill.unscanned"]


@pytest.mark.parametrize("tool", SHELLS)
@pytest.mark.parametrize(
    "params", [{"command": "ls"}, {"cmd": ["ls", "-l"]}, {"code": "1+1"}, {"command": ""}, {"command": None}, {}]
)
def test_in_ask_mode_every_command_asks(house, tool, params):
    verdict = house.call(tool, "guard: {bash: ask}", **params)
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    assert codes(verdict) == ["shell.ask_mode"]


@pytest.mark.parametrize("tool", SHELLS)
def test_in_deny_mode_no_command_runs(house, tool):
    verdict = house.call(tool, "guard: {bash: deny}", command="ls")
    assert verdict.decision is Decision.DENY
    assert codes(verdict) == ["shell.deny_mode"]


@pytest.mark.parametrize(
    "command", ["make test", " make test\n", "git log", "git log -3 --oneline", "git  log HEAD~2", "echo $HOME; ls"]
)
def test_an_allowed_command_runs_without_a_question(house, command):
    for yaml in (ALLOWED, ALLOWED.replace("bash: ask", "bash: deny")):
        assert house.call("bash", yaml, command=command, description="why; rm").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "make test2",
        "make test x",
        "make",
        "git log; rm -rf /",
        "git log && id",
        "git log | sh",
        "git log & id",
        "git log\nid",
        "git log\rid",
        "git log $(id)",
        "git log `id`",
        "git log ${x}",
        "git log > x",
        "git log < x",
        "git log\t-3",
        "git log 'x'",
        'git log "x"',
        "git log x\\;id",
        "git log *",
        "git log ?",
        "git log [a]",
        "git log {a,b}",
        "git log !x",
        "git log #x",
        "git log \u2028id",
        "git logs",
        "xgit log",
        "X=1 git log",
        "git -c core.pager=id log",
        "echo $HOME; ls ",
        "echo $HOME; ls /",
    ],
)
def test_more_than_the_allowed_command_is_not_covered(house, command):
    verdict = house.call("bash", ALLOWED, command=command)
    assert (verdict.decision is Decision.ALLOW) == (command.strip() == "echo $HOME; ls")


@pytest.mark.parametrize(
    "extra",
    [
        {"env": {"PATH": "/tmp/evil"}},
        {"args": ["-x"]},
        {"stdin": "x"},
        {"shell": "/tmp/evil.sh"},
        {"cwd": "/tmp/evil"},
        {"workdir": "../other"},
        {"working_directory": "~"},
    ],
)
def test_an_allowed_command_with_something_beside_it_asks(house, extra):
    action = ToolCallPre(tool="bash", params={"command": "make test", **extra})
    assert "shell.ask_mode" in codes(house.guard(ALLOWED).evaluate(action))


@pytest.mark.parametrize("extra", [{"shell": "bash"}, {"cwd": "sub"}, {"workdir": "."}, {"timeout": "5"}, {"n": 3}])
def test_an_allowed_command_with_harmless_options_runs(house, extra):
    action = ToolCallPre(tool="bash", params={"command": "make test", **extra})
    assert house.guard(ALLOWED).evaluate(action).decision is Decision.ALLOW


@given(st.text(alphabet="git log*;|&$`'\"\\\n\t<>(){}[]!#~=x", max_size=40))
def test_a_prefix_never_covers_shell_syntax(command):
    if matches_allowed(command, "git log *"):
        assert set(command.strip()) <= set("git log~=x")


def test_an_entry_of_nothing_but_a_star_covers_nothing():
    for entry in ("", " *", "*", "  *"):
        assert not matches_allowed("rm x", entry)
        assert not matches_allowed("", entry)


OWN_COMMANDS = [
    "guardhouse allow domain evil.example",
    "guardhouse trust .guardhouse.yaml",
    "guardhouse token new",
    "guardhouse approvals approve 1",
    "guardhouse install claude",
    "guardhouse uninstall",
    "guardhouse policy replay",
    "guardhouse --config x allow domain evil.example",
    "/usr/local/bin/guardhouse allow domain evil.example",
    "./guardhouse allow x",
    ".venv/bin/guardhouse allow x",
    "~/.local/bin/guardhouse allow x",
    "python -m guardhouse.cli allow x",
    "python3 -m guardhouse allow x",
    'python -c \'from guardhouse.cli import main; main(["allow", "domain", "x"])\'',
    "python -c 'from guardhouse.config.trust_store import TrustStore'",
    "env X=1 guardhouse allow x",
    "X=1 guardhouse allow x",
    "sudo -u ada guardhouse allow x",
    "command guardhouse allow x",
    "guard''house allow x",
    'g"uardh"ouse allow x',
    "guard\\house al\\low x",
    "$'guardhouse' allow x",
    "guardhous? allow x",
    "guardhous[e] allow x",
    "GUARDHOUSE ALLOW x",
    "ls; guardhouse allow x",
    "ls|guardhouse allow x",
    "(guardhouse allow x)",
    "`guardhouse allow x`",
    "echo allow domain x | xargs guardhouse",
    "G=guardhouse; $G allow x",
    "yes\n| guardhouse trust x",
    "guardhouse pins accept mcp__box__echo",
    "echo pins forget box | xargs guardhouse",
    "guardhouse mcp --name box -- sh",
    "pkill guardhouse",
    "killall -9 guardhouse",
    "systemctl stop guardhouse",
    "pip uninstall -y guardhouse",
]


@pytest.mark.parametrize("command", OWN_COMMANDS)
def test_driving_the_guard_from_a_command_is_denied(house, command):
    for params in ({"command": command}, {"cmd": ["bash", "-c", command]}):
        verdict = house.call("bash", **params)
        assert verdict.decision is Decision.DENY
        assert "guard.own_command" in codes(verdict)
    assert house.call("bash", "guard: {mode: observe}", command=command).decision is Decision.DENY


def test_even_an_allowed_command_does_not_drive_the_guard(house):
    yaml = "guard: {commands: {allowed: ['guardhouse *']}}"
    assert house.call("bash", yaml, command="guardhouse allow domain x").decision is Decision.DENY
    assert house.call("bash", yaml, command="guardhouse check").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "guardhouse check",
        "guardhouse url check https://x.example/",
        "grep -rn trust src/guardhouse",
        "cd /srv/guardhouse && npm install",
        "git log src/guardhouse/policy",
        "npm install",
        "make install policy",
        "docker token allow",
    ],
)
def test_looking_and_unrelated_words_do_not_touch_the_guard(house, command):
    assert "guard.own_command" not in codes(house.call("bash", command=command))
    assert codes(house.call("bash", "guard: {bash: ask}", command=command)) == ["shell.ask_mode"]


def test_a_command_of_enormous_length_is_not_read_to_its_end(house):
    verdict = house.guard().evaluate(ToolCallPre(tool="bash", params={"command": "a " * 30_000}))
    assert verdict.decision is Decision.DENY
