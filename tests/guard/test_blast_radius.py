"""What would be lost: counted where a person is asked, shown to them, recorded, and nothing depends on it."""

import asyncio
import os
import shutil
import subprocess

import pytest
from guarded_house import codes

from guardhouse.approvals.card import card, summary_line
from guardhouse.detect.inspection import at_stake
from guardhouse.detect.interface import Scene
from guardhouse.files import LocalFiles
from guardhouse.model import (
    NO_FACTS,
    ApprovalRequest,
    ApprovalStatus,
    Decision,
    Effect,
    Extent,
    ExtentOf,
    Finding,
    PathClass,
    RealPath,
    RealPathOf,
    Settlement,
    Severity,
    ToolCallPre,
    decode_event,
    encode_event,
)
from guardhouse.suites.interface import StillWorld

ASK = "guard: {bash: effects}"


class Files(LocalFiles):
    """The real file system; remembers what was to be counted, and answers as told if it is told."""

    def __init__(self, answer=None):
        self.asked = []
        self.answer = answer

    def extents(self, paths):
        self.asked.append(list(paths))
        return super().extents(paths) if self.answer is None else self.answer(paths)


class Keeper:
    """Lets everything wait, or says yes."""

    def __init__(self, granted=False):
        self.granted = granted
        self.asked = []

    def settle(self, asked, approval_id=None):
        self.asked.append(asked)
        return Settlement(request_of(asked, self.granted), granted=self.granted)


def request_of(asked, granted=False):
    return ApprovalRequest(
        id="ap_1",
        created_at=0.0,
        expires_at=1.0,
        action_type=asked.action_type,
        tool_name=asked.tool_name,
        action_hash=asked.bound.hash,
        action_summary_redacted=asked.action_summary_redacted,
        action_redacted=asked.action_redacted,
        risk_level=asked.risk_level,
        reasons=asked.reasons,
        codes=asked.codes,
        policy_revision=asked.policy_revision,
        bound_to=asked.bound_to,
        status=ApprovalStatus.CONSUMED if granted else ApprovalStatus.PENDING,
        actor="local:ada" if granted else None,
    )


class Log:
    def __init__(self):
        self.events = []

    def record(self, event, *, durable=False):
        self.events.append(event)


def bash(command, **more):
    return ToolCallPre(tool="bash", params={"command": command}, **more)


@pytest.fixture
def data(house):
    """A directory outside the project with 1,204 files."""
    directory = house.home / "data"
    (directory / "deep").mkdir(parents=True)
    for number in range(1204):
        (directory / "deep" / f"{number}.bin").write_text("x" * 100)
    return directory


def shown(house, action, files=None, *, asks=True):
    """What the person who is asked reads after the first line of the summary."""
    keeper = Keeper()
    verdict = house.guard(ASK, approvals=keeper, files=files or LocalFiles()).evaluate(action)
    assert verdict.decision is (Decision.REQUIRE_APPROVAL if asks else Decision.ALLOW), codes(verdict)
    return keeper.asked[0].action_summary_redacted.split("\n")[1:] if asks else []


def test_the_person_who_is_asked_is_told_how_much_would_be_lost(house, data):
    assert shown(house, bash(f"rm -rf {data}")) == [f"would be lost: 1,204 files, 120 kB in {data}"]


def test_one_file_is_told_by_its_size(house, data):
    assert shown(house, bash(f"rm {data}/deep/1.bin")) == [f"would be lost: {data}/deep/1.bin (1 file, 100 bytes)"]


def test_what_a_pattern_matches_is_counted(house, data):
    assert shown(house, bash(f"rm -rf {data}/deep/1*")) == [
        f"could be lost: 315 files, 32 kB that match {data}/deep/1*"
    ]


def test_nothing_is_said_where_nothing_is(house):
    assert shown(house, bash(f"rm -rf {house.home}/absent")) == []


def test_a_file_that_is_overwritten_through_a_link_is_the_one_it_leads_to(house, data):
    (house.home / "link").symlink_to(data / "deep" / "7.bin")
    assert f"would be lost: {data}/deep/7.bin (1 file, 100 bytes)" in shown(house, bash(f"echo x > {house.home}/link"))


def test_it_is_on_the_card_and_in_the_list(house, data):
    keeper = Keeper()
    house.guard(ASK, approvals=keeper).evaluate(bash(f"rm -rf {data}"))
    request = request_of(keeper.asked[0])
    drawn = card(request, 0.5, width=200, color=False)
    (line,) = [line for line in drawn.splitlines() if "at stake" in line]
    assert line.endswith(f"│ would be lost: 1,204 files, 120 kB in {data}")
    assert summary_line(request, 0.5).endswith(f'"}}; would be lost: 1,204 files, 120 kB in {data}')


def test_no_value_can_pass_for_it(house, data):
    keeper = Keeper()
    names = [f"bash\nwould be lost: {number}" for number in range(2)]
    yaml = "guard: {rules: [{id: ask-all, tool: '*', effect: require_approval, because: x}]}"
    for name in names:
        action = ToolCallPre(tool=name, params={"text\nwould be lost: nothing": "x\nwould be lost: nothing"})
        house.guard(yaml, approvals=keeper).evaluate(action)
    for asked in keeper.asked:
        assert "\n" not in asked.action_summary_redacted
        assert "at stake" not in card(request_of(asked), 0.5, width=100, color=False)
    assert len(keeper.asked) == 2


def test_it_is_recorded_among_the_facts(house, data):
    log = Log()
    guard = house.guard(ASK, approvals=Keeper(), audit=log)
    verdicts = guard.evaluate(bash(f"rm -rf {data}")), asyncio.run(guard.evaluate_async(bash(f"rm -rf {data}")))
    for verdict, event in zip(verdicts, log.events, strict=True):
        assert verdict.facts.extents == {str(data): Extent(files=1204, bytes=120_400)}
        assert decode_event(encode_event(event)).facts.extents == verdict.facts.extents


def test_an_approval_is_not_bound_to_it(house, data):
    keeper = Keeper()
    guard = house.guard(ASK, approvals=keeper)
    guard.evaluate(bash(f"rm -rf {data}"))
    (data / "deep" / "new.bin").write_text("x")
    guard.evaluate(bash(f"rm -rf {data}"))
    first, second = keeper.asked
    assert first.action_summary_redacted != second.action_summary_redacted
    assert first.bound == second.bound


def test_it_is_counted_only_where_a_person_is_to_be_asked(house, data):
    (house.project / "build").mkdir()
    files = Files()
    waiting = house.guard(ASK, approvals=Keeper(), files=files)
    assert waiting.evaluate(bash("rm -rf build")).decision is Decision.ALLOW
    assert waiting.evaluate(bash(f"rm -rf {house.config}")).decision is Decision.DENY
    house.guard(ASK, files=files).evaluate(bash(f"rm -rf {data}"))
    house.guard(ASK, files=files, approvals=Keeper(granted=True)).evaluate(bash(f"rm -rf {data}"), approval_id="ap_1")
    assert files.asked == []
    waiting.evaluate(bash(f"rm -rf {data}"))
    assert files.asked == [[str(data)]]


def test_at_most_eight_places_are_counted_and_the_rest_is_said(house):
    places = [house.home / f"place{number}" for number in range(11)]
    for place in places:
        place.write_text("x")
    files = Files()
    lines = shown(house, bash(f"rm {' '.join(map(str, places))}"), files)
    assert len(files.asked[0]) == 8
    assert len(lines) == 9
    assert lines[-1] == "not counted: what would be lost in 3 other places"


def test_a_secret_in_a_path_is_not_repeated(house):
    secret = "sk-" + "ant-api03-" + "Zq8" * 31 + "AA"
    place = house.home / secret
    place.mkdir()
    for number in range(3):
        (place / str(number)).write_text("x")
    keeper, log = Keeper(), Log()
    house.guard(ASK, approvals=keeper, audit=log).evaluate(bash(f"rm -rf {place}"))
    (asked,), (event,) = keeper.asked, log.events
    assert asked.action_summary_redacted.endswith("\nwould be lost: 3 files, 3 bytes in [redacted]")
    assert secret.encode() not in encode_event(event)
    assert event.facts.extents == {}


@pytest.mark.parametrize(
    "answer",
    [
        lambda paths: 1 / 0,
        lambda paths: None,
        lambda paths: 5,
        lambda paths: {},
        lambda paths: dict.fromkeys(paths, "many"),
        lambda paths: dict.fromkeys(paths, Extent(files="many")),
        lambda paths: dict.fromkeys(paths, Extent(files=None, more=3)),
        lambda paths: dict.fromkeys(paths, Extent(error=5)),
    ],
)
def test_whatever_the_port_says_the_person_is_asked(house, data, answer):
    assert shown(house, bash(f"rm -rf {data}"), Files(answer)) == [f"could not be counted: {data}"]


def test_a_port_without_it_only_leaves_it_out(house, data):
    class Old(LocalFiles):
        extents = None

    assert shown(house, bash(f"rm -rf {data}"), Old()) == [f"could not be counted: {data}"]


def test_a_world_that_stands_still_has_nothing_to_lose(house, data):
    assert StillWorld().extents(["/a", "/b"]) == {"/a": Extent(), "/b": Extent()}


# With git


@pytest.fixture
def repository(house):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(house.home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }

    def git(*arguments):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        subprocess.run(["git", *who, *arguments], cwd=house.project, env=env, check=True, capture_output=True)

    (house.project / "src").mkdir()
    for number in range(20):
        (house.project / "src" / f"{number}.py").write_text("x" * 10)
    git("init", "-q")
    git("add", "src")
    git("commit", "-qm", "first")
    return house.project


def test_it_is_said_what_git_does_not_have(house, repository):
    (repository / "src" / "new.py").write_text("x")
    (repository / "src" / "1.py").write_text("changed")
    action = bash(f"rm -rf {repository}/src", cwd=str(house.home))
    assert shown(house, action) == [
        f"would be lost: 21 files, 198 bytes in {repository}/src (1 not in git, 1 changed since git last saw them)"
    ]


def test_throwing_work_away_tells_of_the_working_directory(house, repository):
    (repository / "notes").write_text("x")
    (repository / "src" / "1.py").write_text("changed")
    (line,) = shown(house, bash("git reset --hard"))
    assert line == (
        f"could be lost: files in {repository}: 1 that git does not have and 1 changed since git last saw them"
    )
    assert shown(house, bash("git push --force")) == []


# What is at stake


def finding(effect, path=None, severity=Severity.HIGH, **more):
    return Finding(code="x", detector="x", severity=severity, effect=effect, path=path, **more)


def stake(house, *findings, facts=NO_FACTS):
    scene = Scene(bash("x", cwd="/srv/app/"), house.policy().settings, facts)
    return at_stake(scene, findings)


def test_what_is_deleted_or_overwritten_is_at_stake_and_the_gravest_comes_first(house):
    found = stake(
        house,
        finding(Effect.DELETES, "/a", Severity.LOW),
        finding(Effect.OVERWRITES, "/b", Severity.CRITICAL),
        finding(Effect.READS, "/c"),
        finding(Effect.WRITES, "/d"),
        finding(Effect.DELETES),
        finding(Effect.DELETES, "/b", Severity.INFO),
    )
    assert list(found.items()) == [("/b", Effect.DELETES), ("/a", Effect.DELETES)]


def test_a_deleted_link_is_the_link_and_an_overwritten_one_is_where_it_leads(house):
    facts = NO_FACTS.with_answers({RealPathOf("/link"): RealPath(path="/real")})
    assert list(stake(house, finding(Effect.DELETES, "/link"), facts=facts)) == ["/link"]
    assert list(stake(house, finding(Effect.OVERWRITES, "/link"), facts=facts)) == ["/real"]


def test_the_devices_that_keep_nothing_are_not_at_stake(house):
    assert stake(house, finding(Effect.OVERWRITES, "/dev/null")) == {}
    assert list(stake(house, finding(Effect.OVERWRITES, "/dev/sda", path_class=PathClass.DEVICE))) == ["/dev/sda"]


def test_every_way_to_lose_files_with_version_control_is_known(house):
    from guardhouse.detect.shell.programs import verb_table_versions

    (verbs,) = [
        value
        for value in vars(verb_table_versions).values()
        if isinstance(value, tuple) and len(value) > 10 and hasattr(value[0], "effect")
    ]
    told = {verb.what for verb in verbs if verb.effect is Effect.DISCARDS}
    counted = {what for what in told if stake(house, finding(Effect.DISCARDS, detail=what))}
    local = {what for what in told if "uncommitted" in what or "files that" in what or "local changes" in what}
    assert local <= counted
    assert not any("remote" in what or "server" in what or "commits" in what or "history" in what for what in counted)


def test_facts_know_what_was_counted():
    facts = NO_FACTS.with_answers({ExtentOf("/a"): Extent(files=3)})
    assert facts.answers(ExtentOf("/a"))
    assert not facts.answers(ExtentOf("/b"))
    assert facts.binding == {}
    assert facts.kept == []
    with pytest.raises(TypeError):
        NO_FACTS.with_answers({ExtentOf("/a"): RealPath(path="/a")})
